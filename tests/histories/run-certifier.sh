#!/bin/bash
# visar-certify, the small program for those who doubt: it confirms the certificates of satisfied and
# violated levels, of predicate reads and of results that nothing gives, rejects forged and foreign
# ones, says where an error is, and has no search in it.
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
levels="ec rc rcs ra cc pc psi si ser plain-ser adya-si pl-2.99"
[ -n "$VISAR_QUICK" ] && levels="ec rc cc ser pl-2.99"
# Predicate reads: without version sets, few (all missing rows are items) and many (some of them are); with sets.
for kind in serial lag replicas; do
    ../bench/gen_predicates.sh $kind 20 0 60 >"$dir/few-$kind.jsonl"
    ../bench/gen_predicates.sh $kind 20 1 60 >"$dir/sets-$kind.jsonl"
    ../bench/gen_predicates.sh $kind 400 0 300 >"$dir/many-$kind.jsonl"
done
for path in check/* "$dir"/{few,sets,many}-*.jsonl; do
    name=$(basename "$path")
    [ "$name" = levels.tsv ] && continue
    h=$dir/h-$name.jsonl
    "$VISAR" convert "$path" --to jsonl --out "$h" >/dev/null 2>&1 || continue
    wrong='' n=0
    for level in $levels; do
        rm -f "$dir/c"
        "$VISAR" check "$h" --level $level --quiet --certificate "$dir/c" >/dev/null 2>&1
        [ -e "$dir/c" ] || continue
        "$certify" "$dir/c" "$h" >"$dir/out" 2>&1; got=$?
        "$VISAR" check "$h" --verify-certificate "$dir/c" >/dev/null 2>&1; want=$?
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
sed 's/^c .* :/c :/' "$c" >"$dir/claimed"
expect contradiction_claimed 10 'leave a choice open' "$dir/claimed" $h
sed 's/^proofs 1/proofs 2/;s/^conclusion/proof 0\n&/' "$c" >"$dir/more"
expect proof_of_nothing 10 'belongs to nothing' "$dir/more" $h
sed 's/^proof \(.*\)/proof 9/' "$c" >"$dir/miscounted"
expect clauses_miscounted 2 'miscounted:[0-9]+: error: expected' "$dir/miscounted" $h
sed 's/^c .*/c q 1.0.0 : 1/' "$c" >"$dir/unreadable"
expect clause_unreadable 2 'expected `c`, literals, `:` and hints' "$dir/unreadable" $h
sed 's/ :.*//' "$c" >"$dir/unhinted"
expect hints_left_out 2 'expected `c`, literals, `:` and hints' "$dir/unhinted" $h
sed 's/ : .*/ :/' "$c" >"$dir/unhinted"
expect hints_emptied 10 'leave a choice open' "$dir/unhinted" $h
sed 's/ : \([0-9]*\)/ : 9999999 \1/' "$c" >"$dir/unhinted"
expect hint_of_nothing 10 'leave a choice open' "$dir/unhinted" $h
sed 's/ : 0*[0-9]/ : 0/' "$c" >"$dir/unhinted"
expect hint_changed 10 'leave a choice open' "$dir/unhinted" $h
sed 's/^visar-certificate .*/visar-certificate 2/' "$c" >"$dir/older"
expect older_version 2 'older:1: error: expected visar-certificate 3: certificates of other versions' "$dir/older" $h
sed 's/^c .*/c -s 9.9.9 1.0.0 : 1/' "$c" >"$dir/nobody"
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
# A line of the second certificate of a file is a line of the file; history and orders have places, too.
sed '$s/end/ende/' "$dir/both" >"$dir/bad"
expect line_of_the_file 2 "^$dir/bad:$(wc -l <"$dir/bad"): error: expected end" "$dir/bad" "$dir/skew.jsonl"
printf 'visar-certificate 3\nlevel\0' >"$dir/bad"
expect line_of_a_zero_byte 2 "^$dir/bad:2: error: expected text" "$dir/bad" "$dir/skew.jsonl"
sed '2s/{/{"begin":9,"commit":3,/' "$dir/skew.jsonl" >"$dir/times.jsonl"
expect line_of_the_history 2 "^$dir/times.jsonl:2:[0-9]+: error: transaction .* ends before it begins" "$dir/both" "$dir/times.jsonl"
printf '{"visar-version-order":1,"complete":true}\n\n{"versions":"%s","order":[]}\n' x >"$dir/order"
printf '{"visar-history":1,"default":0}\n{"session":0,"ops":[["w","x",1]]}\n' >"$dir/one.jsonl"
expect line_of_the_claim 2 "^$dir/order:1: error: write\\(x, 1\\) of .* is missing" --version-order "$dir/order" "$dir/both" "$dir/one.jsonl"
printf '{"visar-version-order":1}\n\n{"versions":"x","order":[[0,0],[0,0]]}\n' >"$dir/order"
expect line_of_an_order 2 "^$dir/order:3: error: write\\(x, 1\\) of .* stands twice" --version-order "$dir/order" "$dir/both" "$dir/one.jsonl"
sed '$a{"versions":"x","order":[[0,0],[0,0]]}' "$dir/one.jsonl" >"$dir/two.jsonl"
printf '{"visar-version-order":1}\n' >"$dir/order"
expect line_of_an_order_in_the_history 2 "^$dir/two.jsonl:3: error: write\\(x, 1\\) of .* stands twice" --version-order "$dir/order" "$dir/both" "$dir/two.jsonl"
# Rows that an order shows to a predicate read that did not return them; rows that do not exist.
h=$dir/many-serial.jsonl c=$dir/c
"$VISAR" check "$h" --level ser --quiet --certificate "$c" >/dev/null
expect many_rows 0 'satisfies serializability' "$c" "$h"
{ sed '/^t /,$d' "$c"; grep '^t ' "$c" | tac; echo end; } >"$dir/forged"
expect rows_shown 10 'REJECTED' "$dir/forged" "$h"
{ head -n 2 "$c"; printf 'rows 1\np 0.0 0 999999\n'; tail -n +3 "$c"; } >"$dir/forged"
expect rows_of_nobody 10 'names the row .*, which does not exist' "$dir/forged" "$h"
# A result that nothing gives: its own certificate, those of other histories, others for this history, and bad ones.
cat >"$dir/wrong.jsonl" <<'END'
{"visar-history":1,"default":null,"sessions":2,"versions-complete":true}
{"session":0,"ops":[["w","x",1]]}
{"session":1,"ops":[["predicate",[["value",">=",1]],{"count":7}]]}
{"versions":"x","order":[[0,0]]}
{"version-set":[1,0],"sees":[]}
END
"$VISAR" check "$dir/wrong.jsonl" --level ser --quiet --certificate "$dir/c" >/dev/null 2>"$dir/err"
grep -q '^mismatch' "$dir/c" && ok mismatch_written || bad mismatch_written "$(cat "$dir/c" "$dir/err")"
expect mismatch 0 'VIOLATION is confirmed' "$dir/c" "$dir/wrong.jsonl"
sed 's/"count":7/"count":0/' "$dir/wrong.jsonl" >"$dir/right.jsonl"
expect mismatch_of_another 10 'REJECTED.*is what it should be' "$dir/c" "$dir/right.jsonl"
"$VISAR" check "$dir/right.jsonl" --level ser --quiet --certificate "$dir/c" >/dev/null
expect right 0 'satisfies serializability' "$dir/c" "$dir/right.jsonl"
expect right_of_wrong 10 'REJECTED.*every level is violated for another reason' "$dir/c" "$dir/wrong.jsonl"
head -n -1 "$dir/c" >"$dir/cut"
expect cut_off_of_wrong 2 'expected end' "$dir/cut" "$dir/wrong.jsonl"
sed 's/,"versions-complete":true//' "$dir/right.jsonl" >"$dir/undecided.jsonl"
expect undecided 5 '^UNKNOWN: .*a version set needs complete version orders' "$dir/c" "$dir/undecided.jsonl"
expect cut_off_of_undecided 2 'expected end' "$dir/cut" "$dir/undecided.jsonl"
# … as visar check says it.
same() {
    "$VISAR" check "$dir/wrong.jsonl" --verify-certificate "$dir/$2" >"$dir/out" 2>&1; got=$?
    [ $got -eq "$3" ] && grep -q "$4" "$dir/out" && ok "$1" || bad "$1" "exit code $got: $(cat "$dir/out")"
}
same visar_right_of_wrong c 10 'REJECTED'
same visar_cut_off_of_wrong cut 2 ':[0-9]*: error: expected end'
# Nothing of the search is linked, and so many lines are.
map=$BUILD/certifier/visar-certify.map
if [ -e "$map" ]; then
    grep -q 'libvisar_\(check\|encode\|report\|database\|symexec\|frontend\)' "$map" &&
        bad no_search_is_linked "$(grep -o 'libvisar_[a-z]*' "$map" | sort -u | tr '\n' ' ')" || ok no_search_is_linked
    "$ROOT/tests/certifier-lines" "$map"
fi
exit $rc
