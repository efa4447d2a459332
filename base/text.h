/* Text from strangers: files, servers, file names, environment.
 *
 * Such text may hold line breaks, terminal escapes, characters that make text run backwards, or
 * bytes that are no text at all.  These functions let nothing of the kind through. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Length of the valid UTF-8 sequence at s, its code point in *code; 0 if there is none.  n > 0. */
size_t text_decode(const char *s, size_t n, uint32_t *code);
/* Is it a control character, or one that makes text run backwards or disappear? */
bool text_is_hostile(uint32_t code);
/* n bytes of s; control characters and broken UTF-8 as \n, \t, \xNN or \u{NNNN}. */
void text_safe(const char *s, size_t n, struct strbuf *out);
/* The largest number of bytes, at most `at`, that can be kept of s without cutting a UTF-8
 * character. */
size_t text_cut(const char *s, size_t at);
/* The bytes of the place FILE:LINE[:COLUMN] that a text begins with, before ": "; 0: none.  The
 * readers of histories give their errors that way. */
size_t text_place(const char *text);

#endif
