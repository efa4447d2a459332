/* Which model is weaker than which; see model_sets.h. */
#include "models/model_sets.h"

/* The table lists each model after all weaker ones, so the recursion ends. */
bool model_weaker_or_equal(enum model_id a, enum model_id b)
{
    if (a == b)
        return true;
    if (a >= MODEL_COUNT || b >= MODEL_COUNT)
        return false; /* the level of a database is inferred from nothing */
    for (unsigned i = 0; i < MODEL_COUNT; i++)
        if (model_table[b].below >> i & 1 && model_weaker_or_equal(a, (enum model_id)i))
            return true;
    return false;
}

uint32_t model_and_above(enum model_id model)
{
    uint32_t set = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (model_weaker_or_equal(model, (enum model_id)m))
            set |= 1u << m;
    return set;
}

uint32_t model_and_below(enum model_id model)
{
    uint32_t set = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (model_weaker_or_equal((enum model_id)m, model))
            set |= 1u << m;
    return set;
}

uint32_t models_strongest(uint32_t set)
{
    uint32_t strongest = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (set >> m & 1 && (model_and_above((enum model_id)m) & set) == 1u << m)
            strongest |= 1u << m;
    return strongest;
}

uint32_t models_weakest(uint32_t set)
{
    uint32_t weakest = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (set >> m & 1 && (model_and_below((enum model_id)m) & set) == 1u << m)
            weakest |= 1u << m;
    return weakest;
}
