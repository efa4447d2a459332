#!/bin/bash
# visar check on small histories: every level of every file (levels.tsv), whole outputs
# (tests/golden/check), certificates, graphs, usage errors.
# With --bless the golden outputs are written instead of compared.
cd "$ROOT/tests/histories/check" || exit 1
golden=$ROOT/tests/golden/check
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# With --quick every fifth file, and every 17th allocation.
some() { if [ -n "$VISAR_QUICK" ]; then printf '%s\n' "$@" | awk 'NR % 5 == 1'; else echo "$@"; fi; }
step=$([ -n "$VISAR_QUICK" ] && echo 17 || echo 1)

# ---- every level of every history ----
models=(ec rc rcs ra cc pc psi si ser)
while IFS=$'\t' read -r file verdicts; do
    case $file in '#'* | history) continue ;; esac
    wanted=($verdicts)
    for i in "${!models[@]}"; do
        case ${wanted[$i]} in o) code=0 ;; x) code=10 ;; *) continue ;; esac
        out=$("$VISAR" check "$file" --level "${models[$i]}" --quiet 2>&1); got=$?
        name=level_${file}_${models[$i]}
        [ $got -eq $code ] && ok "$name" || bad "$name" "exit $got, not $code: $out"
    done
    # --strongest must agree with the levels one by one.
    "$VISAR" check "$file" --strongest --json >"$dir/strongest.json" 2>"$dir/err"
    got=$(python3 - "$dir/strongest.json" <<'PY'
import json, sys
d = {a["level"]: a["verdict"] for a in json.load(open(sys.argv[1]))["levels"]}
print(*[{"ok": "o", "violation": "x"}.get(d.get(m), "u") for m in "ec rc rcs ra cc pc psi si ser".split()])
PY
    )
    got=($got); wrong=
    for i in "${!models[@]}"; do
        [ "${wanted[$i]}" = '?' ] || [ "${wanted[$i]}" = "${got[$i]}" ] || wrong+=" ${models[$i]}"
    done
    [ -z "$wrong" ] && ok "strongest_$file" || bad "strongest_$file" "other verdicts for$wrong: ${got[*]}"
done <levels.tsv

# ---- whole outputs ----
while IFS=$'\t' read -r name code arguments; do
    case $name in '' | '#'*) continue ;; esac
    "$VISAR" check $arguments >"$dir/out" 2>"$dir/err"; got=$?
    sed -i 's/"seconds": [0-9.e-]*/"seconds": 0.0/' "$dir/out"
    if [ $got -ne "$code" ]; then bad "golden_$name" "exit $got, not $code: $(head -c 300 "$dir/out" "$dir/err")"; continue; fi
    [ "$1" = --bless ] && cp "$dir/out" "$golden/$name.out"
    diff -u "$golden/$name.out" "$dir/out" >"$dir/diff" 2>&1 && ok "golden_$name" ||
        { bad "golden_$name" "another output"; cat "$dir/diff"; }
done <"$golden/cases.tsv"
for file in "$golden"/*.out; do
    case $(basename "$file") in certificate*.out) continue ;; esac
    grep -q "^$(basename "$file" .out)	" "$golden/cases.tsv" || bad "golden_$(basename "$file")" "no case makes this file"
done

# ---- an injected anomaly is called by its name, among thousands of transactions ----
while read -r anomaly level name; do
    "$VISAR" generate --anomaly "$anomaly" --level "$level" --transactions 3000 --keys 300 --seed 5 --out "$dir/injected.jsonl" 2>"$dir/err"
    out=$("$VISAR" check "$dir/injected.jsonl" --level "$level" --quiet 2>&1)
    case $out in "VIOLATION: $name ("*) ok "name_${anomaly}_$level" ;; *) bad "name_${anomaly}_$level" "not $name: $out $(cat "$dir/err")" ;; esac
done <<'NAMES'
g1a ser aborted read
g1b si intermediate read
g1c ser circular information flow
g1c si circular information flow
g-single ser read skew
g-single si read skew
g-single ra read skew
stale-session si stale session read
causality ser causality violation
causality cc causality violation
lost-update ser lost update
lost-update si lost update
lost-update psi lost update
long-fork ser long fork
long-fork si long fork
long-fork pc long fork
write-skew ser write skew
NAMES

# ---- certificates: of every answer, satisfied or violated ----
for file in $(some *.txt *.jsonl *.edn ../levels/*.jsonl); do
    levels="rc ra cc psi ser pl-2.99"
    [ "${file%/*}" = "$file" ] && levels="rc rcs ra cc pc psi si ser strict-ser strong-si gsi adya-si"
    for level in $levels; do
        rm -f "$dir/cert"
        "$VISAR" check "$file" --level $level --certificate "$dir/cert" >"$dir/out" 2>&1; got=$?
        name=certificate_$(basename "$file")_$level
        case $got in 0) verb=satisfies ;; 10) verb=violates ;; *) verb= ;; esac
        if [ -z "$verb" ] || grep -q "satisfies no level" "$dir/out"; then
            [ -e "$dir/cert" ] && bad "$name" "a certificate although the exit code is $got"
        elif "$VISAR" check "$file" --verify-certificate "$dir/cert" >"$dir/out" 2>&1 && grep -q " $verb " "$dir/out"; then ok "$name"
        else bad "$name" "not accepted: $(cat "$dir/out")"
        fi
    done
done
"$VISAR" check overdraft.jsonl --level si --certificate "$dir/cert" >/dev/null
[ "$1" = --bless ] && cp "$dir/cert" "$golden/certificate.out"
cmp -s "$dir/cert" "$golden/certificate.out" && ok certificate_text || bad certificate_text "another text: $(cat "$dir/cert")"
"$VISAR" check overdraft.jsonl --level ser --certificate "$dir/cert" >/dev/null
[ "$1" = --bless ] && cp "$dir/cert" "$golden/certificate-violation.out"
cmp -s "$dir/cert" "$golden/certificate-violation.out" && ok certificate_violation_text || bad certificate_violation_text "another text: $(cat "$dir/cert")"
[ "$1" = --bless ] && python3 "$ROOT/tests/histories/docs-examples.py" "$ROOT/docs/check.md" "$golden" --fill
(cd "$ROOT" && python3 tests/histories/docs-examples.py docs/check.md tests/golden/check) || rc=1

# A certificate that was tampered with, cut off, or is of another history is not accepted.
"$VISAR" check serial.txt --level si --certificate "$dir/cert" >/dev/null
expect() {
    local name=$1 code=$2 pattern=$3; shift 3
    out=$("$VISAR" check "$@" 2>&1 </dev/null); local got=$?
    [ $got -eq "$code" ] || { bad "$name" "exit $got, not $code: $out"; return; }
    grep -q -- "$pattern" <<<"$out" && ok "$name" || bad "$name" "no '$pattern' in: $out"
}
expect certificate_accepted 0 "^OK: .* satisfies SI: the verdict OK is confirmed" serial.txt --verify-certificate "$dir/cert"
expect certificate_confirms 0 '"confirms": "ok"' serial.txt --verify-certificate "$dir/cert" --json
# A certificate can be given to --order.
expect certificate_as_order 0 "replayed in the order of their commits" serial.txt --order "$dir/cert"
"$VISAR" check serial.txt --level ser --certificate "$dir/serial" >/dev/null
expect serial_as_order 0 "^OK: .* explains" serial.txt --order "$dir/serial"
cat "$dir/cert" "$dir/serial" >"$dir/both"
out=$("$VISAR" check serial.txt --order "$dir/both" 2>&1)
grep -q "^OK: .* explains" <<<"$out" && ! grep -q note <<<"$out" && ok both_as_order || bad both_as_order "$out"
head -n -1 "$dir/serial" >"$dir/serial-cut"
expect cut_as_order 2 "cut off" serial.txt --order "$dir/serial-cut"
sed '0,/^t /{s/^t .*/t 7.7/}' "$dir/serial" >"$dir/serial-wrong"
expect wrong_as_order 2 "serial-wrong:4: error: the history has no such transaction" serial.txt --order "$dir/serial-wrong"
{ sed '/^[bct] /,$d' "$dir/cert"; grep '^[bct] ' "$dir/cert" | tac; echo end; } >"$dir/reversed"
expect certificate_reversed 10 "REJECTED" serial.txt --verify-certificate "$dir/reversed"
head -n -1 "$dir/cert" >"$dir/cut"
expect certificate_cut_off 2 "expected end" serial.txt --verify-certificate "$dir/cut"
sed 's/^level si/level ser/' "$dir/cert" >"$dir/other-level"
expect certificate_of_another_level 10 "REJECTED" serial.txt --verify-certificate "$dir/other-level"
grep -v '0\.1' "$dir/cert" | sed 's/^order events .*/order events 4/' >"$dir/incomplete"
expect certificate_incomplete 10 "REJECTED" serial.txt --verify-certificate "$dir/incomplete"
expect certificate_weaker_than_asked 10 "REJECTED" serial.txt --level ser --verify-certificate "$dir/cert"
sed 's/real-time=none/real-time=strict/' "$dir/cert" >"$dir/timeless"
expect certificate_without_times 10 "time stamps" serial.txt --verify-certificate "$dir/timeless"
"$VISAR" check write-skew.txt --level ser --certificate "$dir/skew" >/dev/null
expect violation_as_order 2 "proves a violation: there is no order" write-skew.txt --order "$dir/skew"
expect certificate_confirms_violation 0 '"confirms": "violation"' write-skew.txt --verify-certificate "$dir/skew" --json
expect certificate_of_a_violation 0 "violates SER: the verdict VIOLATION is confirmed" write-skew.txt --level ser --verify-certificate "$dir/skew"
expect certificate_of_a_stronger_level 10 "proves that write-skew.txt violates SER, which says nothing about SI" write-skew.txt --level si --verify-certificate "$dir/skew"
sed 's/^level ser/level si/' "$dir/skew" >"$dir/skew-si"
expect certificate_of_an_allowed_cycle 10 "REJECTED" write-skew.txt --verify-certificate "$dir/skew-si"
sed 's/^violation .*/violation lost update/' "$dir/skew" >"$dir/skew-name"
expect certificate_of_another_name 10 "another name" write-skew.txt --verify-certificate "$dir/skew-name"
sed '/^rw/{x;s/^/x/;/^xx$/{x;d};x}; s/^cycle 2/cycle 1/' "$dir/skew" >"$dir/skew-half"
expect certificate_of_half_a_cycle 10 "REJECTED" write-skew.txt --verify-certificate "$dir/skew-half"
sed 's/^rw 0\.0/rw 0.7/' "$dir/skew" >"$dir/skew-txn"
expect certificate_of_another_history 10 "REJECTED.*names the transaction 0\.7, which does not exist" write-skew.txt --verify-certificate "$dir/skew-txn"
sed 's/^c 0\.1/c 9.1/' "$dir/cert" >"$dir/foreign"
expect certificate_of_another_session 10 "REJECTED.*names the transaction 9\.1, which does not exist" serial.txt --verify-certificate "$dir/foreign"
sed 's/^\(rw [0-9.]* [0-9]*\.[0-9]*\)\.[0-9]*/\1.99/' "$dir/skew" >"$dir/skew-op"
expect certificate_of_another_operation 10 "REJECTED.*names the operation [0-9.]*\.99, which does not exist" write-skew.txt --verify-certificate "$dir/skew-op"
expect certificate_of_nothing 2 "cannot be opened" serial.txt --verify-certificate "$dir/absent"
expect certificate_garbage 2 "expected visar-certificate" serial.txt --verify-certificate serial.txt

# Several levels: a certificate for each that has an answer of its own, one behind the other.
for file in $(some *.txt *.jsonl *.edn ../levels/*.jsonl); do
    for how in --strongest "--level all" "--strongest --no-session-order"; do
        rm -f "$dir/cert"
        "$VISAR" check "$file" $how --certificate "$dir/cert" >"$dir/out" 2>&1; got=$?
        name=certificates_$(basename "$file")_${how// /_}
        [ $got = 0 ] || [ $got = 10 ] || continue
        case $how in *--no-session-order) sessions=--no-session-order ;; *) sessions= ;; esac
        out=$("$VISAR" check "$file" --level all $sessions --verify-certificate "$dir/cert" 2>&1); got=$?
        if [ $got = 0 ] && [ "$(grep -c '^OK: ' <<<"$out")" = "$(grep -c '^visar-certificate' "$dir/cert")" ]; then ok "$name"
        else bad "$name" "exit code $got: $out"
        fi
    done
done
"$VISAR" check write-skew.txt --strongest --certificate "$dir/lattice" >/dev/null
expect certificates_of_the_lattice 0 "proves that write-skew.txt satisfies SI" write-skew.txt --verify-certificate "$dir/lattice"
expect certificates_of_both_kinds 0 "proves that write-skew.txt violates SER" write-skew.txt --verify-certificate "$dir/lattice" --level cc,si,ser
cat "$dir/skew" "$dir/skew" >"$dir/twice"
expect certificates_uncovered 10 "^REJECTED: .*twice says nothing about SI" write-skew.txt --verify-certificate "$dir/twice" --level si
expect certificates_uncovered_json 10 '"claim": null' write-skew.txt --verify-certificate "$dir/twice" --level si --json
cat "$dir/skew" "$dir/skew-si" "$dir/skew" >"$dir/one-wrong"
expect certificates_one_wrong 10 "^REJECTED: .*does not prove that write-skew.txt violates SI" write-skew.txt --verify-certificate "$dir/one-wrong"
{ cat "$dir/skew"; head -n -1 "$dir/skew"; } >"$dir/second-cut"
expect certificates_second_cut 2 "second-cut:[0-9]*: error: expected end" write-skew.txt --verify-certificate "$dir/second-cut"
{ cat "$dir/skew"; echo; } >"$dir/more"
expect certificate_empty 2 "expected visar-certificate" write-skew.txt --verify-certificate /dev/null
expect certificate_and_more 2 "nothing after end" write-skew.txt --verify-certificate "$dir/more"

# ---- what is not a history ----
echo '{"visar-history":1}' >"$dir/header.jsonl"
expect no_transactions 0 "note: .*no transactions" "$dir/header.jsonl"
grep -q '^ *$' <<<"$out" && bad no_blank_line "$out" || ok no_blank_line
sed 1d predicate-names.jsonl >"$dir/headless.jsonl"
expect no_header 2 'the first line must be {"visar-history":1}' "$dir/headless.jsonl"
echo 'int x;' >"$dir/program.c"
expect a_program 2 'which `visar verify` reads' "$dir/program.c"
says() { grep -q -- "$2" <<<"$out" && ok "$1" || bad "$1" "no '$2' in: $out"; }
out=$("$VISAR" verify predicate-names.jsonl 2>&1); says verify_of_a_history 'which `visar check` reads'
out=$("$VISAR" replay "$dir/program.c" --spec "$dir/x" 2>&1); says replay_of_a_program 'expected what `visar verify --json` printed'
out=$("$VISAR" check - --level ser --quiet <write-skew.txt 2>&1); says standard_input_by_name 'standard input does not satisfy SER'

# ---- a transaction keeps its name, whatever fields its aggregates are over ----
echo '{"visar-history":1}
{"session":0,"name":"audit","ops":[["predicate",[["duty","=",1]],{"count":0}],["predicate",[],{"sum":["pay",0]}]]}' >"$dir/aggregate.jsonl"
expect name_beside_an_aggregate 0 "^  audit committed" "$dir/aggregate.jsonl" --dump history

# ---- numbers are compared exactly: three open items cost more than 0, and two cost 0.3 or more and less than 1 ----
sed 's/"count":3/"count":4/' decimals.jsonl >"$dir/decimals-count.jsonl"
expect decimals_count 10 "result mismatch" "$dir/decimals-count.jsonl"
sed 's/">=",0.3\]/">=",0.30000000000000002]/' decimals.jsonl >"$dir/decimals-bound.jsonl"
expect decimals_bound 10 "result mismatch" "$dir/decimals-bound.jsonl"

# ---- graphs ----
for file in *.txt *.jsonl; do
    "$VISAR" check "$file" --level ser --dot "$dir/graph-${file%.*}.dot" >/dev/null 2>&1
done
[ -s "$dir/graph-hostile-names.dot" ] && ok dot_written || bad dot_written "no file"
out=$(python3 ../dot-syntax.py "$dir"/graph-*.dot 2>&1) && ok dot_is_well_formed || bad dot_is_well_formed "$out"
if command -v dot >/dev/null; then
    for file in "$dir"/graph-*.dot; do dot -Tsvg "$file" >"$dir/g.svg" 2>>"$dir/dot-err" || echo "$file" >>"$dir/dot-err"; done
    dot -Tplain "$dir/graph-hostile-names.dot" >"$dir/g.plain" 2>>"$dir/dot-err"
    [ ! -s "$dir/dot-err" ] && [ "$(grep -c '^node' "$dir/g.plain")" -eq 2 ] &&
        ok dot_is_understood || bad dot_is_understood "$(cat "$dir/dot-err")"
else
    echo "skip dot_is_understood: graphviz is not installed"
fi
rm -f "$dir"/graph-*.dot
"$VISAR" check serial.txt --dot "$dir/none.dot" >/dev/null 2>&1
[ ! -e "$dir/none.dot" ] && ok no_violation_no_graph || bad no_violation_no_graph "a file"
ls "$dir" | grep -q 'dot\.' && bad no_temporaries "$(ls "$dir")" || ok no_temporaries

# ---- JSON: what docs/json.md promises, no more and no less ----
n=0
for file in *.txt *.jsonl; do
    for arguments in "--level all --verbose" "--strongest" "--level strict-ser,strong-si,gsi"; do
        n=$((n + 1))
        "$VISAR" check "$file" $arguments --json >"$dir/json-$n.json" 2>/dev/null
    done
done
out=$(python3 ../json-fields.py "$ROOT/docs/json.md" "$dir"/json-*.json 2>&1) && ok json_fields || bad json_fields "$out"
rm -f "$dir"/json-*.json

# ---- several histories: the worst exit code ----
several() {
    local name=$1 code=$2; shift 2
    "$VISAR" check --level ser --quiet "$@" >"$dir/out" 2>"$dir/err" </dev/null; local got=$?
    [ $got -eq "$code" ] && ok "$name" || bad "$name" "exit $got, not $code: $(cat "$dir/out" "$dir/err")"
}
several several_satisfied 0 serial.txt unknown-outcome.jsonl
several several_violated 10 serial.txt write-skew.txt unknown-outcome.jsonl
[ "$(wc -l <"$dir/out")" -eq 3 ] && ok several_verdicts || bad several_verdicts "$(cat "$dir/out")"
several several_unknown 5 serial.txt equal-unknown.jsonl
several several_unknown_and_violated 10 equal-unknown.jsonl write-skew.txt
several several_absent 2 serial.txt absent.txt write-skew.txt
grep -q "write-skew" "$dir/out" && ok several_goes_on || bad several_goes_on "$(cat "$dir/out")"
"$VISAR" check serial.txt write-skew.txt --json 2>/dev/null | python3 -c '
import json, sys
d, text = json.JSONDecoder(), sys.stdin.read()
a, at = d.raw_decode(text); b, _ = d.raw_decode(text[at:].lstrip())
assert (a["file"], b["file"]) == ("serial.txt", "write-skew.txt")' && ok several_json || bad several_json "not two objects"

# Every file has its own answer, also one that cannot be read or cannot be asked the question.
printf '{"visar-history":1}\n{"session":0,"ops":[["predicate",[["value","<",9]],[["x",1]]],["w","y",1]]}\n' >"$dir/rows.jsonl"
printf '{"visar-history":1}\n{"session":0,"ops":[["q"]]}\n' >"$dir/torn.jsonl"
answers() { # name, exit code, a line of answers' first words and files, in order, then arguments
    local name=$1 code=$2 lines=$3; shift 3
    "$VISAR" check --quiet "$@" >"$dir/out" 2>"$dir/err"; local got=$?
    local words; words=$(sed -e 's/^\([A-Z]*\): .*\(serial\|rows\|torn\|nowhere\|write-skew\)\..*/\1 \2/' "$dir/out" | tr '\n' ',')
    if [ $got -ne "$code" ]; then bad "$name" "exit $got, not $code: $(cat "$dir/out" "$dir/err")"
    elif [ "$words" != "$lines" ] || [ -s "$dir/err" ]; then bad "$name" "$words $(cat "$dir/err")"
    else ok "$name"; fi
}
answers several_answers 2 "OK serial,ERROR torn,ERROR nowhere,VIOLATION write-skew," \
    serial.txt "$dir/torn.jsonl" nowhere.txt write-skew.txt --level ser
answers several_unique 1 "OK serial,ERROR rows,ERROR torn,VIOLATION write-skew," \
    serial.txt "$dir/rows.jsonl" "$dir/torn.jsonl" write-skew.txt --level ser --unique-values
grep -q "torn.jsonl:2:22: expected" "$dir/out" && ok several_located || bad several_located "$(cat "$dir/out")"
grep -q "^ERROR: $dir/rows.jsonl: --unique-values" "$dir/out" && ok several_named || bad several_named "$(cat "$dir/out")"
"$VISAR" check "$dir/rows.jsonl" serial.txt nowhere.txt write-skew.txt --level ser --unique-values --json 2>"$dir/err" | python3 -c '
import json, sys
d, text, got = json.JSONDecoder(), sys.stdin.read(), []
while text.strip():
    o, at = d.raw_decode(text.lstrip()); text = text.lstrip()[at:]; got.append(o)
assert [o["verdict"] for o in got] == ["error", "ok", "error", "violation"], got
assert "unique-values" in got[0]["reason"] and "nowhere" in got[2]["file"], got' && ok several_json_errors ||
    bad several_json_errors "$(cat "$dir/err")"
"$VISAR" check serial.txt write-skew.txt --level zzz >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] && [ ! -s "$dir/out" ] && [ "$(grep -c zzz "$dir/err")" -eq 1 ] && ok several_usage || bad several_usage "$(cat "$dir/err")"

# ---- every allocation fails once: a clean UNKNOWN, never a crash, never half a file ----
for arguments in "both-sources.txt --level si --dot $dir/a.dot" "write-skew.txt --level si,ser --json"; do
    for ((n = 1; n < 2000; n += step)); do
        rm -f "$dir/a.dot"
        VISAR_FAIL_ALLOC=$n "$VISAR" check $arguments >/dev/null 2>&1; code=$?
        [ $code -eq 5 ] || break
    done
    [ $code -eq 10 ] && ok "allocation_failures_${arguments%% *}" || bad "allocation_failures_${arguments%% *}" "allocation $n: exit $code"
done

# ---- usage, bad input, limits ----
expect level_did_you_mean 1 "did you mean 'ser'" serial.txt --level sre
expect level_unknown 1 "unknown level 'linearizable'" serial.txt --level linearizable
expect level_empty 1 "unknown level ''" serial.txt --level si,
expect format_did_you_mean 1 "did you mean 'blocks'" serial.txt --format block
expect strongest_and_level 1 "leave out --level" serial.txt --strongest --level si
expect dot_to_stdout 1 "give --dot" serial.txt --dot -
expect dump_of_nothing 1 "history|result" serial.txt --dump smt2
expect contradicting_levels 1 "contradicts" serial.txt --level strong-session-si --no-session-order
expect absent_history 2 "absent.txt" absent.txt
expect unwritable_dot 2 "cannot be written" write-skew.txt --level ser --dot /nonexistent/g.dot
expect malformed 2 "levels.tsv" levels.tsv --format blocks
expect no_history 1 "which history" --level si
expect standard_input_twice 1 "once only" - -
expect standard_input_for_two_things 1 "once only" - --order -
expect several_certificates 1 "one history at a time" serial.txt write-skew.txt --certificate "$dir/x"
expect several_graphs 1 "one history at a time" serial.txt write-skew.txt --dot "$dir/x"
expect several_orders 1 "one history" serial.txt write-skew.txt --order "$dir/x"
mkdir "$dir/folder"
expect folder_of_nothing 2 "folder" "$dir/folder"
: >"$dir/empty"
expect empty_file 2 "$dir/empty" "$dir/empty"
if [ "$(id -u)" -ne 0 ]; then
    cp serial.txt "$dir/secret"; chmod 000 "$dir/secret"
    expect unreadable_file 2 "Permission denied" "$dir/secret"
fi
"$VISAR" check - --level ser <write-skew.txt >"$dir/out" 2>&1; [ $? -eq 10 ] && ok reads_standard_input || bad reads_standard_input "$(cat "$dir/out")"
for name in ec rc rcs ra cc pc psi si ser adya-si plain-si plain-ser strict-ser strong-si gsi strong-session-si strong-session-ser; do
    "$VISAR" check serial.txt --level $name >"$dir/out" 2>&1; [ $? -ne 1 ] && ok "level_name_$name" || bad "level_name_$name" "$(cat "$dir/out")"
done
# ---- several histories, and a limit ----
"$VISAR" generate --level ser --transactions 300000 --keys 10000 --out "$dir/large.jsonl"
out=$("$VISAR" check "$dir/large.jsonl" write-skew.txt absent.txt --level ser --quiet --timeout 0.01 2>&1); got=$?
[ $got -eq 5 ] && [ "$(grep -c '^UNKNOWN: .*: time ran out' <<<"$out")" = 3 ] && ok limit_leaves_none_out ||
    bad limit_leaves_none_out "exit $got: $out"
out=$("$VISAR" check write-skew.txt "$dir/large.jsonl" serial.txt --level ser --json --memory 60 2>&1); got=$?
[ $got -eq 5 ] || [ $got -eq 10 ] && [ "$(grep -c '^  "file"' <<<"$out")" = 3 ] && ok limit_leaves_none_out_json ||
    bad limit_leaves_none_out_json "exit $got: $out"
rm -f "$dir/large.jsonl"

exit $rc
