"""What SciPy's tests do not see: devices and budgets, refusals, threads, forks, interrupts, and an interpreter that ends with plans."""
import concurrent.futures
import functools
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mastaba


def reference(x):
    """The transform along the last axis by its definition, in long double where there is one."""
    n = x.shape[-1]
    k = np.arange(n)
    return x.astype(np.clongdouble) @ np.exp(-2j * np.pi * (np.outer(k, k) % n).astype(np.longdouble) / n)


def numbers(*shape, kind=np.complex128, seed=1):
    r = np.random.default_rng(seed)
    return (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype(kind)


@pytest.mark.parametrize("kind, gate", [(np.complex64, 1e-6), (np.complex128, 2e-15)])
@pytest.mark.parametrize("n", [1, 2, 12, 37, 100])
def test_strides_and_orders(kind, gate, n):
    whole = numbers(3, 2 * n, 4, kind=kind)
    for x in (whole[:, ::2], whole[:, :n][:, ::-1], whole[:, :n].astype(whole.dtype.newbyteorder(">")), np.asfortranarray(whole[:, :n])):
        wanted = np.moveaxis(reference(np.moveaxis(x, 1, -1)), -1, 1)
        got = mastaba.fft.fft(x, axis=1)
        assert got.dtype == kind
        assert np.linalg.norm(got - wanted) <= gate * np.linalg.norm(wanted)


def test_many_axes():
    x = numbers(2, 3, 2, 1, 2, 3, 2, 2, 3)
    assert np.allclose(mastaba.fft.ifftn(mastaba.fft.fftn(x)), x)
    assert np.allclose(mastaba.fft.irfftn(mastaba.fft.rfftn(x.real), x.shape), x.real)
    assert np.allclose(mastaba.fft.fft(x, axis=5), np.moveaxis(reference(np.moveaxis(x, 5, -1)), -1, 5))


def test_inputs_are_left_alone():
    x = numbers(8, 60)
    kept = x.copy()
    for call in (mastaba.fft.fft, mastaba.fft.ifft, mastaba.fft.irfft, lambda a: mastaba.fft.rfft(a.real), mastaba.fft.hfft, mastaba.fft.fftn):
        call(x)
        assert np.array_equal(x, kept)
    z = mastaba.fft.fft(x, overwrite_x=True)
    assert z is x


def test_budget():
    x = numbers(256, 1024)
    with mastaba.budget(device="300kB"):
        assert np.array_equal(mastaba.fft.fft(x), mastaba.fft.fft(x.copy()))
    with mastaba.budget(device=2000), pytest.raises(mastaba.errors.BudgetError, match="budget") as caught:
        mastaba.fft.fft(x)
    assert isinstance(caught.value, MemoryError)
    for wrong in ("4 parsecs", "-1", 0, "0GiB"):
        with pytest.raises(mastaba.errors.ArgumentError, match="amount of memory"), mastaba.budget(device=wrong):
            pass


def test_one_vector_larger_than_the_budget(tmp_path):
    """Panels, from a memory map to another one, and in place, where a copy is made."""
    x, z = (np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", np.complex64, (2**19,)) for name in "xz")
    x[:] = numbers(2**19, kind=np.complex64)
    wanted = mastaba.fft.fft(x)
    with mastaba.budget(device="1MiB", host="2MiB"):
        assert mastaba.fft.fft(x, out=z) is z
        assert np.linalg.norm(z - wanted) <= 1e-6 * np.linalg.norm(wanted)
        for again in (mastaba.fft.fft(np.array(x), overwrite_x=True), mastaba.fft.fft(x, out=x)):
            assert np.array_equal(again, z)


def test_devices():
    assert mastaba.devices()
    with mastaba.use(0):
        assert mastaba.fft.fft(np.ones(2))[0] == 2
    with pytest.raises(mastaba.errors.NoDeviceError), mastaba.use("no such device"):
        pass


def test_groups_of_devices():
    """Two parts of a device share out blocks, and give its bits."""
    x = numbers(300, 500)
    one = mastaba.fft.fft(x[0])  # one array a call goes another way than several
    alone = mastaba.fft.fft(x), mastaba.evaluate("x*2 + 1", {"x": x}), mastaba.integrate.quad_vec(lambda t: np.array([t, t**2, t**3]), 0, 1)[0]
    try:
        with mastaba.use("0/2"):
            pass
    except mastaba.errors.OpenCLError as error:  # CPUs are cut, GPUs mostly not
        pytest.skip(str(error))
    for devices in ("0/2", ["0/2"]):
        with mastaba.use(devices), mastaba.budget(device="1MiB"):
            together = mastaba.fft.fft(x), mastaba.evaluate("x*2 + 1", {"x": x}), mastaba.integrate.quad_vec(lambda t: np.array([t, t**2, t**3]), 0, 1)[0]
            on_lead = mastaba.asarray(x[0])
            assert np.array_equal(mastaba.fft.fft(on_lead).numpy(), one)
        assert all(np.array_equal(one, other) for one, other in zip(alone, together))
    with pytest.raises(mastaba.errors.ArgumentError), mastaba.use([]):
        pass


def test_refusals():
    with pytest.raises(mastaba.errors.UnsupportedError):
        mastaba.fft.fft(np.ones(4, np.longdouble))
    with pytest.raises(TypeError):
        mastaba.fft.fft(np.array(["a", "b"]))
    with pytest.raises(mastaba.errors.ArgumentError) as caught:
        mastaba.evaluate("a +* 2", {"a": np.ones(3)})
    assert "^" in str(caught.value)
    for text, options, why in (("b + 1", {}, "there is no b"), (3, {}, "is a text"), ("a\0 + 1", {}, "code 0"), ("sum(a)", {"axis": ()}, "no axes"),
                               ("a + k", {}, "64 bits")):
        with pytest.raises(mastaba.errors.ArgumentError, match=why):
            mastaba.evaluate(text, {"k": 2**70, **({} if "b" in str(text) else {"a": np.ones(3)})}, **options)
    for text in ("x\0 + 1", "x\0"):
        with pytest.raises(mastaba.errors.ArgumentError, match="code 0"):
            mastaba.integrate.quad(text, 0, 1)
    a = np.ones(5)
    with pytest.raises(mastaba.errors.ArgumentError, match="shares memory"):
        mastaba.evaluate("2*a", {"a": a}, out=a)
    assert np.array_equal(a, np.ones(5))


def test_known_expressions_refuse_their_inputs_as_out():
    """As the first call of the like does: the input itself, other views of it, any of several inputs."""
    a, b, whole = np.arange(5.0), np.ones(5), np.arange(7.0)
    for text, wanted in (("2*a", 2 * a), ("2*a + b", 2 * a + b)):
        for _ in range(2):
            out = np.empty(5)
            assert mastaba.evaluate(text, {"a": a, "b": b}, out=out) is out and np.array_equal(out, wanted)
    for wrong in (a, a[:], a.view()):
        with pytest.raises(mastaba.errors.ArgumentError, match="shares memory"):
            mastaba.evaluate("2*a", {"a": a}, out=wrong)
    for operands, wrong in (((a, b), a), ((a, b), b), ((a, b), a[:]), ((whole[1:6], b), whole[:5]), ((whole[:5], b), whole[:5])):
        with pytest.raises(mastaba.errors.ArgumentError, match="shares memory"):
            mastaba.evaluate("2*a + b", dict(zip("ab", operands)), out=wrong)
    assert np.array_equal(a, np.arange(5)) and np.array_equal(b, np.ones(5)) and np.array_equal(whole, np.arange(7))


def test_known_calls_are_not_taken_for_others():
    """An expression whose text is a function's name, and names that stand for an array in one call and for themselves in another."""
    x, y = numbers(8), np.arange(5.0)
    with mastaba.budget(device="60MiB"):  # of its own
        for _ in range(2):
            mastaba.fft.fft(x), mastaba.fft.fft(x[::-1]), mastaba.signal.convolve(y, y), mastaba.signal.convolve(y, y, "same", out=np.empty(5))
        for _ in range(2):
            assert np.array_equal(mastaba.evaluate("fft", {"fft": x}), x) and np.array_equal(mastaba.evaluate("fft", {"fft": x[::-1]}), x[::-1])
            assert np.array_equal(mastaba.evaluate("convolve", {"convolve": y}, out=np.empty(5)), y)
        for _ in range(2):
            assert np.array_equal(mastaba.evaluate("e*a", {"e": y, "a": y}), y * y)
            assert np.array_equal(mastaba.evaluate("e*a", {"a": y}, out=np.empty(5)), np.e * y)
        square = np.arange(6.0).reshape(2, 3)
        for _ in range(2):
            assert np.array_equal(mastaba.evaluate("i0 + 10*i1", {"i0": square}), square + 10 * np.arange(3))
            assert np.array_equal(mastaba.evaluate("i0 + 10*i1", {"i1": square}), np.arange(2)[:, None] + 10 * square)


def test_evaluate():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3, dtype=np.float32)
    scale = 3
    assert np.allclose(mastaba.evaluate("scale*a + b/2"), scale * a + b / 2)
    assert mastaba.evaluate("b + 1").dtype == np.float32
    out = np.full((3, 2), np.nan).T
    assert mastaba.evaluate("a*a", {"a": a}, out=out) is out and np.array_equal(out, a * a)


TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64",
         "complex128")


@pytest.mark.parametrize("k", range(len(TYPES)))
def test_types_are_those_of_numpy(k):
    a, b = np.array([[1], [0], [3]], TYPES[k]), np.array([1, 2], TYPES[(3 * k + 5) % len(TYPES)])
    got = mastaba.evaluate("a + b")
    assert got.dtype == (a + b).dtype and np.array_equal(got, a + b)


def test_operations_are_those_of_numpy():
    rng = np.random.default_rng(5)
    i, j = (rng.integers(-2**31, 2**31, 300).astype(np.int32) // rng.choice([1, 1000, 2**28], 300).astype(np.int32) for _ in range(2))
    z = rng.normal(size=300) + 1j * rng.normal(size=300)
    x = np.float32(2.5)
    with np.errstate(all="ignore"):
        assert np.array_equal(mastaba.evaluate("i // j + i % j + (i << 3) - xor(i, j & 255)"), i // j + i % j + (i << 3) - (i ^ (j & 255)))
        assert mastaba.evaluate("i / 2").dtype == np.float64 and mastaba.evaluate("x * 2.5").shape == ()
        assert np.array_equal(mastaba.evaluate("(i > j) & (i < 5)"), (i > j) & (i < 5))
        assert np.allclose(mastaba.evaluate("sqrt(z)*exp(z)/conj(z) + abs(z)**2 - 2*c", {"z": z, "c": 1 + 2j}),
                           np.sqrt(z) * np.exp(z) / z.conj() + abs(z)**2 - 2 - 4j)
    assert np.array_equal(mastaba.evaluate("i*1.5", out_dtype="uint8"), np.clip(np.trunc(i * 1.5), 0, 255))
    with pytest.raises(mastaba.errors.ArgumentError, match="shape"):
        mastaba.evaluate("a + b", {"a": np.ones(3), "b": np.ones(4)})
    with pytest.raises(mastaba.errors.ArgumentError, match="no integer that int8"):
        mastaba.evaluate("a + 300", {"a": np.ones(3, np.int8)})


def test_threads():
    x = [numbers(16, 100 + k, seed=k) for k in range(8)]
    alone, together = [mastaba.fft.fft(a) for a in x], [None] * len(x)

    def work(k):
        for _ in range(20):
            together[k] = mastaba.fft.fft(x[k])

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(len(x))))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together))


def test_plans_are_bounded():
    mastaba.set_cache(3)
    try:
        for n in range(40, 50):
            assert abs(mastaba.fft.fft(np.ones(n))[0] - n) < 1e-12 * n
        assert 0 < len(mastaba._contexts.current().plans) <= 3
        mastaba.set_cache(0)
        for n in range(40, 50):
            assert not mastaba._contexts.current().plans and abs(mastaba.fft.fft(np.ones(n))[0] - n) < 1e-12 * n
    finally:
        mastaba.set_cache(64)
    with pytest.raises(mastaba.errors.ArgumentError):
        mastaba.set_cache(-1)


def test_plans_that_are_used_are_kept():
    """Calls that go straight to their plan count as its use."""
    mastaba.set_cache(3)
    try:
        x = numbers(2, 36)
        with mastaba.budget(device="63MiB") as context:  # of its own
            for n in range(40, 46):
                assert np.allclose(mastaba.fft.fft(x), reference(x))
                mastaba.fft.fft(np.ones(n, complex))
                mastaba.fft.fft(np.ones(n + 10, complex))
                plans = [key for key in context.plans if key[1][1] == (2, 36)]
                assert len(plans) == 1 and len(context.plans) <= 3
    finally:
        mastaba.set_cache(64)


def test_plans_are_in_the_order_of_their_use():
    """Those of arrays in C order, which go the shortest way, and of others by turns."""
    dense, strided = numbers(2, 36), numbers(5, 14)[:, ::2]
    with mastaba.budget(device="62MiB") as context:  # of its own
        for _ in range(4):
            for x in (dense, strided):
                mastaba.fft.fft(x)
                assert [*context.plans][-1][1][1] == x.shape


def test_what_handlers_raise_in_known_calls():
    """A signal's handler runs between two steps of Python, behind the call of the library, say: what it raises is not a sign of odd arguments."""
    class Stop(ValueError):
        pass

    def stopped(*arguments):
        raise Stop

    x = numbers(2, 36)
    with mastaba.budget(device="61MiB") as context:
        for _ in range(2):
            mastaba.fft.fft(x)
        (key, (plan, plan_key, _, *rest)), = context.plain.items()
        context.plain[key] = plan, plan_key, stopped, *rest
        with pytest.raises(Stop):
            mastaba.fft.fft(x)


def test_known_calls_of_many_threads():
    """Those of one plan at a time, with other data and results in each thread."""
    wrong, each = [], [numbers(16, 64, seed=k) for k in range(6)]
    wanted = [reference(x) for x in each]

    def work(k):
        out = np.empty_like(each[k])
        for _ in range(200):
            if not np.allclose(mastaba.fft.fft(each[k]), wanted[k]) or mastaba.fft.fft(each[k], out=out) is not out or not np.allclose(out, wanted[k]):
                wrong.append(k)

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(6)))
    assert not wrong


def run(program, **variables):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env={**os.environ, **variables})


def test_end_with_plans_and_threads_alive():
    done = run("import numpy as np, mastaba, threading, time\n"
               "def work():\n"
               "    while True: mastaba.fft.fft(np.ones((100, 1000)))\n"
               "mastaba.fft.fft(np.ones(8))\n"
               "threading.Thread(target=work, daemon=True).start()\n"
               "time.sleep(0.3)\n"
               "print('end')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_what_was_on_the_device_before_a_fork():
    """It is not there in the child, which is told so, and still there in the parent."""
    done = run("import numpy as np, mastaba, os\n"
               "a = mastaba.asarray([1.0, 2.0]); stream = mastaba.signal.Convolver([1.0], latency=16)\n"
               "solver = mastaba.Solver({'grid': [4], 'fields': {'u': 'x'}, 'update': [{'u': '2*u'}]})\n"
               "child = os.fork()\n"
               "if child == 0:\n"
               "    refused = 0\n"
               "    calls = (a.numpy, a.copy, lambda: a + 1, lambda: solver.run(1), lambda: solver['u'], lambda: stream.process([1.0]), mastaba.devices)\n"
               "    for call in calls:\n"
               "        try: call()\n"
               "        except mastaba.Error as error: refused += 'spawn' in str(error)\n"
               "    del a, stream, solver\n"
               "    os._exit(len(calls) - refused)\n"
               "print(os.waitpid(child, 0)[1], a.numpy().sum(), solver.run(1)['u'].sum())")
    assert (done.returncode, done.stdout) == (0, "0 3.0 12.0\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork():
    done = run("import numpy as np, mastaba, os\n"
               "mastaba.fft.fft(np.ones(8))\n"
               "child = os.fork()\n"
               "if child == 0:\n"
               "    try: mastaba.fft.fft(np.ones(8))\n"
               "    except mastaba.Error as error: os._exit(0 if 'spawn' in str(error) else 1)\n"
               "    os._exit(2)\n"
               "print(os.waitpid(child, 0)[1], mastaba.fft.fft(np.ones(8))[0].real)")
    assert (done.returncode, done.stdout) == (0, "0 8.0\n"), done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler here")
def test_a_device_without_double_precision(tmp_path):
    """It refuses double precision by a class of its own, leaves inputs alone, and does the rest. The loader says that it has none."""
    source, fake = pathlib.Path(__file__).parents[2] / "tests" / "preload_no_fp64.c", tmp_path / "fake.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-DCL_TARGET_OPENCL_VERSION=120", source, "-o", fake, "-Wl,--no-as-needed", "-l:libOpenCL.so.1", "-ldl"], check=True)
    done = run("import numpy as np, mastaba\n"
               "x = np.arange(6.0)\n"
               "for call in (mastaba.fft.fft, mastaba.fft.rfft, lambda x: mastaba.signal.fftconvolve(x, x)):\n"
               "    try: call(x)\n"
               "    except mastaba.errors.UnsupportedError as error: print('double' in str(error) or 'float64' in str(error))\n"
               "print(np.array_equal(x, np.arange(6)), mastaba.fft.fft(x.astype(np.float32))[0] == 15)", LD_PRELOAD=fake, MASTABA_OPENCL=fake)
    assert done.stdout == "True\nTrue\nTrue\nTrue True\n", done


def test_results_go_where_they_are_wanted():
    x, real = numbers(6, 8), numbers(6, 8).real
    for call, a in ((mastaba.fft.fft, x), (mastaba.fft.ifftn, x), (mastaba.fft.fft, real), (mastaba.fft.rfft, real), (mastaba.fft.irfft, x),
                    (mastaba.fft.hfft, x), (mastaba.fft.ihfft, real), (mastaba.fft.dct, real), (mastaba.fft.dstn, x)):
        wanted = call(a)
        out = np.full(wanted.shape[::-1], np.nan, wanted.dtype).T
        assert call(a, out=out) is out and np.allclose(out, wanted, rtol=1e-13)
        with pytest.raises(mastaba.errors.ArgumentError, match="out must be"):
            call(a, out=out[1:])
    kept = x.copy()
    with pytest.raises(mastaba.errors.ArgumentError, match="shares memory"):
        mastaba.fft.fft(x[:3], out=x[1:4])
    assert np.array_equal(x, kept)
    wanted = mastaba.fft.fft(x)
    assert mastaba.fft.fft(x, out=x) is x and np.allclose(x, wanted)
    for operands in ((real[0], real[1]), (real, real[:2, :2]), (np.arange(5), np.arange(3))):
        wanted = mastaba.signal.convolve(*operands)
        out = np.zeros_like(wanted)
        assert mastaba.signal.convolve(*operands, out=out) is out and np.allclose(out, wanted)
    for call, mode, boundary, device in itertools.product((mastaba.signal.convolve2d, mastaba.signal.correlate2d), ("full", "same", "valid"),
                                                          ("fill", "wrap"), (False, True)):
        a, b = (mastaba.asarray(a) if device else a for a in (real, x[:2, :3].real))
        wanted = call(a, b, mode, boundary, 0)
        out = mastaba.asarray(np.full(wanted.shape, np.nan)) if device else np.full(wanted.shape[::-1], np.nan).T
        assert call(a, b, mode, boundary, 0, out=out) is out and np.allclose(np.asarray(out), np.asarray(wanted), rtol=1e-13)
        frozen = np.zeros(wanted.shape)
        frozen.flags.writeable = False
        for wrong, words in ((out[1:], f"not a {type(out).__name__} of float64 and shape"), ([1.0], "not a list"), (frozen, "read-only")):
            with pytest.raises(mastaba.errors.ArgumentError, match="out must be a.* of float64 and shape .*" + words) as refused:
                call(a, b, mode, boundary, 0, out=wrong)
            assert "\n" not in str(refused.value)
    three = np.array(3.0)
    assert mastaba.signal.convolve(three, three, out=(out := np.empty(()))) is out and out == 9
    a = mastaba.asarray(kept)
    out = mastaba.empty(a.shape, a.dtype)
    assert mastaba.fft.fft(a, out=out) is out and np.array_equal(a.numpy(), kept) and mastaba.fft.ifft(out, out=out) is out
    assert np.allclose(out.numpy(), kept)


def test_known_convolutions():
    """Convolutions whose like came before take the kept plan: all modes, broadcast operands, on the host and on the device."""
    with mastaba.budget(device="67MiB") as context:  # of its own, where no other test's plans go
        check_known_convolutions(mastaba.signal, context.known, np.random.default_rng(8))


def check_known_convolutions(signal, known, r):
    for device, mode, (n, m, axes) in itertools.product((False, True), ("full", "same", "valid"), (
            ((40,), (7,), None), ((3, 40), (1, 7), 1), ((1, 40), (3, 7), 1), ((40, 3), (7, 1), 0), ((9, 8), (3, 4), None))):
        calls = [functools.partial(signal.fftconvolve, axes=axes)] + [signal.convolve, signal.correlate] * (axes is None)
        for call, k in itertools.product(calls, range(3)):
            x, y = r.standard_normal(n), r.standard_normal(m)
            before = dict(known)
            got = np.asarray(call(*(mastaba.asarray(a) if device else a for a in (x, y)), mode))
            kept = x.shape[0] != 1 or mode != "same"  # where the middle one of several in2 is a part
            assert known.keys() == before.keys() if k else len(known) == len(before) + kept
            full = sum(np.pad(x * value, [(i, p - 1 - i) for i, p in zip(place, other)])
                       for place, value, other in spread(y if call is not signal.correlate else y[(slice(None, None, -1),) * y.ndim], axes))
            cut = [slice(None)] * full.ndim
            for axis in range(full.ndim) if axes is None else [axes]:
                first = {"full": 0, "same": (m[axis] - 1) // 2, "valid": m[axis] - 1}[mode]
                cut[axis] = slice(first, first + {"full": n[axis] + m[axis] - 1, "same": n[axis], "valid": n[axis] - m[axis] + 1}[mode])
            full = full[tuple(cut)]
            wanted = full[1:2] if n[0] == 1 and len(n) == 2 and mode == "same" else full
            assert got.shape == wanted.shape and np.allclose(got, wanted, rtol=1e-11, atol=1e-12), (device, mode, n, m, call)


def spread(y, axes):
    """What each term of a convolution's sum is made from: its place along the axes, its factor, and how far places go."""
    along = range(y.ndim) if axes is None else [axes]
    ends = [y.shape[k] if k in along else 1 for k in range(y.ndim)]
    for place in np.ndindex(*ends):
        part = y[tuple(slice(i, i + 1) if k in along else slice(None) for k, i in enumerate(place))]
        yield place, part, ends


def test_files_by_path(tmp_path):
    """A file's name stands for its array; what is no such file is refused in one line."""
    x = numbers(6, 8)
    for values, name in ((x, "c.npy"), (np.asfortranarray(x.real), "f.npy"), (x.real[0].astype(">f4"), "swapped.npy")):
        path = tmp_path / name
        np.save(path, values)
        real = values.real
        np.save(tmp_path / "real.npy", real)
        for given in (path, str(path)):
            assert np.array_equal(mastaba.fft.fft(given), mastaba.fft.fft(values))
            assert np.array_equal(mastaba.asarray(given).numpy(), values)
            assert np.array_equal(mastaba.evaluate("2*a", {"a": given}), 2 * values)
        there = tmp_path / "real.npy"
        assert np.allclose(mastaba.signal.convolve(there, real, "same"), mastaba.signal.convolve(real, real, "same"), rtol=1e-12, atol=1e-13)
        assert np.allclose(mastaba.signal.convolve(real, str(there)), mastaba.signal.convolve(real, real), rtol=1e-12, atol=1e-13)
        assert np.allclose(mastaba.ndimage.gaussian_filter(there, 1), mastaba.ndimage.gaussian_filter(real, 1), rtol=1e-12, atol=1e-13)
    with pytest.raises(FileNotFoundError):
        mastaba.fft.fft("none.npy")
    (tmp_path / "text.npy").write_text("no array")
    np.savez(tmp_path / "several.npz", x)
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    for wrong in ("text.npy", "several.npz", "objects.npy"):
        for call in (mastaba.fft.fft, mastaba.asarray, lambda a: mastaba.ndimage.gaussian_filter(a, 1), lambda a: mastaba.signal.convolve(x, a)):
            with pytest.raises(mastaba.errors.ArgumentError, match=f"{wrong}' is no .npy file") as refused:
                call(tmp_path / wrong)
            assert "\n" not in str(refused.value)


def test_known_calls():
    """Calls whose like came before: other data, layouts, options, contexts, outputs, and what is refused, thrice each."""
    x, real, wanted = numbers(6, 8), numbers(6, 8).real, reference(numbers(6, 8))
    there = mastaba.asarray(x)
    for k in range(3):
        z = x * (k + 1)
        assert np.allclose(mastaba.fft.fft(z), wanted * (k + 1)) and np.allclose(mastaba.fft.fft(np.asfortranarray(z)), wanted * (k + 1))
        assert np.allclose(mastaba.fft.fft(z.astype(">c16")), wanted * (k + 1)) and np.allclose(mastaba.fft.fft(z, norm="forward"), wanted * (k + 1) / 8)
        assert np.allclose(mastaba.fft.ihfft(real), np.conj(reference(real)[:, :5]) / 8) and np.allclose(mastaba.fft.fft(real), reference(real))
        assert np.allclose(mastaba.signal.fftconvolve(z[0], x[1]), np.convolve(z[0], x[1]))
        out = np.empty_like(z)
        assert mastaba.fft.fft(z, out=out) is out and np.allclose(out, wanted * (k + 1))
        assert mastaba.fft.fft(z, out=z) is z and np.allclose(z, out)
        z = x.copy()
        assert mastaba.fft.fft(z, overwrite_x=True) is z and mastaba.fft.fft(there) is not there and np.allclose(mastaba.fft.fft(there).numpy(), wanted)
        with mastaba.budget(device="1MiB"):
            assert np.allclose(mastaba.fft.fft(x), wanted) and mastaba.fft.fft(mastaba.asarray(x)).context is not there.context
            with pytest.raises(mastaba.errors.ArgumentError, match="two devices"):
                mastaba.fft.fft(there, out=mastaba.asarray(x))
        for wrong in (out[1:], x[:3]):
            with pytest.raises(mastaba.errors.ArgumentError):
                mastaba.fft.fft(x[1:4], out=wrong)
        out.flags.writeable = False
        with pytest.raises(mastaba.errors.ArgumentError, match="writable"):
            mastaba.fft.fft(x, out=out)
        mastaba.set_cache(1)  # which forgets the plans
        mastaba.fft.rfft(real)
        assert np.allclose(mastaba.fft.fft(x), wanted)
        mastaba.set_cache(64)


def test_known_expressions():
    """The same of evaluate: other values, layouts, numbers, options, contexts, outputs, and what is refused, thrice each."""
    a, b = numbers(6, 8).real, numbers(8, seed=2).real
    there = mastaba.asarray(a)
    for k in range(3):
        x, s = a * (k + 1), 2.0
        assert np.array_equal(mastaba.evaluate("s*x + b"), s * x + b) and np.array_equal(mastaba.evaluate("s*x + b", {"s": -0.0, "x": x, "b": b}), -0.0 * x + b)
        assert np.array_equal(mastaba.evaluate("s*x + b", {"s": 2, "x": x.astype(int), "b": b.astype(np.int16)}), 2 * x.astype(int) + b.astype(np.int16))
        assert np.array_equal(np.signbit(mastaba.evaluate("x*s", {"x": x, "s": -0.0})), np.signbit(-x * 0.0))
        assert np.array_equal(np.signbit(mastaba.evaluate("x*s", {"x": x, "s": 0.0})), np.signbit(x * 0.0))
        for y in (x[::-1], np.asfortranarray(x), x.astype(">f8")):
            assert np.array_equal(mastaba.evaluate("y + b"), y + b)
        assert mastaba.evaluate("x + 1", order="F").flags.f_contiguous and mastaba.evaluate("x + 1").flags.c_contiguous
        assert np.allclose(mastaba.evaluate("sum(x)"), x.sum()) and np.allclose(mastaba.evaluate("sum(x)", axis=1), x.sum(1))
        assert np.allclose(mastaba.evaluate("sum(x)", axis=[0]), x.sum(0)) and np.allclose(mastaba.evaluate("sum(x, 0)"), x.sum(0))
        assert mastaba.evaluate("x", dtype=np.float32).dtype == np.float32 and mastaba.evaluate("x").dtype == np.float64
        out = np.empty_like(x)
        assert mastaba.evaluate("x + i0", out=out) is out and np.array_equal(out, x + np.arange(6)[:, None])
        assert np.array_equal(mastaba.evaluate("x + 1", {"x": there}).numpy(), a + 1) and np.array_equal(mastaba.evaluate("x + y", {"x": there, "y": a}).numpy(), a + a)
        with mastaba.budget(device="1MiB"):
            assert np.array_equal(mastaba.evaluate("x + 1"), x + 1)
        for wrong in (x, x[0], np.empty((6, 8), ">f8"), [0]):
            with pytest.raises(mastaba.errors.ArgumentError, match="out"):
                mastaba.evaluate("x + 1", out=wrong)
        out.flags.writeable = False
        with pytest.raises(mastaba.errors.ArgumentError, match="writable"):
            mastaba.evaluate("x + i0", out=out)
        with pytest.raises(mastaba.errors.ArgumentError, match="no array"):
            mastaba.evaluate("s + nothing")
        mastaba.set_cache(1)  # which forgets the plans
        mastaba.fft.rfft(a)
        assert np.array_equal(mastaba.evaluate("s*x + b"), s * x + b)
        mastaba.set_cache(64)
    ones = np.ones(2, np.int64)
    for k in (2**53, 2**53 + 1, 2**53, 2**63 - 2):  # whole numbers that are one as floats
        assert mastaba.evaluate("ones + k").tolist() == [k + 1] * 2
    with pytest.raises(mastaba.errors.ArgumentError, match="64 bits"):
        mastaba.evaluate("ones + k", {"ones": ones, "k": 10**400})
    raw = np.zeros(8 * 8 + 1, np.uint8)
    for _ in range(3):
        for z in (raw[:-1].view(float), raw[1:].view(float)):
            z[:] = b
            assert np.array_equal(mastaba.evaluate("z + 1"), b + 1)
    assert mastaba.evaluate("c", {"c": np.float32(2.5)}).shape == () and mastaba.evaluate("c*2", {"c": np.array(2.5)}) == 5


def test_known_calls_are_of_exact_types():
    """8.0 equals 8, and is no length; a list of axes is no key."""
    x = numbers(4, 8)
    for _ in range(2):
        assert np.allclose(mastaba.fft.fft(x, 8), mastaba.fft.fft(x)) and np.allclose(mastaba.fft.fftn(x, axes=(0, 1)), mastaba.fft.fftn(x, axes=[0, 1]))
    for call in (lambda: mastaba.fft.fft(x, 8.0), lambda: mastaba.fft.fft(x, n=8.0), lambda: mastaba.fft.fft(x, 8, 1.0)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError):
        mastaba.fft.fftn(x, axes=(0.0, 1.0))


def test_known_calls_of_odd_memory():
    """Those that the same layout has in another place: not aligned, with no room left, on both sides of an output."""
    raw = np.zeros(16 * 8 + 1, np.uint8)
    odd, even = raw[1:].view(np.complex128), raw[:-1].view(np.complex128)
    whole = numbers(3, 8)
    for _ in range(3):
        for x in (even, odd):
            x[:] = whole[0]
            assert np.allclose(mastaba.fft.fft(x), reference(whole[0]))
        z = np.concatenate([whole.ravel(), np.zeros(8)])
        assert np.allclose(mastaba.fft.fft(z[8:16], out=z[24:]), reference(whole[1])) and np.allclose(mastaba.fft.fft(z[16:24], out=z[8:16]), reference(whole[2]))
        with pytest.raises(mastaba.errors.ArgumentError, match="shares"):
            mastaba.fft.fft(z[8:16], out=z[9:17])


def test_no_loader():
    """Without OpenCL's loader the package opens, and what needs a device says what to install."""
    done = run("import os; os.environ['MASTABA_OPENCL'] = 'no-such-loader.so'\n"
               "import mastaba\n"
               "assert mastaba.time_step_limit({'grid': [9], 'fields': {'u': 0}, 'update': [{'u': 'u + dt*laplace(u)'}]}) > 0\n"
               "try: mastaba.devices()\n"
               "except mastaba.errors.NoDeviceError as error: print(error)")
    assert done.stdout.startswith("no OpenCL loader (no-such-loader.so") and "ocl-icd-libopencl1" in done.stdout, done


def test_numbers_as_people_have_them():
    """Objects that are numbers, as columns of tables are, one number for a whole array, and nothing to transform; as in SciPy."""
    import decimal
    objects = np.array([decimal.Decimal(3), 1.5, 2, True], object)
    for transform in (mastaba.fft.fft, mastaba.fft.rfft, mastaba.fft.dct):
        assert np.allclose(transform(objects), transform([3, 1.5, 2, 1]))
    with pytest.raises(TypeError):
        mastaba.fft.fft(np.array([1, None, {}], object))
    for shape in ((12,), (5, 12), (12, 5)):
        for kind in ("f4", "f8", "c8"):
            x = np.broadcast_to(np.asarray(3, kind), shape)
            assert np.allclose(mastaba.fft.fftn(x), np.fft.fftn(x), atol=1e-4) and np.allclose(mastaba.fft.fft(x, axis=0), np.fft.fft(x, axis=0), atol=1e-4)
    assert mastaba.fft.fftn(np.float32(3)).dtype == np.float32 and mastaba.fft.fftn(np.ones(3), axes=()).dtype == float
    assert mastaba.fft.prev_fast_len(0) == 0 and mastaba.signal.choose_conv_method([], [1.0]) == "direct"
    assert mastaba.signal.correlate(True, True).dtype == bool
    for fill in (300, -1, np.nan):
        with pytest.raises(ValueError, match="fillvalue"):
            mastaba.signal.convolve2d(np.ones((3, 3), np.uint8), np.ones((2, 2), np.uint8), fillvalue=fill)
        assert mastaba.signal.convolve2d(np.ones((3, 3), np.uint8), np.ones((2, 2), np.uint8), boundary="symm", fillvalue=fill).min() == 4
    for kind, fill, corner in ((np.uint64, True, 4), (np.uint8, 255.5, 254), (np.uint8, np.int64(-1), 254), (np.uint8, -0.5, 1)):  # as SciPy's
        assert mastaba.signal.convolve2d(np.ones((3, 3), kind), np.ones((2, 2), kind), fillvalue=fill)[0, 0] == corner
    with pytest.raises(ValueError, match="mode"):
        mastaba.signal.convolve([1, 2], [1], ["full"])
    for wrong, kind in (("2", TypeError), (2.0, TypeError), (5, ValueError)):
        with pytest.raises(kind):
            mastaba.fft.idct(np.ones(4), wrong)


def test_interrupt():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
    x = np.ones((3000, 20000))
    with mastaba.budget(device="4MiB"):
        began = time.perf_counter()
        mastaba.fft.rfft(x)
        whole = time.perf_counter() - began
        threading.Timer(whole / 10, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            mastaba.fft.rfft(x)
            time.sleep(60)  # the signal came late
        assert mastaba.fft.fft(np.ones(4))[0] == 4


def test_interrupt_of_a_solver():
    """A run ends within a second of Ctrl-C, at a step that its state is of."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    solver = mastaba.Solver({"grid": [300, 300], "fields": {"u": "x < 150"}, "update": [{"u": "u + 0.2*laplace(u)"}]})
    solver.run(10)
    sent = []
    threading.Timer(0.3, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT))).start()
    with pytest.raises(KeyboardInterrupt):
        solver.run(10**8)
    late = time.perf_counter() - sent[0]
    assert late < 1 + os.getloadavg()[0], late  # a second, where nothing else is at work
    step, u = solver.step, solver["u"]
    assert 10 <= step < 10**8 and 0 <= u.min() and u.max() <= 1 and u.mean() < 0.5  # a fast device has let much of it flow out
    assert solver.run(5).step == step + 5


def test_interrupt_of_direct_sums():
    """A single convolution that takes minutes ends within a second."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    x, y = np.ones(2**22, np.float32), np.ones(2**19, np.float32)
    mastaba.signal.convolve(x[:2**12], y[:2**11], method="direct")  # compiles the kernel
    for there in (lambda a: a, mastaba.asarray):
        a, b, sent = there(x), there(y), []
        threading.Timer(0.3, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT))).start()
        with pytest.raises(KeyboardInterrupt):
            mastaba.signal.convolve(a, b, method="direct")
            time.sleep(60)  # a device that takes less than a second
        late = time.perf_counter() - sent[0]
        assert late < 1 + os.getloadavg()[0], late


def test_progress():
    x, seen = np.ones((3000, 2000)), []
    with mastaba.budget(device="4MiB"):
        with mastaba.progress(lambda done, total: seen.append((done, total))):
            mastaba.fft.rfft(x)
        assert len(seen) > 5 and seen == sorted(seen) and seen[-1][0] <= seen[-1][1] == 3000
        n = len(seen)
        with pytest.raises(mastaba.errors.CancelledError), mastaba.progress(lambda done, total: done < 1000):
            mastaba.fft.rfft(x)
        with pytest.raises(ZeroDivisionError), mastaba.progress(lambda done, total: 1 / 0):
            mastaba.fft.rfft(x)
        calls = []
        with pytest.raises(ValueError, match="literal"), mastaba.progress(lambda done, total: calls.append(done) or int("one")):
            mastaba.fft.rfft(x)
        assert len(calls) == 1  # the call is not made a second time
        mastaba.fft.rfft(x)
        assert len(seen) == n


def test_progress_of_arrays_on_the_device():
    """Not one long launch: what a plan's last call took says how much goes between two reports."""
    x, seen = np.random.default_rng(1).random((3000, 3000), np.float32), []
    a = mastaba.asarray(x)
    with mastaba.progress(lambda done, total: seen.append((done, total))):
        b = mastaba.evaluate("2*a + 1")
    assert "pthread" not in a.device or len(seen) > 2  # on CPUs 4,000,000 elements go first
    assert seen == sorted(seen) and seen[-1][0] == seen[-1][1]
    assert np.array_equal(b.numpy(), 2*x + 1)
    for call in (lambda: mastaba.fft.rfft(a), lambda: mastaba.evaluate("sum(sin(b))", {"b": a.T}, axis=1), lambda: mastaba.signal.fftconvolve(a, a[:1, :9], axes=1)):
        if "pthread" in a.device:
            with pytest.raises(mastaba.errors.CancelledError), mastaba.progress(lambda done, total: done == 0 or done == total):
                call()


def test_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(mastaba.Error, match="pip install tqdm"), mastaba.progress():
        pass
    bars = []

    class Bar:
        def __init__(self, total, **options):
            self.total, self.n, self.closed = total, 0, False
            bars.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", type(sys)("tqdm.auto"))
    sys.modules["tqdm.auto"].tqdm = Bar
    with mastaba.budget(device="4MiB"), mastaba.progress():
        for _ in range(2):
            mastaba.fft.rfft(np.ones((3000, 2000)))
    assert len(bars) == 2 and all(bar.closed and bar.n == bar.total == 3000 for bar in bars)


def test_memory_that_is_collected():
    """Arrays and contexts that end while a call runs, and plans of contexts that are forgotten."""
    import gc

    stop, x = threading.Event(), numbers(2000, 100)

    def collect():
        while not stop.is_set():
            mastaba.asarray(np.ones(1000))
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        given = [mastaba.asarray(x + k) for k in range(9)] + [x + k for k in range(9)]
        for k in range(18):  # which only the call holds
            assert np.allclose(np.asarray(mastaba.fft.ifft(mastaba.fft.fft(given.pop(0)))), x + k % 9)
        for k in range(10):  # more contexts than are kept
            with mastaba.budget(device=f"{8 + k}MiB"):
                assert np.allclose(mastaba.fft.ifft(mastaba.fft.fft(x + k)), x + k)
    finally:
        stop.set()
        thread.join()


def test_more_plans_than_a_budget_holds():
    with mastaba.budget(device="24MiB", host="24MiB"):
        for n in (1000, 1200, 1500, 1600, 1800, 2000):
            x = numbers(600, n)
            assert np.allclose(mastaba.fft.ifft(mastaba.fft.fft(x)), x)


def test_signs_of_zero_are_two_numbers():
    a = np.ones(3)
    for s in (0.0, -0.0, 0.0):
        assert np.array_equal(mastaba.evaluate("1/(a*s)"), np.full(3, np.inf if np.copysign(1, s) > 0 else -np.inf))


def test_whole_numbers():
    image, kernel = np.arange(12).reshape(3, 4), np.array([[0.5, 1]])
    got = mastaba.signal.convolve2d(image, kernel, fillvalue=0.5)
    padded = np.pad(image.astype(float), ((0, 0), (1, 1)), constant_values=0.5)
    assert np.allclose(got, 0.5 * padded[:, 1:] + padded[:, :-1])
    x = np.full(4, 60000, np.int32)
    assert np.array_equal(mastaba.signal.convolve(x, x), np.convolve(x, x))  # both wrap around
    x = np.full(3, 2**40)
    assert np.array_equal(mastaba.signal.convolve(x, [1, 2]), np.convolve(x, [1, 2]))
    assert mastaba.signal.fftconvolve(np.arange(5), [2]).dtype.kind == "i"


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (4, 0, 2, 3, 1)])
def test_real_transforms_of_many_axes(axes):
    x = numbers(3, 4, 2, 5, 3)
    one = x
    for axis in axes:
        one = mastaba.fft.dct(one, 2, axis=axis)
    assert np.allclose(mastaba.fft.dctn(x, 2, axes=axes), one)
    assert np.allclose(mastaba.fft.idstn(mastaba.fft.dstn(x.real, 3, axes=axes), 3, axes=axes), x.real)


def test_fast_lengths():
    assert mastaba.fft.next_fast_len(10**12 + 1, real=True) >= 10**12 + 1
    for real, primes in ((False, (2, 3, 5, 7, 11)), (True, (2, 3, 5))):
        fast = [n for n in range(1, 3000) if not [p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p)) and p not in primes]]
        for n in (1, 2, 7, 13, 97, 121, 1001, 2047, 2500):
            assert mastaba.fft.next_fast_len(n, real) == min(k for k in fast if k >= n)
            assert mastaba.fft.prev_fast_len(n, real) == max(k for k in fast if k <= n)


@pytest.mark.parametrize("name, last", [("docs/python.md", "u"), ("README.md", "value")])
def test_page(name, last):
    """The examples of a page run."""
    page = pathlib.Path(__file__).parents[2] / name
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert last in names


def test_same_keeps_the_shape_of_the_first():
    x, y = numbers(1, 5), numbers(4, 2)
    got = mastaba.signal.fftconvolve(x, y, "same", axes=1)
    assert got.shape == x.shape and np.allclose(got, mastaba.signal.fftconvolve(x, y[1:2], "same", axes=1))
    assert mastaba.signal.fftconvolve(y, x, "same", axes=1).shape == y.shape


def test_axes_of_length_one_are_products():
    """Whichever operand has the 1, and named or not: an operand may be the longer one along the axes that are left alone."""
    for (n, m), mode, axes in itertools.product((((5, 16), (56, 1)), ((56, 1), (5, 16)), ((1, 9), (4, 1)), ((1, 4), (3, 2))),
                                                ("full", "same", "valid"), (None, 0, (0, 1))):
        if axes == 0 and n[1] != m[1] and 1 not in (n[1], m[1]):
            continue
        x, y = numbers(*n), numbers(*m)
        along = [k for k in range(2) if 1 not in (n[k], m[k])]
        full = np.array([[sum(x[i % n[0], j % n[1]] * y[k % m[0], l % m[1]]
                              for i, k in pairs(a, n[0], m[0], 0 in along) for j, l in pairs(b, n[1], m[1], 1 in along))
                          for b in range(n[1] + m[1] - 1)] for a in range(n[0] + m[0] - 1)])
        first = {"full": (0, 0), "same": [(k - 1) // 2 for k in m], "valid": [min(k, l) - 1 for k, l in zip(n, m)]}[mode]
        length = {"full": full.shape, "same": n, "valid": [abs(k - l) + 1 for k, l in zip(n, m)]}[mode]
        wanted = full[first[0]:first[0] + length[0], first[1]:first[1] + length[1]]
        got = mastaba.signal.fftconvolve(x, y, mode, axes)
        assert got.shape == wanted.shape and np.allclose(got, wanted, rtol=1e-11, atol=1e-12), (n, m, mode, axes)


def pairs(at, n, m, summed):
    """The indices of two operands that meet at a place of a full convolution."""
    return [(i, at - i) for i in range(n) if 0 <= at - i < m] if summed else [(at, at)]


def test_correlations_of_bool():
    """Stay bool along any number of axes."""
    for shape in ((5,), (3, 4), (2, 3, 4)):
        x = np.random.default_rng(1).random(shape) < 0.3
        for method in ("direct", "fft", "auto"):
            got = mastaba.signal.correlate(x, x, "same", method)
            assert got.dtype == bool and np.array_equal(got, mastaba.signal.correlate(x.astype(int), x.astype(int), "same") > 0)


@pytest.mark.parametrize("channels, each, dtype", [(1, False, np.float32), (2, False, np.float64), (2, True, np.float32)])
def test_streams(channels, each, dtype):
    r = np.random.default_rng(3)
    kernel = r.standard_normal((700, channels) if each else 700)
    x = r.standard_normal((3000, channels)) if channels > 1 else r.standard_normal(3000)
    wanted = np.stack([np.convolve(a, k) for a, k in zip(np.atleast_2d(x.T), np.broadcast_to(np.atleast_2d(kernel.T), (channels, 700)))], -1)
    stream = mastaba.signal.Convolver(kernel, channels, latency=64, dtype=dtype)
    for _ in range(2):
        got, n = [], 0
        for size in (1, 63, 64, 500, 0, 1000, 1372):
            got.append(stream.process(x[n:n + size]))
            n += size
            assert n - 64 < sum(map(len, got)) <= n  # no later than the latency
        got = np.concatenate([*got, stream.flush()])
        assert got.shape == (wanted[:, 0] if channels == 1 else wanted).shape and got.dtype == dtype and np.allclose(got.reshape(wanted.shape), wanted, rtol=0, atol=3e-4 if dtype == np.float32 else 1e-12)
        with pytest.raises(mastaba.errors.ArgumentError):
            stream.process(x[:5])
        stream.restart()
    assert len(list(stream.stream(np.split(x, 3)))) == 4


def test_streams_that_cannot_be():
    for kernel, channels, latency in ((np.ones((3, 2)), 3, 64), ([], 1, 64), ([1j], 1, 64), ([1.0], 1, 48), (np.ones((2, 2, 2)), None, 64), ([1.0], 0, 64)):
        with pytest.raises(mastaba.errors.ArgumentError):
            mastaba.signal.Convolver(kernel, channels, latency=latency)
    with pytest.raises(mastaba.errors.ArgumentError, match="float16"):
        mastaba.signal.Convolver([1.0], dtype=np.float16)
    with pytest.raises(mastaba.errors.ArgumentError, match="row a frame"):
        mastaba.signal.Convolver([1.0], 2).process(np.ones((5, 3)))


def test_workers():
    """Are checked and told as SciPy's."""
    theirs = pytest.importorskip("scipy.fft")
    for n in (1, 3, -1, np.int16(2)):
        with mastaba.fft.set_workers(n), theirs.set_workers(n):
            assert mastaba.fft.get_workers() == theirs.get_workers()
            assert np.allclose(mastaba.fft.fft(np.ones(4)), [4, 0, 0, 0])
    assert mastaba.fft.get_workers() == 1
    for n, error in ((0, ValueError), (-10**6, ValueError), ("many", TypeError), (1.5, TypeError)):
        with pytest.raises(error), mastaba.fft.set_workers(n):
            pass


def test_a_last_axis_of_one_number():
    """SciPy's inverses along several axes take it for one real number; along one axis it is refused."""
    x = numbers(3, 4, 1, seed=2)
    for name in ("irfftn", "hfftn"):
        forward = name == "hfftn"
        wanted = (np.fft.fft2 if forward else np.fft.ifft2)(x, axes=(0, 1)).real
        got = getattr(mastaba.fft, name)(x)
        assert got.shape == (3, 4, 1) and np.allclose(got, wanted), name
        assert getattr(mastaba.fft, name[:-1] + "2")(x).shape == (3, 4, 1)
        assert np.allclose(getattr(mastaba.fft, name)(mastaba.asarray(x)).numpy(), wanted)
        with pytest.raises(ValueError):
            getattr(mastaba.fft, name[:-1])(x)
        with pytest.raises(ValueError):
            getattr(mastaba.fft, name)(x[..., :0])
