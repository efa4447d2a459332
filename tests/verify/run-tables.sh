#!/bin/bash
# Random programs on tables of any size, the verifier against brute force.  VISAR_ORACLE_PROGRAMS sets
# how many, VISAR_ORACLE_SEED where they start; two processes share them.
# Takes minutes.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
count=$((${VISAR_ORACLE_PROGRAMS:-1200} / 4)) # they take longer than those without tables
seed=${VISAR_ORACLE_SEED:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
half=$((count / 2))
run() {
    mkdir "$folder/$3"
    "${BUILD:?}/tests/verify/verify_tables" "$1" "$2" "$root/frontend/include" "$folder/$3" \
        >"$folder/$3.log"
    local rc=$?
    sed -e "s/^\(ok\|not ok\) \([^:]*\)/\1 \2-$3/" "$folder/$3.log"
    # A smaller program on which the two disagree is worth seeing.
    for file in "$folder/$3"/reduced-*.c; do
        [ -f "$file" ] && { echo "# $(basename "$file")"; sed 's/^/#   /' "$file"; break; }
    done
    return $rc
}
run $half "$seed" first &
pid=$!
run $((count - half)) $((seed + half)) second
rc=$?
wait $pid || rc=1
exit $rc
