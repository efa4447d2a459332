/* One transaction of a counterexample: who called it, what it saw and from whom, what it missed,
 * what it wrote and returned. */
#include "report/verify/teller.h"

static bool many_points(const struct execution *x, uint32_t t)
{
    const struct model *level = x->txns[t].level;
    return level && level->snapshot != SNAPSHOT_TRANSACTION;
}

const char *teller_name(struct teller *t, uint32_t txn)
{
    return cex_unbroken(&t->c, t->c.names[txn]);
}

/* ---- reads ---------------------------------------------------------------------------------- */

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
    sb_printf(out, ", although %s had already ", teller_name(t, u));
    put_change(t, &r->row, w, out);
    if (exec_sees(t->c.x, txn, u))
        sb_puts(out, ": too early to see that transaction");
    else
        sb_puts(out, ": it does not see that transaction");
}

static const char *source_name(struct teller *t, uint32_t source)
{
    return source == EXEC_INITIAL ? "the initial state" : teller_name(t, source);
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

/* Rows with the same fields and values, one after the other in their table. */
static bool continues(const struct teller *t, const struct exec_row *a, const struct exec_row *b)
{
    if (a->table != b->table || a->row + 1 != b->row)
        return false;
    for (uint32_t f = 0; f < t->c.program->tables[a->table].n_fields; f++)
        if (a->known[f] != b->known[f] || (a->known[f] && a->value[f] != b->value[f]))
            return false;
    return true;
}

/* "each of user[4] to user[59]: used = false, name = 0", "each of x[0] to x[5] = 0". */
static void put_run(struct teller *t, const struct exec_row *first, const struct exec_row *last,
                    struct strbuf *out)
{
    const struct sx_table *table = &t->c.program->tables[first->table];
    struct cex *c = &t->c;
    const char *from = exec_row_text(&c->arena, c->program, first->table, first->row, UINT32_MAX);
    const char *to = exec_row_text(&c->arena, c->program, last->table, last->row, UINT32_MAX);
    const char *join = ":" NBSP;
    sb_printf(out, "each of %s to" NBSP "%s", from, to);
    for (uint32_t f = 0; f < table->n_fields; f++) {
        if (!first->known[f])
            continue;
        const char *path = table->fields[f].path;
        if (*path)
            sb_printf(out, "%s%s", join, path + (*path == '.'));
        sb_puts(out, NBSP "=" NBSP);
        cex_value(table->fields[f].type, first->value[f], out);
        join = ", ";
    }
}

#define RUN_LEAST 4 /* as many rows that look alike are told as one */

/* The rows of n reads; many alike, as a loop over a table finds where it is empty, are one. */
static void put_rows(struct teller *t, const struct exec_read *const *reads, size_t n,
                     struct strbuf *out)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && continues(t, &reads[end - 1]->row, &reads[end]->row))
            end++;
        sb_puts(out, i ? ", " : "");
        if (end - i >= RUN_LEAST) {
            put_run(t, &reads[i]->row, &reads[end - 1]->row, out);
            continue;
        }
        end = i + 1;
        cex_row(&t->c, &reads[i]->row, NULL, out);
    }
}

/* Where every read has a view of its own, a row that a statement reads several times is told once
 * if it was the same each time. */
static size_t without_repeats(const struct teller *t, const struct exec_read *const *reads,
                              size_t n, const struct exec_read **kept)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool told = false;
        for (size_t k = 0; k < n_kept; k++)
            told |= covers(t, &kept[k]->row, &reads[i]->row);
        if (!told)
            kept[n_kept++] = reads[i];
    }
    return n_kept;
}

/* One sentence. */
static void put_reads(struct teller *t, uint32_t txn, const struct exec_read *const *reads,
                      size_t n)
{
    const struct exec_read *r = reads[0];
    struct strbuf b = {0};
    sb_puts(&b, r->carry ? "keeps " : r->statement == EXEC_NEWEST ? "reads the newest " : "reads ");
    const struct exec_read **kept = arena_array(&t->c.arena, const struct exec_read *, n);
    put_rows(t, kept, without_repeats(t, reads, n, kept), &b);
    if (many_points(t->c.x, txn) && r->loc.line)
        put_line(&t->c.x->txns[txn], r, &b);
    sb_printf(&b, " from %s", source_name(t, r->source));
    put_missed(t, txn, r, &b);
    page_text(t->p, 5, 7, sb_str(&b));
    sb_free(&b);
}

#define APART_MOST 8 /* reads of several statements that are told one after the other */

/* How far apart reads may stand that are told in one sentence.  Where a loop makes many, those of
 * one place are told together, if there is nothing to remark about any of them. */
static size_t stretch(const struct teller *t, uint32_t txn, size_t from)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    size_t end = from, told = 0;
    for (; end < x->n_reads; end++) {
        if (!worth_telling(t, txn, end))
            continue;
        if (cex_missed(&t->c, txn, &x->reads[end], NULL) != EXEC_INITIAL)
            break;
        told++;
    }
    return told > APART_MOST ? end : 0;
}

/* ---- locks of databases ---------------------------------------------------------------------- */

/* The last transaction that the touch had to wait for: it touched the row before, and was not over
 * when this one began; or EXEC_INITIAL. */
static uint32_t waited_for(const struct execution *x, uint32_t txn, const struct exec_touch *touch)
{
    const struct exec_txn *t = &x->txns[txn];
    uint32_t found = EXEC_INITIAL;
    for (uint32_t i = 0; i < exec_position(x, txn); i++) {
        const struct exec_txn *other = &x->txns[x->ar[i]];
        for (size_t k = 0; k < other->n_touches; k++)
            if (other->touches[k].table == touch->table && other->touches[k].row == touch->row &&
                sx_touch_conflicts(other->touches[k].mode, touch->mode) &&
                !t->visible[x->ar[i]]) /* the first of its views */
                found = x->ar[i];
    }
    return found;
}

static bool has_changed(const struct execution *x, uint32_t txn, const struct exec_touch *touch)
{
    for (size_t i = 0; i < x->txns[txn].n_writes; i++)
        if (x->txns[txn].writes[i].row.table == touch->table &&
            x->txns[txn].writes[i].row.row == touch->row)
            return true;
    return false;
}

/* One sentence: "locks guard: waits for the row that book_a() has locked; book_a() commits; goes
 * on, but its snapshot is old". */
static void put_touch(struct teller *t, uint32_t txn, const struct exec_touch *touch)
{
    static const char *const words[] = {"locks %s for share", "changes %s", "locks %s"};
    const struct execution *x = t->c.x;
    uint32_t other = waited_for(x, txn, touch);
    struct strbuf b = {0};
    if (touch->mode == SX_TOUCH_WRITE && other == EXEC_INITIAL)
        return; /* what it writes is told anyway */
    sb_printf(&b, words[touch->mode],
              exec_row_text(&t->c.arena, t->c.program, touch->table, touch->row, UINT32_MAX));
    if (touch->loc.line)
        sb_printf(&b, " (line" NBSP "%u)", touch->loc.line);
    if (other != EXEC_INITIAL) {
        const char *name = teller_name(t, other);
        bool commits = x->txns[other].end == EXEC_COMMITTED;
        sb_printf(&b, ": waits for the row that %s has %s; %s %s", name,
                  has_changed(x, other, touch) ? "changed" : "locked", name,
                  commits ? "commits" : "rolls back");
        if (x->txns[txn].level->snapshot == SNAPSHOT_TRANSACTION && !exec_sees(x, txn, other))
            sb_puts(&b, "; goes on, but its snapshot is old");
        else
            sb_puts(&b, "; sees what is there then");
    }
    page_text(t->p, 5, 7, sb_str(&b));
    sb_free(&b);
}

/* Those of statements before this one that were not told; a row is told once for each mode. */
static void put_touches(struct teller *t, uint32_t txn, uint32_t statement, size_t *told)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    for (; *told < x->n_touches && x->touches[*told].statement < statement; ++*told) {
        bool again = false;
        for (size_t k = 0; k < *told; k++)
            again |= x->touches[k].table == x->touches[*told].table &&
                     x->touches[k].row == x->touches[*told].row;
        if (!again)
            put_touch(t, txn, &x->touches[*told]);
    }
}

static void put_all_reads(struct teller *t, uint32_t txn)
{
    const struct exec_txn *x = &t->c.x->txns[txn];
    const struct exec_read **group =
        arena_array(&t->c.arena, const struct exec_read *, x->n_reads + 1);
    bool *done = arena_array(&t->c.arena, bool, x->n_reads + 1);
    size_t end = 0, told = 0;
    for (size_t i = 0; i < x->n_reads; i++) {
        size_t n = 0;
        if (done[i] || !worth_telling(t, txn, i))
            continue;
        if (i >= end)
            end = stretch(t, txn, i);
        bool far = i < end;
        for (size_t k = i; k < (far ? end : x->n_reads); k++) {
            if (done[k] || !worth_telling(t, txn, k))
                continue;
            if (k == i || together(t, txn, &x->reads[i], &x->reads[k])) {
                group[n++] = &x->reads[k];
                done[k] = true;
            } else if (!far) {
                break;
            }
        }
        put_touches(t, txn, group[0]->statement, &told);
        put_reads(t, txn, group, n);
    }
    put_touches(t, txn, UINT32_MAX, &told);
}

/* ---- writes and the end --------------------------------------------------------------------- */

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
        sb_printf(out, " of %s", teller_name(t, u));
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

void teller_inputs(const struct teller *t, const struct exec_input *in, size_t n, int indent)
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

void teller_txn(struct teller *t, uint32_t position)
{
    uint32_t txn = t->c.x->ar[position];
    const struct exec_txn *x = &t->c.x->txns[txn];
    const char *call = cex_place(&t->c, x->call_loc);
    const char *at = *call ? call : cex_place(&t->c, x->func->loc);
    struct strbuf b = {0};
    sb_printf(&b, "%u. %s%s%s%s", position + 1, page_ink(t->p, PAGE_BOLD), t->c.names[txn],
              page_ink(t->p, PAGE_PLAIN),
              *call ? ", called at "
              : *at ? ", "
                    : "");
    sb_puts(&b, at);
    if (has_sessions(t->c.x))
        sb_printf(&b, ", session %u", x->session + 1);
    if (!t->c.x->model && x->level)
        sb_printf(&b, ", at %s", x->level->name);
    fprintf(t->p->out, "  %s\n", sb_str(&b));
    sb_free(&b);
    teller_inputs(t, x->inputs, x->n_inputs, 5);
    put_all_reads(t, txn);
    put_writes(t, txn);
    if (x->end == EXEC_COMMITTED && !x->n_writes)
        page_text(t->p, 5, 7, "writes nothing");
    put_end(t, x);
    put_returned(t, x);
}
