#!/bin/bash
# Tables of a million rows in bounded runs: a few rows are shown, one stands for all others
# (symexec/alike.c).  What is right is known by reasoning; the comment above each program says why.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# verdict NAME CODE PATTERN ARGUMENTS…: of visar verify --bounded.
verdict() {
    local name=$1 code=$2 pattern=$3; shift 3
    "${VISAR:?}" verify --bounded "$@" >out 2>err; local got=$?
    [ $got -eq "$code" ] && grep -q -- "$pattern" out && ok "$name" ||
        bad "$name" "exit $got, not $code, or no '$pattern': $(head -3 out err | tr '\n' ' ')"
}

# A transfer that misses another one creates money; one row after the other it does not.
cat >bank.c <<'C'
#include <visar.h>
DATABASE struct { int balance; } account[N];
TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < N && to >= 0 && to < N && from != to && amount > 0);
    if (account[from].balance >= amount) { account[from].balance -= amount; account[to].balance += amount; }
}
INITIAL void opening(void) { for (int i = 0; i < N; i++) account[i].balance = 10; }
INVARIANT bool money_stays(void)
{
    long sum = 0;
    for (int i = 0; i < N; i++) sum += account[i].balance;
    return sum == 10L * N;
}
C
for n in 41 1000 1000000; do
    verdict "bank_$n" 10 'further rows of account like' bank.c --model pc --txns 2 -- -DN=$n
    verdict "bank_${n}_ser" 5 '^UNKNOWN .*no violation up to 2 transactions that' bank.c --model ser --txns 2 -- -DN=$n
done
# The same formulas: the work does not grow with the table.
for n in 1000 1000000; do
    "$VISAR" verify --bounded bank.c --model pc --txns 2 --json -- -DN=$n >"$n.json" 2>err
    grep -v -e seconds -e '"location"' "$n.json" >"$n.same"
done
cmp -s 1000.same 1000000.same && ok same_execution || bad same_execution "$(diff 1000.same 1000000.same | head -3 | tr '\n' ' ')"

# 999,997 rows that are not shown count: 999,999 free seats after one booking, not 1,000,000.
cat >count.c <<'C'
#include <visar.h>
DATABASE bool taken[1000000];
TRANSACTION void book(int s) { assume(s >= 0 && s < 1000000); taken[s] = true; }
INITIAL void none(void) {}
INVARIANT bool all_free(void)
{
    unsigned n = 0;
    for (int i = 0; i < 1000000; i++) n += !taken[i];
    return n == LEAST;
}
C
verdict count_violated 10 'all_free' count.c --model ser --txns 1 -- -DLEAST=1000000u
verdict count_initially 10 'all_free' count.c --model ser --txns 1 -- -DLEAST=999999u

# The first match of a million is the first row; behind two bookings it is the third.
cat >first.c <<'C'
#include <visar.h>
DATABASE bool taken[1000000];
DATABASE int last;
TRANSACTION void book(void)
{
    int f = -1;
    for (int i = 0; i < 1000000; i++)
        if (!taken[i]) { f = i; break; }
    assert(f <= MOST);
    if (f >= 0) taken[f] = true;
    last = f;
}
INITIAL void none(void) {}
INVARIANT bool few(void) { return last <= 1; }
C
verdict first_two 5 'UNKNOWN .*assertion' first.c --model ser --txns 2 -- -DMOST=1
verdict first_one 10 'VIOLATED .*assertion f <= MOST' first.c --model ser --txns 2 -- -DMOST=0

# A row is compared with a parameter: two bookings of one customer, both unseen by the other.
cat >other.c <<'C'
#include <visar.h>
DATABASE int by[5000];
TRANSACTION void book(int s, int who)
{
    assume(s >= 0 && s < 5000 && who > 0);
    for (int i = 0; i < 5000; i++)
        if (i != s && by[i] == who) rollback();
    by[s] = who;
}
INITIAL void none(void) {}
INVARIANT bool once(int i, int j) { return i == j || by[i] == 0 || by[i] != by[j]; }
C
verdict other_si 10 'VIOLATED .*once' other.c --model si --txns 2
verdict other_ser 5 'UNKNOWN .*once' other.c --model ser --txns 2

# A loop that adds its index up treats no two rows alike: the table is shown whole, and the sum is right.
cat >index.c <<'C'
#include <visar.h>
DATABASE int x[50];
TRANSACTION void put(int i, int v) { assume(i >= 0 && i < 50 && v >= 0 && v < 2); x[i] = v; }
INITIAL void none(void) {}
INVARIANT bool small(void) { int s = 0; for (int i = 0; i < 50; i++) if (x[i]) s += i; return s < MOST; }
C
verdict index_49 10 'small' index.c --model ser --txns 1 -- -DMOST=49
verdict index_50 0 'HOLDS .*small' index.c --model ser --txns 1 -- -DMOST=50

# A history of it is judged a second time, and a C program shows it.
"$VISAR" verify --bounded bank.c --model pc --txns 2 --json --save-history h.jsonl --reproducer again.c -- -DN=100000 >out 2>err
grep -q '"second_opinion": "agrees"' out && ok second_opinion || bad second_opinion "$(grep second_opinion out)"
"$VISAR" check h.jsonl --level psi --quiet >out 2>&1; [ $? -eq 10 ] && ok history || bad history "$(head -1 out)"
${CC:-gcc} -I"$ROOT/frontend/include" -DN=100000 again.c -o again 2>err && ./again >out 2>&1
grep -q 'money_stays() is false' out && ok reproducer || bad reproducer "$(head -2 err out | tr '\n' ' ')"
exit $rc
