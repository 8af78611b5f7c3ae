#!/usr/bin/env python3
"""Draws stored results of `mastaba bench convolution --json` beside the paper's, by gnuplot.

    bench/plot_convolution.py bench/results/convolution-paper-*.json docs/img/convolution.svg

For every length and variant: the speed-up over the sequential reference with the batch that suits the variant best.
"""
import json
import subprocess
import sys

COLOURS = {"A": "#E69F00", "B": "#56B4E9", "C": "#009E73", "D": "#CC79A7", "E": "#0072B2"}


def best(cells, speedups):
    """{variant: [(n, highest speed-up over the batches), ...]}"""
    curves = {v: {} for v in COLOURS}
    for cell in cells:
        for v, speedup in speedups(cell).items():
            if speedup:
                curves[v][cell["n"]] = max(speedup, curves[v].get(cell["n"], 0))
    return {v: sorted(points.items()) for v, points in curves.items()}


def panel(title, curves):
    lines = [f'set title "{title}"']
    plots = []
    for v, points in curves.items():
        lines += [f"$data{v} << EOD"] + [f"{n} {speedup}" for n, speedup in points] + ["EOD"]
        plots.append(f"$data{v} with linespoints lw 2 pt 7 ps 0.6 lc rgb '{COLOURS[v]}' title '{v}'")
    return lines + ["plot " + ", ".join(plots)]


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} RESULT.json... PICTURE.svg")
    panels = []
    for path in sys.argv[1:-1]:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        measured = best(result["cells"], lambda cell: {v: t["speedup"] for v, t in cell["variants"].items()})
        panels.append(("PoCL, a CPU" if "PoCL" in result["device"]["version"] else result["device"]["name"], measured))
    for platform, title in (("nvidia", "paper: GTX 1050 Ti"), ("intel", "paper: UHD 630")):
        panels.append((title, best(result["cells"], lambda cell: cell["paper"][platform]["speedup"])))
    script = [f"set terminal svg size {330 * len(panels)},380 background rgb 'white' font 'sans-serif,13'",
              f"set output '{sys.argv[-1]}'",
              "set logscale xy 2", "set logscale y 10", "set xrange [24:90000]", "set yrange [0.01:1000]",
              "set xtics (32, 256, 2048, 16384)", "set format y '%g'", "set xlabel 'vector length N'", "set grid",
              "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb 'gray'", "unset key",
              f"set multiplot layout 1,{len(panels)} title 'Speed-up over the sequential reference'"]
    for title, curves in panels:
        if curves is panels[-1][1]:
            script.append("set key bottom right")
        script += panel(title, curves)
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


main()
