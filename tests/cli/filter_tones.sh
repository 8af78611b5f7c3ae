#!/bin/sh
# mastaba filter --linear and --alpha weigh: sRGB, PNG's gamma, every kind of curve of a profile, kinds of opacity, against the
# formulas in double precision.
. "${0%/*}/lib"

images() {
    python3 "$here/images.py" "$@"
}

# OUT is IN below LOW by light (CURVE: none, srgb, or a number, its exponent), weighed or not, within TOLERANCE levels.
toned() { # OUT IN LOW CURVE WEIGH RAW TOLERANCE
    python3 - "$here" "$@" <<'END' || fail "$*"
import sys
sys.path.insert(0, sys.argv[1])
import images
out, source, low, curve, weigh, raw, tolerance = sys.argv[2:]
(_, got), (_, im) = images.read(out), images.read(source)
n, alpha, multiplied = im.channels, im.channels in (2, 4), getattr(im, 'opacity', None) == (1,)
colours, white = n - alpha, im.white
def light(v):
    if curve == 'none':
        return v
    if curve == 'srgb':
        return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
    return v ** float(curve)
def value(v):
    if curve == 'none':
        return v
    v = min(max(v, 0), 1) # what is beyond is not compared, as integers are limited
    if curve == 'srgb':
        return v * 12.92 if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055
    return v ** (1 / float(curve))
def rows(flat):
    return images.band([list(flat[y * im.width:(y + 1) * im.width]) for y in range(im.height)], 0, float(low), 'wrap')
a = [im.values[i * n + colours] / white if alpha else 1 for i in range(im.width * im.height)]
b = sum(rows(a), []) if alpha and weigh == '1' else a
for c in range(colours):
    straight = [im.values[i * n + c] / white for i in range(len(a))]
    if multiplied:
        straight = [s / t if t else 0 for s, t in zip(straight, a)]
    plane = [light(s) * (t if weigh == '1' or multiplied else 1) for s, t in zip(straight, a)]
    for i, v in enumerate(sum(rows(plane), [])):
        if b[i] < 1e-3 and alpha:
            continue # nothing is to be seen there
        t = min(max(b[i], 0), 1)
        v = v / t if weigh == '1' or multiplied else v
        wanted = v * white if raw == '1' else (value(v) if im.bits == 32 else min(max(value(v), 0), 1)) * (t if multiplied else 1) * white
        assert abs(got.values[i * n + c] - wanted) <= float(tolerance), (i, c, got.values[i * n + c], wanted)
for i in range(len(a)):
    if alpha:
        assert abs(got.values[i * n + colours] - min(max(b[i], 0), 1) * white) <= float(tolerance), (i, got.values[i * n + colours], b[i])
END
}
keep='--low-pass 3 --shape ideal --edges wrap'

images make in.png png:8:3 10 9 1
expect 0 "$MASTABA" filter in.png -o out.png $keep --linear
toned out.png in.png 3 srgb 0 0 0.51
expect 0 "$MASTABA" filter in.png -o raw.npy $keep --linear --output raw
toned raw.npy in.png 3 srgb 0 1 0.01
expect 0 "$MASTABA" filter in.png -o same.png --low-pass 99 --shape ideal --linear
images same same.png in.png || fail "light and back is another image"
images make float.tif tif:32:1 10 9 1
expect 0 "$MASTABA" filter float.tif -o out.tif $keep --linear # floating-point pixels are light
toned out.tif float.tif 3 none 0 0 1e-5

# PNG's gamma, and profiles: an exponent, a table, formulas of each kind; all are x^1.8 or sRGB.
python3 - "$here" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
import images, metadata
images.make('plain.png', 'png:16:1', 10, 9, 2)
data = open('plain.png', 'rb').read()
open('gamma.png', 'wb').write(data[:33] + metadata.chunk(b'gAMA', struct.pack('>I', 55556)) + data[33:])
grey, colour = images.read('plain.png')[1], images.read('in.png')[1]
def profile(tags):
    at, body, entries = 128 + 4 + 12 * len(tags), b'', b''
    for name, tag in tags:
        entries += name + struct.pack('>II', at + len(body), len(tag))
        body += tag + b'\0' * (-len(tag) % 4)
    head = struct.pack('>I4s', at + len(body), b'none').ljust(36, b'\0') + b'acsp'
    return list(head.ljust(128, b'\0') + struct.pack('>I', len(tags)) + entries + body)
def curve(values):
    return b'curv\0\0\0\0' + struct.pack('>I%dH' % len(values), len(values), *values)
def formula(kind, *numbers):
    return b'para\0\0\0\0' + struct.pack('>HH%di' % len(numbers), kind, 0, *(round(65536 * v) for v in numbers))
table = curve([round(65535 * (k / 4095) ** 1.8) for k in range(4096)])
srgb = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
for name, tag in (('exponent', curve([461])), ('table', table), ('power', formula(0, 1.8)), ('one', formula(1, 1.8, 1, 0)),
                  ('two', formula(2, 1.8, 1, 0, 0)), ('four', formula(4, 1.8, 1, 0, 1, 0, 0, 0)), ('fall', curve([65535, 0])),
                  ('cut', curve([1] * 9)[:20]), ('strange', formula(5, 1)), ('narrow', formula(3, 1))):
    images.write_tiff(name + '.tif', grey, '', {34675: (1, profile([(b'kTRC', tag)]))})
images.write_tiff('srgb.tif', colour, '', {34675: (1, profile([(b'rTRC', formula(3, *srgb)), (b'gTRC', formula(3, *srgb)), (b'bTRC', formula(3, *srgb))]))})
images.write_tiff('none.tif', grey, '', {34675: (1, profile([(b'A2B0', b'mft2' + b'\0' * 40)]))})
END
expect 0 "$MASTABA" filter gamma.png -o out.png $keep --linear -f
toned out.png gamma.png 3 1.8 0 0 4
for name in exponent table power one two four; do
    turn 3 || continue
    expect 0 "$MASTABA" filter $name.tif -o out.tif $keep --linear -f
    toned out.tif $name.tif 3 1.8 0 0 30
done
expect 0 "$MASTABA" filter srgb.tif -o out.tif $keep --linear -f
toned out.tif srgb.tif 3 srgb 0 0 0.52
for name in fall cut strange narrow none; do
    turn 3 || continue
    refused 4 "$name.tif: its colour profile has no curves" filter $name.tif -o bad.tif $keep --linear
done
expect 0 "$MASTABA" filter fall.tif -o out.tif $keep -f # which nobody asks for

# Opacity. What is transparent gives no colour.
for kind in png:8:4 tif:8:4:a; do
    turn 2 || continue
    images make in.img $kind 10 9 3
    ! [ $kind = tif:8:4:a ] || python3 - "$here" <<'END' # colours that are no more than their opacity
import sys
sys.path.insert(0, sys.argv[1])
import images
im = images.read('in.img')[1]
im.values = [v if i % 4 == 3 else v * im.values[i - i % 4 + 3] // 255 for i, v in enumerate(im.values)]
images.write_tiff('in.img', im, 'a')
END
    for linear in '' --linear; do
        curve=none
        [ -z "$linear" ] || curve=srgb
        expect 0 "$MASTABA" filter in.img -o out.tif $keep --alpha weigh $linear -f
        toned out.tif in.img 3 $curve 1 0 0.52
    done
    expect 0 "$MASTABA" filter in.img -o out.tif $keep --alpha copy --linear -f
    toned out.tif in.img 3 srgb 0 0 0.52
done
python3 - "$here" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import images
values = []
for i in range(16 * 16):
    values += [200, 0, 0, 255] if i % 16 < 8 else [0, 255, 0, 0]
images.write_png('half.png', images.Image(16, 16, 4, 8, 255, values), '')
END
expect 0 "$MASTABA" filter half.png -o out.png --low-pass 2 --alpha weigh -f
python3 - "$here" <<'END' || fail "hidden green shines through"
import sys
sys.path.insert(0, sys.argv[1])
import images
values = images.read('out.png')[1].values
assert all(values[i + 1] == 0 and (abs(values[i] - 200) <= 1 or values[i + 3] < 5) for i in range(0, len(values), 4))
assert 0 < values[8 * 4 + 3] < 255
END

# Opacity that is no number would make all of the image transparent.
python3 - "$here" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import images
images.write_tiff('nan.tif', images.Image(4, 4, 4, 32, 1, [float('nan') if i == 23 else 0.5 for i in range(64)]), '')
END
refused 4 'nan.tif: the pixel in row 1, column 1 ' filter nan.tif -o b.tif --low-pass 2 --alpha weigh
refused 4 'nan.tif: the pixel in row 1, column 1 ' filter nan.tif -o b.tif --low-pass 2 --linear

refused 2 'alpha weigh: is for filters that keep the mean' filter half.png -o b.png --high-pass 2 --alpha weigh
refused 2 'alpha weigh: is for filters' filter half.png -o b.png --low-pass 2 --alpha weigh --output stretch
refused 2 'choose weigh or copy' filter half.png -o b.png --low-pass 2 --alpha heavy
