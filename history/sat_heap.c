/* The variables that are open, the most active first: a binary heap. */
#include "history/sat_internal.h"

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

void sat_heap_insert(struct sat *s, uint32_t v)
{
    if (s->heap_at[v] != UINT32_MAX)
        return;
    s->heap[s->heap_len] = v;
    heap_up(s, s->heap_len++);
}

uint32_t sat_heap_pop(struct sat *s)
{
    uint32_t top = s->heap[0];
    s->heap_at[top] = UINT32_MAX;
    uint32_t last = s->heap[--s->heap_len];
    if (s->heap_len) {
        s->heap[0] = last;
        heap_down(s, 0);
    }
    return top;
}

void sat_bump(struct sat *s, uint32_t v)
{
    s->activity[v] += s->bump;
    if (s->activity[v] > 1e100) {
        for (uint32_t i = 0; i < s->vars; i++)
            s->activity[i] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_at[v] < PASSIVE)
        heap_up(s, s->heap_at[v]);
}
