#!/bin/bash
# Mistakes in problem files: the message names file, line and key, and nothing is written.
. "${0%/*}/lib"

base='grid: [8, 9]
spacing: [0.5, 0.5]
time_step: 0.1
precision: float32
parameters: {c: 1.0}
fields:
  u: {initial: "x", levels: 2}
  k: {initial: 2, constant: true}
let: {twice: 2*u}
boundary: {x: periodic, y: neumann}
update:
  - u: twice - u.prev + c*k*(u[-1,0] - u)
sources: [{field: u, at: [4, 4], series: sin(t)}]
receivers: [{field: u, at: [[4, 4]], file: t.npy}]
steps: 3
output: {every: 1, fields: [u], format: npy, file: f}'
printf '%s\n' "$base" >good.yaml
expect 0 "$MASTABA" solve good.yaml --dry-run

# wrong LINE PATTERN SED: the good problem, changed by sed, is refused with that line's number. Mistakes in expressions show the
# place below the message.
wrong() {
    sed "$3" good.yaml >p.yaml
    ! cmp -s good.yaml p.yaml || fail "sed '$3' changes nothing"
    expect 4 "$MASTABA" solve p.yaml --dry-run
    head -1 .stderr | grep -Eq "^mastaba solve: p.yaml:$1: ($2)" || fail "not '$1: $2' for sed '$3'"
    [ ! -s .stdout ] || fail "something on stdout for sed '$3'"
}

# The number of steps may come from the command line alone.
wrong 1 "the key 'steps' is missing, and no --steps is given" '/^steps/d'
expect 0 "$MASTABA" solve p.yaml --dry-run --steps 3
cp .stdout few
expect 0 "$MASTABA" solve good.yaml --dry-run
sed 's/^good/p/' .stdout | cut -d: -f1,2 | head -1 | cmp -s - <(cut -d: -f1,2 few | head -1) || fail "--steps 3 is not steps: 3"

wrong 1 'grid\[1\]: expected a whole number from 1 to [0-9]+, not .0.' 's/8, 9/8, 0/'
wrong 1 'grid\[0\]: expected a whole number' 's/8, 9/8x, 9/'
wrong 1 'grid: expected the numbers of nodes, .*, not a single value' 's/\[8, 9\]/8/'
wrong 1 'grid: 4 entries; at most 3' 's/\[8, 9\]/[8, 9, 8, 9]/'
wrong 1 'grid: a grid has 1 to 3 axes' 's/\[8, 9\]/[]/'
wrong 2 'spacing: 1 numbers, but the grid has 2 axes' 's/\[0.5, 0.5\]/[0.5]/'
wrong 2 'spacing\[1\]: -0.5; a spacing is greater than 0' 's/0.5, 0.5/0.5, -0.5/'
wrong 2 "spacing\[0\]: the expression, .*'q' is not known" 's/0.5, 0.5/q, 0.5/'
wrong 3 'time_step: 0; a time step is greater than 0' 's/time_step: 0.1/time_step: 0/'
wrong 3 'time_step: .* is inf, not a finite number' 's/time_step: 0.1/time_step: 1\/0/'
wrong 3 "time_stp: no such key; did you mean 'time_step'\?" 's/time_step/time_stp/'
wrong 3 'colour: no such key; expected one of grid, precision, ' 's/time_step/colour/'
wrong 4 "precision: expected one of float32, float64, not 'floa32'; did you mean 'float32'\?" 's/float32/floa32/'
wrong 5 "storage: expected one of float16, float32, not 'half'" 's/float32/float32\nstorage: half/'
wrong 5 'storage: float16 needs the precision float32, which is float64' 's/float32/float64\nstorage: float16/'
wrong 5 "subnormals: expected one of keep, flush, not 'zero'" 's/float32/float32\nsubnormals: zero/'
wrong 7 "fields.u.storage: expected one of float16, float32, not 'float8'; did you mean" 's/levels: 2/levels: 2, storage: float8/'
wrong 5 'parameters: expected a mapping of names to numbers, not a list' 's/{c: 1.0}/[1.0]/'
wrong 5 "parameters.nx: the name 'nx' has a meaning already" 's/{c: 1.0}/{nx: 1.0}/'
wrong 5 "parameters.2c: '2c' is no name" 's/{c: 1.0}/{2c: 1.0}/'
wrong 5 "parameters: 'c' stands here a second time; the first is on line 5" 's/{c: 1.0}/{c: 1.0, c: 2}/'
wrong 7 "fields.u.levels: expected a whole number from 1 to 2, not '3'" 's/levels: 2/levels: 3/'
wrong 7 "fields.u.initial: the expression, .*'yy' is not known; did you mean '.*'\?" 's/"x"/"yy"/'
wrong 7 "fields.u.initial: the expression, .*'u' is not known|fields.u.initial: .*" 's/"x"/"twice"/'
wrong 7 'fields.u.initial: gone.npy: ' 's/"x"/gone.npy/'
wrong 7 "fields.u.initial: expected an expression of x, y, z, or a .npy file, not a list" 's/"x"/[1]/'
wrong 7 "fields.t: the name 't' has a meaning already" 's/^  u:/  t:/'
wrong 8 "fields.k.constant: expected true or false, not 'yes'" 's/constant: true/constant: yes/'
wrong 8 'fields.k.levels: no such key|fields.k.constant: a coefficient field has one level' 's/constant: true/levels: 2, constant: true/'
wrong 8 'fields.k.previous: only a field with' 's/constant: true/previous: 1/'
wrong 9 "let.c: the name 'c' has a meaning already" 's/twice: 2/c: 2/'
wrong 9 'let.twice: the definition of twice, column 4: expected' 's/2\*u}/2*+*u}/'
wrong 9 "let.twice\(f: 'twice\(f' is no name with arguments; write name\(f, c\)" 's/{twice:/{"twice(f":/'
wrong 9 "let.twice\(f,f\): 'twice\(f,f\)' has the argument f twice" 's/{twice:/{"twice(f,f)":/'
wrong 9 "let.u\(f\): the name 'u' has a meaning already" 's/{twice: 2\*u/{u(f): 2*f/'
wrong 9 "let.sin\(f\): 'sin' is a function" 's/{twice: 2\*u/{sin(f): 2*f/'
wrong 9 "let.twice\(f\): 'twice' is defined twice" 's/{twice: 2\*u/{twice: u, twice(f): f/'
wrong 9 "let.twice\(f\): the definition of twice, column 3: 'g' is not known" 's/{twice: 2\*u/{twice(f): 2*g/'
wrong 9 "let.twice\(f\): the definition of twice, column 5: 'twice' cannot be used here: a definition may use those before" \
    's/{twice: 2\*u/{twice(f): f + twice(f)/'
wrong 9 "let.twice: the definition of twice, column 3: 'once' cannot be used here" 's/{twice: 2\*u/{twice: 2*once, once: u/'
wrong 12 "update\[0\].u: the expression, column 7: expected '\(': twice\(f\) takes 1 argument" 's/{twice: 2\*u/{twice(f): 2*f/'
wrong 12 "update\[0\].u: the expression, column 8: expected '\)': twice\(f\) takes 1 argument" \
    's/{twice: 2\*u/{twice(f): 2*f/;s/twice - u.prev/twice(u, 1) - u.prev/'
wrong 12 'update\[0\].u: the definition of twice, column 3: f has no value of the step before' \
    's/{twice: 2\*u/{twice(f): f.prev/;s/twice - u.prev/twice(k) - u.prev/'
wrong 12 'update\[0\].u: the expression, column 23: expected the order of dx, an even number from 2 to 16' 's/+ c\*k/+ dx(u,3)*k/'
wrong 12 'update\[0\].u: the expression, column 18: dz needs a grid of 3 axes; this one has 2' 's/+ c\*k/+ dz(u)*k/'
wrong 12 'update\[0\].u: the expression reads u at an offset of -9; at most 8' 's/u\[-1,0\]/u[-9,0]/'
wrong 12 'update\[0\].u: the expression reads u at an offset of 9; at most 8' 's/u\[-1,0\]/dx(dx(u,16))/'
wrong 10 "boundary.x: expected dirichlet VALUE, neumann, mirror, antimirror, periodic, sponge N or absorb N, not 'perodic'; did you mean 'periodic'\?" 's/x: periodic/x: perodic/'
wrong 10 'boundary: the x axis is periodic at one face only' 's/x: periodic/x-: periodic/'
wrong 10 'boundary.z: the grid has 2 axes, so no z' 's/y: neumann/z: neumann/'
wrong 10 'boundary.left: no such face; expected x, y, z' 's/y: neumann/left: neumann/'
wrong 10 "boundary.y: expected 'sponge N'" 's/neumann/sponge wide/'
wrong 10 "boundary.y: 'neumann' takes nothing behind it, not '0'" 's/neumann/neumann 0/'
wrong 10 "boundary.y: the expression, .*'w' is not known" 's/neumann/dirichlet w/'
wrong 10 "boundary.y: a mirror lies at 'half', half a node outside, or on the last 'node', not at '2'" 's/neumann/antimirror 2/'
wrong 10 'boundary.y.w: no such field' 's/neumann/{w: mirror}/'
wrong 10 'boundary.y.k: a coefficient field, which is mirrored' 's/neumann/{k: mirror}/'
wrong 10 'boundary.y.u: periodic faces, sponges and absorbing layers are the same for all fields' 's/neumann/{u: periodic}/'
wrong 10 "boundary.y.u: expected dirichlet" 's/neumann/{u: wall}/'
wrong 10 'boundary: the lower face of the x axis is periodic or a layer for all fields, so for u, too' 's/y: neumann/x-: {u: mirror}/'
wrong 12 "update\[0\].w: no such field" 's/- u:/- w:/'
wrong 12 'update\[0\].k: a coefficient field' 's/- u:/- k:/'
wrong 12 'update\[0\].u: the expression, .*' 's/u\[-1,0\]/u[-1]/'
wrong 12 'update\[0\].u: the expression, .*' 's/u.prev/k.prev/'
wrong 12 'update: the field v has no update' '8s/.*/  v: 1/;s/c\*k/c/'
wrong 13 "sources\[0\].field: expected one of u, k, not 'w'" 's/sources: \[{field: u/sources: [{field: w/'
wrong 13 'sources\[0\].at\[1\]: node 9 is outside the grid, whose nodes are 0 to 8' 's/at: \[4, 4\], series/at: [4, 9], series/'
wrong 13 'sources\[0\].at: 1 numbers, but the grid has 2 axes' 's/at: \[4, 4\], series/at: [4], series/'
wrong 13 "sources\[0\]: the key 'series' is missing" 's/, series: sin(t)//'
wrong 13 "sources\[0\].series: the expression, .*'x' is not known" 's/sin(t)/sin(x)/'
wrong 13 'sources\[0\].series: gone.npy' 's/sin(t)/gone.npy/'
wrong 13 'sources\[0\].at\[0\]: the range 5:4 has no nodes; a:b are the nodes a to b - 1, of 0 to 7' 's/at: \[4, 4\], series/at: ["5:4", 4], series/'
wrong 13 'sources\[0\].at\[0\]: 10 is 10; a range has whole numbers from 0 to 8' 's/at: \[4, 4\], series/at: ["5:10", 4], series/'
wrong 13 'sources\[0\].at: a range goes with nodes, not with what is between them' 's/at: \[4, 4\], series/at: [":", 4.5], series/'
wrong 13 "sources\[0\].position: a source has either 'at' or 'position'" 's/at: \[4, 4\], series/at: [4, 4], position: [4, 4], series/'
wrong 13 "sources\[0\]: the key 'at' or 'position' is missing" 's/at: \[4, 4\], series/series/'
wrong 13 "sources\[0\].interpolation: expected sinc, sinc N with N nodes to either side, 1 to 10, or linear, not 'sinc 11'" \
    's/at: \[4, 4\], series/at: [4.5, 4], interpolation: sinc 11, series/'
wrong 13 'sources\[0\].amplitude: goes with nodes and ranges of them, not with a place between nodes' \
    's/at: \[4, 4\], series/at: [4.5, 4], amplitude: x, series/'
wrong 14 "receivers\[0\].at\[0\]\[0\]: ':' is a range; only 'at' of a source has these" 's/at: \[\[4, 4\]\]/at: [[":", 4]]/'
wrong 14 "receivers\[0\]: the key 'at', 'position' or 'line' is missing" 's/, at: \[\[4, 4\]\], file/, file/'
wrong 14 "receivers\[0\].file: expected a .npy or .png file, not 't.csv'" 's/t.npy/t.csv/'
wrong 14 'receivers\[0\].line: ' 's/at: \[\[4, 4\]\]/line: [[4, 4], [5, 5]]/'
wrong 14 'receivers\[0\].field: a coefficient field' 's/receivers: \[{field: u/receivers: [{field: k/'
wrong 15 "steps: expected a whole number from 0 to [0-9]+, not '-3'" 's/steps: 3/steps: -3/'
wrong 16 'output.every: expected a whole number from 1' 's/every: 1/every: 0/'
wrong 16 "output.format: expected one of npy, vti, png, not 'jpg'" 's/format: npy/format: jpg/'
wrong 16 "output.fields\[0\]: expected one of u, k, not 'w'" 's/fields: \[u\]/fields: [w]/'
wrong 16 'output.slice.z: no such axis' 's/file: f/file: f, slice: {z: 1}/'
wrong 16 'output: a picture has two axes, this output 1' 's/format: npy/format: png, slice: {x: 1}/'
wrong 16 'output.range: expected \[LOW, HIGH\]' 's/file: f/file: f, range: [1, 0]/'
mats() { # LINE PATTERN VALUE: that of the key materials
    wrong "$1" "$2" "9s/^/materials: $3\n/"
}
mats 9 "materials: expected a mapping with the keys file, table, regions, storage, not a single value" '3'
mats 9 'materials: expected a list of regions, or {file' '{file: m.npy}'
mats 9 'materials: expected a list of regions, or {file' '{file: m.npy, table: {0: {q: 1}}, regions: [{q: 1}]}'
mats 9 "materials.tabl: no such key; did you mean 'table'" '{file: m.npy, tabl: {}}'
mats 9 'materials.table: expected a mapping of the numbers of materials|materials: expected a mapping of' '{file: m.npy, table: [1]}'
mats 9 'materials: a table has at least one material' '{file: m.npy, table: {}}'
mats 9 "materials.one: expected the number of a material, from 0 to 65535, as key, not 'one'" '{file: m.npy, table: {one: {q: 1}}}'
mats 9 'materials.0.q: expected a number or an expression, not a list' '{file: m.npy, table: {0: {q: [1]}}}'
mats 9 "materials.0.q: the expression, .*'x' is not known" '{file: m.npy, table: {0: {q: x}}}'
mats 9 "materials.3.r: the first material has no 'r'" '{file: m.npy, table: {0: {q: 1}, 3: {q: 1, r: 1}}}'
mats 9 'materials.3: the parameter q is missing' '{file: m.npy, table: {0: {q: 1}, 3: {}}}'
mats 9 'materials: m.npy: cannot be opened' '{file: m.npy, table: {0: {q: 1}}}'
mats 9 "materials.u: the name 'u' has a meaning already" '[{u: 1}]'
mats 9 'materials: there is at least one region' '[]'
mats 9 'materials: a material has at least one parameter' '[{}]'
mats 9 "materials.where: the first region is everywhere, so it has no 'where'" '[{where: 1, q: 1}]'
mats 9 "materials\[1\]: the key 'where' is missing" '[{q: 1}, {q: 2}]'
mats 9 "materials\[1\].qa: the first region has no 'qa', so no other has; did you mean 'qaq'" '[{qaq: 1}, {where: y > 1, qa: 2}]'
mats 9 "materials\[1\].where: the expression, .*'t' is not known|materials\[1\].where: " '[{q: 1}, {where: t > 1, q: 2}]'
mats 9 'materials.storage: expected one of float16, float32' '{regions: [{q: 1}], storage: half}'
mask() { # PATTERN VALUE: of the key mask
    wrong 13 "$1" "13s/^/mask: $2\n/"
}
mask 'mask: expected a mask, {where: EXPRESSION, fields: \[..\], value: 0}, or a list of these, not a single value' '1'
mask "mask: the key 'where' is missing" '{fields: [u]}'
mask "mask.where: the expression, .*'q' is not known" '{where: q}'
mask 'mask.where: gone.npy: cannot be opened' '{where: gone.npy}'
mask "mask\[1\].fields\[0\]: expected one of u, k, not 'w'" '[{where: y > 1}, {where: x > 2, fields: [w]}]'
mask 'mask.fields\[0\]: a coefficient field, which no update changes' '{where: y > 1, fields: [k]}'
mask 'mask.fields: a mask is of at least one field' '{where: y > 1, fields: []}'
mask "mask.value: the expression, .*'q' is not known" '{where: y > 1, value: q}'
mask "mask.at: no such key; expected one of fields, value, where" '{at: y > 1}'
for key in grid fields update steps; do
    [ $key = fields ] && lines='/^fields/,/^  k/d' || lines="/^$key/d"
    [ $key = update ] && lines='/^update/,/^  - u/d'
    wrong 1 "the key '$key' is missing" "$lines"
done

# What is no problem file at all.
bad() {
    expect 4 timeout 20 "$MASTABA" solve p.yaml --dry-run
    [ "$(wc -l <.stderr)" = 1 ] && grep -Eq "^mastaba solve: p.yaml:?.*($1)" .stderr || fail "not '$1'"
}
: >p.yaml
bad 'the file is empty'
echo '- a' >p.yaml
bad '1: expected a mapping with the keys grid, .*, not a list'
echo 'just text' >p.yaml
bad 'not a single value'
printf 'grid: [8\nfields: {' >p.yaml
bad '2: not YAML: '
printf 'grid: [8]\n\tfields: 1\n' >p.yaml
bad '2: not YAML: '
printf 'grid: [8]\nlet: {a: 1}\nupdate:\n  - u: x > 0 ? u : 0\n' >p.yaml
bad "4: not YAML: .*; an expression with ': ' in it needs quotes"
printf 'grid: [8, 8]\nfields: {u: {initial: [1] + 2}}\n' >p.yaml
bad '2: not YAML: .*; within braces and brackets an expression with commas, brackets or braces needs quotes'
printf 'grid: \xff\xfe\n' >p.yaml
bad 'not a text file in UTF-8'
head -c 100000 /dev/zero >p.yaml
bad 'not a text file|not YAML'
{ cat good.yaml; echo ---; cat good.yaml; } >p.yaml
bad '17: a second YAML document begins'
{ cat good.yaml; yes '# long' | head -c 300000; } >p.yaml
bad 'longer than 256 KiB'
{ echo 'a: &a [x, x]'; for k in b c d e f g h; do echo "$k: &$k [*a, *a, *a, *a]"; done; } >p.yaml
bad 'aliases \(\* and &\) are not taken here'
echo 'grid: &g [*g]' >p.yaml
bad 'aliases'
python3 -c 'print("grid: " + "[" * 100000)' >p.yaml
bad 'nested too deep'
python3 -c 'print("let: {" + ", ".join("a%d: 1" % i for i in range(20000)) + "}")' >p.yaml
bad 'entries; at most|missing'
printf 'grid: ["8\\0", 9]\n' >p.yaml
bad 'zero byte'
mkdir directory.yaml
refused 4 'directory.yaml: is a directory' solve directory.yaml

# A definition and an operator are what stands for them: the same kernels.
sed 's/{twice: 2\*u}/{"twice(f)": 2*f}/;s/twice - u.prev + c\*k\*(u\[-1,0\] - u)/twice(u) + dx(k*dx_minus(u, 4))/' good.yaml >p.yaml
sed 's,twice - u.prev + .*,2*u + 0.5*(k[0\,1]*((1/-24*(u[0\,2] - u[0\,-1]) + 9/8*(u[0\,1] - u))/dx) - k[0\,-1]*((1/-24*(u - u[0\,-3]) + 9/8*(u[0\,-1] - u[0\,-2]))/dx))/dx,' good.yaml >by_hand.yaml
expect 0 "$MASTABA" solve p.yaml --show-kernels
mv .stdout kernels
expect 0 "$MASTABA" solve by_hand.yaml --show-kernels
grep -q 'u_at_0_m3' kernels || fail "no kernels"
cmp kernels .stdout || fail "the kernels of operators differ from those of the same by hand"

# The large example of the documentation, as it stands there, on a part of its grid.
sed -n '/^    grid: \[1024, 2048\]/,/^$/s/^    //p' "$here/../../docs/stencils.md" >documented.yaml
python3 -B - "$here" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from npy import header
open("speed.npy", "wb").write(header("'<f4'", False, (520, 310)) + struct.pack("<f", 1) * (520 * 310))
END
expect 0 "$MASTABA" solve documented.yaml --grid 520x310 --steps 900 -o documented.npy
[ "$(npy describe documented.npy)" = 'float32 [520, 310]' ] || fail "the documented problem: $(npy describe documented.npy)"
[ "$(npy describe trace.npy)" = 'float64 [900, 2]' ] || fail "the documented receivers: $(npy describe trace.npy)"
npy print trace.npy | grep -q '[1-9]' || fail "the documented receivers heard nothing"
[ -s frames/u-00000100.png ] || fail "no frames of the documented problem"

# Data of another shape or type.
npy make short.npy float32 8,8 1
npy make whole.npy complex64 8,9 1
wrong 7 'fields.u.initial: short.npy has the shape \[8, 8\], the grid \[8, 9\]' 's/"x"/short.npy/'
wrong 7 'fields.u.initial: whole.npy holds complex64; real numbers are taken' 's/"x"/whole.npy/'
wrong 13 'sources\[0\].series: short.npy: a time series is an array' 's/sin(t)/short.npy/'

# Random damage ends in an error, or leaves a problem that only lacks a device: never in a crash.
python3 - good.yaml "${SEED:=$(date +%s)}" <<'END'
import random, sys
text, generator = open(sys.argv[1]).read(), random.Random(int(sys.argv[2]))
for i in range(60):
    damaged = list(text)
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(damaged))
        damaged[at:at + generator.choice((0, 1, 1, 9))] = generator.choice(["", "[", "{", ":", "-", "\n", "9" * 30, "&a", "*a", "\x07", "é", "'"])
    open("damaged-%d.yaml" % i, "w").write("".join(damaged))
END
for file in damaged-*.yaml; do
    code=0
    timeout 20 "$MASTABA" solve "$file" --dry-run --device none >.stdout 2>.stderr || code=$?
    case $code in 3 | 4) ;; *) fail "exit code $code for $file, seed $SEED" ;; esac
done
