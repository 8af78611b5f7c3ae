#!/bin/bash
# The kernel cache: a damaged file is silently rebuilt, two processes may share it, and it may be unusable.
. "${0%/*}/lib"

export XDG_CACHE_HOME=$PWD/cache
npy make x.npy float32 3,100 1
npy make y.npy float32 20 2
expect 0 "$MASTABA" convolve x.npy y.npy -o good.npy
n=$(find cache/mastaba -type f | wc -l)
[ "$n" -gt 0 ] || fail "nothing in the cache"
[ "$(stat -c %a cache/mastaba)" = 700 ] || fail "the cache directory is open to others"

works() {
    expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --force
    [ ! -s .stderr ] || fail "$1: something on stderr"
    cmp good.npy z.npy || fail "$1: another result"
}
damage() {
    python3 - "$1" <<'END'
import glob, sys
for path in glob.glob("cache/mastaba/*"):
    data = open(path, "rb").read()
    half = len(data) // 2
    data = {"flipped": data[:half] + bytes([data[half] ^ 1]) + data[half + 1:], "short": data[:half], "empty": b"",
            "long": data + b"x", "text": b"hello " * 100}[sys.argv[1]]
    open(path, "wb").write(data)
END
}
for how in flipped short empty long text; do
    damage $how
    works "a $how file"
    works "after a $how file"
done
[ "$(find cache/mastaba -type f | wc -l)" = "$n" ] || fail "the cache holds $(find cache/mastaba -type f | wc -l) files, not $n"

# Several at once on a cold cache.
rm -rf cache
for i in 1 2 3 4; do
    "$MASTABA" convolve x.npy y.npy -o p$i.npy >.out$i 2>&1 &
    pids[i]=$!
done
for i in 1 2 3 4; do
    wait "${pids[i]}" || fail "process $i of four: exit code $?: $(cat .out$i)"
    cmp good.npy p$i.npy || fail "process $i of four: another result"
done

rm -rf cache
expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --force --no-cache
[ ! -e cache/mastaba ] || fail "--no-cache made a cache"
: >cache # not a directory
expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --force
cmp good.npy z.npy || fail "without a cache: another result"
rm cache
unset XDG_CACHE_HOME
HOME='' expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --force
cmp good.npy z.npy || fail "without a home: another result"
