#!/bin/sh
# Reads of one row in one transaction, of which some say which version they saw (write id, initial)
# and others do not: each line gives the strongest levels that the history satisfies, and no
# certificate may say otherwise.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# expect NAME VERDICT HEADER TRANSACTION…
expect() {
    name=$1 verdict=$2
    shift 2
    printf '%s\n' "$@" >"$dir/h.jsonl"
    got=$("$VISAR" check --strongest "$dir/h.jsonl" 2>&1 | head -n 1)
    case $got in
    "$verdict"*) echo "ok $name" ;;
    *)
        echo "not ok $name: $got"
        failed=1
        ;;
    esac
    for level in rc ra si ser; do
        "$VISAR" check -q --level $level --certificate "$dir/proof" "$dir/h.jsonl" >"$dir/verdict"
        "$VISAR" check -q --level $level --verify-certificate "$dir/proof" "$dir/h.jsonl" \
            >"$dir/again" 2>&1 && continue
        echo "not ok $name-$level: $(cat "$dir/verdict" "$dir/again")"
        failed=1
    done
}
ser="OK: $dir/h.jsonl satisfies SER"

expect own-write-with-id "$ser" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}],["r","x",2]]}'
expect own-write-with-id-by-predicate "$ser" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}],["predicate",[["value",">=",1]],[["x",2]]]]}'
expect own-delete-with-id-by-range "$ser" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",null,{"id":1}],["range","a","z",[]]]}'
expect own-write-other-id "VIOLATION" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}],["r","x",2,{"id":7}]]}'
expect id-then-none "$ser" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}]]}' \
    '{"session":1,"ops":[["r","x",2,{"id":1}],["r","x",2]]}'
expect none-then-id "$ser" '{"visar-history":1,"default":5}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}]]}' \
    '{"session":2,"ops":[["w","x",2,{"id":2}]]}' \
    '{"session":1,"ops":[["r","x",2],["r","x",2,{"id":1}]]}'
expect id-then-range "$ser" '{"visar-history":1,"default":5}' \
    '{"session":0,"ops":[["w","x",null,{"id":1}]]}' \
    '{"session":1,"ops":[["r","x",null,{"id":1}],["range","a","z",[]]]}'
expect two-ids "OK: $dir/h.jsonl satisfies RCS, but not RA" '{"visar-history":1}' \
    '{"session":0,"ops":[["w","x",2,{"id":1}]]}' \
    '{"session":2,"ops":[["w","x",2,{"id":2}]]}' \
    '{"session":1,"ops":[["r","x",2,{"id":1}],["r","x",2],["r","x",2,{"id":2}]]}'
expect initial-then-none "$ser" '{"visar-history":1,"default":0}' \
    '{"session":0,"ops":[["r","x",0,{"initial":true}],["r","x",0]]}' \
    '{"session":1,"ops":[["w","x",0,{"id":7}]]}'
expect none-then-initial "OK: $dir/h.jsonl satisfies RC and SI without session order, but neither RCS nor RA" '{"visar-history":1,"default":0}' \
    '{"session":0,"ops":[["w","x",0]]}' \
    '{"session":0,"ops":[["r","x",0],["r","x",0,{"initial":true}]]}'
exit $failed
