#!/bin/sh
# in_scratch.sh DIR NAME COMMAND...: runs COMMAND in the empty directory DIR/scratch/NAME, with caches under DIR/cache/NAME.
set -eu
dir=$1 name=$2
shift 2
rm -rf "$dir/scratch/$name"
mkdir -p "$dir/scratch/$name" "$dir/cache/$name/pocl"
cd "$dir/scratch/$name"
export POCL_CACHE_DIR="$dir/cache/$name/pocl" XDG_CACHE_HOME="$dir/cache/$name"
export POCL_WORK_GROUP_SPECIALIZATION=0 # half the compiling, as the program does
exec "$@"
