/* The program generator.
 *
 * Programs are typed loosely: any integer expression may stand anywhere, C converts.  What must not
 * happen is avoided by construction: constant expressions that overflow (compilers fold them), two
 * side effects on one variable in one expression, calls in the middle of expressions (their order
 * is open), endless loops.  Everything that visar must get right is allowed to happen: overflow,
 * division by zero, wild shifts, indices out of bounds, aliasing pointers, jumps over declarations.
 */
#include "generate.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/map.h"
#include "base/vec.h"

uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_u64(*state);
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

#define TYPES 10
static const char *const type_names[TYPES] = {
    "int",         "unsigned",      "long",           "unsigned long", "short",
    "signed char", "unsigned char", "unsigned short", "_Bool",         "enum color"};

struct variable {
    char name[12];
    bool fixed; /* a loop counter: not to be assigned */
};

struct gen {
    uint64_t rng;
    struct strbuf *out;
    VEC(struct variable) vars;          /* integer locals in scope */
    unsigned pointers, arrays, structs; /* in scope: p0 …, a0 …, s0 … */
    unsigned names, labels;
    int indent, loops, statements;
    int no_pointers;  /* at this indentation: a goto must not skip the initialiser of one */
    unsigned helpers; /* that may be called: h0 … */
    bool in_helper, in_switch;
    bool strict;        /* no index out of bounds */
    const char *result; /* of the function */
};

static unsigned pick(struct gen *g, unsigned n)
{
    return (unsigned)random_below(&g->rng, n);
}

static bool chance(struct gen *g, unsigned percent)
{
    return pick(g, 100) < percent;
}

__attribute__((format(printf, 2, 3))) static void line(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    for (int i = 0; i < g->indent; i++)
        sb_puts(g->out, "    ");
    sb_vprintf(g->out, fmt, ap);
    sb_putc(g->out, '\n');
    va_end(ap);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void expr(struct gen *g, struct strbuf *b, int depth);

static void constant(struct gen *g, struct strbuf *b)
{
    static const char *const rare[] = {
        "100",         "-1",  "255",   "256",         "65535",
        "2147483647",  "127", "-128",  "4294967295u", "9223372036854775807L",
        "1000000000L", "3u",  "-100L", "RED",         "BLUE"};
    if (chance(g, 75))
        sb_printf(b, "%u", pick(g, 10));
    else
        sb_puts(b, rare[pick(g, sizeof rare / sizeof *rare)]);
}

static void variable(struct gen *g, struct strbuf *b)
{
    sb_puts(b, g->vars.data[pick(g, (unsigned)g->vars.len)].name);
}

/* An index into n elements: in range, mostly. */
static void index_of(struct gen *g, struct strbuf *b, unsigned n, bool strict)
{
    if (chance(g, 45)) {
        sb_printf(b, "%u", pick(g, n));
    } else if (strict || g->strict || chance(g, 96)) {
        sb_puts(b, "(");
        if (chance(g, 60))
            variable(g, b);
        else
            expr(g, b, 1);
        sb_printf(b, ") & %u", n == 4 ? 3 : 1);
    } else {
        variable(g, b);
    }
}

/* A place in the database, or of a local. */
static void database_place(struct gen *g, struct strbuf *b)
{
    static const char *const account_fields[] = {"a", "b", "c"};
    static const char *const box_fields[] = {"in.flag", "in.u", "kind"};
    switch (pick(g, 6)) {
    case 0:
        sb_puts(b, "counter");
        return;
    case 1:
        sb_puts(b, "grid[");
        index_of(g, b, 2, false);
        sb_puts(b, "][");
        index_of(g, b, 3, false);
        sb_puts(b, "]");
        return;
    case 2:
        sb_puts(b, "box[");
        index_of(g, b, 3, false);
        if (chance(g, 50)) {
            sb_printf(b, "].%s", box_fields[pick(g, 3)]);
        } else {
            sb_puts(b, "].v[");
            index_of(g, b, 3, false);
            sb_puts(b, "]");
        }
        return;
    case 3:
        if (g->pointers) {
            sb_printf(b, "p%u->%s", pick(g, g->pointers), account_fields[pick(g, 3)]);
            return;
        } /* fall through */
    default:
        sb_puts(b, "account[");
        index_of(g, b, 4, false);
        sb_printf(b, "].%s", account_fields[pick(g, 3)]);
    }
}

static void local_place(struct gen *g, struct strbuf *b)
{
    static const char *const fields[] = {"a", "b", "c"};
    if (g->arrays && chance(g, 40)) {
        sb_printf(b, "a%u[", pick(g, g->arrays));
        index_of(g, b, 4, false);
        sb_puts(b, "]");
    } else if (g->structs && chance(g, 25)) {
        sb_printf(b, "s%u.%s", pick(g, g->structs), fields[pick(g, 3)]);
    } else {
        for (int i = 0; i < 8; i++) {
            const struct variable *v = &g->vars.data[pick(g, (unsigned)g->vars.len)];
            if (!v->fixed) {
                sb_puts(b, v->name);
                return;
            }
        }
        sb_puts(b, "counter");
    }
}

static void table_lookup(struct gen *g, struct strbuf *b)
{
    bool pair = chance(g, 40);
    sb_puts(b, pair ? "range[(" : "lookup[(");
    variable(g, b);
    sb_puts(b, pair ? ") & 1]." : ") & 3]");
    if (pair)
        sb_puts(b, chance(g, 50) ? "low" : "high");
}

static void leaf(struct gen *g, struct strbuf *b)
{
    switch (pick(g, 11)) {
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
        database_place(g, b);
        return;
    case 7:
        local_place(g, b);
        return;
    default:
        constant(g, b);
    }
}

/* Something that is not a constant expression. */
static void operand(struct gen *g, struct strbuf *b, int depth)
{
    if (depth == 0 || chance(g, 40)) {
        if (chance(g, 70))
            variable(g, b);
        else
            database_place(g, b);
        return;
    }
    expr(g, b, depth);
}

static void binary(struct gen *g, struct strbuf *b, int depth)
{
    static const char *const ops[] = {"+",  "-", "*",  "+",  "-",  "&",  "|",  "^", "<",
                                      "<=", ">", ">=", "==", "!=", "&&", "||", "+", "-"};
    sb_puts(b, "(");
    operand(g, b, depth - 1);
    sb_printf(b, " %s ", ops[pick(g, sizeof ops / sizeof *ops)]);
    expr(g, b, depth - 1);
    sb_puts(b, ")");
}

static void division(struct gen *g, struct strbuf *b, int depth)
{
    sb_puts(b, "(");
    operand(g, b, depth - 1);
    sb_puts(b, chance(g, 50) ? " / " : " % ");
    if (chance(g, 50))
        sb_printf(b, "%u", pick(g, 9) + 1);
    else if (chance(g, 70))
        sb_puts(b, "("), operand(g, b, depth - 1), sb_puts(b, " | 1)");
    else
        operand(g, b, depth - 1);
    sb_puts(b, ")");
}

static void shift(struct gen *g, struct strbuf *b, int depth)
{
    sb_puts(b, "(");
    operand(g, b, depth - 1);
    sb_puts(b, chance(g, 50) ? " << " : " >> ");
    if (chance(g, 50))
        sb_printf(b, "%u", pick(g, 20));
    else if (chance(g, 80))
        sb_puts(b, "("), operand(g, b, depth - 1), sb_puts(b, " & 7)");
    else
        operand(g, b, depth - 1);
    sb_puts(b, ")");
}

static void expr(struct gen *g, struct strbuf *b, int depth)
{
    static const char *const unary[] = {"- ", "~", "!", "+ "};
    if (depth <= 0) {
        leaf(g, b);
        return;
    }
    switch (pick(g, 12)) {
    case 0:
        sb_printf(b, "(%s", unary[pick(g, 4)]);
        operand(g, b, depth - 1);
        sb_puts(b, ")");
        return;
    case 1:
        sb_printf(b, "(%s)FZ(", type_names[pick(g, TYPES)]);
        operand(g, b, depth - 1);
        sb_puts(b, ")");
        return;
    case 2:
        sb_puts(b, "(");
        operand(g, b, depth - 1);
        sb_puts(b, " ? ");
        expr(g, b, depth - 1);
        sb_puts(b, " : ");
        expr(g, b, depth - 1);
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
        operand(g, b, depth - 1);
        sb_printf(b, " & %u)", (1u << pick(g, 8)) - 1 + pick(g, 2));
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

static const char *text(struct strbuf *b)
{
    return sb_str(b);
}

/* ---- statements ---------------------------------------------------------------------------- */

static void block(struct gen *g, int depth, unsigned n);

static void new_variable(struct gen *g, bool fixed, char *name)
{
    struct variable v = {.fixed = fixed};
    snprintf(v.name, sizeof v.name, "x%u", g->names++);
    snprintf(name, sizeof v.name, "%s", v.name);
    vec_push(&g->vars, v);
}

static void declaration(struct gen *g)
{
    struct strbuf b = {0};
    char name[12];
    unsigned kind = pick(g, 9);
    if ((kind == 2 || kind == 3) && g->indent == g->no_pointers)
        kind = 4;
    switch (kind) {
    case 8:
        new_variable(g, false, name);
        line(g, "int %s = nondet_int();", name);
        break;
    case 0:
        expr(g, &b, 1);
        line(g, "int a%u[4] = {FZ(%s), 2, -3};", g->arrays, text(&b));
        g->arrays++;
        break;
    case 1:
        index_of(g, &b, 4, true); /* compilers allow one past the end for a whole struct */
        line(g, "struct account s%u = account[%s];", g->structs, text(&b));
        g->structs++;
        break;
    case 2:
        index_of(g, &b, 4, true);
        line(g, "struct account *p%u = &account[%s];", g->pointers, text(&b));
        g->pointers++;
        break;
    case 3:
        if (g->structs && chance(g, 60)) {
            line(g, "struct account *p%u = &s%u;", g->pointers, pick(g, g->structs));
            g->pointers++;
            break;
        } /* fall through */
    default:
        expr(g, &b, 2);
        new_variable(g, false, name);
        line(g, "%s %s = FZ(%s);", type_names[pick(g, TYPES)], name, text(&b));
    }
    sb_free(&b);
}

static void assignment(struct gen *g)
{
    static const char *const ops[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    struct strbuf a = {0}, b = {0};
    /* gcc does not check all the indices on the left of a compound assignment. */
    unsigned kind = pick(g, 8);
    g->strict = kind <= 2;
    if (chance(g, 60))
        database_place(g, &a);
    else
        local_place(g, &a);
    g->strict = false;
    switch (kind) {
    case 0:
        line(g, chance(g, 50) ? "%s++;" : "--%s;", text(&a));
        break;
    case 1:
    case 2:
        if (chance(g, 60))
            sb_printf(&b, "%u", pick(g, 9) + 1);
        else
            expr(g, &b, 1);
        line(g, "%s %s %s;", text(&a), ops[chance(g, 60) ? pick(g, 2) : pick(g, 10)], text(&b));
        break;
    case 3: /* an assignment inside an expression */
        sb_clear(&a);
        database_place(g, &a);
        line(g, "y = (%s = %u) + 1;", text(&a), pick(g, 50));
        break;
    default:
        expr(g, &b, 3);
        line(g, "%s = FZ(%s);", text(&a), text(&b));
    }
    sb_free(&a);
    sb_free(&b);
}

static void whole_rows(struct gen *g)
{
    struct strbuf a = {0}, b = {0};
    index_of(g, &a, 4, true);
    index_of(g, &b, 4, true);
    switch (pick(g, 6)) {
    case 0:
        line(g, "account[%s] = account[%s];", text(&a), text(&b));
        break;
    case 1:
        if (g->structs) {
            line(g, "account[%s] = s%u;", text(&a), pick(g, g->structs));
            break;
        } /* fall through */
    case 2:
        if (g->structs) {
            line(g, "s%u = account[%s];", pick(g, g->structs), text(&b));
            break;
        } /* fall through */
    case 3:
        if (g->pointers) {
            sb_clear(&a);
            index_of(g, &a, 4, true);
            line(g, "p%u = &account[%s];", pick(g, g->pointers), text(&a));
            break;
        } /* fall through */
    case 4:
        if (g->pointers > 1) {
            line(g, "*p%u = *p%u;", pick(g, g->pointers), pick(g, g->pointers));
            break;
        } /* fall through */
    default:
        line(g, "for_update(account[%s]);", text(&a));
    }
    sb_free(&a);
    sb_free(&b);
}

static void open_block(struct gen *g, const char *head)
{
    line(g, "%s{", head);
    g->indent++;
}

/* Statements in braces: what is declared inside is forgotten after. */
static void scoped(struct gen *g, int depth, unsigned n, const char *tail)
{
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    block(g, depth, n);
    g->vars.len = vars;
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    g->indent--;
    line(g, "}%s", tail);
}

static void if_statement(struct gen *g, int depth)
{
    struct strbuf b = {0}, h = {0};
    expr(g, &b, 2);
    if (chance(g, 15)) { /* an effect that may not happen */
        sb_printf(&h, "if (%s %s (%s", text(&b), chance(g, 50) ? "&&" : "||",
                  chance(g, 50) ? "++" : "--");
        sb_clear(&b);
        g->strict = true;
        local_place(g, &b);
        g->strict = false;
        sb_printf(&h, "%s) > %u) ", text(&b), pick(g, 4));
    } else {
        sb_printf(&h, "if (%s) ", text(&b));
    }
    open_block(g, text(&h));
    scoped(g, depth - 1, 1 + pick(g, 3), "");
    if (chance(g, 45)) {
        open_block(g, "else ");
        scoped(g, depth - 1, 1 + pick(g, 2), "");
    }
    sb_free(&b);
    sb_free(&h);
}

static void loop_body(struct gen *g, int depth, const char *tail)
{
    bool outer = g->in_switch;
    g->loops++;
    g->in_switch = false;
    scoped(g, depth - 1, 1 + pick(g, 3), tail);
    g->in_switch = outer;
    g->loops--;
}

static void loop_statement(struct gen *g, int depth)
{
    struct strbuf b = {0}, h = {0};
    char name[12];
    size_t vars = g->vars.len;
    switch (pick(g, 4)) {
    case 0: /* constant bound */
        new_variable(g, true, name);
        sb_printf(&h, "for (int %s = 0; %s < %u; %s++) ", name, name, pick(g, 5), name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        break;
    case 1: /* a bound that depends on input */
        expr(g, &b, 1);
        new_variable(g, true, name);
        sb_printf(&h, "for (int %s = %u; %s < (int)(FZ(%s) & 3); %s += 1) ", name, pick(g, 2), name,
                  text(&b), name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        break;
    case 2:
        expr(g, &b, 1);
        new_variable(g, true, name);
        line(g, "int %s = (int)(FZ(%s) & 3);", name, text(&b));
        sb_printf(&h, "while (%s-- > 0) ", name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        sb_free(&b);
        sb_free(&h);
        return; /* the counter stays in scope */
    default:
        new_variable(g, true, name);
        line(g, "int %s = %u;", name, pick(g, 3));
        open_block(g, "do ");
        sb_printf(&h, " while (%s-- > 0);", name);
        loop_body(g, depth, text(&h));
        sb_free(&b);
        sb_free(&h);
        return;
    }
    g->vars.len = vars;
    sb_free(&b);
    sb_free(&h);
}

static void switch_statement(struct gen *g, int depth)
{
    struct strbuf b = {0}, h = {0};
    unsigned n = 2 + pick(g, 3), at_default = pick(g, n + 2);
    bool outer = g->in_switch;
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    expr(g, &b, 1);
    sb_printf(&h, "switch (%s%s) ", text(&b), chance(g, 50) ? " & 3" : "");
    open_block(g, text(&h));
    g->in_switch = true;
    for (unsigned i = 0; i < n; i++) {
        if (i == at_default)
            line(g, "default:;");
        else
            line(g, "case %u:;", i);
        open_block(g, "");
        scoped(g, depth - 1, 1 + pick(g, 2), "");
        if (chance(g, 60))
            line(g, "break;");
    }
    g->in_switch = outer;
    g->vars.len = vars;
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    g->indent--;
    line(g, "}");
    sb_free(&b);
    sb_free(&h);
}

static void check_statement(struct gen *g)
{
    struct strbuf b = {0};
    operand(g, &b, 2);
    if (chance(g, 40))
        line(g, "assert(%s);", text(&b));
    else if (chance(g, 50))
        line(g, "if (%s) rollback();", text(&b));
    else
        line(g, "assume((%s) != %u);", text(&b), pick(g, 100));
    sb_free(&b);
}

static void call_statement(struct gen *g)
{
    struct strbuf a = {0}, b = {0}, c = {0};
    if (g->helpers == 0)
        return;
    unsigned h = pick(g, g->helpers);
    expr(g, &a, 1);
    if (g->pointers && chance(g, 50))
        sb_printf(&b, "p%u", pick(g, g->pointers));
    else if (g->structs && chance(g, 40))
        sb_printf(&b, "&s%u", pick(g, g->structs));
    else
        sb_puts(&b, "&account["), index_of(g, &b, 4, true), sb_puts(&b, "]");
    local_place(g, &c);
    /* The place is a plain variable: no order between an index and the call matters then. */
    if (strpbrk(text(&c), "[."))
        line(g, "h%u(FZ(%s), %s);", h, text(&a), text(&b));
    else
        line(g, "%s = h%u(FZ(%s), %s);", text(&c), h, text(&a), text(&b));
    sb_free(&a);
    sb_free(&b);
    sb_free(&c);
}

static void jump_statement(struct gen *g)
{
    struct strbuf b = {0}, r = {0};
    expr(g, &b, 1);
    expr(g, &r, 1);
    bool conditional = chance(g, 80);
    if (g->loops && chance(g, 60))
        line(g, conditional ? "if (%s) %s;" : "{ if (%s) {} %s; }", text(&b),
             chance(g, 50) || g->in_switch ? "break" : "continue");
    else
        line(g, "if (%s) return FZ(%s);", text(&b), text(&r));
    sb_free(&b);
    sb_free(&r);
}

/* Structs by value, recursion, comma. */
static void special_statement(struct gen *g)
{
    struct strbuf a = {0}, b = {0}, e = {0};
    index_of(g, &a, 4, true);
    index_of(g, &b, 4, true);
    expr(g, &e, 1);
    switch (pick(g, 5)) {
    case 0:
        line(g, "account[%s] = bump(account[%s], (int)FZ(%s));", text(&a), text(&b), text(&e));
        break;
    case 1:
        line(g, "y = bump(account[%s], %u).%c;", text(&a), pick(g, 5), "abc"[pick(g, 3)]);
        break;
    case 2:
        line(g, "y = (long)sum_up((unsigned)(FZ(%s) & %u));", text(&e), chance(g, 80) ? 3 : 7);
        break;
    case 3:
        line(g, "y = (counter = %u, FZ(%s));", pick(g, 9), text(&e));
        break;
    default:
        line(g, "if (%s) account[%s] = bump(bump(account[%s], 1), -2);", text(&e), text(&a),
             text(&b));
    }
    sb_free(&a);
    sb_free(&b);
    sb_free(&e);
}

/* if (…) goto label; statements; label:  — all in one block, with declarations jumped over. */
static void goto_statement(struct gen *g, int depth)
{
    struct strbuf b = {0};
    unsigned label = g->labels++;
    expr(g, &b, 1);
    open_block(g, "");
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    line(g, "if (%s) goto l%u;", text(&b), label);
    int outer = g->no_pointers;
    g->no_pointers = g->indent;
    block(g, depth - 1, 2);
    g->no_pointers = outer;
    g->vars.len = vars; /* what was jumped over must not be used */
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    line(g, "l%u:;", label);
    assignment(g);
    g->indent--;
    line(g, "}");
    sb_free(&b);
}

static void statement(struct gen *g, int depth)
{
    struct strbuf b = {0};
    g->statements++;
    unsigned k = pick(g, depth > 0 && g->statements < 60 ? 26 : 14);
    if (k < 12 && chance(g, 8))
        special_statement(g);
    else if (k < 3)
        declaration(g);
    else if (k < 9)
        assignment(g);
    else if (k < 11)
        whole_rows(g);
    else if (k < 12)
        check_statement(g);
    else if (k < 13)
        call_statement(g);
    else if (k < 14)
        jump_statement(g);
    else if (k < 18)
        if_statement(g, depth);
    else if (k < 21)
        loop_statement(g, depth);
    else if (k < 23)
        switch_statement(g, depth);
    else if (k < 24)
        goto_statement(g, depth);
    else
        assignment(g);
    sb_free(&b);
}

static void block(struct gen *g, int depth, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        statement(g, depth);
}

/* ---- functions ----------------------------------------------------------------------------- */

static void start_function(struct gen *g)
{
    vec_clear(&g->vars);
    g->pointers = g->arrays = g->structs = 0;
    g->loops = g->statements = 0;
    g->in_switch = false;
}

static void parameter(struct gen *g, const char *name)
{
    struct variable v = {0};
    snprintf(v.name, sizeof v.name, "%s", name);
    vec_push(&g->vars, v);
}

static void function_body(struct gen *g, unsigned n)
{
    struct strbuf b = {0};
    line(g, "{");
    g->indent++;
    line(g, "long y = 1;");
    parameter(g, "y");
    if (chance(g, 60)) {
        line(g, "int a%u[4] = {3, 1, 2};", g->arrays);
        g->arrays++;
    }
    if (chance(g, 50)) {
        line(g, "struct account s%u = account[%u];", g->structs, pick(g, 4));
        g->structs++;
    }
    if (g->structs && chance(g, 60)) { /* to a row or to a local */
        line(g, "struct account *p%u = %s %% 2 ? &account[%u] : &s0;", g->pointers,
             g->vars.data[0].name, pick(g, 4));
        g->pointers++;
    }
    block(g, 3, n);
    operand(g, &b, 1);
    line(g, "return FZ(%s);", text(&b));
    g->indent--;
    line(g, "}");
    sb_free(&b);
}

static void helper(struct gen *g, unsigned h)
{
    start_function(g);
    line(g, "static %s h%u(%s n, struct account *p0)", type_names[pick(g, TYPES)], h,
         type_names[pick(g, TYPES)]);
    parameter(g, "n");
    g->pointers = 1;
    g->in_helper = true;
    g->helpers = h; /* no recursion */
    function_body(g, 3);
    g->in_helper = false;
}

static void transaction(struct gen *g, unsigned t)
{
    static const char *const names[] = {"m", "n", "k"};
    struct strbuf b = {0};
    unsigned n = 1 + pick(g, 3);
    start_function(g);
    for (unsigned i = 0; i < n; i++) {
        sb_printf(&b, "%s%s %s", i ? ", " : "", type_names[pick(g, TYPES)], names[i]);
        parameter(g, names[i]);
    }
    line(g, "TRANSACTION %s t%u(%s)", type_names[pick(g, TYPES)], t, text(&b));
    function_body(g, 4 + pick(g, 8));
    sb_free(&b);
}

void generate_program(uint64_t seed, unsigned n, struct strbuf *out)
{
    struct gen g = {.rng = seed * 0x2545f4914f6cdd1du + 1, .out = out};
    line(&g, "#include <visar.h>");
    line(&g, "#ifndef FZ"); /* hooks.h: keeps gcc from narrowing arithmetic, which hides overflow */
    line(&g, "#define FZ(e) (e)");
    line(&g, "#endif");
    line(&g, "enum color { RED, GREEN = 5, BLUE };");
    line(&g, "struct account { %s a; %s b; %s c; };", type_names[pick(&g, TYPES)],
         type_names[pick(&g, TYPES)], type_names[pick(&g, TYPES)]);
    line(&g, "DATABASE struct account account[4];");
    line(&g, "DATABASE %s counter;", type_names[pick(&g, 4)]);
    line(&g, "DATABASE %s grid[2][3];", type_names[pick(&g, TYPES)]);
    line(&g,
         "DATABASE struct { %s v[3]; struct { _Bool flag; unsigned u; } in; enum color kind; } "
         "box[3];",
         type_names[pick(&g, TYPES)]);
    line(&g, "static const int lookup[4] = {7, -2, 100000, 3};");
    line(&g,
         "static const struct { short low; unsigned char high; } range[2] = {{-1, 9}, {5, 200}};");
    line(&g, "static struct account bump(struct account s, int by)");
    line(&g, "{");
    line(&g, "    s.a += by;");
    line(&g, "    if (by > 3) s.b = s.c;");
    line(&g, "    return s;");
    line(&g, "}");
    line(&g, "static unsigned sum_up(unsigned n)");
    line(&g, "{");
    line(&g, "    if (n == 0) return 0;");
    line(&g, "    unsigned rest = sum_up(n - 1);");
    line(&g, "    return n + rest;");
    line(&g, "}");
    for (unsigned t = 0; t < n; t++) {
        unsigned h = pick(&g, 3) ? 1 : 2;
        if (t % 8 == 0) { /* new helpers now and then */
            line(&g, "#define h0 h0_%u", t);
            line(&g, "#define h1 h1_%u", t);
            for (unsigned i = 0; i < 2; i++)
                helper(&g, i);
        }
        g.helpers = h;
        transaction(&g, t);
        if (t % 8 == 7 || t == n - 1) {
            line(&g, "#undef h0");
            line(&g, "#undef h1");
        }
    }
    vec_free(&g.vars);
}
