/* Executions as histories; export.h says what becomes what. */
#include "encode/export.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

/* A version of a row: of transaction `txn` (EXEC_INITIAL: the first one). */
struct version {
    const struct exec_row *row;
    uint64_t id; /* write id; 0 for the initial version */
};

struct exporter {
    const struct execution *x;
    struct history *h;
    struct arena *messages;
    const char *error;
    bool integers; /* every row is one number of 64 bits */
    bool results;  /* results that calls use are rows, too */
    uint32_t *txn_of;
};

static void fail(struct exporter *e, const char *who, const struct exec_row *row, const char *what)
{
    const char *name = exec_row_text(e->messages, e->x->program, row->table, row->row, UINT32_MAX);
    if (!e->error)
        e->error = arena_printf(e->messages, "%s, row %s: %s", who, name, what);
}

static uint32_t n_fields(const struct exporter *e, const struct exec_row *row)
{
    return e->x->program->tables[row->table].n_fields;
}

static bool same_row(const struct exec_row *a, const struct exec_row *b)
{
    return a->table == b->table && a->row == b->row;
}

/* ---- keys and values ------------------------------------------------------------------------ */

static uint32_t key_of(struct exporter *e, const struct exec_row *row)
{
    struct arena scratch = {0};
    const char *name = exec_row_text(&scratch, e->x->program, row->table, row->row, UINT32_MAX);
    uint32_t key = hist_key_str(e->h, name, strlen(name));
    arena_free(&scratch);
    return key;
}

static const char *plain_path(const struct sx_table *t, uint32_t field)
{
    const char *path = t->fields[field].path;
    return path + (*path == '.');
}

/* The field's name in a row: its path, "a.b".  "key" and "value" mean something in the format, so
 * they get a tail that no other field has. */
static const char *field_name(struct exporter *e, const struct sx_table *t, uint32_t field)
{
    const char *name = plain_path(t, field);
    bool taken = !strcmp(name, "key") || !strcmp(name, "value");
    while (taken) {
        name = arena_printf(e->messages, "%s_", name);
        taken = false;
        for (uint32_t f = 0; f < t->n_fields; f++)
            taken |= !strcmp(plain_path(t, f), name);
    }
    return name;
}

/* A number that the format's integers cannot say is C's literal, a text. */
static bool number_text(term_int v, struct strbuf *out)
{
    term_int_print(v, out);
    if (v <= INT64_MAX)
        return false;
    sb_putc(out, 'u');
    return true;
}

/* An enumerator by its name, a truth value as 0 or 1. */
static void cell_text(const struct ast_type *type, term_int v, struct strbuf *out)
{
    const char *name = ast_enumerator(type, v);
    struct strbuf number = {0};
    bool text = number_text(v, &number) || name;
    sb_printf(out, text ? "\"%s\"" : "%s", name ? name : sb_str(&number));
    sb_free(&number);
}

/* A row as the history format has it, its fields sorted by name: the text that its reader would
 * make of it.  A row that is one number is that number. */
static void value_text(struct exporter *e, const struct exec_row *row, struct strbuf *out)
{
    const struct sx_table *t = &e->x->program->tables[row->table];
    const char *last = NULL;
    if (t->n_fields == 1) {
        number_text(row->value[0], out);
        return;
    }
    for (uint32_t done = 0; done < t->n_fields; done++) {
        const char *name = NULL;
        uint32_t field = 0;
        for (uint32_t f = 0; f < t->n_fields; f++) {
            const char *n = field_name(e, t, f);
            if ((!last || strcmp(n, last) > 0) && (!name || strcmp(n, name) < 0)) {
                name = n;
                field = f;
            }
        }
        assert(name);
        last = name;
        sb_printf(out, "%s\"%s\":", done ? "," : "{", name);
        cell_text(t->fields[field].type, row->value[field], out);
    }
    sb_putc(out, '}');
}

static struct hist_value value_of(struct exporter *e, const struct exec_row *row)
{
    if (e->integers)
        return hist_int((int64_t)row->value[0]);
    struct strbuf text = {0};
    value_text(e, row, &text);
    int64_t id = hist_value_text(e->h, sb_str(&text), text.len);
    sb_free(&text);
    return hist_int(id);
}

static bool is_integer(const struct exporter *e, const struct exec_row *row)
{
    return n_fields(e, row) == 1 && row->known[0] && row->value[0] >= INT64_MIN &&
           row->value[0] <= INT64_MAX;
}

static bool all_integers(const struct exporter *e)
{
    for (size_t i = 0; i < e->x->n_initial; i++)
        if (!is_integer(e, &e->x->initial[i]))
            return false;
    for (uint32_t t = 0; t < e->x->n_txns; t++)
        for (size_t i = 0; i < e->x->txns[t].n_writes; i++)
            if (!is_integer(e, &e->x->txns[t].writes[i].row))
                return false;
    return true;
}

/* ---- versions ------------------------------------------------------------------------------- */

/* Write ids number the writes of all transactions, from 1. */
static struct version find_version(const struct exporter *e, uint32_t txn,
                                   const struct exec_row *row)
{
    uint64_t id = 1;
    if (txn == EXEC_INITIAL) {
        for (size_t i = 0; i < e->x->n_initial; i++)
            if (same_row(&e->x->initial[i], row))
                return (struct version){&e->x->initial[i], 0};
        return (struct version){0};
    }
    for (uint32_t t = 0; t < txn && t < e->x->n_txns; t++)
        id += e->x->txns[t].n_writes;
    for (size_t i = 0; txn < e->x->n_txns && i < e->x->txns[txn].n_writes; i++)
        if (same_row(&e->x->txns[txn].writes[i].row, row))
            return (struct version){&e->x->txns[txn].writes[i].row, id + i};
    return (struct version){0};
}

static void read_version(struct exporter *e, const char *who, const struct exec_row *seen,
                         uint32_t source, bool same_statement)
{
    struct version v = find_version(e, source, seen);
    if (!v.row) {
        fail(e, who, seen, "reads from a transaction that does not write it");
        return;
    }
    for (uint32_t f = 0; f < n_fields(e, seen); f++)
        if (seen->known[f] && v.row->known[f] && seen->value[f] != v.row->value[f])
            fail(e, who, seen, "reads another value than was written");
    uint32_t key = key_of(e, seen);
    if (v.id == 0)
        hist_read_initial(e->h, key, value_of(e, v.row));
    else {
        hist_read(e->h, key, value_of(e, v.row));
        hist_write_id(e->h, v.id);
    }
    if (same_statement)
        hist_op_flag(e->h, HIST_OP_SAME_STMT);
}

/* What an UPDATE keeps of a row is no read: the database does that by itself. */
static bool is_kept(const struct exec_read *r)
{
    return r->carry && r->statement == EXEC_NEWEST;
}

static void reads(struct exporter *e, const char *who, const struct exec_read *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_kept(&r[i]))
            read_version(e, who, &r[i].row, r[i].source, i && r[i].statement == r[i - 1].statement);
}

/* ---- transactions --------------------------------------------------------------------------- */

static const char result_of[] = "result of ", end_of[] = "end of ";

/* The last writer of a row, or EXEC_INITIAL. */
static uint32_t last_writer(const struct execution *x, const struct exec_row *row)
{
    for (uint32_t i = x->n_txns; i-- > 0;) {
        const struct exec_txn *t = &x->txns[x->ar[i]];
        for (size_t w = 0; w < t->n_writes; w++)
            if (same_row(&t->writes[w].row, row))
                return x->ar[i];
    }
    return EXEC_INITIAL;
}

/* An observer that is the final state and nothing else has to come after all writers.  It reads
 * from those that wrote the last version of some row; the others tell it that they have ended. */
static bool tells_end(const struct execution *x, uint32_t t)
{
    const struct exec_txn *txn = &x->txns[t];
    bool tells = x->observer.present && !x->observer.func && txn->n_writes;
    for (size_t i = 0; i < txn->n_writes; i++)
        tells &= last_writer(x, &txn->writes[i].row) != t;
    return tells;
}

/* Rows that are not the program's: transaction t writes "result of t", say, and others read it. */
static void put_mark(struct exporter *e, const char *what, uint32_t t, bool write)
{
    const char *name = arena_printf(e->messages, "%s%s", what, exec_txn_name(e->x, t, e->messages));
    uint32_t key = hist_key_str(e->h, name, strlen(name));
    uint64_t id = 1 + 2 * (uint64_t)t + (what == end_of);
    struct hist_value v = hist_int(e->integers ? 1 : hist_value_text(e->h, "1", 1));
    for (uint32_t i = 0; i < e->x->n_txns; i++)
        id += e->x->txns[i].n_writes;
    if (write)
        hist_write(e->h, key, v);
    else
        hist_read(e->h, key, v);
    hist_write_id(e->h, id);
}

static void read_results(struct exporter *e, uint32_t t)
{
    for (size_t i = 0; e->results && i < e->x->n_after; i++)
        if (e->x->after[i].then == t)
            put_mark(e, result_of, e->x->after[i].first, false);
}

static void write_result(struct exporter *e, uint32_t t)
{
    bool used = false;
    for (size_t i = 0; e->results && i < e->x->n_after; i++)
        used |= e->x->after[i].first == t;
    if (used)
        put_mark(e, result_of, t, true);
}

static void put_txn(struct exporter *e, uint32_t t, uint32_t session)
{
    const struct exec_txn *txn = &e->x->txns[t];
    const char *name = exec_txn_name(e->x, t, e->messages);
    e->txn_of[t] = hist_begin_txn(e->h, session);
    if (txn->end == EXEC_COMMITTED)
        hist_txn_name(e->h, name);
    else
        hist_txn_name(e->h, arena_printf(e->messages, "%s" EXEC_WITHOUT_EFFECT, name));
    read_results(e, t);
    reads(e, txn->name, txn->reads, txn->n_reads);
    if (txn->end != EXEC_COMMITTED && txn->n_writes)
        fail(e, txn->name, &txn->writes[0].row, "is written by a transaction that did not commit");
    for (size_t i = 0; i < txn->n_writes; i++) {
        hist_write(e->h, key_of(e, &txn->writes[i].row), value_of(e, &txn->writes[i].row));
        hist_write_id(e->h, find_version(e, t, &txn->writes[i].row).id);
    }
    write_result(e, t);
    if (tells_end(e->x, t))
        put_mark(e, end_of, t, true);
    hist_end_txn(e->h, HIST_COMMITTED);
}

static void put_sessions(struct exporter *e)
{
    for (uint32_t s = 0; s < e->x->n_sessions; s++) {
        uint32_t session = hist_add_session(e->h, NULL);
        for (uint32_t index = 0, last = 0; !last;) {
            last = 1;
            for (uint32_t t = 0; t < e->x->n_txns; t++)
                if (e->x->txns[t].session == s && e->x->txns[t].index == index) {
                    put_txn(e, t, session);
                    last = 0;
                }
            index++;
        }
    }
    for (uint32_t t = 0; t < e->x->n_txns; t++)
        if (e->txn_of[t] == HIST_NONE && !e->error)
            e->error =
                arena_printf(e->messages, "%s has no place in its session", e->x->txns[t].name);
}

static bool looks_at(const struct exec_observer *o, const struct exec_row *row)
{
    for (size_t i = 0; i < o->n_reads; i++)
        if (same_row(&o->reads[i].row, row))
            return true;
    return false;
}

/* Does the observer see the final state? */
static bool sees_all(const struct execution *x)
{
    const struct exec_observer *o = &x->observer;
    if (o->position != x->n_txns)
        return false;
    for (uint32_t i = 0; i < o->n_points * x->n_txns; i++)
        if (!o->visible[i])
            return false;
    return true;
}

static void put_observer(struct exporter *e)
{
    const struct execution *x = e->x;
    const struct exec_observer *o = &x->observer;
    uint32_t session = hist_add_session(e->h, NULL);
    e->txn_of[x->n_txns] = hist_begin_txn(e->h, session);
    hist_txn_name(e->h, o->name);
    reads(e, o->name, o->reads, o->n_reads);
    bool first = true;
    for (size_t i = 0; sees_all(x) && i < x->n_initial; i++) {
        const struct exec_row *row = &x->initial[i];
        uint32_t writer = last_writer(x, row);
        if (writer == EXEC_INITIAL || looks_at(o, row))
            continue;
        read_version(e, o->name, find_version(e, writer, row).row, writer, !first);
        first = false;
    }
    for (uint32_t t = 0; t < x->n_txns; t++)
        if (tells_end(x, t))
            put_mark(e, end_of, t, false);
    hist_end_txn(e->h, HIST_COMMITTED);
}

/* ---- arbitration, visibility, initial values ------------------------------------------------ */

static void put_execution(struct exporter *e)
{
    const struct execution *x = e->x;
    const struct exec_observer *o = &x->observer;
    for (uint32_t i = 0; i <= x->n_txns; i++) {
        if (o->present && i == o->position)
            vec_push(&e->h->arbitration, e->txn_of[x->n_txns]);
        if (i < x->n_txns)
            vec_push(&e->h->arbitration, e->txn_of[x->ar[i]]);
    }
    for (uint32_t t = 0; t < x->n_txns; t++)
        for (uint32_t s = 0; s < x->n_txns; s++)
            if (s != t && exec_sees(x, t, s))
                vec_push(&e->h->visibility, ((struct hist_pair){e->txn_of[s], e->txn_of[t]}));
    for (uint32_t s = 0; o->present && o->n_points && s < x->n_txns; s++)
        if (o->visible[(o->n_points - 1) * x->n_txns + s])
            vec_push(&e->h->visibility, ((struct hist_pair){e->txn_of[s], e->txn_of[x->n_txns]}));
}

static const char *make_history(const struct execution *x, bool results, const char *source,
                                struct arena *messages, uint32_t *txn_of, struct history **out)
{
    struct exporter e = {.x = x, .h = hist_new(), .messages = messages, .results = results};
    e.txn_of = arena_array(messages, uint32_t, x->n_txns + 1);
    for (uint32_t t = 0; t <= x->n_txns; t++)
        e.txn_of[t] = HIST_NONE;
    e.integers = all_integers(&e);
    hist_set_source(e.h, source);
    for (size_t i = 0; i < x->n_initial; i++)
        hist_set_initial(e.h, key_of(&e, &x->initial[i]), value_of(&e, &x->initial[i]));
    put_sessions(&e);
    if (x->observer.present)
        put_observer(&e);
    if (!e.error)
        put_execution(&e);
    const char *error = e.error ? NULL : hist_finish(e.h);
    if (error)
        e.error = arena_strdup(messages, error);
    if (txn_of)
        memcpy(txn_of, e.txn_of, (x->n_txns + 1) * sizeof *txn_of);
    if (e.error) {
        hist_free(e.h);
        return e.error;
    }
    *out = e.h;
    return NULL;
}

const char *export_history(const struct execution *x, const char *source, struct arena *messages,
                           uint32_t *txn_of, struct history **out)
{
    return make_history(x, false, source, messages, txn_of, out);
}

const char *export_serial_history(const struct execution *x, const char *source,
                                  struct arena *messages, uint32_t *txn_of, struct history **out)
{
    return make_history(x, true, source, messages, txn_of, out);
}
