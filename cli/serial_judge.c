/* Executions as histories, checked at serializability; see serial_judge.h. */
#include "cli/serial_judge.h"

#include "base/mem.h"
#include "check/check.h"
#include "encode/export.h"

/* The positions of the execution's transactions in the order that explains the history, where the
 * observer has a place, too.  False if that is no order of all of them. */
static bool positions(const struct check_result *r, const uint32_t *txn_of, uint32_t n,
                      uint32_t *order)
{
    uint32_t found = 0;
    if (r->order_kind != CHECK_SERIAL)
        return false;
    for (size_t at = 0; at < r->order.len; at++)
        for (uint32_t i = 0; i < n; i++)
            if (txn_of[i] == r->order.data[at])
                order[i] = found++;
    return found == n;
}

static enum verify_judgment answer(struct serial_judge *j, const struct check_answer *a,
                                   const uint32_t *txn_of, uint32_t n, uint32_t *order,
                                   const char **reason)
{
    switch (a->verdict) {
    case CHECK_VIOLATION:
        return VERIFY_NOT_SERIAL;
    case CHECK_OK:
        if (positions(a->result, txn_of, n, order))
            return VERIFY_SERIAL;
        *reason = "the history engine gives no serial order";
        return VERIFY_NOT_JUDGED;
    default:
        *reason = arena_strdup(&j->arena, a->result->reason);
        return VERIFY_NOT_JUDGED;
    }
}

static enum verify_judgment judge(struct serial_judge *j, const struct execution *x,
                                  uint32_t *order, const char **reason)
{
    struct history *h = NULL;
    uint32_t *txn_of = mem_calloc(x->n_txns + 1, sizeof *txn_of);
    *reason = export_serial_history(x, x->program->ast->file, &j->arena, txn_of, &h);
    if (*reason) {
        mem_free(txn_of);
        return VERIFY_NOT_JUDGED;
    }
    struct named_level ser = {"ser", level_make(MODEL_SER, x->session_order)};
    struct check_request q = {.levels = &ser, .count = 1, .options = check_defaults()};
    struct check_answers *a = mem_calloc(1, sizeof *a);
    check(h, &q, a);
    enum verify_judgment judgment = answer(j, &a->at[0], txn_of, x->n_txns, order, reason);
    check_answers_free(a);
    mem_free(a);
    hist_free(h);
    mem_free(txn_of);
    return judgment;
}

static enum verify_judgment ask(void *arg, const struct execution *x, uint32_t *order,
                                const char **reason)
{
    struct serial_judge *j = arg;
    pthread_mutex_lock(&j->lock);
    enum verify_judgment judgment = judge(j, x, order, reason);
    pthread_mutex_unlock(&j->lock);
    return judgment;
}

void serial_judge_init(struct serial_judge *j)
{
    *j = (struct serial_judge){.judge = {ask, j}, .lock = PTHREAD_MUTEX_INITIALIZER};
}

void serial_judge_free(struct serial_judge *j)
{
    pthread_mutex_destroy(&j->lock);
    arena_free(&j->arena);
}
