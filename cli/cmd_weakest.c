/* visar weakest: the minimal models under which everything holds, and what rules out those below.
 * Exit codes: 0 if some model is enough, 10 if not even serializability is, 5 if that is not known
 * (a limit, or nothing satisfies the assumptions), 6 if anything is internally inconsistent. */
#include <string.h>

#include "base/limit.h"
#include "cli/verified.h"
#include "encode/weakest.h"

struct run {
    struct cli *c;
    struct verified v;
    struct weakest_models models;
    struct weakest_levels levels;
    struct weakest_server servers[MODEL_SERVER_COUNT];
};

static void on_progress(void *arg, const char *what, const char *known)
{
    struct run *r = arg;
    cli_progress(r->c, "verifying under %s", what);
    if (*known)
        verified_known(&r->v, known);
}

/* Second opinions on every execution that was found, shown or not: violations that are only
 * inferred from rest on them too. */
static void ask_all(struct run *r)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        verified_ask(&r->v, r->models.entry[m].result);
    for (size_t i = 0; i < r->levels.n_obstacles; i++)
        verified_ask(&r->v, r->levels.obstacles[i].result);
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        verified_ask(&r->v, r->servers[i].result);
}

/* ---- report --------------------------------------------------------------------------------- */

static void report(struct run *r)
{
    struct weakest_view w = {.base = verified_view(&r->v),
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
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        w.server[i] = (struct server_line){r->servers[i].model, r->servers[i].status,
                                           r->servers[i].result, r->servers[i].same};
    w.database = r->c->opt.database;
    struct weakest_step *steps =
        arena_array(&r->c->arena, struct weakest_step, r->levels.n_obstacles + 1);
    for (size_t i = 0; i < r->levels.n_obstacles; i++) {
        const struct weakest_obstacle *o = &r->levels.obstacles[i];
        steps[i] =
            (struct weakest_step){r->levels.txns[o->txn], o->to, o->status, o->result, o->by};
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
        if (r->levels.obstacles[i].status == VERIFY_INTERNAL_ERROR)
            return EXIT_INTERNAL;
    }
    if (!r->models.settled)
        return EXIT_UNKNOWN;
    return enough ? EXIT_HOLDS : EXIT_VIOLATED;
}

/* ---- the levels of databases ---------------------------------------------------------------- */

static enum model_engine engine_of(const char *database)
{
    return !strcmp(database, "postgresql") ? ENGINE_POSTGRESQL : ENGINE_INNODB;
}

static int servers_exit_code(const struct run *r)
{
    bool enough = false, unknown = false;
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++) {
        const struct weakest_server *s = &r->servers[i];
        if (s->status == VERIFY_INTERNAL_ERROR && s->model)
            return EXIT_INTERNAL;
        bool holds = s->status == VERIFY_PROVED || s->status == VERIFY_HOLDS;
        enough |= s->model && holds;
        unknown |= s->model && !holds && s->status != VERIFY_VIOLATED;
    }
    return enough ? EXIT_HOLDS : unknown ? EXIT_UNKNOWN : EXIT_VIOLATED;
}

/* Of one database only; or of all that were measured, beside the models. */
static int ask_servers(struct run *r, const struct verify_question *q)
{
    const char *database = r->c->opt.database;
    bool by_field = !strcmp(r->c->opt.granularity, "field");
    if (by_field && !database)
        return EXIT_HOLDS;
    weakest_servers(r->v.batch, r->v.ast, q, database ? engine_of(database) : ENGINE_NONE,
                    database ? NULL : &r->models, on_progress, r, r->servers);
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (r->servers[i].result && r->servers[i].result->error)
            return verified_refuse(&r->v, r->servers[i].result);
    return EXIT_HOLDS;
}

static int run(struct run *r)
{
    struct verify_question q;
    int rc = verified_open(&r->v, r->c, true);
    if (rc != EXIT_HOLDS)
        return rc;
    if (!verified_question(&r->v, &q))
        return EXIT_USAGE;
    if (r->c->opt.database && r->c->opt.per_transaction)
        return cli_usage(r->c, "--database and --per-transaction do not go together");
    if (!r->c->opt.database)
        weakest_models(r->v.batch, &q, on_progress, r, &r->models);
    if (r->models.first && r->models.first->error)
        return verified_refuse(&r->v, r->models.first);
    q.news = NULL; /* of one level for all, and those are done */
    rc = ask_servers(r, &q);
    if (rc != EXIT_HOLDS)
        return rc;
    if (r->c->opt.per_transaction)
        weakest_levels(r->v.batch, r->v.ast, &q, &r->models, on_progress, r, &r->levels);
    ask_all(r);
    cli_progress(r->c, "%s", "");
    rc = verified_agree(&r->v);
    if (rc != EXIT_HOLDS)
        return rc;
    limit_speak();
    if (!r->c->opt.dump) {
        report(r);
        verified_warn(&r->v);
    }
    return cli_said(r->c, r->c->opt.database ? servers_exit_code(r) : exit_code(r));
}

int cmd_weakest(struct cli *c)
{
    struct run r = {.c = c};
    if (program_dumps(c))
        return cmd_summary(c);
    int rc = run(&r);
    verified_close(&r.v);
    weakest_levels_free(&r.levels);
    return rc;
}
