#include "database/sql.h"

#include <inttypes.h>

#include "base/map.h"
#include "database/scratch.h"

void sql_init(struct sql *s, const struct plan *p, const char *schema, enum sql_values values)
{
    *s = (struct sql){.p = p, .schema = schema, .values = values};
}

void sql_free(struct sql *s)
{
    sb_free(&s->text);
    vec_free(&s->params);
    arena_free(&s->arena);
}

static void start(struct sql *s)
{
    sb_clear(&s->text);
    vec_clear(&s->params);
}

/* ---- names and values ----------------------------------------------------------------------- */

static void put_table(struct sql *s, uint32_t table)
{
    sb_printf(&s->text, "%s.%s", s->schema,
              scratch_name(s->p->tables.data[table].name, table, &s->arena));
}

static void put_column(struct sql *s, uint32_t table, uint32_t column)
{
    const char *path = s->p->tables.data[table].columns.data[column].path;
    sb_puts(&s->text, scratch_name(*path == '.' ? path + 1
                                   : *path      ? path
                                                : "value",
                                   column, &s->arena));
}

static void put_value(struct sql *s, const char *value)
{
    if (s->values == SQL_LITERALS) {
        sb_puts(&s->text, value);
        return;
    }
    vec_push(&s->params, value);
    sb_printf(&s->text, "$%zu", s->params.len);
}

static void put_number(struct sql *s, int64_t n)
{
    put_value(s, arena_printf(&s->arena, "%" PRId64, n));
}

static void put_where(struct sql *s, uint32_t row)
{
    const struct plan_row *r = &s->p->rows.data[row];
    for (uint32_t d = 0; d < s->p->tables.data[r->table].n_dims; d++) {
        sb_printf(&s->text, "%s\"#%u\" = ", d ? " AND " : " WHERE ", d + 1);
        put_number(s, r->index[d]);
    }
}

/* ---- statements ----------------------------------------------------------------------------- */

void sql_create(struct sql *s, uint32_t table)
{
    static const char *const types[] = {"boolean", "bigint", "numeric"};
    const struct plan_table *t = &s->p->tables.data[table];
    start(s);
    sb_puts(&s->text, "CREATE TABLE ");
    put_table(s, table);
    sb_puts(&s->text, " (");
    for (uint32_t d = 0; d < t->n_dims; d++)
        sb_printf(&s->text, "\"#%u\" bigint NOT NULL, ", d + 1);
    for (uint32_t c = 0; c < t->columns.len; c++) {
        put_column(s, table, c);
        sb_printf(&s->text, " %s NOT NULL, ", types[t->columns.data[c].type]);
    }
    sb_puts(&s->text, "\"#version\" bigint NOT NULL");
    if (s->p->by_statements)
        sb_puts(&s->text, ", \"#before\" bigint NOT NULL");
    for (uint32_t d = 0; d < t->n_dims; d++)
        sb_printf(&s->text, "%s\"#%u\"", d ? ", " : ", PRIMARY KEY (", d + 1);
    sb_puts(&s->text, t->n_dims ? "))" : ")");
}

void sql_insert(struct sql *s, uint32_t row)
{
    const struct plan_row *r = &s->p->rows.data[row];
    const struct plan_table *t = &s->p->tables.data[r->table];
    start(s);
    sb_puts(&s->text, "INSERT INTO ");
    put_table(s, r->table);
    sb_puts(&s->text, " VALUES (");
    for (uint32_t d = 0; d < t->n_dims; d++) {
        put_number(s, r->index[d]);
        sb_puts(&s->text, ", ");
    }
    for (uint32_t c = 0; c < t->columns.len; c++) {
        put_value(s, s->p->initial.data[row].value[c]);
        sb_puts(&s->text, ", ");
    }
    sb_puts(&s->text, s->p->by_statements ? "0, 0)" : "0)");
}

static void put_columns(struct sql *s, uint32_t table)
{
    for (uint32_t c = 0; c < s->p->tables.data[table].columns.len; c++) {
        put_column(s, table, c);
        sb_puts(&s->text, ", ");
    }
    sb_puts(&s->text, "\"#version\"");
}

void sql_select(struct sql *s, uint32_t row, bool lock)
{
    const struct plan_row *r = &s->p->rows.data[row];
    start(s);
    sb_puts(&s->text, "SELECT ");
    put_columns(s, r->table);
    sb_puts(&s->text, " FROM ");
    put_table(s, r->table);
    put_where(s, row);
    if (lock)
        sb_puts(&s->text, " FOR UPDATE");
}

void sql_update(struct sql *s, const struct plan_cells *cells, uint64_t write_id)
{
    const struct plan_row *r = &s->p->rows.data[cells->row];
    start(s);
    sb_puts(&s->text, "UPDATE ");
    put_table(s, r->table);
    sb_puts(&s->text, " SET ");
    for (uint32_t c = 0; c < s->p->tables.data[r->table].columns.len; c++) {
        if (!cells->value[c])
            continue;
        put_column(s, r->table, c);
        sb_puts(&s->text, " = ");
        put_value(s, cells->value[c]);
        sb_puts(&s->text, ", ");
    }
    sb_puts(&s->text, "\"#version\" = ");
    put_number(s, (int64_t)write_id);
    put_where(s, cells->row);
    if (s->values == SQL_PARAMETERS) {
        sb_puts(&s->text, " RETURNING ");
        put_columns(s, r->table);
    }
}

/* ---- levels of databases -------------------------------------------------------------------- */

/* Versions that nobody else ever sees: those of transactions that roll back. */
#define OWN_VERSION 1099511627776 /* 2^40, beyond all write ids */

static uint64_t version_of(const struct plan_txn *t, uint32_t row)
{
    for (size_t w = 0; w < t->writes.len; w++)
        if (t->writes.data[w].row == row)
            return t->first_write_id + w;
    return OWN_VERSION;
}

static void put_select(struct sql *s, uint32_t row)
{
    sb_puts(&s->text, "SELECT ");
    put_columns(s, s->p->rows.data[row].table);
    sb_puts(&s->text, " FROM ");
    put_table(s, s->p->rows.data[row].table);
    put_where(s, row);
}

int32_t sql_gate_key(uint32_t txn, uint32_t statement)
{
    return (int32_t)(hash_pair(txn, statement) & INT32_MAX);
}

static void put_gate(struct sql *s, uint32_t row, struct sql_gate gate)
{
    if (!gate.closed)
        return;
    bool keyed = s->p->tables.data[s->p->rows.data[row].table].n_dims;
    sb_printf(&s->text, " %s pg_advisory_xact_lock_shared(%" PRId32 ", %" PRId32 ") IS NOT NULL",
              keyed ? "AND" : "WHERE", gate.key[0], gate.key[1]);
}

static void put_change(struct sql *s, const struct plan_txn *t, const struct plan_lock *lock,
                       struct sql_gate gate)
{
    uint32_t row = lock->set.row, table = s->p->rows.data[row].table;
    sb_puts(&s->text, "UPDATE ");
    put_table(s, table);
    sb_puts(&s->text, " SET ");
    for (uint32_t c = 0; c < s->p->tables.data[table].columns.len; c++) {
        if (!lock->set.value[c])
            continue;
        put_column(s, table, c);
        sb_puts(&s->text, " = ");
        put_value(s, lock->set.value[c]);
        sb_puts(&s->text, ", ");
    }
    sb_puts(&s->text, "\"#before\" = \"#version\", \"#version\" = ");
    put_number(s, (int64_t)version_of(t, row));
    put_where(s, row);
    put_gate(s, row, gate);
    sb_puts(&s->text, " RETURNING ");
    put_columns(s, table);
    sb_puts(&s->text, ", \"#before\"");
}

static void put_lock(struct sql *s, const struct plan_txn *t, const struct plan_lock *lock,
                     struct sql_gate gate)
{
    static const char *const modes[] = {
        [PLAN_FOR_SHARE] = "SHARE", [PLAN_FOR_UPDATE] = "UPDATE", [PLAN_UPDATE] = "NO KEY UPDATE"};
    if (lock->changes) {
        put_change(s, t, lock, gate);
        return;
    }
    put_select(s, lock->set.row);
    put_gate(s, lock->set.row, gate);
    sb_printf(&s->text, " FOR %s", modes[lock->mode]);
}

/* ATOMIC that reads other rows or changes several: still one statement, with one snapshot. */
static void put_together(struct sql *s, const struct plan_txn *t, const struct plan_statement *st,
                         struct sql_gate gate)
{
    for (size_t i = 0; i < st->locks.len; i++) {
        sb_printf(&s->text, "%sl%zu AS (", i ? ", " : "WITH ", i);
        put_lock(s, t, &st->locks.data[i], gate);
        sb_puts(&s->text, ")");
    }
    sb_puts(&s->text, st->locks.len ? " SELECT " : "SELECT ");
    for (size_t i = 0; i < st->reads.len; i++)
        sb_printf(&s->text, "%sr%zu.*", i ? ", " : "", i);
    for (size_t i = 0; i < st->locks.len; i++)
        sb_printf(&s->text, "%sl%zu.*", i || st->reads.len ? ", " : "", i);
    for (size_t i = 0; i < st->reads.len; i++) {
        sb_puts(&s->text, i ? ", (" : " FROM (");
        put_select(s, t->reads.data[st->reads.data[i]].cells.row);
        sb_printf(&s->text, ") r%zu", i);
    }
    for (size_t i = 0; i < st->locks.len; i++)
        sb_printf(&s->text, "%s l%zu", i || st->reads.len ? "," : " FROM", i);
}

void sql_statement(struct sql *s, const struct plan_txn *t, const struct plan_statement *st,
                   struct sql_gate gate)
{
    start(s);
    if (st->reads.len == 1 && st->locks.len == 0)
        put_select(s, t->reads.data[st->reads.data[0]].cells.row);
    else if (st->reads.len == 0 && st->locks.len == 1)
        put_lock(s, t, &st->locks.data[0], gate);
    else
        put_together(s, t, st, gate);
}
