"""What image files hold beside their pixels, and JPEG files, for the tests of mastaba filter, by the formats' definitions.

jpeg FILE: grey JPEG of 16 x 16 pixels, whose blocks of 8 x 8 are of one brightness each, 78, 128, 178 and 128, with EXIF (orientation 6),
XMP, an image resource, a profile in two parts, a comment and 96 dots per inch.
text OUT IN: OUT is the PNG file IN with texts of every kind, EXIF, gamma and chromaticities.
camera OUT IN: OUT is the JPEG file IN with another EXIF, of texts, exposure, a maker's note and a place, as cameras write it.
exif FILE: the fields of the EXIF of a JPEG, PNG or TIFF file, a line each: directory, tag, type, values; of a TIFF file's own directory the
texts and the orientation only.
show FILE: what is in a PNG or JPEG file beside its pixels, a line each, in order of the letters.
"""
import struct
import sys
import zlib

EXIF = b'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0'
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
PROFILE = struct.pack('>I', 200) + b'lcms' + bytes(192)  # only its length is looked at
WHITE_AND_PRIMARIES = 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000


def segment(marker, data):
    return b'\xff' + bytes([marker]) + struct.pack('>H', len(data) + 2) + data


def jpeg(path, components=1):
    """All coefficients but the first are 0. Differences of the first are of 0 or 6 bits, whose Huffman codes are 0 and 10."""
    bits, before = '', 0
    for brightness in (78, 128, 178, 128):
        first = brightness - 128 - before  # in quanta of 8, of a coefficient that is 8 times the mean
        before += first
        bits += {0: '0'}.get(first, '10' + format(first if first > 0 else first + 63, '06b')) + '0'
    bits += '1' * (-len(bits) % 8)
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b'\xff', b'\xff\0')
    huffman = lambda kind, symbols: segment(0xc4, bytes([kind] + [1] * len(symbols) + [0] * (16 - len(symbols))) + bytes(symbols))
    frame = b''.join(bytes([c + 1, 0x11, 0]) for c in range(components))
    with open(path, 'wb') as f:
        f.write(b'\xff\xd8' + segment(0xe0, b'JFIF\0\1\1\1\0\x60\0\x60\0\0') + segment(0xe1, b'Exif\0\0' + EXIF) +
                segment(0xe1, b'http://ns.adobe.com/xap/1.0/\0' + XMP) + segment(0xed, b'Photoshop 3.0\0' + b'8BIM\4\4\0\0\0\0\0\0') +
                b''.join(segment(0xe2, b'ICC_PROFILE\0' + bytes([i + 1, 2]) + PROFILE[100 * i:100 * i + 100]) for i in range(2)) +
                segment(0xfe, b'a comment') + segment(0xdb, b'\0' + bytes([8] * 64)) +
                segment(0xc0, struct.pack('>BHHB', 8, 16, 16, components) + frame) + huffman(0, [0, 6]) + huffman(0x10, [0]) +
                segment(0xda, bytes([components]) + b''.join(bytes([c + 1, 0]) for c in range(components)) + b'\0\x3f\0') +
                data + b'\xff\xd9')


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def text(path, source):
    data = open(source, 'rb').read()
    with open(path, 'wb') as f:
        f.write(data[:33] + chunk(b'gAMA', struct.pack('>I', 45455)) + chunk(b'cHRM', struct.pack('>8I', *WHITE_AND_PRIMARIES)) +
                chunk(b'tEXt', b'\0no key') + chunk(b'tEXt', b' \0a blank') + chunk(b'tEXt', b'Author\0J\xfcrgen') + chunk(b'zTXt', b'Long\0\0' + zlib.compress(b'x' * 3000)) +
                chunk(b'iTXt', 'Title\0\0\0de\0Titel\0日本'.encode()) + chunk(b'iTXt', b'XML:com.adobe.xmp\0\0\0\0\0' + XMP) +
                chunk(b'eXIf', EXIF) + data[33:-12] +
                chunk(b'tEXt', b'Comment\0behind the pixels') + data[-12:])


def parts_of_png(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        if kind in (b'zTXt', b'iCCP'):
            key, packed = content.split(b'\0', 1)
            content = key + b' ' + zlib.decompress(packed[1:])
        if kind not in (b'IHDR', b'IDAT', b'IEND', b'PLTE', b'tRNS'):
            yield kind + b' ' + content
        at += 12 + length


def parts_of_jpeg(data):
    at = 2
    while data[at + 1] != 0xda:
        length, = struct.unpack('>H', data[at + 2:at + 4])
        if data[at + 1] >= 0xe0:
            yield b'%x ' % data[at + 1] + data[at + 4:at + 2 + length]
        at += 2 + length


def show(path):
    data = open(path, 'rb').read()
    for part in sorted((parts_of_png if data[:1] == b'\x89' else parts_of_jpeg)(data)):
        print(ascii(part)[2:-1])


# Directories of a camera: tag, type, values.
CAMERA = {
    0x8769: [(0x829a, 5, (1, 250)), (0x9000, 7, b'0232'), (0x9003, 2, b'2020:01:02 03:04:05\0'), (0x9101, 7, b'\1\2\3\0'),
             (0x9204, 10, (-2, 3)), (0x927c, 7, b'a note of any length'), (0xa002, 3, (16,))],
    0x8825: [(0, 1, bytes([2, 3, 0, 0])), (1, 2, b'N\0'), (2, 5, (12, 1, 30, 1, 125, 10))],
    0: [(0x10e, 2, b'what it shows\0'), (0x10f, 2, b'Me\0'), (0x112, 3, (6,)), (0x13b, 2, b'Somebody\0')],
}
NUMBERS = {3: 'H', 4: 'I', 5: 'I', 9: 'i', 10: 'i', 13: 'I'}
VALUE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}


def directory(fields, at):
    """The bytes of a directory at a place, in Motorola's order."""
    entries, tail = b'', b''
    for tag, kind, values in fields:
        data = values if isinstance(values, bytes) else struct.pack('>%d%s' % (len(values), NUMBERS[kind]), *values)
        place = struct.pack('>I', at + 6 + 12 * len(fields) + len(tail)) if len(data) > 4 else data.ljust(4, b'\0')
        entries += struct.pack('>HHI', tag, kind, len(data) // VALUE_BYTES[kind]) + place
        tail += data + bytes(len(data) % 2) if len(data) > 4 else b''
    return struct.pack('>H', len(fields)) + entries + bytes(4) + tail


def camera_exif():
    places = {}
    for _ in range(2):  # of the second time the places are known
        at, parts = 8, b''
        for tag, fields in [(0, CAMERA[0] + [(t, 4, (places.get(t, 0),)) for t in (0x8769, 0x8825)])] + [(t, CAMERA[t]) for t in (0x8769, 0x8825)]:
            places[tag] = at
            parts += directory(fields, at)
            at = 8 + len(parts)
    return b'MM\0*\0\0\0\x08' + parts


def camera(path, source):
    data = open(source, 'rb').read()
    with open(path, 'wb') as f:
        f.write(data.replace(segment(0xe1, b'Exif\0\0' + EXIF), segment(0xe1, b'Exif\0\0' + camera_exif())).replace(
            segment(0xfe, b'a comment'), b''))


def exif(path):
    data = open(path, 'rb').read()
    if data[:1] == b'\x89':
        data = next(p[5:] for p in parts_of_png(data) if p[:4] == b'eXIf')
    elif data[:1] == b'\xff':
        data = next(p[9:] for p in parts_of_jpeg(data) if p[3:7] == b'Exif')
    order = '<' if data[:1] == b'I' else '>'
    at = struct.unpack(order + 'I', data[4:8])[0]
    todo, seen = [(0, at)], []
    for name, at in todo:
        n, = struct.unpack(order + 'H', data[at:at + 2])
        for k in range(n):
            tag, kind, count = struct.unpack(order + 'HHI', data[at + 2 + 12 * k:at + 10 + 12 * k])
            size, place = count * VALUE_BYTES[kind], at + 10 + 12 * k
            if size > 4:
                place, = struct.unpack(order + 'I', data[place:place + 4])
            values = data[place:place + size]
            if kind in NUMBERS:
                values = struct.unpack('%s%d%s' % (order, size // struct.calcsize(NUMBERS[kind]), NUMBERS[kind]), values)
            if tag in (0x8769, 0x8825):
                todo.append((tag, values[0]))
            elif name or tag in (t for t, _, _ in CAMERA[0]):
                seen.append((name, tag, kind, values))
    for field in sorted(seen, key=lambda s: s[:2]):
        print(*field)


if __name__ == '__main__':
    {'jpeg': jpeg, 'text': text, 'show': show, 'camera': camera, 'exif': exif}[sys.argv[1]](*sys.argv[2:])
