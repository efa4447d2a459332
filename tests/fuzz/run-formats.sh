#!/bin/sh
# Every history reader under AddressSanitizer and UndefinedBehaviorSanitizer: the whole corpus is read, then a fixed
# number of mutations with a fixed seed, so that every run on every machine does the same.  VISAR_FUZZ_RUNS: how many
# (50000 for each format by default).  Open-ended fuzzing is tests/fuzz/run.
here=$(cd "$(dirname "$0")" && pwd)
runs=${VISAR_FUZZ_RUNS:-$([ -n "$VISAR_QUICK" ] && echo 5000 || echo 50000)}
targets=$("$here/run" --list-formats)
fuzzer=$("$here/build-formats.sh" 2>&1)
case $? in
0) ;;
3)
    for t in $targets; do echo "skip fuzz-$t: no clang"; done
    exit 0
    ;;
*)
    echo "not ok fuzz-build: $fuzzer"
    exit 1
    ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
for t in $targets; do
    mkdir "$dir/$t"
    [ "$t" = auto ] && seeds="$here"/formats/corpus/* || seeds=$here/formats/corpus/$t
    # No limit of time: a slow machine must not change the answer.  $seeds may be several folders.
    if VISAR_FUZZ_FORMAT=$t "$fuzzer" -runs="$runs" -seed=1 -reload=0 -timeout=1200 -rss_limit_mb=2048 -max_len=4096 \
        -artifact_prefix="${VISAR_FUZZ_KEEP:-$(dirname "$fuzzer")}/found-$t-" "$dir/$t" $seeds >"$dir/$t.log" 2>&1; then
        echo "ok fuzz-$t # $runs runs"
    else
        tail -n 40 "$dir/$t.log"
        grep 'Test unit written to' "$dir/$t.log"
        echo "not ok fuzz-$t: $(grep -m1 -E 'ERROR|SUMMARY|assert' "$dir/$t.log")"
        failed=1
    fi
done
exit $failed
