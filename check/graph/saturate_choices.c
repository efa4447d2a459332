/* Choices during saturation: candidates that a read cannot have seen are dropped, because of the
 * known orders or the results of aggregates; see saturate.h. */
#include "check/problem/aggregate.h"
#include "check/graph/saturate_internal.h"

/* Can the read have seen this version?  Not if the writer comes later, and not if some writer in
 * the reader's past has surely overwritten it. */
static bool possible(const struct pg *g, uint32_t read, uint32_t v)
{
    const struct prob *p = g->p;
    uint32_t reader = p->rd_txn[read], key = p->rd_key[read], w = p->ver_txn[v];
    uint32_t node = pg_begin(g, reader);
    if (w != PROB_INIT && pg_reaches(g, node, pg_commit(g, w)))
        return false;
    for (uint32_t i = g->groups.start[key]; i < g->groups.start[key + 1]; i++) {
        uint32_t count = saturate_commits(g, clocks_entry(&g->clocks, node, g->groups.chain[i]));
        uint32_t o = count ? saturate_latest(g, key, i, count, reader) : HIST_NONE;
        if (o != HIST_NONE && o != v && saturate_older(g, v, o))
            return false;
    }
    return true;
}

static void settle(struct saturation *s, uint32_t read, uint32_t v)
{
    struct pg *g = s->g;
    struct prob *p = g->p;
    uint32_t w = p->ver_txn[v], key = p->rd_key[read], node = pg_begin(g, p->rd_txn[read]);
    p->rd_ver[read] = v;
    g->late_next[read] = g->late_head[v];
    g->late_head[v] = read;
    if (w != PROB_INIT) {
        /* Stored even if it is implied: it says that this read saw that write. */
        pg_add_edge(g, (struct edge){pg_commit(g, w), node, read, v, CHECK_WR});
        s->stale |= g->rank[pg_commit(g, w)] > g->rank[node];
        saturate_flow(s, pg_commit(g, w), node);
    }
    saturate_touch(s, node);
    for (uint32_t i = p->ver_start[key] + 1; i < p->ver_start[key + 1]; i++)
        saturate_touch(s, pg_commit(g, p->ver_txn[i]));
}

static void note_drop(struct saturation *s, uint32_t choice, uint32_t v, uint32_t aggregate)
{
    struct prob *p = s->g->p;
    if (p->aggregates.len)
        vec_push(&p->drops, ((struct match_drop){choice, v, aggregate, (uint32_t)s->g->edges.len}));
}

/* The candidates of a choice that stay are its first ones. */
static void drop_candidates(struct saturation *s, uint32_t c, uint32_t aggregate,
                            aggregate_filter *stays, void *arg)
{
    struct prob *p = s->g->p;
    struct match_choice *ch = &p->choices.data[c];
    uint32_t left = 0, *cand = p->cand.data + ch->start;
    for (uint32_t i = 0; i < ch->len; i++) {
        uint32_t v = cand[i];
        if (!stays(arg, ch->read, v)) {
            note_drop(s, c, v, aggregate);
            continue;
        }
        cand[i] = cand[left];
        cand[left++] = v;
    }
    ch->len = left;
}

static bool may_be_seen(void *arg, uint32_t read, uint32_t v)
{
    return possible(arg, read, v);
}

static void settle_last(struct saturation *s, struct match_choice *ch)
{
    const struct prob *p = s->g->p;
    bool maybe = p->maybe && p->maybe[p->rd_txn[ch->read]];
    uint32_t v = p->cand.data[ch->start], w = ch->len == 1 ? p->ver_txn[v] : PROB_INIT;
    if (ch->len == 1 && !maybe && (w == PROB_INIT || !p->maybe || !p->maybe[w])) {
        ch->settled = (uint32_t)s->g->edges.len;
        settle(s, ch->read, v);
    }
}

bool saturate_choices(struct saturation *s, uint32_t *witness)
{
    struct prob *p = s->g->p;
    for (uint32_t c = 0; c < p->choices.len; c++) {
        struct match_choice *ch = &p->choices.data[c];
        if (!(p->rd_ver[ch->read] & PROB_CHOICE))
            continue;
        drop_candidates(s, c, HIST_NONE, may_be_seen, s->g);
        if (ch->len == 0 && !(p->maybe && p->maybe[p->rd_txn[ch->read]])) {
            *witness = c;
            return false;
        }
        settle_last(s, ch);
    }
    return true;
}

/* --- aggregates ------------------------------------------------------------------------------- */

/* Of one row: which versions are on a path of the diagram. */
struct aggregate_stays {
    const struct prob *p;
    const struct aggregate_row *row;
    const struct diagram *d;
    uint32_t index;
    bool besides;
};

static bool on_path(void *arg, uint32_t read, uint32_t v)
{
    const struct aggregate_stays *j = arg;
    (void)read;
    return aggregate_allows(j->p, j->row, j->d, j->index, v, j->besides);
}

static uint32_t candidates_of(const struct prob *p, uint32_t read)
{
    uint32_t v = read == HIST_NONE ? 0 : p->rd_ver[read];
    return v & PROB_CHOICE ? p->choices.data[v & ~PROB_CHOICE].len : 1;
}

/* How many candidates the rows have in all: it has changed if there is something to do. */
static uint64_t candidates_left(const struct prob *p, const struct aggregate *j)
{
    uint64_t n = 0;
    for (uint32_t i = j->start; i < j->start + j->rows; i++)
        n += (uint64_t)candidates_of(p, p->aggregate_rows.data[i].read) +
             candidates_of(p, p->aggregate_rows.data[i].turned);
    return n;
}

static enum diagram_answer shrink_joint(struct saturation *s, uint32_t index)
{
    struct prob *p = s->g->p;
    const struct aggregate *j = &p->aggregates.data[index];
    struct diagram d;
    enum diagram_answer a = aggregate_diagram(p, j, NULL, NULL, &d);
    for (uint32_t i = 0; i < j->rows && a == DIAGRAM_FINE; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[j->start + i];
        struct aggregate_stays stays = {p, row, &d, i, aggregate_besides(p, row, NULL, NULL)};
        uint32_t v = p->rd_ver[row->read], c = v & ~PROB_CHOICE;
        if (!(v & PROB_CHOICE))
            continue;
        drop_candidates(s, c, index, on_path, &stays);
        settle_last(s, &p->choices.data[c]);
    }
    diagram_free(&d);
    return a;
}

bool saturate_aggregates(struct saturation *s, uint32_t *witness)
{
    struct prob *p = s->g->p;
    for (uint32_t i = 0; i < p->aggregates.len && !s->cycle; i++) {
        const struct aggregate *j = &p->aggregates.data[i];
        uint64_t left = candidates_left(p, j);
        if ((p->maybe && p->maybe[aggregate_txn(p, j)]) || left == s->aggregate_left[i] ||
            left > s->aggregate_most[i])
            continue;
        enum diagram_answer a = shrink_joint(s, i);
        if (a == DIAGRAM_NONE) {
            *witness = i;
            return false;
        }
        s->aggregate_left[i] = candidates_left(p, j);
        if (a == DIAGRAM_TOO_MANY)
            s->aggregate_most[i] = left / 2;
    }
    return true;
}
