#!/usr/bin/env bash
# program.sh RUN...: mastaba-mpi by three ranks, RUN being run.sh MPIEXEC -n. Results beside those of mastaba, who has what, one
# message for all, a rank that is killed and one that hangs: nothing is left of the result. As a job takes seconds to start on few
# cores, a transform, a batch and a message are all by day; the rest is for the night (MASTABA_NIGHTLY).
set -euo pipefail

fail() {
    echo "$*" >&2
    exit 1
}

by() { # by RANKS ARGUMENT...: in the background as itself
    local ranks=$1
    shift
    "${run[@]}" "$ranks" "$MASTABA_MPI" "$@"
}
run=("$@")

python3 - <<'END'
import array, math
def save(name, descr, shape, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values.tobytes())
save("x.npy", "<f4", (6, 10, 9), array.array("f", [math.sin(i * i) for i in range(540)]))
save("k.npy", "<f4", (1, 1, 4), array.array("f", [1, 0.5, 0.25, 3]))
save("x4.npy", "<f4", (6, 10, 9, 1), array.array("f", [math.cos(i * i) + 2 for i in range(540)]))
save("row.npy", "<f4", (9,), array.array("f", range(9)))
save("bright.npy", "<f4", (17, 24), array.array("f", [3e38 * math.sin(i * i) for i in range(408)]))
save("two.npy", "<f4", (2, 10, 9), array.array("f", range(180)))
for i in range(4):
    with open("image%d.pgm" % i, "wb") as f:
        f.write(b"P5\n24 16\n255\n" + bytes((7 * j * j + i) % 256 for j in range(384)))
save("turned.npy", "<c8", (5, 1, 9), array.array("f", [math.cos(i * i * i) for i in range(90)]))
save("rows.npy", "<f4", (3, 7), array.array("f", [math.sin(i * i) + 2 for i in range(21)]))
save("counts.npy", "<i8", (6, 10, 9), array.array("q", [i * i % 11 for i in range(540)]))
save("large.npy", "<f4", (256, 256, 64), array.array("f", bytes(4 << 22)))
END

alike() { # alike A B: arrays that differ by rounding, as float32
    cmp -n 128 "$1" "$2" || fail "$1 and $2 have other headers"
    python3 - "$@" <<'END'
import array, sys
files = [open(p, "rb").read() for p in sys.argv[1:]]
wide = b"<c16" in files[0][:128] or b"<f8" in files[0][:128]
a, b = (array.array("d" if wide else "f", f[128:]) for f in files)
worst = max(abs(x - y) for x, y in zip(a, b))
most = max(map(abs, a))
assert len(a) == len(b) and most > 0.1 and worst < 2e-6 * most, (len(a), len(b), worst, most)
END
}

echo "== pages of the manual, without a job"
[ "$("$MASTABA_MPI" manual | tr '\n' ' ')" = 'fft convolve map filter integrate solve manual ' ] || fail "other pages than commands"
for name in fft convolve map filter integrate solve; do
    "$MASTABA_MPI" manual $name >page
    grep -Fq "mastaba\\-mpi\\-$name" page && grep -Fq '\fB\-\-timeout\fR=\fISECONDS\fR' page || fail "the page of $name is not that of mastaba-mpi"
done

echo "== as by one process"
"$MASTABA" fft x.npy -o one.npy --axes 0,1,2 --real >/dev/null
by 3 fft x.npy -o slabs.npy --axes 0,1,2 --real | grep -q "by 3 ranks in slabs" || fail "no report of slabs"
alike one.npy slabs.npy

echo "== shares of a batch, with the bits of one process"
map=('A = sin(B) * C + i2 / n1' 'D = B > 0' B=x.npy C=row.npy)
"$MASTABA" map "${map[@]}" -o a1.npy -o d1.npy >/dev/null
by 4 map "${map[@]}" -o an.npy -o dn.npy | grep -q "by 4 ranks" || fail "no report of a map" # the last one has nothing of an axis of six
for name in a d; do cmp ${name}1.npy ${name}n.npy || fail "$name by 4 ranks has other bits"; done

echo "== a convolution in a circle along the axis that ranks share"
"$MASTABA" convolve x.npy x.npy --axes 0,2 --mode circular --correlate -o ring1.npy >/dev/null
by 4 convolve x.npy x.npy --axes 0,2 --mode circular --correlate -o ring.npy | grep -q "by distributed-fft, by 4 ranks" || fail "no report of a ring"
alike ring1.npy ring.npy

echo "== one image by all ranks"
alike_image() { # alike_image A B: no pixel is off by more than one level, and not all are alike
    python3 - "$@" <<'END'
import sys
a, b = (open(p, "rb").read() for p in sys.argv[1:])
assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) <= 1 and len(set(a)) > 50, (len(a), len(b))
END
}
"$MASTABA" filter image0.pgm -o sharp1.pgm --sharpen 5,1 >/dev/null
by 3 filter image0.pgm -o sharp3.pgm --sharpen 5,1 | grep -q "each by 3 ranks together" || fail "no report of an image"
alike_image sharp1.pgm sharp3.pgm

echo "== all that a scheme writes, byte for byte as by one process"
cat >all.yaml <<'END'
grid: [45, 30]
spacing: 1.0
time_step: 0.1
fields: {u: {initial: "exp(-((x-12)^2+(y-20)^2)/20)"}, v: "sin(x*y/40)"}
boundary: {x: dirichlet 0, y: neumann}
update: [{u: "u + dt*(u[-1,0] + u[1,0] + u[0,1] + u[0,-1] - 4*u) + 0*v*u"}, {v: "v*0.99 + 0.01*u*u"}]
receivers:
  - {field: u, at: [[3, 4], [22, 17], [44, 2]], file: trace.npy}
  - {field: v, line: [[2, 0], [40, nx-1], 16], file: trace.png, colors: diverging}
  - {field: u, position: [[20.3, 11.7]], interpolation: sinc 3, file: between.npy, spectrum: {frequencies: [0.1, 0.2], file: bs.npy}}
monitors:
  - {name: energy, expression: "u*u + u[3,0]*v", reduce: sum, every: 3, file: energy.csv}
  - {name: most, expression: "u", reduce: max, every: 5, region: {x: 4, y: [2, 40]}, file: most.npy}
spectra:
  - {field: u, frequencies: [0.1, 0.3], file: uf.npy}
  - {field: u*v, frequencies: [0.2], region: {x: 3}, file: vf.npy}
output:
  - {every: 10, fields: [u, v], format: vti, file: frames/both}
  - {every: 7, fields: [u], format: png, file: frames/p, range: [0, 1]}
  - {every: 10, fields: [v, u], format: npy, file: frames/n, slice: {x: 5}, decimate: 2}
until: {condition: "most < 0.55 && t > 1.5", every: 4}
steps: 60
END
solve_all() { # solve_all DIRECTORY COMMAND...: what it prints of monitors goes to DIRECTORY.txt
    local directory=$1
    shift
    mkdir -p "$directory"
    cp all.yaml "$directory/"
    (cd "$directory" && "$@" solve all.yaml -o r.npy --checkpoint c.chk --exchange-every 2) | grep "after step" >"$directory.txt"
}
alike_all() { # alike_all DIRECTORY
    diff -r all1 "$1" && diff all1.txt "$1.txt" || fail "$1 has other files than one process"
    [ "$(ls all1 | wc -l)" = 12 ] && grep -q "ended after step 16" all1.txt || fail "one process writes other files: $(ls all1) $(cat all1.txt)"
}
solve_all all1 "$MASTABA"
solve_all all3 by 3
alike_all all3

echo "== one message"
refused() { # refused TEXT COMMAND ARGUMENT...: by one message that has the text, and nothing is written
    local text=$1 code=0
    shift
    by 2 "$@" -o y.npy >out.txt 2>err.txt || code=$?
    [ $code != 0 ] && [ "$(grep -c '^mastaba-mpi' err.txt)" = 1 ] && grep -q -- "$text" err.txt || fail "$*: $code, $(cat err.txt)"
    [ ! -e y.npy ] || fail "$* left a result"
}
refused "reduction along the first axis" map 'sum(B)' B=x.npy
if [ -z "${MASTABA_NIGHTLY-}" ]; then
    exit
fi

echo "== pencils, and back"
by 4 fft x.npy -o pencils.npy --axes 0,1,2 --real --layout pencils --json | grep -q '"layout": "pencils"' || fail "no report of pencils"
alike one.npy pencils.npy
python3 -c "
head, data = open('x.npy', 'rb').read()[:128], open('x.npy', 'rb').read()[128:]
open('order.npy', 'wb').write(head.replace(b'False', b'True ').replace(b'(6, 10, 9)', b'(9, 10, 6)') + data)"
"$MASTABA" fft order.npy -o order1.npy --axes 0,1 >/dev/null # in Fortran order, which is read whole
by 3 fft order.npy -o order3.npy --axes 0,1 >/dev/null
alike order1.npy order3.npy
by 3 fft slabs.npy -o back.npy --axes 0,1,2 --real --inverse -n 9 >/dev/null
alike x.npy back.npy

echo "== a grid, with the bits of one process"
"$MASTABA" solve heat2d --grid 40x24 --steps 20 -o heat.npy >/dev/null
by 3 solve heat2d --grid 40x24 --steps 20 -o heats.npy | grep -q "20 steps by 3 ranks" || fail "no report of steps"
cmp heat.npy heats.npy || fail "ranks give other bits"
for grid in heat1d "heat2d --grid 3x50"; do # the first rank has all
    "$MASTABA" solve $grid --steps 20 -o row1.npy --force >/dev/null
    by 3 solve $grid --steps 20 -o rown.npy --checkpoint row.chk --force >/dev/null
    cmp row1.npy rown.npy || fail "$grid: ranks give other bits"
    by 2 solve $grid --steps 30 -o rown.npy --checkpoint row.chk --resume --force >/dev/null
    "$MASTABA" solve $grid --steps 30 -o row1.npy --force >/dev/null
    cmp row1.npy rown.npy || fail "$grid: ranks go on to other bits"
    rm row.chk
done
by 3 solve heat1d --dry-run | grep -q "rank 2: nothing" || fail "no plan of a row"
by 3 solve heat2d --grid 40x24 --steps 20 --exchange beside --exchange-every 2 -o heats.npy --force >/dev/null
cmp heat.npy heats.npy || fail "exchanges beside the interior give other bits"
by 3 solve heat2d --grid 40x24 --exchange-every 2 --dry-run | grep -q "rank 1: planes 1[34] to .*, halos every 2 steps" || fail "no plan"
by 2 solve heat2d --grid 2x24 --dry-run | grep -q "rank 0: planes 0 to 1, no halos" || fail "halos of one part"

echo "== bricks"
by 4 solve heat2d --grid 40x24 --steps 20 --layout 2x2 -o heats.npy --force >/dev/null
cmp heat.npy heats.npy || fail "bricks give other bits"
for layout in bricks pencils 2x2; do
    by 4 solve heat2d --grid 40x24 --layout $layout --exchange-every 1 --dry-run |
        grep -q "rank 3: nodes \[20:40,12:24\], halos every 1 steps, each time 3 messages of 132 bytes" || fail "no plan of $layout"
done
mkdir bricks1 bricks4 # frames and spectra of regions, traces, and a checkpoint from which another layout goes on
for bricks in bricks1 bricks4; do sed '/^until/d' all.yaml >$bricks/all.yaml; done
(
    cd bricks4
    by 4 solve all.yaml --steps 7 -o r.npy --checkpoint c.chk --layout 2x2 >/dev/null
    by 6 solve all.yaml --steps 30 -o r.npy --checkpoint c.chk --layout 3x2 --resume >/dev/null
)
(cd bricks1 && "$MASTABA" solve all.yaml --steps 30 -o r.npy --checkpoint c.chk >/dev/null)
diff -r bricks1 bricks4 || fail "bricks write other files"
for layout in 3x1 2 1x1x2 x what 0x2; do
    refused "--layout $layout" solve heat2d --grid 40x24 --layout $layout
done
refused "2 bricks are too many for the 3 nodes of axis 1" solve heat2d --grid 40x3 --layout 1x2 --exchange-every 1
cat >grids.yaml <<'END'
grid: [8, 9, 10]
parameters: {k: 0.1}
runs: [{k: 0.1}, {k: 0.05}]
fields: {u: x}
update: [{u: u + k*laplace(u)}]
steps: 5
END
refused "ensemble of grids of three axes" solve grids.yaml

echo "== outputs by more ranks, and from the others' checkpoint"
solve_all all5 by 5
alike_all all5
mkdir half1 half4 # begins alone, and goes on by ranks
for half in half1 half4; do sed 's/^until.*//' all.yaml >$half/all.yaml; done
(
    cd half4
    "$MASTABA" solve all.yaml --steps 7 -o r.npy --checkpoint c.chk >/dev/null
    by 4 solve all.yaml --steps 30 -o r.npy --checkpoint c.chk --resume >/dev/null
)
(cd half1 && "$MASTABA" solve all.yaml --steps 30 -o r.npy --checkpoint c.chk >/dev/null)
diff -r half1 half4 || fail "4 ranks go on to other files"

echo "== an interrupt leaves a checkpoint of all"
by_long=("${run[@]}" 3 "$MASTABA_MPI" solve heat2d --grid 200x100 --steps 100000000 -o y.npy)
for who in one all; do
    rm -f stop.chk
    "${by_long[@]}" --checkpoint stop.chk --checkpoint-every 500 >out.txt 2>err.txt &
    job=$!
    for attempt in $(seq 600); do
        if [ -e stop.chk ]; then break; fi
        sleep 0.1
    done
    ranks=$(pgrep -f "^$MASTABA_MPI solve heat2d --grid 200x100")
    if [ $who = one ]; then ranks=$(tail -1 <<<"$ranks"); fi
    kill -TERM $ranks
    code=0
    wait $job || code=$?
    [ $code = 130 ] && [ ! -e y.npy ] || fail "$who interrupted: $code, $(cat err.txt)"
    step=$(sed -n 's/^mastaba-mpi solve: interrupted at step \([0-9]*\) of.*continues from stop.chk/\1/p' err.txt)
    [ -n "$step" ] || fail "no message: $(cat err.txt)"
    "$MASTABA" solve heat2d --grid 200x100 --steps $((step + 7)) -o went-on.npy --checkpoint stop.chk --resume --force >/dev/null
    "$MASTABA" solve heat2d --grid 200x100 --steps $((step + 7)) -o whole.npy --force >/dev/null
    cmp went-on.npy whole.npy || fail "what an interrupt leaves at step $step has other bits"
done

echo "== a field that diverges"
for way in "$MASTABA" "by 3"; do
    code=0
    $way solve heat2d --grid 40x24 --steps 4000 --time-step 0.3 --force -o wild.npy >out.txt 2>err.txt || code=$?
    [ $code = 6 ] && [ ! -e wild.npy ] && [ -e wild.diverged.npy ] || fail "$way: a wild step gives $code: $(cat err.txt)"
    rm wild.diverged.npy
done
cat >wild.yaml <<'END'
grid: [24, 20]
spacing: 1.0
time_step: 1.0
fields: {u: {initial: "x + y"}}
update: [{u: "1e8*u + 0.1*(u[-1,0] + u[1,0])"}]
until: {condition: "t > 6.5", every: 1}
steps: 50
END
for way in "$MASTABA" "by 3"; do
    code=0
    $way solve wild.yaml -o wild.npy >out.txt 2>err.txt || code=$?
    [ $code = 6 ] && [ ! -e wild.npy ] && [ -e wild.diverged.npy ] || fail "$way: what diverged until it ended gives $code: $(cat err.txt)"
    rm wild.diverged.npy
done

echo "== a checkpoint of ranks is that of one process, and either goes on from the other's"
yee="yee2d --grid 64x40"
"$MASTABA" solve $yee --steps 14 -o yee.npy --checkpoint one.chk >/dev/null
by 3 solve $yee --steps 6 -o part.npy --checkpoint ranks.chk --checkpoint-every 4 >/dev/null
cp ranks.chk six.chk
by 5 solve $yee --steps 14 -o yees.npy --checkpoint ranks.chk --resume >/dev/null
cmp yee.npy yees.npy || fail "five ranks go on to other bits from what three wrote"
cmp one.chk ranks.chk || fail "the checkpoint of ranks is another one"
"$MASTABA" solve $yee --steps 14 -o yees.npy --checkpoint six.chk --resume >/dev/null
cmp yee.npy yees.npy || fail "one process goes on to other bits from what three ranks wrote"
for every in 1s 10m; do
    by 3 solve $yee --steps 14 -o yees.npy --checkpoint timed.chk --checkpoint-every $every --exchange-every 3 --force >/dev/null
    cmp yee.npy yees.npy && cmp one.chk timed.chk || fail "checkpoints by time change the bits"
done
printf x | dd of=ranks.chk bs=1 seek=200 conv=notrunc 2>/dev/null
for wrong in "$yee --steps 20 --checkpoint ranks.chk --resume" "$yee --steps 9 --checkpoint one.chk --resume" \
    "heat2d --steps 20 --checkpoint one.chk --resume" "$yee --checkpoint one.chk" "$yee --resume" \
    "$yee --checkpoint none.npy" "$yee --checkpoint new.chk --checkpoint-every x" "$yee --checkpoint none.chk --resume"; do
    code=0
    by 2 solve $wrong -o none.npy >out.txt 2>err.txt || code=$?
    [ $code != 0 ] && [ "$(grep -c '^mastaba-mpi' err.txt)" = 1 ] || fail "solve $wrong: $code, $(cat err.txt)"
    [ ! -e none.npy ] && [ ! -e new.chk ] || fail "solve $wrong left a file"
done

echo "== a rank that is killed leaves the last whole checkpoint"
by 2 solve heat2d --grid 200x200 --steps 100000000 -o y.npy --checkpoint kept.chk --checkpoint-every 500 >out.txt 2>err.txt &
job=$!
for attempt in $(seq 600); do
    if [ -e kept.chk ]; then break; fi
    sleep 0.1
done
[ -e kept.chk ] || fail "no checkpoint: $(cat err.txt)"
kill -KILL $(pgrep -f "^$MASTABA_MPI solve heat2d --grid 200x200" | tail -1)
code=0
wait $job || code=$?
[ $code != 0 ] && [ ! -e y.npy ] || fail "a rank was killed: $code"
"$MASTABA" solve heat2d --grid 200x200 --steps 100000000 --checkpoint kept.chk --resume --dry-run >/dev/null || fail "what is left"

echo "== unlike builds"
library=$(ldd "$MASTABA_MPI" | sed -n 's/.*libmastaba_mpi[^ ]* => \([^ ]*\) .*/\1/p')
python3 - "$library" <<'END'
import sys
text = open(sys.argv[1], "rb").read()
at = text.index(b"\x14\0\0\0\x03\0\0\0GNU\0") + 12
open("other.so", "wb").write(text[:at] + bytes(20) + text[at + 20:])
END
code=0
"${run[@]}" 1 "$MASTABA_MPI" fft x.npy -o unlike.npy --axes 0,1 : -n 1 env LD_PRELOAD="$PWD/other.so" "$MASTABA_MPI" fft x.npy \
    -o unlike.npy --axes 0,1 >out.txt 2>err.txt || code=$?
[ $code != 0 ] && [ ! -e unlike.npy ] && [ "$(grep -c 'rank 1: this rank has another build' err.txt)" = 1 ] || fail "unlike builds: $code, $(cat err.txt)"
rm other.so

echo "== more shares of a batch"
mkdir f1 fn
"$MASTABA" map 'sum(B * C)' B=x.npy C=row.npy --axes 2 -o s1.npy >/dev/null
"$MASTABA" convolve x.npy k.npy -o c1.npy --algorithm direct >/dev/null
"$MASTABA" integrate 'sin(a * x)' --from 0 --to 1 -p a=1:9:7 -o i1.npy >/dev/null
"$MASTABA" filter image?.pgm -o f1/ --low-pass 5 >/dev/null
ranks=3
by $ranks map 'sum(B * C)' B=x.npy C=row.npy --axes 2 -o sn.npy --force >/dev/null
by $ranks convolve x.npy k.npy -o cn.npy --algorithm direct --force --json >out.txt
grep -q '"bytes": 5088' out.txt || fail "not the bytes of all ranks, the kernel for each: $(cat out.txt)"
by $ranks integrate 'sin(a * x)' --from 0 --to 1 -p a=1:9:7 -o in.npy --force >out.txt
grep -q "^in.npy: 7 integrals" out.txt || fail "$(cat out.txt)"
by $ranks filter image?.pgm -o fn/ --low-pass 5 --force | grep -q "fn/: 4 images" || fail "no report of images"
for name in s c i; do cmp ${name}1.npy ${name}n.npy || fail "$name by $ranks ranks has other bits"; done
for i in 0 1 2 3; do cmp f1/image$i.pgm fn/image$i.pgm || fail "image$i by $ranks ranks has other bits"; done
"$MASTABA" integrate 'sin(a * x)' --from 0 --to 1 -p a=1:9:7 >one.txt
by 3 integrate 'sin(a * x)' --from 0 --to 1 -p a=1:9:7 >ranks.txt
cmp one.txt ranks.txt || fail "ranks print other integrals"

echo "== images and volumes, each by all ranks"
image() { # image RANKS ARGUMENT...
    local ranks=$1
    shift
    "$MASTABA" filter "$@" -o image1.npy --output raw --force >/dev/null
    by $ranks filter "$@" -o image.npy --output raw --force >/dev/null
    alike image1.npy image.npy
}
image 5 x4.npy --volume --band-pass 1,3 --precision float64
image 3 image1.pgm --stripes 30,20 --linear
image 5 rows.npy --low-pass 1 # fewer rows than ranks
image 2 image1.pgm --band-stop 2,4 --edges zero
mkdir two1 two5
"$MASTABA" filter image0.pgm image1.pgm -o two1/ --high-pass 4 >/dev/null
head -c 100 image1.pgm >half.pgm
code=0
by 5 filter image0.pgm half.pgm image1.pgm -o two5/ --high-pass 4 >out.txt 2>err.txt || code=$?
[ $code = 4 ] && [ "$(grep -c '^mastaba-mpi.*half.pgm' err.txt)" = 1 ] && grep -q "two5/: 2 images" out.txt || fail "one of three images: $code, $(cat err.txt)"
for i in 0 1; do alike_image two1/image$i.pgm two5/image$i.pgm; done
by 2 filter image0.pgm -o noise2.pgm --wiener 5 >out.txt
"$MASTABA" filter image0.pgm -o noise1.pgm --wiener 5 >/dev/null
cmp noise1.pgm noise2.pgm && ! grep -q together out.txt || fail "a Wiener filter has other bits: $(cat out.txt)"

echo "== through pipes, by mpiexec, which may pass on what the first rank writes through a terminal of its own"
"$MASTABA" filter image1.pgm -o - --low-pass 5 >piped1.pgm
by 3 filter image1.pgm -o - --low-pass 5 | cat >piped3.pgm || fail "a pipe behind ranks"
alike_image piped1.pgm piped3.pgm
by 3 filter image1.pgm -o npy:- --output raw --low-pass 5 | cat >piped3.npy || fail "a pipe behind ranks" # bytes of all values
"$MASTABA" filter image1.pgm -o npy:- --output raw --low-pass 5 >piped1.npy
alike piped1.npy piped3.npy
by 3 filter - -o - --low-pass 5 <image1.pgm | cmp - piped1.pgm || fail "pipes on both sides of ranks"

echo "== a write that takes longer than others wait for a rank that is silent"
python3 -c "open('wide.pgm', 'wb').write(b'P5\n600 400\n255\n' + bytes(j % 600 * j // 90000 % 256 for j in range(240000)))"
cat >slow.sh <<'END'
#!/bin/sh
if [ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 0 ]; then exec "$@" >slow; fi
exec "$@"
END
chmod +x slow.sh
mkfifo slow # more than it holds is written
{ sleep 8; cat; } <slow >wide2.pgm &
"${run[@]}" 2 ./slow.sh "$MASTABA_MPI" filter wide.pgm -o - --low-pass 5 --timeout 2 2>err.txt || fail "a slow write: $(cat err.txt)"
wait
"$MASTABA" filter wide.pgm -o wide1.pgm --low-pass 5 >/dev/null
alike_image wide1.pgm wide2.pgm

echo "== convolutions along the axis that ranks share"
along() { # along RANKS ARGUMENT...
    local ranks=$1
    shift
    "$MASTABA" convolve "$@" -o along1.npy --force >/dev/null
    by $ranks convolve "$@" -o along.npy --force >/dev/null
    alike along1.npy along.npy
}
along 3 x.npy two.npy --axes 0,1
along 5 x.npy two.npy --axes 0 --mode valid # as many rows as ranks
along 7 two.npy x.npy --axes 0,1 --mode valid --correlate
along 2 row.npy row.npy --mode same
along 3 two.npy x.npy --axes 0,1 --mode same # the kernel is longer than a share
along 7 x.npy x.npy --axes 0,1,2
along 2 x.npy turned.npy --axes 0,2 --correlate --mode valid
along 5 counts.npy turned.npy --axes 0,2 --mode same
by 3 convolve x.npy x.npy --axes 0,1 --dry-run >plan.txt
grep -q "rank 2: x \[4:6,0:10,0:9\], y \[4:6,0:10,0:9\], z \[8:11,0:19,0:9\], sends 6 messages of" plan.txt || fail "$(cat plan.txt)"

echo "== who has what"
by 2 fft x.npy --axes 0,1,2 --dry-run >plan.txt
grep -q 'rank 1: in \[3:6,0:10,0:9\], out \[0:6,5:10,0:9\], sends 1 message of 1.05 KiB' plan.txt || fail "$(cat plan.txt)"

by 2 filter image0.pgm --low-pass 5 --dry-run >plan.txt
grep -q 'image0.pgm: transformed at 1 x 16 x 24 points' plan.txt && grep -q 'rank 1: in \[8:16,0:24,0:1\], out \[8:16,0:24,0:1\], sends 2 messages of' plan.txt || fail "$(cat plan.txt)"
by 2 filter image0.pgm image1.pgm --low-pass 5 --dry-run --json | python3 -c '
import json, sys
plan = json.load(sys.stdin)
assert [(i["image"], i["rank"]) for i in plan] == [("image0.pgm", 0), ("image1.pgm", 1)], plan'
by 3 filter x4.npy --volume --low-pass 2 --dry-run --json | python3 -c '
import json, sys
(plan,) = json.load(sys.stdin)
rows = [r["output"]["shape"] for r in plan["ranks"]]
assert len(rows) == 3 and sum(r[0] for r in rows) == 6 and all(r["host_bytes"] > 0 for r in plan["ranks"]), plan'

echo "== problems of the same sizes that differ"
for host in 0 1; do
    mkdir host$host
    cat >host$host/bump.yaml <<END
grid: [12, 10]
spacing: 1.0
time_step: 0.1
fields: {u: sin(x + $host)}
boundary: {x: dirichlet 0, y: dirichlet 0}
update: [{u: "u + dt*(u[-1,0] - 2*u + u[1,0])"}]
steps: 3
END
done
cat >host.sh <<'END'
#!/bin/sh
cd "host${OMPI_COMM_WORLD_RANK-$PMI_RANK}" && exec "$@"
END
chmod +x host.sh
result=$PWD/y.npy code=0
"${run[@]}" 2 ./host.sh "$MASTABA_MPI" solve bump.yaml -o "$result" >out.txt 2>err.txt || code=$?
[ $code = 4 ] && grep -q "not the same problem" err.txt && [ ! -e y.npy ] || fail "two problems: $code, $(cat err.txt)"
cp host0/bump.yaml host1/
"${run[@]}" 2 ./host.sh "$MASTABA_MPI" solve bump.yaml -o "$result" --force >/dev/null || fail "the same problem twice"
rm y.npy

echo "== operands that differ: the one that does is named"
for host in 0 1; do cp x.npy host$host/same.npy; done
cp x.npy host0/other.npy
cp two.npy host1/other.npy
for command in "convolve same.npy other.npy" "convolve other.npy same.npy" "map B+C B=same.npy C=other.npy"; do
    code=0
    "${run[@]}" 2 ./host.sh "$MASTABA_MPI" $command -o "$result" >out.txt 2>err.txt || code=$?
    [ $code = 4 ] && grep -q "other.npy: is not the same file for all ranks" err.txt && [ ! -e y.npy ] || fail "$command: $code, $(cat err.txt)"
done

echo "== more messages"
for wrong in "none.npy -o y.npy" "x.npy -o y.npy --axes 3" "x.npy -o y.npy --layout bricks" "x.npy -o one.npy" \
    "x.npy -o y.npy --timeout inf"; do
    code=0
    by 2 fft $wrong >out.txt 2>err.txt || code=$?
    [ $code != 0 ] && [ "$(grep -c '^mastaba-mpi' err.txt)" = 1 ] || fail "fft $wrong: $code, $(cat err.txt)"
done
for wrong in "heat2d -o y.npy --time-step 99" "none.yaml -o y.npy" "heat2d -o heat.npy" "heat2d --set b=1 -o y.npy" "heat2d --exchange 2 -o y.npy"; do
    code=0
    by 2 solve $wrong >out.txt 2>err.txt || code=$?
    [ $code != 0 ] && [ "$(grep -c '^mastaba-mpi' err.txt)" = 1 ] || fail "solve $wrong: $code, $(cat err.txt)"
done

refused "running sum along the first axis" map 'sum(B)' B=x.npy --axes -3
refused "i0 or n0" map 'B * i0' B=x.npy
refused "of 2 and 6 along the first axis\|of 6 and 2 along" map 'B + C' B=x.npy C=two.npy
refused "has 1 element, which 2 ranks" map 'B + 1' B=k.npy
refused "one page" filter image0.pgm --volume --low-pass 3
refused "results are too large" filter bright.npy --sharpen 5,50 # parts of it were to be written by all
refused "in a circle" convolve row.npy row.npy --mode circular
refused "do not match" convolve x.npy two.npy
code=0 # a stream has one reader
by 2 convolve - row.npy --raw 1 -o - </dev/null >out.txt 2>err.txt || code=$?
[ $code = 2 ] && grep -q "ranks do not share a stream" err.txt || fail "a stream by ranks: $code, $(cat err.txt)"
head -c 100 image1.pgm >cut.pgm # the second rank's share alone fails
code=0
by 2 filter image0.pgm cut.pgm -o fn/ --low-pass 5 --force >out.txt 2>err.txt || code=$?
[ $code = 4 ] && [ "$(grep -c '^mastaba-mpi.*cut.pgm' err.txt)" = 1 ] && [ ! -e fn/cut.pgm ] || fail "one rank fails: $code, $(cat err.txt)"
cmp f1/image0.pgm fn/image0.pgm || fail "the image of the rank that did not fail"

reader() { # a rank that has opened the input: MPI has begun
    for pid in $(pgrep -f "^$MASTABA_MPI fft large"); do
        if ls -l /proc/$pid/fd 2>/dev/null | grep -q /large.npy; then
            echo $pid
            return
        fi
    done
}

echo "== a rank that is killed, and one that hangs"
for signal in KILL STOP; do
    by 2 fft large.npy -o y.npy --axes 0,1,2 --no-cache --timeout 3 >out.txt 2>err.txt &
    job=$!
    victim=
    for attempt in $(seq 400); do
        victim=$(reader)
        if [ -n "$victim" ]; then break; fi
        sleep 0.02
    done
    [ -n "$victim" ] || fail "no rank reads large.npy"
    kill -$signal $victim
    began=$SECONDS code=0
    wait $job || code=$?
    [ $code != 0 ] || fail "a rank was sent $signal, and all went well"
    [ $((SECONDS - began)) -lt 60 ] || fail "the job took $((SECONDS - began)) s to end"
    [ ! -e y.npy ] || fail "a result is left"
    if [ $signal = STOP ]; then grep -q "waited 3 s" err.txt || fail "no message: $(cat err.txt)"; fi
done
[ -z "$(ls -A | grep '\.tmp$' || true)" ] || fail "files are left: $(ls -A)"
echo ok
