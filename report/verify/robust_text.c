/* The text report of `visar robust`: a line for each model, then the story of an execution that is
 * not serializable, for the strongest models that allow one. */
#include "report/verify/robust_report.h"

struct text {
    const struct verify_view *v;
    struct page p;
};

static bool is_good(enum verify_status s)
{
    return s == VERIFY_PROVED || s == VERIFY_HOLDS;
}

static const char *word(enum verify_status s)
{
    if (is_good(s))
        return "ROBUST";
    return s == VERIFY_VIOLATED ? "NOT ROBUST" : verify_status_name(s);
}

static enum page_ink ink_of(enum verify_status s)
{
    if (is_good(s))
        return PAGE_GOOD;
    return s == VERIFY_VIOLATED || s == VERIFY_INTERNAL_ERROR ? PAGE_BAD : PAGE_DOUBT;
}

/* Session order adds something to what was asked only in scenarios. */
static void put_sessions(const struct text *t, const struct verify_result *r,
                         const struct verify_verdict *d, struct strbuf *b)
{
    if (!d->scenario && !t->v->no_session_order && !model_has(r->model, AXIOM_TOTALVIS))
        sb_puts(b, ", each in a session of its own");
}

/* The runs that ended as the whole did: "scenario a (2 transactions); scenario b (…)". */
static void put_runs(const struct text *t, const struct verify_result *r, struct strbuf *b)
{
    bool first = true;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        if (d->status != r->overall)
            continue;
        sb_puts(b, first ? ": " : "; ");
        if (d->status == VERIFY_PROVED)
            sb_puts(b, "proved for any number of transactions");
        else
            report_runs(r, d, b);
        put_sessions(t, r, d, b);
        first = false;
    }
}

static const char *reason(const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->verdicts[i].status == r->overall && r->verdicts[i].reason)
            return r->verdicts[i].reason;
    return NULL;
}

#define WORD_COLUMNS 11

static void model_line(struct text *t, const struct verify_result *r)
{
    struct strbuf lead = {0}, b = {0};
    const char *why = reason(r);
    page_pad(&lead, word(r->overall), WORD_COLUMNS);
    sb_printf(&b, "under %s", r->model->name);
    if (is_good(r->overall))
        put_runs(t, r, &b);
    else if (why)
        sb_printf(&b, ": %s", why);
    fprintf(t->p.out, "%s%s%s ", page_ink(&t->p, ink_of(r->overall)), sb_str(&lead),
            page_ink(&t->p, PAGE_PLAIN));
    page_continue(&t->p, WORD_COLUMNS + 1, sb_str(&b));
    sb_free(&lead);
    sb_free(&b);
}

/* ---- stories -------------------------------------------------------------------------------- */

/* An execution of a stronger model is one of the weaker model as well. */
static bool shown_elsewhere(const struct text *t, const struct verify_result *r)
{
    for (size_t m = 0; m < t->v->n_results && !t->v->verbose; m++) {
        const struct verify_result *other = t->v->results[m];
        if (other != r && report_violation(other) && report_violation(other)->execution &&
            model_weaker_or_equal(r->model->id, other->model->id))
            return true;
    }
    return false;
}

static void weaker_models(struct text *t, const struct verify_result *r)
{
    struct strbuf b = {0};
    for (size_t m = 0; m < t->v->n_results && !t->v->verbose; m++) {
        const struct verify_result *other = t->v->results[m];
        if (other != r && other->overall == VERIFY_VIOLATED &&
            model_weaker_or_equal(other->model->id, r->model->id))
            sb_printf(&b, "%s%s", b.len ? ", " : "", other->model->name);
    }
    if (b.len)
        page_printf(&t->p, 2, 2, "The same execution is possible under %s.", sb_str(&b));
    sb_free(&b);
}

static void story_of(struct text *t, const struct verify_result *r)
{
    const struct verify_verdict *d = report_violation(r);
    if (!d || !d->execution || shown_elsewhere(t, r))
        return;
    struct strbuf runs = {0};
    report_runs(r, d, &runs);
    page_heading(&t->p, "No serial execution is equivalent to this one under %s: %s",
                 r->model->title, sb_str(&runs));
    fputc('\n', t->p.out);
    report_story(t->v, &t->p, r, d);
    weaker_models(t, r);
    sb_free(&runs);
}

/* ---- remarks -------------------------------------------------------------------------------- */

static void remarks(struct text *t)
{
    bool anywhere = false, locks = false;
    for (size_t m = 0; m < t->v->n_results; m++) {
        anywhere |= report_from_anywhere(t->v->results[m]);
        locks |= report_locks_matter(t->v->results[m]);
    }
    if (anywhere)
        page_text(&t->p, 0, 0, REPORT_NO_INITIAL);
    if (locks)
        page_text(&t->p, 0, 0,
                  "for_update is only a read under rc, rcs, ra, cc and pc: a database's row locks "
                  "may prevent what these models allow (docs/databases.md)");
    if (t->v->no_session_order)
        fputs("session order does not count (--no-session-order)\n", t->p.out);
    if (t->v->fields)
        fputs("every field is a row of its own (--granularity field)\n", t->p.out);
}

void report_robust_text(const struct verify_view *v, FILE *out)
{
    struct text t = {.v = v, .p = {out, v->color, PAGE_WIDTH}};
    for (size_t m = 0; m < v->n_results; m++)
        model_line(&t, v->results[m]);
    remarks(&t);
    for (size_t m = v->n_results; m-- > 0 && !v->quiet;)
        story_of(&t, v->results[m]);
}
