/* Programs with tables of any size: folds of every shape, nested, under conditions, with what may
 * stop or leave them, and rows that are written before, in and after them.
 *
 * What a loop carries has one shape and is not looked at inside; a table that a loop writes has the
 * loop's index in one dimension wherever the body names it: so that all of these are folds. */
#include <stdio.h>

#include "gen.h"

#define LOOPS_MAX 3

enum shape { SUM, FLAG, ALL, SOME, LEAST, GREATEST, SHAPES };

struct carried {
    char name[12];
    enum shape shape;
};

struct loop {
    char index[8];
    bool any;    /* over ANY, or over the constant table */
    bool leaves; /* break, return; nothing else is carried then */
    /* Tables that this loop writes have this index in these dimensions: t[i]; grid[i][], grid[][i];
     * fixed[i]. */
    bool writes_t, writes_rows, writes_columns, writes_fixed;
};

struct fold_gen {
    struct gen *g;
    struct loop loops[LOOPS_MAX];
    unsigned n_loops;
    VEC(struct carried) carried; /* by the loops around */
    bool quiet;                  /* nothing stops or locks: a predicate, INITIAL */
    bool predicate;              /* nothing is written, either */
    bool returns;
};

static unsigned pick(struct fold_gen *f, unsigned n)
{
    return gen_pick(f->g, n);
}

static bool chance(struct fold_gen *f, unsigned percent)
{
    return gen_chance(f->g, percent);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static void expr(struct fold_gen *f, struct strbuf *b, int depth);

/* The index of the loop that writes this dimension of a table, or NULL. */
static const char *forced(struct fold_gen *f, char table, unsigned dim)
{
    for (unsigned i = 0; i < f->n_loops; i++) {
        const struct loop *l = &f->loops[i];
        if ((table == 't' && l->writes_t) || (table == 'f' && l->writes_fixed) ||
            (table == 'g' && dim == 0 && l->writes_rows) ||
            (table == 'g' && dim == 1 && l->writes_columns))
            return l->index;
    }
    return NULL;
}

/* An index, in bounds mostly; `any`: of a dimension of any size. */
static void any_index(struct fold_gen *f, struct strbuf *b, bool any, int depth)
{
    for (unsigned i = f->n_loops; i-- > 0;)
        if (f->loops[i].any == any && chance(f, 60)) {
            sb_puts(b, f->loops[i].index);
            return;
        }
    if (chance(f, 25)) {
        sb_puts(b, chance(f, 70) ? "0" : any ? "ANY - 1" : "5");
    } else if (chance(f, 92) || f->predicate) {
        sb_puts(b, "(unsigned)(");
        expr(f, b, depth > 1 ? 1 : 0);
        sb_puts(b, any ? ") % ANY" : ") % 6");
    } else {
        expr(f, b, 0);
    }
}

static void row_index(struct fold_gen *f, struct strbuf *b, char table, unsigned dim, int depth)
{
    const char *name = forced(f, table, dim);
    if (name)
        sb_puts(b, name);
    else
        any_index(f, b, table != 'f', depth);
}

static void place(struct fold_gen *f, struct strbuf *b, char table, int depth)
{
    static const char *const fields[] = {"a", "b", "c"};
    switch (table) {
    case 't':
        sb_puts(b, "t[");
        row_index(f, b, 't', 0, depth);
        sb_printf(b, "].%s", fields[pick(f, 3)]);
        return;
    case 'g':
        sb_puts(b, "grid[");
        row_index(f, b, 'g', 0, depth);
        sb_puts(b, "][");
        row_index(f, b, 'g', 1, depth);
        sb_puts(b, "]");
        return;
    default:
        sb_puts(b, "fixed[");
        row_index(f, b, 'f', 0, depth);
        sb_printf(b, "].%s", pick(f, 2) ? "x" : "y");
    }
}

static bool is_carried(const struct fold_gen *f, const char *name)
{
    for (size_t i = 0; i < f->carried.len; i++)
        if (strcmp(f->carried.data[i].name, name) == 0)
            return true;
    return false;
}

/* Functions read rows by other names than a loop that writes them may. */
static bool writes_nothing(const struct fold_gen *f)
{
    for (unsigned i = 0; i < f->n_loops; i++)
        if (f->loops[i].writes_t || f->loops[i].writes_rows || f->loops[i].writes_columns ||
            f->loops[i].writes_fixed)
            return false;
    return true;
}

static void leaf(struct fold_gen *f, struct strbuf *b, int depth)
{
    if (depth > 0 && writes_nothing(f) && chance(f, 10)) {
        sb_puts(b, chance(f, 50) ? "find(" : "worth(1, ");
        leaf(f, b, 0);
        sb_puts(b, ")");
        return;
    }
    for (int tries = 0; tries < 4 && chance(f, 45); tries++) {
        unsigned n = (unsigned)f->g->vars.len, k = n ? pick(f, n) : 0;
        if (n && !is_carried(f, f->g->vars.data[k].name)) {
            sb_puts(b, f->g->vars.data[k].name);
            return;
        }
    }
    if (f->n_loops && chance(f, 20))
        sb_puts(b, f->loops[pick(f, f->n_loops)].index);
    else if (chance(f, 35))
        sb_printf(b, "%u", pick(f, 6));
    else if (chance(f, 5))
        sb_puts(b, "next");
    else
        place(f, b, "ttgf"[pick(f, 4)], depth);
}

static void condition(struct fold_gen *f, struct strbuf *b, int depth)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!=", "=="};
    if (depth > 0 && chance(f, 25)) {
        condition(f, b, depth - 1);
        sb_puts(b, chance(f, 50) ? " && " : " || ");
        condition(f, b, 0);
        return;
    }
    sb_puts(b, "(");
    expr(f, b, depth > 0 ? 1 : 0);
    sb_printf(b, " %s ", ops[pick(f, 7)]);
    expr(f, b, 0);
    sb_puts(b, ")");
}

static void expr(struct fold_gen *f, struct strbuf *b, int depth)
{
    if (depth <= 0 || chance(f, 30)) {
        leaf(f, b, depth);
        return;
    }
    sb_puts(b, "(");
    switch (pick(f, 8)) {
    case 0:
        condition(f, b, 0);
        sb_puts(b, " ? ");
        expr(f, b, depth - 1);
        sb_puts(b, " : ");
        expr(f, b, 0);
        break;
    case 1:
        expr(f, b, depth - 1);
        sb_puts(b, " * ");
        expr(f, b, 0);
        break;
    case 2:
        expr(f, b, depth - 1);
        sb_puts(b, chance(f, 50) ? " / " : " % ");
        if (chance(f, 60))
            sb_printf(b, "%u", 1 + pick(f, 3));
        else
            expr(f, b, 0);
        break;
    case 3:
        expr(f, b, depth - 1);
        sb_puts(b, " & 7");
        break;
    default:
        expr(f, b, depth - 1);
        sb_puts(b, chance(f, 60) ? " + " : " - ");
        expr(f, b, 0);
    }
    sb_puts(b, ")");
}

/* ---- the body of a fold ---------------------------------------------------------------------- */

static void fold(struct fold_gen *f);
static void action(struct fold_gen *f, int depth);

static void update(struct fold_gen *f, const struct carried *c)
{
    struct strbuf e = {0}, k = {0};
    bool extreme = c->shape == LEAST || c->shape == GREATEST;
    sb_putc(&k, '(');
    condition(f, &k, 1);
    sb_putc(&k, ')');
    if (extreme && chance(f, 50)) { /* the same expression twice: a plain one */
        place(f, &e, "tgf"[pick(f, 3)], 0);
    } else {
        expr(f, &e, 2);
        if (extreme) {
            gen_line(f->g, "int w%u = FZ(%s);", f->g->names, sb_str(&e));
            sb_clear(&e);
            sb_printf(&e, "w%u", f->g->names++);
        }
    }
    const char *v = c->name, *text = sb_str(&e), *cond = sb_str(&k);
    switch (c->shape) {
    case SUM:
        switch (pick(f, 4)) {
        case 0:
            gen_line(f->g, "%s++;", v);
            break;
        case 1:
            gen_line(f->g, "%s = %s + %s;", v, v, text);
            break;
        default:
            gen_line(f->g, "%s %s %s;", v, chance(f, 70) ? "+=" : "-=", text);
        }
        break;
    case FLAG:
        gen_line(f->g, "if (%s) %s = 3;", cond, v);
        break;
    case ALL:
        if (chance(f, 50))
            gen_line(f->g, "%s = %s && %s;", v, v, cond);
        else
            gen_line(f->g, "%s = %s && %s;", v, cond, v);
        break;
    case SOME:
        if (chance(f, 50))
            gen_line(f->g, "%s = %s || %s;", v, v, cond);
        else
            gen_line(f->g, "if (%s) %s = %s || %s;", cond, v, text, v);
        break;
    case LEAST:
        if (chance(f, 50))
            gen_line(f->g, "if (%s && %s < %s) %s = %s;", cond, text, v, v, text);
        else if (chance(f, 50))
            gen_line(f->g, "if (%s > %s && %s) %s = %s;", v, text, cond, v, text);
        else
            gen_line(f->g, "%s = %s <= %s ? %s : %s;", v, text, v, text, v);
        break;
    default:
        if (chance(f, 50))
            gen_line(f->g, "if (%s && %s >= %s) %s = %s;", cond, text, v, v, text);
        else
            gen_line(f->g, "%s = %s < %s ? %s : %s;", v, v, text, text, v);
    }
    sb_free(&e);
    sb_free(&k);
}

/* A row that the loop may write. */
static void write_row(struct fold_gen *f)
{
    char tables[4];
    unsigned n = 0;
    for (const char *c = "tgf"; *c; c++)
        if (f->n_loops == 0 || (*c == 't' && f->loops[f->n_loops - 1].writes_t) ||
            (*c == 'f' && f->loops[f->n_loops - 1].writes_fixed) ||
            (*c == 'g' &&
             (f->loops[f->n_loops - 1].writes_rows || f->loops[f->n_loops - 1].writes_columns)))
            tables[n++] = *c;
    if (n == 0)
        return;
    struct strbuf p = {0}, e = {0};
    place(f, &p, tables[pick(f, n)], 1);
    expr(f, &e, 2);
    gen_line(f->g, "%s %s FZ(%s);", sb_str(&p), chance(f, 75) ? "=" : "+=", sb_str(&e));
    sb_free(&p);
    sb_free(&e);
}

static void stop(struct fold_gen *f)
{
    struct strbuf c = {0};
    condition(f, &c, 1);
    switch (pick(f, 4)) {
    case 0:
        gen_line(f->g, "assume(%s || next);", sb_str(&c));
        break;
    case 1:
    case 2:
        gen_line(f->g, "assert(%s);", sb_str(&c));
        break;
    default:
        gen_line(f->g, "if (%s && next != 1) rollback();", sb_str(&c));
    }
    sb_free(&c);
}

static void leave(struct fold_gen *f)
{
    struct strbuf c = {0}, e = {0};
    bool by_return = f->returns && chance(f, 45);
    condition(f, &c, 1);
    expr(f, &e, 1);
    gen_line(f->g, "if (%s) {", sb_str(&c));
    f->g->indent++;
    if (by_return) {
        gen_line(f->g, "return FZ(%s);", sb_str(&e));
    } else {
        gen_line(f->g, "k%u = %s;", f->n_loops, f->loops[f->n_loops - 1].index);
        if (chance(f, 50))
            gen_line(f->g, "l%u = FZ(%s);", f->n_loops, sb_str(&e));
        gen_line(f->g, "break;");
    }
    f->g->indent--;
    gen_line(f->g, "}");
    sb_free(&c);
    sb_free(&e);
}

static void own_variable(struct fold_gen *f)
{
    struct strbuf e = {0};
    char name[12];
    expr(f, &e, 2);
    gen_new_variable(f->g, false, name);
    gen_line(f->g, "int %s = FZ(%s);", name, sb_str(&e));
    sb_free(&e);
}

static void branch(struct fold_gen *f, int depth)
{
    struct strbuf c = {0};
    size_t vars = f->g->vars.len;
    condition(f, &c, 1);
    gen_line(f->g, "if (%s) {", sb_str(&c));
    f->g->indent++;
    action(f, depth - 1);
    if (chance(f, 40))
        action(f, depth - 1);
    f->g->vars.len = vars;
    f->g->indent--;
    if (chance(f, 30)) {
        gen_line(f->g, "} else {");
        f->g->indent++;
        action(f, depth - 1);
        f->g->vars.len = vars;
        f->g->indent--;
    }
    gen_line(f->g, "}");
    sb_free(&c);
}

static void action(struct fold_gen *f, int depth)
{
    struct loop *l = &f->loops[f->n_loops - 1];
    struct strbuf c = {0};
    switch (pick(f, 12)) {
    case 0:
        own_variable(f);
        return;
    case 1:
        if (!f->quiet)
            stop(f);
        return;
    case 2:
        condition(f, &c, 1);
        gen_line(f->g, "if (%s) continue;", sb_str(&c));
        sb_free(&c);
        return;
    case 3:
    case 4:
        if (depth > 0)
            branch(f, depth);
        return;
    case 5:
        if (f->n_loops < LOOPS_MAX - 1 && f->g->loops < 6)
            fold(f);
        return;
    case 6:
    case 7:
        write_row(f);
        return;
    case 8:
        if (!f->quiet && l->any && chance(f, 50)) {
            const char *name = forced(f, 't', 0);
            gen_line(f->g, "for_update(t[%s]);", name ? name : l->index);
            return;
        } /* fall through */
    default:
        if (l->leaves)
            leave(f);
        else if (f->carried.len)
            update(f, &f->carried.data[pick(f, (unsigned)f->carried.len)]);
    }
}

/* ---- folds ------------------------------------------------------------------------------------
 */

static void new_carried(struct fold_gen *f)
{
    static const char *const types[] = {"int", "long", "int", "unsigned", "long"};
    struct carried c = {.shape = (enum shape)pick(f, SHAPES)};
    const char *type = c.shape == SUM                            ? types[pick(f, 5)]
                       : c.shape == ALL || c.shape == SOME       ? (pick(f, 3) ? "_Bool" : "int")
                       : c.shape == LEAST || c.shape == GREATEST ? "long"
                                                                 : "int";
    struct strbuf e = {0};
    if (chance(f, 60))
        sb_printf(&e, "%u", c.shape == LEAST ? 99 : pick(f, 2));
    else
        leaf(f, &e, 0);
    gen_new_variable(f->g, true, c.name);
    gen_line(f->g, "%s %s = FZ(%s);", type, c.name, sb_str(&e));
    vec_push(&f->carried, c);
    sb_free(&e);
}

static void choose_writes(struct fold_gen *f, struct loop *l)
{
    if (f->predicate || chance(f, 55))
        return;
    /* An inner loop must not write what the loops around it see by other names. */
    bool inner = f->n_loops > 0;
    if (!l->any)
        l->writes_fixed = !inner;
    else if (chance(f, 50))
        l->writes_t = !inner;
    else if (!inner)
        *(chance(f, 50) ? &l->writes_rows : &l->writes_columns) = true;
    else if (f->loops[0].writes_rows && f->n_loops == 1)
        l->writes_columns = true;
    else if (f->loops[0].writes_columns && f->n_loops == 1)
        l->writes_rows = true;
}

static void header(struct fold_gen *f, const struct loop *l)
{
    struct strbuf lo = {0};
    if (f->n_loops > 0 && f->loops[f->n_loops - 1].any == l->any && chance(f, 25))
        sb_printf(&lo, "%s + 1", f->loops[f->n_loops - 1].index);
    else if (chance(f, 10))
        sb_puts(&lo, "n");
    else
        sb_puts(&lo, chance(f, 80) ? "0" : "1");
    gen_line(f->g, "for (int %s = %s; %s < %s; %s++) {", l->index, sb_str(&lo), l->index,
             l->any ? "ANY" : "6", l->index);
    sb_free(&lo);
}

static void body(struct fold_gen *f)
{
    unsigned n = 1 + pick(f, 4);
    if (!f->loops[f->n_loops - 1].any) /* a constant loop indexes the table by it */
        gen_line(f->g, "int z%u = fixed[%s].x;", f->g->names++, f->loops[f->n_loops - 1].index);
    for (unsigned i = 0; i < n; i++)
        action(f, 2);
    if (f->loops[f->n_loops - 1].leaves)
        leave(f);
    else if (f->carried.len)
        update(f, &f->carried.data[pick(f, (unsigned)f->carried.len)]);
}

static void fold(struct fold_gen *f)
{
    struct loop l = {.any = chance(f, 85)};
    bool outer_leaves = f->n_loops && f->loops[f->n_loops - 1].leaves;
    bool returns = f->returns;
    size_t vars, carried = f->carried.len;
    f->g->loops++;
    l.leaves = outer_leaves || (f->carried.len == 0 && chance(f, 30));
    snprintf(l.index, sizeof l.index, "i%u", f->g->names++);
    choose_writes(f, &l);
    if (f->n_loops > 0 && !outer_leaves) /* a return would leave a loop that carries */
        f->returns = false;
    gen_line(f->g, "{");
    f->g->indent++;
    vars = f->g->vars.len;
    if (l.leaves) {
        gen_line(f->g, "int k%u = -1, l%u = 7;", f->n_loops + 1, f->n_loops + 1);
    } else {
        for (unsigned n = f->n_loops ? pick(f, 2) : 1 + pick(f, 3); n > 0; n--)
            new_carried(f);
    }
    header(f, &l);
    f->loops[f->n_loops++] = l;
    f->g->indent++;
    size_t inside = f->g->vars.len;
    body(f);
    f->g->vars.len = inside;
    f->g->indent--;
    f->n_loops--;
    gen_line(f->g, "}");
    f->returns = returns;
    /* What the loop leaves behind. */
    for (size_t i = carried; i < f->carried.len; i++)
        if (f->n_loops == 0)
            gen_line(f->g, "y += %s;", f->carried.data[i].name);
    if (f->n_loops == 0 && l.leaves)
        gen_line(f->g, "y += k%u * 10 + l%u;", f->n_loops + 1, f->n_loops + 1);
    for (size_t i = carried; i < f->carried.len && f->n_loops > 0; i++)
        if (f->loops[f->n_loops - 1].writes_t)
            gen_line(f->g, "t[%s].a = FZ(%s);", f->loops[f->n_loops - 1].index,
                     f->carried.data[i].name);
    f->carried.len = carried;
    f->g->vars.len = vars;
    f->g->indent--;
    gen_line(f->g, "}");
}

/* ---- functions --------------------------------------------------------------------------------
 */

static void statement(struct fold_gen *f, int depth)
{
    struct strbuf c = {0};
    size_t vars = f->g->vars.len;
    switch (pick(f, 7)) {
    case 0:
        if (!f->predicate)
            write_row(f);
        return;
    case 1:
        if (depth == 0)
            return;
        condition(f, &c, 1);
        gen_line(f->g, "if (%s) {", sb_str(&c));
        f->g->indent++;
        statement(f, depth - 1);
        statement(f, depth - 1);
        f->g->vars.len = vars;
        f->g->indent--;
        gen_line(f->g, "} else {");
        f->g->indent++;
        statement(f, depth - 1);
        f->g->vars.len = vars;
        f->g->indent--;
        gen_line(f->g, "}");
        sb_free(&c);
        return;
    case 2:
        own_variable(f);
        return;
    default:
        fold(f);
    }
}

static void function(struct fold_gen *f, unsigned statements)
{
    struct strbuf e = {0};
    gen_line(f->g, "{");
    f->g->indent++;
    gen_line(f->g, "long y = 1;");
    f->g->loops = 0;
    for (unsigned i = 0; i < statements; i++)
        statement(f, 2);
    vec_push(&f->g->vars, ((struct gen_variable){.name = "y"}));
    expr(f, &e, 1);
    gen_line(f->g, f->predicate ? "return y > %s;" : "return FZ(y + %s);", sb_str(&e));
    f->g->indent--;
    gen_line(f->g, "}");
    sb_free(&e);
}

static void parameters(struct fold_gen *f)
{
    vec_clear(&f->g->vars);
    vec_push(&f->g->vars, ((struct gen_variable){.name = "n"}));
    vec_push(&f->g->vars, ((struct gen_variable){.name = "m"}));
}

static void prologue(struct gen *g)
{
    static const char *const lines[] = {
        "#include <visar.h>",   "#ifndef FZ", "#define FZ(e) (e)",
        "#define FZ_STUB(...)", "#endif",     "TRANSACTION int nothing(void) { return 0; }",
    };
    static const char *const functions[] = {
        "static int worth(unsigned i, int d)",
        "{",
        "    if (t[i % ANY].b > d) return grid[i % ANY][0] + d;",
        "    return t[0].c;",
        "}",
        "static int find(int d)",
        "{",
        "    for (int i = 0; i < ANY; i++)",
        "        if (t[i].b == d) return i;",
        "    return -1;",
        "}",
    };
    static const char *const types[] = {"int", "short", "_Bool", "unsigned char", "long", "int"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        gen_line(g, "%s", lines[i]);
    gen_line(g, "DATABASE struct { %s a; %s b; %s c; } t[ANY];", types[gen_pick(g, 6)],
             types[gen_pick(g, 6)], types[gen_pick(g, 6)]);
    gen_line(g, "DATABASE %s grid[ANY][ANY];", types[gen_pick(g, 6)]);
    gen_line(g, "DATABASE struct { %s x; int y; } fixed[6];", types[gen_pick(g, 6)]);
    gen_line(g, "DATABASE int next;");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        gen_line(g, "%s", functions[i]);
}

static void initial(struct gen *g, unsigned k)
{
    struct fold_gen f = {.g = g, .quiet = true};
    vec_clear(&g->vars);
    gen_line(g, "static void init%u(void)", k);
    gen_line(g, "{");
    g->indent++;
    gen_line(g, "int n = 0;");
    gen_line(g, "long y = 0;");
    g->loops = 0;
    for (unsigned i = 0; i < 3; i++)
        fold(&f);
    g->indent--;
    gen_line(g, "}");
    vec_free(&f.carried);
}

static void one_function(struct gen *g, unsigned k, bool predicate)
{
    struct fold_gen f = {.g = g, .returns = true, .predicate = predicate, .quiet = predicate};
    parameters(&f);
    if (predicate)
        gen_line(g, "INVARIANT _Bool v%u(int n, int m)", k);
    else
        gen_line(g, "TRANSACTION long t%u(int n, int m)", k);
    function(&f, 1 + gen_pick(g, 4));
    vec_free(&f.carried);
}

void generate_folds(uint64_t seed, unsigned n, struct strbuf *out)
{
    struct gen g = {.rng = seed * 0x9e3779b97f4a7c15u + 7, .out = out};
    prologue(&g);
    for (unsigned k = 0; k < n; k++)
        if (gen_chance(&g, 10))
            initial(&g, k);
        else
            one_function(&g, k, gen_chance(&g, 20));
    vec_free(&g.vars);
    vec_free(&g.callable);
}
