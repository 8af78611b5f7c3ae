#!/bin/bash
# Monitors, spectra and `until`: values against closed forms and against traces, the same files by every schedule and after a
# checkpoint, and mistakes in problem files.
# Long: each monitor is a kernel of its own.
. "${0%/*}/lib"

# A leapfrog wave between fixed ends, in a mode of the grid: a standing wave, whose discrete energy is conserved to rounding.
cat >wave.yaml <<'END'
grid: [40, 63]
precision: float64
time_step: 0.5
parameters: {k: pi/(nx+1)}
fields:
  u: {initial: sin(2*k*(x+1))*sin(pi/(ny+1)*(y+1)), levels: 2}
let:
  east: u[0,1] - u
update:
  - u: 2*u - u.prev + dt^2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)
receivers:
  - {field: u, at: [[20, 10]], file: trace.npy, spectrum: {frequencies: [0.02, -0.3], file: trace_f.npy}}
monitors:
  - name: energy
    expression: "0.5*((u - u.prev)/dt)^2 + 0.5*(east*(u.prev[0,1] - u.prev) + (u[1,0] - u)*(u.prev[1,0] - u.prev)
      + (x == 0 ? u*u.prev : 0) + (y == 0 ? u*u.prev : 0))"
    reduce: sum
    every: 7
    file: energy.csv
  - {name: most, expression: abs(u), reduce: max, every: 10, file: logs/most.npy, region: {x: 10, y: [2, 39, 3]}}
spectra:
  - {field: u, frequencies: [0, 0.02], every: 3, region: {x: 10, y: 20}, file: point.npy}
  - {field: u, frequencies: {from: 0.01, to: 0.03, count: 3}, region: {x: [0, nx-1, 2]}, file: plane.npy}
steps: 300
END
run_in() { # DIRECTORY ARGUMENT...
    mkdir -p "$1"
    (cd "$1" && shift && expect 0 "$MASTABA" solve ../wave.yaml -o out.npy --json "$@" && cp .stdout report.json)
}
run_in core --schedule in-core
run_in slabs --schedule pyramid-slabs --block 7 --depth 4 --fuse 2
run_in swept --schedule sweeps
mkdir resumed
cd resumed
expect 0 "$MASTABA" solve ../wave.yaml --steps 110 --checkpoint c --schedule in-core
expect 0 "$MASTABA" solve ../wave.yaml -o out.npy --checkpoint c --resume --schedule skewed --block 9 --depth 6 --fuse 2
cd ..
for file in trace_f.npy energy.csv logs/most.npy point.npy plane.npy trace.npy out.npy; do
    for other in slabs swept resumed; do
        cmp core/$file $other/$file || fail "$other has other bits in $file"
    done
done
python3 - "$here" core <<'END' || fail 'wrong values'
import cmath, json, math, os, struct, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from npy import read
os.chdir(sys.argv[2])
rows = [line.split(",") for line in open("energy.csv").read().split()]
assert rows[0] == ["step", "t", "energy"] and len(rows) == 44, len(rows)
assert [int(r[0]) for r in rows[1:]] == list(range(0, 301, 7)) and float(rows[2][1]) == 3.5
energy = [float(r[2]) for r in rows[1:]]
assert energy[0] > 1 and max(abs(e / energy[0] - 1) for e in energy) < 1e-12, energy[:3]
def numbers(path, code):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return data[:start], struct.unpack("<%d%s" % ((len(data) - start) // struct.calcsize(code), code), data[start:])
head, most = numbers("logs/most.npy", "d")
assert b"(31, 2)" in head and most[2] == 5.0 and abs(most[1] - math.sin(22 * math.pi / 64)) < 0.01, (head, most[:4])
_, trace = numbers("trace.npy", "d")
head, point = numbers("point.npy", "d")
assert b"(2,)" in head and b"<c16" in head, head
for j, f in enumerate([0, 0.02]):
    want = sum(trace[k - 1] * cmath.exp(-2j * math.pi * f * k * 0.5) * 1.5 for k in range(3, 301, 3))
    assert abs(complex(point[2 * j], point[2 * j + 1]) - want) < 1e-12 * abs(want) + 1e-12, (point, want)
head, traced = numbers("trace_f.npy", "d")
assert b"(2, 1)" in head and b"<c16" in head, head
for j, f in enumerate([0.02, -0.3]):
    want = sum(v * cmath.exp(-2j * math.pi * f * (k + 1) * 0.5) * 0.5 for k, v in enumerate(trace))
    assert abs(complex(traced[2 * j], traced[2 * j + 1]) - want) < 1e-12 * (1 + abs(want)), (traced, want)
head, plane = numbers("plane.npy", "d")
assert b"(3, 40, 32)" in head, head
report = json.load(open("report.json"))
assert abs(report["monitors"]["energy"] - energy[-1]) < 1e-6, report["monitors"]
END

# The run ends where the condition holds, exactly; what is written is as long as the run.
cat >decay.yaml <<'END'
grid: [500]
fields: {u: 1024}
update: [u: u/2]
receivers: [{field: u, at: [[3]], file: t.npy}]
monitors: [{name: total, expression: u, reduce: sum, every: 5, file: total.csv}]
until: {condition: "max(abs(u)) < 1 && total < mean(u)*max(501, 2)", every: 4}
steps: 1000
END
expect 0 "$MASTABA" solve decay.yaml -o u.npy --checkpoint c --json
grep -q '"until_holds": true' .stdout || fail 'does not say that it ended'
grep -q '"steps": 12' .stdout || fail 'ended at another step'
[ "$(tail -n 1 total.csv)" = 10,10,500 ] || fail "the last row is $(tail -n 1 total.csv)"
grep -aq '(12, 1)' t.npy || fail 'the trace has another length'
cp total.csv first.csv
expect 0 "$MASTABA" solve decay.yaml -o u.npy --checkpoint c --resume
cmp total.csv first.csv || fail 'a run that had ended goes on'
grep -q 'ended after step 12' .stdout || fail 'does not say where it ended'

# Mistakes.
mistake() { # LINE KEY MESSAGE, with the problem's further keys on stdin
    { printf 'grid: [50, 40]\nfields: {u: 0}\nupdate: [u: u]\nsteps: 10\n'; cat; } >bad.yaml
    expect 4 "$MASTABA" solve bad.yaml
    grep -q "bad.yaml:$1: $2: .*$3" .stderr || fail "$2: $(cat .stderr)"
}
mistake 5 'monitors\[0\].reduce' "did you mean 'norm'" <<<'monitors: [{name: a, expression: u, reduce: nrom, every: 1}]'
mistake 5 'monitors\[0\].every' 'whole number' <<<'monitors: [{name: a, expression: u, reduce: max, every: 0}]'
mistake 5 'monitors\[0\].name' 'meaning already' <<<'monitors: [{name: u, expression: u, reduce: max, every: 1}]'
mistake 5 'monitors\[1\].name' "'a' already" <<<'monitors: [{name: a, expression: u, reduce: max, every: 1}, {name: a, expression: u, reduce: max, every: 1}]'
mistake 5 'monitors\[0\].expression' 'v' <<<'monitors: [{name: a, expression: u + v, reduce: max, every: 1}]'
mistake 5 'monitors\[0\].file' '.csv or .npy' <<<'monitors: [{name: a, expression: u, reduce: max, every: 1, file: a.txt}]'
mistake 5 'monitors\[0\].region.x' 'within 0 to 39' <<<'monitors: [{name: a, expression: u, reduce: max, every: 1, region: {x: [3, 40]}}]'
mistake 5 'monitors\[0\].region.z' 'no such axis' <<<'monitors: [{name: a, expression: u, reduce: max, every: 1, region: {z: 1}}]'
mistake 5 until 'u' <<<'until: u < 1'
mistake 5 until.every 'whole number' <<<'until: {condition: max(u) < 1, every: 0}'
mistake 5 'spectra\[0\].frequencies' 'at least one' <<<'spectra: [{field: u, frequencies: [], file: s.npy}]'
mistake 5 'spectra\[0\].file' '.npy' <<<'spectra: [{field: u, frequencies: [0.1], file: s.png}]'
{ printf 'grid: [50]\nfields: {u: 0}\nupdate: [u: u]\nsteps: 10\n'; echo 'spectra: [{field: u, frequencies: [0.3], file: s.npy}]'; } >coarse.yaml
expect 0 "$MASTABA" solve coarse.yaml
grep -q 'warning: .*samples' .stderr || fail 'does not warn of too few samples'
