/* The search over the ways to make up lists with duplicate values; see duplicate_values.h.
 *
 * A variable says "this block ends with this element".  Every element belongs to exactly one block,
 * and a block has at most one place.  No block crosses the end of a list that was read, comes
 * before what its own session had read or appended, or comes after what its session read later.
 * The first choice follows the order of the history, which mostly is the order in which the
 * transactions ended. */
#include "check/problem/duplicate_values.h"

#include <assert.h>

#include "base/limit.h"
#include "check/problem/finding.h"
#include "certify/history_facts.h"
#include "check/solver/sat.h"

enum { MAX_PLACES = 20000000 };

struct place {
    uint32_t block, end; /* the last element, from 1 */
    uint32_t var;
};

/* The refutation of one choice: cycles, and the clause that it became. */
struct lesson {
    uint32_t clause;
    uint32_t first, count; /* in cycles */
};

struct search {
    const struct history *h;
    const struct duplicates *q;
    struct check_result *r;
    struct hist_facts f;
    struct sat *sat;
    VEC(struct place) places; /* by block */
    uint32_t *first_place;    /* per block, and one more */
    struct map block_of;      /* per append: its block */
    uint32_t *chosen;         /* check_options.places */
    VEC(struct lesson) lessons;
    VEC(struct check_edge) edges;
    VEC(struct check_cycle) cycles;
    sat_lits clause;
};

void duplicates_free(struct duplicates *q)
{
    vec_free(&q->keys);
    vec_free(&q->blocks);
    vec_free(&q->ops);
    vec_free(&q->cuts);
}

/* --- places ----------------------------------------------------------------------------------- */

static const int64_t *list_of(const struct search *s, const struct duplicates_key *k)
{
    return s->h->lists.data + s->h->ops.data[k->read].list.start;
}

/* May the block end with element `end`? */
static bool fits(const struct search *s, const struct duplicates_key *k,
                 const struct duplicates_block *b, uint32_t end)
{
    if (end < b->count || end - b->count < b->after || end > b->until)
        return false;
    const int64_t *list = list_of(s, k) + (end - b->count);
    for (uint32_t i = 0; i < b->count; i++) {
        if (list[i] != s->h->ops.data[s->q->ops.data[b->first + i]].value)
            return false;
        if (i && s->q->cuts.data[k->cut + end - b->count + i])
            return false;
    }
    return true;
}

static bool find_places(struct search *s)
{
    const struct duplicates *q = s->q;
    s->first_place = mem_calloc(q->blocks.len + 1, sizeof *s->first_place);
    for (size_t i = 0; i < q->keys.len; i++) {
        const struct duplicates_key *k = &q->keys.data[i];
        for (uint32_t b = k->first_block; b < k->first_block + k->blocks; b++) {
            s->first_place[b] = (uint32_t)s->places.len;
            for (uint32_t end = 1; end <= k->len; end++)
                if (fits(s, k, &q->blocks.data[b], end))
                    vec_push(&s->places, ((struct place){b, end, 0}));
            for (uint32_t j = 0; j < q->blocks.data[b].count; j++)
                *map_put(&s->block_of, q->ops.data[q->blocks.data[b].first + j], 0, NULL) = b;
            if (s->places.len > MAX_PLACES || limit_reached())
                return false;
        }
        s->first_place[k->first_block + k->blocks] = (uint32_t)s->places.len;
    }
    return true;
}

/* The places that end with each element: [start[e], start[e + 1]) of the result. */
static uint32_t *by_end(const struct search *s, const struct duplicates_key *k, uint32_t *start)
{
    uint32_t first = s->first_place[k->first_block];
    uint32_t last = s->first_place[k->first_block + k->blocks];
    uint32_t *sorted = mem_alloc(mem_mul((size_t)(last - first) + 1, sizeof *sorted));
    memset(start, 0, ((size_t)k->len + 3) * sizeof *start);
    for (uint32_t i = first; i < last; i++)
        start[s->places.data[i].end + 2]++;
    for (uint32_t e = 0; e <= k->len; e++)
        start[e + 2] += start[e + 1];
    for (uint32_t i = first; i < last; i++)
        sorted[start[s->places.data[i].end + 1]++] = i;
    return sorted;
}

/* --- the first choice ------------------------------------------------------------------------- */

/* Element by element the earliest transaction of the history that fits.  wanted: per place of the
 * key. */
static void guess(const struct search *s, const struct duplicates_key *k, const uint32_t *start,
                  const uint32_t *sorted, uint8_t *wanted)
{
    uint8_t *used = mem_calloc((size_t)k->blocks + 1, 1);
    for (uint32_t at = 0; at < k->len;) {
        uint32_t best = HIST_NONE;
        for (uint32_t end = at + 1; end <= k->len && end <= at + 64; end++)
            for (uint32_t i = start[end]; i < start[end + 1]; i++) {
                const struct place *p = &s->places.data[sorted[i]];
                const struct duplicates_block *b = &s->q->blocks.data[p->block];
                if (b->count == end - at && !used[p->block - k->first_block] &&
                    (best == HIST_NONE ||
                     b->txn < s->q->blocks.data[s->places.data[best].block].txn))
                    best = sorted[i];
            }
        if (best == HIST_NONE)
            break;
        used[s->places.data[best].block - k->first_block] = 1;
        wanted[best - s->first_place[k->first_block]] = 1;
        at = s->places.data[best].end;
    }
    mem_free(used);
}

/* --- clauses ---------------------------------------------------------------------------------- */

/* Of a few pairwise; of many in a row, with a variable that says "one of those up to here". */
static void at_most_one(struct sat *sat, const uint32_t *lits, size_t n)
{
    if (n <= 5) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                uint32_t both[] = {sat_neg(lits[i]), sat_neg(lits[j])};
                sat_add_clause(sat, both, 2);
            }
        return;
    }
    uint32_t so_far = 2 * sat_new_var(sat, false);
    uint32_t first[] = {sat_neg(lits[0]), so_far};
    sat_add_clause(sat, first, 2);
    for (size_t i = 1; i < n; i++) {
        uint32_t next = 2 * sat_new_var(sat, false);
        uint32_t here[] = {sat_neg(lits[i]), next}, on[] = {sat_neg(so_far), next},
                 both[] = {sat_neg(so_far), sat_neg(lits[i])};
        sat_add_clause(sat, here, 2);
        sat_add_clause(sat, on, 2);
        sat_add_clause(sat, both, 2);
        so_far = next;
    }
}

/* What a session appended before has an earlier place. */
static void add_before(struct search *s, struct sat *sat, uint32_t b)
{
    uint32_t a = s->q->blocks.data[b].before;
    if (a == HIST_NONE)
        return;
    uint32_t from = s->first_place[a], to = s->first_place[a + 1];
    for (uint32_t i = s->first_place[b]; i < s->first_place[b + 1]; i++) {
        vec_clear(&s->clause);
        vec_push(&s->clause, 2 * s->places.data[i].var + 1);
        for (uint32_t j = from; j < to && s->places.data[j].end < s->places.data[i].end; j++)
            vec_push(&s->clause, 2 * s->places.data[j].var);
        sat_add_clause(sat, s->clause.data, s->clause.len);
    }
}

/* Every element has one block, every block at most one place. */
static void add_key(struct search *s, struct sat *sat, const struct duplicates_key *k)
{
    uint32_t *start = mem_alloc(mem_mul((size_t)k->len + 3, sizeof *start));
    uint32_t *sorted = by_end(s, k, start);
    uint32_t first = s->first_place[k->first_block], longest = 0;
    uint32_t count = s->first_place[k->first_block + k->blocks] - first;
    uint8_t *wanted = mem_calloc((size_t)count + 1, 1);
    guess(s, k, start, sorted, wanted);
    for (uint32_t b = k->first_block; b < k->first_block + k->blocks; b++) {
        vec_clear(&s->clause);
        for (uint32_t i = s->first_place[b]; i < s->first_place[b + 1]; i++) {
            s->places.data[i].var = sat_new_var(sat, wanted[i - first]);
            vec_push(&s->clause, 2 * s->places.data[i].var);
        }
        uint32_t size = s->q->blocks.data[b].count;
        longest = size > longest ? size : longest;
        at_most_one(sat, s->clause.data, s->clause.len);
        if (s->q->blocks.data[b].until != HIST_NONE)
            sat_add_clause(sat, s->clause.data, s->clause.len);
        add_before(s, sat, b);
    }
    for (uint32_t e = 1; e <= k->len; e++) {
        vec_clear(&s->clause);
        for (uint32_t end = e; end <= k->len && end < e + longest; end++)
            for (uint32_t i = start[end]; i < start[end + 1]; i++)
                if (end - s->q->blocks.data[s->places.data[sorted[i]].block].count < e)
                    vec_push(&s->clause, 2 * s->places.data[sorted[i]].var);
        sat_add_clause(sat, s->clause.data, s->clause.len);
        at_most_one(sat, s->clause.data, s->clause.len);
    }
    mem_free(start);
    mem_free(sorted);
    mem_free(wanted);
}

/* --- lists that cannot be made up ------------------------------------------------------------- */

/* The list shows a value more often than others appended it. */
static void name_surplus(struct search *s, const struct duplicates_key *k, int64_t value)
{
    const struct history *h = s->h;
    bool any = false;
    for (uint32_t i = s->f.key_start[k->key]; i < s->f.key_start[k->key + 1]; i++) {
        uint32_t op = s->f.key_ops[i], t = s->f.op_txn[op];
        const struct hist_op *a = &h->ops.data[op];
        if (a->kind != HIST_APPEND || a->value != value || a->flags & HIST_OP_FAILED)
            continue;
        any = true;
        if (hist_facts_possible(&s->f, t))
            continue;
        bool aborted = h->txns.data[t].status == HIST_ABORTED;
        finding_report(s->r, h, aborted ? ANOMALY_G1A : ANOMALY_IMPOSSIBLE_READ, op, k->read);
        return;
    }
    finding_report(s->r, h, any ? ANOMALY_DUPLICATE_ELEMENT : ANOMALY_THIN_AIR, k->read, HIST_NONE);
}

static bool report_surplus(struct search *s, const struct duplicates_key *k)
{
    const struct duplicates *q = s->q;
    const int64_t *list = list_of(s, k);
    struct map left = {0};
    bool surplus = false;
    for (uint32_t b = k->first_block; b < k->first_block + k->blocks; b++)
        for (uint32_t i = 0; i < q->blocks.data[b].count; i++) {
            uint32_t op = q->ops.data[q->blocks.data[b].first + i];
            if (q->blocks.data[b].txn != s->f.op_txn[k->read])
                ++*map_put(&left, (uint64_t)s->h->ops.data[op].value, 0, NULL);
        }
    for (uint32_t e = 0; e < k->len && !surplus; e++) {
        uint64_t *n = map_put(&left, (uint64_t)list[e], 0, NULL);
        surplus = *n == 0;
        if (surplus)
            name_surplus(s, k, list[e]);
        else
            --*n;
    }
    map_free(&left);
    return surplus;
}

/* False: reported. */
static bool can_be_made(struct search *s, const struct duplicates_key *k)
{
    struct sat *sat = sat_new(1, false);
    add_key(s, sat, k);
    bool fine = sat_solve(sat) != SAT_NO;
    sat_free(sat);
    if (!fine && !report_surplus(s, k))
        finding_report(s->r, s->h, ANOMALY_TORN_LIST, k->read, HIST_NONE);
    s->r->by_sessions = s->r->anomaly == ANOMALY_TORN_LIST;
    return fine;
}

/* --- what a violation rests on ---------------------------------------------------------------- */

static const uint64_t *block_of(const struct search *s, uint32_t op)
{
    return op == HIST_NONE ? NULL : map_get(&s->block_of, op);
}

/* That the append has the place that it has: or else it has no place, which is one of those. */
static void use_place(struct search *s, uint32_t op)
{
    const uint64_t *b = block_of(s, op);
    if (!b)
        return;
    bool shown = s->chosen[op] != 0;
    for (uint32_t i = s->first_place[*b]; i < s->first_place[*b + 1]; i++) {
        bool here = sat_value(s->sat, s->places.data[i].var);
        if (here == shown)
            vec_push(&s->clause, 2 * s->places.data[i].var + here);
    }
}

static void use_source(struct search *s, uint32_t read, uint32_t write)
{
    hist_facts_ops sources = {0};
    if (s->h->ops.data[read].kind == HIST_LIST_READ && block_of(s, write)) {
        hist_facts_sources(&s->f, read, &sources);
        if (sources.len != 1)
            use_place(s, write);
    }
    vec_free(&sources);
}

static void use_order(struct search *s, uint32_t a, uint32_t b)
{
    if (!block_of(s, a) || !block_of(s, b) || (!s->chosen[a] && !s->chosen[b]) ||
        hist_facts_older(&s->f, a, b))
        return;
    use_place(s, a);
    use_place(s, b);
}

/* One of unknown outcome counts because some element is its own. */
static void use_txn(struct search *s, uint32_t txn)
{
    const struct hist_txn *t = &s->h->txns.data[txn];
    if (t->status == HIST_COMMITTED || hist_facts_counts(&s->f, txn))
        return;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (block_of(s, i) && s->chosen[i])
            use_place(s, i);
}

/* The clause that says that not all of this can be, before the solver goes on. */
static void collect_used(struct search *s, const struct check_result *found)
{
    vec_clear(&s->clause);
    for (size_t i = 0; i < found->edges.len; i++) {
        const struct check_edge *e = &found->edges.data[i];
        use_txn(s, e->from);
        if (e->kind == CHECK_WR)
            use_source(s, e->to_op, e->from_op);
        if (e->kind == CHECK_RW)
            use_source(s, e->from_op, e->via);
        if (e->kind == CHECK_WW)
            use_order(s, e->from_op, e->to_op);
        if (e->kind == CHECK_RW && e->via != HIST_NONE)
            use_order(s, e->via, e->to_op);
    }
}

static void learn(struct search *s, const struct check_result *found)
{
    struct lesson l = {0, (uint32_t)s->cycles.len, (uint32_t)found->cycles.len};
    for (size_t i = 0; i < found->cycles.len; i++) {
        struct check_cycle c = found->cycles.data[i];
        vec_push(&s->cycles, ((struct check_cycle){(uint32_t)s->edges.len, c.len}));
        for (uint32_t j = 0; j < c.len; j++) {
            struct check_edge e = found->edges.data[c.start + j];
            e.because = HIST_NONE;
            vec_push(&s->edges, e);
        }
    }
    sat_restart(s->sat);
    l.clause = sat_add_clause(s->sat, s->clause.data, s->clause.len);
    vec_push(&s->lessons, l);
}

/* --- the loop --------------------------------------------------------------------------------- */

static void take_choice(struct search *s)
{
    const struct duplicates *q = s->q;
    for (size_t i = 0; i < q->ops.len; i++)
        s->chosen[q->ops.data[i]] = 0;
    for (size_t i = 0; i < s->places.len; i++) {
        const struct place *p = &s->places.data[i];
        const struct duplicates_block *b = &q->blocks.data[p->block];
        for (uint32_t j = 0; j < b->count && sat_value(s->sat, p->var); j++)
            s->chosen[q->ops.data[b->first + j]] = p->end - b->count + j + 1;
    }
}

/* The lessons that the solver's proof needs, as lemmas. */
static void reject(struct search *s)
{
    struct check_result *r = s->r;
    sat_lits clauses = {0}, tags = {0};
    struct map needed = {0};
    sat_core(s->sat, &clauses, &tags);
    for (size_t i = 0; i < clauses.len; i++)
        map_put(&needed, clauses.data[i], 1, NULL);
    for (size_t i = 0; i < s->lessons.len; i++) {
        const struct lesson *l = &s->lessons.data[i];
        for (uint32_t c = l->first; c < l->first + l->count && map_get(&needed, l->clause); c++) {
            struct check_cycle old = s->cycles.data[c];
            vec_push(&r->cycles, ((struct check_cycle){(uint32_t)r->edges.len, old.len}));
            for (uint32_t j = 0; j < old.len; j++)
                vec_push(&r->edges, s->edges.data[old.start + j]);
            if (r->cycle == HIST_NONE || old.len < r->cycles.data[r->cycle].len)
                r->cycle = (uint32_t)r->cycles.len - 1;
        }
    }
    r->lemmas = (uint32_t)r->cycles.len;
    r->verdict = CHECK_VIOLATION;
    r->by_sessions = true;
    map_free(&needed);
    vec_free(&clauses);
    vec_free(&tags);
}

/* True: *found is the answer. */
static bool judge_choice(struct search *s, const struct check_options *o, duplicates_judge *judge,
                         struct check_result *found)
{
    struct check_options chosen = *o;
    take_choice(s);
    chosen.places = s->chosen;
    chosen.no_run = true;
    judge(s->h, &chosen, found);
    if (found->verdict != CHECK_VIOLATION || !found->cycles.len)
        return true;
    collect_used(s, found);
    return !s->clause.len; /* it holds whatever is chosen */
}

static void run(struct search *s, const struct check_options *o, duplicates_judge *judge)
{
    enum sat_result solved;
    s->sat = sat_new(o->seed, true);
    for (size_t i = 0; i < s->q->keys.len; i++)
        add_key(s, s->sat, &s->q->keys.data[i]);
    while ((solved = sat_solve(s->sat)) == SAT_YES) {
        struct check_result found;
        if (judge_choice(s, o, judge, &found)) {
            check_result_free(s->r);
            *s->r = found;
            return;
        }
        learn(s, &found);
        check_result_free(&found);
    }
    if (solved == SAT_NO)
        reject(s);
    else
        finding_unknown(s->r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}

/* Reads of transactions of unknown outcome make the list longer if these count, which would be one
 * more choice. */
static bool unknown_readers(const struct history *h)
{
    for (size_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *x = &h->txns.data[t];
        for (uint32_t i = x->first_op; i < x->first_op + x->op_count; i++)
            if (x->status == HIST_UNKNOWN && h->ops.data[i].kind == HIST_LIST_READ)
                return true;
    }
    return false;
}

static void decide(struct search *s, const struct check_options *o, duplicates_judge *judge)
{
    if (unknown_readers(s->h)) {
        finding_unknown(s->r,
                        "equal values were appended to one list, and a transaction of unknown "
                        "outcome read lists");
        return;
    }
    if (!find_places(s)) {
        finding_unknown(s->r, "%s",
                        limit_reached() ? limit_text()
                                        : "the equal values in lists can have too many places");
        return;
    }
    for (size_t i = 0; i < s->q->keys.len; i++)
        if (!can_be_made(s, &s->q->keys.data[i]))
            return;
    s->chosen = mem_calloc(s->h->ops.len + 1, sizeof *s->chosen);
    run(s, o, judge);
}

void duplicates_check(const struct history *h, const struct check_options *o,
                      const struct duplicates *q, duplicates_judge *judge, struct check_result *r)
{
    struct search s = {.h = h, .q = q, .r = r};
    hist_facts_init(&s.f, h, model_get(o->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    decide(&s, o, judge);
    hist_facts_free(&s.f);
    if (s.sat)
        sat_free(s.sat);
    vec_free(&s.places);
    mem_free(s.first_place);
    map_free(&s.block_of);
    mem_free(s.chosen);
    vec_free(&s.lessons);
    vec_free(&s.edges);
    vec_free(&s.cycles);
    vec_free(&s.clause);
}
