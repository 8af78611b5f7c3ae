"""evaluate beside numexpr's, where it is there, and what it has of numexpr's arguments beside NumPy."""
import itertools

import numpy as np
import pytest

import mastaba
from mastaba import evaluate

A = np.random.default_rng(4).standard_normal((3, 4, 5))
B = np.random.default_rng(5).standard_normal((4, 5)).astype(np.float32)
TEXTS = ["2*a + b", "where(a > b, a, b)", "arctan2(a, b)*sqrt(abs(b))", "(a > 0) & (b < 1)", "a**2 - b**3", "exp(-a)*sin(b)", "real(a + b*c)", "conj(a + c)",
         "ones_like(a + c)", "signbit(b)", "copysign(a, b)", "minimum(a, b) + maximum(a, 0)", "expm1(a) + log1p(abs(b))", "-a", "abs(a - b)", "floor(a)",
         "sum(a)", "sum(a, 0)", "sum(a*b, axis=2)", "prod(a, 1)", "sum(a, None)", "min(a, axis=0)", "max(a, axis=1)", "sum(where(a > 0, a, 0), 2)", "round(a*4)/8", "round(floor(a*4)/2)"]


@pytest.mark.parametrize("text", TEXTS)
def test_beside_numexpr(text):
    numexpr = pytest.importorskip("numexpr")
    names = {"a": A, "b": B, "c": 1 + 2j}
    got, wanted = evaluate(text, names), numexpr.evaluate(text, names)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert np.allclose(got, wanted, rtol=1e-12, atol=3e-6 if "(b" in text else 1e-12)  # functions of float32


def test_axes_within_expressions():
    a = A
    for text, wanted in (("sum(a, 0)", a.sum(0)), ("sum(a, axis=(0, 2))", a.sum((0, 2))), ("mean(a, -1) - min(a, axis=-1)", a.mean(-1) - a.min(-1)),
                         ("max(a, axis=1)/2", a.max(1) / 2), ("cumsum(a, 1)", a.cumsum(1)), ("sum(max(a, 0), 1)", np.maximum(a, 0).sum(1)),
                         ("sum(max(a, 0))", np.maximum(a, 0).sum()), ("sum(a, None)", a.sum())):
        assert np.allclose(evaluate(text), wanted), text
    assert np.allclose(evaluate("sum(a, 1)", axis=1, keepdims=True), a.sum(1, keepdims=True))
    first, last = evaluate(["sum(a, 1)", "count(a > 0, 1)"])
    assert np.allclose(first, a.sum(1)) and np.array_equal(last, (a > 0).sum(1))
    assert np.allclose(evaluate("sum(a, 0)", {"a": mastaba.asarray(a)}).numpy(), a.sum(0))
    for wrong in (lambda: evaluate("sum(a, 0) + sum(a, 1)"), lambda: evaluate("sum(a, 0)", axis=1), lambda: evaluate("sum(a, 0) + sum(a)"),
                  lambda: evaluate(["sum(a, 0)", "sum(a)"])):
        with pytest.raises(mastaba.errors.ArgumentError, match="same axes"):
            wrong()
    with pytest.raises(getattr(np, "exceptions", np).AxisError):
        evaluate("sum(a, 3)")


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_orders(axes):
    """As NumPy has them, of an array whose axes lie in any order and run either way."""
    a, b = np.ones([(3, 4, 5)[k] for k in np.argsort(axes)]).transpose(axes)[::-1], B.astype(float)
    for order in "KACF":
        got, wanted = evaluate("a + 1", order=order), np.add(a, 1, order=order)
        assert got.strides == wanted.strides and np.array_equal(got, wanted), order
        got = evaluate("a*b > 0", order=order)
        assert np.array_equal(got, a * b > 0) and (order in "KA" or got.flags[f"{order}_CONTIGUOUS"]), order
    out = np.empty((3, 4, 5))
    assert evaluate("a + 1", None, None, out, "F") is out and np.array_equal(out, a + 1)
    first, last = evaluate(["a + 1", "a + i1"], order="F")  # an index has its place
    assert np.array_equal(first, a + 1) and np.array_equal(last, a + np.arange(4)[:, None])
    there = evaluate("a + 1", {"a": mastaba.asarray(a)}, order="F")
    assert there.strides == np.empty((3, 4, 5), order="F").strides and np.array_equal(there.numpy(), a + 1)


def test_conversions_that_are_taken():
    a, out = np.arange(4.0) - 0.5, np.empty(4, np.float32)
    assert np.array_equal(evaluate("2*a", out=out, casting="same_kind"), 2 * a)
    with pytest.raises(TypeError, match="float64, is not converted to float32 according to the rule 'safe'"):
        evaluate("2*a", out=out, casting="safe")
    with pytest.raises(TypeError, match="int16"):
        evaluate("a", out_dtype=np.int16, casting="same_kind")
    with pytest.raises(TypeError):
        evaluate("sum(a)", out=np.empty((), np.int64), casting="same_kind")
    assert evaluate("a", out_dtype=np.int16).tolist() == [0, 0, 1, 2]
    with pytest.raises(mastaba.errors.ArgumentError, match="order"):
        evaluate("a", order="X")


def test_where_names_are_looked_up():
    a = np.arange(3.0)
    assert evaluate("a*b", {"a": a + 1}, {"a": a, "b": 2.0}).tolist() == [2.0, 4.0, 6.0]
    assert evaluate("a*b", global_dict={"b": 3.0}).tolist() == [0.0, 3.0, 6.0]
    assert evaluate("a*2", sanitize=False).tolist() == [0.0, 2.0, 4.0]
