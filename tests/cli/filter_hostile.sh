#!/bin/sh
# mastaba filter: files that are damaged, truncated, or claim more than they hold.
. "${0%/*}/lib"

images() {
    python3 "$here/images.py" "$@"
}

hostile() { # PATTERN FILE
    refused 4 "$1" filter "$2" -o out.tif --low-pass 3
}

: >empty
hostile 'neither PNM' empty
echo hello >text.png
hostile 'neither PNM' text.png
mkdir directory
hostile 'is a directory' directory
mkfifo pipe
hostile 'is not a file that can be read' pipe
hostile 'No such file' missing.png

# PNM.
pnm() { # PATTERN CONTENT
    printf "$2" >bad.pgm
    hostile "$1" bad.pgm
}
pnm 'another kind' 'P4 8 8\n\0\0\0\0\0\0\0\0'
pnm 'another kind' 'P7\nWIDTH 2\n'
pnm 'header is damaged' 'P5'
pnm 'header is damaged' 'P5 # a comment without an end'
pnm 'header is damaged' 'P5 -3 4 255\nabcdefghijkl'
pnm 'header is damaged' 'P5 0 4 255\nabcdefghijkl'
pnm 'header is damaged' 'P5 3 4 0\nabcdefghijkl'
pnm 'header is damaged' 'P5 3 4 65536\nabcdefghijkl'
pnm 'header is damaged' 'P5 99999999999999999999 4 255\nabcdefghijkl'
pnm 'does not end in a blank' 'P5 3 4 255x'
pnm 'shorter than its header' 'P5 3 4 255\nabcdefghijk'
pnm 'shorter than its header' 'P6 2147483647 2147483647 65535\nabc'
pnm 'shorter than its header' 'P2 100000 100000 255\n1 2 3\n'
pnm 'ends before its pixels' 'P2 2 2 255\n1 2 3       \n'
pnm 'ends before its pixels' 'P2 2 2 255\n1 2 x 4\n'
pnm 'above the white' 'P2 2 2 255\n1 2 256 4\n'
pnm 'above the white' 'P5 3 1 100\nabz'
pnm 'more behind its pixels' 'P5 3 1 255\nabcP5 3 1 255\nabc'
pnm 'more behind its pixels' 'P2 2 1 255\n1 2\nP2 2 1 255\n1 2\n'

# PNG: every cut, and every byte of header and data changed, is an error or an image, and never a crash.
images make good.png png:8:3 9 5 1
size=$(wc -c <good.png)
for cut in 8 20 33 34 60 100 $((size - 20)) $((size - 12)) $((size - 1)); do
    head -c $cut good.png >cut.png
    hostile 'damaged PNG' cut.png
done
python3 -c "
import sys, zlib; sys.path.insert(0, '$here'); import images
def png(name, width, height, rows, bits=8, colour=0):
    open(name, 'wb').write(images.png_bytes(width, height, bits, colour, 0, rows))
png('wide.png', 2**31 - 1, 1, b'\0' * 10)
png('huge.png', 200000, 200000, b'\0' * 10)
png('bomb.png', 6000, 6000, b'\0' * 6001 * 6000)
png('short.png', 100, 100, b'\0' * 101 * 50)
png('depth.png', 4, 4, b'\0' * 99, 7)
png('colour.png', 4, 4, b'\0' * 99, 8, 5)
png('none.png', 0, 4, b'\0' * 99)"
hostile 'damaged PNG' wide.png
hostile 'shorter than its header' huge.png
refused 4 'claims 6000 x 6000 pixels, 34.33 MiB; the most is 16 MiB' filter bomb.png -o out.png --low-pass 3 --max-image 16M
hostile 'damaged PNG' short.png
hostile 'damaged PNG' depth.png
hostile 'damaged PNG' colour.png
hostile 'damaged PNG' none.png
refused 4 'the most is 100 bytes' filter good.png -o out.png --low-pass 3 --max-image 100

# TIFF.
images make good.tif tif:8:3 9 5 1
size=$(wc -c <good.tif)
for cut in 4 8 60 150 $((size - 200)) $((size - 60)); do
    head -c $cut good.tif >cut.tif
    hostile 'damaged TIFF|other colours|has no pixels' cut.tif
done
python3 -c "
import struct
def tiff(name, width, height, rows, count, bits=8, samples=1, photometric=1, compression=1, extra={}):
    tags = {256: width, 257: height, 258: bits, 259: compression, 262: photometric, 273: 8, 277: samples, 278: rows, 279: count}
    tags.update(extra)
    with open(name, 'wb') as f:
        f.write(b'II*\0' + struct.pack('<I', 16) + b'pixels..' + struct.pack('<H', len(tags)))
        for tag in sorted(tags):
            f.write(struct.pack('<HHII', tag, 4 if tag not in (258, 259, 262, 277) else 3, 1, tags[tag]))
        f.write(b'\0' * 4)
tiff('huge.tif', 4000000000, 4000000000, 1, 8)
tiff('large.tif', 60000, 60000, 60000, 8)
tiff('none.tif', 0, 4, 4, 8)
tiff('beyond.tif', 100, 100, 100, 10000)
tiff('bits.tif', 4, 2, 2, 8, bits=12)
tiff('cmyk.tif', 4, 2, 2, 8, samples=4, photometric=5)
tiff('many.tif', 4, 2, 2, 8, samples=9)
tiff('packed.tif', 4, 2, 2, 8, compression=12345)
tiff('deflated.tif', 4, 2, 2, 8, compression=8)
tiff('tiles.tif', 4, 2, 2, 8, extra={322: 4294967280, 323: 4294967280, 324: 8, 325: 8})"
hostile 'claims 4000000000 x 4000000000|damaged TIFF' huge.tif
hostile 'claims 60000 x 60000' large.tif
hostile 'no pixels|damaged TIFF' none.tif
hostile 'damaged TIFF' beyond.tif
hostile 'other numbers' bits.tif
hostile 'is CMYK; convert it, by' cmyk.tif
hostile 'more channels' many.tif
hostile 'compressed in a way|damaged TIFF' packed.tif
hostile 'damaged TIFF' deflated.tif
hostile 'unexpected length|damaged TIFF' tiles.tif

images make white.tif tif:32:1:w 9 5 1
hostile 'whose 0 is white' white.tif

# JPEG: cuts in the header and in the pixels, sizes that the file cannot hold, four inks.
python3 "$here/metadata.py" jpeg good.jpg
size=$(wc -c <good.jpg)
for cut in 4 100 $((size - 60)) $((size - 8)) $((size - 1)); do
    head -c $cut good.jpg >cut.jpg
    hostile 'damaged JPEG' cut.jpg
done
python3 -c "
import sys; sys.path.insert(0, '$here'); import metadata
metadata.jpeg('inks.jpg', 4)
data = bytearray(open('good.jpg', 'rb').read())
at = data.index(b'\xff\xc0')
data[at + 5:at + 9] = b'\xff\xdc\xff\xdc'
open('huge.jpg', 'wb').write(data)"
hostile 'is CMYK; convert it, by' inks.jpg
hostile 'shorter than its header' huge.jpg

# Bytes changed at random: an error or an image, and never a crash.
python3 -c "
import random
random.seed(7)
for i in range(30):
    name = ['good.png', 'good.tif', 'good.jpg'][i % 3]
    data = bytearray(open(name, 'rb').read())
    for k in range(3):
        data[random.randrange(len(data))] = random.randrange(256)
    open('broken%d' % i, 'wb').write(data)"
for i in $(seq 0 29); do
    code=0
    "$MASTABA" filter broken$i -o any.tif --low-pass 3 -f --max-image 1M >.stdout 2>.stderr || code=$?
    [ $code = 0 ] || [ $code = 4 ] || fail "broken$i: exit code $code"
done
