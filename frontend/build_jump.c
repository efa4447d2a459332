/* Gotos: each is tied to its label, which must stand further on in the goto's own list of
 * statements or in one around it.  And no jump, by goto or to a case label, may skip a pointer's
 * initialiser. */
#include <string.h>

#include "frontend/build.h"

/* The lists around the statement at hand, innermost last. */
struct frame {
    struct ast_stmt *list; /* a BLOCK or SWITCH, or a SESSION as a border */
    uint32_t at;
};
struct walk {
    struct builder *b;
    struct ast_stmt *body;
    VEC(struct frame) frames;
};

static void visit(struct walk *w, struct ast_stmt *s);

static bool has_label(const struct ast_stmt *s, const char *name, struct src_loc *loc)
{
    if (!s)
        return false;
    if (s->kind == AST_STMT_LABEL && strcmp(s->name, name) == 0) {
        *loc = s->loc;
        return true;
    }
    for (uint32_t i = 0; i < s->n_items; i++)
        if (has_label(s->items[i], name, loc))
            return true;
    return has_label(s->body, name, loc) || has_label(s->other, name, loc);
}

/* Pointers declared in items (from, to) of a list that is jumped into at to. */
static void check_skipped(struct walk *w, const struct ast_stmt *list, uint32_t from, uint32_t to,
                          struct src_loc loc)
{
    for (uint32_t i = from; i < to; i++) {
        const struct ast_stmt *s = list->items[i];
        if (s->kind == AST_STMT_DECL && s->var->type->kind == AST_POINTER)
            refuse(w->b, loc, REFUSE_POINTER_SKIPPED, s->var->name);
    }
}

static void resolve(struct walk *w, struct ast_stmt *jump)
{
    bool left_session = false;
    for (size_t f = w->frames.len; f-- > 0;) {
        struct frame *frame = &w->frames.data[f];
        left_session |= frame->list->kind == AST_STMT_SESSION;
        for (uint32_t i = frame->at + 1; i < frame->list->n_items; i++) {
            struct ast_stmt *s = frame->list->items[i];
            if (s->kind != AST_STMT_LABEL || strcmp(s->name, jump->name) != 0)
                continue;
            jump->target = s;
            if (left_session)
                refuse(w->b, jump->loc, REFUSE_GOTO_SESSION);
            check_skipped(w, frame->list, frame->at + 1, i, jump->loc);
            return;
        }
    }
    struct src_loc label = SRC_LOC_NONE;
    has_label(w->body, jump->name, &label);
    bool backward =
        label.line < jump->loc.line || (label.line == jump->loc.line && label.col < jump->loc.col);
    refuse(w->b, jump->loc, backward ? REFUSE_GOTO_BACKWARD : REFUSE_GOTO_INTO);
}

static void visit_list(struct walk *w, struct ast_stmt *list)
{
    vec_push(&w->frames, ((struct frame){list, 0}));
    for (uint32_t i = 0; i < list->n_items; i++) {
        w->frames.data[w->frames.len - 1].at = i;
        const struct ast_stmt *s = list->items[i];
        if (list->kind == AST_STMT_SWITCH &&
            (s->kind == AST_STMT_CASE || s->kind == AST_STMT_DEFAULT))
            check_skipped(w, list, 0, i, s->loc);
        visit(w, list->items[i]);
    }
    w->frames.len--;
}

static void visit(struct walk *w, struct ast_stmt *s)
{
    if (!s)
        return;
    switch (s->kind) {
    case AST_STMT_GOTO:
        resolve(w, s);
        break;
    case AST_STMT_BLOCK:
    case AST_STMT_SWITCH:
        visit_list(w, s);
        break;
    case AST_STMT_SESSION:
        vec_push(&w->frames, ((struct frame){s, 0}));
        visit(w, s->body);
        w->frames.len--;
        break;
    default:
        visit(w, s->body);
        visit(w, s->other);
    }
}

void fe_resolve_jumps(struct builder *b, struct ast_stmt *body)
{
    struct walk w = {.b = b, .body = body};
    visit(&w, body);
    vec_free(&w.frames);
}
