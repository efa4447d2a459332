/* The schedule as a test of PostgreSQL's isolationtester (src/test/isolation/README): a session for
 * each transaction, a step for each statement, one permutation.
 *
 * Names are quoted: before version 14 they had to be.
 *
 * The tester takes SQL between braces, to the first closing one, whatever it stands in.  So a name
 * with a brace is written with Unicode escapes. */
#include <string.h>

#include "database/replay.h"
#include "database/sql.h"

enum { GATE = 1 }; /* advisory locks of the spec */

static void put_sql(FILE *out, const char *sql)
{
    for (const char *p = sql; *p;) {
        if (*p != '"') {
            fputc(*p++, out);
            continue;
        }
        const char *end = p + 1; /* the closing quote; "" inside stands for one */
        while (*end != '"' || end[1] == '"')
            end += *end == '"' ? 2 : 1;
        size_t n = (size_t)(end - p) + 1;
        if (!memchr(p, '}', n) && !memchr(p, '{', n) && !memchr(p, '\n', n)) {
            fwrite(p, 1, n, out);
        } else {
            fputs("U&", out);
            for (size_t i = 0; i < n; i++)
                if (strchr("{}\\\n", p[i]))
                    fprintf(out, "\\%04X", (unsigned)p[i]);
                else
                    fputc(p[i], out);
        }
        p = end + 1;
    }
}

static void put_line(FILE *out, const char *indent, const struct sql *s)
{
    fputs(indent, out);
    put_sql(out, sb_str(&s->text));
    fputs(";\n", out);
}

/* Comments run to the end of the line. */
static void put_comment(FILE *out, const char *text)
{
    fputs("# ", out);
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    fputc('\n', out);
}

static void put_setup(struct sql *s, FILE *out)
{
    fputs("\nsetup\n{\n    CREATE SCHEMA visar_replay;\n", out);
    for (uint32_t i = 0; i < s->p->tables.len; i++) {
        sql_create(s, i);
        put_line(out, "    ", s);
    }
    for (uint32_t i = 0; i < s->p->rows.len; i++) {
        sql_insert(s, i);
        put_line(out, "    ", s);
    }
    fputs("}\n\nteardown\n{\n    DROP SCHEMA visar_replay CASCADE;\n}\n", out);
}

static void step_name(const struct schedule_step *s, FILE *out)
{
    static const char *const kinds[] = {"begin",     "snapshot", "lock",      "read",
                                        "write",     "end",      "statement", "statement",
                                        "statement", "",         "open"};
    fprintf(out, "\"t%u_%s", s->txn + 1, kinds[s->kind]);
    if (s->kind != SCHEDULE_BEGIN && s->kind != SCHEDULE_SNAPSHOT && s->kind != SCHEDULE_END)
        fprintf(out, "%u", s->n + 1);
    fputc('"', out);
}

static void put_step(const struct replay *r, struct sql *s, const struct schedule_step *step,
                     FILE *out)
{
    const struct plan_txn *t = &s->p->txns.data[step->txn];
    fputs("step ", out);
    step_name(step, out);
    fputs(" { ", out);
    switch (step->kind) {
    case SCHEDULE_BEGIN:
        fprintf(out, "BEGIN ISOLATION LEVEL %s", record_isolation_names[r->level[step->txn]]);
        break;
    case SCHEDULE_SNAPSHOT:
        sql_select(s, step->n, false);
        put_sql(out, sb_str(&s->text));
        break;
    case SCHEDULE_LOCK:
        sql_select(s, t->locks.data[step->n], true);
        put_sql(out, sb_str(&s->text));
        break;
    case SCHEDULE_READ:
        sql_select(s, t->reads.data[step->n].cells.row, t->reads.data[step->n].lock);
        put_sql(out, sb_str(&s->text));
        break;
    case SCHEDULE_WRITE:
        sql_update(s, &t->writes.data[step->n], t->first_write_id + step->n);
        put_sql(out, sb_str(&s->text));
        break;
    case SCHEDULE_END:
        fputs(t->end == PLAN_COMMITS ? "COMMIT" : "ROLLBACK", out);
        break;
    case SCHEDULE_STATEMENT:
    case SCHEDULE_WAIT:
    case SCHEDULE_HOLD:
        sql_statement(s, t, &t->statements.data[step->n],
                      (struct sql_gate){step->kind == SCHEDULE_HOLD,
                                        {GATE, sql_gate_key(step->txn, step->n)}});
        put_sql(out, sb_str(&s->text));
        break;
    case SCHEDULE_RESUME:
    case SCHEDULE_OPEN:
        break;
    }
    fputs("; }\n", out);
}

/* A statement that goes on does so by itself, and gates are another session's. */
static bool of_session(const struct schedule_step *s)
{
    return s->kind != SCHEDULE_RESUME && s->kind != SCHEDULE_OPEN;
}

/* The session that keeps statements between their snapshots and their locks. */
static void put_gates(const struct schedule *schedule, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < schedule->steps.len; i++) {
        const struct schedule_step *s = &schedule->steps.data[i];
        if (s->kind != SCHEDULE_HOLD)
            continue;
        if (!any)
            fputs("\nsession \"gates\"\n", out);
        any = true;
        int key = sql_gate_key(s->txn, s->n);
        fprintf(out,
                "step \"t%u_close%u\" { SELECT pg_advisory_lock(%d, %d); }\n"
                "step \"t%u_open%u\" { SELECT pg_advisory_unlock(%d, %d); }\n",
                s->txn + 1, s->n + 1, GATE, key, s->txn + 1, s->n + 1, GATE, key);
    }
}

void pgreplay_spec(const struct replay *r, const struct plan *p, const struct schedule *schedule,
                   FILE *out)
{
    struct sql s;
    sql_init(&s, p, "visar_replay", SQL_LITERALS);
    put_comment(out, p->property);
    fprintf(out, "# A counterexample of visar, for PostgreSQL's isolationtester, at %s.\n",
            r->level_name);
    put_setup(&s, out);
    for (uint32_t t = 0; t < p->txns.len; t++) {
        fputc('\n', out);
        put_comment(out, p->txns.data[t].name);
        fprintf(out, "session \"t%u\"\n", t + 1);
        for (size_t i = 0; i < schedule->steps.len; i++)
            if (schedule->steps.data[i].txn == t && of_session(&schedule->steps.data[i]))
                put_step(r, &s, &schedule->steps.data[i], out);
    }
    put_gates(schedule, out);
    fputs("\npermutation", out);
    for (size_t i = 0; i < schedule->steps.len; i++) {
        const struct schedule_step *step = &schedule->steps.data[i];
        if (step->kind == SCHEDULE_HOLD)
            fprintf(out, " \"t%u_close%u\"", step->txn + 1, step->n + 1);
        if (step->kind == SCHEDULE_RESUME)
            continue;
        fputc(' ', out);
        step_name(step, out);
    }
    fputc('\n', out);
    sql_free(&s);
}
