#!/bin/bash
# visar replay at the levels of PostgreSQL (pg-rc, pg-rr, pg-ser): every violated example at its own
# levels, with the program's own statements; waits, gates, locks, ATOMIC, transactions that roll back.
# Not in --quick.
. "$ROOT/tests/database/cluster.sh"
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
missing=$(cluster_missing)
[ -z "$missing" ] || { echo "skip replay_levels: $missing"; exit 0; }
dir=$(mktemp -d)
trap 'cluster_stop; rm -rf "$dir"' EXIT
cluster_start || { bad cluster "PostgreSQL does not start"; exit 1; }
cd "$dir" || exit 1
sql() { psql -XAtq "$url" -c "$1"; }
tester=$(ls /usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester 2>/dev/null | tail -1)
field() { sed -n "s/^ *\"$2\": \"\(.*\)\",\?\$/\1/p" "$1" | head -1; }
level_of() { case $1 in pg-ser) echo SERIALIZABLE ;; pg-rr) echo 'REPEATABLE READ' ;; *) echo 'READ COMMITTED' ;; esac; }
check_spec() { # name, file
    python3 "$ROOT/tests/database/isolation_spec.py" "$2" >iso.out 2>&1 || { bad "$1_spec" "$(head -1 iso.out)"; return; }
    [ -n "$tester" ] || return
    "$tester" "host=127.0.0.1 port=$port user=visar dbname=postgres" <"$2" >iso.out 2>&1 &&
        ! grep -q ERROR iso.out || bad "$1_spec" "isolationtester: $(grep -m1 -i error iso.out)"
}

# ---- every violated example ----
# What is violated at a level of PostgreSQL is violated at every model that is weaker than it: only these are asked.
reproduced=0 pairs=0
for file in "$ROOT"/examples/*.c "$ROOT"/examples/*/*.c; do
    example=$(basename "$file" .c)
    expect=" $(sed -n 's/.*expect: //p' "$file") "
    [[ $expect == *=violated* ]] || continue
    for model in pg-rc pg-rr pg-ser; do
        [[ $model == pg-rc || $expect == *' si=violated '* ]] || continue
        [[ $model != pg-ser || $expect == *' ser=violated '* ]] || continue
        "$VISAR" verify "$file" --model $model --json >cex.json 2>err; got=$?
        [ $got -eq 10 ] || { [ $got -eq 0 ] || bad "${example}_$model" "visar verify: exit $got $(head -1 err)"; continue; }
        name=${example}_$model failures=$rc
        pairs=$((pairs + 1))
        "$VISAR" replay cex.json --on "$url" --json --save-history h.jsonl --spec cex.spec >replay.json 2>err; got=$?
        [ $got -eq 10 ] && [ "$(field replay.json outcome) at $(field replay.json isolation)" = "reproduced at $(level_of $model)" ] ||
            { bad "$name" "exit $got: $(field replay.json outcome) $(field replay.json reason) $(head -1 err)"; continue; }
        reproduced=$((reproduced + 1))
        # What the sessions saw is a history of the model that the level is within (models.def).
        case $model in pg-rc) within=rcs ;; pg-rr) within=si ;; *) within=ser ;; esac
        "$VISAR" check h.jsonl --level $within --quiet >err 2>&1 || bad "${name}_history" "$(head -1 err)"
        check_spec "$name" cex.spec
        [ $rc -ne $failures ] || ok "$name"
    done
done
echo "# $pairs examples and levels, $reproduced reproduced"
[ $reproduced -eq $pairs ] && [ $reproduced -gt 50 ] && ok coverage || bad coverage "$reproduced of $pairs"

# ---- what a schedule is made of ----
program() { { echo '#include <visar.h>'; cat; } >"$1.c"; }
replay() { # name, code, patterns separated by ;, arguments: of the last counterexample
    local name=$1 code=$2 patterns=$3 pattern; shift 3
    "$VISAR" replay cex.json --on "$url" "$@" >out 2>&1; local got=$?
    [ $got -eq "$code" ] || { bad "$name" "exit $got: $(tail -1 out)"; return; }
    while IFS= read -r -d ';' pattern; do
        grep -q -- "$pattern" out || { bad "$name" "no '$pattern': $(tail -1 out)"; return; }
    done <<<"$patterns;"
    ok "$name"
}
verify() { "$VISAR" verify "$@" --json >cex.json 2>err || [ $? -eq 10 ] || bad "$1" "$(head -1 err)"; }
shows() { # program, level, patterns: it is violated there, and the server shows it so
    local name=$1_$2
    verify "$1.c" --model "$2"
    replay "$name" 10 "^REPRODUCED on PostgreSQL .* at $(level_of "$2");$3" --spec cex.spec
    check_spec "$name" cex.spec
}

# An UPDATE waits for the row that another transaction has changed, and lands on the newest version.
program counter <<'C'
DATABASE int x;
TRANSACTION void increment(void) { int n = x; x = n + 1; }
FINAL bool both(void) { return x == 2; }
SCENARIO void s(void) { increment(); increment(); }
C
shows counter pg-rc 'T2  UPDATE x: 1 – waits for the row that T1 has locked;T2  goes on: UPDATE x: 1'
replay counter_refused 0 '^REFUSED by PostgreSQL .* at REPEATABLE READ: T2 .*SQLSTATE 40001' --isolation repeatable-read
# What a level does not allow is not shown there, whatever the file says.
sed -i 's/pg-rc/pg-rr/' cex.json
replay counter_not_reproduced 5 '^NOT REPRODUCED on PostgreSQL .* at REPEATABLE READ: T2 .*SQLSTATE 40001'
# Other columns keep their newest value; statements in between; a transaction that rolls back.
program columns <<'C'
DATABASE struct { int n, m, k; } a, b;
TRANSACTION void put(void) { a.n = 1; a.n = a.n + 1; a.m = a.k; b.k = 7; }
TRANSACTION void other(void) { int z = b.k; a.k = 5 + z; if (z == 0) { b.n = 3; } }
TRANSACTION void undo(void) { a.k = 99; a.n = 98; if (b.n == 3) rollback(); b.m = 4; }
SCENARIO void s(void) { put(); other(); undo(); }
FINAL bool f(void) { return !(a.m == 5 && a.n == 2 && b.m == 0); }
C
shows columns pg-rc 'UPDATE a: n = 1$;UPDATE a: n = 2$;UPDATE a: m = 5;UPDATE a: n = 98;ROLLBACK'
shows columns pg-rr 'UPDATE a: n = 1$;UPDATE a: n = 2$'
shows columns pg-ser 'UPDATE a: n = 1$;UPDATE a: n = 2$'
# ATOMIC: the snapshot is that of before the wait, the row is the newest.
program atomic <<'C'
DATABASE int x, y, z;
TRANSACTION void put(void) { y = 1; ATOMIC x = x + 1; }
TRANSACTION void see(void) { ATOMIC x = x * 2 + (y == 0 ? 100 : 0); z = y; }
SCENARIO void s(void) { put(); see(); }
FINAL bool f(void) { return !(x == 102 && z == 1); }
C
shows atomic pg-rc 'T2  UPDATE x: 102, reading y – waits for the row that T1 has locked;goes on: UPDATE x: 102, reading y → y: 0;SELECT y → 1'
# Two are in its way, one after the other: it is slow between its snapshot and its locks.
program gate <<'C'
DATABASE int x, y, z;
TRANSACTION void one(void) { y = 1; ATOMIC x = x + 1; }
TRANSACTION void two(void) { z = y; ATOMIC x = x + 10; }
TRANSACTION void three(void) { ATOMIC x = x + 1000 * (y == 0) + 100 * (z == 0); }
SCENARIO void s(void) { one(); two(); three(); }
FINAL bool f(void) { return !(x == 1111 && z == 1); }
C
shows gate pg-rc 'T3  UPDATE x: 1111, reading y, z – has its snapshot, is slow to lock;T3  goes on: UPDATE x: 1111, reading y, z → y: 0; z: 0'
# Twice in one transaction.
program gates <<'C'
DATABASE int x, y, z, u, v;
TRANSACTION void one(void) { y = 1; ATOMIC x = x + 1; }
TRANSACTION void two(void) { z = y; ATOMIC x = x + 10; }
TRANSACTION void three(void) { v = 1; ATOMIC u = u + 1; }
TRANSACTION void four(void) { z = z + v; ATOMIC u = u + 10; }
TRANSACTION void five(void) { ATOMIC x = x + 1000 * (y == 0) + 100 * (z == 0); ATOMIC u = u + 1000 * (v == 0) + 100 * (z == 1); }
SCENARIO void s(void) { one(); two(); three(); four(); five(); }
FINAL bool f(void) { return !(x == 1111 && u == 1111 && z == 2); }
C
shows gates pg-rc 'T5  goes on: UPDATE x: 1111;T5  UPDATE u: 1111, reading .* is slow to lock'
# WHERE holds in the snapshot and not for the newest row: nothing is changed, the lock stays.
program skipped <<'C'
DATABASE struct { int k, v; } t[2];
DATABASE int y;
TRANSACTION void one(void) { t[0].k = 1; y = 1; }
TRANSACTION void two(void) { ATOMIC for (int i = 0; i < 2; i++) if (t[i].k == 0) t[i].v = y + 1; }
SCENARIO void s(void) { one(); two(); }
FINAL bool f(void) { return !(t[0].v == 0 && t[1].v == 1); }
C
shows skipped pg-rc 'T2  UPDATE t\[0\]: changes nothing, UPDATE t\[1\]: v = 1, reading .* is slow to lock;goes on: UPDATE t\[0\]: changes nothing'
# Rows that are only locked: at READ COMMITTED that is enough, at REPEATABLE READ who waits has its snapshot already.
program locked <<'C'
DATABASE int gate;
DATABASE bool booked[2];
TRANSACTION void book(int who) { assume(who == 0 || who == 1); for_update(gate); if (!booked[1 - who]) booked[who] = true; }
INVARIANT bool once(void) { return !(booked[0] && booked[1]); }
SCENARIO void two(void) { book(0); book(1); }
C
"$VISAR" verify locked.c --model pg-rc --quiet >out 2>&1 && ok locked_pg-rc || bad locked_pg-rc "$(tail -1 out)"
shows locked pg-rr 'T2  SELECT … FOR UPDATE gate – waits for the row that T1 has locked;goes on: SELECT … FOR UPDATE gate;SELECT booked\[0\] → false'
program shared <<'C'
DATABASE int gate, n, m;
TRANSACTION void reader(void) { for_share(gate); n = n + 1; }
TRANSACTION void writer(void) { for_share(gate); m = n + 5; gate = 1; }
SCENARIO void two(void) { reader(); writer(); }
FINAL bool f(void) { return m != 5 || gate != 1 || n != 1; }
C
shows shared pg-rr ''
# One UPDATE of many rows, in one statement.
program many <<'C'
DATABASE struct { int owner, v; } t[3];
TRANSACTION void raise(void) { ATOMIC for (int i = 0; i < 3; i++) if (t[i].owner == 0) t[i].v = t[i].v + 1; }
TRANSACTION void take(int i) { assume(i >= 0 && i < 3); t[i].owner = 1; }
SCENARIO void s(void) { raise(); take(1); raise(); }
FINAL bool f(void) { return !(t[1].v == 1 && t[2].v == 2); }
C
shows many pg-rc 'UPDATE t\[0\]: v = 1, UPDATE t\[1\]: v = 1, UPDATE t\[2\]: v = 1, reading'
shows many pg-ser ''
# An observer in the middle; sessions.
program middle <<'C'
DATABASE int x, y;
TRANSACTION void put(void) { x = 1; y = 1; }
TRANSACTION void copy(void) { int n = x; y = n + 2; }
INVARIANT bool i(void) { return !(x == 1 && y == 1); }
SCENARIO void s(void) { SESSION { put(); copy(); } }
C
verify middle.c --model pg-rc --observe snapshots
replay middle_pg-rc 10 'T3  SELECT x, y → x: 1; y: 1'
# The statements are the program's: without it there are none.
mv middle.c elsewhere.c
replay no_program 5 '^UNKNOWN: at pg-rc the statements are those of the program, and middle.c is not there'
sed 's/n + 2/n + 3/; s/y = 1; }/y = 1; if (x == 2) rollback(); }/; s/int n = x;/int n = x; if (n == 1) rollback();/' elsewhere.c >middle.c
replay other_program 5 '^UNKNOWN: .*is middle.c still the program that the counterexample is of'
program inno <<'C'
DATABASE int x;
TRANSACTION void increment(void) { int n = x; x = n + 1; }
FINAL bool both(void) { return x == 2; }
SCENARIO void s(void) { increment(); increment(); }
C
verify inno.c --model my-rc
replay innodb 5 '^NOT EXPRESSIBLE on PostgreSQL: my-rc is a level of InnoDB'
left=$(sql "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'visar%'")
[ "$left" = 0 ] && ok nothing_left_behind || bad nothing_left_behind "$left schemas"
locks=$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
[ "$locks" = 0 ] && ok no_gates_left || bad no_gates_left "$locks advisory locks"
exit $rc
