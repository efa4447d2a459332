#!/bin/bash
# Random programs, each under every second model in turn, the verifier against brute force.  VISAR_ORACLE_PROGRAMS sets
# how many, VISAR_ORACLE_SEED where they start; two processes share them.
# Takes minutes.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
count=${VISAR_ORACLE_PROGRAMS:-5000}
seed=${VISAR_ORACLE_SEED:-1}
export VISAR_ORACLE_HALF=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
half=$((count / 2))
run() {
    mkdir "$folder/$3"
    "${BUILD:?}/tests/verify/verify_oracle" "$1" "$2" "$root/frontend/include" "$folder/$3" \
        >"$folder/$3.log"
    local rc=$?
    sed -e "s/^\(ok\|not ok\) \([^:]*\)/\1 \2-$3/" "$folder/$3.log"
    # A program on which the two disagree is worth seeing.
    for file in "$folder/$3"/disagree-*.c; do
        [ -f "$file" ] && { echo "# $(basename "$file")"; sed 's/^/#   /' "$file"; break; }
    done
    return $rc
}
run $half "$seed" first &
pid=$!
run $((count - half)) $((seed + half)) second
rc=$?
run $((count / 10)) $((seed + (1 << 40))) results || rc=1 # scenarios that do something with results
run $((count / 5)) $((seed + (1 << 41))) servers || rc=1 # at the levels of databases
run $((count / 5)) $((seed + (1 << 42))) constraints || rc=1 # with a CONSTRAINT
wait $pid || rc=1
exit $rc
