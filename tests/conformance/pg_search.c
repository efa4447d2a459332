/* The enumeration at PostgreSQL's levels: transactions join in the order of commits; each statement
 * gets every base that the level allows, and goes on in every way that the rules allow. */
#include "tests/conformance/pg.h"
#include "tests/conformance/serial.h"

#include <string.h>

struct frame {
    struct pg_search *search;
    unsigned number; /* of the next statement */
};

static void run_transaction(struct pg_search *search, unsigned position);
static void run_statement(struct pg_search *search, unsigned number,
                          const struct pg_transaction *t);

static void end_state(const struct pg_state *state, struct cf_result *out)
{
    *out = (struct cf_result){0};
    for (unsigned r = 0; r < CF_ROWS; r++)
        if (state->alive & 1u << r)
            cf_result_add(out, state->row[r]);
    cf_result_sort(out);
}

/* All transactions have joined. */
static void finish(struct pg_search *search)
{
    if (!pg_skips_explained(search))
        return;
    end_state(&search->state[search->order->commits], &search->outcome.end);
    if (search->serial) {
        if (!serial_explains(search->serial, &search->outcome))
            return;
    } else if (!pg_dependencies_acyclic(search)) {
        return;
    }
    cf_outcomes_add(search->out, &search->outcome);
}

static void commit(struct pg_search *search, const struct pg_transaction *t)
{
    unsigned p = t->position;
    search->done[p] = *t;
    pg_overlay(&search->state[p + 1], &search->state[p], t);
    run_transaction(search, p + 1);
}

static void after_statement(void *context, const struct pg_transaction *t,
                            const struct cf_result *result)
{
    struct frame *f = context;
    struct pg_search *search = f->search;
    const struct cf_statement *s = &search->program->transaction[t->who].statement[f->number];
    struct pg_transaction next = *t;
    next.last = cf_last_value(s, result, t->last);
    search->outcome.result[t->who][f->number] = *result;
    run_statement(search, f->number + 1, &next);
    search->outcome.result[t->who][f->number] = (struct cf_result){0};
}

/* "n_s ≤ f_s ≤ f_(s+1) ≤ p, and at READ COMMITTED f_s ≤ n_(s+1)."  pg-rr: "One base for all
 * statements, taken at the first one." */
static void run_statement(struct pg_search *search, unsigned number, const struct pg_transaction *t)
{
    const struct cf_transaction *program = &search->program->transaction[t->who];
    if (number == program->statements) {
        commit(search, t);
        return;
    }
    struct frame frame = {search, number};
    struct pg_step step = {
        .search = search, .statement = &program->statement[number], .number = number};
    struct pg_transaction with = *t;
    if (t->level != CF_PG_RC && t->base >= 0) {
        pg_execute(&step, &with, after_statement, &frame);
        return;
    }
    for (unsigned base = t->end; base <= t->position; base++) {
        with.base = (int)base;
        pg_execute(&step, &with, after_statement, &frame);
    }
}

static void run_transaction(struct pg_search *search, unsigned position)
{
    if (position == search->order->commits) {
        finish(search);
        return;
    }
    unsigned who = search->order->order[position];
    struct pg_transaction t = {.who = who,
                               .position = position,
                               .level = search->program->transaction[who].level,
                               .base = -1};
    run_statement(search, 0, &t);
}

static bool all_serializable(const struct cf_program *p, const struct cf_order *order)
{
    for (unsigned i = 0; i < order->commits; i++)
        if (p->transaction[order->order[i]].level != CF_PG_SER)
            return false;
    return true;
}

void pg_allowed(const struct cf_program *p, const struct cf_order *order, struct cf_outcomes *out)
{
    struct pg_search search = {.program = p, .order = order, .out = out};
    struct cf_outcomes serial = {0};
    for (unsigned i = 0; i < p->rows; i++) {
        search.state[0].alive |= 1u << p->row[i].key;
        search.state[0].row[p->row[i].key] = p->row[i];
    }
    search.outcome.commits = order->commits;
    memcpy(search.outcome.order, order->order, order->commits);
    if (all_serializable(p, order)) {
        serial_orders(p, order, &serial);
        search.serial = &serial;
    }
    run_transaction(&search, 0);
    cf_outcomes_free(&serial);
}
