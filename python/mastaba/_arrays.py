"""NumPy's arrays as the C library sees them: a type, a shape, strides and an address."""
import functools
import math
import operator

import numpy as np

from . import errors
from ._contexts import begin, current, owned
from ._device import Array, adopted, asarray, empty  # noqa: F401
from ._library import check, ffi, lib, per_thread

TYPES = {np.dtype(name): getattr(lib, "MST_" + name.upper()) for name in (
    "float32", "float64", "complex64", "complex128", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool", "float16")}
DTYPES = {number: dtype for dtype, number in TYPES.items()}
_LOCATION, _ADDRESS = ffi.typeof("mst_location *"), ffi.typeof("void *")
_HOST, _DEVICE = lib.MST_PLACE_HOST, lib.MST_PLACE_DEVICE
MOST_AXES = lib.MST_MAX_RANK


def type_of(dtype):
    """The library's number of an element type; 0 for None."""
    if dtype is None:
        return 0
    if np.dtype(dtype) not in TYPES:
        raise errors.ArgumentError(f"{np.dtype(dtype)} is no type of the library's arrays")
    return TYPES[np.dtype(dtype)]


def fits(array):
    """Whether the library can take an array where it lies: native byte order, aligned, strides of whole elements."""
    if isinstance(array, Array):
        return array.dtype in TYPES
    if array.dtype not in TYPES or not array.dtype.isnative or not array.flags.aligned:
        return False
    return array.flags.c_contiguous or all(stride % array.itemsize == 0 for stride in array.strides)


def whole(values):
    """An array on the host; one with masked elements would lose its mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise errors.ArgumentError("a masked array, whose mask would be lost: give a.filled(value), or a.data and a.mask as arrays of their own")
    return np.asarray(values)


def key(array):
    """What of an array a plan depends on."""
    return array.dtype.char, array.shape, array.strides


def layout(array):
    size = array.itemsize
    return {"type": TYPES[array.dtype], "rank": array.ndim, "shape": array.shape, "strides": [s // size for s in array.strides]}


def address(array):
    """Of the first element of an array on the host."""
    return ffi.cast(_ADDRESS, array.__array_interface__["data"][0])


def location(array):
    """Where an array lies; it must be kept while this is used."""
    if type(array) is Array:
        return ffi.new(_LOCATION, (_DEVICE, ffi.NULL, array.buffer.handle, -1, array.offset))[0]
    if array.flags.c_contiguous:
        return ffi.new(_LOCATION, (_HOST, ffi.from_buffer(array)))[0]
    return ffi.new(_LOCATION, (_HOST, address(array)))[0]


def context_of(*arrays):
    """The context to work in: that of the arrays on a device, or the current one."""
    context = None
    for array in arrays:
        if isinstance(array, Array) and array.context is not context:
            if context is not None:
                raise errors.ArgumentError("arrays of two devices, queues or budgets: copy one to where the other is")
            context = array.context
    if context is None:
        return current()
    begin()
    return context


def pinned(shape, dtype=float):
    """A NumPy array, whose values are not set, in memory that the device reads and writes by itself: calls on it need no copy through staging
    memory. Taking it is slow, and it stays in RAM, so make such arrays once. Where the device works in the host's memory it is like any other.

        >>> import mastaba
        >>> x = mastaba.pinned((64, 4096), "complex64")
        >>> x[:] = 1
        >>> z = mastaba.fft.fft(x, out=mastaba.pinned(x.shape, x.dtype))
        >>> z[0, 0].real.item()
        4096.0
    """
    shape, dtype, context = tuple(shape) if np.iterable(shape) else (shape,), np.dtype(dtype), current()
    if dtype not in TYPES:
        raise errors.ArgumentError(f"{dtype} is no type of the library's arrays")
    if any(operator.index(n) < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    size, out = max(math.prod(shape) * dtype.itemsize, 1), ffi.new("void **")
    check(lib.mst_pinned_create(context.handle, size, out, per_thread.error))
    memory = owned(out[0], functools.partial(lib.mst_pinned_destroy, context.handle), context.handle)
    return np.ndarray(shape, dtype, ffi.buffer(memory, size))


def like(array, shape, dtype):
    """An array whose values are not set, where another one is."""
    return empty(tuple(shape), dtype, array.context) if isinstance(array, Array) else np.empty(shape, dtype)


def broadcast_to(array, shape):
    if array.shape == tuple(shape):
        return array
    return array.broadcast_to(shape) if isinstance(array, Array) else np.broadcast_to(array, shape)


def of(values):
    """What NumPy makes an array of as one, and what lies on a device as an Array there."""
    values = adopted(values)
    return values if isinstance(values, Array) else np.asarray(values)


def extended(array, widths, mode, value=0):
    """The array with so many elements (before, after) more along each axis, as numpy.pad makes them."""
    if not isinstance(array, Array):
        return np.pad(array, widths, mode, **({"constant_values": value} if mode == "constant" else {}))
    for axis, width in enumerate(widths):
        if any(width):
            array = _extended_along(array, axis, width, mode, value)
    return array


def _extended_along(array, axis, width, mode, value):
    """Along one axis."""
    n, lead = array.shape[axis], (slice(None),) * axis
    if mode == "constant":
        shape = list(array.shape)
        shape[axis] += sum(width)
        new = like(array, shape, array.dtype)
        new[...] = value
        new[(*lead, slice(width[0], width[0] + n))] = array
        return new
    return picked(array, axis, runs(np.pad(np.arange(n), width, mode).tolist()))


def runs(places):
    """Places along an axis as slices, from where elements follow one another forwards, backwards, or are one and the same, each with where it
    goes to."""
    found, first = [], 0
    while first < len(places):
        last, step = first, places[first + 1] - places[first] if first + 1 < len(places) else 0
        step = step if abs(step) <= 1 else 0
        while last + 1 < len(places) and places[last + 1] - places[last] == step:
            last += 1
        start, stop = places[first], places[last] + (step or 1)
        found.append((slice(first, last + 1), slice(start, stop if stop >= 0 else None, step or 1)))
        first = last + 1
    return found


def picked(array, axis, slices):
    """The elements of runs along an axis, one behind the other."""
    lead, shape = (slice(None),) * axis, list(array.shape)
    shape[axis] = slices[-1][0].stop if slices else 0
    new = like(array, shape, array.dtype)
    for to, of in slices:
        new[(*lead, to)] = array[(*lead, of)]
    return new


def pairs(array):
    """The real numbers of an array of complex ones, a view with the two of each along a further axis."""
    part = array.real
    size = part.itemsize
    if isinstance(array, Array):
        return Array(array.context, array.buffer, array.offset, (*array.shape, 2), (*array.strides, size), part.dtype)
    return np.lib.stride_tricks.as_strided(part, (*array.shape, 2), (*array.strides, size))


def may_share(one, other):
    """Whether two arrays may have memory in common."""
    if isinstance(one, Array) or isinstance(other, Array):
        return isinstance(one, Array) and isinstance(other, Array) and one.buffer.handle == other.buffer.handle and \
            one.offset + one._extent()[0] < other.offset + other._extent()[1] and other.offset + other._extent()[0] < one.offset + one._extent()[1]
    return np.may_share_memory(one, other)
