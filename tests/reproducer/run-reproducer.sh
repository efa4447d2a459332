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

run_one() { # name, reproducer: compile and run with every compiler
    local cc got
    for cc in $compilers; do
        $cc -Wall -Wno-unused-function -fsanitize=undefined -I"$include" "$2" -o "$dir/a.out" 2>"$dir/cc.err" ||
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

# ---- every violated example, at the strongest violated model and at the weakest ----
for file in "$ROOT"/examples/*.c "$ROOT"/examples/exactness/*.c; do
    violated=$(sed -n 's/.*expect: //p' "$file" | tr ' ' '\n' | sed -n 's/=violated//p')
    for model in $(head -1 <<<"$violated") $(tail -1 <<<"$violated"); do
        name=$(basename "$file" .c)_$model
        verify "$name" "$file" --model "$model" || continue
        if [ -f "$dir/$name.c" ]; then
            run_one "$name" "$dir/$name.c" && ok "$name"
        elif grep -q 'reads .* twice' "$dir/err" && [[ $model == rc* ]]; then
            ok "$name" # no single copy of the database shows a non-repeatable read
        else
            bad "$name" "no reproducer: $(cat "$dir/err")"
        fi
    done
done

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
undefined=yes
program division --model ser <<'C'
#include <visar.h>
DATABASE int n = 1, q;
TRANSACTION void clear(void) { n = 0; }
TRANSACTION void divide(void) { q = 6 / n; }
SCENARIO void s(void) { clear(); divide(); }
C
undefined=
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
else
    echo "skip gdb: it is not installed"
fi
# Nothing to write.
"$VISAR" verify "$ROOT/examples/bank.c" --model ser --reproducer "$dir/none.c" --quiet >/dev/null 2>"$dir/err"
[ $? -eq 0 ] && [ ! -e "$dir/none.c" ] && [ -s "$dir/err" ] && ok nothing_violated || bad nothing_violated "$(cat "$dir/err")"
"$VISAR" verify "$ROOT/examples/bank.c" --model si --reproducer "$dir/no/such/folder.c" --quiet >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && ok no_folder || bad no_folder "$(cat "$dir/err")"
exit $rc
