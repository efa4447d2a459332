/* Re-checking violations: is every cycle one that the level forbids, and what do its edges rest on
 * besides the history (history_facts.h)?  That all of it cannot be avoided is for certify_cases.c;
 * see certify.h and struct check_case. */
#include "certify/violation/certify_claims.h"

const char *judge_wrong(struct judge *j, const char *why)
{
    return arena_printf(j->messages, "the explanation does not hold: %s", why);
}

/* --- what edges rest on ----------------------------------------------------------------------- */

static void rest_on(struct judge *j, enum check_fact_kind kind, uint32_t a, uint32_t b)
{
    vec_push(&j->rests_on, ((struct check_fact){kind, a, b}));
}

/* Is `write` (HIST_NONE: the initial version) what the read saw?  It may be one of several. */
static bool saw(struct judge *j, uint32_t read, uint32_t write)
{
    if (!hist_facts_external(&j->f, read))
        return false;
    hist_facts_sources(&j->f, read, &j->sources);
    bool found = false;
    for (size_t i = 0; i < j->sources.len; i++)
        found |= j->sources.data[i] == write;
    if (found && j->sources.len > 1)
        rest_on(j, CHECK_FACT_SAW, read, write);
    return found;
}

static bool counts(struct judge *j, uint32_t txn)
{
    if (hist_facts_counts(&j->f, txn))
        return true;
    rest_on(j, CHECK_FACT_HAPPENED, txn, 0);
    return hist_facts_possible(&j->f, txn);
}

/* Session order is part of the arbitration at every level. */
static bool earlier_in_session(const struct judge *j, uint32_t a, uint32_t b)
{
    const struct hist_txn *s = &j->f.h->txns.data[j->f.op_txn[a]];
    const struct hist_txn *t = &j->f.h->txns.data[j->f.op_txn[b]];
    return j->o->level.session_order && s->session == t->session && s->index < t->index;
}

bool judge_recorded(struct judge *j, uint32_t a, uint32_t b)
{
    if (earlier_in_session(j, a, b))
        return true;
    bool fresh;
    uint64_t *known = map_put(&j->recorded, judge_pair(a, b), 0, &fresh);
    if (fresh) {
        bool older = hist_facts_older(&j->f, a, b);
        *known = older ? 2 : 1;
    }
    return *known == 2;
}

/* No version is older than itself, whatever a lemma would have it rule out. */
static bool older(struct judge *j, uint32_t a, uint32_t b)
{
    if (a == b)
        return false;
    if (a != HIST_NONE && !judge_recorded(j, a, b))
        rest_on(j, CHECK_FACT_OLDER, a, b);
    return true;
}

bool judge_is_version(struct judge *j, uint32_t op, uint32_t txn, uint32_t key)
{
    return op < j->f.h->ops.len && j->f.op_txn[op] == txn && j->f.h->ops.data[op].key == key &&
           hist_facts_final(&j->f, op);
}

/* --- edges ------------------------------------------------------------------------------------ */

/* The first was over before the other could have happened, whatever the points of the intervals. */
static bool time_before(const struct judge *j, const struct check_edge *e)
{
    enum level_time kind = j->o->level.real_time;
    if (kind != LEVEL_TIME_COMMITS && kind != LEVEL_TIME_STRICT)
        return false;
    if (e->via == CHECK_COMMIT_BEGIN ? kind != LEVEL_TIME_STRICT : j->o->level.model == MODEL_SER)
        return false;
    struct hist_times first = hist_txn_time(j->f.h, e->from), then = hist_txn_time(j->f.h, e->to);
    int64_t from = e->via == CHECK_BEGIN_COMMIT ? first.begin_answered : first.commit_answered;
    int64_t to = e->via == CHECK_COMMIT_BEGIN ? then.begin_asked : then.commit_asked;
    int64_t limit;
    return from != HIST_NO_TIME && to != HIST_NO_TIME &&
           !__builtin_add_overflow(from, j->o->clock_drift, &limit) && limit < to;
}

static bool holds(struct judge *j, const struct check_edge *e)
{
    const struct history *h = j->f.h;
    uint32_t ops = (uint32_t)h->ops.len;
    switch (e->kind) {
    case CHECK_SO:
        return j->o->level.session_order &&
               h->txns.data[e->from].session == h->txns.data[e->to].session &&
               h->txns.data[e->from].index < h->txns.data[e->to].index;
    case CHECK_RT:
        return time_before(j, e);
    case CHECK_WR:
        return e->to_op < ops && j->f.op_txn[e->to_op] == e->to &&
               h->ops.data[e->to_op].key == e->key && e->from_op < ops &&
               j->f.op_txn[e->from_op] == e->from && saw(j, e->to_op, e->from_op);
    case CHECK_WW:
        return judge_is_version(j, e->from_op, e->from, e->key) &&
               judge_is_version(j, e->to_op, e->to, e->key) && older(j, e->from_op, e->to_op);
    case CHECK_RW:
        return e->from_op < ops && j->f.op_txn[e->from_op] == e->from &&
               h->ops.data[e->from_op].key == e->key &&
               judge_is_version(j, e->to_op, e->to, e->key) && saw(j, e->from_op, e->via) &&
               older(j, e->via, e->to_op);
    }
    return false;
}

/* Where edges start and end: at the begin (0) or the commit (1) of a transaction. */
static int tail_of(const struct check_edge *e)
{
    return e->kind == CHECK_RT ? e->via != CHECK_BEGIN_COMMIT : e->kind != CHECK_RW;
}

static int head_of(const struct judge *j, const struct check_edge *e)
{
    if (e->kind == CHECK_RT)
        return e->via != CHECK_COMMIT_BEGIN;
    if (e->kind == CHECK_WW)
        return j->o->level.model != MODEL_SI;
    return e->kind == CHECK_RW;
}

/* Do two edges of a cycle of events fit together: nothing arrives at a commit, or (RCS) a later
 * statement, and leaves from an earlier begin of the same transaction? */
static bool fits(const struct judge *j, const struct check_edge *e, const struct check_edge *next)
{
    if (tail_of(next) == 1)
        return true;
    if (head_of(j, e) == 1)
        return false;
    return j->o->level.model != MODEL_RCS || e->kind != CHECK_WR || e->to_op <= next->from_op ||
           hist_facts_same_statement(&j->f, next->from_op, e->to_op);
}

/* EC, RC, RA, CC, PSI: arbitration has no cycle; and what a read did not see was not visible to it.
 */
static bool is_contradiction(const struct judge *j, const struct check_edge *e, uint32_t n)
{
    uint32_t rw = 0, at = 0, ww = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].kind == CHECK_RT)
            return false;
        rw += e[i].kind == CHECK_RW;
        ww += e[i].kind == CHECK_WW;
        if (e[i].kind == CHECK_RW)
            at = i;
    }
    const struct check_edge *back = &e[(at + 1) % n];
    switch (j->o->level.model) {
    case MODEL_PSI:
        return rw <= 1;
    case MODEL_CC:
        return !rw || (rw == 1 && !ww);
    case MODEL_RA:
        return !rw || (rw == 1 && !ww && n == 2);
    case MODEL_RC:
        return !rw || (rw == 1 && n == 2 && back->kind == CHECK_WR &&
                       (back->to_op <= e[at].from_op ||
                        hist_facts_same_read(&j->f, e[at].from_op, back->to_op)));
    case MODEL_EC:
        return !rw || (rw == 1 && n == 2 && back->kind == CHECK_WR &&
                       (back->to_op < e[at].from_op
                            ? hist_facts_same_read(&j->f, back->to_op, e[at].from_op)
                            : hist_facts_same_read(&j->f, e[at].from_op, back->to_op)));
    default:
        return false;
    }
}

/* Anti-dependencies on one row only, where of two writers of a row one must see the other: the last
 * of them in the order of versions did not see the write of the next one on the cycle. */
static bool is_lost_update(const struct judge *j, const struct check_edge *e, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (e[i].kind != CHECK_RW || e[i].key != e[0].key)
            return false;
    return model_has(model_get(j->o->level.model), AXIOM_NOCONFLICT);
}

static bool has_events(enum model_id m)
{
    return m == MODEL_SI || m == MODEL_PC || m == MODEL_RCS;
}

const char *judge_cycle(struct judge *j, uint32_t index)
{
    if (index >= j->r->cycles.len)
        return judge_wrong(j, "a cycle is missing");
    const struct check_cycle *c = &j->r->cycles.data[index];
    const struct check_edge *e = j->r->edges.data + c->start;
    if (c->len < 1)
        return judge_wrong(j, "a cycle is empty");
    for (uint32_t i = 0; i < c->len; i++) {
        const struct check_edge *next = &e[(i + 1) % c->len];
        if (e[i].from >= j->f.h->txns.len || e[i].to >= j->f.h->txns.len || e[i].from == e[i].to ||
            e[i].to != next->from)
            return judge_wrong(j, "the edges are no cycle");
        if (!counts(j, e[i].from))
            return judge_wrong(j, "a transaction does not count");
        if (!holds(j, &e[i]))
            return judge_wrong(j, "an edge does not follow");
    }
    enum model_id m = j->o->level.model;
    if (is_lost_update(j, e, c->len))
        return NULL;
    for (uint32_t i = 0; i < c->len && has_events(m); i++)
        if (!fits(j, &e[i], &e[(i + 1) % c->len]))
            return judge_wrong(j, "a commit is followed by its own begin");
    if (m != MODEL_SER && !has_events(m) && !is_contradiction(j, e, c->len))
        return judge_wrong(j, "the level allows such a cycle");
    return NULL;
}

/* --- all together ----------------------------------------------------------------------------- */

static const char *judge(const struct history *h, const struct certify_question *o,
                         const struct check_result *r, struct proof_reader proofs,
                         struct arena *messages)
{
    struct certify_question normal = *o;
    normal.level = level_normal(o->level);
    struct judge j = {.o = &normal, .r = r, .proofs = proofs, .messages = messages};
    hist_facts_init(&j.f, h, model_get(o->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    aggregates_init(&j.aggregates, h);
    for (uint32_t t = 0; t < h->txns.len; t++)
        j.unknown |= h->txns.data[t].status == HIST_UNKNOWN;
    bool single = r->cycle == HIST_NONE && !r->cases.len && r->anomaly != ANOMALY_RESULT_MISMATCH;
    const char *error =
        single ? certify_anomaly(&j.f, &normal, r, &j.proofs, messages) : judge_cases(&j);
    if (!error && j.proofs.next != r->proofs.len)
        error = judge_wrong(&j, "a proof belongs to nothing");
    aggregates_free(&j.aggregates);
    choices_free(&j);
    map_free(&j.recorded);
    mem_free(j.joined);
    vec_free(&j.path);
    vec_free(&j.rests_on);
    vec_free(&j.sources);
    vec_free(&j.left);
    hist_facts_free(&j.f);
    return error;
}

const char *certify_violation(const struct history *h, const struct certify_question *o,
                              const struct check_result *r, struct arena *messages)
{
    return judge(h, o, r, (struct proof_reader){.r = r}, messages);
}

const char *certify_prove(const struct history *h, const struct certify_question *o,
                          struct check_result *r, const struct certify_prover *prover,
                          struct arena *messages)
{
    vec_clear(&r->literals);
    vec_clear(&r->hints);
    vec_clear(&r->clauses);
    vec_clear(&r->proofs);
    return judge(h, o, r, (struct proof_reader){.r = r, .prover = prover}, messages);
}
