"""A plugin of pytest under which SciPy's own tests run against Mastaba: pytest -p scipy_proof --pyargs scipy.fft.tests.test_basic ...

scipy.fft's functions get mastaba.fft as their backend, and those of scipy.signal, scipy.integrate and scipy.ndimage are replaced by
Mastaba's, before any test is imported; where tests of NumPy are named, so are those of numpy.fft. SciPy's and NumPy's own transforms, and SciPy's convolutions and
integrals, fail when something calls them. Tests that fail for a reason are in the table EXPECTED, and must fail; those in SKIPPED are not run. Tests that end with a
refusal in one line, of a function that is no expression say, are counted as skipped, and named with it in the summary (-rs).
"""
import re

import pytest
import numpy as np
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.signal
from scipy._lib import _array_api

import mastaba.fft
import mastaba.integrate
import mastaba.ndimage
import mastaba.signal

EXPECTED = (
    ("numpy/fft.*longdouble", "no OpenCL device has long double"),
    ("numpy/fft.*test_fft_inplace_out", "an output that is a part of the input is refused"),
    ("numpy/fft.*(test_s_axes_none|test_s_contains_none)", "NumPy warns where arguments will count as SciPy's do already"),
    (r"numpy/fft.*test_rfftn", "axes that are named twice are refused, as SciPy does"),
    (r"test_filters.py.*test_gauss03", "arrays of float32 are filtered in float32"),
    (r"test_filters.py.*test_gaussian_filter_float16", "float16 is taken"),
    (r"test_basic.py.*longdouble", "no OpenCL device has long double"),
    ("test_convolve_longdtype_input.*longdouble", "no OpenCL device has long double"),
    (r"test_basic.py::test_multiprocess\[irfft\]", "the processes that it starts run SciPy's own code, whose zeros are rounded otherwise"),
    (r"test_quadpack.py::TestQuad::test_complex", "it compares QUADPACK's list of cycles of a divergent integral"),
    (r"test_quadpack.py::TestNQuad::test_variable_limits", "the error of a value of 25 is within epsrel of it; the test wants it below epsabs"),
    (r"test__quad_vec.py::TestQuadVec::test_num_eval", "it counts the calls of a function that is called once, to be written down"),
    (r"test_cubature.py::TestCubature::test_stops_after_max_subdivisions", "it gives a rule of its own"),
    (r"test_tanhsinh.py.*(test_vectorization|test_options_and|test_minlevel|test_maxiter|test_jumpstart|test_gh_22681)", "it asks for levels, or counts calls"),
    (r"test_tanhsinh.py.*test_flags_preserve_shape", "an integral that overflows is said to be infinite, not one that needs more levels"),
    (r"test_tanhsinh.py.*test_special_cases", "it asks for warnings and the status of levels"),
    (r"test_tanhsinh.py.*test_basic\[numpy-10\]", "the end is pi/2 rounded, where the integrand is no longer the one whose integral is known"),
    (r"test_tanhsinh.py.*test_log\[", "it counts calls, and the two parts of a complex integrand are two integrals"),
)
SKIPPED = (
    (r"TestConvolve2d::test_large_array", "an image of 2 GiB takes minutes, and it depends on the machine's memory whether it is refused"),
)


def _forbid(module, names):
    for name in names:
        def refuse(*args, name=f"{module.__name__}.{name}", **kwargs):
            raise AssertionError(f"{name} was called: not Mastaba's")

        setattr(module, name, refuse)


ORIGINALS = {}  # SciPy's functions, by their full names: scipy_examples.py reads their documentation


def _replace(module, ours, also=()):
    table = _array_api.xp_capabilities_table
    for name in ours.__all__:
        old, new = getattr(module, name, None), getattr(ours, name)
        if old is None:
            continue
        ORIGINALS[f"{module.__name__}.{name}"] = old
        if old in table:
            table[new] = table[old]
        for place in (module, *also):
            setattr(place, name, new)


def _replace_transforms():
    from numpy.fft import _pocketfft_umath
    from scipy.fft import _fftlog
    from scipy.fft._pocketfft import basic

    _fftlog.fhtoffset = mastaba.fft.fhtoffset
    scipy.fft.set_global_backend(mastaba.fft, only=True)
    _forbid(basic, ["c2c", "r2c", "c2r", "c2cn", "r2cn", "c2rn"])
    _forbid(_pocketfft_umath, ["fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft"])


def _replace_convolutions():
    from scipy.signal import _signaltools

    _replace(scipy.signal, mastaba.signal, [_signaltools])
    _forbid(_signaltools._sigtools, ["_correlateND", "_convolve2d"])


def _replace_integrals():
    from scipy.integrate import _cubature, _quad_vec, _quadpack_py, _tanhsinh

    _replace(scipy.integrate, mastaba.integrate)
    _forbid(_quadpack_py, ["_quad", "_quad_weight"])
    _forbid(_quad_vec, ["_subdivide_interval"])
    _forbid(_cubature, ["_process_subregion"])
    _forbid(_tanhsinh, ["_estimate_error"])


def _replace_filters():
    from scipy.ndimage import _nd_image

    _replace(scipy.ndimage, mastaba.ndimage)
    _forbid(_nd_image, ["correlate", "correlate1d", "uniform_filter1d", "fourier_filter", "fourier_shift"])


_replace_transforms()
_replace_convolutions()
_replace_integrals()
_replace_filters()


def pytest_configure(config):
    if any(argument.startswith("numpy.") or "scipy_examples" in argument for argument in config.args):
        for name in mastaba.fft.__all__:
            if hasattr(np.fft, name):
                setattr(np.fft, name, getattr(mastaba.fft, name))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    refusals = (mastaba.errors.TraceError, mastaba.errors.UnsupportedError)
    if call.when == "call" and report.failed and call.excinfo and isinstance(call.excinfo.value, refusals):
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"refused: {call.excinfo.value}")


def pytest_collection_modifyitems(items):
    for item in items:
        for pattern, reason in EXPECTED:
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        for pattern, reason in SKIPPED:
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.skip(reason=reason))
