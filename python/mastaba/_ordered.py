"""What the array API standard has that needs elements at places which values give, or their order: indices that are arrays, sorting, sets.

The library's kernels have no such access, so NumPy does these on copies on the host, and results are copied to the device again: a call costs
the way there and back of the whole array. Indices along one axis that are few runs, of which each is a view, are left on the device.
"""
import collections
import operator

import numpy as np

from . import _arrays
from ._device import Array
from ._device import asarray as _asarray
from ._map import evaluate

_MOST_RUNS = 16  # that are copied one by one

UniqueAll = collections.namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = collections.namedtuple("UniqueCounts", "values counts")
UniqueInverse = collections.namedtuple("UniqueInverse", "values inverse_indices")


def _there(x, values):
    """An array on the device that x is on."""
    return _asarray(values, context=x.context)


def _host(value):
    return value.numpy() if isinstance(value, Array) else value


def take(x, indices, /, *, axis=None):
    """The elements at indices along an axis, which may be left out where there is one."""
    if axis is None and x.ndim != 1:
        raise ValueError(f"an array of {x.ndim} axes: along which one?")
    axis, places = operator.index(axis or 0), np.asarray(_host(indices))
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} of an array with {x.ndim} axes")
    if places.ndim == 1:
        return at(x, (slice(None),) * (axis % x.ndim) + (places,))
    return _there(x, np.take(x.numpy(), places, axis=axis))


def take_along_axis(x, indices, /, *, axis=-1):
    """Of each line along an axis the elements at indices of its own."""
    return _there(x, np.take_along_axis(x.numpy(), _host(indices), axis))


def nonzero(x, /):
    """The indices of elements that are not 0, an array for each axis."""
    if not x.ndim:
        raise ValueError("a number has no indices")
    return tuple(_there(x, places) for places in np.nonzero(x.numpy()))


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """In order along an axis, NaN last, or first if descending."""
    values = np.sort(x.numpy(), axis, kind="stable")
    return _there(x, np.flip(values, axis) if descending else values)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices of elements in order along an axis; equal ones keep theirs."""
    values = x.numpy()
    if not descending:
        return _there(x, np.argsort(values, axis, kind="stable"))
    last = values.shape[axis] - 1
    return _there(x, last - np.flip(np.argsort(np.flip(values, axis), axis, kind="stable"), axis))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where values of x2 would go into x1, which is in order, or is by the indices `sorter`."""
    return _there(x1, np.searchsorted(x1.numpy(), _host(x2), side, _host(sorter)))


def isin(x1, x2, /, *, invert=False):
    """Whether each element of x1 is among those of x2."""
    return _there(x1 if isinstance(x1, Array) else x2, np.isin(_host(x1), _host(x2), invert=invert))


def _unique(x):
    """The different elements in order, their first indices, which one each is, and how many there are of each. NaNs differ."""
    values, indices, inverse, counts = np.unique(x.numpy(), return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return [_there(x, part) for part in (values, indices, inverse.reshape(x.shape), counts)]


def unique_all(x, /):
    return UniqueAll(*_unique(x))


def unique_counts(x, /):
    values, _, _, counts = _unique(x)
    return UniqueCounts(values, counts)


def unique_inverse(x, /):
    values, _, inverse, _ = _unique(x)
    return UniqueInverse(values, inverse)


def unique_values(x, /):
    return _unique(x)[0]


# ---- Indices

def is_view(index):
    """Whether an item of an index keeps to whole numbers, slices, None and ..."""
    if index is None or index is Ellipsis or isinstance(index, slice):
        return True
    if isinstance(index, (bool, np.bool_)):
        return False
    if isinstance(index, (np.ndarray, Array)):
        return index.ndim == 0 and index.dtype.kind in "iu"
    return hasattr(index, "__index__")


def _few_runs(places, n):
    """Places along an axis of n as runs, where they are whole numbers within it, and the runs few."""
    places = np.asarray(places)
    if places.ndim != 1 or places.dtype.kind not in "iu" or not places.size or places.min() < -n or places.max() >= n:
        return None
    places = places.astype(np.int64)
    places = np.where(places < 0, places + n, places)
    if np.count_nonzero(np.abs(np.diff(places)) > 1) >= _MOST_RUNS:
        return None
    slices = _arrays.runs(places.tolist())
    return slices if len(slices) <= _MOST_RUNS else None


def at(x, index):
    """x[index] with arrays or masks among the items of the index."""
    index = tuple(map(_host, index))
    axis = len(index) - 1
    if all(isinstance(item, slice) and item == slice(None) for item in index[:-1]) and axis < x.ndim:
        slices = _few_runs(index[-1], x.shape[axis])
        if slices is not None:
            return _arrays.picked(x, axis, slices)
    return _there(x, x.numpy()[index])


def set_at(x, index, values):
    """x[index] = values. A number where a mask of all elements holds is written on the device."""
    if isinstance(index, Array) and index.dtype.kind == "b" and index.shape == x.shape and np.ndim(values) == 0:
        number = values.astype(x.dtype) if isinstance(values, Array) else _there(x, np.asarray(values).astype(x.dtype))
        x[...] = evaluate("m ? v : x", {"m": index, "v": number, "x": x})
        return
    whole = x.numpy()
    whole[tuple(map(_host, index)) if isinstance(index, tuple) else _host(index)] = _host(values)
    x[...] = whole
