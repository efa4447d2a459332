/* The levels of databases, rule by rule: the smallest programs for which a rule of
 * docs/databases.md says that an outcome is possible, or that it is not. */
#include "tests/conformance/conformance.h"
#include "tests/conformance/serial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An outcome may be given by its first characters. */
struct expected {
    const char *program;
    const char *outcome;
    bool allowed;
};

static char *text_of(const struct cf_program *p, const struct cf_outcome *o)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    cf_outcome_print(to, p, o);
    fclose(to);
    return text;
}

static bool allows(const char *program, const char *outcome)
{
    struct cf_program p;
    struct cf_outcomes all = {0};
    bool found = false;
    assert_null(cf_program_read(&p, program));
    assert_null(cf_unsupported(&p));
    cf_allowed(&p, NULL, &all);
    for (size_t i = 0; i < all.count; i++) {
        char *text = text_of(&p, &all.data[i]);
        found |= !strncmp(text, outcome, strlen(outcome));
        free(text);
    }
    cf_outcomes_free(&all);
    return found;
}

static void check(const struct expected *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool allowed = allows(e[i].program, e[i].outcome);
        if (allowed != e[i].allowed)
            print_error("%s\n  %s: %s\n", e[i].program, e[i].outcome,
                        allowed ? "allowed" : "not allowed");
        assert_true(allowed == e[i].allowed);
    }
}
#define CHECK(table) check(table, sizeof(table) / sizeof((table)[0]))

static void test_pg_read_committed(void **state)
{
    (void)state;
    static const struct expected table[] = {
        /* Rule 1: each statement has a view of its own. */
        {"1:0 | pg-rc sel 1; sel 1; commit | pg-rc inc 1; commit",
         "commits T1 T0; T1 returns (1:1); T0 returns (1:0) (1:1)", true},
        {"1:0 2:0 | pg-rc agg >= 1; commit | pg-rc inc 1; inc 2; commit",
         "commits T1 T0; T1 returns (1:1) (2:1); T0 returns (1:1)", false},
        /* Rule 4: one UPDATE sees the newest row, a SELECT and an UPDATE lose one. */
        {"1:0 | pg-rc inc 1; commit | pg-rc inc 1; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns (1:1)", false},
        {"1:0 | pg-rc sel 1; setl 1; commit | pg-rc sel 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:1); T1 returns (1:0) (1:1)", true},
        {"1:0 | pg-rc fu 1; setl 1; commit | pg-rc fu 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:1); T1 returns (1:0) (1:1)", false},
        /* One row is new, another old: the sum is that of the view. */
        {"1:0 2:0 | pg-rc inc 1; set 2 5; commit | pg-rc updsub 1; commit",
         "commits T0 T1; T0 returns (1:1) (2:5); T1 returns (1:1)", true},
        {"1:0 | pg-rc inc 1; commit | pg-rc updself 1; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns (1:10)", true},
        /* WHERE holds in the view and not on the newest row; or the other way around. */
        {"1:0 | pg-rc inc 1; commit | pg-rc updp = 0 set 3; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns ()", true},
        {"1:0 | pg-rc inc 1; commit | pg-rc updp = 0 set 3; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns (1:3)", false},
        {"1:0 | pg-rc inc 1; commit | pg-rc updp = 1 set 3; agg >= 0; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns () (1:0)", true},
        /* Rule 2: the lock of a candidate that is then skipped stays, and rule 3: it orders. */
        {"1:0 2:0 | pg-rc inc 1; inc 2; commit | pg-rc updp = 0 set 3; sel 2; commit",
         "commits T0 T1; T0 returns (1:1) (2:1); T1 returns () (2:0)", false},
        /* Rule 3: key share locks do not conflict with updates of other columns. */
        {"1:0 2:0 | pg-rc inc 1; inc 2; commit | pg-rc fks 1; sel 2; commit",
         "commits T0 T1; T0 returns (1:1) (2:1); T1 returns (1:0) (2:0)", true},
        {"1:0 2:0 | pg-rc inc 1; inc 2; commit | pg-rc fs 1; sel 2; commit",
         "commits T0 T1; T0 returns (1:1) (2:1); T1 returns (1:1) (2:0)", false},
        {"1:0 2:0 | pg-rc inc 2; fu 1; commit | pg-rc fks 1; sel 2; commit",
         "commits T0 T1; T0 returns (2:1) (1:0); T1 returns (1:0) (2:0)", false},
        {"1:0 2:0 | pg-rc inc 2; upk 1 1; commit | pg-rc fks 1; sel 2; commit",
         "commits T0 T1; T0 returns (2:1) (1:0); T1 returns (1:0) (2:0)", true},
        /* A candidate that is found deleted orders nothing. */
        {"1:0 2:1 3:5 | pg-rc del 1; set 2 0; commit | pg-rc inc 3; fup = 0; commit | pg-rc fup = "
         "0; sel 3; commit",
         "commits T0 T1 T2; T0 returns (1:0) (2:0); T1 returns (3:6) (); T2 returns () (3:5)",
         true},
        /* A version that was locked for update is written in mode U. */
        {"1:0 | pg-rc fu 1; inc 1; commit | pg-rc fks 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:1); T1 returns (1:0)", false},
        {"1:0 2:0 | pg-rc inc 2; fu 1; inc 1; commit | pg-rc fks 1; sel 2; commit",
         "commits T0 T1; T0 returns (2:1) (1:0) (1:1); T1 returns (1:0) (2:0)", false},
        /* Rule 5. */
        {"| pg-rc ins 1 0; commit | pg-rc ins 1 1; commit", "commits", false},
        {"1:0 | pg-rc upk 1 2; commit | pg-rc ins 2 1; commit", "commits", false},
        {"1:0 | pg-rc del 1; commit | pg-rc ins 1 1; sel 1; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:1) (1:1)", true},
        {"1:0 | pg-rc del 1; commit | pg-rc ins 1 1; sel 1; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:1) (1:0 1:1)", false},
        {"1:0 | pg-rc upk 1 2; commit | pg-rc ins 1 1; sel 1; commit",
         "commits T0 T1; T0 returns (2:0); T1 returns (1:1) (1:0 1:1)", false},
        /* An UPDATE keeps the row, also of its key; a row that is inserted again is another one. */
        {"1:0 | pg-rc upk 1 2; commit | pg-rc inc 1; commit",
         "commits T0 T1; T0 returns (2:0); T1 returns ()", true},
        {"1:0 | pg-rc del 1; ins 1 5; commit | pg-rc inc 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:5); T1 returns ()", true},
        /* Rule 6: visible or not. */
        {"| pg-rc ins 1 0; commit | pg-rc ups 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:1)", true},
        {"| pg-rc ins 1 0; commit | pg-rc ups 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:3)", false},
        {"1:0 | pg-rc del 1; commit | pg-rc ups 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:1)", false},
        /* Rule 7: nothing happens, nothing is locked. */
        {"1:0 | pg-rc del 1; commit | pg-rc insn 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (); in the end ()", true},
        {"| pg-rc ins 1 0; commit | pg-rc insn 1 3; commit", "commits T1 T0; T1 returns ()", false},
        {"| pg-rc ins 1 0; insn 1 3; commit", "commits T0; T0 returns (1:0) ()", true},
        {"1:0 | pg-rc del 1; commit | pg-rc sel 1; insn 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns () ()", false},
        {"2:0 | pg-rc inc 2; ins 1 0; commit | pg-rc insn 1 3; sel 2; commit",
         "commits T0 T1; T0 returns (2:1) (1:0); T1 returns () (2:0)", false},
    };
    CHECK(table);
}

static void test_pg_skip_locked(void **state)
{
    (void)state;
    static const struct expected table[] = {
        {"1:0 2:0 | pg-rc fu 1; commit | pg-rc skip = 0; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (2:0)", true},
        {"1:0 2:0 | pg-rc fu 1; commit | pg-rc skip = 0; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:0)", false},
        {"1:0 2:0 | pg-rc sel 1; commit | pg-rc skip = 0; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (2:0)", false},
        /* Who is in the base has gone; who sees T comes later; who conflicts with T's own locks is
         * not there at the same time. */
        {"1:0 2:0 | pg-rc inc 1; commit | pg-rc sel 1; skip <= 3; commit",
         "commits T0 T1; T0 returns (1:1); T1 returns (1:1) (2:0)", false},
        {"1:0 2:0 | pg-rc sel 2; fu 1; commit | pg-rc skip = 0; inc 2; commit",
         "commits T1 T0; T1 returns (2:0) (2:1); T0 returns (2:1) (1:0)", false},
        {"1:0 2:0 | pg-rr fu 1; commit | pg-rr fu 1; skip = 0; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:0) (2:0)", false},
        {"1:0 2:0 | pg-rc skip = 0; fu 1; commit | pg-rc fu 1; commit",
         "commits T0 T1; T0 returns (2:0) (1:0); T1 returns (1:0)", false},
        /* Who rolls back may have locked the row; but never one that T holds itself. */
        {"1:0 2:0 | pg-rc fu 1; rollback | pg-rc skip = 0; commit", "commits T1; T1 returns (2:0)",
         true},
        {"1:0 2:0 | pg-rc fu 1; rollback | pg-rc skip = 0; commit", "commits T1; T1 returns (1:0)",
         false},
        {"1:0 2:0 | pg-rc fu 1; rollback | pg-rc fu 1; skip = 0; commit",
         "commits T1; T1 returns (1:0) (2:0)", false},
        {"1:0 | pg-rc fks 1; rollback | pg-rc fks 1; skip = 0; commit",
         "commits T1; T1 returns (1:0) ()", true},
    };
    CHECK(table);
}

static void test_pg_snapshots(void **state)
{
    (void)state;
    static const struct expected table[] = {
        {"1:0 | pg-rr sel 1; sel 1; commit | pg-rr inc 1; commit",
         "commits T1 T0; T1 returns (1:1); T0 returns (1:0) (1:1)", false},
        /* Who wrote the row is in the base; who only locked it need not be. */
        {"1:0 | pg-rr sel 1; setl 1; commit | pg-rr sel 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:1); T1 returns (1:0)", false},
        {"1:0 2:0 | pg-rr fu 1; inc 2; commit | pg-rr fu 1; sel 2; commit",
         "commits T0 T1; T0 returns (1:0) (2:1); T1 returns (1:0) (2:0)", true},
        {"1:0 2:0 | pg-rc fu 1; inc 2; commit | pg-rc fu 1; sel 2; commit",
         "commits T0 T1; T0 returns (1:0) (2:1); T1 returns (1:0) (2:0)", false},
        {"1:0 2:0 | pg-rr inc 1; inc 2; commit | pg-rr sel 2; fks 1; commit",
         "commits T0 T1; T0 returns (1:1) (2:1); T1 returns (2:0) (1:0)", true},
        /* Inserts look at the present; the snapshot shows both rows. */
        {"1:0 | pg-rr del 1; commit | pg-rr agg >= 0; ins 1 5; agg >= 0; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns (1:0) (1:5) (2:5)", true},
        {"| pg-rr ins 1 0; commit | pg-rr sel 1; ups 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns ()", false},
        {"| pg-rr ins 1 0; commit | pg-rr sel 1; insn 1 3; commit",
         "commits T0 T1; T0 returns (1:0); T1 returns () ()", false},
        /* Each transaction obeys its own level. */
        {"1:0 | pg-rc sel 1; setl 1; commit | pg-rr sel 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1:1); T1 returns (1:0)", false},
        {"1:0 | pg-rc sel 1; setl 1; commit | pg-rr sel 1; setl 1; commit",
         "commits T1 T0; T1 returns (1:0) (1:1); T0 returns (1:0) (1:1)", true},
    };
    CHECK(table);
}

static void test_pg_serializable(void **state)
{
    (void)state;
    static const char skew[] =
        "commits T0 T1; T0 returns (1:0) (2:1); T1 returns (2:0) (1:1); in the end (1:1 2:1)";
    static const struct expected table[] = {
        {"1:0 2:0 | pg-rr sel 1; setl 2; commit | pg-rr sel 2; setl 1; commit", skew, true},
        {"1:0 2:0 | pg-ser sel 1; setl 2; commit | pg-ser sel 2; setl 1; commit", skew, false},
        /* Only among the serializable ones. */
        {"1:0 2:0 | pg-ser sel 1; setl 2; commit | pg-rr sel 2; setl 1; commit", skew, true},
        {"1:0 2:0 3:0 | pg-ser sel 1; setl 2; commit | pg-ser sel 2; setl 1; commit | pg-rc inc 3; "
         "commit",
         "commits T0 T1 T2; T0 returns (1:0) (2:1); T1 returns (2:0) (1:1)", false},
        {"1:0 2:0 3:0 | pg-ser sel 1; setl 2; commit | pg-ser sel 2; setl 1; commit | pg-rc inc 3; "
         "commit",
         "commits T0 T1 T2; T0 returns (1:0) (2:1); T1 returns (2:1) (1:2)", true},
        /* A reader between two others. */
        {"1:0 2:0 3:0 | pg-ser sel 2; inc 1; commit | pg-ser inc 2; commit | pg-ser sel 2; sel 1; "
         "commit | pg-rc inc 3; commit",
         "commits T1 T2 T0 T3; T1 returns (2:1); T2 returns (2:1) (1:0); T0 returns (2:0) (1:1)",
         false},
        /* Predicates count, too. */
        {"3:0 | pg-ser agg >= 0; ins 1 0; commit | pg-ser agg >= 0; ins 2 0; commit | pg-rr inc 3; "
         "commit",
         "commits T0 T1 T2; T0 returns (1:0) (1:0); T1 returns (1:0)", false},
    };
    CHECK(table);
}

static void test_innodb(void **state)
{
    (void)state;
    static const struct expected table[] = {
        {"1:0 | my-rc inc 1; commit | my-rc inc 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1); in the end (1:1)", false},
        /* No first-updater-wins; a row that T changed is T's own. */
        {"1:0 | my-rr sel 1; setl 1; commit | my-rr sel 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1); T1 returns (1:0) (1); in the end (1:1)", true},
        {"1:0 | my-ser sel 1; setl 1; commit | my-ser sel 1; setl 1; commit",
         "commits T0 T1; T0 returns (1:0) (1); T1 returns (1:0)", false},
        {"1:0 2:0 | my-rr inc 1; inc 2; commit | my-rr sel 1; inc 1; agg >= 0; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns (1:0) (1) (2:2)", true},
        /* A change that changes nothing is none. */
        {"1:0 | my-rr set 1 5; commit | my-rr sel 1; set 1 5; sel 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1:0) (1) (1:0)", true},
        /* Locking reads see the newest row; the snapshot stays. */
        {"1:0 | my-rr inc 1; commit | my-rr sel 1; fu 1; sel 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1:0) (1:1) (1:0)", true},
        {"1:0 | my-rr inc 1; commit | my-rr fu 1; sel 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1:1) (1:0)", false},
        /* Gap locks: at my-rr an absent row stays absent. */
        {"2:0 | my-rc ins 1 0; commit | my-rc fu 1; fu 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns () (1:0)", true},
        {"2:0 | my-rr ins 1 0; commit | my-rr fu 1; fu 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns () (1:0)", false},
        {"2:0 | my-rr ins 1 0; commit | my-rc fu 1; fu 1; commit",
         "commits T0 T1; T0 returns (1); T1 returns () (1:0)", true},
        {"2:0 | my-rr fu 1; inc 2; commit | my-rr ins 1 0; sel 2; commit",
         "commits T0 T1; T0 returns () (1); T1 returns (1) (2:0)", false},
        {"1:0 2:0 | my-rr del 1; inc 2; commit | my-rr fu 1; sel 2; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns () (2:0)", false},
        {"2:0 | my-rr fu 1; inc 2; commit | my-rr fu 1; sel 2; commit",
         "commits T0 T1; T0 returns () (1); T1 returns () (2:0)", true},
        /* A duplicate that is ignored is locked. */
        {"1:0 2:0 | my-rr inc 1; inc 2; commit | my-rr insn 1 0; sel 2; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns () (2:0)", false},
        /* Statements see more and more. */
        {"1:0 2:0 | my-rc inc 1; inc 2; commit | my-rc sel 1; sel 2; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns (1:1) (2:0)", false},
        /* By predicate: rows in key order at growing positions. */
        {"1:0 | my-rc set 1 5; ins 2 0; commit | my-rc fup = 0; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns ()", false},
        {"1:0 2:0 | my-rc inc 1; inc 2; commit | my-rc updp = 1 inc; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns (1); in the end (1:1 2:2)", true},
        {"1:0 2:0 | my-rc inc 1; inc 2; commit | my-rc updp = 1 inc; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns (1); in the end (1:2 2:1)", false},
        {"1:0 2:0 | my-rr inc 1; inc 2; commit | my-rr updp = 1 inc; commit",
         "commits T0 T1; T0 returns (1) (1); T1 returns (1); in the end", false},
        /* INSERT … SELECT: a plain read at my-rc, a locking one at my-rr. */
        {"1:0 | my-rc inc 1; commit | my-rc inssel 2; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1); in the end (1:1 2:0)", true},
        {"1:0 | my-rr inc 1; commit | my-rr inssel 2; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1); in the end (1:1 2:0)", false},
        /* The key is the identity. */
        {"1:0 | my-rc upk 1 2; commit | my-rc inc 2; commit",
         "commits T0 T1; T0 returns (1); T1 returns (1); in the end (2:1)", true},
        {"1:0 3:0 | my-rr fu 2; inc 3; commit | my-rr upk 1 2; sel 3; commit",
         "commits T0 T1; T0 returns () (1); T1 returns (1) (3:0)", false},
        /* A SERIALIZABLE one among others locks what it reads. */
        {"1:0 | my-ser sel 1; sel 1; commit | my-rc inc 1; commit",
         "commits T1 T0; T1 returns (1); T0 returns (1:0)", false},
    };
    CHECK(table);
}

static void test_notation(void **state)
{
    (void)state;
    static const char *const good[] = {
        "| pg-rc commit",
        "1:0 2:-3 | pg-rc sel 1; agg >= 1; fu 2; fs 1; commit | pg-rr fks 1; fup <= 2; skip = 0; "
        "rollback",
        "| my-rc set 1 2; inc 3; setl 1; updp >= 0 inc; commit | my-rr updp = 1 set 2; ins 1 2; "
        "ups 1 2; insn 1 2; commit",
        "7:0 | pg-ser del 1; delp <= 0; upk 1 2; updsub 1; commit | pg-ser updself 7; inssel 0; "
        "commit",
    };
    static const char *const bad[] = {
        "1 | pg-rc commit",
        "1:0 1:1 | pg-rc commit",
        "8:0 | pg-rc commit",
        "| pg commit",
        "| pg-rc sel; commit",
        "| pg-rc sel 1 commit",
        "| pg-rc sel 9; commit",
        "| pg-rc sel 1;",
        "| pg-rc nap 1; commit",
        "| pg-rc updp >= 1; commit",
        "| pg-rc agg 1; commit",
        "pg-rc commit",
        "| pg-rc sel 1; sel 1; sel 1; sel 1; sel 1; commit",
        "| pg-rc commit | pg-rc commit | pg-rc commit | pg-rc commit | pg-rc commit",
    };
    struct cf_program p;
    char text[CF_TEXT];
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_null(cf_program_read(&p, good[i]));
        cf_program_write(&p, text);
        assert_string_equal(text, good[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_non_null(cf_program_read(&p, bad[i]));
    assert_null(cf_program_read(&p, "| pg-rc commit | my-rc commit"));
    assert_non_null(cf_unsupported(&p));
    assert_null(cf_program_read(&p, "| my-rc skip = 1; commit"));
    assert_non_null(cf_unsupported(&p));
}

/* Aborts are always possible: an order of some of the transactions. */
static void test_orders(void **state)
{
    (void)state;
    struct cf_program p;
    struct cf_outcomes some = {0};
    struct cf_order order = {.commits = 1, .order = {1}};
    assert_null(cf_program_read(&p, "1:0 | pg-rc inc 1; commit | pg-rc inc 1; commit"));
    cf_allowed(&p, &order, &some);
    assert_int_equal(some.count, 1);
    char *text = text_of(&p, &some.data[0]);
    assert_string_equal(text, "commits T1; T1 returns (1:1); in the end (1:1)");
    free(text);
    assert_true(cf_outcomes_has(&some, &some.data[0]));
    cf_outcomes_clear(&some);
    cf_allowed(&p, NULL, &some);
    assert_int_equal(some.count, 2);
    cf_outcomes_free(&some);

    struct cf_order all = {.commits = 4, .order = {0, 1, 2, 3}};
    unsigned count = 1;
    while (next_order(&all))
        count++;
    assert_int_equal(count, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pg_read_committed),
        cmocka_unit_test(test_pg_skip_locked),
        cmocka_unit_test(test_pg_snapshots),
        cmocka_unit_test(test_pg_serializable),
        cmocka_unit_test(test_innodb),
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
