#!/bin/bash
# Kernels that end with an error, in six commands the first to the third: one line, exit code 1, no file; with a driver whose later
# commands go on, and with one that passes the error on to them. The same for a copy, and for a device that is lost. (All other
# calls: scripts/campaign faults.) And a benchmark whose every case fails.
. "${0%/*}/lib"
shim=$MASTABA_BUILD_DIR/tests/libcampaign_preload_opencl.so

npy make x.npy float32 4,64 1
npy make long.npy float32 1,65536 3
npy make taps.npy float32 1,5 2
python3 -c 'open("image.pgm", "wb").write(b"P5 16 16 255\n" + bytes(range(256)))'

program=$MASTABA
printf '#!/bin/sh\nASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD="%s" exec "%s" "$@"\n' "$shim" "$program" >faulty
chmod +x faulty
export ASAN_OPTIONS=${ASAN_OPTIONS-}

# GPUs are those with a driver that passes errors on, on which the library relies there (src/runtime/queue.h).
kinds='end pass'
"$MASTABA" devices --json >devices
! python3 -c 'import json, sys; sys.exit(not any(d["default"] and d["type"] == "GPU" for d in json.load(open("devices"))["devices"]))' || kinds=pass
rm devices

# fails NUMBER-OF-KERNELS ARGUMENT...: with each of the first kernels failing in turn, and without a fault right. A GPU may take fewer.
fails() {
    kernels=$1
    shift
    MASTABA=$program expect 0 "$program" "$@"
    mv out.* right
    export FAULT_REACHED=$XDG_CACHE_HOME/reached
    while [ "$kernels" -gt 1 ]; do
        FAULT=clEnqueueNDRangeKernel:end:$kernels ./faulty "$@" >.stdout 2>.stderr || :
        rm -f out.*
        [ ! -e "$FAULT_REACHED" ] || break
        kernels=$((kernels - 1))
    done
    rm -f "$FAULT_REACHED"
    for kind in $kinds; do
        for k in $(seq "$kernels"); do
            export FAULT=clEnqueueNDRangeKernel:$kind:$k
            MASTABA=./faulty refused 1 'ended with an error on .*: CL_OUT_OF_RESOURCES' "$@"
            [ -e "$FAULT_REACHED" ] || fail "$FAULT: no such call: mastaba $*"
            rm "$FAULT_REACHED"
        done
    done
    unset FAULT FAULT_REACHED
}

fails 1 fft x.npy -o out.npy --axes 0,1
fails 2 fft long.npy -o out.npy
fails 1 convolve x.npy taps.npy -o out.npy
fails 2 filter image.pgm -o out.pgm --high-pass 4
fails 1 map 'x + 1' x=x.npy -o out.npy
fails 3 integrate 'sin(x^2)' --from 0 --to 2 -o out.npy
fails 3 solve heat2d --grid 24x16 --steps 6 --fuse 2 -o out.npy --schedule in-core
fails 3 solve heat2d --grid 24x16 --steps 6 --fuse 2 -o out.npy --schedule skewed --block 8 --depth 2

export MASTABA=./faulty
FAULT=clEnqueueWriteBuffer:${kinds%% *}:1 refused 1 'ended with an error|upload' integrate 'sin(x^2)' --from 0 --to 2 -o out.npy
for call in clEnqueueNDRangeKernel clWaitForEvents; do
    FAULT=$call:lost:1 refused 1 'lost|CL_OUT_OF_RESOURCES' fft x.npy -o out.npy --axes 0,1
done

# The launches before are those of the plain copy that rates are compared with: 7, or where one takes little time 22.
for launch in 8 23; do
    FAULT=clEnqueueNDRangeKernel:lost:$launch expect 1 ./faulty bench rates --mebibytes 1 --rounds 1
    ! grep -q CL_OUT_OF_RESOURCES .stdout || break
done
[ "$(grep -c CL_OUT_OF_RESOURCES .stdout)" = 15 ] || fail "not 15 failed cases"
grep -q 'bench rates: transform, 1-D: .*CL_OUT_OF_RESOURCES' .stderr || fail "the first failure is not named"
