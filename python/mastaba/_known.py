"""Calls whose like came before.

Most calls of a program are of few kinds: the same function of arrays of the same layout, with the same options. Where such a call was
one plan, from its arguments into its result, the next one executes that plan at once. The checks in between take few microseconds by
themselves, but the code that does them has left the processor's caches while a large array went through, and fetching it takes ten times that.
"""
import functools

import numpy as np

from . import _arrays, errors
from ._library import check, execution, lib, per_thread

_MOST = 1024
_known = {}  # (the function's name, layouts, options): (the plan's key, the library's call, the type and the shape of the result)


def done(call, key, operands, result):
    """Says that plan `key` was executed by the library's `call`, from the operands into the result."""
    if per_thread.done is not None:
        per_thread.done.append((call, key, operands, result))


def _layout(array):
    """What of an array a call depends on; None where the array is not taken as it lies."""
    dtype = getattr(array, "dtype", None)
    if type(array) is np.ndarray:
        return (dtype.char, array.shape, array.strides) if dtype.isnative and array.flags.aligned else None
    return (dtype.char, array.shape, array.strides, "device") if type(array) is _arrays.Array and dtype.isnative else None


def _is_dense(array):
    return array.is_dense if isinstance(array, _arrays.Array) else array.flags.c_contiguous


def _remember(key, seen, operands, result):
    """Keeps what a call did, if that was one plan from the operands themselves into the result, all of it."""
    if len(seen) != 1 or len(_known) >= _MOST:
        return
    call, plan, taken, given = seen[0]
    if given is result and [*map(id, taken)] == [*map(id, operands)] and id(result) not in map(id, operands) and (key[-1] is not None or _is_dense(result)):
        _known[key] = plan, call, result.dtype, result.shape


def remembered(n, function):
    """A function of n arrays that does nothing with the result of a plan but give it back."""
    name = function.__name__

    @functools.wraps(function)
    def known(*arguments, out=None, **options):
        operands = arguments[:n]
        layouts = [_layout(a) for a in operands]
        if len(layouts) < n or None in layouts or (out is not None and _layout(out) is None):
            return function(*arguments, out=out, **options)
        key = name, *layouts, arguments[n:], *options.items(), None if out is None else _layout(out)
        try:
            found = _known.get(key)
        except TypeError:  # a list of axes
            return function(*arguments, out=out, **options)
        if found is not None:
            result = _again(found, operands, out)
            if result is not None:
                return result
        before, per_thread.done = per_thread.done, []
        try:
            result = function(*arguments, out=out, **options)
            seen = per_thread.done
        finally:
            per_thread.done = before
        if found is None:
            _remember(key, seen, operands, result)
        return result

    return known


def _takes(out, operands, context):
    if isinstance(out, _arrays.Array):
        return out.context is context and not any(_arrays.may_share(a, out) for a in operands)
    return out.flags.writeable and not any(_arrays.may_share(a, out) for a in operands)


def _again(found, operands, out):
    """The result of a plan that is still there; None if it is not, or does not work this time."""
    key, call, dtype, shape = found
    context = _arrays.context_of(*operands)
    plan = context.plans.get(key)
    if plan is None or (out is not None and not _takes(out, operands, context)):
        return None
    try:
        context.plans.move_to_end(key)
    except KeyError:  # another thread has forgotten it
        return None
    result = _arrays.like(operands[0], shape, dtype) if out is None else out
    try:
        check(getattr(lib, call)(plan, *map(_arrays.location, operands), _arrays.location(result), execution, per_thread.error))
    except (errors.BudgetError, errors.DeviceMemoryError):
        return None
    return result
