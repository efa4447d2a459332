/* The text of an expression for a reader: bytes [begin, end) of its file, stretched over the macros
 * that libclang's extents cut through. */
#include <ctype.h>

#include "frontend/clang_tree.h"

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The text of a file, or NULL. */
static const char *text_of(const struct ct_unit *unit, uint32_t file, unsigned *size)
{
    if (file >= unit->texts.len)
        return NULL;
    *size = unit->text_sizes.data[file];
    return unit->texts.data[file];
}

/* A range that ends in a macro's expansion ends, in the file, where the macro's name begins: take
 * the name in, and its arguments. */
static unsigned past_macro(const struct ct_unit *unit, uint32_t file, unsigned at)
{
    unsigned size = 0, i = at;
    const char *text = text_of(unit, file, &size);
    if (!text || (at > 0 && at <= size && in_name(text[at - 1])))
        return at;
    while (i < size && in_name(text[i]))
        i++;
    if (i == at || i >= size || text[i] != '(')
        return i;
    for (unsigned depth = 0; i < size; i++) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0)
            return i + 1;
    }
    return at;
}

/* A range that begins in a macro's argument and ends behind its parenthesis begins, for a reader,
 * at the macro's name. */
static unsigned before_macro(const struct ct_unit *unit, uint32_t file, unsigned begin,
                             unsigned end)
{
    unsigned size = 0;
    const char *text = text_of(unit, file, &size);
    if (!text || end > size)
        return begin;
    int open = 0, missing = 0;
    for (unsigned i = begin; i < end; i++) {
        open += text[i] == '(';
        if (text[i] == ')' && --open < 0)
            missing++, open = 0;
    }
    for (; missing > 0 && begin > 0; missing--) {
        while (begin > 0 && text[begin - 1] != '(' && text[begin - 1] != ';')
            begin--;
        begin -= begin > 0 && text[begin - 1] == '(';
        while (begin > 0 && in_name(text[begin - 1]))
            begin--;
    }
    return begin;
}

void ct_settle_extent(const struct ct_unit *unit, struct ct_node *n)
{
    if (n->end_in_macro)
        n->end = past_macro(unit, n->end_file, n->end);
    if (n->begin_file == n->end_file)
        n->begin = before_macro(unit, n->end_file, n->begin, n->end);
    if (n->begin_file != n->end_file || n->begin_file != n->loc.file || n->end <= n->begin)
        n->begin = n->end = 0;
}
