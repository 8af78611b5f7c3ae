"""The core of the Python array API standard for arrays on the device: what `array.__array_namespace__()` gives.

    >>> import mastaba.xp as xp
    >>> a = xp.linspace(0.0, 1.0, 5)
    >>> float(xp.sqrt(a * a + 3)[4])
    2.0

Functions of elements are those of expressions, for float32, float64 and integers of 8 to 64 bits; there are no comparisons and no
reductions. `fft` is the standard's extension.
"""
import numpy as np
from numpy import (complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64)  # noqa: F401
from numpy import bool_ as bool  # noqa: A004, F401
from numpy import e, inf, nan, newaxis, pi  # noqa: F401

from . import _arrays, fft  # noqa: F401
from ._device import Array, asarray, empty, from_dlpack  # noqa: F401
from ._map import evaluate

_TEXTS = {"add": "a+b", "subtract": "a-b", "multiply": "a*b", "divide": "a/b", "pow": "a^b", "remainder": "a-b*floor(a/b)",
          "floor_divide": "floor(a/b)", "atan2": "atan2(a,b)", "hypot": "hypot(a,b)", "maximum": "max(a,b)", "minimum": "min(a,b)",
          "negative": "-a", "positive": "a", "abs": "abs(a)", "square": "a*a", "reciprocal": "1/a", "sign": "sign(a)",
          **{name: f"{name}(a)" for name in ("floor", "ceil", "trunc", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
                                             "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")}}
_OF_INTEGERS = {"add", "subtract", "multiply", "pow", "maximum", "minimum", "negative", "positive", "abs", "square"}


def _elementwise(name, text):
    def function(*values, out=None):
        there = next((v.context for v in values if isinstance(v, Array)), None)
        given = [v if isinstance(v, (Array, int, float)) else asarray(v, context=there) for v in values]
        arrays = [v for v in given if isinstance(v, Array)]
        if not arrays:
            arrays = given = [asarray(v) for v in given]
        kind = np.result_type(*(v.dtype if isinstance(v, Array) else v for v in given))
        if kind.kind not in "fc" and name not in _OF_INTEGERS:
            kind = np.dtype(np.float64)
        if kind.kind == "c" and name == "abs":
            kind = np.dtype(kind.char.lower())
        if out is None:
            out = _arrays.like(arrays[0], np.broadcast_shapes(*(a.shape for a in arrays)), kind)
        return evaluate(text, dict(zip("ab", given)), out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} of each element, into `out` if given."
    return function


for _name, _text in _TEXTS.items():
    globals()[_name] = _elementwise(_name, _text)
for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "pow"), ("mod", "remainder"),
                       ("floordiv", "floor_divide")):
    def _forward(self, other, call=globals()[_name]):
        return call(self, other) if isinstance(other, (Array, int, float, np.ndarray, np.generic)) else NotImplemented

    def _reflected(self, other, call=globals()[_name]):
        return call(other, self) if isinstance(other, (int, float, np.ndarray, np.generic)) else NotImplemented

    setattr(Array, f"__{_method}__", _forward)
    setattr(Array, f"__r{_method}__", _reflected)
for _method, _name in (("neg", "negative"), ("pos", "positive"), ("abs", "abs")):
    setattr(Array, f"__{_method}__", lambda self, call=globals()[_name]: call(self))


def zeros(shape, *, dtype=np.float64):
    return asarray(np.zeros(shape, dtype))


def ones(shape, *, dtype=np.float64):
    return asarray(np.ones(shape, dtype))


def full(shape, fill_value, *, dtype=None):
    return asarray(np.full(shape, fill_value, dtype))


def arange(start, stop=None, step=1, *, dtype=None):
    start, stop = (0, start) if stop is None else (start, stop)
    return asarray(np.arange(start, stop, step, dtype=dtype))


def linspace(start, stop, num, *, dtype=None, endpoint=True):
    return asarray(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint))


def empty_like(x, *, dtype=None):
    return _arrays.like(x, x.shape, dtype or x.dtype)


def astype(x, dtype, *, copy=True):
    return x.copy() if copy and np.dtype(dtype) == x.dtype else x.astype(dtype)


def reshape(x, shape, *, copy=None):
    return (x.copy() if copy else x).reshape(tuple(shape))


def permute_dims(x, axes):
    return x.transpose(tuple(axes))


def moveaxis(x, source, destination):
    order = np.moveaxis(np.broadcast_to(np.int8(0), range(1, x.ndim + 1)), source, destination).shape
    return x.transpose([n - 1 for n in order])


def expand_dims(x, axis):
    return x[(slice(None),) * (axis % (x.ndim + 1)) + (None,)]


def squeeze(x, axis):
    axes = {a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))}
    if any(x.shape[a] != 1 for a in axes):
        raise ValueError("an axis that is squeezed has one element")
    return x[tuple(0 if k in axes else slice(None) for k in range(x.ndim))]


def flip(x, axis=None):
    axes = range(x.ndim) if axis is None else [a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
    return x[tuple(slice(None, None, -1 if k in axes else 1) for k in range(x.ndim))]


def broadcast_to(x, shape):
    return x.broadcast_to(shape)


def result_type(*values):
    return np.result_type(*(v.dtype if isinstance(v, Array) else v for v in values))
