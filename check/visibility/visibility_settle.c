/* The sources of one transaction's reads, given what is in place; see visibility_replay.c. */
#include <stdlib.h>

#include "check/visibility/visibility_replay.h"

#define OPTIONS 64 /* ways out that are tried for one read */
#define BUDGET 500 /* steps of the search for one transaction */
#define STEPS 32   /* places looked at before the chains are */

struct option {
    uint64_t growth;
    uint32_t version;
};

/* --- who could have been seen ---------------------------------------------------------------- */

/* Candidates stand in ascending order. */
bool replay_could_see(const struct replay *c, uint32_t read, uint32_t version)
{
    const struct prob *p = c->p;
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return p->rd_ver[read] == version;
    const struct match_choice *x = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    const uint32_t *v = p->cand.data + x->start;
    uint32_t lo = 0, hi = x->len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v[mid] < version)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->len && v[lo] == version;
}

/* --- what is visible ------------------------------------------------------------------------- */

static uint32_t *state_of(struct replay *c, size_t depth)
{
    if (c->states.len < (depth + 1) * c->width)
        vec_resize(&c->states, 2 * (depth + 1) * c->width);
    return c->states.data + depth * c->width;
}

static void join(uint32_t *own, const uint32_t *other, size_t width)
{
    for (size_t i = 0; i < width; i++)
        own[i] = own[i] > other[i] ? own[i] : other[i];
}

/* The place of the last visible version of a key: mostly that is among the last few; otherwise by
 * chains. */
static uint32_t last_in_clock(const struct replay *c, const uint32_t *clock, uint32_t key)
{
    const struct prob *p = c->p;
    uint32_t at = c->count[key], best = 0;
    uint32_t groups = c->w->groups.start[key + 1] - c->w->groups.start[key];
    for (uint32_t steps = STEPS + 8 * groups; at; at--) {
        uint32_t t = p->ver_txn[replay_version_at(c, key, at)];
        if (clock[p->session[t]] > match_pos(p, t))
            return at;
        if (!--steps)
            break;
    }
    for (uint32_t g = c->w->groups.start[key]; at && g < c->w->groups.start[key + 1]; g++) {
        uint32_t v = vis_latest_visible(c->w, key, g, c->t, clock);
        if (v != HIST_NONE && c->place[v] > best)
            best = c->place[v];
    }
    return best;
}

static uint32_t last_visible(const struct replay *c, const uint32_t *state, uint32_t read)
{
    if (!c->closed)
        return state[read - c->p->rd_start[c->t]];
    return last_in_clock(c, state, c->p->rd_key[read]);
}

static void see_version(const struct replay *c, uint32_t *state, uint32_t read, uint32_t version)
{
    uint32_t *at = &state[read - c->p->rd_start[c->t]];
    if (c->place[version] > *at)
        *at = c->place[version];
}

static uint32_t group_end(const struct replay *c, uint32_t first)
{
    uint32_t end = c->p->rd_start[c->t + 1];
    bool alone = c->model == MODEL_RC || c->model == MODEL_EC;
    return alone && first < end ? match_read_end(c->p, first, end) : end;
}

/* RC, RA: the writer becomes visible to reads from `first` on; EC: to the read that begins there.
 */
static void see_writer(const struct replay *c, uint32_t *state, uint32_t writer, uint32_t first)
{
    const struct prob *p = c->p;
    uint32_t end = c->model == MODEL_EC ? group_end(c, first) : p->rd_start[c->t + 1];
    uint32_t writes = p->wr_start[writer + 1] - p->wr_start[writer];
    for (uint32_t r = first; r < end && writes > end - first; r++) {
        uint32_t v = vis_version_of(p, p->rd_key[r], writer);
        if (v != HIST_NONE)
            see_version(c, state, r, v);
    }
    for (uint32_t i = p->wr_start[writer]; i < p->wr_start[writer + 1] && writes <= end - first;
         i++) {
        uint32_t v = p->wr_ver[i], key = p->ver_key[v];
        uint32_t r = c->key_of[key] == c->t + 1 ? c->key_read[key] : 0;
        for (; r > first; r = c->read_before[r - 1])
            if (r <= end)
                see_version(c, state, r - 1, v);
    }
}

static void index_reads(struct replay *c)
{
    const struct prob *p = c->p;
    for (uint32_t r = p->rd_start[c->t]; r < p->rd_start[c->t + 1]; r++)
        c->key_of[p->rd_key[r]] = 0; /* it may have been looked at before */
    for (uint32_t r = p->rd_start[c->t]; r < p->rd_start[c->t + 1]; r++) {
        uint32_t key = p->rd_key[r];
        c->read_before[r] = c->key_of[key] == c->t + 1 ? c->key_read[key] : 0;
        c->key_of[key] = c->t + 1;
        c->key_read[key] = r + 1;
    }
}

static void see(struct replay *c, uint32_t *state, uint32_t version, uint32_t first)
{
    uint32_t writer = c->p->ver_txn[version];
    c->steps += c->closed ? 1 + c->width / 8 : 1 + c->p->rd_start[c->t + 1] - first;
    if (c->closed)
        join(state, replay_row(c, writer), c->width);
    else
        see_writer(c, state, writer, first);
}

/* How much more would be visible. */
static uint64_t growth(const struct replay *c, const uint32_t *state, uint32_t version)
{
    uint64_t sum = 0;
    if (!c->closed)
        return c->place[version];
    const uint32_t *other = replay_row(c, c->p->ver_txn[version]);
    for (size_t i = 0; i < c->width; i++)
        sum += other[i] > state[i] ? other[i] - state[i] : 0;
    return sum;
}

/* The version of the key that the session wrote last, or HIST_NONE. */
uint32_t vis_session_wrote(const struct prob *p, uint32_t key, uint32_t t)
{
    uint32_t initial = p->ver_start[key];
    uint32_t v = match_first_from(p, initial + 1, p->ver_start[key + 1], t) - 1;
    return v > initial && p->session[p->ver_txn[v]] == p->session[t] ? v : HIST_NONE;
}

/* What is visible to the transaction at hand in any case. */
static void start_state(struct replay *c)
{
    const struct vis *w = c->w;
    const struct prob *p = c->p;
    uint32_t t = c->t;
    if (!c->closed)
        index_reads(c);
    c->width = c->closed ? w->width : p->rd_start[t + 1] - p->rd_start[t];
    uint32_t *state = state_of(c, 0);
    if (c->width)
        memset(state, 0, c->width * sizeof *state);
    if (c->closed && t > p->chain[p->session[t]])
        join(state, replay_row(c, t - 1), c->width);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && c->model == MODEL_PSI; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        if (c->count[key])
            join(state, replay_row(c, p->ver_txn[replay_version_at(c, key, c->count[key])]),
                 c->width);
    }
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1] && c->model == MODEL_RA; r++) {
        uint32_t v = w->sessions ? vis_session_wrote(p, p->rd_key[r], t) : HIST_NONE;
        state[r - p->rd_start[t]] = v == HIST_NONE ? 0 : c->place[v];
    }
}

/* --- the search for one transaction ---------------------------------------------------------- */

static int by_growth(const void *a, const void *b)
{
    const struct option *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? -1 : 1;
    return x->version < y->version ? -1 : x->version > y->version;
}

/* Later versions than the one at `place` that the read could see, at most `most`. */
static uint32_t list_options(const struct replay *c, uint32_t read, uint32_t place,
                             struct option *out, uint32_t most)
{
    const struct prob *p = c->p;
    uint32_t v = p->rd_ver[read], key = p->rd_key[read], len = 0;
    const uint32_t *cand = &p->rd_ver[read];
    uint32_t n = 1;
    if (v & PROB_CHOICE) {
        cand = p->cand.data + p->choices.data[v & ~PROB_CHOICE].start;
        n = p->choices.data[v & ~PROB_CHOICE].len;
    }
    if (n <= most) {
        for (uint32_t i = 0; i < n; i++)
            if (c->place[cand[i]] > place)
                out[len++].version = cand[i];
        return len;
    }
    for (uint32_t i = place + 1; i <= c->count[key] && len < most; i++) {
        uint32_t x = replay_version_at(c, key, i);
        if (replay_could_see(c, read, x))
            out[len++].version = x;
    }
    return len;
}

/* The read in [first, end) that sees the wrong version and has the fewest ways out, into *read;
 * HIST_NONE: none.  Where there is only one way, it is taken, and *taken says so.  False: one has
 * no way out. */
static bool find_wrong(struct replay *c, uint32_t *state, uint32_t first, uint32_t end,
                       uint32_t *read, bool *taken)
{
    struct option few[4];
    uint32_t fewest = UINT32_MAX;
    *read = HIST_NONE;
    *taken = false;
    c->steps += 4 * (uint64_t)(end - first);
    for (uint32_t r = first; r < end; r++) {
        uint32_t place = last_visible(c, state, r);
        uint32_t v = replay_version_at(c, c->p->rd_key[r], place);
        c->w->src[r] = v;
        if (replay_could_see(c, r, v))
            continue;
        uint32_t n = list_options(c, r, place, few, 4);
        if (!n) {
            struct stuck *x = &c->stuck[c->p->session[c->t]];
            if (x->read == HIST_NONE)
                *x = (struct stuck){r, v, HIST_NONE};
            return false;
        }
        if (n == 1) {
            see(c, state, few[0].version, first);
            *taken = true;
        } else if (n < fewest) {
            fewest = n;
            *read = r;
        }
    }
    return true;
}

static bool settle(struct replay *c, size_t depth, uint32_t first)
{
    struct option options[OPTIONS];
    uint32_t end = group_end(c, first), read;
    for (bool taken = true; taken;)
        if (!find_wrong(c, state_of(c, depth), first, end, &read, &taken))
            return false;
    if (read == HIST_NONE)
        return end == c->p->rd_start[c->t + 1] || settle(c, depth, end);
    const uint32_t *state = state_of(c, depth);
    uint32_t n = list_options(c, read, last_visible(c, state, read), options, OPTIONS);
    for (uint32_t i = 0; i < n; i++)
        options[i].growth = growth(c, state, options[i].version);
    qsort(options, n, sizeof *options, by_growth);
    for (uint32_t i = 0; i < n && c->budget; i++) {
        c->budget--;
        uint32_t *next = state_of(c, depth + 1);
        memcpy(next, state_of(c, depth), c->width * sizeof *next);
        see(c, next, options[i].version, first);
        if (settle(c, depth + 1, first)) {
            if (c->closed)
                memcpy(state_of(c, depth), state_of(c, depth + 1), c->width * sizeof *next);
            return true;
        }
    }
    return false;
}

bool replay_settle(struct replay *c)
{
    c->budget = BUDGET;
    start_state(c);
    return settle(c, 0, c->p->rd_start[c->t]);
}
