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
expect 0 "$MASTABA" deconvolve image.pgm psf.npy -o out.pgm -m wiener
[ "$(head -c 15 out.pgm | tr '\n' ' ')" = 'P5 21 21 255 ' ] || [ "$(wc -c <out.pgm)" -ge 441 ] || fail "an image"
expect 0 "$MASTABA" deconvolve image.pgm psf.npy -o raw.npy -m tikhonov --raw
expect 0 "$MASTABA" deconvolve two.npy -p born-wolf:na=0.8,wavelength=0.5,pixel=0.4,step=1 -o volume.npy -n 2
refused 2 'no output given' deconvolve image.npy psf.npy
refused 2 'no point spread function' deconvolve image.npy -o z.npy
refused 2 'leave out one of them' deconvolve image.npy psf.npy -p gaussian:1 -o z.npy
refused 2 'give widths above 0' deconvolve image.npy -p gaussian:0 -o z.npy
refused 2 'one for each of --axes' deconvolve image.npy -p gaussian:1,2,3 --axes -2,-1 -o z.npy
refused 2 'give na, wavelength and pixel' deconvolve image.npy -p born-wolf:na=1.4 -o z.npy
refused 2 'below the index' deconvolve image.npy -p born-wolf:na=1.4,wavelength=1,pixel=1 -o z.npy
refused 2 'choose gaussian' deconvolve image.npy -p airy:3 -o z.npy
refused 2 'choose richardson-lucy' deconvolve image.npy psf.npy -m blind -o z.npy
refused 2 'choose observed' deconvolve image.npy psf.npy -e wrap -o z.npy
refused 2 'extension' deconvolve image.pgm psf.npy -o z.mp3
refused 4 'image.npy: has 2 axes, the point spread function 3' deconvolve image.npy two.npy -o z.npy
refused 4 'below.npy: the image is below 0 at .0, 0. of item 0' deconvolve below.npy psf.npy -o z.npy
refused 4 'iterations is 0' deconvolve image.npy psf.npy -n 0 -o z.npy
refused 4 'exists' deconvolve image.npy psf.npy -o out.npy
