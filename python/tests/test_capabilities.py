"""What the C API has beside SciPy's functions: all of it is reached, or is here with the reason; integrals by tables, circular convolutions,
pinned and spread arrays, forecasts, tuning, and how schemes are solved."""
import pathlib
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import mastaba
from mastaba._library import lib

TWO = "kind:cpu/2"  # devices, where there is a CPU whose driver cuts it
NOT_CALLED = {
    "mst_type_(bytes|name)|mst_layout_dense": "NumPy's types and strides say it",
    "mst_context_device_at|mst_report_add": "of single devices, and what --verbose and bench print",
    "mst_context_copy_rate": "of benchmarks",
    "mst_system_cache": "of `mastaba prepare` and `mastaba doctor`",
    "mst_convolution_(result|padded_length|algorithm_name)|mst_(filter|deconvolution)_result|mst_map_(wanted|output|n_outputs)": "results have shapes by SciPy's rules",
    "mst_map_execute": "mst_map_execute_all takes one output, too",
    "mst_map_(vector_width|kernel|measured)|mst_fft_(n_passes|pass_kernel)|mst_filter_(output_used|stages)": "of kernels, for benchmarks",
    "mst_deconvolution_seam": "`seam` bounds it",
    "mst_integral_(n_components|type)": "the caller gave them",
    "mst_npy_.*": "numpy.load and numpy.save",
    "mst_stencil_predict": "Solver.plan",
    "mst_stencil_check_(expression|definition)": "of readers of files, key by key",
    "mst_stencil_(read|write)_(as|whole)": "arrays are of the solver's precision",
    "mst_stencil_(divide|brick_of|describe_neighbour|.*_halo|run_part|look_part|measure_part|next_look)|mst_filter_(describe|mask_values)": "of ranks of MPI",
}


def two_devices():
    try:
        with mastaba.use(TWO) as context:
            return lib.mst_context_n_devices(context.handle) > 1
    except mastaba.Error:
        return False


def refused(kind, call, *arguments, words=None, **options):
    with pytest.raises(kind, match=words):
        call(*arguments, **options)


def test_all_of_the_c_api_is_reached():
    sources = "".join(path.read_text() for path in pathlib.Path(mastaba.__file__).parent.glob("*.py") if path.stem != "_declarations")
    called = set(re.findall(r"mst_\w+", sources))
    made = {f"mst_{kind}_{end}" for kind in re.findall(r'create\("(\w+)"', sources) for end in ("create", "destroy")}
    rest = {name for name in dir(lib) if name.startswith("mst_")} - called - made
    assert not [name for name in rest if not any(re.fullmatch(pattern, name) for pattern in NOT_CALLED)]
    assert not [pattern for pattern in NOT_CALLED if not any(re.fullmatch(pattern, name) for name in rest)]


def test_tables_of_integrals():
    a = np.array([[1.0, 2.0, 4.0], [0.5, 3.0, 8.0]])
    result = mastaba.integrate.many("a*exp(-a*x)", {"x": (0, "b")}, {"a": a, "b": 1.5})
    assert result.success.all() and np.allclose(result.value, 1 - np.exp(-1.5 * a), rtol=1e-10) and (abs(result.value - (1 - np.exp(-1.5 * a))) <= result.error + 1e-15).all()
    assert np.array_equal(mastaba.integrate.many(lambda x, a, b: a * np.exp(-a * x), {"x": (0, "b")}, {"a": a, "b": 1.5}).value.round(12), result.value.round(12))
    several = mastaba.integrate.many(["x", "x^2"], {"x": (0, "a")}, {"a": a})
    assert several.value.shape == (2, 3, 2) and np.allclose(several.value, np.stack([a**2 / 2, a**3 / 3], -1))
    for rule in ("rectangle", "midpoint", "trapezoid", "simpson", "gauss"):
        fixed = mastaba.integrate.many("exp(-x)", {"x": (0, 1)}, rule=rule, points=1000)
        assert abs(fixed.value - (1 - np.exp(-1))) < 1e-3 and fixed.status == "converged", rule
    assert abs(mastaba.integrate.many("sin(x)/x", {"x": (0, "inf")}, rule="oscillatory").value - np.pi / 2) < 1e-9
    spent = mastaba.integrate.many("sin(1/x)", {"x": (0, 1)}, epsrel=1e-14, limit=100)
    assert not spent.success and spent.status != "converged" and spent.error > 0
    assert mastaba.integrate.many("abs(x - a)", {"x": (0, 1)}, {"a": 0.3}, breakpoints=["a"], dtype=np.float32).evaluations == 4 * 25
    box = mastaba.integrate.many("abs(x - a) + abs(y - 0.6)", {"x": (0, 1), "y": (0, 1)}, {"a": 0.3}, breakpoints={"x": ["a"], "y": [0.2, 0.6]})
    assert abs(box.value - 0.55) < 1e-14 and box.evaluations < 3000
    for places in ([0.5], []):
        refused(mastaba.errors.ArgumentError, mastaba.integrate.many, "x", {"x": (0, 1)}, breakpoints={"z": places}, words="z, which is no variable")
    mapping = types.MappingProxyType({"x": ["a"]})
    assert mastaba.integrate.many("abs(x - a)", {"x": (0, 1)}, {"a": 0.3}, breakpoints=mapping, dtype=np.float32).evaluations == 4 * 25
    assert mastaba.integrate.many("x", {"x": (0, 1)}, {"a": []}).value.shape == (0,)
    many = mastaba.integrate.many
    refused(ValueError, many, "x", {"x": (0, 1)}, rule="best", words="adaptive")
    refused(mastaba.errors.ArgumentError, many, "x", {"x": "01"}, words="two bounds")
    refused(mastaba.errors.ArgumentError, many, ["x"] * 33, {"x": (0, 1)}, words="33")
    refused(mastaba.errors.TraceError, many, lambda x: float(x), {"x": (0, 1)})


def test_circular_convolutions():
    r, convolve = np.random.default_rng(3), mastaba.signal.circular_convolve
    x, y = ((r.standard_normal(s) + 1j * r.standard_normal(s)) for s in ((3, 10, 12), (1, 10, 12)))
    assert np.allclose(convolve(x, y, axes=(1, 2)), np.fft.ifft2(np.fft.fft2(x) * np.fft.fft2(y)))
    wanted, out = np.fft.ifft(np.fft.fft(x) * np.conj(np.fft.fft(y))), np.empty_like(x)
    assert convolve(x, y, axes=-1, correlate=True, out=out) is out and np.allclose(out, wanted)
    there = convolve(mastaba.asarray(x), y, axes=-1, correlate=True)
    assert isinstance(there, mastaba.Array) and np.allclose(there.numpy(), wanted)
    assert convolve([1, 2, 3], [0, 1, 0]).round(12).tolist() == [3, 1, 2]
    refused(ValueError, convolve, x, y[..., 1:], axes=-1, words="length")
    refused(mastaba.errors.ArgumentError, convolve, np.ones((2,) * 4), np.ones((2,) * 4), words="1 to 3")
    assert convolve(x[:0], y, axes=-1).shape == (0, 10, 12)


def test_regularized_deconvolution_and_what_is_told_of_iterations():
    r, told = np.random.default_rng(5), []
    image, psf = r.random((20, 24)), mastaba.restoration.gaussian_psf((5, 5), 1.0)
    padded = np.zeros(image.shape)
    padded[:5, :5] = psf
    h = np.fft.fft2(np.roll(padded, (-2, -2), (0, 1)))
    steps = 4 - 2 * np.cos(2 * np.pi * np.fft.fftfreq(20))[:, None] - 2 * np.cos(2 * np.pi * np.fft.fftfreq(24))
    for order in (0, 1, 2):
        wanted = np.fft.ifft2(np.conj(h) * np.fft.fft2(image) / (abs(h)**2 + 0.1 * steps**order)).real
        assert np.allclose(mastaba.restoration.tikhonov(image, psf, 0.1, order, clip=False, edges="circular"), wanted, atol=1e-10)
    once = mastaba.restoration.richardson_lucy(image, psf, 4, watch=lambda *state: told.append(state))
    assert [state[:2] for state in told] == [(k, 4) for k in (1, 2, 3, 4)] and told[0][2] > told[3][2] > 0 and told[3][3] > 0
    assert np.array_equal(once, mastaba.restoration.richardson_lucy(image, psf, 4))
    refused(mastaba.errors.CancelledError, mastaba.restoration.richardson_lucy, image, psf, 4, watch=lambda k, *_: k < 2)
    refused(ZeroDivisionError, mastaba.restoration.richardson_lucy, image, psf, 4, watch=lambda *_: 1 / 0)
    refused(ValueError, mastaba.restoration.tikhonov, image, psf, 0.1, edges="none", words="observed")


def test_pinned_memory():
    x = mastaba.pinned((30, 40), np.complex64)
    x[:] = np.arange(1200).reshape(30, 40)
    part = mastaba.fft.fft(x, out=mastaba.pinned(x.shape, x.dtype))[3:]
    assert np.allclose(part, np.fft.fft(np.arange(120, 1200).reshape(27, 40)), rtol=1e-4, atol=0.1)
    del x
    assert mastaba.pinned(7).dtype == float and mastaba.pinned((0, 3)).shape == (0, 3)
    refused(ValueError, mastaba.pinned, (-1, 3))
    refused(mastaba.errors.ArgumentError, mastaba.pinned, 3, object)


@pytest.mark.parametrize("shape", [(60,), (8, 12), (4, 6, 10)])
def test_spread_arrays(shape):
    r = np.random.default_rng(7)
    x = (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype(np.complex64)
    with mastaba.use(TWO) if two_devices() else mastaba.use(0):
        a = mastaba.Spread(x)
        assert len(a.parts()) == a.devices and sum(part["shape"][part["axis"]] for part in a.parts()) == shape[0] and np.array_equal(np.asarray(a), x)
        wanted = np.fft.fftn(x)
        assert np.allclose(a.fft().numpy(), wanted, atol=1e-3) and np.allclose(a.ifft().numpy(out=np.empty_like(x)), x, atol=1e-5)
        assert a.fft("ortho", transposed=True).parts()[0]["order"] == "transposed"
        assert np.allclose(a.numpy(), wanted / np.sqrt(x.size), atol=1e-4) and np.allclose(a.ifft("ortho"), x, atol=1e-5)
        assert a.set(2).parts()[0]["order"] == "natural" and np.all(a.numpy() == 2)
        refused(mastaba.errors.ArgumentError, a.numpy, out=np.empty(3))
    refused(mastaba.errors.ArgumentError, mastaba.Spread, np.ones((2, 2, 2, 2)), words="axes")
    refused(mastaba.errors.ArgumentError, mastaba.Spread, np.ones((0, 2)), words="at least one")
    refused(ValueError, a.fft, "half", words="norm")


def test_forecasts():
    """Of what is not computed."""
    x = np.zeros((1000, 1000), np.float32)
    with mastaba.budget(device="1MiB"):
        [transform] = mastaba.forecast(mastaba.fft.rfft, x)
    assert transform["kind"] == "fft" and transform["upload_bytes"] == x.nbytes and transform["download_bytes"] == 1000 * 501 * 8
    [product] = mastaba.forecast(mastaba.signal.fftconvolve, x, np.ones((3, 3), np.float32))
    assert product["kind"] == "convolution" and product["written_bytes"] == 1002**2 * 4 and product["panel_shape"] == (0, 0, 0)
    [sharp] = mastaba.forecast(mastaba.restoration.richardson_lucy, x, np.ones((3, 3)), 10)
    assert sharp["bricks"] == 0 and sharp["device_bytes"] > x.nbytes
    assert [plan["kind"] for plan in mastaba.forecast(mastaba.ndimage.low_pass, x, 0.1)] == ["filter"]
    assert mastaba.forecast(mastaba.evaluate, "x + 1", {"x": x}) == [{"kind": "map"}]
    assert not mastaba.fft.fft(x[:1]).any()  # which is computed again


def test_tuning(tmp_path):
    """What a search finds, or what stopped it, is told; a search takes seconds, so this one ends at its first candidate."""
    x = np.ones((64, 48), np.complex64)
    mastaba.fft.fft(x)
    with mastaba.progress(lambda done, total: False), mastaba.tuning.search(0.1, again=True):
        refused(mastaba.errors.CancelledError, mastaba.fft.fft, x)
    with mastaba.tuning.search(0.1) as found:
        refused(mastaba.errors.ArgumentError, mastaba.tuning.search(1).__enter__, words="within")
    assert found == [] and np.allclose(mastaba.fft.fft(x)[:, 0], 48)
    mastaba.tuning.save(tmp_path / "tuned.json")
    assert mastaba.tuning.load(tmp_path / "tuned.json") == len(mastaba.tuning.results())
    (tmp_path / "other.json").write_text("[]")
    refused(mastaba.errors.FormatError, mastaba.tuning.load, tmp_path / "other.json")


HEAT = {"grid": [64, 64], "fields": {"u": "exp(-((x - 32)^2 + (y - 20)^2)/20)"}, "update": [{"u": "u + 0.2*laplace(u)"}]}


def test_how_schemes_are_solved_changes_no_bit():
    wanted = mastaba.solve(HEAT, 20)["u"]
    for options in ({"schedule": "sweeps"}, {"schedule": "in-core", "fuse": 2}, {"schedule": "trivial", "block": 16, "store": "memory", "overlap": False}):
        solver = mastaba.solve(HEAT, 20, **options)
        assert np.array_equal(solver["u"], wanted) and solver.plan()["schedule"] == options["schedule"]
    with mastaba.use(TWO) if two_devices() else mastaba.use(0):
        solver = mastaba.solve(HEAT, 20, shares=[3, 1], exchange="waits", exchange_every=2)
        assert np.array_equal(solver["u"], wanted) and solver.plan().get("parts", [48, 16]) == [48, 16]
    for key, value in (("schedule", "best"), ("store", "file"), ("exchange", "never"), ("depth", -1)):
        refused(mastaba.errors.ArgumentError, mastaba.Solver, HEAT, **{key: value}, words=key)


def test_schemes_that_diverge_say_so():
    problem = {"grid": [100], "fields": {"u": "x == 50"}, "update": [{"u": "u*u + 2"}]}
    solver = mastaba.Solver(problem)
    refused(mastaba.errors.DivergedError, solver.run, 100, words="u diverged")
    assert not np.isfinite(solver["u"]).all()
    assert not np.isfinite(mastaba.solve(problem, 100, check=False)["u"]).all()


SLOW_TO_COMPILE = """
import mastaba, os, signal, threading, time
from mastaba import _contexts
signal.signal(signal.SIGINT, signal.default_int_handler)
made = _contexts.Context.create
def slowly(self, kind, desc):
    plan, end = made(self, kind, desc), time.monotonic() + 3
    while time.monotonic() < end: pass  # as a compiler that does not hear of signals
    print('compiled', flush=True)
    return plan
_contexts.Context.create = slowly
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try: mastaba.fft.fft([1, 2, 3])
except KeyboardInterrupt: print('interrupted', time.monotonic() - began < 2.5, flush=True)
"""


def test_interrupt_of_a_compiler():
    """The call ends at once; the compiler's thread goes on, and the interpreter waits for it."""
    done = subprocess.run([sys.executable, "-c", SLOW_TO_COMPILE], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted True\ncompiled\n", "")
