/* Summaries for people and for programs. */
#ifndef SYMEXEC_SUMMARY_PRINT_H
#define SYMEXEC_SUMMARY_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "symexec/summary.h"

/* All summaries, in the user's own names. */
void sx_summary_print(const struct sx_program *p, const struct diag_list *d, FILE *out);
/* The same as a JSON object (a new reference); summary_json.c describes it. */
json_t *sx_summary_json(const struct sx_program *p, const struct diag_list *d);

/* A term of summary s as text; budget as in struct term_printer. */
void sx_term_text(const struct sx_program *p, const struct sx_summary *s, term_id t, size_t budget,
                  struct strbuf *out);
/* "account[who].balance"; field UINT32_MAX: the row alone. */
/* A term as a value of this type (or NULL): the values of an enum are printed by name. */
void sx_value_text(const struct sx_program *p, const struct sx_summary *s, term_id t,
                   const struct ast_type *type, size_t budget, struct strbuf *out);
/* The type of the result, and of argument k; NULL if it is not a scalar. */
const struct ast_type *sx_returned_type(const struct sx_summary *s);
const struct ast_type *sx_argument_type(const struct sx_call *c, uint32_t k);
void sx_row_text(const struct sx_program *p, const struct sx_summary *s, struct sx_row row,
                 uint32_t field, size_t budget, struct strbuf *out);

#endif
