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
#include "symexec/exec.h"

/* Reads have snapshots of their own, and a write of this table can carry something over. */
bool sx_seen_matters(const struct sx_exec *x, uint32_t table)
{
    return x->role == AST_TRANSACTION && x->program->options.reads != SX_READS_SNAPSHOT &&
           x->program->tables[table].n_fields > 1;
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
    uint32_t node = env_get(&x->pool, seen, object), table = x->objects.data[object].table;
    if (node)
        return node;
    if (!x->objects.data[object].constant)
        node = derive_from(x, seen, object, &x->seen_constant[table], use_facts, node);
    return derive_from(x, seen, object, &x->seen_symbolic[table], use_facts, node);
}

uint32_t sx_seen_node(struct sx_exec *x, uint32_t object)
{
    return node_of(x, x->st.seen, object, true);
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
    struct sx_object *o = &x->objects.data[object];
    uint32_t event = new_node(x, (struct sx_seen){.event = read + 1});
    uint32_t node = choice(x, cond, event, sx_seen_node(x, object));
    if (!o->seen)
        vec_push(o->constant ? &x->seen_constant[o->table] : &x->seen_symbolic[o->table], object);
    o->seen = true;
    env_set(&x->pool, &x->st.seen, object, node);
    if (!o->constant)
        update_others(x, object, cond, event, &x->seen_constant[o->table]);
    update_others(x, object, cond, event, &x->seen_symbolic[o->table]);
}

/* Nodes share what is below them, so what was computed once is kept. */
term_id sx_seen_cond(struct sx_exec *x, uint32_t node)
{
    if (node == 0)
        return TERM_FALSE;
    struct sx_seen n = x->seen.data[node];
    if (n.event)
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
    if (n.no == 0 || n.yes == 0)
        return sx_seen_value(x, n.no ? n.no : n.yes, field);
    if (!n.value) {
        uint32_t under = node;
        while (!x->seen.data[under].event)
            under = x->seen.data[under].yes ? x->seen.data[under].yes : x->seen.data[under].no;
        uint32_t table = x->reads.data[x->seen.data[under].event - 1].row.table;
        n.value = arena_array(&x->scratch, term_id, x->program->tables[table].n_fields);
        x->seen.data[node].value = n.value;
    }
    if (n.value[field] == TERM_NONE)
        n.value[field] = term_ite(x->store, n.cond, sx_seen_value(x, n.yes, field),
                                  sx_seen_value(x, n.no, field));
    return n.value[field];
}
