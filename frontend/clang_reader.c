/* Strings, places, text and children of libclang's cursors. */
#include <ctype.h>
#include <string.h>

#include "frontend/clang_reader.h"

/* Strings, places, text ----------------------------------------------------------------------- */

const char *cr_keep(struct reader *r, CXString s)
{
    const char *text = clang_getCString(s);
    char *copy = arena_strdup(&r->unit->arena, text ? text : "");
    clang_disposeString(s);
    return copy;
}

/* Remember a file and its text; the text lets reports quote expressions. */
static uint32_t file_id(struct reader *r, CXFile file)
{
    if (!file)
        return DIAG_NO_FILE;
    for (size_t i = r->files.len; i-- > 0;)
        if (r->files.data[i].file == file)
            return r->files.data[i].id;
    CXString name = clang_getFileName(file);
    uint32_t id = diag_file(r->d, clang_getCString(name));
    clang_disposeString(name);
    vec_push(&r->files, ((struct file_entry){file, id}));
    size_t size = 0;
    const char *text = r->tu ? clang_getFileContents(r->tu, file, &size) : NULL;
    if (text && size < UINT32_MAX) {
        if (r->unit->texts.len <= id) {
            vec_resize(&r->unit->texts, (size_t)id + 1);
            vec_resize(&r->unit->text_sizes, (size_t)id + 1);
        }
        r->unit->texts.data[id] = arena_strndup(&r->unit->arena, text, size);
        r->unit->text_sizes.data[id] = (uint32_t)size;
    }
    return id;
}

struct src_loc cr_place(struct reader *r, CXSourceLocation location, unsigned *offset)
{
    CXFile file = NULL;
    unsigned line = 0, col = 0, at = 0;
    clang_getFileLocation(location, &file, &line, &col, &at);
    if (offset)
        *offset = at;
    return (struct src_loc){file_id(r, file), line, col};
}

/* A range that ends in a macro's expansion ends, in the file, where the macro's name begins: take
 * the name in, and its arguments. */
static unsigned past_macro(struct reader *r, CXSourceLocation end, uint32_t file, unsigned at)
{
    unsigned spelled = 0;
    CXFile where = NULL;
    clang_getSpellingLocation(end, &where, NULL, NULL, &spelled);
    if ((spelled == at && file_id(r, where) == file) || file >= r->unit->texts.len)
        return at;
    const char *text = r->unit->texts.data[file];
    unsigned size = r->unit->text_sizes.data[file], i = at;
    if (!text ||
        (at > 0 && at <= size && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_')))
        return at;
    while (i < size && (isalnum((unsigned char)text[i]) || text[i] == '_'))
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
static unsigned before_macro(struct reader *r, uint32_t file, unsigned begin, unsigned end)
{
    if (file >= r->unit->texts.len || !r->unit->texts.data[file] ||
        end > r->unit->text_sizes.data[file])
        return begin;
    const char *text = r->unit->texts.data[file];
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
        while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
            begin--;
    }
    return begin;
}

void cr_extent(struct reader *r, struct ct_node *n, CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);
    n->loc = cr_place(r, clang_getCursorLocation(c), NULL);
    struct src_loc from = cr_place(r, clang_getRangeStart(range), &n->begin);
    struct src_loc to = cr_place(r, clang_getRangeEnd(range), &n->end);
    n->end = past_macro(r, clang_getRangeEnd(range), to.file, n->end);
    if (from.file == to.file)
        n->begin = before_macro(r, to.file, n->begin, n->end);
    if (from.file != to.file || from.file != n->loc.file || n->end <= n->begin)
        n->begin = n->end = 0;
}

bool cr_same_extent(CXCursor a, CXCursor b)
{
    CXSourceRange x = clang_getCursorExtent(a), y = clang_getCursorExtent(b);
    return clang_equalLocations(clang_getRangeStart(x), clang_getRangeStart(y)) &&
           clang_equalLocations(clang_getRangeEnd(x), clang_getRangeEnd(y));
}

/* The text where a cursor begins as spelled, inside a macro's definition if it comes from one; at
 * most n - 1 bytes. */
void cr_spelled(struct reader *r, CXCursor c, char *out, size_t n)
{
    CXFile file = NULL;
    unsigned from = 0;
    size_t size = 0, len = 0;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL,
                              &from);
    const char *text = file ? clang_getFileContents(r->tu, file, &size) : NULL;
    while (text && len + 1 < n && from + len < size) {
        out[len] = text[from + len];
        len++;
    }
    out[len] = '\0';
}

/* Children ------------------------------------------------------------------------------------ */

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    cursor_vec *v = data;
    vec_push(v, c);
    return CXChildVisit_Continue;
}

cursor_vec cr_children(CXCursor c)
{
    cursor_vec v = {0};
    clang_visitChildren(c, collect, &v);
    return v;
}

bool cr_is_code(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    return clang_isExpression(k) || clang_isStatement(k);
}

/* Children that are expressions or statements: not types, attributes, nested declarations. */
cursor_vec cr_body_children(CXCursor c)
{
    cursor_vec v = cr_children(c);
    size_t kept = 0;
    for (size_t i = 0; i < v.len; i++)
        if (cr_is_code(v.data[i]))
            v.data[kept++] = v.data[i];
    v.len = kept;
    return v;
}
