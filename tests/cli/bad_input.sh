#!/bin/bash
# Every bad input is one line, the right exit code, and nothing written.
. "${0%/*}/lib"

npy make x.npy float32 2,8 1
npy make y.npy float32 2,3 2

# Devices.
OCL_ICD_VENDORS=/nonexistent refused 3 'no OpenCL platform' convolve x.npy y.npy -o z.npy
refused 3 'no device 99; there are 0: ' convolve x.npy y.npy -o z.npy --device 99
refused 3 "contains 'abacus'; there are 0: " convolve x.npy y.npy -o z.npy --device abacus
MASTABA_DEVICE=abacus refused 3 "contains 'abacus'" convolve x.npy y.npy -o z.npy

# Shapes.
npy make three.npy float32 3,8 3
npy make two.npy float32 2,1,8 3
npy make half.npy float32 2,3,8 3
npy make mixed.npy float32 2,1,8 3
refused 4 '[23]' convolve x.npy three.npy -o z.npy
refused 4 . convolve half.npy mixed.npy -o z.npy
refused 4 'circular|length' convolve x.npy y.npy -o z.npy --mode circular
npy make nine.npy float32 1,1,1,1,1,1,1,1,8 3
refused 4 'nine.npy' convolve x.npy nine.npy -o z.npy

# Files that are not what they should be.
refused 4 'gone.npy: No such file' convolve gone.npy y.npy -o z.npy
refused 4 'is a directory' convolve . y.npy -o z.npy
mkfifo pipe
refused 4 'is a pipe or device' convolve pipe y.npy -o z.npy
refused 4 'is a pipe or device' convolve x.npy /dev/zero -o z.npy
c1=$(printf 'gone\302\233m\377\033.npy') # control characters, of 8 bits too, and no UTF-8
refused 4 'gone[?][?]m[?][?][.]npy: No such file' convolve "$c1" y.npy -o z.npy
: >empty
refused 4 'empty: neither a .npy file nor a sound' convolve empty y.npy -o z.npy
: >empty.npy
refused 4 'empty.npy: ' convolve empty.npy y.npy -o z.npy
echo 'a,b,c' >table.csv
refused 4 'table.csv: neither a .npy file nor a sound' convolve table.csv y.npy -o z.npy
cp table.csv text.npy
refused 4 'text.npy: .*\.npy' convolve text.npy y.npy -o z.npy
head -c 40 x.npy >cut.npy
refused 4 'cut.npy: truncated' convolve cut.npy y.npy -o z.npy
head -c 150 x.npy >short.npy
refused 4 'short.npy: truncated' convolve short.npy y.npy -o z.npy
printf '\x93NUMPY\x02\x00\xff\xff\xff\x7f{' >long.npy
refused 4 'long.npy: ' convolve long.npy y.npy -o z.npy
npy raw huge.npy "'<f4'" False '(9223372036854775807, 9223372036854775807)' 16
refused 4 'huge.npy: ' convolve huge.npy y.npy -o z.npy
npy raw negative.npy "'<f4'" False '(-8,)' 32
refused 4 'negative.npy: ' convolve negative.npy y.npy -o z.npy
npy raw object.npy "'|O'" False '(2, 8)' 128
refused 4 'object.npy: .*object' convolve object.npy y.npy -o z.npy
npy raw fields.npy "[('a', '<f4'), ('b', '<i4')]" False '(2, 8)' 128
refused 4 'fields.npy: .*records' convolve fields.npy y.npy -o z.npy
npy raw string.npy "'<U8'" False '(2, 8)' 512
refused 4 'string.npy: ' convolve string.npy y.npy -o z.npy
npy raw quad.npy "'<f16'" False '(2, 8)' 256
refused 4 'quad.npy: ' convolve quad.npy y.npy -o z.npy

# Outputs.
cp y.npy there.npy
refused 4 'there.npy: exists; give another name, or --force' convolve x.npy y.npy -o there.npy
cmp y.npy there.npy
refused 4 'there.npy: exists' convolve gone.npy gone.npy -o there.npy # before any work
refused 4 'x.npy: is the input x.npy too' convolve x.npy y.npy -o x.npy --force
ln y.npy link.npy
ln -s y.npy symlink.npy
refused 4 'link.npy: is the input y.npy too' convolve x.npy y.npy -o link.npy --force
refused 4 'symlink.npy: is the input y.npy too' convolve x.npy y.npy -o ./symlink.npy --force
mkdir directory.npy
refused 4 'is a directory' convolve x.npy y.npy -o directory.npy --force
refused 4 'nowhere/z.npy' convolve x.npy y.npy -o nowhere/z.npy
refused 4 'x.npy/z.npy' convolve x.npy y.npy -o x.npy/z.npy
refused 4 'File name too long' convolve x.npy y.npy -o "$(printf '%0300d' 0).npy"
ln -s /dev/null null.npy
refused 4 'is a pipe or device' convolve x.npy y.npy -o null.npy --force
mkdir locked
chmod 500 locked
if [ "$(id -u)" != 0 ]; then
    refused 4 'locked/z.npy: .*Permission denied' convolve x.npy y.npy -o locked/z.npy
    chmod 000 three.npy
    refused 4 'three.npy: Permission denied' convolve three.npy y.npy -o z.npy
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups test -x "$MASTABA" -a -r x.npy; then
    MASTABA_USER() { setpriv --reuid=65534 --clear-groups "$program" "$@"; }
    program=$MASTABA
    expect 4 MASTABA_USER convolve x.npy y.npy -o locked/z.npy --no-cache
    grep -q 'locked/z.npy: .*Permission denied' .stderr || fail "an unwritable directory"
else
    skip 'an unwritable directory: root writes everywhere'
fi

# An old output survives a failure with --force.
refused 4 'truncated' convolve short.npy y.npy -o there.npy --force
refused 3 'no device 99' convolve x.npy y.npy -o there.npy --force --device 99
cmp y.npy there.npy || fail "a failed run changed the old output"

# A budget too small.
npy make vector.npy float32 1,5000 2
refused 1 '[0-9]' convolve vector.npy y.npy -o z.npy --device-memory 100
refused 1 '[0-9]' convolve vector.npy y.npy -o z.npy --host-memory 10
