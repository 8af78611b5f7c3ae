"""What all transforms share: their arguments, and plans along any number of axes."""
import math
import operator
import os

import numpy as np

from . import _arrays, errors
from ._known import done
from ._library import describe, execution, lib, per_thread

_MOST_AXES = lib.MST_MAX_AXES
_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}  # halves of the division by n that go with the forward transform
COMPLEX = {"f": np.dtype("complex64"), "d": np.dtype("complex128"), "F": np.dtype("complex64"), "D": np.dtype("complex128")}
REAL = {"F": np.dtype("float32"), "D": np.dtype("float64")}


# ---- Arguments

def as_numbers(x):
    """x as an array of float32, float64, complex64 or complex128 in native byte order."""
    x = _arrays.adopted(x)
    if not isinstance(x, _arrays.Array):
        x = np.asarray(x)
    kind = x.dtype.char
    if kind in "fdFD":
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    if kind == "e":
        return x.astype(np.float32)
    if kind in "gG":
        raise errors.UnsupportedError(f"no OpenCL device computes in {x.dtype}: convert the array to float64 or complex128")
    if x.dtype.kind in "biu" or (x.dtype.kind == "O" and all(hasattr(value, "__float__") for value in x.flat)):
        return x.astype(np.float64)
    raise errors.ElementTypeError(f"type {x.dtype} is not supported: give an array of bool, whole, floating-point or complex numbers")


def check_options(workers, plan=None):
    if workers is not None:
        workers = operator.index(workers)
        if workers == 0:
            raise ValueError("workers must not be zero")
        if workers < -(os.cpu_count() or 1):
            raise ValueError(f"workers value out of range; got {workers}, must not be less than {-(os.cpu_count() or 1)}")
    if plan is not None:
        raise NotImplementedError("Passing a precomputed plan is not supported by mastaba.fft; plans of the last descriptions are kept")


def scale_of(norm, lengths, forward):
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm!r}; should be "backward", "ortho", or "forward".')
    halves = _NORMS[norm] if forward else 2 - _NORMS[norm]
    return math.prod(lengths) ** (-halves / 2)


def _whole(values, what):
    try:
        return [operator.index(values)]
    except TypeError:
        pass
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise ValueError(f"{what} must be a scalar or iterable of integers") from None


def axes_of(x, s, axes):
    """The axes to transform, from 0, and the wanted length of each (None: that of x)."""
    if axes is None:
        axes = list(range(x.ndim)) if s is None else None
    else:
        axes = [axis + x.ndim if axis < 0 else axis for axis in _whole(axes, "axes")]
        if any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if s is not None:
        s = _whole(s, "shape")
        if axes is None:
            if len(s) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = list(range(x.ndim - len(s), x.ndim))
        if len(s) != len(axes):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        s = [x.shape[axis] if n == -1 else n for axis, n in zip(axes, s)]
    return axes, s or [None] * len(axes)


def axis_of(x, n, axis):
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} of an array with {x.ndim} axes")
    return [axis % x.ndim], [None if n is None else operator.index(n)]


def check_lengths(lengths):
    if lengths and min(lengths) < 1:
        raise ValueError(f"Invalid number of FFT data points ({lengths if len(lengths) > 1 else lengths[0]}) specified.")


def fitted(x, axes, lengths):
    """x cropped to the lengths, or padded with zeros, along the axes."""
    if [x.shape[axis] for axis in axes] == lengths:
        return x
    index, shape = [slice(None)] * x.ndim, list(x.shape)
    for axis, n in zip(axes, lengths):
        index[axis], shape[axis] = slice(min(n, x.shape[axis])), n
    index = tuple(index)
    if all(x.shape[axis] >= n for axis, n in zip(axes, lengths)):
        return x[index]
    padded = _arrays.like(x, shape, x.dtype)
    padded[...] = 0
    padded[index] = x[index]
    return padded


# ---- Transforms

def _execute(x, z, axes, forward, scale, kind, orthogonal):
    """One plan: x into z, along up to three axes, the last of them with a real side if one is real."""
    if x.size == 0 and z.size == 0:
        return
    if x.ndim > _arrays.MOST_AXES:
        _execute_joined(x, z, axes, forward, scale, kind, orthogonal)
        return
    context = _arrays.context_of(x, z)

    def make(context):
        return context.create("fft", describe(
            "mst_fft_desc", input=_arrays.layout(x), output=_arrays.layout(z), n_axes=len(axes), axes=axes, scale=scale,
            direction=lib.MST_FFT_FORWARD if forward else lib.MST_FFT_INVERSE, kind=kind, orthogonal=int(orthogonal)))

    def run(plan):
        return lib.mst_fft_execute(plan, _arrays.location(x), _arrays.location(z), execution, per_thread.error)

    key = "fft", _arrays.key(x), _arrays.key(z), tuple(axes), forward, scale, kind, orthogonal
    context.execute(key, make, run)
    done("mst_fft_execute", key, (x,), z)


def _execute_joined(x, z, axes, *rest):
    """The same for arrays with more axes than the library takes: the others become one."""
    order = [k for k in range(x.ndim) if k not in axes] + list(axes)
    joined = [np.ascontiguousarray(a.transpose(order).reshape(-1, *(a.shape[k] for k in axes))) for a in (x, z)]
    _execute(*joined, list(range(1, len(axes) + 1)), *rest)
    z.transpose(order)[...] = joined[1].reshape([z.shape[k] for k in order])


def transform(x, z, axes, forward, scale, kind=lib.MST_FFT_FOURIER, orthogonal=False):
    """x into z, along any number of axes."""
    x = x if _arrays.fits(x) else x.copy()
    first, rest = axes[-_MOST_AXES:], axes[:-_MOST_AXES]
    if forward or not rest or np.iscomplexobj(z) or not np.iscomplexobj(x):  # a real input's axis comes first
        _execute(x, z, first, forward, scale, kind, orthogonal)
        while rest:
            rest, some = rest[:-_MOST_AXES], rest[-_MOST_AXES:]
            _execute(z, z, some, forward, 1.0, kind, orthogonal)
        return
    between = _arrays.like(x, x.shape, x.dtype)  # and a real output's axis last
    while rest:
        some, rest = rest[:_MOST_AXES], rest[_MOST_AXES:]
        _execute(x, between, some, forward, 1.0, kind, orthogonal)
        x = between
    _execute(x, z, first, forward, scale, kind, orthogonal)
