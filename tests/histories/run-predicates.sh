#!/bin/sh
# Predicate reads without version sets of so many rows that these are looked at only as far as they
# matter: the levels that stores of three kinds satisfy, certificates, and a row that is left out.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# expect NAME CODE LEVEL: of $dir/h.jsonl; the certificate must be accepted.
expect() {
    "$VISAR" check --level "$3" --certificate "$dir/proof" "$dir/h.jsonl" >"$dir/out" 2>&1
    code=$?
    "$VISAR" check --level "$3" --verify-certificate "$dir/proof" "$dir/h.jsonl" >"$dir/again" 2>&1
    again=$?
    if [ $code -eq "$2" ] && [ $again -eq 0 ]; then
        echo "ok $1-$3"
    else
        echo "not ok $1-$3: exit code $code, certificate $again: $(head -n 1 "$dir/out") $(head -n 1 "$dir/again")"
        failed=1
    fi
}
make() { tests/bench/gen_predicates.sh "$1" 200 "$2" 1500 >"$dir/h.jsonl"; }

for sets in 0 1; do
    make serial $sets
    for level in rc rcs ra cc pc psi si ser plain-ser; do
        expect serial-$sets 0 $level
    done
    make lag $sets
    for level in rc ra cc pc; do
        expect lag-$sets 0 $level
    done
    for level in psi si ser; do
        expect lag-$sets 10 $level
    done
    make replicas $sets
    for level in rc ra; do
        expect replicas-$sets 0 $level
    done
    [ $sets = 0 ] || expect replicas-$sets 0 cc
    for level in pc psi si ser; do
        expect replicas-$sets 10 $level
    done
done

# Of the last predicate read that returned several rows the first one goes.
make serial 0
awk '{ line[NR] = $0 } /\]\],\[\[[0-9]+,[0-9]+\],/ { last = NR }
    END {
        sub(/\]\],\[\[[0-9]+,[0-9]+\],/, "]],[", line[last])
        for (i = 1; i <= NR; i++)
            print line[i]
    }' "$dir/h.jsonl" >"$dir/less.jsonl"
mv "$dir/less.jsonl" "$dir/h.jsonl"
for level in si ser; do
    expect row-left-out 10 $level
done
exit $failed
