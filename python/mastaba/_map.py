"""Element-wise expressions."""
import functools
import inspect
import re

import numpy as np

from . import _arrays, errors
from ._library import describe, execution, ffi, lib, per_thread

_COMPUTED = "bhilqfd"


def _operand(value):
    """An array as the library takes it, or a number."""
    array = value if isinstance(value, _arrays.Array) else np.asarray(value)
    if not isinstance(array, _arrays.Array) and array.ndim == 0 and array.dtype.kind in "biuf":
        return float(array)
    if array.dtype.char not in _COMPUTED:
        raise errors.ArgumentError(f"an array of {array.dtype}: expressions take int8 to int64, float32 and float64")
    return array if _arrays.fits(array) else array.astype(array.dtype.newbyteorder("="))


@functools.lru_cache(256)
def _names(expression):
    return sorted(set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*\()", expression)))


def evaluate(expression, local_dict=None, *, out=None):
    """The value of an expression, in the language of docs/map.md, at each element of the arrays that it names.

    Names stand for arrays, which are broadcast against one another, and numbers, of `local_dict` or of the caller. `out` gets
    the result, converted to nothing: its type is the one that is computed in.

        >>> import numpy as np, mastaba
        >>> a = np.arange(3.0)
        >>> mastaba.evaluate("2*a + 1")
        array([1., 3., 5.])
    """
    if local_dict is None:
        frame = inspect.currentframe().f_back
        local_dict = {**frame.f_globals, **frame.f_locals}
    values = {name: _operand(local_dict[name]) for name in _names(expression) if name in local_dict}
    arrays = {name: value for name, value in values.items() if not isinstance(value, float)}
    numbers = {name: value for name, value in values.items() if name not in arrays}
    if not arrays:
        raise errors.ArgumentError(f"'{expression}' names no array")
    shapes = {a.shape for a in arrays.values()}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    arrays = {name: _arrays.broadcast_to(a, shape) for name, a in arrays.items()}
    if len(shape) > _arrays.MOST_AXES:
        raise errors.ArgumentError(f"arrays of {len(shape)} axes: expressions take up to {_arrays.MOST_AXES}")
    if out is None:
        on_device = [a for a in arrays.values() if isinstance(a, _arrays.Array)]
        out = _arrays.like(on_device[0] if on_device else None, shape, np.result_type(*(a.dtype for a in arrays.values())))
    elif out.shape != shape or not _arrays.fits(out) or not (isinstance(out, _arrays.Array) or out.flags.writeable):
        raise errors.ArgumentError(f"out must be a writable array of shape {shape}, aligned and in native byte order")
    elif any(_arrays.may_share(a, out) for a in arrays.values()):
        raise errors.ArgumentError("out shares memory with an array of the expression")
    if out.size == 0:
        return out

    def make(context):
        kept = [ffi.new("char[]", text.encode()) for text in (expression, *arrays, *numbers)]
        inputs = ffi.new("mst_map_input[]", [{"name": k, "layout": _arrays.layout(a)} for k, a in zip(kept[1:], arrays.values())])
        given = ffi.new("mst_map_number[]", [{"name": k, "value": v} for k, v in zip(kept[1 + len(arrays):], numbers.values())])
        return context.create("map", describe(
            "mst_map_desc", expression=kept[0], n_inputs=len(arrays), inputs=inputs, input_size=ffi.sizeof("mst_map_input"),
            n_numbers=len(numbers), numbers=given, number_size=ffi.sizeof("mst_map_number"), type=_arrays.TYPES[out.dtype],
            output=_arrays.layout(out)))

    key = ("map", expression, tuple((name, _arrays.key(a)) for name, a in arrays.items()), tuple((name, value.hex()) for name, value in numbers.items()), _arrays.key(out))
    places = ffi.new("mst_location[]", [_arrays.location(a) for a in arrays.values()])
    _arrays.context_of(*arrays.values(), out).execute(key, make, lambda plan: lib.mst_map_execute(plan, places, _arrays.location(out), execution, per_thread.error))
    return out
