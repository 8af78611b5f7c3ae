#!/bin/bash
# mastaba prepare: afterwards commands of other sizes and formulas compile nothing, also from the directory of all users, while root
# alone can write there; two at once; interrupted; what cannot be kept or claimed; a home that cannot be written; kernels of another version.
# Long: it compiles all that can be prepared, which warm_cache has done for the others.
. "${0%/*}/lib"
on_cpu || { skip 'no CPU'; exit 0; }
cache=$XDG_CACHE_HOME/mastaba # begins with what was prepared, and more (warm_cache.sh)
find "$cache" -name '*.bin' -printf '%f\n' | grep -vxFf "$XDG_CACHE_HOME/../warm/prepared" | (cd "$cache" && xargs rm -f)
export TMPDIR=$PWD/scratch
mkdir "$TMPDIR"

kernels() {
    find "$1" -name '*.bin' 2>/dev/null | wc -l
}
prepared() { # PROGRAMS PLACE: so many are built
    expect 0 "$MASTABA" prepare
    grep -Eq "^$cache: $1 programs for .* built in .*; [0-9]+ in all, " .stdout || fail "not $1 programs: $(cat .stdout)"
    [ ! -s .stderr ] || fail "something on stderr"
    [ -z "$(ls -A "$TMPDIR")" ] || fail "left: $(ls -A "$TMPDIR")"
}
prepared '[0-9]+'
if ! grep -q ': 0 programs' .stdout; then # kernels of older sources are there as well, which nothing puts back
    rm "$cache"/*.bin
    prepared '[0-9]+'
fi
all=$(kernels "$cache")
[ "$all" -ge 40 ] || fail "$all programs only"
prepared 0
[ "$(kernels "$cache")" = "$all" ] || fail 'a second time there are others'

# One is missing: two put it back at once, and nothing else.
names() {
    find "$cache" -mindepth 1 -printf '%f\n' | sort
}
names >.before
take() {
    find "$cache" -name '*.bin' | sort | sed -n 20p | xargs rm
}
take
"$MASTABA" prepare >.out1 2>&1 &
first=$!
"$MASTABA" prepare >.out2 2>&1 || fail "the second of two: $(cat .out2)"
wait $first || fail "the first of two: $(cat .out1)"
names | cmp - .before || fail 'two at once left others'

# An interrupt ends it and its children at once, and leaves nothing half made; what another process writes just now is left.
take
take
take
other=$cache/$(printf %032d 7).bin.1-abcdef
: >"$other"
"$MASTABA" prepare >.stdout 2>.stderr &
first=$!
until [ -n "$(find "$TMPDIR" -mindepth 2 -maxdepth 2 ! -name 'pocl-*')" ]; do
    kill -0 $first || fail 'it ended before it claimed anything'
    sleep 0.02
done
code=0
kill -TERM $first
sleep 0.12
kill -TERM $first 2>/dev/null || true # a second one changes nothing
wait $first || code=$?
[ $code = 130 ] || fail "exit code $code of an interrupted one"
grep -qx 'mastaba prepare: interrupted; what is built by now is kept' .stderr || fail 'the message of an interrupt'
rm "$other" || fail 'the file of another process is removed'
[ -z "$(find "$cache" -name '*.bin.*')$(ls -A "$TMPDIR")" ] || fail "left by an interrupt: $(ls "$cache" "$TMPDIR")"
[ "$(wc -l <.stderr)" = 1 ] || fail 'more is said of an interrupt'
prepared '[1-3]'
names | cmp - .before || fail 'after an interrupt there are others'

# What cannot be kept is a failure, and so is a claim that cannot be made.
file=$(find "$cache" -name '*.bin' | sort | sed -n 20p)
rm "$file"
mkdir -p "$file/full"
expect 4 "$MASTABA" prepare
[ ! -s .stdout ] || fail 'a count of programs that are not kept'
grep -q "^mastaba prepare: cannot write in $cache: Is a directory$" .stderr || fail 'what could not be kept'
rm -r "$file"
expect 4 "$MASTABA" prepare --claims="$PWD/none" 3>answer
grep -q "^0 $PWD/none/.*: No such file or directory$" answer || fail "of claims: $(cat answer)"
prepared 1
names | cmp - .before || fail 'after failures there are others'

# None of these sizes, formulas and types was there before. What is compiled would be kept in $XDG_CACHE_HOME.
npy make c64.npy complex64 3,1009
npy make c128.npy complex128 2,315
npy make f32.npy float32 3,701
npy make f64.npy float64 2,813
npy make long.npy float32 1411
npy make short.npy float32 7
npy make patch.npy float32 5,9
npy make i32.npy int32 41,3
npy make u8.npy uint8 17,5
printf 'P5 36 23 255\n%0828d' 0 >image.pgm
printf 'P5 37 23 255\n%0851d' 0 >narrow.pgm
use_all() {
    expect 0 "$MASTABA" fft c64.npy -o o.npy
    expect 0 "$MASTABA" fft c128.npy -o o.npy --inverse --force
    expect 0 "$MASTABA" fft f32.npy -o o.npy --real --force
    expect 0 "$MASTABA" fft f64.npy -o o.npy --dct 3 --force
    expect 0 "$MASTABA" convolve f32.npy long.npy -o o.npy --force
    expect 0 "$MASTABA" convolve f32.npy short.npy -o o.npy --mode same --force
    expect 0 "$MASTABA" convolve f32.npy short.npy -o o.npy --correlate --force
    expect 0 "$MASTABA" convolve f32.npy patch.npy -o o.npy --axes 0,1 --force
    expect 0 "$MASTABA" filter image.pgm --low-pass 3 -o o.pgm
    expect 0 "$MASTABA" filter narrow.pgm --low-pass 3 -o o.pgm --force
    expect 0 "$MASTABA" deconvolve image.pgm --psf gaussian:1.3 -o o.pgm --iterations 2 --force
    expect 0 "$MASTABA" map '3*x - x*x' x=f32.npy -o o.npy --force
    expect 0 "$MASTABA" map 'cos(x/3) + exp(x)' x=f64.npy -o o.npy --force
    expect 0 "$MASTABA" map '7*x % 5' x=i32.npy -o o.npy --force
    expect 0 "$MASTABA" map 'x >> 1' x=u8.npy -o o.npy --force
    expect 0 "$MASTABA" map 'mean(3*x)' x=f64.npy
    expect 0 "$MASTABA" map 'max(x - 2)' x=f32.npy
    expect 0 "$MASTABA" integrate 'tanh(x)/3' --from 0 --to 4
    expect 0 "$MASTABA" integrate 'x*y^2' --from 0 --to 1 --var y=0:x
    expect 0 "$MASTABA" integrate 'log(x)' --from 0 --to 3 --rule tanh-sinh
    expect 0 "$MASTABA" integrate 'x^7' --from 0 --to 3 --rule simpson --points 99
    expect 0 "$MASTABA" integrate 'x^7' --from 0 --to 3 --precision float32
}
use_all
names | cmp - .before || fail "compiled after all: $(names | comm -13 .before -)"

# The directory of all users.
above=$(mktemp -d /tmp/mastaba-test-XXXXXX) # what is above is root's, or it is not trusted
trap 'rm -rf "$above"' EXIT
system=$above/system
export MASTABA_SYSTEM_CACHE=$system XDG_CACHE_HOME=$PWD/user
if [ "$(id -u)" != 0 ]; then
    skip 'the directory of all users: not root'
    refused 4 'only root' prepare --system
    exit 0
fi
cp -r "$cache" "$system"
chmod 755 "$system"
chmod 644 "$system"/*
find "$system" -name '*.bin' | sort | sed -n 20p | xargs rm
expect 0 "$MASTABA" prepare --system
grep -q "^$system: 1 programs" .stdout || fail "for all users: $(cat .stdout)"
[ "$(stat -c %a "$system"/*.bin | sort -u)" = 644 ] || fail 'not all users may read it'
rm -f o.npy o.pgm
use_all
[ "$(kernels user)" = 0 ] || fail "$(kernels user) programs compiled that are there for all users"

# A user without a home to write to; and one whom the directory does not let in.
works() {
    expect 0 "$@" "$MASTABA" fft c64.npy -o o.npy --force
    [ ! -s .stderr ] || fail "something on stderr: $*"
}
works env XDG_CACHE_HOME=/proc/none
works env -u POCL_CACHE_DIR XDG_CACHE_HOME="$PWD/c64.npy"
[ "$(stat -c %a "$TMPDIR/mastaba-pocl-0")" = 700 ] || fail "PoCL's cache is open to others"
chmod 777 "$TMPDIR/mastaba-pocl-0"
expect 0 env -u POCL_CACHE_DIR XDG_CACHE_HOME="$PWD/c64.npy" "$MASTABA" fft --help
grep -q "^mastaba: $TMPDIR/mastaba-pocl-0 is not a directory of yours alone" .stderr || fail "a directory of others' is passed over in silence"
rm -r "$TMPDIR/mastaba-pocl-0"
works env -u XDG_CACHE_HOME -u HOME
chmod 700 "$system"
works env
chmod 777 "$system"
works env
[ "$(kernels user)" = 1 ] || fail 'a directory that all can write is trusted'
refused 4 'others than root' prepare --system
chmod 777 "$above"
MASTABA_SYSTEM_CACHE=$above/new refused 4 'others than root' prepare --system
[ ! -e "$above/new" ] || fail 'a directory is made where it would not be trusted'
chmod 755 "$system" "$above"
ln -s system "$above/link"
MASTABA_SYSTEM_CACHE=$above/link refused 4 'a part of its path is a link' prepare --system
MASTABA_SYSTEM_CACHE=system refused 4 'is not absolute' prepare --system

# Of another version, as all names are others.
mkdir -p other/mastaba
for file in "$system"/*.bin; do
    name=${file##*/}
    cp "$file" "other/mastaba/0${name#?}"
done
chmod 700 other/mastaba
MASTABA_SYSTEM_CACHE=$PWD/none XDG_CACHE_HOME=$PWD/other works env
