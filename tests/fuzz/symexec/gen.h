/* What the parts of the program generator share. */
#ifndef FUZZ_SYMEXEC_GEN_H
#define FUZZ_SYMEXEC_GEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "generate.h"

#define GEN_TYPES 10
extern const char *const gen_type_names[GEN_TYPES];

/* What a function is for decides what it may do; helpers are as those that call them. */
enum gen_role {
    GEN_TRANSACTION, /* all */
    GEN_INITIAL,     /* reads and writes rows, nondet, assume */
    GEN_PREDICATE,   /* reads rows */
    GEN_SCENARIO     /* never touches a row; nondet, assume, assert, calls of transactions */
};

struct gen_variable {
    char name[12];
    bool fixed; /* a loop counter: not to be assigned */
};

struct gen_transaction {
    unsigned number, params;
};

struct gen {
    uint64_t rng;
    struct strbuf *out;
    enum gen_role role;
    VEC(struct gen_variable) vars;      /* integer locals in scope */
    unsigned pointers, arrays, structs; /* in scope: p0 …, a0 …, s0 … */
    unsigned names, labels;
    int indent, loops, statements;
    int fors;         /* for loops around: they may be folds, which have no ATOMIC in them */
    int no_pointers;  /* at this indentation: a goto must not skip the initialiser of one */
    unsigned helpers; /* that may be called: the first of this role and group */
    unsigned group;   /* functions that belong together */
    bool in_helper, in_switch;
    bool in_session;                      /* a scenario: below SESSION */
    bool strict;                          /* no index out of bounds */
    bool plain_index;                     /* an index is a constant or i */
    VEC(struct gen_transaction) callable; /* by a scenario */
};

/* generate.c */
unsigned gen_pick(struct gen *g, unsigned n);
bool gen_chance(struct gen *g, unsigned percent);
__attribute__((format(printf, 2, 3))) void gen_line(struct gen *g, const char *fmt, ...);
const char *gen_type(struct gen *g); /* the name of any integer type */
char gen_helper_letter(enum gen_role role);
/* A new integer local, its name to `name`. */
void gen_new_variable(struct gen *g, bool fixed, char name[12]);

static inline bool gen_sees_rows(const struct gen *g)
{
    return g->role != GEN_SCENARIO;
}
static inline bool gen_changes_rows(const struct gen *g)
{
    return g->role == GEN_TRANSACTION || g->role == GEN_INITIAL;
}

/* gen_expr.c */
void gen_expr(struct gen *g, struct strbuf *b, int depth);
void gen_operand(struct gen *g, struct strbuf *b, int depth); /* not a constant expression */
/* An index into n elements: in range, mostly, or if strict always. */
void gen_index(struct gen *g, struct strbuf *b, unsigned n, bool strict);
void gen_database_place(struct gen *g, struct strbuf *b);
void gen_local_place(struct gen *g, struct strbuf *b);
/* A place that may be assigned. */
void gen_target(struct gen *g, struct strbuf *b);

/* gen_exact.c */
void gen_exact_predicate(struct gen *g, const char *word, unsigned number);

/* gen_stmt.c */
void gen_block(struct gen *g, int depth, unsigned n);

#endif
