"""Filters of arrays, against the definitions of scipy.ndimage."""
import numpy as np
import pytest

import mastaba
from mastaba import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")


def numbers(*shape, kind=float):
    return np.random.default_rng(3).integers(-50, 50, shape).astype(kind)


def same(name, *arguments, **options):
    got, wanted = (getattr(module, name)(*arguments, **options) for module in (ndimage, scipy_ndimage))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    tolerance = {"f": 2e-5, "F": 2e-5}.get(got.dtype.char, 1e-12)
    assert np.allclose(got, wanted, rtol=tolerance, atol=tolerance * 100), np.abs(got - wanted).max()


@pytest.mark.parametrize("mode", MODES)
def test_sums(mode):
    x = numbers(9, 12)
    for name in ("correlate", "convolve"):
        same(name, x, numbers(3, 4), mode=mode, cval=2.5, origin=(-1, 1))
        same(name + "1d", x, [1, -2, 4], axis=0, mode=mode, cval=2.5, origin=1)


@pytest.mark.parametrize("kind", [np.float32, np.int16, np.uint8, np.complex64])
def test_types(kind):
    same("correlate1d", abs(numbers(40, kind=kind)).astype(kind), [2, 3, 1])
    same("uniform_filter", numbers(6, 7).astype(np.float32), size=(3, 2))


def test_whole_numbers():
    """Sums of whole numbers by transforms are whole, and are not cut to the next one towards 0."""
    x, w = numbers(3, 5000, kind=int), numbers(601, kind=int)
    assert np.array_equal(ndimage.convolve1d(x, w), scipy_ndimage.convolve1d(x, w))
    assert np.all(ndimage.uniform_filter(np.full((9, 9), 10, np.uint8), 7) == 10)
    out = np.empty(9, np.int16)
    ndimage.uniform_filter1d(np.full(9, 10.0), 7, output=out)
    assert np.all(out == 10)
    large = np.full((2, 3), 2**63 + 2**40, np.uint64)  # beyond int64
    assert np.array_equal(np.asarray(ndimage.uniform_filter(mastaba.asarray(large), 3)), ndimage.uniform_filter(large, 3))


def test_gaussians():
    same("gaussian_filter", numbers(20, 30), (1.5, 0), mode="nearest")
    same("gaussian_filter1d", numbers(50), 2, order=2)
    out = np.empty((5, 6))
    assert ndimage.gaussian_filter(numbers(5, 6), 1, output=out) is None or np.allclose(out, scipy_ndimage.gaussian_filter(numbers(5, 6), 1))


@pytest.mark.parametrize("kind", [np.complex128, np.complex64])
def test_spectra(kind):
    x = (numbers(8, 6) + 1j * numbers(8, 6).T.reshape(8, 6)).astype(kind)
    same("fourier_gaussian", x, (1, 2.5))
    same("fourier_uniform", x, 3, n=11, axis=1)
    same("fourier_shift", x, (1, -0.5))
    same("fourier_gaussian", x.T, 1)
    same("fourier_ellipsoid", x.reshape(4, 3, 4), 3)
    same("fourier_ellipsoid", x, 3)
    same("fourier_ellipsoid", x, (150, 2.5), n=11, axis=1)  # many turns


def test_spectra_without_elements():
    for name in ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift"):
        assert getattr(ndimage, name)(np.zeros((5, 0)), 2.0).shape == (5, 0)


def test_refusals():
    with pytest.raises(RuntimeError, match="mode"):
        ndimage.correlate(numbers(3), [1, 1], mode="around")
    with pytest.raises(ValueError, match="origin"):
        ndimage.correlate1d(numbers(3), [1, 1], origin=4)
    with pytest.raises(RuntimeError, match="axes"):
        ndimage.correlate(numbers(3, 3), [1, 1])


def test_whole_numbers_are_cut_after_each_axis():
    x = np.array([[1, 2, 7], [3, 3, 9], [1, 0, 2]])
    assert mastaba.ndimage.uniform_filter(x, 3).tolist() == [[1, 3, 5], [1, 2, 4], [1, 2, 3]]  # SciPy's; cut once, there is no 4
    assert mastaba.ndimage.uniform_filter(x, 3, output=float)[0, 0] == pytest.approx(17 / 9)


@pytest.mark.parametrize("kind", [float, np.uint8, np.complex64])
def test_filters_stay_on_the_device(kind):
    x = abs(numbers(6, 9, kind=kind)).astype(kind)[::-1]
    calls = [("correlate", (numbers(3, 4),), {"origin": (-1, 1), "mode": mode, "cval": 2.5}) for mode in MODES]
    calls += [("convolve", (numbers(2, 2, 2, kind=float),), {}), ("convolve1d", (numbers(150, kind=float),), {"mode": "wrap"}),
              ("gaussian_filter", (2.5,), {}), ("uniform_filter", (4,), {"mode": ("mirror", "nearest")})]
    if kind is not np.uint8:
        calls += [("fourier_gaussian", (1.5,), {}), ("fourier_uniform", (3,), {"n": 11, "axis": 1}), ("fourier_ellipsoid", (3,), {})]
    if kind is np.complex64:
        calls.append(("fourier_shift", ((1, -0.5),), {}))
    for name, arguments, options in calls:
        x_of = x if np.ndim(arguments[0]) < 3 else np.stack([x, 2 * x])
        got, wanted = (getattr(ndimage, name)(a, *arguments, **options) for a in (mastaba.asarray(x_of), x_of))
        assert isinstance(got, mastaba.Array) and got.dtype == wanted.dtype
        assert np.allclose(got.numpy(), wanted, rtol=2e-5, atol=2e-3), (name, options)
    there, here = mastaba.empty(x.shape, np.complex128), np.empty(x.shape, np.complex128)
    assert ndimage.uniform_filter(mastaba.asarray(x), 3, output=there) is there and ndimage.uniform_filter(mastaba.asarray(x), 3, output=here) is here
    assert np.allclose(there.numpy(), here)
