#include "tests/conformance/serial.h"
#include "tests/conformance/statements.h"

#include <string.h>

/* In a serial execution a key is as good as an identity. */
struct table {
    uint32_t present; /* a set of keys */
    int value[CF_KEYS];
};

struct run {
    const struct cf_program *program;
    const struct cf_order *order;
    struct cf_outcome outcome;
    struct cf_outcomes *out;
};

static void run_from(struct run *run, const struct table *table, unsigned position, unsigned number,
                     int last);

static struct cf_row row_at(const struct table *table, int key)
{
    return (struct cf_row){key, table->value[key]};
}

static long long sum_of(const struct table *table)
{
    long long sum = 0;
    for (int k = 0; k < CF_KEYS; k++)
        if (table->present & 1u << k)
            sum += table->value[k];
    return sum;
}

static uint32_t keys_that_match(const struct table *table, const struct cf_statement *s)
{
    uint32_t keys = 0;
    for (int k = 0; k < CF_KEYS; k++)
        if (table->present & 1u << k && cf_matches(s, row_at(table, k)))
            keys |= 1u << k;
    return keys;
}

static void put(struct table *table, int key, int value)
{
    table->present |= 1u << key;
    table->value[key] = value;
}

static bool insert(struct table *table, const struct cf_statement *s, struct cf_result *result)
{
    bool there = table->present & 1u << s->key;
    int value = s->value;
    if (s->kind == CF_INSN && there)
        return true;
    if (s->kind == CF_INSSEL && !cf_to_int(sum_of(table), &value))
        return false;
    if (s->kind == CF_UPS && there) {
        if (!cf_new_value(s, table->value[s->key], NULL, &value))
            return false;
    } else if (there) {
        return false;
    }
    put(table, s->key, value);
    cf_result_add(result, row_at(table, s->key));
    return true;
}

static bool change(struct table *table, const struct cf_statement *s, int key,
                   struct cf_around *around, struct cf_result *result)
{
    struct cf_row row = row_at(table, key);
    if (s->kind == CF_DEL || s->kind == CF_DELP) {
        table->present &= ~(1u << key);
    } else if (cf_kinds[s->kind].writes) {
        around->self = row.value;
        if (!cf_new_value(s, row.value, around, &row.value))
            return false;
        table->present &= ~(1u << key);
        if (s->kind == CF_UPK)
            row.key = s->value;
        if (table->present & 1u << row.key)
            return false;
        put(table, row.key, row.value);
    }
    cf_result_add(result, row);
    return true;
}

static bool change_all(struct table *table, const struct cf_statement *s, uint32_t keys, int last,
                       struct cf_result *result)
{
    struct cf_around around = {.sum = sum_of(table), .last = last};
    for (int k = 0; k < CF_KEYS; k++)
        if (keys & 1u << k && !change(table, s, k, &around, result))
            return false;
    return true;
}

static bool count(const struct table *table, uint32_t keys, struct cf_result *result)
{
    struct cf_row row = {.key = __builtin_popcount(keys)};
    long long sum = 0;
    for (int k = 0; k < CF_KEYS; k++)
        if (keys & 1u << k)
            sum += table->value[k];
    if (!cf_to_int(sum, &row.value))
        return false;
    cf_result_add(result, row);
    return true;
}

static bool is_insert(const struct cf_statement *s)
{
    return s->kind == CF_INS || s->kind == CF_INSSEL || s->kind == CF_UPS || s->kind == CF_INSN;
}

/* Runs the statement on the rows `keys` of those that match. */
static void run_statement(struct run *run, const struct table *before, unsigned position,
                          unsigned number, int last, uint32_t keys)
{
    unsigned who = run->order->order[position];
    const struct cf_transaction *t = &run->program->transaction[who];
    const struct cf_statement *s = &t->statement[number];
    struct table table = *before;
    struct cf_result result = {0};
    bool succeeds = is_insert(s)        ? insert(&table, s, &result)
                    : s->kind == CF_AGG ? count(&table, keys, &result)
                                        : change_all(&table, s, keys, last, &result);
    if (!succeeds)
        return;
    run->outcome.result[who][number] = cf_reported(s, t->level, &result);
    run_from(run, &table, position, number + 1, cf_last_value(s, &result, last));
    run->outcome.result[who][number] = (struct cf_result){0};
}

static void finish(struct run *run, const struct table *table)
{
    run->outcome.end = (struct cf_result){0};
    for (int k = 0; k < CF_KEYS; k++)
        if (table->present & 1u << k)
            cf_result_add(&run->outcome.end, row_at(table, k));
    cf_outcomes_add(run->out, &run->outcome);
}

static void run_from(struct run *run, const struct table *table, unsigned position, unsigned number,
                     int last)
{
    if (position == run->order->commits) {
        finish(run, table);
        return;
    }
    const struct cf_transaction *t = &run->program->transaction[run->order->order[position]];
    if (number == t->statements) {
        run_from(run, table, position + 1, 0, 0);
        return;
    }
    const struct cf_statement *s = &t->statement[number];
    uint32_t keys = is_insert(s) ? 0 : keys_that_match(table, s);
    if (s->kind != CF_SKIP) {
        run_statement(run, table, position, number, last, keys);
        return;
    }
    for (uint32_t some = keys;; some = (some - 1) & keys) {
        run_statement(run, table, position, number, last, some);
        if (!some)
            return;
    }
}

void serial_outcomes(const struct cf_program *p, const struct cf_order *order,
                     struct cf_outcomes *out)
{
    struct run run = {.program = p, .order = order, .out = out};
    struct table table = {0};
    for (unsigned i = 0; i < p->rows; i++)
        put(&table, p->row[i].key, p->row[i].value);
    run.outcome.commits = order->commits;
    memcpy(run.outcome.order, order->order, order->commits);
    run_from(&run, &table, 0, 0, 0);
}

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t c = *a;
    *a = *b;
    *b = c;
}

bool next_order(struct cf_order *order)
{
    uint8_t *a = order->order;
    unsigned n = order->commits, tail = n;
    /* The longest falling tail is the last permutation of its elements. */
    do {
        if (tail <= 1)
            return false;
        tail--;
    } while (a[tail - 1] >= a[tail]);
    unsigned larger = n - 1;
    while (a[larger] <= a[tail - 1])
        larger--;
    swap(&a[tail - 1], &a[larger]);
    for (unsigned left = tail, right = n - 1; left < right; left++, right--)
        swap(&a[left], &a[right]);
    return true;
}

/* The order of commits does not matter for serial_explains: all are kept with the same one. */
static struct cf_order sorted(const uint8_t *order, unsigned commits)
{
    struct cf_order o = {.commits = commits};
    memcpy(o.order, order, commits);
    for (unsigned i = 0; i < commits; i++)
        for (unsigned j = i + 1; j < commits; j++)
            if (o.order[j] < o.order[i])
                swap(&o.order[i], &o.order[j]);
    return o;
}

void serial_orders(const struct cf_program *p, const struct cf_order *order,
                   struct cf_outcomes *out)
{
    struct cf_order first = sorted(order->order, order->commits), o = first;
    struct cf_outcomes some = {0};
    do {
        serial_outcomes(p, &o, &some);
    } while (next_order(&o));
    for (size_t i = 0; i < some.count; i++) {
        memcpy(some.data[i].order, first.order, first.commits);
        cf_outcomes_add(out, &some.data[i]);
    }
    cf_outcomes_free(&some);
}

bool serial_explains(const struct cf_outcomes *serial, const struct cf_outcome *o)
{
    struct cf_outcome copy;
    memcpy(&copy, o, sizeof(copy));
    struct cf_order first = sorted(o->order, o->commits);
    memcpy(copy.order, first.order, first.commits);
    return cf_outcomes_has(serial, &copy);
}
