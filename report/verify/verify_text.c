/* The text report of `visar verify`: the verdicts first (one model: a line for each property;
 * several: a matrix), then for each violated property the story of its execution, and for each
 * unproved one the states where induction fails. */
#include "report/verify/verify_report.h"
#include "report/page/words.h"

#include <string.h>

#define NAME_COLUMNS 44 /* of a property in the matrix, at most */

struct text {
    const struct verify_view *v;
    struct page p;
    struct arena arena;
};

static enum page_ink ink_of(enum verify_status s)
{
    switch (s) {
    case VERIFY_PROVED:
    case VERIFY_HOLDS:
        return PAGE_GOOD;
    case VERIFY_VIOLATED:
    case VERIFY_INTERNAL_ERROR:
        return PAGE_BAD;
    default:
        return PAGE_DOUBT;
    }
}

static const char *place(struct text *t, struct src_loc loc)
{
    struct cex c;
    cex_init(&c, t->v->ast, t->v->files, NULL, NULL);
    const char *s = arena_strdup(&t->arena, cex_full_place(&c, loc));
    cex_free(&c);
    return s;
}

/* "invariant solvent", "assertion x > 0 in audit". */
static const char *property_name(struct text *t, const struct verify_property *p)
{
    const char *kind = verify_property_kind_name(p->kind);
    struct strbuf safe = {0};
    words_safe(p->name, strlen(p->name), WORDS_ALL, &safe);
    bool predicate = p->kind == VERIFY_INVARIANT || p->kind == VERIFY_FINAL || !p->func;
    const char *name = arena_printf(&t->arena, "%s %s%s%s", kind, sb_str(&safe),
                                    predicate ? "" : " in ", predicate ? "" : p->func->name);
    sb_free(&safe);
    return name;
}

/* ---- one model: a line for each property ---------------------------------------------------- */

static void verdict_line(struct text *t, enum verify_status s, const char *words)
{
    struct strbuf b = {0};
    page_pad(&b, verify_status_name(s), 9);
    sb_putc(&b, ' ');
    fprintf(t->p.out, "%s%s%s", page_ink(&t->p, ink_of(s)), sb_str(&b),
            page_ink(&t->p, PAGE_PLAIN));
    sb_free(&b);
    page_continue(&t->p, 10, words);
}

/* All runs of a property that ended alike: "scenarios a, b". */
static void put_where(const struct verify_result *r, const struct verify_verdict *d,
                      struct strbuf *b)
{
    if (d->status == VERIFY_UNKNOWN || d->status == VERIFY_VACUOUS ||
        d->status == VERIFY_INTERNAL_ERROR) {
        sb_printf(b, ": %s", d->reason ? d->reason : "no reason given");
        return;
    }
    if (d->status == VERIFY_VIOLATED)
        return; /* the story says where */
    sb_puts(b, ": ");
    bool first = true;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *other = &r->verdicts[i];
        if (other->property != d->property || other->status != d->status)
            continue;
        sb_puts(b, first ? "" : "; ");
        report_runs(r, other, b);
        if (other->reach != VERIFY_REACHED)
            sb_puts(b, ", which never reach it");
        first = false;
    }
    bool helped = false;
    for (size_t i = 0; d->status == VERIFY_PROVED && i < d->n_used; i++)
        if (d->used[i] != d->property) {
            sb_printf(b, "%s%s", helped ? ", " : ", with the help of ",
                      r->properties[d->used[i]].name);
            helped = true;
        }
}

static bool is_dull(const struct text *t, const struct verify_property *p,
                    const struct verify_verdict *d)
{
    return !t->v->verbose && report_is_builtin(p->kind) &&
           (d->status == VERIFY_PROVED || d->status == VERIFY_HOLDS);
}

static void property_line(struct text *t, const struct verify_result *r, uint32_t property)
{
    const struct verify_property *p = &r->properties[property];
    const struct verify_verdict *d = report_worst(r, property);
    if (!d || is_dull(t, p, d))
        return;
    struct strbuf b = {0};
    sb_printf(&b, "%s (%s) under %s", property_name(t, p), place(t, p->loc), r->model->name);
    put_where(r, d, &b);
    verdict_line(t, d->status, sb_str(&b));
    sb_free(&b);
}

/* Which run a dull property of that status held in; NULL for all other properties. */
static const char *dull_where(struct text *t, const struct verify_result *r, uint32_t property,
                              enum verify_status s)
{
    const struct verify_verdict *d = report_worst(r, property);
    if (!d || d->status != s || !is_dull(t, &r->properties[property], d))
        return NULL;
    struct strbuf b = {0};
    put_where(r, d, &b);
    const char *where = arena_strdup(&t->arena, sb_str(&b));
    sb_free(&b);
    return where;
}

/* Those with the same words as the first: "2 bounds checks, 1 shift check".  They are done then. */
static void put_dull_kinds(const struct verify_result *r, const char **where, uint32_t first,
                           struct strbuf *b)
{
    const char *words = where[first];
    bool any = false;
    for (int k = 0; k <= VERIFY_SHIFT; k++) {
        unsigned n = 0;
        for (uint32_t i = first; i < r->n_properties; i++)
            if (where[i] && (int)r->properties[i].kind == k && !strcmp(where[i], words)) {
                n++;
                where[i] = NULL;
            }
        if (n)
            sb_printf(b, "%s%u %s%s", any ? ", " : "", n,
                      verify_property_kind_name((enum verify_property_kind)k), n == 1 ? "" : "s");
        any |= n > 0;
    }
}

/* Built-in checks that hold, in one line for each status and run. */
static void dull_lines(struct text *t, const struct verify_result *r, enum verify_status s)
{
    const char **where = arena_array(&t->arena, const char *, r->n_properties + 1);
    for (uint32_t i = 0; i < r->n_properties; i++)
        where[i] = dull_where(t, r, i, s);
    for (uint32_t i = 0; i < r->n_properties; i++) {
        if (!where[i])
            continue;
        const char *words = where[i];
        struct strbuf b = {0};
        sb_puts(&b, "built-in checks: ");
        put_dull_kinds(r, where, i, &b);
        sb_printf(&b, " under %s%s", r->model->name, words);
        verdict_line(t, s, sb_str(&b));
        sb_free(&b);
    }
}

/* "account.balance only grows" */
static void put_rely(const struct sx_program *program, const struct verify_rely *r,
                     struct strbuf *b)
{
    static const char *const facts[] = {
        [VERIFY_NEVER_CHANGES] = "never changes",
        [VERIFY_ONLY_GROWS] = "only grows",
        [VERIFY_ONLY_FALLS] = "only falls",
        [VERIFY_STAYS_SET] = "stays set once it is",
    };
    const struct sx_table *t = &program->tables[r->table];
    if (r->kind != VERIFY_CHANGES_WITH) {
        sb_printf(b, "%s%s %s", t->var->name, t->fields[r->field].path, facts[r->kind]);
        return;
    }
    if (r->kept == VERIFY_NEVER_CHANGES)
        sb_printf(b, "whoever changes %s%s writes its row of %s", t->var->name,
                  t->fields[r->field].path, program->tables[r->with].var->name);
    else
        sb_printf(b, "%s%s %s, unless its row of %s is written", t->var->name,
                  t->fields[r->field].path, facts[r->kept], program->tables[r->with].var->name);
    if (r->column != VERIFY_BY_INDEX)
        sb_printf(b, " (by %s %s)", t->fields[r->column].path, r->after ? "then" : "before");
}

/* The two-state facts that a proof rests on. */
static void put_relies(struct text *t, const struct verify_result *r, uint32_t property)
{
    const struct verify_verdict *d = report_worst(r, property);
    if (!d || d->status != VERIFY_PROVED || !d->n_relies)
        return;
    struct strbuf b = {0};
    for (size_t i = 0; i < d->n_relies; i++) {
        sb_puts(&b, i ? ", " : "");
        put_rely(r->program, &d->relies[i], &b);
    }
    page_printf(&t->p, 10, 10, "the proof of %s relies on this: %s", r->properties[property].name,
                sb_str(&b));
    sb_free(&b);
}

/* The invariants that a proof rests on although nobody wrote them. */
static void put_found(struct text *t, const struct verify_result *r, uint32_t property)
{
    const struct verify_verdict *d = report_worst(r, property);
    if (!d || d->status != VERIFY_PROVED)
        return;
    for (size_t i = 0; i < d->n_found; i++)
        page_printf(&t->p, 10, 10, "%s %s (found)", i ? "and" : "with", d->found[i]);
}

static void model_lines(struct text *t, const struct verify_result *r)
{
    static const enum verify_status order[] = {VERIFY_INTERNAL_ERROR, VERIFY_VIOLATED,
                                               VERIFY_UNKNOWN,        VERIFY_VACUOUS,
                                               VERIFY_HOLDS,          VERIFY_PROVED};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        for (uint32_t i = 0; i < r->n_properties; i++) {
            const struct verify_verdict *d = report_worst(r, i);
            if (d && d->status == order[k])
                property_line(t, r, i);
        }
        dull_lines(t, r, order[k]);
    }
    for (uint32_t i = 0; i < r->n_properties; i++) {
        if (t->v->verbose)
            put_relies(t, r, i);
        if (t->v->verbose || !report_is_builtin(r->properties[i].kind))
            put_found(t, r, i);
    }
}

/* ---- several models: a matrix --------------------------------------------------------------- */

static const char *cell(struct text *t, const struct verify_verdict *d)
{
    if (!d)
        return "-";
    switch (d->status) {
    case VERIFY_PROVED:
        return "✓";
    case VERIFY_HOLDS:
        return arena_printf(&t->arena, "✓%u", d->bound);
    case VERIFY_VIOLATED:
        return "✗";
    case VERIFY_VACUOUS:
        return "∅";
    case VERIFY_UNKNOWN:
        return "?";
    case VERIFY_INTERNAL_ERROR:
        break;
    }
    return "!";
}

static const struct verify_verdict *verdict_in(const struct verify_result *r,
                                               const struct verify_property *p)
{
    for (uint32_t i = 0; i < r->n_properties; i++)
        if (report_same_property(&r->properties[i], p))
            return report_worst(r, i);
    return NULL;
}

static int name_columns(struct text *t, const struct verify_result *r)
{
    int widest = 0;
    for (uint32_t i = 0; i < r->n_properties; i++) {
        const char *name = property_name(t, &r->properties[i]);
        int n = page_columns(name, strlen(name));
        widest = n > widest ? n : widest;
    }
    return widest < NAME_COLUMNS ? widest : NAME_COLUMNS;
}

static bool is_dull_row(struct text *t, const struct verify_property *p)
{
    for (size_t m = 0; m < t->v->n_results; m++) {
        const struct verify_verdict *d = verdict_in(t->v->results[m], p);
        if (d && !is_dull(t, p, d))
            return false;
    }
    return true;
}

/* Was it looked at, under any of the models?  (Other scenarios' assertions were not.) */
static bool has_verdict(struct text *t, const struct verify_property *p)
{
    for (size_t m = 0; m < t->v->n_results; m++)
        if (verdict_in(t->v->results[m], p))
            return true;
    return false;
}

/* The column of a model: its name and two blanks, and as wide as the widest. */
static int model_columns(const struct text *t)
{
    int widest = 3;
    for (size_t m = 0; m < t->v->n_results; m++) {
        int n = (int)strlen(t->v->results[m]->model->name);
        widest = n > widest ? n : widest;
    }
    return widest + 2;
}

static void matrix_row(struct text *t, const struct verify_property *p, int columns)
{
    struct strbuf b = {0};
    const char *name = property_name(t, p);
    page_pad(&b, name, columns);
    if (page_columns(name, strlen(name)) > columns) {
        fprintf(t->p.out, "%s\n", name);
        sb_clear(&b);
        page_pad(&b, "", columns);
    }
    fputs(sb_str(&b), t->p.out);
    for (size_t m = 0; m < t->v->n_results; m++) {
        const struct verify_verdict *d = verdict_in(t->v->results[m], p);
        sb_clear(&b);
        page_pad(&b, cell(t, d), m + 1 < t->v->n_results ? model_columns(t) : 0);
        fprintf(t->p.out, "%s%s%s%s", m ? "" : "  ", d ? page_ink(&t->p, ink_of(d->status)) : "",
                sb_str(&b), page_ink(&t->p, PAGE_PLAIN));
    }
    fputc('\n', t->p.out);
    sb_free(&b);
}

static bool any_status(const struct text *t, enum verify_status s)
{
    for (size_t m = 0; m < t->v->n_results; m++)
        for (size_t i = 0; i < t->v->results[m]->n_verdicts; i++)
            if (t->v->results[m]->verdicts[i].status == s)
                return true;
    return false;
}

/* A check that only some ways of reading have: the others find it out beforehand. */
static bool any_missing(struct text *t)
{
    const struct verify_result *first = t->v->results[0];
    for (uint32_t i = 0; i < first->n_properties; i++)
        for (size_t m = 0; m < t->v->n_results; m++)
            if (has_verdict(t, &first->properties[i]) && !is_dull_row(t, &first->properties[i]) &&
                !verdict_in(t->v->results[m], &first->properties[i]))
                return true;
    return false;
}

/* HOLDS is about scenarios or about any transactions, never both in one run. */
static bool any_scenario(const struct text *t)
{
    for (size_t m = 0; m < t->v->n_results; m++)
        for (size_t i = 0; i < t->v->results[m]->n_verdicts; i++)
            if (t->v->results[m]->verdicts[i].scenario)
                return true;
    return false;
}

/* The fewest rows that a table had, at most, where something holds; 0: not with rows. */
static uint64_t least_rows(const struct text *t)
{
    uint64_t least = 0;
    for (size_t m = 0; m < t->v->n_results; m++)
        for (size_t i = 0; i < t->v->results[m]->n_verdicts; i++) {
            const struct verify_verdict *d = &t->v->results[m]->verdicts[i];
            if (d->status == VERIFY_HOLDS && d->rows && (!least || d->rows < least))
                least = d->rows;
        }
    return least;
}

static void legend(struct text *t)
{
    struct strbuf holds = {0};
    sb_puts(&holds, any_scenario(t) ? "✓n holds in the program's scenarios (n transactions)"
                                    : "✓n holds for up to n transactions");
    report_rows(least_rows(t), false, &holds);
    const struct {
        enum verify_status status;
        const char *text;
    } signs[] = {
        {VERIFY_PROVED,
         arena_printf(&t->arena, "✓ proved for %s", report_any_number(t->v->results[0]))},
        {VERIFY_HOLDS, sb_str(&holds)},
        {VERIFY_VIOLATED, "✗ violated"},
        {VERIFY_UNKNOWN, "? unknown"},
        {VERIFY_VACUOUS, "∅ VACUOUS: nothing satisfies the assumptions"},
        {VERIFY_INTERNAL_ERROR, "! internal error"},
    };
    struct strbuf b = {0};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (any_status(t, signs[i].status))
            sb_printf(&b, "%s%s", b.len ? "   " : "", signs[i].text);
    if (any_missing(t))
        sb_printf(&b, "%s- does not occur", b.len ? "   " : "");
    fprintf(t->p.out, "\n%s%s%s\n", page_ink(&t->p, PAGE_FAINT), sb_str(&b),
            page_ink(&t->p, PAGE_PLAIN));
    sb_free(&b);
    sb_free(&holds);
}

static bool same_reason(const struct verify_property *p, const char *reason,
                        const struct verify_result *r)
{
    const struct verify_verdict *d = verdict_in(r, p);
    return d && d->reason && !strcmp(d->reason, reason);
}

/* Each reason once, with the models that it is about. */
static void reasons_of(struct text *t, size_t model, uint32_t property)
{
    const struct verify_result *r = t->v->results[model];
    const struct verify_verdict *d = report_worst(r, property);
    const struct verify_property *p = &r->properties[property];
    if (!d || !d->reason || d->status == VERIFY_HOLDS || d->status == VERIFY_PROVED)
        return;
    struct strbuf models = {0};
    for (size_t m = 0; m < t->v->n_results; m++) {
        if (!same_reason(p, d->reason, t->v->results[m]))
            continue;
        if (m < model) {
            sb_free(&models);
            return; /* said already */
        }
        sb_printf(&models, "%s%s", models.len ? ", " : "", t->v->results[m]->model->name);
    }
    page_printf(&t->p, 0, 2, "%s: %s under %s: %s", verify_status_name(d->status), p->name,
                sb_str(&models), d->reason);
    sb_free(&models);
}

static void reasons(struct text *t)
{
    for (size_t m = 0; m < t->v->n_results; m++)
        for (uint32_t i = 0; i < t->v->results[m]->n_properties; i++)
            reasons_of(t, m, i);
}

static void matrix(struct text *t)
{
    const struct verify_result *first = t->v->results[0];
    int columns = name_columns(t, first);
    struct strbuf b = {0};
    page_pad(&b, "", columns);
    for (size_t m = 0; m < t->v->n_results; m++) {
        sb_puts(&b, m ? "" : "  ");
        page_pad(&b, t->v->results[m]->model->name, m + 1 < t->v->n_results ? model_columns(t) : 0);
    }
    fprintf(t->p.out, "%s%s%s\n", page_ink(&t->p, PAGE_BOLD), sb_str(&b),
            page_ink(&t->p, PAGE_PLAIN));
    sb_free(&b);
    unsigned dull = 0;
    for (uint32_t i = 0; i < first->n_properties; i++)
        if (!has_verdict(t, &first->properties[i]))
            continue;
        else if (is_dull_row(t, &first->properties[i]))
            dull++;
        else
            matrix_row(t, &first->properties[i], columns);
    if (dull)
        fprintf(t->p.out, "%u built-in check%s under all of them\n", dull,
                dull == 1 ? " holds" : "s hold");
    legend(t);
    reasons(t);
}

/* ---- stories -------------------------------------------------------------------------------- */

/* Is the violation shown with that of a stronger model?  An execution of a stronger model is one of
 * the weaker model as well. */
static const struct verify_result *shown_by(const struct text *t, const struct verify_result *r,
                                            const struct verify_property *p)
{
    for (size_t m = 0; m < t->v->n_results && !t->v->verbose; m++) {
        const struct verify_result *other = t->v->results[m];
        const struct verify_verdict *d = other == r ? NULL : verdict_in(other, p);
        if (d && d->status == VERIFY_VIOLATED &&
            model_weaker_or_equal(r->model->id, other->model->id))
            return other;
    }
    return NULL;
}

static void weaker_models(struct text *t, const struct verify_result *r,
                          const struct verify_property *p)
{
    struct strbuf b = {0};
    for (size_t m = 0; m < t->v->n_results && !t->v->verbose; m++) {
        const struct verify_result *other = t->v->results[m];
        const struct verify_verdict *d = other == r ? NULL : verdict_in(other, p);
        if (d && d->status == VERIFY_VIOLATED &&
            model_weaker_or_equal(other->model->id, r->model->id))
            sb_printf(&b, "%s%s", b.len ? ", " : "", other->model->name);
    }
    if (b.len)
        page_printf(&t->p, 2, 2, "The same execution is possible under %s.", sb_str(&b));
    sb_free(&b);
}

static void stories_of(struct text *t, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        const struct verify_property *p = &r->properties[d->property];
        if (d->status != VERIFY_VIOLATED || !d->execution ||
            (d != report_worst(r, d->property) && !t->v->verbose) || shown_by(t, r, p))
            continue;
        struct strbuf runs = {0};
        report_runs(r, d, &runs);
        page_heading(&t->p, "How %s fails under %s: %s", p->name, r->model->title, sb_str(&runs));
        fputc('\n', t->p.out);
        report_story(t->v, &t->p, r, d);
        weaker_models(t, r, p);
        sb_free(&runs);
    }
}

/* Nothing is missing but the proofs of others. */
static void needs_of(struct text *t, const struct verify_result *r, const struct verify_verdict *d)
{
    struct strbuf open = {0}, wrong = {0};
    for (size_t i = 0; i < d->n_needs; i++) {
        const struct verify_verdict *other = report_worst(r, d->needs[i]);
        struct strbuf *b = other && other->status == VERIFY_VIOLATED ? &wrong : &open;
        sb_printf(b, "%s%s", b->len ? ", " : "", r->properties[d->needs[i]].name);
    }
    const char *name = r->properties[d->property].name;
    if (wrong.len)
        page_printf(&t->p, 2, 2, "A proof of %s would rest on %s, which is violated.", name,
                    wrong.data);
    else
        page_printf(&t->p, 2, 2, "%s follows once %s is proved.", name, sb_str(&open));
    sb_free(&open);
    sb_free(&wrong);
}

static void gaps_of(struct text *t, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const struct verify_verdict *d = &r->verdicts[i];
        const struct verify_verdict *worst = report_worst(r, d->property);
        if ((!d->gap && !d->n_needs) || d != worst ||
            (worst->status != VERIFY_HOLDS && worst->status != VERIFY_UNKNOWN))
            continue;
        page_heading(&t->p, "What is missing for a proof of %s under %s",
                     r->properties[d->property].name, r->model->name);
        fputc('\n', t->p.out);
        if (d->gap)
            report_gap(t->v, &t->p, r, d);
        else
            needs_of(t, r, d);
    }
}

static void asked_for(struct text *t)
{
    bool anywhere = false, locks = false, checks = false;
    for (size_t m = 0; m < t->v->n_results; m++) {
        anywhere |= report_from_anywhere(t->v->results[m]);
        locks |= report_locks_matter(t->v->results[m]);
        checks |= report_checks_matter(t->v->results[m]);
    }
    if (checks)
        page_text(&t->p, 0, 0,
                  "a built-in check is not proved, and the other properties are judged only on "
                  "executions in which no such check fails");
    if (anywhere)
        page_text(&t->p, 0, 0, REPORT_NO_INITIAL);
    if (locks)
        page_text(&t->p, 0, 0,
                  "for_update is only a read under rc, rcs, ra, cc and pc: a database's row locks "
                  "may prevent what these models allow (docs/databases.md)");
    if (t->v->no_session_order)
        fputs("session order does not count (--no-session-order)\n", t->p.out);
    if (t->v->snapshots)
        fputs("invariants are checked on every state that a reader could see (--observe "
              "snapshots)\n",
              t->p.out);
    if (t->v->fields)
        fputs("every field is a row of its own (--granularity field)\n", t->p.out);
}

void report_verify_text(const struct verify_view *v, FILE *out)
{
    struct text t = {.v = v, .p = {out, v->color, PAGE_WIDTH}};
    if (v->n_results == 1) {
        if (!v->results[0]->n_properties)
            fprintf(out, "nothing to verify: %s has no INVARIANT, FINAL or assert\n", v->file);
        model_lines(&t, v->results[0]);
    } else {
        matrix(&t);
    }
    asked_for(&t);
    for (size_t m = v->n_results; m-- > 0 && !v->quiet;)
        stories_of(&t, v->results[m]);
    /* One gap is enough: that of the strongest model, where least is missing. */
    if (!v->quiet && v->n_results)
        gaps_of(&t, v->results[v->n_results - 1]);
    arena_free(&t.arena);
}
