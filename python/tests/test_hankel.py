"""Fast Hankel transforms beside closed forms and SciPy, and mastaba.fft as a backend of SciPy's functions."""
import warnings

import numpy as np
import pytest

import mastaba
from mastaba.fft import fht, fhtoffset, ifht

theirs = pytest.importorskip("scipy.fft")


@pytest.mark.parametrize("dtype, mu, bias", [(np.float64, 1.0, 0.0), (np.float64, 1.7, 0.3), (np.float32, 2.5, -0.2)])
def test_a_function_that_is_its_own_transform(dtype, mu, bias):
    """r^(mu + 1) exp(-r^2/2), in rows of an odd length, on the host, on the device, and into `out`."""
    r = np.logspace(-4, 4, 129)
    dln = np.log(r[1] / r[0])
    offset = fhtoffset(dln, mu, bias=bias)
    k = np.exp(offset) / r[::-1]
    x, wanted = (np.outer([1, -2], v ** (mu + 1) * np.exp(-v * v / 2)).astype(dtype) for v in (r, k))
    gate = {np.float32: 3e-6, np.float64: 3e-7}[dtype]
    kept, out = x.copy(), np.full_like(x, np.nan)
    got, there = fht(x, dln, mu, offset, bias), fht(mastaba.asarray(x), dln, mu, offset, bias)
    assert got.dtype == dtype and np.allclose(got, wanted, rtol=0, atol=gate)
    assert isinstance(there, mastaba.Array) and np.allclose(there.numpy(), got, rtol=0, atol=gate)
    assert fht(x, dln, mu, offset, bias, out=out) is out and np.array_equal(out, got) and np.array_equal(x, kept)
    assert fht(out, dln, mu, offset, bias, out=out) is out  # in place
    back = ifht(ifht(out, dln, mu, offset, bias), dln, mu, offset, bias)
    assert np.allclose(back, x, rtol=0, atol=100 * gate)


@pytest.mark.parametrize("n", [1, 2, 64, 101])
def test_beside_scipy(n):
    r = np.random.default_rng(n)
    for mu, bias in [(-4.0, 1.0), (-2.5, 0.5), (-3.5, 0.5), (-7.3, 0.0), (40.5, -3.2), (0.0, 0.0), (3, 1), *r.uniform(-3, 3, (5, 2))]:
        dln, offset, x = r.uniform(0.01, 1), r.uniform(-1, 1), r.standard_normal((3, n))
        for name in ("fht", "ifht"):
            with warnings.catch_warnings(record=True) as said, theirs.skip_backend(mastaba.fft):
                warnings.simplefilter("always")
                wanted = getattr(theirs, name)(x, dln, mu, offset, bias)
                theirs_say, said[:] = [str(w.message) for w in said], []
                got = getattr(mastaba.fft, name)(x, dln, mu, offset, bias)
            assert [str(w.message) for w in said] == theirs_say and all(w.filename == __file__ for w in said)
            assert np.allclose(got, wanted, rtol=1e-11, atol=1e-11 * abs(wanted).max()), (name, mu, bias)
        assert abs(fhtoffset(dln, mu, offset, bias) - theirs.fhtoffset(dln, mu, offset, bias)) < 1e-12


def test_what_is_no_hankel_transform():
    x = np.ones(4)
    for wrong in (lambda: fht(np.array(1.0), 0.1, 0), lambda: fht(np.ones((3, 0)), 0.1, 0), lambda: fht(x, 0, 0), lambda: fht(x, np.nan, 0), lambda: fht(x, 0.1, np.nan), lambda: fht(x, 0.1, -1e9), lambda: fht(x, 0.1, 2.0, bias=np.nan), lambda: fhtoffset(0, 1)):
        with pytest.raises(mastaba.errors.ArgumentError):
            wrong()
    with pytest.raises(TypeError, match="real"):
        fht(x + 0j, 0.1, 0)
    with pytest.raises(mastaba.errors.ArgumentError, match="wrong shape"):
        ifht(x, 0.1, 0, out=np.empty(5))


ARGUMENTS = {"fht": (0.1, 0.5), "ifht": (0.1, 0.5)}
DISPATCHED = [inverse + name for inverse in ("", "i") for name in (
    "fft", "fft2", "fftn", "rfft", "rfft2", "rfftn", "hfft", "hfft2", "hfftn", "dct", "dctn", "dst", "dstn", "fht")]


@pytest.mark.parametrize("name", DISPATCHED)
def test_as_a_backend(name):
    """All of SciPy's functions that have backends, with no other to fall back to."""
    x = np.random.default_rng(8).standard_normal((4, 6))
    there = mastaba.asarray(x) if name.startswith("i") else x
    with theirs.set_backend(mastaba.fft, only=True):
        got, on_the_device = (getattr(theirs, name)(a, *ARGUMENTS.get(name, ())) for a in (x, there))
        with theirs.set_workers(2):
            assert mastaba.fft.get_workers() == 1  # SciPy's own
    wanted = getattr(mastaba.fft, name)(x, *ARGUMENTS.get(name, ()))
    assert np.array_equal(got, wanted) and type(on_the_device) is type(there) and np.allclose(np.asarray(on_the_device), wanted)
    assert np.allclose(getattr(theirs, name)(x, *ARGUMENTS.get(name, ())), wanted)  # SciPy's own again


def test_as_a_backend_beside_others():
    x = np.ones(4)
    theirs.register_backend(mastaba.fft)
    with theirs.skip_backend(mastaba.fft):
        assert np.array_equal(theirs.fft(x), [4, 0, 0, 0])
    with theirs.set_backend(mastaba.fft), pytest.raises(NotImplementedError, match="precomputed plan"):
        theirs.fft(x, plan="some")
    assert mastaba.fft.__ua_function__(sorted, (x,), {}) is NotImplemented
