#!/bin/bash
# Levels by way of stronger ones: a level that leaves much open is decided by a stronger level that
# does not, the answer says so, and its certificate stands for the level that was asked about.
cd "$ROOT/tests/histories" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# expect NAME EXIT-CODE PATTERN ARGUMENTS…: in 60 seconds of processor time.
expect() {
    local name=$1 want=$2 pattern=$3 out got; shift 3
    out=$(ulimit -t 60; "$VISAR" check "$@" 2>&1); got=$?
    if [ $got -ne "$want" ]; then bad "$name" "exit code $got, not $want: $(head -n 3 <<<"$out")"
    elif ! grep -qE -- "$pattern" <<<"$out"; then bad "$name" "no '$pattern' in: $(head -n 3 <<<"$out")"
    else ok "$name"; fi
}
for seed in 1 2 3; do
    h=$dir/h$seed.jsonl
    python3 gen_statements.py $seed 200 >"$h"
    expect "rc_by_rcs_$seed" 0 'satisfies RC, for it satisfies RCS' "$h" --level rc --quiet --certificate "$dir/c"
    expect "certificate_for_rc_$seed" 0 'proves that .* satisfies RCS' "$h" --level rc --verify-certificate "$dir/c"
    expect "no_certificate_for_pc_$seed" 10 'says nothing about PC' "$h" --level pc --verify-certificate "$dir/c"
    expect "no_sessions_$seed" 0 'satisfies RC without session order' "$h" --level rc --quiet --no-session-order
    expect "json_$seed" 0 '"holds_at": "rcs"' "$h" --level rc --json
    # Every level has its answer, whatever the order in which they are asked.
    for levels in rc,si,ser ser,si,rc; do
        expect "each_level_${levels}_$seed" 10 '^OK: .* satisfies RC, for it satisfies RCS' "$h" --level $levels --quiet
        expect "each_violation_${levels}_$seed" 10 'VIOLATION: .* does not satisfy SER' "$h" --level $levels --quiet
    done
done
# What satisfies the strongest of several levels satisfies them all.
expect several_ok 0 'OK: .*serial.txt satisfies RC, for it satisfies SER' check/serial.txt --level rc,ser --quiet
exit $rc
