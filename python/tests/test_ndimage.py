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


@pytest.mark.parametrize("kind", [float, np.float32, np.complex128, np.int16, np.uint8])
def test_edges(kind):
    x = abs(numbers(6, 7, 8, kind=float)).astype(kind)
    for name, arguments, options in (("sobel", (1,), {}), ("prewitt", (-1,), {"mode": ("nearest", "wrap", "constant"), "cval": 2.0}), ("laplace", (), {"axes": (0, 2)}),
                                     ("gaussian_laplace", (1.5,), {}), ("gaussian_laplace", ((1, 2),), {"axes": (0, 2), "truncate": 3.0}), ("laplace", (), {"axes": ()}),
                                     ("gaussian_gradient_magnitude", (1.5,), {"mode": "mirror"}), ("gaussian_gradient_magnitude", ((1, 2, 0.5),), {"axes": (1,)})):
        got, wanted = (getattr(module, name)(x, *arguments, **options) for module in (ndimage, scipy_ndimage))
        there = getattr(ndimage, name)(mastaba.asarray(x), *arguments, **options)
        near = 1 if got.dtype.kind in "iu" and name.startswith("gauss") else 1e-12 if got.dtype != np.float32 else 1e-4  # of whole numbers, where rounding cuts
        for result in (got, there.numpy()):
            assert result.dtype == wanted.dtype and result.shape == wanted.shape
            apart = abs(result.astype(complex) - wanted)
            assert (np.minimum(apart, 256 - apart) if kind is np.uint8 else apart).max() <= near * (1 if near == 1 else abs(wanted).max()), (name, options)
        out = np.empty(x.shape, wanted.dtype)
        assert getattr(ndimage, name)(x, *arguments, output=out, **options) is out and np.array_equal(out, got)


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


def test_masks_are_cut_as_whole_numbers():
    """Of bool: what is below 1 is False, after each axis."""
    mask = np.random.default_rng(1).random((12, 10)) > 0.3
    for x in (mask, np.ones((5, 6), bool)):
        for name, arguments in (("gaussian_filter", (1,)), ("uniform_filter", (3,)), ("laplace", ()), ("correlate", (np.full((3, 3), 1 / 9),)), ("convolve1d", ([1, -1],))):
            wanted = getattr(scipy_ndimage, name)(x, *arguments).view(np.uint8) != 0  # SciPy leaves 255 of -1
            for there in (lambda a: a, mastaba.asarray):
                got = np.asarray(getattr(mastaba.ndimage, name)(there(x), *arguments))
                assert got.dtype == bool and np.array_equal(got, wanted), name


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


# ---- Filters in the frequency domain, against their definitions in double precision

def rolloff(d, radius, shape):
    return {"gaussian": lambda: np.exp(-d**2 / (2 * radius**2)), "butterworth": lambda: 1 / (1 + (d / radius)**6),
            "ideal": lambda: (d**2 < radius**2 * (1 - 1e-12)).astype(float)}[shape]()


def by_definition(image, mask, edges):
    """An image (height, width) by a mask of the frequencies along the width and along the height."""
    height, width = image.shape
    if edges != "wrap":
        image = np.pad(image, ((0, height), (0, width)), "symmetric" if edges == "reflect" else "constant")
    y, x = (np.fft.fftfreq(n) for n in image.shape)
    return np.fft.ifft2(np.fft.fft2(image) * mask(x[None], y[:, None])).real[:height, :width]


def masks(shape):
    """A call of each filter, and the mask that it is to apply."""
    def circle(radius):
        return lambda x, y: rolloff(np.hypot(x, y), radius, shape)

    def notched(x, y):
        kept = 1
        for a, b, r in [(0.2, 0.1, 0.06), (-0.3, 0.25, 0.1)]:
            for sign in (1, -1):
                dx, dy = ((f - sign * c + 0.5) % 1 - 0.5 for f, c in ((x, a), (y, b)))
                kept = kept * (1 - rolloff(np.hypot(dx, dy), r, shape))
        return kept

    def unstriped(x, y):  # the direction across stripes that rise at 30 degrees, the rows of an image going down
        across = np.degrees(np.arctan2(-y, x)) - 120
        apart = abs((across + 90) % 180 - 90)
        kept = 1 - rolloff(apart, 12.0, shape) * (1 - rolloff(np.hypot(x, y), 0.08, shape))
        return np.where((x == 0) & (y == 0), 1.0, kept)

    low, wide = circle(0.11), circle(0.23)
    yield "low_pass", (0.11,), low
    yield "high_pass", (0.11,), lambda x, y: 1 - low(x, y)
    yield "band_pass", (0.11, 0.23), lambda x, y: wide(x, y) * (1 - low(x, y))
    yield "band_stop", (0.11, 0.23), lambda x, y: 1 - wide(x, y) * (1 - low(x, y))
    yield "notch", ([(0.2, 0.1, 0.06), (-0.3, 0.25, 0.1)],), notched
    yield "sharpen", (0.11, 0.7), lambda x, y: 1 + 0.7 * (1 - low(x, y))
    yield "stripes", (30, 12, 0.08), unstriped


def photograph(*shape, kind=np.float32):
    values = np.random.default_rng(sum(shape)).random(shape)
    return values.astype(kind) if np.dtype(kind).kind == "f" else (255 * values).astype(kind)


@pytest.mark.parametrize("edges", ["reflect", "wrap", "zero"])
@pytest.mark.parametrize("shape", ["gaussian", "butterworth", "ideal"])
def test_frequencies(shape, edges):
    image = photograph(22, 30)
    for name, arguments, mask in masks(shape):
        got = getattr(ndimage, name)(image, *arguments, shape, 3, edges=edges)
        assert got.dtype == np.float32
        assert np.allclose(got, by_definition(image, mask, edges), rtol=0, atol=3e-6), name


def test_frequencies_of_a_laplacian_and_of_masks():
    image = photograph(15, 20)
    d2 = lambda x, y: (x**2 + y**2) / 0.2**2  # noqa: E731
    wanted = by_definition(image, lambda x, y: np.e / 2 * d2(x, y) * np.exp(-d2(x, y) / 2), "reflect")
    assert np.allclose(ndimage.laplacian(image, 0.2), wanted, atol=3e-6)
    mask = np.random.default_rng(8).random((15, 20))
    mean = lambda x, y: (np.fft.ifftshift(mask) + np.fft.ifftshift(mask)[-np.arange(15)][:, -np.arange(20)]) / 2  # noqa: E731
    assert np.allclose(ndimage.frequency_mask(image, mask, edges="wrap"), by_definition(image, mean, "wrap"), atol=3e-6)
    for scale in (1, 2):  # the mask is a part of what a plan is kept by
        assert np.allclose(ndimage.frequency_mask(image, mask * scale, edges="wrap"), scale * by_definition(image, mean, "wrap"), atol=6e-6)


def test_frequencies_of_stacks_colours_and_types():
    stack = photograph(3, 14, 9, 4, kind=np.uint8)
    each = np.stack([[ndimage.low_pass(stack[k, ..., c], 0.1) for c in range(4)] for k in range(3)])
    got = ndimage.low_pass(stack, 0.1, channel_axis=-1)
    assert got.shape == stack.shape and np.array_equal(got, np.moveaxis(each, 1, -1))
    assert np.array_equal(ndimage.low_pass(np.moveaxis(stack, -1, 1), 0.1, channel_axis=1), each)
    assert np.array_equal(ndimage.low_pass(stack[:, ::-1, :, 0], 0.1), ndimage.low_pass(stack[:, ::-1, :, 0].copy(), 0.1))
    clear = ndimage.low_pass(stack, 0.1, channel_axis=-1, alpha=True, result="clip")
    assert clear.dtype == np.uint8 and np.array_equal(clear[..., 3], stack[..., 3])
    assert np.array_equal(clear[..., :3], np.rint(got[..., :3]))
    image = stack[0, ..., 0]
    for other in (float, np.float16, ">f4", np.int16, ">u2", bool):
        wanted = by_definition(image.astype(other).astype(float), lambda x, y: np.exp(-(x**2 + y**2) / 0.02), "reflect")
        got = ndimage.low_pass(image.astype(other), 0.1)
        assert got.dtype == (np.float64 if other is float else np.float32) and np.allclose(got, wanted, rtol=0, atol=1e-3), other
    assert ndimage.high_pass(image.astype(">u2"), 0.1, result="stretch").dtype == np.dtype("=u2")


def test_noise_and_volumes():
    """The Wiener filter's mask is made of the image: S is |F|^2 smoothed over 9 x 9 frequencies, its mean being kept."""
    image, noise = photograph(20, 26, kind=float), 0.2
    spectrum = np.fft.fft2(image)
    power = abs(spectrum)**2
    power[0, 0] = 0
    s = scipy_ndimage.uniform_filter(power, 9, mode="wrap")
    mask = np.maximum(s - image.size * noise**2, 0) / s
    mask[0, 0] = 1
    wanted = np.fft.ifft2(spectrum * mask).real
    assert np.allclose(ndimage.wiener(image, noise, edges="wrap"), wanted, atol=1e-11)
    assert np.allclose(ndimage.wiener(image, noise, edges="wrap", dtype=np.float32), wanted, atol=1e-5)
    stack = np.stack([image, 3 * image])
    assert np.allclose(ndimage.wiener(stack), np.stack([ndimage.wiener(image), ndimage.wiener(3 * image)]), atol=1e-12)
    volume, where = photograph(6, 8, 10, kind=float), np.meshgrid(*(np.fft.fftfreq(n) for n in (6, 8, 10)), indexing="ij")
    spectrum, apart = np.fft.fftn(volume), [np.sqrt(sum(((f - sign * c + 0.5) % 1 - 0.5)**2 for f, c in zip(where, (-0.3, 0.1, 0.2)))) for sign in (1, -1)]
    wanted = np.fft.ifftn(spectrum * np.prod([1 - np.exp(-d**2 / (2 * 0.15**2)) for d in apart], axis=0)).real
    assert np.allclose(ndimage.notch(volume, [(0.2, 0.1, -0.3, 0.15)], volume=True, edges="wrap"), wanted, atol=1e-11)
    even = 1 + np.cos(2 * np.pi * where[0]) * np.cos(2 * np.pi * where[1]) * np.cos(2 * np.pi * where[2])
    wanted = np.fft.ifftn(spectrum * even).real
    assert np.allclose(ndimage.frequency_mask(volume, np.fft.fftshift(even), volume=True, edges="wrap"), wanted, atol=1e-6)  # masks are float32
    assert ndimage.low_pass(np.moveaxis(np.stack([volume] * 2), 0, 1), 0.1, volume=True, channel_axis=1).shape == (6, 2, 8, 10)


@pytest.mark.parametrize("kind", [np.uint8, np.float32, float])
def test_opacity_weighs(kind):
    image, white = photograph(12, 10, 4, kind=kind), 255.0 if kind is np.uint8 else 1.0
    image[3:6, 2:5, 3] = 0
    blurred = lambda v: ndimage.low_pass(v, 0.1)  # noqa: E731
    a = image[..., 3].astype(float) / white
    wanted = np.stack([*(blurred(image[..., c] * a) / blurred(a) for c in range(3)), blurred(a) * white], -1)
    near = {np.uint8: 1e-3, np.float32: 1e-5}.get(kind, 1e-12)
    got = ndimage.low_pass(image, 0.1, channel_axis=-1, alpha="weigh")
    assert got.dtype == (float if kind is float else np.float32) and np.allclose(got, wanted, rtol=0, atol=near)
    assert np.allclose(ndimage.low_pass(mastaba.asarray(np.moveaxis(image, -1, 0)), 0.1, channel_axis=0, alpha="weigh").numpy(), np.moveaxis(wanted, -1, 0), atol=near)
    clipped = ndimage.low_pass(image, 0.1, channel_axis=-1, alpha="weigh", result="clip")
    assert clipped.dtype == kind and np.allclose(clipped, np.rint(wanted) if kind is np.uint8 else wanted, atol=1 if kind is np.uint8 else near)
    image[..., 3] = 0
    assert not ndimage.low_pass(image, 0.1, channel_axis=-1, alpha="weigh").any()
    for name, options in (("high_pass", {}), ("low_pass", {"result": "stretch"})):
        with pytest.raises(mastaba.errors.ArgumentError, match="keep the mean"):
            getattr(ndimage, name)(image, 0.1, channel_axis=-1, alpha="weigh", **options)


def light_of(x):
    """IEC 61966-2-1; beyond 0 .. 1 in straight lines."""
    inside = np.clip(x, 0, 1)
    return np.where(inside <= 0.04045, inside / 12.92, ((inside + 0.055) / 1.055)**2.4) + (x - inside)


def values_of(x):
    inside = np.clip(x, 0, 1)
    return np.where(inside <= 0.0031308, 12.92 * inside, 1.055 * inside**(1 / 2.4) - 0.055) + (x - inside)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32, float])
def test_light(kind):
    """Beside the same by NumPy; `mastaba filter --linear` is beside its own definition in tests/cli."""
    image, white = photograph(12, 10, 4, kind=kind), {np.uint8: 255.0, np.uint16: 65535.0}.get(kind, 1.0)
    whole, near = white > 1, {np.float32: 1e-5, float: 1e-12}.get(kind, 1)
    x = image.astype(float) / white
    blurred = lambda v: ndimage.low_pass(v, 0.1, channel_axis=-1)  # noqa: E731
    options = {"linear": "srgb", "channel_axis": -1, "result": "clip"}
    rounded = lambda v: np.rint(np.clip(v, 0, 1) * white) if whole else v  # noqa: E731
    wanted = rounded(values_of(blurred(light_of(x))))
    got = ndimage.low_pass(image, 0.1, **options)
    assert got.dtype == kind and abs(got.astype(float) - wanted).max() <= near and (whole or abs(wanted - blurred(x)).max() > 0.01)
    assert np.array_equal(ndimage.low_pass(image, 0.1, **{**options, "linear": True}), got if whole else ndimage.low_pass(image, 0.1, channel_axis=-1, result="clip"))
    assert np.allclose(ndimage.low_pass(image, 0.1, **{**options, "result": "raw"}), blurred(light_of(x)) * white, rtol=1e-5 if kind != float else 1e-12)
    assert np.array_equal(ndimage.low_pass(mastaba.asarray(image), 0.1, **options).numpy(), got)
    wanted = rounded(blurred(x**2.2)**(1 / 2.2))
    assert abs(ndimage.low_pass(image, 0.1, **{**options, "linear": 2.2}).astype(float) - wanted).max() <= near
    copied = ndimage.low_pass(image, 0.1, alpha=True, **options)
    assert np.array_equal(copied[..., :3], got[..., :3]) and np.allclose(copied[..., 3], image[..., 3], atol=near * (not whole))
    a = x[..., 3:]
    wanted = rounded(np.concatenate([values_of(blurred(a * light_of(x[..., :3])) / blurred(a)), blurred(a)], -1))
    weighed = ndimage.low_pass(image, 0.1, alpha="weigh", **options)
    assert weighed.dtype == kind and abs(weighed.astype(float) - wanted).max() <= near
    raw = ndimage.high_pass(light_of(x), 0.1, channel_axis=-1)
    got = ndimage.high_pass(image, 0.1, linear="srgb", channel_axis=-1, result="magnitude")
    assert abs(got.astype(float) - rounded(values_of(abs(raw) / abs(raw).max()))).max() <= 2 * near


def test_light_is_brought_back_as_it_was():
    for kind in (np.uint8, np.uint16):
        image = np.arange(np.iinfo(kind).max + 1).astype(kind).reshape(16, -1)
        assert np.array_equal(ndimage.frequency_mask(image, np.ones((1, 1)), linear=True, result="clip", dtype=float), image)
    half = np.repeat([[0, 255]], 40, axis=0).repeat(40, axis=1).astype(np.uint8)
    assert ndimage.low_pass(half, 0.001, linear=True, result="clip", edges="wrap")[0, 0] == 188  # as docs/filter.md says
    assert ndimage.low_pass(half, 0.001, result="clip", edges="wrap")[0, 0] in (127, 128)
    for white in (np.uint8, ">u2"):
        image = half.astype(white)
        assert np.array_equal(ndimage.low_pass(image, 0.01, linear=np.True_, result="clip"), ndimage.low_pass(image, 0.01, linear=True, result="clip"))
        assert np.array_equal(ndimage.low_pass(image, 0.01, linear=np.False_), ndimage.low_pass(image, 0.01))
    wanted = ndimage.low_pass(half, 0.01, linear=True, result="clip")
    for kind in (bool, np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64):
        for linear in (True, np.True_):
            with pytest.raises(mastaba.errors.ArgumentError, match="white is not known: give white="):
                ndimage.low_pass(half.astype(kind), 0.1, linear=linear)
        white = 1 if kind == bool else 255 if kind != np.int8 else 127
        got = ndimage.low_pass(np.minimum(half, white).astype(kind), 0.01, linear=True, white=white, result="clip")
        assert abs(got * (255 / white) - wanted).max() < 0.51
    for wrong in ({"linear": -1}, {"linear": "gamma"}, {"linear": np.inf}):
        with pytest.raises(mastaba.errors.ArgumentError, match="linear is"):
            ndimage.low_pass(half, 0.1, **wrong)
    with pytest.raises(mastaba.errors.ArgumentError, match="noise is given"):
        ndimage.wiener(half, 3.0, linear=True)
    assert ndimage.wiener(half, linear=True, result="clip").dtype == np.uint8


def test_what_becomes_of_results():
    image = photograph(12, 17, kind=np.uint8)
    raw = ndimage.high_pass(image, 0.1)
    for rule, wanted in (("clip", np.clip(raw, 0, 200)), ("stretch", (raw - raw.min()) * 200 / (raw.max() - raw.min())),
                         ("magnitude", abs(raw) * 200 / abs(raw).max()), ("auto", abs(raw) * 200 / abs(raw).max())):
        assert abs(ndimage.high_pass(image, 0.1, result=rule, white=200).astype(float) - wanted).max() < 0.502, rule


def test_frequencies_on_the_device_in_files_and_out(tmp_path):
    image = photograph(16, 21, kind=np.uint16)
    wanted = ndimage.stripes(image, 45)
    there = mastaba.asarray(image)
    got = ndimage.stripes(there, 45)
    assert isinstance(got, mastaba.Array) and np.array_equal(got.numpy(), wanted)
    assert np.array_equal(ndimage.stripes(there[::-1].T, 45).numpy(), ndimage.stripes(image[::-1].T, 45))
    np.save(tmp_path / "image.npy", image)
    assert np.array_equal(ndimage.stripes(tmp_path / "image.npy", 45), wanted)
    for out in (np.empty((16, 42), np.float32)[:, ::2], np.empty((16, 21), np.float32), mastaba.empty((16, 21), np.float32)):
        assert ndimage.stripes(image, 45, out=out) is out and np.array_equal(np.asarray(out), wanted)
    assert ndimage.low_pass(np.zeros((0, 5)), 0.1).shape == (0, 5)
    with mastaba.budget(device="1MiB"):
        large = photograph(600, 500)
        assert np.allclose(ndimage.low_pass(large, 0.05), by_definition(large, lambda x, y: np.exp(-(x**2 + y**2) / 0.005), "reflect"), atol=3e-6)


def test_frequencies_that_are_refused():
    image = photograph(6, 7)
    for wrong in (lambda: ndimage.low_pass(image, -1), lambda: ndimage.band_pass(image, 0.2, 0.1), lambda: ndimage.low_pass(image, 0.1, "cosine"),
                  lambda: ndimage.low_pass(image, 0.1, edges="around"), lambda: ndimage.low_pass(image[0], 0.1), lambda: ndimage.notch(image, [1, 2, 3]),
                  lambda: ndimage.low_pass(image, 0.1, alpha=True), lambda: ndimage.low_pass(image, 0.1, channel_axis=2),
                  lambda: ndimage.low_pass(image, 0.1, out=image), lambda: ndimage.low_pass(image, 0.1, out=np.empty((6, 7))),
                  lambda: ndimage.low_pass(image, 0.1, volume=True), lambda: ndimage.notch(image, [(0.1, 0.1, 0.1, 0.1)]), lambda: ndimage.wiener(image, -1),
                  lambda: ndimage.frequency_mask(image, np.ones((2, 2, 2))), lambda: ndimage.low_pass(image, 0.1, dtype=np.int16),
                  lambda: ndimage.frequency_mask(image, np.array([[np.nan]])), lambda: ndimage.low_pass(image, 0.1, result="best")):
        with pytest.raises(mastaba.errors.ArgumentError):
            wrong()
    with pytest.raises(mastaba.errors.UnsupportedError, match="imaginary"):
        ndimage.low_pass(image * 1j, 0.1)
    with pytest.raises(TypeError, match="object"):
        ndimage.low_pass(image.astype(object), 0.1)
    assert np.array_equal(image, photograph(6, 7))


@pytest.mark.parametrize("kind", ["uint8", "int16", "uint16", "int32", "uint32"])
def test_whole_numbers_wrap_around(kind):
    """Results beyond a type without a sign keep its last bits, others are what SciPy's are; other things than numbers are refused."""
    x = np.random.default_rng(4).integers(0, np.iinfo(kind).max, 40, kind, endpoint=True)
    for call, arguments in (("correlate1d", ([1, 3, -2],)), ("laplace", ()), ("sobel", ())):
        assert np.array_equal(getattr(ndimage, call)(x, *arguments), getattr(scipy_ndimage, call)(x, *arguments)), call
    with pytest.raises(RuntimeError, match="not supported"):
        ndimage.fourier_gaussian(x + 0j, 1, output=float)
    with pytest.raises(IndexError, match="axis 1"):  # NumPy's AxisError, which is a ValueError, too
        ndimage.sobel(x, 1)
    for values in (x.astype(object), np.array(["a", "b"])):
        with pytest.raises(RuntimeError, match="not supported"):
            ndimage.gaussian_filter(values, 1)
