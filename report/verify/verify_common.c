/* What the reports of verify and weakest share: which verdict counts, and short phrases. */
#include "report/verify/verify_report.h"

#include <string.h>

#include "report/page/messages.h"

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

const char *report_any_number(const struct verify_result *r)
{
    return r->program->ast->any ? "any number of transactions, tables of any size"
                                : "any number of transactions";
}

void report_rows(uint64_t rows, bool exact, struct strbuf *out)
{
    if (rows)
        sb_printf(out, " on tables of %s%llu\u00a0row%s", exact ? "" : "up to ",
                  (unsigned long long)rows, rows == 1 ? "" : "s");
}

void report_runs(const struct verify_result *r, const struct verify_verdict *d, struct strbuf *out)
{
    if (d->status == VERIFY_PROVED) {
        sb_puts(out, report_any_number(r));
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
    report_rows(d->rows, d->status == VERIFY_VIOLATED, out);
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

bool report_from_anywhere(const struct verify_result *r)
{
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].from_invariants)
            return true;
    return false;
}

static bool locks_in(const struct execution *x)
{
    for (uint32_t i = 0; i < x->n_txns; i++) {
        const struct model *level = x->txns[i].level;
        if (x->txns[i].n_locks && !model_is_server(level) && !model_has(level, AXIOM_NOCONFLICT) &&
            !model_has(level, AXIOM_TOTALVIS))
            return true;
    }
    return false;
}

bool report_locks_matter(const struct verify_result *r)
{
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].status == VERIFY_VIOLATED && r->verdicts[i].execution &&
            locks_in(r->verdicts[i].execution))
            return true;
    return false;
}

bool report_checks_matter(const struct verify_result *r)
{
    bool unproved = false, rests = false;
    for (uint32_t i = 0; r && i < r->n_properties; i++) {
        const struct verify_verdict *d = report_worst(r, i);
        bool holds = d && (d->status == VERIFY_PROVED || d->status == VERIFY_HOLDS);
        if (!report_is_builtin(r->properties[i].kind))
            rests |= holds;
        else
            unproved |= d && !holds;
    }
    return unproved && rests;
}

bool report_weakest_anywhere(const struct weakest_view *w)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        if (report_from_anywhere(w->line[m].result))
            return true;
    return false;
}

void report_model(const struct model *m, struct strbuf *out)
{
    sb_printf(out, "%s (%s)", m->title, m->name);
}

const char *report_anomaly_word(const struct verify_opinion *o)
{
    return o && o->refusal ? anomaly_words(o->refusal->anomaly) : NULL;
}

/* ---- the transactions that matter ----------------------------------------------------------- */

/* Is the transaction part of the anomaly's cycle?  None is, where there is no cycle. */
static bool in_cycle(const struct verify_opinion *o, uint32_t txn)
{
    const struct check_result *r = o ? o->refusal : NULL;
    if (!r || r->cycle == HIST_NONE)
        return false;
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    for (uint32_t i = 0; i < c->len; i++)
        if (r->edges.data[c->start + i].from == o->txn_of[txn])
            return true;
    return false;
}

/* Without a scenario the execution is minimal: every transaction of it matters.  A scenario has its
 * calls, whether they have to do with the violation or not: those do that are part of the anomaly,
 * that the property is about, and (find_matter) those that one of these reads from. */
static bool matters_itself(const struct cex *c, const struct verify_opinion *o,
                           const struct verify_property *p, uint32_t txn)
{
    const struct execution *x = c->x;
    const struct exec_txn *t = &x->txns[txn];
    bool of_scenario = x->scenario && p->func == x->scenario->func;
    if (!x->scenario || in_cycle(o, txn) || p->func == t->func || (of_scenario && t->n_returned))
        return true;
    for (size_t i = 0; x->observer.present && i < x->observer.n_reads; i++)
        if (x->observer.reads[i].source == txn)
            return true;
    return false;
}

/* By transaction; at least one does. */
static bool *find_matter(struct cex *c, const struct verify_opinion *o,
                         const struct verify_property *p)
{
    const struct execution *x = c->x;
    bool *matters = arena_array(&c->arena, bool, x->n_txns + 1), any = false, more = true;
    for (uint32_t i = 0; i < x->n_txns; i++)
        any |= matters[i] = matters_itself(c, o, p, i);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < x->n_txns; i++)
            for (size_t k = 0; matters[i] && k < x->txns[i].n_reads; k++) {
                uint32_t from = x->txns[i].reads[k].source;
                if (from == EXEC_INITIAL || matters[from])
                    continue;
                matters[from] = more = true;
            }
    }
    for (uint32_t i = 0; i < x->n_txns && !any; i++)
        matters[i] = true;
    return matters;
}

/* "withdraw(0, 100) and withdraw(1, 100)", in arbitration order. */
static void put_names(const struct cex *c, const bool *chosen, struct strbuf *out)
{
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < c->x->n_txns; i++)
        n += chosen[i];
    for (uint32_t i = 0; i < c->x->n_txns; i++) {
        if (!chosen[c->x->ar[i]])
            continue;
        const char *join = done == 0 ? "" : done + 1 < n ? ", " : " and ";
        sb_printf(out, "%s%s", join, c->names[c->x->ar[i]]);
        done++;
    }
}

/* Those of the anomaly, then those beside it: "write skew of a() and b(), with c()". */
static void put_who(struct cex *c, const struct verify_opinion *o, const struct verify_property *p,
                    struct strbuf *out)
{
    bool *matters = find_matter(c, o, p), *cycle = arena_array(&c->arena, bool, c->x->n_txns + 1);
    bool any_cycle = false, others = false;
    for (uint32_t i = 0; i < c->x->n_txns; i++) {
        cycle[i] = in_cycle(o, i);
        any_cycle |= cycle[i];
        others |= matters[i] && !cycle[i];
    }
    if (!any_cycle) {
        put_names(c, matters, out);
        return;
    }
    put_names(c, cycle, out);
    for (uint32_t i = 0; i < c->x->n_txns; i++)
        matters[i] &= !cycle[i];
    if (others)
        sb_puts(out, ", with ");
    put_names(c, matters, out);
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
        put_who(&c, o, p, out);
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
        sb_printf(out, "%s %s", cex_property(&c, p),
                  report_is_builtin(p->kind) ? "fails" : "is false");
    if (c.x->values)
        sb_printf(out, ": %s", c.x->values);
    else if (rows && p->func && cex_condition(&c, p->func, rows, n, &condition))
        sb_printf(out, ": %s", cex_unbroken(&c, condition.values));
    cex_free(&c);
}

void report_known_models(const struct verify_result *const *results, size_t n, struct strbuf *out)
{
    for (size_t i = 0; i < n; i++)
        sb_printf(out, "%s%s under %s", i ? ", " : "", verify_status_name(results[i]->overall),
                  results[i]->model->name);
}

void report_known_property(const struct verify_result *r, const struct verify_verdict *d,
                           struct strbuf *out)
{
    sb_printf(out, "%s %s under %s (", verify_status_name(d->status),
              r->properties[d->property].name, r->model->name);
    report_runs(r, d, out);
    sb_putc(out, ')');
}

void report_never_runs(const struct ast_func *txn)
{
    message_warning("%s never runs: nothing satisfies its assumptions, so nothing is said about it",
                    txn->name);
}

void report_filled(const struct ast_var *table)
{
    message_warning("fresh(%s) finds no row: none is all zeros at first, so no execution calls it",
                    table->name);
}

void report_disagreement(const char *what, const struct execution *x, const struct history *h,
                         const struct check_result *r, FILE *out)
{
    fprintf(out, "%s\n\n--- the verifier's execution\n", what);
    exec_print(x, out);
    if (!h)
        return;
    fputs("\n--- the history made from it\n", out);
    hist_dump(h, out);
    if (!r)
        return;
    fputs("\n--- the history engine's answer\n", out);
    check_result_dump(h, r, out);
}
