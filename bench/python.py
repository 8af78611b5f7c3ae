#!/usr/bin/env python3
"""bench/python.py [--calls 41] [--only TEXT] [--json FILE]: the Python package beside SciPy (two workers), numexpr, pyvkfft, CuPy and its own C calls.

Calls by turns, one of each, so that what else the machine does falls on all alike; medians. `c` is the library's call alone, on a plan
and an output that are there, through cffi; `out` is the package's function with out=, and `new` without, which takes fresh memory as
SciPy's does. `python` and `python new` are what of these was outside of the library's call: c/(c + python) is what to look at where other
work makes the library's part differ. `host` is what a small call spends in Python: the same with the library's calls left out. Cases on
the device have pyopencl's arrays in and out. Run it with `chrt -f 10` where other work runs, a few cases at a time; --json adds to what the file has.
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
    import cupy.fft
except ImportError:
    cupy = None


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
            "new": lambda: ours(x, **options), "scipy": lambda: theirs(x, workers=2, **options)}


def transform_there(name, x):
    """On the device; pyvkfft's plan and arrays are there before, and CuPy's plan from its first call on."""
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    axes = 2 if name.endswith("2") else 1
    theirs = pyopencl.array.to_device(queue, x)
    a = mastaba.asarray(theirs)
    ours, real = getattr(mastaba.fft, name), name.startswith("r")
    out = ours(a)
    plan, places = last_plan("fft", out), [_arrays.location(b) for b in (a, out)]
    calls = {"c": lambda: lib.mst_fft_execute(plan, *places, execution, per_thread.error), "out": lambda: ours(a, out=out), "new": lambda: ours(a)}
    if pyvkfft:
        result = pyopencl.array.empty(queue, out.shape, out.dtype)
        app = pyvkfft.opencl.VkFFTApp(x.shape, x.dtype, queue, ndim=axes, inplace=False, r2c=real)

        def vkfft():
            app.fft(theirs, result)
            queue.finish()

        calls["pyvkfft"] = vkfft
    if cupy:
        there, of_cupy = cupy.asarray(x), getattr(cupy.fft, name)

        def cufft():
            of_cupy(there)
            cupy.cuda.get_current_stream().synchronize()

        calls["cupy"] = cufft
    return calls


def convolution_there(x, y):
    a, b = mastaba.asarray(x), mastaba.asarray(y)
    out = mastaba.signal.fftconvolve(a, b, axes=-1)
    plan, places = last_plan("convolution"), [_arrays.location(p) for p in (a, b, out)]
    return {"c": lambda: lib.mst_convolution_execute(plan, *places, execution, per_thread.error),
            "out": lambda: mastaba.signal.fftconvolve(a, b, axes=-1, out=out), "new": lambda: mastaba.signal.fftconvolve(a, b, axes=-1)}


def expression_there(n):
    """2*a + 3*b*c beside a kernel of pyopencl's for this."""
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    theirs = {name: pyopencl.array.to_device(queue, numbers("float32", n)) for name in "abc"}
    result = pyopencl.array.empty(queue, n, np.float32)
    kernel = pyopencl.elementwise.ElementwiseKernel(queue.context, "float *z, float *a, float *b, float *c", "z[i] = 2*a[i] + 3*b[i]*c[i]")

    def elementwise():
        kernel(result, *theirs.values())
        queue.finish()

    return {**expression("2*a + 3*b*c", **{name: mastaba.asarray(a) for name, a in theirs.items()}), "pyopencl": elementwise}


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


if pyopencl:
    CASES.update({
        "on the device: fft complex64 1024 x 1024": lambda: transform_there("fft", numbers("complex64", 1024, 1024)),
        "on the device: rfft float32 1024 x 2048": lambda: transform_there("rfft", numbers("float32", 1024, 2048)),
        "on the device: fft2 complex64 1024 x 1024": lambda: transform_there("fft2", numbers("complex64", 1024, 1024)),
        "on the device: fft complex64 4096 x 4096 (128 MiB)": lambda: transform_there("fft", numbers("complex64", 4096, 4096)),
        "on the device: fftconvolve float32 1024 x 8192 with 1000": lambda: convolution_there(numbers("float32", 1024, 8192), numbers("float32", 1, 1000)),
        "on the device: 2*a + 3*b*c float32 2^24 (64 MiB)": lambda: expression_there(2**24),
    })


def seconds_of(call, least):
    call()
    n, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < least:
        call()
        n += 1
    return passed / n


def measure(calls, n):
    """Medians of calls by turns; and of more such calls, with a clock around the library's, what of `out` and `new` was not in that, as `python`
    and `python new`."""
    order, inside = random.Random(1), []

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=41)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = {}
    for name, make in CASES.items():
        if options.only not in name:
            continue
        results[name] = taken = measure(make(), options.calls)
        shown = "  ".join(f"{key} {value * 1e3:.3f}" for key, value in taken.items())
        print(f"{name}: {shown} ms; C/out {taken['c'] / taken['out']:.3f}, by Python's part {taken['c'] / (taken['c'] + taken['python']):.3f}", flush=True)
    host = host_seconds()
    if options.json and os.path.exists(options.json):
        with open(options.json) as file:
            results = {**json.load(file)["results"], **results}
    print("in Python: " + ", ".join(f"{name} {value * 1e6:.1f} us" for name, value in host.items()))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": _contexts.current().device, "python": platform.python_version(), "numpy": np.__version__,
                       "scipy": scipy.__version__, "numexpr": numexpr and numexpr.__version__, "pyvkfft": pyvkfft and pyvkfft.version.__version__,
                       "cupy": cupy and cupy.__version__, "calls": options.calls, "date": time.strftime("%Y-%m-%d"), "results": results, "host_seconds": host}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
