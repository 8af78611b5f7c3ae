#!/usr/bin/env python3
"""What `mastaba solve` should write, computed directly, with the standard library only.

  stencil.py heat2d OUT.npy NY NX STEPS            the built-in problem
  stencil.py mixed OUT.npy TRACE.npy U.npy A.npy STEPS   the problem of solve.sh with mixed boundaries, a source and receivers
  stencil.py vti FILE.vti FIELD FRAME.npy          whether a field in a .vti file is the array
  stencil.py png FILE.png FRAME.npy LOW HIGH       whether the colours of a picture rise with the values
  stencil.py part PART.npy WHOLE.npy PICK          whether an array is WHOLE[PICK], as "0::2,3" on two axes
"""
import math
import re
import struct
import sys
import zlib

sys.dont_write_bytecode = True

from npy import count, read  # noqa: E402


def close(found, wanted, tolerance):
    assert len(found) == len(wanted), (len(found), len(wanted))
    size = max(map(abs, wanted))
    off = max(abs(a - b) for a, b in zip(found, wanted))
    assert size > 0.01 and off <= tolerance * size, (off, size)


def heat2d(path, ny, nx, steps):
    def initial(i, j):
        sx, sy = (j + 1) / (nx + 1), (i + 1) / (ny + 1)
        return (math.sin(math.pi * sx) * math.sin(math.pi * sy) + 2 * math.exp(-300 * ((sx - 0.3) ** 2 + (sy - 0.3) ** 2))
                + 2 * math.exp(-200 * ((sx - 0.7) ** 2 + (sy - 0.4) ** 2))
                + 2 * math.exp(-250 * ((sx - 0.5) ** 2 + (sy - 0.75) ** 2)))
    u = [[initial(i, j) for j in range(nx)] for i in range(ny)]

    def at(i, j):
        return u[i][j] if 0 <= i < ny and 0 <= j < nx else 0.0
    for _ in range(steps):
        u = [[u[i][j] + 0.2 * (at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j) - 4 * u[i][j]) for j in range(nx)]
             for i in range(ny)]
    name, shape, found = read(path)
    assert (name, shape) == ("float32", (ny, nx)), (name, shape)
    close(found, [v for row in u for v in row], 1e-5)


def mixed(path, trace_path, u_path, a_path, steps):
    """u periodic in x; mirrored at y-; cos(t) x beyond y+; a coefficient field; a source; the field v sums up the new u."""
    _, (ny, nx), u = read(u_path)
    _, _, a = read(a_path)
    dx, dt = 0.5, 0.05
    v, trace = [0.0] * (ny * nx), []
    for k in range(steps):
        def at(i, j):
            j %= nx
            return math.cos(k * dt) * j * dx if i >= ny else u[(0 if i < 0 else i) * nx + j]

        new = []
        for i in range(ny):
            for j in range(nx):
                spread = at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j) - 4 * at(i, j)
                new.append(at(i, j) + 0.7 * a[i * nx + j] * dt / dx ** 2 * spread)
        new[2 * nx + 3] += math.sin(3 * k * dt)
        u = new
        v = [p + q * dt for p, q in zip(v, u)]
        trace += [u[2 * nx + 3], u[0], v[2 * nx + 3], v[0]]
    name, shape, found = read(path)
    assert (name, shape) == ("float64", (2, ny, nx)), (name, shape)
    close(found, u + v, 1e-12)
    name, shape, found = read(trace_path)
    assert (name, shape) == ("float64", (steps, 2)), (name, shape)
    close(found, [t for i, t in enumerate(trace) if i % 4 < 2], 1e-12)


def vti(path, field, frame):
    data = open(path, "rb").read()
    head, tail = data.split(b"<AppendedData encoding=\"raw\">\n_", 1)
    head = head.decode()
    name, shape, values = read(frame)
    assert 'header_type="UInt64"' in head and 'type="ImageData"' in head, head
    extent = " ".join("0 %d" % (n - 1) for n in list(reversed(shape)) + [1] * (3 - len(shape)))
    assert 'WholeExtent="%s"' % extent in head, (extent, head)
    kind, offset = re.search(r'<DataArray type="(\w+)" Name="%s" format="appended" offset="(\d+)"/>' % field, head).groups()
    letter = {"Float32": "f", "Float64": "d"}[kind]
    offset, n = int(offset), count(shape)
    assert kind.lower() == name and struct.unpack_from("=Q", tail, offset)[0] == n * struct.calcsize(letter)
    assert list(struct.unpack_from("=%d%s" % (n, letter), tail, offset + 8)) == values
    assert data.endswith(b"\n</AppendedData>\n</VTKFile>\n")
    print(head)


def png(path, frame, low, high):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        n, kind = struct.unpack_from(">I4s", data, at)
        assert struct.unpack_from(">I", data, at + 8 + n)[0] == zlib.crc32(data[at + 4:at + 8 + n])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + n]
        at += 12 + n
    width, height, depth, color = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, color) == (8, 3), (depth, color)
    _, shape, values = read(frame)
    assert shape == (height, width), (shape, height, width)
    rows = zlib.decompress(chunks[b"IDAT"])
    pixels = [b for i in range(height) for b in rows[i * (width + 1) + 1:(i + 1) * (width + 1)]]
    assert all(rows[i * (width + 1)] == 0 for i in range(height)), "a filter"
    for p, v in zip(pixels, values):
        wanted = (min(max(v, low), high) - low) / (high - low) * 254
        assert abs(p - wanted) < 0.51, (p, wanted, v)
    light = [sum(c * w for c, w in zip(chunks[b"PLTE"][3 * i:3 * i + 3], (0.2126, 0.7152, 0.0722))) for i in range(255)]
    print("rises" if all(a < b + 0.6 for a, b in zip(light, light[1:])) else "peaks at %d" % light.index(max(light)))


def part(path, whole, pick):
    name, shape, values = read(path)
    wname, wshape, wvalues = read(whole)
    indices = []
    for text, n in zip(pick.split(","), wshape):
        numbers = [int(t) if t else None for t in text.split(":")]
        indices.append(list(range(n))[slice(*numbers)] if len(numbers) > 1 else [numbers[0] % n])
    wanted, kept = [], tuple(len(i) for i, t in zip(indices, pick.split(",")) if ":" in t)
    flat = [0]
    for i, n in zip(indices, wshape):
        flat = [f * n + k for f in flat for k in i]
    wanted = [wvalues[f] for f in flat]
    assert (name, shape, values) == (wname, kept, wanted), (name, shape, kept)


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "heat2d":
        heat2d(rest[0], *map(int, rest[1:]))
    elif verb == "mixed":
        mixed(*rest[:4], int(rest[4]))
    elif verb == "png":
        png(rest[0], rest[1], float(rest[2]), float(rest[3]))
    elif verb in ("vti", "part"):
        globals()[verb](*rest)
    else:
        sys.exit(__doc__)
