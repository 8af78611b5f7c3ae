#!/usr/bin/env python3
"""Transforms a file that is larger than what the device and staging may take: memory maps pass through the device in panels."""
import pathlib
import tempfile

import numpy as np

import mastaba

N = 2**21  # 16 MiB, where 4 MiB of the device and 8 MiB of the host are allowed
TONE = 123456

with tempfile.TemporaryDirectory() as folder:
    signal, spectrum = (np.lib.format.open_memmap(pathlib.Path(folder) / f"{name}.npy", "w+", np.complex64, (N,)) for name in ("x", "z"))
    signal[:] = np.exp(2j * np.pi * TONE * np.arange(N) / N)
    with mastaba.budget(device="4MiB", host="8MiB"):
        mastaba.fft.fft(signal, out=spectrum)
        amplitude = float(np.abs(spectrum[TONE])) / N
        back = mastaba.fft.ifft(spectrum)
    difference = float(np.abs(back - signal).max())
    print(f"the tone has the amplitude {amplitude:.6f}; there and back differs by {difference:.1e}")
    assert abs(amplitude - 1) < 1e-5 and difference < 1e-5
