/* Programs and their notation. */
#include "tests/conformance/statements.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[CF_LEVELS] = {"pg-rc", "pg-rr", "pg-ser",
                                                   "my-rc", "my-rr", "my-ser"};

const char *cf_level_name(enum cf_level level)
{
    return level_names[level];
}

bool cf_is_pg(enum cf_level level)
{
    return level <= CF_PG_SER;
}

/* ---- reading ---- */

struct reader {
    const char *at;
};

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')
        r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* A word ends at a blank or at one of the notation's signs. */
static bool take_word(struct reader *r, const char *word)
{
    skip_blanks(r);
    size_t n = strcspn(r->at, " \n\t;|:");
    if (n != strlen(word) || strncmp(r->at, word, n))
        return false;
    r->at += n;
    return true;
}

static bool take_number(struct reader *r, int *out)
{
    skip_blanks(r);
    char *end;
    long n = strtol(r->at, &end, 10);
    if (end == r->at || n < -1000 || n > 1000)
        return false;
    r->at = end;
    *out = (int)n;
    return true;
}

static bool take_key(struct reader *r, int *out)
{
    return take_number(r, out) && *out >= 0 && *out < CF_KEYS;
}

static bool take_comparison(struct reader *r, enum cf_comparison *out)
{
    for (int op = 0; op < CF_COMPARISONS; op++) {
        if (take_word(r, cf_comparison_names[op])) {
            *out = (enum cf_comparison)op;
            return true;
        }
    }
    return false;
}

static bool take_change(struct reader *r, struct cf_statement *s)
{
    s->increment = take_word(r, "inc");
    return s->increment || (take_word(r, "set") && take_number(r, &s->value));
}

static bool take_arguments(struct reader *r, struct cf_statement *s)
{
    switch (cf_kinds[s->kind].arguments) {
    case CF_KEY:
        return take_key(r, &s->key);
    case CF_KEY_VALUE:
        return take_key(r, &s->key) && take_number(r, &s->value);
    case CF_KEY_KEY:
        return take_key(r, &s->key) && take_key(r, &s->value);
    case CF_PREDICATE:
        return take_comparison(r, &s->op) && take_number(r, &s->constant);
    default:
        return take_comparison(r, &s->op) && take_number(r, &s->constant) && take_change(r, s);
    }
}

static const char *read_statement(struct reader *r, struct cf_statement *s)
{
    *s = (struct cf_statement){0};
    for (int kind = 0; kind < CF_KINDS; kind++) {
        if (take_word(r, cf_kinds[kind].name)) {
            s->kind = (enum cf_kind)kind;
            return take_arguments(r, s) ? NULL : "a statement has the wrong arguments";
        }
    }
    return "there is no such statement";
}

static const char *read_level(struct reader *r, enum cf_level *level)
{
    for (int l = 0; l < CF_LEVELS; l++) {
        if (take_word(r, level_names[l])) {
            *level = (enum cf_level)l;
            return NULL;
        }
    }
    return "a transaction begins with its level";
}

static const char *read_transaction(struct reader *r, struct cf_transaction *t)
{
    const char *wrong = read_level(r, &t->level);
    while (!wrong) {
        t->rolls_back = take_word(r, "rollback");
        if (t->rolls_back || take_word(r, "commit"))
            return NULL;
        if (t->statements == CF_STATEMENTS)
            return "a transaction has too many statements";
        wrong = read_statement(r, &t->statement[t->statements++]);
        if (!wrong && !take(r, ';'))
            return "a semicolon is missing";
    }
    return wrong;
}

static const char *read_rows(struct reader *r, struct cf_program *p)
{
    unsigned seen = 0;
    struct cf_row row;
    while (take_number(r, &row.key)) {
        if (row.key < 0 || row.key >= CF_KEYS)
            return "a key is out of range";
        if (seen & 1u << row.key)
            return "two rows have one key";
        if (!take(r, ':') || !take_number(r, &row.value))
            return "a row is key:value";
        seen |= 1u << row.key;
        p->row[p->rows++] = row;
    }
    return NULL;
}

const char *cf_program_read(struct cf_program *p, const char *text)
{
    *p = (struct cf_program){0};
    struct reader r = {text};
    const char *wrong = read_rows(&r, p);
    while (!wrong && take(&r, '|')) {
        if (p->transactions == CF_TRANSACTIONS)
            return "there are too many transactions";
        wrong = read_transaction(&r, &p->transaction[p->transactions++]);
    }
    skip_blanks(&r);
    if (!wrong && *r.at)
        return "a transaction begins with |";
    return wrong;
}

/* ---- writing ---- */

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, CF_TEXT - n, format, args);
    va_end(args);
}

static void write_statement(char *text, const struct cf_statement *s)
{
    append(text, " %s", cf_kinds[s->kind].name);
    switch (cf_kinds[s->kind].arguments) {
    case CF_KEY:
        append(text, " %d", s->key);
        break;
    case CF_KEY_VALUE:
    case CF_KEY_KEY:
        append(text, " %d %d", s->key, s->value);
        break;
    default:
        append(text, " %s %d", cf_comparison_names[s->op], s->constant);
    }
    if (s->kind == CF_UPDP && s->increment)
        append(text, " inc");
    else if (s->kind == CF_UPDP)
        append(text, " set %d", s->value);
    append(text, ";");
}

void cf_program_write(const struct cf_program *p, char text[static CF_TEXT])
{
    text[0] = '\0';
    for (unsigned i = 0; i < p->rows; i++)
        append(text, "%d:%d ", p->row[i].key, p->row[i].value);
    for (unsigned i = 0; i < p->transactions; i++) {
        const struct cf_transaction *t = &p->transaction[i];
        append(text, "%s| %s", i ? " " : "", cf_level_name(t->level));
        for (unsigned s = 0; s < t->statements; s++)
            write_statement(text, &t->statement[s]);
        append(text, t->rolls_back ? " rollback" : " commit");
    }
}

/* ---- what the levels say something about ---- */

static const char *unsupported_statement(enum cf_level level, enum cf_kind kind)
{
    if (!cf_is_pg(level) && kind == CF_SKIP)
        return "SKIP LOCKED was not measured on InnoDB";
    return NULL;
}

const char *cf_unsupported(const struct cf_program *p)
{
    for (unsigned i = 0; i < p->transactions; i++) {
        const struct cf_transaction *t = &p->transaction[i];
        if (cf_is_pg(t->level) != cf_is_pg(p->transaction[0].level))
            return "the levels are of two databases";
        for (unsigned s = 0; s < t->statements; s++) {
            const char *why = unsupported_statement(t->level, t->statement[s].kind);
            if (why)
                return why;
        }
    }
    return NULL;
}
