"""Filters of images in the frequency domain, those of `mastaba filter` (docs/filter.md), which mastaba.ndimage has."""
import hashlib
import math
import operator

import numpy as np

from . import _arrays, errors
from ._library import describe, execution, ffi, lib, per_thread
from ._map import evaluate

_ROLLOFFS = {"gaussian": lib.MST_FILTER_GAUSSIAN, "butterworth": lib.MST_FILTER_BUTTERWORTH, "ideal": lib.MST_FILTER_IDEAL}
_EDGES = {"reflect": lib.MST_FILTER_REFLECT, "wrap": lib.MST_FILTER_WRAP, "zero": lib.MST_FILTER_ZERO}
_RESULTS = {"raw": lib.MST_FILTER_RAW, "clip": lib.MST_FILTER_CLIP, "stretch": lib.MST_FILTER_STRETCH,
            "magnitude": lib.MST_FILTER_MAGNITUDE, "auto": lib.MST_FILTER_AUTO_OUTPUT}
_WITHOUT_MEAN = lib.MST_FILTER_HIGH_PASS, lib.MST_FILTER_BAND_PASS, lib.MST_FILTER_LAPLACIAN, lib.MST_FILTER_WIENER
_CLEAR = 1e-6  # opacity below which rounding is all that a colour has
_PIXELS = tuple(map(np.dtype, (np.uint8, np.uint16, np.float32, np.float64)))


def _one_of(choices, name, value):
    if value not in choices:
        raise errors.ArgumentError(f"{name} is {value!r}: one of {', '.join(choices)}")
    return choices[value]


def _pixels(image, dtype):
    """An image as an array of a type whose pixels are filtered in a type, where the library can take it."""
    image = _arrays.of(image)
    if image.dtype.kind == "c":
        raise errors.UnsupportedError(f"an image of {image.dtype}: filter its real and its imaginary parts")
    if image.dtype.kind not in "biuf":
        raise errors.ElementTypeError(f"type {image.dtype} is not supported: pixels are bool, whole or floating-point numbers")
    native = image.dtype.newbyteorder("=")
    kind = native if native in _PIXELS else np.result_type(native, np.float32)
    kind = np.dtype(np.float32) if kind == np.float64 and dtype == np.float32 else kind
    image = image if image.dtype == kind and image.dtype.isnative else image.astype(kind)
    return image if _arrays.fits(image) else image.copy()


def _with_channels(image, channel_axis, volume=False):
    """A view with the channels, or a single one, behind height and width."""
    if image.ndim < 2 + (channel_axis is not None) + bool(volume):
        raise errors.ArgumentError(f"an image of {image.ndim} axes" + (", one of them of channels" if channel_axis is not None else "") +
                                   f": the last of the others are {'depth, ' if volume else ''}height and width")
    if channel_axis is None:
        return image[..., None]
    axis = operator.index(channel_axis)
    if not -image.ndim <= axis < image.ndim:
        raise errors.ArgumentError(f"channel_axis is {axis}: the image has {image.ndim} axes")
    return image.transpose([k for k in range(image.ndim) if k != axis % image.ndim] + [axis % image.ndim])


def _check_out(out, image, kind):
    if not isinstance(out, (np.ndarray, _arrays.Array)) or out.shape != image.shape or out.dtype != kind or not _arrays.fits(out) or \
            not (isinstance(out, _arrays.Array) or out.flags.writeable):
        raise errors.ArgumentError(f"out must be a writable array of {kind} and shape {image.shape}, aligned and in native byte order")
    if _arrays.may_share(image, out):
        raise errors.ArgumentError("out shares memory with the image")


def _run(x, y, kind, members, key, options):
    """One plan."""
    def make(context):
        return context.create("filter", describe(
            "mst_filter_desc", input=_arrays.layout(x), output=_arrays.layout(y), kind=kind, notch_size=ffi.sizeof("mst_filter_notch"),
            stage_size=ffi.sizeof("mst_filter_stage"), **options, **members))

    scalars = tuple((name, value) for name, value in members.items() if isinstance(value, (int, float)))
    _arrays.context_of(x, y).execute(
        ("filter", _arrays.key(x), _arrays.key(y), kind, *options.items(), *scalars, *key), make,
        lambda plan: lib.mst_filter_execute(plan, _arrays.location(x), _arrays.location(y), execution, per_thread.error))


def _curves(linear, dtype, white):
    """Light as an expression of a colour x, which is 1 where it is white, and the way back: beyond 0 .. 1 they go on as straight lines. None
    where colours are light already. `dtype` is the type that the image was given in."""
    inside, curved = "clip(x,0,1)", isinstance(linear, (bool, np.bool_)) and bool(linear) and dtype.kind in "biu"
    if curved and not white and dtype.newbyteorder("=") not in _PIXELS:
        raise errors.ArgumentError(f"linear=True of an image of {dtype}, whose white is not known: give white=, or convert it to uint8 or uint16")
    if curved or (isinstance(linear, str) and linear == "srgb"):  # IEC 61966-2-1
        texts = (f"({inside} <= 0.04045 ? {inside}/12.92 : (({inside}+0.055)/1.055)^2.4)",
                 f"({inside} <= 0.0031308 ? 12.92*{inside} : 1.055*{inside}^(1/2.4)-0.055)")
    elif linear is None or isinstance(linear, (bool, np.bool_)):
        return None
    elif isinstance(linear, (int, float, np.number)) and 0 < linear < math.inf:
        texts = f"{inside}^({float(linear)!r})", f"{inside}^({1 / float(linear)!r})"
    else:
        raise errors.ArgumentError(f"linear is {linear!r}: True, 'srgb', or the exponent that makes light of numbers")
    return [f"({text}+(x-{inside}))" for text in texts]


def _run_toned(x, y, kind, members, key, options, curves, weigh):
    """Light, or colours that count by their opacity: with F the filter, c a colour, L the curve of light and a the opacity, F(L(c)), or
    F(a L(c)) / F(a), 0 where that is clear, and L's inverse of that. (Porter and Duff, SIGGRAPH 1984: colours are added up multiplied by it.)"""
    if weigh and (options["output_as"] not in (lib.MST_FILTER_RAW, lib.MST_FILTER_CLIP) or kind in _WITHOUT_MEAN):
        raise errors.ArgumentError('alpha="weigh" is for filters that keep the mean, all but wiener, and for results that are raw or clipped')
    if kind == lib.MST_FILTER_WIENER and members["noise"] > 0:
        raise errors.ArgumentError("noise is given in values of pixels, which linear= does not filter: leave it out, to have it estimated")
    computed, whole, raw = _arrays.DTYPES[options["type"]], y.dtype.kind == "u", options["output_as"] == lib.MST_FILTER_RAW
    white = options["white"] or (float(np.iinfo(x.dtype).max) if x.dtype.kind == "u" else 1.0)
    opacity = weigh or options["alpha"]
    toned, plain = (_arrays.like(x, x.shape, computed) for _ in range(2))
    colours, last = (..., slice(0, x.shape[-1] - 1 if opacity else None)), (..., slice(-1, None))
    given = {"c": x[colours], "w": white, **({"a": x[last]} if weigh else {})}
    light = curves[0].replace("x", "(c/w)") if curves else "c/w"
    evaluate(f"{light}*(a/w)" if weigh else light, given, out=toned[colours], dtype=computed)
    if opacity:
        evaluate("a/w", {"a": x[last], "w": white}, out=toned[last], dtype=computed)
    _run(toned, plain, kind, members, key, {**options, "alpha": opacity and not weigh, "white": 1.0,
                                            "output_as": lib.MST_FILTER_RAW if weigh else options["output_as"]})
    given = {"c": plain[colours], "w": white, **({"a": plain[last]} if weigh else {})}
    if weigh:
        evaluate(f"a > {_CLEAR} ? c/min(a,1) : 0*c", given, out=toned[colours])
        given["c"] = toned[colours]
    value = f"{curves[1].replace('x', 'c') if curves and not raw else 'c'}*w"
    evaluate(f"clip(rint({value}),0,w)" if whole else value, {"c": given["c"], "w": white}, out=y[colours])
    if opacity:
        evaluate("clip(rint(clip(a,0,1)*w),0,w)" if whole else "clip(a,0,1)*w", {"a": plain[last], "w": white}, out=y[last])


def _filtered(image, kind, members, key=(), *, channel_axis=None, alpha=False, edges="reflect", result="raw", white=0, dtype=None, volume=False, linear=None,
              tiles=0.0, out=None):
    """An image by one plan; `members` are those of its description beside the `options` of all filters, `key` what of them is behind
    pointers."""
    dtype = None if dtype is None else np.dtype(dtype)
    image = _arrays.of(image)
    given, image = image.dtype, _pixels(image, dtype)
    result = _one_of(_RESULTS, "result", result)
    computed = np.dtype(dtype or (np.float64 if image.dtype == np.float64 else np.float32))
    options = {"edges": _one_of(_EDGES, "edges", edges), "output_as": result, "white": float(white), "alpha": bool(alpha) and alpha != "weigh",
               "type": _arrays.type_of(computed), "volume": bool(volume), "tiles": float(tiles)}
    kind_of_result = computed if result == lib.MST_FILTER_RAW else image.dtype
    x = _with_channels(image, channel_axis, volume)
    if alpha and channel_axis is None:
        raise errors.ArgumentError("alpha is the last channel of an image: say by channel_axis which axis has them")
    if out is not None:
        _check_out(out, image, kind_of_result)
    z = _arrays.like(image, image.shape, kind_of_result) if out is None else out
    if image.size == 0:
        return z
    y, curves = _with_channels(z, channel_axis, volume), _curves(linear, given, options["white"])
    if curves or alpha == "weigh":
        _run_toned(x, y, kind, members, key, options, curves, alpha == "weigh")
    else:
        _run(x, y, kind, members, key, options)
    return z


def _rolloff(rolloff, order):
    return {"rolloff": _one_of(_ROLLOFFS, "rolloff", rolloff), "order": operator.index(order)}


# ---- Filters

def low_pass(image, radius, rolloff="gaussian", order=2, **options):
    """What an image has below a frequency.

        >>> import numpy as np, mastaba
        >>> x = np.cos(2*np.pi*np.arange(32)/32) + np.cos(2*np.pi*np.arange(32)/2) + np.zeros((32, 1))
        >>> y = mastaba.ndimage.low_pass(x, 0.1, "ideal", edges="wrap")
        >>> bool(np.allclose(y, np.cos(2*np.pi*np.arange(32)/32), atol=1e-6))
        True
    """
    return _filtered(image, lib.MST_FILTER_LOW_PASS, {"radius": float(radius), **_rolloff(rolloff, order)}, **options)


def high_pass(image, radius, rolloff="gaussian", order=2, **options):
    """What an image has above a frequency: the image less its low pass.

        >>> import numpy as np, mastaba
        >>> x = np.random.default_rng(1).random((20, 30), np.float32)
        >>> bool(np.allclose(mastaba.ndimage.low_pass(x, 0.1) + mastaba.ndimage.high_pass(x, 0.1), x, atol=1e-6))
        True
    """
    return _filtered(image, lib.MST_FILTER_HIGH_PASS, {"radius": float(radius), **_rolloff(rolloff, order)}, **options)


def band_pass(image, low, high, rolloff="gaussian", order=2, **options):
    """What an image has between two frequencies.

        >>> import numpy as np, mastaba
        >>> float(abs(mastaba.ndimage.band_pass(np.full((8, 8), 5.0), 0.1, 0.2)).max())
        0.0
    """
    return _filtered(image, lib.MST_FILTER_BAND_PASS, {"radius": float(low), "radius2": float(high), **_rolloff(rolloff, order)}, **options)


def band_stop(image, low, high, rolloff="gaussian", order=2, **options):
    """The image less what it has between two frequencies.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.band_stop(np.full((2, 2), 5, np.uint8), 0.1, 0.2, result="clip").tolist()
        [[5, 5], [5, 5]]
    """
    return _filtered(image, lib.MST_FILTER_BAND_STOP, {"radius": float(low), "radius2": float(high), **_rolloff(rolloff, order)}, **options)


def notch(image, notches, rolloff="gaussian", order=2, **options):
    """The image less what it has around frequencies and their opposites: `notches` are of (x, y, radius), x along the width, of a volume
    (x, y, z, radius).

        >>> import numpy as np, mastaba
        >>> screen = np.cos(2*np.pi*np.arange(40)/4) + np.zeros((24, 1))
        >>> y = mastaba.ndimage.notch(screen + 3, [(1/4, 0, 0.02)], edges="wrap")
        >>> bool(np.allclose(y, 3, atol=1e-5))
        True
    """
    places, names = np.ascontiguousarray(notches, np.float64), ("x", "y", *["z"] * bool(options.get("volume")), "radius")
    if places.ndim != 2 or places.shape[1] != len(names):
        raise errors.ArgumentError(f"notches of shape {places.shape}: give a list of ({', '.join(names)}), in cycles a pixel")
    given = ffi.new("mst_filter_notch[]", [dict(zip(names, place)) for place in places.tolist()])
    return _filtered(image, lib.MST_FILTER_NOTCH, {"notches": given, "n_notches": len(given), **_rolloff(rolloff, order)}, places.tobytes(), **options)


def stripes(image, angle, width=5.0, radius=None, rolloff="gaussian", order=2, **options):
    """The image less stripes of one direction: `angle`, in degrees anticlockwise from horizontal, is how they rise, and `width` how many
    degrees to either side belong to them. Frequencies below `radius`, by default one cycle along the shorter side, are kept.

        >>> import numpy as np, mastaba
        >>> x = np.random.default_rng(1).random((64, 64)) + np.cos(np.arange(64)/2)[:, None]
        >>> bool(np.std(mastaba.ndimage.stripes(x, 0)) < np.std(x) / 2)
        True
    """
    if radius is None:
        image = _arrays.of(image)
        height, width_of_image, _ = _with_channels(image, options.get("channel_axis")).shape[-3:]
        radius = 1 / max(min(height, width_of_image), 1)
    members = {"radius": float(radius), "angle": float(angle), "angle_width": float(width), **_rolloff(rolloff, order)}
    return _filtered(image, lib.MST_FILTER_STRIPES, members, **options)


def sharpen(image, radius, amount=1.0, rolloff="gaussian", order=2, **options):
    """The image and `amount` times what it has above a frequency: unsharp masking, by a blur of 1 / (2 pi radius) pixels.

        >>> import numpy as np, mastaba
        >>> edge = np.repeat([[0, 0, 0, 0, 9, 9, 9, 9]], 8, axis=0)
        >>> np.round(mastaba.ndimage.sharpen(edge, 0.2)[0, 3:5]).tolist()
        [-2.0, 11.0]
    """
    return _filtered(image, lib.MST_FILTER_SHARPEN, {"radius": float(radius), "amount": float(amount), **_rolloff(rolloff, order)}, **options)


def laplacian(image, radius, **options):
    """Minus the Laplacian of the image's Gaussian low pass, scaled to 1 at the frequency where it is greatest, sqrt(2) radius.

        >>> import numpy as np, mastaba
        >>> float(abs(mastaba.ndimage.laplacian(np.full((8, 8), 5.0), 0.1)).max())
        0.0
    """
    return _filtered(image, lib.MST_FILTER_LAPLACIAN, {"radius": float(radius)}, **options)


def frequency_mask(image, mask, **options):
    """As much of every frequency as `mask` says, real numbers with two axes: mask[i, j] is for frequency (i - m // 2) / m along the height, m
    the number of rows, and likewise along the width, as fftshift has them. One of another size than the image's is interpolated. Of a volume
    it may have three axes.

        >>> import numpy as np, mastaba
        >>> x = np.random.default_rng(1).random((6, 9), np.float32)
        >>> bool(np.allclose(mastaba.ndimage.frequency_mask(x, np.full((3, 3), 0.5)), x / 2, atol=1e-6))
        True
    """
    mask = np.asarray(_arrays.of(mask))
    if mask.dtype.kind not in "biuf" or mask.ndim not in (2, 3 if options.get("volume") else 2):
        raise errors.ArgumentError(f"a mask of {mask.dtype} with {mask.ndim} axes: give real numbers with two, of a volume with two or three")
    mask = np.ascontiguousarray(mask, np.float32)
    members = {"mask": ffi.from_buffer("float[]", mask), "mask_depth": math.prod(mask.shape[:-2]), "mask_height": mask.shape[-2], "mask_width": mask.shape[-1]}
    return _filtered(image, lib.MST_FILTER_MASK, members, hashlib.sha256(mask).digest(), **options)


def wiener(image, noise=None, **options):
    """The image less white noise of standard deviation `noise`, in values of pixels; None: estimated, for each channel of each image. The mask
    is made of the image's own spectrum, smoothed (docs/filter.md); scipy.signal.wiener goes by every pixel's neighbours.

        >>> import numpy as np, mastaba
        >>> clean = np.cos(np.arange(64)/8) + np.zeros((64, 1))
        >>> noisy = clean + np.random.default_rng(1).normal(0, 0.5, clean.shape)
        >>> bool(np.std(mastaba.ndimage.wiener(noisy) - clean) < 0.2)
        True
    """
    return _filtered(image, lib.MST_FILTER_WIENER, {"noise": 0.0 if noise is None else float(noise)}, **options)
