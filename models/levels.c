/* Names and titles of levels; see levels.h. */
#include "models/levels.h"

#include <strings.h>

static const struct named_level level_names[] = {
    {"strong-session-ser", {MODEL_SER, true, LEVEL_NO_TIME}},
    {"strong-session-si", {MODEL_SI, true, LEVEL_NO_TIME}},
    {"plain-ser", {MODEL_SER, false, LEVEL_NO_TIME}},
    {"adya-si", {MODEL_SI, false, LEVEL_NO_TIME}},
    {"plain-si", {MODEL_SI, false, LEVEL_NO_TIME}},
    {"strict-ser", {MODEL_SER, true, LEVEL_TIME_STRICT}},
    {"strict-serializable", {MODEL_SER, true, LEVEL_TIME_STRICT}},
    {"gsi", {MODEL_SI, false, LEVEL_TIME_COMMITS}},
    {"strong-si", {MODEL_SI, true, LEVEL_TIME_STRICT}},
    {"pl-2.99", {MODEL_SER, true, LEVEL_ITEMS_ONLY}},
    {"repeatable-read", {MODEL_SER, true, LEVEL_ITEMS_ONLY}},
};

struct level level_normal(struct level l)
{
    l.session_order &= model_counts_sessions(model_get(l.model));
    return l;
}

struct level level_make(enum model_id model, bool session_order)
{
    return level_normal((struct level){model, session_order, LEVEL_NO_TIME});
}

bool level_find(const char *name, struct level *out)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (!strcasecmp(name, level_names[i].name)) {
            *out = level_names[i].level;
            return true;
        }
    const struct model *m = model_find(name);
    if (m)
        *out = level_make(m->id, true);
    return m != NULL;
}

const char *level_extra(size_t i)
{
    return i < sizeof level_names / sizeof *level_names ? level_names[i].name : NULL;
}

const char *level_title(struct level l)
{
    static const char *const with[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) title,
#include "models/models.def"
#undef MODEL
    };
    static const char *const without[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) title " without session order",
#include "models/models.def"
#undef MODEL
    };
    if (l.real_time == LEVEL_ITEMS_ONLY)
        return l.session_order ? "repeatable read (PL-2.99)"
                               : "repeatable read (PL-2.99) without session order";
    if (l.real_time != LEVEL_NO_TIME && l.model == MODEL_SER)
        return "strict serializability";
    if (l.real_time == LEVEL_TIME_STRICT && l.model == MODEL_SI)
        return "strong snapshot isolation";
    if (l.real_time == LEVEL_TIME_COMMITS && l.model == MODEL_SI)
        return "generalized snapshot isolation";
    bool sessions = l.session_order || !model_counts_sessions(model_get(l.model));
    return sessions ? with[l.model] : without[l.model];
}

const char *level_short_title(struct level l)
{
    static const char *const with[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) #id,
#include "models/models.def"
#undef MODEL
    };
    static const char *const without[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) #id " without session order",
#include "models/models.def"
#undef MODEL
    };
    if (l.real_time == LEVEL_ITEMS_ONLY)
        return l.session_order ? "PL-2.99" : "PL-2.99 without session order";
    bool sessions = l.session_order || !model_counts_sessions(model_get(l.model));
    if (l.real_time == LEVEL_NO_TIME)
        return sessions ? with[l.model] : without[l.model];
    if (l.model == MODEL_SER && l.real_time == LEVEL_TIME_STRICT)
        return "strict SER";
    if (l.model == MODEL_SI)
        return l.real_time == LEVEL_TIME_STRICT ? "strong SI" : "GSI";
    return level_title(l);
}
