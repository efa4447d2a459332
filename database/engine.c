#include "database/engine.h"

#include "check/check.h"

#define FIRST_MARK (1ULL << 40) /* beyond all write ids of the plan */

const struct model *engine_model(enum record_isolation level)
{
    return model_get(level == RECORD_SERIALIZABLE      ? MODEL_SER
                     : level == RECORD_REPEATABLE_READ ? MODEL_SI
                                                       : MODEL_RCS);
}

/* ---- the execution as a history ------------------------------------------------------------- */

/* Versions are known by their write ids, so what was written does not matter: the id is the value
 * too, and 0 the initial one. */
static uint64_t version_of(const struct plan *p, uint32_t txn, uint32_t row)
{
    const struct plan_txn *t = &p->txns.data[txn];
    for (size_t w = 0; w < t->writes.len; w++)
        if (t->writes.data[w].row == row)
            return t->first_write_id + w;
    return 0;
}

static void put_read(struct history *h, uint32_t row, uint64_t id)
{
    uint32_t key = hist_key_int(h, row);
    if (id == 0) {
        hist_read_initial(h, key, hist_int(0));
        return;
    }
    hist_read(h, key, hist_int((int64_t)id));
    hist_write_id(h, id);
}

static void put_write(struct history *h, uint32_t row, uint64_t id)
{
    hist_write(h, hist_key_int(h, row), hist_int((int64_t)id));
    hist_write_id(h, id);
}

/* Who looks at the final state comes after everybody, and nothing happens meanwhile.  So it has one
 * statement, and everybody else leaves a mark in a row of its own that it finds there. */
static void put_txn(const struct plan *p, uint32_t txn, struct history *h, uint32_t session)
{
    const struct plan_txn *t = &p->txns.data[txn];
    uint32_t n = (uint32_t)p->txns.len, row = (uint32_t)p->rows.len;
    bool marks = p->has_observer && p->final_observer, last = marks && txn == n - 1;
    hist_begin_txn(h, session);
    for (size_t i = 0; i < t->reads.len; i++) {
        const struct plan_read *r = &t->reads.data[i];
        put_read(h, r->cells.row,
                 r->source == PLAN_INITIAL ? 0 : version_of(p, r->source, r->cells.row));
        if (last && i > 0)
            hist_op_flag(h, HIST_OP_SAME_STMT);
    }
    for (uint32_t i = 0; i < n - 1 && last; i++) {
        put_read(h, row + i, FIRST_MARK + i);
        if (i > 0 || t->reads.len)
            hist_op_flag(h, HIST_OP_SAME_STMT);
    }
    for (size_t w = 0; w < t->writes.len; w++)
        put_write(h, t->writes.data[w].row, t->first_write_id + w);
    if (marks && !last)
        put_write(h, row + txn, FIRST_MARK + txn);
    hist_end_txn(h, HIST_COMMITTED); /* who rolls back as planned commits nothing */
}

/* `txn_of` says which transaction of the plan one of the history is. */
static struct history *history_of(const struct plan *p, uint32_t *txn_of)
{
    struct history *h = hist_new();
    uint32_t sessions = plan_sessions(p), n = 0;
    hist_set_initial_default(h, hist_int(0));
    for (uint32_t s = 0; s < sessions; s++) {
        uint32_t session = hist_add_session(h, NULL);
        for (uint32_t position = 0; position < p->txns.len; position++) {
            uint32_t txn = plan_at(p, position);
            if (p->txns.data[txn].session != s)
                continue;
            put_txn(p, txn, h, session);
            txn_of[n++] = txn;
        }
    }
    if (!hist_finish(h))
        return h;
    hist_free(h);
    return NULL;
}

/* ---- its certificate ------------------------------------------------------------------------ */

static void read_order(const struct plan *p, const struct check_result *r, const uint32_t *txn_of,
                       struct arena *a, struct engine_answer *out)
{
    size_t n = p->txns.len, commits = 0, begins = 0;
    bool events = r->order_kind == CHECK_EVENTS;
    out->commit = arena_array(a, uint32_t, n + 1);
    out->begin = arena_array(a, uint32_t, n + 1);
    out->point = arena_array(a, uint32_t, n + 1);
    for (size_t i = 0; i < r->order.len; i++) {
        uint32_t x = r->order.data[i], txn = txn_of[events ? x / 2 : x];
        if (!events || x % 2 == 0) {
            out->point[txn] = (uint32_t)commits;
            out->begin[begins++] = txn;
        }
        if (!events || x % 2 == 1)
            out->commit[commits++] = txn;
    }
    if (r->order_kind == CHECK_ARBITRATION)
        out->begin = out->point = NULL;
}

static void answer(const struct plan *p, const struct check_result *r, const uint32_t *txn_of,
                   struct arena *a, struct engine_answer *out)
{
    switch (r->verdict) {
    case CHECK_OK:
        out->verdict = ENGINE_ACCEPTS;
        out->why = NULL;
        read_order(p, r, txn_of, a, out);
        return;
    case CHECK_VIOLATION:
        out->verdict = ENGINE_REFUSES;
        out->why = arena_strdup(a, anomaly_name(r->anomaly));
        return;
    case CHECK_UNKNOWN:
        out->verdict = ENGINE_UNDECIDED;
        break;
    case CHECK_BROKEN:
        out->verdict = ENGINE_BROKEN;
        break;
    }
    out->why = arena_strdup(a, r->reason);
}

void engine_ask(const struct plan *p, enum record_isolation level, struct arena *a,
                struct engine_answer *out)
{
    uint32_t *txn_of = arena_array(a, uint32_t, p->txns.len + 1);
    const struct model *m = engine_model(level);
    struct named_level asked = {m->name, {.model = m->id, .session_order = true}};
    struct check_request q = {.levels = &asked, .count = 1, .options = check_defaults()};
    struct check_answers answers;
    *out = (struct engine_answer){.verdict = ENGINE_BROKEN, .why = "the execution is no history"};
    struct history *h = history_of(p, txn_of);
    if (!h)
        return;
    check(h, &q, &answers);
    answer(p, answers.at[0].result, txn_of, a, out);
    check_answers_free(&answers);
    hist_free(h);
}
