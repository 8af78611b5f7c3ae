#!/bin/sh
# Images under a small stack for each thread, where private memory of work-items lies on CPUs: short ones need no more than half of it, and
# long ones go another way. What transforms and convolutions take fits, too.
. "${0%/*}/lib"
unset LD_PRELOAD # without optimisation kernels need more of the stack

# What is said of versions runs no kernel; where even that fails, under a sanitizer, nothing can be tried.
# shellcheck disable=SC3045
limited() { (ulimit -s 1024 && "$@") >.stdout 2>.stderr; }
limited "$MASTABA" --version || skip "nothing runs in 1 MiB of stack"

filter() { # PREFIX IMAGE OPTION...
    "$1" "$MASTABA" filter "$2.pgm" --low-pass 3 --edges wrap -o "$1-$2.pgm" || fail "$1, $2"
    "$1" "$MASTABA" filter "$2.pgm" --low-pass 3 --edges wrap --show-kernels || fail "$1, kernels of $2"
    mv .stdout "$1-$2.cl"
}
plainly() { "$@" >.stdout 2>.stderr; }

for size in 36x24 6x5000; do
    python3 -c '
import sys
w, h = map(int, sys.argv[1].split("x"))
open(sys.argv[1] + ".pgm", "wb").write(b"P5 %d %d 255\n" % (w, h) + bytes(i * i * 7 % 251 for i in range(w * h)))' $size
    filter plainly $size
    filter limited $size
done
cmp plainly-36x24.pgm limited-36x24.pgm || fail "other bits under a small stack"
python3 -c '
plain, limited = (open(name, "rb").read()[-30000:] for name in ("plainly-6x5000.pgm", "limited-6x5000.pgm"))
raise SystemExit(max(abs(a - b) for a, b in zip(plain, limited)) > 1)' || fail "another image under a small stack"
grep -q "FILTER_POINTS = 4096" limited-36x24.cl || fail "the kernel for long images"
grep -q "FILTER_POINTS = 16384" plainly-6x5000.cl || fail "no kernel for long images"
if grep -q FILTER_POINTS limited-6x5000.cl; then fail "a kernel that needs more than the stack"; fi

npy make x.npy float32 8000 1
for command in "fft x.npy" "fft x.npy --real" "convolve x.npy x.npy"; do
    # shellcheck disable=SC2086
    limited "$MASTABA" $command -f -o z.npy || fail "$command under a small stack"
done
