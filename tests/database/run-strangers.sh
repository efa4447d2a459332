#!/bin/bash
# visar record and replay against a server that is not PostgreSQL (fake_server.py): every answer that
# makes no sense ends with one message and exit code 2, nothing of it reaches the history, no control
# character reaches the terminal, and nothing is read without an end.
. "$ROOT/tests/database/cluster.sh" # for await
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
dir=$(mktemp -d)
mkfifo "$dir/alive"
python3 "$ROOT/tests/database/fake_server.py" "$dir/port" <"$dir/alive" &
exec 9>"$dir/alive" # the server ends when this is closed
trap 'exec 9>&-; wait; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
await test -s port || { bad fake_server "it does not start"; exit 1; }
on() { echo "postgresql://visar@127.0.0.1:$(cat port)/$1"; }
touch port.sent

# A byte that a terminal takes for a command (C0, C1), text that runs backwards.
hostile=$(printf '[\\x00-\\x08\\x0b-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]|\\xe2\\x80\\xae|\\xff')
clean() { ! LC_ALL=C grep -qaP "$hostile" "$@"; }
run() { # name, exit code, pattern, arguments
    local name=$1 code=$2 pattern=$3 got; shift 3
    rm -f h.jsonl
    timeout 300 "$VISAR" "$@" >out 2>err; got=$?
    clean out err || { bad "$name" "a control character: $(cat -v out err)"; return; }
    [ $got -eq "$code" ] && cat out err | grep -q -- "$pattern" || { bad "$name" "exit $got, no '$pattern': $(cat out err | tail -3)"; return; }
    [ "$(grep -c '^visar: ' err)" -le 1 ] || { bad "$name" "more than one message: $(cat err)"; return; }
    if [ -e h.jsonl ]; then
        "$VISAR" convert h.jsonl >check.out 2>&1 || { bad "$name" "the history: $(head -1 check.out)"; return; }
        grep -q '"w",0,666\]\|"session":99' h.jsonl && { bad "$name" "the history has what the server made up"; return; }
    fi
    ok "$name"
}
record() { # name, code, pattern, database, workload, more
    local name=$1 code=$2 pattern=$3 database=$4 workload=$5; shift 5
    run "$name" "$code" "$pattern" record --on "$(on "$database")" --workload "$workload" --out h.jsonl --clients 2 --txns 12 --keys 10 "$@"
}
bank=$ROOT/examples/bank.c
"$VISAR" verify "$bank" --model si --json >cex.json
replay() { run "$1" "$2" "$3" replay cex.json --on "$(on "$4")"; }

# ---- a server that behaves ----
for workload in rw append bank; do record plain_$workload 0 committed plain $workload; done
record plain_program 0 committed plain "$bank"
replay plain_replay 2 'is not one of PostgreSQL: another version' plain # it remembers nothing

# ---- answers with something else in them ----
strange="answer to '.*' is not one of PostgreSQL: "
for what in null:NULL text:'not an integer' escapes:'not an integer' huge:'not an integer' range:'out of range' small:'out of range' \
    fraction:'not an integer' empty:'not an integer' blank:'not an integer' plus:'not an integer' minus:'not an integer' nul:'integer\|range' latin:'not an integer' \
    many:'more than' columns:'columns\? instead of' nocolumns:'0 columns instead of' norows:'0 columns instead of' tag:"another command's name" \
    hostiletag:"another command's name" count:'another number of rows' silent:'nothing' twice:'' nodescription:'' copyout:'something else' copyin:'something else' badstate:''; do
    mode=${what%%:*} why=${what#*:}
    record "${mode}_rw" 2 "$strange.*\($why\)" "$mode.SELECT" rw
    case $mode in null | text | range | many | nocolumns | columns | tag | copyout) ;; *) continue ;; esac
    for workload in append bank "$bank"; do
        record "${mode}_$(basename "$workload")" 2 "$strange.*\($why\)" "$mode.SELECT" "$workload"
    done
    replay "${mode}_replay" 2 "$strange.*\($why\)" "$mode.SELECT"
done
# An answer without rows is one that `append` may get.
for workload in rw bank; do record "few_$(basename "$workload")" 2 "${strange}0 rows instead of" few.SELECT "$workload"; done
replay few_replay 2 "${strange}0 rows instead of" few.SELECT
for mode in null text few many nocolumns tag; do
    record ${mode}_update 2 "$strange" $mode.UPDATE rw
    replay ${mode}_update_replay 2 "$strange" $mode.UPDATE
done
record few_update_program 2 "$strange" few.UPDATE "$bank"
# ---- transactions that do not begin or end ----
record begin_not 2 'no transaction is open after it' idle.BEGIN rw
record begin_tag 2 "another command's name" tag.BEGIN rw
record commit_not 2 'a transaction is open after it' open.COMMIT rw
record commit_tag 2 "another command's name" tag.COMMIT rw
grep -q '"status":"committed"' h.jsonl && bad commit_tag_unknown "$(cat h.jsonl)" || ok commit_tag_unknown
record commit_rolled_back 0 'aborted: 12 rolled back instead of committed' rolledback.COMMIT rw
record commit_rows 2 "$strange" many.COMMIT rw
record commit_silent 2 "${strange}nothing" silent.COMMIT rw
# ---- setting up ----
for word in SET CREATE INSERT COMMENT; do
    record setup_tag_$word 2 "$strange" tag.$word bank
    [ ! -e h.jsonl ] && ok setup_tag_${word}_nothing_written || bad setup_tag_${word}_nothing_written "$(cat h.jsonl)"
    record setup_error_$word 2 'stop \\x1b' error.$word bank
    replay setup_replay_$word 2 "$strange" tag.$word
done
record setup_copy 2 "$strange" copyin.CREATE bank
# ---- connections that end or make no sense ----
record unknown_message 2 "$strange" unknown.SELECT rw
replay unknown_message_replay 2 "$strange" unknown.SELECT
for mode in half close length; do
    record ${mode}_select 0 'opened again' $mode.SELECT rw
    record ${mode}_commit 0 'of unknown outcome' $mode.COMMIT rw
    record ${mode}_setup 2 . $mode.CREATE rw
    replay ${mode}_replay 5 'connection is lost' $mode.SELECT
done
for mode in close garbage error endless; do
    record ${mode}_start 2 '^visar: ' $mode.start rw
    replay ${mode}_start_replay 2 '^visar: ' $mode.start
done
record version_start 0 'PostgreSQL 15\. at\|of unknown version\|PostgreSQL 15' version.start rw
# ---- words ----
record error_words 5 'SQLSTATE XX000: stop \\x1b' error.SELECT rw
replay error_words_replay 0 'SQLSTATE XX000' error.SELECT
record notice_words 0 committed notice.SELECT rw
record error_json 5 '' error.SELECT rw --json
# ---- no end ----
for mode in endless endlessfield endlessnotices endlessnotifications; do
    record "${mode}_bank" 2 "$strange" $mode.SELECT bank
    replay ${mode}_replay 2 "$strange" $mode.SELECT
    record ${mode}_commit 2 "$strange" $mode.COMMIT rw
done
most=$(awk '{ if ($2 > most) most = $2 } END { print most + 0 }' port.sent)
[ "$most" -gt 0 ] && [ "$most" -lt 100000000 ] && ok not_without_end || bad not_without_end "$most bytes were read of one answer"
exit $rc
