#!/bin/bash
# The command line: help, usage errors, exit codes, texts made from the tables, limits.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# expect NAME CODE PATTERN COMMAND…: the exit code, and a pattern in stdout and stderr together.
expect() {
    local name=$1 code=$2 pattern=$3; shift 3
    out=$("$@" 2>&1 </dev/null); local got=$?
    [ $got -eq "$code" ] || { bad "$name" "exit $got, not $code: $out"; return; }
    grep -q -- "$pattern" <<<"$out" && ok "$name" || bad "$name" "no '$pattern' in: $out"
}
expect no_arguments 0 "Start here" "$VISAR"
expect help 0 "Usage: visar COMMAND" "$VISAR" --help
expect version 0 "Z3 4\." "$VISAR" --version
expect version_clang 0 "libclang [0-9]" "$VISAR" --version
for command in $("$VISAR" --help | sed -n '/^Usage/,/^Start/s/^  \([a-z]*\) .*/\1/p'); do
    expect "help_$command" 0 "Examples:" "$VISAR" "$command" --help
done
expect unknown_command 1 "did you mean 'verify'" "$VISAR" verfiy x.c
expect unknown_option 1 "did you mean '--model'" "$VISAR" verify --modle si x.c
expect option_of_another_command 1 "unknown option '--level'" "$VISAR" models --level si
expect missing_value 1 "wants a value" "$VISAR" verify x.c --model
expect bad_number 1 "wants a whole number" "$VISAR" verify x.c --txns two
expect bad_choice 1 "wants row|field" "$VISAR" verify x.c --granularity table
expect timeout_zero 1 "timeout wants a number above 0" "$VISAR" verify x.c --timeout 0
expect memory_zero 1 "memory wants a number above 0" "$VISAR" check x --memory 0
expect given_twice 1 "timeout is given twice" "$VISAR" verify x.c --timeout 5 --timeout 6
expect given_twice_text 1 "scenario is given twice" "$VISAR" verify x.c -s one --scenario two
expect given_twice_alike 0 "snapshot" "$VISAR" models --timeout 5 --timeout 5.0 --color never --color never
expect models_add_up 10 "pc *si" "$VISAR" verify examples/bank.c --model pc --model si
expect models_add_up_all 10 "rc .* ser" "$VISAR" verify examples/bank.c --model all -m si
expect compiler_flag 1 "flags for the compiler go after '--'" "$VISAR" verify x.c -DLIMIT=10
for flag in -Iinclude -std=c11 -Wall -fwrapv -include; do
    expect "compiler_flag_$flag" 1 "visar weakest FILE -- $flag" "$VISAR" weakest x.c $flag
done
expect short_option_is_not_a_flag 1 "unknown option '-D'" "$VISAR" models -DLIMIT=10
expect model_rr 1 "databases mean si (PostgreSQL).*rcs (MySQL" "$VISAR" verify examples/bank.c --model rr
expect model_repeatable_read 1 "databases mean si (PostgreSQL" "$VISAR" verify examples/bank.c --model Repeatable-Read
expect model_snapshot 1 "did you mean 'si'" "$VISAR" verify examples/bank.c --model snapshot
expect model_read_committed 1 "did you mean 'rc'?): databases mean rcs (PostgreSQL" "$VISAR" verify examples/bank.c --model read-committed
expect model_causal 1 "did you mean 'cc'" "$VISAR" verify examples/bank.c --model causal
expect model_serializable 1 "ser (PostgreSQL, .*si (Oracle)" "$VISAR" verify examples/bank.c --model serializable
expect model_unheard_of 1 "visar models" "$VISAR" verify examples/bank.c --model eventual-consistency-of-some-kind
expect no_file 1 "which" "$VISAR" verify
expect absent_file 2 "missing_rows.c" "$VISAR" verify missing_rows.c
cp examples/bank.c "$dir/bank.c"
expect output_is_input 1 "would overwrite" "$VISAR" verify "$dir/bank.c" --reproducer "$dir/./bank.c"
cmp -s examples/bank.c "$dir/bank.c" && ok input_is_kept || bad input_is_kept "the source was overwritten"
expect outputs_are_one 1 "written twice" "$VISAR" verify "$dir/bank.c" --reproducer "$dir/x" --save-history "$dir/x"
expect output_unwritable 2 "cannot be written" "$VISAR" verify "$dir/bank.c" --save-history "$dir/none/x"
expect history_to_stdout 1 "standard output has the verdict" "$VISAR" verify "$dir/bank.c" --save-history -
expect formula_not_needed 0 "bounded leaves it out" "$VISAR" verify "$dir/bank.c" --model ser --dump smt2
expect level_is_model 10 "VIOLATED" "$VISAR" verify "$dir/bank.c" --level si
expect generate_level 1 "unknown level 'strict-ser'" "$VISAR" generate --level strict-ser
expect version_libpq 0 "libpq [0-9]" "$VISAR" --version
expect option_first 1 "a command comes first" "$VISAR" --model si
expect models 0 "snapshot isolation" "$VISAR" models
expect models_databases 0 "REPEATABLE READ" "$VISAR" models
"$VISAR" models --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d["schema"]=="visar/1" and len(d["models"])==9' &&
    ok models_json || bad models_json "not the JSON expected"
for shell in bash zsh; do expect "completion_$shell" 0 "granularity" "$VISAR" completion $shell; done
"$VISAR" completion bash >"$dir/c.bash"
got=$(bash -c "source $dir/c.bash; COMP_WORDS=(visar verify --gran); COMP_CWORD=2; _visar; echo \${COMPREPLY[*]}")
[ "$got" = "--granularity" ] && ok bash_completes || bad bash_completes "got '$got'"
got=$(bash -c "source $dir/c.bash; COMP_WORDS=(visar check --level = ser,ps); COMP_CWORD=4; _visar; echo \${COMPREPLY[*]}")
[ "$got" = "ser,psi" ] && ok bash_completes_names || bad bash_completes_names "got '$got'"
cmp -s <("$VISAR" help --man) docs/visar.1 && ok man_page_is_current || bad man_page_is_current "run: visar help --man > docs/visar.1"
cmp -s <("$VISAR" help --markdown) docs/cli.md && ok cli_reference_is_current || bad cli_reference_is_current "run: visar help --markdown > docs/cli.md"
"$VISAR" generate --level ser --transactions 200 --out "$dir/h.jsonl"
expect levels_add_up 0 "satisfies SER.*satisfies SI" bash -c '"$0" check "$1" --level ser --level si | tr "\n" " "' "$VISAR" "$dir/h.jsonl"
cp "$dir/h.jsonl" "$dir/--level"
expect file_like_an_option 0 "satisfies SI" bash -c 'cd "$1" && "$0" check -q -- --level' "$VISAR" "$dir"
expect files_after_dashes 2 "absent.jsonl" "$VISAR" check "$dir/h.jsonl" -- absent.jsonl
expect flag_with_value 1 "takes no value" "$VISAR" check "$dir/h.jsonl" --quiet=1
printf '\n \n' >"$dir/blank"
expect blank_history 2 "nothing but blank lines" "$VISAR" check "$dir/blank"
mkdir "$dir/folder" && cp "$dir/h.jsonl" "$dir/folder"
expect folder_of_one 0 "^OK: .*folder/h.jsonl satisfies" "$VISAR" check "$dir/folder"
cp "$dir/h.jsonl" "$dir/folder/other.jsonl"
expect folder_of_histories 2 "several histories in this folder" "$VISAR" check "$dir/folder"
mkdir "$dir/hist-1" && "$VISAR" generate --to dbcop --out "$dir/hist-1/history.bincode" && echo "a note" >"$dir/hist-1/notes.log"
expect folder_of_dbcop 0 "^OK: .*hist-1/history.bincode satisfies" "$VISAR" check "$dir/hist-1"
mv "$dir/hist-1/history.bincode" "$dir/hist-1/run.bincode" && rm "$dir/hist-1/notes.log"
expect folder_of_bincode 0 "^OK: .*hist-1/run.bincode satisfies" "$VISAR" check "$dir/hist-1"
cp "$dir/hist-1/run.bincode" "$dir/hist-1/run2.bincode"
expect folder_of_several 2 "several histories in this folder, .*run.bincode and .*run2.bincode" "$VISAR" check "$dir/hist-1"
echo '{"visar-version-order":1}' >"$dir/versions"
expect versions_are_no_history 2 "version-order" "$VISAR" check "$dir/versions"
expect versions_without_header 2 "expected the header" "$VISAR" check "$dir/h.jsonl" --version-order "$dir/blank"
"$VISAR" check "$dir/h.jsonl" -q --certificate "$dir/proof" >"$dir/verdict"
expect proof_is_no_history 2 "verify-certificate" "$VISAR" check "$dir/proof"
cat >"$dir/numbered.jsonl" <<'END'
{"visar-history":1}
{"session":9,"id":5,"ops":[["w","x",1,{"id":1}]]}
{"session":7,"id":5,"ops":[["r","x",2,{"id":1}]]}
{"session":8,"ops":[["w","x",2,{"id":2}]]}
END
expect session_numbers 10 "session 7" "$VISAR" check "$dir/numbered.jsonl" --level rc
expect id_of_another_value 10 "no write of it has that id" "$VISAR" check "$dir/numbered.jsonl" --level rc
echo T5 >"$dir/order"
expect order_two_of_one_number 2 "several transactions have this number" "$VISAR" check "$dir/numbered.jsonl" --order "$dir/order"
: >"$dir/order"
expect order_of_nothing 2 "order: transaction T5 committed" "$VISAR" check "$dir/numbered.jsonl" --order "$dir/order"
sed '1s/}/,"versions-complete":true}/' "$dir/numbered.jsonl" >"$dir/incomplete.jsonl"
expect incomplete_names_the_file 2 "incomplete.jsonl:1: error: write" "$VISAR" check "$dir/incomplete.jsonl"
expect generate_one_level 1 "generate takes one level, not several: 'ser,si'" "$VISAR" generate --level ser,si
expect generate_unknown_level 1 "did you mean 'ser'" "$VISAR" generate --level sre
expect cannot_express 2 "the format plume cannot express lists (jsonl can)" "$VISAR" generate --kind append --to plume
expect jobs_0 1 "jobs wants a whole number, 1 or more" "$VISAR" verify "$ROOT/examples/bank.c" --jobs 0
expect drift_without_real_time 0 "note: --clock-drift has no effect" "$VISAR" check "$dir/h.jsonl" --level ser --clock-drift 1
"$VISAR" check "$dir/h.jsonl" --strongest --clock-drift 1 2>&1 | grep -q "no effect" && bad drift_and_strongest "a note" || ok drift_and_strongest
expect convert_quiet 0 "no notes on what the format cannot keep" "$VISAR" convert --help
"$VISAR" convert --help | grep -q "verdict" && bad convert_has_no_verdict "in --help" || ok convert_has_no_verdict
"$VISAR" generate --help | grep -q "verdict" && bad generate_has_no_verdict "in --help" || ok generate_has_no_verdict
expect lockstep_help 0 "same transactions and answers every time" bash -c '"$0" record --help | tr -s " \n" " "' "$VISAR"
expect absent_history 2 "[Nn]o such file" "$VISAR" verify "$dir/absent.jsonl"
echo '{"schema":"visar/1","command":"weakest"}' >"$dir/weakest.json"
expect replay_of_weakest 2 "this is what .visar weakest --json. prints" "$VISAR" replay "$dir/weakest.json" --on postgresql://localhost:1/
cat >"$dir/replayed.jsonl" <<'END'
{"visar-history":1,"default":0}
{"session":0,"ops":[["w",8,1]]}
{"session":1,"ops":[["r",8,1]]}
END
printf '1.0\n0.0\n' >"$dir/order"
expect order_names_the_key 10 "but key 8 is 0 there, as in the beginning" "$VISAR" check "$dir/replayed.jsonl" --order "$dir/order"
expect level_rr 1 "did you mean 'repeatable-read'" "$VISAR" check "$dir/h.jsonl" --level rr
for command in models --help "convert $dir/h.jsonl" "convert $dir/h.jsonl --out /dev/full" "check $dir/h.jsonl" "generate --transactions 3"; do
    got=$("$VISAR" $command 2>&1 >/dev/full); code=$?
    [ $code -eq 2 ] && [ "$(wc -l <<<"$got")" -eq 1 ] && grep -q "cannot be written: No space" <<<"$got" &&
        ok "full_disk_${command%% *}" || bad "full_disk_${command%% *}" "exit $code: $got"
done
{ printf '\xef\xbb\xbf'; cat "$dir/h.jsonl"; } >"$dir/mark.jsonl"
expect byte_order_mark 0 "satisfies SER" "$VISAR" check "$dir/mark.jsonl" --level ser
echo '#error LIMIT is missing' >"$dir/limit.h"
printf '#include <visar.h>\n#include "limit.h"\nDATABASE int x = LIMIT;\n' >"$dir/limit.c"
expect header_first 2 "LIMIT is missing.*undeclared" bash -c '"$0" verify "$1" 2>&1 | tr "\n" " "; exit ${PIPESTATUS[0]}' "$VISAR" "$dir/limit.c"
cat >"$dir/alike.c" <<'C'
#include <visar.h>
DATABASE int stock = 2, other;
TRANSACTION void buy(void) { if (stock > 0) stock = stock - 1; }
TRANSACTION void touch(void) { other = 1; }
FINAL bool both(void) { return stock == 0; }
SCENARIO void s(void) { buy(); buy(); }
SCENARIO void t(void) { touch(); buy(); buy(); }
C
"$VISAR" verify "$dir/alike.c" --model pc --scenario s --json --save-history "$dir/alike.jsonl" | python3 -c '
import json, sys
for v in json.load(sys.stdin)["results"][0]["verdicts"]:
    x = v.get("execution")
    if x:
        names = {t["name"] for t in x["transactions"]}
        ends = {e[k] for e in x["anomaly"]["cycle"] for k in ("from", "to")}
        sys.exit(ends != names or names != {"buy() [1]", "buy() [2]"})
sys.exit(1)' && grep -q '"buy() \[2\]"' "$dir/alike.jsonl" && ok cycle_names || bad cycle_names "the names of a cycle are not those of the transactions"
printf '#include <visar.h>\nDATABASE int a, b;\nTRANSACTION void one(void) { a = 1; }\nTRANSACTION void two(void) { b = 1; }\nINVARIANT bool first(void) { return a >= b; }\nSCENARIO void s(void) { one(); two(); }\n' >"$dir/reader.c"
"$VISAR" verify "$dir/reader.c" --model ra --observe snapshots --reproducer "$dir/reader-cex.c" >/dev/null
grep -q 'puts("what a reader may see")' "$dir/reader-cex.c" && ok reader_is_not_final || bad reader_is_not_final "$(grep puts "$dir/reader-cex.c")"
# Every allocation of a run fails once: a clean UNKNOWN each time, never a crash.
for command in models "models --json" "models --frobnicate"; do
    for ((n = 1; n < 400; n++)); do
        VISAR_FAIL_ALLOC=$n "$VISAR" $command >/dev/null 2>&1; code=$?
        case $code in 5) ;; 0 | 1) break ;; *) bad "allocation_failure" "$command, allocation $n: exit $code" ; break ;; esac
    done
done
ok allocation_failures_survived
if command -v valgrind >/dev/null; then
    valgrind -q --error-exitcode=99 --leak-check=full "$VISAR" models >"$dir/vg" 2>&1; code=$?
    [ $code -eq 0 ] && ok valgrind_models || bad valgrind_models "$(grep == "$dir/vg" | head -5)"
else
    echo "skip valgrind_models: valgrind is not installed"
fi
exit $rc
