#!/usr/bin/env python3
"""Integrals of Python functions: with honest errors, ten thousand at once, over the plane, and with a singularity at the end."""
import numpy as np

import mastaba

value, error = mastaba.integrate.quad(lambda x: np.sin(x) / x, 0, 10, points=[np.pi])
print(f"Si(10) = {value:.12f} within {error:.0e}")
assert abs(value - 1.658347594218874) <= max(error, 1e-14)

a = np.linspace(0.5, 5, 10000)
values, error = mastaba.integrate.quad_vec(lambda x: np.exp(-a * x**2), -np.inf, np.inf)
print(f"{a.size} Gaussians, the largest error {np.abs(values - np.sqrt(np.pi / a)).max():.1e}")
assert np.allclose(values, np.sqrt(np.pi / a), rtol=1e-8)

area, error = mastaba.integrate.dblquad(lambda y, x: 1.0, -1, 1, lambda x: -np.sqrt(1 - x**2), lambda x: np.sqrt(1 - x**2))
print(f"a disc of radius 1: {area:.10f} within {error:.0e}")
assert abs(area - np.pi) <= max(error, 1e-8)

singular = mastaba.integrate.tanhsinh(lambda x: np.log(x) / np.sqrt(x), 0, 1)
print(f"log(x) / sqrt(x) from 0 to 1: {singular.integral:.12f}")
assert abs(singular.integral + 4) < 1e-8
