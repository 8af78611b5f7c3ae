#!/usr/bin/env bash
# run.sh CC GENERATOR: installs the build into the working directory and uses it as a user would: each header alone, C and C++
# programs by CMake and by pkg-config, shared and static, the examples, the installed program. Then looks at the library's symbols.
set -euo pipefail
CC=$1 generator=$2 CXX=${CXX:-c++}
source=$MASTABA_SOURCE_DIR
here=$source/tests/package
prefix=$PWD/prefix

fail() {
    echo "$*" >&2
    exit 1
}

expect() { # expect OUTPUT COMMAND...
    local want=$1 got
    shift
    got=$("$@") || fail "failed: $*"
    [ "$got" = "$want" ] || fail "$*: printed '$got', expected '$want'"
}

cmake --install "$MASTABA_BUILD_DIR" --prefix first >install.log
mv first "$prefix" # so a path noted at installation would not work
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name mastaba.pc)")
libdir=$(pkg-config --variable=libdir mastaba)
strict="-Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only"

echo "== each header alone, in C and in C++"
headers=$(ls "$prefix"/include/mastaba/*.h | grep -v /mpi.h) # that one needs MPI's
for header in $headers; do
    $CC -x c -std=c11 $strict -I"$prefix/include" - <<<"#include <mastaba/$(basename "$header")>"
    $CXX -x c++ -std=c++11 $strict -I"$prefix/include" - <<<"#include <mastaba/$(basename "$header")>"
done

if $CC -m32 -E - </dev/null >/dev/null 2>&1; then
    echo "== 32 bits: an error that says so"
    if $CC -m32 -fsyntax-only -I"$prefix/include" -x c - <<<"#include <mastaba/mastaba.h>" 2>32.log; then fail "-m32 is taken"; fi
    grep -m 1 error 32.log | grep -q "64-bit addresses" || fail "-m32: $(grep -m 1 error 32.log)"
fi

echo "== find_package"
cmake -S "$here" -B cmake -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" >cmake.log
cmake --build cmake >>cmake.log
for form in mastaba mastaba_static; do
    expect "1.00 12.00 23.00 30.00" cmake/c_$form
    expect ok cmake/cpp_$form
done

echo "== pkg-config"
$CC "$here/consumer.c" -o c_shared $(pkg-config --cflags --libs mastaba)
$CXX "$here/consumer.cpp" -o cpp_shared $(pkg-config --cflags --libs mastaba)
static="$libdir/libmastaba.a $(pkg-config --static --libs mastaba | sed 's/-lmastaba//')"
$CC "$here/consumer.c" -o c_static $(pkg-config --cflags mastaba) $static
$CXX "$here/consumer.cpp" -o cpp_static $(pkg-config --cflags mastaba) $static
expect "1.00 12.00 23.00 30.00" env LD_LIBRARY_PATH="$libdir" ./c_shared
expect ok env LD_LIBRARY_PATH="$libdir" ./cpp_shared
expect "1.00 12.00 23.00 30.00" ./c_static
expect ok ./cpp_static
for example in "$source"/examples/*.c; do
    [ -e "$example" ] || continue
    $CC "$example" -o /dev/null $(pkg-config --cflags --libs mastaba) -lm
done
for example in "$source"/examples/*.cpp; do # those in C are tests of their own
    $CXX -std=c++11 -Wall -Wextra -Werror "$example" -o cpp_example $(pkg-config --cflags --libs mastaba)
    LD_LIBRARY_PATH="$libdir" ./cpp_example >cpp_example.log || fail "$example: $(cat cpp_example.log)"
done

for abi in "$here"/abi-*; do
    echo "== a program built with the headers of $(basename "$abi")"
    $CC -std=c11 -Wall -Wextra -Werror -I"$abi/include" "$abi/program.c" -o old -L"$libdir" -lmastaba -lOpenCL -lm
    expect ok env LD_LIBRARY_PATH="$libdir" ./old
done

if [ -n "${MASTABA-}" ]; then
    echo "== installed program"
    expect "mastaba $(pkg-config --modversion mastaba)" "$prefix/bin/mastaba" --version
fi

echo "== symbols"
soname=$(readelf -d "$libdir/libmastaba.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = libmastaba.so.1 ] || fail "libmastaba.so is called $soname"
unversioned=$(nm -D --defined-only "$libdir/libmastaba.so" | awk '$2 != "A" && $3 !~ /^mst_.*@@MASTABA_[0-9]+$/ {print $3}')
[ -z "$unversioned" ] || fail "libmastaba.so exports" $unversioned
foreign=$(nm -g --defined-only "$libdir/libmastaba.a" | awk 'NF == 3 && $3 !~ /^mst_/ {print $3}')
[ -z "$foreign" ] || fail "libmastaba.a defines" $foreign
same_functions() { # same_functions LIBRARY HEADER...: it exports what they declare
    local library=$1
    shift
    declared=$(sed -n 's/^MST_API.*\b\(mst_[a-z0-9_]*\)(.*/\1/p' "$@" | sort)
    exported=$(nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort)
    [ "$declared" = "$exported" ] || fail "functions that $library exports differ from those declared:
$(diff <(echo "$declared") <(echo "$exported"))"
}
same_functions "$libdir/libmastaba.so" $headers
if [ -e "$libdir/libmastaba_mpi.so" ]; then
    same_functions "$libdir/libmastaba_mpi.so" "$prefix/include/mastaba/mpi.h"
    if nm -D "$libdir/libmastaba.so" | grep -q ' MPI_'; then fail "libmastaba.so calls MPI"; fi
fi
echo ok
