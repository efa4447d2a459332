/* The verifier against the oracle: random programs, all models, in one process.
 *
 *     verify_oracle COUNT SEED HEADERS [FOLDER [first]]
 *
 * Every program is judged by brute force and by the verifier, under every model, with and without
 * session order, by row and by field, on final states and on snapshots, and with a level of its own
 * for each transaction.  The verdicts must be the same, and nothing that the proof rule proves may
 * be violated.  HEADERS is where visar.h is; programs on which the two disagree are left in FOLDER.
 * With `first` it stops at the first disagreement.
 * Prints `ok` and `not ok` lines, one per kind of question. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode/verify.h"
#include "tests/oracle/oracle.h"

enum kind {
    UNIFORM,
    NO_SESSIONS,
    BY_FIELD,
    SNAPSHOTS,
    MIXED,
    MIXED_SNAPSHOTS,
    SLOTS,
    PROOF,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "uniform", "no-session-order", "by-field", "snapshots",
    "mixed",   "mixed-snapshots",  "slots",    "proof"};

struct tally {
    long asked[KINDS], wrong[KINDS], violated[KINDS], proved;
};

struct test {
    const char *headers, *folder;
    char path[4096];
    struct orc_prog prog;
    struct orc_rng rng;
    uint64_t seed;
    struct tally *tally;
    struct ast_program *ast;
    struct verify_program *by_row, *by_field;
    bool kept;
};

/* In the order of the oracle's levels. */
static const struct model *model_of(enum orc_level level)
{
    return model_find(orc_level_name(level));
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
    orc_prog_print(out, &t->prog, "INVARIANT");
    fclose(out);
}

static void complain(struct test *t, enum kind kind, const char *level, const char *what,
                     bool oracle, enum verify_status mine, const char *reason)
{
    t->tally->wrong[kind]++;
    printf("# seed %llu, %s, %s, %s: the oracle says %s, the verifier %s%s%s\n",
           (unsigned long long)t->seed, kind_names[kind], level, what,
           oracle ? "violated" : "holds", verify_status_name(mine), reason ? ": " : "",
           reason ? reason : "");
    keep(t);
}

/* The worst verdict on properties of the kind. */
static const struct verify_verdict *worst(const struct verify_result *r,
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

/* What is proved for any number of transactions holds for any three and four of them. */
static void cross_check(struct test *t, const char *level, struct verify_question q)
{
    q.bounded = true;
    q.keep_raw = true;
    q.txns = t->seed % 32 ? 3 : 4;
    struct verify_result *r = verify_run(t->by_row, &q);
    const struct verify_verdict *inv = worst(r, VERIFY_INVARIANT);
    if (!inv || (inv->status != VERIFY_HOLDS && inv->status != VERIFY_VACUOUS))
        complain(t, PROOF, level, "proved invariant", false, inv ? inv->status : VERIFY_UNKNOWN,
                 inv ? inv->reason : NULL);
    verify_result_free(r);
}

static void compare(struct test *t, enum kind kind, const char *level, struct orc_run run,
                    struct verify_question q)
{
    bool field = run.by_field;
    struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
    struct verify_result *r = verify_run(field ? t->by_field : t->by_row, &q);
    const struct verify_verdict *inv = worst(r, VERIFY_INVARIANT), *as = worst(r, VERIFY_ASSERT);
    t->tally->asked[kind]++;
    t->tally->violated[kind] += truth.invariant_violated || truth.assert_failed;
    if (r->error)
        complain(t, kind, level, "question", false, VERIFY_UNKNOWN, r->error);
    else if (!inv)
        complain(t, kind, level, "invariant", truth.invariant_violated, VERIFY_UNKNOWN, "nothing");
    else if (!agrees(inv->status, truth.exists, truth.invariant_violated))
        complain(t, kind, level, "invariant", truth.invariant_violated, inv->status, inv->reason);
    /* No verdict: the assertion cannot fail, whatever happens. */
    if (as ? !agrees(as->status, truth.exists, truth.assert_failed) : truth.assert_failed)
        complain(t, kind, level, "assertion", truth.assert_failed, as ? as->status : VERIFY_HOLDS,
                 as ? as->reason : NULL);
    bool proved = kind == PROOF && inv && inv->status == VERIFY_PROVED;
    t->tally->proved += proved;
    verify_result_free(r);
    free(truth.finals);
    if (proved)
        cross_check(t, level, q);
}

static void ask_uniform(struct test *t, enum kind kind, enum orc_level level)
{
    struct orc_run run = orc_run_uniform(level, kind != NO_SESSIONS);
    struct verify_question q = {.model = model_of(level),
                                .no_session_order = kind == NO_SESSIONS,
                                .bounded = kind != PROOF,
                                .encoding = kind == SLOTS ? VERIFY_SLOT : VERIFY_EVENT,
                                .keep_raw = orc_percent(&t->rng, 80)};
    run.by_field = kind == BY_FIELD;
    run.observe_snapshots = kind == SNAPSHOTS;
    q.observe = kind == SNAPSHOTS ? VERIFY_OBSERVE_SNAPSHOTS : VERIFY_OBSERVE_FINAL;
    compare(t, kind, orc_level_name(level), run, q);
}

static void ask_mixed(struct test *t, enum kind kind)
{
    const struct model *levels[ORC_TXNS];
    struct orc_run run = orc_run_uniform(ORC_SER, !orc_percent(&t->rng, 30));
    char text[64] = "";
    for (int i = 0; i < t->prog.n_txns; i++) {
        run.rules.level[i] = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
        if (orc_percent(&t->rng, 60)) /* SER among others has rules of its own */
            run.rules.level[i] = ORC_SER;
        levels[i] = model_of(run.rules.level[i]);
        strcat(strcat(text, i ? "," : ""), orc_level_name(run.rules.level[i]));
    }
    run.observer = (enum orc_level)orc_below(&t->rng, ORC_LEVELS);
    run.observe_snapshots = kind == MIXED_SNAPSHOTS;
    strcat(strcat(text, "/"), orc_level_name(run.observer));
    struct verify_question q = {.model = model_of(run.observer),
                                .levels = levels,
                                .no_session_order = !run.rules.session,
                                .observe = kind == MIXED_SNAPSHOTS ? VERIFY_OBSERVE_SNAPSHOTS
                                                                   : VERIFY_OBSERVE_FINAL,
                                .bounded = true,
                                .keep_raw = true};
    compare(t, kind, text, run, q);
}

static void ask_all(struct test *t)
{
    enum kind also = (enum kind)(1 + orc_below(&t->rng, 3));
    for (int level = 0; level < ORC_LEVELS; level++) {
        ask_uniform(t, UNIFORM, (enum orc_level)level);
        if (level >= ORC_RA && t->seed % 4 == 0)
            ask_uniform(t, PROOF, (enum orc_level)level);
        if (level >= ORC_RA && t->seed % 4 == 1)
            ask_uniform(t, SLOTS, (enum orc_level)level);
    }
    for (int i = 0; i < 3; i++)
        if (also != SNAPSHOTS || t->prog.n_txns < ORC_TXNS)
            ask_uniform(t, also, (enum orc_level)orc_below(&t->rng, ORC_LEVELS));
    for (int i = 0; i < 3; i++)
        ask_mixed(t, MIXED);
    if (t->prog.n_txns < 4)
        ask_mixed(t, MIXED_SNAPSHOTS);
}

static bool parse(struct test *t, struct diag_list *d)
{
    struct ast_options options = {
        .include_dirs = &t->headers, .n_include_dirs = 1, .no_compile_commands = true};
    FILE *out = fopen(t->path, "w");
    if (!out)
        return false;
    orc_prog_print(out, &t->prog, "INVARIANT");
    fclose(out);
    if (!ast_parse(t->path, &options, d, &t->ast))
        return false;
    struct verify_options row = {.granularity = SX_ROW}, field = {.granularity = SX_FIELD};
    t->by_row = verify_open(t->ast, &row, d);
    t->by_field = verify_open(t->ast, &field, d);
    return t->by_row && t->by_field;
}

static void one_program(struct test *t, uint64_t seed)
{
    static const struct orc_prog_params shapes[] = {
        {3, 0, 4, true, true, true, false, true, true},
        {4, 0, 3, false, true, false, false, false, false},
        {3, 2, 4, true, false, true, true, true, true},
        {4, 2, 3, false, false, true, false, true, true},
        {3, 0, 5, false, true, true, true, true, true},
        {2, 0, 6, true, true, true, true, true, true},
        {3, 0, 3, true, true, false, true, false, true},
        {4, 3, 3, true, true, false, true, true, false},
    };
    struct diag_list d = {0};
    t->seed = seed;
    t->rng = orc_rng(seed);
    t->kept = false;
    t->ast = NULL;
    t->by_row = t->by_field = NULL;
    orc_prog_random(&t->rng, &shapes[seed % (sizeof shapes / sizeof *shapes)], &t->prog);
    if (parse(t, &d)) {
        ask_all(t);
    } else {
        diag_print(&d, stdout, false);
        complain(t, UNIFORM, "any", "program", false, VERIFY_UNKNOWN, "it cannot be read");
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
    if (argc < 4) {
        fputs("usage: verify_oracle COUNT SEED HEADERS [FOLDER [first]]\n", stderr);
        return 1;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    t.headers = argv[3];
    t.folder = argc > 4 ? argv[4] : ".";
    t.tally = &tally;
    snprintf(t.path, sizeof t.path, "%s/program-%ld.c", t.folder, (long)getpid());
    bool first = argc > 5 && !strcmp(argv[5], "first");
    for (uint64_t i = seed; i < seed + count && !(first && t.kept); i++)
        one_program(&t, i);
    unlink(t.path);
    bool bad = false;
    for (int k = 0; k < KINDS; k++) {
        bad |= tally.wrong[k] > 0;
        printf("%s verify-oracle-%s: %ld questions, %ld violated, %ld wrong\n",
               tally.wrong[k] ? "not ok" : "ok", kind_names[k], tally.asked[k], tally.violated[k],
               tally.wrong[k]);
    }
    printf("# %ld invariants proved for any number of transactions\n", tally.proved);
    return bad;
}
