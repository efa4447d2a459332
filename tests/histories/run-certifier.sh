#!/bin/bash
# visar-certify, the small program for those who doubt: it confirms the certificates of satisfied and
# violated levels, rejects forged and foreign ones, says where it does not judge, and has no search in
# it.
cd "$ROOT/tests/histories" || exit 1
certify=$BUILD/visar-certify
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# expect NAME EXIT-CODE PATTERN ARGUMENTS…
expect() {
    local name=$1 want=$2 pattern=$3 out got; shift 3
    out=$(ulimit -t 60; "$certify" "$@" 2>&1); got=$?
    if [ $got -ne "$want" ]; then bad "$name" "exit code $got, not $want: $(head -n 3 <<<"$out")"
    elif ! grep -qE -- "$pattern" <<<"$out"; then bad "$name" "no '$pattern' in: $(head -n 3 <<<"$out")"
    else ok "$name"; fi
}
# Every history of the examples, at every level (with VISAR_QUICK, at a few): confirmed, as `visar check` does.
levels="rc rcs ra cc pc psi si ser plain-ser adya-si"
[ -n "$VISAR_QUICK" ] && levels="rc cc ser"
for path in check/*; do
    name=$(basename "$path")
    [ "$name" = levels.tsv ] && continue
    h=$dir/$name.jsonl
    "$VISAR" convert "$path" --to jsonl --out "$h" >/dev/null 2>&1 || continue
    wrong='' n=0
    for level in $levels; do
        rm -f "$dir/c"
        "$VISAR" check "$h" --level $level --quiet --certificate "$dir/c" >/dev/null 2>&1
        [ -e "$dir/c" ] || continue
        "$certify" "$dir/c" "$h" >"$dir/out" 2>&1; got=$?
        "$VISAR" check "$h" --verify-certificate "$dir/c" >/dev/null 2>&1; want=$?
        [ $got -eq 5 ] && grep -q 'predicate read' "$dir/out" && continue
        [ $got -eq 0 ] && [ $want -eq 0 ] || wrong="$level: $got, visar check says $want: $(cat "$dir/out")"
        n=$((n + 1))
    done
    [ $n -gt 0 ] || continue
    [ -z "$wrong" ] && ok "confirms_$name ($n levels)" || bad "confirms_$name" "$wrong"
done
# A proof with derived clauses, and what becomes of it without them.
h=certifier/several-writers.jsonl c=$dir/proof
"$VISAR" check $h --level cc --quiet --certificate "$c" >/dev/null
grep -q '^proofs 1$' "$c" && ok has_a_proof || bad has_a_proof "$(tail -n 5 "$c")"
expect proof 0 'violates causal consistency.*VIOLATION is confirmed' "$c" $h
sed '/^proofs/d;/^proof /d;/^c /d' "$c" >"$dir/bare"
expect proof_left_out 10 'leave a choice open' "$dir/bare" $h
sed 's/^proof .*/proof 0/;/^c /d' "$c" >"$dir/empty"
expect proof_emptied 10 'leave a choice open' "$dir/empty" $h
sed '0,/^c -/s//c /' "$c" >"$dir/turned"
expect clause_turned_round 10 'leave a choice open' "$dir/turned" $h
sed 's/^c .*/c/' "$c" >"$dir/claimed"
expect contradiction_claimed 10 'leave a choice open' "$dir/claimed" $h
sed 's/^proofs 1/proofs 2/;s/^conclusion/proof 0\n&/' "$c" >"$dir/more"
expect proof_of_nothing 10 'belongs to nothing' "$dir/more" $h
sed 's/^proof \(.*\)/proof 9/' "$c" >"$dir/miscounted"
expect clauses_miscounted 2 'line [0-9]+: expected' "$dir/miscounted" $h
sed 's/^c .*/c q 1.0.0/' "$c" >"$dir/unreadable"
expect clause_unreadable 2 'expected `c` and literals' "$dir/unreadable" $h
sed 's/^c .*/c -s 9.9.9 1.0.0/' "$c" >"$dir/nobody"
expect clause_of_nobody 10 'does not exist' "$dir/nobody" $h
# One lemma less: some choice is left, or the proof does not need it.
sed '/^cycles/s/.*/cycles 1/;/^conclusion/s/.*/conclusion 1 lemmas 1/' "$c" |
    awk '/^cycle /{n++} n < 2 || /^cases/{if (/^cases/) n = 0; print}' >"$dir/fewer"
expect lemmas_left_out 10 'REJECTED' "$dir/fewer" $h
# A lemma that has a version older than itself proves nothing, whatever the anomaly is called.
grep -oE '^ANOMALY\([A-Z_0-9]+, "[^"]+"' ../../models/anomalies.def | sed 's/.*"\(.*\)"/\1/' | while read -r name; do
    sed "s/^violation.*/violation $name/" certifier/older-than-itself.certificate >"$dir/forged"
    "$certify" "$dir/forged" certifier/older-than-itself.jsonl 2>&1
done | grep -v REJECTED | grep -v 'the name of an anomaly' >"$dir/out"
[ -s "$dir/out" ] && bad older_than_itself "$(head -n 1 "$dir/out")" || ok older_than_itself
# Forged and foreign certificates.
"$VISAR" convert check/write-skew.txt --to jsonl --out "$dir/skew.jsonl" >/dev/null 2>&1
"$VISAR" convert check/serial.txt --to jsonl --out "$dir/serial.jsonl" >/dev/null 2>&1
"$VISAR" check "$dir/skew.jsonl" --level si,ser --quiet --certificate "$dir/both" >/dev/null
expect several 0 'satisfies snapshot isolation' "$dir/both" "$dir/skew.jsonl"
sed 's/^level si/level ser/' "$dir/both" >"$dir/forged"
expect another_level 10 'REJECTED' "$dir/forged" "$dir/skew.jsonl"
sed 's/^level ser/level si/' "$dir/both" >"$dir/forged"
expect violation_of_another_level 10 'REJECTED' "$dir/forged" "$dir/skew.jsonl"
expect foreign 10 'REJECTED' "$dir/both" "$dir/serial.jsonl"
head -n 4 "$dir/both" >"$dir/cut"
expect cut_off 2 'expected' "$dir/cut" "$dir/skew.jsonl"
expect no_certificate 2 'expected visar-certificate' check/serial.txt "$dir/skew.jsonl"
expect no_history 2 'expected' "$dir/both" check/serial.txt
expect missing 2 'cannot|No such' "$dir/both" "$dir/nothing"
expect usage 1 '^usage' "$dir/both"
expect version 0 '^visar-certify [0-9]' --version
# Predicate reads are not judged, and that is said.
"$VISAR" check check/range-phantom.jsonl --level rc --quiet --certificate "$dir/c" >/dev/null
expect predicates 5 'UNKNOWN: .*predicate reads' "$dir/c" check/range-phantom.jsonl
# Nothing of the search is linked, and so many lines are.
map=$BUILD/certifier/visar-certify.map
if [ -e "$map" ]; then
    grep -q 'libvisar_\(check\|encode\|report\|database\|symexec\|frontend\)' "$map" &&
        bad no_search_is_linked "$(grep -o 'libvisar_[a-z]*' "$map" | sort -u | tr '\n' ' ')" || ok no_search_is_linked
    "$ROOT/tests/certifier-lines" "$map"
fi
exit $rc
