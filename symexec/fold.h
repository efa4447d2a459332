/* Folds as terms (SX_FOLDS_TERMS): what the files that execute them share.
 *
 * The body of a fold is executed once, for any index: the BOUND leaf of its depth.  Meanwhile the
 * path condition, `ok` and everything that is recorded are relative to the round, and a variable
 * that is carried from round to round is a *hole*, a leaf that stands for its value at the start of
 * the round.  At the end of the body the round is turned into what the whole loop does:
 *
 *   carried variables   their values over the holes have the shape that classify.c found; the
 *                       result is a term over folds (fold_carried.c)
 *   points              ALL folds, or comparisons of FIRST folds (fold_points.c)
 *   reads, locks        get bounds; their guards say in which rounds they happen (fold_events.c)
 *   writes              a bulk write (row_layers.c)
 *   break, return       at the first index that leaves: the state of that round at that index
 *
 * A term that mentions an index is moved to another index by substitution (fold_rewrite.c): then
 * external values become those of other rows, and inner folds other folds. */
#ifndef SYMEXEC_FOLD_H
#define SYMEXEC_FOLD_H

#include "symexec/exec.h"
#include "symexec/fold_shape.h"

#define SX_DEPTH_MAX 24

/* A carried variable while the body of its loop is executed. */
struct sx_hole {
    const struct ast_var *var;
    enum sx_shape shape;
    uint32_t cell;
    term_id leaf;   /* its value at the start of a round */
    term_id start;  /* its value before the loop */
    term_id result; /* its value behind the loop, unless the loop was left */
    term_id here;   /* its value at the start of round i, for guards; TERM_NONE: not computed yet */
    /* What a round does, without holes: it sets the flag, makes it false (ALL) or true (SOME), or
     * contributes `value` to the least or greatest where cond holds. */
    term_id cond, value;
    /* A sum that may overflow: where, and the expression. */
    bool checked;
    struct src_loc loc;
    const char *text;
};

/* A read or lock that the body makes: guard and before are relative to the round. */
struct sx_guarded {
    uint32_t id;
    term_id guard, before;
};
typedef VEC(struct sx_guarded) sx_guards;

struct sx_fold_frame {
    struct sx_fold_frame *outer;
    const struct ast_stmt *loop;
    struct sx_bound index;
    uint32_t depth;
    struct sx_fold_shape shape;
    struct sx_hole *holes;
    uint32_t n_holes;
    sx_guards reads, locks;
    size_t first_point;
    size_t *stack; /* by table: how many layers there were (row_layers.c) */
    /* At the end of the body: */
    term_id leaves; /* the round leaves the loop */
    term_id left;   /* FIRST of it; TERM_NONE: not computed yet */
    term_id stops;  /* the round stops the execution */
};

/* Execute a loop whose header has been executed.  hi: where the index ends. */
void sx_fold_execute(struct sx_exec *x, const struct ast_stmt *loop, term_id lo, term_id hi);
/* The loop cannot be a term: say so, or have it unrolled if that is possible. */
void sx_fold_cannot(struct sx_exec *x, const struct sx_fold_frame *f, struct src_loc at,
                    const char *why);

/* ---- terms (fold_term.c) -------------------------------------------------------------------- */
#define SX_MASK_HOLE (UINT32_C(1) << 31)
/* Which BOUND leaves (bit: depth) the value of a term depends on, and whether it has holes. */
uint32_t sx_mask(struct sx_exec *x, term_id t);
term_id sx_bound_leaf(struct sx_exec *x, uint32_t depth);
/* The result of a fold (f.leaf is filled in), simplified; ALL gives a condition, others an Int. */
term_id sx_fold_make(struct sx_exec *x, struct sx_fold f);
/* cond for all, for some index of the frame; the first index with cond. */
term_id sx_fold_all(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond);
term_id sx_fold_any(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond);
term_id sx_fold_first(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond);

/* ---- substitution (fold_rewrite.c) ----------------------------------------------------------- */
struct sx_rewrite {
    struct sx_exec *x;
    uint32_t mapped; /* the BOUND leaves that are replaced; SX_MASK_HOLE: holes are */
    term_id to[SX_DEPTH_MAX];
    term_id (*hole)(void *arg, term_id leaf); /* TERM_NONE: the hole stays */
    void *arg;
    struct term_subst subst;
};
/* Fill in x, mapped and what replaces; then rewrite as often as you like; free. */
term_id sx_rewrite(struct sx_rewrite *r, term_id t);
void sx_rewrite_free(struct sx_rewrite *r);
/* A term that mentions the index of depth d, at another index. */
term_id sx_at_index(struct sx_exec *x, term_id t, uint32_t d, term_id index);

/* ---- carried variables (fold_carried.c) ------------------------------------------------------ */
/* The value at the end of a round; fills in result and what the round does.  False: it has another
 * shape. */
bool sx_hole_close(struct sx_exec *x, const struct sx_fold_frame *f, struct sx_hole *h,
                   term_id now);
struct sx_hole *sx_hole_find(const struct sx_fold_frame *f, term_id leaf);
/* A condition or value of a round, without holes. */
term_id sx_holes_filled(struct sx_exec *x, struct sx_fold_frame *f, term_id t);

/* ---- points, reads, locks (fold_points.c, fold_events.c) ------------------------------------- */
/* sx_require for a condition with a hole: true if it is the overflow of a sum, which is judged
 * behind the loop. */
bool sx_fold_overflow(struct sx_exec *x, enum sx_point_kind kind, term_id cond, struct src_loc loc,
                      const char *text);
/* Turn the points of the round into those of the loop; adds them once the frame is left. */
struct sx_fold_points {
    struct sx_point *list;
    size_t n;
};
struct sx_fold_points sx_fold_points(struct sx_exec *x, struct sx_fold_frame *f);
void sx_fold_points_add(struct sx_exec *x, const struct sx_fold_points *p);
/* In this round nothing left the loop before, and nothing stopped before. */
term_id sx_fold_reached(struct sx_exec *x, struct sx_fold_frame *f);
term_id sx_fold_not_stopped(struct sx_exec *x, struct sx_fold_frame *f);
/* Nothing left the loop before this round. */
term_id sx_fold_happens(struct sx_exec *x, struct sx_fold_frame *f);
/* Make the guards of reads and locks those of the loop; then, with the frame left, hand them over
 * to what is around it. */
void sx_fold_lift(struct sx_exec *x, struct sx_fold_frame *f);
void sx_fold_hand_over(struct sx_exec *x, struct sx_fold_frame *f);

#endif
