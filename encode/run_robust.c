/* Candidates for executions that are not serializable are judged, see robust.h. */
#include <string.h>

#include "base/limit.h"
#include "encode/minimise.h"
#include "encode/run_internal.h"

/* There are n! orders; whoever needs more of them waits in vain. */
#define ORDERS_MOST 2000
/* Smaller executions that turn out to be serializable after all, before the one at hand is taken.
 */
#define SMALLER_MOST 8

/* What becomes of a candidate. */
enum fate { FATE_VIOLATES, FATE_SERIAL, FATE_UNDECIDED, FATE_BROKEN };

/* Reads the model's execution and has it judged.  VIOLATES: *x is the caller's; BROKEN: likewise,
 * and *reason says what is wrong.  SERIAL: the order is refuted. */
static enum fate judge(struct run *r, const struct target *t, struct execution **x,
                       const char **reason)
{
    const struct verify_judge *by = r->in->question->judge;
    *reason = NULL;
    *x = run_confirmed(r, t, reason);
    if (*reason)
        return FATE_BROKEN;
    uint32_t *order = mem_calloc((*x)->n_txns + 1, sizeof *order);
    enum verify_judgment judgment = by->ask(by->arg, *x, order, reason);
    enum fate fate = judgment == VERIFY_NOT_SERIAL ? FATE_VIOLATES
                     : judgment == VERIFY_SERIAL   ? FATE_SERIAL
                                                   : FATE_UNDECIDED;
    if (fate == FATE_SERIAL && !robust_refute(r->robust, order)) {
        *reason = "the serial order that the history engine found does not explain it";
        fate = FATE_BROKEN;
    }
    r->refuted += fate == FATE_SERIAL;
    mem_free(order);
    if (fate == FATE_SERIAL || fate == FATE_UNDECIDED) {
        exec_free(*x);
        *x = NULL;
    }
    return fate;
}

/* A smaller execution may be serializable: then the next smallest, which that order does not
 * explain.  Gives the first execution back if none was found. */
static struct execution *smaller(struct run *r, const struct target *t, struct execution *first)
{
    struct execution *x = NULL;
    const char *reason = NULL;
    enum fate fate = FATE_SERIAL;
    limit_phase("minimising the execution that is not serializable");
    for (int i = 0; i < SMALLER_MOST && fate == FATE_SERIAL; i++) {
        if (i > 0 && enc_check(r->e, &t->goal, 1) != ENC_YES)
            return first;
        if (!minimise(r->e, r->p, NULL, t->goal))
            return first;
        fate = judge(r, t, &x, &reason);
    }
    if (fate != FATE_VIOLATES) {
        exec_free(x);
        return first;
    }
    exec_free(first);
    return x;
}

void run_judge(struct run *r, struct target *t)
{
    struct execution *x = NULL;
    const char *reason = NULL;
    bool keep = r->in->question->keep_raw || r->in->quietly;
    limit_phase("judging an execution under %s", r->in->question->model->name);
    switch (judge(r, t, &x, &reason)) {
    case FATE_VIOLATES:
        x = keep ? x : smaller(r, t, x);
        run_complete(r, t, x);
        run_settle(r, t, VERIFY_VIOLATED, NULL, x);
        return;
    case FATE_UNDECIDED:
        run_settle(r, t, VERIFY_UNKNOWN, reason, NULL);
        return;
    case FATE_BROKEN:
        reason = arena_printf(r->in->arena, "the execution found is not confirmed: %s", reason);
        run_settle(r, t, VERIFY_INTERNAL_ERROR, reason, x);
        return;
    case FATE_SERIAL:
        if (r->refuted >= ORDERS_MOST)
            run_settle(r, t, VERIFY_UNKNOWN, "too many serial orders had to be tried", NULL);
    }
}
