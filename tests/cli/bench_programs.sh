#!/bin/bash
# Programs of bench/ that have options take them as commands do: --help, --device, and for wrong usage one line and code 2.
# Long: it runs every program of bench, which is what takes part in no other test.
. "${0%/*}/lib"

# wrong CODE PATTERN PROGRAM ARGUMENT...: ends with that code and one line on stderr that begins with the program's name.
wrong() {
    code_wanted=$1 pattern=$2 program=$3
    shift 3
    expect "$code_wanted" "$program" "$@"
    [ "$(wc -l <.stderr)" = 1 ] || fail "not one line on stderr: $program $*"
    grep -Eq "^${program##*/}: .*($pattern)" .stderr || fail "stderr does not match '$pattern': $program $*"
    [ ! -s .stdout ] || fail "something on stdout: $program $*"
}

n=0 asan_options=${ASAN_OPTIONS-}
for program in $(find "$MASTABA_BUILD_DIR/bench" -maxdepth 1 -type f -perm -u+x | sort); do
    name=${program##*/}
    case $name in
        bare-opencl | vkfft-plans) continue ;; # no options: what first_answer.py holds commands against
        # Libraries of MPI leave memory behind.
        rank-*) export ASAN_OPTIONS="${asan_options:+$asan_options:}detect_leaks=0" ;;
        *) export ASAN_OPTIONS="$asan_options" ;;
    esac
    expect 0 "$program" --help
    grep -q "^Usage: $name " .stdout || fail "$name --help does not begin with its usage"
    grep -q -- '--device=DEVICE' .stdout || fail "$name has no --device"
    ! grep -q mastaba\ "$name" .stdout || fail "$name calls itself a command of mastaba"
    wrong 2 "--nonsense.*$name --help" "$program" --nonsense
    wrong 2 nonsense "$program" nonsense
    wrong 3 "no-such-device" "$program" --device no-such-device
    n=$((n + 1))
done
export ASAN_OPTIONS="$asan_options"
[ "$n" -ge 5 ] || fail "only $n programs in bench/"

programs=$MASTABA_BUILD_DIR/bench
wrong 2 'x: invalid numeric value' "$programs/stencil-rates" --steps x
wrong 2 '--steps -1: ' "$programs/stencil-rates" --steps -1
wrong 2 '--part 0: ' "$programs/stencil-rates" --part 0
wrong 2 '--rounds 100: ' "$programs/host-rates" --rounds 100
wrong 2 '--shape round: ' "$programs/plan-times" --shape round
wrong 2 '1: ' "$programs/filter-peers" 512 1
wrong 2 '--peers abacus: ' "$programs/fft-peers" --peers abacus
wrong 2 '--lengths 2..x: ' "$programs/fft-peers" --lengths 2..x
wrong 2 '--shape 64,0,3: |--shape 0,3: ' "$programs/fft-peers" --shape 64,0,3
wrong 2 '--columns: .* --real' "$programs/fft-peers" --columns --real --shape 64

# Every kind of case is right, against FFTW.
for case in "--shape 6,10 --real" "--shape 12 --real --inverse" "--shape 6,1 --real --inverse" "--shape 3,6,2 --real --inverse --double"; do
    # shellcheck disable=SC2086
    expect 0 "$programs/fft-peers" $case --peers fftw --points 2^10 --rounds 1 --sample-ms 0 --json fft.json
    [ "$(grep -c '"wrong": false' fft.json)" = 2 ] || fail "$case: not two right results"
done
wrong 2 '--rounds 0: ' "$programs/convolution-peers" --rounds 0
wrong 2 '--rounds 0: ' "$programs/scheme-rates" --rounds 0
wrong 2 '--schedule round: ' "$programs/scheme-rates" --schedule round
wrong 2 'begins with nothing-of' "$programs/scheme-rates" --json --only nothing-of
