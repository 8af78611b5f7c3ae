"""Integrals of functions that are given by their logarithms, as exp(f - s), where s is about the highest value of f: what would be infinite
or 0 by itself is not. The value is log(integral) + s."""
import numpy as np

from . import errors
from ._map import evaluate

_FAR = 200.0  # exp() of more is near the ends of double precision
_FARTHEST = 700.0  # and of this not yet beyond them
_POINTS = np.pi / 2 * np.sinh(np.linspace(-3, 3, 97))
_CLOSER = np.linspace(0, 1, 17)[:, None]
_STEEP = 4.0  # what falls by more between two samples is too narrow for them
_MOST_LOOKS = 40  # at a place that is narrowed down by 16 each time: beyond what doubles tell apart


def check_tolerances(**given):
    for name, value in given.items():
        if value is not None and (np.ndim(value) or not np.isrealobj(value) or np.isnan(value) or value == np.inf):
            raise ValueError(f"`{name}` is a logarithm, which may not be positive infinity.")


def tolerance(given, height=0.0):
    """What a tolerance's logarithm allows where values are divided by exp(height): a finite number, however loose it is."""
    return None if given is None else np.exp(min(given - height, _FARTHEST))


def _samples(low, high):
    """Points all over ranges, (points, ranges): those of a tanh-sinh rule (Takahasi and Mori 1974), for infinite ranges, too."""
    t = _POINTS[:, None]
    with np.errstate(all="ignore"):
        inside = (low + high) / 2 + (high - low) / 2 * np.tanh(t)
        return np.select([np.isinf(low) & np.isinf(high), np.isinf(high), np.isinf(low)],
                         [np.sinh(t) + 0 * np.isinf(low), low + np.sign(high) * np.exp(t), high + np.sign(low) * np.exp(t)], inside)


def _values(f, x, args, names, shape):
    """f at the points of each range, called as tanhsinh's integrands are."""
    if isinstance(f, str):
        named = [dict(zip(names or (), values)) for values in zip(*args)] if args else [{}] * x.shape[1]
        return np.stack([np.broadcast_to(evaluate(f, {"x": x[:, k].copy(), **named[k]}), len(x)) for k in range(x.shape[1])], 1)
    if shape is not None:
        return np.stack([np.ravel(np.broadcast_to(f(_given(points, shape), *args), shape)) for points in x])
    return np.broadcast_to(f(x, *args), x.shape)


def _given(points, shape):
    """A point for each element, as one number where all are the same."""
    return points[0] if np.all(points == points[0]) else points.reshape(shape)


def heights(f, low, high, args=(), names=None, shape=None):
    """About the highest real part of each element of f over its range, 0 where that is near 0 already, or not known; and where it is, if that is a
    peak too narrow for the first samples, else NaN. With a `shape` f gives an array of that for a number."""
    def look(x):
        values = np.real(_values(f, x, args, names, shape)).astype(float)
        return np.where(np.isfinite(values), values, -np.inf)

    peaks = np.full(low.shape, np.nan)
    try:
        with np.errstate(all="ignore"):
            x = np.sort(_samples(low, high), 0)
            values = look(x)
            highest, every = values.max(0), np.arange(low.size)
            k = values.argmax(0)
            beside = np.maximum(*(values[np.clip(k + step, 0, len(x) - 1), every] for step in (-1, 1)))
            peaks = np.where(highest > beside + _STEEP, x[k, every], peaks)
            for _ in range(_MOST_LOOKS if shape is None else 0):
                before, after = np.maximum(k - 1, 0), np.minimum(k + 1, len(x) - 1)
                left, best, right = (x[place, every] for place in (before, k, after))
                if not np.any(values[k, every] > np.minimum(values[before, every], values[after, every]) + 1):
                    break  # less does not matter to an exponential function
                x = np.concatenate([left + (best - left) * _CLOSER[:-1], best + (right - best) * _CLOSER])
                values = look(x)
                k = values.argmax(0)
                peaks = np.where((values.max(0) > highest + 1) | ~np.isnan(peaks), x[k, every], peaks)
                highest = np.maximum(highest, values.max(0))
    except (errors.Error, TypeError, ValueError):  # it is traced in another way than it is called
        return np.zeros(low.shape), peaks
    return np.where(np.isfinite(highest) & (np.abs(highest) > _FAR), highest, 0.0), peaks


def logarithm(value, height):
    """log(value) + height, complex only where a value is negative or complex."""
    with np.errstate(divide="ignore"):
        return np.log(value if np.isrealobj(value) and np.all(value >= 0) else value + 0j) + height
