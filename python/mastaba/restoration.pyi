from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

def born_wolf_psf(
    shape: Sequence[int], *, aperture: float, wavelength: float, pixel: float, step: float | None = ..., index: float = ...,
) -> np.ndarray: ...
def gaussian_psf(shape: int | Sequence[int], sigma: float | Sequence[float]) -> np.ndarray: ...
def richardson_lucy(
    image: Any, psf: Any, num_iter: int = ..., clip: bool = ..., filter_epsilon: float | None = ..., *,
    edges: str = ..., accelerate: bool = ..., total_variation: float = ..., tolerance: float = ..., background: float = ...,
    weights: ArrayLike | None = ..., seam: float = ..., exact: bool = ..., start: ArrayLike | None = ...,
    watch: Callable[[int, int, float, float], Any] | None = ..., out: Any = ...,
) -> Any: ...
def tikhonov(
    image: Any, psf: Any, balance: float, order: int = ..., clip: bool = ..., *, edges: str = ..., out: Any = ...,
) -> Any: ...
def wiener(
    image: Any, psf: Any, balance: float, reg: None = ..., is_real: bool = ..., clip: bool = ..., *, out: Any = ...,
) -> Any: ...
