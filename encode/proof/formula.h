/* Formulas about whole states: terms with cells, folds and variables as leaves.
 *
 * A formula is a term (symexec/term.h) of the program's store.  Three kinds of leaves have a
 * meaning here, beside inputs, which are just unknowns:
 *
 *   variable  bound by a fold, quantified by a template, or the index of a bulk write
 *   cell      the value of a field in a row of a state; the row's indices are terms
 *   fold      all, sum, least, greatest or first over a range of indices; its parts are terms
 *
 * Cells and folds are made once: equal ones are one leaf, so that equal formulas are equal terms.
 * A formula is *ground* if no variable is free in it.
 *
 * States.  Some are unknown, one is all zeros, and some are another state with one write (single
 * row or bulk) put on top.  A ground cell of an overwritten state is never a leaf: it is written
 * out as "the value written if the write hits the row, else the cell below".  A ground sum over an
 * overwritten state is written out, too: the sum below and what the write adds to it (sums.c). */
#ifndef ENCODE_PROOF_FORMULA_H
#define ENCODE_PROOF_FORMULA_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "symexec/summary.h"

/* Variables, by number: the bits of a mask.  The bits above them say which states occur. */
enum {
    FM_BINDERS = 24, /* 0 …: bound by folds */
    FM_PARAMS = 8,   /* then: quantified by templates */
    FM_INDICES = 8,  /* then: of bulk writes; and folds of summaries, while they are read */
    FM_PARAM = FM_BINDERS,
    FM_INDEX = FM_PARAM + FM_PARAMS,
    FM_VARS = FM_INDEX + FM_INDICES,
    FM_SUM_INDICES = 4 /* of one sum */
};
#define FM_VAR_BITS ((UINT64_C(1) << FM_VARS) - 1)

/* State 0 stands for any state: that of a template. */
#define FM_ANY_STATE 0u

/* One write of a transaction: of a row, or of all rows that the variables FM_INDEX, FM_INDEX + 1, …
 * name (each is itself an index of the row). */
struct fm_write {
    uint32_t table, n_bound;
    const term_id *index;
    term_id guard; /* complete: the transaction commits, the indices are in their range */
    const term_id *value;
    const bool *same; /* by field: the value is the one below */
    const struct sx_write *of;
};

enum fm_state_kind { FM_UNKNOWN, FM_ZERO, FM_OVERWRITTEN };
struct fm_state {
    enum fm_state_kind kind;
    const char *name;
    uint32_t below;            /* OVERWRITTEN: on top of which state, a smaller number */
    const struct fm_write *by; /* … and what */
};

struct fm_cell {
    uint32_t state, table, field;
    const term_id *index;
};

/* Sums may have several indices, outermost first; the others have one. */
struct fm_fold {
    enum sx_fold_kind kind;
    uint32_t n;
    term_id var[FM_SUM_INDICES], lo[FM_SUM_INDICES], hi[FM_SUM_INDICES];
    term_id cond, value, start; /* as in struct sx_fold; TERM_NONE where there is none */
    struct src_loc loc;
};

enum fm_leaf_kind { FM_VAR, FM_CELL, FM_FOLD };
struct fm_leaf {
    enum fm_leaf_kind kind;
    term_id term;
    uint64_t free;  /* variables that are free in it, and states that occur */
    uint64_t binds; /* variables that it, or a fold in it, binds */
    union {
        uint32_t var;
        struct fm_cell cell;
        struct fm_fold fold;
    };
    uint32_t next; /* of the same hash, + 1 */
};

/* A sum that is left of what a write does to another one: its value is not known. */
struct fm_left_sum {
    term_id sum;
    struct src_loc loop; /* of the other one */
    const struct fm_write *by;
};

struct fm {
    struct arena arena;
    struct sx_program *sx;
    struct term_store *store;
    VEC(struct fm_leaf *) leaves;
    struct map by_leaf; /* number of a leaf in the store → its number in `leaves` */
    struct map by_hash;
    VEC(struct fm_state) states; /* [0]: any */
    VEC(struct fm_left_sum) left_sums;
    VEC(uint64_t) free, binds; /* by term; free: + 1 bit that says "computed" */
    term_id var[FM_VARS];
    term_id size;     /* N */
    term_id hole[16]; /* arguments of the functions that sums are (ground.c) */
    /* In sums.c: sums that are being made inside of each other; bounds that were split, and sums
     * that were made, since the outermost of them was begun. */
    unsigned sums, splits, work;
    const char *limit; /* something is too deep or too large: what; nothing is proved then */
};

void fm_init(struct fm *fm, struct sx_program *sx);
void fm_free(struct fm *fm);

uint32_t fm_unknown_state(struct fm *fm, const char *name);
uint32_t fm_zero_state(struct fm *fm);
uint32_t fm_overwritten(struct fm *fm, uint32_t below, const struct fm_write *by);

/* "bank.c:12", or NULL if there is no such place. */
const char *fm_place(struct fm *fm, struct src_loc loc);
/* Something about the loop is too much: nothing is proved. */
void fm_too_much(struct fm *fm, const char *what, struct src_loc loop);

/* What a leaf of the store means, or NULL. */
const struct fm_leaf *fm_leaf(const struct fm *fm, uint32_t leaf);
/* … and of a term that is a leaf. */
const struct fm_leaf *fm_leaf_of(const struct fm *fm, term_id t);
uint64_t fm_free_in(struct fm *fm, term_id t); /* mask: variables, states */
uint64_t fm_binds_in(struct fm *fm, term_id t);
static inline bool fm_ground(struct fm *fm, term_id t)
{
    return (fm_free_in(fm, t) & FM_VAR_BITS) == 0;
}
static inline uint64_t fm_var_bit(uint32_t var)
{
    return UINT64_C(1) << var;
}
uint64_t fm_state_bit(uint32_t state); /* shared by many states if there are many */
/* The number of a variable. */
uint32_t fm_var_number(const struct fm *fm, term_id var);

/* A new unknown. */
term_id fm_unknown(struct fm *fm, const char *name, term_int lo, term_int hi);
/* The number of rows in a dimension of a table. */
term_id fm_dim(struct fm *fm, uint32_t table, uint32_t dim);
term_id fm_cell(struct fm *fm, uint32_t state, uint32_t table, uint32_t field,
                const term_id *index);
/* The fold's variables are any that occur nowhere else. */
term_id fm_fold(struct fm *fm, const struct fm_fold *f);
/* As fm_fold, for SUM (sums.c). */
term_id fm_sum(struct fm *fm, const struct fm_fold *f);
/* The leaf of a fold in its normal form; for fm_fold and fm_sum. */
term_id fm_fold_leaf(struct fm *fm, const struct fm_fold *f, term_int lo, term_int hi);
/* lo <= t < hi */
term_id fm_between(struct fm *fm, term_id lo, term_id t, term_id hi);
/* For one tuple of indices: it is in range and fulfils the condition. */
term_id fm_in_fold(struct fm *fm, const struct fm_fold *f);

/* The write hits the row. */
term_id fm_hits(struct fm *fm, const struct fm_write *w, const term_id *index);
/* The value that it writes there. */
term_id fm_written(struct fm *fm, const struct fm_write *w, uint32_t field, const term_id *index);

/* ---- substitution -------------------------------------------------------------------------- */

/* Variables become terms, and a state becomes another one. */
struct fm_subst {
    struct fm *fm;
    term_id to[FM_VARS]; /* TERM_NONE: stays */
    bool move;           /* from → state */
    uint32_t from, state;
    const term_id *only; /* or NULL: cells of that row alone move */
    uint32_t only_table;
    /* Cells of `expand`, an overwritten state, become what the write leaves of the state below,
     * written out.  Those whose index is `hit` are known to be hit. */
    bool expanding;
    uint32_t expand;
    const term_id *hit;
    uint64_t touches, range; /* what is replaced; what is free in the replacements */
    struct term_subst subst;
};
void fm_subst_begin(struct fm_subst *s, struct fm *fm);
void fm_subst_var(struct fm_subst *s, term_id var, term_id to);
void fm_subst_state(struct fm_subst *s, uint32_t from, uint32_t to);
void fm_subst_expand(struct fm_subst *s, uint32_t state, const term_id *hit);
term_id fm_subst(struct fm_subst *s, term_id t);
void fm_subst_end(struct fm_subst *s);
/* One variable. */
term_id fm_at(struct fm *fm, term_id t, term_id var, term_id to);
/* One state. */
term_id fm_on(struct fm *fm, term_id t, uint32_t from, uint32_t to);

/* Every leaf below t that has a meaning, also inside of cells and folds; each once. */
void fm_each_leaf(struct fm *fm, term_id t, void (*fn)(void *arg, const struct fm_leaf *leaf),
                  void *arg);

#endif
