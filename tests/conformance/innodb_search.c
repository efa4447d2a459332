/* The enumeration at InnoDB's levels: transactions join in the order of commits; their statements
 * happen at every position that the locks allow. */
#include "tests/conformance/innodb.h"
#include "tests/conformance/serial.h"

#include <string.h>

/* ---- states and locks ---- */

bool innodb_row(const struct innodb_search *search, const struct innodb_transaction *t,
                unsigned position, int key, struct cf_row *row)
{
    const struct innodb_state *state = t->changed & 1u << key ? &t->own : &search->state[position];
    if (!(state->present & 1u << key))
        return false;
    *row = (struct cf_row){key, state->value[key]};
    return true;
}

/* Gap locks conflict with changes only; of the others, two shared locks are compatible. */
static bool conflict(uint8_t a, uint8_t b)
{
    if ((a & INNODB_GAP && b & INNODB_CHANGE) || (a & INNODB_CHANGE && b & INNODB_GAP))
        return true;
    const uint8_t exclusive = INNODB_X | INNODB_CHANGE;
    const uint8_t record = INNODB_S | exclusive;
    return (a & exclusive && b & record) || (a & record && b & exclusive);
}

unsigned innodb_lock_position(const struct innodb_search *search,
                              const struct innodb_transaction *t, int key, uint8_t lock)
{
    unsigned least = 0;
    for (unsigned j = 0; j < t->position; j++)
        if (conflict(lock, search->done[j].locks[key]))
            least = j + 1;
    return least;
}

void innodb_lock(const struct innodb_search *search, struct innodb_transaction *t, int key,
                 uint8_t lock)
{
    unsigned least = innodb_lock_position(search, t, key, lock);
    if (t->end < least)
        t->end = least;
    t->locks[key] |= lock;
}

void innodb_change(struct innodb_transaction *t, int key, const int *value)
{
    t->locks[key] |= INNODB_X | INNODB_CHANGE;
    t->changed |= 1u << key;
    t->own.present &= ~(1u << key);
    if (value) {
        t->own.present |= 1u << key;
        t->own.value[key] = *value;
    }
}

/* ---- enumeration ---- */

struct frame {
    struct innodb_search *search;
    unsigned number; /* of the next statement */
};

static void run_transaction(struct innodb_search *search, unsigned position);
static void run_statement(struct innodb_search *search, unsigned number,
                          const struct innodb_transaction *t);

static void finish(struct innodb_search *search)
{
    const struct innodb_state *state = &search->state[search->order->commits];
    search->outcome.end = (struct cf_result){0};
    for (int k = 0; k < CF_KEYS; k++)
        if (state->present & 1u << k)
            cf_result_add(&search->outcome.end, (struct cf_row){k, state->value[k]});
    cf_outcomes_add(search->out, &search->outcome);
}

static void commit(struct innodb_search *search, const struct innodb_transaction *t)
{
    unsigned p = t->position;
    struct innodb_state *after = &search->state[p + 1];
    search->done[p] = *t;
    *after = search->state[p];
    for (int k = 0; k < CF_KEYS; k++)
        if (t->changed & 1u << k)
            after->value[k] = t->own.value[k];
    after->present = (after->present & ~t->changed) | (t->own.present & t->changed);
    run_transaction(search, p + 1);
}

static void after_statement(void *context, const struct innodb_transaction *t,
                            const struct cf_result *result)
{
    struct frame *f = context;
    struct cf_result *slot = &f->search->outcome.result[t->who][f->number];
    const struct cf_statement *s = &f->search->program->transaction[t->who].statement[f->number];
    struct innodb_transaction next = *t;
    next.last = cf_last_value(s, result, t->last);
    *slot = cf_reported(s, t->level, result);
    run_statement(f->search, f->number + 1, &next);
    *slot = (struct cf_result){0};
}

static void run_statement(struct innodb_search *search, unsigned number,
                          const struct innodb_transaction *t)
{
    const struct cf_transaction *program = &search->program->transaction[t->who];
    if (number == program->statements) {
        commit(search, t);
        return;
    }
    struct frame frame = {search, number};
    struct innodb_step step = {.search = search,
                               .statement = &program->statement[number],
                               .next = after_statement,
                               .context = &frame};
    innodb_execute(&step, t);
}

static void run_transaction(struct innodb_search *search, unsigned position)
{
    if (position == search->order->commits) {
        finish(search);
        return;
    }
    unsigned who = search->order->order[position];
    struct innodb_transaction t = {.who = who,
                                   .position = position,
                                   .level = search->program->transaction[who].level,
                                   .snapshot = -1};
    run_statement(search, 0, &t);
}

static uint32_t keys_of(const struct cf_program *p)
{
    uint32_t keys = 0;
    for (unsigned i = 0; i < p->rows; i++)
        keys |= 1u << p->row[i].key;
    for (unsigned i = 0; i < p->transactions; i++) {
        for (unsigned n = 0; n < p->transaction[i].statements; n++) {
            const struct cf_statement *s = &p->transaction[i].statement[n];
            if (!cf_by_predicate(s))
                keys |= 1u << s->key;
            if (s->kind == CF_UPK)
                keys |= 1u << s->value;
        }
    }
    return keys;
}

static bool all_serializable(const struct cf_program *p)
{
    for (unsigned i = 0; i < p->transactions; i++)
        if (p->transaction[i].level != CF_MY_SER)
            return false;
    return true;
}

void innodb_allowed(const struct cf_program *p, const struct cf_order *order,
                    struct cf_outcomes *out)
{
    /* "my-ser: serial", and in the order of commits, for all locks are kept until then. */
    if (all_serializable(p)) {
        serial_outcomes(p, order, out);
        return;
    }
    struct innodb_search search = {.program = p, .order = order, .keys = keys_of(p), .out = out};
    for (unsigned i = 0; i < p->rows; i++) {
        search.state[0].present |= 1u << p->row[i].key;
        search.state[0].value[p->row[i].key] = p->row[i].value;
    }
    search.outcome.commits = order->commits;
    memcpy(search.outcome.order, order->order, order->commits);
    run_transaction(&search, 0);
}
