/* Terms as C-like text.
 *
 * The normal form is turned back into what a person would write: NOT LE is `>`, NOT AND NOT NOT is
 * `||`, ADD of MUL by -1 is a subtraction, a modulus by a power of two is a mask if that is what
 * came in.  FIT is invisible.  A shared subterm is printed wherever it occurs, so a budget bounds
 * the length. */
#include <assert.h>

#include "symexec/term_internal.h"

enum prec {
    P_COND = 1,
    P_OR,
    P_AND,
    P_BOR,
    P_BXOR,
    P_BAND,
    P_EQ,
    P_REL,
    P_SHIFT,
    P_SUM,
    P_MUL,
    P_UNARY
};

struct printing {
    const struct term_printer *p;
    const struct term_store *s;
    struct strbuf *out;
    size_t left;       /* nodes until the text is cut short */
    const void *names; /* of the values that are being printed, or NULL */
};

static void print(struct printing *c, term_id t, int prec);

void term_int_print(term_int v, struct strbuf *out)
{
    char digits[48];
    size_t n = sizeof digits;
    unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
    do
        digits[--n] = (char)('0' + (int)(u % 10));
    while (u /= 10);
    if (v < 0)
        digits[--n] = '-';
    sb_add(out, digits + n, sizeof digits - n);
}

static const struct term *get(const struct printing *c, term_id t)
{
    return term_get(c->s, t);
}

static term_id arg(const struct printing *c, term_id t, int i)
{
    return get(c, t)->arg[i];
}

static enum term_op op(const struct printing *c, term_id t)
{
    return (enum term_op)get(c, t)->op;
}

/* Open a parenthesis if the context binds tighter than the operator; close it after. */
static bool open_parenthesis(struct printing *c, int prec, int own)
{
    if (own < prec)
        sb_putc(c->out, '(');
    return own < prec;
}

static void close_parenthesis(struct printing *c, bool opened)
{
    if (opened)
        sb_putc(c->out, ')');
}

static void infix(struct printing *c, term_id a, const char *text, term_id b, int prec, int own)
{
    bool o = open_parenthesis(c, prec, own);
    print(c, a, own);
    sb_printf(c->out, " %s ", text);
    print(c, b, own + 1);
    close_parenthesis(c, o);
}

static void infix_const(struct printing *c, term_id a, const char *text, term_int k, int prec,
                        int own)
{
    bool o = open_parenthesis(c, prec, own);
    print(c, a, own);
    sb_printf(c->out, " %s ", text);
    term_int_print(k, c->out);
    close_parenthesis(c, o);
}

/* ---- values with names --------------------------------------------------------------------- */

/* Whose values are they?  A few levels down, no further: this is for people. */
static const void *names_of(struct printing *c, term_id t, int depth)
{
    const void *names = NULL;
    if (depth == 0 || !c->p->names_of)
        return NULL;
    switch (op(c, t)) {
    case TERM_OP_LEAF:
        return c->p->names_of(c->p->arg, arg(c, t, 0));
    case TERM_OP_FIT:
        return names_of(c, arg(c, t, 0), depth - 1);
    case TERM_OP_ITE:
        names = names_of(c, arg(c, t, 1), depth - 1);
        return names ? names : names_of(c, arg(c, t, 2), depth - 1);
    default:
        return NULL;
    }
}

static void print_const(struct printing *c, term_int v)
{
    const char *name = c->names ? c->p->name(c->p->arg, c->names, v) : NULL;
    if (name)
        sb_puts(c->out, name);
    else
        term_int_print(v, c->out);
}

/* A comparison: what one side is made of tells what the other's constants mean. */
static void compare(struct printing *c, term_id a, const char *text, term_id b, int prec, int own)
{
    const void *outer = c->names;
    c->names = names_of(c, a, 4);
    if (!c->names)
        c->names = names_of(c, b, 4);
    infix(c, a, text, b, prec, own);
    c->names = outer;
}

/* ---- conditions ---------------------------------------------------------------------------- */

static void print_not(struct printing *c, term_id t, int prec);

static void print_negated(struct printing *c, term_id t, int prec)
{
    if (op(c, t) == TERM_OP_NOT)
        print(c, arg(c, t, 0), prec);
    else
        print_not(c, t, prec);
}

/* A leaf that is a condition: compared with 0. */
static bool print_truth(struct printing *c, term_id t, bool negated)
{
    term_id a = arg(c, t, 0), b = arg(c, t, 1);
    return c->p->truth && op(c, a) == TERM_OP_LEAF && term_is_const(c->s, b) &&
           get(c, b)->lo == 0 && c->p->truth(c->p->arg, arg(c, a, 0), negated, c->out);
}

/* Print ¬t. */
static void print_not(struct printing *c, term_id t, int prec)
{
    bool o;
    switch (op(c, t)) {
    case TERM_OP_LE: /* x > -1 is better written x >= 0 */
        if (term_is_const(c->s, arg(c, t, 1)) && get(c, arg(c, t, 1))->lo < 0)
            infix_const(c, arg(c, t, 0), ">=", get(c, arg(c, t, 1))->lo + 1, prec, P_REL);
        else
            compare(c, arg(c, t, 0), ">", arg(c, t, 1), prec, P_REL);
        return;
    case TERM_OP_EQ:
        if (!print_truth(c, t, false))
            compare(c, arg(c, t, 0), "!=", arg(c, t, 1), prec, P_EQ);
        return;
    case TERM_OP_AND:
        o = open_parenthesis(c, prec, P_OR);
        print_negated(c, arg(c, t, 0), P_OR);
        sb_puts(c->out, " || ");
        print_negated(c, arg(c, t, 1), P_OR);
        close_parenthesis(c, o);
        return;
    default:
        sb_putc(c->out, '!');
        print(c, t, P_UNARY);
    }
}

static void print_and(struct printing *c, term_id t, int prec)
{
    bool o = open_parenthesis(c, prec, P_AND);
    print(c, arg(c, t, 0), P_AND);
    sb_puts(c->out, " && ");
    print(c, arg(c, t, 1), P_AND);
    close_parenthesis(c, o);
}

static void print_ite(struct printing *c, term_id t, int prec)
{
    term_id a = arg(c, t, 1), b = arg(c, t, 2);
    const void *names = c->names;
    bool flags = !names && term_is_const(c->s, a) && term_is_const(c->s, b);
    if (flags && get(c, a)->lo == 1 && get(c, b)->lo == 0) {
        print(c, arg(c, t, 0), prec);
        return;
    }
    if (flags && get(c, a)->lo == 0 && get(c, b)->lo == 1) {
        print_negated(c, arg(c, t, 0), prec);
        return;
    }
    bool o = open_parenthesis(c, prec, P_COND);
    c->names = NULL;
    print(c, arg(c, t, 0), P_OR);
    c->names = names;
    sb_puts(c->out, " ? ");
    print(c, a, P_COND);
    sb_puts(c->out, " : ");
    print(c, b, P_COND);
    close_parenthesis(c, o);
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Is this addend subtracted: a negative constant or multiple? */
static bool is_negative(struct printing *c, term_id t)
{
    if (op(c, t) == TERM_OP_CONST)
        return get(c, t)->lo < 0;
    return op(c, t) == TERM_OP_MUL && term_is_const(c->s, arg(c, t, 1)) &&
           get(c, arg(c, t, 1))->lo < 0;
}

static void print_scaled(struct printing *c, term_id t, term_int k, int prec)
{
    if (k == 1) {
        print(c, t, prec);
        return;
    }
    bool o = open_parenthesis(c, prec, P_MUL);
    term_int_print(k, c->out);
    sb_puts(c->out, " * ");
    print(c, t, P_MUL + 1);
    close_parenthesis(c, o);
}

static void print_magnitude(struct printing *c, term_id t, int prec)
{
    if (op(c, t) == TERM_OP_CONST)
        term_int_print(-get(c, t)->lo, c->out);
    else
        print_scaled(c, arg(c, t, 0), -get(c, arg(c, t, 1))->lo, prec);
}

static void print_addends(struct printing *c, const term_id *addends, size_t n, bool negative,
                          bool *first)
{
    for (size_t i = n; i-- > 0;) {
        term_id t = addends[i];
        if (is_negative(c, t) != negative)
            continue;
        if (!*first)
            sb_puts(c->out, negative ? " - " : " + ");
        else if (negative)
            sb_putc(c->out, '-');
        *first = false;
        if (negative)
            print_magnitude(c, t, P_SUM + 1);
        else
            print(c, t, P_SUM + 1);
    }
}

static void print_sum(struct printing *c, term_id t, int prec)
{
    VEC(term_id) addends = {0};
    while (op(c, t) == TERM_OP_ADD && addends.len < 1000) {
        vec_push(&addends, arg(c, t, 1));
        t = arg(c, t, 0);
    }
    vec_push(&addends, t);
    bool o = open_parenthesis(c, prec, P_SUM), first = true;
    print_addends(c, addends.data, addends.len, false, &first);
    print_addends(c, addends.data, addends.len, true, &first);
    close_parenthesis(c, o);
    vec_free(&addends);
}

static void print_mul(struct printing *c, term_id t, int prec)
{
    term_id b = arg(c, t, 1);
    if (!term_is_const(c->s, b)) {
        infix(c, arg(c, t, 0), "*", b, prec, P_MUL);
        return;
    }
    term_int k = get(c, b)->lo;
    if (k >= 0) {
        print_scaled(c, arg(c, t, 0), k, prec);
        return;
    }
    sb_putc(c->out, '-');
    print_scaled(c, arg(c, t, 0), -k, P_UNARY);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static const char *type_name(const struct term *t)
{
    switch (t->bits) {
    case 8:
        return t->is_signed ? "signed char" : "unsigned char";
    case 16:
        return t->is_signed ? "short" : "unsigned short";
    case 32:
        return t->is_signed ? "int" : "unsigned";
    default:
        return t->is_signed ? "long" : "unsigned long";
    }
}

static int log2_exact(term_int v)
{
    int k = 0;
    while (k < 126 && (term_int)1 << k < v)
        k++;
    return (term_int)1 << k == v ? k : -1;
}

static void print_floor(struct printing *c, term_id t, int prec)
{
    term_int k = get(c, arg(c, t, 1))->lo;
    bool power = log2_exact(k) > 0;
    if (op(c, t) == TERM_OP_FDIV && power)
        infix_const(c, arg(c, t, 0), ">>", log2_exact(k), prec, P_SHIFT);
    else if (op(c, t) == TERM_OP_FDIV)
        infix_const(c, arg(c, t, 0), "/", k, prec, P_MUL);
    else if (log2_exact(k) == 32 || log2_exact(k) == 64) {
        sb_puts(c->out, log2_exact(k) == 32 ? "(unsigned)" : "(unsigned long)");
        print(c, arg(c, t, 0), P_UNARY);
    } else if (power)
        infix_const(c, arg(c, t, 0), "&", k - 1, prec, P_BAND);
    else
        infix_const(c, arg(c, t, 0), "%", k, prec, P_MUL);
}

static void print_leaf(struct printing *c, term_id t)
{
    uint32_t leaf = arg(c, t, 0);
    if (c->p->leaf)
        c->p->leaf(c->p->arg, leaf, c->out);
    else if (c->s->leaves.data[leaf].name)
        sb_puts(c->out, c->s->leaves.data[leaf].name);
    else
        sb_printf(c->out, "ext%u_%u", c->s->leaves.data[leaf].a, c->s->leaves.data[leaf].b);
}

static void print_op(struct printing *c, term_id t, int prec)
{
    term_id a = arg(c, t, 0), b = arg(c, t, 1);
    switch (op(c, t)) {
    case TERM_OP_NOT:
        print_not(c, a, prec);
        return;
    case TERM_OP_AND:
        print_and(c, t, prec);
        return;
    case TERM_OP_ITE:
        print_ite(c, t, prec);
        return;
    case TERM_OP_EQ:
        if (!print_truth(c, t, true))
            compare(c, a, "==", b, prec, P_EQ);
        return;
    case TERM_OP_LE:
        compare(c, a, "<=", b, prec, P_REL);
        return;
    case TERM_OP_ADD:
        print_sum(c, t, prec);
        return;
    case TERM_OP_MUL:
        print_mul(c, t, prec);
        return;
    case TERM_OP_TDIV:
        infix(c, a, "/", b, prec, P_MUL);
        return;
    case TERM_OP_TREM:
        infix(c, a, "%", b, prec, P_MUL);
        return;
    case TERM_OP_FDIV:
    case TERM_OP_FMOD:
        print_floor(c, t, prec);
        return;
    case TERM_OP_WRAP:
        sb_printf(c->out, "(%s)", type_name(get(c, t)));
        print(c, a, P_UNARY);
        return;
    case TERM_OP_FIT:
        print(c, a, prec);
        return;
    case TERM_OP_BAND:
        infix(c, a, "&", b, prec, P_BAND);
        return;
    case TERM_OP_BOR:
        infix(c, a, "|", b, prec, P_BOR);
        return;
    case TERM_OP_BXOR:
        infix(c, a, "^", b, prec, P_BXOR);
        return;
    case TERM_OP_SHL:
        infix(c, a, "<<", b, prec, P_SHIFT);
        return;
    case TERM_OP_SHR:
        infix(c, a, ">>", b, prec, P_SHIFT);
        return;
    default:
        assert(!"a term to print");
    }
}

static void print(struct printing *c, term_id t, int prec)
{
    if (c->left == 0) {
        sb_puts(c->out, "…");
        return;
    }
    c->left--;
    switch (op(c, t)) {
    case TERM_OP_FALSE:
        sb_puts(c->out, "false");
        return;
    case TERM_OP_TRUE:
        sb_puts(c->out, "true");
        return;
    case TERM_OP_CONST:
        print_const(c, get(c, t)->lo);
        return;
    case TERM_OP_LEAF:
        print_leaf(c, t);
        return;
    default:
        break;
    }
    const void *outer = c->names;
    if (op(c, t) != TERM_OP_ITE && op(c, t) != TERM_OP_FIT)
        c->names = NULL; /* the operands are other values than the result */
    print_op(c, t, prec);
    c->names = outer;
}

void term_print(const struct term_printer *p, term_id t, struct strbuf *out)
{
    struct printing c = {
        .p = p, .s = p->store, .out = out, .left = p->budget ? p->budget : SIZE_MAX};
    c.names = p->name ? p->names : NULL;
    print(&c, t, 0);
}
