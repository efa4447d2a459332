/* The generator's statements. */
#include "gen.h"

#include <string.h>

static const char *text(struct strbuf *b)
{
    return sb_str(b);
}

/* ---- simple statements --------------------------------------------------------------------- */

static void nondet_declaration(struct gen *g)
{
    static const char *const kinds[][2] = {{"int", "int"},
                                           {"_Bool", "bool"},
                                           {"unsigned char", "uchar"},
                                           {"long", "long"},
                                           {"unsigned", "uint"}};
    char name[12];
    unsigned k = gen_pick(g, 5);
    gen_new_variable(g, false, name);
    gen_line(g, "%s %s = nondet_%s();", kinds[k][0], name, kinds[k][1]);
}

static void struct_declaration(struct gen *g)
{
    struct strbuf b = {0};
    if (gen_sees_rows(g)) {
        gen_index(g, &b, 4, true); /* compilers allow one past the end for a whole struct */
        gen_line(g, "struct account s%u = account[%s];", g->structs, text(&b));
    } else {
        gen_expr(g, &b, 1);
        gen_line(g, "struct account s%u = {FZ(%s), .c = %u};", g->structs, text(&b),
                 gen_pick(g, 9));
    }
    g->structs++;
    sb_free(&b);
}

static void pointer_declaration(struct gen *g)
{
    struct strbuf b = {0};
    if (g->structs && gen_chance(g, 40))
        sb_printf(&b, "s%u", gen_pick(g, g->structs));
    else
        sb_puts(&b, "account["), gen_index(g, &b, 4, true), sb_puts(&b, "]");
    gen_line(g, "struct account *p%u = &%s;", g->pointers, text(&b));
    g->pointers++;
    sb_free(&b);
}

static void declaration(struct gen *g)
{
    struct strbuf b = {0};
    char name[12];
    unsigned kind = gen_pick(g, 9);
    bool no_pointer = g->indent == g->no_pointers || !gen_sees_rows(g);
    if (kind == 8 && g->role != GEN_PREDICATE) {
        nondet_declaration(g);
    } else if (kind == 0) {
        gen_expr(g, &b, 1);
        gen_line(g, "int a%u[4] = {FZ(%s), 2, -3};", g->arrays, text(&b));
        g->arrays++;
    } else if (kind == 1) {
        struct_declaration(g);
    } else if (kind <= 3 && !no_pointer) {
        pointer_declaration(g);
    } else {
        gen_expr(g, &b, 2);
        gen_new_variable(g, false, name);
        gen_line(g, "%s %s = FZ(%s);", gen_type(g), name, text(&b));
    }
    sb_free(&b);
}

static const char *compound_operator(struct gen *g)
{
    static const char *const ops[] = {"+=", "-=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "*="};
    unsigned n = g->role == GEN_PREDICATE ? 9 : 10; /* no products of products there */
    return ops[gen_chance(g, 60) ? gen_pick(g, 2) : gen_pick(g, n)];
}

static void assignment(struct gen *g)
{
    struct strbuf a = {0}, b = {0};
    /* gcc does not check all the indices on the left of a compound assignment. */
    unsigned kind = gen_pick(g, 8);
    g->strict = kind <= 2;
    gen_target(g, &a);
    g->strict = false;
    if (kind == 3 && !gen_changes_rows(g))
        kind = 4;
    switch (kind) {
    case 0:
        gen_line(g, gen_chance(g, 50) ? "%s++;" : "--%s;", text(&a));
        break;
    case 1:
    case 2:
        if (gen_chance(g, 60))
            sb_printf(&b, "%u", gen_pick(g, 9) + 1);
        else
            gen_expr(g, &b, 1);
        gen_line(g, "%s %s %s;", text(&a), compound_operator(g), text(&b));
        break;
    case 3: /* an assignment inside an expression */
        sb_clear(&a);
        gen_database_place(g, &a);
        gen_line(g, "y = (%s = %u) + 1;", text(&a), gen_pick(g, 50));
        break;
    default:
        gen_expr(g, &b, 3);
        gen_line(g, "%s = FZ(%s);", text(&a), text(&b));
    }
    sb_free(&a);
    sb_free(&b);
}

/* Structs as a whole, and pointers moved: a list of what is possible here, one is taken. */
static void whole_rows(struct gen *g)
{
    struct strbuf a = {0}, b = {0};
    bool rows = gen_sees_rows(g), change = gen_changes_rows(g);
    gen_index(g, &a, 4, true);
    gen_index(g, &b, 4, true);
    unsigned kind = gen_pick(g, 6);
    if (kind == 0 && change)
        gen_line(g, "account[%s] = account[%s];", text(&a), text(&b));
    else if (kind == 1 && change && g->structs)
        gen_line(g, "account[%s] = s%u;", text(&a), gen_pick(g, g->structs));
    else if (kind <= 2 && rows && g->structs)
        gen_line(g, "s%u = account[%s];", gen_pick(g, g->structs), text(&b));
    else if (kind <= 2 && g->structs > 1)
        gen_line(g, "s%u = s%u;", gen_pick(g, g->structs), gen_pick(g, g->structs));
    else if (kind <= 3 && g->pointers)
        gen_line(g, "p%u = &account[%s];", gen_pick(g, g->pointers), text(&a));
    else if (kind <= 4 && g->pointers > 1 && change)
        gen_line(g, "*p%u = *p%u;", gen_pick(g, g->pointers), gen_pick(g, g->pointers));
    else if (g->role == GEN_TRANSACTION && g->pointers && gen_chance(g, 40))
        gen_line(g, "for_update(*p%u);", gen_pick(g, g->pointers));
    else if (g->role == GEN_TRANSACTION)
        gen_line(g, "for_%s(account[%s]);", gen_chance(g, 50) ? "update" : "share", text(&a));
    else
        assignment(g);
    sb_free(&a);
    sb_free(&b);
}

/* A row of account that the statement names in one way. */
static void one_row(struct gen *g, struct strbuf *b)
{
    if (g->pointers && gen_chance(g, 40))
        sb_printf(b, "(*p%u)", gen_pick(g, g->pointers));
    else
        sb_printf(b, "account[%u]", gen_pick(g, 4));
}

/* ATOMIC for: what it reads of the table is the row at hand. */
static void atomic_loop(struct gen *g)
{
    char name[12];
    size_t vars = g->vars.len;
    unsigned k = gen_pick(g, 3), l = gen_pick(g, 3);
    gen_new_variable(g, true, name);
    g->vars.len = vars;
    gen_line(g, "ATOMIC for (int %s = 0; %s < 4; %s++)%s", name, name, name,
             gen_chance(g, 30) ? " {" : "");
    bool block = sb_str(g->out)[g->out->len - 2] == '{';
    gen_line(g, "    if (account[%s].%c > %s)", name, "abc"[gen_pick(g, 3)],
             gen_chance(g, 50) ? "counter" : "y");
    gen_line(g, "        account[%s].%c = FZ(account[%s].%c + %u);", name, "abc"[k], name, "abc"[l],
             gen_pick(g, 5));
    if (block)
        gen_line(g, "}");
}

/* One UPDATE, of one row or two, under a condition or not. */
static void atomic_statement(struct gen *g)
{
    struct strbuf a = {0}, b = {0}, c = {0};
    unsigned kind = gen_pick(g, 5);
    if (!gen_changes_rows(g) || g->in_helper || g->fors) {
        assignment(g);
        return;
    }
    g->strict = kind == 0;
    gen_expr(g, &b, 2);
    gen_expr(g, &c, 1);
    if (kind == 0) {
        gen_database_place(g, &a);
        gen_line(g, "ATOMIC %s = FZ(%s);", text(&a), text(&b));
    } else if (kind == 1) {
        atomic_loop(g);
    } else {
        one_row(g, &a);
        gen_line(g, kind < 4 ? "ATOMIC if (%s) {" : "ATOMIC { y += FZ(%s);", text(&b));
        gen_line(g, "    %s.%c = FZ(%s);", text(&a), "abc"[gen_pick(g, 3)], text(&c));
        gen_line(g, "    %s.%c += %u;", text(&a), "abc"[gen_pick(g, 3)], gen_pick(g, 5));
        gen_line(g, "    y = FZ(%s.%c);", text(&a), "abc"[gen_pick(g, 3)]);
        gen_line(g, kind == 2 ? "} else { y = %u; }" : "} (void)%u;", gen_pick(g, 9));
    }
    g->strict = false;
    sb_free(&a);
    sb_free(&b);
    sb_free(&c);
}

static void check_statement(struct gen *g)
{
    struct strbuf b = {0};
    bool asserts = g->role == GEN_TRANSACTION || g->role == GEN_SCENARIO;
    gen_operand(g, &b, 2);
    if (g->role == GEN_PREDICATE)
        assignment(g);
    else if (asserts && gen_chance(g, 40))
        gen_line(g, "assert(%s);", text(&b));
    else if (g->role == GEN_TRANSACTION && gen_chance(g, 50))
        gen_line(g, "if (%s) rollback();", text(&b));
    else
        gen_line(g, "assume((%s) != %u);", text(&b), gen_pick(g, 100));
    sb_free(&b);
}

static void call_statement(struct gen *g)
{
    struct strbuf a = {0}, b = {0}, c = {0};
    if (g->helpers == 0)
        return;
    gen_expr(g, &a, 1);
    if (g->pointers && gen_chance(g, 50))
        sb_printf(&b, ", p%u", gen_pick(g, g->pointers));
    else if (g->structs && gen_sees_rows(g) && gen_chance(g, 40))
        sb_printf(&b, ", &s%u", gen_pick(g, g->structs));
    else if (gen_sees_rows(g))
        sb_puts(&b, ", &account["), gen_index(g, &b, 4, true), sb_puts(&b, "]");
    gen_local_place(g, &c);
    /* The place is a plain variable: no order between an index and the call matters then. */
    if (!strpbrk(text(&c), "[."))
        sb_puts(&c, " = ");
    else
        sb_clear(&c);
    gen_line(g, "%s%c%u_%u(FZ(%s)%s);", text(&c), gen_helper_letter(g->role),
             gen_pick(g, g->helpers), g->group, text(&a), text(&b));
    sb_free(&a);
    sb_free(&b);
    sb_free(&c);
}

static void jump_statement(struct gen *g)
{
    struct strbuf b = {0}, r = {0};
    gen_expr(g, &b, 1);
    gen_expr(g, &r, 1);
    bool conditional = gen_chance(g, 80);
    if (g->loops && gen_chance(g, 60))
        gen_line(g, conditional ? "if (%s) %s;" : "{ if (%s) {} %s; }", text(&b),
                 gen_chance(g, 50) || g->in_switch ? "break" : "continue");
    else if (g->in_session)
        assignment(g);
    else if (!g->in_helper && (g->role == GEN_INITIAL || g->role == GEN_SCENARIO))
        gen_line(g, "if (%s) return;", text(&b));
    else
        gen_line(g, "if (%s) return FZ(%s);", text(&b), text(&r));
    sb_free(&b);
    sb_free(&r);
}

/* Structs by value, recursion, comma. */
static void special_statement(struct gen *g)
{
    struct strbuf a = {0}, b = {0}, e = {0};
    bool change = gen_changes_rows(g);
    gen_index(g, &a, 4, true);
    gen_index(g, &b, 4, true);
    gen_expr(g, &e, 1);
    unsigned kind = gen_pick(g, 5);
    if (kind == 0 && change)
        gen_line(g, "account[%s] = bump(account[%s], (int)FZ(%s));", text(&a), text(&b), text(&e));
    else if (kind == 0 && g->structs)
        gen_line(g, "s0 = bump(s%u, (int)FZ(%s));", gen_pick(g, g->structs), text(&e));
    else if (kind <= 1 && gen_sees_rows(g))
        gen_line(g, "y = bump(account[%s], %u).%c;", text(&a), gen_pick(g, 5),
                 "abc"[gen_pick(g, 3)]);
    else if (kind <= 2)
        gen_line(g, "y = (long)sum_up((unsigned)(FZ(%s) & %u));", text(&e),
                 gen_chance(g, 80) ? 3 : 7);
    else if (kind == 3 && change)
        gen_line(g, "y = (counter = %u, FZ(%s));", gen_pick(g, 9), text(&e));
    else if (change)
        gen_line(g, "if (%s) account[%s] = bump(bump(account[%s], 1), -2);", text(&e), text(&a),
                 text(&b));
    else
        gen_line(g, "y = ((void)0, FZ(%s));", text(&e));
    sb_free(&a);
    sb_free(&b);
    sb_free(&e);
}

/* A scenario's call of a transaction; its result may be looked at later. */
static void transaction_call(struct gen *g)
{
    struct strbuf b = {0};
    char name[12];
    struct gen_transaction t = g->callable.data[gen_pick(g, (unsigned)g->callable.len)];
    for (unsigned i = 0; i < t.params; i++) {
        sb_puts(&b, i ? ", FZ(" : "FZ(");
        gen_expr(g, &b, 1);
        sb_puts(&b, ")");
    }
    if (gen_chance(g, 50)) {
        gen_new_variable(g, false, name);
        gen_line(g, "%s %s = CALL(t%u)(%s);", gen_type(g), name, t.number, text(&b));
    } else {
        gen_line(g, "CALL(t%u)(%s);", t.number, text(&b));
    }
    sb_free(&b);
}

/* ---- statements with parts ------------------------------------------------------------------ */

static void open_block(struct gen *g, const char *head)
{
    gen_line(g, "%s{", head);
    g->indent++;
}

/* Statements in braces: what is declared inside is forgotten after. */
static void scoped(struct gen *g, int depth, unsigned n, const char *tail)
{
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    gen_block(g, depth, n);
    g->vars.len = vars;
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    g->indent--;
    gen_line(g, "}%s", tail);
}

static void if_statement(struct gen *g, int depth)
{
    struct strbuf b = {0}, h = {0};
    gen_expr(g, &b, 2);
    if (gen_chance(g, 15)) { /* an effect that may not happen */
        sb_printf(&h, "if (%s %s (%s", text(&b), gen_chance(g, 50) ? "&&" : "||",
                  gen_chance(g, 50) ? "++" : "--");
        sb_clear(&b);
        g->strict = true;
        gen_local_place(g, &b);
        g->strict = false;
        sb_printf(&h, "%s) > %u) ", text(&b), gen_pick(g, 4));
    } else {
        sb_printf(&h, "if (%s) ", text(&b));
    }
    open_block(g, text(&h));
    scoped(g, depth - 1, 1 + gen_pick(g, 3), "");
    if (gen_chance(g, 45)) {
        open_block(g, "else ");
        scoped(g, depth - 1, 1 + gen_pick(g, 2), "");
    }
    sb_free(&b);
    sb_free(&h);
}

static void loop_body(struct gen *g, int depth, const char *tail)
{
    bool outer = g->in_switch;
    int fors = g->fors;
    g->loops++;
    g->fors += !*tail;
    g->in_switch = false;
    scoped(g, depth - 1, 1 + gen_pick(g, 3), tail);
    g->in_switch = outer;
    g->fors = fors;
    g->loops--;
}

static void loop_statement(struct gen *g, int depth)
{
    struct strbuf b = {0}, h = {0};
    char name[12];
    size_t vars = g->vars.len;
    switch (gen_pick(g, 4)) {
    case 0: /* constant bound */
        gen_new_variable(g, true, name);
        sb_printf(&h, "for (int %s = 0; %s < %u; %s++) ", name, name, gen_pick(g, 5), name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        break;
    case 1: /* a bound that depends on input */
        gen_expr(g, &b, 1);
        gen_new_variable(g, true, name);
        sb_printf(&h, "for (int %s = %u; %s < (int)(FZ(%s) & 3); %s += 1) ", name, gen_pick(g, 2),
                  name, text(&b), name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        break;
    case 2:
        gen_expr(g, &b, 1);
        gen_new_variable(g, true, name);
        gen_line(g, "int %s = (int)(FZ(%s) & 3);", name, text(&b));
        sb_printf(&h, "while (%s-- > 0) ", name);
        open_block(g, text(&h));
        loop_body(g, depth, "");
        sb_free(&b);
        sb_free(&h);
        return; /* the counter stays in scope */
    default:
        gen_new_variable(g, true, name);
        gen_line(g, "int %s = %u;", name, gen_pick(g, 3));
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
    unsigned n = 2 + gen_pick(g, 3), at_default = gen_pick(g, n + 2);
    bool outer = g->in_switch;
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    gen_expr(g, &b, 1);
    sb_printf(&h, "switch (%s%s) ", text(&b), gen_chance(g, 50) ? " & 3" : "");
    open_block(g, text(&h));
    g->in_switch = true;
    for (unsigned i = 0; i < n; i++) {
        if (i == at_default)
            gen_line(g, "default:;");
        else
            gen_line(g, "case %u:;", i);
        open_block(g, "");
        scoped(g, depth - 1, 1 + gen_pick(g, 2), "");
        if (gen_chance(g, 60))
            gen_line(g, "break;");
    }
    g->in_switch = outer;
    g->vars.len = vars;
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    g->indent--;
    gen_line(g, "}");
    sb_free(&b);
    sb_free(&h);
}

/* if (…) goto label; statements; label:  — all in one block, with declarations jumped over. */
static void goto_statement(struct gen *g, int depth)
{
    struct strbuf b = {0};
    unsigned label = g->labels++;
    gen_expr(g, &b, 1);
    open_block(g, "");
    size_t vars = g->vars.len;
    unsigned pointers = g->pointers, arrays = g->arrays, structs = g->structs;
    gen_line(g, "if (%s) goto l%u;", text(&b), label);
    int outer = g->no_pointers;
    g->no_pointers = g->indent;
    gen_block(g, depth - 1, 2);
    g->no_pointers = outer;
    g->vars.len = vars; /* what was jumped over must not be used */
    g->pointers = pointers;
    g->arrays = arrays;
    g->structs = structs;
    gen_line(g, "l%u:;", label);
    assignment(g);
    g->indent--;
    gen_line(g, "}");
    sb_free(&b);
}

/* SESSION { … }: calls in one session.  No jump may leave it. */
static void session_statement(struct gen *g, int depth)
{
    int loops = g->loops;
    bool in_switch = g->in_switch;
    open_block(g, "SESSION ");
    g->in_session = true;
    g->loops = 0;
    g->in_switch = false;
    size_t vars = g->vars.len;
    transaction_call(g);
    scoped(g, depth - 1, 1 + gen_pick(g, 3), "");
    g->vars.len = vars;
    g->loops = loops;
    g->in_switch = in_switch;
    g->in_session = false;
}

static bool scenario_statement(struct gen *g, int depth)
{
    if (g->role != GEN_SCENARIO || g->in_helper || !gen_chance(g, 35))
        return false;
    if (depth > 0 && !g->in_session && gen_chance(g, 30))
        session_statement(g, depth);
    else
        transaction_call(g);
    return true;
}

static void statement(struct gen *g, int depth)
{
    g->statements++;
    if (scenario_statement(g, depth))
        return;
    unsigned k = gen_pick(g, depth > 0 && g->statements < 60 ? 26 : 14);
    if (k < 12 && gen_chance(g, 8))
        special_statement(g);
    else if (k < 12 && gen_chance(g, 8))
        atomic_statement(g);
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
}

void gen_block(struct gen *g, int depth, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        statement(g, depth);
}
