"""NumPy's arrays as the C library sees them: a type, a shape, strides and an address."""
import numpy as np

from ._library import ffi, lib

TYPES = {np.dtype(name): getattr(lib, "MST_" + name.upper()) for name in (
    "float32", "float64", "complex64", "complex128", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")}
MOST_AXES = lib.MST_MAX_RANK


def fits(array):
    """Whether the library can take an array where it lies: native byte order, aligned, strides of whole elements."""
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
    return ffi.new("mst_location *", (lib.MST_PLACE_HOST, ffi.cast("void *", array.__array_interface__["data"][0]), ffi.NULL, -1, 0))[0]
