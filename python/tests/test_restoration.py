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


def test_formulas_of_point_spread_functions():
    y, x = np.mgrid[-4:5, -3:3]
    wanted = np.exp(-(y / 1.5)**2 / 2 - (x / 2.5)**2 / 2)
    np.testing.assert_allclose(restoration.gaussian_psf((9, 6), (1.5, 2.5)), wanted / wanted.sum(), rtol=1e-13)
    special, integrate = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.integrate")
    t, weights = np.polynomial.legendre.leggauss(200)
    t, weights = (t + 1) / 2, weights / 2  # on 0 .. 1
    assert integrate and abs(weights.sum() - 1) < 1e-12
    k, aperture, index, pixel, step = 2 * np.pi / 0.52, 1.2, 1.33, 0.11, 0.3
    z, y, x = np.mgrid[-2:3, -7:8, -5:6] * np.array([step, pixel, pixel])[:, None, None, None]
    r = np.hypot(y, x)[..., None]
    field = (special.j0(k * aperture * r * t) * np.exp(-1j * k * z[..., None] * aperture**2 * t**2 / (2 * index)) * t * weights).sum(-1)
    wanted = abs(field)**2
    got = restoration.born_wolf_psf((5, 15, 11), aperture=aperture, wavelength=0.52, index=index, pixel=pixel, step=step)
    np.testing.assert_allclose(got, wanted / wanted.sum(), rtol=0, atol=1e-6 * wanted.max() / wanted.sum())
    flat = restoration.born_wolf_psf((15, 11), aperture=aperture, wavelength=0.52, index=index, pixel=pixel)
    np.testing.assert_allclose(flat, wanted[2] / wanted[2].sum(), rtol=0, atol=1e-6 * wanted.max() / wanted[2].sum())
    for wrong in (lambda: restoration.gaussian_psf((3, 3), -1), lambda: restoration.gaussian_psf((0, 3), 1), lambda: restoration.gaussian_psf((2,) * 4, 1),
                  lambda: restoration.born_wolf_psf((5, 5, 5), aperture=1, wavelength=1, pixel=1),
                  lambda: restoration.born_wolf_psf((5, 5), aperture=1, wavelength=1, pixel=1)):
        with pytest.raises(mastaba.errors.ArgumentError):
            wrong()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_files_the_device_and_out(tmp_path, dtype):
    image, psf = blurred((17, 14), (3, 5), dtype)
    image *= 3  # so that there is something to clip
    np.save(tmp_path / "image.npy", image)
    np.save(tmp_path / "psf.npy", psf)
    for call in (lambda i, p, **o: restoration.richardson_lucy(i, p, 4, **o), lambda i, p, **o: restoration.wiener(i, p, 0.1, **o)):
        wanted = call(image, psf)
        assert wanted.max() <= 1 and call(image, psf, clip=False).max() > 1
        np.testing.assert_array_equal(call(tmp_path / "image.npy", str(tmp_path / "psf.npy")), wanted)
        there = call(mastaba.asarray(image), mastaba.asarray(psf))
        assert isinstance(there, mastaba.Array) and there.dtype == dtype
        np.testing.assert_array_equal(there.numpy(), wanted)
        np.testing.assert_array_equal(call(np.asfortranarray(image), psf), wanted)
        for out in (np.empty((17, 28), dtype)[:, ::2], mastaba.empty((17, 14), dtype)):
            source = image if isinstance(out, np.ndarray) else mastaba.asarray(image)
            assert call(source, psf, out=out) is out
            np.testing.assert_array_equal(np.asarray(out), wanted)
        for wrong in (image, np.empty((17, 14), np.int16), np.empty((17, 13), dtype)):
            with pytest.raises(mastaba.errors.ArgumentError, match="out"):
                call(image, psf, out=wrong)
    weights = np.ones(14)
    weights[3] = 0
    np.testing.assert_array_equal(restoration.richardson_lucy(mastaba.asarray(image), psf, 4, weights=mastaba.asarray(weights)).numpy(),
                                  restoration.richardson_lucy(image, psf, 4, weights=weights))


def test_going_on_and_bricks():
    image, psf = blurred((17, 14), (3, 5))
    some = restoration.richardson_lucy(image, psf, 3, False)
    for start in (some, mastaba.asarray(some)):
        source = image if start is some else mastaba.asarray(image)
        np.testing.assert_allclose(np.asarray(restoration.richardson_lucy(source, psf, 4, False, start=start)), restoration.richardson_lucy(image, psf, 7, False), rtol=1e-9)
    with pytest.raises(mastaba.errors.ArgumentError, match="out shares"):
        restoration.richardson_lucy(image, psf, 4, start=some, out=some)
    large, psf = blurred((1100, 900), (5, 5), np.float32)
    whole = restoration.richardson_lucy(large, psf, 4, False, edges="observed")
    with mastaba.budget(device="16MiB"):
        pieces = restoration.richardson_lucy(large, psf, 4, False, edges="observed", exact=True)
    assert abs(pieces - whole).max() < 1e-4 * whole.max()
