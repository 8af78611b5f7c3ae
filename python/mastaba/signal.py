"""Convolution and correlation with the signatures of scipy.signal, on an OpenCL device.

    >>> import mastaba
    >>> mastaba.signal.convolve([1, 2, 3], [0, 1, 2])
    array([0, 1, 4, 7, 6])

Along one or two axes the library does all in one plan; along more of them, transforms do. What is said of types is as in SciPy:
whole numbers stay whole and exact with convolve, correlate, convolve2d and correlate2d, and count as float64 with fftconvolve
and oaconvolve.
"""
import itertools
import math
import timeit
import warnings

import numpy as np

from . import _arrays, errors, fft
from ._contexts import current
from ._convolver import Convolver
from ._known import done, of_two
from ._library import describe, execution, ffi, lib, per_thread
from ._map import evaluate
from ._transforms import as_numbers, axes_of

__all__ = ["Convolver", "choose_conv_method", "circular_convolve", "convolve", "convolve2d", "correlate", "correlate2d", "correlation_lags", "explain",
           "fftconvolve", "oaconvolve"]

_MODES = {"full": lib.MST_CONVOLUTION_FULL, "same": lib.MST_CONVOLUTION_SAME, "valid": lib.MST_CONVOLUTION_VALID}
_KEPT = {**_MODES, "circular": lib.MST_CONVOLUTION_CIRCULAR}  # what a plan may give
_METHODS = {"auto": lib.MST_CONVOLUTION_AUTO, "direct": lib.MST_CONVOLUTION_DIRECT, "fft": lib.MST_CONVOLUTION_FUSED}
_FEW_PRODUCTS = 2**20  # that sums along three axes and more may take before transforms do
_DIRECT_AXES = 2  # of the library's direct sums
_EXACT = {"auto": 2.0**40, "fft": 2.0**40, "direct": 2.0**53}  # sums up to these round to the right whole numbers


# ---- Arguments

def _check_mode(mode):
    if not isinstance(mode, str) or mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def _check_method(method):
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")


def _check_dimensions(x, y):
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")


def _axes(x, y, axes):
    if axes is None:
        return list(range(x.ndim))
    axes = axes_of(x, None, axes)[0]
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    return axes


def _check_shapes(x, y, mode, axes):
    others = [k for k in range(x.ndim) if k not in axes]
    if any(x.shape[k] != y.shape[k] and 1 not in (x.shape[k], y.shape[k]) for k in others):
        raise ValueError(f"incompatible shapes for in1 and in2: {x.shape} and {y.shape}")
    if mode == "valid":
        longer = [x.shape[k] >= y.shape[k] for k in axes], [y.shape[k] >= x.shape[k] for k in axes]
        if not all(longer[0]) and not all(longer[1]):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")


# ---- Sums

def _lengths(n, m, mode):
    return n + m - 1 if mode == "full" else abs(n - m) + 1 if mode == "valid" else n


def _start(n, m, mode):
    """Of the full result, what a mode keeps first."""
    return 0 if mode == "full" else (m - 1) // 2 if mode == "same" else min(n, m) - 1


def _broadcast(x, y, axes):
    """x and y of one shape off the axes."""
    if len(axes) == x.ndim == y.ndim:
        return x, y
    shapes = [[1 if k in axes else n for k, n in enumerate(a.shape)] for a in (x, y)]
    others = np.broadcast_shapes(*shapes)
    return [_arrays.broadcast_to(a, [a.shape[k] if k in axes else n for k, n in enumerate(others)]) for a in (x, y)]


def _result(x, y, mode, axes):
    """The shape of the result."""
    return [_lengths(x.shape[k], y.shape[k], mode) if k in axes else x.shape[k] for k in range(x.ndim)]


def _described(x, y, z, mode, axes, correlate, method):
    """The key of a plan, and what makes it."""
    def make(context):
        return context.create("convolution", describe(
            "mst_convolution_desc", x=_arrays.layout(x), y=_arrays.layout(y), z=_arrays.layout(z), n_axes=len(axes), axes=axes,
            mode=_KEPT[mode], correlate=correlate, algorithm=_METHODS[method]))

    return ("convolution", *map(_arrays.key, (x, y, z)), mode, tuple(axes), correlate, method), make


def _named(out):
    """What was given for a result, in an error's words."""
    if not isinstance(out, (np.ndarray, _arrays.Array)):
        return f"a {type(out).__name__}"
    frozen = isinstance(out, np.ndarray) and not out.flags.writeable
    return f"a {'read-only ' if frozen else ''}{type(out).__name__} of {out.dtype} and shape {out.shape}"


def _into(out, z):
    """A result in the array that is to get it, where it may lie already."""
    if out is None or z is out:
        return z
    z = z if isinstance(z, _arrays.Array) else np.asarray(z)
    kind = _arrays.Array if isinstance(z, _arrays.Array) else np.ndarray
    if not isinstance(out, kind) or out.shape != z.shape or out.dtype != z.dtype or (kind is np.ndarray and not out.flags.writeable):
        wanted = "a mastaba.Array" if kind is _arrays.Array else "a writable NumPy array"
        raise errors.ArgumentError(f"out must be {wanted} of {z.dtype} and shape {z.shape}, where the operands are, not {_named(out)}")
    out[...] = z
    return out


def _takes(out, shape, dtype, x, y):
    """Whether a plan can write to out."""
    return isinstance(out, type(x)) and out.shape == tuple(shape) and out.dtype == dtype and _arrays.fits(out) and \
        (isinstance(out, _arrays.Array) or out.flags.writeable) and not _arrays.may_share(out, x) and not _arrays.may_share(out, y)


def _by_library(x, y, mode, axes, correlate, method, out=None):
    operands, views = (x, y), _broadcast(x, y, axes)
    x, y = (a if _arrays.fits(a) else a.copy() for a in views)
    shape, dtype = _result(x, y, mode, axes), np.result_type(x.dtype, y.dtype)
    z = out if _takes(out, shape, dtype, x, y) else _arrays.like(x if isinstance(x, _arrays.Array) else y, shape, dtype)
    key, make = _described(x, y, z, mode, axes, correlate, method)
    _arrays.context_of(x, y).execute(key, make, lambda plan: lib.mst_convolution_execute(
        plan, *map(_arrays.location, (x, y, z)), execution, per_thread.error))
    done("mst_convolution_execute", key, operands if x is views[0] and y is views[1] else (x, y), z)  # a view begins where its array does
    return z


def _by_transforms(x, y, mode, axes, correlate):
    """Along three axes and more."""
    if correlate:
        y = fft.conjugated(y[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(y.ndim))])
    full = [x.shape[k] + y.shape[k] - 1 for k in axes]
    padded = [fft.next_fast_len(n) for n in full]
    kinds = (fft.fftn, fft.ifftn) if "c" in (x.dtype.kind, y.dtype.kind) else (fft.rfftn, fft.irfftn)
    z = kinds[1](kinds[0](x, padded, axes) * kinds[0](y, padded, axes), padded, axes)
    kept = [slice(None)] * z.ndim
    for k in axes:
        first = _start(x.shape[k], y.shape[k], mode)
        kept[k] = slice(first, first + _lengths(x.shape[k], y.shape[k], mode))
    return z[tuple(kept)].copy()


def _by_host(x, y, mode, correlate):
    """Sums in the operands' own type: whole numbers beyond 2^53, objects and long doubles, which no device has, and more than two axes."""
    if correlate:
        y = y[(slice(None, None, -1),) * y.ndim]
        y = np.conjugate(y) if y.dtype.kind in "cO" else y  # which would make int8 of bool
    z = np.zeros([n + m - 1 for n, m in zip(x.shape, y.shape)], np.result_type(x, y))
    short, long = (y, x) if y.size <= x.size else (x, y)
    for index in itertools.product(*map(range, short.shape)):
        z[tuple(slice(i, i + n) for i, n in zip(index, long.shape))] += long * short[index]
    first = [_start(n, m, mode) for n, m in zip(x.shape, y.shape)]
    return z[tuple(slice(i, i + _lengths(n, m, mode)) for i, n, m in zip(first, x.shape, y.shape))].copy()


def _floating(x, y, mode, axes, correlate, method, out=None):
    """Of float32, float64, complex64 and complex128."""
    most = _DIRECT_AXES if method == "direct" else lib.MST_CONVOLUTION_MAX_AXES
    if len(axes) > most or x.ndim > _arrays.MOST_AXES:
        return _by_transforms(*_broadcast(x, y, axes), mode, axes, correlate)
    return _by_library(x, y, mode, axes, correlate, method, out)


def _magnitude(x):
    if isinstance(x, _arrays.Array):
        return max(abs(float(v)) for v in evaluate(["min(x)", "max(x)"], {"x": x}))
    return float(max(abs(float(x.min())), abs(float(x.max()))))


def _any(x, y, mode, correlate, method, out=None):
    """Along all axes, in the type that NumPy gives a product of x and y."""
    kind, there = np.result_type(x.dtype, y.dtype), isinstance(x, _arrays.Array)
    if kind.kind in "biu":
        most = _magnitude(x) * _magnitude(y) * min(x.size, y.size)
        chosen = "direct" if most > _EXACT[method] and most <= _EXACT["direct"] and x.ndim <= _DIRECT_AXES else method
        if most > _EXACT[chosen] or chosen == "direct" and x.ndim > _DIRECT_AXES and not there:
            if there:
                raise errors.UnsupportedError(f"sums of {kind} that may reach {most:.3g} on the device, where they are exact up to "
                                              f"{_EXACT[chosen]:.3g}: take copies on the host, numpy.asarray(a), or convert one array to float64")
            return _by_host(x, y, mode, correlate)
        z = _floating(x.astype(float), y.astype(float), mode, list(range(x.ndim)), correlate, chosen)
        z = evaluate("rint(z)", {"z": z}) if there else np.rint(z)
        return z != 0 if kind.kind == "b" else z.astype(np.int64).astype(kind)  # which wraps around
    if there:
        return _floating(x, y, mode, list(range(x.ndim)), correlate, method, out)
    if kind.char in "gGO":
        return _by_host(x, y, mode, correlate)
    if x.ndim > _DIRECT_AXES and (method == "direct" or method == "auto" and x.size * y.size <= _FEW_PRODUCTS):
        return _by_host(x, y, mode, correlate)
    return _floating(as_numbers(x), as_numbers(y), mode, list(range(x.ndim)), correlate, method, out).astype(kind, copy=False)


def _operands(in1, in2, exact=False):
    """Both as arrays, and both on the device if one is there; with `exact` whole numbers are left as they are, where both are such."""
    in1, in2 = map(_arrays.of, (in1, in2))
    if isinstance(in1, _arrays.Array) or isinstance(in2, _arrays.Array):
        kind = np.result_type(in1.dtype, in2.dtype)
        context = _arrays.context_of(in1, in2)
        in1, in2 = (a if isinstance(a, _arrays.Array) else _arrays.asarray(a, context=context) for a in (in1, in2))
        if exact and kind.kind not in "biu":  # whole numbers in the type that their sums with the other's numbers have
            return [a.astype(np.result_type(kind, np.float32) if kind.kind == "f" else kind) if a.dtype.kind in "biu" else as_numbers(a) for a in (in1, in2)]
    return in1, in2


@of_two
def _whole(in1, in2, mode, method, correlate, *, out):
    x, y = _operands(in1, in2, exact=True)
    if x.ndim == y.ndim == 0:
        return _into(out, x * (fft.conjugated(y) if correlate else y))
    _check_dimensions(x, y)
    _check_mode(mode)
    _check_method(method)
    _check_shapes(x, y, mode, list(range(x.ndim)))
    if x.size == 0 or y.size == 0:
        return _into(out, _arrays.like(x, (0,), np.result_type(x.dtype, y.dtype)))
    return _into(out, _any(x, y, mode, correlate, method, out))


def _warned(z, method):
    """A result whose transforms have spread what is not finite."""
    if method == "fft" and isinstance(z, np.ndarray) and z.dtype.kind in "fc" and z.size and not np.isfinite(z.flat[0]):
        warnings.warn("Use of fft convolution on input with NAN or inf results in NAN or inf output. Consider using method='direct' "
                      "instead.", RuntimeWarning, stacklevel=3)
    return z


# ---- As in SciPy

def convolve(in1, in2, mode="full", method="auto", *, out=None):
    """The convolution along all axes: full[k] = sum_i in1[i] in2[k - i].

    `mode`: "full", "same" (centred, of in1's shape) or "valid" (what needs no zeros); `method`: "direct" sums, "fft", or "auto",
    the faster by rates measured on such devices.

        >>> import mastaba
        >>> mastaba.signal.convolve([1, 2, 3], [0, 1, 0.5], "same").tolist()
        [1.0, 2.5, 4.0]
    """
    return _warned(_whole(in1, in2, mode, method, False, out=out), method)


def correlate(in1, in2, mode="full", method="auto", *, out=None):
    """The correlation along all axes: full[k] = sum_i in1[i] conj(in2[i - (k - (m - 1))]).

        >>> import mastaba
        >>> mastaba.signal.correlate([1, 2, 3], [0, 1, 2]).tolist()
        [2, 5, 8, 3, 0]
    """
    return _warned(_whole(in1, in2, mode, method, True, out=out), method)


def correlation_lags(in1_len, in2_len, mode="full"):
    """The lag of each result of correlate along an axis.

        >>> import mastaba
        >>> mastaba.signal.correlation_lags(4, 2).tolist()
        [-1, 0, 1, 2, 3]
    """
    if mode not in _MODES:
        raise ValueError(f"Mode {mode} is invalid: it is 'valid', 'same' or 'full'")
    if mode == "valid" and in1_len < in2_len:
        return np.arange(in1_len - in2_len, 1)
    first = _start(in1_len, in2_len, mode) - (in2_len - 1)
    return np.arange(first, first + _lengths(in1_len, in2_len, mode))


@of_two
def fftconvolve(in1, in2, mode="full", axes=None, *, out=None):
    """The convolution along `axes`, by default all; the others are broadcast, where "same" keeps in1's shape. Of whole numbers it is
    computed in float64.

        >>> import numpy as np, mastaba
        >>> mastaba.signal.fftconvolve(np.ones((2, 1000)), np.ones((1, 10)), "valid", axes=1).shape
        (2, 991)
    """
    x, y = _operands(in1, in2)
    if x.ndim == y.ndim == 0:
        return _into(out, x * y)
    _check_dimensions(x, y)
    _check_mode(mode)
    if x.size == 0 or y.size == 0:
        return _into(out, _arrays.like(x, (0,), np.dtype(float)))
    axes = [k for k in _axes(x, y, axes) if 1 not in (x.shape[k], y.shape[k])]  # along the others it is a product
    _check_shapes(x, y, mode, axes)
    others = [k for k in range(x.ndim) if k not in axes and x.shape[k] == 1 != y.shape[k]]
    if mode == "same" and others:  # of in1's shape along the other axes, too: the middle one of several in2
        y = y[tuple(slice((m - 1) // 2, (m + 1) // 2) if k in others else slice(None) for k, m in enumerate(y.shape))]
    if not axes:  # in its own type
        return _into(out, x * y)
    return _into(out, _floating(as_numbers(x), as_numbers(y), mode, axes, False, "fft", out))


def oaconvolve(in1, in2, mode="full", axes=None, *, out=None):
    """The same as fftconvolve, which works in overlapping blocks wherever these are faster.

        >>> import numpy as np, mastaba
        >>> mastaba.signal.oaconvolve(np.ones(1000), np.ones(10)).shape
        (1009,)
    """
    return fftconvolve(in1, in2, mode, axes, out=out)


def circular_convolve(in1, in2, axes=None, *, correlate=False, out=None):
    """The convolution of periodic arrays along `axes`, up to three, by default all: z[k] = sum_i in1[i] in2[(k - i) mod n], or with `correlate`
    sum_i in1[(i + k) mod n] conj(in2[i]). Both have the same lengths there; the other axes are broadcast. Of whole numbers it is computed in
    float64.

        >>> import mastaba
        >>> mastaba.signal.circular_convolve([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]).round(12).tolist()
        [3.0, 1.0, 2.0]
    """
    x, y = _operands(in1, in2)
    _check_dimensions(x, y)
    axes = _axes(x, y, axes)
    _check_shapes(x, y, "circular", axes)
    if any(x.shape[k] != y.shape[k] for k in axes):
        raise ValueError(f"in1 and in2 of shapes {x.shape} and {y.shape}: of one length along the axes")
    if not 1 <= len(axes) <= lib.MST_CONVOLUTION_MAX_AXES or x.ndim > _arrays.MOST_AXES:
        raise errors.ArgumentError(f"a circular convolution along {len(axes)} of {x.ndim} axes: it goes along 1 to {lib.MST_CONVOLUTION_MAX_AXES} of up to "
                                   f"{_arrays.MOST_AXES}")
    x, y = as_numbers(x), as_numbers(y)
    if x.size == 0 or y.size == 0:
        return _into(out, _arrays.like(x, _result(*_broadcast(x, y, axes), "circular", axes), np.result_type(x.dtype, y.dtype)))
    return _into(out, _by_library(x, y, "circular", axes, bool(correlate), "auto", out))


def _extended(x, y, boundary, fillvalue):
    """x with what lies beyond its edges as far as y reaches."""
    kind = np.result_type(x.dtype, y.dtype)
    mode = {"fill": "constant", "wrap": "wrap", "circular": "wrap"}.get(boundary, "symmetric")
    return _arrays.extended(x.astype(kind) if x.dtype != kind else x, [(m - 1, m - 1) for m in y.shape], mode, fillvalue.astype(kind)[()])


def _holds(kind, value):
    """Whether a type of whole numbers has a number, cut to a whole one."""
    return math.isfinite(value) and np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max


def _of_images(in1, in2, mode, boundary, fillvalue, correlate, out):
    x, y = _operands(in1, in2, exact=True)
    if not x.ndim == y.ndim == 2:
        raise ValueError(f"{'correlate2d' if correlate else 'convolve2d'} inputs must both be 2-D arrays")
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if boundary not in ("fill", "pad", "wrap", "circular", "symm", "symmetric"):
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    fill = np.asarray(fillvalue)
    if fill.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element")
    fill, kind = fill.reshape(()), np.result_type(x.dtype, y.dtype)
    if boundary not in ("fill", "pad"):
        fill = np.zeros((), kind)  # nobody looks at it, in SciPy neither
    beyond = kind.kind in "iu" and fill.dtype.kind in "iuf" and not isinstance(fillvalue, np.generic) and not _holds(kind, fill.item())
    if beyond or fill.dtype.kind == "c" and kind.kind != "c" or fill.dtype.kind not in "biufc":  # what is real is cut to whole numbers, as in SciPy
        raise ValueError(f"could not cast `fillvalue` directly to the output type (it was {fill.dtype}, output is {kind})")
    _check_shapes(x, y, mode, [0, 1])
    if x.size == 0 or y.size == 0:
        z = _arrays.like(x, [max(_lengths(n, m, mode), 0) for n, m in zip(x.shape, y.shape)], kind)
        z[...] = 0
        return z
    if mode == "valid":
        return _any(x, y, mode, correlate, "auto", out)
    whole = out if mode == "full" else None
    full = _any(x, y, "full", correlate, "auto", whole) if boundary in ("fill", "pad") and fill == 0 else \
        _any(_extended(x, y, "fill" if boundary == "pad" else boundary, fill), y, "valid", correlate, "auto", whole)
    if mode == "full":
        return full
    first = [m // 2 if correlate else (m - 1) // 2 for m in y.shape]
    part = full[first[0]:first[0] + x.shape[0], first[1]:first[1] + x.shape[1]]
    return part.copy() if out is None else part


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, *, out=None):
    """The convolution of images, with a value, the image again ("wrap") or its mirror image ("symm") beyond the edges of in1.

        >>> import numpy as np, mastaba
        >>> mastaba.signal.convolve2d(np.eye(3, dtype=int), [[1, 1]], "same", "wrap").tolist()
        [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    """
    return _into(out, _of_images(in1, in2, mode, boundary, fillvalue, False, out))


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, *, out=None):
    """The correlation of images, with a value, the image again ("wrap") or its mirror image ("symm") beyond the edges of in1.

        >>> import numpy as np, mastaba
        >>> mastaba.signal.correlate2d(np.eye(3, dtype=int), [[1, 2]], "valid").tolist()
        [[1, 0], [2, 1], [0, 2]]
    """
    return _into(out, _of_images(in1, in2, mode, boundary, fillvalue, True, out))


def choose_conv_method(in1, in2, mode="full", measure=False):
    """What convolve and correlate take for "auto": "direct" or "fft"; with `measure` the faster one here, and the seconds of both.

        >>> import numpy as np, mastaba
        >>> mastaba.signal.choose_conv_method(np.ones(10**6), np.ones(10**4))
        'fft'
    """
    x, y = map(_arrays.of, (in1, in2))
    _check_mode(mode)
    if measure:
        seconds = {method: min(timeit.repeat(lambda: convolve(x, y, mode, method), number=1, repeat=3)) for method in ("fft", "direct")}
        return min(seconds, key=seconds.get), seconds
    kind = np.result_type(x.dtype, y.dtype)
    if kind.char in "gGO" or (kind.kind in "biu" and x.size and y.size and
                              _magnitude(x) * _magnitude(y) * min(x.size, y.size) > _EXACT["fft"]):
        return "direct"
    if not x.size or not y.size:
        return "direct"
    if x.ndim > lib.MST_CONVOLUTION_MAX_AXES or x.ndim != y.ndim or x.ndim == 0:
        return "fft"
    x, y = (np.empty(a.shape, as_numbers(np.empty(0, a.dtype)).dtype) for a in (x, y))
    axes = list(range(x.ndim))
    plan = current().plan(*_described(x, y, np.empty(_result(x, y, mode, axes), np.result_type(x, y)), mode, axes, False, "auto"))
    return "direct" if lib.mst_convolution_algorithm_used(plan) == lib.MST_CONVOLUTION_DIRECT else "fft"


def explain(in1, in2, mode="full"):
    """Why "auto" takes what it takes for such operands, in a line; empty where the choice is not the library's.

        >>> import numpy as np, mastaba
        >>> print(mastaba.signal.explain(np.ones(1000), np.ones(3)))  # doctest: +ELLIPSIS
        3 ...
    """
    x, y = as_numbers(in1), as_numbers(in2)
    _check_mode(mode)
    axes = list(range(x.ndim))
    if x.ndim != y.ndim or not 1 <= x.ndim <= lib.MST_CONVOLUTION_MAX_AXES:
        return ""
    plan = current().plan(*_described(x, y, np.empty(_result(x, y, mode, axes), np.result_type(x, y)), mode, axes, False, "auto"))
    return ffi.string(lib.mst_convolution_explain(plan)).decode()
