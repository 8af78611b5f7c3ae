#!/usr/bin/env python3
"""bench/elementary.py [--rounds 5] [--type float32] [--json FILE]: functions of arrays of 10^7 numbers, beside numexpr with two threads.

Each is mastaba.evaluate with out=, which is one mst_map_execute on arrays in host memory. Ours and numexpr's by turns, medians, ns a
value. numexpr is to be without VML. Run it with `chrt -r 10` where other work runs: with -f, threads that wait may keep others from running.
"""
import argparse
import json
import platform
import statistics
import time

import numexpr
import numpy as np

import mastaba

N = 10**7
# a function's range, and numexpr's name for it where that differs; None: it has none
FUNCTIONS = {
    "exp": (-20, 20, "exp"), "exp2": (-20, 20, None), "expm1": (-5, 5, "expm1"), "log": (1e-3, 1e3, "log"), "log2": (1e-3, 1e3, "log2"),
    "log10": (1e-3, 1e3, "log10"), "log1p": (-0.9, 10, "log1p"), "sin": (-100, 100, "sin"), "cos": (-100, 100, "cos"),
    "tan": (-100, 100, "tan"), "asin": (-1, 1, "arcsin"), "acos": (-1, 1, "arccos"), "atan": (-10, 10, "arctan"),
    "sinh": (-10, 10, "sinh"), "cosh": (-10, 10, "cosh"), "tanh": (-5, 5, "tanh"), "asinh": (-100, 100, "arcsinh"),
    "acosh": (1, 100, "arccosh"), "atanh": (-0.999, 0.999, "arctanh"), "erf": (-4, 4, None), "erfc": (-4, 6, None),
    "cbrt": (-100, 100, None), "gamma": (0.1, 10, None), "lgamma": (0.1, 10, None),
}
OTHERS = {
    "pow(a, b)": ("a**b", (0.01, 10), (-5, 5)),
    "atan2(a, b)": ("arctan2(a, b)", (-10, 10), (-10, 10)),
    "hypot(a, b)": ("hypot(a, b)", (-10, 10), (-10, 10)),
    "mod(a, b)": ("fmod(a, b)", (-100, 100), (0.1, 10)),
    "sin(a)*exp(-b) + sqrt(b)": ("sin(a)*exp(-b) + sqrt(b)", (-10, 10), (0, 10)),
    "log(a)/pow(b, a)": ("log(a)/b**a", (0.1, 10), (0.1, 10)),
}


def cases():
    for name, (low, high, theirs) in FUNCTIONS.items():
        yield f"{name}(a)", theirs and f"{theirs}(a)", ((low, high),)
    for ours, (theirs, *ranges) in OTHERS.items():
        yield ours, theirs, ranges


def nanoseconds(call):
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) / N * 1e9


def measure(kind, ours, theirs, ranges, rounds):
    random = np.random.default_rng(1)
    arrays = {name: (random.random(N) * (high - low) + low).astype(kind) for name, (low, high) in zip("ab", ranges)}
    out, other = np.empty(N, kind), np.empty(N, kind)
    calls = {"mastaba": lambda: mastaba.evaluate(ours, arrays, out=out)}
    if theirs:
        try:
            numexpr.evaluate(theirs, arrays, out=other)
            calls["numexpr"] = lambda: numexpr.evaluate(theirs, arrays, out=other)
        except (KeyError, NameError, TypeError, ValueError):
            pass
    for call in calls.values():
        call()
    taken = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].append(nanoseconds(call))
    return {"type": kind, "expression": ours, **{name: statistics.median(values) for name, values in taken.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--type", choices=("float32", "float64"), help="one of them; default: both")
    parser.add_argument("--json")
    options = parser.parse_args()
    numexpr.set_num_threads(2)
    results = []
    for kind in (options.type,) if options.type else ("float32", "float64"):
        for ours, theirs, ranges in cases():
            r = measure(kind, ours, theirs, ranges, options.rounds)
            results.append(r)
            ratio = f"{r['numexpr'] / r['mastaba']:8.2f}" if "numexpr" in r else ""
            print(f"{kind} {ours:26} {r['mastaba']:8.2f} {r.get('numexpr', float('nan')):8.2f} {ratio}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump({"machine": platform.processor() or platform.machine(), "numexpr": numexpr.__version__, "vml": numexpr.use_vml,
                       "elements": N, "unit": "ns a value", "results": results}, f, indent=1)
            f.write("\n")


main()
