"""The array API standard's extension fft, `mastaba.xp.fft`: transforms of mastaba.fft, and frequencies as arrays on the device."""
import numpy as np

from . import xp as _xp
from .fft import fft, fftn, fftshift, hfft, ifft, ifftn, ifftshift, ihfft, irfft, irfftn, rfft, rfftn  # noqa: F401


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of fft's results for n samples that are d apart."""
    return _xp.asarray(np.fft.fftfreq(n, d), dtype=dtype, device=device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The same of rfft's."""
    return _xp.asarray(np.fft.rfftfreq(n, d), dtype=dtype, device=device)
