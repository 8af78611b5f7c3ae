"""Element-wise expressions."""
import ast
import collections
import functools
import inspect
import operator
import re

import numpy as np

from . import _arrays, _contexts, _known, errors
from ._library import c_text, describe, execution, ffi, lib, per_thread

_MOST_EXACT = 2**53


def _operand(value):
    """An array as the library takes it, or a Python number, which takes the type of what it meets."""
    if isinstance(value, int) and not -2**63 <= value < 2**64:
        raise errors.ArgumentError(f"{value}: whole numbers of expressions have 64 bits; give a float")
    exact = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_EXACT
    if exact or (isinstance(value, (float, complex)) and not isinstance(value, np.generic)):
        return value
    value = _arrays.adopted(value)
    array = value if isinstance(value, _arrays.Array) else _arrays.whole(value)
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


def _check_out(out, shape, arrays, others):
    if not isinstance(out, (np.ndarray, _arrays.Array)):
        raise errors.ArgumentError(f"out must be an array of NumPy's or a mastaba.Array, which mastaba.asarray makes of pyopencl's, not a {type(out).__name__}")
    if (shape is not None and out.shape != shape) or not _arrays.fits(out) or not (isinstance(out, _arrays.Array) or out.flags.writeable):
        raise errors.ArgumentError(f"out must be a writable array of shape {shape}, aligned and in native byte order")
    if any(_arrays.may_share(a, out) for a in [*arrays.values(), *others]):
        raise errors.ArgumentError("out shares memory with another array of the expression")


def _at_least_1d(array):
    return array.reshape(1) if array.ndim == 0 else array


_NAMES = "sum|prod|mean|any|all|argmin|argmax|var|std|count|count_nonzero|amin|amax|min|max"
_REDUCTION = re.compile(rf"(?<![\w.])(?:{_NAMES})\s*\(")
_ALONG = re.compile(rf"(?<![\w.])(cumsum|cumprod|{_NAMES})\s*\(")
_AXIS = re.compile(r"\s*(axis\s*=)?\s*(None|-?\d|\(\s*-?\d\s*(?:,\s*-?\d\s*)*,?\s*\))\s*")
_OWN = re.compile(r"pi|e|inf|[in]\d")  # names that mean something without an array
_INDEX = re.compile(r"[in]\d")


def _axes(axis, rank):
    axes = tuple(operator.index(a) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    wrong = [a for a in axes if not -rank <= a < rank]
    if wrong:
        raise getattr(np, "exceptions", np).AxisError(wrong[0], rank)  # NumPy before 1.25 has no module of exceptions
    if not axes:
        raise errors.ArgumentError("no axes to reduce: axis=None is all of them")
    return tuple(a % rank for a in axes)


# ---- What numexpr has besides

def _closed(text, start):
    """Where the bracket that is open at `start` closes, and where the last comma within it is, -1 if there is none."""
    depth, comma = 1, -1
    for place in range(start, len(text)):
        depth += (text[place] in "([") - (text[place] in ")]")
        if depth == 0:
            return place, comma
        if depth == 1 and text[place] == ",":
            comma = place
    return len(text), comma


@functools.lru_cache(256)
def _without_axes(text):
    """A text without the axes that its reductions name, as in sum(a, 0) and max(a, axis=1), and a set of these; () stands for those that
    name none. max(a, 0) and min(a, 0) are the larger and the smaller of two."""
    named, start = set(), 0
    while call := _ALONG.search(text, start):
        start = call.end()
        end, comma = _closed(text, start)
        axis = _AXIS.fullmatch(text, comma + 1, end) if comma >= 0 else None
        if axis and (axis[1] or call[1] not in ("min", "max")):
            named.add(ast.literal_eval(axis[2]))
            text = text[:comma] + text[end:]
        elif comma < 0:
            named.add(())
    return text, named


def _axis_of(texts, axis):
    """Texts without axes, and the axes of all."""
    if not any("," in text for text in texts):
        return texts, axis
    texts, named = zip(*map(_without_axes, texts))
    named, axis = set().union(*named), tuple(axis) if isinstance(axis, list) else axis
    if named - {()}:
        named = {axis if name == () else name for name in named} | ({axis} if axis is not None else set())
        if len(named) != 1:
            raise errors.ArgumentError(f"reductions along {' and '.join(sorted(map(str, named)))}: all of a call go along the same axes")
        axis = named.pop()
    return list(texts), axis


def _order_of_axes(order, shape, arrays):
    """The axes in the order in which a new result is to lie in memory, the slowest first."""
    if order not in ("K", "A", "C", "F"):
        raise errors.ArgumentError(f"order is {order!r}: one of K, A, C, F")
    axes, whole = list(range(len(shape))), [a for a in arrays if a.shape == shape]
    if order == "F":
        return axes[::-1]
    if order == "C" or not whole or any(isinstance(a, _arrays.Array) for a in arrays) or all(a.flags.c_contiguous for a in whole):
        return axes
    if order == "A":
        return axes[::-1] if all(a.flags.f_contiguous for a in arrays) else axes
    moved = [k for k in axes if shape[k] > 1 and whole[0].strides[k]]
    for place, axis in zip(moved, sorted(moved, key=lambda k: -abs(whole[0].strides[k]))):
        axes[place] = axis
    return axes


def _turned(array, axes):
    """A view whose axes are in another order, all of them."""
    return array[(None,) * (len(axes) - array.ndim)].transpose(axes)


def _check_casting(casting, texts, arrays, values, kinds, options):
    """Whether results may be converted to the types that are asked for."""
    first = {name: value[(slice(0, 1),) * value.ndim] if name in arrays else value for name, value in values.items()}
    for kind, own in zip(kinds, evaluate(list(texts), first, **options)):
        if kind and not np.can_cast(own.dtype, _arrays.DTYPES[kind], casting):
            raise TypeError(f"the result, {own.dtype}, is not converted to {_arrays.DTYPES[kind]} according to the rule {casting!r}")


# ---- Calls whose like came before

_NUMBERS = float, int, complex
_AS_A_RULE = None, "K", "unsafe", None, None, None, False, 0


def _call(expression, scope, options):
    """What a call with such operands is known by, and the arrays; None where it is of a kind that is not kept."""
    out, key, arrays = options[0], [expression], []
    for name in _names(expression):
        value = scope.get(name)
        kind = type(value)
        if kind is np.ndarray or kind is _arrays.Array:
            key += kind, value.dtype, value.shape, value.strides
            arrays.append(value)
        elif kind in _NUMBERS:
            key.append((kind, value) if kind is int else _key_of_number(value))
        elif value is None:
            key.append(None)
        else:
            return None, None
    if out is not None:
        key += type(out), getattr(out, "dtype", None), getattr(out, "shape", None), getattr(out, "strides", None)
    if options[1:] != _AS_A_RULE[1:]:
        key.append(_known.exactly(options[1:]))
    return (tuple(key), arrays) if arrays else (None, None)


def _plain_call(expression, scope, outer, out):
    """What a call with NumPy's arrays and no numbers is known by, and the arrays; None, None for others."""
    key, arrays = [expression], []
    for name in _names(expression):
        value = scope[name] if name in scope else None if outer is None else outer.get(name)
        if type(value) is np.ndarray:
            key += value.dtype, value.shape
            arrays.append(value)
        elif value is None and _OWN.fullmatch(name):
            key.append(None)
        else:
            return None, None
    if out is not None:
        key += out.dtype, out.shape
    return (tuple(key), arrays) if arrays else (None, None)


def _once_more(key, arrays, out):
    """The result of a call whose like came before, else None, and the key to keep this one by."""
    context = _known.context_of(arrays[0])
    try:
        found = context.known.get(key)
    except TypeError:  # options that are lists
        return None, None
    return found and _known.again(context, found, arrays, out), key


def _keep(key, plain_key, arrays, taken, plan_key, result):
    """Remembers a call that was one plan from the arrays themselves into one result."""
    if type(result) not in (np.ndarray, _arrays.Array) or not result.size or [*map(id, arrays)] != [*map(id, taken)] or \
            any(type(a) is not type(result) for a in taken):
        return
    context = _known.context_of(result)
    with context.lock:
        if plan_key in context.plans and len(context.known) < _known.MOST:
            executed = context.plans[plan_key], plan_key, lib.mst_map_execute_all
            context.known[key] = *executed, True, result.dtype, result.shape
            _known.keep_plain(context, plain_key, executed, arrays, result, True)


# ---- The call

def evaluate(expression, local_dict=None, global_dict=None, out=None, order="K", casting="unsafe", sanitize=None, *, dtype=None, out_dtype=None,
             axis=None, keepdims=False, ddof=0):
    """The value of an expression, in the language of docs/map.md, at each element of the arrays that it names.

    Names stand for arrays and numbers, of `local_dict`, else of `global_dict`, or of the caller. Arrays are broadcast against one another, and every
    operation takes place in the type that NumPy gives it; Python's numbers take the type of what they meet. `dtype` names one in
    which all takes place, `out_dtype` one that the result is converted to: floats to integers towards 0, saturating. `out` gets
    the result, converted to its type. i0, i1 ... are the indices of an element, n0, n1 ... the lengths of the axes.

    sum prod mean min max any all argmin argmax var std count of one argument reduce it along `axis` (a number, several, or None:
    all), which `keepdims` leaves with the length 1; var and std divide by `ddof` less than there are elements. What stands around
    them is computed from the results. cumsum and cumprod of an expression run along the one axis. The axis may stand in the expression, too,
    the same one in all of it: sum(a, 0), max(a, axis=1). A list of expressions, with one of arrays as `out`, gives a list of results of one
    pass.

    New results lie in memory as NumPy's and numexpr's do by `order`: "C", "F", "A" (F where all arrays lie so) or "K", as the first array of
    the result's shape; on the device "K" and "A" are "C". `casting` says, as in numpy.can_cast, which conversions to the type of `out` and
    `out_dtype` are taken; others are a TypeError. `sanitize` is taken as numexpr has it: no part of a text is run as Python here.

        >>> import numpy as np, mastaba
        >>> a = np.arange(3.0)
        >>> mastaba.evaluate("2*a + 1")
        array([1., 3., 5.])
        >>> float(mastaba.evaluate("sum(a^2) / n0"))
        1.6666666666666667
        >>> [int(v) for v in mastaba.evaluate(["argmax(a)", "count(a > 0)"])]
        [2, 2]
    """
    if local_dict is None:
        frame = inspect.currentframe().f_back
        local_dict, global_dict = frame.f_locals, frame.f_globals if global_dict is None else global_dict
    call, operands, plain_key = None, None, None
    if type(expression) is str and (out is None or type(out) is np.ndarray) and (order, casting, dtype, out_dtype, axis, keepdims, ddof) == _AS_A_RULE[1:]:
        plain_key, plain = _plain_call(expression, local_dict, global_dict, out)
        settings, context = _contexts._last
        if plain and _contexts._settings.get() is settings:
            found = context.plain.get(plain_key)
            if found is not None:
                result = _known.plainly(context, found, plain, out)
                if result is not None:
                    return result
    if global_dict is not None:
        local_dict = collections.ChainMap(local_dict, global_dict)
    if type(expression) is str and isinstance(local_dict, (dict, collections.ChainMap)):
        call, operands = _call(expression, local_dict, (out, order, casting, dtype, out_dtype, axis, keepdims, ddof))
        if call is not None:
            result, call = _once_more(call, operands, out)
            if result is not None:
                return result
    texts = [expression] if isinstance(expression, str) else list(expression) if isinstance(expression, (list, tuple)) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise errors.ArgumentError(f"{expression!r}: an expression is a text, or a list of texts")
    outs = [None] * len(texts) if out is None else [out] if isinstance(expression, str) else list(out)
    if len(outs) != len(texts):
        raise errors.ArgumentError(f"{len(outs)} arrays as out for {len(texts)} expressions: give one for each")
    texts, axis = _axis_of(texts, axis)
    names = sorted({name for text in texts for name in _names(text)})
    values = {name: _operand(local_dict[name]) for name in names if name in local_dict}
    arrays = {name: value for name, value in values.items() if hasattr(value, "dtype")}
    numbers = {name: value for name, value in values.items() if name not in arrays}
    if not arrays:
        unknown = [name for name in names if name not in values and not _OWN.fullmatch(name)]
        raise errors.ArgumentError(f"'{expression}' names no array" + (f": there is no {', '.join(unknown)}" if unknown else ""))
    shapes = {a.shape for a in arrays.values()}
    try:
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    except ValueError as mismatch:
        raise errors.ArgumentError(str(mismatch)) from None
    if len(shape) > _arrays.MOST_AXES:
        raise errors.ArgumentError(f"arrays of {len(shape)} axes: expressions take up to {_arrays.MOST_AXES}")
    may_reduce = any(_REDUCTION.search(text) for text in texts)
    for k, o in enumerate(outs):
        if o is not None:
            _check_out(o, None if may_reduce else shape, arrays, [p for p in outs[:k] if p is not None])
    ways = _order_of_axes(order, shape, arrays.values()) if out is None else None
    if ways and ways != sorted(ways) and not any(_ALONG.search(text) for text in texts) and \
            not any(_INDEX.fullmatch(name) for name in names if name not in values):
        turned = {name: _turned(a, ways) for name, a in arrays.items()}
        back = [ways.index(k) for k in range(len(ways))]
        results = [r.transpose(back) for r in evaluate(list(texts), {**numbers, **turned}, order="C", casting=casting, dtype=dtype, out_dtype=out_dtype)]
        return results[0] if isinstance(expression, str) else results
    flat = {name: _at_least_1d(a) for name, a in arrays.items()}
    kind, given_kind = (_arrays.type_of(t) for t in (dtype, out_dtype))
    kinds = [given_kind if o is None else _arrays.type_of(o.dtype) for o in outs]
    axes = () if axis is None else _axes(axis, len(shape))
    if casting != "unsafe" and any(kinds):
        _check_casting(casting, texts, arrays, values, kinds, {"dtype": dtype, "axis": axis, "keepdims": keepdims, "ddof": ddof})
    results = outs[:]

    def make(context):
        kept = [c_text(text) for text in (*texts, *flat, *numbers)]
        in_texts, in_arrays, in_numbers = kept[:len(texts)], kept[len(texts):len(texts) + len(flat)], kept[len(texts) + len(flat):]
        inputs = ffi.new("mst_map_input[]", [{"name": k, "layout": _arrays.layout(a)} for k, a in zip(in_arrays, flat.values())])
        given = ffi.new("mst_map_number[]", [_number(k, v) for k, v in zip(in_numbers, numbers.values())])
        members = [{} if o is None else {"output": _arrays.layout(_at_least_1d(o))} for o in outs]
        more = ffi.new("mst_map_more[]", [{"expression": t, "out_type": k, **m} for t, k, m in zip(in_texts[1:], kinds[1:], members[1:])])
        along = ffi.new("int[]", axes)
        return context.create("map", describe(
            "mst_map_desc", expression=in_texts[0], n_inputs=len(flat), inputs=inputs, input_size=ffi.sizeof("mst_map_input"),
            n_numbers=len(numbers), numbers=given, number_size=ffi.sizeof("mst_map_number"), type=kind, out_type=kinds[0],
            n_more=len(more), more=more, more_size=ffi.sizeof("mst_map_more"), n_axes=len(axes), axes=along,
            keep_axes=bool(keepdims), ddof=ddof, **members[0]))

    def run(plan):
        reduces = lib.mst_map_reduces(plan)
        on_device = next((a for a in flat.values() if isinstance(a, _arrays.Array)), None)
        for k, result in enumerate(results):
            layout = lib.mst_map_output_of(plan, k)
            there = tuple(layout.shape[0:layout.rank]) if reduces else shape
            if reduces and not keepdims and len(axes or shape) == len(shape):
                there = ()
            if reduces and not shape:
                there = ()
            if result is None:
                results[k] = _arrays.like(on_device, there, _arrays.DTYPES[layout.type])
        if all(r.size == 0 for r in results):
            return lib.MST_OK
        places = ffi.new("mst_location[]", [_arrays.location(a) for a in flat.values()])
        there = ffi.new("mst_location[]", [_arrays.location(a) for a in results])
        return lib.mst_map_execute_all(plan, places, there, execution, per_thread.error)

    key = ("map", *texts, tuple((name, _arrays.key(a)) for name, a in flat.items()),
           tuple((name, _key_of_number(value)) for name, value in numbers.items()), tuple(None if o is None else _arrays.key(o) for o in outs),
           kind, *kinds, axes, bool(keepdims), ddof)
    _arrays.context_of(*flat.values(), *(o for o in outs if o is not None)).execute(key, make, run)
    results = [r[()] if may_reduce and o is None and isinstance(r, np.ndarray) and r.ndim == 0 else r for r, o in zip(results, outs)]
    if call is not None:
        _keep(call, plain_key, operands, list(arrays.values()), key, results[0])
    return results[0] if isinstance(expression, str) else results
