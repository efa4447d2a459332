/* A counterexample as a story: what there was at first, who saw what and wrote what, one
 * transaction after the other in arbitration order, what there was in the end, why that is wrong,
 * and what the pattern is called. */
#include "report/story/phrases.h"
#include "report/verify/serial_argument.h"
#include "report/verify/teller.h"

#include <string.h>

#define ROWS_SHOWN 8 /* fields of a state before zeros are left out */
#define ROWS_MOST 40 /* and before the rest is counted only */

#define LABEL_LEAST 14 /* columns of labels, the indent of two included */
#define LABEL_MOST 28

/* The property's name is one of the labels: the column fits it, if it is not too long. */
static int label_columns(const char *name)
{
    int n = page_columns(name, strlen(name)) + 4;
    return n < LABEL_LEAST || n > LABEL_MOST ? LABEL_LEAST : n;
}

/* A label in bold, then the text in a column of its own; a long label stands on its own line. */
static void put_labelled(const struct page *p, int width, const char *label, const char *text)
{
    int columns = page_columns(label, strlen(label));
    fprintf(p->out, "  %s%s%s", page_ink(p, PAGE_BOLD), label, page_ink(p, PAGE_PLAIN));
    if (columns + 2 < width)
        fprintf(p->out, "%*s", width - 2 - columns, "");
    else
        fprintf(p->out, "\n%*s", width, "");
    page_continue(p, width, text);
}

/* ---- states --------------------------------------------------------------------------------- */

struct state_list {
    struct cex *c;
    struct strbuf text;
    size_t shown, hidden;
};

static void add_field(struct state_list *l, const struct exec_row *row, uint32_t f)
{
    const struct sx_table *t = &l->c->program->tables[row->table];
    if (l->shown == ROWS_MOST) {
        l->hidden++;
        return;
    }
    sb_printf(&l->text, "%s%s" NBSP "=" NBSP, l->shown ? ", " : "",
              exec_row_text(&l->c->arena, l->c->program, row->table, row->row, f));
    cex_value(t->fields[f].type, row->value[f], &l->text);
    l->shown++;
}

static size_t known_fields(const struct cex *c, const struct exec_row *rows, size_t n)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < c->program->tables[rows[i].table].n_fields; f++)
            known += rows[i].known[f];
    return known;
}

/* Tables with large dimensions have more rows than the execution (sx_options.shown). */
static void add_further_rows(struct state_list *l, const struct exec_row *rows, size_t n)
{
    const struct sx_program *p = l->c->program;
    for (uint32_t t = 0; t < p->n_tables && p->options.shown; t++) {
        const struct ast_var *var = p->tables[t].var;
        bool large = false, listed = false;
        for (uint32_t d = 0; d < var->n_dims; d++)
            large |= sx_is_large(p->ast, var->dims[d]);
        for (size_t i = 0; i < n; i++)
            listed |= rows[i].table == t;
        if (!large || !listed)
            continue;
        sb_printf(&l->text, "; further rows of %s ", var->name);
        if (var->n_dims == 1)
            sb_printf(&l->text, "like" NBSP "%s[%llu]", var->name,
                      (unsigned long long)p->options.shown);
        else
            sb_puts(&l->text, "like the last ones");
    }
}

/* The state `rows`; with `before`, of a long state only what is different there.  A long initial
 * state is shown without its zeros. */
static void put_state(const struct page *p, struct cex *c, int width, const char *label,
                      const struct exec_row *rows, size_t n, const struct exec_row *before,
                      size_t n_before)
{
    struct state_list l = {.c = c};
    bool all = known_fields(c, rows, n) <= ROWS_SHOWN;
    bool left_out = false;
    for (size_t i = 0; i < n; i++) {
        const struct exec_row *old = cex_find_row(before, n_before, rows[i].table, rows[i].row);
        for (uint32_t f = 0; f < c->program->tables[rows[i].table].n_fields; f++) {
            if (!rows[i].known[f])
                continue;
            bool dull = before ? old && old->value[f] == rows[i].value[f] : rows[i].value[f] == 0;
            if (all || !dull)
                add_field(&l, &rows[i], f);
            else
                left_out = true;
        }
    }
    const char *rest = before ? "unchanged" : "0";
    if (left_out && l.shown)
        sb_printf(&l.text, "; everything else" NBSP "%s", rest);
    else if (left_out)
        sb_printf(&l.text, "everything" NBSP "%s", rest);
    if (!before && l.shown)
        add_further_rows(&l, rows, n);
    if (l.hidden)
        sb_printf(&l.text, " (and %zu more field%s)", l.hidden, l.hidden == 1 ? "" : "s");
    put_labelled(p, width, label, l.text.len ? l.text.data : "(nothing is read or written)");
    sb_free(&l.text);
}

/* ---- what is wrong -------------------------------------------------------------------------- */

static void put_condition(const struct page *p, struct cex *c, int width, const char *label,
                          const struct ast_func *f, const struct exec_row *rows, size_t n)
{
    struct cex_condition condition;
    if (f && cex_condition(c, f, rows, n, &condition)) {
        put_labelled(p, width, label, condition.text);
        put_labelled(p, width, "", arena_printf(&c->arena, "%s is false", condition.values));
    } else {
        put_state(p, c, width, arena_printf(&c->arena, "%s is false of", label), rows, n, NULL, 0);
    }
}

/* "for a reader who sees a() and b()": an observer that does not see everything. */
static void put_reader(struct teller *t)
{
    const struct execution *x = t->c.x;
    const struct exec_observer *o = &x->observer;
    struct strbuf b = {0};
    bool all = true;
    for (uint32_t i = 0; o->n_points && i < x->n_txns; i++) {
        if (o->visible[(o->n_points - 1) * x->n_txns + x->ar[i]])
            sb_printf(&b, "%s%s", b.len ? ", " : "", teller_name(t, x->ar[i]));
        else
            all = false;
    }
    if (!all)
        put_labelled(t->p, t->width, "a reader",
                     arena_printf(&t->c.arena, "sees %s", b.len ? sb_str(&b) : "none of them"));
    sb_free(&b);
}

/* A check that fails while a predicate is computed: the predicate has no value then. */
static void put_check(struct teller *t, const struct verify_property *prop,
                      const struct exec_row *rows, size_t n)
{
    struct cex_condition condition;
    put_labelled(t->p, t->width, report_is_builtin(prop->kind) ? "the check" : "the assertion",
                 arena_printf(&t->c.arena, "%s fails at %s%s%s", prop->name,
                              cex_place(&t->c, prop->loc), t->c.x->values ? ": " : "",
                              t->c.x->values ? t->c.x->values : ""));
    if (rows && prop->func && cex_condition(&t->c, prop->func, rows, n, &condition))
        put_labelled(t->p, t->width, "", arena_printf(&t->c.arena, "in %s", condition.values));
}

static void put_wrong(struct teller *t)
{
    const struct verify_property *prop = &t->r->properties[t->d->property];
    if (prop->kind == VERIFY_SERIALIZABLE) {
        const struct verify_opinion *o = report_opinion(t->v, t->d->execution);
        fputc('\n', t->p->out);
        if (o && o->not_serial)
            report_serial_argument(t->p, o->not_serial);
        return;
    }
    if (!t->c.x->observer.present) {
        put_check(t, prop, NULL, 0);
        return;
    }
    size_t n;
    struct exec_row *rows = cex_observed(&t->c, &n);
    put_reader(t);
    if (report_is_builtin(prop->kind))
        put_check(t, prop, rows, n);
    else
        put_condition(t->p, &t->c, t->width, cex_property(&t->c, prop), prop->func, rows, n);
}

/* The history engine's argument: why no order of the transactions explains what was read. */
static void put_cycle(struct teller *t, const struct verify_opinion *o)
{
    struct story s;
    if (o->refusal->cycle == HIST_NONE)
        return;
    story_make(&s, o->history, o->refusal, STORY_ALL_CASES);
    const struct check_cycle *c = &o->refusal->cycles.data[o->refusal->cycle];
    page_printf(t->p, 2, 2, "Why %s refuses it:", o->refused_by->name);
    for (uint32_t i = 0; i < c->len; i++) {
        struct strbuf b = {0};
        phrase_edge(&s, &o->refusal->edges.data[c->start + i], HIST_NONE, &b);
        page_text(t->p, 5, 7, sb_str(&b));
        sb_free(&b);
    }
    story_free(&s);
}

/* One locks a row that the other writes. */
static bool locks_written(const struct exec_txn *one, const struct exec_txn *other)
{
    for (size_t i = 0; i < one->n_locks; i++)
        for (size_t k = 0; k < other->n_writes; k++)
            if (one->locks[i].table == other->writes[k].row.table &&
                one->locks[i].row == other->writes[k].row.row)
                return true;
    return false;
}

/* The history engine does not know of locks: where they conflict with writes, a weaker model than
 * the one that it names may be enough. */
static void put_locks(const struct teller *t, const struct verify_opinion *o, struct strbuf *out)
{
    const struct model *refused_by = o->refused_by;
    static const enum model_id knowing[] = {MODEL_PSI, MODEL_SI};
    const struct execution *x = t->c.x;
    struct strbuf b = {0};
    bool locks = false;
    for (uint32_t i = 0; i < x->n_txns; i++)
        for (uint32_t j = 0; j < x->n_txns; j++)
            locks |= i != j && locks_written(&x->txns[i], &x->txns[j]);
    for (size_t k = 0; locks && k < sizeof knowing / sizeof *knowing; k++)
        if (knowing[k] != refused_by->id && !(o->also >> knowing[k] & 1) &&
            model_weaker_or_equal(knowing[k], refused_by->id) &&
            !(x->model && model_weaker_or_equal(knowing[k], x->model->id)))
            sb_printf(&b, "%s%s", b.len ? " or " : "", model_get(knowing[k])->name);
    if (b.len)
        sb_printf(out, " With the locks of for_update, %s may be enough.", b.data);
    sb_free(&b);
}

/* The weakest models that refuse it; where others than those above the verified one do, say which
 * is which. */
static void put_refusing(const struct verify_opinion *o, struct strbuf *out)
{
    bool first = true;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (o->also >> m & 1) {
            sb_puts(out, first ? "" : " or ");
            report_model(model_get((enum model_id)m), out);
            first = false;
        }
    if (!first)
        sb_printf(out, ", nor, of the models above %s, under ", o->x->model->name);
    report_model(o->refused_by, out);
    sb_putc(out, '.');
}

/* InnoDB makes no version of a row that an UPDATE leaves as it is.  Reads and versions alone then
 * do not show that the row was to be changed. */
static bool changes_nothing(const struct execution *x)
{
    for (uint32_t i = 0; i < x->n_txns; i++)
        for (size_t k = 0; k < x->txns[i].n_touches && x->txns[i].end == EXEC_COMMITTED; k++) {
            const struct exec_touch *touch = &x->txns[i].touches[k];
            bool written = touch->mode != SX_TOUCH_WRITE;
            for (size_t w = 0; w < x->txns[i].n_writes; w++)
                written |= x->txns[i].writes[w].row.table == touch->table &&
                           x->txns[i].writes[w].row.row == touch->row;
            if (!written)
                return true;
        }
    return false;
}

static void put_name(struct teller *t)
{
    const struct verify_opinion *o = report_opinion(t->v, t->d->execution);
    struct strbuf b = {0};
    if (!t->c.x->n_txns) {
        sb_puts(&b, "The initial state is wrong already: no transaction is needed.");
    } else if (o && o->refusal) {
        sb_printf(&b, "The anomaly is called %s: %s. It cannot happen under ",
                  anomaly_name(o->refusal->anomaly), anomaly_text(o->refusal->anomaly));
        put_refusing(o, &b);
        put_locks(t, o, &b);
    } else if (o && o->undecided) {
        sb_printf(&b, "Which anomaly this is was not decided: %s.", o->undecided);
    } else if (o && o->not_serial) {
        sb_puts(&b, "What rules out a serial order is that a call uses the result of another. The "
                    "database does not know of that, and the reads and writes alone are "
                    "serializable.");
    } else if (o && changes_nothing(t->c.x)) {
        sb_puts(&b, "An UPDATE leaves a row as it is and makes no version of it, so that the reads "
                    "and writes alone have no name.");
    } else if (o) {
        sb_printf(&b,
                  "This is no anomaly: the same happens when the transactions run one after the "
                  "other, so no isolation level helps%s.",
                  t->c.x->session_order ? "" : " without session order");
    }
    if (b.len) {
        fputc('\n', t->p->out);
        page_text(t->p, 2, 2, b.data);
    }
    sb_free(&b);
    if (o && o->refusal && t->v->verbose)
        put_cycle(t, o);
}

void report_story(const struct verify_view *v, const struct page *p, const struct verify_result *r,
                  const struct verify_verdict *d)
{
    struct teller t = {.v = v, .p = p, .r = r, .d = d};
    const struct execution *x = d->execution;
    cex_init(&t.c, v->ast, v->files, r->program, x);
    t.width = LABEL_LEAST;
    if (r->properties[d->property].kind != VERIFY_SERIALIZABLE)
        t.width = label_columns(cex_property(&t.c, &r->properties[d->property]));
    put_state(p, &t.c, t.width, "at first", x->initial, x->n_initial, NULL, 0);
    if (x->any_state)
        put_labelled(p, t.width, "", "(no INITIAL: any state that satisfies the invariants)");
    teller_inputs(&t, x->inputs, x->n_inputs, t.width);
    fputs(x->n_txns ? "\n" : "", p->out);
    for (uint32_t i = 0; i < x->n_txns; i++)
        teller_txn(&t, i);
    fputs(x->n_txns ? "\n" : "", p->out);
    if (x->n_txns && x->observer.present)
        put_state(p, &t.c, t.width, "in the end", x->final, x->n_final, x->initial, x->n_initial);
    put_wrong(&t);
    put_name(&t);
    cex_free(&t.c);
}

/* ---- where induction fails ------------------------------------------------------------------ */

void report_gap(const struct verify_view *v, const struct page *p, const struct verify_result *r,
                const struct verify_verdict *d)
{
    const struct verify_property *prop = &r->properties[d->property];
    const struct verify_gap *g = d->gap;
    struct teller t = {.v = v, .p = p, .r = r, .d = d};
    t.width = label_columns(g->predicate ? g->predicate : prop->name);
    cex_init(&t.c, v->ast, v->files, g->program, NULL);
    page_printf(p, 2, 2,
                "Not proved for any number of transactions: the invariants allow the states below, "
                "and from there %s fails. If they cannot occur, another INVARIANT that says so "
                "completes the proof; if they can, --txns N looks further.",
                prop->name);
    if (g->loop)
        page_printf(p, 2, 2, "The proof rule cannot deal with a loop: %s.", g->loop);
    fputc('\n', p->out);
    if (g->txn)
        fprintf(p->out, "  %s%s%s\n", page_ink(p, PAGE_BOLD), g->call, page_ink(p, PAGE_PLAIN));
    teller_inputs(&t, g->inputs, g->n_inputs, t.width);
    put_state(p, &t.c, t.width, g->txn ? "sees" : "at first", g->snapshot, g->n_snapshot, NULL, 0);
    if (g->n_after) {
        put_state(p, &t.c, t.width, "arrives at", g->before, g->n_before, NULL, 0);
        put_state(p, &t.c, t.width, "which gives", g->after, g->n_after, NULL, 0);
        put_condition(p, &t.c, t.width, g->predicate, prop->func, g->after, g->n_after);
    }
    cex_free(&t.c);
}
