#!/bin/bash
# Two files of 2 GiB in bounded memory, with the same bits as without the limits. MASTABA_TEST_MIB changes the size.
. "${0%/*}/lib"

mib=${MASTABA_TEST_MIB:-2048}
if [ "$(df --output=avail -m . | tail -1)" -lt $((5 * mib)) ]; then
    skip "too little disk space for $((5 * mib)) MiB"
    exit 0
fi
for name in x y; do # small integers as floats: random bytes would hold NaN
    npy raw $name.npy "'<f4'" False "($((mib * 64)), 4096)" 0
    python3 -c '
import array, os, sys
with open(sys.argv[1], "ab") as f:
    for _ in range(int(sys.argv[2])):
        array.array("f", array.array("b", os.urandom(1 << 18))).tofile(f)' $name.npy "$mib"
done
python3 - "$MASTABA" <<'END' || fail "peak resident memory"
import resource, subprocess, sys
subprocess.run([sys.argv[1], "convolve", "x.npy", "y.npy", "-o", "bounded.npy", "--mode", "same", "--device-memory", "256MiB"],
               check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("peak resident memory %d MiB" % (peak // 1024))
sys.exit(peak >= 1 << 20)
END
expect 0 "$MASTABA" convolve x.npy y.npy -o free.npy --mode same
cmp bounded.npy free.npy || fail "other bits with a limit"
rm ./*.npy
