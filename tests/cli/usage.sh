#!/bin/sh
# The command line: help, version, options anywhere, mistakes.
. "${0%/*}/lib"

expect 0 "$MASTABA" --version
grep -Eq '^mastaba [0-9]+\.[0-9]+\.[0-9]+$' .stdout || fail "version"
expect 0 "$MASTABA" --help
commands=$(sed -n 's/^  \([a-z]*\)  *[A-Za-z].*/\1/p' .stdout)
[ "$(echo "$commands" | tr '\n' ' ')" = 'devices doctor fft convolve map filter deconvolve integrate solve prepare tune bench completion manual ' ] || fail "--help lists $commands"
for command in $commands; do
    expect 0 "$MASTABA" $command --help
    grep -q "^Usage: mastaba $command" .stdout || fail "$command --help: no usage line"
    [ $command = bench ] || grep -q Example .stdout || fail "$command --help: no example"
    [ ! -s .stderr ] || fail "$command --help writes on stderr"
    grep -q "^\.It Xr mastaba-$command 1" "$here/../../docs/mastaba.1" || fail "the manual does not list $command"
    [ "$(awk '{ if (length($0) > 88) n++ } END { print n + 0 }' .stdout)" = 0 ] || fail "$command --help: long lines"
done
expect 2 "$MASTABA"
grep -q Usage .stderr || fail "no usage without a command"

refused 2 'did you mean .mastaba devices' devcies
refused 2 'did you mean .mastaba convolve' conv
refused 2 'lists the commands' frobnicate
refused 2 'no such option' --frobnicate
refused 2 'no such command' ''
refused 2 'unknown option' convolve --frobnicate
refused 2 '--axis: unknown option, did you mean --axes' map 'sum(a)' a=a.npy --axis 0
refused 2 '--lowpass=3: unknown option, did you mean --low-pass' filter a.png --lowpass=3
refused 2 'begins with - stands in parentheses' integrate -x --from 0 --to 1
refused 2 'begins with - stands in parentheses' map -a a=a.npy
refused 2 'missing argument' convolve --mode
refused 2 'invalid numeric' devices --timeout=soon
refused 2 '0 operands given, 2 needed' convolve
refused 2 '1 operand given' convolve x.npy -o z.npy
refused 2 'one operand too many' convolve x.npy y.npy z.npy -o w.npy
refused 2 'one operand too many' devices all
refused 2 'no output given' convolve x.npy y.npy
refused 2 'no output given' fft x.npy
refused 2 'choose full, same, valid or circular' convolve x.npy y.npy -o z.npy --mode half
refused 2 'paper-a to paper-e' convolve x.npy y.npy -o z.npy --algorithm paper-f
refused 2 'backward, ortho or forward' fft x.npy -o z.npy --norm sideways
refused 2 'choose full, same, valid or circular' convolve x.npy y.npy -o z.npy --mode same --mode half
refused 4 'No such file' convolve x.npy y.npy -o z --mode half -o z.npy --mode same --mode full # the last counts
refused 2 'to end in .npy' convolve x.npy y.npy -o z
refused 2 'to end in .npy' convolve x.npy y.npy -o z.mp5
refused 2 'to end in .npy' fft x.npy -o z.wav
for axes in '' x -1, ,-1 -1,-2,-3,-4 99999999999999999999; do
    refused 2 'not a list of axes|more than 3' fft x.npy -o z.npy --axes "$axes"
done
for size in '' 0 -1 G 12Q 0x10 1e9 nan inf 99999999T 1.5.2 '1 G' 5iB; do
    refused 2 'not a size' convolve x.npy y.npy -o z.npy --device-memory "$size"
    refused 2 'not a size' fft x.npy -o z.npy --host-memory "$size"
done

# Control characters in names do not break the line; options may come first, and -- ends them.
refused 4 'x.npy' convolve "$(printf 'a\nb\033[31m')x.npy" y.npy -o z.npy
refused 4 'x.npy: No such file' convolve --mode=same -o z.npy x.npy y.npy
refused 4 '-x.npy: No such file' convolve -o z.npy -- -x.npy y.npy
for size in 4096 64k 512M 1.5GiB 2g 1TB 3kb 7B; do
    refused 4 'No such file' convolve x.npy y.npy -o z.npy --device-memory "$size" --host-memory="$size"
done
