#!/bin/bash
# warm_cache.sh: compiles the kernels that most tests need, once, into $MASTABA_TEST_CACHES/warm, with which in_scratch.sh begins caches.
# Then each of PoCL's caches there gets what the others have, as the tests share them out in another way each time.
set -eu
warm=$MASTABA_TEST_CACHES/warm
if [ -d "$warm" ]; then
    for from in "$MASTABA_TEST_CACHES"/pocl-?; do
        for to in "$MASTABA_TEST_CACHES"/pocl-?; do
            [ "$from" = "$to" ] || cp -rln "$from/." "$to" # PoCL replaces files and writes in none
        done
    done
    exit 0
fi
: "${MASTABA:?MASTABA must be the path of the program}"
npy() {
    python3 "$MASTABA_SOURCE_DIR/tests/cli/npy.py" make "$@"
}
npy x.npy float32 2,3000
npy long.npy float32 1500

# PoCL's cache does not stand several processes on a cold start: of the two that run side by side, each has one of its own.
own_cache() {
    export XDG_CACHE_HOME=$PWD/$1 POCL_CACHE_DIR=$PWD/$1/pocl
    mkdir -p "$POCL_CACHE_DIR"
}

# Children of `mastaba prepare` share out what knows no sizes, of which GPUs have nothing (warm/prepared lists it, for prepare.sh); then
# what else several tests run.
mkdir claims
prepare() {
    "$MASTABA" prepare --claims="$PWD/claims" 3>"$1.answer" && grep -q '^1 \|only CPUs' "$1.answer"
    find "$1/mastaba" -name '*.bin' -printf '%f\n' >"$1.list"
}
(
    own_cache first
    prepare first
    "$MASTABA" solve heat2d --grid 31x45 --steps 2 -o u.npy
) &
one=$!
(
    own_cache second
    prepare second
    "$MASTABA" convolve x.npy long.npy -o published.npy --algorithm paper-c
)
wait $! && wait $one
cp -r second/. first
cat first.list second.list >first/prepared
mv first "$warm"
