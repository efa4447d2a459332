/* The properties of a program: predicates and places in the source, each once, whatever the model.
 */
#ifndef ENCODE_PROPERTIES_H
#define ENCODE_PROPERTIES_H

#include "encode/verify.h"

/* The function's code (helpers included) has the place of the property. */
struct property_place {
    uint32_t property;
    const struct ast_func *func;
};

struct properties {
    VEC(struct verify_property) v;
    VEC(struct property_place) places;
};

#define PROPERTY_NONE UINT32_MAX

/* Adds those of the program that are not there yet. */
void properties_collect(struct properties *props, const struct sx_program *sx);
/* Assertions that the executor does not come to, because of a contradiction or a constant
 * condition: the user wrote them, so they are properties. */
void properties_collect_asserts(struct properties *props, struct ast_program *ast);
/* One that stops a run and makes it count for nothing else. */
bool properties_is_check(const struct sx_point *point);
/* An assumption that contradicts what is known on its path, at or above loc: what follows it is
 * dead because of it. */
bool properties_contradiction(const struct sx_point *point, struct src_loc loc);
void properties_free(struct properties *props);
uint32_t properties_of_predicate(const struct properties *props, const struct ast_func *f);
/* PROPERTY_NONE for points that are no properties (assumptions, unwinding …). */
uint32_t properties_of_point(const struct properties *props, const struct sx_program *sx,
                             const struct sx_point *point);
/* Does the summary's function have the place?  It may be unreachable there. */
bool properties_in(const struct properties *props, uint32_t property, const struct sx_summary *sum);

#endif
