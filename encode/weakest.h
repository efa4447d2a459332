/* The weakest models under which a program keeps all its properties.
 *
 * Models are ordered by the executions that they allow.  So what holds under a model holds under
 * every stronger one, and an execution that violates a property under a model is allowed by every
 * weaker one: one run settles many models, and the search first asks about the model whose answer
 * settles most in either case.  The result is the *minimal* models (everything holds, but under no
 * weaker model) and the *ruled out* ones (violated, though everything just above holds, or just
 * below a minimal model); each of these has been run itself, so the result does not depend on the
 * order of the search.
 *
 * Mixed levels are ordered in the same way, transaction by transaction: lowering one transaction
 * only adds executions.  An assignment in which no single transaction can be lowered is therefore
 * minimal, and one pass over the transactions finds one: a transaction that could not be lowered
 * cannot be lowered after others have been lowered, either. */
#ifndef ENCODE_WEAKEST_H
#define ENCODE_WEAKEST_H

#include "encode/batch.h"

struct weakest_entry {
    const struct model *model;
    bool asked;                /* part of the search */
    enum verify_status status; /* of all properties together; inferred if there is no result */
    const struct verify_result *result; /* or NULL */
    /* The model whose result settles it: itself if it was run. */
    const struct model *by;
    bool minimal, ruled_out;
};

/* By model id. */
struct weakest_models {
    struct weakest_entry entry[MODEL_COUNT];
    const struct verify_result *first; /* any result: the program's properties, or an error */
    bool settled;                      /* every model holds or is violated */
    unsigned runs;
};

/* A step that is not possible: lowering this transaction to the model just below its level. */
struct weakest_obstacle {
    uint32_t txn; /* in the order of sx_program.txns */
    const struct model *to;
    enum verify_status status;
    const struct verify_result *result; /* NULL: inferred, or a limit was hit before it was tried */
    const struct model *by;             /* VIOLATED: under which this was found */
};

struct weakest_levels {
    const struct model *start;   /* the uniform level from which the search began */
    const struct model **levels; /* by TRANSACTION; NULL: not even serializability holds */
    const struct ast_func **txns;
    size_t n_txns;
    struct weakest_obstacle *obstacles;
    size_t n_obstacles;
    const struct verify_result *result; /* of the assignment as a whole */
    unsigned runs;
    struct arena arena;
};

/* Called before each round, from the calling thread: "si, pc" will be asked; "VIOLATED under pc"
 * and the like is known. */
typedef void (*weakest_progress)(void *arg, const char *what, const char *known);

/* Of the question, `model` and `levels` are ignored.  The results belong to the batch. */
void weakest_models(struct batch *b, const struct verify_question *q, weakest_progress progress,
                    void *arg, struct weakest_models *out);
/* After weakest_models, from its first minimal model. */
void weakest_levels(struct batch *b, const struct ast_program *ast, const struct verify_question *q,
                    const struct weakest_models *uniform, weakest_progress progress, void *arg,
                    struct weakest_levels *out);
void weakest_levels_free(struct weakest_levels *w);

/* ---- levels of databases ----------------------------------------------------------------------
 */

/* These are no chain: each is decided on its own. */
struct weakest_server {
    const struct model *model; /* NULL: not asked for */
    enum verify_status status;
    const struct verify_result *result; /* NULL: see `same` */
    const struct model *same; /* a model that has the same executions of this program, or NULL */
};

/* The levels of an engine, or ENGINE_NONE of all, by their number (model_server).  known: what
 * weakest_models found, or NULL. */
void weakest_servers(struct batch *b, const struct ast_program *ast,
                     const struct verify_question *q, enum model_engine engine,
                     const struct weakest_models *known, weakest_progress progress, void *arg,
                     struct weakest_server out[MODEL_SERVER_COUNT]);

#endif
