/* visar replay: a counterexample of `visar verify --json` on a real PostgreSQL.
 *
 * Exit codes: 10 if the server showed the violation, 0 if it refused, 5 if PostgreSQL cannot
 * express the execution (or a limit was hit): then nothing is known of what it would do; 5 also if
 * it gave every answer of the counterexample but the property could not be evaluated on them, and
 * if a level of PostgreSQL allows the execution, but the server did not show it. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/io.h"
#include "cli/cli.h"
#include "cli/paths.h"
#include "frontend/ast.h"
#include "history/format/formats.h"
#include "report/command/replay_report.h"
#include "symexec/summary.h"

struct act {
    struct cli *c;
    struct plan *p;
    struct schedule s;
    struct replay r;
    struct ast_program *ast; /* the program, once it is needed */
    enum replay_judgement judgement;
};

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
    if (!error)
        return NULL;
    bool placed = isdigit((unsigned char)*error); /* "1:8: expected …" */
    return arena_printf(&a->c->arena, "%s:%s%s", path, placed ? "" : " ", error);
}

/* ---- the property --------------------------------------------------------------------------- */

/* The program that the counterexample is of.  NULL, or why there is none. */
static const char *load_program(struct act *a)
{
    struct cli *c = a->c;
    struct diag_list silent = {0};
    const char *why = NULL;
    const char *include = path_include(&c->arena);
    struct ast_options options = {.include_dirs = &include,
                                  .n_include_dirs = include != NULL,
                                  .args = c->extra.data,
                                  .n_args = c->extra.len};
    if (a->ast)
        return NULL;
    if (access(a->p->file, R_OK) != 0)
        why = arena_printf(&a->r.arena, "%s is not there", a->p->file);
    else if (!ast_parse(a->p->file, &options, &silent, &a->ast) || !sx_classify(a->ast, &silent))
        why = arena_printf(&a->r.arena, "%s does not compile here%s", a->p->file,
                           c->extra.len ? " with these flags"
                                        : "; the compiler flags that it needs follow '--'");
    diag_free(&silent);
    return why;
}

/* At the levels of databases the statements are the program's.  False: there are none. */
static bool take_statements(struct act *a)
{
    struct replay *r = &a->r;
    if (!a->p->by_statements)
        return true;
    r->outcome = REPLAY_UNKNOWN;
    const char *why = load_program(a);
    if (why)
        r->reason = arena_printf(&r->arena, "at %s the statements are those of the program, and %s",
                                 a->p->model ? a->p->model->name : "the levels of databases", why);
    else if ((why = pgreplay_statements(r, a->p, a->ast)))
        r->reason =
            arena_printf(&r->arena, "%s: is %s still the program that the counterexample is of?",
                         why, a->p->file);
    return !why;
}

/* Let the program itself say that it breaks its property, run on what the server answered. */
static void judge(struct act *a)
{
    struct replay *r = &a->r;
    if (r->outcome != REPLAY_NOT_EVALUATED)
        return;
    r->not_judged = load_program(a);
    if (!r->not_judged)
        a->judgement = pgreplay_judge(r, a->p, a->ast);
    if (a->judgement == REPLAY_FAILS)
        r->outcome = REPLAY_REPRODUCED;
    else if (!r->not_judged)
        r->not_judged = "nothing was read";
    if (a->judgement != REPLAY_HOLDS && a->judgement != REPLAY_DIFFERS)
        return;
    r->outcome = REPLAY_UNKNOWN;
    r->reason = report_replay_doubt(a->p, r->not_judged, a->judgement, &r->arena);
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
    struct replay_view v = {a->p, &a->s, &a->r, a->judgement, a->c->opt.quiet};
    if (a->c->opt.json)
        report_replay_json(&v, a->c->out);
    else
        report_replay_text(&v, a->c->out);
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
    if (!take_statements(a) || !pgreplay_schedule(&a->r, a->p, forced >= 0, &a->s))
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
    ast_free(a.ast);
    return rc;
}
