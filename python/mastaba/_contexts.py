"""Contexts, one for each device and budget that is asked for, and the plans made from them."""
import atexit
import collections
import contextlib
import contextvars
import os
import re
import threading
import weakref

from . import errors
from ._library import c_text, check, describe, ffi, lib, per_thread

_MOST_CONTEXTS = 8

_settings = contextvars.ContextVar("mastaba_settings", default=(None, 0, 0))
_lock = threading.RLock()
_contexts = collections.OrderedDict()
_living = weakref.WeakSet()  # contexts, those that only arrays have, too
_last = None, None  # the settings and the context that were asked for last
_life = {"over": False, "used": False, "forked": False}


def owned(handle, destroy, above=None):
    """A handle that is destroyed with its last reference, before what it was made from; never in another process or at the end."""
    process = os.getpid()

    def end(pointer, above=above):
        if not _life["over"] and os.getpid() == process:
            destroy(pointer)

    return ffi.gc(handle, end)


def begin():
    """Before any call that OpenCL's loader or a driver sees: what is on a device is not there in a process that was forked."""
    if _life["forked"]:
        raise errors.Error("OpenCL was used before this process was forked, which no driver survives: start processes by "
                           "multiprocessing.set_start_method('spawn'), or use mastaba only after the fork")
    _life["used"] = True


def _beside(work):
    """work(), which may wait for a driver's compiler: in a thread of its own where this one is to hear of Ctrl-C. An interrupt leaves that
    thread to end by itself, which the interpreter waits for before it ends; what it has made goes then."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    results, problems, done, variables = [], [], threading.Event(), contextvars.copy_context()

    def run():
        try:
            results.append(variables.run(work))
        except BaseException as problem:  # which is the caller's
            problems.append(problem)
        done.set()

    try:
        threading.Thread(target=run, name="mastaba compiles").start()
    except RuntimeError:  # the interpreter ends, or there are too many
        return work()
    done.wait()
    if problems:
        raise problems.pop()
    return results.pop()


class Spare:
    """The buffers of arrays that have ended, for the next ones of their sizes, as a driver takes long for new ones: 0.2 ms (NVIDIA's on an
    H100), or as long as their first kernel for the pages (PoCL). All calls wait for their work, so none is under way on these. The last
    MOST are kept, of no more than so many bytes in all; by threads and the garbage collector at any time, so that each step is one operation,
    or may find that another one came between.
    Handles are released by hand: the collector ends those of cffi beside what holds them, in any order."""

    MOST = 32

    def __init__(self, most_bytes):
        self.most_bytes, self.kept, self.process = most_bytes, collections.deque(), os.getpid()

    def __del__(self):
        self.most_bytes = -1  # nothing is kept from now on
        self.drained()

    def put(self, size, handle):
        self.kept.append((size, handle))
        while self._is_over():
            if not self._drop():
                return

    def _is_over(self):
        while True:
            try:
                return len(self.kept) > (self.MOST if Context.most_plans else 0) or sum(n for n, _ in tuple(self.kept)) > self.most_bytes
            except RuntimeError:  # it changed while it was looked through
                pass

    def take(self, size):
        """The handle of one, or None."""
        try:
            entries = tuple(self.kept)
        except RuntimeError:  # it changed while it was looked through
            return None
        for entry in reversed(entries):
            if entry[0] == size:
                try:
                    self.kept.remove(entry)
                    return entry[1]
                except (IndexError, ValueError):  # it changed meanwhile, or another thread has it
                    pass
        return None

    def release(self, handle):
        if not _life["over"] and os.getpid() == self.process:
            from ._device import release
            release(handle)

    def _drop(self):
        try:
            self.release(self.kept.popleft()[1])
        except IndexError:  # there is none, or another thread took it
            return False
        return True

    def drained(self):
        """Gives all back; how many there were."""
        n = 0
        while self._drop():
            n += 1
        return n


class Context:
    """A device with its budgets, the plans of the last descriptions that were used on it, and buffers for arrays."""

    most_plans = 64

    def __init__(self, device, device_memory, host_memory, **objects):
        name = ffi.NULL if device is None else c_text(str(device))
        desc = describe("mst_context_desc", device=name, device_memory=device_memory, host_memory=host_memory, **objects)
        out = ffi.new("mst_context **")
        check(lib.mst_context_create(desc, out, per_thread.error))
        self.handle = owned(out[0], lib.mst_context_destroy)
        self.opencl, self.queue = lib.mst_context_opencl(self.handle), lib.mst_context_queue(self.handle)
        self.spare = Spare(lib.mst_context_device_memory_budget(self.handle) // 16)
        self.plans = collections.OrderedDict()
        self.known, self.plain = {}, {}  # what _known.py keeps of calls, with plans that are there
        self.latest = None  # the plan of the last call among these, which is the last of `plans`
        self.searches = False  # whether plans are tuned when they are made (tuning.py)
        self.lock = threading.RLock()  # a signal's handler may come back in this thread
        self.device_id = lib.mst_context_device(self.handle).device
        _living.add(self)

    @property
    def device(self):
        return ffi.string(lib.mst_context_device(self.handle).name).decode(errors="replace")

    def plan(self, key, make):
        """The plan of a description: that of an earlier call, or make(self). Plans keep the memory that they stream through, so
        where a budget has no room for another one the kept ones go."""
        with self.lock:
            plan = self.plans.get(key)
            if plan is not None:
                self.plans.move_to_end(key)
                self.latest = None
                return plan
        plan = self.prepared(make)  # outside the lock, as it may compile
        with self.lock:
            self.plans[key], self.latest = plan, None
        self.trim()
        return plan

    def prepared(self, make):
        """make(self), which may wait for a driver's compiler."""
        return self.with_room(lambda: make(self) if self.searches else _beside(lambda: make(self)))

    def execute(self, key, make, call):
        """call(plan of the description), checked."""
        self.with_room(lambda: check(call(self.plan(key, make))))

    def with_room(self, work):
        try:
            return work()
        except (errors.BudgetError, errors.DeviceMemoryError):
            if not self.forget():
                raise
        return work()

    def drained(self):
        """Gives back what is kept for arrays on this device, by any context; how many buffers there were."""
        return sum(context.spare.drained() for context in list(_living) if context.device_id == self.device_id)

    def with_memory(self, work):
        """work(), once more if the device has no memory for it but what is kept for arrays. Drivers may take that at a buffer's first use."""
        try:
            return work()
        except errors.DeviceMemoryError:
            if not self.drained():
                raise
        return work()

    def forget(self, most=0):
        """Forgets all plans but the last so many, and with all of them what is kept for arrays; returns them, so that they are destroyed
        outside the lock."""
        spare = [None] * self.drained() if not most else []
        with self.lock:
            if len(self.plans) > most:
                self.known.clear()
                self.plain.clear()
                self.latest = None
            return [self.plans.popitem(last=False)[1] for _ in range(len(self.plans) - most)] + spare

    def trim(self):
        """Forgets plans beyond the most that are kept, or beyond half the budget of device memory but the last."""
        half = lib.mst_context_device_memory_budget(self.handle) // 2
        self.forget(self.most_plans)
        while len(self.plans) > 1 and lib.mst_context_device_memory_used(self.handle) > half:
            self.forget(len(self.plans) - 1)

    def create(self, kind, desc):
        """A plan: `kind` is that of mst_KIND_create."""
        out = ffi.new(f"mst_{kind} **")
        check(getattr(lib, f"mst_{kind}_create")(self.handle, desc, out, per_thread.error))
        return owned(out[0], getattr(lib, f"mst_{kind}_destroy"), self.handle)


def settings():
    """The device, and the budgets of its memory and the host's, that calls work with now."""
    return tuple(_settings.get())


def current():
    """The context that calls work on now, made when it is first needed."""
    now, (last, context) = _settings.get(), _last
    return context if now is last else _kept(now)


def shared(opencl, device, queue):
    """The one on another library's OpenCL objects, with the budgets that are set now."""
    return _kept((None, *settings()[1:]), opencl_context=opencl, opencl_device=device, opencl_queue=queue)


class _Given(tuple):
    """Settings that a context has been made by already."""


def on(context):
    """Within the `with` block, calls of this thread work on this context."""
    settings = _Given(_settings.get())
    settings.context = context
    return _with(settings)


def _kept(settings, **objects):
    global _last
    begin()
    if isinstance(settings, _Given):
        return settings.context
    key = settings + tuple(objects.values())
    with _lock:
        context = _contexts.get(key)
        if context is None:
            context = _contexts[key] = Context(*settings, **objects)
            while len(_contexts) > _MOST_CONTEXTS:
                _contexts.popitem(last=False)
        else:
            _contexts.move_to_end(key)
        _last = (None, None) if objects else (settings, context)
        return context


def _bytes(size):
    """A number of bytes, or text such as "4GiB" or "500MB"."""
    if isinstance(size, int) and 0 < size < 2**64:
        return size
    units = {"": 1, **{f"{letter}{kind}": base**power for kind, base in (("iB", 1024), ("B", 1000), ("", 1024))
                       for power, letter in enumerate("kMGT", 1)}, "B": 1}
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?i?B?)\s*", str(size))
    unit = match and match[2].replace("K", "k")
    if not match or unit not in units or not 1 <= float(match[1]) * units[unit] < 2**64:
        raise errors.ArgumentError(f"{size!r} is no amount of memory: give bytes, or text such as '4GiB'")
    return int(float(match[1]) * units[unit])


@contextlib.contextmanager
def _with(settings):
    token = _settings.set(settings)
    try:
        yield current()
    finally:
        _settings.reset(token)


def use(device):
    """Within the `with` block, calls of this thread work on `device`: an index of devices(), or a part of a name.

    Several devices, a list of these or a text such as "all", "kind:gpu" or "0,1" (docs/devices.md), share out the blocks of arrays that lie
    on the host or in files, and the integrals of a call; all else works on the first.

        >>> import numpy as np, mastaba
        >>> with mastaba.use(0), mastaba.budget(device="1GiB"):
        ...     mastaba.fft.fft(np.ones(4)).real.tolist()
        [4.0, 0.0, 0.0, 0.0]
    """
    devices = device if isinstance(device, (list, tuple)) else [device]
    if not devices:
        raise errors.ArgumentError("no devices to use")
    return _with((",".join(map(str, devices)), *_settings.get()[1:]))


def budget(device=None, host=None):
    """Within the `with` block, calls of this thread take at most so much memory of the device and for staging; what does not fit
    streams through. `device` and `host` are bytes, or text such as "4GiB".

        >>> import numpy as np, mastaba
        >>> with mastaba.budget(device="1MiB", host="4MiB"):
        ...     mastaba.fft.fft(np.ones((400, 1000)))[7, 0].real.item()
        1000.0
    """
    name, device_memory, host_memory = _settings.get()
    return _with((name, device_memory if device is None else _bytes(device), host_memory if host is None else _bytes(host)))


def devices():
    """The names of the devices there are, in the order of their indices.

        >>> import mastaba
        >>> len(mastaba.devices()) > 0
        True
    """
    begin()
    listed, count = ffi.new("mst_device_info ***"), ffi.new("size_t *")
    check(lib.mst_devices_list(listed, count, per_thread.error))
    names = [ffi.string(listed[0][i].name).decode(errors="replace") for i in range(count[0])]
    lib.mst_devices_free(listed[0])
    return names


def set_cache(n):
    """Keeps at most n plans of each device and budget, those used last; with 0 none, and all memory that they and arrays that have ended
    hold is given back.

        >>> import mastaba
        >>> mastaba.set_cache(64)
    """
    if not isinstance(n, int) or n < 0:
        raise errors.ArgumentError(f"a cache of {n!r} plans: give a whole number from 0")
    Context.most_plans = n
    with _lock:
        contexts = list(_contexts.values())
    for context in contexts:
        context.trim()


def _in_child():
    global _last, _lock
    _lock, _last = threading.RLock(), (None, None)  # another thread may have held it
    _life["forked"] |= _life["used"]
    _contexts.clear()


def _at_end():
    _life["over"] = True  # what is left goes with the process


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_at_end)
