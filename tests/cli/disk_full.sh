#!/bin/bash
# No space for the result: one line, exit code 4, nothing left. By a limit on the size of files, and on a small file system
# where that can be mounted.
. "${0%/*}/lib"

npy make x.npy float32 4,5000 1
npy make y.npy float32 100 2
python3 -c '
import wave
with wave.open("s.wav", "wb") as w:
    w.setnchannels(2), w.setsampwidth(2), w.setframerate(44100)
    w.writeframes(bytes(range(256)) * 800)'
for x in x.npy s.wav; do # compiles the kernels, so that no cache is what fails
    expect 0 "$MASTABA" convolve $x y.npy -o first.npy --force
done
for output in z.npy z.wav z.flac z.ogg z.w64; do
    x=s.wav
    case $output in *.npy) x=x.npy ;; esac
    (ulimit -f 8 && refused 4 "$output: .*File too large" convolve $x y.npy -o $output) || exit 1
done

if ! command -v unshare >/dev/null || ! unshare -rm true 2>/dev/null; then
    skip 'a full file system: cannot mount one'
    exit 0
fi
mkdir small
export -f refused expect fail npy
export MASTABA here
unshare -rm bash -euc '
    mount -t tmpfs -o size=64k none small
    for output in small/z.npy small/z.wav small/z.flac; do
        x=s.wav
        case $output in *.npy) x=x.npy ;; esac
        refused 4 "$output: .*No space left" convolve $x y.npy -o $output
        [ -z "$(ls -A small)" ]
    done
' bash || exit 1
