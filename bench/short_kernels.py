#!/usr/bin/env python3
"""bench/short_kernels.py [SUITE]: what OpenCV, SciPy and NumPy do of the suite of bench/short-kernels, in host memory.

GB/s of x and z, the median of nine rounds of all images or signals one after the other; OpenCV's filter2D with two threads. Needs
numpy; what of scipy and opencv-python-headless is there takes part. OpenCV correlates, which takes as long.
"""
import sys
import time

import numpy

SUITE = ("1x1000:50,64x16384:5,64x16384:31,64x16384:63,2x2048x2048:3x3,2x2048x2048:5x5,2x2048x2048:7x7,2x2048x2048:9x9,"
         "2x2048x2048:15x15,2x2048x2048:31x31")


def peers(taps):
    found = {}
    if taps.ndim == 1:
        found["numpy"] = lambda x: numpy.convolve(x, taps, "same")
    try:
        import scipy.ndimage
        found["scipy.ndimage"] = lambda x: scipy.ndimage.convolve(x, taps, mode="constant")
    except ImportError:
        pass
    try:
        import cv2
        cv2.setNumThreads(2)
        rows = numpy.atleast_2d(taps)
        found["opencv"] = lambda x: cv2.filter2D(numpy.atleast_2d(x), -1, rows, borderType=cv2.BORDER_CONSTANT)
    except ImportError:
        pass
    return found


def median_seconds(call, arrays):
    seconds = []
    for _ in range(9):
        start = time.perf_counter()
        for x in arrays:
            call(x)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 2]


def main():
    random = numpy.random.default_rng(1)
    for case in (sys.argv[1] if len(sys.argv) > 1 else SUITE).split(","):
        shape, kernel = ([int(n) for n in part.split("x")] for part in case.split(":"))
        arrays, taps = random.random(shape, "f4"), random.random(kernel, "f4")
        line = f"{case:24}"
        for name, call in peers(taps).items():
            if name == "scipy.ndimage" and taps.size > 100:
                continue  # seconds
            line += f"  {name} {2e-9 * arrays.nbytes / median_seconds(call, arrays):.2f}"
        print(line, flush=True)


main()
