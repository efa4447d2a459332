/* Self test of the oracle on programs: the five programs that the literature's encoding gets wrong,
 * the published benchmarks that are small enough, and properties of random programs. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/oracle.h"

/* ---- a short notation: p is always the program being built ---- */

#define N(v) orc_num(p, v)
#define R(r) orc_reg(p, r)
#define C(t) orc_cell(p, t, 0, 0)
#define A(t, i) orc_cell(p, t, i, 0)
#define OP(kind, a, b) orc_e(p, ORC_##kind, a, b, 0)
#define IS(a, v) OP(EQ, a, N(v))
#define AND(a, b) OP(AND, a, b)
#define OR(a, b) OP(OR, a, b)
#define NOT(a) orc_e(p, ORC_NOT, a, 0, 0)
#define COND(a, b, c) orc_e(p, ORC_COND, a, b, c)
#define PUT(t, e) orc_write(p, t, 0, 0, e)
#define PUT_AT(t, i, e) orc_write(p, t, i, 0, e)
#define LET(r, e) orc_set(p, r, e)
#define IF(e, yes) orc_if(p, e, yes, -1)
#define SEQ(a, b) orc_seq(p, a, b)
#define TXN(body) orc_txn(p, p->n_txns, body)
#define ROW(name) orc_table(p, name, 0, 1)

typedef void build(struct orc_prog *p);

/* ---- the five programs ---- */

static void last_writer(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(PUT(x, N(0)));
    TXN(PUT(x, N(1)));
    p->invariant = IS(C(x), 0);
}

static void counter_and_other(struct orc_prog *p)
{
    int c = ROW("c"), y = ROW("y");
    TXN(PUT(c, OP(ADD, C(c), N(1))));
    TXN(PUT(y, N(1)));
    TXN(PUT(c, OP(ADD, C(c), N(1))));
    p->invariant = IS(C(c), 2);
}

static void counter_and_two_others(struct orc_prog *p)
{
    counter_and_other(p);
    int x = ROW("x");
    TXN(PUT(x, N(1)));
}

static void causal_flag(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), w = orc_table(p, "w", 0, 1), vf = orc_table(p, "vf", 2, 1);
    TXN(PUT(x, COND(IS(C(y), 0), N(1), N(2))));
    TXN(SEQ(PUT(w, N(2)), PUT_AT(vf, 0, N(1))));
    TXN(SEQ(PUT(y, COND(IS(C(x), 0), N(1), N(2))), PUT(w, N(3))));
    TXN(IF(AND(IS(C(x), 1), AND(IS(C(y), 1), IS(A(vf, 0), 0))), PUT_AT(vf, 1, N(1))));
    p->invariant = NOT(AND(IS(A(vf, 1), 1), IS(C(w), 3)));
}

/* A, B, C write 1 if they saw neither other; D flags {A,B} without C, E {B,C} without A. */
static void three_writers(struct orc_prog *p)
{
    int s = orc_table(p, "s", 3, 1), f = orc_table(p, "flag", 2, 1);
    for (int i = 0; i < 3; i++) {
        int none = AND(IS(A(s, (i + 1) % 3), 0), IS(A(s, (i + 2) % 3), 0));
        TXN(PUT_AT(s, i, COND(none, N(1), N(2))));
    }
    TXN(IF(AND(IS(A(s, 0), 1), AND(IS(A(s, 1), 1), IS(A(s, 2), 0))), PUT_AT(f, 0, N(1))));
    TXN(IF(AND(IS(A(s, 0), 0), AND(IS(A(s, 1), 1), IS(A(s, 2), 1))), PUT_AT(f, 1, N(1))));
    p->invariant = NOT(AND(IS(A(f, 0), 1), IS(A(f, 1), 1)));
}

/* ---- benchmarks ---- */

static void simple_bank(struct orc_prog *p)
{
    int acc = orc_table(p, "account", 2, 1);
    p->init[0] = p->init[1] = 60;
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LE, N(100), OP(ADD, A(acc, 0), A(acc, 1))),
               PUT_AT(acc, i, OP(SUB, A(acc, i), N(100)))));
    p->invariant = OP(LE, N(0), OP(ADD, A(acc, 0), A(acc, 1)));
}

static void counter(struct orc_prog *p)
{
    int x = ROW("x");
    for (int i = 0; i < 2; i++)
        TXN(PUT(x, OP(ADD, C(x), N(1))));
    p->invariant = IS(C(x), 2);
}

static void counter_for_update(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(orc_s(p, (struct orc_stmt){.kind = ORC_FOR_UPDATE, .table = x, .index = N(0)}),
                i ? IF(IS(C(y), 0), PUT(x, N(1))) : IF(IS(C(x), 0), PUT(y, N(1)))));
    p->invariant = NOT(AND(IS(C(x), 1), IS(C(y), 1)));
}

static void long_fork(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), saw = orc_table(p, "saw", 2, 1);
    TXN(PUT(x, N(1)));
    TXN(PUT(y, N(1)));
    TXN(IF(AND(IS(C(x), 1), IS(C(y), 0)), PUT_AT(saw, 0, N(1))));
    TXN(IF(AND(IS(C(y), 1), IS(C(x), 0)), PUT_AT(saw, 1, N(1))));
    p->invariant = NOT(AND(IS(A(saw, 0), 1), IS(A(saw, 1), 1)));
}

static void audit(struct orc_prog *p)
{
    int acc = orc_table(p, "account", 2, 1), sum = ROW("sum");
    p->init[0] = p->init[1] = 5;
    p->init[2] = 10;
    TXN(SEQ(PUT_AT(acc, 0, OP(SUB, A(acc, 0), N(1))), PUT_AT(acc, 1, OP(ADD, A(acc, 1), N(1)))));
    TXN(SEQ(LET(0, A(acc, 0)), SEQ(LET(1, A(acc, 1)), PUT(sum, OP(ADD, R(0), R(1))))));
    p->invariant = IS(C(sum), 10);
}

static void post_comment(struct orc_prog *p)
{
    int post = ROW("post"), comment = ROW("comment"), bad = ROW("bad");
    TXN(PUT(post, N(1)));
    TXN(IF(IS(C(post), 1), PUT(comment, N(1))));
    TXN(IF(AND(IS(C(comment), 1), IS(C(post), 0)), PUT(bad, N(1))));
    p->invariant = IS(C(bad), 0);
}

/* Fekete, O'Neil, O'Neil 2004: savings y gets 20, x pays 10 and 1 more if that overdraws. */
static void read_only(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), rep = orc_table(p, "report", 2, 1);
    TXN(PUT(y, OP(ADD, C(y), N(20))));
    TXN(PUT(x,
            COND(OP(LT, OP(ADD, C(x), C(y)), N(10)), OP(SUB, C(x), N(11)), OP(SUB, C(x), N(10)))));
    TXN(SEQ(PUT_AT(rep, 0, C(x)), PUT_AT(rep, 1, C(y))));
    p->invariant = NOT(AND(IS(C(x), -11), AND(IS(A(rep, 0), 0), IS(A(rep, 1), 20))));
}

static void doctors(struct orc_prog *p)
{
    int on = orc_table(p, "on", 2, 1);
    p->init[0] = p->init[1] = 1;
    for (int i = 0; i < 2; i++)
        TXN(IF(IS(OP(ADD, A(on, 0), A(on, 1)), 2), PUT_AT(on, i, N(0))));
    p->invariant = OP(LE, N(1), OP(ADD, A(on, 0), A(on, 1)));
}

static void names_not_key(struct orc_prog *p)
{
    int user = orc_table(p, "user", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(NOT(IS(A(user, 1 - i), 7)), PUT_AT(user, i, N(7))));
    p->invariant = NOT(AND(IS(A(user, 0), 7), IS(A(user, 1), 7)));
}

/* owner[name]: each registers if the name is free, and notes that it succeeded. */
static void names_key(struct orc_prog *p)
{
    int owner = ROW("owner"), done = orc_table(p, "done", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(IS(C(owner), 0), SEQ(PUT(owner, N(1 + i)), PUT_AT(done, i, N(1)))));
    p->invariant = NOT(AND(IS(A(done, 0), 1), IS(A(done, 1), 1)));
}

static void coupon_counter(struct orc_prog *p)
{
    int used = ROW("used"), got = orc_table(p, "got", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LT, C(used), N(1)),
               SEQ(PUT(used, OP(ADD, C(used), N(1))), PUT_AT(got, i, N(1)))));
    p->invariant = OP(LE, OP(ADD, A(got, 0), A(got, 1)), N(1));
}

static void coupon_rows(struct orc_prog *p)
{
    int got = orc_table(p, "got", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LT, OP(ADD, A(got, 0), A(got, 1)), N(1)), PUT_AT(got, i, N(1))));
    p->invariant = OP(LE, OP(ADD, A(got, 0), A(got, 1)), N(1));
}

static void enroll_remove(struct orc_prog *p)
{
    int course = ROW("course"), enrolled = ROW("enrolled");
    p->init[0] = 1;
    TXN(IF(IS(C(course), 1), PUT(enrolled, N(1))));
    TXN(IF(IS(C(enrolled), 0), PUT(course, N(0))));
    p->invariant = OR(IS(C(enrolled), 0), IS(C(course), 1));
}

static void cart(struct orc_prog *p)
{
    int item = orc_table(p, "item", 2, 1), paid = ROW("paid"), out = ROW("ordered");
    p->init[0] = 1;
    TXN(IF(IS(C(out), 0), PUT_AT(item, 1, N(1))));
    TXN(SEQ(PUT(paid, OP(ADD, A(item, 0), A(item, 1))), PUT(out, N(1))));
    p->invariant = OR(IS(C(out), 0), OP(EQ, C(paid), OP(ADD, A(item, 0), A(item, 1))));
}

static void courseware_add(struct orc_prog *p)
{
    int student = ROW("student"), course = ROW("course"), enrolled = ROW("enrolled");
    TXN(PUT(student, N(1)));
    TXN(PUT(course, N(1)));
    TXN(IF(AND(IS(C(student), 1), IS(C(course), 1)), PUT(enrolled, N(1))));
    p->invariant = OR(IS(C(enrolled), 0), AND(IS(C(student), 1), IS(C(course), 1)));
}

static void tickets(struct orc_prog *p)
{
    int sold = ROW("sold"), collected = ROW("collected"), paid = orc_table(p, "paid", 3, 1);
    for (int i = 0; i < 3; i++) {
        int price = OP(ADD, N(10), C(sold));
        TXN(SEQ(LET(0, price),
                SEQ(PUT(sold, OP(ADD, C(sold), N(1))),
                    SEQ(PUT(collected, OP(ADD, C(collected), R(0))), PUT_AT(paid, i, R(0))))));
    }
    p->invariant = OP(EQ, C(collected), OP(ADD, A(paid, 0), OP(ADD, A(paid, 1), A(paid, 2))));
}

/* Batch processing: the receipt goes to the open batch; the report of a closed one must be final.
 */
static void batch(struct orc_prog *p)
{
    int current = ROW("current"), receipt = orc_table(p, "receipt", 2, 1), seen = ROW("seen");
    p->init[3] = -1;
    int late =
        orc_s(p, (struct orc_stmt){.kind = ORC_WRITE, .table = receipt, .index = R(0), .e = N(1)});
    TXN(SEQ(LET(0, C(current)), late));
    TXN(PUT(current, OP(ADD, C(current), N(1))));
    TXN(IF(IS(C(current), 1), PUT(seen, A(receipt, 0))));
    p->invariant = OR(IS(C(seen), -1), OP(EQ, C(seen), A(receipt, 0)));
}

/* One row of two fields: two blind writes of one field each. */
static void two_fields(struct orc_prog *p)
{
    int s = orc_table(p, "s", 0, 2);
    TXN(orc_write(p, s, 0, 0, N(1)));
    TXN(orc_write(p, s, 0, 1, N(1)));
    p->invariant = AND(IS(orc_cell(p, s, 0, 0), 1), IS(orc_cell(p, s, 0, 1), 1));
}

struct bench {
    const char *name;
    build *build;
    const char *holds; /* of ser si psi pc cc ra rcs rc, those where it holds */
    const char *asked; /* the models with a stated truth */
};

#define FIVE "ser si psi pc cc"

static const struct bench BENCHES[] = {
    {"x=0 || x=1", last_writer, "", "si psi"},
    {"c++ || y=1 || c++", counter_and_other, "ser si psi", "ser si psi pc cc"},
    {"c++ || y=1 || c++ || x=1", counter_and_two_others, "ser si psi", FIVE},
    {"flag on a causal fork", causal_flag, "ser si pc", "ser cc"},
    {"three writers, two partial views", three_writers, "ser si pc", "ser si pc psi cc"},
    {"SimpleBank", simple_bank, "ser", FIVE},
    {"Counter", counter, "ser si psi", FIVE},
    {"for_update conflicts", counter_for_update, "ser si psi", FIVE},
    {"Long fork", long_fork, "ser si pc", FIVE " ra"},
    {"Transfer and audit", audit, "ser si psi pc cc ra", FIVE " ra rcs rc"},
    {"Post and comment", post_comment, "ser si psi pc cc", FIVE " ra"},
    {"Read-only anomaly", read_only, "ser", FIVE},
    {"Doctors on call", doctors, "ser", FIVE},
    {"User names, not the key", names_not_key, "ser", FIVE},
    {"User names, the key", names_key, "ser si psi", FIVE},
    {"Coupon, counter row", coupon_counter, "ser si psi", FIVE},
    {"Coupon, counted rows", coupon_rows, "ser", FIVE},
    {"Enroll and remove course", enroll_remove, "ser", FIVE},
    {"Cart", cart, "ser", FIVE},
    {"Courseware B3", courseware_add, "ser si psi pc cc", FIVE},
    {"FusionTicket B1", tickets, "ser si psi", FIVE},
    {"Batch processing", batch, "ser", FIVE},
};

static bool lists(const char *list, const char *level)
{
    size_t n = strlen(level);
    for (const char *q = list; (q = strstr(q, level)); q += n)
        if ((q == list || q[-1] == ' ') && (q[n] == ' ' || !q[n]))
            return true;
    return false;
}

static struct orc_outcome judge(const struct orc_prog *p, enum orc_level level, bool session)
{
    struct orc_run run = orc_run_uniform(level, session);
    return orc_prog_axioms(p, &run);
}

static void test_benches(struct checks *c)
{
    for (size_t i = 0; i < sizeof BENCHES / sizeof *BENCHES; i++) {
        static struct orc_prog prog;
        bool ok = true;
        orc_prog_init(&prog);
        BENCHES[i].build(&prog);
        for (int l = 0; l < ORC_LEVELS; l++) {
            const char *level = orc_level_name((enum orc_level)l);
            struct orc_outcome out = judge(&prog, (enum orc_level)l, true);
            bool want = lists(BENCHES[i].holds, level);
            if (lists(BENCHES[i].asked, level) && (out.invariant_violated == want || !out.exists)) {
                printf("# %s: violated %d\n", level, out.invariant_violated);
                ok = false;
            }
            free(out.finals);
        }
        check(c, ok, BENCHES[i].name);
    }
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
        if (violated(p, r) != (l == ORC_RC))
            check(c, false, orc_level_name((enum orc_level)l));
    }
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
            txn->ops[txn->n_ops] = (struct orc_op){false, s[t].read[i], seen[t][i], txn->n_ops};
        for (int i = 0; i < s[t].n_writes; i++, txn->n_ops++)
            txn->ops[txn->n_ops] = (struct orc_op){
                true, s[t].write[i], s[t].value[i][s[t].n_reads && seen[t][0]], txn->n_ops};
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
        static const struct orc_prog_params all = {4, 2, 3, true, true, true, true, true, true};
        struct orc_rng r = orc_rng(from);
        orc_prog_random(&r, &all, &p);
        orc_prog_print(stdout, &p, argv[3]);
        return 0;
    }
    test_benches(&c);
    test_granularity(&c, &p);
    test_observer(&c, &p);
    test_random(&c, from, count, &p);
    test_observations(&c, from, count / 4, &p);
    test_mixed(&c, from, count, &p);
    return checks_done(&c);
}
