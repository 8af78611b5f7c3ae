#!/bin/sh
# in_scratch.sh DIR NAME COMMAND...: runs COMMAND in the empty directory DIR/scratch/NAME, with caches under DIR/cache/NAME, which begin
# as a copy of DIR/cache/warm if that is there (warm_cache.sh).
set -eu
dir=$1 name=$2
shift 2
rm -rf "$dir/scratch/$name"
mkdir -p "$dir/scratch/$name"
if [ ! -d "$dir/cache/$name" ] && [ -d "$dir/cache/warm" ]; then
    cp -r "$dir/cache/warm" "$dir/cache/$name"
fi
mkdir -p "$dir/cache/$name/pocl"
cd "$dir/scratch/$name"
export POCL_CACHE_DIR="$dir/cache/$name/pocl" XDG_CACHE_HOME="$dir/cache/$name"
export POCL_WORK_GROUP_SPECIALIZATION=0 # half the compiling, as the program does
exec "$@"
