from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

def convolve(
    input: ArrayLike, weights: ArrayLike, output: np.ndarray | DTypeLike | None = ..., mode: str | Sequence[str] = ...,
    cval: float = ..., origin: int | Sequence[int] = ..., *, axes: int | Sequence[int] | None = ...,
) -> np.ndarray: ...
def convolve1d(
    input: ArrayLike, weights: ArrayLike, axis: int = ..., output: np.ndarray | DTypeLike | None = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> np.ndarray: ...
def correlate(
    input: ArrayLike, weights: ArrayLike, output: np.ndarray | DTypeLike | None = ..., mode: str | Sequence[str] = ...,
    cval: float = ..., origin: int | Sequence[int] = ..., *, axes: int | Sequence[int] | None = ...,
) -> np.ndarray: ...
def correlate1d(
    input: ArrayLike, weights: ArrayLike, axis: int = ..., output: np.ndarray | DTypeLike | None = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> np.ndarray: ...
def fourier_ellipsoid(
    input: ArrayLike, size: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: np.ndarray | DTypeLike | None = ...,
) -> np.ndarray: ...
def fourier_gaussian(
    input: ArrayLike, sigma: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: np.ndarray | DTypeLike | None = ...,
) -> np.ndarray: ...
def fourier_shift(
    input: ArrayLike, shift: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: np.ndarray | DTypeLike | None = ...,
) -> np.ndarray: ...
def fourier_uniform(
    input: ArrayLike, size: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: np.ndarray | DTypeLike | None = ...,
) -> np.ndarray: ...
def gaussian_filter(
    input: ArrayLike, sigma: float | Sequence[float], order: int | Sequence[int] = ...,
    output: np.ndarray | DTypeLike | None = ..., mode: str | Sequence[str] = ..., cval: float = ..., truncate: float = ..., *,
    radius: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
) -> np.ndarray: ...
def gaussian_filter1d(
    input: ArrayLike, sigma: float | Sequence[float], axis: int = ..., order: int | Sequence[int] = ...,
    output: np.ndarray | DTypeLike | None = ..., mode: str | Sequence[str] = ..., cval: float = ..., truncate: float = ..., *,
    radius: int | Sequence[int] | None = ...,
) -> np.ndarray: ...
def uniform_filter(
    input: ArrayLike, size: float | Sequence[float] = ..., output: np.ndarray | DTypeLike | None = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ..., *,
    axes: int | Sequence[int] | None = ...,
) -> np.ndarray: ...
def uniform_filter1d(
    input: ArrayLike, size: float | Sequence[float], axis: int = ..., output: np.ndarray | DTypeLike | None = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> np.ndarray: ...
