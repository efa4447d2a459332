/* Self test of the oracle on programs: rows and fields, observers, properties of random programs,
 * and the agreement of what programs can observe with what the other oracle allows histories. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/notation.h"

/* One row of two fields: two blind writes of one field each. */
static void two_fields(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(orc_write(p, s, 0, 0, N(1)));
    TXN(orc_write(p, s, 0, 1, N(1)));
    p->invariant = AND(IS(orc_cell(p, s, 0, 0), 1), IS(orc_cell(p, s, 0, 1), 1));
}

static bool violated(const struct orc_prog *p, struct orc_run run)
{
    struct orc_outcome out = orc_prog_axioms(p, &run);
    free(out.finals);
    return out.invariant_violated;
}

static void test_granularity(struct checks *c, struct orc_prog *p)
{
    struct orc_run run = orc_run_uniform(ORC_PC, true);
    orc_prog_init(p);
    two_fields(p);
    check(c, violated(p, run), "a row is written whole: fields of a row overwrite each other");
    run.by_field = true;
    check(c, !violated(p, run), "field granularity: they do not");
    check(c, !violated(p, orc_run_uniform(ORC_SI, true)), "a row is the unit of conflicts");
}

/* A transaction breaks the invariant and the session's next one repairs it. */
static void test_observer(struct checks *c, struct orc_prog *p)
{
    struct orc_run run = orc_run_uniform(ORC_SER, true);
    orc_prog_init(p);
    int x = ROW("x");
    orc_txn(p, 0, PUT(x, N(1)));
    orc_txn(p, 0, PUT(x, N(0)));
    p->invariant = IS(C(x), 0);
    check(c, !violated(p, run), "the final observer sees the repaired state");
    run.observe_snapshots = true;
    check(c, violated(p, run), "a snapshot observer sees the broken one");
    orc_prog_init(p);
    int a = ROW("a"), b = ROW("b");
    TXN(SEQ(PUT(a, N(1)), PUT(b, N(1))));
    p->invariant = OP(EQ, C(a), C(b));
    for (int l = 0; l < ORC_LEVELS; l++) {
        struct orc_run r = orc_run_uniform((enum orc_level)l, true);
        r.observe_snapshots = true;
        if (violated(p, r) != (l <= ORC_RC))
            check(c, false, orc_level_name((enum orc_level)l));
    }
}

static bool not_serial(const struct orc_prog *p, enum orc_level level)
{
    struct orc_run run = orc_run_uniform(level, true);
    run.serial = true;
    struct orc_outcome out = orc_prog_axioms(p, &run);
    free(out.finals);
    return out.not_serial;
}

/* Write skew, and blind writes whose versions a serial order may have the other way round. */
static void test_serial(struct checks *c, struct orc_prog *p)
{
    orc_prog_init(p);
    int a = ROW("a"), b = ROW("b");
    TXN(PUT(a, C(b)));
    TXN(PUT(b, C(a)));
    check(c, not_serial(p, ORC_SI), "write skew is not serializable");
    check(c, !not_serial(p, ORC_SER), "what is serializable is serializable");
    orc_prog_init(p);
    int x = ROW("x");
    TXN(PUT(x, N(1)));
    TXN(PUT(x, N(2)));
    TXN(orc_if(p, IS(C(x), 1), PUT(x, N(3)), -1));
    check(c, !not_serial(p, ORC_RA), "the order of versions that nobody reads is free");
    orc_prog_init(p);
    x = ROW("x");
    TXN(PUT(x, OP(ADD, C(x), N(1))));
    TXN(PUT(x, OP(ADD, C(x), N(1))));
    check(c, not_serial(p, ORC_PC) && !not_serial(p, ORC_PSI),
          "a lost update: the final state tells");
}

/* ---- random programs ---- */

static bool includes(const struct orc_outcome *big, const struct orc_outcome *small)
{
    for (int i = 0; i < small->n_finals; i++) {
        bool found = false;
        for (int j = 0; j < big->n_finals; j++)
            found |= !memcmp(big->finals[j], small->finals[i], sizeof *big->finals);
        if (!found)
            return false;
    }
    return true;
}

static bool within(const struct orc_outcome *weak, const struct orc_outcome *strong)
{
    return includes(weak, strong) && weak->assert_failed >= strong->assert_failed &&
           weak->invariant_violated >= strong->invariant_violated;
}

static struct orc_outcome explore(const struct orc_prog *p, struct orc_run run)
{
    run.all = true;
    return orc_prog_axioms(p, &run);
}

struct tally {
    bool lattice, session, mixed, observer, bounds;
    long violated[ORC_LEVELS], executions;
};

static void random_program(struct checks *c, struct tally *t, uint64_t seed, struct orc_prog *p)
{
    static const struct orc_prog_params shapes[] = {
        {.txns = 4, .stmts = 2},
        {.txns = 3, .stmts = 3, .sessions = 2, .rollbacks = true, .asserts = true},
        {.txns = 3, .stmts = 2, .params = true, .arrays = true, .structs = true},
        {.txns = 3, .stmts = 3, .structs = true, .for_update = true, .sessions = 3},
    };
    struct orc_outcome out[2][ORC_LEVELS];
    struct orc_rng r = orc_rng(seed);
    (void)c;
    orc_prog_random(&r, &shapes[seed % 4], p);
    bool by_field = orc_percent(&r, 30);
    for (int s = 0; s < 2; s++)
        for (int l = 0; l < ORC_LEVELS; l++) {
            struct orc_run run = orc_run_uniform((enum orc_level)l, s);
            run.by_field = by_field;
            out[s][l] = explore(p, run);
            t->violated[l] += s && out[s][l].invariant_violated;
            t->executions += out[s][l].executions;
            t->bounds &= !out[s][l].out_of_bounds;
            if (s)
                t->session &= within(&out[0][l], &out[1][l]);
        }
    for (int s = 0; s < 2; s++)
        for (int a = 0; a < ORC_LEVELS; a++)
            for (int b = 0; b < ORC_LEVELS; b++)
                if (orc_weaker_or_equal((enum orc_level)a, (enum orc_level)b) &&
                    !within(&out[s][a], &out[s][b])) {
                    if (t->lattice) {
                        printf("# %s not within %s, seed %lu\n", orc_level_name((enum orc_level)b),
                               orc_level_name((enum orc_level)a), (unsigned long)seed);
                        orc_prog_print(stdout, p, "INVARIANT");
                    }
                    t->lattice = false;
                }
    struct orc_run ssi = orc_run_uniform(ORC_SER, true);
    ssi.by_field = by_field;
    ssi.rules.mixed_ser = true;
    struct orc_outcome m = explore(p, ssi);
    t->mixed &= within(&m, &out[1][ORC_SER]) && within(&out[1][ORC_SER], &m);
    free(m.finals);
    enum orc_level l = (enum orc_level)orc_below(&r, ORC_LEVELS);
    struct orc_run eye = orc_run_uniform(l, true);
    eye.by_field = by_field;
    eye.observe_snapshots = true;
    t->observer &= violated(p, eye) >= out[1][l].invariant_violated;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < ORC_LEVELS; k++)
            free(out[s][k].finals);
}

static void test_random(struct checks *c, uint64_t from, int count, struct orc_prog *p)
{
    struct tally t = {
        .lattice = true, .session = true, .mixed = true, .observer = true, .bounds = true};
    for (int i = 0; i < count; i++)
        random_program(c, &t, from + (uint64_t)i, p);
    printf("# %d random programs, %ld executions; violated:", count, t.executions);
    for (int l = 0; l < ORC_LEVELS; l++)
        printf(" %s %ld", orc_level_name((enum orc_level)l), t.violated[l]);
    printf("\n");
    check(c, t.lattice, "final states respect the lattice of models");
    check(c, t.session, "session order only takes away final states");
    check(c, t.mixed, "SER by the mixed definition has SER's final states");
    check(c, t.observer, "what the final observer finds, a snapshot observer finds");
    check(c, t.bounds, "random programs stay within their arrays");
}

/* ---- programs against histories ----
 *
 * Transactions of a simple form, each reading up to two rows and writing one or two with values
 * that depend on what it read, also note what they read in a row of their own.  So the final states
 * list the observations that are possible.  The same set must come out of the other oracle for
 * histories: guess every read value, and ask whether that history is allowed. */

enum { OBS_TXNS = 3, OBS_KEYS = 2, OBS_VALUES = 3 };

struct simple {
    int n_reads, n_writes;
    int read[2], write[2];
    int value[2][2]; /* of each write: if the first read gave 0, and if not */
    int session;
};

static void random_simple(struct orc_rng *r, struct simple *s)
{
    s->session = orc_below(r, 2);
    s->n_reads = orc_below(r, 3);
    s->n_writes = orc_below(r, 3);
    for (int i = 0; i < 2; i++) {
        s->read[i] = orc_below(r, OBS_KEYS);
        s->write[i] = orc_below(r, OBS_KEYS);
        for (int j = 0; j < 2; j++)
            s->value[i][j] = orc_below(r, OBS_VALUES);
    }
}

static void simple_program(const struct simple *s, struct orc_prog *p)
{
    orc_prog_init(p);
    int row = orc_table(p, "row", OBS_KEYS, 1), note = orc_table(p, "note", OBS_TXNS, 1);
    for (int t = 0; t < OBS_TXNS; t++) {
        int body = -1;
        for (int i = 0; i < s[t].n_reads; i++)
            body = SEQ(body, LET(i, A(row, s[t].read[i])));
        for (int i = 0; i < s[t].n_writes; i++)
            body = SEQ(body, PUT_AT(row, s[t].write[i],
                                    COND(IS(R(0), 0), N(s[t].value[i][0]), N(s[t].value[i][1]))));
        body = SEQ(body, PUT_AT(note, t, OP(ADD, OP(MUL, R(0), N(10)), R(1))));
        orc_txn(p, s[t].session, body);
    }
}

/* The history in which transaction t read seen[t][0], seen[t][1]. */
static struct orc_history simple_history(const struct simple *s, int seen[OBS_TXNS][2])
{
    struct orc_history h = {.n_txns = OBS_TXNS, .n_keys = OBS_KEYS};
    for (int t = 0; t < OBS_TXNS; t++) {
        struct orc_txn *txn = &h.txns[t];
        txn->session = s[t].session;
        for (int i = 0; i < s[t].n_reads; i++, txn->n_ops++)
            txn->ops[txn->n_ops] =
                (struct orc_op){.key = s[t].read[i], .value = seen[t][i], .stmt = txn->n_ops};
        for (int i = 0; i < s[t].n_writes; i++, txn->n_ops++)
            txn->ops[txn->n_ops] =
                (struct orc_op){.write = true,
                                .key = s[t].write[i],
                                .value = s[t].value[i][s[t].n_reads && seen[t][0]],
                                .stmt = txn->n_ops};
    }
    return h;
}

static bool final_notes(const struct orc_outcome *out, int seen[OBS_TXNS][2])
{
    for (int i = 0; i < out->n_finals; i++) {
        bool same = true;
        for (int t = 0; t < OBS_TXNS; t++)
            same &= out->finals[i][OBS_KEYS + t] == seen[t][0] * 10 + seen[t][1];
        if (same)
            return true;
    }
    return false;
}

/* The next guess of all reads, or false. */
static bool next_guess(const struct simple *s, int seen[OBS_TXNS][2])
{
    for (int t = 0; t < OBS_TXNS; t++)
        for (int i = 0; i < s[t].n_reads; i++) {
            if (++seen[t][i] < OBS_VALUES)
                return true;
            seen[t][i] = 0;
        }
    return false;
}

static bool same_observations(const struct simple *s, struct orc_prog *p, struct orc_run run)
{
    int seen[OBS_TXNS][2] = {{0}};
    bool ok = true;
    run.all = true;
    simple_program(s, p);
    struct orc_outcome out = orc_prog_axioms(p, &run);
    do {
        struct orc_history h = simple_history(s, seen);
        ok &= final_notes(&out, seen) == orc_hist_versions(&h, &run.rules);
    } while (next_guess(s, seen));
    free(out.finals);
    return ok;
}

static void test_observations(struct checks *c, uint64_t from, int count, struct orc_prog *p)
{
    for (int l = 0; l < ORC_LEVELS; l++) {
        bool ok = true;
        for (int i = 0; i < count && ok; i++) {
            struct simple s[OBS_TXNS];
            struct orc_rng r = orc_rng(from + (uint64_t)i);
            for (int t = 0; t < OBS_TXNS; t++)
                random_simple(&r, &s[t]);
            struct orc_run run = orc_run_uniform((enum orc_level)l, i & 1);
            run.rules.rcs_session_ar_only = i & 2;
            ok = same_observations(s, p, run);
            if (!ok)
                orc_prog_print(stdout, p, "INVARIANT");
        }
        char name[80];
        snprintf(name, sizeof name, "programs observe what histories allow: %s",
                 orc_level_name((enum orc_level)l));
        check(c, ok, name);
    }
}

/* Mixed levels: raising the level of one transaction only takes away. */
static void test_mixed(struct checks *c, uint64_t from, int count, struct orc_prog *p)
{
    static const struct orc_prog_params shape = {.txns = 3, .stmts = 3, .sessions = 3};
    bool monotone = true;
    int raised = 0;
    for (int i = 0; i < count; i++) {
        struct orc_rng r = orc_rng(from + (uint64_t)i);
        orc_prog_random(&r, &shape, p);
        struct orc_run low = orc_run_uniform(ORC_SER, i & 1), high;
        low.rules.mixed_ser = true;
        for (int t = 0; t < p->n_txns; t++)
            low.rules.level[t] = (enum orc_level)orc_below(&r, ORC_LEVELS);
        high = low;
        int t = orc_below(&r, p->n_txns), up = orc_below(&r, ORC_LEVELS);
        if (orc_weaker_or_equal(low.rules.level[t], (enum orc_level)up))
            high.rules.level[t] = (enum orc_level)up;
        struct orc_outcome lo = explore(p, low), hi = explore(p, high);
        monotone &= within(&lo, &hi);
        raised += lo.n_finals > hi.n_finals;
        free(lo.finals);
        free(hi.finals);
    }
    printf("# mixed levels: raising one took final states away in %d of %d\n", raised, count);
    check(c, monotone, "mixed levels: raising one only takes away final states");
}

int main(int argc, char **argv)
{
    static struct orc_prog p;
    struct checks c = {0};
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc > 3) { /* print one program */
        static const struct orc_prog_params all = {4,    2,    3,    true, true,
                                                   true, true, true, true, true};
        struct orc_rng r = orc_rng(from);
        orc_prog_random(&r, &all, &p);
        orc_prog_print(stdout, &p, argv[3]);
        return 0;
    }
    test_granularity(&c, &p);
    test_observer(&c, &p);
    test_serial(&c, &p);
    test_random(&c, from, count, &p);
    test_observations(&c, from, count / 4, &p);
    test_mixed(&c, from, count, &p);
    return checks_done(&c);
}
