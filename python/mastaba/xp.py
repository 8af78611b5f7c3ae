"""The core of the Python array API standard for arrays on the device: what `array.__array_namespace__()` gives.

    >>> import mastaba.xp as xp
    >>> a = xp.linspace(0.0, 1.0, 5)
    >>> float(xp.sqrt(a * a + 3)[4])
    2.0
    >>> xp.where(a > 0.6, a, 0.0).numpy().tolist()
    [0.0, 0.0, 0.0, 0.75, 1.0]

Functions of elements are expressions, in NumPy's types of their operands. What would need a gather (indices that are arrays, sorting,
sets) or a product of matrices is not here: take a copy on the host. `fft` is the standard's extension.
"""
import builtins
import math
import operator

import numpy as np
from numpy import can_cast as _can_cast
from numpy import (complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64)  # noqa: F401
from numpy import bool_ as bool  # noqa: A004, F401
from numpy import broadcast_shapes, e, finfo, iinfo, inf, nan, newaxis, pi  # noqa: F401

from . import _arrays, fft  # noqa: F401
from ._contexts import devices as _devices
from ._contexts import use as _use
from ._device import Array, from_dlpack  # noqa: F401
from ._device import asarray as _asarray
from ._device import empty as _empty
from ._map import evaluate

try:
    from numpy import isdtype
except ImportError:  # NumPy before 2.0
    def isdtype(dtype, kind):
        kinds = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
                 "numeric": "iufc"}
        return builtins.any(dtype.kind in kinds[k] if isinstance(k, str) else dtype == k for k in (kind if isinstance(kind, tuple) else (kind,)))

__array_api_version__ = "2023.12"


# ---- Functions of elements

_TEXTS = {"add": "a+b", "subtract": "a-b", "multiply": "a*b", "divide": "a/b", "pow": "a^b", "remainder": "a%b", "floor_divide": "a//b",
          "atan2": "atan2(a,b)", "hypot": "hypot(a,b)", "maximum": "maximum(a,b)", "minimum": "minimum(a,b)", "copysign": "copysign(a,b)",
          "nextafter": "nextafter(a,b)", "logaddexp": "a==b ? a+log(2) : maximum(a,b)+log1p(exp(-abs(a-b)))",
          **{name: f"a{sign}b" for name, sign in (("equal", "=="), ("not_equal", "!="), ("less", "<"), ("less_equal", "<="), ("greater", ">"),
                                                  ("greater_equal", ">="), ("logical_and", "&&"), ("logical_or", "||"), ("bitwise_and", "&"),
                                                  ("bitwise_or", "|"), ("bitwise_left_shift", "<<"), ("bitwise_right_shift", ">>"))},
          "logical_xor": "(a!=0)!=(b!=0)", "bitwise_xor": "xor(a,b)", "bitwise_invert": "~a", "logical_not": "!a", "negative": "-a", "positive": "a",
          "abs": "abs(a)", "square": "a*a", "reciprocal": "1/a", "round": "rint(a)", "signbit": "copysign(1,a)<0", "sign": "a!=a ? a : sign(a)", "isfinite": "!isnan(a-a)",
          **{name: f"{name}(a)" for name in (
              "floor", "ceil", "trunc", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
              "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "isnan", "isinf", "real", "imag", "conj")}}
_OF_WHOLE = {"floor", "ceil", "trunc", "round"}  # which leave whole numbers as they are
_FINITE = {"isnan": False, "isinf": False, "isfinite": True}  # of whole numbers


def _elementwise(name, text):
    def function(*values, out=None):
        there = next((v.context for v in values if isinstance(v, Array)), None)
        given = [v if isinstance(v, (Array, int, float, complex)) else _asarray(v, context=there) for v in values]
        if there is None and builtins.all(isinstance(v, (int, float, complex)) for v in given):
            given = [_asarray(v) for v in given]
        whole = len(given) == 1 and given[0].dtype.kind in "biu"
        if whole and name in _FINITE:
            return full_like(given[0], _FINITE[name], dtype=bool)
        return evaluate("a" if whole and name in _OF_WHOLE else text, dict(zip("ab", given)), out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} of each element, into `out` if given."
    return function


for _name, _text in _TEXTS.items():
    globals()[_name] = _elementwise(_name, _text)
for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "pow"), ("mod", "remainder"),
                       ("floordiv", "floor_divide"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"),
                       ("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift"), ("eq", "equal"), ("ne", "not_equal"), ("lt", "less"),
                       ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    def _forward(self, other, call=globals()[_name]):
        return call(self, other) if isinstance(other, (Array, int, float, complex, np.ndarray, np.generic)) else NotImplemented

    def _reflected(self, other, call=globals()[_name]):
        return call(other, self) if isinstance(other, (int, float, complex, np.ndarray, np.generic)) else NotImplemented

    setattr(Array, f"__{_method}__", _forward)
    if _method not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Array, f"__r{_method}__", _reflected)
for _method, _name in (("neg", "negative"), ("pos", "positive"), ("abs", "abs"), ("invert", "bitwise_invert")):
    setattr(Array, f"__{_method}__", lambda self, call=globals()[_name]: call(self))


def where(condition, x1, x2, /):
    """x1 where the condition holds, else x2."""
    return evaluate("c ? a : b", {"c": condition, "a": x1, "b": x2})


def clip(x, /, min=None, max=None):
    """x moved into the range from min to max, of which either may be missing; in x's type."""
    text = "a" if min is None else "maximum(a,l)"
    text = text if max is None else f"minimum({text},h)"
    return evaluate(text, {"a": x, **({} if min is None else {"l": min}), **({} if max is None else {"h": max})}, out_dtype=x.dtype)


# ---- Making arrays

def _context(device):
    """That of a device by name, as arrays' `device` has it; None: the current one."""
    if device is None:
        return None
    with _use(device) as context:
        return context


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array on the device: the same one if it is that, unless `copy` is set, else a copy."""
    if isinstance(obj, Array) and (device is None or obj.device == device):
        return astype(obj, dtype or obj.dtype, copy=copy or False)
    if copy is False:
        raise ValueError("what is not on the device is not there without a copy")
    return _asarray(obj.numpy() if isinstance(obj, Array) else obj, dtype, context=_context(device))


def empty(shape, *, dtype=np.float64, device=None):
    return _empty(shape, dtype, _context(device))


def zeros(shape, *, dtype=np.float64, device=None):
    return _full(shape, 0, dtype, _context(device))


def ones(shape, *, dtype=np.float64, device=None):
    return _full(shape, 1, dtype, _context(device))


def full(shape, fill_value, *, dtype=None, device=None):
    return _full(shape, fill_value, dtype, _context(device))


def _full(shape, value, dtype, context):
    value = np.asarray(value, dtype)
    new = _empty(shape, value.dtype, context)
    new[...] = value
    return new


def empty_like(x, /, *, dtype=None, device=None):
    return _empty(x.shape, dtype or x.dtype, _context(device) or x.context)


def zeros_like(x, /, *, dtype=None, device=None):
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    return full_like(x, 1, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return _full(x.shape, fill_value, dtype or x.dtype, _context(device) or x.context)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    start, stop = (0, start) if stop is None else (start, stop)
    return asarray(np.arange(start, stop, step, dtype=dtype), device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    return asarray(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint), device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=np.float64, device=None):
    return asarray(np.eye(n_rows, n_cols, k, dtype), device=device)


def _places(x):
    """The column less the row of each element of matrices."""
    rows, columns = (_asarray(np.arange(n), context=x.context) for n in x.shape[-2:])
    return columns - rows[:, None]


def tril(x, /, *, k=0):
    """Matrices with 0 above the diagonal k."""
    return evaluate("d <= k ? a : 0", {"a": x, "d": _places(x), "k": k}, out_dtype=x.dtype)


def triu(x, /, *, k=0):
    """Matrices with 0 below the diagonal k."""
    return evaluate("d >= k ? a : 0", {"a": x, "d": _places(x), "k": k}, out_dtype=x.dtype)


def meshgrid(*arrays, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing {indexing!r} is neither 'xy' nor 'ij'")
    n = len(arrays)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[:2] = 1, 0
    return list(broadcast_arrays(*(a.reshape([-1 if order[j] == k else 1 for j in range(n)]) for k, a in enumerate(arrays))))


# ---- Types

def astype(x, dtype, /, *, copy=True):
    """x in another type; complex numbers lose no part silently."""
    dtype = np.dtype(dtype)
    if dtype == x.dtype:
        return x.copy() if copy else x
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{x.dtype} is not cast to {dtype}: take real() or imag()")
    return x.astype(dtype)


def result_type(*values):
    return np.result_type(*(v.dtype if isinstance(v, Array) else v for v in values))


def can_cast(from_, to, /):
    return _can_cast(from_.dtype if isinstance(from_, Array) else from_, to)


# ---- Shapes

def _axis(axis, rank):
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} of an array with {rank} axes")
    return axis % rank


def _axes(axis, rank):
    axes = tuple(_axis(a, rank) for a in (range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError(f"axes {axis} name one twice")
    return axes


def _along(axis, index):
    return (slice(None),) * axis + (index,)


def reshape(x, /, shape, *, copy=None):
    return (x.copy() if copy else x).reshape(tuple(shape))


def permute_dims(x, /, axes):
    return x.transpose(tuple(axes))


def matrix_transpose(x, /):
    """Matrices, the last two axes, transposed."""
    return moveaxis(x, -1, -2)


def moveaxis(x, source, destination, /):
    order = np.moveaxis(np.broadcast_to(np.int8(0), range(1, x.ndim + 1)), source, destination).shape
    return x.transpose([n - 1 for n in order])


def expand_dims(x, /, axis=0):
    return x[_along(_axis(axis, x.ndim + 1), None)]


def squeeze(x, /, axis):
    axes = _axes(axis, x.ndim)
    if builtins.any(x.shape[a] != 1 for a in axes):
        raise ValueError("an axis that is squeezed has one element")
    return x[tuple(0 if k in axes else slice(None) for k in range(x.ndim))]


def flip(x, /, *, axis=None):
    axes = _axes(axis, x.ndim)
    return x[tuple(slice(None, None, -1 if k in axes else 1) for k in range(x.ndim))]


def broadcast_to(x, /, shape):
    return x.broadcast_to(shape)


def broadcast_arrays(*arrays):
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a.broadcast_to(shape) for a in arrays)


def concat(arrays, /, *, axis=0):
    """Arrays one behind the other; `axis` None: flattened."""
    arrays = [a.reshape(-1) for a in arrays] if axis is None else list(arrays)
    if not arrays:
        raise ValueError("no arrays to put together")
    axis = _axis(axis or 0, arrays[0].ndim)
    others = {a.shape[:axis] + (0,) + a.shape[axis + 1:] for a in arrays}
    if len(others) > 1:
        raise ValueError(f"shapes that differ off axis {axis}: {', '.join(str(a.shape) for a in arrays)}")
    shape = list(arrays[0].shape)
    shape[axis] = builtins.sum(a.shape[axis] for a in arrays)
    new, first = _empty(tuple(shape), result_type(*arrays), arrays[0].context), 0
    for a in arrays:
        new[_along(axis, slice(first, first + a.shape[axis]))] = a
        first += a.shape[axis]
    return new


def stack(arrays, /, *, axis=0):
    """Arrays of one shape along a new axis."""
    arrays = list(arrays)
    return concat([expand_dims(a, axis=axis) for a in arrays], axis=_axis(axis, arrays[0].ndim + 1) if arrays else 0)


def unstack(x, /, *, axis=0):
    axis = _axis(axis, x.ndim)
    return tuple(x[_along(axis, k)] for k in range(x.shape[axis]))


def roll(x, /, shift, *, axis=None):
    """Elements moved along axes, round the end; without one, along the flattened array."""
    if axis is None:
        return roll(x.reshape(-1), shift, axis=0).reshape(x.shape)
    axes = [_axis(a, x.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"{len(shifts)} shifts along {len(axes)} axes")
    for n, a in zip(shifts, axes):
        n = n % builtins.max(x.shape[a], 1)
        x = concat([x[_along(a, slice(x.shape[a] - n, None))], x[_along(a, slice(x.shape[a] - n))]], axis=a) if n else x
    return x.copy()


def tile(x, repetitions, /):
    """x side by side, so many times along each axis."""
    repetitions = (1,) * (x.ndim - len(repetitions)) + tuple(repetitions)
    shape = (1,) * (len(repetitions) - x.ndim) + x.shape
    whole = x.reshape([n for s in shape for n in (1, s)]).broadcast_to([n for pair in zip(repetitions, shape) for n in pair])
    return whole.copy().reshape([r * s for r, s in zip(repetitions, shape)])


def repeat(x, repeats, /, *, axis=None):
    """Each element so many times, a whole number, along an axis; without one, of the flattened array."""
    if not isinstance(repeats, int):
        raise TypeError("repeats is one whole number: other ones need a gather")
    if axis is None:
        return repeat(x.reshape(-1), repeats, axis=0)
    axis = _axis(axis, x.ndim)
    shape = x.shape[:axis + 1] + (repeats,) + x.shape[axis + 1:]
    whole = x[_along(axis + 1, None)].broadcast_to(shape).copy()
    return whole.reshape(x.shape[:axis] + (x.shape[axis] * repeats,) + x.shape[axis + 1:])


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along an axis, n times."""
    axis = _axis(axis, x.ndim)
    x = concat([a for a in (prepend, x, append) if a is not None], axis=axis)
    for _ in range(n):
        ends = x[_along(axis, slice(1, None))], x[_along(axis, slice(None, -1))]
        x = not_equal(*ends) if x.dtype.kind == "b" else subtract(*ends)  # noqa: F821
    return x


# ---- Reductions, in a tree of pairs, whose shape depends on the number of elements alone

def _halved(text, x):
    """The last axis halved until one element is left; x has at least one."""
    n = x.shape[-1]
    whole = 1 << n.bit_length() - 1
    if whole < n:  # to a power of two
        new = x[..., :whole].copy()
        evaluate(text, {"a": x[..., :n - whole], "b": x[..., whole:]}, out=new[..., :n - whole])
        x = new
    while x.shape[-1] > 1:
        half = x.shape[-1] // 2
        x = evaluate(text, {"a": x[..., :half], "b": x[..., half:]}, out_dtype=x.dtype)
    return x[..., 0]


def _reduced(text, x, axis, keepdims, empty_value=None):
    """An operation of pairs over axes; `empty_value` of none, if there is one."""
    axes = _axes(axis, x.ndim)
    kept = [k for k in range(x.ndim) if k not in axes]
    n = math.prod(x.shape[k] for k in axes)
    shape = [x.shape[k] for k in kept]
    if n:
        result = _halved(text, x.transpose((*kept, *axes)).reshape((*shape, n))) if n > 1 else x.copy()  # never a view
    elif empty_value is not None:
        result = _full(tuple(shape), empty_value, x.dtype, x.context)
    else:
        raise ValueError("the least or the largest of no elements")
    return result.reshape([1 if k in axes else m for k, m in enumerate(x.shape)]) if keepdims else result.reshape(shape)


def _sum_type(x, dtype):
    """In which sums and products are computed."""
    return np.dtype(dtype) if dtype is not None else {"b": np.dtype(int64), "i": np.dtype(int64), "u": np.dtype(uint64)}.get(x.dtype.kind, x.dtype)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return _reduced("a+b", astype(x, _sum_type(x, dtype), copy=False), axis, keepdims, 0)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return _reduced("a*b", astype(x, _sum_type(x, dtype), copy=False), axis, keepdims, 1)


def max(x, /, *, axis=None, keepdims=False):
    """The largest element, NaN if there is one."""
    return _reduced("maximum(a,b)", x, axis, keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """The least element, NaN if there is one."""
    return _reduced("minimum(a,b)", x, axis, keepdims)


def _truths(x):
    return x if x.dtype.kind == "b" else evaluate("a != 0", {"a": x})


def all(x, /, *, axis=None, keepdims=False):
    return _reduced("a&&b", _truths(x), axis, keepdims, True)


def any(x, /, *, axis=None, keepdims=False):
    return _reduced("a||b", _truths(x), axis, keepdims, False)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return sum(_truths(x), axis=axis, keepdims=keepdims)


def _count(x, axis):
    return math.prod(x.shape[k] for k in _axes(axis, x.ndim))


def mean(x, /, *, axis=None, keepdims=False):
    n = _count(x, axis)
    return sum(x, axis=axis, keepdims=keepdims) / (float(n) or nan)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The mean square distance from the mean, by n less `correction`."""
    n = _count(x, axis) - correction
    squares = evaluate("(a-b)*(a-b)", {"a": x, "b": mean(x, axis=axis, keepdims=True)})
    return sum(squares, axis=axis, keepdims=keepdims) / (float(n) if n > 0 else nan)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return evaluate("sqrt(a)", {"a": var(x, axis=axis, correction=correction, keepdims=keepdims)})


def _place(x, axis, keepdims, extreme):
    """The index of the first element that is the extreme one, or NaN."""
    if axis is None:
        shape = (1,) * x.ndim if keepdims else ()
        return _place(x.reshape(-1), 0, False, extreme).reshape(shape)
    axis = _axis(axis, x.ndim)
    places = _asarray(np.arange(x.shape[axis]), context=x.context)[(slice(None),) + (None,) * (x.ndim - 1 - axis)]
    found = evaluate("a == m || a != a ? i : n", {"a": x, "m": extreme(x, axis=axis, keepdims=True), "i": places, "n": x.shape[axis]})
    return min(found, axis=axis, keepdims=keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    return _place(x, axis, keepdims, max)


def argmin(x, /, *, axis=None, keepdims=False):
    return _place(x, axis, keepdims, min)


def _cumulated(text, x, axis, dtype, first):
    """What all elements up to each one give, in as many steps as the length has bits (Hillis and Steele, 1986)."""
    if axis is None and x.ndim != 1:
        raise ValueError(f"an array of {x.ndim} axes: along which one?")
    axis = _axis(axis or 0, x.ndim)
    x, step = astype(x, _sum_type(x, dtype)), 1
    while step < x.shape[axis]:
        new = x.copy()
        evaluate(text, {"a": x[_along(axis, slice(step, None))], "b": x[_along(axis, slice(-step))]}, out=new[_along(axis, slice(step, None))])
        x, step = new, 2 * step
    return x if first is None else concat([_full(x.shape[:axis] + (1,) + x.shape[axis + 1:], first, x.dtype, x.context), x], axis=axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulated("a+b", x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulated("a*b", x, axis, dtype, 1 if include_initial else None)


# ---- What there is

class _Info:
    """What the standard's __array_namespace_info__ gives."""

    def capabilities(self):
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": None}

    def default_device(self):
        return _devices()[0]

    def devices(self):
        return _devices()

    def default_dtypes(self, *, device=None):
        return {"real floating": np.dtype(float64), "complex floating": np.dtype(complex128), "integral": np.dtype(int64), "indexing": np.dtype(int64)}

    def dtypes(self, *, device=None, kind=None):
        names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
        return {name: np.dtype(name) for name in names if kind is None or isdtype(np.dtype(name), kind)}


def __array_namespace_info__():
    return _Info()


def __dir__():
    return [name for name in globals() if not name.startswith("_") or name.startswith("__array")]
