#!/usr/bin/env python3
"""Writes scipy_fixtures.h: small exact results of scipy.signal.convolve and correlate, and of circular convolution.

Run with NumPy and SciPy at hand:  python3 tests/make_scipy_fixtures.py > tests/scipy_fixtures.h
Operands are small integers, so every result is exact in any precision.
"""
import numpy as np
import scipy
from scipy import linalg, signal

LENGTHS = [(1, 1), (5, 1), (1, 5), (4, 4), (7, 3), (3, 7), (7, 4), (4, 7), (8, 3), (3, 8), (6, 2), (2, 6), (0, 3), (3, 0)]
MODES = ["full", "same", "valid"]


def numbers(values):
    values = np.asarray(values, dtype=complex)
    return "{" + ", ".join(f"{int(v.real)}, {int(v.imag)}" for v in values) + "}" if values.size else "{0}"


def entry(name, mode, correlate, is_complex, x, y, z):
    flags = f"{mode}, {str(correlate).lower()}, {str(is_complex).lower()}"
    print(f"    {{\"{name}\", {flags}, {len(x)}, {len(y)}, {len(z)}, {numbers(x)}, {numbers(y)}, {numbers(z)}}},")


def operand(random, n, is_complex):
    values = random.integers(-9, 10, n).astype(complex)
    return values + 1j * random.integers(-9, 10, n) if is_complex else values.real


def result(x, y, mode, correlate):
    if len(x) == 0 or len(y) == 0:  # only fftconvolve takes empty operands
        return signal.fftconvolve(x, np.conj(y[::-1]) if correlate else y, mode)
    call = signal.correlate if correlate else signal.convolve
    z = call(x, y, mode, method="direct")
    assert np.allclose(z, call(x, y, mode, method="fft"))
    return z


def main():
    random = np.random.default_rng(1)
    print(f"// Written by make_scipy_fixtures.py with SciPy {scipy.__version__}, NumPy {np.__version__}. Values are (re, im) pairs.")
    print("// clang-format off")
    for is_complex in (False, True):
        for n, m in LENGTHS:
            for mode in MODES:
                x, y = operand(random, n, is_complex), operand(random, m, is_complex)
                for correlate in (False, True):
                    z = result(x, y, mode, correlate)
                    entry(f"{mode} {n} {m}", f"MST_CONVOLUTION_{mode.upper()}", correlate, is_complex, x, y, z)
        for n in (1, 2, 5, 8):
            x, y = operand(random, n, is_complex), operand(random, n, is_complex)
            entry(f"circular {n}", "MST_CONVOLUTION_CIRCULAR", False, is_complex, x, y, linalg.circulant(x) @ y)
            entry(f"circular {n}", "MST_CONVOLUTION_CIRCULAR", True, is_complex, x, y,
                  linalg.circulant(x) @ np.conj(np.roll(y[::-1], 1)))
    print("// clang-format on")


if __name__ == "__main__":
    main()
