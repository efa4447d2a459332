/* The properties of a program: predicates and places in the source, each once, whatever the model.
 */
#ifndef ENCODE_PROPERTIES_H
#define ENCODE_PROPERTIES_H

#include "base/vec.h"
#include "encode/result/property.h"

/* The function's code, including helpers, contains the place of the property. */
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
/* Has the list all properties of the program? */
bool properties_cover(const struct properties *props, const struct sx_program *sx);
/* Adds the assertions that the executor does not reach because of a contradiction or a constant
 * condition: the user wrote them, so they are properties. */
void properties_collect_asserts(struct properties *props, struct ast_program *ast);
/* Is the point a built-in check, which stops a run so that nothing else in it counts? */
bool properties_is_check(const struct sx_point *point);
/* Is the point an assumption, at or above loc, that contradicts the facts on its path, so that the
 * code after it is dead? */
bool properties_contradiction(const struct sx_point *point, struct src_loc loc);
void properties_free(struct properties *props);
uint32_t properties_of_predicate(const struct properties *props, const struct ast_func *f);
/* PROPERTY_NONE for points that are no properties (assumptions, unwinding …). */
uint32_t properties_of_point(const struct properties *props, const struct sx_program *sx,
                             const struct sx_point *point);
/* Does the summary's function have the place?  It may be unreachable there. */
bool properties_in(const struct properties *props, uint32_t property, const struct sx_summary *sum);

#endif
