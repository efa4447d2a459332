/* Any instances of a program's transactions, by states instead of by choices.
 *
 * An execution grows in ar order, one transaction after the other, each any of the program's.  What
 * a later transaction can tell about an earlier one is what it wrote, the rows that its calls of
 * fresh got and, where TRANSVIS is asked for, what it saw: of all runs that agree on these, one is
 * extended.  A run with nothing of this is not extended at all.  Executions are closed under taking
 * away the ar-largest transaction, so what fails counts there and then.
 *
 * Where a transaction has one snapshot A, its runs depend on A and on the rows that are free for
 * fresh, and are remembered for these.  The plain enumerator (prog_any.c) is what this one is
 * compared with. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/prog_machine.h"

/* What a run of a transaction leaves behind. */
struct effect {
    uint32_t written, touched, taken;
    uint32_t vis; /* 0 where it does not matter */
    bool failed;  /* an assertion */
    bool left;    /* an index was out of bounds */
    int own[ORC_CELLS];
};

struct effects {
    int n, room;
    struct effect *e;
};

/* The effects of all runs on a snapshot, or the predicates that a state violates. */
struct memo {
    struct memo *next;
    int state[ORC_CELLS];
    uint32_t zero; /* rows that fresh may take */
    struct effects effects;
    uint32_t preds;
    bool left;
};

enum { BUCKETS = 4096 };

struct search {
    struct orc_machine m;
    const struct orc_prog *p;
    struct orc_run run;
    enum orc_level level;
    int n;
    long limit;
    bool uses_fresh;
    struct memo *runs[BUCKETS], *judged[BUCKETS];
    struct orc_instances out;
};

static bool one_snapshot(enum orc_level level)
{
    return level != ORC_EC && level != ORC_RC && level != ORC_RCS;
}

static unsigned hash(const int state[ORC_CELLS], uint32_t zero)
{
    uint32_t h = zero * 2654435761u;
    for (int c = 0; c < ORC_CELLS; c++)
        h = (h ^ (uint32_t)state[c]) * 16777619u;
    return (h ^ h >> 15) % BUCKETS;
}

/* The entry for the state; *is_new if it was made now. */
static struct memo *find_memo(struct memo **table, const int state[ORC_CELLS], uint32_t zero,
                              bool *is_new)
{
    struct memo **at = &table[hash(state, zero)], *e;
    for (e = *at; e; e = e->next)
        if (e->zero == zero && !memcmp(e->state, state, sizeof e->state)) {
            *is_new = false;
            return e;
        }
    e = calloc(1, sizeof *e);
    if (!e)
        abort();
    memcpy(e->state, state, sizeof e->state);
    e->zero = zero;
    e->next = *at;
    *at = e;
    *is_new = true;
    return e;
}

static void free_memos(struct memo **table)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct memo *e = table[i], *next; e; e = next) {
            next = e->next;
            free(e->effects.e);
            free(e);
        }
}

static bool same_effect(const struct effect *a, const struct effect *b)
{
    return a->written == b->written && a->touched == b->touched && a->taken == b->taken &&
           a->vis == b->vis && a->failed == b->failed && a->left == b->left &&
           !memcmp(a->own, b->own, sizeof a->own);
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

/* What the machine's transaction did, in a form that can be compared byte by byte. */
static void note_effect(const struct orc_machine *m, uint32_t taken, struct effect *e)
{
    bool back = m->state == ORC_ROLLED_BACK;
    memset(e, 0, sizeof *e);
    e->written = back ? 0 : m->written;
    e->touched = back ? 0 : m->written | m->locked;
    e->taken = m->taken & ~taken;
    e->failed = m->failed;
    e->left = m->out_of_bounds;
    for (int c = 0; c < m->p->n_cells; c++)
        e->own[c] = orc_has(e->written, m->unit[c]) ? m->own[c] : 0;
}

/* All runs of transaction `type` at the machine's place in ar, with the visible set v. */
static void run_all(struct search *s, int type, uint32_t v, struct effects *list)
{
    struct orc_machine *m = &s->m;
    const struct orc_ptxn *t = &s->p->txns[type];
    uint32_t taken = m->taken;
    struct effect e;
    m->picks.n = m->picks.pos = 0;
    do {
        s->out.work++;
        orc_machine_clear(m, m->x.n_placed);
        m->v = v;
        m->taken = taken;
        m->out_of_bounds = false;
        for (int i = 0; i < t->n_params; i++)
            m->params[i] = t->choices[i][orc_pick(&m->picks, t->n_choices[i])];
        m->n_saw = 0; /* nobody asks what they saw */
        orc_machine_run(m, t->body);
        if (m->state != ORC_IMPOSSIBLE) {
            note_effect(m, taken, &e);
            add_effect(list, &e);
        }
    } while (orc_picks_advance(&m->picks));
    m->taken = taken;
}

static void run_types(struct search *s, uint32_t v, struct effects *list)
{
    for (int t = 0; t < s->p->n_txns; t++)
        if (!s->p->txns[t].same_as)
            run_all(s, t, v, list);
}

/* The rows of zeros in the state of all placed transactions that no call of fresh got. */
static uint32_t free_rows(const struct search *s)
{
    int state[ORC_CELLS];
    uint32_t rows = 0;
    orc_machine_show(&s->m, s->m.x.placed, state);
    for (int i = 0; i < s->p->n_tables; i++)
        for (int r = 0; r < s->p->tables[i].rows; r++) {
            int n = s->p->tables[i].fields, at = s->p->tables[i].base + r * n, c = at;
            while (c < at + n && !state[c])
                c++;
            rows |= c == at + n ? 1u << at : 0;
        }
    return rows & ~s->m.taken;
}

/* Adds those of the effects that the model allows with the visible set v. */
static void add_allowed(struct search *s, const struct effects *from, uint32_t v,
                        struct effects *to)
{
    struct orc_machine *m = &s->m;
    int t = m->x.n_placed;
    for (int i = 0; i < from->n; i++) {
        struct effect e = from->e[i];
        m->x.touches[t] = e.touched;
        if (!orc_no_conflict(&m->x, s->level, t, v))
            continue;
        e.touched = 0;
        if (s->level == ORC_CC || s->level == ORC_PSI)
            e.vis = e.written ? v : 0;
        add_effect(to, &e);
    }
}

/* All effects that a next transaction may have, in transactions that have one snapshot. */
static void snapshots(struct search *s, struct effects *list)
{
    struct orc_machine *m = &s->m;
    int t = m->x.n_placed, state[ORC_CELLS];
    uint32_t zero = s->uses_fresh ? free_rows(s) : 0;
    for (uint32_t v = 0; v < 1u << t; v++) {
        bool is_new;
        if (!orc_may_see(&m->x, &m->rules, &m->orders, false, t, v))
            continue;
        orc_machine_show(m, v, state);
        struct memo *e = find_memo(s->runs, state, zero, &is_new);
        if (is_new)
            run_types(s, v, &e->effects);
        add_allowed(s, &e->effects, v, list);
    }
}

static void next_effects(struct search *s, struct effects *list)
{
    s->m.t = s->m.x.n_placed;
    if (one_snapshot(s->level)) {
        snapshots(s, list);
    } else if (orc_machine_start(&s->m)) {
        struct effects all = {0};
        run_types(s, s->m.v, &all);
        add_allowed(s, &all, 0, list);
        free(all.e);
    }
}

/* The state of all placed transactions, judged. */
static void judge(struct search *s, int k)
{
    int state[ORC_CELLS];
    bool is_new;
    orc_machine_show(&s->m, s->m.x.placed, state);
    struct memo *e = find_memo(s->judged, state, 0, &is_new);
    if (is_new)
        e->preds = orc_machine_preds(&s->m, state, &e->left);
    s->out.out_of_bounds[k] |= e->left;
    s->out.preds[k] |= e->left ? 0 : e->preds;
}

static void extend(struct search *s)
{
    struct orc_machine *m = &s->m;
    struct effects list = {0};
    int t = m->x.n_placed, k = t + 1;
    if (s->out.work > s->limit) {
        s->out.complete = false;
        return;
    }
    next_effects(s, &list);
    for (int i = 0; i < list.n; i++) {
        const struct effect *e = &list.e[i];
        uint32_t taken = m->taken;
        s->out.exists[k] = true;
        s->out.assert_failed[k] |= e->failed && !e->left;
        s->out.out_of_bounds[k] |= e->left;
        if (e->left || (!e->written && !e->taken))
            continue;
        m->x.writes[t] = e->written;
        memcpy(m->value[t], e->own, sizeof e->own);
        orc_place(&m->x, t, e->vis);
        m->taken |= e->taken;
        judge(s, k);
        if (k < s->n)
            extend(s);
        m->taken = taken;
        m->x.placed &= ~(1u << t);
        m->x.n_placed--;
    }
    free(list.e);
}

static bool uses_fresh(const struct orc_prog *p)
{
    for (int e = 0; e < p->n_exprs; e++)
        if (p->exprs[e].kind == ORC_FRESH)
            return true;
    return false;
}

struct orc_instances orc_prog_instances(const struct orc_prog *p, enum orc_level level, int n,
                                        long work)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s || n > ORC_TXNS)
        abort();
    s->p = p;
    s->run = orc_run_uniform(level, false);
    s->level = level;
    s->n = n;
    s->limit = work;
    s->uses_fresh = uses_fresh(p);
    s->out.complete = true;
    orc_machine_init(&s->m, p, &s->run);
    s->m.n_txns = n;
    judge(s, 0);
    extend(s);
    for (int k = 1; k <= n; k++) {
        s->out.exists[k] |= s->out.exists[k - 1];
        s->out.preds[k] |= s->out.preds[k - 1];
        s->out.assert_failed[k] |= s->out.assert_failed[k - 1];
        s->out.out_of_bounds[k] |= s->out.out_of_bounds[k - 1];
    }
    free_memos(s->runs);
    free_memos(s->judged);
    struct orc_instances out = s->out;
    free(s);
    return out;
}
