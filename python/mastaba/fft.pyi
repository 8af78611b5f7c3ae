from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from numpy.typing import ArrayLike

from numpy.fft import fftshift as fftshift, ifftshift as ifftshift

def dct(
    x: ArrayLike, type: int = ..., n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ...,
    workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def dctn(
    x: ArrayLike, type: int = ..., s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
    norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def dst(
    x: ArrayLike, type: int = ..., n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ...,
    workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def dstn(
    x: ArrayLike, type: int = ..., s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
    norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def fft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def fft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def fftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def hfft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def hfft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def hfftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def idct(
    x: ArrayLike, type: int = ..., n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ...,
    workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def idctn(
    x: ArrayLike, type: int = ..., s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
    norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def idst(
    x: ArrayLike, type: int = ..., n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ...,
    workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def idstn(
    x: ArrayLike, type: int = ..., s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ...,
    norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., orthogonalize: bool | None = ..., *, out: Any = ...,
) -> Any: ...
def ifft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def ifft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def ifftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def ifht(A: ArrayLike, dln: float, mu: float, offset: float = ..., bias: float = ..., *, out: Any = ...) -> Any: ...
def ihfft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def ihfft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def ihfftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def irfft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def irfft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def irfftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def next_fast_len(target: int, real: bool = ...) -> int: ...
def prev_fast_len(target: int, real: bool = ...) -> int: ...
def rfft(
    x: ArrayLike, n: int | None = ..., axis: int = ..., norm: str | None = ..., overwrite_x: bool = ..., workers: Any = ..., *,
    plan: None = ..., out: Any = ...,
) -> Any: ...
def rfft2(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def rfftn(
    x: ArrayLike, s: int | Sequence[int] | None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...,
    overwrite_x: bool = ..., workers: Any = ..., *, plan: None = ..., out: Any = ...,
) -> Any: ...
def fht(a: ArrayLike, dln: float, mu: float, offset: float = ..., bias: float = ..., *, out: Any = ...) -> Any: ...
def fhtoffset(dln: float, mu: float, initial: float = ..., bias: float = ...) -> float: ...
def get_workers() -> int: ...
def set_cache(n: int) -> None: ...
def set_workers(workers: int) -> AbstractContextManager[None]: ...
def fftfreq(n: int, d: float = ..., *, xp: Any = ..., device: Any = ...) -> Any: ...
def rfftfreq(n: int, d: float = ..., *, xp: Any = ..., device: Any = ...) -> Any: ...
