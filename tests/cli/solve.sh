#!/bin/sh
# mastaba solve: results, frames and traces against what the scheme says, computed in Python.
. "${0%/*}/lib"

stencil() {
    python3 "$here/stencil.py" "$@"
}

# A built-in problem, without a file.
expect 0 "$MASTABA" solve heat2d --grid 31x45 --steps 20 -o u.npy --json --no-cache --verbose
[ "$(grep -c '^debug: measured: sweeps, 1 step a pass, on 1395 nodes: ' .stderr)" = 1 ] || fail "sweeps are not measured once"
stencil heat2d u.npy 31 45 20 || fail "heat2d"
json "j['problem'] == 'heat2d' and j['grid'] == [31, 45] and j['precision'] == 'float32' and j['steps'] == 20"
json "j['seconds'] > 0 and j['node_steps_per_second'] > 0 and j['predicted_seconds'] > 0 and j['schedule'] and j['device']"
[ "$(find . -type f ! -name '.*')" = ./u.npy ] || fail "a built-in problem writes more than -o: $(ls)"

# A file with all that a file can have.
npy make u.npy float64 7,9 1
npy make a.npy float64 7,9 2
cat >mixed.yaml <<'END'
grid: [7, 9]
spacing: 0.5
time_step: 0.05
precision: float64
parameters: {c: 0.35 * 2}
fields:
  u: {initial: u.npy}
  a: {initial: a.npy, coefficient: true}
  v: 0
let: {spread: "(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)/dx^2"}
boundary: {x: periodic, y-: neumann, y+: dirichlet cos(t)*x}
update:
  - u: u + c*a*dt*spread
  - v: v + dt*u
sources: [{field: u, at: [2, floor(nx/3)], series: sin(3*t)}]
receivers: [{field: u, at: [[2, 3], [0, 0]], file: traces/u.npy}]
steps: 12
output:
  - {every: 4, fields: [u, v], format: vti, file: frames/both}
  - {every: 6, fields: [u, v], format: npy, file: frames/part, slice: {x: 4}, decimate: 3}
  - {every: 12, format: npy, file: frames/whole}
  - {every: 12, fields: [v], format: npy, file: frames/v}
  - {every: 12, format: png, file: frames/u, range: [-1, 1]}
  - {every: 12, format: png, file: frames/d, range: [-1, 1], colors: diverging}
END
expect 0 "$MASTABA" solve mixed.yaml -o out.npy
grep -q '^mixed.yaml: \[7, 9\] float64, 12 steps on ' .stdout || fail "the report"
stencil mixed out.npy traces/u.npy u.npy a.npy 12 || fail "mixed"
stencil part frames/whole-00000012.npy out.npy 0,::,:: || fail "the last frame is not the result"
for k in 00 06 12; do
    for field in u v; do [ -s frames/part-$field-000000$k.npy ] || fail "no frame $k of $field"; done
done
stencil part frames/part-u-00000012.npy frames/whole-00000012.npy ::3,4 || fail "a part of a frame"
stencil part frames/whole-00000000.npy u.npy ::,:: || fail "the first frame is not the initial state"
for k in 00 04 08 12; do [ -s frames/both-000000$k.vti ] || fail "no frame $k"; done
for field in u:whole v:v; do
    stencil vti frames/both-00000012.vti ${field%:*} frames/${field#*:}-00000012.npy >.vti || fail "frames/both-00000012.vti"
done
grep -q 'Spacing="0.5 0.5 1"' .vti || fail "the spacing in a .vti file"
[ "$(grep -c '<DataSet timestep="0.[0-9]*" file="both-0000[0-9]*.vti"/>' frames/both.pvd)" = 3 ] || fail "the .pvd: $(cat frames/both.pvd)"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' frames/both.pvd || fail "frames/both.pvd"
[ "$(stencil png frames/u-00000012.png frames/whole-00000012.npy -1 1)" = rises ] || fail "the sequential colours"
[ "$(stencil png frames/d-00000012.png frames/whole-00000012.npy -1 1)" = 'peaks at 127' ] || fail "the diverging colours"

# The command line goes before the file; the outputs that stand in the way are kept.
refused 4 'frames/both-00000000.vti: exists; .*--force' solve mixed.yaml
refused 4 'out.npy: exists; ' solve mixed.yaml -o out.npy
expect 0 "$MASTABA" solve mixed.yaml -f -o other.npy --steps 3 --precision float32 --set c=0.1 --time-step 0.02
[ "$(npy describe other.npy)" = 'float32 [2, 7, 9]' ] || fail "--precision: $(npy describe other.npy)"
[ "$(npy describe traces/u.npy)" = 'float64 [3, 2]' ] || fail "--steps: $(npy describe traces/u.npy)"
refused 2 '--set q: mixed.yaml has no such parameter' solve mixed.yaml -f --set q=1
refused 2 '--set c=x: expected NAME=NUMBER' solve mixed.yaml -f --set c=x
refused 4 'mixed.yaml:1: grid: the grid has 2 axes here and 3 by --grid' solve mixed.yaml -f --grid 7x9x9

# A picture of what a line of nodes recorded: a row a step.
cat >line.yaml <<'END'
grid: [40]
fields: {u: exp(-(x-20)^2/9)}
boundary: {x: periodic}
update: [u: "u[-1]"]
steps: 40
receivers:
  - {field: u, line: [[3], [34], 32], file: line.png, range: [0, 1]}
  - {field: u, line: [[3], [34], 32], file: line.npy}
END
expect 0 "$MASTABA" solve line.yaml
[ "$(stencil png line.png line.npy 0 1)" = rises ] || fail "line.png"

# Plans.
rm -rf frames traces line.*y line.png
expect 0 "$MASTABA" solve mixed.yaml --dry-run
grep -q '^predicted: ' .stdout || fail "no prediction by --dry-run"
grep -q '^memory: state ' .stdout || fail "no memory by --dry-run"
expect 0 "$MASTABA" solve heat2d --dry-run --json --grid 640x650
json "j['predicted_seconds'] > 0 and 'seconds' not in j and j['grid'] == [640, 650] and j['state_bytes'] >= 4 * 640 * 650"
[ ! -e frames ] || fail "--dry-run writes"
cp .stdout first
expect 0 "$MASTABA" solve heat2d --dry-run --json --grid 640x650
cmp first .stdout || fail "rates are measured anew"
expect 0 "$MASTABA" solve heat2d --dry-run --steps 0
grep -q '^predicted: 0 us$' .stdout || fail "a prediction for no steps"
expect 0 "$MASTABA" solve heat2d --dry-run --grid 640x650 --device-memory 512KiB --host-memory 512KiB
grep -q 'backing store in file' .stdout || fail "a plan of a state beyond --host-memory has no file"
expect 0 "$MASTABA" solve heat2d --dry-run --grid 100000000x200000 --schedule trivial --device-memory 16MiB
grep -q 'backing store in file' .stdout || fail "a plan of a state beyond RAM has no file"
# Not so many steps are fused that halos are most of the work.
expect 0 "$MASTABA" solve heat2d --dry-run --json --grid 1024x1024 --schedule pyramid-slabs --device-memory 512KiB
json "j['duplicated'] <= 1 and 1 < j['depth'] and (j['shape'] == 'gpu' or j['fuse'] == j['depth']) and j['device_bytes'] <= 2**19"

# Unstable time steps of every built-in problem.
for name in heat1d heat2d heat3d wave2d wave3d gray-scott yee2d yee3d; do
    refused 4 'the time step 10 is unstable: the Courant limit is [0-9.]+; take a smaller one, or --force' solve $name --time-step 10
done
expect 0 "$MASTABA" solve heat1d --dry-run --time-step 10 --force

# Wrong options.
refused 2 '--grid 8x: expected' solve heat2d --grid 8x
refused 2 '--grid 8x0: expected' solve heat2d --grid 8x0
refused 2 '--grid 2x2x2x2: expected' solve heat2d --grid 2x2x2x2
refused 2 '--schedule fast: expected auto, in-core, ' solve heat2d --schedule fast
refused 2 '--precision half: expected' solve heat2d --precision half
refused 2 '--shape tpu: expected gpu or cpu' solve heat2d --shape tpu
refused 2 '--depth -1: expected' solve heat2d --height -1
refused 2 '--steps' solve heat2d --steps -5
refused 2 '--checkpoint FILE' solve heat2d --resume
refused 2 '--checkpoint-every 5q: expected' solve heat2d --checkpoint c --checkpoint-every 5q
refused 4 'heat9: neither a file nor a built-in problem; these are .*heat2d' solve heat9
refused 4 'gone.yaml: No such file' solve gone.yaml
refused 2 'the name of the output is to end in .npy' solve heat2d -o out.png
