"""What does not fit the device, beside what people do today: beyond_memory.py BUILD OUT.json [OUT.svg] [--log2 26] [--rounds 3]
[--memory].

BUILD holds mastaba and bench/beyond-memory. Sides take turns; the median counts. Mastaba works under 64 MiB of device and 64 MiB of
host memory, and everything else in as much as it takes, but for transforms between files: the four-step method with numpy.memmap in
panels of 64 MiB, and dask in chunks of as much. FFTW takes part where pyfftw is there; --memory leaves files out. `predicted` is what the plan moves at the rate of the library's own stream, or of plain copies of files."""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time

import dask.array
import numpy as np
import scipy.fft
import scipy.signal

try:
    import pyfftw
except ImportError:
    pyfftw = None

BUDGET = ["--device-memory", "64MiB", "--host-memory", "64MiB"]
TAPS = 4096


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def copy_file(source, target, piece=4 << 20):
    with open(source, "rb") as read, open(target, "wb") as write:
        while block := read.read(piece):
            write.write(block)


def four_step(source, target, panel=64 << 20):
    """A transform of n = n1 n2 points: columns of n1, twiddles, columns of n2 (Bailey 1990)."""
    x = np.load(source, mmap_mode="r")
    n = x.size
    n1 = 1 << (n.bit_length() // 2)
    n2 = n // n1
    y = np.lib.format.open_memmap(target, "w+", x.dtype, (n,))
    store, out = y.reshape(n2, n1), y.reshape(n2, n1)
    width = max(panel // (8 * n1), 1)
    k1 = np.arange(n1)
    for j2 in range(0, n2, width):
        columns = scipy.fft.fft(x.reshape(n1, n2)[:, j2:j2 + width], axis=0)
        columns *= np.exp(-2j * np.pi / n * np.outer(k1, np.arange(j2, min(j2 + width, n2)))).astype(x.dtype)
        store[j2:j2 + width] = columns.T
    width = max(panel // (8 * n2), 1)
    for k in range(0, n1, width):
        out[:, k:k + width] = scipy.fft.fft(store[:, k:k + width], axis=0)
    y.flush()


def dask_plane(source, target, panel=64 << 20):
    """A transform along both axes of a plane, by rows and then by columns, in chunks of 64 MiB."""
    x = np.load(source, mmap_mode="r")
    y = np.lib.format.open_memmap(target, "w+", x.dtype, x.shape)
    rows = max(panel // (8 * x.shape[1]), 1)
    by_rows = dask.array.fft.fft(dask.array.from_array(x, chunks=(rows, x.shape[1])), axis=1)
    by_columns = dask.array.fft.fft(by_rows.rechunk((x.shape[0], rows)), axis=0).astype(x.dtype)
    dask.array.store(by_columns, y, num_workers=2)
    y.flush()


def prime_below(n):
    while any(n % d == 0 for d in range(2, int(n ** 0.5) + 1)):
        n -= 1
    return n


def close(ours, theirs, what):
    ours, theirs = (np.load(path, mmap_mode="r") if isinstance(path, str) else path for path in (ours, theirs))
    some = slice(1, None, max(ours.size // 100000, 1))
    ours, theirs = ours.reshape(-1)[some], theirs.reshape(-1)[some]
    error = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
    assert error < 1e-6, f"{what}: the two transforms differ by {error}"


class Library:
    """One row of bench/beyond-memory, which measures one execution a call."""

    def __init__(self, build, name, log2):
        self.name = name
        self.command = [f"{build}/bench/beyond-memory", *BUDGET, "--points", str(1 << log2), "--signal", str(1 << log2), "--taps", str(TAPS),
                        "--only", name, "--rounds", "1", "--json"]
        self.predicted = None

    def seconds(self, folder):
        path = f"{folder}/row.json"
        subprocess.run([*self.command, path], check=True, stdout=subprocess.DEVNULL)
        with open(path) as file:
            row = json.load(file)["rows"][0]
        self.predicted = row["trips"] * row["trip_seconds"]
        return row["seconds"]


def fftw_of(z):
    """One transform with two threads, and a plan by estimate that is made before."""
    out = pyfftw.empty_aligned(z.shape, z.dtype)
    return pyfftw.FFTW(z, out, threads=2, flags=("FFTW_ESTIMATE", "FFTW_UNALIGNED"))


def cases(build, log2, folder, files):
    random = np.random.default_rng(1)
    n = 1 << log2
    x = random.random(n, np.float32)
    taps = random.random(TAPS, np.float32)
    z = (random.random(n, np.float32) + 1j * random.random(n, np.float32)).astype(np.complex64)
    np.save(f"{folder}/z.npy", z)
    fft, convolution = Library(build, "fft ordinary", log2), Library(build, "convolve ordinary", log2)

    def program(name, *options):
        command = [f"{build}/mastaba", "fft", f"{folder}/{name}.npy", "-f", "-o", f"{folder}/y.npy", *BUDGET, *options]
        return lambda: seconds_of(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))

    def copies(name, *options):
        """As many copies of the file as the plan moves of its bytes to the device."""
        def run():
            command = [f"{build}/mastaba", "fft", f"{folder}/{name}.npy", "--dry-run", "--json", *BUDGET, *options]
            moved = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["upload_bytes"]
            return seconds_of(lambda: [copy_file(f"{folder}/{name}.npy", f"{folder}/copy.npy")
                                       for _ in range(round(moved / os.path.getsize(f"{folder}/{name}.npy")))])
        return run

    with scipy.fft.set_workers(2):
        yield (f"FFT of 2^{log2} complex64 in memory", lambda: fft.seconds(folder), lambda: fft.predicted,
               "scipy.fft, two workers", lambda: seconds_of(lambda: scipy.fft.fft(z)))
        if pyfftw:
            fftw = fftw_of(z)
            yield (f"FFT of 2^{log2} complex64 in memory", lambda: fft.seconds(folder), lambda: fft.predicted,
                   "FFTW, two threads, an estimated plan", lambda: seconds_of(fftw))
            del fftw
        yield (f"2^{log2} float32 by {TAPS} in memory", lambda: convolution.seconds(folder), lambda: convolution.predicted,
               "scipy.signal.oaconvolve, two workers", lambda: seconds_of(lambda: scipy.signal.oaconvolve(x, taps)))
        del x
        if not files:
            return
        yield (f"FFT of 2^{log2} complex64 from file to file", program("z"), copies("z"),
               "numpy.memmap and scipy.fft in panels, two workers", lambda: seconds_of(lambda: four_step(f"{folder}/z.npy", f"{folder}/w.npy")))
        close(f"{folder}/y.npy", f"{folder}/w.npy", "file")
        np.save(f"{folder}/plane.npy", z.reshape(1 << log2 // 2, -1))
        yield (f"FFT of a plane of 2^{log2} from file to file", program("plane", "--axes", "0,1"), copies("plane", "--axes", "0,1"),
               "dask.array in chunks of 64 MiB, two workers", lambda: seconds_of(lambda: dask_plane(f"{folder}/plane.npy", f"{folder}/w.npy")))
        close(f"{folder}/y.npy", f"{folder}/w.npy", "plane")
        odd = z[:prime_below(n)]
        np.save(f"{folder}/odd.npy", odd)
        yield (f"FFT of {odd.size}, a prime, file to file", program("odd"), copies("odd"),
               "scipy.fft in memory, two workers", lambda: seconds_of(lambda: scipy.fft.fft(odd)))
        close(f"{folder}/y.npy", scipy.fft.fft(odd), "prime")


def draw(rows, path):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 4.4))
    for shift, key, colour in ((0.27, "seconds", "#1f77b4"), (0, "peer_seconds", "#999999"), (-0.27, "predicted", "#d0e2f2")):
        axes.barh([k + shift for k in range(len(rows))], [row[key] for row in rows], 0.25, color=colour,
                  label={"seconds": "Mastaba, 64 MiB", "peer_seconds": "SciPy, NumPy, dask", "predicted": "predicted"}[key])
    axes.set_yticks(range(len(rows)), [row["what"] for row in rows])
    axes.set_xlabel("seconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("json")
    parser.add_argument("svg", nargs="?")
    parser.add_argument("--log2", type=int, default=26)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    a = parser.parse_args()
    rows = []
    print(f"{'what':45} {'s':>8} {'predicted':>9} {'peer, s':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for what, ours, predicted, peer, theirs in cases(os.path.abspath(a.build), a.log2, folder, not a.memory):
            times = [(ours(), theirs(), predicted()) for _ in range(a.rounds)]
            row = {"what": what, "peer": peer, "ratio": statistics.median(t[1] / t[0] for t in times),
                   **{key: statistics.median(t[k] for t in times) for k, key in enumerate(("seconds", "peer_seconds", "predicted"))}}
            rows.append(row)
            print(f"{what:45} {row['seconds']:8.3f} {row['predicted']:9.3f} {row['peer_seconds']:8.3f} {row['ratio']:6.2f}", flush=True)
    with open(a.json, "w") as file:
        json.dump({"benchmark": "beyond_memory.py", "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                   "rounds": a.rounds, "numpy": np.__version__, "scipy": scipy.__version__, "dask": dask.__version__, "rows": rows}, file, indent=1)
    if a.svg:
        draw(rows, a.svg)


if __name__ == "__main__":
    main()
