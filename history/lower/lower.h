/* Predicate reads in terms of items: the history that the engine sees.
 *
 * For every row and predicate that matter there is one more key, the row as the predicate sees it
 * ("row ? condition"), whose versions are those versions of the row that change whether it matches.
 * A transaction that evaluated the predicate read the last such version that is not newer than the
 * row in its version set.  So Adya's predicate dependencies become wr and ww edges of that key and
 * the predicate anti-dependencies its rw edges (Adya, thesis, 2000, sections 4.4.1 and 4.4.2), at
 * every level, with every certificate and explanation that the engine has.
 *
 * Without a version set, every write of a row says whether its version matches, and a row that was
 * not returned is a read of "does not match": several versions may say so, a choice like any
 * other.
 *
 * Repeatable read (PL-2.99) does not count predicate anti-dependencies: there the new key belongs
 * to one version only, which no later version overwrites; without a version set, to all that turn
 * the row from how it was at first, which nobody turns back (lower_repeatable.c). */
#ifndef HISTORY_LOWER_LOWER_H
#define HISTORY_LOWER_LOWER_H

#include "history/history.h"
#include "models/models.h"

/* Rows that predicate reads without version sets did not return: index of the predicate read and
 * key, ascending. */
typedef VEC(struct hist_pair) lower_rows;

struct lower_options {
    bool items_only; /* repeatable read */
    /* The level has no prefix snapshots and no write conflicts (RC, RA, CC): a transaction that
     * must not see a version may yet see later ones, so all of them must be there. */
    bool all_versions;
    /* Session order counts: of several transactions of a session that come before (after) a
     * predicate read, the last (first) one will do, since the others follow. */
    bool by_session;
    /* What a transaction sees follows from nothing but its reads and its session (RC, RA; with
     * all_versions): most rows need not be there, see lower_direct.c. */
    bool direct;
    /* A version set is taken at its word: its versions were seen, and not others that match alike.
     * That asks for more than the level does, and leaves no choice; for all_versions with
     * by_session. */
    bool exact;
    /* Of the rows that predicate reads without version sets did not return only these are put in
     * terms of items (missing_rows.h); NULL: all of them.  Not for repeatable read. */
    const lower_rows *only;
};

/* What is wrong with a result. */
enum lower_fault {
    LOWER_ROW, /* a row is there that should not, or is not there that should, or is another */
    LOWER_AGGREGATE, /* the number */
    LOWER_SET        /* the version set has a version that cannot be in it */
};

struct lowered {
    struct history *history; /* owned by the caller; NULL: no predicates, take the original */
    const char *violation;   /* a result that contradicts its version set, explained; or NULL */
    enum lower_fault fault;  /* … what */
    uint32_t txn, predicate; /* … whose */
    uint32_t key, op;        /* … ROW: of this key; SET: this version */
    const char *unknown;     /* why the history is outside of what is decided; or NULL */
    /* Per predicate read of the original: the operations of `history` that it became.  Owned by the
     * caller. */
    struct lower_span *spans;
};
struct lower_span {
    uint32_t first, end;
};

/* Levels that see predicate reads alike: most of them, cc, and rc and ra; for cc what is enough
 * (exact); and repeatable read, which is no model of its own. */
enum lower_view { LOWER_STRONG, LOWER_CAUSAL, LOWER_DIRECT, LOWER_EXACT, LOWER_ITEMS, LOWER_VIEWS };
enum lower_view lower_view_of(enum model_id m);
struct lower_options lower_view_options(enum lower_view view, bool by_session);

/* Does the level's answer depend on predicates beyond the items that the operations show? */
bool lower_needed(const struct history *h, const struct lower_options *o);
/* Texts are owned by the arena. */
void lower_history(const struct history *h, const struct lower_options *o, struct arena *messages,
                   struct lowered *out);

#endif
