#!/usr/bin/env python3
"""bench/photographs.py PROGRAM [--photographs 100] [--rounds 3] [--json FILE]: photographs from file to file.

Milliseconds and processor milliseconds a photograph (JPEG of 640 x 480, colour, --low-pass 40, edges wrapped, to JPEG) of PROGRAM (mastaba) in one call; of
OpenCV's dft and of scipy.fft, two processes that read and write by OpenCV; of scipy.fft with two workers in one process; and of
ImageMagick's -fft, two processes of a photograph each, a fifth of the photographs. By turns; medians of the rounds. The photographs
are random, smooth ones. Results are held against OpenCV's. Needs OpenCV (opencv-python-headless), SciPy, and ImageMagick's `convert` of
the system, left out where it is missing.
"""
import argparse
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

import cv2
import numpy as np
import scipy
import scipy.fft

HEIGHT, WIDTH, RADIUS, QUALITY = 480, 640, 40, 92
CONVERT = "/usr/bin/convert"


def make(folder, count):
    chance = np.random.default_rng(1)
    for i in range(count):
        image = cv2.GaussianBlur(chance.random((HEIGHT, WIDTH, 3), np.float32), (0, 0), 3)
        image = (image - image.min()) / (image.max() - image.min()) * 255
        cv2.imwrite(f"{folder}/{i:04d}.jpg", image.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def mask(height, width, half):
    y = np.fft.fftfreq(height)[:, None]
    x = np.fft.rfftfreq(width) if half else np.fft.fftfreq(width)
    return np.exp(-(x * x + y * y) / (2 * (RADIUS / HEIGHT) ** 2)).astype(np.float32)


def finish(path, planes):
    cv2.imwrite(path, np.clip(np.rint(planes), 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


FULL, HALF = mask(HEIGHT, WIDTH, False), mask(HEIGHT, WIDTH, True)
PACKED = np.repeat(FULL[:, :, None], 2, 2)


def by_opencv(paths):
    image = cv2.imread(paths[0]).astype(np.float32)
    for c in range(3):
        spectrum = cv2.dft(image[:, :, c], flags=cv2.DFT_COMPLEX_OUTPUT) * PACKED
        image[:, :, c] = cv2.dft(spectrum, flags=cv2.DFT_INVERSE | cv2.DFT_REAL_OUTPUT | cv2.DFT_SCALE)
    finish(paths[1], image)


def by_scipy(paths, workers=1):
    planes = np.moveaxis(cv2.imread(paths[0]), 2, 0).astype(np.float32)
    spectrum = scipy.fft.rfft2(planes, workers=workers) * HALF
    finish(paths[1], np.moveaxis(scipy.fft.irfft2(spectrum, s=(HEIGHT, WIDTH), workers=workers), 0, 2))


def by_imagemagick(paths):  # it transforms squares
    subprocess.run([CONVERT, paths[0], "-fft", "(", "-clone", "0", os.path.dirname(os.path.dirname(paths[1])) + "/mask.png", "-compose", "multiply", "-composite", ")",
                    "-swap", "0", "+delete", "-ift", "-crop", f"{WIDTH}x{HEIGHT}+0+0", "+repage", "-quality", str(QUALITY), paths[1]],
                   check=True, env={**os.environ, "OMP_NUM_THREADS": "1", "MAGICK_THREAD_LIMIT": "1"})


def processor_seconds():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def spent(job):  # by a worker
    function, paths = job
    began = processor_seconds()
    function(paths)
    return processor_seconds() - began


def begin_worker():
    cv2.setNumThreads(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--photographs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(2, begin_worker) as pool:
        os.mkdir(folder + "/in")
        make(folder + "/in", options.photographs)
        names = sorted(os.listdir(folder + "/in"))
        side = max(HEIGHT, WIDTH)
        centred = np.fft.fftshift(np.exp(-(np.fft.fftfreq(side)[:, None] ** 2 + np.fft.fftfreq(side) ** 2) / (2 * (RADIUS / HEIGHT) ** 2)))
        cv2.imwrite(folder + "/mask.png", np.rint(centred * 65535).astype(np.uint16))

        def pairs(way, share=1):
            return [(f"{folder}/in/{n}", f"{folder}/{way}/{n}") for n in names[::share]]

        def by_program(way):
            subprocess.run([options.program, "filter", *(p for p, _ in pairs(way)), "--low-pass", str(RADIUS), "--edges", "wrap", "--quality",
                            str(QUALITY), "-f", "-o", f"{folder}/{way}/"], check=True, stdout=subprocess.DEVNULL)
            return len(names), 0

        def in_two(function, share=1):
            def run(way):
                each = pool.map(spent, [(function, p) for p in pairs(way, share)], 4)
                return len(each), sum(each)
            return run

        def with_workers(way):
            for p in pairs(way):
                by_scipy(p, 2)
            return len(names), 0

        ways = {"mastaba, one call": by_program, "OpenCV dft, two processes": in_two(by_opencv), "scipy.fft, two processes": in_two(by_scipy),
                "scipy.fft, two workers": with_workers}
        if shutil.which(CONVERT):
            ways["ImageMagick -fft, two processes"] = in_two(by_imagemagick, 5)
        seconds, processor = {way: [] for way in ways}, {way: [] for way in ways}
        for way in ways:
            os.mkdir(f"{folder}/{way}")
        for turn in range(options.rounds + 1):  # the first warms up
            for way, run in ways.items():
                began, used = time.perf_counter(), processor_seconds()
                count, of_workers = run(way)
                if turn:
                    seconds[way].append((time.perf_counter() - began) / count)
                    processor[way].append((processor_seconds() - used + of_workers) / count)
        rows = []
        for way in ways:
            off = [np.abs(cv2.imread(f"{folder}/{way}/{n}").astype(int) - cv2.imread(f"{folder}/OpenCV dft, two processes/{n}")).mean()
                   for n in sorted(os.listdir(f"{folder}/{way}"))]
            rows.append({"way": way, "milliseconds": 1e3 * statistics.median(seconds[way]),
                         "processor_milliseconds": 1e3 * statistics.median(processor[way]),
                         "all_milliseconds": [1e3 * s for s in seconds[way]], "mean_levels_off_opencv": float(statistics.mean(off))})
            print(f"{way:32} {rows[-1]['milliseconds']:8.2f} ms a photograph, {rows[-1]['processor_milliseconds']:8.2f} of a processor, "
                  f"{statistics.mean(off):.2f} levels from OpenCV's in the mean")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"benchmark": "photographs", "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "load": os.getloadavg(),
                       "opencv": cv2.__version__, "scipy": scipy.__version__, "photographs": options.photographs, "rounds": options.rounds,
                       "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
