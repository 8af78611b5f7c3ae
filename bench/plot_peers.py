#!/usr/bin/env python3
"""Draws results of fft-peers and convolution-peers (--json) by gnuplot, one panel a file.

    bench/plot_peers.py bench/results/fft-peers-*.json docs/img/fft-peers.svg
"""
import json
import subprocess
import sys

COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"]


def curves(result):
    """{peer: [(n, GB/s), ...]}"""
    found = {}
    for case in result["cases"]:
        for peer, what in case["results"].items():
            if "failed" not in what and not what["wrong"]:
                found.setdefault(peer, []).append((case["n"], what["bytes_per_second"] * 1e-9))
    return {peer: sorted(points) for peer, points in found.items()}


def panel(result):
    device = result["device"]["name"] if result["device"]["gpu"] else "PoCL, a CPU"
    what = "transforms" if result["benchmark"] == "fft-peers" else "convolutions"
    lines = [f'set title "{device}, {result["type"]} {what}"']
    plots = []
    for i, (peer, points) in enumerate(curves(result).items()):
        lines += [f"$data{i} << EOD"] + [f"{n} {rate}" for n, rate in points] + ["EOD"]
        width = 3 if peer == "mastaba" else 1.5
        plots.append(f"$data{i} with linespoints lw {width} pt 7 ps 0.5 lc rgb '{COLOURS[i % len(COLOURS)]}' title '{peer}'")
    plots.append(f"{result['copy_bytes_per_second'] * 1e-9} with lines dt 2 lc rgb 'gray' title 'copy rate'")
    return lines + ["plot " + ", ".join(plots)]


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} RESULT.json... PICTURE.svg")
    results = []
    for path in sys.argv[1:-1]:
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    script = [f"set terminal svg size {520 * len(results)},430 background rgb 'white' font 'sans-serif,13'",
              f"set output '{sys.argv[-1]}'", "set logscale x 2", "set yrange [0:*]", "set format x '2^{%L}'",
              "set ylabel 'GB/s, each array once, by vector length'", "set grid", "set key below",
              f"set multiplot layout 1,{len(results)}"]
    for result in results:
        script += panel(result)
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


main()
