#!/usr/bin/env python3
"""bench/filter_peers.py FILTER-PEERS [N ...] [--rounds 7] [--json FILE]: transform, multiply, transform back, and nothing else.

The whole result of the program filter-peers (Mastaba with its three edges, FFTW on two threads, VkFFT where it was built in) beside
OpenCV's dft on two threads (real, packed, in place where it can) and scipy.fft's rfft2 with two workers, whose spectrum is multiplied
in place: n x n float32 pixels in memory, wrapped edges, the same Gaussian low pass. By turns, a call of the program for each round;
the least of the rounds. Results are held against one computed in float64. Needs OpenCV (opencv-python-headless) and SciPy.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import cv2
import numpy as np
import scipy
import scipy.fft

RADIUS, THREADS, LEAST_SECONDS = 0.1, 2, 0.05


def gaussian(f):
    return np.exp(-((f / RADIUS) ** 2) / 2)


def packed(mask):
    """Of a mask of n x n / 2 + 1 frequencies, what OpenCV's packed spectrum of real numbers (CCS) is multiplied by."""
    n = len(mask)
    out = np.empty((n, n), np.float32)
    for k in range(1, n):
        out[:, k] = mask[:, (k + 1) // 2]  # real and imaginary parts stand beside each other, full columns of frequencies
    ends = [0] if n % 2 else [0, n - 1]
    for column, k in zip(ends, (0, n // 2)):  # whose own columns hold half of them, in the same way
        out[:, column] = mask[(np.arange(n) + 1) // 2, k]
    return out


class Opencv:
    name = "opencv"

    def __init__(self, image):
        n = len(image)
        self.image, self.spectrum, self.result = image, np.empty_like(image), np.empty_like(image)
        self.mask = packed((gaussian(np.fft.fftfreq(n))[:, None] * gaussian(np.fft.rfftfreq(n)) / n / n).astype(np.float32))

    def run(self):
        cv2.dft(self.image, self.spectrum)
        cv2.multiply(self.spectrum, self.mask, self.spectrum)
        cv2.dft(self.spectrum, self.result, cv2.DFT_INVERSE | cv2.DFT_REAL_OUTPUT)
        return self.result


class Scipy:
    name = "scipy"

    def __init__(self, image):
        n = len(image)
        self.image, self.mask = image, (gaussian(np.fft.fftfreq(n))[:, None] * gaussian(np.fft.rfftfreq(n))).astype(np.float32)

    def run(self):
        spectrum = scipy.fft.rfft2(self.image, workers=THREADS)
        spectrum *= self.mask
        return scipy.fft.irfft2(spectrum, s=self.image.shape, workers=THREADS, overwrite_x=True)


def exact(image):
    n = len(image)
    spectrum = np.fft.rfft2(image.astype(float)) * gaussian(np.fft.fftfreq(n))[:, None] * gaussian(np.fft.rfftfreq(n))
    return np.fft.irfft2(spectrum, s=image.shape)


def seconds_of(peer):
    times, spent = 1, 0
    while True:
        began = time.perf_counter()
        for _ in range(times):
            peer.run()
        spent = time.perf_counter() - began
        if spent >= LEAST_SECONDS:
            return spent / times
        times *= 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sides", nargs="*", type=int, default=[256, 512, 1000, 1024, 2048, 4096])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_intermixed_args()
    cv2.setNumThreads(THREADS)
    images = {n: np.random.default_rng(n).random((n, n), np.float32) for n in options.sides}
    peers = {n: [Opencv(image), Scipy(image)] for n, image in images.items()}
    cases, result = {}, None
    for n in options.sides:
        for peer in peers[n]:
            off = float(np.abs(peer.run() - exact(images[n])).max())
            if off > 1e-5:
                raise SystemExit(f"{peer.name} at {n} is off by {off}")
            cases[n, peer.name] = {"n": n, "peer": peer.name, "seconds": float("inf"), "differs_by": off}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            subprocess.run([options.program, *map(str, options.sides), "--json", folder + "/result.json"], check=True, stdout=subprocess.DEVNULL)
            with open(folder + "/result.json", encoding="utf-8") as file:
                result = json.load(file)
            os.remove(folder + "/result.json")
            for case in result["cases"]:
                kept = cases.setdefault((case["n"], case["peer"]), case)
                kept["seconds"] = min(kept["seconds"], case["seconds"])
            for n in options.sides:
                for peer in peers[n]:
                    cases[n, peer.name]["seconds"] = min(cases[n, peer.name]["seconds"], seconds_of(peer))
    for case in cases.values():
        case["bytes_per_second"] = 24 * case["n"] ** 2 / case["seconds"]
    rows = sorted(cases.values(), key=lambda case: case["n"])
    for case in rows:
        ours = cases[case["n"], "mastaba"]["seconds"]
        print(f"{case['n']:6}  {case['peer']:8} {1e3 * case['seconds']:10.4f} ms  {ours / case['seconds']:5.2f} of mastaba")
    if options.json:
        result.update(rounds=options.rounds, load=os.getloadavg(), opencv=cv2.__version__, scipy=scipy.__version__, cases=rows)
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


main()
