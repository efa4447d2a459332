/* Self test of the oracle on histories.  The two procedures know nothing of each other, so their
 * agreement on random histories is the evidence that each states the models rightly; the named
 * anomalies say that both state the models that people mean. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/oracle.h"

/* ---- random histories ---- */

struct split {
    long yes, no;
};

static const struct orc_hist_params SHAPES[] = {
    {.txns = 5, .sessions = 3, .ops = 4, .keys = 3, .wild = 3},
    {.txns = 5, .sessions = 5, .ops = 4, .keys = 4, .wild = 2},
    {.txns = 5, .sessions = 3, .ops = 3, .keys = 3, .wild = 3, .stmts = true},
    {.txns = 4, .sessions = 2, .ops = 4, .keys = 2, .wild = 10, .values = 2},
    {.txns = 5, .sessions = 3, .ops = 3, .keys = 2, .wild = 5, .aborted = 10, .unknown = 20},
    {.txns = 4,
     .sessions = 3,
     .ops = 4,
     .keys = 2,
     .wild = 5,
     .unknown = 20,
     .values = 3,
     .stmts = true},
    {.txns = 4, .sessions = 2, .ops = 3, .keys = 2, .wild = 3, .times = true},
    {.txns = 4,
     .sessions = 2,
     .ops = 3,
     .keys = 2,
     .wild = 3,
     .times = true,
     .values = 3,
     .unknown = 10},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

static void random_history(uint64_t seed, struct orc_history *h)
{
    struct orc_rng r = orc_rng(seed);
    orc_hist_random(&r, &SHAPES[seed % N_SHAPES], h);
}

static bool agree(const struct orc_history *h, const struct orc_rules *rules, struct split *split)
{
    bool a = orc_hist_axioms(h, rules, NULL), b = orc_hist_versions(h, rules);
    if (a)
        split->yes++;
    else
        split->no++;
    if (a != b) {
        printf("# axioms %d, versions %d, level %s, session %d, realtime %d\n", a, b,
               orc_level_name(rules->level[0]), rules->session, (int)rules->realtime);
        orc_hist_print(stdout, h);
    }
    return a == b;
}

static void report(struct checks *c, bool ok, const char *what, const struct split *s)
{
    char name[160];
    snprintf(name, sizeof name, "%s (yes %ld, no %ld)", what, s->yes, s->no);
    check(c, ok && s->yes * 20 > s->no && s->no * 40 > s->yes, name);
}

static void test_agreement(struct checks *c, uint64_t from, int count)
{
    for (int session = 0; session < 2; session++)
        for (int level = 0; level < ORC_LEVELS; level++) {
            struct split split = {0};
            bool ok = true;
            for (int i = 0; i < count && ok; i++) {
                struct orc_history h;
                struct orc_rules rules = orc_rules_uniform((enum orc_level)level, session);
                random_history(from + (uint64_t)i, &h);
                rules.rcs_session_ar_only = i & 1;
                ok = agree(&h, &rules, &split);
            }
            char what[80];
            snprintf(what, sizeof what, "the two oracles agree: %s, session order %s",
                     orc_level_name((enum orc_level)level), session ? "on" : "off");
            report(c, ok, what, &split);
        }
}

static void test_realtime(struct checks *c, uint64_t from, int count)
{
    static const struct {
        const char *name;
        enum orc_level level;
        enum orc_realtime rt;
    } cases[] = {{"strict SER", ORC_SER, ORC_RT_STRICT}, {"strict SI", ORC_SI, ORC_RT_STRICT},
                 {"strict PSI", ORC_PSI, ORC_RT_STRICT}, {"strict CC", ORC_CC, ORC_RT_STRICT},
                 {"strict RC", ORC_RC, ORC_RT_STRICT},   {"GSI", ORC_SI, ORC_RT_GSI},
                 {"strong SI", ORC_SI, ORC_RT_STRONG}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct split split = {0};
        bool ok = true;
        for (int i = 0; i < count && ok; i++) {
            struct orc_history h;
            struct orc_rng r = orc_rng(from + (uint64_t)i);
            struct orc_rules rules = orc_rules_uniform(cases[k].level, i & 1);
            rules.realtime = cases[k].rt;
            rules.drift = i % 3 * 3;
            orc_hist_random(&r, &SHAPES[6 + i % 2], &h);
            ok = agree(&h, &rules, &split);
        }
        char what[80];
        snprintf(what, sizeof what, "the two oracles agree: %s", cases[k].name);
        report(c, ok, what, &split);
    }
}

static void report_apart(struct checks *c, enum orc_level a, enum orc_level b, int times)
{
    char name[80];
    snprintf(name, sizeof name, "some histories are %s but not %s (%d)", orc_level_name(b),
             orc_level_name(a), times);
    check(c, times > 0, name);
}

/* Every stronger level implies every weaker one; SESSION and real time only take away. */
static void test_monotone(struct checks *c, uint64_t from, int count)
{
    bool lattice = true, session = true, clocks = true, strict = true;
    int apart[ORC_LEVELS][ORC_LEVELS] = {{0}};
    for (int i = 0; i < count; i++) {
        struct orc_history h;
        bool holds[2][ORC_LEVELS];
        random_history(from + (uint64_t)i, &h);
        for (int s = 0; s < 2; s++)
            for (int l = 0; l < ORC_LEVELS; l++) {
                struct orc_rules rules = orc_rules_uniform((enum orc_level)l, s);
                holds[s][l] = orc_hist_axioms(&h, &rules, NULL);
                session &= !s || !holds[1][l] || holds[0][l];
            }
        for (int a = 0; a < ORC_LEVELS; a++)
            for (int b = 0; b < ORC_LEVELS; b++)
                if (orc_weaker_or_equal((enum orc_level)a, (enum orc_level)b))
                    lattice &= (!holds[0][b] || holds[0][a]) && (!holds[1][b] || holds[1][a]);
                else
                    apart[a][b] += (holds[0][b] && !holds[0][a]) || (holds[1][b] && !holds[1][a]);
        struct orc_rules gsi = orc_rules_uniform(ORC_SI, false), strong = gsi;
        gsi.realtime = ORC_RT_GSI;
        strong.realtime = ORC_RT_STRONG;
        bool g = orc_hist_axioms(&h, &gsi, NULL), st = orc_hist_axioms(&h, &strong, NULL);
        clocks &= (!st || g) && (!g || holds[0][ORC_SI]);
        struct orc_rules ser = orc_rules_uniform(ORC_SER, i & 1), si = ser;
        ser.realtime = si.realtime = ORC_RT_STRICT;
        for (int t = 0; t < ORC_TXNS; t++)
            si.level[t] = ORC_SI;
        strict &= !orc_hist_axioms(&h, &ser, NULL) || orc_hist_axioms(&h, &si, NULL);
    }
    for (int a = 0; a < ORC_LEVELS; a++)
        for (int b = 0; b < ORC_LEVELS; b++)
            if (count >= 5000 && !orc_weaker_or_equal((enum orc_level)a, (enum orc_level)b))
                report_apart(c, (enum orc_level)a, (enum orc_level)b, apart[a][b]);
    check(c, lattice, "the lattice of levels is respected");
    check(c, session, "session order only takes away");
    check(c, clocks, "strong SI implies GSI implies SI");
    check(c, strict, "strict SER implies SI that sees what committed before its begin");
}

/* White-box histories: known version orders, partial or complete. */
static void test_versions(struct checks *c, uint64_t from, int count)
{
    for (int level = 0; level < ORC_LEVELS; level++) {
        struct split split = {0};
        bool ok = true;
        for (int i = 0; i < count && ok; i++) {
            struct orc_history h;
            struct orc_rng r = orc_rng(from + (uint64_t)i);
            struct orc_hist_params shape = SHAPES[i % N_SHAPES];
            struct orc_rules rules = orc_rules_uniform((enum orc_level)level, i & 1);
            shape.versions = i % 3 ? 40 : 100;
            orc_hist_random(&r, &shape, &h);
            ok = agree(&h, &rules, &split);
        }
        char what[80];
        snprintf(what, sizeof what, "the two oracles agree: %s with version orders",
                 orc_level_name((enum orc_level)level));
        report(c, ok, what, &split);
    }
}

/* Mixed levels: one level for all gives the model, and raising one transaction only takes away. */
static void test_mixed(struct checks *c, uint64_t from, int count)
{
    bool same = true, monotone = true, above = true;
    for (int i = 0; i < count; i++) {
        struct orc_history h;
        struct orc_rng r = orc_rng(from * 7 + (uint64_t)i);
        random_history(from + (uint64_t)i, &h);
        struct orc_rules ser = orc_rules_uniform(ORC_SER, i & 1), ssi = ser, low, high;
        ssi.mixed_ser = true;
        same &= orc_hist_axioms(&h, &ser, NULL) == orc_hist_axioms(&h, &ssi, NULL);
        low = ser;
        for (int t = 0; t < ORC_TXNS; t++)
            low.level[t] = (enum orc_level)orc_below(&r, ORC_LEVELS);
        low.mixed_ser = true;
        high = low;
        int raised = orc_below(&r, h.n_txns);
        enum orc_level up = (enum orc_level)orc_below(&r, ORC_LEVELS);
        if (orc_weaker_or_equal(low.level[raised], up))
            high.level[raised] = up;
        bool lo = orc_hist_axioms(&h, &low, NULL), hi = orc_hist_axioms(&h, &high, NULL);
        if (hi && !lo && monotone) {
            printf("# raising T%d to %s makes this history acceptable; levels", raised,
                   orc_level_name(up));
            for (int t = 0; t < h.n_txns; t++)
                printf(" %s", orc_level_name(low.level[t]));
            printf(", session %d\n", low.session);
            orc_hist_print(stdout, &h);
        }
        monotone &= !hi || lo;
        above &= !orc_hist_axioms(&h, &ser, NULL) || lo;
    }
    check(c, same, "SER by the mixed definition is SER");
    check(c, monotone, "raising one transaction's level only takes away");
    check(c, above, "SER implies every mixture");
}

/* ---- named anomalies ---- */

/* "0:r(x0)w(x1) 1!:…": session, ! for aborted or ? for unknown, then operations. */
static struct orc_history parse(const char *text)
{
    struct orc_history h = {.n_keys = 3};
    while (*text) {
        struct orc_txn *t = &h.txns[h.n_txns++];
        t->session = *text++ - '0';
        if (*text == '!' || *text == '?')
            t->status = *text++ == '!' ? ORC_ABORTED : ORC_UNKNOWN;
        for (text++; *text && *text != ' '; text += 5) {
            struct orc_op op = {.write = text[0] == 'w',
                                .key = text[2] - 'x',
                                .value = text[3] - '0',
                                .stmt = t->n_ops};
            t->ops[t->n_ops++] = op;
        }
        while (*text == ' ')
            text++;
    }
    return h;
}

struct named {
    const char *name, *text, *holds; /* the levels that hold, with session order */
};

static const struct named NAMED[] = {
    {"serial", "0:r(x0)w(x1) 1:r(x1)w(x2)", "ec rc rcs ra cc pc psi si ser"},
    {"lost update", "0:r(x0)w(x1) 1:r(x0)w(x2)", "ec rc rcs ra cc pc"},
    {"write skew", "0:r(x0)r(y0)w(x1) 1:r(x0)r(y0)w(y1)", "ec rc rcs ra cc pc psi si"},
    {"long fork, statement by statement", "0:w(x1) 1:w(y1) 2:r(x1)r(y0) 3:r(x0)r(y1)",
     "ec rc rcs ra cc psi"},
    {"long fork", "0:w(x1) 1:w(y1) 2:r(x1)r(y0) 3:r(y1)r(x0)", "ec rc ra cc psi"},
    {"read skew", "0:w(x1)w(y1) 1:r(x0)r(y1)", "ec rc rcs"},
    {"fractured read", "0:w(x1)w(y1) 1:r(x1)r(y0)", "ec"},
    {"read-only anomaly", "0:r(x0)r(y0)w(x9) 1:r(y0)w(y2) 2:r(x0)r(y2)",
     "ec rc rcs ra cc pc psi si"},
    {"cycle through ww", "0:w(x1)w(z1) 1:r(y0)w(x2) 2:r(z0)w(y1) 3:r(x2)r(y1)r(z1)",
     "ec rc rcs ra cc pc psi si"},
    {"causality violation", "0:w(x1) 1:r(x1)w(y1) 2:r(y1)r(x0)", "ec rc ra"},
    {"non-repeatable read", "0:r(x0)r(x1) 1:w(x1)", "ec rc rcs"},
    {"monotonic reads violated", "0:r(x2)r(x1) 1:w(x1)w(y1) 2:r(x1)w(x2)", "ec"},
    {"read your writes violated", "0:w(x1) 0:r(x0)", "ec rc"},
    {"session causality", "0:w(x1) 0:w(y1) 1:r(y1)r(x0)", "ec rc ra"},
    {"aborted read", "0!:w(x1) 1:r(x1)", ""},
    {"intermediate read", "0:w(x1)w(x2) 1:r(x1)", ""},
    {"own write lost", "0:w(x1)r(x0)", ""},
    {"read of nothing", "0:r(x7)", ""},
    {"future read", "0:r(y1)w(x1) 1:r(x1)w(y1)", ""},
    {"aborted write unseen", "0!:w(x1) 1:r(x0)", "ec rc rcs ra cc pc psi si ser"},
    {"unknown, read", "0?:w(x1) 1:r(x1)", "ec rc rcs ra cc pc psi si ser"},
    {"unknown, unread", "0?:w(x1) 1:r(x0)", "ec rc rcs ra cc pc psi si ser"},
    {"unknown, read by one who saw it vanish", "0?:w(x1) 1:r(x1) 1:r(x0)", "ec rc ra"},
    {"causal, three writers", "0:w(x1) 1:w(y1) 2:w(z1) 3:r(x1)r(y1)r(z0) 4:r(z1)r(y1)r(x0)",
     "ec rc ra cc psi"},
    {"duplicate values", "0:w(x1) 1:w(x0) 2:r(x1) 2:r(x0)", "ec rc rcs ra cc pc psi si ser"},
};

static bool lists(const char *holds, const char *level)
{
    size_t n = strlen(level);
    for (const char *p = holds; (p = strstr(p, level)); p += n)
        if ((p == holds || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

static void test_named(struct checks *c)
{
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
        struct orc_history h = parse(NAMED[i].text);
        bool ok = true;
        for (int l = 0; l < ORC_LEVELS; l++) {
            struct orc_rules rules = orc_rules_uniform((enum orc_level)l, true);
            const char *level = orc_level_name((enum orc_level)l);
            bool want = lists(NAMED[i].holds, level);
            bool a = orc_hist_axioms(&h, &rules, NULL), v = orc_hist_versions(&h, &rules);
            if (a != want || v != want)
                printf("# %s: axioms %d, versions %d, expected %d\n", level, a, v, want);
            rules.mixed_ser = true;
            ok &= a == want && v == want && orc_hist_axioms(&h, &rules, NULL) == want;
        }
        check(c, ok, NAMED[i].name);
    }
}

/* T1 so T2, T2 rw T3, T3 rw T1: no cycle without the session edge. */
static void test_session_in_mixed_ser(struct checks *c)
{
    struct orc_history h = parse("0:w(x1) 0:r(y0) 1:r(x0)w(y1)");
    struct orc_rules on = orc_rules_uniform(ORC_SER, true), off = orc_rules_uniform(ORC_SER, false);
    on.mixed_ser = off.mixed_ser = true;
    check(c, !orc_hist_axioms(&h, &on, NULL) && orc_hist_axioms(&h, &off, NULL),
          "session order counts among SER transactions of a mixture");
}

static void set_times(struct orc_history *h, int t, long begin, long commit)
{
    struct orc_txn *txn = &h->txns[t];
    txn->stamped = (1u << ORC_ENDS) - 1;
    txn->time[ORC_BEGIN_ASKED] = txn->time[ORC_BEGIN_ANSWERED] = begin;
    txn->time[ORC_COMMIT_ASKED] = txn->time[ORC_COMMIT_ANSWERED] = commit;
}

/* What a client has that takes one stamp each: the first it asked for, the second it was told. */
static void forget_ends(struct orc_history *h)
{
    for (int t = 0; t < h->n_txns; t++)
        h->txns[t].stamped &= 1u << ORC_BEGIN_ASKED | 1u << ORC_COMMIT_ANSWERED;
}

static bool si_at(const struct orc_history *h, enum orc_realtime rt, long drift)
{
    struct orc_rules rules = orc_rules_uniform(ORC_SI, false);
    rules.realtime = rt;
    rules.drift = drift;
    return orc_hist_axioms(h, &rules, NULL) && orc_hist_versions(h, &rules);
}

static void test_clocks(struct checks *c)
{
    struct orc_history stale = parse("0:w(x1) 1:r(x0)"), early = parse("0:w(x1) 1:r(x1)");
    struct orc_rules strict = orc_rules_uniform(ORC_SER, false);
    strict.realtime = ORC_RT_STRICT;
    set_times(&stale, 0, 0, 10);
    set_times(&stale, 1, 20, 30);
    check(c, si_at(&stale, ORC_RT_GSI, 0) && !si_at(&stale, ORC_RT_STRONG, 0),
          "a stale read is GSI, not strong SI");
    check(c, si_at(&stale, ORC_RT_STRONG, 10), "clocks within the drift say nothing");
    check(c, !orc_hist_axioms(&stale, &strict, NULL) && !orc_hist_versions(&stale, &strict),
          "a stale read is not strict SER");
    set_times(&early, 0, 0, 20);
    set_times(&early, 1, 10, 30);
    check(c, !si_at(&early, ORC_RT_GSI, 0) && si_at(&early, ORC_RT_NONE, 0),
          "reading a commit after one's begin is not GSI");
    forget_ends(&early);
    check(c, si_at(&early, ORC_RT_GSI, 0) && si_at(&early, ORC_RT_STRONG, 0),
          "a commit of which its client heard later may have been read");
    forget_ends(&stale);
    check(c, si_at(&stale, ORC_RT_GSI, 0) && !si_at(&stale, ORC_RT_STRONG, 0),
          "a commit of which its client had heard must be seen, at strong SI");
}

int main(int argc, char **argv)
{
    struct checks c = {0};
    int count = argc > 1 ? atoi(argv[1]) : 20000;
    uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    test_named(&c);
    test_clocks(&c);
    test_session_in_mixed_ser(&c);
    test_agreement(&c, from, count);
    test_realtime(&c, from, count / 2);
    test_versions(&c, from + 3000000, count / 2);
    test_monotone(&c, from + 1000000, count / 2);
    test_mixed(&c, from + 2000000, count / 2);
    return checks_done(&c);
}
