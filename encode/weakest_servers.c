/* The levels of databases under which a program keeps its properties, see weakest.h. */
#include "encode/weakest.h"

#include "base/limit.h"

/* With FIRSTUPDATER or in a serial order, statements and columns make no difference: the executions
 * of the level are those of a model.  (Rows that can be absent are another matter.) */
static const struct model *same_executions(const struct ast_program *ast, const struct model *m)
{
    for (uint32_t i = 0; i < ast->n_tables; i++)
        if (ast->tables[i]->presence)
            return NULL;
    bool same = model_has(m, AXIOM_TOTALVIS) || model_has(m, AXIOM_FIRSTUPDATER);
    return same ? model_get(m->within) : NULL;
}

/* Does the model's answer settle the level?  Rows that a transaction has locked count with
 * FIRSTUPDATER even if it rolls back in the end, and at si they do not: what si allows may then be
 * impossible. */
static bool settles(const struct model *level, enum verify_status s)
{
    return s == VERIFY_PROVED || s == VERIFY_HOLDS ||
           (s == VERIFY_VIOLATED && model_has(level, AXIOM_TOTALVIS));
}

void weakest_servers(struct batch *b, const struct ast_program *ast,
                     const struct verify_question *q, enum model_engine engine,
                     const struct weakest_models *known, weakest_progress progress, void *arg,
                     struct weakest_server out[MODEL_SERVER_COUNT])
{
    struct verify_question ask[MODEL_SERVER_COUNT];
    struct verify_result *answer[MODEL_SERVER_COUNT];
    size_t asked[MODEL_SERVER_COUNT], n = 0;
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++) {
        const struct model *m = model_server(i), *same = same_executions(ast, m);
        out[i] = (struct weakest_server){0};
        if (engine != ENGINE_NONE && m->engine != engine)
            continue;
        out[i].model = m;
        if (known && same && settles(m, known->entry[same->id].status)) {
            out[i].status = known->entry[same->id].status;
            out[i].same = same;
            continue;
        }
        ask[n] = *q;
        ask[n].model = m;
        ask[n].levels = NULL;
        asked[n++] = i;
    }
    for (size_t done = 0; done < n;) {
        size_t some = n - done < batch_jobs(b) ? n - done : batch_jobs(b);
        if (progress)
            progress(arg, ask[done].model->name, "");
        batch_run(b, ask + done, some, answer + done);
        done += some;
    }
    for (size_t i = 0; i < n; i++) {
        out[asked[i]].result = answer[i];
        out[asked[i]].status = answer[i]->overall;
    }
}
