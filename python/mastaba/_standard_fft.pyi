from numpy.typing import DTypeLike

from . import Array
from .fft import (
    fft as fft, fftn as fftn, fftshift as fftshift, hfft as hfft, ifft as ifft, ifftn as ifftn, ifftshift as ifftshift, ihfft as ihfft,
    irfft as irfft, irfftn as irfftn, rfft as rfft, rfftn as rfftn,
)

def fftfreq(n: int, /, *, d: float = ..., dtype: DTypeLike = ..., device: str | None = ...) -> Array: ...
def rfftfreq(n: int, /, *, d: float = ..., dtype: DTypeLike = ..., device: str | None = ...) -> Array: ...
