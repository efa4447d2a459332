/* Isolation models as data.  models.def is the one list of axioms, models and database names;
 * the verifier, the history engine, `visar models` and the documentation's tables all read it. */
#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An axiom about vis and ar.  INT, EXT and vis ⊆ ar belong to every model and are not listed. */
enum model_axiom {
#define AXIOM(id, name, formula) AXIOM_##id,
#include "models/models.def"
#undef AXIOM
    AXIOM_COUNT
};

/* What a transaction's reads are taken from. */
enum model_snapshot {
    SNAPSHOT_TRANSACTION, /* one visible set for the whole transaction */
    SNAPSHOT_STATEMENT,   /* one visible set per statement: a prefix of ar; the prefixes grow */
    SNAPSHOT_READ,        /* one visible set per read; the sets grow */
    SNAPSHOT_ANY          /* one visible set per read, any one; session order does not count */
};

enum model_id {
#define MODEL(id, name, title, snapshot, axioms, below, gives) MODEL_##id,
#include "models/models.def"
#undef MODEL
    MODEL_COUNT, /* of the models with a place in the lattice */
    MODEL_NONE = MODEL_COUNT,
/* The levels of databases: not in the lattice, none is inferred from another. */
#define SERVER_LEVEL(id, name, title, engine, level, snapshot, axioms, within, gives) MODEL_##id,
#include "models/models.def"
#undef SERVER_LEVEL
    MODEL_AFTER_SERVERS
};
#define MODEL_SERVER_FIRST (MODEL_COUNT + 1)
#define MODEL_SERVER_COUNT (MODEL_AFTER_SERVERS - MODEL_SERVER_FIRST)

/* Whose level it is.  InnoDB is MySQL's and MariaDB's. */
enum model_engine { ENGINE_NONE, ENGINE_POSTGRESQL, ENGINE_INNODB };

struct model {
    enum model_id id;
    const char *name;  /* as on the command line: "si" */
    const char *title; /* "snapshot isolation" */
    enum model_snapshot snapshot;
    uint32_t axioms; /* bit set of 1u << enum model_axiom */
    uint32_t below;  /* bit set of the models just weaker */
    const char *gives;
    /* Levels of databases */
    enum model_engine engine; /* else ENGINE_NONE */
    const char *server_level; /* "READ COMMITTED"; else NULL */
    enum model_id within;     /* a model that allows all its histories; of a model: itself */
};

struct model_axiom_info {
    const char *name;    /* "PREFIX" */
    const char *formula; /* "ar ; vis ⊆ vis" */
};

/* What a database's level does with programs beyond its model.  docs/databases.md has the
 * reasons. */
enum model_fit {
    FIT_SAME,      /* nothing: serializable levels */
    FIT_SNAPSHOT,  /* row locks */
    FIT_STATEMENT, /* row locks; a single UPDATE reads the row that it changes anew, and keeps the
                      newest value of the columns that it does not assign */
    FIT_NEWEST,    /* one snapshot for plain reads; changes and locks act on the newest rows */
    FIT_NEAREST    /* the model is the nearest one; the level gives less */
};

/* What one database calls one of its levels, and the model that the level gives. */
struct model_profile {
    const char *database, *level;
    enum model_id model;
    bool exact; /* false: see note */
    enum model_fit fit;
    enum model_id measured; /* the level as it was measured, or MODEL_NONE: by its documentation */
    const char *note;
};

const struct model *model_get(enum model_id id);
const struct model *model_find(const char *name); /* any case; also the long title; or NULL */
/* The same for models and levels of databases. */
const struct model *model_find_any(const char *name);
/* Is it the level of a database, with statements and locks? */
bool model_is_server(const struct model *m);
/* The i-th level of a database; NULL after the last. */
const struct model *model_server(size_t i);
const struct model_axiom_info *model_axiom_info(enum model_axiom a);
bool model_has(const struct model *m, enum model_axiom a);
/* Has every read of a transaction a visible set of its own? */
bool model_per_read(const struct model *m);
/* Session order: does the model count it at all, and does it make earlier transactions visible
 * (so ⊆ vis), or just order them (so ⊆ ar)? */
bool model_counts_sessions(const struct model *m);
bool model_sees_session(const struct model *m);
/* The model table's own order, weakest first; each model comes after all weaker ones. */
extern const struct model model_table[MODEL_COUNT];
extern const struct model_profile model_profiles[];
extern const size_t model_profile_count;

#endif
