#!/usr/bin/env python3
"""bench/several_torchquad.py RESULT.json [--seconds 1]: adds torchquad (PyPI, with NumPy, so one core) to a result of integration-several.

Its rules take a number of points and have no error to stop at. So Boole's rule, Gauss-Legendre, VEGAS and Monte Carlo get points
from 1000 on, doubled until a call takes longer than --seconds; a row has its true error. `tolerance` is the power of ten above it.
"""
import argparse
import json
import math
import time

import loguru
import numpy as np
import torchquad


def families():
    """Integrands of rows x[:, k], as bench/integration_several.c has them; values in closed form."""
    def steps(x):
        inside = (x < (3 + np.arange(1, 7)) / 10).all(1)
        return np.where(inside, np.exp((x * (4 + np.arange(1, 7))).sum(1)), 0)
    return {"f1": (8, lambda x: np.cos((x * np.arange(1, 9)).sum(1)), 3.439557952183252e-05),
            "f2": (6, lambda x: (1 / (1 / 2500 + (x - 0.5) ** 2)).prod(1), 12868879901109.87754),
            "f3": (3, lambda x: (1 + (x * np.arange(1, 4)).sum(1)) ** -4.0, 0.01084656084656084735),
            "f4": (5, lambda x: np.exp(-625 * ((x - 0.5) ** 2).sum(1)), 1.791326036748785955e-06),
            "f5": (5, lambda x: np.exp(-10 * np.abs(x - 0.5).sum(1)), 3.093635889826792521e-04),
            "f6": (6, steps, 154773678.8509120741)}


def rules():
    for name in ("Boole", "GaussLegendre", "VEGAS", "MonteCarlo"):
        yield name, getattr(torchquad, name)


def measure(rule, integrand, n, points):
    more = {"seed": 1} if rule in (torchquad.VEGAS, torchquad.MonteCarlo) else {}
    began = time.perf_counter()
    value = rule().integrate(integrand, dim=n, N=points, integration_domain=[[0.0, 1.0]] * n, backend="numpy", **more)
    return float(value), time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result")
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    loguru.logger.remove()  # three lines a call, which take as long as small ones
    with open(options.result, encoding="utf-8") as file:
        result = json.load(file)
    result["torchquad"] = torchquad.__version__
    result["rows"] = [row for row in result["rows"] if not row["peer"].startswith("torchquad")]
    for family, (n, f, exact) in families().items():
        for name, rule in rules():
            points, seconds = 1000, 0
            while seconds < options.seconds and points < 1 << 27:
                evaluated = [0]

                def counted(x):
                    evaluated[0] += len(x)
                    return f(x)

                try:
                    value, seconds = measure(rule, counted, n, points)
                except (ValueError, MemoryError, AssertionError):  # too few points for the rule in so many variables
                    value, seconds = math.nan, 0
                points *= 2
                off = abs(value - exact) / exact
                if not math.isfinite(off) or seconds > options.seconds:
                    continue
                result["rows"].append({"family": family, "variables": n, "peer": "torchquad " + name, "tolerance": 10.0 ** math.ceil(math.log10(off)) if off else 0.0,
                                       "seconds": seconds, "evaluations": float(evaluated[0]), "relative_error": off, "claimed_error": None, "converged": False})
                print(f"{family} {n}-D, {name:14} {1e3 * seconds:9.3f} ms, {evaluated[0]:10} evaluations, off by {off:.1e}", flush=True)
    with open(options.result, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


main()
