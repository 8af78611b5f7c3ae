"""Images for the tests of mastaba filter, written and read by their formats' definitions.

make FILE KIND WIDTH HEIGHT SEED: random pixels. KIND: p2 p3 p5 p6, each with a white after a colon (p5:4095); png and tif with
bits and channels: png:16:4, tif:8:3, tif:32:1 (float), tif:8:3:z (deflated), tif:8:1:l (LZW), tif:8:3:s (planes apart), tif:16:1:t (tiles),
tif:8:1:w (0 is white), tif:8:4:a (associated opacity), tif:8:4:u (of a kind not said), png:16:1:i (interlaced); png:8:3:p
(palette) and png:1:1 also as FILE.pnm.
describe FILE: "KIND WIDTH HEIGHT CHANNELS BITS WHITE".
compare OUT IN LOW HIGH EDGES OUTPUT TOLERANCE: OUT is IN with the ideal band LOW <= f < HIGH (cycles along the shorter side) kept.
same A B: equal pixels.
"""
import cmath
import random
import struct
import sys
import zlib


class Image:
    def __init__(self, width, height, channels, bits, white, values):
        self.width, self.height, self.channels, self.bits, self.white = width, height, channels, bits, white
        self.values = values


# ---- PNM

def write_pnm(path, im, text):
    kind = (3 if im.channels == 3 else 2) + (0 if text else 3)
    with open(path, 'wb') as f:
        f.write(b'P%d # a comment\n%d\n# another\n%d %d\n' % (kind, im.width, im.height, im.white))
        if text:
            f.write(' '.join(str(v) for v in im.values).encode() + b'\n')
        else:
            f.write(struct.pack('>%d%s' % (len(im.values), 'B' if im.white < 256 else 'H'), *im.values))


def read_pnm(data):
    words, at = [], 2
    while len(words) < 3:
        while data[at:at + 1].isspace() or data[at:at + 1] == b'#':
            if data[at:at + 1] == b'#':
                at = data.index(b'\n', at)
            at += 1
        end = at
        while not data[end:end + 1].isspace():
            end += 1
        words.append(int(data[at:end]))
        at = end
    kind, (width, height, white) = int(data[1:2]), words
    channels = 3 if kind in (3, 6) else 1
    n = width * height * channels
    if kind < 4:
        values = [int(v) for v in data[at:].split()]
    else:
        values = struct.unpack('>%d%s' % (n, 'B' if white < 256 else 'H'), data[at + 1:])
    assert len(values) == n
    return 'p%d' % kind, Image(width, height, channels, 8 if white < 256 else 16, white, values)


# ---- PNG

def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png_bytes(width, height, bits, colour, interlace, rows, extra=b''):
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, bits, colour, 0, 0, interlace)) + extra +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def write_png(path, im, option):
    per_row, code = im.width * im.channels, 'B' if im.bits < 16 else 'H'

    def pack(values):
        if im.bits == 1:
            text = ''.join(str(v) for v in values)
            return bytes(int(text[i:i + 8].ljust(8, '0'), 2) for i in range(0, len(text), 8))
        return struct.pack('>%d%s' % (len(values), code), *values)

    colour = {1: 0, 2: 4, 3: 2, 4: 6}[im.channels]
    extra, rows = chunk(b'pHYs', struct.pack('>IIB', 3000, 4000, 1)), b''
    if option == 'p':
        colours = [tuple(im.values[3 * i:3 * i + 3]) for i in range(im.width * im.height)]
        palette = sorted(set(colours))[:256]
        im.values = [v for c in colours for v in (c if c in palette else palette[0])]
        extra += chunk(b'PLTE', bytes(v for c in palette for v in c))
        rows = b''.join(b'\0' + bytes(palette.index(c) if c in palette else 0 for c in colours[y * im.width:(y + 1) * im.width])
                        for y in range(im.height))
        colour = 3
    elif option == 'i':
        for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
            for y in range(y0, im.height, dy):
                if x0 < im.width:
                    rows += b'\0' + pack([im.values[(y * im.width + x) * im.channels + c]
                                          for x in range(x0, im.width, dx) for c in range(im.channels)])
    else:
        for y in range(im.height):
            rows += b'\0' + pack(im.values[y * per_row:(y + 1) * per_row])
    with open(path, 'wb') as f:
        f.write(png_bytes(im.width, im.height, im.bits, colour, 1 if option == 'i' else 0, rows, extra))


def read_png(data):
    at, body, header, resolution = 8, b'', None, None
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        part = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + part) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
        header = struct.unpack('>IIBBBBB', part) if kind == b'IHDR' else header
        resolution = part if kind == b'pHYs' else resolution
        body += part if kind == b'IDAT' else b''
        at += 12 + n
    width, height, bits, colour, _, _, interlace = header
    assert interlace == 0 and bits >= 8
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    step, raw, out, before = channels * bits // 8, zlib.decompress(body), b'', None
    stride = width * step
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b = (row[i - step] if i >= step else 0), (before[i] if before else 0)
            c = before[i - step] if before and i >= step else 0
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[i] = (row[i] + [0, a, b, (a + b) // 2, paeth][how]) & 255
        before, out = row, out + bytes(row)
    values = struct.unpack('>%d%s' % (len(out) * 8 // bits, 'B' if bits == 8 else 'H'), out)
    im = Image(width, height, channels, bits, 2 ** bits - 1, values)
    im.resolution = struct.unpack('>IIB', resolution) if resolution else None
    return 'png', im


# ---- TIFF

CODES = {8: 'B', 16: 'H', 32: 'f'}


def lzw(data):
    """Codes of 9 bits: 256 before so few bytes that none gets longer, 257 at the end."""
    codes = [c for at in range(0, len(data), 250) for c in (256, *data[at:at + 250])] + [257]
    bits = ''.join(format(c, '09b') for c in codes)
    return bytes(int(bits[at:at + 8].ljust(8, '0'), 2) for at in range(0, len(bits), 8))


def write_tiff(path, im, option, more={}):
    size, code = im.bits // 8, CODES[im.bits]
    pack = lambda values: struct.pack('<%d%s' % (len(values), code), *values)
    pixel = lambda x, y: im.values[(y * im.width + x) * im.channels:(y * im.width + x + 1) * im.channels]
    tags, parts = {}, []
    if option == 's':
        parts = [pack(im.values[c::im.channels]) for c in range(im.channels)]
    elif option == 't':
        tags.update({322: (4, [16]), 323: (4, [16])})
        for y0 in range(0, im.height, 16):
            for x0 in range(0, im.width, 16):
                parts.append(pack([v for y in range(y0, y0 + 16) for x in range(x0, x0 + 16)
                                   for v in (pixel(x, y) if x < im.width and y < im.height else [0] * im.channels)]))
    else:
        values = [im.white - v for v in im.values] if option == 'w' else im.values
        half = (im.height + 1) // 2  # two strips
        tags[278] = (4, [half])
        cut = half * im.width * im.channels
        parts = [pack(values[:cut])] + ([pack(values[cut:])] if im.height > half else [])
    if option in ('z', 'l'):
        parts = [zlib.compress(p) if option == 'z' else lzw(p) for p in parts]
    colours = 3 if im.channels >= 3 else 1
    offset = 8
    offsets = []
    for p in parts:
        offsets.append(offset)
        offset += len(p) + len(p) % 2
    tags.update({256: (4, [im.width]), 257: (4, [im.height]), 258: (3, [im.bits] * im.channels),
                 259: (3, [{'z': 8, 'l': 5}.get(option, 1)]), 262: (3, [2 if colours == 3 else 0 if option == 'w' else 1]),
                 277: (3, [im.channels]), 284: (3, [2 if option == 's' else 1]),
                 339: (3, [3 if im.bits == 32 else 1] * im.channels), 274: (3, [6]),
                 324 if option == 't' else 273: (4, offsets), 325 if option == 't' else 279: (4, [len(p) for p in parts])})
    if im.channels > colours:
        tags[338] = (3, [{'a': 1, 'u': 0}.get(option, 2)])
    tags.update(more)
    entries, tail, at = b'', b'', offset + 2 + 12 * len(tags) + 4
    for tag in sorted(tags):
        kind, numbers = tags[tag]
        data = struct.pack('<%d%s' % (len(numbers), {1: 'B', 2: 'B', 3: 'H', 4: 'I'}[kind]), *numbers)
        if len(data) > 4:
            entries += struct.pack('<HHII', tag, kind, len(numbers), at + len(tail))
            tail += data + b'\0' * (len(data) % 2)
        else:
            entries += struct.pack('<HHI', tag, kind, len(numbers)) + data.ljust(4, b'\0')
    with open(path, 'wb') as f:
        f.write(b'II*\0' + struct.pack('<I', offset))
        for p in parts:
            f.write(p + b'\0' * (len(p) % 2))
        f.write(struct.pack('<H', len(tags)) + entries + b'\0\0\0\0' + tail)


def read_tiff(data):
    assert data[:4] == b'II*\0'
    at, = struct.unpack('<I', data[4:8])
    count, = struct.unpack('<H', data[at:at + 2])
    tags = {}
    for i in range(count):
        tag, kind, n = struct.unpack('<HHI', data[at + 2 + 12 * i:at + 10 + 12 * i])
        code = {1: 'B', 2: 'B', 3: 'H', 4: 'I', 5: 'Q', 7: 'B'}[kind]
        size, where = struct.calcsize(code) * n, at + 10 + 12 * i
        where = struct.unpack('<I', data[where:where + 4])[0] if size > 4 else where
        tags[tag] = struct.unpack('<%d%s' % (n, code), data[where:where + size])
    raw = b''
    for o, n in zip(tags[273], tags[279]):
        raw += zlib.decompress(data[o:o + n]) if tags[259][0] == 8 else data[o:o + n]
    bits, channels = tags[258][0], tags[277][0]
    assert tags[262][0] == (2 if channels >= 3 else 1) and tags.get(339, (1,))[0] == (3 if bits == 32 else 1)
    values = struct.unpack('<%d%s' % (len(raw) * 8 // bits, CODES[bits]), raw)
    if tags.get(284, (1,))[0] == 2:
        values = [v for pixel in zip(*(values[c * len(values) // channels:][:len(values) // channels] for c in range(channels)))
                  for v in pixel]
    im = Image(tags[256][0], tags[257][0], channels, bits, 1 if bits == 32 else 2 ** bits - 1, values)
    im.orientation = tags.get(274, (1,))[0]
    im.opacity = tags.get(338)
    return 'tif' if tags[259][0] == 1 else 'tif:z', im


def read_npy(data):
    import ast
    n = struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:10 + n].decode())
    shape = header['shape'] + (1,) * (3 - len(header['shape']))
    bits = {'<f4': 32, '|u1': 8, '<u2': 16}[header['descr']]
    values = struct.unpack('<%d%s' % (shape[0] * shape[1] * shape[2], CODES[bits]), data[10 + n:])
    return 'npy', Image(shape[1], shape[0], shape[2], bits, 1 if bits == 32 else 2 ** bits - 1, values)


def read(path):
    data = open(path, 'rb').read()
    if data[:1] == b'P':
        return read_pnm(data)
    if data[:4] == b'\x89PNG':
        return read_png(data)
    return read_npy(data) if data[:2] == b'\x93N' else read_tiff(data)


def make(path, kind, width, height, seed):
    random.seed(int(seed))
    width, height, (kind, *rest) = int(width), int(height), kind.split(':')
    option = rest[2] if len(rest) > 2 else ''
    bits, channels = (int(rest[0]), int(rest[1])) if kind in ('png', 'tif') else (8, 3 if kind in ('p3', 'p6') else 1)
    white = int(rest[0]) if kind[0] == 'p' and kind != 'png' and rest else 1 if bits == 32 else 2 ** bits - 1
    draw = random.random if bits == 32 else lambda: random.randint(0, white)
    values = [draw() for _ in range(width * height * channels)]
    im = Image(width, height, channels, bits, white, values)
    {'png': write_png, 'tif': write_tiff}.get(kind, lambda p, i, o: write_pnm(p, i, kind in ('p2', 'p3')))(path, im, option)
    if kind == 'png' and (option == 'p' or bits == 1):  # what it is once unpacked
        write_pnm(path + '.pnm', Image(width, height, channels, 8, 255, [v if bits > 1 else 255 * v for v in im.values]), False)


# ---- the filter, by the definition of the Fourier transform

def dft(vectors, sign):
    n = len(vectors[0])
    w = [cmath.exp(sign * 2j * cmath.pi * k / n) for k in range(n)]
    return [[sum(v[j] * w[j * k % n] for j in range(n)) for k in range(n)] for v in vectors]


def transposed(rows):
    return [list(r) for r in zip(*rows)]


def band(plane, low, high, edges):
    h, w = len(plane), len(plane[0])
    if edges == 'reflect':
        plane = [r + r[::-1] for r in plane]
        plane = plane + plane[::-1]
    elif edges == 'zero':
        plane = [r + [0] * w for r in plane] + [[0] * (2 * w)] * h
    p, q, short = len(plane), len(plane[0]), min(h, w)
    spectrum = transposed(dft(transposed(dft(plane, -1)), -1))
    for k in range(p):
        for l in range(q):
            f = short * abs(complex(min(k, p - k) / p, min(l, q - l) / q))
            if not low <= f + 1e-9 < high:
                spectrum[k][l] = 0
    back = transposed(dft(transposed(dft(spectrum, 1)), 1))
    return [[v.real / (p * q) for v in r[:w]] for r in back[:h]]


def compare(out, source, low, high, edges, output, tolerance):
    (_, got), (_, im) = read(out), read(source)
    assert (got.width, got.height, got.channels) == (im.width, im.height, im.channels)
    assert output == 'raw' or (got.bits, got.white) == (im.bits, im.white), (got.bits, got.white)
    colours = im.channels - (im.channels in (2, 4))
    planes = []
    for c in range(colours):
        flat = im.values[c::im.channels]
        planes.append(band([list(flat[y * im.width:(y + 1) * im.width]) for y in range(im.height)], float(low), float(high), edges))
    least = min(0, min(v for p in planes for r in p for v in r))
    most = max(0, max(v for p in planes for r in p for v in r))
    rule = {'raw': lambda v: v, 'clip': lambda v: v if im.bits == 32 else min(max(v, 0), im.white),
            'stretch': lambda v: (v - least) * im.white / (most - least),
            'magnitude': lambda v: abs(v) * im.white / max(most, -least)}[output]
    for i, v in enumerate(got.values):
        pixel, c = divmod(i, im.channels)
        wanted = rule(planes[c][pixel // im.width][pixel % im.width]) if c < colours else im.values[i]
        assert abs(v - wanted) <= float(tolerance), (i, v, wanted)


if __name__ == '__main__':
    verb, *arguments = sys.argv[1:]
    if verb == 'describe':
        kind, im = read(arguments[0])
        print(kind, im.width, im.height, im.channels, im.bits, im.white)
    elif verb == 'same':
        a, b = read(arguments[0])[1], read(arguments[1])[1]
        assert (a.width, a.height, a.channels) == (b.width, b.height, b.channels) and tuple(a.values) == tuple(b.values)
    else:
        {'make': make, 'compare': compare}[verb](*arguments)
