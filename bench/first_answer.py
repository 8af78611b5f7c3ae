#!/usr/bin/env python3
"""bench/first_answer.py PROGRAM [--rounds 50] [--seed N] [--bench DIR] [--json FILE] [COMMAND...]: what a first answer costs.

Processor and wall seconds of PROGRAM (mastaba) from start to end, for each COMMAND (default: all): `empty`, the first answer with
all caches empty; `other`, sizes or formulas that are random and new while the caches are warm with others, medians of the rounds;
`again`, the last one once more. `scheme` is solve with an update that is new, `sounds` a hundred convolutions of sounds of other
lengths by one impulse response, together. `start` is a warm fft of 4 x 64, by turns with a program that only makes an OpenCL
context and a queue (DIR/bare-opencl).

Beside it, where they are installed, others at the same lengths and formulas: the first answer of a process of theirs, and new ones
in a process that has answered before. FFTW (planning alone: ESTIMATE and MEASURE, a thread), VkFFT (DIR/vkfft-plans: a plan and
its first transform), SciPy and numexpr. DIR: where this build has its benchmarks, `bench` beside PROGRAM. Needs no package.
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
import wave

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


def scheme(at, chance):
    a, b = ("%.4f" % chance.uniform(0.01, 0.2) for _ in range(2))
    update = "u + %s*(u[0,-1] - 2*u + u[0,1]) + %s*(u[-1,0] - 2*u + u[1,0])" % (a, b)
    update += chance.choice(["", " - 0.001*u^3", " - 0.002*u*abs(u)", " + 0.001*sin(u)", " + 0.0003*(u[1,1] - u[-1,-1])"])
    with open(at + "/scheme.yaml", "w") as file:
        file.write("grid: [200, 300]\ntime_step: 1.0\nfields: {u: sin(x/9)*y/300}\n"
                   "boundary: {x: dirichlet 0, y: dirichlet 0}\nupdate:\n  - u: %s\n" % update)
    return ["solve", at + "/scheme.yaml", "--steps", "20", "-o", at + "/out.npy"], update


def sound(at, chance):
    for name, frames in ("x", chance.randrange(22050, 154350)), ("y", 66150):
        with wave.open("%s/%s.wav" % (at, name), "wb") as file:
            file.setparams((1, 2, 44100, frames, "NONE", ""))
            file.writeframes(chance.randbytes(2 * frames))
    return ["convolve", at + "/x.wav", at + "/y.wav", "-o", at + "/out.wav"], str(frames)


def devices(at, chance):
    return ["devices"], ""


def prepare(at, chance):
    return ["prepare"], ""


COMMANDS = {"devices": devices, "fft": fft, "convolve": convolve, "filter": filter_image, "map": map_array,
            "integrate": integrate, "solve": solve, "scheme": scheme, "sounds": sound, "prepare": prepare}
WITHOUT_FILES = ("devices", "integrate", "prepare")
MOST_OF_VKFFT = 16  # seconds each
ROUNDS_OF = {"sounds": 100, "prepare": 3}  # those that --rounds does not say


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
    for _ in range(ROUNDS_OF.get(name, rounds)):
        arguments, case = COMMANDS[name](folder, chance)
        other.append(call(arguments))
        cases.append(case)
    found = {"cases": cases, "empty": empty, "other": median(other), "again": call(arguments)}
    if name == "sounds":
        found["together"] = {key: sum(s[key] for s in other) for key in ("processor", "wall")}
    return found


def starts(program, bare, rounds, chance, folder):
    """A warm fft of 4 x 64 and `devices` beside a program that makes a context and a queue, by turns; ratios pair by pair."""
    cache = folder + "/cache"
    write_npy(folder + "/x.npy", (4, 64), chance)
    calls = {"bare": [bare], "devices": [program, "devices"], "fft": [program, "fft", folder + "/x.npy", "-o", folder + "/o.npy", "-f"]}
    taken = {name: [] for name in calls}
    for k in range(rounds + 1):
        for name in calls if k % 2 else reversed(calls):
            taken[name].append(measure(calls[name], cache, folder))
    found = {name: median(samples[1:]) for name, samples in taken.items()}  # the first ones filled the caches
    for name in "devices", "fft":
        found[name + "_over_bare"] = {
            key: statistics.median(a[key] / b[key] for a, b in zip(taken[name][1:], taken["bare"][1:])) for key in ("processor", "wall")}
    return found


def fftw_plans(lengths):
    name = ctypes.util.find_library("fftw3f") or "libfftw3f.so.3"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return {}
    library.fftwf_plan_dft_1d.restype = library.fftwf_malloc.restype = ctypes.c_void_p
    library.fftwf_plan_dft_1d.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    library.fftwf_malloc.argtypes = [ctypes.c_size_t]
    library.fftwf_free.argtypes = [ctypes.c_void_p]
    found = {}
    for rigour, flags in (("ESTIMATE", 64), ("MEASURE", 0)):
        samples = []
        for n in lengths:
            data, result = (library.fftwf_malloc(8 * n) for _ in range(2))
            start, wall = time.process_time(), time.perf_counter()
            library.fftwf_plan_dft_1d(n, data, result, -1, flags)
            samples.append({"processor": time.process_time() - start, "wall": time.perf_counter() - wall})
            library.fftwf_free(data)
            library.fftwf_free(result)
        found["FFTW " + rigour] = {"other": median(samples)}
    return found


# What each program in Python imports, and one answer: `case` is a length, two of them, or a formula.
PYTHON = {
    "numexpr": ("import numpy, numexpr", "numexpr.evaluate(case, {'x': numpy.ones(9999, 'f')})", "formulas"),
    "scipy.integrate": ("import scipy.integrate; from math import *", "scipy.integrate.quad(eval('lambda x: ' + case), 0, 1)", "formulas"),
    "scipy.fft": ("import numpy, scipy.fft", "scipy.fft.fft(numpy.ones((8, case), 'f'))", "lengths"),
    "scipy.signal": ("import numpy, scipy.signal", "scipy.signal.fftconvolve(*(numpy.ones(n, 'f') for n in case))", "pairs"),
}
EACH = """
import sys, time
%s
for case in %r:
    processor, wall = time.process_time(), time.perf_counter()
    %s
    print(time.process_time() - processor, time.perf_counter() - wall)
"""


def of_process(command, cache):
    """The first answer of a process that gets one case, and all others of one that gets them all; `command` gives it."""
    shutil.rmtree(cache, ignore_errors=True)
    first = measure(command(1), cache)
    done = subprocess.run(command(None), env=dict(os.environ, XDG_CACHE_HOME=cache), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    lines = [dict(zip(("processor", "wall"), map(float, line.split()))) for line in done.stdout.splitlines()]
    return {"empty": first, "other": median(lines[1:])}


def peers(rounds, chance, vkfft, folder):
    lengths = [chance.randrange(100, 20000) for _ in range(rounds + 1)]
    formulas = [formula(chance).replace("^", "**") for _ in range(rounds + 1)]
    pairs = [(chance.randrange(1000, 50000), chance.randrange(100, 1000)) for _ in range(rounds + 1)]
    cases = {"lengths": lengths, "formulas": formulas, "pairs": pairs}
    found = fftw_plans(lengths[1:])
    if os.path.exists(vkfft):
        found["VkFFT"] = of_process(lambda n: [vkfft] + list(map(str, lengths[: n or MOST_OF_VKFFT])), folder + "/cache")
    for name, (imports, answer, kind) in PYTHON.items():
        if subprocess.run([sys.executable, "-c", imports], capture_output=True, check=False).returncode != 0:
            continue
        each = [case.replace("atan(", "arctan(") for case in formulas] if name == "numexpr" else cases[kind]
        found[name] = of_process(lambda n: [sys.executable, "-c", EACH % (imports, each[:n], answer)], folder + "/cache")
    return {"cases": cases} | found


def print_row(name, *cells):
    print("%-16s" % name + "".join("%9.3f %8.3f" % (c["processor"], c["wall"]) if c else " " * 18 for c in cells), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("commands", nargs="*", metavar="COMMAND")
    options.add_argument("--rounds", type=int, default=50)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options.add_argument("--bench", metavar="DIR")
    options.add_argument("--json", metavar="FILE")
    options = options.parse_intermixed_args()
    unknown = set(options.commands) - set(COMMANDS)
    if unknown or options.rounds < 1:
        sys.exit("there is no command %s" % ", ".join(sorted(unknown)) if unknown else "--rounds is at least 1")
    program = os.path.abspath(options.program)
    tools = os.path.abspath(options.bench or os.path.join(os.path.dirname(program), "bench"))
    chance = random.Random(options.seed)
    print("seed %d; processor and wall seconds" % options.seed)
    print("%-16s%18s%18s%18s" % ("", "empty caches", "never seen", "again"))
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.commands or COMMANDS:
            r = results[name] = first_answers(program, name, options.rounds, chance, folder)
            print_row(name, r["empty"], r["other"], r["again"])
            if name == "sounds":
                print_row("  all %d" % len(r["cases"]), None, r["together"])
        start = {}
        if os.path.exists(tools + "/bare-opencl"):
            start = starts(program, tools + "/bare-opencl", options.rounds, chance, folder)
            for name, r in start.items():
                print_row(name.replace("_", " "), None, None, r)
        others = peers(options.rounds, chance, tools + "/vkfft-plans", folder)
    for name, r in others.items():
        if name != "cases":
            print_row(name, r.get("empty"), r["other"])
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"benchmark": "first-answer", "seed": options.seed, "rounds": options.rounds, "date": time.strftime("%F"),
                       "load": os.getloadavg()[1], "commands": results, "start": start, "peers": others}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
