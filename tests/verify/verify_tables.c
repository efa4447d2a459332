/* Tables of any size: the verifier against the oracle, on random programs, in one process.
 *
 *     verify_tables COUNT SEED HEADERS [FOLDER [first] [proofs]]
 *
 * Bounded runs: with N = 1, 2 and 3 rows (-DANY=N) and one to three transactions the verdicts on
 * all predicates, assertions and indices are those of brute force, at every model.  Proofs: what is
 * proved for any number of rows and transactions is not violated by up to three transactions on one
 * to three rows.  The proof rule may leave open what it likes, so a last line says for each kind of
 * program how many of the properties that nothing refutes it proves.
 *
 * Large tables: with ANY = LARGE a part of the rows is shown (symexec/alike.c); every violation is
 * then run again on all rows by the interpreter, which must agree, and nothing else is claimed.
 *
 * Programs on which the two disagree are made smaller and left in FOLDER.  With `first` it stops at
 * the first disagreement; with `proofs` there are no bounded runs.  Prints `ok` and `not ok` lines,
 * one per kind of question. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode/enc.h"
#include "encode/verify.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/reduce.h"

/* Expressions live as long as their context: too many programs would fill it. */
#define PROGRAMS_PER_POOL 24
/* Brute force gives up behind so many runs of transactions.  Such questions are counted. */
#define WORK 3000000

enum { SIZES = 3, TXNS = 3, LARGE = 50 };
enum kind { BOUNDED, PROOF, READING, PART, SERVER, KINDS };
static const char *const kind_names[KINDS] = {"bounded", "proof", "reading", "part", "server"};

struct tally {
    long asked[KINDS], wrong[KINDS], violated[KINDS], skipped[KINDS];
    long provable[ORC_FAMILIES], proved[ORC_FAMILIES]; /* properties, at a model */
    long refused;                                      /* programs with loops that are no folds */
};

struct test {
    const char *headers, *folder;
    char path[4096];
    uint64_t seed;
    int family;
    bool mutated;
    struct orc_prog prog, sized[SIZES + 1]; /* by the number of rows */
    struct tally *tally;
    struct z3ctx_pool *pool;
    bool only_proofs;
    bool quiet;        /* while a program is made smaller: count, do not tell */
    long wrong[KINDS]; /* disagreements on this program */
    enum kind reduced; /* the kind of disagreement that has to stay */
};

/* A program as the verifier has it, with N rows or (0) any number. */
struct opened {
    struct ast_program *ast;
    struct verify_program *program;
    struct diag_list diags;
};

static const struct model *model_of(int level)
{
    return model_find(orc_level_name((enum orc_level)level));
}

static void complain(struct test *t, enum kind kind, const char *question, const char *what,
                     const char *oracle, const char *mine)
{
    t->wrong[kind]++;
    if (t->quiet)
        return;
    t->tally->wrong[kind]++;
    printf("# seed %llu (%s%s), %s, %s, %s: the oracle says %s, the verifier %s\n",
           (unsigned long long)t->seed, orc_family_name(t->family), t->mutated ? ", mutated" : "",
           kind_names[kind], question, what, oracle, mine);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool write_program(const struct orc_prog *p, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    orc_prog_print(out, p, "INVARIANT");
    return fclose(out) == 0;
}

static bool open_program(struct test *t, int size, struct opened *o)
{
    char define[32];
    const char *args[] = {define};
    struct ast_options options = {.include_dirs = &t->headers,
                                  .n_include_dirs = 1,
                                  .no_compile_commands = true,
                                  .args = args,
                                  .n_args = size > 0};
    struct verify_options by_row = {.granularity = SX_ROW};
    snprintf(define, sizeof define, "-DANY=%d", size);
    *o = (struct opened){0};
    if (ast_parse(t->path, &options, &o->diags, &o->ast))
        o->program = verify_open(o->ast, &by_row, &o->diags);
    t->tally->asked[READING] += !t->quiet;
    if (o->program)
        return true;
    if (!t->quiet)
        diag_print(&o->diags, stdout, false);
    complain(t, READING, size ? define : "any size", "program", "it is fine", "it is refused");
    return false;
}

static void close_program(struct opened *o)
{
    verify_close(o->program);
    if (o->ast)
        ast_free(o->ast);
    diag_free(&o->diags);
}

/* ---- bounded runs ------------------------------------------------------------------------- */

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
        return !exists && !violated;
    default:
        return false;
    }
}

/* The number of the predicate, or -1. */
static int pred_of(const struct verify_property *p)
{
    return p->kind == VERIFY_INVARIANT && !strncmp(p->name, "good", 4) ? atoi(p->name + 4) : -1;
}

/* The worst verdict on properties of the kind, or NULL. */
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

static const char *verdict_text(bool violated)
{
    return violated ? "violated" : "holds";
}

static const char *mine_text(const struct verify_verdict *v, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", verify_status_name(v->status), v->reason ? ": " : "",
             v->reason ? v->reason : "");
    return text;
}

/* All checks of a kind together: without any, the verifier knows that none can fail. */
static void compare_checks(struct test *t, const char *question, const char *what,
                           const struct verify_result *r, enum verify_property_kind kind,
                           bool exists, bool violated)
{
    char text[400] = "nothing";
    const struct verify_verdict *v = worst(r, kind);
    if (v && v->status != VERIFY_VACUOUS ? agrees(v->status, exists, violated) : !violated)
        return;
    complain(t, BOUNDED, question, what, verdict_text(violated),
             v ? mine_text(v, text, sizeof text) : text);
}

static void compare(struct test *t, const char *question, const struct orc_instances *truth, int n,
                    const struct verify_result *r)
{
    char text[400];
    uint32_t seen = 0;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *v = &r->verdicts[i];
        const struct verify_property *property = &r->properties[v->property];
        int pred = pred_of(property);
        if (pred < 0)
            continue;
        bool violated = truth->preds[n] >> pred & 1;
        seen |= 1u << pred;
        t->tally->asked[BOUNDED] += !t->quiet;
        t->tally->violated[BOUNDED] += !t->quiet && violated;
        if (!agrees(v->status, truth->exists[n], violated))
            complain(t, BOUNDED, question, property->name, verdict_text(violated),
                     mine_text(v, text, sizeof text));
    }
    if (seen != (1u << t->prog.n_preds) - 1)
        complain(t, BOUNDED, question, "predicates", "something", r->error ? r->error : "nothing");
    compare_checks(t, question, "assertions", r, VERIFY_ASSERT, truth->exists[n],
                   truth->assert_failed[n]);
    compare_checks(t, question, "bounds", r, VERIFY_BOUNDS, truth->exists[n],
                   truth->out_of_bounds[n]);
}

static void ask_bounded(struct test *t, const struct opened *o, int size, int level, int n)
{
    char question[80];
    const struct model *model = model_of(level);
    if (!model)
        return;
    struct orc_instances truth =
        orc_prog_instances(&t->sized[size], (enum orc_level)level, n, WORK);
    if (!truth.complete) {
        t->tally->skipped[BOUNDED]++;
        return;
    }
    struct verify_question q = {.model = model,
                                .bounded = true,
                                .txns = (unsigned)n,
                                .start = VERIFY_START_PROGRAM,
                                .keep_raw = true,
                                .pool = t->pool};
    struct verify_result *r = verify_run(o->program, &q);
    snprintf(question, sizeof question, "%s, %d rows, %d transactions", model->name, size, n);
    compare(t, question, &truth, n, r);
    verify_result_free(r);
}

/* All models with one of the sizes, and some with the others; three transactions now and then. */
static void ask_sizes(struct test *t)
{
    struct orc_rng r = orc_rng(~t->seed);
    for (int size = 1; size <= SIZES; size++) {
        struct opened o;
        bool all = size == 1 + (int)(t->seed / ORC_FAMILIES % SIZES);
        int rare = orc_below(&r, ORC_LEVELS), three = orc_below(&r, 4 * (ORC_LEVELS));
        if (open_program(t, size, &o))
            for (int level = 0; level < ORC_LEVELS; level++)
                if (all || level == rare)
                    ask_bounded(t, &o, size, level, level == three ? 3 : 2);
        close_program(&o);
    }
}

/* ---- large tables ------------------------------------------------------------------------- */

static void ask_part_at(struct test *t, const struct opened *o, const struct model *model)
{
    char text[400];
    struct verify_question q = {.model = model,
                                .bounded = true,
                                .txns = 2,
                                .max_rows = 2,
                                .start = VERIFY_START_PROGRAM,
                                .keep_raw = true,
                                .pool = t->pool};
    struct verify_result *r = verify_run(o->program, &q);
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *v = &r->verdicts[i];
        t->tally->asked[PART] += !t->quiet;
        t->tally->violated[PART] += !t->quiet && v->status == VERIFY_VIOLATED;
        if (v->status != VERIFY_VIOLATED && v->status != VERIFY_UNKNOWN)
            complain(t, PART, model->name, r->properties[v->property].name,
                     "nothing that holds is known", mine_text(v, text, sizeof text));
    }
    verify_result_free(r);
}

/* One program in three, at two models. */
static void ask_part(struct test *t)
{
    struct opened o;
    const struct model *weak = model_of((int)(t->seed / 3 % ORC_LEVELS));
    if (t->seed / ORC_FAMILIES % 3 != 0)
        return;
    bool part = open_program(t, LARGE, &o) && o.ast->n_large;
    t->tally->skipped[PART] += !part && !t->quiet;
    if (part)
        ask_part_at(t, &o, model_find("ser"));
    if (part && weak)
        ask_part_at(t, &o, weak);
    close_program(&o);
}

/* ---- proofs ------------------------------------------------------------------------------- */

/* What brute force finds on tables of any of the sizes. */
struct refuted {
    bool complete;
    uint32_t preds;
    bool assert_failed, out_of_bounds;
};

static struct refuted refute(struct test *t, int level)
{
    struct refuted all = {.complete = true};
    for (int size = 1; size <= SIZES; size++) {
        struct orc_instances one =
            orc_prog_instances(&t->sized[size], (enum orc_level)level, TXNS, WORK);
        all.complete &= one.complete;
        all.preds |= one.preds[TXNS];
        all.assert_failed |= one.assert_failed[TXNS];
        all.out_of_bounds |= one.out_of_bounds[TXNS];
    }
    return all;
}

static void ask_proof(struct test *t, const struct opened *o, int level)
{
    const struct model *model = model_of(level);
    if (!model)
        return;
    struct verify_question q = {
        .model = model, .prove_only = true, .start = VERIFY_START_PROGRAM, .pool = t->pool};
    struct verify_result *r = verify_run(o->program, &q);
    struct refuted truth = refute(t, level);
    t->tally->skipped[PROOF] += !truth.complete;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_property *property = &r->properties[r->verdicts[i].property];
        int pred = pred_of(property);
        bool violated = pred >= 0                         ? truth.preds >> pred & 1
                        : property->kind == VERIFY_ASSERT ? truth.assert_failed
                        : property->kind == VERIFY_BOUNDS ? truth.out_of_bounds
                                                          : false;
        bool proved = r->verdicts[i].status == VERIFY_PROVED;
        /* A check of many may be proved where another one fails. */
        bool alone = pred >= 0 || (worst(r, property->kind) == &r->verdicts[i]);
        if (!t->quiet) {
            t->tally->asked[PROOF]++;
            t->tally->violated[PROOF] += violated;
            t->tally->provable[t->family] += pred >= 0 && !violated;
            t->tally->proved[t->family] += pred >= 0 && proved;
        }
        if (proved && violated && alone)
            complain(t, PROOF, model->name, property->name, "violated", "PROVED");
    }
    verify_result_free(r);
}

/* At the levels of databases what is proved is asked again of two transactions on small tables: the
 * bounded answers there are compared with brute force by verify_oracle. */
static void ask_server(struct test *t, const struct opened *o)
{
    static const char *const levels[] = {"pg-rc", "my-rc", "my-rr", "pg-rr"};
    const struct model *model = model_find_any(levels[t->seed / ORC_FAMILIES / 4 % 4]);
    struct verify_question prove = {
        .model = model, .prove_only = true, .start = VERIFY_START_PROGRAM, .pool = t->pool};
    struct verify_question run = {.model = model,
                                  .bounded = true,
                                  .txns = 2,
                                  .max_rows = 2,
                                  .start = VERIFY_START_PROGRAM,
                                  .keep_raw = true,
                                  .pool = t->pool};
    struct verify_result *r = verify_run(o->program, &prove), *small = NULL;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        t->tally->asked[SERVER] += !t->quiet;
        if (d->status != VERIFY_PROVED)
            continue;
        small = small ? small : verify_run(o->program, &run);
        for (size_t k = 0; k < small->n_verdicts; k++)
            if (small->verdicts[k].property == d->property &&
                small->verdicts[k].status == VERIFY_VIOLATED)
                complain(t, SERVER, model->name, r->properties[d->property].name, "violated",
                         "PROVED");
    }
    for (size_t k = 0; small && k < small->n_verdicts; k++)
        t->tally->violated[SERVER] += !t->quiet && small->verdicts[k].status == VERIFY_VIOLATED;
    verify_result_free(r);
    if (small)
        verify_result_free(small);
}

/* At every model, or at one in three beside bounded runs. */
static void ask_proofs(struct test *t)
{
    struct opened o;
    if (open_program(t, 0, &o))
        for (int level = 0; level < ORC_LEVELS; level++)
            if (t->only_proofs || (t->seed / ORC_FAMILIES + (uint64_t)level) % 3 == 0)
                ask_proof(t, &o, level);
    if (o.program && t->seed / ORC_FAMILIES % 4 == 1)
        ask_server(t, &o);
    close_program(&o);
}

/* ---- programs ----------------------------------------------------------------------------- */

/* Not every loop that the oracle can run has the shape of a fold; such a program is refused, and
 * with constants for ANY its rounds would be statements of their own. */
static bool refused(struct test *t)
{
    struct ast_options options = {
        .include_dirs = &t->headers, .n_include_dirs = 1, .no_compile_commands = true};
    struct diag_list diags = {0};
    struct ast_program *ast = NULL;
    bool no = ast_parse(t->path, &options, &diags, &ast) && !sx_classify(ast, &diags);
    if (ast)
        ast_free(ast);
    diag_free(&diags);
    t->tally->refused += no && !t->quiet;
    return no;
}

static void ask_program(struct test *t)
{
    memset(t->wrong, 0, sizeof t->wrong);
    for (int size = 1; size <= SIZES; size++)
        if (!orc_prog_sized(&t->prog, size, &t->sized[size]))
            return;
    if (!write_program(&t->prog, t->path))
        abort();
    if (refused(t))
        return;
    if (!t->only_proofs) {
        ask_sizes(t);
        ask_part(t);
    }
    ask_proofs(t);
}

static bool still_wrong(const struct orc_prog *p, void *arg)
{
    struct test *t = arg;
    t->prog = *p;
    ask_program(t);
    return t->wrong[t->reduced] > 0;
}

/* Leaves the program, and a smaller one on which there is still a disagreement. */
static void keep(struct test *t)
{
    static struct orc_prog whole, small;
    char path[4200];
    whole = t->prog;
    snprintf(path, sizeof path, "%s/disagree-%llu.c", t->folder, (unsigned long long)t->seed);
    write_program(&whole, path);
    t->reduced = t->wrong[PROOF]     ? PROOF
                 : t->wrong[BOUNDED] ? BOUNDED
                 : t->wrong[PART]    ? PART
                                     : READING;
    t->quiet = true;
    orc_prog_reduce(&whole, still_wrong, t, &small);
    t->quiet = false;
    snprintf(path, sizeof path, "%s/reduced-%llu.c", t->folder, (unsigned long long)t->seed);
    write_program(&small, path);
}

static bool one_program(struct test *t, uint64_t seed)
{
    struct orc_rng r = orc_rng(seed);
    t->seed = seed;
    t->family = (int)(seed % ORC_FAMILIES);
    orc_tables_random(&r, &t->prog, t->family, &t->mutated);
    ask_program(t);
    bool fine = true;
    for (int k = 0; k < KINDS; k++)
        fine &= !t->wrong[k];
    if (!fine)
        keep(t);
    return fine;
}

static bool print_tally(const struct tally *tally)
{
    bool bad = false;
    for (int k = 0; k < KINDS; k++) {
        bad |= tally->wrong[k] > 0;
        printf("%s verify-tables-%s: %ld questions, %ld violated, %ld too much work, %ld wrong\n",
               tally->wrong[k] ? "not ok" : "ok", kind_names[k], tally->asked[k],
               tally->violated[k], tally->skipped[k], tally->wrong[k]);
    }
    printf("# %ld programs are refused: a loop over ANY is no fold\n", tally->refused);
    for (int f = 0; f < ORC_FAMILIES; f++)
        printf("# %s: %ld of %ld properties that nothing refutes are proved\n", orc_family_name(f),
               tally->proved[f], tally->provable[f]);
    return bad;
}

int main(int argc, char **argv)
{
    static struct test t;
    static struct tally tally;
    if (argc < 4) {
        fputs("usage: verify_tables COUNT SEED HEADERS [FOLDER [first] [proofs]]\n", stderr);
        return 1;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    t.headers = argv[3];
    t.folder = argc > 4 ? argv[4] : ".";
    t.tally = &tally;
    snprintf(t.path, sizeof t.path, "%s/program-%ld.c", t.folder, (long)getpid());
    bool first = false, fine = true;
    for (int i = 5; i < argc; i++) {
        first |= !strcmp(argv[i], "first");
        t.only_proofs |= !strcmp(argv[i], "proofs");
    }
    for (uint64_t i = seed; i < seed + count && (fine || !first); i++) {
        if ((i - seed) % PROGRAMS_PER_POOL == 0) {
            if (t.pool)
                enc_pool_free(t.pool);
            t.pool = enc_pool_new();
        }
        fine = one_program(&t, i);
    }
    if (t.pool)
        enc_pool_free(t.pool);
    unlink(t.path);
    return print_tally(&tally);
}
