#!/bin/bash
# Wrong answers of the past.  What is right is known by reasoning about each program, not by looking
# at the output: the comment above each says why.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# exits NAME CODE ARGUMENTS…
exits() {
    local name=$1 code=$2; shift 2
    "${VISAR:?}" "$@" >out 2>err; local got=$?
    [ $got -eq "$code" ] && ok "$name" || bad "$name" "exit $got, not $code: $(head -2 out err | tr '\n' ' ')"
}

# a and b are any ints, so their product can exceed INT_MAX; predicates are exact.
cat >product.c <<'C'
#include <visar.h>
DATABASE int a, b;
TRANSACTION void t(int x) { a = x; b = x; }
INVARIANT bool bounded(void) { return a * b <= 2147483647; }
C
exits product_is_exact 10 verify product.c --model ser

# Shifting a large int loses bits: never to be taken for a value that fits.
cat >shift.c <<'C'
#include <visar.h>
DATABASE int a;
TRANSACTION void t(int x) { assume(x >= 0); a = x; }
INVARIANT bool bounded(void) { return (a << 2) <= 2147483647; }
C
"${VISAR:?}" verify shift.c --model ser >out 2>&1
[ $? -eq 10 ] && ok shift_in_predicate || bad shift_in_predicate "$(head -3 out | tr '\n' ' ')"

# In a predicate an overflow is no way out: a failed check behind it counts, and so do the bits that a
# shift of the sum would lose.
for use in '(a + b) / c >= -1000' '(a + b) << 1 != 4'; do
    cat >behind.c <<C
#include <visar.h>
DATABASE int a, b, c;
INITIAL void start(void) { c = 1; }
TRANSACTION void t(void) { a = 2147483647; b = 3; c = 0; }
INVARIANT bool holds(void) { return $use; }
C
    exits "behind_an_overflow_${use// /}" 10 verify behind.c --model ser
done

# Operands are read from left to right, in `x -= x` as in `x = x - x`: under RC the second read may
# see what the first did not.
for update in 'x -= x' 'x = x - x'; do
    cat >axioms.c <<C
#include <visar.h>
DATABASE int x;
INITIAL void zero(void) {}
TRANSACTION void w(void) { x = 1; }
TRANSACTION void t(void) { $update; }
SCENARIO void both(void) { w(); t(); }
FINAL bool good(void) { return x >= 0; }
C
    exits "operands_in_order_${update// /}" 10 verify axioms.c --model rc
done

# The assertion of `bad` fails always; with `good` alone it is not looked at, so nothing may be
# said of it.
cat >scenarios.c <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION int get(void) { return x; }
TRANSACTION void put(int v) { x = v; }
SCENARIO void good(void) { int v = get(); assert(v == 0); }
SCENARIO void bad(void) { put(1); int v = get(); assert(v == 5); }
C
exits scenario_good 0 verify scenarios.c --model si,ser --scenario good
grep -q 'built-in' out && bad other_scenarios "$(grep built-in out)" || ok other_scenarios
exits scenario_bad 10 verify scenarios.c --model si,ser --scenario bad

# A write of one field carries the row's other fields over as the transaction last read them: both fields of z come
# from one version of it, even under RC, where every read is its own.
cat >carried.c <<'C'
#include <visar.h>
DATABASE struct { int f, g; } z;
TRANSACTION void t(void) { z.f = z.f + 1; z.g = z.g + 1; }
INVARIANT bool same(void) { return z.f == z.g; }
INITIAL void zero(void) {}
C
exits carried_field 0 verify carried.c --model rc

# Three reads of z, of which the last may be newer than the first: it is the one that g is carried over from.  So if
# the other transaction was seen at all, its g is not lost; that it is lost takes a write that read nothing new.
cat >last_read.c <<'C'
#include <visar.h>
struct z { int f, g; };
DATABASE struct z z;
DATABASE int seen;
TRANSACTION void other(void) { z.g = 1; seen = 1; }
TRANSACTION void t(void) { int a = z.f, b = z.g; UPDATE if (b == 1) seen = 2; }
FINAL bool kept(void) { return seen != 2 || z.g == 1; }
SCENARIO void both(void) { other(); t(); }
C
for update in 'z.f = a + 1;' 'z.f += 1;' '{ struct z *p = &z; p->f ^= p->f; }' 'for_update(z); z.f = 1;' 'struct z l = z; l.f = 1; z = l;'; do
    sed "s/UPDATE/${update//&/\\&}/" last_read.c >use.c
    for model in rc rcs; do
        for unit in row field; do exits "last_read_${model}_${unit}_${update%% *}" 0 verify use.c --model $model --granularity $unit; done
    done
done

# Structs are read and written whole, or field by field: never an internal error (exit code 6).
cat >structs.c <<'C'
#include <visar.h>
struct S { int a, b; };
DATABASE struct S s[2];
TRANSACTION void add(void) { s[0].a += s[0].b; }
TRANSACTION void mix(void) { struct S *p = &s[0]; p->a ^= p->b; }
TRANSACTION void held(void) { for_update(s[0]); s[0].a = 3; }
TRANSACTION void copy(void) { struct S l = s[0]; s[1].a = l.a + l.b; s[1] = s[0]; }
TRANSACTION void set(void) { s[0].b = 1; }
INVARIANT bool none(void) { return s[0].a == 0; }
INVARIANT bool copied(void) { return s[1].b == 0; }
SCENARIO void one(void) { add(); set(); }
SCENARIO void two(void) { mix(); set(); copy(); }
SCENARIO void three(void) { held(); set(); }
C
for model in rc rcs si; do
    for unit in row field; do exits "structs_${model}_$unit" 10 verify structs.c --model $model --granularity $unit; done
done

# Executions in which an assumption is false do not exist, for any property: also if an assertion failed before.
cat >assumed.c <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION void set(void) { assert(x == 0); assume(x == 0); y = 1; }
TRANSACTION void disturb(void) { x = 1; }
FINAL bool done(void) { return y == 1; }
SCENARIO void both(void) { set(); disturb(); }
C
exits assumed_for_all 0 verify assumed.c --model ra,cc,pc,psi,si,ser

# What to ask of a database: never a level at which the program can fail, whatever SQL it is made of (docs/databases.md).
# asks NAME DATABASE LEVELS: the levels that are called enough ("—": none), and the rest of the line in $rest
asks() {
    "$VISAR" weakest "$1.c" >out 2>&1
    line=$(grep "^  $2 " out | sed 's/  */ /g')
    case $line in " $2 $3" | " $2 $3 "* | " $2 $3; "*) ok "asks_$1_${2// /}" ;; *) bad "asks_$1_${2// /}" "not $3: $line" ;; esac
    rest=${line#" $2 $3"}
}
says() { case $rest in *"$2"*) ok "says_$1" ;; *) bad "says_$1" "no '$2' in '$rest'" ;; esac; }
# A row that everybody only locks: on PostgreSQL both book the room at REPEATABLE READ.
cat >gate.c <<'C'
#include <visar.h>
DATABASE int gate;
DATABASE bool booked[2];
INITIAL void none(void) {}
TRANSACTION void book(int who)
{
    assume(who == 0 || who == 1);
    for_update(gate);
    if (!booked[1 - who]) booked[who] = true;
}
INVARIANT bool once(void) { return !(booked[0] && booked[1]); }
C
exits gate_si 10 verify gate.c --model si
exits gate_psi 10 verify gate.c --model psi
exits gate_ser 0 verify gate.c --model ser
# At READ COMMITTED whoever waited for the lock sees what the other did; in InnoDB the snapshot comes after the lock.
asks gate PostgreSQL 'READ COMMITTED, SERIALIZABLE'
says gate_rr 'not REPEATABLE READ'
asks gate Oracle —
asks gate MySQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
# The models below psi take for_update for a read; verify says so where it shows such a violation, and nowhere else.
cat >first.c <<'C'
#include <visar.h>
DATABASE int n;
TRANSACTION void add(void) { for_update(n); n = n + 1; }
SCENARIO void two(void) { add(); add(); }
FINAL bool both(void) { return n == 2; }
C
exits first_rcs 10 verify first.c --model rcs
tr '\n' ' ' <out | grep -q "for_update is only a read.*row locks may prevent" && ok first_mark || bad first_mark "$(head -4 out)"
grep -q 'may be enough' out && bad first_enough "$(grep enough out)" || ok first_enough
exits first_json 10 verify first.c --model rcs --json
grep -q '"locks_matter": true' out && ok first_json_mark || bad first_json_mark "$(head -12 out)"
exits first_psi 0 verify first.c --model psi
exits gate_si_again 10 verify gate.c --model si
grep -q 'only a read' out && bad gate_mark "$(head -4 out)" || ok gate_mark
# Nothing can go wrong: every row is written blindly, by one statement that reads nothing.
cat >blind.c <<'C'
#include <visar.h>
DATABASE int x, y;
INITIAL void none(void) {}
TRANSACTION void set(int v) { assume(v >= 0); x = v; y = v; }
INVARIANT bool positive(void) { return x >= 0 && y >= 0; }
C
asks blind PostgreSQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
asks blind MySQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
# Two columns of a row: as single UPDATEs both see 0 and both land, which no model here allows.
cat >halves.c <<'C'
#include <visar.h>
DATABASE struct { int a, b; } r;
TRANSACTION int t1(void) { int seen = r.b; r.a = 1; return seen; }
TRANSACTION int t2(void) { int seen = r.a; r.b = 1; return seen; }
TRANSACTION int look(void) { return r.a + r.b; }
SCENARIO void s(void) { int u = t1(), v = t2(), w = look(); assert(!(u == 0 && v == 0 && w == 2)); }
C
asks halves PostgreSQL 'REPEATABLE READ, SERIALIZABLE'
says halves_rc 'not READ COMMITTED'
asks halves MySQL SERIALIZABLE
says halves_rr 'not READ COMMITTED or REPEATABLE READ'
# A lock gets the newest version, but what is read behind it is of one state: a later snapshot, or the old one.
cat >newest.c <<'C'
#include <visar.h>
DATABASE int x, y, z;
TRANSACTION void writer(void) { y = 1; z = 1; }
TRANSACTION void reader(void)
{
    int a = x;
    for_update(y);
    int b = y;
    int c = z;
    assert(b <= c);
}
SCENARIO void s(void) { writer(); reader(); }
C
asks newest PostgreSQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
asks newest MySQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
asks newest Oracle —
says newest_oracle 'READ COMMITTED*'
# A counter: n++ is a SELECT and an UPDATE, which is lost at READ COMMITTED; ATOMIC n++ is one UPDATE, and safe.
cat >count.c <<'C'
#include <visar.h>
DATABASE int n;
TRANSACTION void add(void) { n++; }
SCENARIO void two(void) { add(); add(); }
FINAL bool both(void) { return n == 2; }
C
asks count PostgreSQL 'REPEATABLE READ, SERIALIZABLE'
says count_rc 'not READ COMMITTED'
asks count MariaDB SERIALIZABLE
asks count TiDB —
sed 's/n++/ATOMIC n++/' count.c >count1.c
asks count1 PostgreSQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
asks count1 MariaDB 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
# The same where the read is a statement of its own: surely lost at READ COMMITTED.
cat >count2.c <<'C'
#include <visar.h>
DATABASE int n;
TRANSACTION void add(void) { int old = n; n = old + 1; }
SCENARIO void two(void) { add(); add(); }
FINAL bool both(void) { return n == 2; }
C
asks count2 PostgreSQL 'REPEATABLE READ, SERIALIZABLE'
says count2_rc 'not READ COMMITTED'
asks count2 MySQL SERIALIZABLE
says count2_rr 'not READ COMMITTED or REPEATABLE READ'
# rc, rcs and all others hold (each writes the row as it read it), but single columns meet in one row at READ COMMITTED.
cat >columns.c <<'C'
#include <visar.h>
DATABASE struct { bool f, g; } s;
INITIAL void none(void) {}
TRANSACTION void set_f(void) { if (!s.g) s.f = true; }
TRANSACTION void set_g(void) { if (!s.f) s.g = true; }
INVARIANT bool one(void) { return !(s.f && s.g); }
C
exits columns_rcs 0 verify columns.c --model rcs
asks columns PostgreSQL 'REPEATABLE READ, SERIALIZABLE'
says columns_rc 'not READ COMMITTED'
# One statement that reads two rows and writes one of them: a SELECT of both, and an UPDATE.  As one UPDATE it sees x new
# and y old, which is no prefix: rcs holds and PostgreSQL fails.
cat >wider.c <<'C'
#include <visar.h>
DATABASE int x, y;
INITIAL void none(void) {}
TRANSACTION void both(void) { x = 1; y = 1; }
TRANSACTION void swap(void) { x = y - x; }
INVARIANT bool fine(void) { return x >= -1; }
C
asks wider PostgreSQL 'READ COMMITTED, REPEATABLE READ, SERIALIZABLE'
sed 's/x = y - x/ATOMIC x = y - x/' wider.c >wider1.c
exits wider1_rcs 0 verify wider1.c --model rcs
asks wider1 PostgreSQL 'REPEATABLE READ, SERIALIZABLE'
says wider1_rc 'not READ COMMITTED'

# Rows that can be absent have other rules at the levels of databases: nothing is taken over from si or ser, no proof either.
cat >absent.c <<'C'
#include <visar.h>
DATABASE struct { PRESENCE bool present; int name; } user[2];
TRANSACTION void add(int i) { assume(i == 0 || i == 1); user[i].present = true; }
INVARIANT bool fine(int i) { return user[i].name == 0 || user[i].name != 0; }
C
exits absent_si 0 verify absent.c --model si
for level in pg-rc pg-rr pg-ser my-rc my-rr my-ser; do
    exits "absent_$level" 5 verify absent.c --model $level
    exits "absent_prove_$level" 5 verify absent.c --model $level --prove
done

# A run in which a check fails counts for that check only: the division is violated and nothing else is.
cat >checked.c <<'C'
#include <visar.h>
DATABASE int x;
DATABASE int t[2];
TRANSACTION void divide(int by) { assert(by != 0); x = 8 / by; }
FINAL bool set(void) { return x != 0; }
SCENARIO void one(void) { int by = nondet_int(); assume(by >= -2 && by <= 2); divide(by); }
C
exits checked 10 verify checked.c --model ser
[ "$(grep -c ^VIOLATED out)" -eq 1 ] && grep -q '^VIOLATED *.*division' out && ok checked_alone || bad checked_alone "$(grep -v ^HOLDS out | head -3 | tr '\n' ' ')"

# cc and pc fail, but only with three transactions: a search that time cut short must not name them.
cat >three.c <<'C'
#include <visar.h>
struct acct { int bal; unsigned char lim; };
DATABASE struct acct t[3];
static void pay(struct acct *a, int d) { if (a->bal - d < -(int)a->lim) rollback(); a->bal -= d; }
TRANSACTION void xfer(int i, int j, int d)
{
    if (i < 0 || i >= 3 || j < 0 || j >= 3 || d < 0) return;
    pay(&t[i], d);
    pay(&t[j], -d);
}
TRANSACTION void raise(int i)
{
    if (i < 0 || i >= 3) return;
    struct acct c = t[i];
    c.lim++;
    t[i] = c;
}
INVARIANT bool sum(void) { return (long)t[0].bal + t[1].bal + t[2].bal == 0; }
INITIAL void zero(void) {}
C
for seconds in 0.3 1 2; do
    "$VISAR" weakest three.c --timeout $seconds >out 2>&1
    wrong=$(grep -E '^  (pc|cc|ra|rcs|rc) +(PROVED|HOLDS|holds)' out)
    [ -z "$wrong" ] && ok "cut_short_$seconds" || bad "cut_short_$seconds" "$wrong"
done

# Assertions that nothing reaches: because assumptions contradict each other (VACUOUS), because a
# rollback comes first, because the invariant excludes their branch (they hold).
cat >reach.c <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION void contradiction(int v) { assume(v > 0); assume(v < 0); assert(x == 7); x = v; }
TRANSACTION void excluded(int v) { assume(v > 0); if (x < 0) assert(x == 8); x = v; }
TRANSACTION void rolled_back(int v) { if (v < 0) rollback(); x = v; rollback(); assert(x == 9); }
INVARIANT bool positive(void) { return x >= 0; }
INITIAL void zero(void) {}
C
for how in --prove --bounded; do
    exits "unreached$how" 5 verify reach.c --model si $how
    [ "$(grep -c ^VACUOUS out)" -eq 1 ] && grep -q '^VACUOUS *assertion x == 7' out && grep -q 'assertion x == 8' out &&
        grep -q 'assertion x == 9' out && ok "reach$how" || bad "reach$how" "$(tr '\n' ' ' <out)"
done

# A scenario that the limit leaves no time for is not known to hold, though another one does.
cat >later.c <<'C'
#include <visar.h>
DATABASE int x[6], y[6];
TRANSACTION void quick(void) { x[0] = 1; }
TRANSACTION void slow(int i, int j, int d)
{
    assume(i >= 0 && i < 6 && j >= 0 && j < 6);
    int t = x[i] * d + y[j] * 3;
    if (t % 7 == 3) x[j] = t % 1000; else y[i] = (x[i] * y[j]) % 997;
}
INVARIANT bool odd(void) { int s = 0; for (int i = 0; i < 6; i++) s += x[i] * y[i]; return s != 12345; }
INITIAL void ones(void) { for (int i = 0; i < 6; i++) { x[i] = i; y[i] = 1; } }
SCENARIO void first(void) { quick(); }
SCENARIO void second(void) { for (int i = 0; i < 6; i++) slow(nondet_int(), nondet_int(), nondet_int()); }
SCENARIO void third(void) { quick(); quick(); }
C
"$VISAR" verify later.c --bounded --timeout 2 --json >out 2>&1
got=$?
claimed=$(grep -A99 '"verdicts"' out | grep -A4 '"third"' | grep '"holds"') # none, if the solver had to be cut off
[ $got -eq 5 ] && grep -q '"unknown"' out && [ -z "$claimed" ] && ok skipped_scenario || bad skipped_scenario "$(head -5 out | tr '\n' ' ')"

# Memory that runs out is UNKNOWN, wherever it does, and JSON stays JSON.
"$VISAR" verify three.c --memory 20 --json >out 2>err
[ $? -eq 5 ] && grep -q '"unknown"' out && ok memory_limit || bad memory_limit "$(head -2 out err | tr '\n' ' ')"
# scenario NAME CODE MODELS PROPERTY BODY: a scenario over the counter x, which starts at 0, with rd() and wr(v).
scenario() {
    local name=$1 code=$2 models=$3 property=$4 body=$5
    cat >scenario.c <<C
#include <visar.h>
DATABASE int x;
TRANSACTION int rd(void) { return x; }
TRANSACTION void wr(int v) { x = v; }
$property
SCENARIO void s(void) { $body }
C
    exits "$name" "$code" verify scenario.c --model "$models" --json
    [ "$code" -eq 0 ] || [ "$(grep -c '^      "status": "violated"' out)" -eq "$(tr ',' '\n' <<<"$models" | wc -l)" ] ||
        bad "$name" "not violated at each of $models"
}

# Calls are concurrent, whatever stands between them: an assumption or a check on v does not put wr(5) after rd().
every=ser,si,psi,pc,cc,ra,rcs,rc,ec
scenario no_order_by_assume 10 $every '' 'int v = rd(); assume(v < 10); wr(5); assert(v == 0);'
scenario no_order_by_overflow 10 $every '' 'int v = rd(); int w = v + 1; wr(5); assert(v == 0);'
scenario no_order_by_division 10 $every '' 'unsigned v = rd(), w = 7 / (v + 1u); wr(5); assert(v == 0);'
scenario no_order_by_bounds 10 $every '' 'int a[9] = {0}, v = rd(); a[v] = 1; wr(5); assert(v == 0);'
scenario no_order_by_argument 10 $every 'FINAL bool f(void) { return x != 6; }' 'int v = rd(); wr(v + 1); wr(5);'
scenario no_order_by_session 10 $every '' 'int v, w; SESSION { v = rd(); wr(v + 1); w = rd(); } wr(1); assert(w <= 1);'
# What uses a result, or is made because of one, does come after it.
scenario order_by_argument 0 $every '' 'int v = rd(); wr(v + 5); assert(v == 0);'
scenario order_by_if 0 $every '' 'int v = rd(); if (v < 10) wr(5); assert(v == 0);'
scenario order_by_return 0 $every '' 'int v = rd(); if (v == 5) { assert(0); return; } wr(5);'
scenario order_by_loop 0 $every '' 'int v = rd(); for (int i = 0; i <= v && i < 2; i++) wr(5); assert(v == 0);'
scenario order_by_condition 0 $every '' 'int v = rd(); v == 0 && (wr(5), 1); assert(v == 0);'
scenario order_by_two 0 $every '' 'int v = rd(), n = v == 0 ? 5 : 6; assume(n > 1); wr(n); assert(v == 0);'
# An execution whose assumption is false does not exist: nobody reads what it wrote.
scenario assumed_away 0 $every '' 'int v = rd(); assume(v < 3); wr(5); assert(v == 0);'
# A check may fail because of a call that stands behind it, but not of one that needs its value.
scenario check_before_call 10 $every '' 'int v = rd(), w = 7 / (v - 5); wr(5); (void)w;'
scenario check_of_two_results 10 $every '' 'int v = rd(), u = rd(), w = 7 / (v + u - 6); wr(v + 6); (void)w;'
scenario check_of_its_own_value 0 $every '' 'int v = rd(), w = 7 / (v - 5); wr(w + 6);'
# Eventual consistency has no session order.
scenario check_in_session 0 rc,rcs,ra,cc,pc,psi,si,ser '' 'SESSION { int v = rd(), w = 7 / (v - 5); wr(5); (void)w; }'
# A run with a failed check counts for the check alone.
scenario check_counts_alone 10 ser 'FINAL bool f(void) { return x != 5; }' 'int v = rd(), w = 7 / v; assume(v == 0); wr(5); (void)w;'

# Calls that are not made leave no gap.
skipped() {
    local name=$1 code=$2 body=$3
    cat >skipped.c <<C
#include <visar.h>
DATABASE int x;
TRANSACTION int t(int p) { x = p; return p; }
TRANSACTION void u(int p) { assert(p); x = p; }
FINAL bool f(void) { return x == 0; }
SCENARIO void s(void) { bool n = nondet_bool(); $body }
C
    exits "$name" "$code" verify skipped.c --model all
}
skipped skipped_call 10 'if (n) u(1); u(n);'
skipped skipped_in_session 10 'SESSION { if (n) t(0); t(2); }'
skipped skipped_by_result 10 'SESSION { int v = t(0); if (v == 1) t(v); t(2); }'
skipped skipped_other 10 'if (n) t(0); u(2); assume(!n);'
skipped skipped_session 10 'if (n) SESSION { t(0); t(0); } SESSION { t(0); t(2); } t(0);'
skipped skipped_in_loop 10 'for (int i = 0; i < 3; i++) if (n == (i & 1)) t(i);'
skipped skipped_and_kept 0 'if (n) t(0); t(0);'

# Whoever reaches the assertion fails the check behind it, assumptions or not: nothing was checked, and the check is why.
for assumed in '' 'assume(p < 4);'; do
    cat >checked.c <<C
#include <visar.h>
DATABASE int r[2], x;
TRANSACTION int t(int p) { $assumed assert(x == 3);
    return r[3]; }
SCENARIO void s(void) { t(0); }
C
    for how in '' --bounded; do
        exits "checked$how${assumed:+_assumed}" 10 verify checked.c --model ser $how --json
        grep -q '"reason": "every execution that reaches it fails a check (r\[3\], checked.c:4)' out &&
            grep -q '"status": "vacuous"' out || bad "checked$how${assumed:+_assumed}" "$(grep reason out | tr '\n' ' ')"
    done
done

# An assertion in a transaction that no scenario calls is listed, and no mistake of the user's.
cat >uncalled.c <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION void t(void) { x = 1; }
TRANSACTION void u(void) { assert(x == 0); }
SCENARIO void s(void) { t(); t(); }
C
exits uncalled 0 verify uncalled.c --model si
grep -q '^HOLDS *assertion x == 0 .*: scenario s' out && ok uncalled_listed || bad uncalled_listed "$(tr '\n' ' ' <out)"
exits uncalled_weakest 0 weakest uncalled.c
# … so are built-in checks, if there is nothing else.
sed -i 's/assert(x == 0)/x = 1 \/ x/' uncalled.c
exits uncalled_check 0 verify uncalled.c --model si

exit $rc
