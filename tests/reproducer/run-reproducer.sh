#!/bin/bash
# visar verify --reproducer: the program that it writes compiles with gcc and clang, runs cleanly
# under UndefinedBehaviorSanitizer and exits with 10.
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
include=$ROOT/frontend/include
compilers=
for cc in gcc clang clang-19; do command -v $cc >/dev/null && compilers="$compilers $cc"; done
[ -n "$compilers" ] || { echo "skip reproducer: there is no C compiler"; exit 0; }
compilers=$(echo "$compilers" | sed 's/ clang clang-19/ clang-19/')

run_one() { # name, reproducer, anything if undefined behaviour is to be: compile and run with gcc, and with clang and UBSan
    local cc flags got
    for cc in $compilers; do
        flags=; [[ $cc == clang* ]] && flags=-fsanitize=undefined
        $cc -Wall -Wno-unused-function $flags -I"$include" "$2" -o "$dir/a.out" 2>"$dir/cc.err" ||
            { bad "$1" "$cc: $(grep -m1 error "$dir/cc.err")"; return 1; }
        [ -s "$dir/cc.err" ] && { bad "$1" "$cc warns: $(grep -m1 warning "$dir/cc.err")"; return 1; }
        "$dir/a.out" >"$dir/out" 2>&1; got=$?
        [ $got -eq 10 ] || { bad "$1" "$cc: exit $got: $(tail -1 "$dir/out")"; return 1; }
        # What is undefined may only be the predicate's own (it overflows).
        sed '/^[fw]/,$d' "$dir/out" | grep -q 'runtime error' && [ -z "$3" ] &&
            { bad "$1" "$cc: $(grep -m1 'runtime error' "$dir/out")"; return 1; }
    done
    return 0
}
verify() { # name, file, arguments: writes $dir/NAME.c
    local name=$1 file=$2; shift 2
    rm -f "$dir/$name.c"
    "$VISAR" verify "$file" --reproducer "$dir/$name.c" --quiet "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    [ $got -eq 10 ] || { bad "$name" "visar verify: exit $got: $(head -1 "$dir/err")"; return 1; }
}

# ---- every violated example, under every model that it is violated under ----
count=0 stepped=0
for file in "$ROOT"/examples/*.c "$ROOT"/examples/*/*.c; do
    violated=$(sed -n 's/.*expect: //p' "$file" | tr ' ' '\n' | sed -n 's/=violated//p')
    [ -z "$VISAR_QUICK" ] || violated=$(head -n 1 <<<"$violated") # with --quick the weakest model only
    for model in $violated; do
        name=$(basename "$file" .c)_$model
        verify "$name" "$file" --model "$model" || continue
        [ -f "$dir/$name.c" ] || { bad "$name" "no reproducer: $(cat "$dir/err")"; continue; }
        run_one "$name" "$dir/$name.c" && ok "$name"
        count=$((count + 1))
        ! grep -q '^#define CEX_READ' "$dir/$name.c" || stepped=$((stepped + 1))
    done
done
echo "# $count reproducers of examples, $stepped of them step by step"

# ---- what the examples do not have ----
program() { # name, arguments of verify; the program on standard input
    local name=$1; shift
    mkdir -p "$dir/src/deep"
    cat >"$dir/src/deep/$name-source.c"
    verify "$name" "$dir/src/deep/$name-source.c" "$@" || return
    [ -f "$dir/$name.c" ] || { bad "$name" "no reproducer: $(cat "$dir/err")"; return; }
    grep -q "#include \"src/deep/$name-source.c\"" "$dir/$name.c" || { bad "$name" "does not include the source"; return; }
    run_one "$name" "$dir/$name.c" "$undefined" && ok "$name"
}
program assertion --model rc <<'C'
#include <visar.h>
DATABASE int a, b;
TRANSACTION void put(void) { a = 1; b = 1; }
TRANSACTION void look(void) { int x = a; assert(x == b); }
SCENARIO void s(void) { put(); look(); }
C
program nondet --model si <<'C'
#include <visar.h>
DATABASE struct { unsigned long big; signed char small; bool flag; } row[2];
TRANSACTION void set(int i)
{
    assume(i == 0 || i == 1);
    unsigned long n = nondet_ulong();
    signed char c = nondet_schar();
    if (row[1 - i].big != 0)
        rollback();
    assume(n > 18446744073709551600UL && c < -100);
    row[i].big = n;
    row[i].small = c;
    row[i].flag = nondet_bool();
}
INVARIANT bool one_only(void) { return row[0].big == 0 || row[1].big == 0; }
SCENARIO void s(void) { set(0); set(1); }
C
program structs --model pc <<'C'
#include <visar.h>
struct line { int item; short quantity[2]; };
struct order { long id; struct line line[2]; };
DATABASE struct order last;
DATABASE int orders[2][3];
TRANSACTION int place(struct order o, int row, int col)
{
    assume(row >= 0 && row < 2 && col >= 0 && col < 3 && o.id > 5000000000 && o.line[1].quantity[1] == 7);
    last = o;
    orders[row][col] = orders[row][col] + 1;
    return orders[row][col];
}
FINAL bool counted(void) { return orders[1][2] == 2; }
SCENARIO void s(void)
{
    struct order o = {.id = nondet_long()};
    o.line[1].quantity[1] = 7;
    place(o, 1, 2);
    place(o, 1, 2);
}
C
program rolled_back --model si <<'C'
#include <visar.h>
DATABASE int x, y, tries;
TRANSACTION void take(void) { if (y) rollback(); x = 1; }
TRANSACTION void give(void) { if (x) rollback(); y = 1; }
TRANSACTION void fail(void) { tries = 2147483647; tries = tries + 1 + x; }
FINAL bool apart(void) { return !(x && y); }
SCENARIO void s(void) { take(); give(); fail(); }
C
program initial_any --model ser <<'C'
#include <visar.h>
DATABASE long stock = -9223372036854775807L - 1;
DATABASE unsigned char level[3] = {1, 200, 3};
INITIAL void any(void) { level[1] = nondet_uchar(); assume(level[1] > 250); }
TRANSACTION void grow(int i) { assume(i == 1); level[i]++; if (stock > -5) level[0] = 0; }
INVARIANT bool large(void) { return level[1] > 250 && level[0] == 1; }
SCENARIO void s(void) { grow(1); grow(1); grow(1); grow(1); grow(1); }
C
program snapshots --model pc --observe snapshots <<'C'
#include <visar.h>
DATABASE int a, b;
TRANSACTION void one(void) { a = 1; }
TRANSACTION void two(void) { b = 1; }
INVARIANT bool together(void) { return a == b; }
SCENARIO void s(void) { one(); two(); }
C
program fields --model si --granularity field <<'C'
#include <visar.h>
DATABASE struct { int left, right; } pair[2];
TRANSACTION void l(void) { if (pair[1].right == 0) pair[1].left = 1; }
TRANSACTION void r(void) { if (pair[1].left == 0) pair[1].right = 1; }
INVARIANT bool one(void) { return !(pair[1].left && pair[1].right); }
SCENARIO void s(void) { l(); r(); }
C
program scenario_assertion --model si <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION int a(void) { x = 1; return y; }
TRANSACTION int b(void) { y = 1; return x; }
SCENARIO void s(void) { int p = a(), q = b(); assert(p || q); }
C
program no_scenario --model si --txns 2 <<'C'
#include <visar.h>
DATABASE bool on[2] = {true, true};
TRANSACTION void leave(int i) { assume(i >= 0 && i < 2); if (on[0] && on[1]) on[i] = false; }
INVARIANT bool somebody(void) { return on[0] || on[1]; }
C
program own_main --model pc <<'C'
#include <visar.h>
#include <assert.h>
DATABASE int n;
TRANSACTION void add(void) { n++; }
FINAL bool two(void) { return n == 2; }
SCENARIO void s(void) { add(); add(); }
int main(void) { return 0; }
C
# One thing read twice with two values: the transaction runs step by step.
steps() { # name, model; the program on standard input
    program "$1_$2" --model "$2"
    [ ! -f "$dir/$1_$2.c" ] || grep -q '^#define CEX_READ' "$dir/$1_$2.c" || bad "$1_$2" "it does not run step by step"
}
cat >"$dir/twice" <<'C'
#include <visar.h>
DATABASE struct { int n, m; } a, b;
DATABASE int x[3];
static int sum(const int *p, int i) { return *p + x[i]; }
TRANSACTION void put(void) { a.n = a.n + 1; b.n = b.n + 1; x[1]++; x[2] = 5; }
TRANSACTION int look(int z)
{
    assume(z == 2);
    int first = a.n, s = 0;
    for (int i = 0; i < z; i++)
        s = s * 10 + x[1]; /* 0, then 1 */
    int t = sum(&x[1], 1);
    assert(first == a.n || s != 1 || t != 2);
    a.m += a.n; x[0] = x[0] + x[1], x[0] += x[0];
    return x[0] * 2 + x[2];
}
SCENARIO void s(void) { put(); look(2); }
C
steps twice rc <"$dir/twice"
steps twice rcs <"$dir/twice"
cat >"$dir/shapes" <<'C'
#include <visar.h>
enum color { RED = -1, GREEN, BLUE = 7 };
struct item { enum color c; short n[2]; };
DATABASE struct item grid[2][3];
DATABASE bool flag;
DATABASE unsigned char level = 200;
static int total(int r);
static struct item get(int r, int c) { return grid[r][c]; }
TRANSACTION void paint(int r, int c) { assume(r == 1 && c == 2); grid[r][c].c = BLUE; grid[r][c].n[1] += -4; flag = true; level++; }
TRANSACTION int look(void)
{
    struct item before = get(1, 2);
    int t = total(1);
    struct item after = grid[1][2];
    struct item *p = &grid[1][2];
    if (flag)
        t += p->n[1];
    p->n[0]++;
    return (before.c != after.c) + t + (level == 201 ? 1 : 2); /* -2 - ( '"{' ) */
}
static int total(int r) { int t = 0; for (int c = 0; c < 3; c++) t += grid[r][c].n[1]; return t; }
FINAL bool same(void) { return grid[1][2].n[0] < 2; }
SCENARIO void s(void) { int r = 0; paint(1, 2); r = look(); assert(r != -2); }
C
steps shapes rc <"$dir/shapes"
steps shapes rcs <"$dir/shapes"
steps minus rc <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION void inc(void) { x = x + 1; }
TRANSACTION void diff(void) { int d = x - x; y = d; }
FINAL bool no(void) { return y != -1; }
SCENARIO void s(void) { inc(); diff(); }
C
steps observer rc <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION void inc(void) { x = x + 1; }
TRANSACTION void look(void) { while (y < 3 && x < 2) y++; if (x + 1 > x + 2) rollback(); }
FINAL bool no(void) { return y != 2 || x != 2; }
SCENARIO void s(void) { inc(); inc(); look(); }
C
# A fold is one statement and one read: both fields of a row, and both rounds of the inner loop, see one state.
cat >"$dir/folded" <<'C'
#include <visar.h>
DATABASE struct { int n, m; } x[2];
DATABASE struct { int total; } sum;
TRANSACTION void put(void) { x[0].n = 1; x[0].m = 2; x[1].n = 4; x[1].m = 8; }
TRANSACTION void add(void)
{
    int s = 0, t = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (x[i].n >= x[j].n)
                s += x[i].m + x[j].n;
    for (int i = 0; i < 2; i++) {
        t += x[i].n;
        t += x[i].m;
    }
    sum.total = 100 * s + t;
}
SCENARIO void s(void) { put(); add(); }
FINAL bool at_once(void) { return sum.total != 15; }
C
steps folded rc <"$dir/folded"
steps folded rcs <"$dir/folded"
# In a macro the places cannot be told apart: visar says so.
cat >"$dir/with-macro.c" <<'C'
#include <visar.h>
#define X x[0]
DATABASE int x[1], y;
TRANSACTION void inc(void) { x[0]++; }
TRANSACTION void look(void) { if (X == 0 && X == 1) y = 1; }
FINAL bool no(void) { return y == 0; }
SCENARIO void s(void) { inc(); look(); }
C
if verify macro "$dir/with-macro.c" --model rc; then
    [ ! -f "$dir/macro.c" ] && grep -q 'no reproducer .* look reads one thing twice .* in a macro' "$dir/err" && ok macro || bad macro "$(cat "$dir/err")"
fi
program shapes_si --model si <<'C'
#include <visar.h>
enum color { RED = -1, GREEN, BLUE = 7 };
struct cell { enum color c; signed char n; };
DATABASE struct cell grid[2][2][2] = {[1][0][1] = {RED, -128}};
static const int limits[2] = {-7, 7};
static bool is(int i, int j, int k, enum color c) { return grid[i][j][k].c == c; }
TRANSACTION static void swap(int i, struct cell v)
{
    assume(i == 0 || i == 1);
    assume(v.c == BLUE && v.n < limits[0] && v.n > -100);
    if (is(1, 0, 1, RED) && !is(1 - i, 1, 1, BLUE))
        grid[i][1][1] = v;
}
static int blues(void) { int n = 0; for (int i = 0; i < 2; i++) n += is(i, 1, 1, BLUE); return n; }
INVARIANT static bool at_most_one(void) { return blues() <= 1; }
SCENARIO void s(void) { struct cell v = {BLUE, -50}; swap(0, v); swap(1, v); }
C
# Sources in folders with names of all kinds, and sources that include others.
strange() { # name, folder
    local folder=$dir/$2 name=$1
    mkdir -p "$folder/sub" && cat >"$folder/sub/rules.h" <<'C'
static inline bool room(int here, int there) { return here + there < 2; }
C
    cat >"$folder/the app.c" <<'C'
#include <visar.h>
#include "sub/rules.h"
DATABASE int seat[2];
TRANSACTION void take(int i) { assume(i == 0 || i == 1); if (room(seat[0], seat[1])) seat[i] += 1; }
TRANSACTION void fill(void) { seat[0] = 1; }
INVARIANT bool fits(void) { return seat[0] + seat[1] <= 2; }
SCENARIO void s(void) { take(0); take(1); fill(); fill(); take(0); take(1); }
C
    verify "$name" "$folder/the app.c" --model rc || return
    [ -f "$dir/$name.c" ] || { bad "$name" "no reproducer: $(cat "$dir/err")"; return; }
    run_one "$name" "$dir/$name.c" && ok "$name"
}
strange blanks 'a b  c'
strange apostrophe "it's"
strange quotes 'say "hi"'
strange backslash 'a\b'
strange comment 'x */ y'
strange percent '%s%n'
undefined=yes
program division --model ser <<'C'
#include <visar.h>
DATABASE int n = 1, q;
TRANSACTION void clear(void) { n = 0; }
TRANSACTION void divide(void) { q = 6 / n; }
SCENARIO void s(void) { clear(); divide(); }
C
undefined=
# What a function reads is told by its place, so that a fold which calls it cannot be told from other calls.
cat >"$dir/called.c" <<'C'
#include <visar.h>
DATABASE int x[2];
static int value(int i) { return x[i]; }
TRANSACTION void put(void) { x[0] = 1; }
TRANSACTION void look(void)
{
    int before = value(0), after = 0;
    for (int i = 0; i < 2; i++)
        after += value(i);
    assert(before == after);
}
SCENARIO void s(void) { put(); look(); }
C
if verify called_in_a_fold "$dir/called.c" --model rcs; then
    [ ! -f "$dir/called_in_a_fold.c" ] && grep -q 'look calls value, which reads or writes the database, in a loop over a table' "$dir/err" &&
        ok called_in_a_fold || bad called_in_a_fold "$(cat "$dir/err")"
fi
# A value that C leaves open cannot be given to a native run.
cat >"$dir/open.c" <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION void t(void) { int n; x = n; }
INVARIANT bool small(void) { return x < 10; }
SCENARIO void s(void) { t(); }
C
if verify uninitialised "$dir/open.c" --model ser; then
    [ ! -f "$dir/uninitialised.c" ] && grep -q 'leaves open' "$dir/err" && ok uninitialised || bad uninitialised "$(cat "$dir/err")"
fi
# The comment says how to compile it.
verify command "$ROOT/examples/bank.c" --model si && {
    command=$(sed -n 's/^ \*     \(cc .*\)$/\1/p' "$dir/command.c")
    (cd "$dir" && eval "$command" >out); got=$?
    [ $got -eq 10 ] && ok command || bad command "exit $got: $command"
}
# It can be looked at from inside.
if command -v gdb >/dev/null; then
    gcc -g -I"$include" "$dir/command.c" -o "$dir/a.out" &&
        gdb -nx -batch -ex 'break withdraw' -ex run -ex 'print amount' "$dir/a.out" >"$dir/out" 2>&1
    grep -q '= 100' "$dir/out" && ok gdb || bad gdb "$(tail -1 "$dir/out")"
    gcc -g -I"$include" "$dir/twice_rc.c" -o "$dir/a.out" &&
        gdb -nx -batch -ex 'break twice_rc-source.c:14 if s == 1' -ex run -ex 'print first' -ex 'print a.n' -ex 'info line' "$dir/a.out" >"$dir/out" 2>&1
    grep -q 'twice_rc-source.c:14' "$dir/out" && grep -q '= 0' "$dir/out" && ok gdb_step_by_step || bad gdb_step_by_step "$(tail -3 "$dir/out")"
else
    echo "skip gdb: it is not installed"
fi
# Nothing to write.
"$VISAR" verify "$ROOT/examples/bank.c" --model ser --reproducer "$dir/none.c" --quiet >/dev/null 2>"$dir/err"
[ $? -eq 0 ] && [ ! -e "$dir/none.c" ] && [ -s "$dir/err" ] && ok nothing_violated || bad nothing_violated "$(cat "$dir/err")"
"$VISAR" verify "$ROOT/examples/bank.c" --model si --reproducer "$dir/no/such/folder.c" --quiet >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && ok no_folder || bad no_folder "$(cat "$dir/err")"
exit $rc
