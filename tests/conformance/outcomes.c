/* Sets of outcomes: an array, and a hash table of its positions. */
#include "tests/conformance/statements.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, p + i, 4);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static uint64_t mix_result(uint64_t h, const struct cf_result *r)
{
    h = mix(h, &r->rows, sizeof(r->rows));
    return mix(h, r->row, sizeof(r->row[0]) * (size_t)r->rows);
}

static uint64_t hash(const struct cf_outcome *o)
{
    uint64_t h = mix(o->commits, o->order, sizeof(o->order));
    for (unsigned i = 0; i < o->commits; i++)
        for (unsigned s = 0; s < CF_STATEMENTS; s++)
            h = mix_result(h, &o->result[o->order[i]][s]);
    return mix_result(h, &o->end);
}

/* Outcomes are made from zeroed memory, and all their unused parts stay zero. */
bool cf_outcome_same(const struct cf_outcome *a, const struct cf_outcome *b)
{
    return !memcmp(a, b, sizeof(*a));
}

static size_t find(const struct cf_outcomes *set, const struct cf_outcome *o)
{
    size_t i = hash(o) & (set->slots - 1);
    while (set->slot[i] && !cf_outcome_same(&set->data[set->slot[i] - 1], o))
        i = (i + 1) & (set->slots - 1);
    return i;
}

static void *sized(void *p, size_t count, size_t size)
{
    void *q = realloc(p, count * size);
    if (!q)
        abort();
    return q;
}

static void grow(struct cf_outcomes *set)
{
    set->capacity = set->capacity ? 2 * set->capacity : 32;
    set->data = sized(set->data, set->capacity, sizeof(set->data[0]));
    set->slots = 4 * set->capacity;
    set->slot = sized(set->slot, set->slots, sizeof(set->slot[0]));
    memset(set->slot, 0, set->slots * sizeof(set->slot[0]));
    for (size_t i = 0; i < set->count; i++)
        set->slot[find(set, &set->data[i])] = (uint32_t)i + 1;
}

bool cf_outcomes_add(struct cf_outcomes *set, const struct cf_outcome *o)
{
    if (set->count == set->capacity)
        grow(set);
    size_t i = find(set, o);
    if (set->slot[i])
        return false;
    memcpy(&set->data[set->count], o, sizeof(*o));
    set->slot[i] = (uint32_t)++set->count;
    return true;
}

bool cf_outcomes_has(const struct cf_outcomes *set, const struct cf_outcome *o)
{
    return set->count && set->slot[find(set, o)];
}

void cf_outcomes_clear(struct cf_outcomes *set)
{
    set->count = 0;
    if (set->slot)
        memset(set->slot, 0, set->slots * sizeof(set->slot[0]));
}

void cf_outcomes_free(struct cf_outcomes *set)
{
    free(set->data);
    free(set->slot);
    *set = (struct cf_outcomes){0};
}

static void print_rows(FILE *to, const struct cf_result *r)
{
    for (int i = 0; i < r->rows; i++)
        fprintf(to, "%s%d:%d", i ? " " : "", r->row[i].key, r->row[i].value);
}

static void print_result(FILE *to, const struct cf_transaction *t, unsigned s,
                         const struct cf_result *r)
{
    fprintf(to, " (");
    if (cf_is_pg(t->level) || !cf_kinds[t->statement[s].kind].writes)
        print_rows(to, r);
    else if (r->rows)
        fprintf(to, "%d", r->rows);
    fprintf(to, ")");
}

void cf_outcome_print(FILE *to, const struct cf_program *p, const struct cf_outcome *o)
{
    fprintf(to, "commits");
    for (unsigned i = 0; i < o->commits; i++)
        fprintf(to, " T%d", o->order[i]);
    for (unsigned i = 0; i < o->commits; i++) {
        unsigned t = o->order[i];
        fprintf(to, "; T%u returns", t);
        for (unsigned s = 0; s < p->transaction[t].statements; s++)
            print_result(to, &p->transaction[t], s, &o->result[t][s]);
    }
    fprintf(to, "; in the end (");
    print_rows(to, &o->end);
    fprintf(to, ")");
}
