/* What the reports of verify and weakest share: which verdict counts, and short phrases. */
#include "report/verify_report.h"

#include <string.h>

/* Worst last. */
static int rank(enum verify_status s)
{
    static const int ranks[] = {
        [VERIFY_PROVED] = 0,  [VERIFY_HOLDS] = 1,    [VERIFY_VACUOUS] = 2,
        [VERIFY_UNKNOWN] = 3, [VERIFY_VIOLATED] = 4, [VERIFY_INTERNAL_ERROR] = 5};
    return ranks[s];
}

enum verify_status report_verify_overall(const struct verify_view *v)
{
    enum verify_status worst = VERIFY_PROVED;
    for (size_t i = 0; i < v->n_results; i++)
        if (rank(v->results[i]->overall) > rank(worst))
            worst = v->results[i]->overall;
    return worst;
}

const struct verify_opinion *report_opinion(const struct verify_view *v, const struct execution *x)
{
    for (size_t i = 0; i < v->n_opinions; i++)
        if (v->opinions[i].x == x)
            return &v->opinions[i];
    return NULL;
}

const struct verify_verdict *report_worst(const struct verify_result *r, uint32_t property)
{
    const struct verify_verdict *worst = NULL;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        if (d->property == property && (!worst || rank(d->status) > rank(worst->status)))
            worst = d;
    }
    return worst;
}

const struct verify_verdict *report_violation(const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->verdicts[i].status == VERIFY_VIOLATED && r->verdicts[i].execution)
            return &r->verdicts[i];
    return NULL;
}

bool report_same_property(const struct verify_property *a, const struct verify_property *b)
{
    return a->kind == b->kind && a->func == b->func && a->loc.file == b->loc.file &&
           a->loc.line == b->loc.line && a->loc.col == b->loc.col && !strcmp(a->name, b->name);
}

bool report_is_builtin(enum verify_property_kind k)
{
    return k == VERIFY_BOUNDS || k == VERIFY_DIVISION || k == VERIFY_SHIFT || k == VERIFY_OVERFLOW;
}

static void count(struct strbuf *out, unsigned n)
{
    sb_printf(out, "%u\u00a0transaction%s", n, n == 1 ? "" : "s");
}

void report_runs(const struct verify_verdict *d, struct strbuf *out)
{
    if (d->status == VERIFY_PROVED) {
        sb_puts(out, "any number of transactions");
        return;
    }
    if (d->scenario) {
        sb_printf(out, "scenario %s (", d->scenario->func->name);
        count(out, d->bound);
        sb_putc(out, ')');
    } else {
        bool shown = d->status == VERIFY_VIOLATED && d->execution;
        sb_puts(out, d->status == VERIFY_VIOLATED ? "" : "up to ");
        count(out, shown ? d->execution->n_txns : d->bound);
    }
}

const struct model *report_told_by(const struct weakest_view *w, const struct weakest_line *l)
{
    bool good = l->status == VERIFY_PROVED || l->status == VERIFY_HOLDS;
    if ((good && l->minimal) || (l->status == VERIFY_VIOLATED && l->ruled_out && l->result))
        return l->model;
    for (int m = MODEL_COUNT; m-- > 0;) {
        const struct weakest_line *other = &w->line[m];
        if (good && other->minimal && model_weaker_or_equal(other->model->id, l->model->id))
            return other->model;
        if (l->status == VERIFY_VIOLATED && other->ruled_out && other != l &&
            model_weaker_or_equal(l->model->id, other->model->id))
            return other->model;
    }
    return l->by;
}

static bool uses_locks(const struct weakest_view *w)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct verify_result *r = w->line[m].result;
        for (uint32_t i = 0; r && i < r->program->n_txns; i++)
            if (r->program->txns[i]->n_locks)
                return true;
    }
    return false;
}

bool report_locks_matter(const struct weakest_view *w, enum model_id m)
{
    const struct model *model = model_get(m);
    return !model_has(model, AXIOM_NOCONFLICT) && !model_has(model, AXIOM_TOTALVIS) &&
           uses_locks(w);
}

bool report_from_anywhere(const struct verify_result *r)
{
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].from_invariants &&
            (r->verdicts[i].status == VERIFY_PROVED || r->verdicts[i].status == VERIFY_HOLDS))
            return true;
    return false;
}

void report_model(const struct model *m, struct strbuf *out)
{
    sb_printf(out, "%s (%s)", m->title, m->name);
}

const char *report_anomaly_word(const struct verify_opinion *o)
{
    return o && o->refusal ? check_anomaly_words(o->refusal->anomaly) : NULL;
}

/* Is the transaction part of the anomaly?  All are, where there is none. */
static bool takes_part(const struct verify_opinion *o, uint32_t txn)
{
    const struct check_result *r = o ? o->refusal : NULL;
    if (!r || r->cycle == HIST_NONE)
        return true;
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    for (uint32_t i = 0; i < c->len; i++)
        if (r->edges.data[c->start + i].from == o->txn_of[txn])
            return true;
    return false;
}

/* "withdraw(0, 100) and withdraw(1, 100)", in arbitration order. */
static void who(struct cex *c, const struct verify_opinion *o, struct strbuf *out)
{
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < c->x->n_txns; i++)
        n += takes_part(o, i);
    uint32_t shown = n <= 4 ? n : 3;
    for (uint32_t i = 0; i < c->x->n_txns && done < shown; i++) {
        if (!takes_part(o, c->x->ar[i]))
            continue;
        const char *join = done == 0 ? "" : done + 1 < n ? ", " : " and ";
        sb_printf(out, "%s%s", join, c->names[c->x->ar[i]]);
        done++;
    }
    if (shown < n)
        sb_printf(out, " and %u more", n - shown);
}

void report_short(const struct verify_view *v, const struct verify_result *r,
                  const struct verify_verdict *d, struct strbuf *out)
{
    const struct verify_property *p = &r->properties[d->property];
    const struct verify_opinion *o = report_opinion(v, d->execution);
    const char *word = report_anomaly_word(o);
    struct cex c;
    cex_init(&c, v->ast, v->files, r->program, d->execution);
    if (c.x->n_txns) {
        if (word)
            sb_printf(out, "%s of ", word);
        else
            sb_puts(out, "after ");
        who(&c, o, out);
        sb_puts(out, word ? "; then " : ", ");
    } else {
        sb_puts(out, "initially ");
    }
    size_t n;
    const struct exec_row *rows = c.x->observer.present ? cex_observed(&c, &n) : NULL;
    struct cex_condition condition;
    if (p->kind == VERIFY_ASSERT)
        sb_printf(out, "assert(%s) fails", p->name);
    else
        sb_printf(out, "%s %s", p->name, report_is_builtin(p->kind) ? "fails" : "is false");
    if (c.x->values)
        sb_printf(out, ": %s", c.x->values);
    else if (rows && p->func && cex_condition(&c, p->func, rows, n, &condition))
        sb_printf(out, ": %s", cex_unbroken(&c, condition.values));
    cex_free(&c);
}
