/* What is known on the current path: conditions that hold, and intervals of terms.
 *
 * Facts are about terms, which never change, so a fact stays true until the path is left; then
 * facts_undo takes back everything added since a mark.  Facts decide conditions (a bounds check
 * that the loop condition implies, a repeated `if`) and so keep guards small. */
#ifndef SYMEXEC_FACTS_H
#define SYMEXEC_FACTS_H

#include "symexec/term.h"

struct fact_range {
    term_int lo, hi;
};
struct fact_undo {
    bool is_range;
    term_id term;
    uint32_t old;
};
struct facts {
    struct term_store *store;
    struct map known;  /* term → 1 true, 2 false, 0 nothing */
    struct map ranges; /* term → index into pool, 0 nothing */
    VEC(struct fact_range) pool;
    VEC(struct fact_undo) undo;
};

void facts_init(struct facts *f, struct term_store *s);
void facts_free(struct facts *f);
size_t facts_mark(const struct facts *f);
void facts_undo(struct facts *f, size_t mark);
void facts_add(struct facts *f, term_id cond);
/* The condition, simplified by what is known (equal to it wherever the facts hold). */
term_id facts_fold(struct facts *f, term_id cond);
/* An Int term, with the ITEs at its top that the facts decide resolved. */
term_id facts_value(struct facts *f, term_id t);
struct fact_range facts_range(const struct facts *f, term_id t);

#endif
