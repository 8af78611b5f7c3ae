#!/bin/sh
# What the program does with a sound, a scan and a few numbers. MASTABA names the program, by default the one in PATH.
set -eu
mastaba=${MASTABA:-mastaba}
data=$(cd "$(dirname "$0")" && pwd)/data

echo "A guitar in a hall:"
"$mastaba" convolve "$data/guitar.wav" "$data/hall.wav" -o guitar-in-hall.wav

echo "A photograph without its slow changes, and its spectrum:"
"$mastaba" filter "$data/photographer.png" --high-pass 64 -o edges.png --spectrum spectrum.png

echo "An integral, with its error:"
"$mastaba" integrate 'exp(-x^2)' --from -inf --to inf

for output in guitar-in-hall.wav edges.png spectrum.png; do
    test -s "$output"
done
