#!/bin/sh
# Fuzzes every history reader for $VISAR_FUZZ_SECONDS seconds (60 by default) under AddressSanitizer
# and UndefinedBehaviorSanitizer, starting from the corpus in the project.  A finding is left in the
# build folder; put it into the corpus once it is fixed.
# Takes minutes.
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${VISAR_FUZZ_SECONDS:-60}
targets="auto jsonl edn dbcop cobra viper plume blocks"
clang=$(command -v clang-19 || command -v clang)
if [ -z "$clang" ]; then
    for t in $targets; do echo "skip fuzz-$t: no clang"; done
    exit 0
fi
build=${VISAR_FUZZ_BUILD:-$root/build-fuzz}
mkdir -p "$build"
names=$(for t in $targets; do echo "fuzz_format_$t"; done)
flags="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
flags="$flags -fsanitize=fuzzer-no-link,address,undefined"
if ! { cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER="$clang" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="$flags" -DVISAR_FUZZ=ON -DVISAR_ROOMS="base;models;history" &&
    cmake --build "$build" -j2 --target $names; } >"$build/build.log" 2>&1; then
    echo "not ok fuzz-build: see $build/build.log"
    exit 1
fi

# All at a time: each has its minute, and the machine is never idle.
fuzz_one() {
    t=$1
    work=$build/corpus-$t
    log=$build/fuzz-$t.log
    seeds=$root/tests/fuzz/formats/corpus
    mkdir -p "$work"
    [ "$t" = auto ] && given=$seeds/* || given=$seeds/$t
    if "$build/tests/fuzz/formats/fuzz_format_$t" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 -artifact_prefix="$build/found-$t-" \
        "$work" $given >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "ok fuzz-$t # $runs runs in $seconds s"
    else
        echo "not ok fuzz-$t: $(grep -m1 -E 'ERROR|SUMMARY|assert' "$log"), see $log"
    fi
}
for t in $targets; do
    fuzz_one "$t" &
done >"$build/results"
wait
cat "$build/results"
! grep -q '^not ok' "$build/results"
