/* Isolation levels: a model, whether session order counts, and what real time adds.
 *
 * A level has a name on the command line ("si", "strict-ser"), titles for reports, and a place in
 * the lattice of levels (lattice.h). */
#ifndef MODELS_LEVELS_H
#define MODELS_LEVELS_H

#include "models/models.h"

enum level_time {
    LEVEL_NO_TIME,
    LEVEL_TIME_COMMITS, /* commits come after what ended or began earlier (generalized SI) */
    LEVEL_TIME_STRICT,  /* also, begins come after what ended earlier (strict SER, strong SI) */
    /* Repeatable read, PL-2.99: no real time; SER, but predicate anti-dependencies do not count. */
    LEVEL_ITEMS_ONLY
};

struct level {
    enum model_id model;
    bool session_order;
    enum level_time real_time;
};

/* A level as somebody asks for it. */
struct named_level {
    const char *name; /* as on the command line: "si" */
    struct level level;
};

/* The level of the model, with session order if that is asked for and the model counts it. */
struct level level_make(enum model_id model, bool session_order);
/* The same level, without a session order that its model does not count. */
struct level level_normal(struct level l);
/* Names: a model's name ("ser", "si", "pc", …: with session order), "strong-session-si", …;
 * "adya-si", "plain-ser": without session order; "strict-ser", "gsi", "strong-si"; "pl-2.99",
 * "repeatable-read". */
bool level_find(const char *name, struct level *out);
/* The i-th name besides those of the models; NULL after the last. */
const char *level_extra(size_t i);
/* "snapshot isolation", "strict serializability", … */
const char *level_title(struct level l);
/* "SI", "SI without session order", "strict SER", "strong SI", "GSI", "PL-2.99" */
const char *level_short_title(struct level l);

#endif
