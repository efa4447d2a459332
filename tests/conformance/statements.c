#include "tests/conformance/statements.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const struct cf_kind_facts cf_kinds[CF_KINDS] = {
#define STATEMENT(NAME, text, arguments, mode, writes) {text, CF_##arguments, CF_##mode, writes},
#include "tests/conformance/statements.def"
};

const char *const cf_comparison_names[CF_COMPARISONS] = {">=", "<=", "="};

bool cf_compare(enum cf_comparison op, int a, int b)
{
    switch (op) {
    case CF_AT_LEAST:
        return a >= b;
    case CF_AT_MOST:
        return a <= b;
    default:
        return a == b;
    }
}

bool cf_by_predicate(const struct cf_statement *s)
{
    enum cf_arguments a = cf_kinds[s->kind].arguments;
    return a == CF_PREDICATE || a == CF_PREDICATE_CHANGE;
}

bool cf_matches(const struct cf_statement *s, struct cf_row row)
{
    return cf_by_predicate(s) ? cf_compare(s->op, row.value, s->constant) : row.key == s->key;
}

bool cf_to_int(long long value, int *out)
{
    if (value < INT_MIN || value > INT_MAX)
        return false;
    *out = (int)value;
    return true;
}

bool cf_new_value(const struct cf_statement *s, int value, const struct cf_around *around, int *out)
{
    long long v = value;
    switch (s->kind) {
    case CF_SET:
        return cf_to_int(s->value, out);
    case CF_INC:
    case CF_UPS:
        return cf_to_int(v + 1, out);
    case CF_SETL:
        return cf_to_int((long long)around->last + 1, out);
    case CF_UPDP:
        return cf_to_int(s->increment ? v + 1 : s->value, out);
    case CF_UPDSUB:
        return cf_to_int(v + 10 * around->sum, out);
    case CF_UPDSELF:
        return cf_to_int(10 * v + around->self, out);
    case CF_UPK:
        return cf_to_int(v, out);
    default:
        assert(!"this kind of statement changes no value");
        return false;
    }
}

int cf_last_value(const struct cf_statement *s, const struct cf_result *result, int last)
{
    switch (s->kind) {
    case CF_SEL:
    case CF_FU:
    case CF_FS:
    case CF_FKS:
        return result->rows ? result->row[0].value : 0;
    case CF_AGG:
        return result->row[0].key;
    case CF_FUP:
    case CF_SKIP:
        return result->rows;
    default:
        return last;
    }
}

void cf_result_add(struct cf_result *r, struct cf_row row)
{
    assert(r->rows < CF_RESULT_ROWS);
    r->row[r->rows++] = row;
}

static int row_order(const void *a, const void *b)
{
    const struct cf_row *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

void cf_result_sort(struct cf_result *r)
{
    if (r->rows > 1)
        qsort(r->row, (size_t)r->rows, sizeof(r->row[0]), row_order);
}

struct cf_result cf_reported(const struct cf_statement *s, enum cf_level level,
                             const struct cf_result *result)
{
    if (cf_is_pg(level) || !cf_kinds[s->kind].writes)
        return *result;
    if (s->kind == CF_UPS || s->kind == CF_INSN)
        return (struct cf_result){0};
    return (struct cf_result){.rows = result->rows};
}
