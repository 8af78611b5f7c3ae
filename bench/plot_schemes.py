#!/usr/bin/env python3
"""Draws results of scheme-rates (--json) by gnuplot, one panel a file.

    bench/plot_schemes.py bench/results/scheme-rates-{pocl,h100}.json docs/img/scheme-rates.svg
"""
import json
import subprocess
import sys

COLUMNS = {"of_limit": "one step a pass at the copy rate", "of_plain_kernels": "plain kernels", "of_plain_c": "plain C",
           "quarter_of_in_core": "itself in core, with a quarter of the memory"}


def panel(result, number):
    cells = result["schemes"]
    found = [column for column in COLUMNS if any(column in cell for cell in cells)]
    device = "PoCL, two cores" if "pthread" in result["device"] or "cpu" in result["device"].lower() else result["device"]
    lines = [f'set title "Schemes, {device}: rate over that of" noenhanced', f"$rates{number} << EOD"]
    for cell in cells:
        grid = "x".join(str(n) for n in cell["grid"])
        lines.append(" ".join([f'"{cell["scheme"]} {grid}"'] + [str(cell.get(column, "NaN")) for column in found]))
    plots = [f"{'$rates%d' % number if k == 0 else repr('')} using {k + 2}{':xtic(1)' if k == 0 else ''} ls {k + 1} "
             f"title '{COLUMNS[column]}'" for k, column in enumerate(found)]
    return lines + ["EOD", "plot " + ", ".join(plots)]


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} RESULT.json... PICTURE.svg")
    paths = sys.argv[1:-1]
    script = [f"set terminal svg size 1200,{480 * len(paths)} background rgb 'white' font 'sans-serif,13'",
              f"set output '{sys.argv[-1]}'", "set style data histogram", "set style histogram clustered gap 1",
              "set style fill solid 0.9 noborder", "set grid noxtics", "set yrange [0:*]",
              "set xtics auto rotate by -35 noenhanced", "set key outside top center horizontal", "set lmargin 8", "set rmargin 12",
              "set linetype 10 lc rgb 'gray'", "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lt 10"]
    for k, colour in enumerate(["#D55E00", "#0072B2", "#009E73", "#CC79A7"]):
        script.append(f"set style line {k + 1} lc rgb '{colour}'")
    script.append(f"set multiplot layout {len(paths)},1")
    for number, path in enumerate(paths):
        with open(path, encoding="utf-8") as file:
            script += panel(json.load(file), number)
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


main()
