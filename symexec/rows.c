/* Database rows: what the transaction has written so far, and what it reads from outside.
 *
 * A row is named by its table and index *terms*; the same terms always give the same object.  The
 * state maps the objects that were written on the way here to records: `written` (a condition) and
 * the value of every field, meaningful where written holds.  Objects with different terms may be
 * the same row.  The invariant that makes this simple:
 *
 *     records of one table agree: where the indices of two written objects are equal, both
 *     are written or neither, and with equal values.
 *
 * So a write updates every record that may be the same row, an object without a record can be
 * derived from those that have one in any order, and final writes need no order.  Constant
 * indices are equal or not by name: they are compared with symbolic ones only.
 *
 * A read is an if-then-else: the own value where written, else the external value of the row, which
 * is one leaf per row and field (per statement or per read, if the options ask for it).
 *
 * All this is within one layer of a table; bulk writes separate layers (row_layers.c). */
#include <assert.h>

#include "symexec/fold.h"

#define WRITTEN SX_WRITTEN
#define FIELD SX_FIELD_0

static const struct sx_table *table_of(const struct sx_exec *x, const struct sx_object *o)
{
    return &x->program->tables[o->table];
}

/* ---- objects ------------------------------------------------------------------------------- */

static uint32_t new_object(struct sx_exec *x, uint32_t table, const term_id *index)
{
    const struct sx_table *t = &x->program->tables[table];
    struct sx_object o = {
        .row = (uint32_t)x->objects.len, .layer = table, .table = table, .constant = true};
    o.index = arena_copy(x->arena, index, t->n_dims * sizeof *index);
    o.touched = arena_array(x->arena, bool, t->n_fields);
    for (uint32_t i = 0; i < t->n_dims; i++)
        o.constant &= term_is_const(x->store, index[i]);
    vec_push(&x->objects, o);
    return (uint32_t)(x->objects.len - 1);
}

/* Two names are compared on all paths, also on those that never computed the indices: there a range
 * that counts on a check of the path could make one comparison false and another, of the same row
 * by a third name, true.  So an index is total. */
uint32_t sx_row_object(struct sx_exec *x, uint32_t table, const term_id *place)
{
    uint32_t n_dims = x->program->tables[table].n_dims;
    vec_clear(&x->index);
    for (uint32_t i = 0; i < n_dims; i++)
        vec_push(&x->index, term_substitute(&x->total, place[i]));
    const term_id *index = x->index.data;
    size_t bytes = n_dims * sizeof *index;
    uint64_t key = hash_pair(table, hash_bytes(index, bytes));
    uint64_t *head = map_put(&x->object_index, key, 0, NULL); /* object + 1 */
    for (uint64_t i = *head; i; i = x->object_next.data[i - 1]) {
        const struct sx_object *o = &x->objects.data[i - 1];
        if (o->table == table && (bytes == 0 || memcmp(o->index, index, bytes) == 0))
            return (uint32_t)(i - 1);
    }
    vec_push(&x->object_next, (uint32_t)*head);
    uint32_t id = new_object(x, table, index);
    *head = id + 1;
    return id;
}

term_id sx_row_same(struct sx_exec *x, uint32_t a, uint32_t b, bool use_facts)
{
    const struct sx_object *o = &x->objects.data[a], *p = &x->objects.data[b];
    term_id c = TERM_TRUE;
    for (uint32_t i = 0; i < table_of(x, o)->n_dims && c != TERM_FALSE; i++) {
        term_id eq = term_eq(x->store, o->index[i], p->index[i]);
        c = term_and(x->store, c, use_facts ? facts_fold(&x->facts, eq) : eq);
    }
    return c;
}

/* ---- records ------------------------------------------------------------------------------- */

uint32_t sx_record_new(struct sx_exec *x, uint32_t n_fields)
{
    uint32_t r = (uint32_t)x->records.len;
    vec_resize(&x->records, x->records.len + FIELD + n_fields);
    x->records.data[r + WRITTEN] = TERM_FALSE;
    return r;
}

/* In record r: where cond holds the row is written, with the values of record `from`. */
static void overwrite(struct sx_exec *x, uint32_t r, term_id cond, uint32_t from, uint32_t n_fields)
{
    term_id written = x->records.data[r + WRITTEN];
    for (uint32_t f = FIELD; f < FIELD + n_fields; f++) {
        term_id v = x->records.data[from + f], old = x->records.data[r + f];
        if (written != TERM_FALSE)
            v = term_ite(x->store, cond, v, old);
        x->records.data[r + f] = v;
    }
    x->records.data[r + WRITTEN] = term_or(x->store, written, cond);
}

static void derive_from(struct sx_exec *x, struct env rows, uint32_t object, const sx_ids *others,
                        bool use_facts, uint32_t r)
{
    uint32_t n_fields = table_of(x, &x->objects.data[object])->n_fields;
    for (size_t i = 0; i < others->len; i++) {
        uint32_t from = env_get(&x->pool, rows, others->data[i]);
        if (from == 0 || others->data[i] == object)
            continue;
        term_id cond = sx_row_same(x, object, others->data[i], use_facts);
        cond = term_and(x->store, cond, x->records.data[from + WRITTEN]);
        if (cond != TERM_FALSE)
            overwrite(x, r, cond, from, n_fields);
    }
}

/* The record of an object in an environment: a copy of its own, or derived from others. */
uint32_t sx_record_of(struct sx_exec *x, struct env rows, uint32_t object, bool use_facts)
{
    const struct sx_object *o = &x->objects.data[object];
    uint32_t n_fields = table_of(x, o)->n_fields, own = env_get(&x->pool, rows, object);
    uint32_t r = sx_record_new(x, n_fields), layer = o->layer;
    bool constant = o->constant;
    if (own) {
        memcpy(&x->records.data[r], &x->records.data[own], (FIELD + n_fields) * sizeof(term_id));
        return r;
    }
    if (!constant)
        derive_from(x, rows, object, &x->layers.data[layer].written_constant, use_facts, r);
    derive_from(x, rows, object, &x->layers.data[layer].written_symbolic, use_facts, r);
    return r;
}

static void drop_record(struct sx_exec *x, uint32_t r)
{
    x->records.len = r; /* the last one */
}

uint32_t sx_row_choose(struct sx_exec *x, term_id c, uint32_t object, struct env ea, uint32_t a,
                       struct env eb, uint32_t b)
{
    uint32_t n_fields = table_of(x, &x->objects.data[object])->n_fields;
    if (a == 0)
        a = sx_record_of(x, ea, object, false);
    if (b == 0)
        b = sx_record_of(x, eb, object, false);
    uint32_t r = sx_record_new(x, n_fields);
    term_id wa = x->records.data[a + WRITTEN], wb = x->records.data[b + WRITTEN];
    x->records.data[r + WRITTEN] = term_ite(x->store, c, wa, wb);
    for (uint32_t f = FIELD; f < FIELD + n_fields; f++) {
        term_id va = x->records.data[a + f], vb = x->records.data[b + f], v;
        if (wa == TERM_FALSE)
            v = vb;
        else if (wb == TERM_FALSE)
            v = va;
        else
            v = term_ite(x->store, c, va, vb);
        x->records.data[r + f] = v;
    }
    return r;
}

/* Statements as a database has them? */
static bool in_database(const struct sx_exec *x)
{
    return x->role == AST_TRANSACTION && sx_is_database(x->program->options.reads);
}

bool sx_touch_conflicts(enum sx_touch_mode a, enum sx_touch_mode b)
{
    return a != SX_TOUCH_SHARE || b != SX_TOUCH_SHARE;
}

/* ---- external reads ------------------------------------------------------------------------ */

/* The indices that the row mentions: the bounds of its reads and locks. */
static uint32_t bounds_of(struct sx_exec *x, uint32_t object)
{
    const struct sx_object *o = &x->objects.data[object];
    uint32_t mask = 0, n = 0, n_dims = table_of(x, o)->n_dims;
    const term_id *index = o->index;
    for (uint32_t i = 0; i < n_dims; i++)
        mask |= sx_mask(x, index[i]);
    while (mask >> n)
        n++;
    assert(n <= x->bounds.len);
    return n;
}

static bool bounds_match(const struct sx_exec *x, const struct sx_bound *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (b[i].lo != x->bounds.data[i].lo || b[i].hi != x->bounds.data[i].hi)
            return false;
    return true;
}

static uint32_t add_read(struct sx_exec *x, uint32_t object, struct src_loc loc, bool carry)
{
    uint32_t n = bounds_of(x, object);
    struct sx_object *o = &x->objects.data[object];
    struct sx_read r = {.row = {o->table, o->index},
                        .guard = TERM_FALSE,
                        .before = x->fold ? TERM_NONE : x->ok,
                        .field = arena_array(x->arena, term_id, table_of(x, o)->n_fields),
                        .statement = x->statement,
                        .set = x->folds ? x->fold_set : (uint32_t)x->reads.len,
                        .statement_key = x->statement_key,
                        .key = x->access_key,
                        .loc = loc,
                        .carry = carry,
                        .asked = TERM_FALSE,
                        .bound = arena_copy(x->arena, x->bounds.data, n * sizeof *x->bounds.data),
                        .n_bound = n};
    vec_push(&x->reads, r);
    o->read = (uint32_t)x->reads.len;
    o->read_statement = x->statement;
    return o->read - 1;
}

/* The read of the newest version of the row. */
static uint32_t newest_event(struct sx_exec *x, uint32_t object, term_id cond, bool carry,
                             struct src_loc loc)
{
    uint32_t n = bounds_of(x, object), id = x->objects.data[object].newest;
    bool same =
        id && x->reads.data[id - 1].n_bound == n && bounds_match(x, x->reads.data[id - 1].bound, n);
    if (!same) {
        uint32_t read = x->objects.data[object].read;
        uint32_t statement = x->objects.data[object].read_statement;
        id = add_read(x, object, loc, true) + 1;
        x->objects.data[object].newest = id;
        x->objects.data[object].read = read;
        x->objects.data[object].read_statement = statement;
        x->reads.data[id - 1].newest = true;
        x->reads.data[id - 1].statement_key = x->reads.data[id - 1].key = SX_NEWEST_KEY;
    }
    x->reads.data[id - 1].carry &= carry;
    sx_row_read_where(x, id - 1, term_and(x->store, sx_path(x), cond));
    return id - 1;
}

/* May an access by this statement (and, each read for itself, this set) use that event? */
static bool same_event(const struct sx_exec *x, uint32_t object, uint32_t statement, uint32_t set,
                       uint32_t read)
{
    const struct sx_read *r = &x->reads.data[read];
    enum sx_reads mode = x->program->options.reads;
    return r->row.table == x->objects.data[object].table &&
           r->row.index == x->objects.data[object].index &&
           (mode == SX_READS_SNAPSHOT || r->statement == statement) &&
           (mode != SX_READS_EACH || r->set == set) && !r->newest &&
           bounds_match(x, r->bound, r->n_bound);
}

static bool same_newest(const struct sx_exec *x, uint32_t object, uint32_t read)
{
    const struct sx_read *r = &x->reads.data[read];
    return r->newest && r->row.table == x->objects.data[object].table &&
           r->row.index == x->objects.data[object].index && bounds_match(x, r->bound, r->n_bound);
}

uint32_t sx_row_event_like(struct sx_exec *x, uint32_t read, uint32_t object, bool *made)
{
    struct sx_read like = x->reads.data[read];
    for (uint32_t i = 0; i < x->reads.len; i++)
        if (like.newest ? same_newest(x, object, i)
                        : same_event(x, object, like.statement, like.set, i))
            return i;
    uint32_t id = add_read(x, object, like.loc, like.carry);
    struct sx_read *r = &x->reads.data[id];
    r->statement = like.statement;
    r->statement_key = like.statement_key;
    r->key = like.key;
    r->set = like.set;
    r->newest = like.newest;
    r->asked = like.asked;
    x->objects.data[object].read_statement = like.statement;
    *made = true;
    return id;
}

static struct sx_guarded *find_guarded(sx_guards *list, uint32_t id)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].id == id)
            return &list->data[i];
    return NULL;
}

static void add_guarded(struct sx_exec *x, sx_guards *list, uint32_t id, term_id guard)
{
    struct sx_guarded *g = find_guarded(list, id);
    if (g)
        g->guard = term_or(x->store, g->guard, guard);
    else
        vec_push(list, ((struct sx_guarded){id, guard, x->ok}));
}

term_id sx_row_read_guard(struct sx_exec *x, uint32_t read)
{
    term_id guard = x->reads.data[read].guard;
    for (struct sx_fold_frame *f = x->fold; f; f = f->outer) {
        struct sx_guarded *g = find_guarded(&f->reads, read);
        if (g)
            guard = term_or(x->store, guard, g->guard);
    }
    return guard;
}

void sx_row_read_where(struct sx_exec *x, uint32_t read, term_id guard)
{
    struct sx_read *r = &x->reads.data[read];
    if (x->fold)
        add_guarded(x, &x->fold->reads, read, guard);
    else
        r->guard = term_or(x->store, r->guard, guard);
}

/* The last event of the row, or in another fold an earlier one, if the access may use it. */
static uint32_t usable_event(struct sx_exec *x, uint32_t object, bool carry)
{
    struct sx_object *o = &x->objects.data[object];
    enum sx_reads mode = x->program->options.reads;
    bool reuse = o->read && (mode == SX_READS_SNAPSHOT ||
                             (o->read_statement == x->statement &&
                              (mode == SX_READS_STATEMENT || sx_is_database(mode) || x->folds ||
                               (carry && x->reads.data[o->read - 1].key == x->access_key))));
    if (!reuse)
        return 0;
    const struct sx_read *last = &x->reads.data[o->read - 1];
    if (bounds_match(x, last->bound, last->n_bound))
        return o->read;
    for (uint32_t i = 0; i < x->reads.len; i++)
        if (same_event(x, object, x->statement, x->fold_set, i))
            return i + 1;
    return 0;
}

/* The read event for a row that is read where cond holds on this path. */
static uint32_t read_event(struct sx_exec *x, uint32_t object, term_id cond, struct src_loc loc,
                           bool carry)
{
    uint32_t usable = usable_event(x, object, carry);
    uint32_t id = usable ? usable - 1 : add_read(x, object, loc, carry);
    x->reads.data[id].carry &= carry;
    if (facts_fold(&x->facts, sx_row_read_guard(x, id)) != TERM_TRUE)
        sx_row_read_where(x, id, term_and(x->store, sx_path(x), cond));
    return id;
}

term_id sx_row_external(struct sx_exec *x, uint32_t read, uint32_t field)
{
    struct sx_read *r = &x->reads.data[read];
    if (r->field[field] == TERM_NONE) {
        const struct ast_type *t = x->program->tables[r->row.table].fields[field].type;
        struct term_leaf leaf = {.kind = TERM_LEAF_EXT,
                                 .owner = x->sum->id,
                                 .a = read,
                                 .b = field,
                                 .bits = t->width,
                                 .is_signed = t->is_signed,
                                 .lo = ast_int_min(t),
                                 .hi = ast_int_max(t)};
        r->field[field] = term_leaf(x->store, leaf);
    }
    return r->field[field];
}

/* INITIAL functions start from C's initial values: constants, or a choice by index. */
static term_id initial_field(struct sx_exec *x, uint32_t object, uint32_t field)
{
    const struct sx_object *o = &x->objects.data[object];
    const struct sx_table *t = table_of(x, o);
    term_id v = term_const(x->store, 0);
    uint64_t rows = t->init ? sx_table_rows(t) : 0;
    for (uint64_t row = 0; row < rows; row++) {
        term_id here = TERM_TRUE;
        uint64_t rest = row;
        for (uint32_t d = t->n_dims; d-- > 0; rest /= t->dims[d]) {
            term_id k = term_const(x->store, (term_int)(rest % t->dims[d]));
            here = term_and(x->store, here, term_eq(x->store, o->index[d], k));
        }
        v = term_ite(x->store, here, term_const(x->store, t->init[row * t->n_fields + field]), v);
    }
    return v;
}

/* The source of external values in one access: an event, or the initial state. */
#define NO_EVENT UINT32_MAX

static term_id external(struct sx_exec *x, uint32_t object, uint32_t event, uint32_t field)
{
    if (event == NO_EVENT)
        return initial_field(x, object, field);
    return sx_row_external(x, event, field);
}

static uint32_t access_event(struct sx_exec *x, uint32_t object, term_id cond, struct src_loc loc,
                             bool carry)
{
    if (x->role == AST_INITIAL)
        return NO_EVENT;
    return carry && in_database(x) ? newest_event(x, object, cond, true, loc)
                                   : read_event(x, object, cond, loc, carry);
}

/* ---- locks of databases ---------------------------------------------------------------------- */

void sx_row_touch(struct sx_exec *x, uint32_t object, term_id cond, enum sx_touch_mode mode,
                  struct src_loc loc)
{
    const struct sx_object *o = &x->objects.data[object];
    term_id guard = term_and(x->store, sx_path(x), cond);
    bool first = x->program->options.reads == SX_READS_INNODB_RC && x->in_update;
    if (x->fold || guard == TERM_FALSE)
        return;
    for (size_t i = x->touches.len; i-- > 0;) {
        struct sx_touch *t = &x->touches.data[i];
        if (t->statement != x->statement)
            break;
        if (t->row.table == o->table && t->row.index == o->index && t->mode == mode &&
            t->before == x->ok && t->first == first) {
            t->guard = term_or(x->store, t->guard, guard);
            return;
        }
    }
    vec_push(&x->touches, ((struct sx_touch){.row = {o->table, o->index},
                                             .guard = guard,
                                             .before = x->ok,
                                             .mode = mode,
                                             .statement = x->statement,
                                             .first = first,
                                             .loc = loc}));
}

/* ---- access -------------------------------------------------------------------------------- */

/* Where a read gets its value from, if the transaction has not written the row: the view, or what
 * an ATOMIC statement changes from the newest version. */
struct sources {
    uint32_t view, newest; /* events, or NO_EVENT */
    term_id is_newest;
};

/* A sub-select of a change: InnoDB at REPEATABLE READ locks what it reads, and reads the newest. */
static bool locks_reads(const struct sx_exec *x)
{
    return x->atomic && x->program->options.reads == SX_READS_INNODB_RR;
}

/* cond: where the row is asked for; outside: and the transaction has not written it. */
static struct sources find_sources(struct sx_exec *x, uint32_t object, term_id cond,
                                   term_id outside, bool written, struct src_loc loc)
{
    struct sources s = {NO_EVENT, NO_EVENT, TERM_FALSE};
    if (in_database(x))
        s.is_newest = sx_atomic_own(x, object);
    if (locks_reads(x) && s.is_newest != TERM_TRUE) {
        sx_row_touch(x, object, term_and(x->store, cond, term_not(x->store, s.is_newest)),
                     SX_TOUCH_SHARE, loc);
        s.is_newest = TERM_TRUE;
    }
    if (s.is_newest != TERM_FALSE && !written)
        s.newest = newest_event(x, object, term_and(x->store, outside, s.is_newest), false, loc);
    if (s.is_newest == TERM_TRUE || (written && !in_database(x)))
        return s;
    term_id seen = term_and(x->store, outside, term_not(x->store, s.is_newest));
    s.view = access_event(x, object, seen, loc, false);
    if (s.view != NO_EVENT && sx_seen_matters(x, x->objects.data[object].table))
        sx_seen_read(x, object, cond, s.view);
    if (in_database(x)) {
        struct sx_read *select = &x->reads.data[s.view];
        term_id asked = term_and(x->store, sx_path(x), cond);
        select->asked = x->fold ? TERM_TRUE /* of which row it is not said */
                                : term_or(x->store, select->asked, asked);
    }
    return s;
}

static term_id value_from(struct sx_exec *x, uint32_t object, const struct sources *s,
                          uint32_t field)
{
    if (s->is_newest == TERM_FALSE)
        return external(x, object, s->view, field);
    term_id newest = sx_row_external(x, s->newest, field);
    if (s->is_newest == TERM_TRUE)
        return newest;
    return term_ite(x->store, s->is_newest, newest, external(x, object, s->view, field));
}

static void read_fields(struct sx_exec *x, uint32_t object, term_id cond, uint32_t first,
                        uint32_t n, sx_value *out, struct src_loc loc)
{
    uint32_t r = sx_record_whole(x, x->st.rows, object, 0, true);
    term_id written = facts_fold(&x->facts, x->records.data[r + WRITTEN]);
    term_id outside = term_and(x->store, cond, term_not(x->store, written));
    struct sources from = find_sources(x, object, cond, outside, written == TERM_TRUE, loc);
    for (uint32_t i = 0; i < n; i++) {
        term_id own = x->records.data[r + FIELD + first + i], v;
        if (written == TERM_TRUE)
            v = own;
        else if (written == TERM_FALSE)
            v = value_from(x, object, &from, first + i);
        else
            v = term_ite(x->store, written, own, value_from(x, object, &from, first + i));
        out[i] = facts_value(&x->facts, v);
    }
    drop_record(x, r);
}

static void mark_written(struct sx_exec *x, uint32_t object, uint32_t first, uint32_t n,
                         struct src_loc loc)
{
    struct sx_object *o = &x->objects.data[object];
    struct sx_layer *l = &x->layers.data[o->layer];
    for (uint32_t i = 0; i < n; i++)
        o->touched[first + i] = true;
    o->write_loc = loc;
    if (!o->written)
        vec_push(o->constant ? &l->written_constant : &l->written_symbolic, object);
    o->written = true;
}

/* What fields that are not assigned get where the row was not written before: as the transaction
 * last read them, and if it never read the row, as a read made by the write sees them. */
struct carry {
    uint32_t node;  /* what was last read */
    uint32_t event; /* the write's own read */
    term_id seen;   /* it was read before */
};

static struct carry carry_over(struct sx_exec *x, uint32_t object, term_id cond, struct src_loc loc)
{
    struct carry c = {.event = NO_EVENT, .seen = TERM_FALSE};
    if (sx_seen_matters(x, x->objects.data[object].table)) {
        c.node = sx_seen_node(x, object);
        c.seen = facts_fold(&x->facts, sx_seen_cond(x, c.node));
    }
    if (c.seen != TERM_TRUE)
        c.event = access_event(x, object, term_and(x->store, cond, term_not(x->store, c.seen)), loc,
                               true);
    return c;
}

static term_id carried(struct sx_exec *x, uint32_t object, const struct carry *c, uint32_t field)
{
    if (c->seen == TERM_FALSE)
        return external(x, object, c->event, field);
    term_id last = sx_seen_value(x, c->node, field);
    if (c->seen == TERM_TRUE)
        return last;
    return term_ite(x->store, c->seen, last, external(x, object, c->event, field));
}

/* Everything the row holds where it is written now: assigned fields, and the others as seen. */
static void fill_record(struct sx_exec *x, uint32_t object, uint32_t r, term_id cond,
                        uint32_t first, uint32_t n, const sx_value *v, struct src_loc loc)
{
    uint32_t n_fields = table_of(x, &x->objects.data[object])->n_fields;
    term_id written = facts_fold(&x->facts, x->records.data[r + WRITTEN]);
    struct carry c = {.event = NO_EVENT, .seen = TERM_FALSE};
    if (n < n_fields && written != TERM_TRUE)
        c = carry_over(x, object, term_and(x->store, cond, term_not(x->store, written)), loc);
    for (uint32_t f = 0; f < n_fields; f++) {
        term_id old = x->records.data[r + FIELD + f], new;
        if (f >= first && f < first + n)
            new =
                written == TERM_FALSE ? v[f - first] : term_ite(x->store, cond, v[f - first], old);
        else if (written == TERM_TRUE)
            new = old;
        else if (written == TERM_FALSE)
            new = carried(x, object, &c, f);
        else
            new = term_ite(x->store, written, old, carried(x, object, &c, f));
        x->records.data[r + FIELD + f] = new;
    }
    x->records.data[r + WRITTEN] = term_or(x->store, written, cond);
}

/* The same row by another name: where the indices are equal, its record changes too. */
static void update_others(struct sx_exec *x, uint32_t object, term_id cond, uint32_t from,
                          const sx_ids *others)
{
    uint32_t n_fields = table_of(x, &x->objects.data[object])->n_fields;
    for (size_t i = 0; i < others->len; i++) {
        uint32_t other = others->data[i];
        if (other == object || env_get(&x->pool, x->st.rows, other) == 0)
            continue;
        term_id here = term_and(x->store, cond, sx_row_same(x, object, other, true));
        if (here == TERM_FALSE)
            continue;
        uint32_t r = sx_record_of(x, x->st.rows, other, true);
        overwrite(x, r, here, from, n_fields);
        env_set(&x->pool, &x->st.rows, other, r);
    }
}

/* Where cond holds and the row has a version of the transaction already, or this is another than
 * the newest. */
static term_id makes_version(struct sx_exec *x, uint32_t object, uint32_t record, term_id cond,
                             uint32_t first, uint32_t n, const sx_value *v, struct src_loc loc)
{
    term_id written = facts_fold(&x->facts, x->records.data[record + WRITTEN]), same = TERM_TRUE;
    if (written == TERM_TRUE)
        return cond;
    term_id unwritten = term_not(x->store, written);
    uint32_t event = newest_event(x, object, term_and(x->store, cond, unwritten), true, loc);
    for (uint32_t i = 0; i < n; i++)
        same =
            term_and(x->store, same, term_eq(x->store, v[i], sx_row_external(x, event, first + i)));
    return term_and(x->store, cond, term_not(x->store, term_and(x->store, unwritten, same)));
}

static void write_fields(struct sx_exec *x, uint32_t object, term_id cond, uint32_t first,
                         uint32_t n, const sx_value *v, struct src_loc loc)
{
    uint32_t r = sx_record_whole(x, x->st.rows, object, 0, true);
    uint32_t top = sx_layer_top(x, object), layer = x->objects.data[top].layer;
    bool single = x->stacks[x->objects.data[object].table].len == 1;
    if (x->atomic && x->atomic->many) /* the others have a run of their own */
        cond = term_and(x->store, cond, sx_atomic_own(x, object));
    if (cond == TERM_FALSE)
        return;
    if (in_database(x))
        sx_row_touch(x, object, cond, SX_TOUCH_WRITE, loc);
    if (in_database(x) && x->program->options.reads != SX_READS_POSTGRESQL && !x->fold)
        cond = makes_version(x, object, r, cond, first, n, v, loc);
    fill_record(x, object, r, cond, first, n, v, loc);
    if (!single) { /* the record is of the topmost layer, whatever those below have written */
        uint32_t own = sx_record_of(x, x->st.rows, top, true);
        term_id written = facts_fold(&x->facts, x->records.data[own + WRITTEN]);
        x->records.data[r + WRITTEN] = term_or(x->store, written, cond);
        drop_record(x, own);
    }
    mark_written(x, top, first, n, loc);
    env_set(&x->pool, &x->st.rows, top, r);
    if (!x->objects.data[top].constant)
        update_others(x, top, cond, r, &x->layers.data[layer].written_constant);
    update_others(x, top, cond, r, &x->layers.data[layer].written_symbolic);
}

/* ---- from places to rows ------------------------------------------------------------------- */

void sx_row_read(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                 sx_value *out, struct src_loc loc)
{
    uint32_t table = x->first_table[t->var->id];
    assert(t->n_index == t->var->n_dims);
    if (x->program->options.granularity == SX_ROW) {
        read_fields(x, sx_row_object(x, table, t->index), cond, t->offset, n, out, loc);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        read_fields(x, sx_row_object(x, table + t->offset + i, t->index), cond, 0, 1, &out[i], loc);
}

void sx_row_write(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                  const sx_value *v, struct src_loc loc)
{
    uint32_t table = x->first_table[t->var->id];
    assert(t->n_index == t->var->n_dims);
    sx_shown_write(x, t, cond, loc);
    if (sx_stopped(x))
        return;
    if (x->program->options.granularity == SX_ROW) {
        write_fields(x, sx_row_object(x, table, t->index), cond, t->offset, n, v, loc);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        write_fields(x, sx_row_object(x, table + t->offset + i, t->index), cond, 0, 1, &v[i], loc);
}

static uint32_t lock_of(struct sx_exec *x, uint32_t object, struct src_loc loc)
{
    uint32_t n = bounds_of(x, object);
    struct sx_object *o = &x->objects.data[object];
    for (uint32_t i = 0; o->lock && i < x->locks.len; i++) {
        const struct sx_lock *l = &x->locks.data[i];
        if (l->row.table == o->table && l->row.index == o->index && bounds_match(x, l->bound, n))
            return i;
    }
    struct sx_lock l = {.row = {o->table, o->index},
                        .guard = TERM_FALSE,
                        .loc = loc,
                        .bound = arena_copy(x->arena, x->bounds.data, n * sizeof *x->bounds.data),
                        .n_bound = n};
    vec_push(&x->locks, l);
    o->lock = (uint32_t)x->locks.len;
    return o->lock - 1;
}

static void lock_object(struct sx_exec *x, uint32_t object, term_id cond, bool share,
                        struct src_loc loc)
{
    sx_value ignored;
    if (in_database(x))
        sx_row_touch(x, object, cond, share ? SX_TOUCH_SHARE : SX_TOUCH_LOCK, loc);
    else
        read_fields(x, object, cond, 0, 1, &ignored, loc);
    uint32_t id = lock_of(x, object, loc);
    term_id guard = term_and(x->store, sx_path(x), cond);
    struct sx_lock *l = &x->locks.data[id];
    if (x->fold)
        add_guarded(x, &x->fold->locks, id, guard);
    else
        l->guard = term_or(x->store, l->guard, guard);
}

void sx_row_lock(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n, bool share,
                 struct src_loc loc)
{
    uint32_t table = x->first_table[t->var->id];
    if (x->program->options.granularity == SX_ROW) {
        lock_object(x, sx_row_object(x, table, t->index), cond, share, loc);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        lock_object(x, sx_row_object(x, table + t->offset + i, t->index), cond, share, loc);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void add_write(struct sx_exec *x, uint32_t object, uint32_t record, struct sx_write *w)
{
    const struct sx_object *o = &x->objects.data[object];
    uint32_t n_fields = table_of(x, o)->n_fields;
    term_id *value = arena_array(x->arena, term_id, n_fields);
    size_t mark = facts_mark(&x->facts);
    facts_add(&x->facts, x->records.data[record + WRITTEN]);
    for (uint32_t f = 0; f < n_fields; f++)
        value[f] = facts_value(&x->facts, x->records.data[record + FIELD + f]);
    facts_undo(&x->facts, mark);
    *w = (struct sx_write){.row = {o->table, o->index},
                           .guard = x->records.data[record + WRITTEN],
                           .value = value,
                           .touched = o->touched,
                           .loc = o->write_loc};
}

void sx_rows_finish(struct sx_exec *x)
{
    struct sx_summary *s = x->sum;
    s->writes = arena_array(x->arena, struct sx_write, x->objects.len);
    if (x->st.gone)
        return;
    for (uint32_t i = 0; i < x->objects.len; i++) {
        uint32_t r = env_get(&x->pool, x->st.rows, i);
        if (x->stacks[x->objects.data[i].table].len == 1 && r &&
            x->records.data[r + WRITTEN] != TERM_FALSE)
            add_write(x, i, r, &s->writes[s->n_writes++]);
    }
    sx_layers_finish(x);
}
