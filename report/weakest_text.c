/* The text report of `visar weakest`: the answer, a table of the models with the execution that
 * rules out each one just below, and what to ask of a real database. */
#include "report/verify_report.h"

#include <ctype.h>
#include <string.h>

struct text {
    const struct weakest_view *w;
    struct page p;
    struct arena arena;
};

static bool holds(enum verify_status s)
{
    return s == VERIFY_PROVED || s == VERIFY_HOLDS;
}

static const struct weakest_line *line_of(const struct text *t, enum model_id m)
{
    return &t->w->line[m];
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* For which runs the result holds: the weakest statement among its verdicts. */
static void put_extent(const struct verify_result *r, struct strbuf *b)
{
    const struct verify_verdict *d = NULL;
    bool several = false;
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->verdicts[i].status == VERIFY_HOLDS) {
            several |= d && d->scenario != r->verdicts[i].scenario;
            d = &r->verdicts[i];
        }
    if (!d && r->n_verdicts)
        sb_puts(b, "any number of transactions");
    else if (several)
        sb_puts(b, "the program's scenarios");
    else if (d)
        report_runs(d, b);
}

static void put_answer(struct text *t)
{
    struct strbuf names = {0}, extent = {0};
    unsigned count = 0;
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        if (!l->minimal)
            continue;
        sb_puts(&names, count++ ? " and " : "");
        report_model(l->model, &names);
        if (!extent.len && l->result)
            put_extent(l->result, &extent);
    }
    const char *bold = page_ink(&t->p, PAGE_BOLD), *plain = page_ink(&t->p, PAGE_PLAIN);
    if (count)
        fprintf(t->p.out, "%s%s%s %s the weakest that %s enough, for %s.\n", bold, sb_str(&names),
                plain, count > 1 ? "are" : "is", count > 1 ? "are" : "is", sb_str(&extent));
    else if (line_of(t, MODEL_SER)->status == VERIFY_VIOLATED)
        fprintf(t->p.out, "%sNo model is enough%s: not even serializability.\n", bold, plain);
    else
        fprintf(t->p.out, "%sUNKNOWN%s: no model is known to be enough.\n", bold, plain);
    if (count && !t->w->settled)
        fputs("Weaker ones may do as well: not every model could be settled.\n", t->p.out);
    sb_free(&names);
    sb_free(&extent);
}

/* ---- the table ------------------------------------------------------------------------------ */

static enum page_ink ink_of(enum verify_status s)
{
    return holds(s) ? PAGE_GOOD : s == VERIFY_VIOLATED ? PAGE_BAD : PAGE_DOUBT;
}

static const char *reason_of(const struct verify_result *r)
{
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].reason)
            return r->verdicts[i].reason;
    return "a limit was reached before it was tried";
}

/* A violated property for each line: the first is told, the others are named. */
static void put_violations(struct text *t, const struct verify_result *r, struct strbuf *b)
{
    const struct verify_verdict *d = report_violation(r);
    report_short(&t->w->base, r, d, b);
    unsigned more = 0;
    for (uint32_t i = 0; i < r->n_properties; i++) {
        const struct verify_verdict *other = report_worst(r, i);
        more += i != d->property && other && other->status == VERIFY_VIOLATED;
    }
    if (more)
        sb_printf(b, " (and %u more)", more);
}

static void put_why(struct text *t, const struct weakest_line *l, struct strbuf *b)
{
    if (l->minimal && l->result) {
        put_extent(l->result, b);
    } else if (holds(l->status)) {
        sb_printf(b, "as under %s", l->by->name);
    } else if (l->status == VERIFY_VIOLATED && l->ruled_out && l->result) {
        put_violations(t, l->result, b);
    } else if (l->status == VERIFY_VIOLATED) {
        /* the strongest model whose execution is shown */
        const struct model *shown = l->by;
        for (int m = 0; m < MODEL_COUNT; m++)
            if (t->w->line[m].ruled_out && model_weaker_or_equal(l->model->id, (enum model_id)m))
                shown = t->w->line[m].model;
        sb_printf(b, "as under %s", shown->name);
    } else {
        sb_puts(b, reason_of(l->result));
    }
}

static void put_table(struct text *t)
{
    fputc('\n', t->p.out);
    for (int m = MODEL_COUNT; m-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        struct strbuf b = {0}, status = {0};
        page_pad(&status, holds(l->status) && !l->minimal ? "holds" : verify_status_name(l->status),
                 10);
        fprintf(t->p.out, "  %s%-5s%s%s%s%s", page_ink(&t->p, l->minimal ? PAGE_BOLD : PAGE_PLAIN),
                l->model->name, page_ink(&t->p, PAGE_PLAIN), page_ink(&t->p, ink_of(l->status)),
                sb_str(&status), page_ink(&t->p, PAGE_PLAIN));
        put_why(t, l, &b);
        /* the words start in column 17 */
        struct strbuf padded = {0};
        sb_puts(&padded, sb_str(&b));
        page_text(&t->p, 0, 17, sb_str(&padded));
        sb_free(&padded);
        sb_free(&b);
        sb_free(&status);
    }
}

/* ---- databases ------------------------------------------------------------------------------ */

/* Why a level is not enough: the anomaly that its model allows. */
static const char *why_not(struct text *t, enum model_id m)
{
    for (int s = MODEL_COUNT; s-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)s);
        if (!l->ruled_out || !l->result || !model_weaker_or_equal(m, l->model->id))
            continue;
        const struct verify_verdict *d = report_violation(l->result);
        const char *word =
            d ? report_anomaly_word(report_opinion(&t->w->base, d->execution)) : NULL;
        if (word)
            return word;
    }
    return NULL;
}

static void put_not_enough(struct text *t, const struct model_profile *p, struct strbuf *b)
{
    const char *word = why_not(t, p->model);
    sb_printf(b, "%s%s", b->len ? "; " : "", p->level);
    if (word)
        sb_printf(b, " allows %s", word);
    else
        sb_puts(b, " is not enough");
}

/* One database: the profiles [from, to), weakest first. */
static void put_database(struct text *t, size_t from, size_t to)
{
    const struct model_profile *enough = NULL;
    struct strbuf no = {0}, b = {0}, name = {0};
    for (size_t i = from; i < to; i++) {
        const struct model_profile *p = &model_profiles[i];
        enum verify_status s = line_of(t, p->model)->status;
        if (holds(s) && !enough)
            enough = p;
        else if (s == VERIFY_VIOLATED)
            put_not_enough(t, p, &no);
    }
    if (enough)
        sb_printf(&b, "%s%s%s", page_ink(&t->p, PAGE_BOLD), enough->level,
                  page_ink(&t->p, PAGE_PLAIN));
    else
        sb_puts(&b, "nothing it offers is enough");
    if (enough && !enough->exact)
        sb_printf(&b, ", but only about %s: %s", model_get(enough->model)->name, enough->note);
    if (no.len)
        sb_printf(&b, " (%s)", no.data);
    page_pad(&name, model_profiles[from].database, 18);
    fprintf(t->p.out, "  %s", sb_str(&name));
    page_text(&t->p, 0, 20, sb_str(&b));
    sb_free(&no);
    sb_free(&b);
    sb_free(&name);
}

static void put_databases(struct text *t)
{
    page_heading(&t->p, "What to ask of a database");
    for (size_t i = 0, end; i < model_profile_count; i = end) {
        end = i + 1;
        while (end < model_profile_count &&
               !strcmp(model_profiles[end].database, model_profiles[i].database))
            end++;
        put_database(t, i, end);
    }
}

/* ---- a level for each transaction ----------------------------------------------------------- */

static void put_step(struct text *t, const struct weakest_step *s)
{
    struct strbuf b = {0};
    const struct verify_verdict *d = s->result ? report_violation(s->result) : NULL;
    sb_printf(&b, "at %s: ", s->to->name);
    if (d)
        put_violations(t, s->result, &b);
    else
        sb_printf(&b, "not known: %s", reason_of(s->result));
    page_text(&t->p, 6, 8, sb_str(&b));
    sb_free(&b);
}

static void put_levels(struct text *t)
{
    const struct weakest_view *w = t->w;
    page_heading(&t->p, "A level for each transaction");
    if (!w->levels) {
        page_text(&t->p, 2, 2, "there is none: no level for all of them is known to be enough");
        return;
    }
    struct strbuf extent = {0};
    for (size_t i = 0; i < w->n_txns; i++) {
        bool lowest = !w->levels[i]->below;
        fprintf(t->p.out, "  %s%s%s at %s%s%s%s\n", page_ink(&t->p, PAGE_BOLD), w->txns[i]->name,
                page_ink(&t->p, PAGE_PLAIN), page_ink(&t->p, PAGE_GOOD), w->levels[i]->name,
                page_ink(&t->p, PAGE_PLAIN), lowest ? "" : ", not lower:");
        for (size_t k = 0; k < w->n_steps; k++)
            if (w->steps[k].txn == w->txns[i])
                put_step(t, &w->steps[k]);
    }
    put_extent(w->mixed, &extent);
    page_printf(&t->p, 2, 2, "Together they are enough, for %s.", sb_str(&extent));
    sb_free(&extent);
}

/* ---- everything ----------------------------------------------------------------------------- */

static void put_stories(struct text *t)
{
    for (int m = MODEL_COUNT; m-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        const struct verify_verdict *d =
            l->ruled_out && l->result ? report_violation(l->result) : NULL;
        if (!d)
            continue;
        page_heading(&t->p, "Why %s is not enough", l->model->name);
        fputc('\n', t->p.out);
        report_story(&t->w->base, &t->p, l->result, d);
    }
}

void report_weakest_text(const struct weakest_view *w, FILE *out)
{
    struct text t = {.w = w, .p = {out, w->base.color}};
    put_answer(&t);
    if (!w->base.quiet) {
        put_table(&t);
        if (w->per_transaction)
            put_levels(&t);
        put_databases(&t);
        if (w->base.verbose)
            put_stories(&t);
    } else if (w->per_transaction) {
        put_levels(&t);
    }
    arena_free(&t.arena);
}
