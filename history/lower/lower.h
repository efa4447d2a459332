/* Lowering: predicate reads in terms of items, which is the history that the engine sees.
 *
 * For every row and predicate that matter there is one more key, the row as the predicate sees it
 * ("row ? condition").  Its versions are those versions of the row that change whether the row
 * matches.  A transaction that evaluated the predicate read the last such version that is not newer
 * than the row's version in its version set.  So Adya's predicate dependencies become wr and ww
 * edges of that key, and the predicate anti-dependencies become its rw edges (Adya, thesis, 2000,
 * sections 4.4.1 and 4.4.2), at every level and with all certificates and explanations of the
 * engine.
 *
 * Without a version set, every write of a row says whether its version matches, and a row that was
 * not returned (a missing row) is a read of "does not match".  Several versions may say so: a
 * choice like any other.
 *
 * Repeatable read (PL-2.99) ignores predicate anti-dependencies.  There the new key belongs to one
 * version only, which no later version overwrites.  Without a version set it belongs to all
 * versions that turn the row from its initial state, and no version turns it back
 * (lower_repeatable.c). */
#ifndef HISTORY_LOWER_LOWER_H
#define HISTORY_LOWER_LOWER_H

#include "history/history.h"
#include "models/models.h"

/* Missing rows, those that predicate reads without version sets did not return: index of the
 * predicate read, and key; ascending. */
typedef VEC(struct hist_pair) lower_rows;

struct lower_options {
    bool items_only; /* repeatable read */
    /* The level has no prefix snapshots and no write conflicts (RC, RA, CC): a transaction that
     * must not see a version may still see later ones, so the new key needs all versions. */
    bool all_versions;
    /* Session order counts: of several transactions of a session that come before (after) a
     * predicate read, the last (first) one is enough, since the others follow. */
    bool by_session;
    /* What a transaction sees depends only on its reads and its session (RC, RA; with
     * all_versions): most rows are not needed, see lower_direct.c. */
    bool direct;
    /* A version set is taken literally: its versions were seen, and no others that match alike.
     * That asks for more than the level does, but leaves no choice; for all_versions with
     * by_session. */
    bool exact;
    /* Lower only these missing rows (missing_rows.h); NULL: all of them.  Not for repeatable
     * read. */
    const lower_rows *only;
};

/* What is wrong with a result. */
enum lower_fault {
    LOWER_ROW,       /* a row is returned that should not be, is missing, or has another value */
    LOWER_AGGREGATE, /* the result of the aggregate is wrong */
    LOWER_SET        /* the version set has a version that cannot be in it */
};

struct lowered {
    /* Owned by the caller; NULL: no predicates, use the original history. */
    struct history *history;
    const char *violation;   /* a result that contradicts its version set, as a message; or NULL */
    enum lower_fault fault;  /* violation: the kind of contradiction */
    uint32_t txn, predicate; /* violation: the transaction and the predicate read */
    uint32_t key, op;        /* violation: key (LOWER_ROW), version (LOWER_SET) */
    const char *unknown;     /* why the history cannot be decided; or NULL */
    /* Per predicate read of the original: the operations of `history` that it became.  Owned by the
     * caller. */
    struct lower_span *spans;
};
struct lower_span {
    uint32_t first, end;
};

/* A view is how a group of levels sees predicate reads: cc (LOWER_CAUSAL), rc and ra
 * (LOWER_DIRECT), a sufficient condition for cc (LOWER_EXACT), repeatable read, which is no model
 * of its own (LOWER_ITEMS), and all others (LOWER_STRONG). */
enum lower_view { LOWER_STRONG, LOWER_CAUSAL, LOWER_DIRECT, LOWER_EXACT, LOWER_ITEMS, LOWER_VIEWS };
enum lower_view lower_view_of(enum model_id m);
struct lower_options lower_view_options(enum lower_view view, bool by_session);

/* Does the answer at the level depend on predicates beyond the items that the operations show? */
bool lower_needed(const struct history *h, const struct lower_options *o);
/* Texts are owned by the arena. */
void lower_history(const struct history *h, const struct lower_options *o, struct arena *messages,
                   struct lowered *out);

#endif
