/* Layers of a table: bulk writes, and the rows that were named before and after them.
 *
 * A bulk write is no list of rows, so what is written by name after it must not be mixed with what
 * was written before.  Each table has a stack of layers: at the bottom the rows written by name
 * before the first bulk write (rows.c), then the bulk write, then the rows written by name after
 * it, and so on.  What a row holds is what the topmost layer that has it says.  The stack is one
 * for all paths: a bulk write's guard has the path to it in it, so on other paths it has no rows.
 *
 * While the body of a fold is executed, the tables that it writes have a layer of their own for the
 * round; at its end the round's rows become the pieces of a bulk write.  A piece has a row for each
 * value of its bound leaves; each of these is itself an index of the row, so which values have a
 * given row is plain, and the piece's terms are moved there by substitution.
 *
 * Where reads have snapshots of their own, the layers also say what was last read (seen.c). */
#include <assert.h>

#include "symexec/fold.h"

static sx_ids *stack_of(struct sx_exec *x, uint32_t row)
{
    return &x->stacks[x->objects.data[row].table];
}

static struct sx_layer *layer_at(struct sx_exec *x, uint32_t table, size_t i)
{
    return &x->layers.data[x->stacks[table].data[i]];
}

void sx_layer_push(struct sx_exec *x, uint32_t table, bool bulk)
{
    vec_push(&x->layers, ((struct sx_layer){.table = table, .bulk = bulk}));
    vec_push(&x->stacks[table], (uint32_t)x->layers.len - 1);
}

void sx_layers_free(struct sx_exec *x)
{
    for (size_t i = 0; i < x->layers.len; i++) {
        struct sx_layer *l = &x->layers.data[i];
        vec_free(&l->written_constant);
        vec_free(&l->written_symbolic);
        vec_free(&l->seen_constant);
        vec_free(&l->seen_symbolic);
        vec_free(&l->writes);
        vec_free(&l->reads);
    }
    for (uint32_t i = 0; i < x->program->n_tables; i++)
        vec_free(&x->stacks[i]);
    vec_free(&x->layers);
    mem_free(x->stacks);
    map_free(&x->layered);
}

/* ---- objects -------------------------------------------------------------------------------- */

uint32_t sx_layer_object(struct sx_exec *x, uint32_t row, uint32_t layer)
{
    struct sx_object o = x->objects.data[row];
    if (o.layer == layer)
        return row;
    uint64_t *slot = map_put(&x->layered, (uint64_t)row << 32 | layer, 0, NULL);
    if (*slot)
        return (uint32_t)(*slot - 1);
    uint32_t n_fields = x->program->tables[o.table].n_fields;
    struct sx_object copy = {.row = row,
                             .layer = layer,
                             .table = o.table,
                             .index = o.index,
                             .constant = o.constant,
                             .touched = arena_array(x->arena, bool, n_fields)};
    vec_push(&x->objects, copy);
    vec_push(&x->object_next, 0);
    *slot = x->objects.len;
    return (uint32_t)(x->objects.len - 1);
}

uint32_t sx_layer_top(struct sx_exec *x, uint32_t row)
{
    return sx_layer_object(x, row, vec_last(stack_of(x, row)));
}

/* ---- where a piece has a row ----------------------------------------------------------------- */

static term_id known(struct sx_exec *x, term_id cond, bool use_facts)
{
    return use_facts ? facts_fold(&x->facts, cond) : cond;
}

static void know_bounds(struct sx_exec *x, const struct sx_bound *bound, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        facts_add(&x->facts, term_le(x->store, bound[i].lo, bound[i].leaf));
        facts_add(&x->facts, term_lt(x->store, bound[i].leaf, bound[i].hi));
    }
}

/* lo <= t < hi, for the moved bounds of a leaf */
static term_id within(struct sx_exec *x, struct sx_rewrite *move, const struct sx_bound *b,
                      term_id t)
{
    term_id lo = sx_rewrite(move, b->lo), hi = sx_rewrite(move, b->hi);
    return term_and(x->store, term_le(x->store, lo, t), term_lt(x->store, t, hi));
}

term_id sx_piece_has(struct sx_exec *x, const struct sx_piece *p, const term_id *index,
                     bool use_facts, struct sx_rewrite *move)
{
    term_id c = TERM_TRUE;
    *move = (struct sx_rewrite){.x = x};
    for (uint32_t k = 0; k < p->n_bound; k++) {
        move->to[p->first + k] = index[p->dim[k]];
        if (p->bound[k].leaf != index[p->dim[k]])
            move->mapped |= UINT32_C(1) << (p->first + k);
    }
    for (uint32_t k = 0; k < p->n_bound && c != TERM_FALSE; k++) {
        term_id in = within(x, move, &p->bound[k], index[p->dim[k]]);
        c = term_and(x->store, c, known(x, in, use_facts));
    }
    for (uint32_t i = 0; i < x->program->tables[p->row.table].n_dims && c != TERM_FALSE; i++) {
        term_id eq = term_eq(x->store, sx_rewrite(move, p->row.index[i]), index[i]);
        c = term_and(x->store, c, known(x, eq, use_facts));
    }
    if (c == TERM_FALSE)
        return c;
    return term_and(x->store, c, known(x, sx_rewrite(move, p->guard), use_facts));
}

term_id sx_piece_some(struct sx_exec *x, const struct sx_piece *p, const term_id *index)
{
    struct sx_rewrite move = {.x = x};
    size_t around = x->bounds.len;
    struct sx_bound *bound = arena_array(&x->scratch, struct sx_bound, p->n_bound + 1);
    if (around + p->n_bound >= SX_DEPTH_MAX) {
        sx_fold_cannot(x, NULL, p->loc, "it is in too many other loops");
        return TERM_FALSE;
    }
    for (uint32_t k = 0; k < p->n_bound; k++) {
        bound[k] =
            (struct sx_bound){sx_bound_leaf(x, (uint32_t)x->bounds.len),
                              sx_rewrite(&move, p->bound[k].lo), sx_rewrite(&move, p->bound[k].hi)};
        move.to[p->first + k] = bound[k].leaf;
        if (bound[k].leaf != p->bound[k].leaf)
            move.mapped |= UINT32_C(1) << (p->first + k);
        term_subst_free(&move.subst);
        move.subst = (struct term_subst){0};
        vec_push(&x->bounds, bound[k]);
    }
    term_id c = sx_rewrite(&move, p->guard);
    for (uint32_t i = 0; i < x->program->tables[p->row.table].n_dims; i++)
        c = term_and(x->store, c, term_eq(x->store, sx_rewrite(&move, p->row.index[i]), index[i]));
    x->bounds.len = around;
    for (uint32_t k = p->n_bound; k-- > 0;) {
        struct sx_fold all = {.kind = SX_FOLD_ALL,
                              .index = bound[k],
                              .depth = (uint32_t)around + k,
                              .cond = term_not(x->store, c),
                              .loc = p->loc};
        c = term_not(x->store, sx_fold_make(x, all));
    }
    sx_rewrite_free(&move);
    return c;
}

/* ---- what a row holds ------------------------------------------------------------------------ */

/* Record r, as far as nothing newer is written where cond holds, with these values. */
static void write_over(struct sx_exec *x, uint32_t r, term_id cond, const term_id *value,
                       uint32_t n_fields)
{
    term_id written = x->records.data[r + SX_WRITTEN];
    for (uint32_t f = 0; f < n_fields; f++) {
        term_id v = value[f];
        if (written != TERM_FALSE)
            v = term_ite(x->store, cond, v, x->records.data[r + SX_FIELD_0 + f]);
        x->records.data[r + SX_FIELD_0 + f] = v;
    }
    x->records.data[r + SX_WRITTEN] = term_or(x->store, written, cond);
}

static void add_bulk(struct sx_exec *x, uint32_t r, uint32_t layer, const term_id *index,
                     bool use_facts)
{
    uint32_t n_fields = x->program->tables[x->layers.data[layer].table].n_fields;
    term_id *value = arena_array(&x->scratch, term_id, n_fields);
    for (size_t i = 0; i < x->layers.data[layer].writes.len; i++) {
        const struct sx_piece p = x->layers.data[layer].writes.data[i];
        struct sx_rewrite move;
        term_id cond = sx_piece_has(x, &p, index, use_facts, &move);
        for (uint32_t f = 0; f < n_fields && cond != TERM_FALSE; f++)
            value[f] = sx_rewrite(&move, p.value[f]);
        if (cond != TERM_FALSE)
            write_over(x, r, cond, value, n_fields);
        sx_rewrite_free(&move);
    }
}

static bool is_named(const struct sx_layer *l)
{
    return l->written_constant.len + l->written_symbolic.len > 0;
}

static void add_named(struct sx_exec *x, uint32_t r, struct env rows, uint32_t object,
                      bool use_facts)
{
    uint32_t n_fields = x->program->tables[x->objects.data[object].table].n_fields;
    uint32_t own = sx_record_of(x, rows, object, use_facts);
    term_id cond = known(x, x->records.data[own + SX_WRITTEN], use_facts);
    term_id *value =
        arena_copy(&x->scratch, &x->records.data[own + SX_FIELD_0], n_fields * sizeof *value);
    x->records.len = own;
    if (cond != TERM_FALSE)
        write_over(x, r, cond, value, n_fields);
}

uint32_t sx_record_whole(struct sx_exec *x, struct env rows, uint32_t row, size_t from,
                         bool use_facts)
{
    uint32_t table = x->objects.data[row].table;
    const term_id *index = x->objects.data[row].index;
    if (x->stacks[table].len == 1)
        return sx_record_of(x, rows, row, use_facts);
    uint32_t r = sx_record_new(x, x->program->tables[table].n_fields);
    for (size_t i = from; i < x->stacks[table].len; i++) {
        uint32_t layer = x->stacks[table].data[i];
        if (x->layers.data[layer].bulk)
            add_bulk(x, r, layer, index, use_facts);
        else if (is_named(&x->layers.data[layer]))
            add_named(x, r, rows, sx_layer_object(x, row, layer), use_facts);
    }
    return r;
}

/* ---- the rows of a fold -----------------------------------------------------------------------
 */

static void open_table(struct sx_exec *x, struct sx_fold_frame *f, uint32_t table)
{
    if (x->stacks[table].len == f->stack[table])
        sx_layer_push(x, table, false);
}

void sx_layers_open(struct sx_exec *x, struct sx_fold_frame *f)
{
    bool by_field = x->program->options.granularity == SX_FIELD;
    f->stack = arena_array(&x->scratch, size_t, x->program->n_tables + 1);
    for (uint32_t t = 0; t < x->program->n_tables; t++)
        f->stack[t] = x->stacks[t].len;
    for (uint32_t i = 0; i < f->shape.n_written; i++) {
        const struct ast_var *v = f->shape.written[i];
        uint32_t n = by_field ? sx_cells(x, v->row) : 1;
        for (uint32_t k = 0; k < n; k++)
            open_table(x, f, x->first_table[v->id] + k);
    }
    for (uint32_t t = 0; t < x->program->n_tables; t++)
        if (sx_seen_matters(x, t))
            open_table(x, f, t);
}

/* The piece for a row that the round names, with the bounds of the fold and of those in it.
 * False: some bound leaf is no index of the row, and `dim` does not count. */
static bool make_piece(struct sx_exec *x, const struct sx_fold_frame *f, struct sx_row row,
                       const struct sx_piece *inner, struct sx_piece *out)
{
    uint32_t n = 1 + (inner ? inner->n_bound : 0), n_dims = x->program->tables[row.table].n_dims;
    struct sx_bound *bound = arena_array(x->arena, struct sx_bound, n);
    uint32_t *dim = arena_array(x->arena, uint32_t, n);
    bool fits = true;
    bound[0] = f->index;
    for (uint32_t k = 1; k < n; k++)
        bound[k] = inner->bound[k - 1];
    for (uint32_t k = 0; k < n; k++) {
        while (dim[k] < n_dims && row.index[dim[k]] != bound[k].leaf)
            dim[k]++;
        fits &= dim[k] < n_dims;
    }
    *out = (struct sx_piece){.row = row,
                             .bound = bound,
                             .dim = dim,
                             .n_bound = n,
                             .first = f->depth,
                             .loc = f->loop->loc};
    return fits;
}

/* Which fields of the table some statement assigns in these layers. */
static bool *touched_in(struct sx_exec *x, uint32_t table, size_t from)
{
    uint32_t n_fields = x->program->tables[table].n_fields;
    bool *touched = arena_array(x->arena, bool, n_fields);
    for (size_t i = from; i < x->stacks[table].len; i++) {
        struct sx_layer *l = layer_at(x, table, i);
        const sx_ids *lists[] = {&l->written_constant, &l->written_symbolic};
        for (int k = 0; k < 2; k++)
            for (size_t j = 0; j < lists[k]->len; j++)
                for (uint32_t c = 0; c < n_fields; c++)
                    touched[c] |= x->objects.data[lists[k]->data[j]].touched[c];
        for (size_t j = 0; j < l->writes.len; j++)
            for (uint32_t c = 0; c < n_fields; c++)
                touched[c] |= l->writes.data[j].touched[c];
    }
    return touched;
}

struct closing {
    struct sx_exec *x;
    struct sx_fold_frame *f;
    const struct sx_state *round;
    uint32_t table;
    struct sx_layer *into;
};

/* A row that the round writes, by name or in an inner fold, as it is at the end of the round. */
static void close_written(struct closing *c, uint32_t row, const struct sx_piece *inner,
                          struct src_loc loc)
{
    struct sx_exec *x = c->x;
    struct sx_object o = x->objects.data[row];
    uint32_t n_fields = x->program->tables[c->table].n_fields;
    struct sx_piece p;
    for (size_t i = 0; i < c->into->writes.len; i++)
        if (c->into->writes.data[i].row.index == o.index)
            return;
    size_t mark = facts_mark(&x->facts);
    if (inner) /* the guard counts for indices within the bounds only */
        know_bounds(x, inner->bound, inner->n_bound);
    uint32_t r = sx_record_whole(x, c->round->rows, row, c->f->stack[c->table], inner != NULL);
    term_id written = known(x, x->records.data[r + SX_WRITTEN], inner != NULL);
    facts_undo(&x->facts, mark);
    if (written == TERM_FALSE)
        return;
    if (!make_piece(x, c->f, (struct sx_row){o.table, o.index}, inner, &p)) {
        sx_fold_cannot(x, c->f, loc, "a row that it writes does not have the index as it is");
        return;
    }
    term_id *value =
        arena_copy(x->arena, &x->records.data[r + SX_FIELD_0], n_fields * sizeof *value);
    p.guard = term_and(x->store, sx_fold_happens(x, c->f), sx_holes_filled(x, c->f, written));
    facts_add(&x->facts, written);
    for (uint32_t k = 0; k < n_fields; k++)
        value[k] = sx_holes_filled(x, c->f, facts_value(&x->facts, value[k]));
    facts_undo(&x->facts, mark);
    p.value = value;
    p.touched = touched_in(x, c->table, c->f->stack[c->table]);
    p.loc = loc;
    vec_push(&c->into->writes, p);
}

/* A row that the round reads. */
static void close_seen(struct closing *c, uint32_t row, const struct sx_piece *inner)
{
    struct sx_exec *x = c->x;
    struct sx_object o = x->objects.data[row];
    struct sx_row at = {o.table, o.index};
    struct sx_piece p;
    for (size_t i = 0; i < c->into->reads.len; i++)
        if (c->into->reads.data[i].row.index == o.index)
            return;
    uint32_t node = sx_seen_whole(x, c->round->seen, row, c->f->stack[c->table], false);
    term_id seen = sx_seen_cond(x, node);
    if (seen == TERM_FALSE)
        return;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < x->program->tables[o.table].n_dims; i++)
        mask |= sx_mask(x, o.index[i]);
    p.lost = !make_piece(x, c->f, at, inner, &p);
    p.guard = term_and(x->store, sx_fold_happens(x, c->f), sx_holes_filled(x, c->f, seen));
    if (p.lost && mask >> c->f->depth == 0) { /* the same row in all rounds */
        p.guard = sx_fold_any(x, c->f, p.guard);
        p.lost = false;
        p.n_bound = 0;
    }
    p.node = node;
    vec_push(&c->into->reads, p);
}

static void close_list(struct closing *c, const sx_ids *list, bool seen)
{
    for (size_t i = 0; i < list->len && !c->x->failed; i++) {
        const struct sx_object *o = &c->x->objects.data[list->data[i]];
        if (seen)
            close_seen(c, o->row, NULL);
        else
            close_written(c, o->row, NULL, o->write_loc);
    }
}

/* A row that an inner fold names mentions its indices. */
static void open_bounds(struct sx_exec *x, const struct sx_piece *inner)
{
    for (uint32_t k = 0; k < inner->n_bound; k++)
        vec_push(&x->bounds, inner->bound[k]);
}

static void close_layer(struct closing *c, uint32_t layer)
{
    struct sx_exec *x = c->x;
    struct sx_layer l = x->layers.data[layer]; /* layers move when others are added */
    size_t around = x->bounds.len;
    close_list(c, &l.written_constant, false);
    close_list(c, &l.written_symbolic, false);
    close_list(c, &l.seen_constant, true);
    close_list(c, &l.seen_symbolic, true);
    for (size_t i = 0; i < l.writes.len && !x->failed; i++) {
        const struct sx_piece *p = &l.writes.data[i];
        open_bounds(x, p);
        close_written(c, sx_row_object(x, p->row.table, p->row.index), p, p->loc);
        x->bounds.len = around;
    }
    for (size_t i = 0; i < l.reads.len && !x->failed; i++) {
        const struct sx_piece *p = &l.reads.data[i];
        open_bounds(x, p);
        close_seen(c, sx_row_object(x, p->row.table, p->row.index), p->n_bound ? p : NULL);
        x->bounds.len = around;
    }
}

void sx_layers_close(struct sx_exec *x, struct sx_fold_frame *f, const struct sx_state *round)
{
    for (uint32_t t = 0; t < x->program->n_tables && !x->failed; t++) {
        struct sx_layer into = {.table = t, .bulk = true};
        struct closing c = {x, f, round, t, &into};
        size_t n = x->stacks[t].len;
        for (size_t i = f->stack[t]; i < n && round; i++)
            close_layer(&c, x->stacks[t].data[i]);
        x->stacks[t].len = f->stack[t];
        if (into.writes.len + into.reads.len == 0)
            continue;
        vec_push(&x->layers, into);
        vec_push(&x->stacks[t], (uint32_t)x->layers.len - 1);
        sx_layer_push(x, t, false);
    }
}

/* On the path to the loop. */
void sx_layers_hand_over(struct sx_exec *x, struct sx_fold_frame *f)
{
    term_id path = sx_path(x);
    for (uint32_t t = 0; t < x->program->n_tables; t++) {
        if (x->stacks[t].len == f->stack[t])
            continue;
        struct sx_layer *l = layer_at(x, t, f->stack[t]);
        for (size_t i = 0; i < l->writes.len; i++)
            l->writes.data[i].guard = term_and(x->store, path, l->writes.data[i].guard);
        for (size_t i = 0; i < l->reads.len; i++)
            l->reads.data[i].guard = term_and(x->store, path, l->reads.data[i].guard);
    }
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* The final write of a row, which is `record`; on the facts that it is written at all. */
static void add_write(struct sx_exec *x, uint32_t row, term_id guard, const struct sx_bound *bound,
                      uint32_t n_bound, struct src_loc loc)
{
    struct sx_summary *s = x->sum;
    struct sx_object o = x->objects.data[row];
    uint32_t n_fields = x->program->tables[o.table].n_fields;
    size_t mark = facts_mark(&x->facts);
    know_bounds(x, bound, n_bound);
    if (guard)
        facts_add(&x->facts, guard);
    uint32_t r = sx_record_whole(x, x->st.rows, row, 0, guard != TERM_NONE);
    term_id written = x->records.data[r + SX_WRITTEN];
    if (!guard)
        facts_add(&x->facts, written);
    term_id *value = arena_array(x->arena, term_id, n_fields);
    for (uint32_t k = 0; k < n_fields; k++)
        value[k] = facts_value(&x->facts, x->records.data[r + SX_FIELD_0 + k]);
    facts_undo(&x->facts, mark);
    if (written == TERM_FALSE)
        return;
    s->writes[s->n_writes++] =
        (struct sx_write){.row = {o.table, o.index},
                          .guard = guard ? guard : written,
                          .value = value,
                          .touched = touched_in(x, o.table, 0),
                          .loc = loc,
                          .bound = arena_copy(x->arena, bound, n_bound * sizeof *bound),
                          .n_bound = n_bound};
}

static void finish_named(struct sx_exec *x, const sx_ids *list)
{
    for (size_t i = 0; i < list->len; i++) {
        struct sx_object o = x->objects.data[list->data[i]];
        if (!x->objects.data[o.row].finished)
            add_write(x, o.row, TERM_NONE, NULL, 0, o.write_loc);
        x->objects.data[o.row].finished = true;
    }
}

/* Where some piece of the table has this row; *n: how many have it by the same terms. */
static term_id in_pieces(struct sx_exec *x, uint32_t table, const term_id *index, size_t *n)
{
    term_id c = TERM_FALSE;
    *n = 0;
    for (size_t i = 0; i < x->stacks[table].len; i++) {
        struct sx_layer l = *layer_at(x, table, i);
        for (size_t j = 0; j < l.writes.len; j++) {
            struct sx_rewrite move;
            bool same = true;
            for (uint32_t d = 0; d < x->program->tables[table].n_dims; d++)
                same &= l.writes.data[j].row.index[d] == index[d];
            *n += same;
            c = term_or(x->store, c, sx_piece_has(x, &l.writes.data[j], index, false, &move));
            sx_rewrite_free(&move);
        }
    }
    return c;
}

/* A bulk write.  Several that name their rows alike are one, over the whole dimensions. */
static void finish_piece(struct sx_exec *x, const struct sx_piece *p)
{
    const struct sx_table *t = &x->program->tables[p->row.table];
    uint32_t row = sx_row_object(x, p->row.table, p->row.index);
    struct sx_bound *bound = arena_copy(x->arena, p->bound, p->n_bound * sizeof *bound);
    size_t alike;
    if (x->objects.data[row].finished)
        return;
    x->objects.data[row].finished = true;
    assert(p->first == 0);
    for (uint32_t k = 0; k < p->n_bound; k++)
        vec_push(&x->bounds, bound[k]);
    term_id guard = in_pieces(x, p->row.table, p->row.index, &alike);
    if (alike == 1)
        guard = p->guard;
    for (uint32_t k = 0; k < p->n_bound && alike > 1; k++) {
        bound[k].lo = term_const(x->store, 0);
        bound[k].hi = sx_extent(x, t->dims[p->dim[k]]);
        x->bounds.data[k] = bound[k];
    }
    add_write(x, row, guard, bound, p->n_bound, p->loc);
    x->bounds.len = 0;
}

void sx_layers_finish(struct sx_exec *x)
{
    struct sx_summary *s = x->sum;
    size_t room = s->n_writes + x->objects.len;
    for (size_t i = 0; i < x->layers.len; i++)
        room += x->layers.data[i].writes.len;
    struct sx_write *writes = arena_array(x->arena, struct sx_write, room);
    for (size_t i = 0; i < s->n_writes; i++)
        writes[i] = s->writes[i];
    s->writes = writes;
    for (uint32_t t = 0; t < x->program->n_tables; t++) {
        size_t n = x->stacks[t].len;
        for (size_t i = 0; i < n && n > 1; i++) {
            struct sx_layer l = *layer_at(x, t, i);
            finish_named(x, &l.written_constant);
            finish_named(x, &l.written_symbolic);
            for (size_t j = 0; j < l.writes.len; j++)
                finish_piece(x, &l.writes.data[j]);
        }
    }
}
