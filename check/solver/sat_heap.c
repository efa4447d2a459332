/* Which variable is decided next: the most active one; among variables without activity, the first
 * in memory.
 *
 * Most variables are never part of a conflict.  These are taken by a cursor that walks through
 * memory; only variables that have become active are in the heap.  Invariant: a variable that is
 * open and may be decided is in the heap, or its number is at least `cursor`. */
#include "check/solver/sat_internal.h"

bool sat_before(const struct sat *s, uint32_t a, uint32_t b)
{
    return s->activity[a] > s->activity[b] || (s->activity[a] == s->activity[b] && a < b);
}

static void heap_up(struct sat *s, uint32_t i)
{
    uint32_t v = s->heap[i];
    for (; i && sat_before(s, v, s->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        s->heap[i] = s->heap[(i - 1) / 2];
        s->heap_at[s->heap[i]] = i;
    }
    s->heap[i] = v;
    s->heap_at[v] = i;
}

static void heap_down(struct sat *s, uint32_t i)
{
    uint32_t v = s->heap[i];
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= s->heap_len)
            break;
        if (c + 1 < s->heap_len && sat_before(s, s->heap[c + 1], s->heap[c]))
            c++;
        if (!sat_before(s, s->heap[c], v))
            break;
        s->heap[i] = s->heap[c];
        s->heap_at[s->heap[i]] = i;
        i = c;
    }
    s->heap[i] = v;
    s->heap_at[v] = i;
}

static void heap_insert(struct sat *s, uint32_t v)
{
    if (s->heap_at[v] != UINT32_MAX)
        return;
    s->heap[s->heap_len] = v;
    heap_up(s, s->heap_len++);
}

static void heap_drop(struct sat *s)
{
    s->heap_at[s->heap[0]] = UINT32_MAX;
    uint32_t last = s->heap[--s->heap_len];
    if (s->heap_len) {
        s->heap[0] = last;
        heap_down(s, 0);
    }
}

uint32_t sat_next(struct sat *s)
{
    while (s->heap_len && s->value[2 * s->heap[0]])
        heap_drop(s);
    if (s->heap_len)
        return s->heap[0];
    while (s->cursor < s->vars && (s->value[2 * s->cursor] || s->heap_at[s->cursor] == PASSIVE))
        s->cursor++;
    return s->cursor < s->vars ? s->cursor : UINT32_MAX;
}

void sat_reopen(struct sat *s, uint32_t v)
{
    if (s->activity[v] > 0)
        heap_insert(s, v);
    else if (v < s->cursor)
        s->cursor = v;
}

static void rescale(struct sat *s)
{
    for (uint32_t i = 0; i < s->vars; i++)
        s->activity[i] *= 1e-100;
    s->bump *= 1e-100;
}

/* The seed only breaks ties, by a trifle of activity. */
static double trifle(const struct sat *s, uint32_t v)
{
    return s->random ? (double)(hash_u64(s->random + v) >> 40) * 1e-12 : 0;
}

void sat_bump(struct sat *s, uint32_t v)
{
    if (s->activity[v] == 0)
        s->activity[v] = s->bump * trifle(s, v);
    s->activity[v] += s->bump;
    if (s->activity[v] > 1e100)
        rescale(s);
    if (s->heap_at[v] < PASSIVE)
        heap_up(s, s->heap_at[v]);
    else if (!s->value[2 * v])
        heap_insert(s, v);
}
