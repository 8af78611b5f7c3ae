#!/bin/sh
# mastaba convolve on .npy files, against the definition: every mode, pair of shapes, type and algorithm that the program has a word
# for, what it prints, empty operands, files. Numbers in other lengths, types and modes are those of the tests convolution*.
. "${0%/*}/lib"

# Every mode, also with the shorter operand first; batches; one kernel for all, from either side, and with fewer axes. Fused builds a
# kernel for each, so most go by paper-c: the library's tests go through them all.
npy make a.npy float32 2,3,23 1
npy make b.npy float32 2,3,9 2
npy make one.npy float32 9 3
npy make ones.npy float32 1,1,23 4
npy make c.npy float32 2,3,23 5
for correlate in '' correlate; do
    option=${correlate:+--correlate}
    for mode in full same valid circular; do
        pairs='a-b b-a a-one one-a a-ones ones-b one-one'
        [ $mode != circular ] || pairs='a-c a-ones ones-c'
        for pair in $pairs; do
            turn 4 || continue
            x=${pair%-*} y=${pair#*-}
            expect 0 "$MASTABA" convolve $option $x.npy $y.npy -o z.npy --mode $mode --force -a paper-c
            npy convolved z.npy $x.npy $y.npy $mode $correlate || fail "wrong: $mode $option $x $y"
        done
    done
done
for case in 'full b a' 'same a one correlate' 'valid ones b' 'circular a ones correlate'; do
    turn 4 || continue
    # shellcheck disable=SC2086
    set -- $case
    expect 0 "$MASTABA" convolve ${4:+--correlate} $2.npy $3.npy -o z.npy --mode $1 --force
    npy convolved z.npy $2.npy $3.npy $1 ${4-} || fail "wrong: $case"
done

# Every type, and the type of the result. What kernels make of each type is in the tests convolution*.
i=0
for types in float32-float32 bool-float32 complex64-float32 complex128-complex128 int8-float32 uint8-float32 int16-float32 \
    uint16-float32 int32-float32 uint32-float32 int64-float32 uint64-float32 float64-float32 float64-complex128 \
    float32-complex128 complex64-complex128 complex128-float32 bool-complex128; do
    i=$((i + 1))
    [ $i -le 4 ] || turn 5 || continue
    if spared 2; then continue; fi
    npy make t.npy ${types%-*} 3,12 $i
    npy make u.npy ${types#*-} 5 7
    expect 0 "$MASTABA" convolve t.npy u.npy -o z.npy --force -a paper-c
    npy convolved z.npy t.npy u.npy full || fail "wrong: $types"
done

# Every algorithm, under its name.
npy make x.npy complex64 4,60 1
npy make y.npy complex64 4,60 2
for algorithm in paper-a paper-c paper-d paper-e; do
    expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --mode circular --algorithm $algorithm --force
    npy convolved z.npy x.npy y.npy circular || fail "wrong: $algorithm"
    grep -q "^z.npy: \[4, 60\] complex64 by $algorithm, padded to " .stdout || fail "the line on stdout of $algorithm"
done
for algorithm in reference paper-b; do # --json measures the rate of copies, which takes a third of a second
    expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy --mode circular --algorithm $algorithm --force --json
    npy convolved z.npy x.npy y.npy circular || fail "wrong: $algorithm"
    json "j['algorithm'] == '$algorithm' and j['output'] == 'z.npy' and j['shape'] == [4, 60] and j['type'] == 'complex64'"
    json "j['padded_length'] >= 64 and j['seconds'] > 0"
    json "j['device'] == 'host' if '$algorithm' == 'reference' else j['copy_bytes_per_second'] > 0"
    json "j['bytes'] == 3 * 4 * 60 * 8 and j['device']"
done
expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy -f
grep -Eq '^z.npy: \[4, 119\] complex64 by [a-z-]+,( padded to [0-9]+,)? on .* in [0-9.]+ (s|ms|us), [0-9.]+ GB/s$' .stdout ||
    fail "the line on stdout"
[ ! -s .stderr ] || fail "something on stderr"
expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy -f --verbose
grep -q '^direct was chosen: [0-9]* products' .stdout || fail "why it was chosen"
expect 0 "$MASTABA" convolve x.npy y.npy -o z.npy -f -v -a paper-c --mode circular
grep -q '^upload .* compute .* download ' .stdout || fail "no second line with --verbose"
grep -q '^info: device' .stderr || fail "no log with --verbose"

# Length 1, scalars, and arrays without elements, as SciPy has them.
npy values s.npy float32 '' 3
npy values five.npy float32 5 1 2 3 4 5
for mode in full same valid; do
    expect 0 "$MASTABA" convolve five.npy s.npy -o z.npy --mode $mode --force
    npy convolved z.npy five.npy s.npy $mode || fail "times 3, $mode"
done
npy make none.npy float32 0
npy make nobatch.npy float32 0,5
npy make empty.npy float32 2,0
for mode in full same valid; do
    expect 0 "$MASTABA" convolve none.npy five.npy -o z.npy --mode $mode --force
    [ "$(npy describe z.npy)" = 'float32 [0]' ] || fail "nothing with five, $mode: $(npy describe z.npy)"
    expect 0 "$MASTABA" convolve five.npy none.npy -o z.npy --mode $mode --force
    [ "$(npy describe z.npy)" = 'float32 [0]' ] || fail "five with nothing, $mode: $(npy describe z.npy)"
    ! grep -Eq 'inf|nan|GB/s' .stdout || fail "a rate where nothing was computed"
done
expect 0 "$MASTABA" convolve nobatch.npy five.npy -o z.npy --force
[ "$(npy describe z.npy)" = 'float32 [0, 9]' ] || fail "no vectors with five: $(npy describe z.npy)"
expect 0 "$MASTABA" convolve empty.npy five.npy -o z.npy --force
[ "$(npy describe z.npy)" = 'float32 [2, 0]' ] || fail "two empty vectors with five: $(npy describe z.npy)"

# Two axes: an image with a kernel of one row is its rows with that row.
npy make image.npy float32 3,20,31 5
npy make row.npy float32 1,7 6
for mode in full same valid; do
    turn 3 || continue
    expect 0 "$MASTABA" convolve image.npy row.npy -o z.npy --mode $mode --axes -2,-1 --force
    npy convolved z.npy image.npy row.npy $mode || fail "images, $mode"
done
expect 2 "$MASTABA" convolve image.npy row.npy -o z.npy --axes 0,1,2,3 --force
expect 4 "$MASTABA" convolve image.npy row.npy -o z.npy --axes 5 --force
expect 4 "$MASTABA" convolve image.npy row.npy -o z.npy --axes 1,2 --force -a paper-b

# What would be read and written, without doing so.
npy make long.npy float32 1000003 7
expect 0 "$MASTABA" convolve long.npy one.npy -o dry.npy --dry-run --device-memory 1MiB
grep -Eq '^\[1000011\] float32 by direct in [1-9][0-9]+ panels of [0-9]+ results: reads 3.8' .stdout || fail "--dry-run: $(cat .stdout)"
expect 0 "$MASTABA" convolve long.npy one.npy -o dry.npy --dry-run --json --device-memory 1MiB
json "j['panels'] > 1 and j['panel_shape'] == [j['panel_length']] and j['written_bytes'] == 4000044"
[ ! -e dry.npy ] || fail "--dry-run wrote a file"

# The same bits whatever the blocks; a file mode as umask has it; no other file left.
npy make big.npy float32 700,300 1
expect 0 "$MASTABA" convolve big.npy one.npy -o whole.npy -a paper-c
expect 0 "$MASTABA" convolve big.npy one.npy -o parts.npy -a paper-c --device-memory 1MiB --host-memory 1MiB --json
json "j['blocks'] > 1"
cmp whole.npy parts.npy || fail "other bits with a small budget"
(umask 027 && "$MASTABA" convolve b.npy one.npy -o mode.npy -a paper-c >/dev/null)
[ "$(stat -c %a mode.npy)" = 640 ] || fail "mode $(stat -c %a mode.npy), not 640"
[ "$(find . -name '.*' -type f ! -name .std\* ! -name .python | wc -l)" = 0 ] || fail "a temporary file is left: $(ls -A)"
