/* The last step of an explanation: leave out what is not needed, pick the cycle to show, and name
 * the anomaly; see explain.h.
 *
 * An argument by cases says: whatever the order of the versions (and whatever write each read saw),
 * one of these cycles is there.  Which one depends on an order that is not known.  If the history
 * satisfies some level, there is an order without the cycles that this level rules out; so the
 * anomaly is not worse than the mildest of the cycles, and that cycle is shown and named.  It would
 * be wrong to call two transactions that overwrote each other's reads a write cycle only because
 * the other order of two writes would give one.
 *
 * Formally, a name is given only if everything that its definition rules out (anomalies.def) is
 * ruled out by each of the cycles.  Where the cycles are of kinds that do not compare, no name
 * fits, and the report says so.
 *
 * If the mildest cycle refutes a case (an order: a before b), the argument is turned inside out:
 * the cycle that was its conclusion now refutes the opposite case (b before a), and the mildest
 * cycle, which then has no alternative, becomes the conclusion. */
#include <assert.h>

#include "base/mem.h"
#include "check/explain/explain.h"
#include "certify/anomaly_name.h"
#include "certify/history_facts.h"

/* --- orders that need no argument ------------------------------------------------------------- */

/* Nobody refers to the case from outside, and what rests on it needs no reason. */
static void forget(struct check_result *r, uint32_t index)
{
    const struct check_cycle *own = &r->cycles.data[r->cases.data[index].cycle];
    for (uint32_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].because == index && (i < own->start || i >= own->start + own->len))
            r->edges.data[i].because = HIST_NONE;
}

static bool has_children(const struct check_result *r, uint32_t index)
{
    return index + 1 < r->cases.len && r->cases.data[index + 1].parent == index;
}

static bool earlier_in_session(const struct hist_facts *f, const struct check_result *r, uint32_t a,
                               uint32_t b)
{
    const struct hist_txn *s = &f->h->txns.data[f->op_txn[a]], *t = &f->h->txns.data[f->op_txn[b]];
    return r->level.session_order && s->session == t->session && s->index < t->index;
}

/* Orders that the history shows by itself: who overwrites a version that it read, or that its own
 * session wrote, comes later; or it has them on record. */
static bool is_evident(struct hist_facts *f, const struct check_result *r, uint32_t a, uint32_t b)
{
    return earlier_in_session(f, r, a, b) || hist_facts_older(f, a, b);
}

static void forget_evident(const struct history *h, struct check_result *r)
{
    struct hist_facts f;
    if (!r->cases.len)
        return;
    hist_facts_init(&f, h, model_get(r->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    for (uint32_t i = 0; i < r->cases.len; i++) {
        const struct check_case *c = &r->cases.data[i];
        if (c->kind == CHECK_ORDER && c->cycle != HIST_NONE && !has_children(r, i) &&
            is_evident(&f, r, c->second, c->first))
            forget(r, i);
    }
    hist_facts_free(&f);
}

/* --- both orders of two versions refuted, or the evident one ---------------------------------- */

/* A case before j at its level that established what j supposes. */
static uint32_t established(const struct check_result *r, uint32_t j)
{
    const struct check_case *c = &r->cases.data[j];
    for (uint32_t i = 0; i < j; i++) {
        const struct check_case *b = &r->cases.data[i];
        if (b->kind == CHECK_ORDER && b->parent == HIST_NONE && b->first == c->second &&
            b->second == c->first)
            return i;
    }
    return HIST_NONE;
}

/* Case j supposes what case i established, or (HIST_NONE) what is evident: what refutes it is the
 * conclusion, and the cases inside of it are outermost. */
static void conclude(struct check_result *r, uint32_t i, uint32_t j)
{
    uint32_t end = j + 1;
    while (end < r->cases.len && r->cases.data[end].parent != HIST_NONE)
        end++;
    r->cycle = r->cases.data[j].cycle;
    r->no_source = false;
    for (uint32_t k = j + 1; k < end; k++) {
        struct check_case c = r->cases.data[k];
        c.parent = c.parent == j ? HIST_NONE : c.parent - 1;
        r->cases.data[k - 1] = c;
    }
    r->cases.len = end - 1;
    for (size_t k = 0; k < r->edges.len; k++) {
        uint32_t *because = &r->edges.data[k].because;
        if (*because != HIST_NONE && *because >= j)
            *because = *because == j ? i : *because - 1;
    }
}

static void stop_at_contradiction(const struct history *h, struct check_result *r)
{
    struct hist_facts f;
    bool stopped = !r->cases.len || r->lemmas;
    if (stopped)
        return;
    hist_facts_init(&f, h, model_get(r->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    for (uint32_t j = 0; j < r->cases.len && !stopped; j++) {
        const struct check_case *c = &r->cases.data[j];
        if (c->kind != CHECK_ORDER || c->parent != HIST_NONE || c->cycle == HIST_NONE)
            continue;
        uint32_t i = established(r, j);
        stopped = i != HIST_NONE || is_evident(&f, r, c->first, c->second);
        if (stopped)
            conclude(r, i, j);
    }
    hist_facts_free(&f);
}

/* --- what nobody needs ------------------------------------------------------------------------ */

static bool need_cycle(const struct check_result *r, uint32_t cycle, uint8_t *needed)
{
    bool more = false;
    if (cycle == HIST_NONE)
        return false;
    const struct check_cycle *c = &r->cycles.data[cycle];
    for (uint32_t i = c->start; i < c->start + c->len; i++) {
        uint32_t because = r->edges.data[i].because;
        assert(because == HIST_NONE || because < r->cases.len);
        if (because != HIST_NONE && !needed[because])
            needed[because] = more = true;
    }
    return more;
}

/* Sources are refuted one by one, and only the last refutation is referred to: they all stay. */
static bool need_case(const struct check_result *r, uint32_t i, uint8_t *needed)
{
    const struct check_case *c = &r->cases.data[i];
    bool more = false;
    if (!needed[i] && c->kind == CHECK_SOURCE && (c->parent == HIST_NONE || needed[c->parent]))
        needed[i] = more = true;
    if (needed[i] && c->parent != HIST_NONE && !needed[c->parent])
        needed[c->parent] = more = true;
    return (needed[i] && need_cycle(r, c->cycle, needed)) || more;
}

static uint8_t *find_needed(const struct check_result *r)
{
    uint8_t *needed = mem_calloc(r->cases.len + 1, 1);
    need_cycle(r, r->cycle, needed);
    for (uint32_t i = 0; i < r->lemmas; i++)
        need_cycle(r, (uint32_t)r->cycles.len - r->lemmas + i, needed);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = (uint32_t)r->cases.len; i-- > 0;)
            more |= need_case(r, i, needed);
    }
    return needed;
}

struct copy {
    struct check_result *r;
    VEC(struct check_edge) edges;
    VEC(struct check_cycle) cycles;
    const uint32_t *new_case;
    uint32_t *new_cycle;
};

static uint32_t keep_cycle(struct copy *c, uint32_t cycle)
{
    if (cycle == HIST_NONE || c->new_cycle[cycle] != HIST_NONE)
        return cycle == HIST_NONE ? HIST_NONE : c->new_cycle[cycle];
    struct check_cycle old = c->r->cycles.data[cycle];
    vec_push(&c->cycles, ((struct check_cycle){(uint32_t)c->edges.len, old.len}));
    for (uint32_t i = 0; i < old.len; i++) {
        struct check_edge e = c->r->edges.data[old.start + i];
        if (e.because != HIST_NONE)
            e.because = c->new_case[e.because];
        vec_push(&c->edges, e);
    }
    return c->new_cycle[cycle] = (uint32_t)c->cycles.len - 1;
}

/* Lemmas stay the last cycles. */
static void keep_cycles(struct copy *c)
{
    struct check_result *r = c->r;
    uint32_t first_lemma = (uint32_t)r->cycles.len - r->lemmas;
    for (size_t i = 0; i < r->cases.len; i++)
        r->cases.data[i].cycle = keep_cycle(c, r->cases.data[i].cycle);
    if (r->cycle != HIST_NONE && r->cycle < first_lemma)
        r->cycle = keep_cycle(c, r->cycle);
    for (uint32_t i = 0; i < r->lemmas; i++)
        keep_cycle(c, first_lemma + i);
    if (r->cycle != HIST_NONE && r->cycle >= first_lemma)
        r->cycle = c->new_cycle[r->cycle];
}

static void prune(struct check_result *r)
{
    uint8_t *needed = find_needed(r);
    uint32_t *new_case = mem_alloc(mem_mul(r->cases.len + 1, sizeof *new_case)), kept = 0;
    struct copy c = {.r = r, .new_case = new_case};
    for (uint32_t i = 0; i < r->cases.len; i++) {
        struct check_case x = r->cases.data[i];
        new_case[i] = needed[i] ? kept : HIST_NONE;
        if (!needed[i])
            continue;
        x.parent = x.parent == HIST_NONE ? HIST_NONE : new_case[x.parent];
        r->cases.data[kept++] = x;
    }
    r->cases.len = kept;
    c.new_cycle = mem_alloc(mem_mul(r->cycles.len + 1, sizeof *c.new_cycle));
    memset(c.new_cycle, 0xff, (r->cycles.len + 1) * sizeof *c.new_cycle);
    keep_cycles(&c);
    vec_clear(&r->edges);
    vec_clear(&r->cycles);
    for (size_t i = 0; i < c.edges.len; i++)
        vec_push(&r->edges, c.edges.data[i]);
    for (size_t i = 0; i < c.cycles.len; i++)
        vec_push(&r->cycles, c.cycles.data[i]);
    vec_free(&c.edges);
    vec_free(&c.cycles);
    mem_free(c.new_cycle);
    mem_free(new_case);
    mem_free(needed);
}

/* --- inside out ------------------------------------------------------------------------------- */

/* The first case behind those inside of case k: cases stand in the order of reading. */
static uint32_t end_of(const struct check_result *r, uint32_t k)
{
    uint32_t end = k + 1;
    while (end < r->cases.len && r->cases.data[end].parent != HIST_NONE &&
           r->cases.data[end].parent >= k)
        end++;
    return end;
}

/* Case k is outermost and about an order.  Before: …, k { inner }, later, conclusion.  After: …,
 * opposite of k { later, conclusion }, inner, and as conclusion what refuted k. */
static void turn(struct check_result *r, uint32_t k)
{
    uint32_t n = (uint32_t)r->cases.len, end = end_of(r, k), inner = end - k - 1;
    uint32_t *place = mem_alloc(mem_mul((size_t)n + 1, sizeof *place));
    VEC(struct check_case) old = {0};
    for (uint32_t i = 0; i < n; i++) {
        place[i] = i <= k ? i : i < end ? i + (n - end) : i - inner;
        vec_push(&old, r->cases.data[i]);
    }
    for (uint32_t i = k + 1; i < n; i++) {
        struct check_case c = old.data[i];
        if (i < end)
            c.parent = c.parent == k ? HIST_NONE : place[c.parent];
        else
            c.parent = c.parent == HIST_NONE ? k : place[c.parent];
        r->cases.data[place[i]] = c;
    }
    struct check_case *c = &r->cases.data[k];
    *c = (struct check_case){c->kind, c->second, c->first, HIST_NONE, r->cycle};
    r->cycle = old.data[k].cycle;
    for (size_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].because != HIST_NONE)
            r->edges.data[i].because = place[r->edges.data[i].because];
    vec_free(&old);
    mem_free(place);
}

/* Can a case become the conclusion?  It and those around it have to be about orders. */
static bool can_turn(const struct check_result *r, uint32_t index)
{
    for (uint32_t i = index; i != HIST_NONE; i = r->cases.data[i].parent)
        if (r->cases.data[i].kind != CHECK_ORDER || r->cases.data[i].cycle == HIST_NONE)
            return false;
    return !r->no_source && !r->lemmas && r->cycle != HIST_NONE;
}

/* From the outside in: turning a case puts those inside of it outermost. */
static void turn_to(struct check_result *r, uint32_t cycle)
{
    while (r->cycle != cycle) {
        uint32_t k = 0;
        while (r->cases.data[k].cycle != cycle)
            k++;
        while (r->cases.data[k].parent != HIST_NONE)
            k = r->cases.data[k].parent;
        turn(r, k);
    }
}

/* --- lost updates ----------------------------------------------------------------------------- */

/* A missed the write of B and overwrote it, by a case in which B missed that of A: whoever was
 * second, the other one was missed, and it does not matter who. */
static void merge_lost_update(struct check_result *r)
{
    if (r->cycle == HIST_NONE || r->no_source || r->lemmas || r->cycles.data[r->cycle].len != 2)
        return;
    struct check_edge *e = r->edges.data + r->cycles.data[r->cycle].start;
    struct check_edge *ww = e[0].kind == CHECK_WW ? &e[0] : &e[1], *rw = ww == e ? &e[1] : &e[0];
    if (ww->kind != CHECK_WW || rw->kind != CHECK_RW || ww->key != rw->key ||
        ww->because == HIST_NONE || r->cases.data[ww->because].cycle == HIST_NONE)
        return;
    const struct check_cycle *c = &r->cycles.data[r->cases.data[ww->because].cycle];
    for (uint32_t i = c->start; i < c->start + c->len; i++) {
        const struct check_edge x = r->edges.data[i];
        if (x.kind == CHECK_RW && x.from == ww->from && x.to == ww->to && x.key == ww->key &&
            x.because == HIST_NONE) {
            *ww = x;
            return;
        }
    }
}

/* --- how to read a cycle ---------------------------------------------------------------------- */

static void reverse(struct check_edge *e, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        struct check_edge x = e[i];
        e[i] = e[n - 1 - i];
        e[n - 1 - i] = x;
    }
}

/* Anti-dependencies last: first what somebody did and who saw it, then what was missed.  Of several
 * such places, start with the earliest transaction. */
static void rotate(struct check_result *r)
{
    for (size_t k = 0; k < r->cycles.len; k++) {
        struct check_edge *e = r->edges.data + r->cycles.data[k].start;
        uint32_t n = r->cycles.data[k].len, first = HIST_NONE;
        for (uint32_t i = 0; i < n; i++)
            if (e[(i + n - 1) % n].kind == CHECK_RW &&
                (first == HIST_NONE || e[i].from < e[first].from))
                first = i;
        if (first == HIST_NONE || !first)
            continue;
        reverse(e, first);
        reverse(e + first, n - first);
        reverse(e, n);
    }
}

/* --- the mildest cycle ------------------------------------------------------------------------ */

static uint32_t case_of(const struct check_result *r, uint32_t cycle)
{
    for (uint32_t i = 0; i < r->cases.len; i++)
        if (r->cases.data[i].cycle == cycle)
            return i;
    return HIST_NONE;
}

void explain_finish(const struct history *h, struct check_result *r)
{
    if (r->cycle == HIST_NONE && !r->cases.len)
        return; /* operations show it */
    stop_at_contradiction(h, r);
    forget_evident(h, r);
    prune(r);
    struct anomaly_choice best = anomaly_of_violation(h, r);
    /* Turning may make cases superfluous, and then another cycle the mildest; seldom twice. */
    for (int turns = 0; turns < 4 && best.cycle != HIST_NONE; turns++) {
        uint32_t index = case_of(r, best.cycle);
        if (index == HIST_NONE || !can_turn(r, index))
            break;
        turn_to(r, best.cycle);
        prune(r);
        best = anomaly_of_violation(h, r);
    }
    if (r->lemmas && best.cycle != HIST_NONE)
        r->cycle = best.cycle;
    if (best.name == ANOMALY_LOST_UPDATE) {
        merge_lost_update(r);
        prune(r);
    }
    rotate(r);
    r->anomaly = anomaly_of_violation(h, r).name;
}
