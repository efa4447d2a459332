/* Self test of the oracle at the levels of databases: the small schedules that tell them apart, and
 * what must hold between them and the abstract models on random programs. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/notation.h"

typedef void build(struct orc_prog *p);

#define LOCK(t) orc_s(p, (struct orc_stmt){.kind = ORC_FOR_UPDATE, .table = t, .index = N(0)})
#define SHARE(t) orc_s(p, (struct orc_stmt){.kind = ORC_FOR_SHARE, .table = t, .index = N(0)})
#define ROLLBACK orc_s(p, (struct orc_stmt){.kind = ORC_ROLLBACK})
#define INC(t) PUT(t, OP(ADD, C(t), N(1)))
#define ASSERT(e) orc_assert(p, e)
#define F(t, f) orc_cell(p, t, 0, f)

/* ---- counters ---- */

static void counter_by_hand(struct orc_prog *p)
{
    int c = ROW("c");
    TXN(INC(c));
    TXN(INC(c));
    p->invariant = IS(C(c), 2);
}

static void counter_locked(struct orc_prog *p)
{
    int c = ROW("c");
    TXN(SEQ(LOCK(c), INC(c)));
    TXN(SEQ(LOCK(c), INC(c)));
    p->invariant = IS(C(c), 2);
}

/* What was read before the lock is old. */
static void counter_locked_late(struct orc_prog *p)
{
    int c = ROW("c");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(LET(0, C(c)), SEQ(LOCK(c), PUT(c, OP(ADD, R(0), N(1))))));
    p->invariant = IS(C(c), 2);
}

/* At my-rr the snapshot is older than the lock. */
static void counter_after_reading(struct orc_prog *p)
{
    int c = ROW("c"), y = ROW("y");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(LET(0, C(y)), SEQ(LOCK(c), INC(c))));
    p->invariant = IS(C(c), 2);
}

/* One of three is locked, and that helps nobody but itself. */
static void counter_half_locked(struct orc_prog *p)
{
    int c = ROW("c");
    TXN(SEQ(LOCK(c), INC(c)));
    TXN(SEQ(LOCK(c), INC(c)));
    TXN(INC(c));
    p->invariant = IS(C(c), 3);
}

/* ---- write skew, and rows that guard against it ---- */

/* The row guards[i], if any, is locked by transaction i, or written. */
static void skew(struct orc_prog *p, bool guard, bool written)
{
    int a = ROW("a"), b = ROW("b"), g = ROW("g");
    for (int i = 0; i < 2; i++) {
        int body = IF(IS(C(i ? a : b), 0), PUT(i ? b : a, N(1)));
        if (guard)
            body = SEQ(written ? PUT(g, N(1)) : LOCK(g), body);
        TXN(body);
    }
    p->invariant = NOT(AND(IS(C(a), 1), IS(C(b), 1)));
}

static void write_skew(struct orc_prog *p)
{
    skew(p, false, false);
}

static void guard_locked(struct orc_prog *p)
{
    skew(p, true, false);
}

static void guard_written(struct orc_prog *p)
{
    skew(p, true, true);
}

/* The guard is read before it is written: at my-rr the snapshot is as old as that. */
static void guard_counted(struct orc_prog *p)
{
    int a = ROW("a"), b = ROW("b"), g = ROW("g");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(INC(g), IF(IS(C(i ? a : b), 0), PUT(i ? b : a, N(1)))));
    p->invariant = NOT(AND(IS(C(a), 1), IS(C(b), 1)));
}

/* Somebody who locks x against somebody who locks and writes it. */
static void lock_against_write(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    TXN(SEQ(LOCK(x), IF(IS(C(x), 0), PUT(y, N(1)))));
    TXN(SEQ(LOCK(x), IF(IS(C(y), 0), PUT(x, N(1)))));
    p->invariant = NOT(AND(IS(C(x), 1), IS(C(y), 1)));
}

/* A transaction that locks the guard and rolls back later orders nobody else. */
static void guard_rolled_back(struct orc_prog *p)
{
    guard_locked(p);
    TXN(SEQ(LOCK(2), ROLLBACK));
}

/* One that rolls back has held its locks: T1 saw T0 and not T2, so T2, which locks x later, sees T0
 * too. */
static void rolled_back_holds(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), z = ROW("z"), n = orc_table(p, "n", 2, 1);
    int saw = AND(IS(R(0), 1), IS(R(1), 0)), both = SEQ(LET(0, C(y)), LET(1, C(z)));
    TXN(PUT(y, N(1)));
    TXN(SEQ(LOCK(x), SEQ(both, orc_if(p, saw, ROLLBACK, PUT_AT(n, 0, N(1))))));
    TXN(SEQ(LOCK(x), SEQ(LET(0, C(y)),
                         SEQ(PUT(y, N(5)), SEQ(PUT(z, N(1)), PUT_AT(n, 1, OP(ADD, R(0), N(1))))))));
    p->invariant = NOT(AND(IS(A(n, 0), 0), IS(A(n, 1), 1)));
}

/* ---- columns ---- */

static void columns(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(orc_write(p, s, 0, 0, N(1)));
    TXN(orc_write(p, s, 0, 1, N(1)));
    p->invariant = AND(IS(F(s, 0), 1), IS(F(s, 1), 1));
}

/* Each column depends on the other: an UPDATE with values from a SELECT before it. */
static void columns_crossed(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(orc_write(p, s, 0, 0, OP(ADD, F(s, 1), N(1))));
    TXN(orc_write(p, s, 0, 1, OP(ADD, F(s, 0), N(1))));
    p->invariant = NOT(OP(EQ, F(s, 0), F(s, 1)));
}

/* A struct is copied and written back whole. */
static void whole_row(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    struct orc_stmt take = {.kind = ORC_TAKE, .table = s, .index = N(0)}, put = take;
    put.kind = ORC_PUT;
    TXN(SEQ(orc_s(p, take), orc_s(p, put)));
    TXN(orc_write(p, s, 0, 1, N(1)));
    p->invariant = IS(F(s, 1), 1);
}

/* Once T changed a row, it sees the other columns of it in their newest value. */
static void changed_row(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(SEQ(LET(0, F(s, 1)), SEQ(orc_write(p, s, 0, 0, N(5)), ASSERT(OP(EQ, F(s, 1), R(0))))));
    TXN(orc_write(p, s, 0, 1, N(7)));
}

/* A lock alone does not change it. */
static void locked_row(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(SEQ(LET(0, F(s, 1)), SEQ(LOCK(s), ASSERT(OP(EQ, F(s, 1), R(0))))));
    TXN(orc_write(p, s, 0, 1, N(7)));
}

/* A row that has the value already is not changed by InnoDB: the old snapshot shows the old one. */
static void same_value(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(SEQ(LET(0, C(x)), SEQ(PUT(x, N(1)), ASSERT(IS(C(x), 1)))));
    TXN(PUT(x, N(1)));
}

/* … but one that has been changed before is its own. */
static void same_value_later(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(SEQ(LET(0, C(x)), SEQ(PUT(x, N(2)), SEQ(PUT(x, N(1)), ASSERT(IS(C(x), 1))))));
    TXN(PUT(x, N(1)));
}

/* ---- reads ---- */

static void read_skew(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    TXN(SEQ(PUT(x, N(1)), PUT(y, N(1))));
    TXN(SEQ(LET(0, C(x)), SEQ(LET(1, C(y)), ASSERT(OP(EQ, R(0), R(1))))));
}

static void read_at_once(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    TXN(SEQ(PUT(x, N(1)), PUT(y, N(1))));
    TXN(ASSERT(OP(EQ, C(x), C(y))));
}

/* Statements never go back. */
static void read_backwards(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(PUT(x, N(1)));
    TXN(SEQ(LET(0, C(x)), SEQ(LET(1, C(x)), ASSERT(OP(LE, R(0), R(1))))));
}

/* Two readers agree on the order of two writers. */
static void long_fork(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), f = ROW("f");
    TXN(PUT(x, N(1)));
    TXN(PUT(y, N(1)));
    TXN(IF(AND(IS(C(x), 1), IS(C(y), 0)), PUT(f, N(1))));
    TXN(SEQ(LET(0, C(f)), ASSERT(NOT(AND(AND(IS(C(x), 0), IS(C(y), 1)), IS(R(0), 1))))));
}

/* A locked row shows who has locked it before: what they wrote elsewhere is seen as well. */
static void locked_then_read(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), n = ROW("n");
    TXN(SEQ(LOCK(x), SEQ(PUT(y, N(1)), SEQ(LOCK(x), PUT(n, N(1))))));
    TXN(SEQ(LET(0, C(n)), SEQ(LOCK(x), SEQ(LET(1, C(y)), PUT(n, N(2))))));
    TXN(SEQ(LOCK(x), SEQ(LET(0, C(n)), ASSERT(OR(NOT(IS(R(0), 1)), IS(C(y), 1))))));
}

/* ---- single-statement updates ---- */

/* ATOMIC if (e) yes else no, of the one row of the table; e -1: no condition. */
static int atomic(struct orc_prog *p, int table, int e, int yes, int no)
{
    struct orc_stmt s = {.kind = ORC_ATOMIC, .table = table, .index = N(0), .e = e};
    s.yes = yes;
    s.no = no;
    return orc_s(p, s);
}

static void counter_atomic(struct orc_prog *p)
{
    int c = ROW("c");
    TXN(atomic(p, c, -1, INC(c), -1));
    TXN(atomic(p, c, -1, INC(c), -1));
    p->invariant = IS(C(c), 2);
}

static void last_one(struct orc_prog *p)
{
    int s = ROW("s");
    p->init[0] = 1;
    for (int i = 0; i < 2; i++)
        TXN(atomic(p, s, OP(LT, N(0), C(s)), PUT(s, OP(SUB, C(s), N(1))), -1));
    p->invariant = OP(LE, N(0), C(s));
}

/* The row that is changed is new, another one old: rcs does not allow that. */
static void one_new_one_old(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    TXN(SEQ(PUT(x, N(1)), PUT(y, N(1))));
    TXN(atomic(p, x, -1, PUT(x, OP(ADD, OP(MUL, N(10), C(x)), C(y))), -1));
    p->invariant = NOT(IS(C(x), 10));
    p->reads_elsewhere = true;
}

static void skew_atomic(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    TXN(atomic(p, x, IS(C(y), 0), PUT(x, N(1)), -1));
    TXN(atomic(p, y, IS(C(x), 0), PUT(y, N(1)), -1));
    p->invariant = NOT(AND(IS(C(x), 1), IS(C(y), 1)));
    p->reads_elsewhere = true;
}

/* A row that matches in its newest version alone is no candidate. */
static void no_candidate(struct orc_prog *p)
{
    int x = ROW("x");
    int update = atomic(p, x, IS(C(x), 5), SEQ(PUT(x, N(9)), LET(0, N(1))), LET(0, N(2)));
    TXN(PUT(x, N(5)));
    TXN(SEQ(update, SEQ(LET(1, C(x)), ASSERT(NOT(AND(IS(R(0), 2), IS(R(1), 5)))))));
}

/* A candidate that does not match any more is skipped, and what it waited for is seen. */
static void skipped(struct orc_prog *p)
{
    int x = ROW("x");
    int update = atomic(p, x, IS(C(x), 0), SEQ(PUT(x, N(9)), LET(0, N(1))), LET(0, N(2)));
    TXN(PUT(x, N(5)));
    TXN(SEQ(update, SEQ(LET(1, C(x)), ASSERT(NOT(AND(IS(R(0), 2), IS(R(1), 0)))))));
}

static void optimistic(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    for (int i = 0; i < 2; i++) {
        int both = SEQ(orc_write(p, s, 0, 1, OP(ADD, R(1), N(1))),
                       orc_write(p, s, 0, 0, OP(ADD, F(s, 0), N(1))));
        TXN(SEQ(LET(0, F(s, 0)),
                SEQ(LET(1, F(s, 1)), atomic(p, s, OP(EQ, F(s, 0), R(0)), both, -1))));
    }
    p->invariant = OP(EQ, F(s, 0), F(s, 1));
}

static void all_rows(struct orc_prog *p)
{
    int a = orc_table(p, "a", 2, 1), i = orc_e(p, ORC_LOOP, 0, 0, 0);
    int e = OP(ADD, orc_e(p, ORC_CELL, a, i, 0), N(1));
    struct orc_stmt write = {.kind = ORC_WRITE, .table = a, .index = i, .e = e};
    struct orc_stmt update = {.kind = ORC_ATOMIC, .table = a, .index = i, .e = -1, .many = true};
    update.yes = orc_s(p, write);
    update.no = -1;
    TXN(orc_s(p, update));
    TXN(orc_s(p, update));
    p->invariant = AND(IS(A(a, 0), 2), IS(A(a, 1), 2));
}

/* ---- locks for share ---- */

static void guard_shared(struct orc_prog *p)
{
    int a = ROW("a"), b = ROW("b"), g = ROW("g");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(SHARE(g), IF(IS(C(i ? a : b), 0), PUT(i ? b : a, N(1)))));
    p->invariant = NOT(AND(IS(C(a), 1), IS(C(b), 1)));
}

/* A child is added while its parent is locked for share; who locks the parent for update and finds
 * no child marks it as gone. */
static void parent_and_child(struct orc_prog *p)
{
    int parent = ROW("parent"), child = ROW("child");
    TXN(SEQ(SHARE(parent), IF(IS(C(parent), 0), PUT(child, N(1)))));
    TXN(SEQ(LOCK(parent), IF(IS(C(child), 0), PUT(parent, N(1)))));
    p->invariant = NOT(AND(IS(C(parent), 1), IS(C(child), 1)));
}

/* ---- sessions and rollbacks ---- */

static void session(struct orc_prog *p)
{
    int x = ROW("x");
    orc_txn(p, 0, PUT(x, N(1)));
    orc_txn(p, 0, ASSERT(IS(C(x), 1)));
}

static void rolled_back(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(SEQ(PUT(x, N(1)), SEQ(ASSERT(IS(C(x), 1)), ROLLBACK)));
    TXN(ASSERT(IS(C(x), 0)));
}

static void assert_then_roll_back(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(SEQ(ASSERT(IS(C(x), 0)), ROLLBACK));
    TXN(PUT(x, N(1)));
}

/* Per level in the order of the enumeration: V if the invariant or an assertion can be violated, ?
 * if that is not known. */
static const struct {
    const char *name;
    build *make;
    const char *verdicts;
} known[] = {
    {"a counter by hand", counter_by_hand, "V..VV."},
    {"a counter that is locked first", counter_locked, "......"},
    {"a counter that is locked after reading it", counter_locked_late, "V..VV."},
    {"a counter that is locked after reading something else", counter_after_reading, "....V."},
    {"a counter that not all lock", counter_half_locked, "V..VV."},
    {"write skew", write_skew, "VV.VV."},
    {"a guard row, locked", guard_locked, ".V...."},
    {"a guard row, written", guard_written, "......"},
    {"a guard row, read and written", guard_counted, "....V."},
    {"a lock against a write", lock_against_write, ".V...."},
    {"a guard row, also locked by one that rolls back", guard_rolled_back, ".V...."},
    {"one that rolls back holds its locks", rolled_back_holds, "......"},
    {"columns do not overwrite each other", columns, "......"},
    {"columns computed from each other", columns_crossed, "V..VV."},
    {"a row written back whole", whole_row, "V..VV."},
    {"a row that it changed", changed_row, "V..VV."},
    {"a row that it locked", locked_row, "V..V.."},
    {"a row that has the value already", same_value, "....V."},
    {"a row that has the value again", same_value_later, "......"},
    {"read skew", read_skew, "V..V.."},
    {"one statement, one snapshot", read_at_once, "......"},
    {"statements never go back", read_backwards, "......"},
    {"snapshots are prefixes", long_fork, "......"},
    {"what a lock waited for is seen", locked_then_read, "......"},
    {"a counter in a single statement", counter_atomic, "......"},
    {"a condition and an update in a single statement", last_one, "......"},
    {"a row that is new and one that is old", one_new_one_old, "V..?.."},
    {"write skew in single statements", skew_atomic, "VV.?.."},
    {"a row that matches only now", no_candidate, "V..V.."},
    {"a row that does not match any more", skipped, "......"},
    {"a version that is compared", optimistic, "......"},
    {"an update of all rows", all_rows, "......"},
    {"a guard row, locked for share", guard_shared, "VV.VV."},
    {"a parent locked for share", parent_and_child, ".V...."},
    {"session order", session, "......"},
    {"what is rolled back is not seen", rolled_back, "......"},
    {"assertions count in spite of a rollback", assert_then_roll_back, "VVVVVV"},
};

static struct orc_outcome explore(const struct orc_prog *p, struct orc_run run)
{
    run.all = true;
    return orc_prog_axioms(p, &run);
}

static bool fails(const struct orc_prog *p, struct orc_run run)
{
    struct orc_outcome out = orc_prog_axioms(p, &run);
    free(out.finals);
    return out.invariant_violated || out.assert_failed;
}

static void test_known(struct checks *c, struct orc_prog *p)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char got[ORC_SERVERS] = "";
        orc_prog_init(p);
        known[i].make(p);
        for (int l = ORC_PG_RC; l < ORC_SERVERS; l++)
            got[l - 1] = p->reads_elsewhere && l == ORC_MY_RC                 ? '?'
                         : fails(p, orc_run_server((enum orc_server)l, true)) ? 'V'
                                                                              : '.';
        if (!check(c, !strcmp(got, known[i].verdicts), known[i].name))
            printf("# %s instead of %s\n", got, known[i].verdicts);
    }
}

/* The first transaction at pg-rc, the others at pg-rr. */
static struct orc_run mixed_run(void)
{
    struct orc_run run = orc_run_server(ORC_PG_RR, true);
    run.server[0] = ORC_PG_RC;
    return run;
}

static void test_options(struct checks *c, struct orc_prog *p)
{
    struct orc_run run = orc_run_server(ORC_PG_RR, true);
    orc_prog_init(p);
    counter_by_hand(p);
    check(c, fails(p, mixed_run()), "mixed: one that is careless loses an update");
    orc_prog_init(p);
    counter_half_locked(p);
    check(c, !fails(p, mixed_run()), "mixed: locked at pg-rc, by hand at pg-rr");
    orc_prog_init(p);
    session(p);
    check(c, fails(p, orc_run_server(ORC_PG_RC, false)), "without session order");
    orc_prog_init(p);
    int x = ROW("x");
    orc_txn(p, 0, PUT(x, N(1)));
    orc_txn(p, 0, PUT(x, N(0)));
    p->invariant = IS(C(x), 0);
    check(c, !fails(p, run), "the final state");
    run.observe_snapshots = true;
    check(c, fails(p, run), "every state between commits");
}

/* ---- random programs ---- */

static bool includes(const struct orc_outcome *big, const struct orc_outcome *small)
{
    for (int i = 0; i < small->n_finals; i++) {
        bool found = false;
        for (int j = 0; j < big->n_finals && !found; j++)
            found = !memcmp(big->finals[j], small->finals[i], sizeof *big->finals);
        if (!found)
            return false;
    }
    return big->assert_failed >= small->assert_failed &&
           big->invariant_violated >= small->invariant_violated && big->exists >= small->exists &&
           big->out_of_bounds >= small->out_of_bounds && big->divided >= small->divided;
}

static bool same(const struct orc_outcome *a, const struct orc_outcome *b)
{
    return includes(a, b) && includes(b, a);
}

static const struct orc_prog_params shapes[] = {
    {.txns = 3, .stmts = 3, .wide = true, .for_update = true, .asserts = true, .servers = true},
    {.txns = 3, .stmts = 4, .params = true, .arrays = true, .for_update = true, .locks = true},
    {.txns = 4, .stmts = 3, .structs = true, .sessions = 3, .asserts = true, .servers = true},
    {.txns = 3, .stmts = 3, .arrays = true, .asserts = true, .checks = true, .sessions = 2},
    {.txns = 3, .stmts = 2, .params = true, .results = true, .repeats = true},
    {.txns = 2, .stmts = 6, .wide = true, .for_update = true, .repeats = true, .locks = true},
    {.txns = 3, .stmts = 3, .wide = true, .locks = true, .rollbacks = true, .servers = true},
    {.txns = 3, .stmts = 4, .for_update = true, .rollbacks = true, .asserts = true, .params = true},
};

struct tally {
    bool ser, rr, rc, rcs, least;
    long violated[ORC_SERVERS], executions;
};

static void random_program(struct tally *t, uint64_t seed, struct orc_prog *p)
{
    struct orc_outcome out[ORC_SERVERS];
    struct orc_rng r = orc_rng(seed);
    bool session_order = seed % 3, rollbacks = shapes[seed % 8].rollbacks;
    orc_prog_random(&r, &shapes[seed % 8], p);
    for (int l = ORC_PG_RC; l < ORC_SERVERS; l++) {
        out[l] = explore(p, orc_run_server((enum orc_server)l, session_order));
        t->violated[l] += out[l].invariant_violated || out[l].assert_failed;
        t->executions += out[l].executions;
    }
    struct orc_run statements = orc_run_uniform(ORC_RCS, session_order);
    statements.by_field = true;
    struct orc_outcome ser = explore(p, orc_run_uniform(ORC_SER, session_order));
    struct orc_outcome si = explore(p, orc_run_uniform(ORC_SI, session_order));
    struct orc_outcome rcs = explore(p, statements);
    bool is = same(&ser, &out[ORC_PG_SER]) && same(&ser, &out[ORC_MY_SER]);
    bool rr = rollbacks ? includes(&si, &out[ORC_PG_RR]) : same(&si, &out[ORC_PG_RR]);
    bool rc = same(&out[ORC_PG_RC], &out[ORC_MY_RC]);
    bool below = includes(&rcs, &out[ORC_PG_RC]), least = true;
    for (int l = ORC_PG_RC; l < ORC_SERVERS; l++)
        least &= includes(&out[l], &ser);
    if (!(is && rr && rc && below && least) && t->ser && t->rr && t->rc && t->rcs && t->least) {
        printf("# seed %lu:%s%s%s%s%s\n", (unsigned long)seed, is ? "" : " ser", rr ? "" : " rr",
               rc ? "" : " rc", below ? "" : " rcs", least ? "" : " least");
        orc_prog_print(stdout, p, "INVARIANT");
    }
    t->ser &= is;
    t->rr &= rr;
    t->rc &= rc;
    t->rcs &= below;
    t->least &= least;
    for (int l = ORC_PG_RC; l < ORC_SERVERS; l++)
        free(out[l].finals);
    free(ser.finals);
    free(si.finals);
    free(rcs.finals);
}

static void test_random(struct checks *c, uint64_t from, int count, struct orc_prog *p)
{
    struct tally t = {.ser = true, .rr = true, .rc = true, .rcs = true, .least = true};
    for (int i = 0; i < count; i++)
        random_program(&t, from + (uint64_t)i, p);
    printf("# %d random programs, %ld executions; violated:", count, t.executions);
    for (int l = ORC_PG_RC; l < ORC_SERVERS; l++)
        printf(" %s %ld", orc_server_name((enum orc_server)l), t.violated[l]);
    printf("\n");
    check(c, t.ser, "pg-ser and my-ser are serializability");
    check(c, t.rr, "pg-rr is snapshot isolation; what is touched in vain binds it further");
    check(c, t.rc, "rows that exist and keys: pg-rc and my-rc are the same");
    check(c, t.rcs, "pg-rc without single-statement updates is within rcs by field");
    check(c, t.least, "every level has the serial executions");
}

int main(int argc, char **argv)
{
    static struct orc_prog p;
    struct checks c = {0};
    int count = argc > 1 ? atoi(argv[1]) : 800;
    uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    test_known(&c, &p);
    test_options(&c, &p);
    test_random(&c, from, count, &p);
    return checks_done(&c);
}
