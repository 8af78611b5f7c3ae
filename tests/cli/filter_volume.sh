#!/bin/sh
# mastaba filter --volume, --wiener and --precision: against closed forms, in every way in and out. What kernels make of each mask is in
# the test filter_general.
. "${0%/*}/lib"

# A stack of 6 pages of 8 x 10 with waves along its axes: 2 cycles in depth, 3 in height, 1 in width. What is left of each when it is
# 0.5 + 0.25 (kept waves) is told by the numbers that follow, in the order depth, height, width.
python3 - <<'END'
import math, struct
values = [0.5 + 0.25 * (math.cos(2 * math.pi * 2 * z / 6) + math.cos(2 * math.pi * 3 * y / 8) + math.cos(2 * math.pi * x / 10))
          for z in range(6) for y in range(8) for x in range(10)]
for name, kind in (('stack', 'f'), ('doubles', 'd')):
    with open(name + '.npy', 'wb') as f:
        text = "{'descr': '<f%d', 'fortran_order': False, 'shape': (6, 8, 10), }" % struct.calcsize(kind)
        text += ' ' * (117 - len(text)) + '\n'
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode() + struct.pack('<480' + kind, *values))
with open('mask.npy', 'wb') as f: # 0 in the middle: what is even, at frequency 2 / 6 of the depth 1, else 0
    mask = [1.0 if (z, y, x) in ((1, 4, 5), (5, 4, 5), (3, 4, 5)) else 0.0 for z in range(6) for y in range(8) for x in range(10)]
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 8, 10), }"
    text += ' ' * (117 - len(text)) + '\n'
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode() + struct.pack('<480d', *mask))
END
left() { # OUT MEAN DEPTH HEIGHT WIDTH TOLERANCE
    npy print "$1" | python3 -c "
import math, sys
got = [float(v) for v in sys.stdin.read().split()]
mean, depth, height, width, tolerance = map(float, sys.argv[1:])
wanted = [mean + 0.25 * (depth * math.cos(2 * math.pi * 2 * z / 6) + height * math.cos(2 * math.pi * 3 * y / 8) +
          width * math.cos(2 * math.pi * x / 10)) for z in range(6) for y in range(8) for x in range(10)]
assert len(got) == 480
off = max(abs(a - b) for a, b in zip(got, wanted))
assert off <= tolerance, off" "$2" "$3" "$4" "$5" "$6" || fail "$*"
}
volume() {
    expect 0 "$MASTABA" filter stack.npy -o out.npy --volume --edges wrap --output raw --shape ideal -f "$@"
}
# Radii are cycles along the shortest axis, 6 here: 2 in depth, 3/8 6 = 2.25 in height, 0.6 in width.
volume --low-pass 2.1
left out.npy 0.5 1 0 1 1e-6
volume --high-pass 2.1
left out.npy 0 0 1 0 1e-6
volume --notch 0,0,2,0.2 --notch 0.6,0,0,0.1
left out.npy 0.5 0 1 0 1e-6
expect 0 "$MASTABA" filter stack.npy -o out.npy --volume --edges wrap --output raw --mask-file mask.npy -f
left out.npy 0.5 1 0 0 1e-6
# Page by page the depth is not seen, and the height has 8 pixels.
expect 0 "$MASTABA" filter stack.npy -o out.npy --edges wrap --output raw --shape ideal --low-pass 2.1 -f
left out.npy 0.5 1 0 1 1e-6
expect 0 "$MASTABA" filter stack.npy -o out.npy --edges wrap --output raw --shape ideal --high-pass 1 -f
left out.npy 0 0 1 0 1e-6

# In double precision, asked for, or by what is in the file, which may come and go by pipes.
volume --low-pass 2.1 --precision float64
[ "$(npy describe out.npy)" = "float64 [6, 8, 10]" ] || fail "$(npy describe out.npy)"
left out.npy 0.5 1 0 1 1e-7 # as exact as the numbers in the file
expect 0 "$MASTABA" filter doubles.npy -o out.npy --volume --edges wrap --output raw --shape ideal --low-pass 2.1 -f
left out.npy 0.5 1 0 1 1e-14
"$MASTABA" filter - --volume --edges wrap --shape ideal --output raw --low-pass 2.1 -o - <doubles.npy >piped.npy || fail "by pipes"
cmp -s out.npy piped.npy || fail "by pipes it is another"
expect 0 "$MASTABA" filter doubles.npy -o doubles.tif --volume --edges wrap --output raw --shape ideal --low-pass 99 -f
expect 0 "$MASTABA" filter doubles.tif -o out.npy --volume --edges wrap --output raw --shape ideal --low-pass 2.1 -f
[ "$(npy describe out.npy)" = "float64 [6, 8, 10]" ] || fail "$(npy describe out.npy) of a TIFF file"
left out.npy 0.5 1 0 1 1e-14
mkdir results
expect 0 "$MASTABA" filter doubles.npy stack.npy -o results/ --low-pass 2 --precision float64 --output raw
cp results/doubles.npy . && [ "$(wc -c <results/stack.npy)" = "$(wc -c <results/doubles.npy)" ] || fail "a directory"

# Noise: one wave has its power at one frequency of 9 x 9 (of a mirrored image at one of the cosine transform).
python3 - "$here" <<'END'
import math, sys
sys.path.insert(0, sys.argv[1])
import images
n = 36
images.write_pnm('waves.pgm', images.Image(n, n, 1, 16, 65535, [round(32768 + 16000 * math.cos(2 * math.pi * (7 * x + 6 * y) / n))
                                                               for y in range(n) for x in range(n)]), False)
END
expect 0 "$MASTABA" filter waves.pgm -o quieter.pgm --edges wrap --wiener 16000 # 1 - 324 16000^2 / (16000^2 36^2) = 0.75 is kept
python3 - "$here" <<'END' || fail "--wiener"
import math, sys
sys.path.insert(0, sys.argv[1])
import images
n, got = 36, images.read('quieter.pgm')[1].values
wanted = [32768 + 0.75 * 16000 * math.cos(2 * math.pi * (7 * x + 6 * y) / n) for y in range(n) for x in range(n)]
assert max(abs(a - b) for a, b in zip(got, wanted)) < 3
END
# Estimated noise of a photograph in steps of 16 levels: its error falls, standard input as well as a file.
python3 - "$here" <<'END'
import math, random, sys
sys.path.insert(0, sys.argv[1])
import images
random.seed(5)
clean = [128 + 60 * math.sin(x / 9) * math.cos(y / 11) for y in range(96) for x in range(128)]
images.write_pnm('noisy.pgm', images.Image(128, 96, 1, 8, 255, [min(max(round(v + random.gauss(0, 12)), 0), 255) for v in clean]), False)
END
expect 0 "$MASTABA" filter noisy.pgm -o clean.png --wiener auto
python3 - "$here" <<'END' || fail "--wiener auto"
import math, sys
sys.path.insert(0, sys.argv[1])
import images
got = images.read('clean.png')[1].values
clean = [128 + 60 * math.sin(x / 9) * math.cos(y / 11) for y in range(96) for x in range(128)]
off = math.sqrt(sum((a - b) ** 2 for a, b in zip(got, clean)) / len(clean))
assert off < 4, off
END

refused 2 'is for images; leave out --volume' filter stack.npy -o b.npy --volume --stripes 30,5
refused 2 'as 40,-12,5,3' filter stack.npy -o b.npy --volume --notch 1,2,3
refused 2 'as 10, or auto' filter noisy.pgm -o b.pgm --wiener -3
refused 2 'shape of the image.s spectrum' filter noisy.pgm -o b.pgm --wiener 3 --shape ideal
refused 2 'give auto' filter noisy.pgm -o b.pgm --wiener 3 --linear
refused 2 'leave out --alpha weigh' filter noisy.pgm -o b.pgm --wiener auto --alpha weigh
refused 2 'compute in float32' filter noisy.pgm -o b.pgm --low-pass 3 --linear --precision float64
refused 2 'float32 or float64' filter noisy.pgm -o b.pgm --low-pass 3 --precision double
refused 2 'not with --volume' filter stack.npy -o b.npy --low-pass 3 --volume --algorithm paper
refused 4 'has one page' filter noisy.pgm -o b.pgm --low-pass 3 --volume
refused 4 'write .tif or .npy' filter noisy.pgm -o b.png --low-pass 3 --output raw --precision float64
refused 4 'leave out --precision float32' filter doubles.npy -o b.npy --low-pass 3 --precision float32
refused 4 'leave out --linear' filter doubles.npy -o b.npy --low-pass 3 --linear
refused 4 'of two axes, not' filter noisy.pgm -o b.pgm --mask-file mask.npy
