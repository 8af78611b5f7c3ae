#!/bin/sh
# mastaba filter: every format in and out, against the definition of the Fourier transform; options; many files. What kernels make of
# each type, number of channels, edge, shape and output is in the test filter.
. "${0%/*}/lib"

images() {
    python3 "$here/images.py" "$@"
}

# Every kind of file. All are of one size and most of a few pixels' types, for which kernels are built once.
check() { # KIND EXTENSION TOLERANCE DESCRIPTION
    images make in."$2" "$1" 10 9 1
    expect 0 "$MASTABA" filter in."$2" -o out."$2" --low-pass 3 --shape ideal -f
    [ "$(images describe out."$2")" = "$4" ] || fail "$1 became $(images describe out."$2"), not $4"
    images compare out."$2" in."$2" 0 3 reflect clip "$3" || fail "$1"
}
check p5 pgm 0.501 'p5 10 9 1 8 255'
check p2 pgm 0.501 'p2 10 9 1 8 255'
check p6 ppm 0.501 'p6 10 9 3 8 255'
check p3:100 ppm 0.501 'p3 10 9 3 8 100'
check p6:4095 ppm 2 'p6 10 9 3 16 4095'
check p6:65535 ppm 2 'p6 10 9 3 16 65535'
check png:8:1 png 0.501 'png 10 9 1 8 255'
check png:8:2 png 0.501 'png 10 9 2 8 255'
check png:8:3 png 0.501 'png 10 9 3 8 255'
check png:16:3 png 2 'png 10 9 3 16 65535'
check tif:8:1 tif 0.501 'tif 10 9 1 8 255'
check tif:8:4 tif 0.501 'tif 10 9 4 8 255'
check tif:16:3:s tif 2 'tif 10 9 3 16 65535'
check tif:8:3:z tif 0.501 'tif:z 10 9 3 8 255'
check tif:32:1 tif 1e-5 'tif 10 9 1 32 1'
if turn 3; then check p5:4095 pgm 2 'p5 10 9 1 16 4095'; fi
if turn 3; then check png:16:4 png 2 'png 10 9 4 16 65535'; fi
if turn 3; then check tif:32:2 tif 1e-5 'tif 10 9 2 32 1'; fi
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
assert images.read('out.tif')[1].orientation == 6
" || fail "the orientation is lost"

for kind in tif:8:4:a tif:8:4 tif:8:4:u; do
    images make in.tif $kind 10 9 1
    expect 0 "$MASTABA" filter in.tif -o out.tif --low-pass 3 --shape ideal -f
    python3 -c "
import sys; sys.path.insert(0, '$here'); import images
assert images.read('out.tif')[1].opacity == images.read('in.tif')[1].opacity
" || fail "$kind: another kind of opacity"
done

# A colour profile that libpng rejects is left out.
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
im = images.read('in.tif')[1]
images.write_tiff('profile.tif', im, '', {34675: (1, [7] * 200)})"
expect 0 "$MASTABA" filter profile.tif -o out.png --low-pass 3 --shape ideal -f
[ "$(images describe out.png)" = 'png 10 9 4 8 255' ] || fail "a profile that is none"

# What is unpacked when it is read: everything is kept, so that the pixels are those of the input.
same_pixels() { # KIND EXTENSION AS
    images make in."$2" "$1" 10 9 3
    expect 0 "$MASTABA" filter in."$2" -o out."$2" --low-pass 99 --shape ideal -f
    images same out."$2" "$3" || fail "$1: the pixels changed"
}
same_pixels png:8:3:p png in.png.pnm
same_pixels png:1:1 png in.png.pnm
images make plain.png png:16:1 10 9 3
same_pixels png:16:1:i png plain.png
images make plain.tif tif:8:1 10 9 3
same_pixels tif:8:1:w tif plain.tif
same_pixels tif:8:1:t tiff plain.tif
images make lzw.tif tif:8:1:l 10 9 3
expect 0 "$MASTABA" filter lzw.tif -o out.tif --low-pass 99 --shape ideal --max-image 100 -f # what unpacks it is larger
images same out.tif plain.tif || fail "tif:8:1:l: the pixels changed"

# Palettes of 8 bits, in numbers of 16 bits and of 8, and grey of four bits and one, of which white is 0.
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
numbers = images.Image(10, 9, 1, 8, 255, [k * 5 % 256 for k in range(90)])
colours = [[k * 7 % 256 for k in range(256)], [255 - k for k in range(256)], [k // 2 for k in range(256)]]
images.write_tiff('palette.tif', numbers, '', {262: (3, [3]), 320: (3, [257 * v for c in colours for v in c])})
images.write_tiff('narrow.tif', numbers, 't', {262: (3, [3]), 320: (3, [v for c in colours for v in c])})
images.write_pnm('palette.ppm', images.Image(10, 9, 3, 8, 255, [c[v] for v in numbers.values for c in colours]), False)
images.write_tiff('bits4.tif', images.Image(5, 9, 1, 8, 255, [k * 5 for k in range(45)]), '', {256: (4, [10]), 258: (3, [4])})
images.write_pnm('bits4.pgm', images.Image(10, 9, 1, 8, 255, [17 * v for k in range(45) for v in (k * 5 // 16, k * 5 % 16)]), False)
images.write_tiff('one.tif', images.Image(2, 9, 1, 8, 255, [0x5a, 0x80] * 9), '', {256: (4, [10]), 258: (3, [1]), 262: (3, [0])})
images.write_pnm('one.pgm', images.Image(10, 9, 1, 8, 255, [255 * int(c) for c in '1010010101' * 9]), False)"
for name in palette.ppm narrow.ppm bits4.pgm one.pgm; do
    expect 0 "$MASTABA" filter ${name%.*}.tif -o out.tif --low-pass 99 --shape ideal -f
    [ $name = narrow.ppm ] && name=palette.ppm
    images same out.tif $name || fail "$name: the pixels changed"
done

# Other formats than the input's: a white of 100 becomes one of 255.
images make in.pgm p5:100 10 9 4
for to in png tif npy; do
    expect 0 "$MASTABA" filter in.pgm -o out.$to --low-pass 99 --shape ideal -f
    python3 -c "
import sys; sys.path.insert(0, '$here'); import images
a, b = images.read('in.pgm')[1].values, images.read('out.$to')[1].values
assert all(abs(x * (1 if '$to' == 'npy' else 2.55) - y) <= 0.5 for x, y in zip(a, b))" || fail "in.pgm as $to"
done

# JPEG: a file whose pixels are known, and back.
metadata() {
    python3 "$here/metadata.py" "$@"
}
metadata jpeg in.jpg
expect 0 "$MASTABA" filter in.jpg -o out.png --low-pass 99 --shape ideal -f
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
im = images.read('out.png')[1]
assert list(im.values) == [(78, 128, 178, 128)[y // 8 * 2 + x // 8] for y in range(16) for x in range(16)]" || fail "in.jpg"
expect 0 "$MASTABA" filter in.jpg -o out.jpg --low-pass 99 --shape ideal --quality 100 -f
expect 0 "$MASTABA" filter out.jpg -o again.png --low-pass 99 --shape ideal -f
images compare again.png out.png 0 99 reflect clip 1.001 || fail "JPEG of quality 100"
images make in.png png:8:3 10 9 3
python3 -c "
import base64 # 512 x 512 pixels of 200 in arithmetic code
open('flat.jpg', 'wb').write(base64.b64decode('/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/yQALCAIAAgABAREA/8wABgAQEAX/2gAIAQEAAD8A0qSBTHX/2Q=='))"
expect 0 "$MASTABA" filter flat.jpg -o out.png --low-pass 3 -f
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
assert set(images.read('out.png')[1].values) == {200}" || fail "a JPEG file in arithmetic code"
expect 0 "$MASTABA" filter in.png -o fine.jpg --low-pass 2 --quality 100 -f
expect 0 "$MASTABA" filter in.png -o coarse.jpg --low-pass 2 --quality 10 -f
[ $(wc -c <fine.jpg) -gt $(wc -c <coarse.jpg) ] || fail "--quality"

# What is kept beside the pixels, within a format and from one to another.
kept() { # IN OUT OTHER: all but what is called OTHER is in OUT as it was in IN, and nothing else
    expect 0 "$MASTABA" filter "$1" -o "$2" --low-pass 99 --shape ideal -f
    metadata show "$1" | grep -vE "$3" >wanted
    metadata show "$2" | grep -vE "$3" | diff wanted - || fail "$1 as $2"
}
kept in.jpg out.jpg 'ICC_PROFILE'
expect 0 "$MASTABA" filter out.jpg -o again.jpg --low-pass 99 --shape ideal -f
[ "$(metadata show again.jpg)" = "$(metadata show out.jpg)" ] && metadata show out.jpg | grep -q 'ICC_PROFILE.*lcms' || fail "a profile in JPEG"
metadata camera camera.jpg in.jpg
metadata exif camera.jpg >wanted
[ $(wc -l <wanted) = 14 ] || fail "the fields of camera.jpg"
for step in 'camera.jpg camera.tif' 'camera.tif again.tif' 'again.tif camera.png' 'camera.png last.tif' 'last.tif last.jpg'; do
    expect 0 "$MASTABA" filter ${step% *} -o ${step#* } --low-pass 99 --shape ideal -f
    metadata exif ${step#* } | diff wanted - || fail "EXIF from ${step% *} to ${step#* }"
done
head -c 700 camera.tif >cut.tif # no directory: an error, not a crash
refused 4 'damaged' filter cut.tif -o cut.png --low-pass 99
metadata text text.png in.png
kept text.png out.png 'no key|a blank' # which libpng does not write
expect 0 "$MASTABA" filter text.png -o text.tif --low-pass 99 --shape ideal -f
expect 0 "$MASTABA" filter text.tif -o out.png --low-pass 99 --shape ideal -f
for part in 'tEXt Author.x00J.xfcrgen' 'iTXt Title.*xe6' 'eXIf .*x12.x01.x03.x00.x01.x00.x00.x00.x06' 'adobe:ns:meta' 'tEXt Description.x00behind' pHYs; do
    metadata show out.png | grep -qE "$part" || fail "$part is lost in a TIFF file"
done
expect 0 "$MASTABA" filter text.png -o out.jpg --low-pass 99 --shape ideal -f
for part in 'e0 JFIF.x00.x01.x01.x01.x00L.x00f' 'e1 Exif' 'e1 http.*adobe:ns:meta' 'fe behind the pixels'; do
    metadata show out.jpg | grep -qE "$part" || fail "$part is lost in a JPEG file"
done
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
images.write_tiff('iptc.tif', images.read('in.png')[1], '', {33723: (4, [0x01020304, 0x05060708]), 34377: (1, list(b'8BIM')), 700: (1, list(b'<x/>'))})"
expect 0 "$MASTABA" filter iptc.tif -o out.tif --low-pass 99 --shape ideal -f
python3 -c "
tags = [bytes([4, 3, 2, 1, 8, 7, 6, 5]), b'8BIM', b'<x/>']
data = open('out.tif', 'rb').read()
assert all(t in data for t in tags)" || fail "IPTC, image resources or XMP in TIFF"

python3 -c "
import sys; sys.path.insert(0, '$here'); import images
images.write_tiff('wordy.tif', images.read('in.png')[1], '', {270: (2, list(70000 * b'x' + b'\\0')), 274: (3, [6])})"
expect 0 "$MASTABA" filter wordy.tif -o wordy.jpg --low-pass 99 --shape ideal -f
[ "$(metadata exif wordy.jpg)" = '0 274 3 (6,)' ] || fail "the orientation beside a text that no JPEG file holds"

# Stacks, by way of .npy, where they are made: each page as alone, and as an array.
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
pages = [images.Image(10, 9, 1, 8, 255, [(7 * i * i + 31 * n * i) % 256 for i in range(90)]) for n in range(3)]
for n in range(3):
    images.write_pnm('page%d.pgm' % n, pages[n], False)
with open('stack.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\0v\0' + b\"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 9, 10)}\".ljust(117) + b'\n')
    f.write(bytes(v for p in pages for v in p.values))"
expect 0 "$MASTABA" filter stack.npy -o stack.tif --low-pass 99 --shape ideal -f
expect 0 "$MASTABA" filter stack.tif -o low.npy --low-pass 3 -f --json
json "j['images'] == 1 and j['pages'] == 3 and j['pixels'] == 270"
expect 0 "$MASTABA" filter stack.tif -o low.npy --low-pass 3 -f
grep -q '^low.npy: 1 image with 3 pages, ' .stdout || fail "pages: $(cat .stdout)"
for n in 0 1 2; do
    expect 0 "$MASTABA" filter page$n.pgm -o page$n.npy --low-pass 3 -f
done
[ "$(tail -c 270 low.npy | od -An -tx1)" = "$(for n in 0 1 2; do tail -c 90 page$n.npy; done | od -An -tx1)" ] || fail "a stack"
refused 4 'several pages; write .tif or .npy' filter stack.tif -o stack.png --low-pass 3
refused 4 'has 3 pages; --spectrum is for one' filter stack.tif --spectrum stack.png
npy make wide.npy float32 3,3,5,5 1
refused 4 'not the shape' filter wide.npy -o wide.tif --low-pass 1
npy make four.npy uint8 5,5,4 1
for to in pgm ppm tif jpg; do
    refused 4 'other channels than grey' filter four.npy -o four.$to --low-pass 1
done
expect 0 "$MASTABA" filter four.npy -o four.png --low-pass 1
python3 -c "
import struct
with open('nan.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\0' + struct.pack('<H', 118) + b\"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 5, 6)}\".ljust(117) + b'\n')
    f.write(struct.pack('<60f', *[float('nan') if i == 44 else 1 for i in range(60)]))"
refused 4 'page 1, row 2, column 2 .from 0. is not' filter nan.npy -o nan.tif --low-pass 1
npy make long.npy int32 3,3 1
refused 4 'is int32; images are' filter long.npy -o long.tif --low-pass 1

# Outputs, edges, masks.
images make in.png png:8:3 10 9 5
for output in stretch clip magnitude; do # clip is what all above have, and magnitude what a high pass has
    [ $output = stretch ] || turn 6 || continue
    expect 0 "$MASTABA" filter in.png -o out.png --band-pass 1,3 --shape ideal --edges wrap --output $output -f
    images compare out.png in.png 1 3 wrap $output 0.501 || fail "--output $output"
done
expect 0 "$MASTABA" filter in.png -o out.png --high-pass 2 --shape ideal --edges zero -f
images compare out.png in.png 2 99 zero magnitude 0.501 || fail "a high pass is stretched magnitudes by default"
for to in tif npy; do
    expect 0 "$MASTABA" filter in.png -o raw.$to --high-pass 0.5nyq --shape ideal --edges wrap --output raw -f
    images compare raw.$to in.png 2.25 99 wrap raw 1e-3 || fail "raw $to, and fractions of Nyquist's frequency"
done
python3 -c "
with open('mask.npy', 'wb') as f:
    import struct
    f.write(b'\x93NUMPY\x01\0v\0' + b\"{'descr': '<f4', 'fortran_order': False, 'shape': (9, 10)}\".ljust(117) + b'\n')
    for y in range(9):
        for x in range(10):
            f.write(struct.pack('<f', abs(complex((x - 5) / 10, (y - 4) / 9)) * 9 + 1e-9 < 3))"
expect 0 "$MASTABA" filter in.png -o out.png --mask-file mask.npy --edges wrap -f
images compare out.png in.png 0 3 wrap clip 0.501 || fail "--mask-file"
expect 0 "$MASTABA" filter in.png -o out.png --notch 0,0,3 --notch=-4,4,0.001 --shape ideal --edges wrap --output raw -o raw.npy -f
images compare raw.npy in.png 3 99 wrap raw 1e-3 || fail "--notch"
expect 0 "$MASTABA" filter in.png -o low.npy --low-pass 3 --output raw -f
expect 0 "$MASTABA" filter in.png -o sharp.npy --sharpen 3,0.5 --output raw -f
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
image, low, sharp = (images.read(n)[1].values for n in ('in.png', 'low.npy', 'sharp.npy'))
assert all(abs(1.5 * i - 0.5 * l - s) < 1e-3 for i, l, s in zip(image, low, sharp))" || fail "--sharpen"
expect 0 "$MASTABA" filter in.png -o vertical.npy --stripes 90,89.9,0.01 --shape ideal --edges wrap --output raw -f
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
image, left = images.read('in.png')[1].values, images.read('vertical.npy')[1].values
for y in range(9): # what does not change along a row is all that is left
    for c in range(3):
        mean = sum(image[(y * 10 + x) * 3 + c] for x in range(10)) / 10
        assert all(abs(left[(y * 10 + x) * 3 + c] - mean) < 1e-3 for x in range(10))" || fail "--stripes"
expect 0 "$MASTABA" filter in.png -o out.png --low-pass 3 --shape butterworth:4 -f --json
json "j['images'] == 1 and j['pixels'] == 90 and 'stages' not in j"

# The spectrum of one wave has two bright points about the middle.
python3 -c "
import math
with open('wave.pgm', 'wb') as f:
    f.write(b'P5 10 9 255\n' + bytes(round(128 + 100 * math.cos(2 * math.pi * (3 * x / 10 + y / 9))) for y in range(9) for x in range(10)))"
expect 0 "$MASTABA" filter wave.pgm -o out.pgm --low-pass 3 --shape ideal --spectrum spectrum.png -f --stages
grep -q '^forward transform  *1 ' .stdout || fail "no stages"
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
im = images.read('spectrum.png')[1]
brightest = sorted(range(90), key=lambda i: -im.values[i])[:3]
assert sorted(brightest) == sorted([4 * 10 + 5, 5 * 10 + 8, 3 * 10 + 2]), brightest" || fail "--spectrum"

expect 0 "$MASTABA" filter wave.pgm --spectrum alone.png
cmp spectrum.png alone.png || fail "the spectrum alone"
refused 2 'no output given for the filter' filter wave.pgm --spectrum other.png --low-pass 3
refused 4 'alone.png: exists' filter wave.pgm --spectrum alone.png

# That of a frame of one brightness has none but in the middle.
python3 -c "open('flat.pgm', 'wb').write(b'P5 10 9 255\n' + bytes([201]) * 90)"
expect 0 "$MASTABA" filter flat.pgm -o out.pgm --low-pass 3 --shape ideal --spectrum spectrum.png -f
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
assert [i for i, v in enumerate(images.read('spectrum.png')[1].values) if v] == [4 * 10 + 5]" || fail "the spectrum of a flat frame"

# Stages of images that go different ways, as on CPUs, are added by name.
images make even.pgm p5 10 9 1
images make long.pgm p5 1031 9 1
mkdir ways
for order in 'even.pgm long.pgm' 'long.pgm even.pgm'; do
    expect 0 "$MASTABA" filter $order -o ways --low-pass 3 --stages --json -f
    json "sorted((s['name'], s['launches']) for s in j['stages'] if s['name'] in ('load', 'mask', 'store')) in ([('load', n), ('mask', 2), ('store', n)] for n in (1, 2))"
done

# The published algorithm, with its stages.
images make in.pgm p5 16 16 6
expect 0 "$MASTABA" filter in.pgm -o out.pgm --high-pass 2 --shape ideal --algorithm paper --stages --json -f
images compare out.pgm in.pgm 2 99 wrap magnitude 0.501 || fail "--algorithm paper"
json "[s['name'] for s in j['stages']] == ['load', 'spin factors', 'bit reverse', 'butterfly', 'normalise', 'transpose', 'mask', 'store']"
json "[s['launches'] for s in j['stages']][2:6] == [4, 16, 2, 2]"

# Many files: each as alone; one that is damaged does not keep the others.
mkdir many
for i in 1 2 3 4 5; do
    images make a$i.png png:8:3 $((10 + i % 2)) 9 $i
done
expect 0 "$MASTABA" filter a1.png a2.png a3.png a4.png a5.png -o many --low-pass 3 --shape ideal --json
json "j['images'] == 5"
for i in 1 2 3 4 5; do
    expect 0 "$MASTABA" filter a$i.png -o alone.png --low-pass 3 --shape ideal -f
    images same alone.png many/a$i.png || fail "a$i.png differs in company"
done
head -c 100 a2.png >cut.png
expect 4 "$MASTABA" filter a1.png cut.png a3.png -o many/ --low-pass 3 --output raw
[ -f many/a1.tif ] && [ -f many/a3.tif ] && [ ! -e many/cut.tif ] || fail "the neighbours of a damaged file"
expect 4 "$MASTABA" filter a1.png a2.png -o many/ --low-pass 3
grep -q 'many/a1.png: exists' .stderr || fail "an output that exists"


# A name that does not say what the image is: the output has the input's format.
mkdir unnamed
images make frame.001 png:8:1 10 9 1
images make frame.002 p2 10 9 1
expect 0 "$MASTABA" filter frame.001 frame.002 -o unnamed --low-pass 3
[ "$(ls unnamed)" = "frame.001.png
frame.002.pnm" ] || fail "outputs of inputs without an extension: $(ls unnamed)"
[ "$(images describe unnamed/frame.002.pnm)" = 'p2 10 9 1 8 255' ] || fail "an input without an extension became another kind"

refused 2 'give one of --high-pass' filter a1.png -o b.png
refused 2 'give one of --high-pass' filter a1.png -o b.png --low-pass 3 --high-pass 2
refused 2 'no output given' filter a1.png --low-pass 3
refused 2 '0 operands' filter -o b.png --low-pass 3
refused 2 'name is to end in' filter a1.png -o b.bmp --low-pass 3
refused 2 'several images need a directory' filter a1.png a2.png -o b.png --low-pass 3
refused 4 'no such directory' filter a1.png -o none/ --low-pass 3
refused 2 'would both become' filter a1.png ./a1.png -o many/ --low-pass 3 -f
refused 4 'is the input' filter a1.png -o ./a1.png --low-pass 3 -f
refused 4 'a1.png: exists' filter a2.png -o a1.png --low-pass 3
for radius in 0 -1 x 3,4 3x nan ''; do
    refused 2 '--low-pass .*give a radius' filter a1.png -o b.png --low-pass "$radius"
done
refused 2 'two radii' filter a1.png -o b.png --band-pass 3
refused 2 'to be the larger' filter a1.png -o b.png --band-stop 3,2
refused 2 'stripes. angle and a width' filter a1.png -o b.png --stripes 30
refused 2 'angle and a width' filter a1.png -o b.png --stripes 30,91
refused 2 'radius and an amount' filter a1.png -o b.png --sharpen 30
refused 4 'amount is 1e.39' filter a1.png -o b.png --sharpen 30,1e39
refused 2 'is of a Gaussian' filter a1.png -o b.png --laplacian 30 --shape ideal
refused 2 'place of the notch' filter a1.png -o b.png --notch 3,2
refused 2 'choose ideal, gaussian' filter a1.png -o b.png --low-pass 3 --shape square
refused 2 'order of 1 to 100' filter a1.png -o b.png --low-pass 3 --shape butterworth:0
refused 2 'choose ideal' filter a1.png -o b.png --low-pass 3 --shape gaussian:2
refused 2 'reflect, wrap or zero' filter a1.png -o b.png --low-pass 3 --edges mirror
refused 2 'clip, stretch, magnitude or raw' filter a1.png -o b.png --low-pass 3 --output best
refused 2 'auto or paper' filter a1.png -o b.png --low-pass 3 --algorithm fast
refused 2 'is for one image' filter a1.png a2.png -o many/ --low-pass 3 --spectrum s.png
refused 2 'not a size' filter a1.png -o b.png --low-pass 3 --max-image big
refused 2 'has its shape' filter a1.png -o b.png --mask-file mask.npy --shape ideal
refused 4 'is the input mask.npy too' filter a1.png -o mask.npy --mask-file mask.npy --output raw -f
refused 2 'are both b.png' filter a1.png -o b.png --low-pass 3 --spectrum b.png
touch link.png
ln -s link.png same.png
refused 2 'are both same.png' filter a1.png -o same.png --low-pass 3 --spectrum ./link.png -f
refused 2 'two radii above 0' filter a1.png -o b.png --band-pass 20,-0.1nyq
refused 2 'is not called .npy' filter a1.png -o b.png --mask-file a2.png
refused 4 'power of two a side' filter a1.png -o b.png --low-pass 3 --algorithm paper
refused 4 'write .tif or .npy' filter a1.png -o b.png --low-pass 3 --output raw
refused 2 'give 1 to 100' filter a1.png -o b.jpg --low-pass 3 --quality 101
refused 4 'JPEG holds 8 bits' filter a1.png -o b.jpg --low-pass 3 --output raw
images make alpha.png png:8:2 10 9 1
refused 4 'no opacity' filter alpha.png -o b.pgm --low-pass 3 --shape ideal --spectrum s.png
refused 4 'JPEG has no opacity' filter alpha.png -o b.jpg --low-pass 3
images make multiplied.tif tif:8:4:a 10 9 1
refused 4 'no colours multiplied by the opacity' filter multiplied.tif -o b.png --low-pass 3
npy make mask3.npy float32 3,3,3 1
refused 4 'a mask is float32' filter a1.png -o b.png --mask-file mask3.npy
python3 -c "
import struct
with open('hole.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\0v\0' + b\"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}\".ljust(117) + b'\n')
    f.write(struct.pack('<4d', 1, 1, float('nan'), 1))"
refused 4 'hole.npy: \[1, 0\] is not a finite' filter a1.png -o b.png --mask-file hole.npy
images make f.tif tif:32:1 4 3 1
python3 -c "
import struct
data, bad = open('f.tif', 'rb').read(), struct.pack('<f', float('nan'))
import sys; sys.path.insert(0, '$here'); import images
sixth = struct.pack('<f', images.read('f.tif')[1].values[5])
assert data.count(sixth) == 1
open('f.tif', 'wb').write(data.replace(sixth, bad))"
refused 4 'f.tif: the pixel in row 1, column 1 .* is not a finite' filter f.tif -o b.tif --low-pass 1 --spectrum s.png
python3 -c "
import sys; sys.path.insert(0, '$here'); import images
images.write_tiff('large.tif', images.Image(10, 9, 1, 32, 1, [3e38] * 90), '')"
refused 1 'large.tif: .* too large for single precision' filter large.tif -o b.tif --low-pass 3 --shape ideal
