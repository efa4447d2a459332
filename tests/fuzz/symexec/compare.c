/* Comparing outcomes. */
#include <stdio.h>

#include "base/strbuf.h"
#include "fuzz.h"
#include "symexec/term.h"

const char *fz_end_name(enum fz_end end)
{
    static const char *const names[] = {
        "committed",        "rolled back",        "overflow",         "out of bounds",
        "division by zero", "shift out of range", "assumption false", "too long"};
    return names[end];
}

__attribute__((format(printf, 1, 2))) static const char *say(const char *fmt, ...)
{
    static char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return text;
}

static const char *number(ast_int v, char text[48])
{
    struct strbuf b = {0};
    term_int_print(v, &b);
    snprintf(text, 48, "%s", sb_str(&b));
    sb_free(&b);
    return text;
}

static const char *compare_asserts(const struct fz_outcome *a, const struct fz_outcome *b)
{
    if (a->asserts.len != b->asserts.len)
        return say("assertions reached: %zu and %zu", a->asserts.len, b->asserts.len);
    for (size_t i = 0; i < a->asserts.len; i++)
        if (a->asserts.data[i].line != b->asserts.data[i].line ||
            a->asserts.data[i].holds != b->asserts.data[i].holds)
            return say("the assertion at line %u", b->asserts.data[i].line);
    return NULL;
}

/* The same calls in the same order, and the same ones share a session. */
static const char *compare_calls(const struct fz_outcome *a, const struct fz_outcome *b)
{
    char x[48], y[48];
    if (a->calls.len != b->calls.len)
        return say("calls of transactions: %zu and %zu", a->calls.len, b->calls.len);
    for (size_t i = 0; i < a->calls.len; i++) {
        const struct fz_call *p = &a->calls.data[i], *q = &b->calls.data[i];
        if (p->func != q->func)
            return say("call %zu is of %s and %s", i, p->func->name, q->func->name);
        for (uint32_t k = 0; k < p->func->n_params; k++)
            if (p->args[k] != q->args[k])
                return say("call %zu: argument %u is %s and %s", i, k, number(p->args[k], x),
                           number(q->args[k], y));
        for (size_t k = 0; k < i; k++)
            if ((a->calls.data[k].session == p->session) !=
                (b->calls.data[k].session == q->session))
                return say("calls %zu and %zu are in one session here, not there", k, i);
    }
    return NULL;
}

static const char *compare_effects(const struct fz_outcome *a, const struct fz_outcome *b,
                                   const struct fz_database *db)
{
    char x[48], y[48];
    if (a->result != b->result)
        return say("returned: %s and %s", number(a->result, x), number(b->result, y));
    for (uint32_t i = 0; i < db->n; i++)
        if (a->state[i] != b->state[i])
            return say("scalar %u of the database: %s and %s", i, number(a->state[i], x),
                       number(b->state[i], y));
    return NULL;
}

bool fz_is_undefined(enum fz_end e)
{
    return e == FZ_OVERFLOW || e == FZ_BOUNDS || e == FZ_DIVISION || e == FZ_SHIFT;
}

const char *fz_compare_native(const struct fz_outcome *native, const struct fz_outcome *interp,
                              const struct fz_database *db)
{
    /* Which of two undefined operations comes first in an expression is the compiler's choice. */
    bool both = fz_is_undefined(native->end) && fz_is_undefined(interp->end);
    if (native->end != interp->end && !both)
        return say("compiled: %s, interpreted: %s", fz_end_name(native->end),
                   fz_end_name(interp->end));
    const char *difference = compare_asserts(native, interp);
    if (!difference)
        difference = compare_calls(native, interp);
    if (!difference && native->end == FZ_COMMITTED)
        difference = compare_effects(native, interp, db);
    return difference ? say("compiled and interpreted: %s", mem_strdup(difference)) : NULL;
}

static const char *compare_rows(const struct fz_outcome *summary, const struct fz_outcome *interp,
                                const struct fz_database *db)
{
    for (uint32_t i = 0; i < db->n; i++) {
        if (summary->written[i] != interp->written[i])
            return say("written, scalar %u: summary %d, interpreter %d", i, summary->written[i],
                       interp->written[i]);
        if (summary->read[i] != interp->read[i])
            return say("read, scalar %u: summary %d, interpreter %d", i, summary->read[i],
                       interp->read[i]);
        if (summary->locked[i] != interp->locked[i])
            return say("locked, scalar %u: summary %d, interpreter %d", i, summary->locked[i],
                       interp->locked[i]);
    }
    return NULL;
}

const char *fz_compare_summary(const struct fz_outcome *summary, const struct fz_outcome *interp,
                               const struct fz_database *db, const struct ast_func *f)
{
    if (summary->problem)
        return say("summary: %s", summary->problem);
    if (summary->inexact != interp->inexact)
        return say("overflow in a predicate: summary %d, interpreter %d", summary->inexact,
                   interp->inexact);
    if (summary->end != interp->end)
        return say("summary: %s, interpreter: %s", fz_end_name(summary->end),
                   fz_end_name(interp->end));
    if (summary->end != FZ_COMMITTED &&
        (summary->loc.line != interp->loc.line || summary->loc.col != interp->loc.col))
        return say("summary stops at %u:%u, interpreter at %u:%u", summary->loc.line,
                   summary->loc.col, interp->loc.line, interp->loc.col);
    const char *difference = compare_asserts(summary, interp);
    if (!difference)
        difference = compare_calls(summary, interp);
    if (!difference && summary->end == FZ_COMMITTED)
        difference = compare_effects(summary, interp, db);
    if (difference)
        return say("summary and interpreter: %s", mem_strdup(difference));
    /* INITIAL has no snapshot to read, and what it leaves as it was it need not write. */
    if (summary->end != FZ_COMMITTED || f->role == AST_INITIAL)
        return NULL;
    return compare_rows(summary, interp, db);
}

/* ---- folds as terms ---------------------------------------------------------------------------
 */

static bool fails(const struct fz_outcome *o, uint32_t line)
{
    for (size_t i = 0; i < o->asserts.len; i++)
        if (o->asserts.data[i].line == line && !o->asserts.data[i].holds)
            return true;
    return false;
}

static const char *compare_failures(const struct fz_outcome *a, const struct fz_outcome *b)
{
    for (size_t i = 0; i < a->asserts.len; i++)
        if (fails(a, a->asserts.data[i].line) && !fails(b, a->asserts.data[i].line))
            return say("the assertion at line %u", a->asserts.data[i].line);
    return NULL;
}

/* Which of several rollbacks is reached does not show. */
static bool same_end(const struct fz_outcome *a, const struct fz_outcome *b, bool transaction)
{
    bool a_rolls = a->end == FZ_ROLLBACK || (a->end == FZ_OVERFLOW && transaction);
    bool b_rolls = b->end == FZ_ROLLBACK || (b->end == FZ_OVERFLOW && transaction);
    if (a_rolls || b_rolls)
        return a_rolls && b_rolls;
    return a->end == b->end && (a->end == FZ_COMMITTED || a->end == FZ_NOT_ASSUMED ||
                                (a->loc.line == b->loc.line && a->loc.col == b->loc.col));
}

const char *fz_compare_folds(const struct fz_outcome *summary, const struct fz_outcome *interp,
                             const struct fz_database *db, const struct ast_func *f)
{
    if (summary->problem)
        return say("summary: %s", summary->problem);
    if (summary->inexact && !interp->inexact) /* a sum may come back into its range */
        return say("overflow in a predicate: only in the summary");
    if (!same_end(summary, interp, f->role == AST_TRANSACTION))
        return say("summary: %s at %u:%u, interpreter: %s at %u:%u", fz_end_name(summary->end),
                   summary->loc.line, summary->loc.col, fz_end_name(interp->end), interp->loc.line,
                   interp->loc.col);
    const char *difference = compare_failures(summary, interp);
    if (!difference)
        difference = compare_failures(interp, summary);
    if (!difference && summary->end == FZ_COMMITTED)
        difference = compare_effects(summary, interp, db);
    if (difference)
        return say("summary and interpreter: %s", mem_strdup(difference));
    if (summary->end != FZ_COMMITTED || f->role == AST_INITIAL)
        return NULL;
    return compare_rows(summary, interp, db);
}
