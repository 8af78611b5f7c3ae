"""Arrays on the device: views, operators, transforms without a copy, and other libraries' buffers."""
import collections
import concurrent.futures
import copy
import gc
import pickle
import sys
import threading

import numpy as np
import pytest

import mastaba
from mastaba import _device, xp


def numbers(*shape, kind=np.complex128):
    r = np.random.default_rng(5)
    return (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype(kind)


VIEWS = [np.s_[:], np.s_[1], np.s_[..., ::2], np.s_[::-1, 1:4], np.s_[:, None, -2], np.s_[2:2], np.s_[3:0:-2, ..., 5], np.s_[-1, -1]]


@pytest.mark.parametrize("kind", [np.float32, np.complex128, np.int16, np.bool_])
def test_views(kind):
    x = numbers(5, 7).real.astype(kind)
    a = mastaba.asarray(x)
    for view in VIEWS:
        assert np.array_equal(np.asarray(a[view]), x[view]) and a[view].shape == x[view].shape
        assert np.array_equal(np.asarray(a[view].T), x[view].T) and np.array_equal(a[view].copy().numpy(), x[view])
    assert np.array_equal(a.T.reshape(7, -1).numpy(), x.T.reshape(7, 5))
    assert np.array_equal(a[:, :1].broadcast_to((2, 5, 3)).numpy(), np.broadcast_to(x[:, :1], (2, 5, 3)))
    out = np.zeros((7, 5), kind).T
    assert a.numpy(out=out) is out and np.array_equal(out, x)
    assert np.array_equal(mastaba.asarray(x[::-1].astype(x.dtype.newbyteorder(">"))).numpy(), x[::-1])
    for wrong in (np.s_[5], np.s_[0, 0, 0]):
        with pytest.raises(IndexError):
            a[wrong]


def test_transforms_stay_there():
    x = numbers(6, 12)
    a = mastaba.asarray(x)
    b = mastaba.fft.fft(a)
    assert isinstance(b, mastaba.Array) and np.array_equal(b.numpy(), mastaba.fft.fft(x))
    assert np.array_equal(mastaba.fft.fftn(a.T).numpy(), mastaba.fft.fftn(x.T))
    assert np.array_equal(mastaba.fft.fft(a, 8).numpy(), mastaba.fft.fft(x, 8))
    assert mastaba.fft.ifft(b, overwrite_x=True) is b and np.allclose(b.numpy(), x)
    r = mastaba.asarray(x.real)
    assert np.allclose(mastaba.fft.irfft(mastaba.fft.rfft(r)).numpy(), x.real)
    for call in (mastaba.fft.fft, mastaba.fft.hfft, mastaba.fft.ihfft, lambda a: mastaba.fft.rfft(a, 20)):
        assert isinstance(call(r), mastaba.Array) and np.allclose(call(r).numpy(), call(x.real))
    assert np.array_equal(r.numpy(), x.real)


def test_convolutions_stay_there():
    x, y = numbers(40), numbers(7)
    a = mastaba.signal.convolve(mastaba.asarray(x), y, "same")
    assert isinstance(a, mastaba.Array) and np.allclose(a.numpy(), np.convolve(x, y, "same"))
    rows = mastaba.asarray(np.stack([x, 2 * x]))
    b = mastaba.signal.fftconvolve(rows, y[None], "same", axes=1)
    assert np.allclose(b.numpy(), np.stack([a.numpy(), 2 * a.numpy()]))
    x, y = numbers(2, 3, 2, 4), numbers(1, 2, 2, 3)  # by transforms
    c, d = (mastaba.signal.correlate(mastaba.asarray(a), b) for a, b in ((x, y), (x.real, y.real)))
    assert isinstance(c, mastaba.Array) and np.allclose(c.numpy(), mastaba.signal.correlate(x, y))
    assert np.allclose(d.numpy(), mastaba.signal.correlate(x.real, y.real))
    assert mastaba.signal.convolve(mastaba.asarray(x[0, 0, 0]), y[0, 0, 0, :0]).shape == (0,)


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
def test_images_stay_there(boundary):
    x, y = numbers(4, 5), numbers(3, 7)
    for name, mode in (("convolve2d", "full"), ("convolve2d", "same"), ("correlate2d", "same"), ("correlate2d", "valid")):
        got, wanted = (getattr(mastaba.signal, name)(a, y[:, :4], mode, boundary, 2.5) for a in (mastaba.asarray(x), x))
        assert isinstance(got, mastaba.Array) and np.allclose(got.numpy(), wanted)
    got, wanted = (mastaba.signal.convolve2d(a, y[:2], "full", boundary) for a in (mastaba.asarray(x), x))  # further than the image
    assert np.allclose(got.numpy(), wanted)


def test_operators():
    x = numbers(3, 4).real
    a = mastaba.asarray(x)
    for call in (lambda a: 2 * a - a, lambda a: -a[:, ::-1], lambda a: a.T % 0.7):
        assert np.allclose(np.asarray(call(a)), call(x), rtol=1e-14) and isinstance(call(a), mastaba.Array)
    assert np.allclose((x[0] * a).numpy(), x[0] * x)
    assert np.allclose(xp.exp(a).numpy(), np.exp(x))
    whole = mastaba.asarray(np.arange(5))
    assert (whole * 3).dtype == np.int64 and (whole / 2).numpy().tolist() == [0, 0.5, 1, 1.5, 2]
    assert mastaba.evaluate("a*s", {"a": a, "s": 2.0}).numpy().tolist() == (2 * x).tolist()
    with pytest.raises(mastaba.errors.ArgumentError, match="shares memory"):
        mastaba.evaluate("2*a", {"a": a[1:]}, out=a[:-1])


def test_array_namespace():
    a = xp.arange(12, dtype=xp.float64)
    assert a.__array_namespace__() is xp
    x = np.arange(12.0).reshape(3, 4)
    b = xp.reshape(a, (3, 4))
    for name, *arguments in (("permute_dims", (1, 0)), ("flip",), ("expand_dims", 1), ("moveaxis", 0, 1), ("broadcast_to", (2, 3, 4))):
        assert np.array_equal(getattr(xp, name)(b, *arguments).numpy(), getattr(np, name)(x, *arguments))
    assert np.array_equal(xp.squeeze(b[:, None], 1).numpy(), x)
    assert np.array_equal(xp.linspace(0, 1, 7).numpy(), np.linspace(0, 1, 7)) and xp.full((2,), 3).numpy().tolist() == [3, 3]


def test_dlpack():
    x = numbers(4, 6)
    a = mastaba.asarray(x)
    assert a.__dlpack_device__() == (4, 0)
    b = mastaba.from_dlpack(a.T[::2])
    assert b.int_ptr == a.int_ptr and np.array_equal(b.numpy(), x.T[::2])
    mastaba.fft.fft(b, axis=0, overwrite_x=True)
    assert np.array_equal(a.numpy().T[::2], b.numpy())  # the same memory
    kept = a.__dlpack__()
    a.__dlpack__()  # nobody takes it
    with pytest.raises((RuntimeError, BufferError), match="device"):  # NumPy's refusal of a device, not what became of it
        np.from_dlpack(a)
    del b
    gc.collect()
    mastaba.empty(3)
    assert [held[0] for held in _device._handed_out.values()] == [kept]
    del kept
    mastaba.empty(3)
    assert not _device._handed_out
    assert np.array_equal(mastaba.from_dlpack(np.arange(3.0)).numpy(), np.arange(3.0))
    assert np.array_equal(np.from_dlpack(Host(a)), a.numpy())


def test_threads_that_look_for_capsules():
    """A thread that looks stops before each of its operations, and another one looks then: what a consumer holds is not let go."""
    kept, stops = mastaba.asarray(numbers(3)).__dlpack__(), []

    def at_each(frame, event, _):
        if frame.f_code is _device._forget_unused.__code__:
            frame.f_trace_opcodes = True
            if event == "opcode":
                stops.append(frame.f_lasti)
                other = threading.Thread(target=_device._forget_unused)
                other.start()
                other.join()
            return at_each

    before, here = sys.gettrace(), sys._getframe()
    here.f_trace_opcodes = True  # Python 3.12 stops at operations only if this frame has asked for it beforehand
    sys.settrace(at_each)
    try:
        _device._forget_unused()
    finally:
        sys.settrace(before)
        here.f_trace_opcodes = False
    assert len(stops) > 10 and [held[0] for held in _device._handed_out.values()] == [kept]


def test_buffers_serve_again():
    """The memory of an array that has ended is the next one's of its size, but not where others may know of it."""
    def buffer(a):
        return int(mastaba._library.ffi.cast("uintptr_t", a.buffer.handle))

    mastaba.set_cache(0)
    mastaba.set_cache(64)
    a = mastaba.asarray(np.arange(1000.0))
    view, first = a[::2], buffer(a)
    del a
    b = mastaba.empty(1000)
    assert buffer(b) != first and view.numpy().tolist() == list(range(0, 1000, 2))  # a view holds it
    del view
    wheel = [mastaba.empty(777)]
    wheel.append(wheel)  # what the collector of cycles ends
    del wheel
    gc.collect()
    assert np.array_equal(mastaba.asarray(np.arange(777.0)) + 1, np.arange(1.0, 778))
    c, other = mastaba.empty((10, 100)), mastaba.empty(1001)
    assert buffer(c) == first != buffer(other)
    retained, lent, second = mastaba.from_cl_mem(c.int_ptr, 1000), mastaba.from_dlpack(b), buffer(b)
    del b, c
    assert buffer(mastaba.empty(1000)) not in (first, second)
    del retained, lent
    spare = mastaba.empty(1).context.spare
    assert 0 < sum(size for size, _ in spare.kept) <= spare.most_bytes and len(spare.kept) <= spare.MOST
    for n in range(100):
        mastaba.empty(n + 1)
    assert len(spare.kept) == spare.MOST
    wanted, wrong = [np.full(5000, float(k)) for k in range(8)], []

    def work(k):
        for _ in range(20):
            if not np.array_equal((mastaba.asarray(wanted[k]) * 2 - wanted[k]).numpy(), wanted[k]):
                wrong.append(k)

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert not wrong
    with mastaba.budget(device="1MiB"):
        large = mastaba.empty(10**5)
        del large
        assert not mastaba.empty(1).context.spare.kept
    mastaba.set_cache(0)
    assert not spare.kept
    mastaba.set_cache(64)


def test_buffers_that_come_while_others_are_looked_through(monkeypatch):
    """The collector may end arrays meanwhile, in this thread."""
    class Late(collections.deque):
        late = ()

        def __iter__(self):
            for entry in super().__iter__():
                if self.late:
                    self.append(self.late.pop())
                yield entry

    spare, released = mastaba._contexts.Spare(100), []
    monkeypatch.setattr(spare, "release", released.append)
    spare.kept = Late([(40, "a"), (30, "b")])
    spare.kept.late = [(20, "c")]
    assert spare.take(40) is None and [*collections.deque.__iter__(spare.kept)] == [(40, "a"), (30, "b"), (20, "c")]
    assert spare.take(40) == "a" and spare.take(40) is None
    spare.kept.late = [(35, "d")]
    spare.put(30, "e")
    assert [*spare.kept] == [(20, "c"), (30, "e"), (35, "d")] and released == ["b"]
    spare.kept.clear()


@pytest.mark.parametrize("name", ["clCreateBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", "clFinish"])
def test_memory_that_is_kept_for_arrays(monkeypatch, name):
    """What the device lacks it gets from those that have ended, of any context, when a buffer is made and when it is first used."""
    asked = []

    class Full:
        """OpenCL of a device that has no memory but what is kept there."""

        def __getattr__(self, called):
            return refused if called == name else getattr(opencl, called)

    def refused(*arguments):
        asked.append(name)
        if always or any(spare.kept for spare in spares):
            if name == "clCreateBuffer":
                arguments[-1][0] = -4
            return _device.ffi.NULL if name == "clCreateBuffer" else -4
        return getattr(opencl, name)(*arguments)

    a, opencl, always = mastaba.asarray(np.arange(1001.0)), _device._opencl(), False
    spares = [a.context.spare]
    with mastaba.budget(device="58MiB") as context:
        spares.append(context.spare)
        mastaba.empty(999)
    monkeypatch.setitem(_device._OPENCL, "library", Full())
    assert context.spare.kept and np.array_equal(mastaba.asarray(np.arange(2002.0)).copy().numpy(), np.arange(2002)) and len(asked) > 1
    always = True
    with pytest.raises(mastaba.errors.DeviceMemoryError, match="-4"):
        mastaba.asarray(np.arange(3003.0)).copy()


class Host:
    """What a consumer that wants memory of the host asks."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        return self.array.__dlpack__(dl_device=(1, 0))


def test_buffers_of_others():
    a = mastaba.asarray(np.arange(8.0))
    b = mastaba.from_cl_mem(a.int_ptr, (3,), offset=16)
    del a
    gc.collect()
    assert b.numpy().tolist() == [2, 3, 4]
    with pytest.raises(mastaba.errors.ArgumentError, match="beyond"):
        mastaba.from_cl_mem(b.int_ptr, (3, 3))
    with pytest.raises(mastaba.errors.ArgumentError):
        mastaba.from_cl_mem(0, (3,))


def test_buffers_of_contexts_of_several_devices():
    import ctypes
    cl = ctypes.CDLL("libOpenCL.so.1")
    cl.clCreateContext.restype = cl.clCreateBuffer.restype = ctypes.c_void_p
    platform, devices, parts, n = ctypes.c_void_p(), (ctypes.c_void_p * 1)(), (ctypes.c_void_p * 2)(), ctypes.c_uint32()
    equally_one = (ctypes.c_ssize_t * 3)(0x1086, 1, 0)
    cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
    if cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xFFFFFFFF), 1, devices, None) or \
            cl.clCreateSubDevices(ctypes.c_void_p(devices[0]), equally_one, 2, parts, ctypes.byref(n)) or n.value < 2:
        pytest.skip("no device here has two parts")
    context = ctypes.c_void_p(cl.clCreateContext(None, 2, parts, None, None, None))
    buffer = ctypes.c_void_p(cl.clCreateBuffer(context, ctypes.c_uint64(1), ctypes.c_size_t(64), None, None))
    a = mastaba.from_cl_mem(buffer.value, (4,), np.complex128)
    a[...] = [1, 0, 0, 0]
    assert mastaba.fft.fft(a).numpy().tolist() == [1, 1, 1, 1]
    del a
    cl.clReleaseMemObject(buffer)


class Elsewhere:
    """Another library's array on the device."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class Copied(Elsewhere):
    def __dlpack__(self, **options):
        return self.array.__dlpack__(copy=True)


def test_types_and_outputs():
    a = mastaba.asarray(np.arange(3.0))
    assert mastaba.asarray(Elsewhere(a), np.float32).dtype == np.float32
    assert mastaba.from_dlpack(Elsewhere(a)).int_ptr == a.int_ptr and mastaba.from_dlpack(Copied(a)).int_ptr != a.int_ptr
    with pytest.raises(BufferError):
        mastaba.empty(3, ">f8").__dlpack__()
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(mastaba.errors.ArgumentError, match="writable"):
        a.numpy(out=fixed)
    for kind, refused in ((object, mastaba.errors.ElementTypeError), ("S3", mastaba.errors.ElementTypeError), (np.longdouble, mastaba.errors.UnsupportedError)):
        with pytest.raises(refused, match="no OpenCL device"):
            mastaba.empty(3, kind)
    with pytest.raises(mastaba.errors.ArgumentError):
        mastaba.empty((-3, -3))
    out = np.zeros(3, complex)
    assert mastaba.fft.fftn(np.arange(3.0), axes=(), out=out) is out and out.tolist() == [0, 1, 2]
    assert np.asarray(xp.arange(5, step=2)).tolist() == [0, 2, 4]
    z = numbers(4)
    assert np.allclose((mastaba.asarray(z) / 2).numpy(), z / 2) and np.allclose(abs(mastaba.asarray(z)).numpy(), abs(z))
    with mastaba.budget(device="1GiB"):
        assert (a + np.ones(3)).numpy().tolist() == [1, 2, 3]


def test_transforms_of_any_numbers():
    """Real and whole numbers, padded and cut, and their parts, as on the host."""
    x = np.arange(6).reshape(2, 3)
    for name, a, options in (("fft", x, {}), ("fft", x * 0.5, {"n": 5}), ("rfft", x * 0.5, {"n": 8}), ("fftn", x * 1j, {"s": (4, 2)}), ("irfft", x * 0.5, {"n": 5}),
                             ("hfft", x * 1j, {}), ("ihfft", x * 0.5, {}), ("dct", x * (1 + 2j), {}), ("fftn", x * 0.5, {"axes": []})):
        got, wanted = getattr(mastaba.fft, name)(mastaba.asarray(a), **options), getattr(mastaba.fft, name)(a, **options)
        assert isinstance(got, mastaba.Array) and got.dtype == wanted.dtype and np.allclose(got.numpy(), wanted), name


def test_what_is_in_an_array():
    a = mastaba.asarray([[1.0, 2.0], [3.0, np.nan]])
    assert 3 in a and 4 not in a and np.nan not in a
    assert 1 not in mastaba.empty((0, 3))
    for values in (["a"], [None], np.zeros(2, [("a", "f4")]), np.array(["2020"], "M8[Y]")):
        for call in (mastaba.asarray, mastaba.fft.fft, mastaba.fft.dct, lambda v: mastaba.ndimage.low_pass([v, v], 0.1)):
            with pytest.raises(TypeError) as caught:
                call(values)
            assert isinstance(caught.value, mastaba.Error), (values, call)


def test_copies_and_pickles():
    a = mastaba.asarray(np.arange(12.0).reshape(3, 4))[:, ::2]
    for other in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert other.int_ptr != a.int_ptr and other.dtype == a.dtype and np.array_equal(other.numpy(), a.numpy())
    for thing in (mastaba.signal.Convolver([1.0], latency=16), mastaba.Solver({"grid": [4], "fields": {"u": 0}, "update": [{"u": "u"}]})):
        with pytest.raises(TypeError, match="is on a device"):
            pickle.dumps(thing)


def test_what_is_given_back_is_what_was_promised():
    """No view of an input for a transform along no axis, no floats for whole numbers, and words where out is no array."""
    there, whole = mastaba.asarray(np.ones((2, 2), np.complex64)), mastaba.asarray(np.arange(3))
    assert mastaba.fft.fftn(there, axes=()).int_ptr != there.int_ptr
    for operands in ((whole, whole), ([1, 2], whole)):
        got, wanted = mastaba.signal.convolve(*operands), mastaba.signal.convolve(*map(np.asarray, operands))
        assert isinstance(got, mastaba.Array) and got.dtype == np.int64 and np.array_equal(got.numpy(), wanted)
    assert mastaba.signal.convolve(whole, [0.5, 1]).numpy().tolist() == [0, 0.5, 2, 2]
    with pytest.raises(mastaba.errors.ArgumentError, match="not a list"):
        mastaba.evaluate("a + 1", {"a": whole}, out=[1, 2, 3])


def test_masks_are_not_lost():
    def written(values):
        there = mastaba.empty(2)
        there[...] = values
        return there

    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for call in (mastaba.asarray, lambda a: mastaba.evaluate("a + 1", {"a": a}), written):
        with pytest.raises(mastaba.errors.ArgumentError, match="mask would be lost"):
            call(masked)
        assert call(np.ma.array([1.0, 2.0])).shape == (2,)


def test_pyopencl():
    cl = pytest.importorskip("pyopencl")
    arrays = pytest.importorskip("pyopencl.array")
    try:
        context = cl.create_some_context(interactive=False)
    except cl.Error as error:
        pytest.skip(str(error))
    theirs = arrays.to_device(cl.CommandQueue(context), numbers(5, 8))
    ours = mastaba.asarray(theirs)
    assert ours.int_ptr == theirs.base_data.int_ptr
    got = mastaba.fft.fft(ours)
    assert np.array_equal(got.numpy(), mastaba.fft.fft(theirs.get()))
    assert np.array_equal(mastaba.fft.fft(theirs).numpy(), got.numpy())  # as it is
    one = arrays.to_device(theirs.queue, np.arange(6.0))
    assert mastaba.evaluate("2*a", {"a": one[::-2]}).numpy().tolist() == [10, 6, 2]
    assert mastaba.signal.convolve(one, np.ones(2)).numpy().tolist() == [0, 1, 3, 5, 7, 9, 5]
    assert mastaba.asarray(arrays.empty(theirs.queue, (0, 3), np.float32)).shape == (0, 3)
    mastaba.fft.fft(ours, overwrite_x=True)
    assert np.array_equal(theirs.get(), got.numpy())


@pytest.mark.parametrize("kinds", ["qq", "BB", "hB", "??", "?i", "QH", "qQ"])
def test_sums_of_whole_numbers(kinds):
    """Exact, and in the same type, as those on the host are."""
    random = np.random.default_rng(9)
    for shape in ((50,), (9, 12), (4, 5, 6)):
        x = random.integers(0, 200, shape).astype(kinds[0])
        y = random.integers(0, 9, tuple(max(1, n // 3) for n in shape)).astype(kinds[1])
        calls = [(name, (mode,), {"method": method}) for name in ("convolve", "correlate") for mode, method in
                 (("full", "auto"), ("same", "direct"), ("valid", "fft"))]
        if len(shape) == 2:
            calls += [("convolve2d", ("same", boundary, 1), {}) for boundary in ("fill", "wrap", "symm")]
        for name, arguments, options in calls:
            got, wanted = (getattr(mastaba.signal, name)(a, y, *arguments, **options) for a in (mastaba.asarray(x), x))
            assert isinstance(got, mastaba.Array) and got.dtype == wanted.dtype and np.allclose(got.numpy(), wanted, rtol=1e-13, atol=0 if wanted.dtype.kind != "f" else 1e-9), \
                (name, arguments, options)
    a, out = mastaba.asarray(np.arange(5)), mastaba.empty(9, np.int64)
    assert mastaba.signal.convolve(a, a, out=out) is out and np.array_equal(out.numpy(), np.convolve(np.arange(5), np.arange(5)))
    with pytest.raises(mastaba.errors.UnsupportedError, match="exact up to"):
        mastaba.signal.convolve(a + 2**40, a + 2**40)
