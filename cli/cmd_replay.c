/* visar replay: a counterexample of `visar verify --json` on a real PostgreSQL.
 *
 * Exit codes: 10 if the server showed the violation, 0 if it refused, 5 if PostgreSQL cannot
 * express the execution (or a limit was hit): then nothing is known of what it would do; 5 also if
 * it gave every answer of the counterexample but the property could not be evaluated on them. */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/io.h"
#include "cli/cli.h"
#include "cli/paths.h"
#include "frontend/ast.h"
#include "history/format/formats.h"
#include "database/replay.h"

struct act {
    struct cli *c;
    struct plan *p;
    struct schedule s;
    struct replay r;
    enum replay_judgement judgement;
};

static const char *const outcome_names[] = {"reproduced",      "not evaluated", "refused",
                                            "not expressible", "unknown",       "internal error"};

/* ---- what happened -------------------------------------------------------------------------- */

/* Names come from a file: nothing that a terminal would obey. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

static void put_lines(const struct act *a)
{
    const struct replay *r = &a->r;
    for (size_t i = 0; i < r->statements.len; i++) {
        const struct replay_statement *l = &r->statements.data[i];
        fprintf(a->c->out, "  T%u  ", l->txn + 1);
        put(a->c->out, l->text);
        fputs(l->failed ? "   <- here\n" : "\n", a->c->out);
    }
}

static void put_names(const struct act *a)
{
    for (size_t i = 0; i < a->p->txns.len; i++) {
        fprintf(a->c->out, "  T%zu  ", i + 1);
        put(a->c->out, a->p->txns.data[i].name);
        fprintf(a->c->out, ", %s\n", record_isolation_names[a->r.level[i]]);
    }
}

static void put_verdict(const struct act *a)
{
    FILE *out = a->c->out;
    const struct replay *r = &a->r;
    switch (r->outcome) {
    case REPLAY_REPRODUCED:
        fprintf(out, "REPRODUCED on PostgreSQL %s at %s: %s ", r->version, r->level_name,
                a->p->property_kind);
        put(out, a->p->property);
        fputs(" fails", out);
        if (a->p->condition) {
            fputs(": ", out);
            put(out, a->p->condition);
            fputs(" is false", out);
        }
        fputs(" (evaluated on what the server answered)", out);
        break;
    case REPLAY_NOT_EVALUATED:
        fprintf(out,
                "NOT EVALUATED on PostgreSQL %s at %s: every answer is the counterexample's, "
                "but whether %s ",
                r->version, r->level_name, a->p->property_kind);
        put(out, a->p->property);
        fputs(" fails on them is not known: ", out);
        put(out, r->not_judged);
        break;
    case REPLAY_REFUSED:
        fprintf(out, "REFUSED by PostgreSQL %s at %s: T%u ", r->version, r->level_name, r->txn + 1);
        put(out, a->p->txns.data[r->txn].name);
        fputs(", ", out);
        put(out, r->statement);
        fprintf(out, "%s%s: ", *r->sqlstate ? ": SQLSTATE " : "", r->sqlstate);
        put(out, r->reason);
        break;
    case REPLAY_NOT_EXPRESSIBLE:
        fprintf(out, "NOT EXPRESSIBLE on PostgreSQL: %s", r->reason);
        break;
    case REPLAY_UNKNOWN:
    case REPLAY_BROKEN:
        fputs(r->outcome == REPLAY_UNKNOWN ? "UNKNOWN: " : "INTERNAL ERROR: ", out);
        put(out, r->reason);
        break;
    }
    fputc('\n', out);
}

static void print_text(const struct act *a)
{
    if (!a->c->opt.quiet && a->r.statements.len) {
        put_names(a);
        fprintf(a->c->out, "\n  The order of begins and commits is %s.\n",
                a->s.order == SCHEDULE_CERTIFICATE
                    ? "that of the history engine's certificate"
                    : "not that of the history engine's certificate, because of row locks");
        fputc('\n', a->c->out);
        put_lines(a);
        fputc('\n', a->c->out);
    }
    put_verdict(a);
}

static void print_json(const struct act *a)
{
    const struct replay *r = &a->r;
    json_t *lines = json_array(), *txns = json_array();
    for (size_t i = 0; i < a->p->txns.len; i++)
        json_array_append_new(txns, json_pack("{s:i, s:s, s:s}", "id", (int)i, "name",
                                              a->p->txns.data[i].name, "isolation",
                                              record_isolation_names[r->level[i]]));
    for (size_t i = 0; i < r->statements.len; i++)
        json_array_append_new(lines, json_pack("{s:i, s:s, s:b}", "transaction",
                                               (int)r->statements.data[i].txn, "text",
                                               r->statements.data[i].text, "failed",
                                               r->statements.data[i].failed));
    bool refused = r->outcome == REPLAY_REFUSED;
    json_t *j = json_pack(
        "{s:s, s:s, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:s?, s:s?, s:s?, s:s?, s:b, "
        "s:s?}",
        "schema", "visar/1", "command", "replay", "outcome", outcome_names[r->outcome], "server",
        r->version, "isolation", r->level_name, "property", a->p->property, "anomaly",
        a->p->anomaly, "ruled_out_by", a->p->ruled_out_by, "transactions", txns, "statements",
        lines, "refused_transaction", refused ? json_integer(r->txn) : json_null(),
        "refused_statement", refused ? r->statement : NULL, "sqlstate",
        refused && *r->sqlstate ? r->sqlstate : NULL, "schedule",
        !a->s.steps.len                      ? NULL
        : a->s.order == SCHEDULE_CERTIFICATE ? "certificate"
                                             : "search",
        "reason",
        r->outcome == REPLAY_NOT_EVALUATED ? r->not_judged
        : r->outcome == REPLAY_REPRODUCED  ? NULL
                                           : r->reason,
        "evaluated", r->outcome == REPLAY_REPRODUCED, "not_evaluated",
        a->judgement == REPLAY_FAILS || a->judgement == REPLAY_HOLDS ? NULL : r->not_judged);
    if (j)
        json_dumpf(j, a->c->out, JSON_INDENT(2));
    fputc('\n', a->c->out);
    json_decref(j);
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char *write_spec(struct act *a)
{
    struct io_out out;
    const char *path = a->c->opt.spec, *error = io_create(path, &a->c->arena, &out);
    if (!error) {
        pgreplay_spec(&a->r, a->p, &a->s, out.file);
        error = io_commit(&out, &a->c->arena);
    }
    return error ? arena_printf(&a->c->arena, "%s: %s", path, error) : NULL;
}

static const char *write_history(struct act *a)
{
    fmt_notes notes = {0};
    const char *path = a->c->opt.save_history;
    const char *error = a->r.history
                            ? fmt_write(a->r.history, fmt_find("jsonl"), path, &a->c->arena, &notes)
                            : "nothing was run, so there is no history";
    vec_free(&notes);
    return error ? arena_printf(&a->c->arena, "%s: %s", path, error) : NULL;
}

static const char *read_plan(struct act *a, const char *path)
{
    struct io_bytes bytes;
    const char *error = io_read(path, &a->c->arena, &bytes);
    if (!error) {
        error = plan_read_json(bytes.data, bytes.size, a->c->opt.model, &a->c->arena, &a->p);
        io_bytes_free(&bytes);
    }
    return error ? arena_printf(&a->c->arena, "%s: %s", path, error) : NULL;
}

/* ---- the property --------------------------------------------------------------------------- */

static const char *const judgement_words[] = {
    [REPLAY_HOLDS] = "PostgreSQL gave every answer of the counterexample, but with these answers",
    [REPLAY_DIFFERS] = "PostgreSQL gave every answer of the counterexample, but",
};

/* Let the program itself say that it breaks its property, run on what the server answered. */
static void judge(struct act *a)
{
    struct cli *c = a->c;
    struct ast_program *ast = NULL;
    struct diag_list silent = {0};
    const char *include = path_include(&c->arena);
    struct ast_options options = {.include_dirs = &include,
                                  .n_include_dirs = include != NULL,
                                  .args = c->extra.data,
                                  .n_args = c->extra.len};
    struct replay *r = &a->r;
    if (r->outcome != REPLAY_NOT_EVALUATED)
        return;
    if (access(a->p->file, R_OK) != 0)
        r->not_judged = arena_printf(&r->arena, "%s is not there", a->p->file);
    else if (!ast_parse(a->p->file, &options, &silent, &ast))
        r->not_judged = arena_printf(
            &r->arena, "%s does not compile here%s", a->p->file,
            c->extra.len ? " with these flags" : "; the compiler flags that it needs follow '--'");
    else
        a->judgement = pgreplay_judge(r, a->p, ast);
    ast_free(ast);
    diag_free(&silent);
    if (a->judgement == REPLAY_FAILS)
        r->outcome = REPLAY_REPRODUCED;
    else if (!r->not_judged)
        r->not_judged = "nothing was read";
    if (a->judgement != REPLAY_HOLDS && a->judgement != REPLAY_DIFFERS)
        return;
    r->outcome = REPLAY_UNKNOWN;
    r->reason = arena_printf(&r->arena, "%s %s: is %s still the program that it was made from?",
                             judgement_words[a->judgement],
                             a->judgement == REPLAY_HOLDS
                                 ? arena_printf(&r->arena, "%s holds", a->p->property)
                                 : r->not_judged,
                             a->p->file);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int forced_level(const struct cli *c)
{
    return !c->opt.isolation                              ? -1
           : !strcmp(c->opt.isolation, "serializable")    ? RECORD_SERIALIZABLE
           : !strcmp(c->opt.isolation, "repeatable-read") ? RECORD_REPEATABLE_READ
                                                          : RECORD_READ_COMMITTED;
}

static int bad(struct cli *c, const char *error)
{
    if (limit_reached())
        return cli_unknown(c, limit_text());
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
    return cli_bad_input(c);
}

static int report(struct act *a)
{
    if (a->c->opt.json)
        print_json(a);
    else
        print_text(a);
    return a->r.outcome == REPLAY_REPRODUCED ? EXIT_VIOLATED
           : a->r.outcome == REPLAY_REFUSED  ? EXIT_HOLDS
           : a->r.outcome == REPLAY_BROKEN   ? EXIT_INTERNAL
                                             : EXIT_UNKNOWN;
}

static int replay(struct act *a, const char *path)
{
    struct cli *c = a->c;
    const char *error = read_plan(a, path);
    if (error)
        return bad(c, error);
    int forced = forced_level(c);
    pgreplay_levels(&a->r, a->p, forced);
    if (!pgreplay_schedule(&a->r, a->p, forced >= 0, &a->s))
        return report(a);
    if (c->opt.spec && (error = write_spec(a)))
        return bad(c, error);
    if (!c->opt.on)
        return EXIT_HOLDS;
    cli_progress(c, "replaying %zu transactions on PostgreSQL", a->p->txns.len);
    error = pgreplay_run(&a->r, a->p, &a->s, c->opt.on);
    cli_progress(c, "%s", "");
    if (error)
        return bad(c, error);
    if (c->opt.save_history && (error = write_history(a)))
        return bad(c, error);
    judge(a);
    return report(a);
}

int cmd_replay(struct cli *c)
{
    struct act a = {.c = c, .judgement = REPLAY_NOT_JUDGED};
    const char *path = cli_one_file(c, "counterexample (what `visar verify --json` prints)");
    if (!path)
        return EXIT_USAGE;
    if (!c->opt.on && !c->opt.spec)
        return cli_usage(c, "--on URL says which server (or --spec FILE writes the schedule only)");
    if (c->opt.save_history && !c->opt.on)
        return cli_usage(c, "--save-history needs a server: --on URL");
    int rc = replay(&a, path);
    schedule_free(&a.s);
    pgreplay_free(&a.r);
    plan_free(a.p);
    return rc;
}
