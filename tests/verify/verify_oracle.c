/* The verifier against the oracle: random programs, in one process.
 *
 *     verify_oracle COUNT SEED HEADERS [FOLDER [first]]
 *
 * Every program is judged by brute force and by the verifier, under every model (with
 * VISAR_ORACLE_HALF under every second one in turn); a part of them also with other options, with a
 * level of its own for each transaction, at levels of databases, with any instances of its
 * transactions, and in search of what is smallest and weakest.  The verdicts must be the same, and
 * nothing that the proof rule proves may be violated.  HEADERS is where visar.h is; programs on
 * which the two disagree are left in FOLDER.  With `first` it stops at the first disagreement.
 * Prints `ok` and `not ok` lines, one per kind of question.
 *
 * Time.  The oracle takes a twentieth of it, the solver most of the rest.  So the questions of a
 * few programs share a solver context, and the rarer kinds of questions take turns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/serial_judge.h"
#include "encode/enc.h"
#include "tests/verify/oracle_test.h"

/* Expressions live as long as their context: too many programs would fill it. */
#define PROGRAMS_PER_POOL 24

static const char *const kind_names[KINDS] = {"uniform", "options", "mixed",       "slots",
                                              "proof",   "any",     "minimal",     "weakest",
                                              "robust",  "server",  "server-proof"};

/* In the order of the oracle's levels. */
const struct model *test_model(enum orc_level level)
{
    return model_find(orc_level_name(level));
}

int test_callee(const struct orc_prog *p, int i)
{
    int n = 0;
    for (int t = 0; t < orc_callee(p, i); t++)
        n += !p->txns[t].same_as;
    return n;
}

static void keep(struct test *t)
{
    char to[4200];
    if (t->kept)
        return;
    t->kept = true;
    snprintf(to, sizeof to, "%s/disagree-%llu.c", t->folder, (unsigned long long)t->seed);
    FILE *out = fopen(to, "w");
    if (!out)
        return;
    orc_prog_print(out, &t->prog, t->word);
    fclose(out);
}

void test_complain(struct test *t, enum kind kind, const char *level, const char *what, bool oracle,
                   enum verify_status mine, const char *reason)
{
    t->tally->wrong[kind]++;
    printf("# seed %llu, %s, %s, %s: the oracle says %s, the verifier %s%s%s\n",
           (unsigned long long)t->seed, kind_names[kind], level, what,
           oracle ? "violated" : "holds", verify_status_name(mine), reason ? ": " : "",
           reason ? reason : "");
    keep(t);
}

/* The worst verdict on properties of the kind. */
const struct verify_verdict *test_worst(const struct verify_result *r,
                                        enum verify_property_kind kind)
{
    static const int order[] = {0, 1, 4, 3, 2, 5};
    const struct verify_verdict *w = NULL;
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->properties[r->verdicts[i].property].kind == kind &&
            (!w || order[r->verdicts[i].status] > order[w->status]))
            w = &r->verdicts[i];
    return w;
}

static bool agrees(enum verify_status mine, bool exists, bool violated)
{
    switch (mine) {
    case VERIFY_VIOLATED:
        return violated;
    case VERIFY_PROVED:
        return !violated;
    case VERIFY_HOLDS:
        return exists && !violated;
    case VERIFY_VACUOUS:
        return !exists;
    default:
        return false;
    }
}

static void cross_check_one(struct test *t, const char *level, const struct verify_verdict *v)
{
    if (v && v->status != VERIFY_HOLDS && v->status != VERIFY_VACUOUS)
        test_complain(t, PROOF, level, "proved property", false, v->status, v->reason);
}

/* What is proved for any number of transactions holds for any four of them.  The event encoding,
 * since slots are helped by lemmas that argue as the proof rule does. */
static void cross_check(struct test *t, const char *level, struct verify_question q, bool invariant,
                        bool assertions)
{
    q.prove_only = false;
    q.bounded = true;
    q.keep_raw = true;
    q.encoding = VERIFY_EVENT;
    q.txns = 4;
    struct verify_result *r = verify_run(t->by_row, &q);
    t->tally->violated[PROOF] += r->overall == VERIFY_VIOLATED;
    if (invariant && !test_worst(r, VERIFY_INVARIANT))
        test_complain(t, PROOF, level, "proved property", false, VERIFY_UNKNOWN, "nothing");
    if (invariant)
        cross_check_one(t, level, test_worst(r, VERIFY_INVARIANT));
    if (assertions)
        cross_check_one(t, level, test_worst(r, VERIFY_ASSERT));
    verify_result_free(r);
}

void test_agree(struct test *t, enum kind kind, const char *level, const struct orc_outcome *truth,
                const struct verify_result *r)
{
    bool final = !strcmp(t->word, "FINAL");
    const struct verify_verdict *inv = test_worst(r, final ? VERIFY_FINAL : VERIFY_INVARIANT);
    const struct verify_verdict *as = test_worst(r, VERIFY_ASSERT);
    const struct verify_verdict *bounds = test_worst(r, VERIFY_BOUNDS);
    if (r->error)
        test_complain(t, kind, level, "question", false, VERIFY_UNKNOWN, r->error);
    else if (!inv)
        test_complain(t, kind, level, t->word, truth->invariant_violated, VERIFY_UNKNOWN,
                      "nothing");
    else if (!agrees(inv->status, truth->exists, truth->invariant_violated))
        test_complain(t, kind, level, t->word, truth->invariant_violated, inv->status, inv->reason);
    /* No verdict: the assertion cannot fail, whatever happens.  Vacuous: it may be out of reach. */
    if (as && as->status != VERIFY_VACUOUS
            ? !agrees(as->status, truth->exists, truth->assert_failed)
            : truth->assert_failed)
        test_complain(t, kind, level, "assertion", truth->assert_failed,
                      as ? as->status : VERIFY_HOLDS, as ? as->reason : NULL);
    const struct verify_verdict *divides = test_worst(r, VERIFY_DIVISION);
    if (divides ? !agrees(divides->status, truth->exists, truth->divided) : truth->divided)
        test_complain(t, kind, level, "division", truth->divided,
                      divides ? divides->status : VERIFY_HOLDS, divides ? divides->reason : NULL);
    if (bounds ? !agrees(bounds->status, truth->exists, truth->out_of_bounds)
               : truth->out_of_bounds)
        test_complain(t, kind, level, "bounds", truth->out_of_bounds,
                      bounds ? bounds->status : VERIFY_HOLDS, bounds ? bounds->reason : NULL);
}

static void compare(struct test *t, enum kind kind, const char *level, struct orc_run run,
                    struct verify_question q)
{
    q.pool = t->pool;
    struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
    struct verify_result *r = verify_run(run.by_field ? t->by_field : t->by_row, &q);
    t->tally->asked[kind]++;
    t->tally->violated[kind] += truth.invariant_violated || truth.assert_failed;
    test_agree(t, kind, level, &truth, r);
    verify_result_free(r);
    free(truth.finals);
}

/* The rule is sound, not complete: it may leave open what it likes. */
static void ask_proof(struct test *t, enum orc_level level)
{
    struct orc_run run = orc_run_uniform(level, true);
    struct verify_question q = {.model = test_model(level), .prove_only = true, .pool = t->pool};
    struct verify_result *r = verify_run(t->by_row, &q);
    const struct verify_verdict *inv = test_worst(r, VERIFY_INVARIANT);
    const struct verify_verdict *as = test_worst(r, VERIFY_ASSERT);
    bool proved = inv && inv->status == VERIFY_PROVED;
    bool assert_proved = as && as->status == VERIFY_PROVED;
    t->tally->asked[PROOF]++;
    t->tally->proved += proved + assert_proved;
    if (proved || assert_proved) {
        struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
        if (proved && truth.invariant_violated)
            test_complain(t, PROOF, orc_level_name(level), "invariant", true, VERIFY_PROVED, NULL);
        if (assert_proved && truth.assert_failed)
            test_complain(t, PROOF, orc_level_name(level), "assertion", true, VERIFY_PROVED, NULL);
        free(truth.finals);
        cross_check(t, orc_level_name(level), q, proved, assert_proved);
    }
    verify_result_free(r);
}

static void ask_uniform(struct test *t, enum kind kind, enum orc_level level)
{
    struct verify_question q = {.model = test_model(level),
                                .bounded = true,
                                .encoding = kind == SLOTS ? VERIFY_SLOT : VERIFY_EVENT,
                                .keep_raw = !orc_percent(&t->rng, 4)};
    compare(t, kind, orc_level_name(level), orc_run_uniform(level, true), q);
}

/* Options for the run and the question; the text says which. */
static void choose_options(struct test *t, struct orc_run *run, struct verify_question *q,
                           char *text)
{
    /* The oracle tries every set that an observer might see, and a FINAL predicate has none. */
    bool few = t->prog.n_txns < 4 || t->seed % 8 == 7;
    run->rules.session = !orc_percent(&t->rng, 40);
    run->by_field = orc_percent(&t->rng, 40);
    bool snapshots = orc_percent(&t->rng, 40) && few;
    run->observe_snapshots = snapshots && !strcmp(t->word, "INVARIANT");
    q->no_session_order = !run->rules.session;
    q->observe = snapshots ? VERIFY_OBSERVE_SNAPSHOTS : VERIFY_OBSERVE_FINAL;
    strcat(text, run->rules.session ? "" : " no-session-order");
    strcat(text, run->by_field ? " by-field" : "");
    strcat(text, snapshots ? " snapshots" : "");
}

static void ask_options(struct test *t)
{
    enum orc_level level = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
    struct orc_run run = orc_run_uniform(level, true);
    char text[80];
    snprintf(text, sizeof text, "%s", orc_level_name(level));
    struct verify_question q = {
        .model = test_model(level), .bounded = true, .keep_raw = !orc_percent(&t->rng, 4)};
    choose_options(t, &run, &q, text);
    compare(t, OPTIONS, text, run, q);
}

static void ask_mixed(struct test *t)
{
    const struct model *levels[ORC_TXNS];
    struct orc_run run = orc_run_uniform(ORC_SER, true);
    char text[120] = "";
    /* SER among others has rules of its own: half of the time only one is not. */
    int odd = orc_percent(&t->rng, 50) ? orc_below(&t->rng, t->prog.n_txns) : -1;
    for (int i = 0; i < t->prog.n_txns; i++) {
        int first = orc_callee(&t->prog, i);
        run.rules.level[i] = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
        if (odd >= 0 ? i != odd : orc_percent(&t->rng, 40))
            run.rules.level[i] = ORC_SER;
        if (first < i)
            run.rules.level[i] = run.rules.level[first];
        levels[test_callee(&t->prog, i)] = test_model(run.rules.level[i]);
        strcat(strcat(text, i ? "," : ""), orc_level_name(run.rules.level[i]));
    }
    run.observer = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
    strcat(strcat(text, "/"), orc_level_name(run.observer));
    struct verify_question q = {
        .model = test_model(run.observer), .levels = levels, .bounded = true, .keep_raw = true};
    choose_options(t, &run, &q, text);
    compare(t, MIXED, text, run, q);
}

/* The rarer kinds; which programs they get depends on the seed alone. */
static void ask_more(struct test *t)
{
    bool invariant = !strcmp(t->word, "INVARIANT");
    enum orc_level any = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
    switch (t->seed / 8 % 8) {
    case 0:
        for (int level = ORC_RA; invariant && level < ORC_RA + 6; level++)
            ask_proof(t, (enum orc_level)level);
        break;
    case 1:
        for (int i = 0; i < 3; i++)
            ask_uniform(t, SLOTS, (enum orc_level)(ORC_RA + orc_below(&t->rng, 6)));
        break;
    case 2:
    case 3:
        if (invariant)
            ask_any(t, any, t->prog.n_txns < 4 && t->seed % 2 ? 3 : 2);
        break;
    case 4:
    case 5:
        ask_minimal(t, any);
        break;
    case 6:
        if (t->prog.n_txns < 4 && t->seed / 64 % 2)
            ask_weakest(t);
        break;
    default:
        break;
    }
}

static void ask_all(struct test *t)
{
    /* VISAR_ORACLE_HALF: half of the levels; the next eight programs, of the same shapes, get the
     * other half. */
    bool half = getenv("VISAR_ORACLE_HALF") != NULL;
    for (int level = half ? t->seed / 8 % 2 : 0; level < ORC_LEVELS; level += half ? 2 : 1)
        ask_uniform(t, UNIFORM, (enum orc_level)level);
    /* Each part draws numbers of its own, so that a change of one leaves the others alone. */
    t->rng = orc_rng(~t->seed);
    if (t->seed / 8 % 2)
        ask_options(t);
    else
        ask_mixed(t);
    t->rng = orc_rng(~(t->seed << 32));
    if (t->prog.results)
        ask_uniform(t, SLOTS, (enum orc_level)(ORC_RA + orc_below(&t->rng, 6)));
    else
        ask_more(t);
    t->rng = orc_rng(~(t->seed << 24));
    if ((!half || t->seed / 16 % 2) && !t->prog.constraint)
        ask_robust(t);
    t->rng = orc_rng(~(t->seed << 16));
    if (!half || t->seed / 16 % 2 == 0)
        ask_server(t);
}

/* Programs for databases: some have words that others do not. */
static void ask_database(struct test *t)
{
    ask_server(t);
    t->rng = orc_rng(~t->seed);
    for (int i = 0; i < 2; i++)
        ask_uniform(t, UNIFORM, (enum orc_level)orc_below(&t->rng, ORC_LEVELS));
}

static bool parse(struct test *t, struct diag_list *d)
{
    struct ast_options options = {
        .include_dirs = &t->headers, .n_include_dirs = 1, .no_compile_commands = true};
    FILE *out = fopen(t->path, "w");
    if (!out)
        return false;
    orc_prog_print(out, &t->prog, t->word);
    fclose(out);
    if (!ast_parse(t->path, &options, d, &t->ast))
        return false;
    struct verify_options row = {.granularity = SX_ROW}, field = {.granularity = SX_FIELD};
    t->by_row = verify_open(t->ast, &row, d);
    t->by_field = verify_open(t->ast, &field, d);
    return t->by_row && t->by_field;
}

static const struct orc_prog_params plain_shapes[] = {
    {3, 0, 4, true, true, true, false, true, true, false},
    {4, 0, 3, false, true, false, false, false, false, false},
    {3, 2, 4, true, false, true, true, true, true, true},
    {4, 2, 3, false, false, true, false, true, true, false},
    {3, 0, 5, false, true, true, true, true, true, true},
    {2, 0, 6, true, true, true, true, true, true, false},
    {3, 0, 3, true, true, false, true, false, true, true},
    {4, 3, 3, true, true, false, true, true, false, true},
};

/* Every third group of programs is about rows with fields, locks, and runs that do not count. */
static const struct orc_prog_params special_shapes[] = {
    {.txns = 3, .stmts = 3, .arrays = true, .wide = true, .for_update = true},
    {.txns = 2, .stmts = 5, .params = true, .arrays = true, .wide = true, .rollbacks = true},
    {.txns = 2, .stmts = 4, .wide = true, .asserts = true, .for_update = true, .checks = true},
    {.txns = 3, .stmts = 3, .arrays = true, .asserts = true, .checks = true, .sessions = 2},
    {.txns = 3, .stmts = 3, .for_update = true, .locks = true, .params = true, .arrays = true},
    {.txns = 4, .stmts = 2, .for_update = true, .locks = true, .repeats = true, .sessions = 3},
    {.txns = 3, .stmts = 2, .wide = true, .locks = true, .rollbacks = true, .repeats = true},
    {.txns = 2, .stmts = 6, .arrays = true, .asserts = true, .checks = true, .rollbacks = true},
};

/* Scenarios that do something with results have seeds of their own. */
#define RESULTS (UINT64_C(1) << 40)
static const struct orc_prog_params result_shapes[] = {
    {.txns = 2, .stmts = 2, .params = true, .results = true},
    {.txns = 3, .stmts = 2, .params = true, .results = true},
    {.txns = 3, .stmts = 1, .params = true, .sessions = 2, .results = true},
    {.txns = 3, .stmts = 2, .arrays = true, .sessions = 3, .results = true, .repeats = true},
    {.txns = 4, .stmts = 1, .params = true, .results = true, .repeats = true},
    {.txns = 4, .stmts = 1, .params = true, .sessions = 3, .results = true},
    {.txns = 3, .stmts = 2, .structs = true, .asserts = true, .params = true, .results = true},
    {.txns = 3, .stmts = 2, .for_update = true, .params = true, .results = true, .repeats = true},
};

/* So have programs about the levels of databases, which are asked about these alone. */
#define SERVERS (UINT64_C(1) << 41)
static const struct orc_prog_params server_shapes[] = {
    {.txns = 3, .stmts = 3, .arrays = true, .wide = true, .for_update = true, .servers = true},
    {.txns = 2, .stmts = 5, .wide = true, .rollbacks = true, .locks = true, .servers = true},
    {.txns = 2, .stmts = 4, .wide = true, .asserts = true, .for_update = true, .servers = true},
    {.txns = 3, .stmts = 3, .for_update = true, .asserts = true, .sessions = 2, .servers = true},
    {.txns = 3, .stmts = 3, .locks = true, .params = true, .arrays = true, .servers = true},
    {.txns = 4, .stmts = 2, .locks = true, .repeats = true, .sessions = 3, .servers = true},
    {.txns = 3, .stmts = 2, .wide = true, .locks = true, .rollbacks = true, .servers = true},
    {.txns = 3, .stmts = 4, .for_update = true, .asserts = true, .checks = true, .servers = true},
};
static const struct orc_prog_params atomic_shapes[] = {
    {.txns = 2, .stmts = 3, .wide = true, .locks = true, .servers = true, .atomic = true},
    {.txns = 2, .stmts = 3, .params = true, .arrays = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 2, .arrays = true, .asserts = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 2, .sessions = 2, .locks = true, .servers = true, .atomic = true},
    {.txns = 2, .stmts = 3, .arrays = true, .rollbacks = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 2, .structs = true, .locks = true, .servers = true, .atomic = true},
    {.txns = 2, .stmts = 4, .wide = true, .arrays = true, .servers = true, .atomic = true},
    {.txns = 4, .stmts = 1, .repeats = true, .locks = true, .servers = true, .atomic = true},
};

/* So have programs with a constraint, of all these shapes. */
#define CONSTRAINTS (UINT64_C(1) << 42)

static struct orc_prog_params shape_of(uint64_t seed)
{
    const struct orc_prog_params *shapes = seed / 8 % 3 == 2 ? special_shapes : plain_shapes;
    if (seed >= RESULTS)
        shapes = seed < SERVERS ? result_shapes : seed / 8 % 2 ? atomic_shapes : server_shapes;
    if (seed >= CONSTRAINTS) { /* which questions are asked depends on seed / 8 % 8 */
        const struct orc_prog_params *const all[] = {plain_shapes, server_shapes, special_shapes,
                                                     atomic_shapes};
        shapes = all[(seed / 8 + seed / 64) % 4];
    }
    struct orc_prog_params shape = shapes[seed % 8];
    shape.constraint = seed >= CONSTRAINTS;
    return shape;
}

static void one_program(struct test *t, uint64_t seed)
{
    struct orc_prog_params shape = shape_of(seed);
    struct diag_list d = {0};
    t->seed = seed;
    t->rng = orc_rng(seed);
    t->kept = false;
    t->ast = NULL;
    t->by_row = t->by_field = NULL;
    t->word = seed % 5 == 4 ? "FINAL" : "INVARIANT";
    orc_prog_random(&t->rng, &shape, &t->prog);
    if (parse(t, &d)) {
        if (shape.servers)
            ask_database(t);
        else
            ask_all(t);
    } else {
        diag_print(&d, stdout, false);
        test_complain(t, UNIFORM, "any", "program", false, VERIFY_UNKNOWN, "it cannot be read");
    }
    verify_close(t->by_row);
    verify_close(t->by_field);
    if (t->ast)
        ast_free(t->ast);
    diag_free(&d);
}

int main(int argc, char **argv)
{
    static struct test t;
    static struct tally tally;
    struct serial_judge judge;
    if (argc < 4) {
        fputs("usage: verify_oracle COUNT SEED HEADERS [FOLDER [first]]\n", stderr);
        return 1;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    t.headers = argv[3];
    t.folder = argc > 4 ? argv[4] : ".";
    t.tally = &tally;
    serial_judge_init(&judge);
    t.judge = &judge.judge;
    snprintf(t.path, sizeof t.path, "%s/program-%ld.c", t.folder, (long)getpid());
    bool first = argc > 5 && !strcmp(argv[5], "first");
    for (uint64_t i = seed; i < seed + count && !(first && t.kept); i++) {
        if ((i - seed) % PROGRAMS_PER_POOL == 0) {
            if (t.pool)
                enc_pool_free(t.pool);
            t.pool = enc_pool_new();
        }
        one_program(&t, i);
    }
    if (t.pool)
        enc_pool_free(t.pool);
    serial_judge_free(&judge);
    unlink(t.path);
    bool bad = false;
    for (int k = 0; k < KINDS; k++) {
        bad |= tally.wrong[k] > 0;
        printf("%s verify-oracle-%s: %ld questions, %ld violated, %ld wrong\n",
               tally.wrong[k] ? "not ok" : "ok", kind_names[k], tally.asked[k], tally.violated[k],
               tally.wrong[k]);
    }
    printf("# %ld properties proved for any number of transactions, %ld times robustness\n",
           tally.proved, tally.robust_proved);
    return bad;
}
