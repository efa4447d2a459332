/* The end of verdicts; see verdict.h. */
#include "certify/verdict.h"

void check_result_free(struct check_result *r)
{
    vec_free(&r->order);
    vec_free(&r->sources);
    vec_free(&r->trail.events);
    vec_free(&r->txns);
    vec_free(&r->ops);
    vec_free(&r->edges);
    vec_free(&r->cycles);
    vec_free(&r->cases);
    vec_free(&r->literals);
    vec_free(&r->hints);
    vec_free(&r->clauses);
    vec_free(&r->proofs);
    arena_free(&r->arena);
    *r = (struct check_result){0};
}
