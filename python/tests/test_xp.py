"""The array API standard's functions on the device, beside array-api-strict, which takes and gives what the standard says."""
import numpy as np
import pytest

import mastaba
from mastaba import xp

strict = pytest.importorskip("array_api_strict")

FLOATS, REALS, NUMBERS = ["float32", "float64"], ["int8", "uint16", "int32", "int64", "float32", "float64"], ["int16", "int64", "float32", "float64", "complex64", "complex128"]
WHOLE, COMPLEX = ["int8", "uint8", "int32", "uint64"], ["float32", "complex128", "float64", "complex64"]
ONE = {**dict.fromkeys(("isnan", "isinf", "isfinite", "positive", "negative", "abs", "square"), NUMBERS), **dict.fromkeys(("real", "imag", "conj"), COMPLEX[1::2]),
       **dict.fromkeys(("floor", "ceil", "trunc", "round", "sign"), REALS), **dict.fromkeys(("signbit", "log2", "log10", "log1p", "expm1", "reciprocal",
       "tan", "asin", "acos", "atan", "asinh", "acosh", "atanh"), FLOATS), **dict.fromkeys(("sqrt", "exp", "log", "sin", "cos", "sinh", "cosh", "tanh"), COMPLEX),
       "logical_not": ["bool"], "bitwise_invert": WHOLE + ["bool"]}
TWO = {**dict.fromkeys(("add", "subtract", "multiply"), NUMBERS), **dict.fromkeys(("equal", "not_equal"), NUMBERS + ["bool"]),
       **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "remainder", "floor_divide"), REALS),
       **dict.fromkeys(("atan2", "hypot", "copysign", "nextafter", "logaddexp"), FLOATS), "divide": COMPLEX, "pow": FLOATS + ["int32"],
       **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ["bool"]), **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), WHOLE + ["bool"]),
       **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), WHOLE)}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.5]


def numbers(kind, seed, n=30):
    r, kind = np.random.default_rng(seed), np.dtype(kind)
    if kind.kind == "b":
        return r.integers(0, 2, n).astype(bool)
    if kind.kind in "iu":
        return r.integers(-6 if kind.kind == "i" else 0, 7, n).astype(kind)
    x = r.normal(size=n) * 2
    return (x + 1j * r.normal(size=n) if kind.kind == "c" else np.concatenate([SPECIAL, x])).astype(kind)


def same(got, wanted, name):
    wanted = np.asarray(wanted)
    assert isinstance(got, mastaba.Array) and got.dtype == wanted.dtype and got.shape == wanted.shape, name
    gate = 4e-6 if wanted.dtype in (np.float32, np.complex64) else 1e-13
    assert np.allclose(got.numpy(), wanted, rtol=gate, atol=gate * 0.01 if wanted.dtype.kind in "fc" else 0, equal_nan=True), name


@pytest.mark.parametrize("k, name", enumerate(sorted(ONE)))
def test_of_one(k, name):
    x = numbers(ONE[name][k % len(ONE[name])], k)
    with np.errstate(all="ignore"):
        same(getattr(xp, name)(xp.asarray(x)), getattr(strict, name)(strict.asarray(x)), f"{name} of {x.dtype}")


@pytest.mark.parametrize("k, name", enumerate(sorted(TWO)))
def test_of_two(k, name):
    x, y = (numbers(TWO[name][k % len(TWO[name])], seed) for seed in (k, k + 99))
    if x.dtype.kind in "iu" and name in ("remainder", "floor_divide", "pow", "bitwise_left_shift", "bitwise_right_shift"):
        y = abs(y) + (name in ("remainder", "floor_divide"))
    if name in ("remainder", "floor_divide"):  # of what is infinite the standard leaves open
        x, y = x[len(SPECIAL):], np.where(y == 0, 1, y)[len(SPECIAL):]
    y = np.roll(y, 3)
    with np.errstate(all="ignore"):
        same(getattr(xp, name)(xp.asarray(x), xp.asarray(y)), getattr(strict, name)(strict.asarray(x), strict.asarray(y)), f"{name} of {x.dtype}")


def both(x):
    return xp.asarray(x), strict.asarray(x)


SHAPES = [
    ("concat", lambda m, a, b: m.concat([a, b, a], axis=1)), ("concat", lambda m, a, b: m.concat([a, b[:, :1]], axis=None)),
    ("stack", lambda m, a, b: m.stack([a, a + 1], axis=-1)), ("unstack", lambda m, a, b: m.unstack(b, axis=1)[2]),
    ("roll", lambda m, a, b: m.roll(a, (1, -2), axis=(0, 1))), ("roll", lambda m, a, b: m.roll(b, 5)), ("tile", lambda m, a, b: m.tile(a, (2, 1, 3))),
    ("repeat", lambda m, a, b: m.repeat(a, 3, axis=1)), ("repeat", lambda m, a, b: m.repeat(a, 2)), ("flip", lambda m, a, b: m.flip(a, axis=1)),
    ("expand_dims", lambda m, a, b: m.expand_dims(a, axis=-1)), ("squeeze", lambda m, a, b: m.squeeze(a[None, :, :], 0)), ("moveaxis", lambda m, a, b: m.moveaxis(a, 0, 1)),
    ("permute_dims", lambda m, a, b: m.permute_dims(a, (1, 0))), ("matrix_transpose", lambda m, a, b: m.matrix_transpose(a)),
    ("broadcast_to", lambda m, a, b: m.broadcast_to(a[:, :1], (2, 3, 5))), ("broadcast_arrays", lambda m, a, b: m.broadcast_arrays(a[:1, :], a[:, :1])[0]),
    ("meshgrid", lambda m, a, b: m.meshgrid(a[0, :], b[:, 0])[1]), ("meshgrid", lambda m, a, b: m.meshgrid(a[0, :], b[:, 0], a[:, 1], indexing="ij")[1]),
    ("tril", lambda m, a, b: m.tril(a, k=-1)), ("triu", lambda m, a, b: m.triu(a, k=1)), ("diff", lambda m, a, b: m.diff(a, axis=0)),
    ("diff", lambda m, a, b: m.diff(a, n=2, append=b)), ("where", lambda m, a, b: m.where(a > 0, a, -a)), ("clip", lambda m, a, b: m.clip(a, -0.5, 0.5)),
    ("clip", lambda m, a, b: m.clip(a, max=a * 0.5)), ("reshape", lambda m, a, b: m.reshape(a.T, (2, -1))), ("astype", lambda m, a, b: m.astype(a * 3, m.int32)),
    ("eye", lambda m, a, b: m.eye(3, 4, k=1)), ("linspace", lambda m, a, b: m.linspace(0, 1, 4, endpoint=False)), ("arange", lambda m, a, b: m.arange(3, 9, 2)),
    ("full_like", lambda m, a, b: m.full_like(a, 7.5)), ("zeros", lambda m, a, b: m.zeros((2, 2), dtype=m.int8)), ("ones_like", lambda m, a, b: m.ones_like(a)),
]


@pytest.mark.parametrize("k", range(len(SHAPES)))
def test_shapes(k):
    name, call = SHAPES[k]
    x, y = np.arange(12.0).reshape(3, 4) - 5.5, np.arange(15.0).reshape(3, 5)
    (a, wanted_a), (b, wanted_b) = both(x), both(y)
    same(call(xp, a, b), call(strict, wanted_a, wanted_b), name)


REDUCTIONS = {
    "sum": ["float32", "int8", "complex128", "uint16"], "prod": ["float64", "int32"], "max": ["float64", "int16"], "min": ["float32", "int64"], "mean": ["float32", "float64"],
    "var": ["float64"], "std": ["float32"], "argmax": ["float64", "int32"], "argmin": ["int32", "float32"], "all": ["bool", "float32"], "any": ["bool", "int8"],
    "count_nonzero": ["int8", "float64"]}


@pytest.mark.parametrize("k, name", enumerate(sorted(REDUCTIONS)))
def test_reductions(k, name):
    for kind in REDUCTIONS[name]:
        x = numbers(kind, k, 3 * 5 * 7)[-105:].reshape(3, 5, 7)
        for axis, options in ((None, {}), (1, {}), ((0, 2), {"keepdims": True}), (-1, {"keepdims": True})):
            if isinstance(axis, tuple) and name.startswith("arg"):
                continue
            if name in ("var", "std") and axis == 1:
                options = {"correction": 1.0}
            same(getattr(xp, name)(xp.asarray(x), axis=axis, **options), getattr(strict, name)(strict.asarray(x), axis=axis, **options), f"{name} of {kind}, {axis}")


def test_reductions_at_the_edges():
    nan = xp.asarray([1.0, np.nan, 2.0])
    assert np.isnan(float(xp.max(nan))) and np.isnan(float(xp.min(nan))) and int(xp.argmax(nan)) == 1 == int(xp.argmin(nan))
    none = xp.zeros((0, 3))
    assert float(xp.sum(none)) == 0 and xp.prod(none, axis=0).numpy().tolist() == [1, 1, 1] and bool(xp.all(none)) and not bool(xp.any(none))
    with pytest.raises(ValueError):
        xp.max(none)
    assert np.isnan(float(xp.mean(none))) and xp.sum(xp.ones((2, 3)), axis=()).shape == (2, 3)
    x = np.random.default_rng(0).random(100_003).astype(np.float32)
    assert abs(float(xp.sum(xp.asarray(x))) - x.sum(dtype=float)) < 1e-6 * x.size  # a tree's error, not a loop's
    a = xp.reshape(xp.arange(10), (2, 5))
    assert np.array_equal(xp.cumulative_sum(a, axis=1).numpy(), np.cumsum(a.numpy(), 1))
    assert np.array_equal(xp.cumulative_sum(a, axis=0, include_initial=True).numpy(), np.asarray(strict.cumulative_sum(strict.asarray(a.numpy()), axis=0, include_initial=True)))
    assert xp.cumulative_prod(xp.arange(1, 6)).numpy().tolist() == [1, 2, 6, 24, 120]
    with pytest.raises(ValueError):
        xp.cumulative_sum(a)


def test_reductions_of_one_element_are_no_views():
    a = xp.asarray([[1.0, 2.0]])
    results = [xp.sum(a, axis=0), xp.max(a, axis=0, keepdims=True), xp.sum(a, axis=())]
    a[...] = 7
    assert all(xp.reshape(r, (-1,)).numpy().tolist() == [1, 2] for r in results)


@pytest.mark.parametrize("first, second", [((3,), (3,)), ((2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((2, 0), (0, 4))])
def test_products_of_matrices(first, second):
    r = np.random.default_rng(1)
    x, y = (r.standard_normal(shape).astype(np.float32) for shape in (first, second))
    same(xp.asarray(x) @ xp.asarray(y), strict.asarray(x) @ strict.asarray(y), "matmul")


@pytest.mark.parametrize("kinds", [("float32", "float32"), ("int32", "float32"), ("complex64", "float64"), ("int8", "uint16")])
def test_products_of_large_matrices(kinds):
    """More products than are summed on the device."""
    r = np.random.default_rng(1)
    x, y = ((r.standard_normal(shape) * 9).astype(kind) for shape, kind in zip(((3, 70, 50), (50, 60)), kinds))
    for a, b in ((x, y), (x[0], y), (x[0].T, x[0]), (y, y[0, :60]), (y.T[0, :50], y)):
        got, wanted = xp.asarray(a) @ xp.asarray(b), a @ b
        assert isinstance(got, mastaba.Array) and got.dtype == wanted.dtype and got.shape == wanted.shape
        assert abs(got.numpy() - wanted).max() <= 1e-5 * abs(wanted).max()
    there = xp.tensordot(xp.asarray(x), xp.asarray(y), axes=((2,), (0,)))
    assert there.shape == (3, 70, 60) and np.allclose(there.numpy(), x @ y, rtol=1e-4, atol=1e-3)
    assert isinstance(xp.asarray(x) @ y, mastaba.Array) and (xp.asarray(x) @ y).dtype == (x @ y).dtype
    for wrong in (lambda: xp.asarray(x) @ xp.asarray(x), lambda: xp.asarray(x) @ 2):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="bool"):
        xp.ones((99, 99), dtype=xp.bool) @ xp.ones((99, 99), dtype=xp.bool)


def test_sums_of_products():
    x, y = numbers("complex128", 3, 24)[-24:].reshape(2, 3, 4), numbers("complex128", 4, 24)[-24:].reshape(3, 4, 2)
    (a, wanted_a), (b, wanted_b) = both(x), both(y)
    for axes in (0, 2, ((1, 2), (0, 1)), ((-1, 0), (1, 2))):
        same(xp.tensordot(a, b, axes=axes), strict.tensordot(wanted_a, wanted_b, axes=axes), f"tensordot, {axes}")
    same(xp.vecdot(a, a * 2, axis=-2), strict.vecdot(wanted_a, wanted_a * 2, axis=-2), "vecdot")
    for wrong in (lambda: a @ a, lambda: xp.tensordot(a, b, axes=1), lambda: xp.matmul(a, xp.asarray(1.0)), lambda: a @ 2, lambda: 2 @ a, lambda: xp.vecdot(a, b)):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize("name, numpys", [("acos", "arccos"), ("acosh", "arccosh"), ("asin", "arcsin"), ("asinh", "arcsinh"), ("atan", "arctan"),
                                          ("atanh", "arctanh"), ("expm1", "expm1"), ("log10", "log10"), ("sign", "sign"), ("round", "round")])
def test_functions_of_complex_numbers(name, numpys):
    """Beside NumPy's, on both sides of the branch cuts, too."""
    z = np.concatenate([numbers("complex128", 1, 40), [complex(x, y) for x in (-2, -0.5, 0.5, 2) for y in (0.0, -0.0, 1e-9)]])
    with np.errstate(all="ignore"):
        wanted = getattr(np, numpys)(z)
    got, finite = getattr(xp, name)(xp.asarray(z)).numpy(), np.isfinite(wanted)
    assert np.allclose(got[finite], wanted[finite], rtol=1e-13, atol=1e-300), name


@pytest.mark.parametrize("kind", ["float32", "int16", "uint64", "float64"])
def test_order(kind):
    """Beside array-api-strict, with equal elements, so that what is stable shows."""
    x = numbers(kind, 5, 36)[-36:].reshape(3, 12)
    x[:, ::3] = x[:, 1::3]
    a, wanted_a = both(x)
    for options in ({}, {"axis": 0}, {"descending": True}, {"axis": 0, "descending": True}):
        same(xp.argsort(a, **options), strict.argsort(wanted_a, **options), f"argsort, {options}")
        same(xp.sort(a, **options), strict.sort(wanted_a, **options), f"sort, {options}")
    line = xp.sort(a[0, :])
    same(xp.searchsorted(line, a, side="right"), np.searchsorted(np.sort(x[0]), x, "right"), "searchsorted")
    same(xp.searchsorted(a[0, :], a[1, :], sorter=xp.argsort(a[0, :])), np.searchsorted(np.sort(x[0]), x[1]), "searchsorted by indices")
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        got, wanted = getattr(xp, name)(a), getattr(strict, name)(wanted_a)
        assert got._fields == wanted._fields
        for part, of in zip(got, wanted):
            same(part, of, name)
    same(xp.unique_values(a), np.unique(x), "unique_values")
    for part, of in zip(xp.nonzero(a), np.nonzero(x), strict=True):
        same(part, of, "nonzero")
    assert xp.unique_values(xp.asarray([np.nan, np.nan, 1.0])).shape == (3,)
    with pytest.raises(ValueError):
        xp.nonzero(a[0, 0])


def test_gathers():
    x = np.arange(24.0).reshape(2, 3, 4)
    a = xp.asarray(x)
    same(xp.take(a, [[2, -1], [0, 0]], axis=1), x[:, [[2, -1], [0, 0]]], "take")
    places = xp.asarray([2, -1, 0])
    same(xp.take(a, places, axis=1), x[:, [2, -1, 0]], "take")
    same(xp.take(a[0, 0, :], places), x[0, 0, [2, -1, 0]], "take")
    same(xp.take_along_axis(a, xp.argsort(-a, axis=1), axis=1), -np.sort(-x, 1), "take_along_axis")
    same(xp.repeat(a, xp.asarray([0, 2, 1]), axis=1), np.repeat(x, [0, 2, 1], 1), "repeat")
    long = np.arange(1200).reshape(3, 400)
    for places in ([5, 6, 7, 3, 2, 1, 0, 9, 9], [-1, -400, 0], list(range(0, 400, 3)), [], np.array([7, 255], np.uint8), np.random.default_rng(1).integers(-400, 400, 90)):
        same(xp.asarray(long)[:, places], long[:, np.asarray(places, int)], "places along an axis")
        same(xp.take(xp.asarray(long).T, xp.asarray(np.asarray(places, int)), axis=-2), long[:, np.asarray(places, int)].T, "places along an axis")
    places = xp.asarray([2, -1, 0])
    for index in ([1, 0], (0, [1, 1]), (slice(None), places, 2), (..., places), np.array([[0, 1], [1, 1]]), (places[1:], places[:2], None), True, (Ellipsis, False)):
        own = tuple(v.numpy() if isinstance(v, mastaba.Array) else v for v in index) if isinstance(index, tuple) else index
        same(a[index], x[own], f"[{index}]")
    same(xp.isin(a, xp.asarray([3, 5])), np.isin(x, [3, 5]), "isin")
    same(xp.isin(a, 3.0, invert=True), x != 3, "isin")
    same(a[a > 7], x[x > 7], "a mask")
    same(a[xp.asarray([True, False]), 1:], x[[True, False], 1:], "a mask of one axis")
    same(a[np.array(1)], x[1], "a number in an array")
    for wrong in (1.0, "text", [5], xp.asarray([0.5]), np.ones((3, 3), bool), (a > 0, 0)):
        with pytest.raises(IndexError):
            a[wrong]
    with pytest.raises(IndexError):
        xp.take(a, xp.asarray([4]), axis=1)
    with pytest.raises(ValueError, match="which one"):
        xp.take(a, places)


def test_frequencies():
    x = np.arange(15.0).reshape(3, 5)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 1, (0, 1), [-1]):
            same(getattr(xp.fft, name)(xp.asarray(x), axes=axes), getattr(np.fft, name)(x, axes), name)
            assert np.array_equal(getattr(mastaba.fft, name)(x, axes), getattr(np.fft, name)(x, axes))
    same(xp.fft.fftfreq(5, d=0.5), np.fft.fftfreq(5, 0.5), "fftfreq")
    same(xp.fft.rfftfreq(6, dtype=xp.float32), np.fft.rfftfreq(6).astype(np.float32), "rfftfreq")
    assert xp.broadcast_shapes((3, 1), (5,)) == (3, 5) and xp.expand_dims(xp.asarray(x), axis=(0, -1)).shape == (1, 3, 5, 1)


def test_what_c99_says_of_what_is_not_finite():
    z = np.array([complex(a, b) for a in (1.5, 0.0, -np.inf, np.inf, np.nan) for b in (0.0, 2.0, np.inf, np.nan)])
    for name, numpys in (("exp", np.exp), ("tanh", np.tanh), ("acos", np.arccos), ("log1p", np.log1p)):
        with np.errstate(all="ignore"):
            wanted = numpys(z)
        out = xp.empty_like(xp.asarray(z))
        assert getattr(xp, name)(xp.asarray(z), out=out) is out
        assert np.allclose(out.numpy(), wanted, rtol=1e-14, equal_nan=True), name
    x, y = np.array([np.inf, -np.inf, 3.0, -3.0, np.inf, 7.5]), np.array([2.0, 2.0, -np.inf, np.inf, np.inf, 2.0])
    got = (xp.asarray(x) // xp.asarray(y)).numpy()
    assert np.array_equal(got, [np.inf, -np.inf, -0.0, -0.0, np.nan, 3.0], equal_nan=True) and np.signbit(got[2:4]).all()


def test_assignment_by_arrays():
    x = np.arange(12).reshape(3, 4)
    a = xp.asarray(x)
    view = a[1:, :]  # sees what is written
    a[a > 8], x[x > 8] = 2.9, 2.9
    a[a == 0], x[x == 0] = xp.asarray(2**53 + 1), 2**53 + 1
    a[[0, 2]], x[[0, 2]] = xp.asarray([1, 2, 3, 4]), [1, 2, 3, 4]
    a[xp.asarray([1]), xp.asarray([2])], x[1, 2] = -5, -5
    a[a == 1], x[x == 1] = np.array([7, 8]), [7, 8]
    a[0, xp.asarray([True, False, True, False])], x[0, ::2] = 9, 9
    assert np.array_equal(a.numpy(), x) and np.array_equal(view.numpy(), x[1:])
    b = xp.asarray(np.array([1.0, np.nan, 3.0]))[::-1]
    b[xp.isnan(b)] = 0
    assert b.numpy().tolist() == [3, 0, 1]
    for wrong, values in (([0, 1], np.ones(3)), ([9], 1), (a > 0, np.ones(3))):
        with pytest.raises((ValueError, IndexError)):
            a[wrong] = values
    assert np.array_equal(a.numpy(), x)


def test_linear_algebra():
    """Beside NumPy's."""
    r, la = np.random.default_rng(7), xp.linalg
    x, v = r.standard_normal((2, 3, 3)), r.standard_normal((2, 3))
    square = x @ x.swapaxes(-1, -2) + np.eye(3)
    z = x[0] + 1j * x[1]
    a, s = xp.asarray(x), xp.asarray(square)
    u, y = map(xp.asarray, v)
    same(la.outer(u, y), np.outer(*v), "outer")
    same(la.cross(a, xp.asarray(v)[:, None, :]), np.cross(x, v[:, None]), "cross")
    same(la.cross(a, a[::-1, :, :], axis=1), np.cross(x, x[::-1], axis=1), "cross")
    for k in (-3, -1, 0, 2, 5):
        same(la.diagonal(a[:, :2, :], offset=k), np.diagonal(x[:, :2], k, 1, 2), "diagonal")
        same(la.trace(a, offset=k), np.trace(x, k, 1, 2), "trace")
    for n in (-2, 0, 1, 5):
        same(la.matrix_power(s, n), np.linalg.matrix_power(square, n), "matrix_power")
    for order in (2, 1, 0, np.inf, -np.inf, 0.5):
        same(la.vector_norm(xp.asarray(z), axis=1, ord=order, keepdims=True), np.linalg.norm(z, order, 1, True), f"vector_norm {order}")
        same(la.vector_norm(a, ord=order), np.linalg.norm(x.ravel(), order), f"vector_norm {order}")
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        same(la.matrix_norm(a, ord=order), np.linalg.norm(x, order, (-2, -1)), f"matrix_norm {order}")
        same(la.matrix_norm(a, ord=order, keepdims=True), np.linalg.norm(x, order, (-2, -1), True), f"matrix_norm {order}")
    lower, upper = la.cholesky(s), la.cholesky(s, upper=True)
    same(lower @ lower.mT, square, "cholesky")
    same(upper, lower.numpy().swapaxes(-1, -2), "cholesky")
    for name in ("det", "inv", "eigvalsh", "pinv"):
        same(getattr(la, name)(s), getattr(np.linalg, name)(square), name)
    same(xp.sort(xp.real(la.eigvals(s)), axis=-1), np.linalg.eigvalsh(square), "eigvals")
    values, vectors = la.eig(a)
    same(xp.astype(a, xp.complex128) @ vectors, vectors.numpy() * values.numpy()[:, None], "eig")
    for name in ("eigh", "qr", "slogdet", "svd"):
        for part, wanted in zip(getattr(la, name)(s), getattr(np.linalg, name)(square), strict=True):
            same(part, wanted, name)
    same(la.solve(s, xp.asarray(v[0])), np.linalg.solve(square, v[0][:, None])[..., 0], "solve")
    same(la.solve(s, a), np.linalg.solve(square, x), "solve")
    same(la.svdvals(a[:, :2, :]), np.linalg.svd(x[:, :2], compute_uv=False), "svdvals")
    flat = xp.asarray([[1.0, 2.0], [2.0, 4.0 + 1e-9]])
    assert int(la.matrix_rank(flat)) == 2 and int(la.matrix_rank(flat, rtol=1e-6)) == 1 and int(la.matrix_rank(xp.zeros((2, 2)))) == 0
    same(la.pinv(flat, rtol=1e-6), np.linalg.pinv(flat.numpy(), 1e-6), "pinv")
    for wrong in (lambda: la.outer(a, u), lambda: la.cross(a[..., :2], a[..., :2]), lambda: la.matrix_norm(a, ord=3), lambda: la.qr(a, mode="raw"), lambda: la.diagonal(u)):
        with pytest.raises(ValueError):
            wrong()


def test_products_across_contexts():
    """Refused, of few products and of many."""
    a = {n: xp.ones((n, n)) for n in (2, 50)}
    with mastaba.budget(device="63MiB"):
        b = {n: xp.ones((n, n)) for n in a}
        for n in a:
            assert (b[n] @ np.ones((n, n))).context is b[n].context and (np.ones((n, n)) @ b[n]).context is b[n].context
            for call in (xp.matmul, xp.tensordot, xp.vecdot):
                with pytest.raises(mastaba.errors.ArgumentError, match="two devices"):
                    call(a[n], b[n])


def test_in_place():
    a = xp.arange(6)
    b, part = a, a[2:]
    a += 1
    part *= xp.asarray([1, 2, 3, 4])
    assert a is b and a.numpy().tolist() == [1, 2, 3, 8, 15, 24]
    for wrong in (1.5, xp.ones((2, 6), dtype=xp.int64), "text"):
        with pytest.raises(TypeError):
            a += wrong
    z = xp.asarray([1 + 2j, 3 - 4j])
    z.real[...] = z.imag
    assert z.numpy().tolist() == [2 + 2j, -4 - 4j]


def test_attributes():
    a = xp.reshape(xp.arange(6), (1, 2, 3))
    assert np.array_equal(a.mT.numpy(), np.swapaxes(a.numpy(), -1, -2)) and a.to_device(a.device) is a


def test_truths_of_numbers():
    assert xp.logical_xor(xp.asarray([1, 2, 0]), xp.asarray([2, 0, 0])).numpy().tolist() == [False, True, False]


def test_operators_and_assignment():
    x, a = np.arange(10), xp.arange(10)
    assert np.array_equal(((a & 3) | (a << 2) ^ ~a).numpy(), (x & 3) | (x << 2) ^ ~x) and np.array_equal((1 << a >> 1).numpy(), 1 << x >> 1)
    assert np.array_equal(((a > 3) & (a != 7)).numpy(), (x > 3) & (x != 7)) and bool((a == 0)[0]) and not bool((a == 0)[1])
    assert (a == "text") is False
    a[2:5], x[2:5] = 7.9, 7.9
    a[1:], x[1:] = a[:-1], x[:-1].copy()
    a[::3], x[::3] = xp.asarray([5, 6, 7, 8]), [5, 6, 7, 8]
    assert np.array_equal(a.numpy(), x)
    with pytest.raises(ValueError):
        a[:2] = np.arange(3)
    assert (xp.zeros((0, 3)) + 1).shape == (0, 3) and xp.zeros(()).shape == ()
    assert hash(xp.float32) and xp.isdtype(a.dtype, "integral")


def test_what_it_says_of_itself():
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == xp.float64 and info.capabilities()["boolean indexing"]
    assert "float32" in info.dtypes(kind="real floating") and info.devices() == tuple(mastaba.devices())
    assert xp.can_cast(xp.int32, xp.float64) and not xp.can_cast(xp.zeros(2), xp.int32) and xp.result_type(xp.zeros(2), 1j) == xp.complex128
    a = xp.ones(3, device=info.default_device())
    assert xp.asarray(a) is a and xp.asarray(a, copy=True) is not a and xp.empty_like(a).context is a.context and a.device == info.default_device()
    assert xp.asarray(a, dtype=xp.int8).dtype == xp.int8
    for wrong in (lambda: xp.concat([]), lambda: xp.squeeze(xp.zeros(3), 0), lambda: xp.meshgrid(xp.zeros(2), indexing="yx"), lambda: xp.roll(xp.zeros(3), (1, 2), axis=0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        xp.astype(xp.asarray([1j]), xp.float64)
    with pytest.raises(IndexError):
        xp.flip(xp.zeros(3), axis=1)


def test_signs_of_complex_zeros():
    """The standard's special cases: 0 + 0j of any zero, by sign, and by expm1 where the imaginary part is +0."""
    x = xp.asarray(np.array([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)]))
    for values in (xp.sign(x).numpy(), xp.expm1(x).numpy()[::2]):
        assert not np.any(values) and not np.any(np.signbit(values.real)) and not np.any(np.signbit(values.imag))
