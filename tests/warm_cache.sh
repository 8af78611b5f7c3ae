#!/bin/bash
# warm_cache.sh DIR: compiles the kernels that most tests need, once, into DIR/cache/warm, with which in_scratch.sh begins caches. Then
# each of PoCL's caches there gets what the others have, as the tests share them out in another way each time.
set -eu
warm=$1/cache/warm
if [ -d "$warm" ]; then
    for from in "$1"/cache/pocl-?; do
        for to in "$1"/cache/pocl-?; do
            [ "$from" = "$to" ] || cp -rln "$from/." "$to" # PoCL replaces files and writes in none
        done
    done
    exit 0
fi
: "${MASTABA:?MASTABA must be the path of the program}"
npy() {
    python3 "$MASTABA_SOURCE_DIR/tests/cli/npy.py" make "$@"
}
npy c64.npy complex64 4,100
npy c128.npy complex128 4,100
npy x.npy float32 2,3000
npy short.npy float32 9
npy long.npy float32 1500
printf 'P5 32 32 255\n%01024d' 0 >image.pgm

# PoCL's cache does not stand several processes on a cold start: of the two that run side by side, each has one of its own.
own_cache() {
    export XDG_CACHE_HOME=$PWD/$1 POCL_CACHE_DIR=$PWD/$1/pocl
    mkdir -p "$POCL_CACHE_DIR"
}
(
    own_cache first
    "$MASTABA" fft c64.npy -o c64.out.npy
    "$MASTABA" filter image.pgm --low-pass 4 -o image.out.pgm
    "$MASTABA" solve heat2d --grid 31x45 --steps 2 -o u.npy
) &
(
    own_cache second
    "$MASTABA" fft c128.npy -o c128.out.npy
    "$MASTABA" convolve x.npy short.npy -o direct.npy
    "$MASTABA" convolve x.npy long.npy -o fused.npy
    "$MASTABA" convolve x.npy long.npy -o published.npy --algorithm paper-c
)
wait $!
cp -r second/. first
mv first "$warm"
