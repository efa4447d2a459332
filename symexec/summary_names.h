/* Terms, values and rows of a summary as text, in the names of the user's program. */
#ifndef SYMEXEC_SUMMARY_NAMES_H
#define SYMEXEC_SUMMARY_NAMES_H

#include "symexec/summary.h"

/* A term of summary s as text; budget as in struct term_printer. */
void sx_term_text(const struct sx_program *p, const struct sx_summary *s, term_id t, size_t budget,
                  struct strbuf *out);
/* As a value of this type (or NULL): an enum's values have names. */
void sx_value_text(const struct sx_program *p, const struct sx_summary *s, term_id t,
                   const struct ast_type *type, size_t budget, struct strbuf *out);
/* The type of the result, and of argument k; NULL if it is not a scalar. */
const struct ast_type *sx_returned_type(const struct sx_summary *s);
const struct ast_type *sx_argument_type(const struct sx_call *c, uint32_t k);
/* "account[who].balance"; field UINT32_MAX: the row alone. */
void sx_row_text(const struct sx_program *p, const struct sx_summary *s, struct sx_row row,
                 uint32_t field, size_t budget, struct strbuf *out);

/* The index of a fold and where it begins: "i", or "i >= j + 1". */
void sx_bound_text(const struct sx_program *p, const struct sx_summary *s, const struct sx_bound *b,
                   struct strbuf *out);

#endif
