#!/bin/sh
# in_scratch.sh DIR NAME COMMAND...: runs COMMAND in the empty directory DIR/scratch/NAME, with a cache of the program's own,
# DIR/cache/NAME, which begins as a copy of DIR/cache/warm if that is there (warm_cache.sh), and one of PoCL's, DIR/cache/pocl-K. What
# one test has compiled there the next one finds; but PoCL's cache does not stand several processes that compile the same, so a test
# takes the first that no other test is using. The short form (MASTABA_SHORT=1, scripts/test) compiles most kernels without
# optimisation, so it has caches of its own.
set -eu
dir=$1 name=$2
shift 2
if [ -n "${MASTABA_SHORT-}" ]; then
    if [ "$name" != warm_cache ]; then export LD_PRELOAD="$dir/libquick_builds.so"; fi
    dir=$dir/short
fi
rm -rf "$dir/scratch/$name"
mkdir -p "$dir/scratch/$name" "$dir/cache"
if [ ! -d "$dir/cache/$name" ] && [ -d "$dir/cache/warm" ]; then
    mkdir "$dir/cache/$name"
    cp -r "$dir/cache/warm/mastaba" "$dir/cache/$name"
fi
k=0
case $name in
warm_cache | *faults* | *disk_full* | *interrupt*) # it makes what caches begin with, and the others may leave what is wrong behind
    pocl=$dir/cache/$name/pocl
    ;;
*)
    exec 9>"$dir/cache/pocl-0.lock"
    until flock -n 9; do # this process holds it, which becomes the test
        k=$((k + 1))
        exec 9>"$dir/cache/pocl-$k.lock"
    done
    pocl=$dir/cache/pocl-$k
    ;;
esac
mkdir -p "$dir/cache/$name"
if [ ! -d "$pocl" ] && [ -d "$dir/cache/warm" ]; then
    cp -r "$dir/cache/warm/pocl" "$pocl"
fi
mkdir -p "$pocl"
cd "$dir/scratch/$name"
export POCL_CACHE_DIR="$pocl" XDG_CACHE_HOME="$dir/cache/$name"
export MASTABA_SYSTEM_CACHE="$dir/none" MASTABA_TEST_CACHES="$dir/cache"
export POCL_WORK_GROUP_SPECIALIZATION=0 # half the compiling, as the program does
exec "$@"
