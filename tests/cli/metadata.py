"""What image files hold beside their pixels, and JPEG files, for the tests of mastaba filter, by the formats' definitions.

jpeg FILE: grey JPEG of 16 x 16 pixels, whose blocks of 8 x 8 are of one brightness each, 78, 128, 178 and 128, with EXIF (orientation 6),
XMP, an image resource, a profile in two parts, a comment and 96 dots per inch.
text OUT IN: OUT is the PNG file IN with texts of every kind, EXIF, gamma and chromaticities.
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


if __name__ == '__main__':
    {'jpeg': jpeg, 'text': text, 'show': show}[sys.argv[1]](*sys.argv[2:])
