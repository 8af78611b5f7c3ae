from collections.abc import Callable, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike
from typing_extensions import TypedDict, Unpack

_Rolloff = Literal["gaussian", "butterworth", "ideal"]

class _Options(TypedDict, total=False):
    channel_axis: int | None
    alpha: bool | Literal["weigh"]
    edges: Literal["reflect", "wrap", "zero"]
    result: Literal["raw", "clip", "stretch", "magnitude", "auto"]
    white: float
    dtype: Any
    volume: bool
    tiles: float
    linear: bool | float | Literal["srgb"] | None
    out: Any

def band_pass(
    image: Any, low: float, high: float, rolloff: _Rolloff = ..., order: int = ..., **options: Unpack[_Options],
) -> Any: ...
def band_stop(
    image: Any, low: float, high: float, rolloff: _Rolloff = ..., order: int = ..., **options: Unpack[_Options],
) -> Any: ...
def frequency_mask(image: Any, mask: Any, **options: Unpack[_Options]) -> Any: ...
def high_pass(image: Any, radius: float, rolloff: _Rolloff = ..., order: int = ..., **options: Unpack[_Options]) -> Any: ...
def laplacian(image: Any, radius: float, **options: Unpack[_Options]) -> Any: ...
def low_pass(image: Any, radius: float, rolloff: _Rolloff = ..., order: int = ..., **options: Unpack[_Options]) -> Any: ...
def notch(
    image: Any, notches: Sequence[tuple[float, ...]] | ArrayLike, rolloff: _Rolloff = ..., order: int = ...,
    **options: Unpack[_Options],
) -> Any: ...
def sharpen(
    image: Any, radius: float, amount: float = ..., rolloff: _Rolloff = ..., order: int = ..., **options: Unpack[_Options],
) -> Any: ...
def stripes(
    image: Any, angle: float, width: float = ..., radius: float | None = ..., rolloff: _Rolloff = ..., order: int = ...,
    **options: Unpack[_Options],
) -> Any: ...

def wiener(image: Any, noise: float | None = ..., **options: Unpack[_Options]) -> Any: ...
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
def gaussian_gradient_magnitude(
    input: ArrayLike, sigma: float | Sequence[float], output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ..., *,
    axes: int | Sequence[int] | None = ..., **kwargs: Any,
) -> Any: ...
def gaussian_laplace(
    input: ArrayLike, sigma: float | Sequence[float], output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ..., *,
    axes: int | Sequence[int] | None = ..., **kwargs: Any,
) -> Any: ...
def generic_gradient_magnitude(
    input: ArrayLike, derivative: Callable[..., Any], output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ...,
    extra_arguments: tuple[Any, ...] = ..., extra_keywords: dict[str, Any] | None = ..., *, axes: int | Sequence[int] | None = ...,
) -> Any: ...
def generic_laplace(
    input: ArrayLike, derivative2: Callable[..., Any], output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ...,
    extra_arguments: tuple[Any, ...] = ..., extra_keywords: dict[str, Any] | None = ..., *, axes: int | Sequence[int] | None = ...,
) -> Any: ...
def laplace(
    input: ArrayLike, output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ..., *, axes: int | Sequence[int] | None = ...,
) -> Any: ...
def prewitt(input: ArrayLike, axis: int = ..., output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ...) -> Any: ...
def sobel(input: ArrayLike, axis: int = ..., output: Any = ..., mode: str | Sequence[str] = ..., cval: float = ...) -> Any: ...
