#!/usr/bin/env python3
"""Holds the field around a cylinder against the series of Bessel functions: cylinder.py NAME WALL R INDEX WAVELENGTH DELAY WIDTH DT.

NAME-x.npy and NAME-y.npy are the discrete Fourier transforms of the whole ez on the line along x and the one along y through the
cylinder's axis, which lies in the middle of both: arrays of shape (1, n). The incident wave is exp(-((s - DELAY)/WIDTH)^2)
sin(2 pi (s - DELAY)/WAVELENGTH), s = t - x, samples at a distance of DT. INDEX 0 is a perfect conductor. The WALL outermost nodes are
left out. Prints the largest error in percent of the largest field, inside the cylinder and outside.

The series: C. A. Balanis, Advanced Engineering Electromagnetics, chapter 11 (transverse magnetic, time as exp(i omega t))."""
import cmath
import math
import sys

import npy

ORDERS = 40


def bessel_j(x):
    """J_0(x) .. J_ORDERS(x), by recursion from far above downwards (Miller)."""
    if x == 0:
        return [1.0] + [0.0] * ORDERS
    top = ORDERS + 20 + 2 * int(x)
    values = [0.0] * (top + 2)
    values[top] = 1e-300
    for n in range(top, 0, -1):
        values[n - 1] = 2 * n / x * values[n] - values[n + 1]
        if abs(values[n - 1]) > 1e200:
            values = [v * 1e-200 for v in values]
    total = values[0] + 2 * sum(values[2::2])
    return [v / total for v in values[:ORDERS + 1]]


def bessel_y(x, j):
    """Y_0(x) .. by Neumann's series for Y_0, the Wronskian for Y_1, and upwards."""
    y0 = 2 / math.pi * (math.log(x / 2) + 0.57721566490153286) * j[0]
    y0 -= 4 / math.pi * sum((-1) ** k * j[2 * k] / k for k in range(1, ORDERS // 2))
    values = [y0, (j[1] * y0 - 2 / (math.pi * x)) / j[0]]
    for n in range(1, ORDERS):
        values.append(2 * n / x * values[n] - values[n - 1])
    return values


def derivative(f, x):
    """Of orders 0 .. ORDERS - 1."""
    return [-f[1]] + [(f[n - 1] - f[n + 1]) / 2 for n in range(1, ORDERS)]


def coefficients(x, m):
    """Of the scattered and of the inner waves."""
    j, inner = bessel_j(x), bessel_j(m * x)
    h = [a - 1j * b for a, b in zip(j, bessel_y(x, j))]
    scattered, inside = [], []
    for n, (dj, dh, di) in enumerate(zip(derivative(j, x), derivative(h, x), derivative(inner, m * x))):
        if m == 0:
            scattered.append(-j[n] / h[n])
            inside.append(0)
        else:
            scattered.append((m * di * j[n] - inner[n] * dj) / (inner[n] * dh - m * di * h[n]))
            inside.append((j[n] + scattered[n] * h[n]) / inner[n])
    return scattered, inside


def total(k, radius, m, r, phi, scattered, inside):
    j = bessel_j(m * k * r if r < radius else k * r)
    h = [a - 1j * b for a, b in zip(j, bessel_y(k * r, j))] if r >= radius else []
    orders = [n for n in range(ORDERS) if n < k * radius * max(m, 1) + 14]
    terms = [inside[n] * j[n] if r < radius else j[n] + scattered[n] * h[n] for n in orders]
    return sum((1 if n == 0 else 2) * (-1j) ** n * math.cos(n * phi) * term for n, term in zip(orders, terms))


def compare(prefix, wall, radius, m, wavelength, delay, width, dt):
    """Per line: (distance from the axis, measured, exact) of each node, as phasors of an incident wave of 1 at the axis."""
    k = 2 * math.pi / wavelength
    scattered, inside = coefficients(k * radius, m)
    wave = 0
    for step in range(int((2 * delay) / dt) + 1):
        t = step * dt
        wave += math.exp(-((t - delay) / width) ** 2) * math.sin(k * (t - delay)) * cmath.exp(-1j * k * t) * dt
    lines = {}
    for axis in "xy":
        _, shape, values = npy.read("%s-%s.npy" % (prefix, axis))
        middle = (len(values) - 1) // 2
        at_axis = wave * cmath.exp(-1j * k * middle)
        lines[axis] = []
        for i in range(wall, len(values) - wall):
            d = i - middle
            phi = (0 if d >= 0 else math.pi) if axis == "x" else math.pi / 2
            lines[axis].append((d, values[i] / at_axis, total(k, radius, m, abs(d), phi, scattered, inside)))
    return lines


def largest(lines, radius, is_inside):
    every = [node for line in lines.values() for node in line]
    top = max(abs(exact) for _, _, exact in every)
    return 100 * max(abs(got - exact) for d, got, exact in every if (abs(d) < radius) == is_inside) / top


if __name__ == "__main__":
    numbers = [float(a) for a in sys.argv[3:]]
    found = compare(sys.argv[1], int(sys.argv[2]), *numbers)
    print("%.2f %.2f" % (largest(found, numbers[0], True), largest(found, numbers[0], False)))
