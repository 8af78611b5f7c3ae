import numpy as np
from numpy.typing import ArrayLike

def richardson_lucy(
    image: ArrayLike, psf: ArrayLike, num_iter: int = ..., clip: bool = ..., filter_epsilon: float | None = ..., *,
    edges: str = ..., accelerate: bool = ..., total_variation: float = ..., tolerance: float = ..., background: float = ...,
    weights: ArrayLike | None = ..., seam: float = ...,
) -> np.ndarray: ...
def wiener(
    image: ArrayLike, psf: ArrayLike, balance: float, reg: None = ..., is_real: bool = ..., clip: bool = ...,
) -> np.ndarray: ...
