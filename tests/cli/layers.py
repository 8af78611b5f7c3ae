#!/usr/bin/env python3
"""layers.py SMALL.npy LARGE.npy: what comes back from the faces, in dB of the largest value without faces. Traces of the same nodes
on a small grid and on one so large that nothing comes back in time."""
import math
import sys

sys.dont_write_bytecode = True

from npy import read  # noqa: E402

small, large = read(sys.argv[1]), read(sys.argv[2])
assert small[:2] == large[:2], (small[:2], large[:2])
size = max(map(abs, large[2]))
assert all(map(math.isfinite, small[2])) and size > 1e-6, size
print(round(20 * math.log10(max(abs(a - b) for a, b in zip(small[2], large[2])) / size)))
