/* The lattice of models and levels: which one is weaker than which, and what follows from that.
 *
 * Level a is weaker than level b if a allows whatever b allows.  So a history that satisfies a
 * level satisfies all weaker ones, and one that violates a level violates all stronger ones.  Every
 * walk over models or levels uses the functions here.
 *
 * A set of levels of a lattice is a bit set of 1u << index; model_sets.h is the same for models. */
#ifndef MODELS_LATTICE_H
#define MODELS_LATTICE_H

#include "models/levels.h"
#include "models/model_sets.h"

/* ---- levels --------------------------------------------------------------------------------- */

/* Is level a weaker than b, or the same? */
bool level_weaker_or_equal(struct level a, struct level b);

#define LATTICE_MAX 32
#define LATTICE_NONE LATTICE_MAX

/* The levels that one question is about. */
struct lattice {
    struct level levels[LATTICE_MAX];
    size_t count;
    bool several_rows; /* the history has reads of several rows; if not, PL-2.99 is SER */
};

/* The levels that a history can be placed among, weakest first, and behind the models the levels
 * that are none; with real time only if `timed`.  Gives their number. */
size_t lattice_all(bool session_order, bool timed, struct named_level out[LATTICE_MAX]);

/* All levels of the lattice that are weaker or equal, or stronger or equal. */
uint32_t lattice_below(const struct lattice *l, struct level level);
uint32_t lattice_above(const struct lattice *l, struct level level);
/* The last level of the set that has no stronger one in the set, or LATTICE_NONE if the set is
 * empty.  Of two names for one level the later one counts as the stronger. */
size_t lattice_next(const struct lattice *l, uint32_t set);
/* `satisfied` are the levels that a history satisfies: which of them are the strongest? */
uint32_t lattice_strongest(const struct lattice *l, uint32_t satisfied);
/* `violated` are the levels that a history violates: which of them are the weakest?  Of a level
 * with and without session order, the one with it stands for both. */
uint32_t lattice_weakest(const struct lattice *l, uint32_t violated);

/* ---- what a violation rules out -------------------------------------------------------------- */

/* The models that a violation rules out, and what has to hold beside them. */
struct ruled_out {
    uint32_t models;      /* set; all that are stronger than one of them are in it */
    bool needs_sessions;  /* the argument uses session order */
    bool needs_real_time; /* … the real-time order: `models` is then empty */
    /* For ruled_out_level. */
    uint32_t shapes;    /* set: the cycles are impossible under these, given their edges */
    bool needs_begins;  /* real time: that a commit came before a begin */
    bool needs_commits; /* … that a begin or a commit came before a commit */
    bool items;         /* no predicate read is part of the argument: it stands for PL-2.99 */
};

/* Does the same argument rule out the level? */
bool ruled_out_level(const struct ruled_out *o, struct level level);
/* All levels of the lattice that it rules out. */
uint32_t lattice_ruled_out(const struct lattice *l, const struct ruled_out *o);
/* The names of the levels that are no models and that it rules out, one after the other, then NULL:
 * "pl-2.99", "adya-si", "plain-ser", "gsi", "strong-si", "strict-ser". */
const char *ruled_out_extra(const struct ruled_out *o, size_t i);

#endif
