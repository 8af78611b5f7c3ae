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
_MOST_SUMMITS = 16  # of an element that are looked at
_NOTHING = 50.0  # what is so much lower is nothing beside the highest in double precision
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
    """About the highest real part of each element of f over its range, 0 where that is near 0 already, or not known; and a list for each element
    of where it has peaks that are too narrow for the first samples. With a `shape` f gives an array of that for a number."""
    def look(x, args):
        values = np.real(_values(f, x, args, names, shape)).astype(float)
        return np.where(np.isfinite(values), values, -np.inf)

    peaks = [[] for _ in range(low.size)]
    try:
        with np.errstate(all="ignore"):
            x = np.sort(_samples(low, high), 0)
            values = look(x, args)
            highest = values.max(0)
            if shape is None and low.size:
                tops, places, narrow, of = _summits(look, x, values, args)
                np.maximum.at(highest, of, tops)
            else:
                of, places = np.arange(low.size), x[values.argmax(0), np.arange(low.size)]
                tops, narrow = highest, _is_steep(values, values.argmax(0), of)
            for k in np.flatnonzero(narrow & (tops > highest[of] - _NOTHING)):
                peaks[of[k]].append(float(places[k]))
    except (errors.Error, TypeError, ValueError):  # it is traced in another way than it is called
        return np.zeros(low.shape), peaks
    return np.where(np.isfinite(highest) & (np.abs(highest) > _FAR), highest, 0.0), peaks


def _is_steep(values, k, every):
    beside = np.maximum(*(values[np.clip(k + step, 0, len(values) - 1), every] for step in (-1, 1)))
    return values[k, every] > beside + _STEEP


def _shoulders(x, values):
    """Samples on slopes that become less steep and steeper again, as between a peak and a higher one."""
    apart, found = np.diff(x, axis=0), np.zeros(values.shape, bool)
    slopes = np.diff(values, axis=0) / apart
    bent = (slopes[1:] - slopes[:-1]) * np.minimum(apart[1:], apart[:-1]) > _STEEP
    found[2:] |= bent & (slopes[1:] < 0)
    found[:-2] |= bent & (slopes[:-1] > 0)
    return found


def _candidates(x, values):
    """The highest of the samples where a peak may be: (places, columns)."""
    padded = np.pad(values, ((1, 1), (0, 0)), constant_values=-np.inf)
    summits = np.where((values >= padded[:-2]) & (values > padded[2:]) | _shoulders(x, values), values, -np.inf)
    order = summits.argsort(0)[-_MOST_SUMMITS:]
    columns, rank = np.nonzero(np.take_along_axis(summits, order, 0).T > -np.inf)
    return order[rank, columns], columns


def _highest(of, tops, places):
    """Which of the places to go on with: each once, and the highest of each element."""
    order = np.lexsort((places, -tops, of))
    again = (np.diff(of[order]) == 0) & (np.diff(places[order]) == 0)
    order = order[np.concatenate([[True], ~again])] if order.size else order
    rank = np.arange(order.size) - np.searchsorted(of[order], of[order])
    return np.sort(order[rank < _MOST_SUMMITS])


def _closer(x, k):
    """More points between the neighbours of x[k] in each column."""
    every = np.arange(k.size)
    left, best, right = (x[np.clip(k + step, 0, len(x) - 1), every] for step in (-1, 0, 1))
    return np.concatenate([left + (best - left) * _CLOSER[:-1], best + (right - best) * _CLOSER])


def _summits(look, x, values, args):
    """What is found when the places between the neighbours of samples where a peak may be are looked at closer and closer: how high they are,
    where, whether they are narrow, and of which element."""
    of, first, steep = np.arange(x.shape[1]), None, None
    for _ in range(2):  # those that samples show, and those that closer ones show beside them
        k, columns = _candidates(x, values)
        kept = _highest(of[columns], values[k, columns], x[k, columns])
        k, columns = k[kept], columns[kept]
        x, values, of = x[:, columns], values[:, columns], of[columns]
        every, own = np.arange(of.size), [np.asarray(arg)[of] for arg in args]
        tops, places = values[k, every], x[k, every]
        first, steep = (tops, _is_steep(values, k, every)) if first is None else (first[columns], steep[columns])
        x = _closer(x, k)
        values = look(x, own)
    for _ in range(_MOST_LOOKS):
        k = values.argmax(0)
        tops, places = np.maximum(tops, values.max(0)), np.where(values.max(0) >= tops, x[k, every], places)
        beside = np.minimum(*(values[np.clip(k + step, 0, len(x) - 1), every] for step in (-1, 1)))
        if not np.any(values[k, every] > beside + 1):
            break  # less does not matter to an exponential function
        x = _closer(x, k)
        values = look(x, own)
    return tops, places, steep | (tops > first + 1), of


def logarithm(value, height):
    """log(value) + height, complex only where a value is negative or complex."""
    with np.errstate(divide="ignore"):
        return np.log(value if np.isrealobj(value) and np.all(value >= 0) else value + 0j) + height
