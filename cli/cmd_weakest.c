/* visar weakest: the minimal models under which everything holds, and what rules out those below.
 * Exit codes: 0 if some model is enough, 10 if not even serializability is, 5 if that is not known
 * (a limit, or nothing satisfies the assumptions), 6 if anything is internally inconsistent. */
#include <string.h>

#include "base/limit.h"
#include "cli/opinion.h"
#include "cli/program.h"
#include "encode/weakest.h"

struct run {
    struct cli *c;
    struct ast_program *ast;
    struct batch *batch;
    struct weakest_models models;
    struct weakest_levels levels;
    struct opinions opinions;
    VEC(const struct verify_result *) asked;
};

static void on_progress(void *arg, const char *what)
{
    cli_progress(arg, "verifying under %s", what);
}

/* ---- second opinions ------------------------------------------------------------------------ */

static void ask(struct run *r, const struct verify_result *result)
{
    for (size_t i = 0; i < r->asked.len; i++)
        if (r->asked.data[i] == result)
            return;
    if (result) {
        opinion_ask(&r->opinions, result);
        vec_push(&r->asked, result);
    }
}

/* On every execution that was found, shown or not: violations that are only inferred from rest on
 * them too. */
static void ask_all(struct run *r)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        ask(r, r->models.entry[m].result);
    for (size_t i = 0; i < r->levels.n_obstacles; i++)
        ask(r, r->levels.obstacles[i].result);
}

/* ---- report --------------------------------------------------------------------------------- */

static struct verify_view base_view(const struct run *r)
{
    const struct cli *c = r->c;
    return (struct verify_view){
        .file = r->ast->file,
        .ast = r->ast,
        .files = &c->diags,
        .opinions = r->opinions.list.data,
        .n_opinions = r->opinions.list.len,
        .no_session_order = c->opt.no_session_order,
        .snapshots = !strcmp(c->opt.observe, "snapshots"),
        .fields = !strcmp(c->opt.granularity, "field"),
        .stats = &c->stats,
        .quiet = c->opt.quiet,
        .verbose = c->opt.verbose,
        .color = c->color,
    };
}

static void report(struct run *r)
{
    struct weakest_view w = {.base = base_view(r),
                             .settled = r->models.settled,
                             .runs = r->models.runs + r->levels.runs,
                             .per_transaction = r->c->opt.per_transaction,
                             .levels = r->levels.levels,
                             .txns = r->levels.txns,
                             .n_txns = r->levels.n_txns,
                             .mixed = r->levels.result};
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_entry *e = &r->models.entry[m];
        w.line[m] =
            (struct weakest_line){e->model, e->by, e->status, e->result, e->minimal, e->ruled_out};
    }
    struct weakest_step *steps =
        arena_array(&r->c->arena, struct weakest_step, r->levels.n_obstacles + 1);
    for (size_t i = 0; i < r->levels.n_obstacles; i++) {
        const struct weakest_obstacle *o = &r->levels.obstacles[i];
        steps[i] = (struct weakest_step){r->levels.txns[o->txn], o->to, o->result};
    }
    w.steps = steps;
    w.n_steps = r->levels.n_obstacles;
    if (r->c->opt.json)
        report_weakest_json(&w, r->c->out);
    else
        report_weakest_text(&w, r->c->out);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int exit_code(const struct run *r)
{
    bool enough = false;
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (r->models.entry[m].status == VERIFY_INTERNAL_ERROR)
            return EXIT_INTERNAL;
        enough |= r->models.entry[m].minimal;
    }
    for (size_t i = 0; i < r->levels.n_obstacles; i++) {
        const struct verify_result *result = r->levels.obstacles[i].result;
        if (result && result->overall == VERIFY_INTERNAL_ERROR)
            return EXIT_INTERNAL;
    }
    if (!r->models.settled)
        return EXIT_UNKNOWN;
    return enough ? EXIT_HOLDS : EXIT_VIOLATED;
}

static int run(struct run *r)
{
    struct verify_options options = program_options(r->c);
    struct verify_question q;
    if (!program_question(r->c, r->ast, &q))
        return EXIT_USAGE;
    q.dump_smt2 = r->c->opt.dump ? r->c->out : NULL;
    unsigned jobs = r->c->opt.dump ? 1 : (unsigned)r->c->opt.jobs;
    r->batch = batch_open(r->ast, &options, jobs, &r->c->diags);
    if (!r->batch)
        return limit_reached() ? cli_unknown(r->c, limit_text()) : cli_bad_input(r->c);
    weakest_models(r->batch, &q, on_progress, r->c, &r->models);
    if (r->models.first && r->models.first->error)
        return cli_usage(r->c, "%s", r->models.first->error);
    if (r->c->opt.per_transaction)
        weakest_levels(r->batch, r->ast, &q, &r->models, on_progress, r->c, &r->levels);
    ask_all(r);
    cli_progress(r->c, "%s", "");
    if (r->opinions.trouble) {
        fprintf(stderr, "visar: internal error: %s\nPlease report this.\n", r->opinions.trouble);
        return EXIT_INTERNAL;
    }
    if (!r->c->opt.dump)
        report(r);
    return exit_code(r);
}

int cmd_weakest(struct cli *c)
{
    struct run r = {.c = c};
    if (program_dumps(c))
        return cmd_summary(c);
    int rc = program_open(c, &r.ast);
    if (rc != EXIT_HOLDS)
        return rc;
    opinion_init(&r.opinions, c);
    rc = run(&r);
    opinion_free(&r.opinions);
    weakest_levels_free(&r.levels);
    vec_free(&r.asked);
    batch_close(r.batch);
    ast_free(r.ast);
    return rc;
}
