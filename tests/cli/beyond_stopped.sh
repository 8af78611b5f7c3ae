#!/bin/bash
# Work in panels, tiles, bricks, blocks and streams, of files that exceed the budgets, that is stopped half-way or whose disk is full:
# one line, the exit code, no scratch, no part of a result, and the old one as it was.
# Long: files that are larger than budgets, and work that is waited for until it is half done.
. "${0%/*}/lib"

npy raw long.npy "'<f4'" False '(1, 40000000)' 160000000 # zeros that take no disk space
npy raw line.npy "'<c8'" False '(16777216,)' 134217728
npy raw image.npy "'|u1'" False '(12000, 12000)' 144000000
npy raw plane.npy "'<f4'" False '(3000, 3000)' 36000000
npy make taps.npy float32 1,4001 1
mkdir scratch
export MASTABA_SCRATCH=scratch
small='--device-memory 8MiB --host-memory 8MiB'
commands=(
    "fft line.npy $small"
    "convolve long.npy taps.npy $small"
    "convolve long.npy long.npy $small"
    "filter image.npy --low-pass 900 $small"
    "filter image.npy --low-pass 900 --tiles 2 $small"
    "deconvolve plane.npy --psf gaussian:4 --iterations 400 $small"
    "deconvolve plane.npy --psf gaussian:4 --iterations 400 --exact $small"
    "map sin(cos(x))+exp(sin(x))*sin(3*x+exp(sin(4*x))) x=long.npy --compile-from inf $small"
    "map cumsum(sin(cos(x))+exp(sin(x))) x=long.npy --axes 1 --compile-from inf $small"
)

# left NAME...: nothing is there but these, and no scratch.
left() {
    [ -z "$(ls -A scratch)" ] || fail "scratch is left: $(ls -A scratch)"
    [ "$(ls -A out | tr '\n' ' ')" = "$*" ] || fail "in the folder of results: $(ls -A out), not $*"
}

# stopped SIGNAL SECONDS COMMAND...: a machine that is done before the signal comes has shown nothing, and nothing is wrong.
stopped() {
    local signal=$1 seconds=$2
    shift 2
    code=0
    timeout --preserve-status -s "$signal" "$seconds" "$MASTABA" "$@" >.stdout 2>.stderr || code=$?
    [ "$code" = 130 ] || { [ "$code" = 0 ] && [ ! -s .stderr ]; } || fail "exit code $code of a stopped $*"
    [ "$code" = 0 ] || { [ "$(wc -l <.stderr)" = 1 ] && grep -q ': interrupted' .stderr; } || fail "the message of a stopped $*"
}

for command in "${commands[@]}"; do
    turn 3 || continue
    read -ra words <<<"$command"
    mkdir out
    stopped INT 0.9 "${words[@]}" -o out/z.npy
    [ "$code" = 0 ] || left
    cp taps.npy out/z.npy
    stopped TERM 1.7 "${words[@]}" -o out/z.npy -f
    left 'z.npy '
    [ "$code" = 0 ] || cmp taps.npy out/z.npy || fail "an old result was changed by $command"
    rm -r out
done

# A stream without an end stops by a signal, and one whose reader has gone ends.
if turn 3; then
    mkdir out
    code=0
    # shellcheck disable=SC2086 # words of the command line
    (while cat taps.npy; do :; done) 2>/dev/null | timeout --preserve-status -s INT 1 "$MASTABA" convolve - taps.npy -o - --raw 1 >/dev/null 2>.stderr || code=$?
    [ "$code" = 130 ] || fail "exit code $code of a stopped stream"
    left
    rm -r out
fi

if ! command -v unshare >/dev/null || ! unshare -rm true 2>/dev/null; then
    skip 'a full file system: cannot mount one'
    exit 0
fi
mkdir small
export -f refused expect fail npy turn python3
export MASTABA here python turns
for command in "${commands[@]}"; do
    turn 3 || continue
    COMMAND=$command unshare -rm bash -euc '
        mount -t tmpfs -o size=1m none small
        read -ra words <<<"$COMMAND"
        refused 4 "small/z.npy: .*No space left" "${words[@]}" -o small/z.npy
        [ -z "$(ls -A small)$(ls -A scratch)" ] || fail "left of $COMMAND: $(ls -A small scratch)"
    ' bash || exit 1
done
# A scratch folder that is full.
for command in "convolve long.npy long.npy $small" "filter image.npy --low-pass 900 $small"; do
    turn 2 || continue
    COMMAND=$command unshare -rm bash -euc '
        mount -t tmpfs -o size=1m none small
        read -ra words <<<"$COMMAND"
        export MASTABA_SCRATCH=small
        refused 4 "small has no room for .*No space left" "${words[@]}" -o z.npy
        [ ! -e z.npy ] && [ -z "$(ls -A small)" ] || fail "left of $COMMAND: $(ls -A small)"
    ' bash || exit 1
done
