"""Fast Fourier transforms with the signatures of scipy.fft, on an OpenCL device.

    >>> import numpy as np, mastaba
    >>> x = np.array([1.0, 2.0, 1.0, -1.0, 1.5])
    >>> np.allclose(mastaba.fft.irfft(mastaba.fft.rfft(x), 5), x)
    True

`scipy.fft.set_backend(mastaba.fft)` makes SciPy's own functions call these. The arguments are those of SciPy: `norm` is
"backward", "ortho" or "forward"; with `overwrite_x` complex data may be transformed where they lie; `workers` is checked and
otherwise ignored, as the device has its own. `out` gets the result: an array of its shape and type, or x itself if it has these.
Single precision stays single, integers and bool count as float64.
"""
import contextlib
import contextvars
import numbers
import operator
import os

import numpy as np
from numpy.fft import fftfreq as _fftfreq, fftshift as _fftshift, ifftshift as _ifftshift, rfftfreq as _rfftfreq

from . import _arrays, errors
from ._contexts import set_cache
from ._hankel import fhtoffset, transformed
from ._known import of_one
from ._library import lib
from ._map import evaluate
from ._transforms import COMPLEX, REAL, as_numbers, axes_of, axis_of, check_lengths, check_options, fitted, scale_of, transform

__all__ = ["dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "fht", "fhtoffset", "get_workers", "hfft", "hfft2", "hfftn", "idct", "idctn",
           "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ifht", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn",
           "next_fast_len", "prev_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn", "set_cache", "set_workers"]

def _given_axis(x, n, axis, workers, plan=None):
    """The numbers to transform along one axis, the wanted lengths and the axes, all checked."""
    check_options(workers, plan)
    x = as_numbers(x)
    axes, s = axis_of(x, n, axis)
    return x, s, axes


def _given_axes(x, s, axes, workers, plan=None):
    """The same along several axes."""
    check_options(workers, plan)
    x = as_numbers(x)
    axes, s = axes_of(x, s, axes)
    return x, s, axes


def _output(x, shape, dtype, out):
    """The array for a result: `out` if given, or x where it is that, else a new one."""
    if out is None:
        return _arrays.like(x, shape, dtype)
    if not isinstance(out, (np.ndarray, _arrays.Array)):
        raise TypeError(f"out must be of ArrayType or a mastaba.Array, not a {type(out).__name__}")
    if out.dtype != dtype or out.shape != tuple(shape) or not _arrays.fits(out) or not (isinstance(out, _arrays.Array) or out.flags.writeable):
        _refuse_output(shape, dtype, out)
    if out is not x and _arrays.may_share(x, out) and not _is_same(x, out):
        raise errors.ArgumentError("out shares memory with the input, and is not the same array")
    return out


def _refuse_output(shape, dtype, out):
    wanted = f"out must be a writable array of {dtype} and shape {tuple(shape)}, aligned and in native byte order"
    if out.shape != tuple(shape):
        raise errors.ArgumentError(f"{wanted}; it has wrong shape {out.shape}")
    if out.dtype != dtype:
        raise TypeError(f"{wanted}. Cannot cast to {out.dtype}")
    raise errors.ArgumentError(wanted)


def _is_same(x, out):
    """Whether two arrays are one, in all."""
    if isinstance(out, _arrays.Array) != isinstance(x, _arrays.Array) or _arrays.key(out) != _arrays.key(x):
        return False
    return (out.buffer, out.offset) == (x.buffer, x.offset) if isinstance(x, _arrays.Array) else out.ctypes.data == x.ctypes.data


def conjugated(x, out=None):
    """The conjugate of each element; `out` may be x."""
    if not isinstance(x, _arrays.Array):
        return x if x.dtype.kind == "b" and out is None else np.conjugate(x, out=out)  # which would make int8 of bool
    if out is None:
        return evaluate("conj(a)", {"a": x}) if x.dtype.kind == "c" else x
    out.imag[...] = evaluate("-a", {"a": x.imag})
    return out


def _unchanged(x, out):
    """The transform along no axis: a copy, or `out`."""
    if out is None:
        return x
    z = _output(x, x.shape, x.dtype, out)
    z[...] = x
    return z


# ---- Fourier

def _complex(x, s, axes, norm, overwrite, forward, out):
    lengths = [x.shape[axis] if n is None else n for axis, n in zip(axes, s)]
    check_lengths(lengths)
    scale = scale_of(norm, lengths, forward)
    within = fitted(x, axes, lengths)
    if not axes:
        return x.copy() if out is None else _unchanged(x.astype(COMPLEX[x.dtype.char]), out)
    if out is not None:
        z = _output(x, within.shape, COMPLEX[x.dtype.char], out)
        transform(within if within.dtype.kind == "c" else within.astype(z.dtype), z, axes, forward, scale)
        return z
    if isinstance(x, _arrays.Array):
        if within.dtype.kind == "f":
            within = within.astype(COMPLEX[x.dtype.char])
        z = x if overwrite and within is x else _arrays.like(x, within.shape, within.dtype)
        transform(within, z, axes, forward, scale)
        return z
    if within.dtype.kind == "f" and forward and len(axes) == 1:
        return _mirrored(within, axes[0], lengths[0], scale)
    if within.dtype.kind == "f":
        within, overwrite = within.astype(COMPLEX[x.dtype.char]), True
    owned = within is not x or overwrite
    in_place = owned and within.flags.writeable and _arrays.fits(within) and within.base is None
    z = within if in_place else np.empty(within.shape, within.dtype)
    transform(within, z, axes, forward, scale)
    return z


def _mirrored(x, axis, n, scale):
    """The transform of real numbers, of which half is computed: Z[n - k] = conj Z[k]."""
    z = np.empty(x.shape, COMPLEX[x.dtype.char])
    along = np.moveaxis(z, axis, -1)
    half = along[..., :n // 2 + 1]
    transform(x, np.moveaxis(half, -1, axis), [axis], True, scale)
    np.conjugate(along[..., 1:(n + 1) // 2][..., ::-1], out=along[..., n // 2 + 1:])
    return z


def _from_real(x, s, axes, norm, forward=True, out=None):
    if np.iscomplexobj(x):
        raise TypeError("x must be a real sequence")
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    lengths = [x.shape[axis] if n is None else n for axis, n in zip(axes, s)]
    check_lengths(lengths)
    within = fitted(x, axes, lengths)
    shape = list(within.shape)
    shape[axes[-1]] = lengths[-1] // 2 + 1
    z = _output(x, shape, COMPLEX[x.dtype.char], out)
    transform(within, z, axes, True, scale_of(norm, lengths, forward))
    return z if forward else conjugated(z, z)


def _to_real(x, s, axes, norm, forward=False, out=None, least=0):
    """`least` is what a last axis of one element becomes: several axes of SciPy's take it, one alone does not."""
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = x if x.dtype.kind == "c" else x.astype(COMPLEX[x.dtype.char])
    lengths = [x.shape[axis] if n is None else n for axis, n in zip(axes, s)]
    if s[-1] is None:
        lengths[-1] = 2 * (x.shape[axes[-1]] - 1) or least
    check_lengths(lengths)
    within = fitted(x, axes, lengths[:-1] + [lengths[-1] // 2 + 1])
    shape = list(within.shape)
    shape[axes[-1]] = lengths[-1]
    z = _output(x, shape, REAL[x.dtype.char], out)
    transform(conjugated(within) if forward else within, z, axes, False, scale_of(norm, lengths, forward))
    return z


@of_one
def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """Z[k] = sum_j x[j] exp(-2 pi i j k / n) along one axis.

        >>> import mastaba
        >>> mastaba.fft.fft([1, 0, 0, 0]).real.tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return _complex(*_given_axis(x, n, axis, workers, plan), norm, overwrite_x, True, out)


@of_one
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of fft, divided by n.

        >>> import mastaba
        >>> mastaba.fft.ifft([4, 0, 0, 0]).real.tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return _complex(*_given_axis(x, n, axis, workers, plan), norm, overwrite_x, False, out)


@of_one
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The first n/2 + 1 results of fft of real numbers, which determine the others.

        >>> import mastaba
        >>> mastaba.fft.rfft([1.0, 1.0, 1.0, 1.0]).real.tolist()
        [4.0, 0.0, 0.0]
    """
    return _from_real(*_given_axis(x, n, axis, workers, plan), norm, out=out)


@of_one
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of rfft: n real numbers, by default 2 (m - 1) of m.

        >>> import mastaba
        >>> mastaba.fft.irfft([4, 0, 0]).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return _to_real(*_given_axis(x, n, axis, workers, plan), norm, out=out)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """fft of numbers with Hermitian symmetry, of which x is the first half: n real numbers.

        >>> import mastaba
        >>> mastaba.fft.hfft([1, 0, 0]).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return _to_real(*_given_axis(x, n, axis, workers, plan), norm, True, out=out)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of hfft.

        >>> import mastaba
        >>> mastaba.fft.ihfft([1.0, 1.0, 1.0, 1.0]).shape
        (3,)
    """
    return _from_real(*_given_axis(x, n, axis, workers, plan), norm, False, out=out)


@of_one
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """fft along several axes, by default all.

        >>> import numpy as np, mastaba
        >>> mastaba.fft.fftn(np.ones((2, 4)))[0, 0].real.item()
        8.0
    """
    return _complex(*_given_axes(x, s, axes, workers, plan), norm, overwrite_x, True, out)


@of_one
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of fftn.

        >>> import numpy as np, mastaba
        >>> x = np.arange(6.0).reshape(2, 3)
        >>> np.allclose(mastaba.fft.ifftn(mastaba.fft.fftn(x)), x)
        True
    """
    return _complex(*_given_axes(x, s, axes, workers, plan), norm, overwrite_x, False, out)


@of_one
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """fftn of real numbers: the first n/2 + 1 results along the last of the axes.

        >>> import numpy as np, mastaba
        >>> mastaba.fft.rfftn(np.ones((2, 4, 6)), axes=(0, 2)).shape
        (2, 4, 4)
    """
    return _from_real(*_given_axes(x, s, axes, workers, plan), norm, out=out)


@of_one
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of rfftn.

        >>> import numpy as np, mastaba
        >>> x = np.arange(12.0).reshape(3, 4)
        >>> np.allclose(mastaba.fft.irfftn(mastaba.fft.rfftn(x), x.shape), x)
        True
    """
    return _to_real(*_given_axes(x, s, axes, workers, plan), norm, out=out, least=1)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """fftn of numbers with Hermitian symmetry, of which x is the first half along the last of the axes.

        >>> import numpy as np, mastaba
        >>> mastaba.fft.hfftn(np.ones((2, 3))).shape
        (2, 4)
    """
    return _to_real(*_given_axes(x, s, axes, workers, plan), norm, True, out=out, least=1)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of hfftn.

        >>> import numpy as np, mastaba
        >>> mastaba.fft.ihfftn(np.ones((2, 4))).shape
        (2, 3)
    """
    return _from_real(*_given_axes(x, s, axes, workers, plan), norm, False, out=out)


def _of_two_axes(transform, name, columns):
    def of_two_axes(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
        return transform(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)

    of_two_axes.__name__ = of_two_axes.__qualname__ = name
    of_two_axes.__doc__ = f"""{transform.__name__} along two axes, by default the last two.

        >>> import numpy as np, mastaba
        >>> mastaba.fft.{name}(np.ones((2, 4))).shape
        (2, {columns})
    """
    return of_two_axes


fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = (_of_two_axes(transform, name, columns) for transform, name, columns in (
    (fftn, "fft2", 4), (ifftn, "ifft2", 4), (rfftn, "rfft2", 3), (irfftn, "irfft2", 6), (hfftn, "hfft2", 6), (ihfftn, "ihfft2", 3)))


# ---- Even and odd data

_TYPES = {name: [getattr(lib, f"MST_FFT_{name}{type}") for type in range(1, 5)] for name in ("DCT", "DST")}
_PERIOD = {"DCT": (-2, 0, 0, 0), "DST": (2, 0, 0, 0)}  # of the Fourier transform behind each type, less 2n


def _of_even(name, type, x, s, axes, norm, orthogonalize, forward, out):
    if not isinstance(type, numbers.Integral):
        raise TypeError(f"the type {type!r} of a {name} is no whole number")
    if type not in (1, 2, 3, 4):
        raise ValueError(f"type {type!r} of a {name} is not one of 1, 2, 3 and 4")
    lengths = [x.shape[axis] if n is None else n for axis, n in zip(axes, s)]
    check_lengths(lengths)
    if name == "DCT" and type == 1 and min(lengths, default=2) < 2:
        raise RuntimeError("a DCT of type I takes at least two numbers")
    if not axes:
        return _unchanged(x.copy(), out)
    scale = scale_of(norm, [2 * n + _PERIOD[name][type - 1] for n in lengths], forward)
    within = fitted(x, axes, lengths)
    z = _output(x, within.shape, x.dtype, out)
    orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    pairs = [(within.real, z.real), (within.imag, z.imag)] if x.dtype.kind == "c" else [(within, z)]
    for data, result in pairs:
        transform(data, result, axes, forward, scale, _TYPES[name][type - 1], orthogonal)
    return z


_EXAMPLE = """

        >>> import numpy as np, mastaba
        >>> x = np.arange(6.0).reshape(2, 3)
        >>> np.allclose(mastaba.fft.i{name}(mastaba.fft.{name}(x, 3), 3), x)
        True
    """


def _along_one(name, forward):
    def along_one(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None, *, out=None):
        return _of_even(name, type, *_given_axis(x, n, axis, workers), norm, orthogonalize, forward, out)

    along_one.__name__ = along_one.__qualname__ = ("" if forward else "i") + name.lower()
    along_one.__doc__ = ("" if forward else "The inverse of ") + f"{name} of type I to IV, along one axis." + _EXAMPLE.format(name=name.lower() + "")
    return of_one(along_one)


def _along_several(name, forward):
    def along_several(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None, *, out=None):
        return _of_even(name, type, *_given_axes(x, s, axes, workers), norm, orthogonalize, forward, out)

    along_several.__name__ = along_several.__qualname__ = ("" if forward else "i") + name.lower() + "n"
    along_several.__doc__ = ("" if forward else "The inverse of ") + f"{name} of type I to IV, along several axes, by default all." + _EXAMPLE.format(name=name.lower() + "n")
    return of_one(along_several)


dct, idct, dst, idst = (_along_one(name, forward) for name in ("DCT", "DST") for forward in (True, False))
dctn, idctn, dstn, idstn = (_along_several(name, forward) for name in ("DCT", "DST") for forward in (True, False))


# ---- Hankel

def _by_logarithms(x, dln, mu, offset, bias, inverse, out):
    x = as_numbers(x)
    if x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    z = _output(x, x.shape, x.dtype, out)
    return transformed(x, dln, mu, offset, bias, inverse, z, rfft, irfft)


def fht(a, dln, mu, offset=0.0, bias=0.0, *, out=None):
    """The Hankel transform of order mu along the last axis, of n real numbers at points whose logarithms are dln apart, as a periodic sequence
    (FFTLog). The results are at as many points, whose middle times that of the input is exp(offset). What is taken as
    periodic is the input times r**-bias, which is best about as large at both ends; the result is multiplied by k**-bias, which makes it the
    transform of the input itself. r and k are in units of the middle point of the input, and of 1 over it.

        >>> import numpy as np, mastaba
        >>> r = np.logspace(-4, 4, 128)
        >>> dln, mu = np.log(r[1] / r[0]), 1.0
        >>> offset = mastaba.fft.fhtoffset(dln, mu)
        >>> k = np.exp(offset) / r[::-1]
        >>> h = mastaba.fft.fht(r**(mu + 1) * np.exp(-r**2/2), dln, mu, offset)  # which is its own transform
        >>> float(abs(h - k**(mu + 1) * np.exp(-k**2/2)).max()) < 1e-6
        True
    """
    return _by_logarithms(a, dln, mu, offset, bias, False, out)


def ifht(A, dln, mu, offset=0.0, bias=0.0, *, out=None):
    """The inverse of fht.

        >>> import numpy as np, mastaba
        >>> x = np.arange(6.0)
        >>> np.allclose(mastaba.fft.ifht(mastaba.fft.fht(x, 0.1, 1.0), 0.1, 1.0), x)
        True
    """
    return _by_logarithms(A, dln, mu, offset, bias, True, out)


# ---- Lengths

def _fast_primes(target, real):
    target = operator.index(target)
    if target < 0:
        raise ValueError("Target cannot be negative")
    return target, (2, 3, 5) if real else (2, 3, 5, 7, 11)


def _least(n, primes):
    """The least product of such primes from n on: of each power of the last one, the least of the others that reaches n."""
    if len(primes) == 1:
        return 1 << max(n - 1, 0).bit_length()
    best, power = None, 1
    while best is None or power < best:
        product = power * _least(-(-n // power), primes[:-1])
        best = product if best is None else min(best, product)
        power *= primes[-1]
    return best


def _greatest(n, primes):
    """The greatest product of such primes up to n."""
    if len(primes) == 1:
        return 1 << n.bit_length() - 1
    best, power = 1, 1
    while power <= n:
        best = max(best, power * _greatest(n // power, primes[:-1]))
        power *= primes[-1]
    return best


def next_fast_len(target, real=False):
    """The least length from target on that has no prime factor above 11, or 5 for real data.

        >>> import mastaba
        >>> mastaba.fft.next_fast_len(1021), mastaba.fft.next_fast_len(1021, real=True)
        (1024, 1024)
    """
    n, primes = _fast_primes(target, real)
    return _least(n, primes) if n else 0


def prev_fast_len(target, real=False):
    """The greatest length up to target that has no prime factor above 11, or 5 for real data.

        >>> import mastaba
        >>> mastaba.fft.prev_fast_len(1021)
        1008
    """
    n, primes = _fast_primes(target, real)
    return _greatest(n, primes) if n else 0


# ---- Frequencies

def _frequencies(values, xp, device):
    """As an array of the namespace xp, on a device of its own naming; by default NumPy's, whose device is "cpu"."""
    if xp is not None and xp is not np:
        return xp.asarray(values, device=device)
    if device not in (None, "cpu"):
        raise ValueError(f"NumPy has no device {device!r}: give xp=mastaba.xp")
    return values


def fftfreq(n, d=1.0, *, xp=None, device=None):
    """The frequencies of fft's results for n samples that are d apart, as an array of `xp`, by default NumPy's.

        >>> import mastaba
        >>> mastaba.fft.fftfreq(4, 0.5).tolist()
        [0.0, 0.5, -1.0, -0.5]
    """
    return _frequencies(_fftfreq(n, d), xp, device)


def rfftfreq(n, d=1.0, *, xp=None, device=None):
    """The same of rfft's.

        >>> import mastaba
        >>> mastaba.fft.rfftfreq(4, 0.5, xp=mastaba.xp).numpy().tolist()
        [0.0, 0.5, 1.0]
    """
    return _frequencies(_rfftfreq(n, d), xp, device)


def _shifted(x, axes, on_the_host, inverse):
    x = _arrays.adopted(x)
    if not isinstance(x, _arrays.Array):
        return on_the_host(x, axes)
    axes = tuple(range(x.ndim)) if axes is None else tuple(axes) if isinstance(axes, (tuple, list)) else (operator.index(axes),)
    return x.__array_namespace__().roll(x, tuple(-(x.shape[k] // 2) if inverse else x.shape[k] // 2 for k in axes), axis=axes)


def fftshift(x, axes=None):
    """x with the frequency 0 in the middle of the axes, by default all.

        >>> import mastaba
        >>> mastaba.fft.fftshift(mastaba.fft.fftfreq(4, 0.25)).tolist()
        [-2.0, -1.0, 0.0, 1.0]
    """
    return _shifted(x, axes, _fftshift, False)


def ifftshift(x, axes=None):
    """The inverse of fftshift.

        >>> import mastaba
        >>> mastaba.fft.ifftshift(mastaba.asarray([-1.0, 0.0, 1.0])).numpy().tolist()
        [0.0, 1.0, -1.0]
    """
    return _shifted(x, axes, _ifftshift, True)


# ---- As a backend of SciPy's functions

__ua_domain__ = "numpy.scipy.fft"


_workers = contextvars.ContextVar("mastaba_workers", default=1)


@contextlib.contextmanager
def set_workers(workers):
    """Within the `with` block, the number that get_workers gives. It is checked as scipy.fft's, and changes nothing else: how many threads
    work is the device's affair.

        >>> import mastaba
        >>> with mastaba.fft.set_workers(2):
        ...     mastaba.fft.get_workers()
        2
    """
    check_options(operator.index(workers))
    token = _workers.set(workers if workers > 0 else workers + 1 + (os.cpu_count() or 1))
    try:
        yield
    finally:
        _workers.reset(token)


def get_workers():
    """The number that set_workers was given, else 1.

        >>> import mastaba
        >>> mastaba.fft.get_workers()
        1
    """
    return _workers.get()


def __ua_function__(method, args, kwargs):
    function = globals().get(method.__name__) if method.__name__ in __all__ else None
    return NotImplemented if function is None else function(*args, **kwargs)
