#!/bin/sh
# mastaba solve: a run whose fields are no longer finite ends with 6, and the last checkpoint stays.
# Long: each schedule is run until it diverges.
. "${0%/*}/lib"

finite() {
    npy print "$1" >.values || fail "$1 cannot be read"
    ! grep -Eq 'nan|inf' .values
}

# Beyond the Courant limit float32 overflows near step 100.
unstable="heat2d --grid 40x50 --time-step 1 --steps 400 --force --precision float32"
for schedule in in-core skewed; do
    rm -f -- *.npy good
    expect 6 "$MASTABA" solve $unstable -o u.npy --schedule $schedule --checkpoint good --checkpoint-every 30
    grep -q '^mastaba solve: u diverged between steps [1-9][0-9]*0 and [1-9][0-9]*0: .* beyond the Courant limit 0.25; the state is in u.diverged.npy$' .stderr ||
        fail "the message of $schedule"
    [ "$(wc -l <.stderr)" = 1 ] || fail "more than one message"
    [ ! -e u.npy ] || fail "an output of a diverged run"
    finite u.diverged.npy && fail "the state that diverged is finite" || true
    [ "$(npy describe u.diverged.npy)" = 'float32 [40, 50]' ] || fail "the state that diverged: $(npy describe u.diverged.npy)"

    # The checkpoint is of the step before, and a run may go on from there.
    last=$(sed 's/.*between steps \([0-9]*\) and.*/\1/' .stderr)
    expect 0 "$MASTABA" solve $unstable --schedule $schedule --steps "$last" -o kept.npy --checkpoint good --resume
    finite kept.npy || fail "the checkpoint of $schedule is not finite"
done

expect 0 "$MASTABA" solve $unstable -o u.npy --no-check --force
finite u.npy && fail "nothing has diverged" || true

# Without -o the state goes beside the frames, and the last frame is a good one; without any name it goes nowhere.
cat >frames.yaml <<'END'
grid: [10, 10]
time_step: 1.0
fields: {u: "x == 4 && y == 4 ? 1 : 0"}
update: [{u: "1000*u + 0*u[0,1]"}]
steps: 30
output: [{every: 4, fields: [u], format: npy, file: frame}]
END
sed 's/^output.*//' frames.yaml >silent.yaml
expect 6 "$MASTABA" solve frames.yaml
grep -q 'between steps 12 and 16: .*may help; the state is in frame.diverged.npy' .stderr || fail "the message of frames"
[ -e frame-00000012.npy ] && [ ! -e frame-00000016.npy ] || fail "the frames: $(ls)"
rm -f -- *.npy
expect 6 "$MASTABA" solve silent.yaml
[ "$(ls -- *.npy 2>/dev/null)" = "" ] || fail "a state without a name"
