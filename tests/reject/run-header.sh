#!/bin/sh
# visar.h for other compilers: warning-free C11 and C++17 with gcc and clang, a program that links and runs, and the
# hooks that a replay of a counterexample needs.
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
verdict() { # status name why
    if [ "$1" -eq 0 ]; then
        echo "ok header/$2"
    else
        echo "not ok header/$2: $3"
        failed=1
    fi
}
cat >"$dir/app.c" <<'END'
#include <visar.h>
DATABASE struct { int balance; } account[2];
TRANSACTION int withdraw(int who, int amount)
{
    assume(who == 0 || who == 1);
    for_update(account[who]);
    if (nondet_bool() && nondet_bool() && amount > 1000)
        rollback();
    if (account[0].balance + account[1].balance >= amount)
        account[who].balance -= amount;
    assert(account[who].balance <= 60 && "no money from nowhere");
    __VERIFIER_assume(amount > 0);
    return account[who].balance;
}
TRANSACTION int never(void)
{
    rollback();
}
INITIAL void opening(void) { account[0].balance = 60; account[1].balance = 60; }
INVARIANT bool solvent(void) { return account[0].balance + account[1].balance >= 0; }
FINAL bool less(void) { return account[0].balance < 60; }
SCENARIO void two_tellers(void)
{
    withdraw(0, 100);
    SESSION
    {
        withdraw(1, 1);
        withdraw(1, 2);
    }
    SESSION withdraw(0, 1);
}
END
cat >"$dir/tables.c" <<'END'
#include <visar.h>
DATABASE struct { bool present; long long owner; } account[ANY];
DATABASE int orders[3][ANY], seats[5];
TRANSACTION int open_account(int owner)
{
    int id = fresh(account);
    account[id].present = true;
    account[id].owner = owner;
    return id;
}
TRANSACTION int order(int district)
{
    int id = fresh(orders[district]);
    orders[district][id] = district + 1;
    return id;
}
TRANSACTION int unused(void) { return fresh(seats) * 10 + fresh(seats); }
INITIAL void opening(void)
{
    for (int i = 0; i < ANY; i += 2)
        account[i].present = true;
}
INVARIANT bool owned(int i) { return account[i].owner == 0 || account[i].present; }
INVARIANT bool above(int d, int i) { return orders[d][i] >= 0; }
END
cat >"$dir/words.c" <<'END'
#include <visar.h>
enum state { NEW, RUNNING };
DATABASE struct { PRESENCE bool present; enum state state; int runs; } job[4];
GHOST int started;
TRANSACTION int take(void)
{
    int k = -1;
    bool done = false;
    for (int i = 0; i < 4; i++)
        if (job[i].present && job[i].state == NEW && skip_locked(job[i])) {
            k = i;
            break;
        }
    if (k < 0)
        return k;
    for_share(job[k]);
    ATOMIC if (job[k].state == NEW) {
        job[k].state = RUNNING;
        done = true;
    }
    if (done)
        started++;
    ATOMIC job[k].runs++;
    return k;
}
TRANSACTION void add(int i)
{
    assume(0 <= i && i < 4);
    if (nondet_bool() && nondet_int() == 3)
        rollback();
    ATOMIC for (int n = 0; n < 4; n++)
        if (n == i)
            job[n].present = true;
    assert(job[i].present);
}
CONSTRAINT bool ran(int i) { return job[i].state == NEW || job[i].runs > 0; }
INVARIANT bool counted(void) { return started >= 0; }
FINAL bool all(void) { return started == 2; }
INITIAL void opening(void) { started = 0; }
SCENARIO void two(void)
{
    add(1);
    add(3);
    SESSION
    {
        take();
        take();
    }
}
END
# The same with the prefix, which leaves the short names to the program.
{
    echo '#define VISAR_NO_SHORT_NAMES'
    sed -E -e 's/\b(DATABASE|PRESENCE|GHOST|TRANSACTION|ATOMIC|CONSTRAINT|INVARIANT|FINAL)\b/VISAR_\1/g' \
        -e 's/\b(INITIAL|SCENARIO|SESSION|skip_locked|for_share|assume|assert|rollback)\b/VISAR_\1/g' \
        -e 's/\bnondet_/VISAR_&/g' "$dir/words.c"
    cat <<'END'
enum { DATABASE = 1, PRESENCE, GHOST, TRANSACTION, ATOMIC, CONSTRAINT, INVARIANT, FINAL, INITIAL, SCENARIO, SESSION, ANY };
int skip_locked(void), for_share(void), for_update(void), assume(void), rollback(void), fresh(void), nondet_int(void);
#ifdef assert
#error assert is defined
#endif
VISAR_DATABASE int rows[VISAR_ANY];
VISAR_TRANSACTION int row(void) { int i = VISAR_fresh(rows); VISAR_for_update(rows[i]); return rows[i] = SESSION; }
END
} >"$dir/prefixed.c"
for file in words prefixed; do
    cat >"$dir/main_$file.c" <<END
#include "$file.c"
int main(void)
{
    opening();
    two();
    return all() && counted() && ran(1) && ran(3) && !job[0].present && job[3].runs == 1 ? 0 : 1;
}
END
    # shellcheck disable=SC2086 # VISAR may hold options
    ${VISAR:?the binary to test} summary "$dir/$file.c" -- -Ifrontend/include >"$dir/$file.summary"
    verdict $? "$file-visar" "visar does not read it"
done
[ "$(grep -cE '^(DATABASE|GHOST|TRANSACTION|CONSTRAINT|INVARIANT|FINAL|INITIAL|SCENARIO)' "$dir/prefixed.summary")" -eq 11 ]
verdict $? prefixed-words "visar does not know the words with their prefix"
cat >"$dir/main_tables.c" <<'END'
#include "tables.c"
#ifndef ROWS
#define ROWS 16
#endif
int main(void)
{
    opening();
    for (int i = 1; i < ROWS; i += 2)
        if (open_account(7) != i)
            return 1;
    for (int d = 0; d < 3; d++)
        if (order(d) != 0 || order(d) != 1)
            return 2;
    int two = unused(); /* in either order */
    if ((two != 1 && two != 10) || sizeof account / sizeof *account != ROWS)
        return 3;
    for (int i = 0; i < ANY; i++)
        if (!owned(i) || !above(1, i))
            return 4;
    open_account(8); /* there is no free row: the run does not exist, and ends with success */
    return 5;
}
END
cat >"$dir/replay_tables.c" <<'END'
#include <stddef.h>
static int serial(size_t rows)
{
    static int next;
    return next++ % (int)rows;
}
#define VISAR_FRESH(table) serial(sizeof(table) / sizeof *(table))
#include "tables.c"
int main(void) { return open_account(1) == 0 && order(1) == 1 && account[0].present ? 0 : 1; }
END
cat >"$dir/main.c" <<'END'
#include <assert.h>
#include "app.c"
#include <assert.h>
int main(void)
{
    opening();
    two_tellers();
    assert(solvent());
    return less() && account[1].balance == 57 ? 0 : 4;
}
END
cat >"$dir/replay.c" <<'END'
#include <setjmp.h>
static jmp_buf undo;
static int assumed, sessions, asked;
#define VISAR_ASSUME(e) ((void)(assumed += (e) ? 1 : 0))
#define VISAR_ROLLBACK() longjmp(undo, 1)
#define VISAR_NONDET(type) ((type)++asked)
#define VISAR_SESSION_BEGIN() ((void)sessions++)
#include "app.c"
int main(void)
{
    if (!setjmp(undo)) {
        never();
        return 1;
    }
    two_tellers();
    return assumed == 8 && sessions == 2 && asked == 8 && nondet_long() == 9 ? 0 : 2;
}
END
for cc in gcc clang-19 g++ clang++-19; do
    if ! command -v $cc >/dev/null; then
        echo "skip header/$cc: not installed"
        continue
    fi
    case $cc in
    *++*) flags="-x c++ -std=c++17 -Wall -Wextra -Wshadow" ;;
    *) flags="-std=c11 -Wall -Wextra -pedantic -Wshadow" ;;
    esac
    for opt in "-O0" "-O2 -DNDEBUG"; do
        for file in app main replay words main_words prefixed main_prefixed; do
            # shellcheck disable=SC2086 # lists of flags
            $cc $flags -Werror $opt -Ifrontend/include -c "$dir/$file.c" -o "$dir/$file.o"
            verdict $? "$cc${opt%% *}-$file" "it does not compile without warnings"
        done
        for file in tables main_tables replay_tables; do
            for rows in "" "-DANY=6 -DROWS=6"; do
                # shellcheck disable=SC2086 # lists of flags
                $cc $flags -Werror $opt $rows -Ifrontend/include -c "$dir/$file.c" -o "$dir/$file.o"
                verdict $? "$cc${opt%% *}-$file${rows:+-6}" "it does not compile without warnings"
                [ $file = tables ] || { $cc "$dir/$file.o" -o "$dir/$file" && "$dir/$file"; }
                verdict $? "$cc${opt%% *}-$file${rows:+-6}-runs" "it does not run as it should"
            done
        done
        for file in main replay main_words main_prefixed; do
            $cc "$dir/$file.o" -o "$dir/$file" && "$dir/$file"
            verdict $? "$cc${opt%% *}-$file-runs" "it does not run as it should"
        done
    done
done
exit $failed
