#!/bin/bash
# Mistakes in what runs look at and write (monitors, until, spectra, outputs), and in materials, masks and layers: a line with
# file, line, key and expectation for each key. Those of the other keys are in solve_problem.sh, solve_runs.sh.
. "${0%/*}/lib"

cat >good.yaml <<'END'
grid: [8, 9]
time_step_limit: 0.9
time_step: 0.1
parameters: {c: 1.0}
fields: {u: {levels: 2}, k: {initial: 2, coefficient: true}}
materials: {table: {0: {m: 1}, 1: {m: 2}}, file: material.npy}
boundary: {x: periodic, y: neumann}
update: [{u: 2*u - u.prev + c*k*m*(u - u.prev)}]
mask: {where: x > 7, fields: [u], value: 1}
sources: [{field: u, at: [":", 4], series: sin(t), amplitude: y, delay: x}]
receivers: [{field: u, at: [[4, 4]], file: t.npy, spectrum: {frequencies: [0.1], file: h.npy}}, {field: u, line: [[0, 0], [7, 0], 8], file: t.png, colors: diverging, range: [0, 1]}]
monitors: [{name: m1, expression: u*k, reduce: sum, every: 2, region: {x: [1, 5], y: 3}, file: m.csv}]
until: {condition: m1 < c, every: 2}
spectra: [{field: u*k, frequencies: {from: 0.1, to: 0.2, count: 3}, every: 1, region: {x: 3}, file: s.npy}]
steps: 3
output: {every: 1, fields: [u], format: png, file: f, colors: diverging, decimate: 2, range: [0, 1]}
END
python3 - <<'END'
header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (8, 9), }"
header += b" " * (118 - len(header) - 1) + b"\n"
open("material.npy", "wb").write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(72))
END
expect 0 "$MASTABA" solve good.yaml --dry-run

# KEY: EXPECTATION|the good problem, changed by sed, whose number of the line is that of the message.
while IFS='|' read -r pattern change; do
    line=${change%%s/*}
    sed "$change" good.yaml >p.yaml
    ! cmp -s good.yaml p.yaml || fail "sed '$change' changes nothing"
    expect 4 "$MASTABA" solve p.yaml --dry-run
    head -1 .stderr | grep -q "^mastaba solve: p.yaml:$line: $pattern" || fail "not '$line: $pattern' for sed '$change'"
done <<'END'
time_step_limit: the expression, column 1: 'fast' is not known|2s/0.9/fast/
time_step_limit: -1; a time step is greater than 0|2s/0.9/-1/
fields.k.coefficient: expected true or false, not '3'|5s/coefficient: true/coefficient: 3/
materials: gone.npy: cannot be opened|6s/material.npy/gone.npy/
materials: expected a mapping of the numbers of materials|6s/{0: {m: 1}.*}}, /3, /
materials.1.n: the first material has no 'n'|6s/m: 2/n: 2/
materials.1.m: the expression, column 1: 'x' is not known|6s/m: 2/m: x/
materials.q: expected the number of a material|6s/1: {/q: {/
materials.tabel: no such key; did you mean 'table'|6s/table:/tabel:/
boundary.y.speed: expected a speed above 0, not 0|7s/neumann/{absorb: 3, speed: 0}/
boundary.y.order: expected an order above 0, not -1|7s/neumann/{absorb: 3, order: -1}/
boundary.y.alpha: the expression, column 1: 'q'|7s/neumann/{absorb: 3, alpha: q}/
mask.fields.0.: expected one of u, k, m, not 'w'|9s/\[u\]/[w]/
mask.fields: expected a list of fields|9s/\[u\]/3/
mask.value: the expression, column 1: 'q'|9s/value: 1/value: q/
mask.where: the expression, column 1: 'q'|9s/x > 7/q > 7/
mask: the key 'where' is missing|9s/where: x > 7, //
update.0.: nothing belongs to '4)'; a comma within {...} ends a value, unless quotes are around it|8s/c.k.m.*)/laplace(u, 4)/
sources.0.: nothing belongs to '0.1)'; a comma|10s/sin(t)/ricker(t, 0.1)/
sources.0..amplitude: the expression, column 1: 't'|10s/amplitude: y/amplitude: t/
sources.0..delay: the expression, column 1: 'u'|10s/delay: x/delay: u/
receivers.0..spectrum.frequencies: expected a list of frequencies|11s/frequencies: \[0.1\]/frequencies: fast/
receivers.0..spectrum.frequencies.1.: the expression, column 1: 'q'|11s/\[0.1\]/[c, q]/
receivers.0..spectrum.file: expected a .npy file, not 'h.csv'|11s/h.npy/h.csv/
receivers.0..spectrum: the key 'file' is missing|11s/, file: h.npy//
receivers.1..colors: expected one of sequential, diverging|11s/diverging/rainbow/
receivers.1..range: expected .LOW, HIGH. with LOW < HIGH|11s/\[0, 1\]/[0]/
receivers.1..line: expected .FIRST NODE, LAST NODE, NUMBER.|11s/\[\[0, 0\], \[7, 0\], 8\]/[[0, 0], 8]/
monitors.0..name: the name 'u' has a meaning already|12s/name: m1/name: u/
monitors.0..name: '2m' is no name|12s/name: m1/name: 2m/
monitors.0.: the key 'name' is missing|12s/name: m1, //
monitors.0..expression: the expression, column 3: 'q'|12s/u\*k/u*q/
monitors.0..reduce: expected one of sum, max, min, mean, norm, not 'total'|12s/reduce: sum/reduce: total/
monitors.0..every: expected a whole number from 1|12s/every: 2/every: 0/
monitors.0..region.x: expected a node, or .FIRST, LAST. or .FIRST, LAST, STEP., within 0 to 8|12s/\[1, 5\]/[1, 50]/
monitors.0..region.z: no such axis of the grid; expected x or y|12s/y: 3/z: 3/
monitors.0..file: expected a .csv or .npy file, not 'm.txt'|12s/m.csv/m.txt/
monitors.0..regoin: no such key; did you mean 'region'|12s/region:/regoin:/
until.condition: the condition, column 1: 'm2' is not known; did you mean 'm1'|13s/m1 < c/m2 < c/
until.condition: the condition, column 5: expected a number|13s/m1 < c/m1 </
until.condition: the expression, column 1: 'q'|13s/m1 < c/max(q) < c/
until.condition: expected ')' behind the argument of max|13s/m1 < c/max(abs(u) < c/
until.every: expected a whole number from 1|13s/every: 2/every: -2/
until.cond: no such key; did you mean 'condition'|13s/condition/cond/
spectra.0..field: the expression, column 3: 'q'|14s/u\*k/u*q/
spectra.0..frequencies.from: the expression, column 1: 'low'|14s/from: 0.1/from: low/
spectra.0..frequencies.count: expected a whole number from 2|14s/count: 3/count: 1/
spectra.0..frequencies: the key 'to' is missing|14s/to: 0.2, //
spectra.0..frequencies: a spectrum has at least one|14s/{from: 0.1, to: 0.2, count: 3}/[]/
spectra.0..every: expected a whole number from 1|14s/every: 1/every: 0/
spectra.0..region.x: expected a node, or .FIRST, LAST.|14s/x: 3/x: 9/
spectra.0..file: expected a .npy file, not 's.csv'|14s/s.npy/s.csv/
output.colors: expected one of sequential, diverging, not 'jet'|16s/diverging/jet/
output.decimate: expected a whole number from 1|16s/decimate: 2/decimate: 0/
output.file: expected what the files' names begin with|16s/file: f/file: [f]/
output.type: expected one of float16, float32, float64|16s/format: png/format: npy, type: int8/
END
