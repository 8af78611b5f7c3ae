"""Deconvolution of images and volumes with the signatures of skimage.restoration, on an OpenCL device.

    >>> import numpy as np, mastaba
    >>> point = np.zeros((9, 9)); point[4, 4] = 1
    >>> blurred = mastaba.ndimage.uniform_filter(point, 3)
    >>> bool(mastaba.restoration.richardson_lucy(blurred, np.full((3, 3), 1 / 9), num_iter=50)[4, 4] > 0.9)
    True

Results are float32 for images of float32 and float16, else float64, as scikit-image has them; but a point spread function of an even
side is mirrored at its centre, sample (n - 1) // 2, where scikit-image moves the result by one sample an iteration, and counts below 0
are refused.
"""
import numpy as np

from . import _arrays, errors
from ._library import describe, execution, ffi, lib, per_thread

__all__ = ["richardson_lucy", "wiener"]

_EDGES = {"zero": lib.MST_DECONVOLUTION_ZERO, "observed": lib.MST_DECONVOLUTION_OBSERVED, "circular": lib.MST_DECONVOLUTION_CIRCULAR}


def _arguments(image, psf):
    image, psf = np.asarray(image), np.asarray(psf)
    if image.dtype.kind not in "biuf" or psf.dtype.kind not in "biuf":
        raise errors.UnsupportedError(f"an image of {image.dtype} and a psf of {psf.dtype}: both are to be real numbers")
    if image.ndim != psf.ndim:
        raise ValueError(f"image and psf have different numbers of axes, {image.ndim} and {psf.ndim}")
    if not 1 <= image.ndim <= lib.MST_MAX_AXES:
        raise errors.UnsupportedError(f"an image of {image.ndim} axes: 1 to {lib.MST_MAX_AXES} are deconvolved")
    kind = np.float32 if image.dtype.char in "ef" else np.float64
    return np.ascontiguousarray(image, kind), np.ascontiguousarray(psf, np.float64)


def _execute(image, psf, centre, clip, weights=None, **members):
    result = np.empty_like(image)
    if image.size == 0:
        return result
    keys = tuple(sorted(members.items()))
    options = {"weights": _arrays.layout(weights)} if weights is not None else {}

    def make(context):
        return context.create("deconvolution", describe(
            "mst_deconvolution_desc", image=_arrays.layout(image), n_axes=image.ndim, axes=list(range(-image.ndim, 0)),
            psf=ffi.from_buffer("double[]", psf), psf_shape=psf.shape, centred=1, psf_centre=centre, keep_sum=1, **options, **members))

    arrays = describe("mst_deconvolution_arrays", image=_arrays.location(image), result=_arrays.location(result))
    if weights is not None:
        arrays.weights = _arrays.location(weights)
    _arrays.current().execute(
        ("deconvolution", _arrays.key(image), psf.shape, psf.tobytes(), centre, weights is None or _arrays.key(weights), keys), make,
        lambda plan: lib.mst_deconvolution_execute(plan, arrays, execution, per_thread.error))
    return np.clip(result, -1, 1, out=result) if clip else result


def richardson_lucy(image, psf, num_iter=50, clip=True, filter_epsilon=None, *, edges="zero", accelerate=False, total_variation=0.0,
                    tolerance=0.0, background=0.0, weights=None, seam=0.0):
    """As skimage.restoration.richardson_lucy; what follows the * goes beyond it. `edges`: "zero", nothing is beyond the image;
    "observed", the object goes on as far as its light reaches the image (Bertero and Boccacci 2005); "circular". `accelerate`: steps after
    Biggs and Andrews, of which 20 come as far as some 80 without. `total_variation`: lambda of Dey et al., 0.002 say. `tolerance`: stop when
    an iteration changes less of the result. `background`: light that is everywhere. `weights`: 0 where the image is not to be trusted.
    `seam`: the most that bricks of an image that does not fit the device may differ by where they meet; 0: any."""
    if filter_epsilon is not None:
        raise errors.UnsupportedError("filter_epsilon: where the model has nothing but rounding, the ratio is 0 anyhow")
    if edges not in _EDGES:
        raise ValueError(f"edges is {edges!r}: one of {', '.join(_EDGES)}")
    image, psf = _arguments(image, psf)
    if weights is not None:
        weights = np.ascontiguousarray(np.broadcast_to(np.asarray(weights, image.dtype), image.shape))
    return _execute(image, psf, tuple((n - 1) // 2 for n in psf.shape), clip, weights, method=lib.MST_DECONVOLUTION_RICHARDSON_LUCY,
                    edges=_EDGES[edges], iterations=num_iter, accelerate=bool(accelerate), total_variation=total_variation, tolerance=tolerance,
                    background=background, start_value=0.5 if edges == "zero" else 0.0, seam=seam)


def wiener(image, psf, balance, reg=None, is_real=True, clip=True):
    """As skimage.restoration.wiener, with the Laplacian for `reg` and a psf that is no transfer function."""
    if reg is not None or not is_real:
        raise errors.UnsupportedError("wiener regularizes with the Laplacian, of real images: leave out reg and is_real")
    image, psf = _arguments(image, psf)
    return _execute(image, psf, tuple(n // 2 for n in psf.shape), clip, method=lib.MST_DECONVOLUTION_TIKHONOV, order=2, balance=balance,
                    edges=lib.MST_DECONVOLUTION_CIRCULAR)
