#!/bin/sh
# Builds the fuzzer of the history readers with clang, AddressSanitizer and UndefinedBehaviorSanitizer, and prints
# where it is.  Exit code 3: there is no clang.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${VISAR_FUZZ_BUILD:-$root/build-fuzz}
clang=$(command -v clang-19 || command -v clang) || exit 3
mkdir -p "$build"
flags="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
flags="$flags -fsanitize=fuzzer-no-link,address,undefined"
if ! { cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER="$clang" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="$flags" -DVISAR_FUZZ=ON "-DVISAR_ONLY_ROOMS=base;models;history" -DBUILD_TESTING=ON &&
    cmake --build "$build" -j2 --target fuzz_format; } >"$build/build.log" 2>&1; then
    echo "the fuzzer does not build, see $build/build.log" >&2
    exit 1
fi
echo "$build/tests/fuzz/formats/fuzz_format"
