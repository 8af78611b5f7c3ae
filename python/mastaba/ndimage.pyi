from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

def convolve(
    input: ArrayLike, weights: ArrayLike, output: Any = ..., mode: str | Sequence[str] = ...,
    cval: float = ..., origin: int | Sequence[int] = ..., *, axes: int | Sequence[int] | None = ...,
) -> Any: ...
def convolve1d(
    input: ArrayLike, weights: ArrayLike, axis: int = ..., output: Any = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> Any: ...
def correlate(
    input: ArrayLike, weights: ArrayLike, output: Any = ..., mode: str | Sequence[str] = ...,
    cval: float = ..., origin: int | Sequence[int] = ..., *, axes: int | Sequence[int] | None = ...,
) -> Any: ...
def correlate1d(
    input: ArrayLike, weights: ArrayLike, axis: int = ..., output: Any = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> Any: ...
def fourier_ellipsoid(
    input: ArrayLike, size: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: Any = ...,
) -> Any: ...
def fourier_gaussian(
    input: ArrayLike, sigma: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: Any = ...,
) -> Any: ...
def fourier_shift(
    input: ArrayLike, shift: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: Any = ...,
) -> Any: ...
def fourier_uniform(
    input: ArrayLike, size: float | Sequence[float], n: int | None = ..., axis: int = ...,
    output: Any = ...,
) -> Any: ...
def gaussian_filter(
    input: ArrayLike, sigma: float | Sequence[float], order: int | Sequence[int] = ...,
    output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ..., truncate: float = ..., *,
    radius: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
) -> Any: ...
def gaussian_filter1d(
    input: ArrayLike, sigma: float | Sequence[float], axis: int = ..., order: int | Sequence[int] = ...,
    output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ..., truncate: float = ..., *,
    radius: int | Sequence[int] | None = ...,
) -> Any: ...
def uniform_filter(
    input: ArrayLike, size: float | Sequence[float] = ..., output: Any = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ..., *,
    axes: int | Sequence[int] | None = ...,
) -> Any: ...
def uniform_filter1d(
    input: ArrayLike, size: float | Sequence[float], axis: int = ..., output: Any = ...,
    mode: str | Sequence[str] = ..., cval: float = ..., origin: int | Sequence[int] = ...,
) -> Any: ...
