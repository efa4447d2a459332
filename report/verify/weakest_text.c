/* The text report of `visar weakest`: the answer, a table of the models with the execution that
 * rules out each one just below, and what to ask of a real database. */
#include "report/verify/databases.h"

#include <ctype.h>
#include <string.h>

#include "base/limit.h"

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
        sb_puts(b, report_any_number(r));
    else if (several)
        sb_puts(b, "the program's scenarios");
    else if (d)
        report_runs(r, d, b);
}

/* What the answer rests on, over all minimal models: nothing if everything is proved. */
static void put_checked(const struct text *t, struct strbuf *b)
{
    const struct verify_verdict *least = NULL;
    bool scenarios = false;
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        for (size_t i = 0; l->minimal && l->result && i < l->result->n_verdicts; i++) {
            const struct verify_verdict *d = &l->result->verdicts[i];
            scenarios |= d->status == VERIFY_HOLDS && d->scenario;
            if (d->status == VERIFY_HOLDS && !d->scenario &&
                (!least || d->bound < least->bound ||
                 (d->bound == least->bound && d->rows < least->rows)))
                least = d;
        }
    }
    if (least) {
        sb_printf(b, " (checked up to %u\u00a0transactions", least->bound);
        report_rows(least->rows, false, b);
        sb_putc(b, ')');
    } else if (scenarios)
        sb_puts(b, " in the program's scenarios");
}

static void put_answer(struct text *t)
{
    struct strbuf names = {0};
    unsigned count = 0;
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        if (!l->minimal)
            continue;
        sb_puts(&names, count++ ? " and " : "");
        report_model(l->model, &names);
    }
    struct strbuf b = {0};
    const char *is = count > 1 ? "are" : "is", *s = count > 1 ? "s" : "";
    if (names.len)
        names.data[0] = (char)toupper((unsigned char)names.data[0]);
    if (count) {
        sb_printf(&b, "%s %s the weakest model%s under which everything holds", sb_str(&names), is,
                  s);
        put_checked(t, &b);
        sb_putc(&b, '.');
    } else if (line_of(t, MODEL_SER)->status == VERIFY_VIOLATED)
        sb_puts(&b, "No model is enough: not even serializability.");
    else
        sb_puts(&b, "UNKNOWN: no model is known to be enough.");
    fputs(page_ink(&t->p, PAGE_BOLD), t->p.out);
    page_text(&t->p, 0, 0, sb_str(&b));
    fputs(page_ink(&t->p, PAGE_PLAIN), t->p.out);
    sb_free(&b);
    if (report_weakest_anywhere(t->w))
        page_text(&t->p, 0, 0, REPORT_NO_INITIAL);
    if (count && !t->w->settled)
        fputs("Weaker ones may do as well: not every model could be settled.\n", t->p.out);
    sb_free(&names);
}

/* ---- the table ------------------------------------------------------------------------------ */

static enum page_ink ink_of(enum verify_status s)
{
    return holds(s) ? PAGE_GOOD : s == VERIFY_VIOLATED ? PAGE_BAD : PAGE_DOUBT;
}

/* Why nothing is known.  What holds, but was not checked as far as for others, does not count. */
static void put_reason(const struct verify_result *r, struct strbuf *b)
{
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].reason && r->verdicts[i].status == r->overall) {
            sb_puts(b, r->verdicts[i].reason);
            return;
        }
    if (r && holds(r->overall)) {
        sb_puts(b, "a limit was reached; holds for ");
        put_extent(r, b);
    } else if (limit_reached()) {
        sb_puts(b, limit_text_of("not tried"));
    } else {
        sb_puts(b, "not tried: a limit was reached");
    }
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
        sb_printf(b, " (and %u more propert%s)", more, more == 1 ? "y" : "ies");
}

static void put_why(struct text *t, const struct weakest_line *l, struct strbuf *b)
{
    if (l->minimal && l->result)
        put_extent(l->result, b);
    else if (l->status == VERIFY_VIOLATED && l->ruled_out && l->result)
        put_violations(t, l->result, b);
    else if (holds(l->status) || l->status == VERIFY_VIOLATED)
        sb_printf(b, "as under %s", report_told_by(t->w, l)->name);
    else
        put_reason(l->result, b);
}

static void put_line(struct text *t, const struct weakest_line *l, const char *why)
{
    struct strbuf status = {0};
    page_pad(&status, holds(l->status) && !l->minimal ? "holds" : verify_status_name(l->status), 9);
    sb_putc(&status, ' ');
    fprintf(t->p.out, "  %s%-5s%s%s%s%s", page_ink(&t->p, l->minimal ? PAGE_BOLD : PAGE_PLAIN),
            l->model->name, page_ink(&t->p, PAGE_PLAIN), page_ink(&t->p, ink_of(l->status)),
            sb_str(&status), page_ink(&t->p, PAGE_PLAIN));
    page_continue(&t->p, 17, why);
    sb_free(&status);
}

/* What each line says.  Stronger models first: who is ruled out in the same way, or unknown for the
 * same reason, refers to them. */
static void find_whys(struct text *t, const char *why[MODEL_COUNT])
{
    const char *said[MODEL_COUNT] = {0};
    for (int m = MODEL_COUNT; m-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        struct strbuf b = {0};
        put_why(t, l, &b);
        why[m] = said[m] = arena_strdup(&t->arena, sb_str(&b));
        for (int above = MODEL_COUNT - 1; above > m; above--)
            if ((l->ruled_out || l->status == VERIFY_UNKNOWN) && !strcmp(said[m], said[above])) {
                why[m] = arena_printf(&t->arena, "as under %s", model_table[above].name);
                break;
            }
        sb_free(&b);
    }
}

static void put_table(struct text *t)
{
    const char *why[MODEL_COUNT];
    find_whys(t, why);
    fputc('\n', t->p.out);
    for (int m = 0; m < MODEL_COUNT; m++)
        put_line(t, line_of(t, (enum model_id)m), why[m]);
}

/* ---- databases ------------------------------------------------------------------------------ */

static const char *anomaly_of(struct text *t, const struct verify_result *r)
{
    const struct verify_verdict *d = r ? report_violation(r) : NULL;
    return d ? report_anomaly_word(report_opinion(&t->w->base, d->execution)) : NULL;
}

/* Why a level is not enough: the anomaly that it, or its model, allows. */
static const char *why_not(struct text *t, const struct model_profile *p)
{
    const struct server_line *measured = report_server(t->w, p->measured);
    enum model_id m = p->model;
    if (measured && measured->result)
        return anomaly_of(t, measured->result);
    if (measured && measured->same)
        m = measured->same->id;
    for (int s = MODEL_COUNT; s-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)s);
        if (!l->ruled_out || !l->result || !model_weaker_or_equal(m, l->model->id))
            continue;
        const char *word = anomaly_of(t, l->result);
        if (word)
            return word;
    }
    return NULL;
}

static void put_word(struct strbuf *b, const char *word)
{
    if (!word)
        return;
    sb_puts(b, " (");
    for (; *word; word++)
        if (*word == ' ')
            sb_puts(b, "\u00a0");
        else
            sb_putc(b, *word);
    sb_putc(b, ')');
}

static bool is_unknown(enum database_answer a)
{
    return a >= DATABASE_LOCKS;
}

/* The levels that were measured are no chain: every one that is enough is named. */
static bool is_measured(const struct text *t, const struct model_profile *p)
{
    return report_server(t->w, p->measured) != NULL;
}

/* The levels that are not enough: "not READ COMMITTED or REPEATABLE READ (write skew)"; and those
 * below the one that is enough (or all, if none is) of which that is not known, with a star. */
static void put_others(struct text *t, size_t from, size_t to, struct strbuf *b)
{
    const char *word = NULL;
    bool any = false, starred = false, below = true;
    for (size_t i = from; i < to; i++) {
        const struct model_profile *p = &model_profiles[i];
        enum database_answer a = report_database(t->w, p);
        bool unknown = (is_unknown(a) || (a == DATABASE_UNSETTLED && is_measured(t, p))) && below;
        below &= a != DATABASE_ENOUGH || is_measured(t, p);
        if (!unknown && a != DATABASE_NOT_ENOUGH)
            continue;
        const char *other = unknown ? NULL : why_not(t, p);
        bool same = any && unknown == starred && !strcmp(word ? word : "", other ? other : "");
        if (any && !same)
            put_word(b, word);
        if (same)
            sb_puts(b, unknown ? ", " : " or ");
        else
            sb_printf(b, "%s%s", any ? "; " : "", unknown ? "" : "not ");
        sb_printf(b, "%s%s", p->level, unknown ? "*" : "");
        starred = unknown;
        word = other;
        any = true;
    }
    put_word(b, word);
}

/* "READ COMMITTED" or, if it was measured, all that are enough; "—": none is known to be. */
static void put_enough(struct text *t, size_t from, size_t to, struct strbuf *b)
{
    for (size_t i = from; i < to; i++)
        if (report_database(t->w, &model_profiles[i]) == DATABASE_ENOUGH) {
            sb_printf(b, "%s%s", b->len ? ", " : "", model_profiles[i].level);
            if (!is_measured(t, &model_profiles[i]))
                return;
        }
    if (!b->len)
        sb_puts(b, "—");
}

/* What the level that is enough, by its documentation, is not quite. */
static void put_about(struct text *t, size_t from, size_t to, struct strbuf *b)
{
    for (size_t i = from; i < to; i++) {
        const struct model_profile *p = &model_profiles[i];
        if (report_database(t->w, p) != DATABASE_ENOUGH)
            continue;
        if (!p->exact && !is_measured(t, p))
            sb_printf(b, "%sabout %s: %s", b->len ? "; " : "", model_get(p->model)->name, p->note);
        return;
    }
}

/* One database: the profiles [from, to), weakest first. */
static void put_database(struct text *t, size_t from, size_t to)
{
    struct strbuf enough = {0}, no = {0}, b = {0};
    put_enough(t, from, to, &enough);
    put_others(t, from, to, &no);
    put_about(t, from, to, &no);
    sb_puts(&b, "  ");
    page_pad(&b, model_profiles[from].database, 18);
    sb_puts(&b, page_ink(&t->p, PAGE_BOLD));
    page_pad(&b, sb_str(&enough), no.len ? 21 : 0);
    sb_puts(&b, page_ink(&t->p, PAGE_PLAIN));
    if (no.len && enough.len > 20)
        sb_puts(&b, "; ");
    fputs(sb_str(&b), t->p.out);
    page_continue(&t->p, enough.len > 20 ? 22 + (int)enough.len : 41, sb_str(&no));
    sb_free(&enough);
    sb_free(&no);
    sb_free(&b);
}

/* Why something is not known, for every reason that occurs. */
static void put_stars(struct text *t, const bool *occurs)
{
    static const char *const why[] = {
        [DATABASE_UNSETTLED] =
            "the level could not be settled, as 'visar weakest --database' says.",
        [DATABASE_LOCKS] = "what for_update does at such a level is not in the models.",
        [DATABASE_STATEMENTS] =
            "there it depends on how the updates are written as SQL (one UPDATE that reads what "
            "it changes or a SELECT and an UPDATE, whole rows or single columns).",
        [DATABASE_LESS] = "the level gives less than the model that it is nearest to.",
    };
    struct strbuf b = {0};
    for (size_t i = DATABASE_UNSETTLED; i < sizeof why / sizeof *why; i++)
        if (occurs[i] && why[i])
            sb_printf(&b, "%s%s", b.len ? " Or: " : "* not known: ", why[i]);
    if (b.len)
        page_text(&t->p, 2, 4, b.data);
    sb_free(&b);
}

static void put_databases(struct text *t)
{
    bool occurs[DATABASE_LESS + 1] = {0}, documented = false;
    page_heading(&t->p, "What to ask of a database");
    for (size_t i = 0, end; i < model_profile_count; i = end) {
        bool below = true;
        end = i + 1;
        while (end < model_profile_count &&
               !strcmp(model_profiles[end].database, model_profiles[i].database))
            end++;
        if (!documented && model_profiles[i].measured == MODEL_NONE) {
            fputs("  by their documentation, not measured:\n", t->p.out);
            documented = true;
        }
        put_database(t, i, end);
        for (; i < end && below; i++) {
            enum database_answer a = report_database(t->w, &model_profiles[i]);
            below = a != DATABASE_ENOUGH || is_measured(t, &model_profiles[i]);
            occurs[a] |= a != DATABASE_UNSETTLED || is_measured(t, &model_profiles[i]);
        }
    }
    put_stars(t, occurs);
}

/* ---- one database -------------------------------------------------------------------------- */

static const struct {
    const char *option, *name, *measured;
} databases[] = {
    {"postgresql", "PostgreSQL", "PostgreSQL 15"},
    {"mysql", "MySQL", "MariaDB 10.11, whose engine is MySQL's"},
    {"mariadb", "MariaDB", "MariaDB 10.11"},
};

static bool is_named(const struct server_line *l, bool good)
{
    return l->model && (good ? holds(l->status) : l->status == VERIFY_VIOLATED);
}

/* "READ COMMITTED, REPEATABLE READ and SERIALIZABLE" */
static void put_names(struct text *t, bool good, struct strbuf *b, unsigned *n)
{
    unsigned all = 0;
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        all += is_named(&t->w->server[i], good);
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (is_named(&t->w->server[i], good)) {
            sb_printf(b, "%s%s",
                      !*n             ? ""
                      : *n + 1 == all ? " and "
                                      : ", ",
                      t->w->server[i].model->server_level);
            ++*n;
        }
}

/* "PostgreSQL: READ COMMITTED and SERIALIZABLE are enough, REPEATABLE READ is not." */
static void put_server_answer(struct text *t, const char *name)
{
    struct strbuf good = {0}, bad = {0}, b = {0};
    unsigned n_good = 0, n_bad = 0;
    put_names(t, true, &good, &n_good);
    put_names(t, false, &bad, &n_bad);
    if (n_good)
        sb_printf(&b, "%s: %s %s enough", name, sb_str(&good), n_good > 1 ? "are" : "is");
    if (n_good && n_bad)
        sb_printf(&b, ", %s %s not.", sb_str(&bad), n_bad > 1 ? "are" : "is");
    else if (n_good)
        sb_putc(&b, '.');
    else if (n_bad == 3)
        sb_printf(&b, "%s: no level is enough, not even SERIALIZABLE.", name);
    else
        sb_printf(&b, "UNKNOWN: no level of %s is known to be enough.", name);
    fputs(page_ink(&t->p, PAGE_BOLD), t->p.out);
    page_text(&t->p, 0, 0, sb_str(&b));
    fputs(page_ink(&t->p, PAGE_PLAIN), t->p.out);
    sb_free(&good);
    sb_free(&bad);
    sb_free(&b);
}

static void put_server(struct text *t, const struct server_line *l)
{
    struct strbuf b = {0}, why = {0};
    page_pad(&b, l->model->server_level, 16);
    page_pad(&b, l->model->name, 7);
    fprintf(t->p.out, "  %s%s", sb_str(&b), page_ink(&t->p, ink_of(l->status)));
    sb_clear(&b);
    page_pad(&b, verify_status_name(l->status), 10);
    fprintf(t->p.out, "%s%s", sb_str(&b), page_ink(&t->p, PAGE_PLAIN));
    if (holds(l->status))
        put_extent(l->result, &why);
    else if (l->status == VERIFY_VIOLATED)
        put_violations(t, l->result, &why);
    else
        put_reason(l->result, &why);
    page_continue(&t->p, 35, sb_str(&why));
    sb_free(&b);
    sb_free(&why);
}

static void put_server_stories(struct text *t)
{
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++) {
        const struct server_line *l = &t->w->server[i];
        const struct verify_verdict *d =
            l->model && l->status == VERIFY_VIOLATED ? report_violation(l->result) : NULL;
        if (!d)
            continue;
        page_heading(&t->p, "Why %s is not enough", l->model->server_level);
        fputc('\n', t->p.out);
        report_story(&t->w->base, &t->p, l->result, d);
    }
}

static void put_one_database(struct text *t)
{
    size_t d = 0;
    while (strcmp(databases[d].option, t->w->database) != 0)
        d++;
    put_server_answer(t, databases[d].name);
    if (t->w->base.quiet)
        return;
    fputc('\n', t->p.out);
    const struct server_line *last = NULL;
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (t->w->server[i].model) {
            put_server(t, &t->w->server[i]);
            if (t->w->server[i].status == VERIFY_VIOLATED)
                last = &t->w->server[i];
        }
    page_printf(&t->p, 0, 0,
                "\nEach level was decided on its own: they are no chain. Measured on %s "
                "(docs/databases.md).",
                databases[d].measured);
    if (t->w->base.verbose)
        put_server_stories(t);
    else if (last)
        fprintf(t->p.out, "\nThe execution: visar verify %s --model %s\n", t->w->base.file,
                last->model->name);
}

/* ---- a level for each transaction ----------------------------------------------------------- */

static void put_step(struct text *t, const struct weakest_step *s)
{
    struct strbuf b = {0};
    const struct verify_verdict *d = s->result ? report_violation(s->result) : NULL;
    sb_printf(&b, "at %s: ", s->to->name);
    if (d) {
        put_violations(t, s->result, &b);
    } else if (s->status == VERIFY_VIOLATED) {
        sb_printf(&b, "violated, as at %s", s->by->name);
    } else {
        sb_puts(&b, "not known: ");
        put_reason(s->result, &b);
    }
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

/* Without a model that is enough there is nothing to ask for. */
static bool any_enough(const struct text *t)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        if (holds(line_of(t, (enum model_id)m)->status))
            return true;
    return false;
}

/* ---- everything ----------------------------------------------------------------------------- */

static void put_stories(struct text *t)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
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

/* How to see why the strongest model that fails does. */
static void put_command(struct text *t)
{
    for (int m = MODEL_COUNT; m-- > 0;) {
        const struct weakest_line *l = line_of(t, (enum model_id)m);
        if (!l->ruled_out || !l->result)
            continue;
        fprintf(t->p.out, "\nThe execution: visar verify %s --model %s\n", t->w->base.file,
                l->model->name);
        return;
    }
}

void report_weakest_text(const struct weakest_view *w, FILE *out)
{
    struct text t = {.w = w, .p = {out, w->base.color, PAGE_WIDTH}};
    if (w->database) {
        put_one_database(&t);
        arena_free(&t.arena);
        return;
    }
    put_answer(&t);
    if (!w->base.quiet) {
        put_table(&t);
        if (w->per_transaction)
            put_levels(&t);
        if (any_enough(&t))
            put_databases(&t);
        if (w->base.verbose)
            put_stories(&t);
        else
            put_command(&t);
    } else if (w->per_transaction) {
        put_levels(&t);
    }
    arena_free(&t.arena);
}
