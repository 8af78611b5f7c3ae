#!/bin/sh
# An interrupt half-way ends with 130 and leaves no output.
. "${0%/*}/lib"

# Long work: one-item blocks. Zeros that take no disk space.
npy raw x.npy "'<f4'" False '(400000, 512)' 819200000
npy make y.npy float32 512 1
export POCL_MAX_PTHREAD_COUNT=1
expect 0 "$MASTABA" convolve y.npy y.npy -o first.npy # compiles the kernels
for signal in INT TERM HUP; do
    expect 130 timeout --preserve-status -s $signal 1 \
        "$MASTABA" convolve x.npy y.npy -o z.npy --algorithm reference
    [ "$(cat .stderr)" = 'mastaba convolve: interrupted; nothing was written' ] || fail "the message for $signal"
    [ ! -s .stdout ] || fail "something on stdout for $signal"
    [ -z "$(find . -name '*z.npy*')" ] || fail "files left by $signal: $(ls -A)"
done
cp first.npy z.npy
expect 130 timeout --preserve-status -s INT 1 "$MASTABA" convolve x.npy y.npy -o z.npy --force
cmp first.npy z.npy || fail "an interrupted run changed the old output"
rm x.npy
