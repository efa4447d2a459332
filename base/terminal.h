/* Standard output and standard error, guarded.
 *
 * Reports and messages quote what strangers wrote: keys, names, source lines, file names, what a
 * server says.  The code that prints such a text makes it safe (base/text.h), because it knows what
 * a line break in it means.  This stream catches what was forgotten: it lets no control character
 * through except line feeds and tabs, and none of the characters that make text run backwards. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* A stream that writes to `to`, which stays the caller's.  `color`: the sequences that visar
 * itself uses for bold, dim and coloured text pass.  `json`: the output is JSON and is escaped
 * accordingly.  `before`, if any, is called before bytes are written.  NULL if there is no
 * memory. */
FILE *terminal_open(FILE *to, bool color, bool json, void (*before)(void));
/* Columns of the terminal that the descriptor is; 0: it is none. */
int terminal_columns(int descriptor);

#endif
