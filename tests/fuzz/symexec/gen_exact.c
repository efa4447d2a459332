/* Predicates whose value must be exact.
 *
 * INVARIANT and FINAL are computed as if integers had no bounds: a signed operation that overflows
 * still has its mathematical value, and only a conversion to another type wraps.  To have the
 * compiler say the same, every operand is I(…), a value of type int that hooks.h makes an __int128
 * for the machine, every operand of a bit operation is W(…), which there cuts it to 32 bits again,
 * and variables have type X.  The same with L at the end: long.  Products have factors small enough
 * for 100 bits, the most that visar promises. */
#include "gen.h"

#include <stdio.h>

struct exact {
    struct gen *g;
    struct strbuf *b;
    const char *suffix; /* "" or "L" */
    bool has_sum;
};

static void exact_leaf(struct exact *x)
{
    if (x->has_sum && gen_chance(x->g, 25)) {
        sb_puts(x->b, "sum");
        return;
    }
    sb_printf(x->b, "I%s(", x->suffix);
    if (gen_chance(x->g, 85))
        gen_database_place(x->g, x->b);
    else
        sb_puts(x->b, gen_chance(x->g, 50) ? "2147483647" : "i + 1");
    sb_puts(x->b, ")");
}

static void exact_expr(struct exact *x, int depth);

static void exact_product(struct exact *x, int depth)
{
    if (!x->suffix[0] && gen_chance(x->g, 50)) {
        sb_puts(x->b, "I(");
        gen_database_place(x->g, x->b);
        sb_puts(x->b, ") * I(");
        gen_database_place(x->g, x->b);
        sb_puts(x->b, ")");
    } else {
        exact_expr(x, depth - 1);
        sb_printf(x->b, " * %u", gen_pick(x->g, 100) + 1); /* by 0 compilers look no further */
    }
}

/* Operands cut to the width of the type, but for a shift, which divides the exact value. */
static void exact_bits(struct exact *x, int depth)
{
    static const char *const ops[] = {"|", "^", "&"};
    if (gen_chance(x->g, 30)) {
        exact_expr(x, depth - 1);
        sb_puts(x->b, " >> ");
        if (gen_chance(x->g, 60))
            sb_printf(x->b, "%u", gen_pick(x->g, 31));
        else
            sb_puts(x->b, "(counter & 15)");
        return;
    }
    sb_printf(x->b, "%sW%s(", gen_chance(x->g, 20) ? "~" : "", x->suffix);
    exact_expr(x, depth - 1);
    sb_printf(x->b, ") %s W%s(", ops[gen_pick(x->g, 3)], x->suffix);
    exact_expr(x, depth - 1);
    sb_puts(x->b, ")");
}

static void exact_condition(struct exact *x, int depth)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    exact_expr(x, depth);
    sb_printf(x->b, " %s ", ops[gen_pick(x->g, 6)]);
    exact_expr(x, depth);
}

static void exact_expr(struct exact *x, int depth)
{
    static const char *const narrow[] = {"short", "unsigned", "unsigned char", "_Bool", "long"};
    if (depth <= 0) {
        exact_leaf(x);
        return;
    }
    sb_puts(x->b, "(");
    switch (gen_pick(x->g, 9)) {
    case 0:
        exact_product(x, depth);
        break;
    case 1:
        exact_expr(x, depth - 1);
        sb_puts(x->b, gen_chance(x->g, 50) ? " / " : " % ");
        if (gen_chance(x->g, 60))
            sb_printf(x->b, "%u", gen_pick(x->g, 9) + 1);
        else
            exact_leaf(x);
        break;
    case 2:
        exact_bits(x, depth);
        break;
    case 3:
        exact_condition(x, depth - 1);
        sb_puts(x->b, " ? ");
        exact_expr(x, depth - 1);
        sb_puts(x->b, " : ");
        exact_expr(x, depth - 1);
        break;
    case 4: /* another type in between; not long, for which int's exact values fit */
        sb_printf(x->b, "I%s((%s)(", x->suffix, narrow[gen_pick(x->g, 4)]);
        exact_expr(x, depth - 1);
        sb_puts(x->b, "))");
        break;
    case 5:
        sb_puts(x->b, "- ");
        exact_expr(x, depth - 1);
        break;
    default:
        exact_expr(x, depth - 1);
        sb_puts(x->b, gen_chance(x->g, 50) ? " + " : " - ");
        exact_expr(x, depth - 1);
    }
    sb_puts(x->b, ")");
}

void gen_exact_predicate(struct gen *g, const char *word, unsigned number)
{
    struct strbuf b = {0};
    struct exact x = {.g = g, .b = &b, .suffix = gen_chance(g, 35) ? "L" : ""};
    struct gen_variable i = {.name = "i", .fixed = true};
    vec_push(&g->vars, i);
    g->plain_index = true;
    gen_line(g, "%s _Bool e%u(void)", word, number);
    gen_line(g, "{");
    g->indent++;
    gen_line(g, "int i = %u;", gen_pick(g, 4));
    gen_line(g, "X%s sum = 0;", x.suffix);
    if (gen_chance(g, 60)) {
        gen_line(g, "for (i = 0; i < %u; i++) {", 1 + gen_pick(g, 4));
        exact_expr(&x, 1);
        gen_line(g, gen_chance(g, 50) ? "    sum = sum + %s;" : "    sum += %s;", sb_str(&b));
        gen_line(g, "}");
    }
    x.has_sum = true;
    if (gen_chance(g, 30)) {
        sb_clear(&b);
        exact_condition(&x, 1);
        gen_line(g, "if (%s) return %u;", sb_str(&b), gen_pick(g, 2));
    }
    sb_clear(&b);
    exact_condition(&x, 3);
    if (gen_chance(g, 40)) {
        sb_puts(&b, gen_chance(g, 50) ? " && " : " || ");
        exact_condition(&x, 1);
    }
    gen_line(g, "return %s;", sb_str(&b));
    g->plain_index = false;
    g->indent--;
    gen_line(g, "}");
    sb_free(&b);
}
