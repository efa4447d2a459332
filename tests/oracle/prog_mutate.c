/* Mistakes: a random program with one of them is nearly right, and so is hard to judge. */
#include <stdlib.h>
#include "tests/oracle/prog_tables.h"

/* Places where a mistake can be made: links to statements, and expressions. */
struct places {
    const struct orc_prog *p;
    int n_links, n_exprs;
    int *links[ORC_STMTS];
    int exprs[ORC_EXPRS];
};

static bool mentions(const struct orc_prog *p, int number, enum orc_expr_kind kind)
{
    const struct orc_expr *e = &p->exprs[number];
    if (e->kind == kind)
        return true;
    switch (e->kind) {
    case ORC_CELL:
        return mentions(p, e->b, kind) || (p->tables[e->a].n_dims > 1 && mentions(p, e->d, kind));
    case ORC_NOT:
        return mentions(p, e->a, kind);
    case ORC_COND:
        return mentions(p, e->a, kind) || mentions(p, e->b, kind) || mentions(p, e->c, kind);
    case ORC_CONST:
    case ORC_REG:
    case ORC_PARAM:
    case ORC_LOCAL:
    case ORC_LOOP:
    case ORC_SIZE:
    case ORC_FRESH:
        return false;
    default:
        return mentions(p, e->a, kind) || mentions(p, e->b, kind);
    }
}

static void add_expr(struct places *w, int number)
{
    const struct orc_expr *e = &w->p->exprs[number];
    w->exprs[w->n_exprs++] = number;
    switch (e->kind) {
    case ORC_CELL:
        if (w->p->exprs[e->b].kind != ORC_CONST) /* the only row of a scalar */
            add_expr(w, e->b);
        if (w->p->tables[e->a].n_dims > 1)
            add_expr(w, e->d);
        break;
    case ORC_NOT:
        add_expr(w, e->a);
        break;
    case ORC_CONST:
    case ORC_REG:
    case ORC_PARAM:
    case ORC_LOCAL:
    case ORC_LOOP:
    case ORC_SIZE:
    case ORC_FRESH:
    case ORC_COND:
        break;
    default:
        add_expr(w, e->a);
        add_expr(w, e->b);
    }
}

/* In a fold only what has nothing to do with the variables that it carries along. */
static void add_list(struct places *w, struct orc_prog *p, int *link, bool in_fold)
{
    for (; *link >= 0; link = &p->stmts[*link].next) {
        struct orc_stmt *s = &p->stmts[*link];
        bool about_regs = in_fold && s->kind == ORC_IF && mentions(p, s->e, ORC_REG);
        if (!in_fold)
            w->links[w->n_links++] = link;
        if (s->kind == ORC_IF && !about_regs)
            add_expr(w, s->e);
        if ((s->kind == ORC_WRITE || s->kind == ORC_COMPOUND) && !in_fold &&
            p->tables[s->table].n_dims)
            add_expr(w, s->index);
        if (s->kind == ORC_WRITE || s->kind == ORC_COMPOUND)
            add_expr(w, s->e);
        if (s->kind == ORC_IF || s->kind == ORC_FOR)
            add_list(w, p, &s->yes, in_fold || s->kind == ORC_FOR);
        if (s->kind == ORC_IF)
            add_list(w, p, &s->no, in_fold);
    }
}

/* Leaves a statement out: an if loses its condition. */
static void leave_out(struct orc_prog *p, int *link)
{
    struct orc_stmt *s = &p->stmts[*link];
    int rest = s->next;
    *link = s->kind == ORC_IF && s->yes >= 0 ? orc_seq(p, s->yes, rest) : rest;
}

static bool change(struct orc_rng *r, struct orc_prog *p, struct orc_expr *e, int n_params)
{
    switch (e->kind) {
    case ORC_CONST:
        e->a += orc_below(r, 3) ? 1 : -1;
        return true;
    case ORC_PARAM:
        if (n_params < 2)
            return false;
        e->a = (e->a + 1) % n_params;
        return true;
    case ORC_EQ:
        e->kind = orc_below(r, 2) ? ORC_NE : ORC_LE;
        return true;
    case ORC_NE:
        e->kind = ORC_LT;
        return true;
    case ORC_LT:
        e->kind = orc_below(r, 2) ? ORC_LE : ORC_EQ;
        return true;
    case ORC_LE:
        e->kind = ORC_LT;
        return true;
    case ORC_AND:
        *e = p->exprs[orc_below(r, 2) ? e->a : e->b];
        return true;
    case ORC_ADD:
        e->kind = ORC_SUB;
        return true;
    case ORC_SUB:
        e->kind = ORC_ADD;
        return true;
    case ORC_CELL:
        e->c = (e->c + 1) % p->tables[e->a].fields;
        return p->tables[e->a].fields > 1;
    default:
        return false;
    }
}

/* Indices may become wrong ones, of values too small or too large. */
bool orc_prog_mutate(struct orc_rng *r, struct orc_prog *p)
{
    struct places *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->p = p;
    int t = orc_below(r, p->n_txns);
    add_list(w, p, &p->txns[t].body, false);
    bool done = false;
    for (int tries = 0; tries < 8 && !done; tries++) {
        int place = orc_below(r, w->n_links + w->n_exprs + 1) - 1;
        if (place >= 0 && place < w->n_links) {
            leave_out(p, w->links[place]);
            done = true;
        } else if (place >= 0) {
            int number = w->exprs[place - w->n_links];
            done = change(r, p, &p->exprs[number], p->txns[t].n_params);
        }
    }
    free(w);
    return done;
}
