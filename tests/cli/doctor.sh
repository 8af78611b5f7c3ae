#!/bin/sh
# mastaba doctor: what works, and what does not.
# Long: it computes something of everything from source, several times.
. "${0%/*}/lib"

capabilities='fft dct convolve map reduce filter deconvolve integrate solve'
above=$(mktemp -d /tmp/mastaba-test-XXXXXX) # what is above is root's, or it is not trusted
trap 'rm -rf "$above"' EXIT
system=$above/system
mkdir "$system"
: >"$system/any.bin"
MASTABA_SYSTEM_CACHE=$system expect 0 "$MASTABA" doctor
if [ "$(id -u)" = 0 ]; then
    grep -q "^cache .*$system, of all users: 1 kernels" .stdout || fail "the cache of all users is not named"
else
    grep -q "^cache .*$system is not used: others than root" .stdout || fail "a directory of others' counts as a cache"
fi
for capability in $capabilities; do
    grep -Eq "^(self-test)? +$capability +works: [0-9.]+ s, largest error [0-9.]+e-" .stdout || fail "$capability is not said to work"
done
grep -q '^summary  *everything works$' .stdout || fail "no summary"
chmod 777 "$above"
(
    unset HOME XDG_CACHE_HOME
    MASTABA_SYSTEM_CACHE=$system OCL_ICD_VENDORS=$here
    export MASTABA_SYSTEM_CACHE OCL_ICD_VENDORS
    expect 1 "$MASTABA" doctor
)
grep -q "^cache .*$system is not used: others than root" .stdout || fail "kernels count that no command uses"
refused 2 'not a time' doctor --timeout 0
expect 1 "$MASTABA" doctor --device nosuch
grep -q "PROBLEM: no device's name contains 'nosuch'" .stdout || fail "no word of a device that is not there"
grep -q 'summary  *1 problem$' .stdout || fail "a device that is not there is more than one problem"
(
    unset HOME XDG_CACHE_HOME
    OCL_ICD_VENDORS=$here
    export OCL_ICD_VENDORS
    expect 1 "$MASTABA" doctor
)
grep -q 'cache .*PROBLEM: none' .stdout || fail "a missing cache is no problem"
grep -q 'PROBLEM: no OpenCL platform' .stdout || fail "no drivers, and no problem"
grep -q 'install an OpenCL driver' .stdout || fail "no advice where there is no driver"
(
    XDG_CACHE_HOME=/dev/null
    OCL_ICD_VENDORS=$here
    export XDG_CACHE_HOME OCL_ICD_VENDORS
    expect 1 "$MASTABA" doctor
)
grep -q 'PROBLEM: /dev/null/mastaba: cannot be written' .stdout || fail "a cache that cannot be written is no problem"

# PoCL finds no device where it cannot write its own cache; the driver that is installed is not to be installed again.
env -u XDG_CACHE_HOME -u POCL_CACHE_DIR HOME=/dev/null TMPDIR=/dev/null "$MASTABA" doctor >.stdout 2>.stderr && fail "no place for a cache is no problem"
if grep -q 'PROBLEM: no OpenCL device found' .stdout; then
    grep -q 'a driver is installed and finds no device' .stdout || fail "no advice where a driver finds no device"
fi

# A file of a driver that was removed, beside one that is there.
mkdir vendors
cp "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd vendors 2>/dev/null || :
echo /nowhere/libdriver.so >vendors/gone.icd
: >vendors/empty.icd
echo >vendors/blank.icd
(
    OCL_ICD_VENDORS=$PWD/vendors
    export OCL_ICD_VENDORS
    expect 1 "$MASTABA" doctor --json
)
json 'any("gone.icd: names /nowhere/libdriver.so: No such file" in line for line in j["drivers"])'
json 'any("empty.icd: is empty" in line for line in j["drivers"])'
json 'any("blank.icd: names no library" in line for line in j["drivers"])'
json 'j["summary"] == ["3 problems"]'

# A capability whose kernel does not compile.
mkdir kernels
for file in "$MASTABA_SOURCE_DIR"/src/filter/*.cl; do # some of which are for CPUs or GPUs alone
    echo '#error broken' >"kernels/${file##*/}"
done
(
    MASTABA_KERNEL_DIR=$PWD/kernels
    export MASTABA_KERNEL_DIR
    expect 1 "$MASTABA" doctor
)
grep -q 'PROBLEM: filter: ' .stdout || fail "a kernel that does not compile is no problem"
grep -q 'report it, with all of this' .stdout || fail "no advice where a capability fails"
grep -q 'summary  *1 problem' .stdout || fail "the problems are not counted"

# A capability that hangs says nothing of the one that is tested beside it, whose answer came in time.
if ! command -v cc >/dev/null; then
    skip 'a driver that hangs: no compiler'
    exit 0
fi
cat >driver.c <<'EOF'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
void *clCreateContext(const void *properties, unsigned n, const void *devices, void *notify, void *user, int *code) {
    (void)properties, (void)n, (void)devices, (void)notify, (void)user;
    char arguments[4096] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t used = file ? fread(arguments, 1, sizeof arguments - 1, file) : 0;
    while (memmem(arguments, used, "--self-test=fft", 15))
        pause();
    *code = -6;
    return NULL;
}
EOF
cc -shared -fPIC -o driver.so driver.c
expect 1 env LD_PRELOAD="$PWD/driver.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$MASTABA" doctor --timeout 4
grep -q 'PROBLEM: fft: the driver hangs: no answer in 4 s' .stdout || fail "a capability that hangs is not said to"
! grep -q 'PROBLEM: dct: the driver hangs' .stdout || fail "a capability hangs because the one before does"

# Whoever interrupts is not told that the driver hangs.
expect 130 env LD_PRELOAD="$PWD/driver.so" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
    timeout --preserve-status -s INT 5 "$MASTABA" doctor
grep -q 'doctor: interrupted' .stderr || fail "no word of an interrupt"
! grep -Eq 'fft: the driver hangs|summary' .stdout || fail "an interrupted doctor has a result"
