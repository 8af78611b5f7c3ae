#!/usr/bin/env python3
"""bench/random_transforms.py BUILD [--cases 40] [--seed N] [--peers fftw] [--points 2^20] [--device D] [--worst 10] [--json FILE]: where transforms are slow.

Draws transforms (c2c, r2c, c2r, in single and double precision, columns, of one to three axes, in batches and one array a call), runs
each by BUILD/bench/fft-peers beside peers, the fastest of which counts, and prints the ratios of the worst, then the geometric mean by kind. Nine lengths in ten
have no prime factor above 7, as those that people choose. No call can take less than an empty kernel on PoCL, so a peer that needs less time
counts as such a kernel. The seed is printed, and the same seed draws the same transforms. Needs no package.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

SMOOTH = sorted(2**a * 3**b * 5**c * 7**d for a in range(21) for b in range(5) for c in range(4) for d in range(3))
KINDS = {"c2c": [], "r2c": ["--real"], "c2r": ["--real", "--inverse"]}


def length(chance, least, most):
    wanted = math.exp(chance.uniform(math.log(least), math.log(most)))
    if chance.random() < 0.1:
        return round(wanted)
    return min(SMOOTH, key=lambda n: abs(math.log(n / wanted)))


def draw(chance, points):
    kind, rank = chance.choice(list(KINDS)), chance.choice([1, 1, 2, 3])
    if rank == 1:
        shape = [length(chance, 8, points)]
    else:
        side = (points if rank == 2 else points / 8) ** (1 / rank)
        shape = [length(chance, 6, 2 * side) for _ in range(rank)]
    arguments, name = ["--shape", ",".join(map(str, shape))] + KINDS[kind], kind + " " + "x".join(map(str, shape))
    if chance.random() < 0.3:
        arguments, name = arguments + ["--double"], name + " double"
    if rank == 1 and kind == "c2c" and shape[0] < 20000 and chance.random() < 0.3:
        return arguments + ["--columns"], name + " columns", "columns"
    if chance.random() < 0.25:
        return arguments + ["--single"], name + " single", "one array"
    return arguments, name, "%s, %d axes" % (kind, rank) if rank > 1 else kind


def measure(options, arguments, file):
    command = [os.path.join(options.build, "bench", "fft-peers"), *arguments, "--out-of-place", "--points", str(options.points), "--peers",
               "mastaba," + options.peers, "--rounds", "5", "--sample-ms", "5", "--json", file]
    if options.device:
        command += ["--device", options.device]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command), done.stderr.strip() or done.stdout.strip()))
    with open(file) as kept:
        run = json.load(kept)
    results = run["cases"][0]["results"]
    peer = min(results[name]["seconds"] for name in options.peers.split(",") if "seconds" in results.get(name, {}))
    return results["mastaba"]["seconds"], max(peer, run["launch_seconds"]), run["device"]["name"]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--peers", default="fftw", help="a list, such as cufft,vkfft")
    parser.add_argument("--device", help="as of every command")
    parser.add_argument("--points", type=int, default=1 << 20, help="of a batch")
    parser.add_argument("--worst", type=int, default=10, help="how many are printed")
    parser.add_argument("--json", help="write all there")
    options = parser.parse_args()
    chance, found, device = random.Random(options.seed), [], ""
    print("seed %d" % options.seed, flush=True)
    with tempfile.TemporaryDirectory() as at:
        for _ in range(options.cases):
            arguments, name, kind = draw(chance, options.points)
            seconds, peer, device = measure(options, arguments, at + "/run.json")
            found.append({"name": name, "kind": kind, "seconds": seconds, "peer_seconds": peer, "ratio": peer / seconds})
    found.sort(key=lambda case: case["ratio"])
    print("%s, %s's time over ours, %d cases" % (device, options.peers, len(found)))
    for case in found[: options.worst]:
        print("%-40s %6.2f  %10.1f us" % (case["name"], case["ratio"], 1e6 * case["seconds"]))
    for kind in sorted({case["kind"] for case in found}):
        ratios = [case["ratio"] for case in found if case["kind"] == kind]
        print("%-40s %6.2f  of %d" % (kind, mean(ratios), len(ratios)))
    print("%-40s %6.2f" % ("all", mean([case["ratio"] for case in found])))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"seed": options.seed, "device": device, "peers": options.peers, "points": options.points, "cases": found}, file, indent=1)


if __name__ == "__main__":
    main()
