from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

class IntegrationWarning(UserWarning): ...

class Result:
    def __getattr__(self, name: str) -> Any: ...

def cubature(
    f: str | Callable[..., Any], a: Any, b: Any, *, rule: str = ..., rtol: float | None = ..., atol: float | None = ...,
    max_subdivisions: Any = ..., args: Any = ..., workers: Any = ..., points: Any = ...,
) -> Result: ...
def dblquad(
    func: str | Callable[..., Any], a: Any, b: Any, gfun: Any, hfun: Any, args: Any = ..., epsabs: float = ...,
    epsrel: float = ...,
) -> tuple[float, float]: ...
def many(
    integrand: str | Sequence[str] | Callable[..., Any], ranges: Mapping[str, Sequence[Any]], parameters: Mapping[str, ArrayLike] | None = ..., *,
    rule: str = ..., points: int = ..., epsabs: float = ..., epsrel: float = ..., limit: int = ..., breakpoints: Sequence[Any] | Mapping[str, Sequence[Any]] = ...,
    dtype: DTypeLike = ...,
) -> Result: ...
def nquad(
    func: str | Callable[..., Any], ranges: Sequence[Any], args: Any = ..., opts: Any = ..., full_output: bool | int = ...,
) -> Any: ...
def quad(
    func: str | Callable[..., Any], a: Any, b: Any, args: Any = ..., full_output: bool | int = ..., epsabs: float = ...,
    epsrel: float = ..., limit: int = ..., points: Any = ..., weight: str | None = ..., wvar: Any = ..., wopts: Any = ...,
    maxp1: Any = ..., limlst: Any = ..., complex_func: bool = ...,
) -> Any: ...
def quad_vec(
    f: str | Callable[..., Any], a: Any, b: Any, epsabs: float = ..., epsrel: float = ..., norm: str | None = ...,
    cache_size: Any = ..., limit: int = ..., workers: Any = ..., points: Any = ..., quadrature: Any = ...,
    full_output: bool | int = ..., *, args: Any = ...,
) -> Any: ...
def tanhsinh(
    f: str | Callable[..., Any], a: Any, b: Any, *, args: Any = ..., kwargs: dict[str, Any] | None = ..., log: bool = ..., maxlevel: Any = ..., minlevel: Any = ...,
    atol: float | None = ..., rtol: float | None = ..., preserve_shape: bool = ..., callback: Callable[..., Any] | None = ...,
) -> Result: ...
def tplquad(
    func: str | Callable[..., Any], a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = ...,
    epsabs: float = ..., epsrel: float = ...,
) -> tuple[float, float]: ...
