#!/usr/bin/env python3
"""bench/first_answer.py PROGRAM [--rounds 5] [--seed N] [--json FILE] [COMMAND...]: what a first answer costs.

Processor and wall seconds of PROGRAM (mastaba) from start to end, for each COMMAND (default: all): `empty`, the first answer with
all caches empty; `other`, sizes or formulas that are random and new while the caches are warm with others, medians of the rounds;
`again`, the last one once more. `bare` is `mastaba devices`. Beside it, where they are installed: FFTW's planning of the same
lengths (a thread; ESTIMATE and MEASURE), and SciPy's and numexpr's first answers in a Python that has just started. Needs no package.
"""
import argparse
import array
import ctypes
import ctypes.util
import json
import math
import os
import random
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def write_npy(path, shape, chance):
    count = math.prod(shape)
    values = array.array("f", (chance.uniform(-0.5, 0.5) for _ in range(count)))
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % ", ".join(map(str, shape))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes())


def write_image(path, width, height, chance):
    with open(path, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (width, height) + chance.randbytes(width * height))


def formula(chance):
    a, b, c = (chance.randrange(2, 99) / 10 for _ in range(3))
    term = chance.choice(["sin(%g * x)", "exp(-%g * x^2)", "1 / (%g + x^2)", "sqrt(%g + x^2)"]) % a
    return "%s * %s + %g * x" % (term, chance.choice(["cos(%g * x)", "atan(%g * x)", "tanh(%g * x)"]) % b, c)


# Each gives the arguments of one call in the folder `at`, with random sizes.
def fft(at, chance):
    n = chance.randrange(100, 20000)
    write_npy(at + "/x.npy", (8, n), chance)
    return ["fft", at + "/x.npy", "-o", at + "/out.npy"], "8 x %d" % n


def convolve(at, chance):
    n, m = chance.randrange(1000, 50000), chance.randrange(100, 1000)
    write_npy(at + "/x.npy", (n,), chance)
    write_npy(at + "/y.npy", (m,), chance)
    return ["convolve", at + "/x.npy", at + "/y.npy", "-o", at + "/out.npy"], "%d by %d" % (n, m)


def filter_image(at, chance):
    width, height = chance.randrange(50, 800), chance.randrange(50, 600)
    write_image(at + "/x.pgm", width, height, chance)
    radius = "%g" % chance.uniform(0.05, 0.3)
    return ["filter", at + "/x.pgm", "--low-pass", radius, "-o", at + "/out.pgm"], "%d x %d" % (width, height)


def map_array(at, chance):
    n, text = chance.randrange(1000, 50000), formula(chance)
    write_npy(at + "/x.npy", (n,), chance)
    return ["map", text, "x=" + at + "/x.npy", "-o", at + "/out.npy"], "%s, %d" % (text, n)


def integrate(at, chance):
    text = formula(chance)
    return ["integrate", text, "--from", "0", "--to", "%g" % chance.uniform(0.5, 5)], text


def solve(at, chance):
    grid = "%dx%d" % (chance.randrange(64, 400), chance.randrange(64, 400))
    return ["solve", EXAMPLES + "/heat2d.yaml", "--grid", grid, "--steps", "20", "-o", at + "/out.npy"], grid


def bare(at, chance):
    return ["devices"], ""


def prepare(at, chance):
    return ["prepare"], ""


COMMANDS = {"bare": bare, "fft": fft, "convolve": convolve, "filter": filter_image, "map": map_array,
            "integrate": integrate, "solve": solve, "prepare": prepare}
WITHOUT_FILES = ("bare", "integrate", "prepare")


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command, cache=None, folder=None):
    environment = dict(os.environ, **({"XDG_CACHE_HOME": cache} if cache else {}))
    processor, wall = children(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    wall = time.perf_counter() - wall
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command), done.stderr.decode().strip()))
    return {"processor": children() - processor, "wall": wall}


def median(samples):
    return {key: statistics.median(s[key] for s in samples) for key in samples[0]} | {"samples": samples}


def first_answers(program, name, rounds, chance, folder):
    cache = folder + "/cache"
    shutil.rmtree(cache, ignore_errors=True)

    def call(arguments):
        return measure([program] + arguments + ([] if name in WITHOUT_FILES else ["--force"]), cache, folder)

    empty = call(COMMANDS[name](folder, chance)[0])
    other, cases = [], []
    for _ in range(rounds):
        arguments, case = COMMANDS[name](folder, chance)
        other.append(call(arguments))
        cases.append(case)
    return {"cases": cases, "empty": empty, "other": median(other), "again": call(arguments)}


def fftw_plans(lengths):
    name = ctypes.util.find_library("fftw3f") or "libfftw3f.so.3"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return {}
    library.fftwf_plan_dft_1d.restype = library.fftwf_malloc.restype = ctypes.c_void_p
    library.fftwf_malloc.argtypes = [ctypes.c_size_t]
    library.fftwf_plan_dft_1d.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    found = {}
    for rigour, flags in (("estimate", 64), ("measure", 0)):
        samples = []
        for n in lengths:
            data, result = (library.fftwf_malloc(8 * n) for _ in range(2))
            start, wall = time.process_time(), time.perf_counter()
            library.fftwf_plan_dft_1d(n, data, result, -1, flags)
            samples.append({"processor": time.process_time() - start, "wall": time.perf_counter() - wall})
        found["fftw " + rigour] = median(samples)
    return found


def peers(rounds, chance):
    found = fftw_plans([chance.randrange(100, 20000) for _ in range(rounds)])
    programs = {"numexpr": "import numpy, numexpr; x = numpy.ones(9999, 'f'); numexpr.evaluate('sin(x) * exp(-x**2)')",
                "scipy.integrate": "import math, scipy.integrate; scipy.integrate.quad(lambda x: math.sin(x * x), 0, 1)",
                "scipy.fft": "import numpy, scipy.fft; scipy.fft.fft(numpy.ones((8, 1009), 'F'))",
                "scipy.signal": "import numpy, scipy.signal; scipy.signal.fftconvolve(numpy.ones(9999), numpy.ones(701))"}
    for name, text in programs.items():
        there = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False).returncode == 0
        if there:
            found[name] = median([measure([sys.executable, "-c", text]) for _ in range(rounds)])
    return found


def print_row(name, *cells):
    print("%-16s" % name + "".join("%9.3f %8.3f" % (c["processor"], c["wall"]) if c else "" for c in cells), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("commands", nargs="*", metavar="COMMAND")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options.add_argument("--json", metavar="FILE")
    options = options.parse_intermixed_args()
    unknown = set(options.commands) - set(COMMANDS)
    if unknown or options.rounds < 1:
        sys.exit("there is no command %s" % ", ".join(sorted(unknown)) if unknown else "--rounds is at least 1")
    chance = random.Random(options.seed)
    print("seed %d; processor and wall seconds" % options.seed)
    print("%-16s%18s%17s%17s" % ("", "empty caches", "another size", "again"))
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.commands or COMMANDS:
            r = results[name] = first_answers(os.path.abspath(options.program), name, options.rounds, chance, folder)
            print_row(name, r["empty"], r["other"], r["again"])
    others = peers(options.rounds, chance)
    for name, r in others.items():
        print_row(name, r)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"seed": options.seed, "rounds": options.rounds, "date": time.strftime("%F"), "commands": results,
                       "peers": others}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
