"""Fast Hankel transforms of what is evenly spaced in the logarithm (FFTLog: Hamilton, MNRAS 312, 257, 2000), as scipy.fft has them."""
import functools
import math
import warnings

import numpy as np

from . import _arrays, errors
from ._map import evaluate

_MOST = 1e4  # of an order and a bias: as many steps would be taken where they are negative
_MOST_KEPT = 1 << 16  # numbers of a sequence whose factors, 24 bytes for each, are kept for the next one
_FAR = 10.0  # from where on Stirling's series is as good as double precision
_STIRLING = 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188


def _loggamma(z):
    """log(gamma(z)) of complex numbers, cut along the negative real axis: Stirling's series, after steps of gamma(z + 1) = z gamma(z)."""
    steps = max(math.ceil(_FAR - np.min(z.real)), 0)
    far = z + steps
    series = sum(c / far ** (2 * k + 1) for k, c in enumerate(_STIRLING))
    with np.errstate(divide="ignore"):
        return (far - 0.5) * np.log(far) - far + math.log(2 * math.pi) / 2 + series - sum(np.log(z + k) for k in range(steps))


def _parts(mu, bias, y):
    """The two logarithms of gamma in the spectrum of Bessel functions."""
    return (_loggamma((mu + 1 + sign * bias) / 2 + 1j * y) for sign in (1, -1))


def _mean(mu, bias):
    """2^bias gamma(a) / gamma(b), where a or b is a pole: its limit where both are."""
    a, b = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    if not (a <= 0 and b <= 0 and a == int(a) and b == int(b)):
        return math.inf
    return (-1) ** int(a - b) * 2**bias * math.exp(math.lgamma(1 - b) - math.lgamma(1 - a))  # gamma(x) gamma(1 - x) = pi / sin(pi x)


def _factors(n, dln, mu, offset, bias, inverse):
    """What a sequence of n numbers, its spectrum and its transform are multiplied by (None: nothing), and whether the mean is lost."""
    y = np.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    with np.errstate(all="ignore"):
        above, below = _parts(mu, bias, y)
        u = np.exp(above.real - below.real + math.log(2) * bias + 1j * (above.imag + below.imag + 2 * (math.log(2) - offset) * y))
        if n % 2 == 0:
            u.imag[-1] = 0
        if not np.isfinite(u[0]):
            u[0] = _mean(mu, bias)
        if inverse:
            u = 1 / np.conjugate(u)
    singular = not np.isfinite(u[0])
    if singular:
        u[0] = 0
    if bias == 0:
        return None, u, None, singular
    power = (np.arange(n) - (n - 1) / 2) * dln
    before, after = np.exp(-bias * power), np.exp(-bias * (power + offset))
    return (1 / after, u, 1 / before, singular) if inverse else (before, u, after, singular)


_kept_factors = functools.lru_cache(16)(_factors)


def _times(x, factors, out=None):
    if factors is None:
        return x
    if not isinstance(x, _arrays.Array):
        return np.multiply(x, factors.astype(x.dtype), out=out)
    return evaluate("x*f", {"x": x, "f": _arrays.asarray(factors, x.dtype, context=x.context)}, out=out)


def _check(dln, mu, offset, bias):
    if dln == 0 or not all(map(math.isfinite, (dln, offset))) or not (abs(mu) <= _MOST and abs(bias) <= _MOST):
        raise errors.ArgumentError(f"a Hankel transform with dln={dln}, mu={mu}, offset={offset}, bias={bias}: give finite numbers, dln other than 0, "
                                   f"and mu and bias within {_MOST:g}")


def transformed(x, dln, mu, offset, bias, inverse, out, rfft, irfft):
    """The transform of real numbers along the last axis, or its inverse, into `out`."""
    if not x.ndim or not x.shape[-1]:
        raise errors.ArgumentError(f"a Hankel transform of an array of shape {x.shape}: its last axis is what is transformed")
    dln, mu, offset, bias = map(float, (dln, mu, offset, bias))
    _check(dln, mu, offset, bias)
    n = x.shape[-1]
    before, u, after, singular = (_kept_factors if n <= _MOST_KEPT else _factors)(n, dln, mu, offset, bias, inverse)
    if singular:
        warnings.warn(f"singular {'inverse ' if inverse else ''}transform; consider changing the bias", stacklevel=4)
    spectrum = _times(rfft(_times(x, before)), u)
    last = out if after is None else _arrays.like(x, x.shape, x.dtype)
    irfft(spectrum, n, out=last[..., ::-1])
    return last if after is None else _times(last, after, out)


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset nearest to `initial` with which a fast Hankel transform rings least.

        >>> import mastaba
        >>> round(float(mastaba.fft.fhtoffset(0.1, 2.0, 0.5)), 12)
        0.545458147768
    """
    _check(dln, mu, initial, bias)
    above, below = _parts(mu, bias, np.array([math.pi / (2 * dln)]))
    turns = (math.log(2) - initial) / dln + (above.imag[0] + below.imag[0]) / math.pi
    return initial + (turns - np.round(turns)) * dln
