"""A plugin of pytest under which SciPy's own tests run against Mastaba: pytest -p scipy_proof --pyargs scipy.fft.tests.test_basic ...

scipy.fft's functions get mastaba.fft as their backend, and scipy.signal's are replaced by those of mastaba.signal, before any
test is imported. SciPy's and NumPy's own transforms, and SciPy's convolutions, fail when something calls them. Tests that fail for a
reason are in the table EXPECTED, and must fail.
"""
import re

import pytest
import scipy.fft
import scipy.signal
from scipy._lib import _array_api

import mastaba.fft
import mastaba.signal

EXPECTED = (
    (r"test_basic.py.*longdouble", "no OpenCL device has long double"),
    ("test_convolve_longdtype_input.*longdouble", "no OpenCL device has long double"),
    (r"test_basic.py::test_multiprocess\[irfft\]", "the processes that it starts run SciPy's own code, whose zeros are rounded otherwise"),
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


_replace_transforms()
_replace_convolutions()


def pytest_collection_modifyitems(items):
    for item in items:
        for pattern, reason in EXPECTED:
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
