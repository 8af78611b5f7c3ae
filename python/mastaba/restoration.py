"""Deconvolution of images and volumes with the signatures of skimage.restoration, on an OpenCL device.

    >>> import numpy as np, mastaba
    >>> point = np.zeros((9, 9)); point[4, 4] = 1
    >>> blurred = mastaba.ndimage.uniform_filter(point, 3)
    >>> bool(mastaba.restoration.richardson_lucy(blurred, np.full((3, 3), 1 / 9), num_iter=50)[4, 4] > 0.9)
    True

Results are float32 for images of float32 and float16, else float64, as scikit-image has them; but a point spread function of an even
side is mirrored at its centre, sample (n - 1) // 2, where scikit-image moves the result by one sample an iteration, and counts below 0
are refused. Results of a mastaba.Array are on the device; `out` is an array for the result.
"""
import contextlib
import operator

import numpy as np

from . import _arrays, errors
from ._library import check, describe, execution, ffi, interrupted, lib, per_thread
from ._map import evaluate

__all__ = ["born_wolf_psf", "gaussian_psf", "richardson_lucy", "tikhonov", "wiener"]

_EDGES = {"zero": lib.MST_DECONVOLUTION_ZERO, "observed": lib.MST_DECONVOLUTION_OBSERVED, "circular": lib.MST_DECONVOLUTION_CIRCULAR}


def _edges(edges):
    if edges not in _EDGES:
        raise ValueError(f"edges is {edges!r}: one of {', '.join(_EDGES)}")
    return _EDGES[edges]


def _arguments(image, psf):
    image, psf = _arrays.of(image), np.asarray(_arrays.of(psf))
    if image.dtype.kind not in "biuf" or psf.dtype.kind not in "biuf":
        raise errors.UnsupportedError(f"an image of {image.dtype} and a psf of {psf.dtype}: both are to be real numbers")
    if image.ndim != psf.ndim:
        raise ValueError(f"image and psf have different numbers of axes, {image.ndim} and {psf.ndim}")
    if not 1 <= image.ndim <= lib.MST_MAX_AXES:
        raise errors.UnsupportedError(f"an image of {image.ndim} axes: 1 to {lib.MST_MAX_AXES} are deconvolved")
    return _converted(image, np.dtype(np.float32 if image.dtype.char in "ef" else np.float64)), np.ascontiguousarray(psf, np.float64)


def _converted(array, kind):
    array = array if array.dtype == kind else array.astype(kind)
    return array if _arrays.fits(array) else array.copy()


def _result(image, out, *others):
    """The array for a result."""
    if out is None:
        return _arrays.like(image, image.shape, image.dtype)
    if not isinstance(out, type(image)) or out.shape != image.shape or out.dtype != image.dtype or not _arrays.fits(out) or \
            not (isinstance(out, _arrays.Array) or out.flags.writeable):
        raise errors.ArgumentError(f"out must be a writable {type(image).__name__} of {image.dtype} and shape {image.shape}, aligned and in native byte order")
    if any(_arrays.may_share(out, a) for a in (image, *others)):
        raise errors.ArgumentError("out shares memory with another array of the call")
    return out


@ffi.callback("mst_deconvolution_watch_fn", error=False, onerror=interrupted)
def _watch(state, user):
    return per_thread.watch(state.iteration, state.iterations, state.residual, state.change) is not False


@contextlib.contextmanager
def _watched(watch):
    """Within it, iterations of this thread are told to a function."""
    before, per_thread.watch = per_thread.watch, watch
    try:
        yield
    finally:
        per_thread.watch = before


def _execute(image, psf, centre, clip, out, others, **members):
    """`others` are arrays of the image's shape beside it, by the names that the library has for them."""
    result = _result(image, out, *others.values())
    if image.size == 0:
        return result
    keys = tuple(sorted(members.items()))
    layouts = {name: _arrays.layout(array) for name, array in others.items()}

    def make(context):
        return context.create("deconvolution", describe(
            "mst_deconvolution_desc", image=_arrays.layout(image), result=_arrays.layout(result), n_axes=image.ndim,
            axes=list(range(-image.ndim, 0)), psf=ffi.from_buffer("double[]", psf), psf_shape=psf.shape, centred=1, psf_centre=centre, keep_sum=1,
            **layouts, **members))

    arrays = describe("mst_deconvolution_arrays", image=_arrays.location(image), result=_arrays.location(result),
                      **{name: _arrays.location(array) for name, array in others.items()})
    own = tuple((name, _arrays.key(array)) for name, array in others.items())
    _arrays.context_of(image, result, *others.values()).execute(
        ("deconvolution", _arrays.key(image), _arrays.key(result), psf.shape, psf.tobytes(), centre, own, keys), make,
        lambda plan: lib.mst_deconvolution_execute(plan, arrays, execution, per_thread.error))
    return _clipped(result) if clip else result


def _clipped(result):
    if isinstance(result, _arrays.Array):
        result[...] = evaluate("clip(v, -1, 1)", {"v": result})
        return result
    return np.clip(result, -1, 1, out=result)


def richardson_lucy(image, psf, num_iter=50, clip=True, filter_epsilon=None, *, edges="zero", accelerate=False, total_variation=0.0,
                    tolerance=0.0, background=0.0, weights=None, seam=0.0, exact=False, start=None, watch=None, out=None):
    """As skimage.restoration.richardson_lucy; what follows the * goes beyond it. `edges`: "zero", nothing is beyond the image;
    "observed", the object goes on as far as its light reaches the image (Bertero and Boccacci 2005); "circular". `accelerate`: steps after
    Biggs and Andrews, of which 20 come as far as some 80 without. `total_variation`: lambda of Dey et al., 0.002 say. `tolerance`: stop when
    an iteration changes less of the result. `background`: light that is everywhere. `weights`: 0 where the image is not to be trusted.
    `seam`: the most that bricks of an image that does not fit the device may differ by where they meet; 0: any. `exact`: these go through all
    bricks in each iteration, so that the result is that of the whole. `start`: what to iterate from, a result say. `watch`: a function that is
    told after each iteration, of each brick, watch(iteration, iterations, residual, change), how far the model is from the image, and by how much
    the result changed, as parts of their norms; where it returns False the call ends with a CancelledError.

        >>> import numpy as np, mastaba
        >>> psf = mastaba.restoration.gaussian_psf((9, 9), 1.5)
        >>> blurred = mastaba.signal.convolve2d(np.pad([[1.0]], 10), psf, "same")
        >>> sharp = mastaba.restoration.richardson_lucy(blurred, psf, 20, accelerate=True)
        >>> bool(sharp[10, 10] > 5 * blurred[10, 10])
        True
    """
    if filter_epsilon is not None:
        raise errors.UnsupportedError("filter_epsilon: where the model has nothing but rounding, the ratio is 0 anyhow")
    edges = _edges(edges)
    image, psf = _arguments(image, psf)
    given = {name: value for name, value in (("weights", weights), ("start", start)) if value is not None}
    others = {name: _arrays.broadcast_to(_converted(_arrays.of(value), image.dtype), image.shape) for name, value in given.items()}
    with _watched(watch):
        return _execute(image, psf, tuple((n - 1) // 2 for n in psf.shape), clip, out, others, method=lib.MST_DECONVOLUTION_RICHARDSON_LUCY,
                        edges=edges, iterations=num_iter, accelerate=bool(accelerate), total_variation=total_variation, tolerance=tolerance,
                        background=background, start_value=0.5 if edges == lib.MST_DECONVOLUTION_ZERO and start is None else 0.0, seam=seam,
                        exact=bool(exact), watch=ffi.NULL if watch is None else _watch)


def wiener(image, psf, balance, reg=None, is_real=True, clip=True, *, out=None):
    """As skimage.restoration.wiener, with the Laplacian for `reg` and a psf that is no transfer function.

        >>> import numpy as np, mastaba
        >>> psf = mastaba.restoration.gaussian_psf((9, 9), 1.5)
        >>> blurred = mastaba.signal.convolve2d(np.pad([[1.0]], 10), psf, "same")
        >>> bool(mastaba.restoration.wiener(blurred, psf, 1e-4)[10, 10] > 3 * blurred[10, 10])
        True
    """
    if reg is not None or not is_real:
        raise errors.UnsupportedError("wiener regularizes with the Laplacian, of real images: leave out reg and is_real")
    return tikhonov(image, psf, balance, 2, clip, edges="circular", out=out)


def tikhonov(image, psf, balance, order=1, clip=True, *, edges="observed", out=None):
    """conj(H) Y / (|H|^2 + balance L^order) of the spectra of psf and image, L = sum over the axes of 2 - 2 cos(2 pi k / n): `order` 0 keeps the
    result's values small, with the power of the noise over that of the object as `balance` a Wiener filter, 1 its differences, 2 its second
    differences, as `wiener`. `edges`: "observed", the image goes on mirrored; "circular"; "zero".

        >>> import numpy as np, mastaba
        >>> psf = mastaba.restoration.gaussian_psf((9, 9), 1.5)
        >>> blurred = mastaba.signal.convolve2d(np.pad([[1.0]], 10), psf, "same")
        >>> bool(mastaba.restoration.tikhonov(blurred, psf, 1e-4, order=0)[10, 10] > 3 * blurred[10, 10])
        True
    """
    edges = _edges(edges)
    image, psf = _arguments(image, psf)
    return _execute(image, psf, tuple(n // 2 for n in psf.shape), clip, out, {}, method=lib.MST_DECONVOLUTION_TIKHONOV, order=operator.index(order),
                    balance=balance, edges=edges)


# ---- Point spread functions by formula

def _shape(shape):
    shape = tuple(operator.index(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if not 1 <= len(shape) <= lib.MST_MAX_AXES or min(shape) < 1:
        raise errors.ArgumentError(f"a psf of shape {shape}: 1 to {lib.MST_MAX_AXES} axes of at least one sample")
    return shape


def gaussian_psf(shape, sigma):
    """A Gaussian of 1 to 3 axes with its centre at sample n // 2 of each, and a sum of 1; `sigma`, in samples, may be one an axis. Sides are
    odd for richardson_lucy, whose centre is (n - 1) // 2.

        >>> import mastaba
        >>> mastaba.restoration.gaussian_psf(3, 1.0).round(3).tolist()
        [0.274, 0.452, 0.274]
    """
    shape = _shape(shape)
    sigma = np.broadcast_to(np.asarray(sigma, np.float64), (len(shape),)).tolist()
    psf = np.empty(shape)
    check(lib.mst_psf_gaussian(len(shape), sigma, shape, ffi.from_buffer("double[]", psf), per_thread.error))
    return psf


def born_wolf_psf(shape, *, aperture, wavelength, pixel, step=None, index=1.0):
    """That of a microscope without aberrations, by scalar diffraction (Born and Wolf, section 8.8), of a plane in focus, or of a volume whose
    planes, the first axis, are `step` apart; its centre is as that of gaussian_psf. `aperture` is the numerical one, below the `index` of
    refraction; `wavelength`, in vacuum, `pixel` and `step`, in the object, are of one unit.

        >>> import mastaba
        >>> psf = mastaba.restoration.born_wolf_psf((9, 65, 65), aperture=1.4, wavelength=0.52, index=1.515, pixel=0.1, step=0.2)
        >>> [int(k) for k in divmod(psf[4].argmax(), 65)], round(float(psf.sum()), 12)
        ([32, 32], 1.0)
    """
    shape = _shape(shape)
    if len(shape) == 1 or (len(shape) == 3) != (step is not None):
        raise errors.ArgumentError(f"a psf of shape {shape} with step={step}: give two axes, or three and the step between planes")
    psf = np.empty(shape)
    optics = describe("mst_born_wolf", aperture=aperture, wavelength=wavelength, index=index, pixel=pixel, step=0.0 if step is None else step)
    check(lib.mst_psf_born_wolf(optics, len(shape), shape, ffi.from_buffer("double[]", psf), per_thread.error))
    return psf
