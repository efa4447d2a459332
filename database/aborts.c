#include "database/aborts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *meaning(const char *sqlstate)
{
    static const struct {
        const char *state, *words;
    } table[] = {
#define ABORT(state, words) {state, words},
#include "database/aborts.def"
#undef ABORT
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strncmp(sqlstate, table[i].state, strlen(table[i].state)))
            return table[i].words;
    return "refused by the server";
}

void aborts_count(struct aborts *a, const char *sqlstate, const char *why, uint64_t count)
{
    if (!why)
        why = meaning(sqlstate);
    size_t i = 0;
    while (i < a->n && (strcmp(a->by[i].sqlstate, sqlstate) != 0 || strcmp(a->by[i].why, why) != 0))
        i++;
    if (i == ABORT_REASONS)
        i--;
    if (i == a->n) {
        bool rest = i == ABORT_REASONS - 1;
        snprintf(a->by[i].sqlstate, sizeof a->by[i].sqlstate, "%.5s", rest ? "" : sqlstate);
        a->by[i].why = rest ? "other reasons" : why;
        a->n++;
    }
    a->by[i].count += count;
}

void aborts_add(struct aborts *a, const struct aborts *more)
{
    for (size_t i = 0; i < more->n; i++)
        aborts_count(a, more->by[i].sqlstate, more->by[i].why, more->by[i].count);
}

static int compare(const void *pa, const void *pb)
{
    const struct abort_count *a = pa, *b = pb;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    int by_state = strcmp(a->sqlstate, b->sqlstate);
    return by_state ? by_state : strcmp(a->why, b->why);
}

void aborts_sort(struct aborts *a)
{
    qsort(a->by, a->n, sizeof *a->by, compare);
}
