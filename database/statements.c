#include "database/statements.h"

#include <string.h>

#include "database/replay_cells.h"

/* A C statement while its parts are collected. */
struct group {
    uint64_t key;
    bool atomic;
    struct plan_statement parts;
};

struct builder {
    struct plan *p;
    uint32_t txn;
    VEC(struct group) groups;
    struct strbuf name;
    const char *error;
};

/* ---- versions ------------------------------------------------------------------------------- */

uint32_t statements_source(const struct plan *p, uint32_t row, uint32_t base)
{
    uint32_t last = PLAN_INITIAL;
    for (uint32_t i = 0; i < p->txns.len; i++)
        if (p->txns.data[i].position < base && plan_find_write(&p->txns.data[i], row) &&
            (last == PLAN_INITIAL || p->txns.data[i].position > p->txns.data[last].position))
            last = i;
    return last;
}

const struct plan_cells *statements_version(const struct plan *p, uint32_t row, uint32_t source)
{
    return source == PLAN_INITIAL ? &p->initial.data[row]
                                  : plan_find_write(&p->txns.data[source], row);
}

bool statements_base(const struct plan_txn *t, uint64_t key, uint32_t *base)
{
    *base = t->position;
    if (key == SX_NEWEST_KEY)
        return true;
    if (t->level->snapshot == SNAPSHOT_TRANSACTION) {
        *base = t->bases.data[0];
        return true;
    }
    for (size_t i = 0; i < t->reads.len; i++)
        if (!t->reads.data[i].newest && t->reads.data[i].statement_key == key) {
            *base = t->bases.data[t->reads.data[i].point];
            return true;
        }
    return false;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static struct group *group_of(struct builder *b, uint64_t key)
{
    for (size_t i = 0; i < b->groups.len; i++)
        if (b->groups.data[i].key == key)
            return &b->groups.data[i];
    vec_push(&b->groups, ((struct group){.key = key}));
    return &vec_last(&b->groups);
}

/* The row and column of an interpreter's cell. */
static bool place(struct builder *b, struct interp_row row, uint32_t cell, uint32_t *r, uint32_t *c)
{
    const char *name = cells_name(row, cell, &b->name);
    if (name && cells_place(b->p, name, r, c))
        return true;
    b->error = arena_printf(&b->p->arena, "%s uses %s, which the execution does not mention",
                            b->p->txns.data[b->txn].name, name ? name : row.table->name);
    return false;
}

/* Which of the visible sets a statement has. */
static uint32_t point_of(const struct plan_txn *t, uint64_t key)
{
    for (size_t i = 0; i < t->reads.len; i++)
        if (t->reads.data[i].statement_key == key)
            return t->reads.data[i].point;
    return key == SX_NEWEST_KEY ? (uint32_t)t->bases.len - 1 : 0;
}

/* The plan's read of the row by that statement; a new one if there is none. */
static uint32_t read_of(struct builder *b, uint32_t row, uint64_t key)
{
    struct plan_txn *t = &b->p->txns.data[b->txn];
    bool newest = key == SX_NEWEST_KEY;
    uint32_t base = 0;
    for (uint32_t i = 0; i < t->reads.len; i++) {
        const struct plan_read *r = &t->reads.data[i];
        if (r->cells.row == row && r->newest == newest && (newest || r->statement_key == key))
            return i;
    }
    statements_base(t, key, &base);
    struct plan_read added = {.source = statements_source(b->p, row, base),
                              .newest = newest,
                              .keyed = true,
                              .statement_key = key,
                              .key = key};
    added.cells = *statements_version(b->p, row, added.source);
    added.point = point_of(t, key);
    vec_push(&t->reads, added);
    return (uint32_t)t->reads.len - 1;
}

static void take_read(struct builder *b, const struct interp_read *read)
{
    uint32_t row, column;
    if (!place(b, read->row, read->cell, &row, &column))
        return;
    uint32_t n = read_of(b, row, read->statement);
    if (read->statement == SX_NEWEST_KEY)
        return; /* the change that lands on the row shows it */
    struct group *g = group_of(b, read->statement);
    for (size_t i = 0; i < g->parts.reads.len; i++)
        if (g->parts.reads.data[i] == n)
            return;
    vec_push(&g->parts.reads, n);
}

static struct plan_lock *lock_of(struct builder *b, struct group *g, uint32_t row,
                                 enum plan_lock_mode mode)
{
    for (size_t i = 0; i < g->parts.locks.len; i++)
        if (g->parts.locks.data[i].set.row == row && g->parts.locks.data[i].mode == mode)
            return &g->parts.locks.data[i];
    size_t columns = b->p->tables.data[b->p->rows.data[row].table].columns.len;
    struct plan_lock lock = {.mode = mode,
                             .set = {row, arena_array(&b->p->arena, const char *, columns + 1)}};
    vec_push(&g->parts.locks, lock);
    return &vec_last(&g->parts.locks);
}

/* As SQL takes it; an intermediate value may be larger than all that the execution shows. */
static const char *value_text(struct builder *b, struct plan_column *column, ast_int v)
{
    if (column->type == PLAN_BOOLEAN)
        return v ? "true" : "false";
    if (v > INT64_MAX)
        column->type = PLAN_NUMERIC;
    char text[48], *s = text + sizeof text;
    bool minus = v < 0;
    *--s = '\0';
    do {
        int digit = (int)(v % 10);
        *--s = (char)('0' + (digit < 0 ? -digit : digit));
        v /= 10;
    } while (v != 0);
    if (minus)
        *--s = '-';
    return arena_strdup(&b->p->arena, s);
}

static void take_touch(struct builder *b, const struct interp_touch *touch)
{
    static const enum plan_lock_mode modes[] = {[SX_TOUCH_SHARE] = PLAN_FOR_SHARE,
                                                [SX_TOUCH_WRITE] = PLAN_UPDATE,
                                                [SX_TOUCH_LOCK] = PLAN_FOR_UPDATE};
    uint32_t row, column;
    if (!place(b, touch->row, touch->first, &row, &column))
        return;
    struct group *g = group_of(b, touch->statement);
    g->atomic |= touch->atomic;
    struct plan_lock *lock = lock_of(b, g, row, modes[touch->mode]);
    struct plan_table *t = &b->p->tables.data[b->p->rows.data[row].table];
    for (uint32_t i = 0; i < touch->n; i++)
        if (place(b, touch->row, touch->first + i, &row, &column)) {
            lock->set.value[column] = value_text(b, &t->columns.data[column], touch->value[i]);
            lock->changes = true;
        }
}

/* ---- statements ----------------------------------------------------------------------------- */

/* A statement that is not ATOMIC is a SELECT, and one more statement for each row that it locks or
 * changes. */
static void put_group(struct group *g, struct plan_txn *t)
{
    if (g->atomic) {
        vec_push(&t->statements, g->parts);
        return;
    }
    if (g->parts.reads.len) {
        struct plan_statement select = {0};
        for (size_t i = 0; i < g->parts.reads.len; i++)
            vec_push(&select.reads, g->parts.reads.data[i]);
        vec_push(&t->statements, select);
    }
    for (size_t i = 0; i < g->parts.locks.len; i++) {
        struct plan_statement change = {0};
        vec_push(&change.locks, g->parts.locks.data[i]);
        vec_push(&t->statements, change);
    }
    vec_free(&g->parts.reads);
    vec_free(&g->parts.locks);
}

const char *statements_of_run(struct plan *p, uint32_t txn, const struct interp_run *run)
{
    struct builder b = {.p = p, .txn = txn};
    size_t next = 0;
    for (size_t i = 0; i < run->touches.len && !b.error; i++) {
        for (; next < run->touches.data[i].n_reads && !b.error; next++)
            take_read(&b, &run->reads.data[next]);
        if (!b.error)
            take_touch(&b, &run->touches.data[i]);
    }
    for (; next < run->reads.len && !b.error; next++)
        take_read(&b, &run->reads.data[next]);
    for (size_t i = 0; i < b.groups.len; i++)
        put_group(&b.groups.data[i], &p->txns.data[txn]);
    vec_free(&b.groups);
    sb_free(&b.name);
    return b.error;
}

void statements_of_observer(struct plan_txn *t)
{
    struct plan_statement select = {0};
    for (uint32_t i = 0; i < t->reads.len; i++)
        vec_push(&select.reads, i);
    if (select.reads.len)
        vec_push(&t->statements, select);
}
