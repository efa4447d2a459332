/* The scheduler of the agenda; see agenda.h. */
#include "check/agenda/agenda.h"

#include <string.h>

#include "base/limit.h"
#include "base/mem.h"

/* Per technique. */
struct turn {
    uint32_t rounds; /* in which it ran */
    bool done;       /* it is not asked again */
};

struct schedule {
    const struct agenda *a;
    struct turn *turns;
    bool ended; /* no technique is asked any more */
};

static bool is_in_play(const struct schedule *s, size_t i)
{
    const struct technique *t = &s->a->rows[i];
    return !s->turns[i].done && t->applies(s->a->question);
}

/* Do other techniques have a budget to lose? */
static bool is_alone(const struct schedule *s, size_t i)
{
    for (size_t j = 0; j < s->a->count; j++)
        if (j != i && s->a->rows[j].kind != TECHNIQUE_ONCE && is_in_play(s, j))
            return false;
    return true;
}

static uint64_t budget_in_round(const struct schedule *s, size_t i)
{
    uint64_t steps = s->a->unit * s->a->rows[i].share, total = budget_left(s->a->total);
    for (uint32_t r = 0; r < s->turns[i].rounds && steps < BUDGET_ENDLESS / AGENDA_GROWTH; r++)
        steps *= AGENDA_GROWTH;
    if (s->a->rows[i].kind == TECHNIQUE_ONCE || is_alone(s, i))
        steps = BUDGET_ENDLESS;
    return steps < total ? steps : total;
}

/* True: technique i answered. */
static bool take_turn(struct schedule *s, size_t i)
{
    const struct agenda *a = s->a;
    const struct technique *t = &a->rows[i];
    struct budget b = budget_of(budget_in_round(s, i));
    double start = a->stats ? stats_user_seconds() : 0;
    bool answered = t->run(a->question, &b);
    budget_spend(a->total, b.spent);
    if (a->stats)
        stats_technique(a->stats, t->name, answered, b.spent, stats_user_seconds() - start);
    s->turns[i].rounds++;
    s->turns[i].done = t->kind == TECHNIQUE_ONCE || !budget_is_over(&b);
    s->ended = limit_reached() || budget_is_over(a->total) ||
               (t->kind == TECHNIQUE_COMPLETE && s->turns[i].done);
    return answered;
}

/* The technique of the round that answered, or NULL; *any: some technique had its turn. */
static const char *run_round(struct schedule *s, uint32_t round, bool *any)
{
    for (size_t i = 0; i < s->a->count && !s->ended; i++) {
        if (s->turns[i].rounds > round || !is_in_play(s, i))
            continue;
        *any = true;
        if (take_turn(s, i))
            return s->a->rows[i].name;
    }
    return NULL;
}

static const char *run_favourite(struct schedule *s)
{
    for (size_t i = 0; i < s->a->count && s->a->favourite; i++)
        if (!strcmp(s->a->rows[i].name, s->a->favourite) && is_in_play(s, i) && take_turn(s, i))
            return s->a->rows[i].name;
    return NULL;
}

const char *agenda_run(const struct agenda *a)
{
    struct schedule s = {.a = a, .turns = mem_calloc(a->count + 1, sizeof *s.turns)};
    s.ended = limit_reached() || budget_is_over(a->total);
    const char *winner = s.ended ? NULL : run_favourite(&s);
    bool any = true;
    for (uint32_t round = 0; any && !winner && !s.ended; round++) {
        any = false;
        winner = run_round(&s, round, &any);
    }
    mem_free(s.turns);
    return winner;
}
