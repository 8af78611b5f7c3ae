"""Deconvolution, against skimage.restoration where it is there, and by what it must do."""
import numpy as np
import pytest

import mastaba
from mastaba import restoration


def blurred(shape, psf_shape, dtype=np.float64):
    random = np.random.default_rng(len(shape) + psf_shape[-1])
    psf = random.random(psf_shape)
    psf[tuple((n - 1) // 2 for n in psf_shape)] = 3
    return random.random(shape).astype(dtype) + 0.1, psf / psf.sum()


@pytest.mark.parametrize("shape, psf_shape, dtype", [((19, 24), (5, 3), float), ((19, 24), (3, 7), np.float32), ((7, 8, 9), (3, 3, 5), float)])
def test_scikit_image(shape, psf_shape, dtype):
    skimage = pytest.importorskip("skimage.restoration")
    image, psf = blurred(shape, psf_shape, dtype)
    close = {"rtol": 1e-3, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-7, "atol": 1e-9}
    for psf_scale, clip in ((1, True), (1.7, False)):
        got = restoration.richardson_lucy(image, psf * psf_scale, 7, clip)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, skimage.richardson_lucy(image, psf * psf_scale, 7, clip), **close)
    np.testing.assert_allclose(restoration.wiener(image, psf, 0.1, clip=False), skimage.wiener(image, psf, 0.1, clip=False), **close)


def test_what_goes_beyond():
    image, psf = blurred((16, 17), (3, 3))
    flat = restoration.richardson_lucy(np.full((16, 17), 0.7), psf, 20, edges="observed", accelerate=True)
    np.testing.assert_allclose(flat, 0.7, rtol=0.02)  # what is seen by less than 1 % is left out
    weights = np.ones((16, 17))
    image[3, 4], weights[3, 4] = np.nan, 0
    assert np.isfinite(restoration.richardson_lucy(image, psf, 5, weights=weights, edges="observed")).all()
    with pytest.raises(mastaba.errors.ArgumentError, match=r"not finite: at \[3, 4\]"):
        restoration.richardson_lucy(image, psf)
    with pytest.raises(ValueError):
        restoration.richardson_lucy(image, psf[0])
    with pytest.raises(mastaba.errors.UnsupportedError):
        restoration.wiener(image, psf, 1, reg=psf)
