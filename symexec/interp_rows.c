/* The rows of a concrete run: a buffer of the rows that it has written and, for every other row,
 * its last read; values come from the host. */
#include <assert.h>

#include "symexec/interp_internal.h"

static struct interp_write *find_row(struct interp *in, const struct ast_var *v,
                                     const uint64_t *index, uint64_t **head)
{
    size_t bytes = v->n_dims * sizeof *index;
    *head = map_put(&in->rows, hash_pair(v->id, hash_bytes(index, bytes)), 0, NULL);
    for (uint64_t i = **head; i; i = in->row_next.data[i - 1]) {
        struct interp_write *w = &in->run->writes.data[i - 1];
        if (w->row.table == v && (bytes == 0 || memcmp(w->row.index, index, bytes) == 0))
            return w;
    }
    return NULL;
}

/* The last read of a row; *head is its chain. */
static struct in_seen *find_seen(struct interp *in, const struct in_place *p, uint64_t **head)
{
    size_t bytes = p->var->n_dims * sizeof *p->index;
    *head = map_put(&in->seen, hash_pair(p->var->id, hash_bytes(p->index, bytes)), 0, NULL);
    for (uint64_t i = **head; i; i = in->last.data[i - 1].next) {
        struct in_seen *s = &in->last.data[i - 1];
        if (s->row.table == p->var && (bytes == 0 || memcmp(s->row.index, p->index, bytes) == 0))
            return s;
    }
    return NULL;
}

static void note_read(struct interp *in, const struct in_place *p, uint64_t read)
{
    uint64_t *head;
    struct in_seen *s = find_seen(in, p, &head);
    if (!s) {
        vec_push(&in->last, ((struct in_seen){.row = {p->var, p->index}, .next = (uint32_t)*head}));
        *head = in->last.len;
        s = &vec_last(&in->last);
    }
    s->statement = in->statement;
    s->read = read;
}

static ast_int from_host(struct interp *in, const struct in_place *p, uint32_t cell,
                         uint64_t statement, uint64_t read, struct src_loc loc)
{
    struct interp_read r = {
        .row = {p->var, p->index}, .cell = cell, .statement = statement, .read = read, .loc = loc};
    r.value = in->host->read(in->host->arg, r.row, cell, statement, read);
    vec_push(&in->run->reads, r);
    return r.value;
}

/* What an ATOMIC statement changes; InnoDB at REPEATABLE READ locks what else it reads. */
static bool reads_newest(struct interp *in, const struct in_place *p)
{
    if (!in->atomic)
        return false;
    bool own = in_atomic_own(in, p), locks = in->options->database == INTERP_INNODB_RR;
    if (!own && locks)
        in_touch(in, (struct interp_row){p->var, p->index}, SX_TOUCH_SHARE);
    return own || locks;
}

void in_row_read(struct interp *in, const struct in_place *p, uint32_t n, struct in_cell *out,
                 uint64_t read, struct src_loc loc)
{
    uint64_t *head;
    assert(p->n_index == p->var->n_dims);
    struct interp_write *w = find_row(in, p->var, p->index, &head);
    uint64_t statement = in->statement;
    if (reads_newest(in, p))
        statement = read = SX_NEWEST_KEY;
    else
        in->run->selects++;
    if (!w && !in->options->by_field)
        note_read(in, p, read);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = p->offset + i;
        bool own = w && (!in->options->by_field || w->touched[cell]);
        ast_int v = own ? w->value[cell] : from_host(in, p, cell, statement, read, loc);
        out[i] = (struct in_cell){.i = v};
    }
}

/* The first write of a row: the other fields are carried over as last read, or as a read made by
 * this write sees them. */
static struct interp_write *new_row(struct interp *in, const struct in_place *p, uint32_t n,
                                    uint64_t *head, uint64_t read, struct src_loc loc)
{
    uint32_t cells = in_cells(p->var->row);
    struct interp_write w = {.row = {p->var, p->index},
                             .value = arena_array(in->arena, ast_int, cells),
                             .touched = arena_array(in->arena, bool, cells)};
    uint64_t *chain, statement = in->statement;
    const struct in_seen *last = find_seen(in, p, &chain);
    if (in->options->database) {
        statement = read = SX_NEWEST_KEY;
    } else if (last) {
        statement = last->statement;
        read = last->read;
    }
    for (uint32_t i = 0; i < cells && !in->options->by_field; i++)
        if (i < p->offset || i >= p->offset + n)
            w.value[i] = from_host(in, p, i, statement, read, loc);
    vec_push(&in->row_next, (uint32_t)*head);
    vec_push(&in->run->writes, w);
    *head = in->run->writes.len;
    return &vec_last(&in->run->writes);
}

void in_touch(struct interp *in, struct interp_row row, enum sx_touch_mode mode)
{
    vec_push(&in->run->touches, ((struct interp_touch){.row = row,
                                                       .mode = mode,
                                                       .statement = in->statement,
                                                       .selects = in->run->selects,
                                                       .n_reads = in->run->reads.len,
                                                       .atomic = in->atomic != NULL}));
}

/* The touch just made is an assignment of these values. */
static void note_values(struct interp *in, const struct in_place *p, uint32_t n,
                        const struct in_cell *v)
{
    struct interp_touch *t = &vec_last(&in->run->touches);
    ast_int *value = arena_array(in->arena, ast_int, n + 1);
    for (uint32_t i = 0; i < n; i++)
        value[i] = v[i].i;
    t->first = p->offset;
    t->n = n;
    t->value = value;
}

/* The newest version has these values already. */
static bool changes_nothing(struct interp *in, const struct in_place *p, uint32_t n,
                            const struct in_cell *v, struct src_loc loc)
{
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
        same &= v[i].i == from_host(in, p, p->offset + i, SX_NEWEST_KEY, SX_NEWEST_KEY, loc);
    return same;
}

void in_row_write(struct interp *in, const struct in_place *p, uint32_t n, const struct in_cell *v,
                  uint64_t read, struct src_loc loc)
{
    uint64_t *head;
    if (in->atomic && in->atomic->many && !in_atomic_own(in, p))
        return; /* the other rows have a run of their own */
    struct interp_write *w = find_row(in, p->var, p->index, &head);
    if (in->options->database) {
        in_touch(in, (struct interp_row){p->var, p->index}, SX_TOUCH_WRITE);
        note_values(in, p, n, v);
    }
    if (in->options->database >= INTERP_INNODB_RC && !w && changes_nothing(in, p, n, v, loc))
        return;
    if (!w)
        w = new_row(in, p, n, head, read, loc);
    for (uint32_t i = 0; i < n; i++) {
        w->value[p->offset + i] = v[i].i;
        w->touched[p->offset + i] = true;
    }
    w->loc = loc;
}
