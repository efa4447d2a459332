/* The generator's expressions: places of rows and locals, and every operator over them. */
#include "gen.h"

static void constant(struct gen *g, struct strbuf *b)
{
    static const char *const rare[] = {
        "100",         "-1",  "255",   "256",         "65535",
        "2147483647",  "127", "-128",  "4294967295u", "9223372036854775807L",
        "1000000000L", "3u",  "-100L", "RED",         "BLUE"};
    if (gen_chance(g, 75))
        sb_printf(b, "%u", gen_pick(g, 10));
    else
        sb_puts(b, rare[gen_pick(g, sizeof rare / sizeof *rare)]);
}

static void variable(struct gen *g, struct strbuf *b)
{
    sb_puts(b, g->vars.data[gen_pick(g, (unsigned)g->vars.len)].name);
}

void gen_index(struct gen *g, struct strbuf *b, unsigned n, bool strict)
{
    if (gen_chance(g, 45)) {
        sb_printf(b, "%u", gen_pick(g, n));
    } else if (g->plain_index) {
        sb_puts(b, "i");
        if (gen_chance(g, 60))
            sb_printf(b, " & %u", n == 4 ? 3 : 1);
    } else if (n == 3 && gen_chance(g, 50)) {
        sb_puts(b, "(unsigned)(");
        variable(g, b);
        sb_puts(b, ") % 3");
    } else if (strict || g->strict || gen_chance(g, 96)) {
        sb_puts(b, "(");
        if (gen_chance(g, 60))
            variable(g, b);
        else
            gen_expr(g, b, 1);
        sb_printf(b, ") & %u", n == 4 ? 3 : 1);
    } else {
        variable(g, b);
    }
}

void gen_database_place(struct gen *g, struct strbuf *b)
{
    static const char *const account_fields[] = {"a", "b", "c"};
    static const char *const box_fields[] = {"in.flag", "in.u", "kind"};
    if (!gen_sees_rows(g)) {
        gen_local_place(g, b);
        return;
    }
    switch (gen_pick(g, 6)) {
    case 0:
        sb_puts(b, "counter");
        return;
    case 1:
        sb_puts(b, "grid[");
        gen_index(g, b, 2, false);
        sb_puts(b, "][");
        gen_index(g, b, 3, false);
        sb_puts(b, "]");
        return;
    case 2:
        sb_puts(b, "box[");
        gen_index(g, b, 3, false);
        if (gen_chance(g, 50)) {
            sb_printf(b, "].%s", box_fields[gen_pick(g, 3)]);
        } else {
            sb_puts(b, "].v[");
            gen_index(g, b, 3, false);
            sb_puts(b, "]");
        }
        return;
    case 3:
        if (g->pointers) {
            sb_printf(b, "p%u->%s", gen_pick(g, g->pointers), account_fields[gen_pick(g, 3)]);
            return;
        } /* fall through */
    default:
        sb_puts(b, "account[");
        gen_index(g, b, 4, false);
        sb_printf(b, "].%s", account_fields[gen_pick(g, 3)]);
    }
}

void gen_local_place(struct gen *g, struct strbuf *b)
{
    static const char *const fields[] = {"a", "b", "c"};
    if (g->arrays && gen_chance(g, 40)) {
        sb_printf(b, "a%u[", gen_pick(g, g->arrays));
        gen_index(g, b, 4, false);
        sb_puts(b, "]");
    } else if (g->structs && gen_chance(g, 25)) {
        sb_printf(b, "s%u.%s", gen_pick(g, g->structs), fields[gen_pick(g, 3)]);
    } else {
        for (int i = 0; i < 8; i++) {
            const struct gen_variable *v = &g->vars.data[gen_pick(g, (unsigned)g->vars.len)];
            if (!v->fixed) {
                sb_puts(b, v->name);
                return;
            }
        }
        sb_puts(b, "y");
    }
}

void gen_target(struct gen *g, struct strbuf *b)
{
    if (gen_changes_rows(g) && gen_chance(g, 60))
        gen_database_place(g, b);
    else
        gen_local_place(g, b);
}

static void table_lookup(struct gen *g, struct strbuf *b)
{
    bool pair = gen_chance(g, 40);
    sb_puts(b, pair ? "range[(" : "lookup[(");
    variable(g, b);
    sb_puts(b, pair ? ") & 1]." : ") & 3]");
    if (pair)
        sb_puts(b, gen_chance(g, 50) ? "low" : "high");
}

static void leaf(struct gen *g, struct strbuf *b)
{
    switch (gen_pick(g, 11)) {
    case 10:
        table_lookup(g, b);
        return;
    case 0:
    case 1:
    case 2:
    case 3:
        variable(g, b);
        return;
    case 4:
    case 5:
    case 6:
        gen_database_place(g, b);
        return;
    case 7:
        gen_local_place(g, b);
        return;
    default:
        constant(g, b);
    }
}

void gen_operand(struct gen *g, struct strbuf *b, int depth)
{
    if (depth == 0 || gen_chance(g, 40)) {
        if (gen_chance(g, 70))
            variable(g, b);
        else
            gen_database_place(g, b);
        return;
    }
    gen_expr(g, b, depth);
}

static void binary(struct gen *g, struct strbuf *b, int depth)
{
    static const char *const ops[] = {"+",  "-", "*",  "+",  "-",  "&",  "|",  "^", "<",
                                      "<=", ">", ">=", "==", "!=", "&&", "||", "+", "-"};
    sb_puts(b, "(");
    gen_operand(g, b, depth - 1);
    const char *op = ops[gen_pick(g, sizeof ops / sizeof *ops)];
    /* In a predicate products of products are refused as too large to be exact; see gen_exact.c. */
    sb_printf(b, " %s ", *op == '*' && g->role == GEN_PREDICATE ? "+" : op);
    gen_expr(g, b, depth - 1);
    sb_puts(b, ")");
}

static void division(struct gen *g, struct strbuf *b, int depth)
{
    sb_puts(b, "(");
    gen_operand(g, b, depth - 1);
    sb_puts(b, gen_chance(g, 50) ? " / " : " % ");
    if (gen_chance(g, 50))
        sb_printf(b, "%u", gen_pick(g, 9) + 1);
    else if (gen_chance(g, 70))
        sb_puts(b, "("), gen_operand(g, b, depth - 1), sb_puts(b, " | 1)");
    else
        gen_operand(g, b, depth - 1);
    sb_puts(b, ")");
}

static void shift(struct gen *g, struct strbuf *b, int depth)
{
    sb_puts(b, "(");
    gen_operand(g, b, depth - 1);
    sb_puts(b, gen_chance(g, 50) ? " << " : " >> ");
    if (gen_chance(g, 50))
        sb_printf(b, "%u", gen_pick(g, 20));
    else if (gen_chance(g, 80))
        sb_puts(b, "("), gen_operand(g, b, depth - 1), sb_puts(b, " & 7)");
    else
        gen_operand(g, b, depth - 1);
    sb_puts(b, ")");
}

void gen_expr(struct gen *g, struct strbuf *b, int depth)
{
    static const char *const unary[] = {"- ", "~", "!", "+ "};
    if (depth <= 0) {
        leaf(g, b);
        return;
    }
    switch (gen_pick(g, 12)) {
    case 0:
        sb_printf(b, "(%s", unary[gen_pick(g, 4)]);
        gen_operand(g, b, depth - 1);
        sb_puts(b, ")");
        return;
    case 1:
        sb_printf(b, "(%s)FZ(", gen_type(g));
        gen_operand(g, b, depth - 1);
        sb_puts(b, ")");
        return;
    case 2:
        sb_puts(b, "(");
        gen_operand(g, b, depth - 1);
        sb_puts(b, " ? ");
        gen_expr(g, b, depth - 1);
        sb_puts(b, " : ");
        gen_expr(g, b, depth - 1);
        sb_puts(b, ")");
        return;
    case 3:
        division(g, b, depth);
        return;
    case 4:
        shift(g, b, depth);
        return;
    case 5:
        sb_puts(b, "(");
        gen_operand(g, b, depth - 1);
        sb_printf(b, " & %u)", (1u << gen_pick(g, 8)) - 1 + gen_pick(g, 2));
        return;
    case 6:
    case 7:
    case 8:
    case 9:
        binary(g, b, depth);
        return;
    default:
        leaf(g, b);
    }
}
