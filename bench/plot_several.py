#!/usr/bin/env python3
"""Draws a result of integration-several (--json) by gnuplot, one panel a family: seconds against the true relative error.

    bench/plot_several.py bench/results/integration-several-pocl.json docs/img/integration-several.svg
"""
import json
import subprocess
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} RESULT.json PICTURE.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    families = sorted({(row["family"], row["variables"]) for row in rows})
    peers = list(dict.fromkeys(row["peer"] for row in rows if row["peer"] != "torchquad MonteCarlo"))
    script = ["set terminal svg size 1200,760 background rgb 'white' font 'sans-serif,13'", f"set output '{sys.argv[2]}'",
              "set logscale xy", "set format '10^{%L}'", "set grid", "set xrange [1e-5:3]", "set yrange [1e-11:10]",
              "set xlabel 'seconds'", "set ylabel 'true relative error'", "set key bottom left"]
    for k, colour in enumerate(["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"]):
        script.append(f"set style line {k + 1} lc rgb '{colour}' lw 2 pt {k + 5} ps 0.7")
    script.append("set multiplot layout 2,3")
    for n, (family, variables) in enumerate(families):
        plots = []
        for k, peer in enumerate(peers):
            points = [row for row in rows if row["family"] == family and row["peer"] == peer]
            script += [f"$f{n}p{k} << EOD"] + [f"{row['seconds']} {row['relative_error']}" for row in points] + ["EOD"]
            plots.append(f"$f{n}p{k} with linespoints ls {k + 1} title '{peer}'")
        script += [f"set title '{family}, {variables} variables'", "plot " + ", ".join(plots), "unset key"]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


main()
