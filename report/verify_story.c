/* A counterexample as a story: what there was at first, who saw what and wrote what, one
 * transaction after the other in arbitration order, what there was in the end, why that is wrong,
 * and what the pattern is called. */
#include "report/phrases.h"
#include "report/verify_report.h"

#include <string.h>

#define ROWS_SHOWN 8 /* fields of a state before zeros are left out */
#define ROWS_MOST 40 /* and before the rest is counted only */
#define NBSP "\u00a0"

struct teller {
    const struct verify_view *v;
    const struct page *p;
    const struct verify_result *r;
    const struct verify_verdict *d;
    int width; /* of the labels */
    struct cex c;
};

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
    if (l.hidden)
        sb_printf(&l.text, " (and %zu more field%s)", l.hidden, l.hidden == 1 ? "" : "s");
    put_labelled(p, width, label, l.text.len ? l.text.data : "(nothing is read or written)");
    sb_free(&l.text);
}

/* ---- one transaction ------------------------------------------------------------------------ */

static bool many_points(const struct execution *x, uint32_t t)
{
    const struct model *level = x->txns[t].level;
    return level && level->snapshot != SNAPSHOT_TRANSACTION;
}

/* A transaction's name for running text: it does not break. */
static const char *unbroken(struct teller *t, uint32_t txn)
{
    return cex_unbroken(&t->c, t->c.names[txn]);
}

/* Reads that go into one sentence: one source, nothing to remark, taken at one time. */
static bool together(const struct teller *t, uint32_t txn, const struct exec_read *a,
                     const struct exec_read *b)
{
    return a->source == b->source && a->carry == b->carry &&
           cex_missed(&t->c, txn, a, NULL) == EXEC_INITIAL &&
           cex_missed(&t->c, txn, b, NULL) == EXEC_INITIAL &&
           (!many_points(t->c.x, txn) || a->statement == b->statement ||
            (a->loc.line == b->loc.line && a->loc.col == b->loc.col));
}

/* "changed it to 7", "changed a.x to 1 and a.y to 2". */
static void put_change(struct teller *t, const struct exec_row *seen, const struct exec_write *w,
                       struct strbuf *out)
{
    const struct sx_table *table = &t->c.program->tables[seen->table];
    unsigned shown = 0, changed = 0, done = 0;
    for (uint32_t f = 0; f < table->n_fields; f++) {
        shown += seen->known[f];
        changed += cex_changes(w, seen, f);
    }
    sb_puts(out, "changed ");
    for (uint32_t f = 0; f < table->n_fields; f++) {
        if (!cex_changes(w, seen, f))
            continue;
        const char *name = exec_row_text(&t->c.arena, t->c.program, seen->table, seen->row, f);
        sb_puts(out, done == 0 ? "" : done + 1 < changed ? ", " : " and ");
        sb_printf(out, "%s to ", shown == 1 ? "it" : name);
        cex_value(table->fields[f].type, w->row.value[f], out);
        done++;
    }
}

static void put_missed(struct teller *t, uint32_t txn, const struct exec_read *r,
                       struct strbuf *out)
{
    const struct exec_write *w;
    uint32_t u = cex_missed(&t->c, txn, r, &w);
    if (u == EXEC_INITIAL)
        return;
    sb_printf(out, ", although %s had already ", unbroken(t, u));
    put_change(t, &r->row, w, out);
    if (exec_sees(t->c.x, txn, u))
        sb_puts(out, ": too early to see that transaction");
    else
        sb_puts(out, ": it does not see that transaction");
}

static const char *source_name(struct teller *t, uint32_t source)
{
    return source == EXEC_INITIAL ? "the initial state" : unbroken(t, source);
}

static bool covers(const struct teller *t, const struct exec_row *a, const struct exec_row *b)
{
    if (a->table != b->table || a->row != b->row)
        return false;
    for (uint32_t f = 0; f < t->c.program->tables[a->table].n_fields; f++)
        if (b->known[f] && (!a->known[f] || a->value[f] != b->value[f]))
            return false;
    return true;
}

/* With one snapshot a row that was read before need not be told again. */
static bool told_before(const struct teller *t, uint32_t txn, size_t read)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    for (size_t i = 0; i < read && !many_points(t->c.x, txn); i++)
        if (!x->reads[i].carry && covers(t, &x->reads[i].row, &x->reads[read].row))
            return true;
    return false;
}

/* Fields that are kept matter if somebody else had changed them, and if they are kept. */
static bool is_kept(const struct teller *t, uint32_t txn, const struct exec_read *r)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    if (cex_missed(&t->c, txn, r, NULL) == EXEC_INITIAL)
        return false;
    for (size_t i = 0; i < x->n_writes; i++) {
        const struct exec_write *w = &x->writes[i];
        for (uint32_t f = 0; f < t->c.program->tables[r->row.table].n_fields; f++)
            if (w->row.table == r->row.table && w->row.row == r->row.row && r->row.known[f] &&
                !w->touched[f])
                return true;
    }
    return false;
}

static bool worth_telling(const struct teller *t, uint32_t txn, size_t read)
{
    const struct exec_read *r = &t->c.x->txns[txn].reads[read];
    return r->carry ? is_kept(t, txn, r) : !told_before(t, txn, read);
}

/* " (line 7)", or " (line 7:12)" where another statement stands on the same line. */
static void put_line(const struct exec_txn *x, const struct exec_read *r, struct strbuf *out)
{
    bool alone = true;
    for (size_t i = 0; i < x->n_reads; i++)
        alone &= x->reads[i].statement == r->statement || x->reads[i].loc.line != r->loc.line ||
                 x->reads[i].loc.col == r->loc.col;
    sb_printf(out, " (line" NBSP "%u", r->loc.line);
    if (!alone)
        sb_printf(out, ":%u", r->loc.col);
    sb_putc(out, ')');
}

/* From read `from` on, as many as go into one sentence; the first that is left over. */
static size_t put_reads(struct teller *t, uint32_t txn, size_t from)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    const struct exec_read *r = &x->reads[from];
    struct strbuf b = {0};
    size_t next = from;
    sb_puts(&b, r->carry ? "keeps " : "reads ");
    cex_row(&t->c, &r->row, NULL, &b);
    for (next++; next < x->n_reads; next++) {
        if (!worth_telling(t, txn, next))
            continue;
        if (!together(t, txn, r, &x->reads[next]))
            break;
        sb_puts(&b, ", ");
        cex_row(&t->c, &x->reads[next].row, NULL, &b);
    }
    if (many_points(t->c.x, txn) && r->loc.line)
        put_line(x, r, &b);
    sb_printf(&b, " from %s", source_name(t, r->source));
    put_missed(t, txn, r, &b);
    page_text(t->p, 5, 7, sb_str(&b));
    sb_free(&b);
    return next;
}

/* Is the field that the write carries over told as one that is kept? */
static bool told_as_kept(const struct teller *t, uint32_t txn, const struct exec_row *row,
                         uint32_t field)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    for (size_t i = 0; i < x->n_reads; i++) {
        const struct exec_read *r = &x->reads[i];
        if (r->carry && r->row.table == row->table && r->row.row == row->row &&
            r->row.known[field] && is_kept(t, txn, r))
            return true;
    }
    return false;
}

/* A row is written as a whole.  Where a field that the program did not assign had another value by
 * then, the write undoes somebody's change without a word about it in the program. */
static void put_carried(struct teller *t, uint32_t txn, const struct exec_write *w,
                        struct strbuf *out)
{
    const struct sx_table *table = &t->c.program->tables[w->row.table];
    for (uint32_t f = 0; f < table->n_fields; f++) {
        const struct exec_write *undone;
        uint32_t u = cex_undone(&t->c, txn, w, f, &undone);
        if (u == EXEC_INITIAL || told_as_kept(t, txn, &w->row, f))
            continue;
        const char *name = exec_row_text(&t->c.arena, t->c.program, w->row.table, w->row.row, f);
        sb_printf(out, "; with it %s keeps the value that was read,\u00a0", name);
        cex_value(table->fields[f].type, w->row.value[f], out);
        sb_printf(out, ", which undoes %s" NBSP "=" NBSP, name);
        cex_value(table->fields[f].type, undone->row.value[f], out);
        sb_printf(out, " of %s", unbroken(t, u));
    }
}

static void put_writes(struct teller *t, uint32_t txn)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    struct strbuf b = {0};
    for (size_t i = 0; i < x->n_writes; i++) {
        sb_puts(&b, i ? ", " : "writes ");
        cex_row(&t->c, &x->writes[i].row, x->writes[i].touched, &b);
    }
    for (size_t i = 0; i < x->n_writes; i++)
        put_carried(t, txn, &x->writes[i], &b);
    if (b.len)
        page_text(t->p, 5, 7, b.data);
    sb_free(&b);
}

/* What the scenario got.  A transaction that did not commit has returned nothing: its caller goes
 * on with any value of the type, and the one shown is part of the counterexample. */
static void put_returned(struct teller *t, const struct exec_txn *x)
{
    struct strbuf b = {0};
    if (!t->c.x->scenario || !x->n_returned || !x->returned)
        return;
    const struct ast_type *type = x->n_returned == 1 ? x->func->result : NULL;
    for (uint32_t i = 0; i < x->n_returned; i++) {
        sb_puts(&b, i ? ", " : "");
        cex_value(type, x->returned[i], &b);
    }
    if (x->end == EXEC_COMMITTED)
        page_printf(t->p, 5, 7, "returns %s", sb_str(&b));
    else
        page_printf(t->p, 5, 7,
                    "returns nothing, for it did not commit: its caller goes on with any value, "
                    "here %s",
                    sb_str(&b));
    sb_free(&b);
}

static void put_inputs(const struct teller *t, const struct exec_input *in, size_t n, int indent)
{
    struct strbuf b = {0};
    for (size_t i = 0; i < n; i++) {
        if (in[i].param || !in[i].used)
            continue;
        sb_printf(&b, "%s%s" NBSP "=" NBSP, b.len ? ", " : "where ", in[i].name);
        cex_value(in[i].type, in[i].value, &b);
    }
    if (b.len)
        page_text(t->p, indent, indent + 2, b.data);
    sb_free(&b);
}

static void put_end(struct teller *t, const struct exec_txn *x)
{
    const char *at = cex_place(&t->c, x->end_loc), *by = *at ? " at " : "";
    switch (x->end) {
    case EXEC_COMMITTED:
        break;
    case EXEC_ROLLED_BACK:
        page_printf(t->p, 5, 7, "rolls back%s%s: no effect", by, at);
        break;
    case EXEC_CHECK_FAILED:
        page_printf(t->p, 5, 7, "fails%s%s: no effect", by, at);
        break;
    }
}

static bool has_sessions(const struct execution *x)
{
    return x->n_sessions < x->n_txns;
}

static void put_txn(struct teller *t, uint32_t position)
{
    uint32_t txn = t->c.x->ar[position];
    const struct exec_txn *x = &t->c.x->txns[txn];
    const char *at = cex_place(&t->c, x->call_loc);
    struct strbuf b = {0};
    sb_printf(&b, "%u. %s%s%s%s", position + 1, page_ink(t->p, PAGE_BOLD), t->c.names[txn],
              page_ink(t->p, PAGE_PLAIN), *at ? ", called at " : "");
    sb_puts(&b, at);
    if (has_sessions(t->c.x))
        sb_printf(&b, ", session %u", x->session + 1);
    if (!t->c.x->model && x->level)
        sb_printf(&b, ", at %s", x->level->name);
    fprintf(t->p->out, "  %s\n", sb_str(&b));
    sb_free(&b);
    put_inputs(t, x->inputs, x->n_inputs, 5);
    for (size_t i = 0; i < x->n_reads;) {
        if (worth_telling(t, txn, i))
            i = put_reads(t, txn, i);
        else
            i++;
    }
    put_writes(t, txn);
    if (x->end == EXEC_COMMITTED && !x->n_writes)
        page_text(t->p, 5, 7, "writes nothing");
    put_end(t, x);
    put_returned(t, x);
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
            sb_printf(&b, "%s%s", b.len ? ", " : "", unbroken(t, x->ar[i]));
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
        put_condition(t->p, &t->c, t->width, prop->name, prop->func, rows, n);
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

/* The history engine does not know of locks: where they conflict, a weaker model than the one that
 * it names may be enough. */
static void put_locks(const struct teller *t, const struct model *refused_by, struct strbuf *out)
{
    static const enum model_id knowing[] = {MODEL_PSI, MODEL_SI};
    const struct execution *x = t->c.x;
    struct strbuf b = {0};
    size_t locks = 0;
    for (uint32_t i = 0; i < x->n_txns; i++)
        locks += x->txns[i].n_locks;
    for (size_t k = 0; locks && k < sizeof knowing / sizeof *knowing; k++)
        if (knowing[k] != refused_by->id && model_weaker_or_equal(knowing[k], refused_by->id) &&
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

static void put_name(struct teller *t)
{
    const struct verify_opinion *o = report_opinion(t->v, t->d->execution);
    struct strbuf b = {0};
    if (!t->c.x->n_txns) {
        sb_puts(&b, "The initial state is wrong already: no transaction is needed.");
    } else if (o && o->refusal) {
        sb_printf(&b, "The anomaly is called %s: %s. It cannot happen under ",
                  check_anomaly_name(o->refusal->anomaly), check_anomaly_text(o->refusal->anomaly));
        put_refusing(o, &b);
        put_locks(t, o->refused_by, &b);
    } else if (o && o->undecided) {
        sb_printf(&b, "Which anomaly this is was not decided: %s.", o->undecided);
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
    t.width = label_columns(r->properties[d->property].name);
    const struct execution *x = d->execution;
    cex_init(&t.c, v->ast, v->files, r->program, x);
    put_state(p, &t.c, t.width, "at first", x->initial, x->n_initial, NULL, 0);
    if (x->any_state)
        put_labelled(p, t.width, "", "(no INITIAL: any state that satisfies the invariants)");
    put_inputs(&t, x->inputs, x->n_inputs, t.width);
    fputs(x->n_txns ? "\n" : "", p->out);
    for (uint32_t i = 0; i < x->n_txns; i++)
        put_txn(&t, i);
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
    t.width = label_columns(r->properties[d->property].name);
    cex_init(&t.c, v->ast, v->files, r->program, NULL);
    page_printf(p, 2, 2,
                "Not proved for any number of transactions: the invariants allow the states below, "
                "and from there %s fails. If they cannot occur, another INVARIANT that says so "
                "completes the proof; if they can, --txns N looks further.",
                prop->name);
    fputc('\n', p->out);
    if (g->txn)
        fprintf(p->out, "  %s%s%s\n", page_ink(p, PAGE_BOLD), g->call, page_ink(p, PAGE_PLAIN));
    put_inputs(&t, g->inputs, g->n_inputs, t.width);
    put_state(p, &t.c, t.width, g->txn ? "sees" : "at first", g->snapshot, g->n_snapshot, NULL, 0);
    if (g->n_after) {
        put_state(p, &t.c, t.width, "arrives at", g->before, g->n_before, NULL, 0);
        put_state(p, &t.c, t.width, "which gives", g->after, g->n_after, NULL, 0);
        put_condition(p, &t.c, t.width, prop->name, prop->func, g->after, g->n_after);
    }
    cex_free(&t.c);
}
