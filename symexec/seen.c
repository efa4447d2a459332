/* What a transaction last read of each row, where reads have snapshots of their own.
 *
 * A write of some fields carries the row's other fields over as the transaction last read them.
 * Under one snapshot all reads of a row agree, and nothing need be remembered.  With a snapshot per
 * statement or read the state maps rows to *nodes*: a read event, or a choice between two nodes, or
 * "never read" (0).  Values are made from nodes only when a write asks for them, so a read that
 * nothing is carried over from looks at no more fields than it did.
 *
 * As with written rows (rows.c), objects with different index terms may be the same row, and nodes
 * of one table agree: where the indices of two objects with nodes are equal, the nodes mean the
 * same.  So a read updates the node of every object that may be the same row, and the node of an
 * object without one is derived from those that have one, in any order. */
#include "symexec/fold.h"

/* Reads have snapshots of their own, and a write of this table can carry something over. */
bool sx_seen_matters(const struct sx_exec *x, uint32_t table)
{
    return x->role == AST_TRANSACTION && x->program->options.reads != SX_READS_SNAPSHOT &&
           !sx_is_database(x->program->options.reads) && x->program->tables[table].n_fields > 1;
}

static uint32_t new_node(struct sx_exec *x, struct sx_seen n)
{
    if (x->seen.len == 0) /* node 0: never read */
        vec_push(&x->seen, ((struct sx_seen){.is_seen = TERM_FALSE}));
    vec_push(&x->seen, n);
    return (uint32_t)x->seen.len - 1;
}

static uint32_t choice(struct sx_exec *x, term_id cond, uint32_t yes, uint32_t no)
{
    if (cond == TERM_TRUE || yes == no)
        return yes;
    if (cond == TERM_FALSE)
        return no;
    return new_node(x, (struct sx_seen){.cond = cond, .yes = yes, .no = no});
}

static uint32_t derive_from(struct sx_exec *x, struct env seen, uint32_t object,
                            const sx_ids *others, bool use_facts, uint32_t node)
{
    for (size_t i = 0; i < others->len; i++) {
        uint32_t from = env_get(&x->pool, seen, others->data[i]);
        if (from != 0 && others->data[i] != object)
            node = choice(x, sx_row_same(x, object, others->data[i], use_facts), from, node);
    }
    return node;
}

static uint32_t node_of(struct sx_exec *x, struct env seen, uint32_t object, bool use_facts)
{
    uint32_t node = env_get(&x->pool, seen, object), layer = x->objects.data[object].layer;
    if (node)
        return node;
    struct sx_layer l = x->layers.data[layer];
    if (!x->objects.data[object].constant)
        node = derive_from(x, seen, object, &l.seen_constant, use_facts, node);
    return derive_from(x, seen, object, &l.seen_symbolic, use_facts, node);
}

/* What a fold read of the row, if it did. */
static uint32_t add_pieces(struct sx_exec *x, uint32_t layer, const term_id *index, bool use_facts,
                           uint32_t node)
{
    for (size_t i = 0; i < x->layers.data[layer].reads.len; i++) {
        struct sx_piece p = x->layers.data[layer].reads.data[i];
        struct sx_rewrite move = {0};
        term_id cond =
            p.lost ? sx_piece_some(x, &p, index) : sx_piece_has(x, &p, index, use_facts, &move);
        sx_rewrite_free(&move);
        if (cond == TERM_FALSE)
            continue;
        struct sx_seen n = {
            .piece = arena_copy(x->arena, &p, sizeof p), .index = index, .cond = cond};
        node = choice(x, cond, new_node(x, n), node);
    }
    return node;
}

/* Some event that the node chooses from. */
static uint32_t event_under(const struct sx_exec *x, uint32_t node)
{
    while (!x->seen.data[node].event) {
        const struct sx_seen *n = &x->seen.data[node];
        node = n->piece ? n->piece->node : n->yes ? n->yes : n->no;
    }
    return x->seen.data[node].event - 1;
}

/* All reads of a fold see the same rows: whichever round read the row, its value is that of the row
 * read by the same statement. */
static term_id piece_value(struct sx_exec *x, const struct sx_seen *n, uint32_t field)
{
    bool made = false;
    uint32_t row = sx_row_object(x, n->piece->row.table, n->index);
    uint32_t event = sx_row_event_like(x, event_under(x, n->piece->node), row, &made);
    if (made) { /* the condition counts on what is known on this path: it may hold on others */
        x->reads.data[event].before = TERM_TRUE;
        x->reads.data[event].again = true;
    }
    sx_row_read_where(x, event, n->cond);
    return sx_row_external(x, event, field);
}

uint32_t sx_seen_whole(struct sx_exec *x, struct env seen, uint32_t row, size_t from,
                       bool use_facts)
{
    uint32_t node = 0, table = x->objects.data[row].table;
    const term_id *index = x->objects.data[row].index;
    if (x->stacks[table].len == 1)
        return node_of(x, seen, row, use_facts);
    for (size_t i = from; i < x->stacks[table].len; i++) {
        uint32_t layer = x->stacks[table].data[i], above;
        if (x->layers.data[layer].bulk) {
            node = add_pieces(x, layer, index, use_facts, node);
        } else {
            above = node_of(x, seen, sx_layer_object(x, row, layer), use_facts);
            node = choice(x, sx_seen_cond(x, above), above, node);
        }
    }
    return node;
}

uint32_t sx_seen_node(struct sx_exec *x, uint32_t object)
{
    return sx_seen_whole(x, x->st.seen, object, 0, true);
}

uint32_t sx_seen_choose(struct sx_exec *x, term_id c, uint32_t object, struct env ea, uint32_t a,
                        struct env eb, uint32_t b)
{
    return choice(x, c, a ? a : node_of(x, ea, object, false),
                  b ? b : node_of(x, eb, object, false));
}

static void update_others(struct sx_exec *x, uint32_t object, term_id cond, uint32_t event,
                          const sx_ids *others)
{
    for (size_t i = 0; i < others->len; i++) {
        uint32_t other = others->data[i], node = env_get(&x->pool, x->st.seen, other);
        if (other == object || node == 0)
            continue;
        term_id here = term_and(x->store, cond, sx_row_same(x, object, other, true));
        uint32_t now = choice(x, here, event, node);
        if (now != node)
            env_set(&x->pool, &x->st.seen, other, now);
    }
}

void sx_seen_read(struct sx_exec *x, uint32_t object, term_id cond, uint32_t read)
{
    object = sx_layer_top(x, object);
    uint32_t event = new_node(x, (struct sx_seen){.event = read + 1});
    uint32_t node = choice(x, cond, event, node_of(x, x->st.seen, object, true));
    struct sx_object *o = &x->objects.data[object];
    struct sx_layer *l = &x->layers.data[o->layer];
    if (!o->seen)
        vec_push(o->constant ? &l->seen_constant : &l->seen_symbolic, object);
    o->seen = true;
    env_set(&x->pool, &x->st.seen, object, node);
    if (!o->constant)
        update_others(x, object, cond, event, &l->seen_constant);
    update_others(x, object, cond, event, &l->seen_symbolic);
}

/* Nodes share what is below them, so what was computed once is kept. */
term_id sx_seen_cond(struct sx_exec *x, uint32_t node)
{
    if (node == 0)
        return TERM_FALSE;
    struct sx_seen n = x->seen.data[node];
    if (n.event || n.piece) /* a piece: where the choice above it says so */
        return TERM_TRUE;
    if (n.is_seen == TERM_NONE)
        n.is_seen = term_ite(x->store, n.cond, sx_seen_cond(x, n.yes), sx_seen_cond(x, n.no));
    x->seen.data[node].is_seen = n.is_seen;
    return n.is_seen;
}

term_id sx_seen_value(struct sx_exec *x, uint32_t node, uint32_t field)
{
    struct sx_seen n = x->seen.data[node];
    if (n.event)
        return sx_row_external(x, n.event - 1, field);
    if (n.piece)
        return piece_value(x, &n, field);
    if (n.no == 0 || n.yes == 0)
        return sx_seen_value(x, n.no ? n.no : n.yes, field);
    if (!n.value) {
        uint32_t under = node;
        while (!x->seen.data[under].event && !x->seen.data[under].piece)
            under = x->seen.data[under].yes ? x->seen.data[under].yes : x->seen.data[under].no;
        const struct sx_seen *u = &x->seen.data[under];
        uint32_t table = u->piece ? u->piece->row.table : x->reads.data[u->event - 1].row.table;
        n.value = arena_array(&x->scratch, term_id, x->program->tables[table].n_fields);
        x->seen.data[node].value = n.value;
    }
    if (n.value[field] == TERM_NONE)
        n.value[field] = term_ite(x->store, n.cond, sx_seen_value(x, n.yes, field),
                                  sx_seen_value(x, n.no, field));
    return n.value[field];
}
