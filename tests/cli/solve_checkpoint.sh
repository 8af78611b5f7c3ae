#!/bin/bash
# Killed at any moment, a run continues from its checkpoint to the same bits.
. "${0%/*}/lib"

cat >p.yaml <<'END'
grid: [60, 70]
parameters: {c: 0.5}
fields:
  u: {initial: exp(-((x-30)^2+(y-20)^2)/20), levels: 2}
  w: 0
boundary: {x: periodic}
update:
  - u: 2*u - u.prev + c^2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)
  - w: 0.99*w + u^2
sources: [{field: u, at: [9, 9], series: "ricker(t, 0.01)"}]
receivers: [{field: u, at: [[30, 35], [1, 1]], file: t.npy}]
steps: 2000
output: {every: 500, fields: [u, w], format: npy, file: f}
END
mkdir whole killed
cd whole
expect 0 "$MASTABA" solve ../p.yaml -o out.npy
cd ../killed

# kill -9 at any moment, also while a checkpoint is written: as often as it takes to end.
kills=0 resume=
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    # shellcheck disable=SC2086
    "$MASTABA" solve ../p.yaml -o out.npy --checkpoint c --checkpoint-every 20 $resume >.stdout 2>.stderr </dev/null &
    child=$!
    if [ $round -lt 6 ]; then
        for _ in $(seq 400); do [ ! -e c ] || break; sleep 0.02; done
        sleep 0.0$((RANDOM % 90 + 10))
        ! kill -9 $child 2>/dev/null || kills=$((kills + 1))
    fi
    code=0
    wait $child 2>/dev/null || code=$?
    [ $code != 0 ] || break
    [ $code = 137 ] || fail "exit code $code in round $round"
    resume=--resume
done
[ $code = 0 ] || fail "never done"
[ $kills -gt 0 ] || skip 'kill -9: the run was done too soon'
for file in out.npy t.npy f-u-00000500.npy f-w-00001500.npy f-u-00002000.npy; do
    cmp ../whole/$file $file || fail "after $kills kills $file has other bits"
done
rm -f .mastaba-*.tmp

# An interrupt leaves a checkpoint of the last step; without one it says that the state is lost.
cat >long.yaml <<'END'
grid: [60, 70]
fields: {u: x}
update: [u: "0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1])"]
steps: 1000000000
END
# interrupted SIGNAL FILE ARGUMENT...: solves until it has made the file, and sends it the signal (INT is ignored in the background).
interrupted() {
    signal=$1 made=$2
    shift 2
    rm -f "$made"
    "$MASTABA" solve "$@" >.stdout 2>.stderr </dev/null &
    until [ -s "$made" ]; do
        kill -0 $! || fail "ended without $made"
        sleep 0.05
    done
    kill -"$signal" $!
    code=0
    wait $! || code=$?
    [ "$code" = 130 ] || fail "exit code $code, not 130, after $signal: $*"
}
for signal in HUP TERM; do
    interrupted $signal long long.yaml --checkpoint long --checkpoint-every 0.1s -f
    grep -q '^mastaba solve: interrupted; ending this trip to write long; a second interrupt ' .stderr || fail "no promise"
    grep -Eq '^mastaba solve: interrupted at step [0-9]+ of 1000000000; --resume continues from long$' .stderr || fail "no message"
    [ -s long ] || fail "no checkpoint after $signal"
done
step=$(sed -n 's/.*at step \([0-9]*\) of.*/\1/p' .stderr)
expect 0 "$MASTABA" solve long.yaml --checkpoint long --resume --steps $((step + 7)) -o a.npy --json
json "j['first_step'] == $step and j['steps'] == $step + 7"
sed '$a output: [{every: 1000000000, fields: [u], format: npy, file: long}]' long.yaml >framed.yaml
interrupted TERM long-00000000.npy framed.yaml
grep -Eq 'the state is lost|files that were not whole yet are removed' .stderr || fail "no message without a checkpoint"
rm long

# A finished run goes on with more steps; a checkpoint is taken by time too.
expect 0 "$MASTABA" solve ../p.yaml --steps 300 --checkpoint d --checkpoint-every 0.001s -f
expect 0 "$MASTABA" solve ../p.yaml --checkpoint d --resume -o more.npy
cmp out.npy more.npy || fail "300 and 1700 steps are not 2000"
cmp t.npy ../whole/t.npy || fail "the trace of 300 and 1700 steps is not that of 2000"

# What is no checkpoint of this problem is refused.
refused 4 'c: exists; --resume continues from it, --force' solve long.yaml --checkpoint c
refused 4 'gone: No such file' solve ../p.yaml --checkpoint gone --resume
for change in 's/c: 0.5/c: 0.4/' 's/4\*u)/4*u) + 0/' 's/60, 70/70, 60/' 's/x: periodic/y: periodic/' 's/x: periodic/x: periodic, y-: {u: mirror}/' 's/at: \[9, 9\]/at: [9, 8]/' \
    's/\[1, 1\]/[1, 2]/' 's/(x-30)/(x-31)/' 's/^fields/precision: float64\nfields/' 's/^fields/time_step: 0.9\nfields/'; do
    sed "$change" ../p.yaml >other.yaml
    refused 4 'c: a checkpoint of another problem: grid, ' solve other.yaml --checkpoint c --resume
done
rm other.yaml
refused 4 'c: was taken at step 2000, but this run ends at step 1999' solve ../p.yaml --checkpoint c --resume --steps 1999
bytes=$(stat -c %s c)
for at in 3 20 44 100 $((bytes / 2)) $((bytes - 5)); do
    cp c damaged
    printf '\x5a' | dd of=damaged bs=1 seek=$at conv=notrunc 2>/dev/null
    refused 4 'damaged: (not a checkpoint|a checkpoint of another|damaged: |was taken at)' solve ../p.yaml --checkpoint damaged --resume
done
head -c $((bytes - 1)) c >damaged
refused 4 'damaged: damaged: its length' solve ../p.yaml --checkpoint damaged --resume
head -c 10 c >damaged
refused 4 'damaged: not a checkpoint' solve ../p.yaml --checkpoint damaged --resume
