/* The program generator: functions of every role, and the program that holds them.
 *
 * Programs are typed loosely: any integer expression may stand anywhere, C converts.  What must not
 * happen is avoided by construction: constant expressions that overflow (compilers fold them), two
 * side effects on one variable in one expression, calls in the middle of expressions (their order
 * is open), endless loops.  Everything that visar must get right is allowed to happen: overflow,
 * division by zero, wild shifts, indices out of bounds, aliasing pointers, jumps over declarations.
 *
 * Names tell the roles: t0 … transactions, init0 … INITIAL functions (a program may have one; the
 * others are helpers to the frontend and run one at a time), v0 … predicates, e0 … predicates whose
 * value must be exact (gen_exact.c), n0 … scenarios; h, i, q, c with the group's number behind it:
 * helpers of transactions, INITIAL, predicates and scenarios. */
#include "generate.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/map.h"
#include "gen.h"

uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_u64(*state);
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

const char *const gen_type_names[GEN_TYPES] = {
    "int",         "unsigned",      "long",           "unsigned long", "short",
    "signed char", "unsigned char", "unsigned short", "_Bool",         "enum color"};

unsigned gen_pick(struct gen *g, unsigned n)
{
    return (unsigned)random_below(&g->rng, n);
}

bool gen_chance(struct gen *g, unsigned percent)
{
    return gen_pick(g, 100) < percent;
}

const char *gen_type(struct gen *g)
{
    return gen_type_names[gen_pick(g, GEN_TYPES)];
}

char gen_helper_letter(enum gen_role role)
{
    return "hiqc"[role];
}

__attribute__((format(printf, 2, 3))) void gen_line(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    for (int i = 0; i < g->indent; i++)
        sb_puts(g->out, "    ");
    sb_vprintf(g->out, fmt, ap);
    sb_putc(g->out, '\n');
    va_end(ap);
}

void gen_new_variable(struct gen *g, bool fixed, char name[12])
{
    struct gen_variable v = {.fixed = fixed};
    snprintf(v.name, sizeof v.name, "x%u", g->names++);
    snprintf(name, sizeof v.name, "%s", v.name);
    vec_push(&g->vars, v);
}

/* ---- functions ----------------------------------------------------------------------------- */

static void start_function(struct gen *g, enum gen_role role)
{
    vec_clear(&g->vars);
    g->role = role;
    g->pointers = g->arrays = g->structs = 0;
    g->loops = g->statements = 0;
    g->in_switch = g->in_helper = g->in_session = false;
}

static void parameter(struct gen *g, const char *name)
{
    struct gen_variable v = {0};
    snprintf(v.name, sizeof v.name, "%s", name);
    vec_push(&g->vars, v);
}

static void first_locals(struct gen *g)
{
    gen_line(g, "long y = 1;");
    parameter(g, "y");
    if (gen_chance(g, 60)) {
        gen_line(g, "int a%u[4] = {3, 1, 2};", g->arrays);
        g->arrays++;
    }
    if (!gen_sees_rows(g))
        return;
    if (gen_chance(g, 50)) {
        gen_line(g, "struct account s%u = account[%u];", g->structs, gen_pick(g, 4));
        g->structs++;
    }
    if (g->structs && gen_chance(g, 60)) { /* to a row or to a local */
        gen_line(g, "struct account *p%u = %s %% 2 ? &account[%u] : &s0;", g->pointers,
                 g->vars.data[0].name, gen_pick(g, 4));
        g->pointers++;
    }
}

static void function_body(struct gen *g, unsigned n, bool has_result)
{
    struct strbuf b = {0};
    gen_line(g, "{");
    g->indent++;
    first_locals(g);
    gen_block(g, 3, n);
    gen_operand(g, &b, 1);
    if (has_result)
        gen_line(g, "return FZ(%s);", sb_str(&b));
    g->indent--;
    gen_line(g, "}");
    sb_free(&b);
}

static void helper(struct gen *g, enum gen_role role, unsigned h)
{
    start_function(g, role);
    gen_line(g, "static %s %c%u_%u(%s n%s)", gen_type(g), gen_helper_letter(role), h, g->group,
             gen_type(g), gen_sees_rows(g) ? ", struct account *p0" : "");
    parameter(g, "n");
    g->pointers = gen_sees_rows(g);
    g->in_helper = true;
    g->helpers = h; /* no recursion */
    function_body(g, 3, true);
}

static void transaction(struct gen *g, unsigned t)
{
    static const char *const names[] = {"m", "n", "k"};
    struct strbuf b = {0}, a = {0};
    unsigned n = 1 + gen_pick(g, 3);
    const char *result = gen_type(g);
    start_function(g, GEN_TRANSACTION);
    for (unsigned i = 0; i < n; i++) {
        sb_printf(&b, "%s%s %s", i ? ", " : "", gen_type(g), names[i]);
        sb_printf(&a, ", %s", names[i]);
        parameter(g, names[i]);
    }
    gen_line(g, "TRANSACTION %s t%u(%s)", result, t, sb_str(&b));
    function_body(g, 4 + gen_pick(g, 8), true);
    gen_line(g, "FZ_STUB(%s, t%u, (%s)%s)", result, t, sb_str(&b), sb_str(&a));
    vec_push(&g->callable, ((struct gen_transaction){t, n}));
    sb_free(&a);
    sb_free(&b);
}

static void initial(struct gen *g, unsigned k)
{
    start_function(g, GEN_INITIAL);
    gen_line(g, "%s void init%u(void)", k == 0 ? "INITIAL" : "static", k);
    function_body(g, 4 + gen_pick(g, 6), false);
}

static void predicate(struct gen *g, unsigned k)
{
    start_function(g, GEN_PREDICATE);
    gen_line(g, "%s %s v%u(void)", gen_chance(g, 60) ? "INVARIANT" : "FINAL",
             gen_chance(g, 50) ? "_Bool" : "int", k);
    function_body(g, 2 + gen_pick(g, 5), true);
}

static void exact(struct gen *g, unsigned k)
{
    start_function(g, GEN_PREDICATE);
    gen_exact_predicate(g, gen_chance(g, 60) ? "INVARIANT" : "FINAL", k);
}

static void scenario(struct gen *g, unsigned k)
{
    start_function(g, GEN_SCENARIO);
    gen_line(g, "SCENARIO void n%u(void)", k);
    function_body(g, 3 + gen_pick(g, 6), false);
}

/* ---- the program --------------------------------------------------------------------------- */

static void tables(struct gen *g)
{
    gen_line(g, "enum color { RED, GREEN = 5, BLUE };");
    gen_line(g, "struct account { %s a; %s b; %s c; };", gen_type(g), gen_type(g), gen_type(g));
    gen_line(g, "DATABASE struct account account[4]%s;",
             gen_chance(g, 50) ? " = {{1, 2, 3}, [2] = {.b = 7, -1}}" : "");
    gen_line(g, "DATABASE %s counter%s;", gen_type_names[gen_pick(g, 4)],
             gen_chance(g, 30) ? " = 40 + 2" : "");
    gen_line(g, "DATABASE %s grid[2][3]%s;", gen_type(g),
             gen_chance(g, 40) ? " = {{1}, {4, 5, 300}}" : "");
    gen_line(g,
             "DATABASE struct { %s v[3]; struct { _Bool flag; unsigned u; } in; enum color kind; } "
             "box[3];",
             gen_type(g));
    gen_line(g, "static const int lookup[4] = {7, -2, 100000, 3};");
    gen_line(
        g,
        "static const struct { short low; unsigned char high; } range[2] = {{-1, 9}, {5, 200}};");
}

static void prologue(struct gen *g)
{
    static const char *const words[] = {
        "#include <visar.h>",
        "#ifndef FZ", /* hooks.h has these for the machine, and says what they are for */
        "#define FZ(e) (e)",
        "#define FZ_STUB(...)",
        "#define CALL(f) f",
        "#define X int",
        "#define XL long",
        "#define I(e) ((int)(e))",
        "#define IL(e) ((long)(e))",
        "#define W(e) (e)",
        "#define WL(e) (e)",
        "#endif",
    };
    static const char *const functions[] = {
        "TRANSACTION int nothing(void) { return 0; }", /* a program needs one, a shrunk one too */
        "static struct account bump(struct account s, int by)",
        "{",
        "    s.a += by;",
        "    if (by > 3) s.b = s.c;",
        "    return s;",
        "}",
        "static unsigned sum_up(unsigned n)",
        "{",
        "    if (n == 0) return 0;",
        "    unsigned rest = sum_up(n - 1);",
        "    return n + rest;",
        "}",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        gen_line(g, "%s", words[i]);
    tables(g);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        gen_line(g, "%s", functions[i]);
}

/* New helpers, up to eight transactions that call them, and a few functions of every other role. */
static void function_group(struct gen *g, unsigned first, unsigned n)
{
    static const struct {
        enum gen_role role;
        unsigned per_group;
        void (*make)(struct gen *g, unsigned number);
    } others[] = {{GEN_INITIAL, 3, initial},
                  {GEN_PREDICATE, 3, predicate},
                  {GEN_PREDICATE, 3, exact},
                  {GEN_SCENARIO, 3, scenario}};
    for (enum gen_role role = GEN_TRANSACTION; role <= GEN_SCENARIO; role++)
        for (unsigned i = 0; i < 2; i++)
            helper(g, role, i);
    vec_clear(&g->callable);
    for (unsigned t = first; t < first + n; t++) {
        g->helpers = 1 + gen_pick(g, 2);
        transaction(g, t);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        for (unsigned i = 0; i < others[k].per_group; i++) {
            g->helpers = 2;
            others[k].make(g, g->group * others[k].per_group + i);
        }
    g->group++;
}

void generate_program(uint64_t seed, unsigned n, struct strbuf *out)
{
    struct gen g = {.rng = seed * 0x2545f4914f6cdd1du + 1, .out = out};
    prologue(&g);
    for (unsigned t = 0; t < n; t += 8)
        function_group(&g, t, n - t < 8 ? n - t : 8);
    vec_free(&g.vars);
    vec_free(&g.callable);
}
