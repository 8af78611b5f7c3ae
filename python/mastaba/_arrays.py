"""NumPy's arrays as the C library sees them: a type, a shape, strides and an address."""
import numpy as np

from . import errors
from ._contexts import current
from ._device import Array, asarray, empty  # noqa: F401
from ._library import ffi, lib

TYPES = {np.dtype(name): getattr(lib, "MST_" + name.upper()) for name in (
    "float32", "float64", "complex64", "complex128", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")}
MOST_AXES = lib.MST_MAX_RANK


def fits(array):
    """Whether the library can take an array where it lies: native byte order, aligned, strides of whole elements."""
    if isinstance(array, Array):
        return array.dtype in TYPES
    return array.dtype in TYPES and array.dtype.isnative and array.flags.aligned and \
        all(stride % array.itemsize == 0 for stride in array.strides)


def key(array):
    """What of an array a plan depends on."""
    return array.dtype.char, array.shape, array.strides


def layout(array):
    size = array.itemsize
    return {"type": TYPES[array.dtype], "rank": array.ndim, "shape": array.shape, "strides": [s // size for s in array.strides]}


def location(array):
    """Where an array lies; it must be kept while this is used."""
    if isinstance(array, Array):
        return ffi.new("mst_location *", (lib.MST_PLACE_DEVICE, ffi.NULL, array.buffer.handle, -1, array.offset))[0]
    return ffi.new("mst_location *", (lib.MST_PLACE_HOST, ffi.cast("void *", array.__array_interface__["data"][0]), ffi.NULL, -1, 0))[0]


def context_of(*arrays):
    """The context to work in: that of the arrays on a device, or the current one."""
    contexts = {id(a.context): a.context for a in arrays if isinstance(a, Array)}
    if len(contexts) > 1:
        raise errors.ArgumentError("arrays of two devices or budgets: copy one to where the other is")
    return next(iter(contexts.values())) if contexts else current()


def like(array, shape, dtype):
    """An array whose values are not set, where another one is."""
    return empty(tuple(shape), dtype, array.context) if isinstance(array, Array) else np.empty(shape, dtype)


def broadcast_to(array, shape):
    return array.broadcast_to(shape) if isinstance(array, Array) else np.broadcast_to(array, shape)


def may_share(one, other):
    """Whether two arrays may have memory in common."""
    if isinstance(one, Array) or isinstance(other, Array):
        return isinstance(one, Array) and isinstance(other, Array) and one.buffer.handle == other.buffer.handle and \
            one.offset + one._extent()[0] < other.offset + other._extent()[1] and other.offset + other._extent()[0] < one.offset + one._extent()[1]
    return np.may_share_memory(one, other)
