/* Programs at the levels of databases: every execution that they allow.
 *
 * The order of commits grows by one transaction after the other.  What a later transaction can tell
 * about an earlier one is what it wrote, touched and returned: of all runs that agree on these, one
 * is extended. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/prog_machine.h"

struct effect {
    uint32_t written, touched, shared; /* rows */
    uint32_t own;                      /* cells, with their values */
    uint32_t taken;
    int value[ORC_CELLS], result;
    bool made, failed, left;
};

struct effects {
    int n, room;
    struct effect *e;
};

struct search {
    struct orc_machine m;
    struct orc_outcome *out;
    bool done;
};

static bool same_effect(const struct effect *a, const struct effect *b)
{
    return a->written == b->written && a->touched == b->touched && a->shared == b->shared &&
           a->own == b->own && a->taken == b->taken && a->result == b->result &&
           a->made == b->made && a->failed == b->failed && a->left == b->left &&
           !memcmp(a->value, b->value, sizeof a->value);
}

static void add_effect(struct effects *list, const struct effect *e)
{
    for (int i = 0; i < list->n; i++)
        if (same_effect(&list->e[i], e))
            return;
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 8;
        struct effect *more = realloc(list->e, (size_t)list->room * sizeof *e);
        if (!more)
            abort();
        list->e = more;
    }
    list->e[list->n++] = *e;
}

/* What the machine's transaction did.  One that rolled back wrote nothing, but what it touched it
 * has touched. */
static void note_effect(const struct orc_machine *m, int t, struct effect *e)
{
    bool back = m->state == ORC_ROLLED_BACK;
    memset(e, 0, sizeof *e);
    e->written = back ? 0 : m->written;
    e->touched = m->written | m->locked;
    e->shared = m->server.shared;
    e->own = back ? 0 : m->server.own;
    e->taken = m->taken;
    for (int c = 0; c < m->p->n_cells; c++)
        e->value[c] = orc_has(e->own, c) ? m->own[c] : 0;
    e->result = m->result[t];
    e->made = orc_has(m->made, t);
    e->failed = m->failed;
    e->left = m->out_of_bounds;
}

/* All that transaction t can do if it is next. */
static void run_all(struct orc_machine *m, int t, struct effects *list)
{
    uint32_t taken = m->taken, made = m->made;
    bool left = m->out_of_bounds;
    struct effect e;
    m->picks.n = m->picks.pos = 0;
    do {
        m->taken = taken;
        m->made = made;
        m->out_of_bounds = false;
        orc_machine_clear(m, t);
        orc_server_start(m, t);
        if (orc_machine_call(m, t)) {
            note_effect(m, t, &e);
            add_effect(list, &e);
        }
    } while (orc_picks_advance(&m->picks));
    m->taken = taken;
    m->made = made;
    m->out_of_bounds = left;
}

/* The invariant on every St(i), where it is observed. */
static void observe(struct orc_machine *m)
{
    if (m->run->observe_snapshots)
        m->observed_bad |= !orc_machine_invariant(m, m->server.state[m->x.n_placed]);
}

/* t, which did this, is next. */
static void place(struct orc_machine *m, int t, const struct effect *e)
{
    int *state = m->server.state[m->x.n_placed + 1];
    memcpy(state, m->server.state[m->x.n_placed], sizeof *m->server.state);
    for (int c = 0; c < m->p->n_cells; c++)
        if (orc_has(e->own, c))
            state[c] = e->value[c];
    m->x.writes[t] = e->written;
    m->x.touches[t] = e->touched;
    m->server.shares[t] = e->shared;
    m->result[t] = e->result;
    m->made |= e->made ? 1u << t : 0;
    m->taken = e->taken;
    m->assert_failed |= e->failed;
    m->out_of_bounds |= e->left;
    orc_place(&m->x, t, 0);
    observe(m);
}

static void finish(struct search *s)
{
    struct orc_machine *m = &s->m;
    bool failed = m->assert_failed;
    if (orc_machine_finish(m))
        orc_machine_record(m, s->out);
    m->assert_failed = failed;
    m->divided = false;
    s->done = orc_machine_enough(m, s->out);
}

static void extend(struct search *s)
{
    struct orc_machine *m = &s->m;
    if (m->x.n_placed == m->n_txns) {
        finish(s);
        return;
    }
    for (int t = 0; t < m->n_txns && !s->done; t++) {
        struct effects list = {0};
        if (orc_has(m->x.placed, t) || !orc_subset(m->orders.ar_before[t], m->x.placed))
            continue;
        run_all(m, t, &list);
        for (int i = 0; i < list.n && !s->done; i++) {
            uint32_t taken = m->taken, made = m->made;
            bool failed = m->assert_failed, left = m->out_of_bounds, seen = m->observed_bad;
            place(m, t, &list.e[i]);
            if (orc_machine_constraint(m, m->server.state[m->x.n_placed]))
                extend(s);
            m->x.placed &= ~(1u << t);
            m->x.n_placed--;
            m->taken = taken;
            m->made = made;
            m->assert_failed = failed;
            m->out_of_bounds = left;
            m->observed_bad = seen;
        }
        free(list.e);
    }
}

static bool is_serializable(enum orc_server level)
{
    return level == ORC_PG_SER || level == ORC_MY_SER;
}

static bool of_postgresql(enum orc_server level)
{
    return level <= ORC_PG_SER;
}

/* Questions that have no answer here are the test's mistake. */
static void must_be_askable(const struct orc_prog *p, const struct orc_run *run)
{
    for (int t = 0; t < p->n_txns; t++)
        if (run->server[t] == ORC_NO_SERVER ||
            (run->server[t] == ORC_MY_RC && p->reads_elsewhere) ||
            of_postgresql(run->server[t]) != of_postgresql(run->server[0]) ||
            is_serializable(run->server[t]) != is_serializable(run->server[0]))
            abort();
    if (run->by_field || run->serial)
        abort();
}

struct orc_run orc_run_server(enum orc_server level, bool session)
{
    struct orc_run run = orc_run_uniform(ORC_SER, session);
    for (int t = 0; t < ORC_TXNS; t++)
        run.server[t] = level;
    return run;
}

struct orc_outcome orc_prog_server(const struct orc_prog *p, const struct orc_run *run)
{
    struct orc_outcome out = {.fewest_writes = -1};
    struct search *s = calloc(1, sizeof *s);
    struct orc_picks shared = {0};
    bool left = false;
    if (!s)
        abort();
    must_be_askable(p, run);
    orc_machine_init(&s->m, p, run);
    s->m.store = &orc_server_store;
    memcpy(s->m.server.state[0], p->init, sizeof p->init);
    orc_machine_find_orders(&s->m);
    s->out = &out;
    out.initially_violated = !orc_machine_invariant(&s->m, p->init);
    out.preds_initially = orc_machine_preds(&s->m, p->init, &left);
    out.out_of_bounds = left;
    observe(&s->m);
    do {
        s->m.picks = shared;
        orc_machine_choose_shared(&s->m);
        shared = s->m.picks;
        extend(s);
    } while (!s->done && orc_picks_advance(&shared));
    free(s);
    return out;
}
