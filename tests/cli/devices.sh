#!/bin/sh
# mastaba devices: the list, the checks, and drivers that crash or hang.
# Long: it waits for drivers that hang.
. "${0%/*}/lib"

expect 0 "$MASTABA" devices
for word in default memory 'largest allocation' 'local memory' 'compute unit' MHz work-group 'preferred widths' 'native widths' \
    float64 'OpenCL C' driver; do
    grep -q "$word" .stdout || fail "the list does not say '$word'"
done
expect 0 "$MASTABA" devices --json
json 'sum(d["default"] for d in j["devices"]) == 1'
json 'all(d["memory_bytes"] >= d["max_allocation_bytes"] > 0 and d["compute_units"] > 0 for d in j["devices"])'
json 'all(len(d["native_widths"]) == 6 and len(d["max_work_item_sizes"]) == 3 for d in j["devices"])'
name=$(python3 -c 'import json; print(json.load(open(".stdout"))["devices"][0]["name"])')
expect 0 "$MASTABA" devices --json --device 0
json 'len(j["devices"]) == 1 and j["devices"][0]["index"] == 0'
expect 0 "$MASTABA" devices --json --device "$(echo "$name" | tr a-z A-Z)"
json 'len(j["devices"]) >= 1'
refused 3 'no such device; there are 0: ' devices --device 99
refused 3 'no such device; there are 0: ' devices --device 'no such name'
OCL_ICD_VENDORS=/nonexistent refused 3 'no OpenCL platform found; install .*pocl-opencl-icd' devices
OCL_ICD_VENDORS=/nonexistent refused 3 'no OpenCL platform' devices --check --json

# What cannot be written is an error.
for arguments in --version --help 'devices --help' devices 'devices --json'; do
    code=0
    # shellcheck disable=SC2086
    "$MASTABA" $arguments >/dev/full 2>.stderr || code=$?
    [ $code = 4 ] || fail "exit code $code for mastaba $arguments > /dev/full"
    grep -q 'standard output: No space left' .stderr || fail "no message for mastaba $arguments > /dev/full"
done

code=0
"$MASTABA" devices >&- 2>.stderr || code=$?
[ $code = 4 ] || fail "exit code $code with stdout closed"

expect 0 "$MASTABA" devices --check --device 0
grep -Eq '^0: .*: ok in [0-9.]+ s, copies [0-9.]+ GB/s$' .stdout || fail "no line for a device that works"
expect 0 "$MASTABA" devices --check --json --device 0
json 'j["devices"][0]["check"]["ok"] and j["devices"][0]["check"]["copy_bytes_per_second"] > 0'

# Drivers that fail, by a library before OpenCL's: it makes a context crash, hang, exit or report an error.
if ! command -v cc >/dev/null; then
    skip 'drivers that fail: no compiler'
    exit 0
fi
cat >driver.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *clCreateContext(const void *properties, unsigned n, const void *devices, void *notify, void *user, int *code) {
    (void)properties, (void)n, (void)devices, (void)notify, (void)user;
    const char *fault = getenv("FAULT");
    if (strcmp(fault, "crash") == 0)
        abort();
    while (strcmp(fault, "hang") == 0)
        pause();
    if (strcmp(fault, "exit") == 0)
        _exit(7);
    *code = -6;
    return NULL;
}
int getloadavg(double *load, int n) {
    (void)n;
    *load = getenv("LOAD") ? atof(getenv("LOAD")) : 0;
    return 1;
}
END
cc -shared -fPIC -o driver.so driver.c
check() {
    expect 1 env FAULT="$1" LD_PRELOAD="$PWD/driver.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
        "$MASTABA" devices --check --device 0 --timeout 2
    grep -Eq "^0: .*: FAILED: $2" .stdout || fail "driver fault '$1': no line that matches '$2'"
    [ "$(wc -l <.stdout)" = 1 ] || fail "driver fault '$1': more than one line"
    [ ! -s .stderr ] || fail "driver fault '$1': something on stderr"
}
check crash 'the driver crashed .signal 6'
check hang 'the driver hangs: no answer in 2 s$'
LOAD=100000 check hang 'the driver hangs: no answer in 2 s; or processors are too busy, with a load of 100000 on [0-9]+: '
check exit 'the driver ended the program .exit code 7'
check error '.*CL_OUT_OF_HOST_MEMORY'
expect 1 env FAULT=crash LD_PRELOAD="$PWD/driver.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
    "$MASTABA" devices --check --device 0 --json
json 'not j["devices"][0]["check"]["ok"] and "crashed" in j["devices"][0]["check"]["problem"]'

# Whoever interrupts a check is not told that the driver hangs.
for format in '' --json; do
    # shellcheck disable=SC2086 # an option, or none
    expect 130 env FAULT=hang LD_PRELOAD="$PWD/driver.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
        timeout --preserve-status -s INT 3 "$MASTABA" devices --check --device 0 $format
    grep -q 'devices: interrupted' .stderr || fail "no word of an interrupt"
    [ ! -s .stdout ] || fail "an interrupted check has a result"
done

# A loader that cuts a list in the environment up in place, as Khronos's does: each process is to see the whole list.
cat >loader.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
int clGetPlatformIDs(unsigned n, void *platforms, unsigned *count) {
    static int cut;
    char *colon = strchr(getenv("LIST"), ':');
    if (!colon && !cut)
        abort();
    if (colon)
        *colon = '\0';
    cut = 1;
    return ((int (*)(unsigned, void *, unsigned *))dlsym(RTLD_NEXT, "clGetPlatformIDs"))(n, platforms, count);
}
END
cc -shared -fPIC -o loader.so loader.c -ldl
expect 0 env LIST=one:two LD_PRELOAD="$PWD/loader.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
    "$MASTABA" devices --check --device 0
