#!/usr/bin/env python3
"""Makes and checks .npy files for the tests of the program, with the standard library only.

  npy.py make FILE TYPE SHAPE [SEED]      random values; SHAPE as 2,3 ("" is zero-dimensional)
  npy.py values FILE TYPE SHAPE V...      given values
  npy.py raw FILE DESCR FORTRAN SHAPE BYTES   any header, and BYTES zero bytes of data
  npy.py describe FILE                    prints "TYPE [SHAPE]"
  npy.py print FILE                       prints the values
  npy.py convolved Z X Y MODE [correlate] [TOLERANCE]   whether Z is X with Y, by definition
  npy.py transformed Z X SIGN SCALE AXIS...   whether Z is the transform of X, by definition, along the axes in this order
  npy.py real Z X SCALE AXIS...               the same, X real: results 0 .. n/2 along the last AXIS
  npy.py hermitian Z X N SCALE AXIS...        the inverse: Z real, of length N along the last AXIS
  npy.py even Z X KIND ORTHOGONAL SCALE AXIS...   whether Z is X by the cosine or sine transform dct1 .. dst4 along the axes
  npy.py shifted Z X BACK AXIS...             whether Z is X by fftshift (BACK 0) or ifftshift (BACK 1)
  npy.py mapped Z TYPE EXPRESSION NAME=FILE...   whether Z, of that type, is the Python expression of the elements
"""
import cmath
import itertools
import math
import random
import struct
import sys

TYPES = {
    "float32": ("<f4", "f", 1), "float64": ("<f8", "d", 1), "complex64": ("<c8", "f", 2), "complex128": ("<c16", "d", 2),
    "int8": ("|i1", "b", 1), "uint8": ("|u1", "B", 1), "int16": ("<i2", "h", 1), "uint16": ("<u2", "H", 1),
    "int32": ("<i4", "i", 1), "uint32": ("<u4", "I", 1), "int64": ("<i8", "q", 1), "uint64": ("<u8", "Q", 1),
    "bool": ("|b1", "?", 1),
}


def count(shape):
    n = 1
    for k in shape:
        n *= k
    return n


def header(descr, fortran, shape):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1")


def write(path, name, shape, values):
    descr, letter, parts = TYPES[name]
    flat = [p for v in values for p in ((v.real, v.imag) if parts == 2 else (v,))]
    with open(path, "wb") as f:
        f.write(header(repr(descr), False, tuple(shape)))
        f.write(struct.pack("<%d%s" % (len(flat), letter), *flat))


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:6] == b"\x93NUMPY", path
    wide = data[6] > 1
    start = 12 if wide else 10
    length = struct.unpack("<I" if wide else "<H", data[8:start])[0]
    fields = eval(data[start:start + length], {})
    assert not fields["fortran_order"] and (start + length) % 64 == 0, fields
    name = next(t for t in TYPES if TYPES[t][0] == fields["descr"])
    shape, (_, letter, parts) = fields["shape"], TYPES[name]
    body = data[start + length:]
    n = count(shape) * parts
    assert len(body) == n * struct.calcsize(letter), (len(body), n)
    flat = struct.unpack("<%d%s" % (n, letter), body)
    return name, shape, list(flat) if parts == 1 else [complex(a, b) for a, b in zip(flat[::2], flat[1::2])]


def vectors(shape, values, rank):
    """The vectors along the last axis by their batch index, the shape extended to `rank` axes."""
    shape = (1,) * (rank - len(shape)) + tuple(shape)
    n = shape[-1]
    indices = itertools.product(*(range(k) for k in shape[:-1]))
    return shape, {index: values[i * n:(i + 1) * n] for i, index in enumerate(indices)}


def convolve(x, y, mode, correlate):
    n, m = len(x), len(y)
    if n == 0 or m == 0:
        return []
    if mode == "circular":
        if correlate:
            return [sum(x[(i + k) % n] * complex(y[i]).conjugate() for i in range(n)) for k in range(n)]
        return [sum(x[i] * y[(k - i) % n] for i in range(n)) for k in range(n)]
    if correlate:
        y = [complex(v).conjugate() for v in reversed(y)]
    full = [sum(x[i] * y[k - i] for i in range(max(0, k - m + 1), min(n, k + 1))) for k in range(n + m - 1)]
    first, length = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (min(n, m) - 1, abs(n - m) + 1)}[mode]
    return full[first:first + length]


def norm(v):
    return sum(abs(complex(a)) ** 2 for a in v) ** 0.5


def convolved(z_path, x_path, y_path, mode, correlate, tolerance):
    (zt, zs, z), (xt, xs, x), (yt, ys, y) = read(z_path), read(x_path), read(y_path)
    single = all(t in ("float32", "complex64") for t in (xt, yt))
    isreal = not any(t.startswith("complex") for t in (xt, yt))
    wanted = {(True, True): "float32", (True, False): "complex64", (False, True): "float64", (False, False): "complex128"}
    assert zt == wanted[single, isreal], zt
    tolerance = tolerance or (1e-6 if single else 1e-14)
    rank = max(len(xs), len(ys))
    xs, x = vectors(xs, x, rank)
    ys, y = vectors(ys, y, rank)
    batch = tuple(max(a, b) if a and b else 0 for a, b in zip(xs[:-1], ys[:-1]))
    found_shape, found = vectors(zs, z, rank)
    assert found_shape[:-1] == batch, (zs, batch)
    for index, vector in found.items():
        xv = x[tuple(i if k > 1 else 0 for i, k in zip(index, xs))]
        yv = y[tuple(i if k > 1 else 0 for i, k in zip(index, ys))]
        expected = convolve(xv, yv, mode, correlate)
        assert len(vector) == len(expected), (len(vector), len(expected))
        scale = norm(xv) * norm(yv)
        off = norm([a - b for a, b in zip(vector, expected)])
        assert off <= tolerance * scale, (index, off, scale)


def dft(x, shape, axis, sign):
    n, step = shape[axis], count(shape[axis + 1:])
    roots = [cmath.exp(sign * 2j * cmath.pi * k / n) for k in range(n)]
    out = [0j] * len(x)
    for i in range(len(x)):
        k, start = i // step % n, i - i // step % n * step
        out[i] = sum(x[start + j * step] * roots[j * k % n] for j in range(n))
    return out


def resize(x, shape, axis, n, new_line):
    """The array with n elements along an axis, new_line(line) of the old ones along it."""
    step, m = count(shape[axis + 1:]), shape[axis]
    out = []
    for outer in range(count(shape[:axis])):
        lines = [new_line(x[(outer * m) * step + i:(outer * m + m) * step:step]) for i in range(step)]
        out += [lines[i][k] for k in range(n) for i in range(step)]
    return out, shape[:axis] + (n,) + shape[axis + 1:]


def same(z_path, name, shape, x):
    zt, zs, z = read(z_path)
    assert zt == name and tuple(zs) == tuple(shape), (zt, zs, name, shape)
    off, size = norm([a - b for a, b in zip(z, x)]), norm(x)
    assert off <= (1e-6 if zt in ("complex64", "float32") else 1e-14) * size, (off, size)


def transformed(z_path, x_path, scale, axes, sign=-1, half=False, length=None):
    name, shape, x = read(x_path)
    single, shape, last = name in ("float32", "complex64"), tuple(shape), axes[-1] % len(shape) if axes else None
    for axis in axes:
        if length and axis == axes[-1]:  # of a spectrum's first half, zeros beyond
            def hermitian(line):
                values = [complex((line[min(k, length - k):] or [0])[0]) for k in range(length)]
                return [v if k <= length // 2 else v.conjugate() for k, v in enumerate(values)]
            x, shape = resize(x, shape, last, length, hermitian)
        x = dft(x, shape, axis % len(shape), sign)
    if half:
        x, shape = resize(x, shape, last, shape[last] // 2 + 1, lambda line: line)
    x = [scale * (complex(v).real if length else v) for v in x]
    same(z_path, ("float" if length else "complex") + str((32 if single else 64) * (1 if length else 2)), shape, x)


# SciPy's definitions, and its weights of orthogonal transforms.
def even_line(line, kind, orthogonal):
    n, sine, last = len(line), kind[:3] == "dst", len(line) - 1
    function, half, root2 = (math.sin if sine else math.cos), math.pi / 2, math.sqrt(2)
    x, kind, weights = [complex(v).real for v in line], int(kind[3]), [2] * n
    shift = 1 if sine else 0
    if kind == 3:
        weights[last if sine else 0] = root2 if orthogonal else 1
    if kind == 1 and not sine:
        weights[0] = weights[last] = root2 if orthogonal else 1
    result = []
    for k in range(n):
        row, column = {1: (k + shift, None), 2: (k + shift, 1), 3: (2 * k + 1, None), 4: (2 * k + 1, 1)}[kind]
        period = {1: n + 1 if sine else n - 1, 2: n, 3: n, 4: 2 * n}[kind]
        value = 0
        for j in range(n):
            at = 2 * j + 1 if column else j + shift
            step = math.pi / period / (1 if kind == 1 else 2)
            value += weights[j] * x[j] * function(step * row * at)
        if orthogonal and (kind == 2 and k == (last if sine else 0) or kind == 1 and not sine and k in (0, last)):
            value /= root2
        result.append(value)
    return result


def even(z_path, x_path, kind, orthogonal, scale, axes):
    name, shape, x = read(x_path)
    for axis in axes:
        x, _ = resize(x, tuple(shape), axis % len(shape), shape[axis], lambda line: even_line(line, kind, orthogonal))
    same(z_path, "float32" if name == "float32" else "float64", tuple(shape), [scale * v for v in x])


def shifted(z_path, x_path, back, axes):
    name, shape, x = read(x_path)
    shape = tuple(shape)
    for axis in axes:
        n = shape[axis]
        first = n // 2 if back else n - n // 2
        x, _ = resize(x, shape, axis % len(shape), n, lambda line: line[first:] + line[:first])
    same(z_path, name, shape, x)


def main(verb, path, *rest):
    if verb in ("make", "values"):
        name, shape = rest[0], [int(k) for k in rest[1].split(",") if k]
        generator = random.Random(int(rest[2]) if verb == "make" and len(rest) > 2 else 1)
        if verb == "values":
            values = [complex(v) if "complex" in name else float(v) if "float" in name else int(v) for v in rest[2:]]
        elif name.startswith(("float", "complex")):
            values = [complex(generator.uniform(-1, 1), generator.uniform(-1, 1)) for _ in range(count(shape))]
            values = values if "complex" in name else [v.real for v in values]
        else:
            values = [generator.randrange(2 if name == "bool" else 100) for _ in range(count(shape))]
        write(path, name, shape, values)
    elif verb == "raw":
        with open(path, "wb") as f:
            f.write(header(rest[0], rest[1], rest[2]))
            f.truncate(f.tell() + int(rest[3]))
    elif verb == "describe":
        name, shape, _ = read(path)
        print(name, list(shape))
    elif verb == "print":
        print(*read(path)[2])
    elif verb == "mapped":
        arrays = {name: read(file) for name, file in (r.split("=") for r in rest[2:])}
        shape = next(iter(arrays.values()))[1]
        columns = zip(*(a[2] for a in arrays.values()))
        write(path + ".expected", rest[0], shape, [eval(rest[1], dict(zip(arrays, values))) for values in columns])
        same(path, *read(path + ".expected"))
    elif verb == "convolved":
        words = list(rest[2:])
        correlate = "correlate" in words
        tolerance = [float(w) for w in words[1:] if w != "correlate"]
        convolved(path, rest[0], rest[1], words[0], correlate, tolerance[0] if tolerance else None)
    elif verb == "transformed":
        transformed(path, rest[0], float(rest[2]), [int(a) for a in rest[3:]], int(rest[1]))
    elif verb == "real":
        transformed(path, rest[0], float(rest[1]), [int(a) for a in rest[2:]], half=True)
    elif verb == "hermitian":
        transformed(path, rest[0], float(rest[2]), [int(a) for a in rest[3:]], 1, length=int(rest[1]))
    elif verb == "even":
        even(path, rest[0], rest[1], int(rest[2]), float(rest[3]), [int(a) for a in rest[4:]])
    elif verb == "shifted":
        shifted(path, rest[0], int(rest[1]), [int(a) for a in rest[2:]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
