#!/usr/bin/env bash
# sources.sh CC GENERATOR: builds a project that has Mastaba as a part of itself, by FetchContent and by add_subdirectory.
set -euo pipefail
CC=$1 generator=$2 CXX=${CXX:-c++}
here=$MASTABA_SOURCE_DIR/tests/package

tar -C "$MASTABA_SOURCE_DIR" --exclude='./build*' --exclude=./.git --exclude=./.deps --transform 's,^\.,mastaba,' -czf mastaba.tar.gz .
tar -xf mastaba.tar.gz
for way in fetch subdirectory; do
    echo "== $way"
    sources=$PWD/mastaba
    if [ $way = fetch ]; then sources=$PWD/mastaba.tar.gz; fi
    cmake -S "$here/sources" -B $way -G "$generator" -DWAY=$way -DSOURCES="$sources" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Release >$way.log
    cmake --build $way >>$way.log || { tail -n 30 $way.log && exit 1; }
    for program in c_mastaba c_mastaba_static; do
        [ "$($way/$program)" = "1.00 12.00 23.00 30.00" ] || { echo "$way/$program computes something else" >&2 && exit 1; }
    done
    [ "$($way/cpp)" = ok ]
    # The program and the tests are not what such a project asks for.
    if [ -e "$(find $way -name mastaba -type f -perm -u+x | head -n 1)" ]; then echo "$way builds the program" >&2 && exit 1; fi
done
