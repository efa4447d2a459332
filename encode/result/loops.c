/* The unrolled copies of a loop and the inlined copies of a helper are one loop to the reader.  The
 * solver says that some bound is too low, not which: where there are several, all are named. */
#include "encode/result/loops.h"

#include <string.h>

#include "base/strbuf.h"

#define SHOWN_MAX 3

/* One loop to the reader: the same place, or the same words about the same line. */
static bool same(const struct sx_point *a, const struct sx_point *b)
{
    if (a->loc.file != b->loc.file || a->loc.line != b->loc.line)
        return false;
    return a->loc.col == b->loc.col ||
           (!strcmp(a->text, b->text) &&
            !strcmp(a->advice ? a->advice : "", b->advice ? b->advice : ""));
}

static bool has(const loop_list *l, const struct sx_point *p)
{
    for (size_t i = 0; i < l->len; i++)
        if (same(l->data[i], p))
            return true;
    return false;
}

void loops_add(loop_list *l, const struct sx_point *points, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (points[i].kind == SX_UNWIND && points[i].guard != TERM_FALSE &&
            points[i].cond != TERM_TRUE && !has(l, &points[i]))
            vec_push(l, &points[i]);
}

static void put_place(struct strbuf *b, const struct ast_program *ast, struct src_loc loc)
{
    if (loc.file < ast->n_texts)
        sb_printf(b, " (%s:%u)", ast->file_names[loc.file], loc.line);
}

const char *loops_text(const loop_list *l, const struct ast_program *ast, struct arena *arena)
{
    struct strbuf b = {0};
    if (!l->len)
        return "a loop or recursion may go on after its bound";
    /* Raising the bound is advised beside the loops that it helps, or once if it helps all. */
    bool all = true;
    for (size_t i = 0; i < l->len; i++)
        all &= !l->data[i]->advice;
    for (size_t i = 0; i < l->len && i < SHOWN_MAX; i++) {
        sb_printf(&b, "%s that %s", i ? ", or" : "it is not certain", l->data[i]->text);
        put_place(&b, ast, l->data[i]->loc);
        if (l->data[i]->advice)
            sb_printf(&b, ", %s", l->data[i]->advice);
        else if (!all)
            sb_puts(&b, ": raise --unwind");
    }
    if (l->len > SHOWN_MAX)
        sb_printf(&b, ", or of %zu others", l->len - SHOWN_MAX);
    const char *text = arena_printf(arena, "%s%s", sb_str(&b), all ? ": raise --unwind" : "");
    sb_free(&b);
    return text;
}
