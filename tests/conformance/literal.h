/* Python's literals, as the recorded observations are written: numbers, strings without escapes,
 * tuples, lists, dictionaries of numbers, None, True and False. */
#ifndef TESTS_CONFORMANCE_LITERAL_H
#define TESTS_CONFORMANCE_LITERAL_H

#include <stddef.h>

enum literal_kind { LITERAL_NUMBER, LITERAL_STRING, LITERAL_NONE, LITERAL_SEQUENCE };

struct literal {
    enum literal_kind kind;
    long number;          /* True is 1, False is 0 */
    const char *text;     /* not terminated */
    size_t count;         /* bytes of the text; items of a sequence */
    struct literal *item; /* a dictionary is the sequence key, value, key, value, … */
};

struct literals {
    struct literal **chunk; /* the memory of sequences */
    size_t chunks;
};

/* Reads the literal of a line; NULL if there is none.  It lives until literals_clear. */
const struct literal *literal_read(struct literals *memory, const char *line);
void literals_clear(struct literals *memory);

#endif
