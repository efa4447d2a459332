/* Re-checking violations: every edge of every cycle must follow from the history (facts.h) and from
 * the cases refuted before or supposed around it; see certify.h and struct check_case. */
#include <assert.h>

#include "base/strbuf.h"
#include "certify/certify.h"
#include "certify/certify_internal.h"
#include "certify/certify_judge.h"

static void claim(struct judge *j, enum claim kind, uint32_t a, uint32_t b)
{
    ++*map_put(&j->claims[kind], judge_pair(a, b), 0, NULL);
    vec_push(&j->trail, ((struct claim_entry){kind, a, b}));
}

bool judge_claimed(const struct judge *j, enum claim kind, uint32_t a, uint32_t b)
{
    const uint64_t *n = map_get(&j->claims[kind], judge_pair(a, b));
    return n && *n;
}

static void unclaim(struct judge *j, size_t to)
{
    while (j->trail.len > to) {
        struct claim_entry e = vec_pop(&j->trail);
        --*map_get(&j->claims[e.kind], judge_pair(e.a, e.b));
    }
}

const char *judge_wrong(struct judge *j, const char *why)
{
    return arena_printf(j->messages, "the explanation does not hold: %s", why);
}

/* --- facts and claims together ---------------------------------------------------------------- */

static void use(struct judge *j, enum claim kind, uint32_t a, uint32_t b)
{
    if (j->lemma)
        vec_push(&j->used, ((struct claim_entry){kind, a, b}));
}

/* Is `write` (HIST_NONE: the initial version) what the read saw? */
static bool saw(struct judge *j, uint32_t read, uint32_t write)
{
    if (!hist_facts_external(&j->f, read))
        return false;
    if (judge_claimed(j, CLAIM_SOURCE, read, write))
        return true;
    hist_facts_sources(&j->f, read, &j->sources);
    bool found = false;
    size_t left = 0;
    for (size_t i = 0; i < j->sources.len; i++) {
        uint32_t s = j->sources.data[i];
        bool open = !judge_claimed(j, CLAIM_NOT_SOURCE, read, s);
        left += open;
        found |= open && s == write;
    }
    if (found && left > 1)
        use(j, CLAIM_SOURCE, read, write);
    return found && (left == 1 || j->lemma);
}

static bool counts(struct judge *j, uint32_t txn);

/* Somebody is supposed, or left with no choice, to have read from it. */
static bool was_read(struct judge *j, uint32_t txn)
{
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    for (uint32_t w = t->first_op; w < t->first_op + t->op_count; w++) {
        uint32_t key = j->f.h->ops.data[w].key;
        if (!hist_facts_final(&j->f, w))
            continue;
        for (uint32_t i = j->f.key_start[key]; i < j->f.key_start[key + 1]; i++) {
            uint32_t r = j->f.key_ops[i], reader = j->f.op_txn[r];
            if (reader != txn && hist_facts_external(&j->f, r) && saw(j, r, w) && counts(j, reader))
                return true;
        }
    }
    return false;
}

/* Two of unknown outcome that read from each other do not make each other count. */
static bool counts(struct judge *j, uint32_t txn)
{
    if (hist_facts_counts(&j->f, txn) || judge_claimed(j, CLAIM_COUNTS, txn, 0))
        return true;
    if (!hist_facts_possible(&j->f, txn))
        return false;
    use(j, CLAIM_COUNTS, txn, 0);
    if (j->lemma)
        return true;
    for (size_t i = 0; i < j->asking.len; i++)
        if (j->asking.data[i] == txn)
            return false;
    vec_push(&j->asking, txn);
    bool read = was_read(j, txn);
    j->asking.len--;
    return read;
}

/* The same, or because without it there is no choice left. */
static bool must_count(struct judge *j, uint32_t txn)
{
    return counts(j, txn) ||
           (!j->lemma && hist_facts_possible(&j->f, txn) && judge_impossible(j, txn));
}

/* Session order is part of the arbitration at every level. */
static bool earlier_in_session(const struct judge *j, uint32_t a, uint32_t b)
{
    const struct hist_txn *s = &j->f.h->txns.data[j->f.op_txn[a]];
    const struct hist_txn *t = &j->f.h->txns.data[j->f.op_txn[b]];
    return j->o->level.session_order && s->session == t->session && s->index < t->index;
}

bool judge_older(struct judge *j, uint32_t a, uint32_t b)
{
    return judge_claimed(j, CLAIM_ORDER, a, b) || earlier_in_session(j, a, b) ||
           hist_facts_older(&j->f, a, b);
}

/* No version is older than itself, whatever a lemma would have it rule out. */
static bool older(struct judge *j, uint32_t a, uint32_t b)
{
    if (a == b)
        return false;
    if (a == HIST_NONE || judge_older(j, a, b))
        return true;
    use(j, CLAIM_ORDER, a, b);
    return j->lemma;
}

static bool is_version(struct judge *j, uint32_t op, uint32_t txn, uint32_t key)
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
        return is_version(j, e->from_op, e->from, e->key) &&
               is_version(j, e->to_op, e->to, e->key) && older(j, e->from_op, e->to_op);
    case CHECK_RW:
        return e->from_op < ops && j->f.op_txn[e->from_op] == e->from &&
               h->ops.data[e->from_op].key == e->key && is_version(j, e->to_op, e->to, e->key) &&
               saw(j, e->from_op, e->via) && older(j, e->via, e->to_op);
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

/* RC, RA, CC, PSI: arbitration has no cycle; and what a read did not see was not visible to it. */
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
        if (!must_count(j, e[i].from))
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

/* --- cases ------------------------------------------------------------------------------------ */

/* How many sources of a read are not refuted; *only: one of them. */
static size_t sources_left(struct judge *j, uint32_t read, uint32_t *only)
{
    size_t left = 0;
    hist_facts_sources(&j->f, read, &j->sources);
    for (size_t i = 0; i < j->sources.len; i++)
        if (!judge_claimed(j, CLAIM_NOT_SOURCE, read, j->sources.data[i])) {
            left++;
            *only = j->sources.data[i];
        }
    return left;
}

/* The sources of a read that are not refuted. */
static void find_left(struct judge *j, uint32_t read, hist_facts_ops *left)
{
    vec_clear(left);
    hist_facts_sources(&j->f, read, &j->sources);
    for (size_t s = 0; s < j->sources.len; s++)
        if (!judge_claimed(j, CLAIM_NOT_SOURCE, read, j->sources.data[s]))
            vec_push(left, j->sources.data[s]);
    for (size_t s = 0; s < left->len; s++)
        if (judge_claimed(j, CLAIM_SOURCE, read, left->data[s])) {
            left->data[0] = left->data[s];
            left->len = 1;
        }
}

/* Has the row turned, for all that is known?  (turned: the operation that says so, or HIST_NONE) */
static bool may_have_turned(struct judge *j, uint32_t turned, hist_facts_ops *left)
{
    if (turned == HIST_NONE)
        return false;
    find_left(j, hist_facts_row(&j->f, turned), left);
    for (size_t s = 0; s < left->len; s++)
        if (left->data[s] != HIST_NONE)
            return true;
    return false;
}

/* All ways to get the result of an aggregate from the sources that are left. */
void judge_find_ways(struct judge *j, const struct hist_predicate *q, struct aggregate_ways *w)
{
    hist_facts_ops left = {0};
    aggregate_ways_start(&j->aggregates, q, w);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        uint32_t key = j->f.h->ops.data[i].key, turned = aggregate_turned(&j->aggregates, q, i);
        find_left(j, hist_facts_row(&j->f, i), &left);
        aggregate_ways_row(&j->aggregates, w, key, &left);
        if (aggregate_is_free(&j->aggregates, q, i) || may_have_turned(j, turned, &left))
            aggregate_ways_besides(&j->aggregates, w, key);
        i = turned == HIST_NONE ? i : turned;
    }
    aggregate_ways_close(w);
    vec_free(&left);
}

/* Some aggregate of a transaction that counts cannot be had from the sources that are left. */
static bool no_result_left(struct judge *j, uint32_t txn)
{
    const struct history *h = j->f.h;
    bool none = false;
    for (uint32_t q = hist_first_predicate(h, txn);
         q < h->predicates.len && h->predicates.data[q].txn == txn && !none; q++) {
        struct aggregate_ways w;
        if (!aggregate_counts(&h->predicates.data[q]))
            continue;
        judge_find_ways(j, &h->predicates.data[q], &w);
        none = !aggregate_ways_any(&w);
        aggregate_ways_free(&w);
    }
    return none && counts(j, txn);
}

/* A transaction that counts if its write was seen, but cannot, for a read of its own. */
static bool cannot_count(struct judge *j, uint32_t write)
{
    if (write == HIST_NONE)
        return false;
    const struct hist_txn *t = &j->f.h->txns.data[j->f.op_txn[write]];
    uint32_t unused;
    for (uint32_t r = t->first_op; r < t->first_op + t->op_count; r++)
        if (hist_facts_external(&j->f, r) && !sources_left(j, r, &unused))
            return true;
    return false;
}

/* Some read of a transaction that counts has no source left, or the outcomes leave no choice. */
static bool no_source_left(struct judge *j)
{
    for (size_t i = 0; i < j->trail.len; i++) {
        struct claim_entry e = j->trail.data[i];
        if (e.kind != CLAIM_NOT_SOURCE && e.kind != CLAIM_SOURCE)
            continue;
        uint32_t only = e.b;
        size_t left = e.kind == CLAIM_SOURCE ? 1 : sources_left(j, e.a, &only);
        if (left <= 1 && counts(j, j->f.op_txn[e.a]) && (!left || cannot_count(j, only)))
            return true;
    }
    uint32_t last = HIST_NONE;
    for (size_t i = j->trail.len; i-- > 0 && j->aggregates.any;) {
        struct claim_entry e = j->trail.data[i];
        uint32_t txn = j->f.op_txn[e.a];
        if ((e.kind != CLAIM_NOT_SOURCE && e.kind != CLAIM_SOURCE) || txn == last)
            continue;
        last = txn;
        if (no_result_left(j, txn))
            return true;
    }
    return judge_impossible(j, HIST_NONE);
}

static const char *check_hypothesis(struct judge *j, const struct check_case *c)
{
    const struct history *h = j->f.h;
    if (c->first >= h->ops.len)
        return judge_wrong(j, "a case is about nothing");
    uint32_t txn = j->f.op_txn[c->first], key = h->ops.data[c->first].key;
    if (c->kind == CHECK_SOURCE) {
        hist_facts_sources(&j->f, c->first, &j->sources);
        for (size_t i = 0; i < j->sources.len; i++)
            if (j->sources.data[i] == c->second)
                return NULL;
        return judge_wrong(j, "a case supposes a source that cannot be");
    }
    if (c->second >= h->ops.len || !is_version(j, c->first, txn, key) ||
        !is_version(j, c->second, j->f.op_txn[c->second], key) || txn == j->f.op_txn[c->second] ||
        !must_count(j, txn) || !must_count(j, j->f.op_txn[c->second]))
        return judge_wrong(j, "a case orders what are no two versions");
    return NULL;
}

/* All cases inside of `parent`, in order. */
static const char *check_cases(struct judge *j, uint32_t parent)
{
    while (j->next < j->r->cases.len && j->r->cases.data[j->next].parent == parent) {
        uint32_t index = j->next++;
        const struct check_case *c = &j->r->cases.data[index];
        const char *error = check_hypothesis(j, c);
        if (error)
            return error;
        size_t mark = j->trail.len;
        claim(j, c->kind == CHECK_ORDER ? CLAIM_ORDER : CLAIM_SOURCE, c->first, c->second);
        if (c->kind == CHECK_SOURCE) /* what a read saw matters only if its transaction counts */
            claim(j, CLAIM_COUNTS, j->f.op_txn[c->first], 0);
        error = check_cases(j, index);
        if (!error && c->cycle != HIST_NONE)
            error = judge_cycle(j, c->cycle);
        else if (!error && !no_source_left(j))
            error = judge_wrong(j, "a case is not refuted");
        if (error)
            return error;
        unclaim(j, mark);
        if (c->kind == CHECK_ORDER)
            claim(j, CLAIM_ORDER, c->second, c->first);
        else
            claim(j, CLAIM_NOT_SOURCE, c->first, c->second);
    }
    return NULL;
}

/* --- all together ----------------------------------------------------------------------------- */

static const char *check_tree(struct judge *j)
{
    const char *error = check_cases(j, HIST_NONE);
    if (error)
        return error;
    if (j->next != j->r->cases.len)
        return judge_wrong(j, "the cases are no tree");
    if (j->r->lemmas || (j->r->cycle == HIST_NONE && !j->r->no_source))
        return judge_lemmas(j);
    if (j->r->no_source)
        return no_source_left(j) ? NULL : judge_wrong(j, "every read still has a source");
    return judge_cycle(j, j->r->cycle);
}

static const char *judge(const struct history *h, const struct certify_question *o,
                         const struct check_result *r, struct proof_reader proofs,
                         struct arena *messages)
{
    struct judge j = {.o = o, .r = r, .proofs = proofs, .messages = messages};
    hist_facts_init(&j.f, h, model_get(o->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    aggregates_init(&j.aggregates, h);
    for (uint32_t t = 0; t < h->txns.len; t++)
        j.unknown |= h->txns.data[t].status == HIST_UNKNOWN;
    bool single = r->cycle == HIST_NONE && !r->cases.len && r->anomaly != ANOMALY_RESULT_MISMATCH;
    const char *error = single ? certify_anomaly(&j.f, o, r, &j.proofs, messages) : check_tree(&j);
    if (!error && j.proofs.next != r->proofs.len)
        error = judge_wrong(&j, "a proof belongs to nothing");
    aggregates_free(&j.aggregates);
    for (int i = 0; i < CLAIM_KINDS; i++)
        map_free(&j.claims[i]);
    vec_free(&j.trail);
    vec_free(&j.sources);
    vec_free(&j.used);
    vec_free(&j.asking);
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
    vec_clear(&r->clauses);
    vec_clear(&r->proofs);
    return judge(h, o, r, (struct proof_reader){.r = r, .prover = prover, .out = r}, messages);
}
