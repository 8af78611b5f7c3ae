"""Element-wise expressions."""
import functools
import inspect
import re

import numpy as np

from . import _arrays, errors
from ._library import describe, execution, ffi, lib, per_thread

_MOST_EXACT = 2**53


def _operand(value):
    """An array as the library takes it, or a Python number, which takes the type of what it meets."""
    exact = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_EXACT
    if exact or (isinstance(value, (float, complex)) and not isinstance(value, np.generic)):
        return value
    array = value if isinstance(value, _arrays.Array) else np.asarray(value)
    if array.dtype.newbyteorder("=") not in _arrays.TYPES:
        raise errors.ArgumentError(f"an array of {array.dtype}: expressions take bool, integers, float16 to float64, complex64 and complex128")
    return array if _arrays.fits(array) else array.astype(array.dtype.newbyteorder("="))


@functools.lru_cache(256)
def _names(expression):
    return sorted(set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*\()", expression)))


def _number(name, value):
    kind = lib.MST_INT64 if isinstance(value, int) else lib.MST_FLOAT64 if isinstance(value, float) else lib.MST_COMPLEX128
    return {"name": name, "value": value.real, "imaginary": value.imag, "type": kind}


def _key_of_number(value):
    return type(value).__name__, float(value.real).hex(), float(value.imag).hex()


def _check_out(out, shape, arrays):
    if out.shape != shape or not _arrays.fits(out) or not (isinstance(out, _arrays.Array) or out.flags.writeable):
        raise errors.ArgumentError(f"out must be a writable array of shape {shape}, aligned and in native byte order")
    if any(_arrays.may_share(a, out) for a in arrays.values()):
        raise errors.ArgumentError("out shares memory with an array of the expression")


def _at_least_1d(array):
    return array.reshape(1) if array.ndim == 0 else array


def evaluate(expression, local_dict=None, *, out=None, dtype=None, out_dtype=None):
    """The value of an expression, in the language of docs/map.md, at each element of the arrays that it names.

    Names stand for arrays and numbers, of `local_dict` or of the caller. Arrays are broadcast against one another, and every
    operation takes place in the type that NumPy gives it; Python's numbers take the type of what they meet. `dtype` names one in
    which all takes place, `out_dtype` one that the result is converted to: floats to integers towards 0, saturating. `out` gets
    the result, converted to its type.

        >>> import numpy as np, mastaba
        >>> a = np.arange(3.0)
        >>> mastaba.evaluate("2*a + 1")
        array([1., 3., 5.])
    """
    if local_dict is None:
        frame = inspect.currentframe().f_back
        local_dict = {**frame.f_globals, **frame.f_locals}
    values = {name: _operand(local_dict[name]) for name in _names(expression) if name in local_dict}
    arrays = {name: value for name, value in values.items() if hasattr(value, "dtype")}
    numbers = {name: value for name, value in values.items() if name not in arrays}
    if not arrays:
        raise errors.ArgumentError(f"'{expression}' names no array")
    shapes = {a.shape for a in arrays.values()}
    try:
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    except ValueError as mismatch:
        raise errors.ArgumentError(str(mismatch)) from None
    if len(shape) > _arrays.MOST_AXES:
        raise errors.ArgumentError(f"arrays of {len(shape)} axes: expressions take up to {_arrays.MOST_AXES}")
    if out is not None:
        _check_out(out, shape, arrays)
        out_dtype = out.dtype
    flat = {name: _at_least_1d(a) for name, a in arrays.items()}
    types = [_arrays.type_of(t) for t in (dtype, out_dtype)]
    result = [out]

    def make(context):
        kept = [ffi.new("char[]", text.encode()) for text in (expression, *flat, *numbers)]
        inputs = ffi.new("mst_map_input[]", [{"name": k, "layout": _arrays.layout(a)} for k, a in zip(kept[1:], flat.values())])
        given = ffi.new("mst_map_number[]", [_number(k, v) for k, v in zip(kept[1 + len(flat):], numbers.values())])
        members = {} if out is None else {"output": _arrays.layout(_at_least_1d(out))}
        return context.create("map", describe(
            "mst_map_desc", expression=kept[0], n_inputs=len(flat), inputs=inputs, input_size=ffi.sizeof("mst_map_input"),
            n_numbers=len(numbers), numbers=given, number_size=ffi.sizeof("mst_map_number"), type=types[0], out_type=types[1],
            **members))

    def run(plan):
        if result[0] is None:
            on_device = [a for a in flat.values() if isinstance(a, _arrays.Array)]
            result[0] = _arrays.like(on_device[0] if on_device else None, shape, _arrays.DTYPES[lib.mst_map_output(plan).type])
        if result[0].size == 0:
            return lib.MST_OK
        places = ffi.new("mst_location[]", [_arrays.location(a) for a in flat.values()])
        return lib.mst_map_execute(plan, places, _arrays.location(result[0]), execution, per_thread.error)

    key = ("map", expression, tuple((name, _arrays.key(a)) for name, a in flat.items()),
           tuple((name, _key_of_number(value)) for name, value in numbers.items()), None if out is None else _arrays.key(out), *types)
    _arrays.context_of(*flat.values(), *([] if out is None else [out])).execute(key, make, run)
    return result[0]
