"""Filters of arrays of any number of axes with the signatures of scipy.ndimage, on an OpenCL device.

    >>> import numpy as np, mastaba
    >>> mastaba.ndimage.correlate1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])

Results are computed in float64 (of float32 and complex64 in their own precision) and converted to the type of `output`, by default
that of the input: to whole numbers towards 0, but where one is nearer than 1e-6 to that one. What is filtered along one axis after the
other is converted after each. `output` is an array to write to, or a type.

SciPy has no counterpart of the filters of images by frequency: `low_pass`, `high_pass`, `band_pass`, `band_stop`, `notch`, `stripes`,
`sharpen`, `laplacian`, `frequency_mask` and `wiener` (docs/filter.md has their masks). Height and width are an image's last two axes; each
image of a stack is filtered alone. Frequencies are cycles a pixel, from 0 to 0.5; `rolloff` is "gaussian", "butterworth" (of an `order`) or
"ideal". Pixels of uint8, uint16, float32 and float64 are taken as they are, others in NumPy's type of them and float32. All take these
options, by name:

    channel_axis  the axis that has colours, each of which is filtered alone; None: there is none
    alpha         True: the last channel is opacity, which is copied; "weigh": by which colours count, and which is filtered, too
    linear        True: light is filtered, by sRGB's curve, where pixels are whole numbers, of other types than uint8 and uint16 with `white`
                  only (floats are light already); "srgb": whatever their type; a number: light is a pixel's value to that power. What is "raw"
                  stays light
    edges         how the image goes on: "reflect" (mirrored), "wrap" (repeated) or "zero"
    volume        True: the last three axes, depth, height and width, are transformed together
    tiles         above 0: what does not fit the device goes in tiles, whose results differ by no more than so much of the largest pixel
    dtype         of the arithmetic: float32 or float64; None: float64 of images of float64, else float32
    result        "raw": of that type, as it comes out. Of the image's type: "clip", to 0 .. white; "stretch", from its least to its greatest value;
                  "magnitude", absolute values as parts of the greatest; "auto": magnitude of what has no mean, else clip
    white         the largest value of a pixel; 0: 255 of uint8, 65535 of uint16, else 1
    out           an array for the result
"""
import math
import numbers
import operator
import warnings

import numpy as np

from . import _arrays, signal
from ._filters import band_pass, band_stop, frequency_mask, high_pass, laplacian, low_pass, notch, sharpen, stripes, wiener
from ._map import evaluate
from ._transforms import as_numbers

__all__ = ["band_pass", "band_stop", "convolve", "convolve1d", "correlate", "correlate1d", "fourier_ellipsoid", "fourier_gaussian",
           "fourier_shift", "fourier_uniform", "frequency_mask", "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude",
           "gaussian_laplace", "generic_gradient_magnitude", "generic_laplace", "high_pass", "laplace", "laplacian", "low_pass", "notch", "prewitt",
           "sharpen", "sobel", "stripes", "uniform_filter", "uniform_filter1d", "wiener"]

_MODES = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
          "constant": "constant", "grid-constant": "constant"}
_FEW_WEIGHTS = 128
_ARRAYS = np.ndarray, _arrays.Array


# ---- Arguments

def _numeric(input):
    x = _arrays.of(input)
    if x.dtype.kind not in "biufc":
        raise RuntimeError(f"array type {x.dtype!r} not supported: give numbers")
    return x


def _axis(axis, rank):
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise getattr(np, "exceptions", np).AxisError(axis, rank)  # NumPy before 1.25 has no module of exceptions
    return axis % rank


def _axes(axes, rank):
    if axes is None:
        return tuple(range(rank))
    axes = (axes,) if isinstance(axes, numbers.Integral) else tuple(axes)
    axes = tuple(operator.index(axis) for axis in axes)
    if any(not -rank <= axis < rank for axis in axes):  # where SciPy has another class than for a single axis
        raise ValueError(f"specified axis: one of {axes} is out of range for an array with {rank} axes")
    axes = tuple(axis % rank for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def _each(value, n, what):
    """A value for each of n axes."""
    if isinstance(value, (str, numbers.Number, np.generic)) or np.ndim(value) == 0:
        return [value] * n
    value = list(value)
    if len(value) != n:
        raise RuntimeError(f"sequence argument must have length equal to input rank: {what} has {len(value)} values for {n} axes")
    return value


def _whole(values, kind):
    """Values on their way to a type of whole numbers. Sums that are whole come out with rounding errors, of which truncation would make 1."""
    if isinstance(values, _arrays.Array):  # in 64 bits, of which a smaller type takes the last, as it does on the host
        return evaluate("abs(v - rint(v)) < 1e-6 ? rint(v) : v", {"v": values}, out_dtype=np.uint64 if kind == np.uint64 else np.int64)
    nearest = np.rint(values)
    return np.where(np.abs(values - nearest) < 1e-6, nearest, values)


def _kind(x, output, complex_numbers):
    """The type of a result: that of `output` if given, else of the input, and complex where the values are."""
    if isinstance(output, _ARRAYS):
        if output.shape != x.shape:
            raise RuntimeError(f"output shape not correct: {output.shape}, where the input has {x.shape}")
        if complex_numbers and output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        return output.dtype
    kind = (x.dtype if output is None else np.dtype(output)).newbyteorder("=")
    if not complex_numbers or kind.kind == "c":
        return kind
    if output is not None:
        warnings.warn("promoting specified output dtype to complex", stacklevel=4)
    return np.promote_types(kind, np.complex64)


def _converted(values, kind):
    if values.dtype == kind:
        return values
    if kind.kind == "b":  # whether what whole numbers are cut to is not 0: 0.9 of True is False, as in SciPy
        whole = _whole(values, kind)
        return (whole if isinstance(whole, _arrays.Array) else np.trunc(whole)) != 0
    if isinstance(values, _arrays.Array):
        return (_whole(values, kind) if kind.kind in "iu" else values).astype(kind)
    with np.errstate(invalid="ignore", over="ignore"):
        if kind.kind not in "iu":
            return values.astype(kind)
        wide = np.dtype(np.int64) if kind.kind == "u" and kind.itemsize < 8 else kind  # of which a smaller type takes the last bits, as C's casts do
        return _whole(values, kind).astype(wide).astype(kind, copy=False)


def _result(values, kind, output):
    """Values as a type, and in the array that is asked for."""
    values = _converted(values, kind)
    if not isinstance(output, _ARRAYS):
        return values
    output[...] = values
    return output


def _extended(x, axis, before, after, mode, value):
    if mode not in _MODES:
        raise RuntimeError(f"boundary mode {mode!r} not supported: one of {', '.join(_MODES)}")
    width = [(0, 0)] * x.ndim
    width[axis] = (before, after)
    if mode == "mirror" and x.shape[axis] == 1:
        mode = "nearest"  # the mirror image of one value
    return _arrays.extended(x, width, _MODES[mode], value)


# ---- Sums

def _check_origin(origin, size):
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2")


def _of_numbers(x, w):
    x, w = as_numbers(x), as_numbers(w)
    w = w.astype(x.real.dtype if w.dtype.kind == "f" else np.result_type(x.real.dtype, np.complex64), copy=False)
    return x, w


def _method(x, w):
    """Sums where the weights are few, as exact zeros stay zeros then and NaN stays where it reaches; it stays there always."""
    return "direct" if w.size <= _FEW_WEIGHTS or not np.isfinite(np.asarray(evaluate("sum(x)", {"x": x}))) else "auto"


def _correlated(x, w, axes, modes, value, origins):
    """sum_j x[i + j - size // 2 - origin] w[j] along the axes; both are numbers, and w has as many axes as there are of these."""
    for size, axis, mode, origin in zip(w.shape, axes, modes, origins):
        _check_origin(origin, size)
        x = _extended(x, axis, size // 2 + origin, size - 1 - size // 2 - origin, mode, value)
    shape = [1] * x.ndim
    for size, axis in zip(w.shape, axes):
        shape[axis] = size
    method, w = _method(x, w), np.conjugate(w.reshape(shape))
    if isinstance(x, _arrays.Array):
        w = _arrays.asarray(w, context=x.context)
    return signal._floating(x, w, "valid", list(axes), True, method)


def _numbers_for(x, kind):
    """x as numbers to compute with: in float64 for a result of whole numbers."""
    x = as_numbers(x)
    wide = np.result_type(x.dtype, np.float64) if kind.kind in "iu" else x.dtype
    return x if x.dtype == wide else x.astype(wide)


def _filtered(input, weights, output, axes, mode, cval, origin, turned):
    x, w = _numeric(input), np.asarray(weights)
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    if np.iscomplexobj(cval) and x.dtype.kind != "c":
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")
    axes = _axes(axes, x.ndim)
    if w.ndim != len(axes):
        raise RuntimeError(f"weights.ndim ({w.ndim}) must match len(axes) ({len(axes)})")
    if w.size == 0:
        raise RuntimeError("no filter weights given")
    origins = dict(zip(axes, (int(o) for o in _each(origin, len(axes), "origin"))))
    axes = sorted(axes)  # those of the weights are in the order of the array's
    origins = [origins[axis] for axis in axes]
    if turned:  # a convolution
        w = w[(slice(None, None, -1),) * w.ndim]
        origins = [-o - (1 - size % 2) for o, size in zip(origins, w.shape)]
    else:
        w = np.conjugate(w)
    kind = _kind(x, output, "c" in (x.dtype.kind, w.dtype.kind))
    if x.size == 0:
        return _result(_arrays.like(x, x.shape, kind), kind, output)
    values, w = _of_numbers(_numbers_for(x, kind), w)
    if not x.ndim:
        return _result(values * w, kind, output)
    return _result(_correlated(values, w, axes, [mode] * len(axes), cval, origins), kind, output)


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The correlation along one axis.

        >>> import mastaba
        >>> mastaba.ndimage.correlate1d([1, 2, 3, 4], [1, 0, -1], mode="nearest").tolist()
        [-1, -2, -2, -1]
    """
    input = _numeric(input)
    return _filtered(input, weights, output, (_axis(axis, input.ndim),), mode, cval, origin, False)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The convolution along one axis.

        >>> import mastaba
        >>> mastaba.ndimage.convolve1d([1, 2, 3, 4], [1, 0, -1], mode="nearest").tolist()
        [1, 2, 2, 1]
    """
    input = _numeric(input)
    return _filtered(input, weights, output, (_axis(axis, input.ndim),), mode, cval, origin, True)


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The correlation along `axes`, by default all.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.correlate(np.eye(3, dtype=int), np.ones((3, 3)), mode="constant").tolist()
        [[2, 2, 1], [2, 3, 2], [1, 2, 2]]
    """
    return _filtered(input, weights, output, axes, mode, cval, origin, False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The convolution along `axes`, by default all.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.convolve(np.eye(2, dtype=int), [[0, 1]]).tolist()
        [[1, 0], [0, 1]]
    """
    return _filtered(input, weights, output, axes, mode, cval, origin, True)


def _separable(input, output, axes, mode, cval, weights):
    """One correlation an axis, weights[k] along axes[k]; those of None are left out. Each has the type of the output, as in SciPy."""
    x = values = _numeric(input)
    kind = _kind(x, output, x.dtype.kind == "c")
    for axis, each, w in zip(axes, _each(mode, len(axes), "mode"), weights):
        if w is not None and x.size:
            values = _converted(_correlated(*_of_numbers(_numbers_for(values, kind), w[0]), (axis,), (each,), cval, (w[1],)), kind)
    return _result(values, kind, output)


def _gaussian(sigma, order, truncate, radius):
    """The weights of a Gaussian, or of its derivative of an order, times (-1)^order: they correlate."""
    if order < 0:
        raise ValueError("order must be non-negative")
    radius = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(radius, numbers.Integral) or radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    x = np.arange(-radius, radius + 1)
    w = np.exp(-0.5 / sigma**2 * x**2)
    factor = np.zeros(order + 1)  # the derivative is a polynomial times the Gaussian
    factor[0] = 1
    for _ in range(order):
        step = np.zeros(order + 1)
        step[:-1] += factor[1:] * np.arange(1, order + 1)
        step[1:] -= factor[:-1] / sigma**2
        factor = step
    return (np.polynomial.polynomial.polyval(x, factor) * w / w.sum())[::-1]


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    """A Gaussian of deviation sigma along one axis, or a derivative of it.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.gaussian_filter1d([0.0, 0, 1, 0, 0], 1), 3).tolist()
        [0.058, 0.242, 0.399, 0.242, 0.058]
    """
    input = _numeric(input)
    axis = _axis(axis, input.ndim)
    return _separable(input, output, (axis,), mode, cval, [(_gaussian(sigma, order, truncate, radius), 0)])


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None):
    """A Gaussian along `axes`, by default all; `sigma`, `order`, `mode` and `radius` may be one an axis.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.gaussian_filter(np.arange(50, step=2).reshape(5, 5), sigma=1)[0].tolist()
        [4, 6, 8, 9, 11]
    """
    input = _numeric(input)
    axes = _axes(axes, input.ndim)
    given = zip(*(_each(value, len(axes), name) for value, name in ((sigma, "sigma"), (order, "order"), (radius, "radius"))))
    weights = [(_gaussian(s, o, truncate, r), 0) if s > 1e-15 else None for s, o, r in given]
    return _separable(input, output, axes, mode, cval, weights)


def _mean(size, origin):
    size = int(size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError("invalid origin")
    return (np.full(size, 1 / size), origin) if size > 1 else None


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The mean of `size` neighbours along one axis.

        >>> import mastaba
        >>> mastaba.ndimage.uniform_filter1d([2, 8, 0, 4, 1, 9, 9, 0], size=3).tolist()
        [4, 3, 4, 1, 4, 6, 6, 3]
    """
    input = _numeric(input)
    return _separable(input, output, (_axis(axis, input.ndim),), mode, cval, [_mean(size, origin)])


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The mean of a box of neighbours.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.uniform_filter(np.eye(3), 3), 3).tolist()
        [[0.556, 0.333, 0.111], [0.333, 0.333, 0.333], [0.111, 0.333, 0.556]]
    """
    input = _numeric(input)
    axes = _axes(axes, input.ndim)
    sizes = [max(int(s), 1) for s in _each(size, len(axes), "size")]  # smaller ones filter nothing
    weights = [_mean(s, o) if s > 1 else None for s, o in zip(sizes, _each(origin, len(axes), "origin"))]
    return _separable(input, output, axes, mode, cval, weights)


# ---- Edges

def _edges(input, axis, output, mode, cval, smooth):
    """Differences along one axis, and sums of neighbours along the others."""
    input = _numeric(input)
    axis, modes = _axis(axis, input.ndim), _each(mode, input.ndim, "mode")
    axes = [axis] + [k for k in range(input.ndim) if k != axis]
    return _separable(input, output, axes, [modes[k] for k in axes], cval, [(w, 0) for w in [[-1, 0, 1]] + [smooth] * (input.ndim - 1)])


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt's filter: differences along one axis of sums of three along the others.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.prewitt(np.tri(3, dtype=int)).tolist()
        [[-2, -3, -1], [-1, -2, -1], [0, -1, -1]]
    """
    return _edges(input, axis, output, mode, cval, [1, 1, 1])


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Sobel's filter, which weighs the middle one of the three twice.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.sobel(np.tri(3, dtype=int)).tolist()
        [[-3, -4, -1], [-1, -3, -2], [0, -1, -1]]
    """
    return _edges(input, axis, output, mode, cval, [1, 2, 1])


def _over_axes(input, derivative, output, mode, cval, arguments, keywords, axes, squares):
    """The sum of the derivatives along the axes, or the root of that of their squares, computed in the result's type as SciPy's are."""
    x, total = _numeric(input), None
    kind, axes = _kind(x, output, x.dtype.kind == "c"), _axes(axes, x.ndim)
    for axis, each in zip(axes, _each(mode, len(axes), "mode")):
        part = derivative(x, axis, kind, each, cval, *arguments, **(keywords or {}))
        part = part * part if squares else part
        total = part if total is None else total + part
    if total is not None and squares:
        there = isinstance(total, _arrays.Array)
        total = evaluate("sqrt(v)", {"v": total}, out_dtype=kind) if there else np.sqrt(total).astype(kind, copy=False)
    return _result(x if total is None else total, kind, output)


def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """The sum of derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords) along `axes`, by default all; `output`
    is a type there.

        >>> import mastaba
        >>> second = lambda x, axis, *rest: mastaba.ndimage.correlate1d(x, [1, -2, 1], axis, *rest)
        >>> mastaba.ndimage.generic_laplace([[0, 1, 0]], second).tolist()
        [[1, -2, 1]]
    """
    return _over_axes(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes, False)


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of second differences along `axes`, by default all.

        >>> import numpy as np, mastaba
        >>> mastaba.ndimage.laplace(np.diag([0, 1, 0])).tolist()
        [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
    """
    return generic_laplace(input, lambda x, axis, *rest: correlate1d(x, [1, -2, 1], axis, *rest), output, mode, cval, axes=axes)


def _of_gaussian(input, axis, output, mode, cval, sigma, of_order, **options):
    return gaussian_filter(input, sigma, [of_order if k == axis else 0 for k in range(input.ndim)], output, mode, cval, **options)


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The Laplacian of what a Gaussian of deviation sigma smoothed, by second derivatives of the Gaussian; further arguments are those of
    gaussian_filter.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.gaussian_laplace(np.diag([0.0, 1, 0]), 1)[1], 3).tolist()
        [-0.03, -0.268, -0.03]
    """
    input = _numeric(input)
    along = _axes(axes, input.ndim)
    given = dict(zip(along, _each(sigma, len(along), "sigma")))
    sigma = [given.get(k, 0) for k in range(input.ndim)]
    return generic_laplace(input, _of_gaussian, output, mode, cval, (sigma, 2), kwargs, axes=axes)


def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """The root of the sum of squares of derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords) along `axes`, by
    default all; `output` is a type there.

        >>> import mastaba
        >>> mastaba.ndimage.generic_gradient_magnitude([[0.0, 3, 0]], mastaba.ndimage.prewitt).tolist()
        [[9.0, 0.0, 9.0]]
    """
    return _over_axes(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes, True)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The magnitude of the gradient of what a Gaussian of deviation sigma smoothed; further arguments are those of gaussian_filter.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.gaussian_gradient_magnitude(np.diag([0.0, 1, 0]), 1)[1], 3).tolist()
        [0.055, 0.0, 0.055]
    """
    return generic_gradient_magnitude(_numeric(input), _of_gaussian, output, mode, cval, (sigma, 1), kwargs, axes=axes)


# ---- Of spectra

def _frequencies(shape, n, axis):
    """Cycles a sample along each axis, as arrays that are broadcast; n is the length behind an axis of which rfft kept half."""
    axis = _axis(axis, len(shape))
    for k, size in enumerate(shape):
        f = np.arange(size) / n if n >= 0 and k == axis else np.fft.fftfreq(size) if size else np.zeros(0)
        yield f.reshape([-1 if j == k else 1 for j in range(len(shape))])


def _prepared(input, output, kinds):
    """The input as numbers of one of the types, and the array for the result."""
    x = _numeric(input)
    kind = x.dtype.newbyteorder("=")
    kind = kind if kind in kinds else np.dtype(kinds[0])
    out = _arrays.like(x, x.shape, kind if output is None or isinstance(output, _ARRAYS) else np.dtype(output).newbyteorder("="))
    if out.dtype not in kinds or (x.dtype.kind == "c" and out.dtype.kind != "c"):
        raise RuntimeError(f"output type {out.dtype} not supported")
    return x if x.dtype == out.dtype else x.astype(out.dtype), out


def _given(values, output):
    if not isinstance(output, _ARRAYS):
        return values
    if output.shape != values.shape:
        raise RuntimeError("output shape not correct")
    output[...] = values
    return output


def _factors(x, named):
    """Arrays of the host in the real type of x, where it lies."""
    named = {name: np.asarray(f, x.real.dtype) for name, f in named.items()}
    return {name: _arrays.asarray(f, context=x.context) for name, f in named.items()} if isinstance(x, _arrays.Array) else named


def _times(input, output, text, factors):
    """The input times an expression of real arrays, one an axis."""
    x, out = _prepared(input, output, ("float64", "complex128", "complex64", "float32"))
    if x.size:
        real = [_arrays.pairs(array) if array.dtype.kind == "c" else array[..., None] for array in (x, out)]
        evaluate(f"x*{text}", {"x": real[0], **_factors(x, {f"f{k}": f[..., None] for k, f in enumerate(factors)})}, out=real[1])
    return _given(out, output)


def _product(n):
    return "*".join(f"f{k}" for k in range(n))


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """A spectrum times that of a Gaussian of deviation sigma.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.fourier_gaussian(np.ones(4), 1), 4).tolist()
        [1.0, 0.2912, 0.0072, 0.2912]
    """
    shape = np.shape(input)
    factors = [np.exp(-2 * (math.pi * s * f)**2) for s, f in zip(_each(sigma, len(shape), "sigma"), _frequencies(shape, n, axis))]
    return _times(input, output, _product(len(shape)), factors)


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """A spectrum times that of a box of `size` samples.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.fourier_uniform(np.ones(4), 2), 4).tolist()
        [1.0, 0.6366, 0.0, 0.6366]
    """
    shape = np.shape(input)
    factors = [np.sinc(s * f) for s, f in zip(_each(size, len(shape), "size"), _frequencies(shape, n, axis))]
    return _times(input, output, _product(len(shape)), factors)


def _of_ellipse(input, output, squares):
    """A spectrum times 2 J1(r) / r with r^2 = f0 + f1, which is the mean of 2 sin(t)^2 cos(r cos(t)) over a half turn (Bessel's integral,
    DLMF 10.9.4). Of a periodic function the trapezoidal rule has an error below rounding from some more points than r / 2 on."""
    reach = math.sqrt(sum(f.max(initial=0.0) for f in squares))
    n = math.ceil(reach / 2) + 20  # midpoints of a quarter turn
    points = (np.arange(n) + 0.5) * math.pi / (2 * n)
    factors = {"w": 2 * np.sin(points)**2 / n, "c": np.cos(points), "f": squares[0][..., None], "g": squares[1][..., None]}
    return _times(input, output, "f0", [evaluate("sum(w*cos(c*sqrt(f+g)))", factors, axis=-1)])


def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """A spectrum times that of an interval, an ellipse or an ellipsoid of `size` samples.

        >>> import numpy as np, mastaba
        >>> np.round(mastaba.ndimage.fourier_ellipsoid(np.ones((2, 2, 2)), 1)[0, 0], 4).tolist()
        [1.0, 0.774]
    """
    shape = np.shape(input)
    if len(shape) == 1:
        return fourier_uniform(input, size, n, axis, output)
    if len(shape) > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    squares = [(math.pi * s * f)**2 for s, f in zip(_each(size, len(shape), "size"), _frequencies(shape, n, axis))]
    if len(shape) == 2:
        return _of_ellipse(input, output, squares)
    square = "(f0+f1+f2)"
    return _times(input, output, f"({square} < 0.01 ? 1-{square}/10+{square}^2/280-{square}^3/15120 : "
                  f"3*(sin(sqrt({square}))-sqrt({square})*cos(sqrt({square})))/{square}^1.5)", squares)


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """The spectrum of an array that is moved by `shift` samples, which need not be whole.

        >>> import numpy as np, mastaba
        >>> x = mastaba.fft.ifft(mastaba.ndimage.fourier_shift(mastaba.fft.fft([0, 1, 0, 0]), 1)).real
        >>> int(np.argmax(x))
        2
    """
    x, out = _prepared(input, output, ("complex128", "complex64"))
    if x.size:
        phases = [-2 * math.pi * s * f for s, f in zip(_each(shift, x.ndim, "shift"), _frequencies(x.shape, n, axis))]
        named = {"a": x.real, "b": x.imag, **_factors(x, {f"f{k}": p for k, p in enumerate(phases)})}
        phase = "(" + "+".join(f"f{k}" for k in range(x.ndim)) + ")"
        evaluate(f"a*cos({phase}) - b*sin({phase})", named, out=out.real)
        evaluate(f"a*sin({phase}) + b*cos({phase})", named, out=out.imag)
    return _given(out, output)
