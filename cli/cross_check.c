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
    for (size_t i = 0; i < o->answers.len; i++) {
        check_answers_free(o->answers.data[i]);
        mem_free(o->answers.data[i]);
    }
    vec_free(&o->list);
    vec_free(&o->histories);
    vec_free(&o->answers);
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

static const struct check_result *ask_engine(struct cross_check *o, const struct verify_opinion *op,
                                             const struct model *m)
{
    struct named_level level = {m->name, level_make(m->id, op->x->session_order)};
    struct check_request q = {.levels = &level, .count = 1, .options = check_defaults()};
    struct check_answers *a = mem_calloc(1, sizeof *a);
    check(op->history, &q, a);
    vec_push(&o->answers, a);
    if (a->at[0].verdict == CHECK_BROKEN)
        disagree(o, op->x, op->history, a->at[0].result,
                 "the history engine's answer is not certified");
    return a->at[0].result;
}

/* The strongest models that allow whatever the levels of an execution allow: the model itself; for
 * mixed levels there may be two. */
static uint32_t meet(const struct execution *x)
{
    if (x->model)
        return 1u << x->model->within;
    uint32_t below = (1u << MODEL_COUNT) - 1;
    if (x->observer.present && x->observer.level)
        below &= model_and_below(x->observer.level->within);
    for (uint32_t t = 0; t < x->n_txns; t++)
        below &= model_and_below(x->txns[t].level->within);
    return models_strongest(below);
}

/* The engine accepts the history under the verified model: false after a disagreement. */
static bool confirm(struct cross_check *o, struct verify_opinion *op)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (!(meet(op->x) >> m & 1))
            continue;
        const struct model *model = model_get((enum model_id)m);
        const struct check_result *r = ask_engine(o, op, model);
        op->asked = true;
        if (r->verdict == CHECK_UNKNOWN)
            op->undecided = r->reason;
        if (r->verdict == CHECK_BROKEN)
            return false;
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
    if (!op->x->model)
        return;
    enum model_id mine = op->x->model->within;
    uint32_t known = model_and_below(mine) | model_and_above(mine);
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct model *model = model_get((enum model_id)m);
        if (known >> m & 1 || model->snapshot != SNAPSHOT_TRANSACTION)
            continue;
        if (ask_engine(o, op, model)->verdict == CHECK_VIOLATION) {
            op->also |= 1u << m;
            known |= model_and_above((enum model_id)m);
        }
    }
}

/* The weakest stronger model that refuses it. */
static void find_name(struct cross_check *o, struct verify_opinion *op)
{
    uint32_t accepted = meet(op->x), stronger = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (accepted >> m & 1)
            stronger |= model_and_above((enum model_id)m) & ~(1u << m);
    for (int m = 0; m < MODEL_COUNT && !op->undecided; m++) {
        if (!(stronger >> m & 1))
            continue;
        const struct model *model = model_get((enum model_id)m);
        const struct check_result *r = ask_engine(o, op, model);
        if (r->verdict == CHECK_UNKNOWN)
            op->undecided = r->reason;
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

static void refuse_serial(struct cross_check *o, struct verify_opinion *op)
{
    struct history *h = NULL;
    const char *error =
        export_serial_history(op->x, op->x->program->ast->file, &o->c->arena, NULL, &h);
    if (error) {
        disagree(o, op->x, NULL, NULL, error);
        return;
    }
    vec_push(&o->histories, h);
    struct verify_opinion serial = {.x = op->x, .history = h};
    const struct check_result *r = ask_engine(o, &serial, model_get(MODEL_SER));
    if (r->verdict != CHECK_VIOLATION)
        disagree(o, op->x, h, r,
                 "the history engine has two answers on whether it is serializable");
    else
        op->not_serial = r;
}

void cross_check_serial(struct cross_check *o, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        for (size_t k = 0; k < o->list.len; k++)
            if (r->verdicts[i].execution == o->list.data[k].x && !o->list.data[k].not_serial)
                refuse_serial(o, &o->list.data[k]);
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
