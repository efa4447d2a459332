#include "tests/conformance/sql.h"
#include "tests/conformance/statements.h"

#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, CF_SQL - n, format, args);
    va_end(args);
}

void cf_sql_rows(const struct cf_program *p, char out[static CF_SQL])
{
    out[0] = '\0';
    for (unsigned i = 0; i < p->rows; i++)
        append(out, "%s(%d,%d)", i ? "," : "INSERT INTO t VALUES ", p->row[i].key, p->row[i].value);
}

static void where(char *out, const struct cf_statement *s, const char *gate)
{
    if (cf_by_predicate(s))
        append(out, " WHERE v %s %d", cf_comparison_names[s->op], s->constant);
    else
        append(out, " WHERE k = %d", s->key);
    if (gate)
        append(out, " AND %s", gate);
}

static void select_locking(char *out, const struct cf_statement *s, bool pg, const char *gate)
{
    append(out, "SELECT k, v FROM t");
    where(out, s, gate);
    if (s->kind == CF_FU || s->kind == CF_FUP)
        append(out, " FOR UPDATE");
    else if (s->kind == CF_SKIP)
        append(out, " FOR UPDATE SKIP LOCKED");
    else if (!pg)
        append(out, " LOCK IN SHARE MODE");
    else
        append(out, s->kind == CF_FS ? " FOR SHARE" : " FOR KEY SHARE");
}

static void update(char *out, const struct cf_statement *s, int last, const char *gate)
{
    append(out, "UPDATE t SET ");
    switch (s->kind) {
    case CF_SET:
        append(out, "v = %d", s->value);
        break;
    case CF_SETL:
        append(out, "v = %d", last + 1);
        break;
    case CF_UPK:
        append(out, "k = %d", s->value);
        break;
    case CF_UPDSUB:
        append(out, "v = v + 10 * (SELECT coalesce(sum(v), 0) FROM t t2)");
        break;
    case CF_UPDSELF:
        append(out, "v = 10 * v + (SELECT t2.v FROM t t2 WHERE t2.k = t.k)");
        break;
    default:
        if (s->kind == CF_UPDP && !s->increment)
            append(out, "v = %d", s->value);
        else
            append(out, "v = v + 1");
    }
    where(out, s, gate);
}

static void insert(char *out, const struct cf_statement *s, bool pg, const char *gate)
{
    append(out, "INSERT %sINTO t ", s->kind == CF_INSN && !pg ? "IGNORE " : "");
    if (s->kind == CF_INSSEL)
        append(out, "SELECT %d, coalesce(sum(v), 0) FROM t", s->key);
    else if (gate)
        append(out, "SELECT %d, %d", s->key, s->value);
    else
        append(out, "VALUES (%d, %d)", s->key, s->value);
    if (gate)
        append(out, " WHERE %s", gate);
    if (s->kind == CF_UPS)
        append(out, pg ? " ON CONFLICT (k) DO UPDATE SET v = t.v + 1"
                       : " ON DUPLICATE KEY UPDATE v = v + 1");
    else if (s->kind == CF_INSN && pg)
        append(out, " ON CONFLICT (k) DO NOTHING");
}

bool cf_sql_has_gate(const struct cf_statement *s)
{
    return s->kind != CF_SEL && s->kind != CF_AGG;
}

void cf_sql(const struct cf_statement *s, enum cf_level level, int last, const char *gate,
            char out[static CF_SQL])
{
    bool pg = cf_is_pg(level);
    out[0] = '\0';
    switch (s->kind) {
    case CF_SEL:
        append(out, "SELECT k, v FROM t");
        where(out, s, NULL);
        break;
    case CF_AGG:
        append(out, "SELECT count(*), coalesce(sum(v), 0) FROM t");
        where(out, s, NULL);
        break;
    case CF_FU:
    case CF_FS:
    case CF_FKS:
    case CF_FUP:
    case CF_SKIP:
        select_locking(out, s, pg, gate);
        break;
    case CF_INS:
    case CF_UPS:
    case CF_INSN:
    case CF_INSSEL:
        insert(out, s, pg, gate);
        break;
    case CF_DEL:
    case CF_DELP:
        append(out, "DELETE FROM t");
        where(out, s, gate);
        break;
    default:
        update(out, s, last, gate);
    }
    if (pg && cf_kinds[s->kind].writes)
        append(out, " RETURNING k, v");
}
