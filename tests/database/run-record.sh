#!/bin/bash
# visar record against a private PostgreSQL: what each level gives, programs as workloads, and
# killed clients and servers.
#
# Nothing here depends on the machine's speed.  What must hold holds for clients that run freely;
# anomalies, which need an interleaving, are recorded with --lockstep, where the seed gives it; and
# what happens to a recorder happens while it has more to do than it ever gets done.
. "$ROOT/tests/database/cluster.sh"
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
missing=$(cluster_missing)
[ -z "$missing" ] || { echo "skip record: $missing"; exit 0; }
dir=$(mktemp -d)
recorder=
trap '[ -z "$recorder" ] || kill -KILL $recorder 2>/dev/null; cluster_stop; rm -rf "$dir"' EXIT
cluster_start || { bad cluster "PostgreSQL does not start"; exit 1; }
cd "$dir" || exit 1
sql() { psql -XAtq "$url" -c "$1"; }
schemas() { sql "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'visar%'"; }

# ---- levels ----
record() { # name, further arguments
    local name=$1 got; shift
    "$VISAR" record --on "$url" --out "$name.jsonl" "$@" >"$name.out" 2>&1; got=$?
    [ $got -eq 0 ] || bad "$name" "exit $got: $(cat "$name.out")"
}
verdict() { # name, level, code
    "$VISAR" check "$1.jsonl" --level "$2" --quiet >check.out 2>&1; local got=$?
    [ $got -eq "$3" ] && { ok "$1_$2"; return; }
    # What was recorded does not come again.
    local kept=${TMPDIR:-/tmp}/visar-failed-$1.jsonl
    cp "$1.jsonl" "$kept"
    bad "$1_$2" "exit $got, not $3: $(head -1 check.out) (kept as $kept)"
    "$VISAR" check "$1.jsonl" --level "$2" 2>&1 | head -60
}
for workload in rw append; do
    record ${workload}_read_committed --workload $workload --txns 2000 --isolation read-committed
    verdict ${workload}_read_committed rcs 0
    record ${workload}_read_committed_anomaly --lockstep --workload $workload --txns 600 --isolation read-committed
    verdict ${workload}_read_committed_anomaly rcs 0
    verdict ${workload}_read_committed_anomaly si 10
    record ${workload}_repeatable_read --workload $workload --txns 3000 --isolation repeatable-read
    verdict ${workload}_repeatable_read si 0
    verdict ${workload}_repeatable_read gsi 0
    verdict ${workload}_repeatable_read strong-si 0
    record ${workload}_repeatable_read_anomaly --lockstep --workload $workload --txns 600 --isolation repeatable-read
    verdict ${workload}_repeatable_read_anomaly si 0
    verdict ${workload}_repeatable_read_anomaly ser 10
    record ${workload}_serializable --workload $workload --txns 3000 --isolation serializable
    verdict ${workload}_serializable ser 0
    verdict ${workload}_serializable strict-ser 0
    verdict ${workload}_serializable gsi 0
    verdict ${workload}_serializable strong-si 0
done
# Both ends of begin and commit, of every transaction that committed.
grep '"committed"' rw_serializable.jsonl | grep -vc '"commit":.*"begin":.*"begin-answered":.*"commit-asked":' >unstamped
[ "$(cat unstamped)" = 0 ] && ok stamps || bad stamps "$(cat unstamped) transactions lack a time"
# The same interleaving every time: all but the time stamps is the same.
record again --lockstep --workload append --txns 600 --isolation repeatable-read
untimed() { sed -E 's/,"(begin|commit|[a-z-]*(asked|answered))":[0-9]+//g; s/ //g' "$1"; }
untimed again.jsonl >again.untimed
untimed append_repeatable_read_anomaly.jsonl | cmp -s - again.untimed && ok lockstep || bad lockstep "two recordings with one seed differ"
grep -q '^  aborted: [0-9]* serialization failure (40001)$' again.out && grep -q '^  aborted: [0-9]* lock timeout (55P03)$' again.out && ok aborted_because || bad aborted_because "$(cat again.out)"
"$VISAR" record --on "$url" --out reasons.jsonl --lockstep --workload append --txns 600 --isolation repeatable-read --json >reasons.json
cat >reasons.py <<'E'
import json, sys
r = json.load(open("reasons.json"))
why = {a["sqlstate"]: a["count"] for a in r["aborted_because"]}
sys.exit(not (why["40001"] > 0 and why["55P03"] > 0 and sum(why.values()) == r["aborted"]))
E
python3 reasons.py && ok aborted_because_json || bad aborted_because_json "$(cat reasons.json)"
record bank_read_committed --lockstep --workload bank --keys 10 --txns 600 --isolation read-committed
verdict bank_read_committed si 10
grep -q 'audits that did not find all the money' bank_read_committed.out && ok bank_loses_money || bad bank_loses_money "all audits add up"
record bank_repeatable_read --workload bank --keys 10 --txns 2000 --isolation repeatable-read
verdict bank_repeatable_read si 0
grep -q 'audits' bank_repeatable_read.out && bad bank_keeps_money "$(cat bank_repeatable_read.out)" || ok bank_keeps_money

# ---- programs ----
for program in bank doctors tpcc; do
    rows=2; [ $program != tpcc ] || rows=4
    name=${program}_c_repeatable_read
    "$VISAR" record --on "$url" --out $name.jsonl --workload "$ROOT/examples/$program.c" --txns 1000 --isolation repeatable-read -- -DANY=$rows >$name.out 2>&1; got=$?
    [ $got -eq 0 ] || [ $got -eq 10 ] || bad $name "exit $got: $(cat $name.out)" # the program may well break there
    verdict $name si 0
    record ${program}_c_serializable --workload "$ROOT/examples/$program.c" --txns 1000 --isolation serializable -- -DANY=$rows
    verdict ${program}_c_serializable ser 0
    grep -q VIOLATED ${program}_c_serializable.out && bad ${program}_c_invariants "$(cat ${program}_c_serializable.out)" || ok ${program}_c_invariants
    [ $program != tpcc ] || continue
    "$VISAR" record --on "$url" --out ${name}_anomaly.jsonl --lockstep --workload "$ROOT/examples/$program.c" --txns 600 --isolation repeatable-read -- -DANY=$rows >$name.out 2>&1
    verdict ${name}_anomaly si 0
    verdict ${name}_anomaly ser 10
done
# Invariants for every owner are judged in the end.
"$VISAR" record --on "$url" --out owners.jsonl --lockstep --workload "$ROOT/examples/owners.c" --txns 600 --isolation read-committed -- -DANY=2 >owners.out 2>&1; got=$?
[ $got -eq 10 ] && grep -q 'VIOLATED: invariant solvent(.*) is false' owners.out && ok invariant_for_every_owner || bad invariant_for_every_owner "exit $got: $(cat owners.out)"
cat >lock.c <<'C'
#include <visar.h>
/* Without for_update this is a write skew; with it, no level above READ COMMITTED has one. */
DATABASE int seat[4];
TRANSACTION void take(int who, int other)
{
    assume(who >= 0 && who < 4 && other >= 0 && other < 4 && who != other);
    for_update(seat[other]);
    if (seat[other] == 0)
        seat[who] = seat[who] + 1;
    else
        seat[who] = 0;
}
C
record lock_c --workload lock.c --txns 1000 --isolation repeatable-read
verdict lock_c si 0
[ -z "$(schemas)" ] && ok nothing_left_behind || bad nothing_left_behind "$(schemas)"

# What the program's own properties say of the run.
exits() { # name, code, pattern, arguments
    local name=$1 code=$2 pattern=$3 got; shift 3
    "$VISAR" record --on "$url" --out "$name.jsonl" "$@" >"$name.out" 2>&1; got=$?
    [ $got -eq "$code" ] && grep -q -- "$pattern" "$name.out" && ok "$name" || bad "$name" "exit $got, not $code: $(cat "$name.out")"
}
cat >pair.c <<'C'
#include <visar.h>
DATABASE struct { int left, right; } pair[2];
DATABASE int other;
TRANSACTION void both(void) { pair[0].left = pair[0].left + 1; pair[1].right = pair[1].right + 1; }
TRANSACTION void left(void) { other = pair[0].left; }
INVARIANT bool alike(void) { return pair[0].left == pair[1].right; }
INVARIANT bool positive(void) { return other >= 0; }
C
exits pair_read_committed 10 '^VIOLATED: invariant alike is false in the final database state: pair\[0\].left = [0-9]*, pair\[1\].right = [0-9]*$' \
    --lockstep --workload pair.c --txns 300 --isolation read-committed
grep -q positive pair_read_committed.out && bad only_false_ones "$(cat pair_read_committed.out)" || ok only_false_ones
exits pair_quiet 10 '^VIOLATED: invariant alike' --lockstep --workload pair.c --txns 300 --isolation read-committed --quiet
exits pair_json 10 '"invariant": "alike"' --lockstep --workload pair.c --txns 300 --isolation read-committed --json
exits pair_serializable 0 committed --workload pair.c --txns 500 --isolation serializable
cat >asserts.c <<'C'
#include <visar.h>
DATABASE int a, b;
TRANSACTION void put(void) { a = a + 1; b = a; }
TRANSACTION void look(void) { int x = a; assert(x == b); }
C
exits assertion_read_committed 10 'an assertion failed in [0-9]* committed transactions\?.*: x == b (line 4)' --lockstep --workload asserts.c --txns 300 --isolation read-committed
exits assertion_serializable 0 committed --workload asserts.c --txns 500 --isolation serializable
# An invariant that no run keeps.
cat >ever.c <<'C'
#include <visar.h>
DATABASE int runs, last;
TRANSACTION void run(int n) { runs = runs + 1; last = n; }
INVARIANT bool never(void) { return runs == 0; }
C
# Names that SQL has for itself, names that are too long for it, names that differ in case only.
long=$(printf 'a%.0s' {1..70})
cat >option_names.c <<C
#include <visar.h>
DATABASE struct { int order, group, Group, ${long}1, ${long}2; } select[2], Select[2], ${long}3, ${long}4;
DATABASE struct { bool user; int größe; } table;
DATABASE int version, value, tag;
TRANSACTION void insert(int from, int where)
{
    assume(from >= 0 && from < 2 && where >= 0 && where < 2);
    select[from].order += 1; Select[where].Group = select[from].group + 2; select[from].group++;
    ${long}3.${long}1++; ${long}4.${long}2 += 2; ${long}3.${long}2 = 7; table.größe++; table.user = !table.user;
    version = value + tag; value++; tag++;
}
INVARIANT bool drop(void) { return ${long}4.${long}2 == 2 * ${long}3.${long}1 && value == tag && table.größe == value; }
C
exits hostile_names 0 committed --workload option_names.c --txns 300 --isolation serializable
verdict hostile_names ser 0

grown() { # file, lines: wait until it has so many, while the recorder runs
    has_lines() { { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; } || process_gone "$recorder"; }
    await has_lines "$1" "$2"
    process_gone "$recorder" && bad "$1" "the recorder ended early: $(cat "${1%.jsonl}.out")"
}
more_of() { grown "$1" $(($(wc -l <"$1") + $2)); } # file, lines
no_clients() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'visar'")" = 0 ]; }
interrupt() { kill -INT $recorder; wait $recorder; got=$?; recorder=; }

# ---- killed clients ----
# Every value that is in the database was written by a transaction that is in the history, as
# committed or as of unknown outcome; so nothing that was acknowledged is missing.
for try in 1 2 3; do
    rm -f killed.jsonl
    "$VISAR" record --on "$url" --workload rw --txns 1000000 --isolation serializable --out killed.jsonl >killed.out 2>&1 &
    recorder=$!
    grown killed.jsonl $((try * 150))
    kill -KILL $recorder; wait $recorder 2>/dev/null; recorder=
    schema=$(schemas)
    await no_clients # what was sent may still arrive
    sql "SELECT v FROM $schema.visar WHERE v <> 0" | sort >there
    grep -v '"status":"aborted"' killed.jsonl | grep -o '\["w",[0-9]*,[0-9]*\]' | sed 's/.*,\([0-9]*\)\]/\1/' | sort >written
    lost=$(comm -23 there written)
    [ -s there ] && [ -z "$lost" ] && ok killed_client_$try || bad killed_client_$try "values that nobody wrote: $lost"
    "$VISAR" check killed.jsonl --level ser --quiet >check.out 2>&1 && ok killed_client_history_$try || bad killed_client_history_$try "$(head -1 check.out)"
    grep -q '^[[:space:]]*$' killed.jsonl && bad killed_client_lines_$try "there are blank lines" || ok killed_client_lines_$try
    sql "DROP SCHEMA $schema CASCADE" >/dev/null 2>&1
done

# The file is a history while it grows, and nobody else writes to it.
"$VISAR" record --on "$url" --workload append --txns 1000000 --isolation serializable --out growing.jsonl >growing.out 2>&1 &
recorder=$!
for try in 1 2 3; do
    grown growing.jsonl $((try * 150))
    cp growing.jsonl copy.jsonl
    "$VISAR" check copy.jsonl --level ser --quiet >check.out 2>&1; got=$?
    [ $got -eq 0 ] && ok growing_$try || bad growing_$try "exit $got: $(head -1 check.out)"
    "$VISAR" record --on "$url" --out growing.jsonl --force >second.out 2>&1; got=$?
    [ $got -eq 2 ] && grep -q 'growing.jsonl: another recorder is writing to it' second.out && ok second_recorder_$try || bad second_recorder_$try "exit $got: $(cat second.out)"
done
# Ctrl-C: the schema goes away, the history stays.
interrupt
[ $got -eq 5 ] && [ -z "$(schemas)" ] && ok interrupted || bad interrupted "exit $got, schemas '$(schemas)': $(tail -2 growing.out)"
"$VISAR" check growing.jsonl --level ser --quiet >check.out 2>&1 && ok interrupted_history || bad interrupted_history "$(head -1 check.out)"
# A history that is there is not overwritten by mistake, nor by a recording that does not begin.
nowhere=postgresql://visar@127.0.0.1:1/postgres
cp growing.jsonl copy.jsonl
"$VISAR" record --on "$url" --out growing.jsonl --txns 20 >second.out 2>&1; got=$?
[ $got -eq 2 ] && grep -q 'growing.jsonl: it is there already; --force overwrites it' second.out && cmp -s growing.jsonl copy.jsonl && ok no_force || bad no_force "exit $got: $(cat second.out)"
"$VISAR" record --on $nowhere --out growing.jsonl --force >second.out 2>&1; got=$?
[ $got -eq 2 ] && cmp -s growing.jsonl copy.jsonl && ok no_server_no_loss || bad no_server_no_loss "exit $got: $(cat second.out)"
"$VISAR" record --on "$url" --out growing.jsonl --txns 20 --force >second.out 2>&1 && [ "$(wc -l <growing.jsonl)" -eq 21 ] && ok force || bad force "$(cat second.out)"
"$VISAR" record --on $nowhere --out nothing.jsonl >second.out 2>&1; got=$?
[ $got -eq 2 ] && [ ! -e nothing.jsonl ] && ok nothing_written || bad nothing_written "exit $got: $(cat second.out)"

# ---- killed servers ----
# What was under way is of unknown outcome, and the clients go on when the server is back.
"$VISAR" record --on "$url" --workload rw --txns 1000000 --isolation serializable --out crash.jsonl >crash.out 2>&1 &
recorder=$!
grown crash.jsonl 500
cluster_kill
cluster_restart || bad restart "the server does not come back: $(tail -3 "$cluster/log")"
more_of crash.jsonl 200
interrupt
[ $got -eq 5 ] && grep -q 'opened again' crash.out && ok killed_server || bad killed_server "exit $got: $(cat crash.out)"
"$VISAR" check crash.jsonl --level ser --quiet >check.out 2>&1 && ok killed_server_history || bad killed_server_history "$(head -1 check.out)"
[ -z "$(schemas)" ] && ok killed_server_clean || bad killed_server_clean "$(schemas)"
# Some sessions end in the middle of things.
"$VISAR" record --on "$url" --workload rw --txns 1000000 --isolation repeatable-read --out ended.jsonl >ended.out 2>&1 &
recorder=$!
grown ended.jsonl 200
for try in 1 2 3 4 5; do
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'visar' LIMIT 3" >/dev/null
    more_of ended.jsonl 200
done
interrupt
[ $got -eq 5 ] && grep -q 'opened again' ended.out && ok ended_sessions || bad ended_sessions "exit $got: $(cat ended.out)"
"$VISAR" check ended.jsonl --level si --quiet >check.out 2>&1 && ok ended_sessions_history || bad ended_sessions_history "$(head -1 check.out)"

# All sessions at once, that which sets up and cleans up among them: the end is judged all the same.
"$VISAR" record --on "$url" --workload ever.c --txns 1000000 --isolation read-committed --out all.jsonl >all.out 2>&1 &
recorder=$!
grown all.jsonl 100
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'visar'" >/dev/null
more_of all.jsonl 100
interrupt
[ $got -eq 10 ] && grep -q 'opened again' all.out && grep -q 'VIOLATED: invariant never' all.out && ok all_sessions_ended || bad all_sessions_ended "exit $got: $(cat all.out)"
[ -z "$(schemas)" ] && ok all_sessions_ended_clean || bad all_sessions_ended_clean "$(schemas)"

# ---- what a server or a system may say ----
started() { # name, arguments: a recording that runs
    local name=$1; shift
    "$VISAR" record --out "$name.jsonl" --txns 1000000 "$@" >"$name.out" 2>&1 &
    recorder=$!
    grown "$name.jsonl" 100
}
ended() { # name, code, pattern: it ends, its file is a history, nothing is left
    local name=$1 code=$2 pattern=$3 got
    wait $recorder; got=$?; recorder=
    [ $got -eq "$code" ] && grep -q -- "$pattern" "$name.out" && ok "$name" || bad "$name" "exit $got: $(cat "$name.out")"
    "$VISAR" check "$name.jsonl" --level rc --quiet >check.out 2>&1 && [ "$(wc -l <"$name.jsonl")" -gt 10 ] && ok "${name}_history" || bad "${name}_history" "$(head -1 check.out)"
    [ -n "$4" ] || { [ -z "$(schemas)" ] && ok "${name}_clean" || bad "${name}_clean" "$(schemas)"; }
}
sql "CREATE ROLE slow LOGIN; ALTER ROLE slow SET statement_timeout = '1ms'; CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN;
     REVOKE CREATE ON DATABASE postgres FROM PUBLIC; GRANT CREATE ON DATABASE postgres TO slow, writer" >/dev/null
as() { echo "postgresql://$1@127.0.0.1:$port/postgres"; }
# Statements that take too long: their transactions are aborted, the rest goes on.  The role's limit
# is for the workload only: connecting and setting up, here thirty times, is not hit by it.
"$VISAR" record --on "$(as slow)" --out slow.jsonl --clients 30 --txns 2000 --isolation repeatable-read >slow.out 2>&1; got=$?
[ $got -eq 0 ] && [ -z "$(schemas)" ] && ok statement_timeout || bad statement_timeout "exit $got, schemas '$(schemas)': $(cat slow.out)"
verdict slow si 0
# A trigger that takes longer than the limit: every write of the workload is hit.
sql "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END';
     CREATE FUNCTION hook() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS \$\$
       DECLARE t record;
       BEGIN FOR t IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' AND object_identity LIKE 'visar%' LOOP
         EXECUTE 'CREATE TRIGGER dawdle BEFORE UPDATE ON ' || t.object_identity || ' FOR EACH ROW EXECUTE FUNCTION public.dawdle()'; END LOOP; END \$\$;
     CREATE EVENT TRIGGER hook ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hook()" >/dev/null
"$VISAR" record --on "$(as slow)" --out dawdle.jsonl --txns 300 --isolation repeatable-read >dawdle.out 2>&1; got=$?
[ $got -eq 0 ] && [ -z "$(schemas)" ] && grep -q '^  aborted: [0-9]* statement timeout or cancelled (57014)$' dawdle.out && ok timed_out_statements || bad timed_out_statements "exit $got, schemas '$(schemas)': $(cat dawdle.out)"
verdict dawdle si 0
sql "DROP EVENT TRIGGER hook; DROP FUNCTION hook; DROP FUNCTION dawdle" >/dev/null
# Tables of any size, new rows, and predicates for every value of their parameters.
cat >fresh.c <<'C'
#include <visar.h>
DATABASE struct { bool present; int owner, amount; } item[ANY];
DATABASE int total;
TRANSACTION void add(int owner, int amount)
{
    assume(owner >= 0 && amount > 0 && amount < 100);
    int k = fresh(item);
    item[k].present = true; item[k].owner = owner; item[k].amount = amount;
    total += amount;
}
INITIAL void none(void) {}
INVARIANT bool positive(int i) { return !item[i].present || item[i].amount > 0; }
INVARIANT bool few(int who) { int n = 0; for (int i = 0; i < ANY; i++) if (item[i].present && item[i].owner == who) n++; return n < MOST; }
INVARIANT bool adds_up(void) { int s = 0; for (int i = 0; i < ANY; i++) s += item[i].amount; return s == total; }
C
"$VISAR" record --on "$url" --out fresh_serializable.jsonl --workload fresh.c --txns 100 --isolation serializable -- -DANY=150 -DMOST=101 >fresh.out 2>&1; got=$?
[ $got -eq 0 ] && ok fresh_serializable || bad fresh_serializable "exit $got: $(cat fresh.out)"
verdict fresh_serializable ser 0
"$VISAR" record --on "$url" --out fresh_few.jsonl --lockstep --workload fresh.c --txns 40 --isolation serializable -- -DANY=50 -DMOST=1 >fresh.out 2>&1; got=$?
[ $got -eq 10 ] && grep -q 'VIOLATED: invariant few([0-9]*) is false' fresh.out && ok fresh_parameters || bad fresh_parameters "exit $got: $(cat fresh.out)"
"$VISAR" record --on "$url" --out fresh_full.jsonl --workload fresh.c --txns 20 --clients 1 -- -DANY=5 -DMOST=101 >fresh.out 2>&1; got=$?
[ $got -eq 0 ] && grep -q '^5 committed, 15 aborted' fresh.out && ok fresh_no_row_left || bad fresh_no_row_left "exit $got: $(cat fresh.out)"
# No permission at the start, or not any more.
"$VISAR" record --on "$(as reader)" --out reader.jsonl >reader.out 2>&1; got=$?
[ $got -eq 2 ] && grep -q 'permission denied' reader.out && ok no_permission || bad no_permission "exit $got: $(cat reader.out)"
started revoked --on "$(as writer)"
sql "REVOKE ALL ON ALL TABLES IN SCHEMA $(schemas) FROM writer"
ended revoked 5 'SQLSTATE 42501: permission denied'
started dropped --on "$url"
sql "DROP TABLE $(schemas).visar" >/dev/null 2>&1
ended dropped 5 'SQLSTATE 42P01'
started dropped_schema --on "$url"
sql "DROP SCHEMA $(schemas) CASCADE" >/dev/null 2>&1
ended dropped_schema 5 'SQLSTATE 42P01'
# Signals.
started terminated --on "$url" --workload bank
kill -TERM $recorder
ended terminated 5 'what was recorded until then is in the file'
started stopped --on "$url" --workload ever.c --isolation read-committed
kill -INT $recorder
ended stopped 10 'VIOLATED: invariant never'
# The file cannot grow any more.
(trap '' XFSZ; ulimit -f 64; exec "$VISAR" record --on "$url" --out full.jsonl --txns 1000000 >full.out 2>&1) & recorder=$!
ended full 2 'full.jsonl: File too large'
# The server is gone, and the user does not wait for it.
started gone --on "$url"
schema=$(schemas)
cluster_kill
kill -INT $recorder
ended gone 5 "schema \"$schema\" may still be there" yes
cluster_restart || bad restart "the server does not come back: $(tail -3 "$cluster/log")"
sql "DROP SCHEMA $schema CASCADE" >/dev/null 2>&1

# ---- bad input ----
expect_exit() { # name, code, arguments
    local name=$1 code=$2; shift 2
    "$VISAR" record "$@" >out 2>&1; local got=$?
    [ $got -eq "$code" ] && [ -s out ] && ok "$name" || bad "$name" "exit $got, not $code: $(head -1 out)"
}
expect_exit no_server 1 --out x.jsonl
"$VISAR" record --on "$url" --output old.jsonl --txns 20 >out 2>&1 && [ -s old.jsonl ] && ok old_name_of_out || bad old_name_of_out "$(cat out)"
expect_exit no_output 1 --on "$url"
expect_exit no_clients 1 --on "$url" --out x.jsonl --clients 0
expect_exit too_few_keys 1 --on "$url" --out x.jsonl --keys 1
expect_exit unknown_workload 1 --on "$url" --out x.jsonl --workload nothing
expect_exit unreachable 2 --on postgresql://visar@127.0.0.1:1/postgres --out x.jsonl
expect_exit not_a_file 2 --on "$url" --out /dev/null
expect_exit no_program 2 --on "$url" --out x.jsonl --workload missing.c
expect_exit too_many_clients 2 --on "$url" --out x.jsonl --clients 200
[ -z "$(schemas)" ] && ok clean || bad clean "$(schemas)"
exit $rc
