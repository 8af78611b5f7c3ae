"""The core of the Python array API standard for arrays on the device: what `array.__array_namespace__()` gives.

    >>> import mastaba.xp as xp
    >>> a = xp.linspace(0.0, 1.0, 5)
    >>> float(xp.sqrt(a * a + 3)[4])
    2.0
    >>> xp.where(a > 0.6, a, 0.0).numpy().tolist()
    [0.0, 0.0, 0.0, 0.75, 1.0]

Functions of elements are expressions, in NumPy's types of their operands. What needs elements at places that values give, or an order of
elements (indices that are arrays, sorting, sets), is NumPy's affair, on a copy on the host, but for indices along one axis that are up to 16
runs of neighbours, and `a[mask] = number`. `fft` and `linalg` are the standard's extensions.
"""
import builtins
import math
import operator
import re

import numpy as np
from numpy import can_cast as _can_cast
from numpy import (complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64)  # noqa: F401
from numpy import bool_ as bool  # noqa: A004, F401
from numpy import e, inf, nan, newaxis, pi  # noqa: F401

from . import _arrays
from ._contexts import devices as _devices
from ._contexts import use as _use
from ._device import _ON_OPENCL, Array
from ._device import asarray as _asarray
from ._device import empty as _empty
from ._device import from_dlpack as _from_dlpack
from ._map import evaluate
from ._ordered import (_host as _on_the_host, argsort, isin, nonzero, searchsorted, sort, take, take_along_axis, unique_all, unique_counts, unique_inverse,  # noqa: F401
                       unique_values)

try:
    from numpy import isdtype
except ImportError:  # NumPy before 2.0
    def isdtype(dtype, kind):
        kinds = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
                 "numeric": "iufc"}
        return builtins.any(dtype.kind in kinds[k] if isinstance(k, str) else dtype == k for k in (kind if isinstance(kind, tuple) else (kind,)))

__array_api_version__ = "2025.12"


# ---- Functions of elements

_TEXTS = {"add": "a+b", "subtract": "a-b", "multiply": "a*b", "divide": "a/b", "pow": "a^b", "remainder": "a%b", "floor_divide": "a//b",
          "atan2": "atan2(a,b)", "hypot": "hypot(a,b)", "maximum": "maximum(a,b)", "minimum": "minimum(a,b)", "copysign": "copysign(a,b)",
          "nextafter": "nextafter(a,b)", "logaddexp": "a==b ? a+log(2) : maximum(a,b)+log1p(exp(-abs(a-b)))",
          **{name: f"a{sign}b" for name, sign in (("equal", "=="), ("not_equal", "!="), ("less", "<"), ("less_equal", "<="), ("greater", ">"),
                                                  ("greater_equal", ">="), ("logical_and", "&&"), ("logical_or", "||"), ("bitwise_and", "&"),
                                                  ("bitwise_or", "|"), ("bitwise_left_shift", "<<"), ("bitwise_right_shift", ">>"))},
          "logical_xor": "(a!=0)!=(b!=0)", "bitwise_xor": "xor(a,b)", "bitwise_invert": "~a", "logical_not": "!a", "negative": "-a", "positive": "a",
          "abs": "abs(a)", "square": "a*a", "reciprocal": "1/a", "round": "rint(a)", "sign": "a!=a ? a : sign(a)+0", "isfinite": "!isnan(a-a)",
          **{name: f"{name}(a)" for name in (
              "floor", "ceil", "trunc", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
              "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "isnan", "isinf", "signbit", "real", "imag", "conj")}}
# Of complex numbers, which expressions have no such functions of: after Kahan, Branch Cuts for Complex Elementary Functions (1987).
_X, _Y = "real(a)", "imag(a)"
_ROOTS = f"sqrt(complex(1-{_X},-{_Y}))", f"sqrt(complex(1+{_X},{_Y}))"


def _arcsine(x, y):
    """The parts of asin(x + iy)."""
    less, more = f"sqrt(complex(1-({x}),-({y})))", f"sqrt(complex(1+({x}),{y}))"
    return f"atan2({x},real({less}*{more}))", f"asinh(imag(conj({less})*{more}))"


def _artanh(x, y):
    """The parts of atanh(x + iy)."""
    return f"copysign(log1p(4*abs({x})/((1-abs({x}))^2+({y})*({y})))/4,{x})", f"atan2(2*({y}),(1-({x}))*(1+({x}))-({y})*({y}))/2"


def _turned(real, imaginary):
    """-i f(iz), f's parts given for iz."""
    return f"complex({imaginary},-({real}))"


_OF_COMPLEX = {
    "acos": f"complex(2*atan2(real({_ROOTS[0]}),real({_ROOTS[1]})),asinh(imag(conj({_ROOTS[1]})*{_ROOTS[0]})))",
    "asin": "complex({},{})".format(*_arcsine(_X, _Y)), "asinh": _turned(*_arcsine(f"-{_Y}", _X)),
    "acosh": f"complex(asinh(real(conj(sqrt(complex({_X}-1,{_Y})))*{_ROOTS[1]})),2*atan2(imag(sqrt(complex({_X}-1,{_Y}))),real({_ROOTS[1]})))",
    "atanh": "complex({},{})".format(*_artanh(_X, _Y)), "atan": _turned(*_artanh(f"-{_Y}", _X)),
    "expm1": f"complex(expm1({_X})*cos({_Y})-2*sin({_Y}/2)^2+0,exp({_X})*sin({_Y}))",
    "log1p": f"complex(log1p({_X}*(2+{_X})+{_Y}*{_Y})/2,atan2({_Y},1+{_X}))", "log2": "log(a)/log(2)", "log10": "log(a)/log(10)",
    "sign": f"a==0 ? complex({_X}+0,{_Y}+0) : a/abs(a)", "round": f"complex(rint({_X}),rint({_Y}))", "isfinite": f"!isnan({_X}-{_X}) && !isnan({_Y}-{_Y})",
    "isnan": f"isnan({_X}) || isnan({_Y})", "isinf": f"isinf({_X}) || isinf({_Y})"}
# Of these, NumPy's are C99's where a part is infinite or NaN.
_C99 = {name: getattr(np, name.replace("a", "arc", 1) if name[0] == "a" else name) for name in (
    "acos", "acosh", "asinh", "atanh", "cosh", "exp", "log1p", "sinh", "tanh")} | {"expm1": lambda z: np.exp(z) - 1}
_OF_FLOATS = {"floor_divide": "isinf(a) || isinf(b) ? a/b : a//b"}  # NumPy has NaN of infinity, and -1 where -0 is meant
_OF_WHOLE = {"floor", "ceil", "trunc", "round"}  # which leave whole numbers as they are
_FINITE = {"isnan": False, "isinf": False, "isfinite": True}  # of whole numbers


def _as_in_c99(name, x, result):
    """A function's values, those of numbers that are not finite put right on the host."""
    odd = logical_not(isfinite(x))  # noqa: F821
    if any(odd):
        with np.errstate(all="ignore"):
            result[odd] = _C99[name](x.numpy()[odd.numpy()])
    return result


def _elementwise(name, text):
    """The function of one operand, or of two."""
    def call(values, out):
        there = next((v.context for v in values if isinstance(v, Array)), None)
        given = [v if isinstance(v, (Array, int, float, complex)) else _asarray(v, context=there) for v in values]
        if there is None and builtins.all(isinstance(v, (int, float, complex)) for v in given):
            given = [_asarray(v) for v in given]
        whole = len(given) == 1 and given[0].dtype.kind in "biu"
        if whole and name in _FINITE:
            return full_like(given[0], _FINITE[name], dtype=bool)
        of_complex = (name in _OF_COMPLEX or name in _C99) and builtins.any(isinstance(v, complex) or getattr(v, "dtype", None) in (complex64, complex128) for v in given)
        of_floats = name in _OF_FLOATS and builtins.any(isinstance(v, float) or getattr(getattr(v, "dtype", None), "kind", "") == "f" for v in given)
        text_of = "a" if whole and name in _OF_WHOLE else _OF_COMPLEX.get(name, text) if of_complex else _OF_FLOATS[name] if of_floats else text
        result = evaluate(text_of, dict(zip("ab", given)), out=out)
        return _as_in_c99(name, given[0], result) if of_complex and name in _C99 else result

    def of_one(x, /, *, out=None):
        return call((x,), out)

    def of_two(x1, x2, /, *, out=None):
        return call((x1, x2), out)

    function = of_two if re.search(r"\bb\b", text) else of_one
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} of each element, into `out` if given."
    return function


for _name, _text in _TEXTS.items():
    globals()[_name] = _elementwise(_name, _text)


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
    return broadcast_arrays(*(a.reshape([-1 if order[j] == k else 1 for j in range(n)]) for k, a in enumerate(arrays)))


# ---- Types

def astype(x, dtype, /, *, copy=True, device=None):
    """x in another type; complex numbers lose no part silently."""
    dtype = np.dtype(dtype)
    if device not in (None, x.device):
        x, copy = x.to_device(device), False
    if dtype == x.dtype:
        return x.copy() if copy else x
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{x.dtype} is not cast to {dtype}: take real() or imag()")
    return x.astype(dtype)


def _dtype_of(x):
    return x.dtype if isinstance(x, Array) else np.dtype(x)


class finfo:
    """What a type of floating point has, of a type or an array, as Python's numbers."""

    def __init__(self, type, /):
        found = np.finfo(_dtype_of(type))
        self.bits, self.dtype = found.bits, found.dtype
        for name in ("eps", "max", "min", "smallest_normal"):
            setattr(self, name, float(getattr(found, name)))


class iinfo:
    """What a type of whole numbers has, of a type or an array, as Python's numbers."""

    def __init__(self, type, /):
        found = np.iinfo(_dtype_of(type))
        self.bits, self.max, self.min, self.dtype = found.bits, found.max, found.min, found.dtype


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
    """x with axes of one element, one or a tuple of them, at these places of the result."""
    rank = x.ndim + (len(axis) if isinstance(axis, tuple) else 1)
    axes = _axes(axis, rank)
    return x[tuple(None if k in axes else slice(None) for k in range(rank))]


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


def broadcast_shapes(*shapes):
    return np.broadcast_shapes(*shapes)


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
    """Each element so many times, a number or one for each, along an axis; without one, of the flattened array."""
    if axis is None:
        return repeat(x.reshape(-1), repeats, axis=0)
    axis = _axis(axis, x.ndim)
    if not isinstance(repeats, int):
        return take(x, np.repeat(np.arange(x.shape[axis]), np.asarray(repeats)), axis=axis)
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


# ---- Reductions and products

def _sum_type(x, dtype):
    """In which sums and products are computed."""
    return np.dtype(dtype) if dtype is not None else {"b": np.dtype(int64), "i": np.dtype(int64), "u": np.dtype(uint64)}.get(x.dtype.kind, x.dtype)


def _reduced(text, x, axis, keepdims, **options):
    """A reduction of evaluate's, whose order of operations depends on the shape alone, over axes that may be none."""
    if not _axes(axis, x.ndim):  # of each element alone
        x, axis, keepdims = x[..., None], -1, False
    return evaluate(text, {"a": x}, axis=axis, keepdims=keepdims, **options)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    kind = _sum_type(x, dtype)
    return _reduced("sum(a)", astype(x, kind, copy=False), axis, keepdims, out_dtype=kind)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    kind = _sum_type(x, dtype)
    return _reduced("prod(a)", astype(x, kind, copy=False), axis, keepdims, out_dtype=kind)


def max(x, /, *, axis=None, keepdims=False):
    """The largest element, NaN if there is one."""
    return _reduced("max(a)", x, axis, keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """The least element, NaN if there is one."""
    return _reduced("min(a)", x, axis, keepdims)


def all(x, /, *, axis=None, keepdims=False):
    return _reduced("all(a)", x, axis, keepdims)


def any(x, /, *, axis=None, keepdims=False):
    return _reduced("any(a)", x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return _reduced("count(a)", x, axis, keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    return _reduced("mean(a)", x, axis, keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The mean square distance from the mean, by n less `correction`; NaN where that is none."""
    n = math.prod(x.shape[k] for k in _axes(axis, x.ndim))
    return _reduced("var(a)", x, axis, keepdims) * (n / (n - correction) if n > correction else nan)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The square root of var."""
    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))  # noqa: F821


def _place(text, x, axis, keepdims):
    return _reduced(text, x, None if axis is None else operator.index(axis), keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    """The index of the first of the largest elements, or of a NaN."""
    return _place("argmax(a)", x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The index of the first of the least elements, or of a NaN."""
    return _place("argmin(a)", x, axis, keepdims)


def _kind_of_products(x, y):
    kind = result_type(x, y)
    if kind.kind == "b":
        raise TypeError("products are of numbers: convert bool to a type of these")
    return kind


def _contracted(x, y):
    """Sums of products along the last axis of both, which are broadcast off it; in the type of a product."""
    kind = _kind_of_products(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"a sum over {x.shape[-1]} elements of one array and {y.shape[-1]} of the other")
    return evaluate("sum(a*b)", {"a": astype(x, kind, copy=False), "b": astype(y, kind, copy=False)}, axis=-1, out_dtype=kind)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of conj(x1) x2 along an axis."""
    x, y = (moveaxis(a, axis, -1) for a in (x1, x2))
    return _contracted(conj(x) if x.dtype.kind == "c" else x, y)  # noqa: F821


_FEW_PRODUCTS = 2**16


def matmul(x1, x2, /):
    """Products of matrices, or of these and vectors: of small ones a sum for each element, of larger ones NumPy's on copies on the host, as
    sums lack the reuse of operands that libraries of linear algebra have."""
    if not np.ndim(x1) or not np.ndim(x2):
        raise ValueError("a number is no matrix: multiply")
    context = _arrays.context_of(x1, x2)
    rows, columns = (x1.shape[-2] if x1.ndim > 1 else 1), (x2.shape[-1] if x2.ndim > 1 else 1)
    if builtins.max(x1.size * columns, x2.size * rows) > _FEW_PRODUCTS:
        return _asarray(np.matmul(_on_the_host(x1), _on_the_host(x2), dtype=_kind_of_products(x1, x2)), context=context)
    if x1.ndim > 1 and x2.ndim > 1:
        x1, x2 = x1[..., None, :], matrix_transpose(x2)[..., None, :, :]
    elif x2.ndim > 1:
        x2 = matrix_transpose(x2)
    return _contracted(x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over axes of both: the last `axes` of x1 with the first of x2, or two sequences of them."""
    if isinstance(axes, int):
        if not 0 <= axes <= builtins.min(x1.ndim, x2.ndim):
            raise ValueError(f"axes={axes} of arrays of {x1.ndim} and {x2.ndim} axes")
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    over = [_axes(tuple(given), x.ndim) for x, given in zip((x1, x2), axes)]
    lengths = [[x.shape[a] for a in o] for x, o in zip((x1, x2), over)]
    if lengths[0] != lengths[1]:
        raise ValueError(f"sums over axes of lengths {lengths[0]} of one array and {lengths[1]} of the other")
    kept = [[a for a in range(x.ndim) if a not in o] for x, o in zip((x1, x2), over)]
    x, y = (a.transpose((*k, *o)).reshape(math.prod(a.shape[j] for j in k), math.prod(lengths[0])) for a, k, o in zip((x1, x2), kept, over))
    return matmul(x, matrix_transpose(y)).reshape([a.shape[j] for a, k in zip((x1, x2), kept) for j in k])


def _cumulated(text, x, axis, dtype, first):
    if axis is None and x.ndim != 1:
        raise ValueError(f"an array of {x.ndim} axes: along which one?")
    axis = _axis(axis or 0, x.ndim)
    x = evaluate(text, {"a": x}, out_dtype=_sum_type(x, dtype), axis=axis)
    return x if first is None else concat([_full(x.shape[:axis] + (1,) + x.shape[axis + 1:], first, x.dtype, x.context), x], axis=axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulated("cumsum(a)", x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulated("cumprod(a)", x, axis, dtype, 1 if include_initial else None)


# ---- Operators of arrays

for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "pow"), ("mod", "remainder"),
                       ("floordiv", "floor_divide"), ("matmul", "matmul"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"),
                       ("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift"), ("eq", "equal"), ("ne", "not_equal"), ("lt", "less"),
                       ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    def _forward(self, other, call=globals()[_name]):
        return call(self, other) if isinstance(other, (Array, int, float, complex, np.ndarray, np.generic)) else NotImplemented

    def _reflected(self, other, call=globals()[_name]):
        return call(other, self) if isinstance(other, (int, float, complex, np.ndarray, np.generic)) else NotImplemented

    def _in_place(self, other, call=globals()[_name]):
        if not isinstance(other, (Array, int, float, complex, np.ndarray, np.generic)):
            return NotImplemented
        result = call(self, other)
        if (result.shape, result.dtype) != (self.shape, self.dtype):
            raise TypeError(f"an array of {self.dtype} and shape {self.shape} does not take a result of {result.dtype} and shape {result.shape} in place")
        self[...] = result
        return self

    setattr(Array, f"__{_method}__", _forward)
    if _method not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Array, f"__r{_method}__", _reflected)
        setattr(Array, f"__i{_method}__", _in_place)
for _method, _name in (("neg", "negative"), ("pos", "positive"), ("abs", "abs"), ("invert", "bitwise_invert")):
    setattr(Array, f"__{_method}__", lambda self, call=globals()[_name]: call(self))


# ---- What there is

def from_dlpack(x, /, *, device=None, copy=None):
    """An array of another library: where it lies if that is an OpenCL device, else a copy on the device."""
    there = x.__dlpack_device__()[0] == _ON_OPENCL
    if copy is False and (not there or device not in (None, _from_dlpack(x).device)):
        raise BufferError("what is not on the device is not there without a copy")
    array = _from_dlpack(x)
    return asarray(array, device=device, copy=copy and there)


class _Info:
    """What the standard's __array_namespace_info__ gives."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self):
        return _devices()[0]

    def devices(self):
        return tuple(_devices())

    def default_dtypes(self, *, device=None):
        return {"real floating": np.dtype(float64), "complex floating": np.dtype(complex128), "integral": np.dtype(int64), "indexing": np.dtype(int64)}

    def dtypes(self, *, device=None, kind=None):
        names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
        return {name: np.dtype(name) for name in names if kind is None or isdtype(np.dtype(name), kind)}


def __array_namespace_info__():
    return _Info()


from . import _standard_fft as fft, linalg  # noqa: E402, F401  which are made of these


def __dir__():
    return [name for name in globals() if not name.startswith("_") or name.startswith("__array")]
