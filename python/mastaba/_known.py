"""Calls whose like came before.

Most calls of a program are of few kinds: the same function of arrays of the same layout, with the same options. Where such a call was
one plan, from its arguments into its result, the next one executes that plan at once. The checks in between take few microseconds by
themselves, but the code that does them has left the processor's caches while a large array went through, and fetching it takes ten times
that: so what is left here asks each array for as little as it can. Of those in C order on the host (`of_one`, `plainly`) that is type, shape and memory: the
library itself refuses addresses that are not aligned, and outputs that share memory with an input, but for one that takes the place of its
input, as those of transforms may. Those of maps may not, here: `plainly` looks for them.

Keys begin with the function itself, or with the text of an expression.
"""
import functools

import numpy as np

from . import _arrays, _contexts, errors
from ._contexts import begin, current
from ._library import check, execution, ffi, lib, per_thread

MOST = 1024
_PLACES, _HOST, _DEVICE = ffi.typeof("mst_location[]"), lib.MST_PLACE_HOST, lib.MST_PLACE_DEVICE
_new, _from_buffer, _CHARACTERS = ffi.new, ffi.from_buffer, ffi.typeof("char[]")
_AGAIN = lib.MST_ERROR_ARGUMENT, lib.MST_ERROR_BUDGET, lib.MST_ERROR_DEVICE_MEMORY  # what a call with all its checks may have a way round


def done(call, key, operands, result):
    """Says that plan `key` was executed by the library's `call`, from the operands into the result."""
    if per_thread.done is not None:
        per_thread.done.append((call, key, operands, result))


def exactly(value):
    """Equal to that of another value if this is of the same type, all the way down: 8.0 is not 8."""
    return (tuple, *map(exactly, value)) if type(value) is tuple else (type(value), value)


def _is_dense(array):
    return array.is_dense if isinstance(array, _arrays.Array) else array.flags.c_contiguous


def _is_plain(array):
    return type(array) is np.ndarray and array.flags.c_contiguous and array.flags.aligned


def _remember(key, context, seen, operands, out, result, plain_key):
    """Keeps what a call did, if that was one plan from the operands themselves into the result, all of it, and all are on one side."""
    if len(seen) != 1 or len(context.known) >= MOST or type(result) not in (np.ndarray, _arrays.Array):
        return
    call, plan_key, taken, given = seen[0]
    if given is not result or [*map(id, taken)] != [*map(id, operands)] or id(result) in map(id, operands) or \
            any(type(a) is not type(result) or not a.dtype.isnative for a in operands) or (out is None and not _is_dense(result)):
        return
    with context.lock:
        if plan_key in context.plans:
            plan, execute = context.plans[plan_key], getattr(lib, call)
            context.known[key] = plan, plan_key, execute, False, result.dtype, result.shape
            keep_plain(context, plain_key, (plan, plan_key, execute), operands, result, False)


def keep_plain(context, key, executed, operands, result, in_arrays):
    """Keeps a call for `plainly`, or of one operand for `of_one`, where all is in C order on the host. With the context's lock."""
    if key and len(context.plain) < MOST and all(map(_is_plain, (*operands, result))):
        context.plain[key] = (*executed, *(() if len(operands) == 1 and not in_arrays else (in_arrays,)), result.dtype, result.shape, [])


def plainly(context, found, operands, result):
    """The result of such a call once more; None where it has to go the longer way."""
    try:
        plan, plan_key, execute, in_arrays, dtype, shape, unused = found
        if context.latest is not plan:
            context.plans.move_to_end(plan_key)
            context.latest = plan
        if result is None:
            result = np.empty(shape, dtype)
        elif in_arrays and any(a is result or np.may_share_memory(a, result) for a in operands):
            return None
        places, k = unused.pop() if unused else _places_on_host(len(operands) + 1), 0
        for a in operands:
            places[k].host = _from_buffer(a)
            k += 1
        places[k].host = _from_buffer(_CHARACTERS, result, True)
    except (BufferError, IndexError, KeyError, TypeError, ValueError):  # as in of_one
        return None
    status = execute(plan, places, places + k, execution, per_thread.error) if in_arrays else execute(plan, *places, execution, per_thread.error)
    unused.append(places)
    if status or per_thread.raised is not None:
        if status in _AGAIN and per_thread.raised is None:
            return None
        check(status)
    return result


def remembered(n, function):
    """A function of n arrays that does nothing with the result of a plan but give it back."""

    @functools.wraps(function)
    def known(*arguments, out=None, **options):
        operands = arguments[:n]
        key, found, context = [function], None, None
        try:
            for a in operands if out is None else (*operands, out):
                key += type(a), a.dtype, a.shape, a.strides
            key = (*key, exactly((arguments[n:], *options.items()))) if options or len(arguments) > n else tuple(key)
            context = context_of(operands[0])
            found = context.known.get(key)
        except (AttributeError, IndexError, TypeError):  # what is no array, or has a list for its axes
            context = None
        if found is not None:
            result = again(context, found, operands, out)
            if result is not None:
                return result
        if found is not None or context is None:
            return function(*arguments, out=out, **options)
        before, per_thread.done = per_thread.done, []
        try:
            result = function(*arguments, out=out, **options)
            seen = per_thread.done
        finally:
            per_thread.done = before
        plain_key = _plain_key(function, operands, out, arguments[n:], options)
        _remember(key, context, seen, operands, out, result, plain_key)
        return result

    return known


def _plain_key(function, operands, out, rest, options):
    key = [function]
    for a in operands if out is None else (*operands, out):
        key += a.dtype, a.shape
    return (*key, exactly((rest, *options.items()))) if rest or options else tuple(key)


def _places_on_host(n):
    places = _new(_PLACES, n)
    for k in range(n):
        places[k].place = _HOST
    return places


def _two_places():
    places = _places_on_host(2)
    return places, places[0], places[1]


def of_one(function):
    """remembered(1, function), with a shorter way for arrays in C order on the host. It is one function, as each further one is code to fetch."""
    in_general, plans_of = remembered(1, function), _contexts._settings.get
    Host, characters, from_buffer, empty, how, mine = np.ndarray, _CHARACTERS, ffi.from_buffer, np.empty, execution, per_thread

    @functools.wraps(function)
    def known(x, *rest, out=None, **options):
        status = None
        settings, context = _contexts._last
        if type(x) is Host and (out is None or type(out) is Host) and plans_of() is settings:
            key = (function, x.dtype, x.shape) if out is None else (function, x.dtype, x.shape, out.dtype, out.shape)
            try:
                found = context.plain.get((*key, exactly((rest, *options.items()))) if rest or options else key)
                if found is not None:
                    plan, plan_key, execute, dtype, shape, unused = found
                    if context.latest is not plan:
                        context.plans.move_to_end(plan_key)
                        context.latest = plan
                    result = empty(shape, dtype) if out is None else out
                    places, source, target = unused.pop() if unused else _two_places()
                    source.host, target.host = from_buffer(x), from_buffer(characters, result, True)
            except (BufferError, IndexError, KeyError, TypeError, ValueError):
                found = None  # another order or read-only, a list among the options, a plan that another thread has forgotten
            if found is not None:  # outside, as a signal's handler may raise the same
                status = execute(plan, source, target, how, mine.error)
                unused.append((places, source, target))
        if status is not None:
            if not status and mine.raised is None:
                return result
            if status not in _AGAIN or mine.raised is not None:
                check(status)
        return in_general(x, *rest, out=out, **options)

    return known


def of_two(function):
    """remembered(2, function), with the shorter way for arrays in C order on the host."""
    in_general, plans_of, Host = remembered(2, function), _contexts._settings.get, np.ndarray

    @functools.wraps(function)
    def known(*arguments, out=None, **options):
        settings, context = _contexts._last
        if len(arguments) > 1 and type(arguments[0]) is Host and type(arguments[1]) is Host and (out is None or type(out) is Host) and \
                plans_of() is settings:
            x, y, *rest = arguments
            key = (function, x.dtype, x.shape, y.dtype, y.shape)
            if out is not None:
                key += out.dtype, out.shape
            try:
                found = context.plain.get((*key, exactly((tuple(rest), *options.items()))) if rest or options else key)
            except TypeError:  # a list among the options
                found = None
            if found is not None:
                result = plainly(context, found, (x, y), out)
                if result is not None:
                    return result
        return in_general(*arguments, out=out, **options)

    return known


def context_of(array):
    if type(array) is not _arrays.Array:
        return current()
    begin()
    return array.context


def again(context, found, operands, out):
    """The result of a plan that is still there; None where it has to be made by the function itself."""
    plan, plan_key, execute, in_arrays, dtype, shape = found
    result = _arrays.like(operands[0], shape, dtype) if out is None else out
    if out is not None and (type(out) is np.ndarray and not out.flags.writeable or any(_arrays.may_share(a, out) for a in operands)):
        return None
    arrays = *operands, result
    places = _new(_PLACES, len(arrays))
    for k, a in enumerate(arrays):
        there = places[k]
        if type(a) is np.ndarray:
            flags = a.flags
            if not flags.aligned:
                return None
            there.place, there.host = _HOST, _from_buffer(a) if flags.c_contiguous else _arrays.address(a)
        elif a.context is context:
            there.place, there.buffer, there.offset = _DEVICE, a.buffer.handle, a.offset
        else:
            return None
    try:
        context.plans.move_to_end(plan_key)
        context.latest = None
        check(execute(plan, places, places + len(operands), execution, per_thread.error) if in_arrays else
              execute(plan, *places, execution, per_thread.error))
    except (KeyError, errors.BudgetError, errors.DeviceMemoryError):  # another thread has forgotten it, or there is no room for its work
        return None
    return result
