"""The array API standard's extension linalg, `mastaba.xp.linalg`, for arrays on the device.

Products of small matrices, norms of elements and views are computed there; products of large ones, decompositions, and what needs one (cholesky, det, eig, eigh, eigvals, eigvalsh, inv,
matrix_rank, pinv, qr, slogdet, solve, svd, svdvals, norms by singular values), by NumPy on copies on the host, and copied to the device again.

    >>> import mastaba.xp as xp
    >>> a = xp.asarray([[2.0, 1.0], [1.0, 3.0]])
    >>> xp.linalg.solve(a, xp.asarray([3.0, 5.0])).numpy().round(12).tolist()
    [0.8, 1.4]
"""
import collections
import math
import operator

import numpy as np

from . import xp as _xp
from ._device import Array
from ._ordered import _there
from .xp import matmul, matrix_transpose, tensordot, vecdot

__all__ = ["cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank",
           "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]

EigResult = collections.namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = collections.namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = collections.namedtuple("QRResult", "Q R")
SlogdetResult = collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = collections.namedtuple("SVDResult", "U S Vh")


# ---- On the device

def outer(x1, x2, /):
    """The products of each element of one vector with each of the other."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("an outer product is of two vectors")
    return x1[:, None] * x2[None, :]


def cross(x1, x2, /, *, axis=-1):
    """The cross product along an axis of three elements."""
    x, y = (_xp.moveaxis(a, axis, -1) for a in (x1, x2))
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError("a cross product is along an axis of 3 elements")
    parts = [x[..., k - 2] * y[..., k - 1] - x[..., k - 1] * y[..., k - 2] for k in range(3)]
    return _xp.moveaxis(_xp.stack(parts, axis=-1), -1, axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices, `offset` columns to the right of the main one: a view."""
    if x.ndim < 2:
        raise ValueError(f"a diagonal of an array of {x.ndim} axes: matrices have two")
    rows, columns = x.shape[-2:]
    first = max(-offset, 0), max(offset, 0)
    n = max(min(rows - first[0], columns - first[1]), 0)
    skipped = sum(f * s for f, s in zip(first, x.strides[-2:])) if n else 0
    return Array(x.context, x.buffer, x.offset + skipped, (*x.shape[:-2], n), (*x.strides[:-2], sum(x.strides[-2:])), x.dtype)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of diagonals."""
    return _xp.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_power(x, n, /):
    """x times itself; of negative n its inverse."""
    x, power = (inv(x) if n < 0 else x), abs(operator.index(n))
    result = _xp.eye(x.shape[-1], dtype=x.dtype, device=x.device).broadcast_to(x.shape).copy() if power == 0 else None
    while power:
        if power % 2:
            result = x.copy() if result is None else matmul(result, x)
        power //= 2
        x = matmul(x, x) if power else x
    return result


def _norm(sizes, axis, keepdims, order):
    """Of absolute values."""
    if order == math.inf:
        return _xp.max(sizes, axis=axis, keepdims=keepdims)
    if order == -math.inf:
        return _xp.min(sizes, axis=axis, keepdims=keepdims)
    if order == 0:
        return _xp.astype(_xp.count_nonzero(sizes, axis=axis, keepdims=keepdims), sizes.dtype)
    if order == 1:
        return _xp.sum(sizes, axis=axis, keepdims=keepdims)
    total = _xp.sum(sizes * sizes if order == 2 else sizes**float(order), axis=axis, keepdims=keepdims)
    return _xp.sqrt(total) if order == 2 else total**(1 / order)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of elements along axes, by default of all: the sum of |x|^ord, to the power 1/ord."""
    return _norm(_xp.abs(x), axis, keepdims, ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """"fro": of all elements; 1, inf, -1, -inf: the largest or least sum of a column or row; 2, -2, "nuc": by singular values."""
    if ord in ("fro", None):
        return _norm(_xp.abs(x), (-2, -1), keepdims, 2)
    if ord in (1, -1, math.inf, -math.inf):
        along, over = (-2, -1) if abs(ord) == 1 else (-1, -2)
        sums = _xp.sum(_xp.abs(x), axis=along, keepdims=True)
        norm = (_xp.max if ord > 0 else _xp.min)(sums, axis=over, keepdims=True)
    elif ord in (2, -2, "nuc"):
        norm = {2: _xp.max, -2: _xp.min, "nuc": _xp.sum}[ord](svdvals(x), axis=-1)[..., None, None]
    else:
        raise ValueError(f"no norm of matrices {ord!r}: 'fro', 'nuc', 1, 2, inf or one of these negated")
    return norm if keepdims else norm[..., 0, 0]


# ---- By NumPy

def cholesky(x, /, *, upper=False):
    """The lower triangular L of x = L L^H, or the upper U of x = U^H U."""
    lower = np.linalg.cholesky(x.numpy())
    return _there(x, np.conjugate(np.swapaxes(lower, -1, -2)) if upper else lower)


def det(x, /):
    return _there(x, np.linalg.det(x.numpy()))


def _complex(values):
    """As the standard has eigenvalues of any matrix, where NumPy has real numbers if all are."""
    return values.astype(np.result_type(values.dtype, np.complex64), copy=False)


def eig(x, /):
    """The eigenvalues of square matrices, complex, and their vectors as columns."""
    return EigResult(*(_there(x, _complex(part)) for part in np.linalg.eig(x.numpy())))


def eigvals(x, /):
    return _there(x, _complex(np.linalg.eigvals(x.numpy())))


def eigh(x, /):
    """The eigenvalues of Hermitian matrices, from the least, and their vectors as columns."""
    return EighResult(*(_there(x, part) for part in np.linalg.eigh(x.numpy())))


def eigvalsh(x, /):
    return _there(x, np.linalg.eigvalsh(x.numpy()))


def inv(x, /):
    return _there(x, np.linalg.inv(x.numpy()))


def _cutoff(x, rtol):
    """Below which parts of the largest singular value others count as 0."""
    return np.asarray(max(x.shape[-2:]) * np.finfo(x.dtype).eps if rtol is None else rtol.numpy() if isinstance(rtol, Array) else rtol)


def matrix_rank(x, /, *, rtol=None):
    values = np.linalg.svd(x.numpy(), compute_uv=False)
    least = values.max(-1, keepdims=True, initial=0) * _cutoff(x, rtol)[..., None]
    return _there(x, np.count_nonzero(values > least, axis=-1))


def pinv(x, /, *, rtol=None):
    """The pseudo-inverse of Moore and Penrose."""
    return _there(x, np.linalg.pinv(x.numpy(), _cutoff(x, rtol)))


def qr(x, /, *, mode="reduced"):
    """x = Q R with columns of Q that are orthonormal, and R that is upper triangular."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode {mode!r} is neither 'reduced' nor 'complete'")
    return QRResult(*(_there(x, part) for part in np.linalg.qr(x.numpy(), mode)))


def slogdet(x, /):
    """Determinants as a sign and the logarithm of the absolute value."""
    return SlogdetResult(*(_there(x, part) for part in np.linalg.slogdet(x.numpy())))


def solve(x1, x2, /):
    """What x1 times it is x2, a vector or columns."""
    right = x2.numpy()
    values = np.linalg.solve(x1.numpy(), right[:, None] if right.ndim == 1 else right)
    return _there(x1, values[..., 0] if right.ndim == 1 else values)


def svd(x, /, *, full_matrices=True):
    """x = U diag(S) Vh, singular values from the largest."""
    return SVDResult(*(_there(x, part) for part in np.linalg.svd(x.numpy(), full_matrices)))


def svdvals(x, /):
    return _there(x, np.linalg.svd(x.numpy(), compute_uv=False))
