#!/bin/bash
# Libraries of images, sounds and YAML: opened by the commands that need them alone, and what is said where one is missing.
. "${0%/*}/lib"

# file LIBRARY: the file that the program opens; empty where it is linked to it.
file() { grep -ao "$1\.so\.[0-9]*" "$MASTABA" | head -n 1 || true; }
if [ -z "$(file libtiff)" ]; then
    echo "the program is linked to its libraries"
    exit 0
fi
all=$(for library in libsndfile libyaml-0 libtiff libpng16 libjpeg; do file $library; done)
npy values x.npy float32 2 1 2
printf 'P5 4 2 255\n\001\002\003\004\005\006\007\010' >image.pgm
python3 -c "import struct; open('x.wav', 'wb').write(b'RIFF' + struct.pack('<I4s4sIHHIIHH4sI2h', 40, b'WAVE', b'fmt ', 16, 1, 1, 8, 16, 2, 16, b'data', 4, 1, 2))"

# opens NAMES COMMAND...: of these libraries, the program opens those alone.
opens() {
    local wanted=$1 library
    shift
    LD_DEBUG=files LD_DEBUG_OUTPUT=opened "$MASTABA" "$@" >out 2>err || fail "$* failed: $(cat err)"
    for library in $all; do
        if grep -qs "file=${library//./\\.} \[0\];  dynamically loaded" opened.*; then
            [[ " $wanted " == *" ${library%%.so*} "* ]] || fail "$* opens $library"
        else
            [[ " $wanted " != *" ${library%%.so*} "* ]] || fail "$* does not open $library"
        fi
    done
    rm -f opened.*
}
opens '' --version
opens '' map 'x*2' x=x.npy -o out.npy
opens '' filter image.pgm --low-pass 0.2 -o out.pgm
opens libtiff filter image.pgm --low-pass 0.2 -o out.tif
opens libpng16 filter image.pgm --low-pass 0.2 -o out.png
opens 'libtiff libpng16' filter out.tif --low-pass 0.2 -o out.png --force
opens libsndfile map 'x*2' x=x.wav -o out.npy --force
opens libyaml-0 solve heat2d --dry-run

# Empty files in their place.
mkdir broken
for library in $all; do : >"broken/$library"; done
missing() { # missing LIBRARY COMMAND...: fails with a line that names the library.
    local library=$(file "$1")
    shift
    local code=0
    LD_LIBRARY_PATH=$PWD/broken "$MASTABA" "$@" >out 2>err || code=$?
    [ $code = 1 ] || fail "$* without $library: exit code $code"
    [ "$(wc -l <err)" = 1 ] && grep -q "needs ${library//./\\.}, which cannot be loaded (.*); install it" err ||
        fail "$* without $library says: $(cat err)"
}
LD_LIBRARY_PATH=$PWD/broken "$MASTABA" map 'x*3' x=x.npy -o out.npy --force || fail "map needs a library of files"
missing libtiff filter out.tif --low-pass 0.2 -o out.pgm --force
missing libtiff filter image.pgm --low-pass 0.2 -o new.tif
missing libpng16 filter out.png --low-pass 0.2 -o out.pgm --force
missing libsndfile map 'x*2' x=x.wav -o out.npy --force
missing libyaml-0 solve heat2d --dry-run
cp x.wav misnamed.npy
missing libsndfile map 'x*2' x=misnamed.npy -o out.npy --force
head -c 100 image.pgm >none.npy
LD_LIBRARY_PATH=$PWD/broken "$MASTABA" map 'x*2' x=none.npy -o out.npy --force 2>err && fail "an image is taken for an array"
grep -q "libsndfile" err && fail "libsndfile is missed for what is no sound: $(cat err)"

# One without any functions, as an older version is without some.
mkdir old
echo 'extern int none; int none;' | cc -shared -fPIC -x c -o "old/$(file libyaml-0)" -
LD_LIBRARY_PATH=$PWD/old "$MASTABA" solve heat2d --dry-run >out 2>err && fail "libyaml without functions is taken"
[ "$(wc -l <err)" = 1 ] && grep -q "needs $(file libyaml-0), which has no function yaml_[a-z_]*; install a newer version" err ||
    fail "without functions of libyaml: $(cat err)"
if [ -e new.tif ]; then fail "new.tif was made without libtiff"; fi
