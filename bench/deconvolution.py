"""Seconds an iteration of Richardson-Lucy takes, beside scikit-image and SciPy's transforms: deconvolution.py MASTABA OUT.json.

Every side is measured as it stands: mastaba's by the difference of a long and a short run of the program, so that reading, writing and
making the plan are left out, like edges (what is beyond is 0). Sides take turns; the median counts."""
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.fft
from skimage import restoration

CASES = [((512, 512), 15, 20), ((2048, 2048), 15, 6), ((128, 128, 128), 9, 6)]


def by_program(program, image, psf, n, folder):
    def run(iterations):
        text = subprocess.run([program, "deconvolve", image, psf, "-e", "zero", "-n", str(iterations), "-f", "-o", f"{folder}/o.npy", "--json"],
                              check=True, capture_output=True, text=True).stdout
        return json.loads(text)["compute_seconds"]
    return (run(1 + n) - run(1)) / n


def by_transforms(image, psf, n):
    """The plain composition: real transforms of SciPy's, on two threads, of fast padded lengths."""
    shape = [scipy.fft.next_fast_len(a + b - 1, True) for a, b in zip(image.shape, psf.shape)]
    centred = np.zeros(shape, image.dtype)
    centred[tuple(slice(0, m) for m in psf.shape)] = psf
    centred = np.roll(centred, [-((m - 1) // 2) for m in psf.shape], range(psf.ndim))
    inside = tuple(slice(0, k) for k in image.shape)
    with scipy.fft.set_workers(2):
        transfer = scipy.fft.rfftn(centred)
        x = np.zeros(shape, image.dtype)
        x[inside] = 0.5
        ratio = np.zeros(shape, image.dtype)
        begin = time.perf_counter()
        for _ in range(n):
            model = scipy.fft.irfftn(scipy.fft.rfftn(x) * transfer, shape)
            ratio[inside] = image / model[inside]
            x[inside] *= scipy.fft.irfftn(scipy.fft.rfftn(ratio) * transfer.conj(), shape)[inside]
        return (time.perf_counter() - begin) / n


def by_scikit_image(image, psf, n):
    begin = time.perf_counter()
    restoration.richardson_lucy(image, psf, num_iter=n, clip=False)
    return (time.perf_counter() - begin) / n


def main(program, output):
    results = []
    for shape, side, n in CASES:
        random = np.random.default_rng(1)
        image = (random.random(shape) + 0.1).astype(np.float32)
        psf = np.exp(-sum((k - side // 2) ** 2 for k in np.indices((side,) * len(shape))) / 8.0).astype(np.float32)
        psf /= psf.sum()
        seconds = {"mastaba": [], "scipy.fft": [], "scikit-image": []}
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/i.npy", image)
            np.save(f"{folder}/p.npy", psf)
            for _ in range(3):
                seconds["mastaba"].append(by_program(program, f"{folder}/i.npy", f"{folder}/p.npy", n, folder))
                seconds["scipy.fft"].append(by_transforms(image, psf, n))
                seconds["scikit-image"].append(by_scikit_image(image, psf, max(n // 4, 1)))
        results.append({"shape": shape, "psf": side, **{k: statistics.median(v) for k, v in seconds.items()}})
        print(results[-1], flush=True)
    with open(output, "w") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
