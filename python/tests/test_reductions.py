"""Reductions beside NumPy's, in every type: results, their types and shapes, NaNs, and what has none."""
import numpy as np
import pytest

import mastaba

TYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "F", "D"]
SHAPES = [((7, 70), None), ((7, 70), 1), ((70, 7), 0), ((3, 40, 5), (0, 2))]


def _array(kind, shape):
    rng = np.random.default_rng(1)
    if kind == "?":
        return rng.random(shape) < 0.7
    if kind in "bBhHiIqQ":
        return rng.integers(0 if kind.isupper() else -5, 9, shape).astype(kind)
    values = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind in "FD" else 0)
    return values.astype(kind)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type(kind):
    names = ["sum", "prod", "mean", "any", "all", "var", "count_nonzero"] + ([] if kind in "FD" else ["min"])
    for shape, axis in SHAPES[:2 if kind in "bBhHIq" else 4]:
        a = _array(kind, shape)
        for name, got in zip(names, mastaba.evaluate([f"{name}(a)" for name in names], axis=axis, keepdims=True)):
            wide = a.astype(np.result_type(a, "d")) if kind in "efF" and name in ("sum", "prod", "mean", "var") else a
            want = np.asarray(getattr(np, name)(wide, axis=axis, keepdims=True))
            kept = np.asarray(getattr(np, name)(a[:1], axis=axis)).dtype
            assert got.shape == want.shape and got.dtype == kept, (name, shape)
            if kept.kind in "biu":
                np.testing.assert_array_equal(got, want, name)
            else:
                eps = float(np.finfo(kept).eps)
                np.testing.assert_allclose(got, want.astype(kept), 40 * eps, 40 * eps * float(np.abs(a).sum()), err_msg=name)


def test_nan_ties_and_places():
    a = np.array([[3.0, np.nan, 1.0], [2.0, 2.0, 5.0]])
    for name in ("min", "max", "argmin", "argmax"):
        np.testing.assert_array_equal(mastaba.evaluate(f"{name}(a)", axis=1), getattr(np, name)(a, axis=1))
        assert mastaba.evaluate(f"{name}(a)") == pytest.approx(getattr(np, name)(a), nan_ok=True)


def test_without_elements():
    a = np.zeros((0, 3), "f")
    np.testing.assert_array_equal(mastaba.evaluate(["sum(a)", "prod(a)"], axis=0), [np.zeros(3), np.ones(3)])
    assert np.isnan(mastaba.evaluate("mean(a)")) and mastaba.evaluate("min(a)", axis=1).shape == (0,)
    for name in ("min", "argmax"):
        with pytest.raises(mastaba.errors.ArgumentError, match="no elements"):
            mastaba.evaluate(f"{name}(a)", axis=0)


def test_on_the_device_and_out():
    a = np.arange(24, dtype="f").reshape(4, 6)
    got = mastaba.evaluate("sum(d) / n1 + i", {"d": mastaba.asarray(a), "i": 1}, axis=1)
    np.testing.assert_array_equal(np.asarray(got), a.mean(axis=1) + 1)
    outs = [np.empty(6), np.empty(6, "i")]
    assert mastaba.evaluate(["mean(a)", "max(a)"], axis=0, out=outs) == outs
    with pytest.raises(mastaba.errors.ArgumentError, match="1 arrays as out for 2 expressions"):
        mastaba.evaluate(["mean(a)", "max(a)"], axis=0, out=outs[:1])
    np.testing.assert_array_equal(outs, [a.mean(axis=0), a.max(axis=0)])
    twice, place = mastaba.evaluate(["2 * a", "i0 * n1 + i1"])
    np.testing.assert_array_equal(twice, 2 * a)
    np.testing.assert_array_equal(place, np.arange(24).reshape(4, 6))


@pytest.mark.parametrize("kind", TYPES)
def test_running_sums(kind):
    for shape, axis in (((7, 300), 1), ((600, 7), 0), ((3, 40, 5), -2)):
        a = _array(kind, shape)
        for name in ("cumsum", "cumprod") if kind in "?bBhHIq" else ("cumsum",):
            got = mastaba.evaluate(f"{name}(a)", axis=axis)
            want = getattr(np, name)(a, axis)
            assert got.dtype == want.dtype and got.shape == want.shape
            if want.dtype.kind in "biu":
                np.testing.assert_array_equal(got, want, name)
            else:
                wide = np.cumsum(a.astype(np.result_type(a, "d")), axis)
                eps = float(np.finfo(want.dtype).eps)
                np.testing.assert_allclose(got, wide.astype(want.dtype), 4 * eps, 4 * eps * float(np.abs(a).sum()))
    flat = np.arange(5, dtype="f")
    np.testing.assert_array_equal(mastaba.evaluate("cumprod(a + 1)", {"a": flat}), np.cumprod(flat + 1))
    with pytest.raises(mastaba.errors.ArgumentError, match="0 of 2 are named"):
        mastaba.evaluate("cumsum(a)", {"a": flat[None]})
