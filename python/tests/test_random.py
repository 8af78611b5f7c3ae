"""Random calls beside SciPy's own functions: transforms, convolutions and filters, of random types, shapes, axes, strides and options; and
filters by frequency, which SciPy has not, beside their definitions by numpy.fft.

A call has SciPy's result, its type and its shape, or raises as SciPy does; inputs stay as they are; the same call again, which goes straight
to its plan, gives the same bits; one with out= writes there; arrays on the device give what arrays of the host do. MASTABA_SEED chooses the
calls, MASTABA_CALLS how many there are of each kind.
"""
import functools
import os
import sys
import warnings

import numpy as np
import pytest

scipy_fft = pytest.importorskip("scipy.fft")
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402

import mastaba  # noqa: E402

SEED = int(os.environ.get("MASTABA_SEED", 20261120))
CALLS = int(os.environ.get("MASTABA_CALLS", 40))
DTYPES = ["f4", "f8", "c8", "c16", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f2", ">f4", ">f8", ">c16", ">i2"]
SINGLE = set("fFe")


class Draw(np.random.Generator):
    """Random choices of one call."""

    def __init__(self, *seed):
        super().__init__(np.random.PCG64(seed))

    def one(self, values):
        return values[int(self.integers(len(values)))]

    def chance(self, probability):
        return self.random() < probability

    def whole(self, low, high):
        return int(self.integers(low, high + 1))

    def array(self, shape, dtype=None):
        """Numbers of a random type, where they may be strided, turned or read-only."""
        dtype = np.dtype(dtype or self.one(DTYPES))
        steps = [self.one((1, 1, 1, 2, -1, -2)) for _ in shape]
        whole = [n * abs(s) for n, s in zip(shape, steps)]
        order = self.permutation(len(shape)) if self.chance(0.3) else np.arange(len(shape))
        values = 3 * self.standard_normal([whole[k] for k in order])
        if dtype.kind == "c":
            values = values + 3j * self.standard_normal(values.shape)
        if dtype.kind == "u":
            values = abs(values)
        values = (values > 0 if dtype.kind == "b" else values).astype(dtype).transpose(np.argsort(order))
        x = values[(*(slice(None, None, s) for s in steps), ...)]
        assert x.shape == tuple(shape)
        if self.chance(0.1):
            x.flags.writeable = False
        return x

    def shape(self, most=3, longest=12, empty=0.03):
        return tuple(0 if self.chance(empty) else self.whole(1, longest) for _ in range(self.whole(0 if self.chance(0.05) else 1, most)))


# ---- Calls

def transform(draw):
    name = draw.one("fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 fftn ifftn rfftn irfftn hfftn ihfftn "
                    "dct idct dst idst dctn idctn dstn idstn".split())
    x, options = draw.array(draw.shape(4)), {}
    even = name.lstrip("i")[:3] in ("dct", "dst")
    axis = functools.partial(draw.whole, -x.ndim - draw.chance(0.03), max(x.ndim - 1, 0) + draw.chance(0.03))
    if name[-1] in "2n":
        k = 2 if name[-1] == "2" else draw.whole(0 if draw.chance(0.1) else 1, max(x.ndim, 1))
        if draw.chance(0.6) or name[-1] == "2":
            options["axes"] = tuple(axis() for _ in range(k))
        if draw.chance(0.5):
            options["s"] = tuple(draw.one((None, -1)) if draw.chance(0.05) else draw.whole(0 if draw.chance(0.05) else 1, 14) for _ in range(k))
    else:
        if draw.chance(0.7):
            options["axis"] = axis()
        if draw.chance(0.5):
            options["n"] = draw.whole(-1 if draw.chance(0.05) else 1, 20)
    if even and draw.chance(0.8):
        options["type"] = draw.one((1, 2, 3, 4, 4, 3, 2, 1, 5) if draw.chance(0.2) else (1, 2, 3, 4))
    if even and draw.chance(0.2) and x.dtype.kind != "c":  # SciPy forgets orthogonalize of complex numbers
        options["orthogonalize"] = draw.one((True, False, None))
    if draw.chance(0.6):
        options["norm"] = draw.one((None, "backward", "ortho", "forward", "orth") if draw.chance(0.1) else ("backward", "ortho", "forward"))
    if draw.chance(0.1):
        options["workers"] = draw.one((1, 2, -1, 0, None))
    return name, getattr(mastaba.fft, name), getattr(scipy_fft, name), (x,), options


def convolution(draw):
    name = draw.one("convolve correlate fftconvolve oaconvolve convolve2d correlate2d".split())
    two = name.endswith("2d")
    x = draw.array(tuple(draw.whole(1, 30) for _ in range(2)) if two else draw.shape(3, 25))
    y = draw.array(tuple(draw.whole(1, 8 if draw.chance(0.7) else 40) for _ in range(x.ndim + draw.chance(0.02))))
    options = {"mode": draw.one(("full", "same", "valid")) if draw.chance(0.98) or not x.size else "some"}
    if two and draw.chance(0.6):
        options["boundary"] = draw.one(("fill", "wrap", "symm", "pad", "circular", "symmetric"))
        options["fillvalue"] = draw.one((0, 1, 2.5, -3))
    if name in ("convolve", "correlate"):
        options["method"] = draw.one(("auto", "direct", "fft"))
    if name in ("fftconvolve", "oaconvolve") and draw.chance(0.5) and x.ndim:
        axes = tuple(int(k) - x.ndim * draw.chance(0.3) for k in draw.permutation(x.ndim)[:draw.whole(1, x.ndim)])
        options["axes"] = axes[0] if len(axes) == 1 and draw.chance(0.5) else axes
        if draw.chance(0.9):
            shape = tuple(m if k in axes or k - x.ndim in axes else draw.one((1, n)) for k, (n, m) in enumerate(zip(x.shape, y.shape)))
            y = draw.array(shape)
    arrays = (y, x) if draw.chance(0.2) else (x, y)
    return name, getattr(mastaba.signal, name), getattr(scipy.signal, name), arrays, options


MODES = "reflect mirror nearest wrap constant grid-mirror grid-wrap grid-constant".split()


def image_filter(draw):
    name = draw.one("correlate convolve correlate1d convolve1d gaussian_filter gaussian_filter1d uniform_filter uniform_filter1d "
                    "fourier_gaussian fourier_uniform fourier_shift fourier_ellipsoid sobel prewitt laplace gaussian_laplace".split())
    x, options, arrays = draw.array(draw.shape(3, 15), draw.one([d for d in DTYPES if d != "f2"])), {}, []
    one_axis, n = name.endswith("1d") or name in ("sobel", "prewitt"), x.ndim
    if name.startswith("fourier"):
        value = [draw.uniform(0.5, 4) for _ in range(n)]
        options["shift" if name.endswith("shift") else "sigma" if name.endswith("gaussian") else "size"] = value if draw.chance(0.5) and n else 2.5
        if draw.chance(0.3) and n:
            options["axis"] = draw.whole(-n, n - 1)
            options["n"] = draw.one((2 * x.shape[options["axis"]] - 2, 2 * x.shape[options["axis"]] - 1, -1)) or 1
        return name, getattr(mastaba.ndimage, name), getattr(scipy.ndimage, name), (x,), options
    if draw.chance(0.8):
        options["mode"] = draw.one(MODES)
    if draw.chance(0.3):
        options["cval"] = draw.one((0.0, 1.5, -2))
    if one_axis and draw.chance(0.7) and n:
        options["axis"] = draw.whole(-n, n - 1)
    if draw.chance(0.2):
        options["output"] = np.dtype(draw.one(["f4", "f8", "c16", "i4", "u1"]))
    axes = n
    if not one_axis and draw.chance(0.3) and n:
        options["axes"] = tuple(int(k) for k in draw.permutation(n)[:draw.whole(1, n)])
        axes = len(options["axes"])
    if "gaussian" in name:
        options["sigma"] = draw.uniform(0.3, 3)
        if draw.chance(0.3):
            options["order"] = draw.whole(0, 3)
        if draw.chance(0.2):
            options["truncate"] = draw.uniform(1, 5)
        if draw.chance(0.2):
            options["radius"] = draw.whole(0, 6)
        if name == "gaussian_laplace":
            options.pop("order", None)
    elif name in ("sobel", "prewitt", "laplace"):
        return name, getattr(mastaba.ndimage, name), getattr(scipy.ndimage, name), (x,), options
    elif "uniform" in name:
        options["size"] = draw.whole(1, 7)
    else:
        arrays = [draw.array(tuple(draw.whole(1, 6) for _ in range(1 if one_axis else axes)), draw.one(["f4", "f8", "i4", "c16"]))]
    if "gaussian" not in name and draw.chance(0.3):
        options["origin"] = draw.whole(-2, 2)
    return name, getattr(mastaba.ndimage, name), getattr(scipy.ndimage, name), (x, *arrays), options


def by_definition(mask, image, *, edges="reflect", channel_axis=None, dtype=None, volume=False):
    """Images by a mask of the distance from frequency 0, in float64."""
    n = 3 if volume else 2
    if image.dtype.kind == "c" or image.ndim < n + (channel_axis is not None):
        raise ValueError("no image")
    kind = dtype or np.result_type(image.dtype.newbyteorder("="), np.float32)
    values = image.astype(float) if channel_axis is None else np.moveaxis(image.astype(float), channel_axis, 0)
    sides, axes = values.shape[-n:], tuple(range(-n, 0))
    padding = [(0, 0)] * (values.ndim - n) + [(0, m) for m in sides]
    values = values if edges == "wrap" else np.pad(values, padding, "symmetric" if edges == "reflect" else "constant")
    distance = np.sqrt(sum(f**2 for f in np.meshgrid(*(np.fft.fftfreq(m) for m in values.shape[-n:]), indexing="ij", sparse=True)))
    values = np.fft.ifftn(np.fft.fftn(values, axes=axes) * mask(distance), axes=axes).real
    values = values[(..., *(slice(m) for m in sides))].astype(kind)
    return values if channel_axis is None else np.moveaxis(values, 0, channel_axis)


def frequency_filter(draw):
    """The masks are those of include/mastaba/filter.h."""
    name = draw.one("low_pass high_pass band_pass band_stop sharpen laplacian".split())
    x, options = draw.array(tuple(draw.whole(1, 20) for _ in range(draw.whole(1 if draw.chance(0.05) else 2, 4)))), {}
    rolloff, order, low = draw.one(("gaussian", "butterworth", "ideal")), draw.whole(1, 5), draw.uniform(0.01, 0.4)
    high, amount = low + draw.uniform(0.01, 0.4), draw.uniform(0.1, 3)
    if draw.chance(0.8):
        options["edges"] = draw.one(("reflect", "wrap", "zero"))
    if draw.chance(0.3):
        options["channel_axis"] = draw.whole(-x.ndim, x.ndim - 1)
    if draw.chance(0.3):
        options["volume"] = True
    if draw.chance(0.2):
        options["dtype"] = draw.one((np.float32, np.float64))

    def circle(radius):
        return {"gaussian": lambda d: np.exp(-d**2 / (2 * radius**2)), "butterworth": lambda d: 1 / (1 + (d / radius)**(2 * order)),
                "ideal": lambda d: (d**2 < radius**2 * (1 - 1e-12)).astype(float)}[rolloff]

    masks = {"low_pass": lambda d: circle(low)(d), "high_pass": lambda d: 1 - circle(low)(d), "band_pass": lambda d: circle(high)(d) * (1 - circle(low)(d)),
             "band_stop": lambda d: 1 - circle(high)(d) * (1 - circle(low)(d)), "sharpen": lambda d: 1 + amount * (1 - circle(low)(d)),
             "laplacian": lambda d: np.e / 2 * (d / low)**2 * np.exp(-d**2 / (2 * low**2))}
    numbers = {"low_pass": (low,), "high_pass": (low,), "sharpen": (low, amount), "laplacian": (low,)}.get(name, (low, high))
    how = () if name == "laplacian" else (rolloff, order)
    return name, lambda a, **o: getattr(mastaba.ndimage, name)(a, *numbers, *how, **o), \
        lambda a, **o: by_definition(masks[name], a, **o), (x,), options


# ---- Comparisons

def outcome(function, arrays, options):
    """The result, or the exception; warnings are left alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arrays, **options), None
        except Exception as error:
            return None, error


def agreed(name, arrays, options, refused, error):
    """Whether SciPy refuses what is taken here, or the other way round, for a reason that is known."""
    if any(not a.size for a in arrays):
        return True  # SciPy gives what comes out
    if error is None:
        return "e" in [a.dtype.char for a in arrays] or "output" in options or "fillvalue" in options  # float16, complex results of real filters, -1 as unsigned
    return "valid" in str(error) and refused is None  # SciPy does not look where the product is one of elements


def gate_of(name, arrays, options, wanted):
    """The most that a result may differ by, of its largest number."""
    single = any(a.dtype.char in SINGLE for a in arrays) or wanted.dtype.char in SINGLE or np.dtype(options.get("output", "f8")).char in SINGLE
    return 1e-3 if "e" in [a.dtype.char for a in arrays] else 3e-5 if single else 1e-11


def differs(name, arrays, options, wanted, got):
    """Why a result is not SciPy's, or nothing."""
    if np.shape(wanted) != np.shape(got) or wanted.dtype.newbyteorder("=") != got.dtype or not got.dtype.isnative:
        return f"{wanted.dtype} {np.shape(wanted)} is wanted, not {got.dtype} {np.shape(got)}"
    if wanted.dtype.kind in "biu":
        wrong = np.abs(wanted.astype(float) - np.asarray(got).astype(float)).max(initial=0)
        rounded = 1 if any(a.dtype.kind in "fc" for a in arrays[1:]) or "uniform" in name or "gaussian" in name else 0  # towards 0, of sums that rounding moved
        rounded *= max(1, arrays[0].ndim) if name == "gaussian_laplace" else 1
        return "" if wrong <= rounded or wrong in (255, 65535, 2**32 - 1) and rounded else f"whole numbers differ by {wrong}"
    scale = max(np.abs(wanted).max(initial=1e-30), *(1e-3 * np.abs(a).max(initial=0) for a in arrays))
    wrong = np.abs(wanted - got).max(initial=0) / (scale if np.isfinite(scale) else 1)
    return "" if wrong <= gate_of(name, arrays, options, wanted) else f"relative error {wrong}"


def as_on_device(arrays):
    return [mastaba.asarray(a) for a in arrays]


def check(draw, kind):
    name, ours, theirs, arrays, options = kind(draw)
    what = f"{name}({', '.join(f'{a.dtype.str}{list(a.shape)} strides {list(a.strides)}' for a in arrays)}, {options})"
    kept = [a.copy() for a in arrays]
    wanted, refused = outcome(theirs, arrays, options)
    got, error = outcome(ours, arrays, options)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, kept)), f"{what} has changed its input"
    if (refused is not None or error is not None) and agreed(name, arrays, options, refused, error):
        return
    if refused is not None or error is not None:
        assert refused is not None and error is not None, f"{what}: {refused!r} of SciPy, here {error!r}"
        assert isinstance(error, (TypeError, ValueError, IndexError, NotImplementedError, RuntimeError)), f"{what}: {error!r}, of SciPy {refused!r}"
        return
    if (not wanted.ndim or () in (options.get("axes"), options.get("s"))) and name[-1] in "2n" or \
            kind is convolution and name.startswith("co") and any(not a.size for a in arrays):
        return  # SciPy gives what is not transformed as it is, and of nothing results of many shapes
    if name == "correlate2d" and options["mode"] == "valid" and arrays[0].size < arrays[1].size and np.iscomplexobj(wanted):
        return  # SciPy swaps the images and conjugates the wrong one
    if kind is image_filter and (wanted.dtype == np.uint64 or wanted.dtype in (np.uint32, bool) and name in ("sobel", "prewitt", "laplace", "gaussian_laplace")):
        return  # negative numbers as these are any number in C
    wrong = differs(name, arrays, options, wanted, got)
    assert not wrong, f"{what}: {wrong}"
    again = outcome(ours, arrays, options)[0]
    assert np.array_equal(again, got) and again.dtype == got.dtype, f"{what} differs from itself"
    if kind is not image_filter and isinstance(got, np.ndarray) and draw.chance(0.5):
        out = np.full_like(got, 7)
        given, error = outcome(ours, arrays, {**options, "out": out})
        assert given is out and not differs(name, arrays, options, wanted, out), f"{what} with out=: {error!r}"
    if draw.chance(0.5):
        on_device, error = outcome(ours, as_on_device(arrays), options)
        if isinstance(error, (mastaba.errors.UnsupportedError, mastaba.errors.ArgumentError)):
            return
        assert error is None, f"{what} on the device: {error!r}"
        wanted = wanted.astype(np.float32) if wanted.dtype == np.float16 else wanted  # which the device computes in, and leaves so
        wrong = differs(name, arrays, options, wanted, np.asarray(on_device))
        assert not wrong and isinstance(on_device, mastaba.Array), f"{what} on the device: {wrong or type(on_device)}"


def test_scipy_is_itself():
    """Under scipy_proof.py its functions are Mastaba's, which would be compared with themselves."""
    assert scipy.signal.convolve.__module__.startswith("scipy.") and scipy.ndimage.correlate.__module__.startswith("scipy.")
    assert "scipy_proof" not in sys.modules  # nor its transforms


@pytest.mark.parametrize("kind", [transform, convolution, image_filter, frequency_filter])
def test_random(kind):
    print(f"MASTABA_SEED={SEED}")
    failures = []
    for k in range(CALLS):
        try:
            check(Draw(SEED, k), kind)
        except AssertionError as failure:
            failures.append(f"call {k}: {str(failure).splitlines()[0]}")
            print(failures[-1], flush=True)
    assert not failures, f"MASTABA_SEED={SEED}: {len(failures)} of {CALLS} calls\n" + "\n".join(failures)
