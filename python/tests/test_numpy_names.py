"""NumPy's names in expressions mean what they mean in NumPy, of every type that NumPy takes."""
import numpy as np
import pytest

import mastaba

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
FLOATS = TYPES[9:12]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]
ONE = ["absolute", "fabs", "negative", "positive", "square", "reciprocal", "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin",
       "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad", "radians", "rad2deg", "degrees",
       "floor", "ceil", "trunc", "fix", "rint", "sign", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "logical_not", "invert",
       "bitwise_not", "conjugate", "conj", "real", "imag", "angle", "nan_to_num", "ones_like", "sinc"]
TWO = ["add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder", "fmod", "power", "maximum", "minimum", "fmax", "fmin",
       "arctan2", "hypot", "copysign", "nextafter", "heaviside", "logaddexp", "logaddexp2", "less", "less_equal", "greater", "greater_equal", "equal",
       "not_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]
# Where NumPy has a type of its own: rounding keeps integers here, and what is made of several operations takes theirs.
OWN_TYPE = {"rint", "reciprocal", "isposinf", "nan_to_num", "sinc", "fix", "heaviside"}


def _values(kind, n, generator, special=True):
    kind = np.dtype(kind)
    if kind.kind == "b":
        return generator.integers(0, 2, n).astype(bool)
    if kind.kind in "iu":
        return generator.integers(1, 7, n).astype(kind) if kind.kind == "u" else np.where(generator.random(n) < 0.5, -1, 1).astype(kind) * generator.integers(1, 7, n).astype(kind)
    values = generator.uniform(-0.9, 3, n)
    if kind.kind == "c":
        values = values + 1j * generator.uniform(-1, 1, n)
    elif special:
        values[:len(SPECIAL)] = SPECIAL
    return values.astype(kind)


def _numpys(name, *arrays):
    try:
        with np.errstate(all="ignore"):
            return getattr(np, name)(*arrays)
    except TypeError:
        return None


def _check(name, arrays, got, wanted):
    assert got.shape == wanted.shape
    if name not in OWN_TYPE:
        assert got.dtype == wanted.dtype or len(arrays) == 1 and arrays[0].dtype == bool, f"{name}: {got.dtype} of {[a.dtype for a in arrays]}"
    kinds = [a.dtype for a in arrays if a.dtype.kind in "fc"] or [np.dtype("f2") if got.dtype == np.float16 else np.dtype("f4")]
    room = {2: 4e-3, 4: 4e-6, 8: 1e-12, 16: 1e-12}[min(k.itemsize // (2 if k.kind == "c" else 1) for k in kinds)]
    if got.dtype.kind in "fc":
        room = max(room, {2: 4e-3, 4: 4e-6}.get(got.dtype.itemsize, 0))
    with np.errstate(all="ignore"):
        assert np.allclose(got.astype(wanted.dtype), wanted, rtol=room, atol=room, equal_nan=True), (name, [a.dtype for a in arrays], got, wanted)


@pytest.mark.parametrize("name", ONE)
def test_one(name):
    generator = np.random.default_rng(len(name))
    for kind in TYPES:
        a = _values(kind, 19, generator)
        wanted = _numpys(name, a)
        if wanted is None or name == "reciprocal" and a.dtype.kind in "iub" or name == "sign" and a.dtype.kind == "c":
            continue
        try:
            got = mastaba.evaluate(f"{name}(a)", {"a": a})
        except mastaba.errors.ArgumentError as refused:
            assert a.dtype.kind == "c" and "complex" in str(refused), f"{name} of {kind}: {refused}"
            continue
        _check(name, [a], got, wanted)


@pytest.mark.parametrize("name", TWO)
def test_two(name):
    generator = np.random.default_rng(len(name))
    for kind in TYPES:
        for second in (kind, TYPES[(TYPES.index(kind) + len(name)) % len(TYPES)]):
            special = not {kind, second} & {"c8", "c16"}
            a, b = _values(kind, 19, generator, special), _values(second, 19, generator, special)[::-1]
            if name == "power" and b.dtype.kind in "i":
                b = abs(b)
            wanted = _numpys(name, a, b)
            if wanted is None or {kind, second} & {"c8", "c16"} and name in ("maximum", "minimum", "fmax", "fmin", "less", "less_equal", "greater", "greater_equal"):
                continue  # NumPy orders complex numbers
            try:
                got = mastaba.evaluate(f"{name}(a, b)", {"a": a, "b": b})
            except mastaba.errors.ArgumentError as refused:
                assert "complex" in str(refused), f"{name} of {kind} and {second}: {refused}"
                continue
            if name == "power" and wanted.dtype.kind == "c":
                continue  # near the cut along negative numbers
            _check(name, [a, b], got, wanted)


def test_imaginary_numbers():
    a, c = np.arange(4.0), np.arange(4, dtype=np.complex64)
    for text in ("a + 2j", "c*1j", "(1 + 2.5j)*c", "exp(1j*a)", "a*1e-3J", "1j**2*c", "where(a > 1, 1j, a)", "abs(3 + 4j)*a"):
        got, wanted = mastaba.evaluate(text, {"a": a, "c": c}), eval(text, {"a": a, "c": c, "exp": np.exp, "where": np.where, "abs": abs})
        assert got.dtype == wanted.dtype and np.allclose(got, wanted), text
    f = a.astype("f4")
    assert mastaba.evaluate("f*1j", {"f": f}).dtype == np.complex64


@pytest.mark.parametrize("text, hint", [("np.sin(a)", "without np"), ("ln(a)", "log"), ("a and a", "&&"), ("(a > 0) or a", "||"), ("a if a else 0", "c ? x : y"), ("a + 2a", "x*y"),
                                        ("2(a + 1)", "x*y"), ("a = 1", "=="), ("nanmean(a)", "isnan"), ("a.sum()", "sum(a)"), ("a.T", "an array"), ("a[0]", "an array"), ("a*j", "1j"),
                                        ("average(a)", "mean"), ("absolut(a)", "absolute"), ("logical_nand(a, a)", "logical_and"), ("spacing(a)", "copysign(inf, x)")])
def test_hints(text, hint):
    with pytest.raises(mastaba.errors.ArgumentError) as refused:
        mastaba.evaluate(text, {"a": np.arange(4.0)})
    assert hint in str(refused.value)


def test_functions_of_two_types():
    """Integers of two types become real each by itself: int16 and uint16 are float32 together, though what holds both is int32."""
    for name in "hypot arctan2 copysign nextafter".split():
        for s in "?bBhHiIqQefd":
            for t in "?bBhHiIqQefd":
                a, b = np.arange(1, 4).astype(s), np.arange(2, 5).astype(t)
                assert mastaba.evaluate(f"{name}(a, b)").dtype == getattr(np, name)(a, b).dtype, (name, s, t)
