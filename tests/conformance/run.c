#include "tests/conformance/run.h"
#include "tests/conformance/sql.h"
#include "tests/conformance/statements.h"

#include <poll.h>
#include <stdlib.h>

/* Statements that are not answered are asked after in turns: the socket for a moment, then the
 * server. How long the moment is matters to nothing but the processor. */
enum { MOMENT_MS = 1, PATIENCE = 120000 };

static unsigned pending(const struct run *r)
{
    unsigned set = 0;
    for (unsigned i = 0; i < r->program->transactions; i++)
        if (r->transaction[i].pending)
            set |= 1u << i;
    return set;
}

/* ---- answers ---- */

static void abort_transaction(struct run *r, unsigned i)
{
    r->driver->rollback(r->server, i);
    r->transaction[i].state = ABORTED;
    for (unsigned s = 0; s < CF_STATEMENTS; s++)
        r->outcome.result[i][s] = (struct cf_result){0};
}

static void end_transaction(struct run *r, unsigned i)
{
    bool rolls_back = r->program->transaction[i].rolls_back;
    r->transaction[i].state = rolls_back ? ROLLED_BACK : COMMITTED;
    if (!rolls_back) {
        r->outcome.order[r->outcome.commits++] = (uint8_t)i;
        return;
    }
    for (unsigned s = 0; s < CF_STATEMENTS; s++)
        r->outcome.result[i][s] = (struct cf_result){0};
}

static void take_answer(struct run *r, unsigned i, struct server_answer *answer)
{
    struct run_transaction *t = &r->transaction[i];
    const struct cf_transaction *program = &r->program->transaction[i];
    t->pending = false;
    t->gated = false;
    if (answer->failed) {
        abort_transaction(r, i);
        return;
    }
    if (t->next == program->statements) {
        end_transaction(r, i);
        return;
    }
    const struct cf_statement *s = &program->statement[t->next];
    cf_result_sort(&answer->result);
    t->last = cf_last_value(s, &answer->result, t->last);
    r->outcome.result[i][t->next] = cf_reported(s, program->level, &answer->result);
    t->next++;
}

/* Reads every answer that is there; false: there was none. */
static bool take_answers(struct run *r)
{
    bool some = false;
    for (unsigned i = 0; i < r->program->transactions; i++) {
        struct server_answer answer;
        if (r->transaction[i].pending && r->driver->receive(r->server, i, &answer)) {
            take_answer(r, i, &answer);
            some = true;
        }
    }
    return some;
}

static void wait_a_moment(const struct run *r)
{
    struct pollfd ready[CF_TRANSACTIONS];
    nfds_t count = 0;
    for (unsigned i = 0; i < r->program->transactions; i++)
        if (r->transaction[i].pending)
            ready[count++] =
                (struct pollfd){.fd = r->driver->descriptor(r->server, i), .events = POLLIN};
    poll(ready, count, MOMENT_MS);
}

static void give_up(const char *why)
{
    fprintf(stderr, "visar-conformance: %s\n", why);
    exit(2);
}

/* Until every statement that was sent is answered or waits for a lock.  The order matters: first
 * the sockets, then the server; who was answered in between does not wait. */
static void settle(struct run *r)
{
    for (unsigned tries = 0; pending(r); tries++) {
        wait_a_moment(r);
        if (take_answers(r))
            continue;
        unsigned set = pending(r);
        if ((r->driver->waiting(r->server) & set) == set)
            return;
        if (tries > PATIENCE)
            give_up("a statement is neither answered nor does it wait for a lock");
    }
}

/* ---- steps ---- */

void run_start(struct run *r, size_t number)
{
    r->driver->reset(r->server, r->program, number);
    r->outcome = (struct cf_outcome){0};
    r->steps = 0;
    for (unsigned i = 0; i < r->program->transactions; i++) {
        r->transaction[i] = (struct run_transaction){.state = RUNS};
        r->driver->begin(r->server, i, r->program->transaction[i].level);
        if (r->slow)
            r->driver->shut_gate(r->server, i);
    }
}

static unsigned able(const struct run *r)
{
    unsigned set = 0;
    for (unsigned i = 0; i < r->program->transactions; i++) {
        const struct run_transaction *t = &r->transaction[i];
        if (t->state == RUNS && (!t->pending || t->gated))
            set |= 1u << i;
    }
    return set;
}

static unsigned last_to_come(const struct run *r)
{
    unsigned last = CF_TRANSACTIONS;
    for (unsigned i = 0; i < r->program->transactions; i++)
        if (r->transaction[i].pending &&
            (last == CF_TRANSACTIONS || r->transaction[i].when > r->transaction[last].when))
            last = i;
    return last;
}

/* The cancelled statement is answered with an error; nothing else moves before. */
static void end_deadlock(struct run *r)
{
    unsigned victim = last_to_come(r);
    r->driver->cancel(r->server, victim);
    for (unsigned tries = 0; r->transaction[victim].pending; tries++) {
        wait_a_moment(r);
        take_answers(r);
        if (tries > PATIENCE)
            give_up("a cancelled statement is not answered");
    }
    settle(r);
}

unsigned run_enabled(struct run *r)
{
    while (pending(r) && !able(r))
        end_deadlock(r);
    return able(r);
}

/* The gate of a statement opens until the statement has gone through. */
static void go_through_gate(struct run *r, unsigned i)
{
    r->transaction[i].gated = false;
    r->driver->open_gate(r->server, i);
    settle(r);
    r->driver->shut_gate(r->server, i);
}

void run_step(struct run *r, unsigned i)
{
    struct run_transaction *t = &r->transaction[i];
    const struct cf_transaction *program = &r->program->transaction[i];
    char sql[CF_SQL] = "COMMIT";
    t->when = r->steps++;
    if (t->gated) {
        go_through_gate(r, i);
        return;
    }
    if (t->next < program->statements) {
        const struct cf_statement *s = &program->statement[t->next];
        t->gated = r->slow && cf_sql_has_gate(s);
        cf_sql(s, program->level, t->last, t->gated ? r->driver->gate(r->server, i) : NULL, sql);
    } else if (program->rolls_back) {
        snprintf(sql, sizeof(sql), "ROLLBACK");
    }
    t->pending = true;
    r->driver->send(r->server, i, sql);
    settle(r);
}

void run_finish(struct run *r)
{
    if (r->slow)
        for (unsigned i = 0; i < r->program->transactions; i++)
            r->driver->open_gate(r->server, i);
    r->driver->rows(r->server, &r->outcome.end);
    cf_result_sort(&r->outcome.end);
}
