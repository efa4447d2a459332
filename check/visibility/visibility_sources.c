/* Reads with several candidate writers, with the order of the history taken as the arbitration:
 * which write did each see?  See visibility_internal.h.
 *
 * Once the arbitration is fixed, the transactions can be treated one after the other.  For EC, RC
 * and RA what a transaction sees depends only on its own reads (and its session's writes), so their
 * sources are found by a small search for each transaction.  For CC and PSI it also depends on what
 * its sources saw, which is known by then; here the search prefers sources that make little new
 * visible.  Where the search gets stuck because a transaction is visible, it goes back to the
 * earlier transaction whose choice made it visible and chooses another source there.
 *
 * Whether *some* order and sources exist is NP-complete (visibility_search.c), so a failure proves
 * nothing. */
#include <stdlib.h>

#include "base/limit.h"
#include "check/visibility/visibility_internal.h"

#define OPTIONS 64   /* candidates of a read that are tried, CC and PSI */
#define BUDGET 20000 /* steps of the search for one transaction */
#define WORK 4000000 /* CC, PSI: at most so many reads are looked at again */

/* Ranks are counted from 1; 0 is the initial version. */
struct undo {
    uint32_t key, rank;
};

/* Because of what `read` saw, a later transaction saw `what` and got stuck. */
struct ban {
    uint32_t read, version, what;
};

struct choose {
    struct vis *w;
    struct prob *p;
    uint32_t t;      /* the transaction at hand */
    uint32_t end;    /* of the reads that are looked at together */
    uint32_t budget; /* left for it */
    struct budget *total;

    /* RC, RA: per key the last visible writer; and those of the session. */
    uint32_t *seen, *session_rank, *session_of;
    VEC(struct undo) undo;
    uint32_t *read_of, *read_at; /* per key: the read that was given a source, of transaction … */

    /* CC, PSI: the writers of a key so far, as in visibility_guess.c; a clock for each step. */
    uint32_t *writers, *count;
    VEC(uint32_t) clocks;
    /* Where the search for the transaction at hand got stuck: the furthest read, and the rank of
     * the last visible writer of its row then. */
    uint32_t stuck, stuck_rank;
    /* Reads and versions that somebody got stuck because of; dropped as soon as a transaction
     * before the reader has to choose again. */
    VEC(struct ban) banned;
    uint32_t attempt; /* from 0; preferences change with it */
};

static uint32_t rank_of(const struct choose *c, uint32_t version)
{
    uint32_t t = c->p->ver_txn[version];
    return t == PROB_INIT ? 0 : c->w->rank[t] + 1;
}

/* The candidates of a read; a read without choice has one. */
static uint32_t candidates(const struct choose *c, uint32_t read, const uint32_t **first)
{
    const struct prob *p = c->p;
    uint32_t v = p->rd_ver[read];
    if (!(v & PROB_CHOICE)) {
        *first = &p->rd_ver[read];
        return 1;
    }
    const struct match_choice *x = &p->choices.data[v & ~PROB_CHOICE];
    *first = p->cand.data + x->start;
    return x->len;
}

static int by_rank(const void *a, const void *b, void *self)
{
    const struct vis *w = self;
    uint32_t x = w->p->ver_txn[*(const uint32_t *)a], y = w->p->ver_txn[*(const uint32_t *)b];
    uint64_t m = x == PROB_INIT ? 0 : w->rank[x] + 1ull, n = y == PROB_INIT ? 0 : w->rank[y] + 1ull;
    return m < n ? -1 : m > n;
}

void vis_sort_candidates(struct vis *w)
{
    struct prob *p = w->p;
    for (size_t i = 0; i < p->choices.len; i++)
        qsort_r(p->cand.data + p->choices.data[i].start, p->choices.data[i].len,
                sizeof *p->cand.data, by_rank, w);
}

/* The first candidate whose rank is at least `rank`. */
static uint32_t first_from(const struct choose *c, const uint32_t *v, uint32_t n, uint32_t rank)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (rank_of(c, v[mid]) < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* --- RC, RA ---------------------------------------------------------------------------------- */

static bool assigned(const struct choose *c, uint32_t key)
{
    return c->read_at[key] == c->t + 1;
}

static uint32_t seen(const struct choose *c, uint32_t key)
{
    uint32_t s = c->p->session[c->t] + 1;
    uint32_t own = c->w->model == MODEL_RA && c->w->sessions && c->session_of[key] == s
                       ? c->session_rank[key]
                       : 0;
    return own > c->seen[key] ? own : c->seen[key];
}

/* Everything that the writer wrote becomes visible to read r.  No read so far that sees what r sees
 * may mind. */
static bool see(struct choose *c, uint32_t r, uint32_t writer)
{
    const struct prob *p = c->p;
    uint32_t rank = c->w->rank[writer] + 1, first = p->rd_start[c->t];
    if (c->w->model == MODEL_RC || c->w->model == MODEL_EC)
        first = match_read_start(p, r, first);
    for (uint32_t i = p->wr_start[writer]; i < p->wr_start[writer + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        if (c->seen[key] >= rank)
            continue;
        vec_push(&c->undo, ((struct undo){key, c->seen[key]}));
        c->seen[key] = rank;
        if (assigned(c, key) && c->read_of[key] >= first &&
            rank_of(c, c->w->src[c->read_of[key]]) < rank)
            return false;
    }
    return true;
}

static void unsee(struct choose *c, size_t mark)
{
    while (c->undo.len > mark) {
        struct undo u = vec_pop(&c->undo);
        c->seen[u.key] = u.rank;
    }
}

/* Sources for the reads from r on. */
static bool choose_plain(struct choose *c, uint32_t r)
{
    const struct prob *p = c->p;
    const uint32_t *v;
    if (r == c->end)
        return true;
    uint32_t n = candidates(c, r, &v), key = p->rd_key[r], limit = c->w->rank[c->t] + 1;
    uint32_t before = c->read_at[key], read = c->read_of[key];
    size_t mark = c->undo.len;
    c->read_at[key] = c->t + 1;
    c->read_of[key] = r;
    for (uint32_t i = first_from(c, v, n, seen(c, key)); i < n && c->budget; i++) {
        if (rank_of(c, v[i]) >= limit)
            break;
        c->budget--;
        c->w->src[r] = v[i];
        uint32_t writer = p->ver_txn[v[i]];
        if ((writer == PROB_INIT || see(c, r, writer)) && choose_plain(c, r + 1))
            return true;
        unsee(c, mark);
    }
    c->read_at[key] = before;
    c->read_of[key] = read;
    return false;
}

static bool plain_txn(struct choose *c)
{
    const struct prob *p = c->p;
    bool found = true;
    for (uint32_t r = p->rd_start[c->t]; r < p->rd_start[c->t + 1] && found; r = c->end) {
        c->end = p->rd_start[c->t + 1];
        if (c->w->model == MODEL_EC) /* each read by itself */
            c->end = match_read_end(p, r, c->end);
        found = choose_plain(c, r);
        unsee(c, 0);
    }
    for (uint32_t i = p->wr_start[c->t]; found && i < p->wr_start[c->t + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        c->session_rank[key] = c->w->rank[c->t] + 1;
        c->session_of[key] = p->session[c->t] + 1;
    }
    return found;
}

/* --- CC, PSI --------------------------------------------------------------------------------- */

static uint32_t *row(const struct choose *c, uint32_t txn)
{
    return c->w->clock + (size_t)c->w->rank[txn] * c->w->width;
}

static void join(const struct vis *w, uint32_t *own, const uint32_t *other)
{
    for (uint32_t i = 0; i < w->width; i++)
        own[i] = own[i] > other[i] ? own[i] : other[i];
}

/* The last visible writer of a key. */
static uint32_t last_visible(const struct choose *c, const uint32_t *clock, uint32_t key)
{
    const struct prob *p = c->p;
    const uint32_t *writers = c->writers + p->ver_start[key];
    for (uint32_t at = c->count[key]; at; at--) {
        uint32_t t = writers[at - 1];
        if (clock[p->session[t]] > match_pos(p, t))
            return c->w->rank[t] + 1;
    }
    return 0;
}

static bool all_stand(const struct choose *c, const uint32_t *clock, uint32_t end)
{
    for (uint32_t r = c->p->rd_start[c->t]; r < end; r++)
        if (last_visible(c, clock, c->p->rd_key[r]) != rank_of(c, c->w->src[r]))
            return false;
    return true;
}

/* How much more would be visible. */
static uint64_t growth(const struct choose *c, const uint32_t *clock, uint32_t version)
{
    uint32_t t = c->p->ver_txn[version];
    const uint32_t *other = t == PROB_INIT ? clock : row(c, t);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->w->width; i++)
        sum += other[i] > clock[i] ? other[i] - clock[i] : 0;
    return sum;
}

struct option {
    uint64_t growth;
    uint32_t version;
};

static int by_growth(const void *a, const void *b)
{
    const struct option *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? -1 : 1;
    return x->version < y->version ? -1 : x->version > y->version;
}

static bool is_banned(const struct choose *c, uint32_t r, uint32_t version)
{
    for (size_t i = c->banned.len; i--;)
        if (c->banned.data[i].read == r && c->banned.data[i].version == version)
            return true;
    return false;
}

/* Later attempts think a little otherwise. */
static uint64_t whim(const struct choose *c, uint32_t r, uint32_t version)
{
    uint64_t h = hash_u64((uint64_t)r << 32 | version) + c->attempt;
    return c->attempt ? hash_u64(h) % (c->attempt % 16 * 4 + 1) : 0;
}

/* The candidates of a read that the clock allows, those that make least visible first. */
static uint32_t list_options(const struct choose *c, uint32_t r, const uint32_t *clock,
                             struct option *out)
{
    const uint32_t *v;
    uint32_t n = candidates(c, r, &v), limit = c->w->rank[c->t] + 1, len = 0;
    uint32_t i = first_from(c, v, n, last_visible(c, clock, c->p->rd_key[r]));
    for (; i < n && rank_of(c, v[i]) < limit && len < OPTIONS; i++)
        if (!c->banned.len || !is_banned(c, r, v[i]))
            out[len++] = (struct option){growth(c, clock, v[i]) + whim(c, r, v[i]), v[i]};
    qsort(out, len, sizeof *out, by_growth);
    return len;
}

static bool choose_closed(struct choose *c, uint32_t r)
{
    const struct prob *p = c->p;
    struct option options[OPTIONS];
    if (r == p->rd_start[c->t + 1])
        return true;
    size_t depth = r - p->rd_start[c->t], width = c->w->width;
    uint32_t *clock = c->clocks.data + depth * width, *next = clock + width;
    uint32_t n = list_options(c, r, clock, options);
    for (uint32_t i = 0; i < n && c->budget; i++) {
        uint32_t v = options[i].version;
        c->budget--;
        c->w->src[r] = v;
        memcpy(next, clock, width * sizeof *next);
        if (p->ver_txn[v] != PROB_INIT)
            join(c->w, next, row(c, p->ver_txn[v]));
        if (all_stand(c, next, r + 1) && choose_closed(c, r + 1))
            return true;
    }
    if (c->stuck == HIST_NONE || r > c->stuck) {
        c->stuck = r;
        c->stuck_rank = last_visible(c, clock, p->rd_key[r]);
    }
    return false;
}

static bool closed_txn(struct choose *c)
{
    struct vis *w = c->w;
    const struct prob *p = c->p;
    uint32_t t = c->t, reads = p->rd_start[t + 1] - p->rd_start[t];
    vec_resize(&c->clocks, ((size_t)reads + 1) * w->width);
    uint32_t *clock = c->clocks.data;
    c->stuck = HIST_NONE;
    memset(clock, 0, w->width * sizeof *clock);
    if (w->sessions && t > p->chain[p->session[t]])
        join(w, clock, row(c, t - 1));
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]], n = c->count[key];
        if (n && w->model == MODEL_PSI)
            join(w, clock, row(c, c->writers[p->ver_start[key] + n - 1]));
    }
    if (!choose_closed(c, p->rd_start[t]))
        return false;
    memcpy(row(c, t), c->clocks.data + (size_t)reads * w->width, w->width * sizeof *clock);
    row(c, t)[p->session[t]] = match_pos(p, t) + 1;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        c->writers[p->ver_start[key] + c->count[key]++] = t;
    }
    return true;
}

/* --- going back ------------------------------------------------------------------------------ */

static bool row_sees(const struct choose *c, uint32_t t, uint32_t o)
{
    return t == o || row(c, t)[c->p->session[o]] > match_pos(c->p, o);
}

/* Of the reads [first, end) one whose source sees o, or HIST_NONE. */
static uint32_t read_that_sees(const struct choose *c, uint32_t first, uint32_t end, uint32_t o)
{
    for (uint32_t r = first; r < end; r++) {
        uint32_t writer = c->p->ver_txn[c->w->src[r]];
        if (writer != PROB_INIT && row_sees(c, writer, o))
            return r;
    }
    return HIST_NONE;
}

/* Why does t, by its reads before `end`, see o?  On the way back to o, the first read of another
 * transaction than the one at hand that could have seen something else, or HIST_NONE. */
static uint32_t find_culprit(const struct choose *c, uint32_t t, uint32_t end, uint32_t o)
{
    const struct prob *p = c->p;
    for (; t != o; end = p->rd_start[t + 1]) {
        if (c->w->sessions && t > p->chain[p->session[t]] && row_sees(c, t - 1, o)) {
            t--;
            continue;
        }
        uint32_t r = read_that_sees(c, p->rd_start[t], end, o);
        if (r == HIST_NONE || (t != c->t && p->rd_ver[r] & PROB_CHOICE))
            return r;
        t = p->ver_txn[c->w->src[r]];
    }
    return HIST_NONE;
}

/* The transaction at hand is stuck for what it sees; or because its choices were ruled out: then
 * those whom they led to are to blame. */
static struct ban find_ban(const struct choose *c)
{
    const struct prob *p = c->p;
    struct ban b = {HIST_NONE, HIST_NONE, HIST_NONE};
    if (c->stuck_rank) {
        b.what = c->w->order[c->stuck_rank - 1];
        b.read = find_culprit(c, c->t, c->stuck, b.what);
    }
    for (size_t i = c->banned.len; i-- && b.read == HIST_NONE;) {
        const struct ban *x = &c->banned.data[i];
        uint32_t writer = p->ver_txn[x->version];
        if (p->rd_txn[x->read] != c->t || writer == PROB_INIT)
            continue;
        b.what = x->what;
        b.read = find_culprit(c, writer, p->rd_start[writer + 1], b.what);
    }
    if (b.read != HIST_NONE)
        b.version = c->w->src[b.read];
    return b;
}

static void back_to(struct choose *c, uint32_t *i, uint32_t to)
{
    const struct prob *p = c->p;
    size_t kept = 0;
    for (size_t k = 0; k < c->banned.len; k++)
        if (c->w->rank[p->rd_txn[c->banned.data[k].read]] <= to)
            c->banned.data[kept++] = c->banned.data[k];
    c->banned.len = kept;
    while (*i > to) {
        uint32_t t = c->w->order[--*i];
        for (uint32_t j = p->wr_start[t]; j < p->wr_start[t + 1]; j++)
            c->count[p->ver_key[p->wr_ver[j]]]--;
    }
}

/* *i: the transaction at hand; then one further back, which has to choose otherwise. */
static bool go_back(struct choose *c, uint32_t *i)
{
    const struct prob *p = c->p;
    struct ban b = find_ban(c);
    if (b.read == HIST_NONE)
        return false;
    back_to(c, i, c->w->rank[p->rd_txn[b.read]]);
    vec_push(&c->banned, b);
    return true;
}

/* --- all together ---------------------------------------------------------------------------- */

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 1, sizeof(uint32_t));
}

/* RA looks at sessions one after the other, RC at transactions in any order. */
static bool choose_plainly(struct choose *c)
{
    const uint32_t *reads = c->p->rd_start;
    for (c->t = 0; c->t < c->p->n; c->t++) {
        c->budget = BUDGET;
        bool found = plain_txn(c);
        bool left = budget_spend(c->total, 1 + reads[c->t + 1] - reads[c->t] + BUDGET - c->budget);
        if (!found || !left || (!(c->t & 255) && limit_reached()))
            return false;
    }
    return true;
}

/* In steps: a transaction with so many reads, for which so many sources were tried. */
static uint64_t closed_cost(const struct choose *c, size_t reads, uint32_t tried)
{
    return 1 + (reads + tried) * (2 + c->w->width / 8);
}

/* Where nobody is to blame, the last few transactions are chosen for once more, with other
 * preferences; if that does not help, more of them. */
static bool choose_in_order(struct choose *c)
{
    const struct prob *p = c->p;
    uint32_t furthest = 0, tries = 0;
    size_t reads = p->rd_start[p->n], again = mem_mul(p->n + 4, reads);
    size_t work = p->n + reads + (again < WORK ? again : WORK);
    for (uint32_t i = 0; i < p->n;) {
        c->t = c->w->order[i];
        c->budget = BUDGET;
        size_t cost = 1 + p->rd_start[c->t + 1] - p->rd_start[c->t];
        if (work < cost || limit_reached())
            return false;
        work -= cost;
        bool found = closed_txn(c);
        if (!budget_spend(c->total, closed_cost(c, cost, BUDGET - c->budget)))
            return false;
        if (found) {
            i++;
            continue;
        }
        if (i > furthest) {
            furthest = i;
            tries = 0;
        }
        if (go_back(c, &i))
            continue;
        uint32_t few = 4u << (tries++ / 2 % 16);
        c->attempt++;
        c->banned.len = 0;
        back_to(c, &i, i > few ? i - few : 0);
    }
    return true;
}

bool vis_choose(struct vis *w, struct budget *b)
{
    struct prob *p = w->p;
    struct choose c = {.w = w, .p = p, .total = b};
    if (w->closed && w->width < p->sessions)
        return false;
    vis_given_order(w);
    vis_make_clocks(w);
    if (w->closed) {
        c.writers = array(p->versions);
        c.count = array(p->keys);
    } else {
        uint32_t **all[] = {&c.seen, &c.session_rank, &c.session_of, &c.read_of, &c.read_at};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            *all[i] = array(p->keys);
    }
    vis_sort_candidates(w);
    bool found = w->closed ? choose_in_order(&c) : choose_plainly(&c);
    void *all[] = {c.seen, c.session_rank, c.session_of, c.read_of, c.read_at, c.writers, c.count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    vec_free(&c.undo);
    vec_free(&c.clocks);
    vec_free(&c.banned);
    return found && vis_follows(w);
}
