#!/bin/bash
# --strongest: a row that refers to another level's cycle or reason refers to one that is printed.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$ROOT/tests/histories/check" || exit 1
rc=0
references=0
for file in *.jsonl; do
    "$VISAR" check "$file" --strongest >"$dir/out" 2>/dev/null
    while read -r level; do
        references=$((references + 1))
        grep -q "^Why not $level: " "$dir/out" ||
            { echo "not ok $file: 'as for $level', but there is no 'Why not $level'" && rc=1; }
    done < <(sed -n 's/^  .* violation .*, same [a-z]* as for \(.*\)$/\1/p' "$dir/out" | sort -u)
done
[ $references -gt 10 ] && echo "ok references" || { echo "not ok references: only $references found" && rc=1; }

# The certificates cover every level of the list, also those that follow from another one's cycles.
covered=0
for file in *; do
    rm -f "$dir/c"
    "$VISAR" check "$file" --strongest --certificate "$dir/c" >"$dir/out" 2>/dev/null
    [ -s "$dir/c" ] || continue
    while read -r level; do
        covered=$((covered + 1))
        "$VISAR" check "$file" --verify-certificate "$dir/c" --level "$level" >"$dir/verified" 2>&1 ||
            { echo "not ok covers_$level: $file: $(grep REJECTED "$dir/verified")" && rc=1; }
    done < <(sed -En 's/^  ([A-Z].*[^ ])  +(ok|violation)\b.*/\1/p' "$dir/out" |
        sed 's/^SI without session order$/adya-si/;s/ /-/;y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/')
done
[ $covered -gt 300 ] && echo "ok covered" || { echo "not ok covered: only $covered levels" && rc=1; }

headline() { # NAME FILE PATTERN
    local out
    out=$("$VISAR" check "$2" --strongest --quiet 2>/dev/null)
    if grep -q "$3" <<<"$out"; then echo "ok $1"; else echo "not ok $1: $out" && rc=1; fi
}
headline one overdraft.jsonl "^OK: overdraft.jsonl satisfies SI, but not SER$"
headline two one-statement.jsonl "^OK: one-statement.jsonl satisfies RC, but neither RCS nor RA$"
headline three unknown-maximum.jsonl "^OK: unknown-maximum.jsonl satisfies RA, but none of RCS, CC and PL-2.99$"
headline nothing unknown-chain.jsonl "^VIOLATION: unknown-chain.jsonl satisfies neither EC nor PL-2.99$"
exit $rc
