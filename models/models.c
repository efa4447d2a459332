#include "models/models.h"

#include <string.h>
#include <strings.h>

const struct model model_table[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives)                                     \
    {MODEL_##id, name, title, snapshot, axioms, below, gives, ENGINE_NONE, NULL, MODEL_##id},
#include "models/models.def"
#undef MODEL
};

static const struct model server_table[MODEL_SERVER_COUNT] = {
#define SERVER_LEVEL(id, name, title, engine, level, snapshot, axioms, within, gives)              \
    {MODEL_##id, name, title, snapshot, axioms, 0, gives, ENGINE_##engine, level, MODEL_##within},
#include "models/models.def"
#undef SERVER_LEVEL
};

static const struct model_axiom_info axiom_table[AXIOM_COUNT] = {
#define AXIOM(id, name, formula) {name, formula},
#include "models/models.def"
#undef AXIOM
};

const struct model_profile model_profiles[] = {
#define PROFILE(database, level, model, exact, fit, measured, note)                                \
    {database, level, MODEL_##model, exact, FIT_##fit, MODEL_##measured, note},
#include "models/models.def"
#undef PROFILE
};
const size_t model_profile_count = sizeof model_profiles / sizeof *model_profiles;

const struct model *model_get(enum model_id id)
{
    return id < MODEL_COUNT ? &model_table[id] : &server_table[id - MODEL_SERVER_FIRST];
}

const struct model *model_find(const char *name)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (!strcasecmp(name, model_table[i].name) || !strcasecmp(name, model_table[i].title))
            return &model_table[i];
    return NULL;
}

const struct model *model_find_any(const char *name)
{
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (!strcasecmp(name, server_table[i].name) || !strcasecmp(name, server_table[i].title))
            return &server_table[i];
    return model_find(name);
}

bool model_is_server(const struct model *m)
{
    return m->engine != ENGINE_NONE;
}

const struct model *model_server(size_t i)
{
    return i < MODEL_SERVER_COUNT ? &server_table[i] : NULL;
}

const struct model_axiom_info *model_axiom_info(enum model_axiom a)
{
    return &axiom_table[a];
}

bool model_per_read(const struct model *m)
{
    return m->snapshot == SNAPSHOT_READ || m->snapshot == SNAPSHOT_ANY;
}

bool model_counts_sessions(const struct model *m)
{
    return m->snapshot != SNAPSHOT_ANY;
}

bool model_sees_session(const struct model *m)
{
    return !model_per_read(m);
}

bool model_has(const struct model *m, enum model_axiom a)
{
    return m->axioms >> a & 1;
}
