#include "cli/cross_check.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "encode/export.h"
#include "history/format/formats.h"
#include "report/page/messages.h"

void cross_check_init(struct cross_check *o, struct cli *c)
{
    *o = (struct cross_check){.c = c};
}

void cross_check_free(struct cross_check *o)
{
    for (size_t i = 0; i < o->histories.len; i++)
        hist_free(o->histories.data[i]);
    for (size_t i = 0; i < o->results.len; i++) {
        check_result_free(o->results.data[i]);
        mem_free(o->results.data[i]);
    }
    vec_free(&o->list);
    vec_free(&o->histories);
    vec_free(&o->results);
}

/* ---- disagreement --------------------------------------------------------------------------- */

/* A name that is not taken: visar-internal-error-N.txt in the current folder. */
static const char *bundle_name(struct cross_check *o)
{
    for (unsigned n = 1;; n++) {
        const char *name = arena_printf(&o->c->arena, "visar-internal-error-%u.txt", n);
        if (access(name, F_OK) != 0)
            return name;
    }
}

/* Both sides in one file: the execution, the history, the engine's answer.  Gives the text for the
 * user. */
static const char *save_bundle(struct cross_check *o, const struct execution *x,
                               const struct history *h, const struct check_result *r,
                               const char *what)
{
    struct io_out out;
    const char *name = bundle_name(o);
    const char *error = io_create(name, &o->c->arena, &out);
    if (!error) {
        report_disagreement(what, x, h, r, out.file);
        error = io_commit(&out, &o->c->arena);
    }
    if (error)
        return arena_printf(&o->c->arena, "%s (and it could not be saved: %s)", what, error);
    return arena_printf(&o->c->arena, "%s (saved as %s)", what, name);
}

static void disagree(struct cross_check *o, const struct execution *x, const struct history *h,
                     const struct check_result *r, const char *what)
{
    const char *text = save_bundle(o, x, h, r, what);
    if (!o->trouble)
        o->trouble = text;
}

/* ---- agreement ------------------------------------------------------------------------------ */

static struct check_result *check(struct cross_check *o, const struct history *h,
                                  const struct model *m, bool session_order)
{
    struct check_options options = check_defaults();
    options.level = (struct level){.model = m->id, .session_order = session_order};
    struct check_result *r = mem_calloc(1, sizeof *r);
    check_history(h, &options, r);
    vec_push(&o->results, r);
    return r;
}

/* Does the model allow whatever the levels of an execution allow? */
static bool is_below_all(const struct execution *x, enum model_id m)
{
    const struct model *observer = x->observer.present ? x->observer.level : NULL;
    if (x->model)
        return model_weaker_or_equal(m, x->model->id);
    if (observer && !model_weaker_or_equal(m, observer->id))
        return false;
    for (uint32_t t = 0; t < x->n_txns; t++)
        if (!model_weaker_or_equal(m, x->txns[t].level->id))
            return false;
    return true;
}

/* The strongest such models: the model itself; for mixed levels there may be two. */
static bool is_meet(const struct execution *x, enum model_id m)
{
    if (!is_below_all(x, m))
        return false;
    for (int s = 0; s < MODEL_COUNT; s++)
        if (s != (int)m && model_weaker_or_equal(m, (enum model_id)s) &&
            is_below_all(x, (enum model_id)s))
            return false;
    return true;
}

/* The engine accepts the history under the verified model: false after a disagreement. */
static bool confirm(struct cross_check *o, struct verify_opinion *op)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (!is_meet(op->x, (enum model_id)m))
            continue;
        const struct model *model = model_get((enum model_id)m);
        struct check_result *r = check(o, op->history, model, op->x->session_order);
        op->asked = true;
        if (r->verdict == CHECK_UNKNOWN)
            op->undecided = r->reason;
        if (r->verdict == CHECK_BROKEN) {
            disagree(o, op->x, op->history, r, "the history engine's answer is not certified");
            return false;
        }
        if (r->verdict == CHECK_VIOLATION) {
            disagree(o, op->x, op->history, r,
                     arena_printf(&o->c->arena,
                                  "the history engine does not accept the execution under %s",
                                  model->name));
            return false;
        }
    }
    return true;
}

/* Models beside the verified one: the weakest of those that refuse it, too.  Not those where each
 * statement has its own snapshot: with one more statement the same could happen there. */
static void find_others(struct cross_check *o, struct verify_opinion *op)
{
    for (int m = 0; m < MODEL_COUNT && op->x->model; m++) {
        enum model_id id = (enum model_id)m, mine = op->x->model->id;
        bool known = model_weaker_or_equal(id, mine) || model_weaker_or_equal(mine, id) ||
                     model_get(id)->snapshot != SNAPSHOT_TRANSACTION;
        for (int k = 0; k < MODEL_COUNT; k++)
            known |= op->also >> k & 1 && model_weaker_or_equal((enum model_id)k, id);
        if (known)
            continue;
        struct check_result *r = check(o, op->history, model_get(id), op->x->session_order);
        if (r->verdict == CHECK_BROKEN)
            disagree(o, op->x, op->history, r, "the history engine's answer is not certified");
        if (r->verdict == CHECK_VIOLATION)
            op->also |= 1u << id;
    }
}

/* The weakest stronger model that refuses it. */
static void find_name(struct cross_check *o, struct verify_opinion *op)
{
    for (int m = 0; m < MODEL_COUNT && !op->undecided; m++) {
        bool stronger = false;
        for (int k = 0; k < MODEL_COUNT; k++)
            stronger |= k != m && is_meet(op->x, (enum model_id)k) &&
                        model_weaker_or_equal((enum model_id)k, (enum model_id)m);
        if (!stronger)
            continue;
        const struct model *model = model_get((enum model_id)m);
        struct check_result *r = check(o, op->history, model, op->x->session_order);
        if (r->verdict == CHECK_UNKNOWN)
            op->undecided = r->reason;
        if (r->verdict == CHECK_BROKEN)
            disagree(o, op->x, op->history, r, "the history engine's answer is not certified");
        if (r->verdict != CHECK_VIOLATION)
            continue;
        op->refusal = r;
        op->refused_by = model;
        find_others(o, op);
        return;
    }
}

static void ask_one(struct cross_check *o, const struct execution *x)
{
    struct history *h = NULL;
    uint32_t *txn_of = arena_array(&o->c->arena, uint32_t, x->n_txns + 1);
    const char *error = export_history(x, x->program->ast->file, &o->c->arena, txn_of, &h);
    if (error) {
        disagree(o, x, NULL, NULL,
                 arena_printf(&o->c->arena, "the execution is not consistent: %s", error));
        return;
    }
    vec_push(&o->histories, h);
    struct verify_opinion op = {.x = x, .history = h, .txn_of = txn_of};
    double start = stats_wall_seconds();
    if (confirm(o, &op) && x->n_txns)
        find_name(o, &op);
    o->c->stats.certify_seconds += stats_wall_seconds() - start;
    vec_push(&o->list, op);
}

void cross_check_ask(struct cross_check *o, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        if (d->status == VERIFY_VIOLATED && d->execution)
            ask_one(o, d->execution);
        if (d->status == VERIFY_INTERNAL_ERROR && d->execution) {
            const char *what =
                arena_printf(&o->c->arena, "%s under %s: %s", r->properties[d->property].name,
                             r->model->name, d->reason ? d->reason : "");
            message_internal_error("%s", save_bundle(o, d->execution, NULL, NULL, what));
        }
    }
}

const char *cross_check_save(struct cross_check *o, const struct execution *x, const char *path)
{
    for (size_t i = 0; i < o->list.len; i++) {
        if (o->list.data[i].x != x)
            continue;
        fmt_notes notes = {0};
        const char *error =
            fmt_write(o->list.data[i].history, fmt_find("jsonl"), path, &o->c->arena, &notes);
        vec_free(&notes);
        return error;
    }
    return "there is no history of this execution";
}
