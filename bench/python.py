#!/usr/bin/env python3
"""bench/python.py [--calls 41] [--workers 2] [--seconds S] [--only TEXT] [--json FILE] [--commit ID]: the Python package beside SciPy, numexpr,
pyvkfft, CuPy, PyTorch and its own C calls.

Calls by turns, one of each, so that what else the machine does falls on all alike; medians. `c` is the library's call alone, on a plan
and an output that are there, through cffi; `out` is the package's function with out=, and `new` without, which takes fresh memory as
SciPy's does. `python` and `python new` are what of these was outside of the library's call: c/(c + python) is what to look at where other
work makes the library's part differ. `host` is what a small call spends in Python: the same with the library's calls left out. Cases on
the device have a mastaba.Array in and out, and the others arrays of their own there; each call ends when its result is there. --seconds is about
what all cases may take: the calls of each are fewer where it would take more. Run it with `chrt -f 10` where other work runs, a few cases at
a time; --json adds to what the file has.
"""
import argparse
import contextlib
import functools
import json
import os
import platform
import random
import statistics
import time

import numpy as np
import scipy.fft
import scipy.signal

import mastaba
from mastaba import _arrays, _contexts, _known, _map, _transforms
from mastaba import signal as _signal
from mastaba._library import execution, ffi, lib, per_thread

try:
    import numexpr
except ImportError:
    numexpr = None
try:
    import pyopencl
    import pyopencl.array
    import pyopencl.elementwise
except ImportError:
    pyopencl = None
try:
    import pyvkfft.opencl
    import pyvkfft.version
except ImportError:
    pyvkfft = None
try:
    import cupy
    import cupyx.scipy.fft
    import cupyx.scipy.ndimage
    import cupyx.scipy.signal
except ImportError:
    cupy = None
try:
    import torch
    torch = torch if torch.cuda.is_available() else None
except ImportError:
    torch = None

WORKERS = 2  # of SciPy


def numbers(kind, *shape):
    r = np.random.default_rng(1)
    x = r.standard_normal(shape) + (1j * r.standard_normal(shape) if np.dtype(kind).kind == "c" else 0)
    return x.astype(kind)


def last_plan(kind, array=None):
    """The plan that made an array last."""
    context = getattr(array, "context", None) or _contexts.current()
    return next(plan for key, plan in reversed(context.plans.items()) if key[0] == kind)


def transform(name, x, **options):
    ours, theirs = getattr(mastaba.fft, name), getattr(scipy.fft, name)
    out = ours(x, **options)
    plan, places = last_plan("fft"), [_arrays.location(a) for a in (x, out)]
    return {"c": lambda: lib.mst_fft_execute(plan, *places, execution, per_thread.error), "out": lambda: ours(x, out=out, **options),
            "new": lambda: ours(x, **options), "scipy": lambda: theirs(x, workers=WORKERS, **options)}


def with_other(calls, name, call):
    """And another library's call, unless it fails."""
    try:
        call()
        calls[name] = call
    except Exception as error:  # whatever it may be: what can be measured is
        print(f"{name} fails: {type(error).__name__}: {error}")
    return calls


def with_cupy(calls, function, *arrays):
    """And what CuPy does of the same arrays."""
    if cupy is None:
        return calls
    there = [cupy.asarray(a) for a in arrays]
    return with_other(calls, "cupy", lambda: (function(*there), cupy.cuda.get_current_stream().synchronize()))


def with_torch(calls, function, *arrays):
    if torch is None:
        return calls
    there = [torch.from_numpy(a).cuda() for a in arrays]
    return with_other(calls, "torch", lambda: (function(*there), torch.cuda.synchronize()))


def queue_of_pyopencl():
    """On the device that the package works on."""
    device = next(d for p in pyopencl.get_platforms() for d in p.get_devices() if d.name == _contexts.current().device)
    return pyopencl.CommandQueue(pyopencl.Context([device]))


def transform_there(name, x):
    """On the device; pyvkfft's plan and arrays are there before, and CuPy's and PyTorch's plans from their first calls on."""
    a, ours, real = mastaba.asarray(x), getattr(mastaba.fft, name), name.startswith("r")
    out = ours(a)
    plan, places = last_plan("fft", out), [_arrays.location(b) for b in (a, out)]
    calls = {"c": lambda: lib.mst_fft_execute(plan, *places, execution, per_thread.error), "out": lambda: ours(a, out=out), "new": lambda: ours(a)}
    if pyvkfft and "fft" in name:
        queue, axes = queue_of_pyopencl(), int(name[-1]) if name[-1].isdigit() else x.ndim if name.endswith("n") else 1
        theirs, result = pyopencl.array.to_device(queue, x), pyopencl.array.empty(queue, out.shape, out.dtype)
        app = pyvkfft.opencl.VkFFTApp(x.shape, x.dtype, queue, ndim=axes, inplace=False, r2c=real)
        with_other(calls, "pyvkfft", lambda: (app.fft(theirs, result), queue.finish()))
    if hasattr(torch, "fft") and hasattr(torch.fft, name):
        with_torch(calls, getattr(torch.fft, name), x)
    return with_cupy(calls, lambda b: getattr(cupyx.scipy.fft, name)(b), x)


def convolution_there(x, y):
    a, b = mastaba.asarray(x), mastaba.asarray(y)
    out = mastaba.signal.fftconvolve(a, b, axes=-1)
    plan, places = last_plan("convolution", out), [_arrays.location(p) for p in (a, b, out)]
    return with_cupy({"c": lambda: lib.mst_convolution_execute(plan, *places, execution, per_thread.error),
                      "out": lambda: mastaba.signal.fftconvolve(a, b, axes=-1, out=out),
                      "new": lambda: mastaba.signal.fftconvolve(a, b, axes=-1)}, lambda p, q: cupyx.scipy.signal.fftconvolve(p, q, axes=-1), x, y)


def expression_there(n):
    """2*a + 3*b*c beside kernels of pyopencl's and CuPy's for this, and three of PyTorch's."""
    arrays = {name: numbers("float32", n) for name in "abc"}
    calls = expression("2*a + 3*b*c", **{name: mastaba.asarray(a) for name, a in arrays.items()})
    if pyopencl:
        queue = queue_of_pyopencl()
        theirs, result = [pyopencl.array.to_device(queue, a) for a in arrays.values()], pyopencl.array.empty(queue, n, np.float32)
        kernel = pyopencl.elementwise.ElementwiseKernel(queue.context, "float *z, float *a, float *b, float *c", "z[i] = 2*a[i] + 3*b[i]*c[i]")
        with_other(calls, "pyopencl", lambda: (kernel(result, *theirs), queue.finish()))
    if cupy:
        fused, there = cupy.ElementwiseKernel("float32 a, float32 b, float32 c", "float32 z", "z = 2*a + 3*b*c"), cupy.empty(n, "float32")
        with_cupy(calls, lambda a, b, c: fused(a, b, c, there), *arrays.values())
    return with_torch(calls, lambda a, b, c: 2*a + 3*b*c, *arrays.values())


def sum_there(n):
    x = numbers("float32", n)
    return with_torch(with_cupy(expression("sum(a)", a=mastaba.asarray(x)), lambda a: a.sum(), x), lambda a: a.sum(), x)


def gaussian_there(x, sigma):
    a, out = mastaba.asarray(x), mastaba.empty(x.shape, x.dtype)
    ours = mastaba.ndimage.gaussian_filter
    return with_cupy({"out": lambda: ours(a, sigma, output=out), "new": lambda: ours(a, sigma)},
                     lambda b: cupyx.scipy.ndimage.gaussian_filter(b, sigma), x)


def convolution(x, y):
    out = mastaba.signal.fftconvolve(x, y)
    plan, places = last_plan("convolution"), [_arrays.location(a) for a in (x, y, out)]
    return {"c": lambda: lib.mst_convolution_execute(plan, *places, execution, per_thread.error),
            "out": lambda: mastaba.signal.fftconvolve(x, y, out=out), "new": lambda: mastaba.signal.fftconvolve(x, y),
            "scipy": lambda: scipy.signal.fftconvolve(x, y), "scipy oaconvolve": lambda: scipy.signal.oaconvolve(x, y)}


def expression(text, **arrays):
    out = mastaba.evaluate(text, arrays)
    places = ffi.new("mst_location[]", [_arrays.location(arrays[name]) for name in sorted(arrays)])
    plan, place = last_plan("map", out), _arrays.location(out)
    calls = {"c": lambda: lib.mst_map_execute(plan, places, place, execution, per_thread.error),
             "out": lambda: mastaba.evaluate(text, arrays, out=out), "new": lambda: mastaba.evaluate(text, arrays)}
    if numexpr and isinstance(out, np.ndarray):
        calls["numexpr"] = lambda: numexpr.evaluate(text, arrays, out=out)
    return calls


CASES = {
    "fft complex64 64 x 2048 (1 MiB)": lambda: transform("fft", numbers("complex64", 64, 2048)),
    "fft complex64 1024 x 1024 (8 MiB)": lambda: transform("fft", numbers("complex64", 1024, 1024)),
    "rfft float32 1024 x 4096 (16 MiB)": lambda: transform("rfft", numbers("float32", 1024, 4096)),
    "fft2 complex64 1024 x 1024": lambda: transform("fft2", numbers("complex64", 1024, 1024)),
    "dct float32 1024 x 1024": lambda: transform("dct", numbers("float32", 1024, 1024)),
    "fftconvolve float32 2^20 with 2^10": lambda: convolution(numbers("float32", 2**20), numbers("float32", 2**10)),
    "2*a + 3*b*c float32 2^22": lambda: expression("2*a + 3*b*c", **{name: numbers("float32", 2**22) for name in "abc"}),
    "sin(a)*exp(-b) float64 2^21": lambda: expression("sin(a)*exp(-b)", a=numbers("float64", 2**21), b=numbers("float64", 2**21)),
}


THERE = {
    "fft complex64 1024 x 1024": lambda: transform_there("fft", numbers("complex64", 1024, 1024)),
    "rfft float32 1024 x 2048": lambda: transform_there("rfft", numbers("float32", 1024, 2048)),
    "fft2 complex64 1024 x 1024": lambda: transform_there("fft2", numbers("complex64", 1024, 1024)),
    "fft complex64 4096 x 4096 (128 MiB)": lambda: transform_there("fft", numbers("complex64", 4096, 4096)),
    "fftn complex64 256 x 256 x 256 (128 MiB)": lambda: transform_there("fftn", numbers("complex64", 256, 256, 256)),
    "fft complex128 4096 x 4096 (256 MiB)": lambda: transform_there("fft", numbers("complex128", 4096, 4096)),
    "dct float32 4096 x 4096 (64 MiB)": lambda: transform_there("dct", numbers("float32", 4096, 4096)),
    "fftconvolve float32 1024 x 8192 with 1000": lambda: convolution_there(numbers("float32", 1024, 8192), numbers("float32", 1, 1000)),
    "2*a + 3*b*c float32 2^24 (64 MiB)": lambda: expression_there(2**24),
    "sum(a) float32 2^24 (64 MiB)": lambda: sum_there(2**24),
    "gaussian_filter float32 4096 x 4096, 3": lambda: gaussian_there(numbers("float32", 4096, 4096), 3),
}
CASES.update({"on the device: " + name: case for name, case in THERE.items()})


def seconds_of(call, least):
    call()
    n, began, passed = 0, time.perf_counter(), 0
    while not n or passed < least:
        call()
        n, passed = n + 1, time.perf_counter() - began
    return passed / n


def measure(calls, n, most):
    """Medians of up to n calls by turns, within about so many seconds; and of more such calls, with a clock around the library's, what of `out` and `new` was not in that, as `python`
    and `python new`."""
    once = sum(seconds_of(call, 0) for call in calls.values())
    order, inside, n = random.Random(1), [], max(3, int(min(n, most / 2 / once)))

    def timed(function, *arguments):
        began = time.perf_counter()
        status = function(*arguments)
        inside.append(time.perf_counter() - began)
        return status

    def by_turns():
        taken = {name: [] for name in calls}
        for _ in range(n + 2):
            for name in order.sample(list(calls), len(calls)):  # none always behind the same one, whose data are in the cache
                inside.clear()
                began = time.perf_counter()
                calls[name]()
                taken[name].append(time.perf_counter() - began - sum(inside))
        return {name: statistics.median(values[2:]) for name, values in taken.items()}

    taken = by_turns()
    if "c" not in calls:
        return taken
    with library(lambda function: functools.partial(timed, function)):
        outside = by_turns()
    return {**taken, "python": outside["out"], "python new": outside["new"]}


class _Library:
    """The library, with others in place of its executions."""

    def __init__(self, instead):
        self.instead = instead

    def __getattr__(self, name):
        value = self.instead(getattr(lib, name)) if "_execute" in name else getattr(lib, name)
        setattr(self, name, value)
        return value


@contextlib.contextmanager
def library(instead):
    """Within it the package executes instead(call) for each of the library's calls."""
    modules = _transforms, _map, _signal, _known

    def take(one):
        for context in _contexts._contexts.values():
            context.known.clear()  # which hold calls
            context.plain.clear()
        for module in modules:
            module.lib = one

    take(_Library(instead))
    try:
        yield
    finally:
        take(lib)


def host_seconds():
    """What a small call takes in Python."""
    x, f, context = numbers("complex64", 64), numbers("float32", 64), {"f": numbers("float32", 64)}
    calls = {"fft": lambda: mastaba.fft.fft(x), "rfft": lambda: mastaba.fft.rfft(f), "evaluate": lambda: mastaba.evaluate("f*2", context),
             "convolve": lambda: mastaba.signal.convolve(x, x)}
    for call in calls.values():
        call()
    with library(lambda function: lambda *_: 0):
        return {name: min(seconds_of(call, 0.02) for _ in range(25)) for name, call in calls.items()}


def driver():
    return ffi.string(lib.mst_context_device(_contexts.current().handle).driver_version).decode(errors="replace")


def main():
    global WORKERS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=41)
    parser.add_argument("--workers", type=int, default=WORKERS, help="of SciPy's transforms")
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--commit", help="what was measured, for the file")
    options = parser.parse_args()
    WORKERS = options.workers
    chosen = {name: make for name, make in CASES.items() if options.only in name}
    written = {}
    if options.json and os.path.exists(options.json):
        with open(options.json) as file:
            written = json.load(file)["results"]
    host, failed = host_seconds(), False
    print("in Python: " + ", ".join(f"{name} {value * 1e6:.1f} us" for name, value in host.items()))
    for name, make in chosen.items():
        try:
            written[name] = taken = measure(make(), options.calls, options.seconds / len(chosen))
        except mastaba.Error as error:
            print(f"{name}: {error}", flush=True)
            failed = True
            continue
        shown = "  ".join(f"{key} {value * 1e3:.3f}" for key, value in taken.items())
        rates = f"; C/out {taken['c'] / taken['out']:.3f}, by Python's part {taken['c'] / (taken['c'] + taken['python']):.3f}" if "c" in taken else ""
        print(f"{name}: {shown} ms{rates}", flush=True)
        if options.json:  # after each, as what is measured may be stopped
            write(options, written, host)
    return failed


def write(options, results, host):
    versions = {"numpy": np, "scipy": scipy, "numexpr": numexpr, "pyvkfft": pyvkfft and pyvkfft.version, "pyopencl": pyopencl, "cupy": cupy, "torch": torch}
    with open(options.json, "w") as file:
        json.dump({"device": _contexts.current().device, "driver": driver(), "python": platform.python_version(),
                   **{name: module and getattr(module, "__version__", None) for name, module in versions.items()}, "workers": WORKERS,
                   "calls": options.calls, "date": time.strftime("%Y-%m-%d"), "commit": options.commit, "results": results, "host_seconds": host}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    raise SystemExit(main())
