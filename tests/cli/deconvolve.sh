#!/bin/sh
# mastaba deconvolve: arrays and images, the point spread function by file and by formula, and what is refused. What is computed is in
# the test deconvolution.
. "${0%/*}/lib"

python3 - <<'END'
import math, struct
def npy(path, kind, shape, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % ({'f': '<f4', 'd': '<f8'}[kind], tuple(shape))
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<%d%s' % (len(values), kind), *values))
side, sigma = 21, 1.5
g = [math.exp(-((x - 6) ** 2 + (y - 6) ** 2) / (2 * sigma ** 2)) for y in range(13) for x in range(13)]
total = sum(g)
blurred = [0.0] * side * side
for y in range(13):
    for x in range(13):
        blurred[(4 + y) * side + 4 + x] = 100 * g[13 * y + x] / total
npy('image.npy', 'f', (side, side), blurred)
npy('psf.npy', 'd', (13, 13), g)
npy('two.npy', 'f', (2, side, side), blurred + [2 * v for v in blurred])
npy('none.npy', 'd', (0, 3), [])
npy('below.npy', 'f', (side, side), [-1.0] + blurred[1:])
with open('image.pgm', 'wb') as f:
    f.write(b'P5 %d %d 255\n' % (side, side) + bytes(round(30 * v) for v in blurred))
END
peak() { # FILE: the greatest value, where it is and the sum
    python3 - "$1" <<'END'
import struct, sys
data = open(sys.argv[1], 'rb').read()
at = 10 + struct.unpack('<H', data[8:10])[0]
v = struct.unpack('<%df' % ((len(data) - at) // 4), data[at:])
print(v.index(max(v)), round(sum(v)))
END
}
before=$(python3 -c 'print(10 * 21 + 10)')
for psf in psf.npy --psf=gaussian:1.5; do
    expect 0 "$MASTABA" deconvolve image.npy "$psf" -o out.npy -n 30 --accelerate -f --json
    [ "$(peak out.npy)" = "$before 100" ] || fail "$psf: $(peak out.npy)"
    grep -q '"iterations": 30' .stdout || fail "no iterations"
done
expect 0 "$MASTABA" deconvolve two.npy psf.npy -o out.npy -n 60 --accelerate --tolerance 0.05 -f
[ "$(peak out.npy)" = "$((before + 441)) 300" ] || fail "two images: $(peak out.npy)"
grep -Eq '\[2, 21, 21\] by richardson-lucy on .*, [1-9][0-9]? iterations, residual 0\.[0-9]+' .stdout || fail "the report"
# From a result on: 4 iterations and 6 are 10.
for first in 4 10; do
    expect 0 "$MASTABA" deconvolve image.npy psf.npy -o from$first.npy -n $first --edges circular
done
expect 0 "$MASTABA" deconvolve image.npy psf.npy -o then.npy -n 6 --start from4.npy --edges circular
expect 0 "$MASTABA" deconvolve two.npy psf.npy -o both.npy -n 6 --start from4.npy --edges circular
# An image is what its numbers are, rounded and limited to what its type holds; the spectrum's middle is divided by 1 + balance.
expect 0 "$MASTABA" deconvolve image.pgm psf.npy -o out.pgm -m wiener --edges circular
expect 0 "$MASTABA" deconvolve image.pgm psf.npy -o wiener.npy -m wiener --raw --edges circular
expect 0 "$MASTABA" deconvolve image.pgm psf.npy -o tikhonov.npy -m tikhonov --raw --edges circular
expect 0 "$MASTABA" deconvolve two.npy -p born-wolf:na=0.8,wavelength=0.5,pixel=0.4,step=1 -o volume.npy -n 2 --edges circular
python3 - <<'END' || fail "values"
import struct
def read(path):
    data = open(path, 'rb').read()
    at = 10 + struct.unpack('<H', data[8:10])[0]
    return struct.unpack('<%df' % ((len(data) - at) // 4), data[at:])
given = list(open('image.pgm', 'rb').read()[-441:])
picture = open('out.pgm', 'rb').read()
wiener, tikhonov, volume, both, then, ten = (
    read(name + '.npy') for name in ('wiener', 'tikhonov', 'volume', 'both', 'then', 'from10'))
assert picture.split()[:4] == [b'P5', b'21', b'21', b'255'], picture[:20]
assert list(picture[-441:]) == [min(max(round(v), 0), 255) for v in wiener]
for name, got, total in ('wiener', wiener, sum(given) / 1.001), ('tikhonov', tikhonov, sum(given)):
    assert len(got) == 441 and got.index(max(got)) == 10 * 21 + 10 and max(got) > 2 * max(given), name
    assert abs(sum(got) - total) < 1e-3 * total, (name, sum(got), total)
assert len(volume) == 882 and min(volume) >= 0 and abs(sum(volume) - 300) < 0.1, sum(volume)
assert len(then) == 441 and all(abs(a - b) < 1e-4 * max(ten) for a, b in zip(then, ten)), 'a start'
assert both[:441] == then, 'one start for all images'
END
# Larger than the device: in bricks, whose seams are told and bounded.
python3 - <<'END'
import struct
head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (150, 160), }".ljust(117) + b'\n'
data = bytes(20 + (200 if (i * 37 + j * 11) % 97 == 0 else 0) for i in range(150) for j in range(160))
open('large.npy', 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(head)) + head + data)
END
"$MASTABA" deconvolve large.npy -p gaussian:1 --dry-run --device-memory 600K > planned
grep -q 'in [0-9]* bricks of [0-9]* x [0-9]* with halos of' planned || fail "no bricks planned: $(cat planned)"
"$MASTABA" deconvolve large.npy -p gaussian:1 -n 8 -o large-sharp.npy --device-memory 600K --json > told
python3 -c "
import json
told = json.load(open('told'))
assert told['bricks'] > 1 and 0 < told['seam'] < 0.5, told"
"$MASTABA" deconvolve large.npy -p gaussian:1 -n 3 -o exact.npy --device-memory 600K --exact --json > told
python3 -c "
import json
told = json.load(open('told'))
assert told['bricks'] > 1 and told['seam'] < 1e-5, told"
refused 1 'host memory budget of 1 bytes .* it takes at least' deconvolve large.npy -p gaussian:1 --host-memory 1 --dry-run
refused 1 'it takes at least' deconvolve large.npy -p gaussian:1 -o z.npy --device-memory 600K --seam 1e-9
# An interrupt leaves the output that was there, and nothing else.
cp out.npy kept.npy
files=$(ls)
expect 130 timeout --preserve-status -s INT 0.7 "$MASTABA" deconvolve two.npy psf.npy -o out.npy -n 9000000 --force
cmp kept.npy out.npy || fail "an interrupted run changed the output"
[ "$files" = "$(ls -A | grep -v '^\.std')" ] || fail "an interrupted run left files"
refused 2 'no output given' deconvolve image.npy psf.npy
refused 2 'no point spread function' deconvolve image.npy -o z.npy
refused 2 'leave out one of them' deconvolve image.npy psf.npy -p gaussian:1 -o z.npy
refused 2 'give widths above 0' deconvolve image.npy -p gaussian:0 -o z.npy
refused 2 'one for each of --axes' deconvolve image.npy -p gaussian:1,2,3 --axes -2,-1 -o z.npy
refused 2 'give na, wavelength and pixel' deconvolve image.npy -p born-wolf:na=1.4 -o z.npy
refused 2 'below the index' deconvolve image.npy -p born-wolf:na=1.4,wavelength=1,pixel=1 -o z.npy
refused 2 'give na, wavelength and pixel' deconvolve image.npy -p born-wolf:na=1.4,wavelength=1,pixel=1,step=1,index=-9 -o z.npy
refused 2 'choose gaussian' deconvolve image.npy -p airy:3 -o z.npy
refused 2 'choose richardson-lucy' deconvolve image.npy psf.npy -m blind -o z.npy
refused 2 'choose observed' deconvolve image.npy psf.npy -e wrap -o z.npy
refused 2 'extension' deconvolve image.pgm psf.npy -o z.mp3
refused 4 'image.npy: has 2 axes, the point spread function 3' deconvolve image.npy two.npy -o z.npy
refused 4 'below.npy: the image is below 0 at .0, 0. of item 0' deconvolve below.npy psf.npy -o z.npy
refused 4 'iterations is 0' deconvolve image.npy psf.npy -n 0 -o z.npy
refused 4 'z.pgm: ' deconvolve image.pgm psf.npy -o z.pgm --raw
refused 4 'none.npy: has no values' deconvolve image.npy none.npy -o z.npy
refused 4 'but start' deconvolve image.npy psf.npy --start two.npy -o z.npy
refused 4 'exists' deconvolve image.npy psf.npy -o out.npy
