#!/bin/bash
# Places between nodes and regions in a problem file: the same bits by sweeps and by tiles, and from a checkpoint.
. "${0%/*}/lib"

cat >p.yaml <<'END'
grid: [20, 24]
time_step: 0.5
precision: float64
fields: {u: {levels: 2}}
update: [{u: "2*u - u.prev + dt^2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"}]
sources:
  - {field: u, at: [10, 12.3], series: "ricker(t, 0.1)"}
  - {field: u, at: [":", 3], series: "ricker(t, 0.1)", amplitude: exp(-y^2/9), delay: y/3}
  - {field: u, at: ["2:ny-2", "4 : 6"], series: "ricker(t, 0.1)"}
  - {field: u, position: [10, 12.3], interpolation: linear, series: "ricker(t, 0.1)"}
receivers:
  - {field: u, at: [[10, 15], [3.5, 2.25]], file: at.npy}
  - {field: u, line: [[3, 0.5], [3, nx-1], 7], file: line.npy, interpolation: sinc 6}
steps: 30
END

solve() { expect 0 "$MASTABA" solve p.yaml --force "$@"; }

solve --schedule sweeps -o whole.npy
mkdir whole
mv at.npy line.npy whole
same() {
    cmp whole.npy last.npy || fail "another state: $*"
    cmp whole/at.npy at.npy && cmp whole/line.npy line.npy || fail "other traces: $*"
}
solve --schedule in-core --fuse 2 --shape cpu -o last.npy
same tiles of a CPU
solve --schedule sweeps --steps 13 --checkpoint k.chk
solve --schedule sweeps --checkpoint k.chk --resume -o last.npy
same resumed
sed -i 's|delay: y/3|delay: y/4|' p.yaml
expect 4 "$MASTABA" solve p.yaml --force --checkpoint k.chk --resume
