/* visar check: read histories, ask the engine about one level or several, report.
 *
 * Files asked for (--certificate, --dot) are created before the search, so that a path that cannot
 * be written is not found out an hour later, and appear only when there is something to put in.
 *
 * Several histories are several runs: one report after the other, and the worst exit code. */
#include <string.h>

#include "base/limit.h"
#include "cli/cmd_check.h"
#include "cli/table.h"
#include "cli/whitebox.h"
#include "report/page/messages.h"

/* ---- files ----------------------------------------------------------------------------------- */

int check_cannot(struct check_run *r, const char *path, const char *error)
{
    diag_add(&r->c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s: %s", path, error);
    return cli_bad_input(r->c);
}

static int create_files(struct check_run *r)
{
    const struct options *opt = &r->c->opt;
    const char *error;
    if (opt->certificate && (error = io_create(opt->certificate, &r->c->arena, &r->certificate)))
        return check_cannot(r, opt->certificate, error);
    if (opt->dot && (error = io_create(opt->dot, &r->c->arena, &r->dot)))
        return check_cannot(r, opt->dot, error);
    return EXIT_HOLDS;
}

void check_note(const struct check_run *r, const char *text)
{
    if (!r->c->opt.quiet)
        message_note("%s", text);
}

static int write_dot(struct check_run *r, const struct check_report *report)
{
    const char *error;
    if (!r->c->opt.dot)
        return EXIT_HOLDS;
    if (!report_check_dot(report, r->dot.file)) {
        io_discard(&r->dot);
        check_note(r, "no graph was drawn: there is no violation");
        return EXIT_HOLDS;
    }
    error = io_commit(&r->dot, &r->c->arena);
    return error ? check_cannot(r, r->c->opt.dot, error) : EXIT_HOLDS;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_history(struct check_run *r)
{
    struct fmt_result got = {0};
    double before = stats_user_seconds();
    cli_progress(r->c, "reading %s", r->path);
    const char *error = fmt_read(r->path, r->c->opt.format, &r->c->arena, &got);
    cli_progress(r->c, "%s", "");
    r->c->stats.parse_seconds += stats_user_seconds() - before;
    if (limit_reached()) {
        if (!error)
            r->h = got.history;
        return cli_unknown(r->c, limit_text());
    }
    if (error) {
        diag_add(&r->c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
        return cli_bad_input(r->c);
    }
    for (size_t i = 0; i < got.notes.len; i++)
        check_note(r, got.notes.data[i]);
    vec_free(&got.notes);
    r->h = got.history;
    r->format = got.format;
    r->path = got.path;
    return EXIT_HOLDS;
}

/* What does not go together, before anything is read. */
static int check_usage(struct check_run *r)
{
    struct cli *c = r->c;
    const struct options *opt = &c->opt;
    if (opt->format && !fmt_find(opt->format))
        return cli_unknown_name(c, KIND_READER, opt->format);
    if (opt->strongest && OPTION_GIVEN(c, level))
        return cli_usage(c, "--strongest looks at all levels: leave out --level");
    if (opt->clock_drift > 9e9)
        return cli_usage(c, "--clock-drift is in seconds, and %g is too many", opt->clock_drift);
    if (opt->monosat && strcmp(opt->solver, "monosat"))
        return cli_usage(c, "--monosat goes with --solver monosat");
    if (!strcmp(opt->solver, "monosat")) {
        struct check_options o = {.backend = BACKEND_MONOSAT, .monosat_path = opt->monosat};
        const char *missing = check_solver_missing(&o, &c->arena);
        if (missing)
            return cli_usage(c, "%s", missing);
    }
    if (opt->order && (opt->strongest || opt->certificate || opt->verify_certificate || opt->dot ||
                       OPTION_GIVEN(c, level)))
        return cli_usage(c, "--order only replays: leave out levels, certificates and --dot");
    if (opt->certificate && opt->verify_certificate)
        return cli_usage(c, "--certificate writes and --verify-certificate reads: one of them");
    if ((opt->dot && !strcmp(opt->dot, "-")) ||
        (opt->certificate && !strcmp(opt->certificate, "-")))
        return cli_usage(c, "standard output has the verdict: give --dot and --certificate a file");
    return opt->strongest ? EXIT_HOLDS : check_parse_levels(r);
}

/* Inputs and outputs that cannot be shared. */
static int several_usage(struct cli *c)
{
    const struct options *opt = &c->opt;
    size_t standard_input = 0;
    const char *inputs[] = {opt->verify_certificate, opt->version_order, opt->order};
    if (!c->files.len)
        return cli_usage(c, "which history?");
    for (size_t i = 0; i < c->files.len; i++)
        standard_input += !strcmp(c->files.data[i], "-");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        standard_input += inputs[i] && !strcmp(inputs[i], "-");
    if (standard_input > 1)
        return cli_usage(c, "standard input ('-') can be read once only");
    if (c->files.len > 1 && (opt->certificate || opt->dot))
        return cli_usage(c, "%s is for one history at a time",
                         opt->certificate ? "--certificate" : "--dot");
    if (c->files.len > 1 && (inputs[0] || inputs[1] || inputs[2]))
        return cli_usage(c, "--verify-certificate, --version-order and --order belong to one "
                            "history, and there are several");
    return EXIT_HOLDS;
}

static int exit_code(enum check_verdict v)
{
    static const int codes[] = {EXIT_HOLDS, EXIT_VIOLATED, EXIT_UNKNOWN, EXIT_INTERNAL};
    return codes[v];
}

static int report(struct check_run *r)
{
    struct cli *c = r->c;
    struct check_report report = {.h = r->answers.history,
                                  .file = r->path,
                                  .format = r->format->name,
                                  .answers = r->answers.at,
                                  .count = r->count,
                                  .strongest = c->opt.strongest,
                                  .several_rows = r->answers.several_rows,
                                  .stats = &c->stats,
                                  .quiet = c->opt.quiet,
                                  .verbose = c->opt.verbose,
                                  .color = c->color};
    int rc = check_write_certificates(r), rc2 = write_dot(r, &report);
    limit_speak();
    report_broken(&report);
    if (c->opt.json)
        report_check_json(&report, c->out);
    else
        report_check_text(&report, c->out);
    for (size_t i = 0; i < r->count; i++)
        if (r->answers.at[i].verdict == CHECK_VIOLATION) {
            whitebox_remark(c, r->answers.history);
            break;
        }
    rc = rc != EXIT_HOLDS ? rc : rc2 != EXIT_HOLDS ? rc2 : exit_code(report_verdict(&report));
    return cli_said(c, rc);
}

static int dump_results(struct check_run *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct check_result *result = r->answers.at[i].result;
        if (result->history)
            check_result_dump(result->history, result, r->c->out);
    }
    return EXIT_HOLDS;
}

/* The answers are no answers, or one for all levels: says so, and gives the exit code. */
static int answered_beforehand(struct check_run *r)
{
    struct cli *c = r->c;
    const struct check_answers *a = &r->answers;
    if (a->unique_values_refused)
        return cli_cannot_answer(c, EXIT_USAGE,
                                 "--unique-values is not for histories with predicate reads");
    if (a->fault)
        return whitebox_broken(c, a->fault);
    int rc = check_write_mismatch(r);
    if (rc != EXIT_HOLDS)
        return rc;
    if (c->opt.dot)
        check_note(r, "no graph was drawn: the answer needs no search");
    limit_speak();
    if (a->mismatch && !c->opt.json)
        return whitebox_print_mismatch(c, r->path, a->beforehand);
    c->opt.certificate = c->opt.dot = NULL;
    return report(r);
}

/* GSI compares with when commits were asked for.  Where nobody took that time, its OK says little,
 * and should not be taken for more. */
static void note_times(const struct check_run *r)
{
    bool gsi = false, asked = !r->h->times;
    for (size_t i = 0; i < r->count; i++)
        gsi |= r->levels[i].level.real_time == LEVEL_TIME_COMMITS;
    for (size_t t = 0; t < r->h->txns.len && gsi && !asked; t++)
        asked = r->h->times[t].commit_asked != HIST_NO_TIME;
    if (gsi && !asked && !r->c->opt.strongest)
        check_note(r,
                   "the history does not say when commits were asked for (\"commit-asked\"), and "
                   "without that GSI is SI without session order");
}

static int ask(struct check_run *r)
{
    if (r->c->opt.dump && !strcmp(r->c->opt.dump, "history")) {
        hist_dump(r->h, r->c->out);
        return EXIT_HOLDS;
    }
    int rc = create_files(r);
    if (rc != EXIT_HOLDS)
        return rc;
    note_times(r);
    if (r->c->opt.strongest)
        r->count = lattice_all(!r->c->opt.no_session_order, r->h->times != NULL, r->levels);
    struct check_request q = check_question(r);
    check(r->h, &q, &r->answers);
    if (r->answers.beforehand || r->answers.fault || r->answers.unique_values_refused)
        return answered_beforehand(r);
    r->c->stats.transactions = r->answers.history->txns.len; /* once, however many levels */
    r->c->stats.operations = r->answers.history->ops.len;
    return r->c->opt.dump ? dump_results(r) : report(r);
}

static void free_run(struct check_run *r)
{
    check_answers_free(&r->answers);
    if (r->certificate.file)
        io_discard(&r->certificate);
    if (r->dot.file)
        io_discard(&r->dot);
    io_bytes_free(&r->proof);
    hist_free(r->h);
}

static int answer(struct check_run *r)
{
    bool certificates = r->c->opt.verify_certificate != NULL;
    int rc = read_history(r);
    if (rc == EXIT_HOLDS && r->c->opt.version_order)
        rc = whitebox_version_order(r->c, r->h);
    if (rc == EXIT_HOLDS && certificates)
        rc = check_read_certificates(r);
    if (rc == EXIT_HOLDS)
        rc = whitebox_complete(r->c, r->h);
    if (rc == EXIT_HOLDS && r->c->opt.order)
        return whitebox_replay(r->c, r->h, r->path);
    if (rc == EXIT_HOLDS && certificates)
        return check_verify_certificates(r);
    return rc == EXIT_HOLDS ? ask(r) : rc;
}

static int one_history(struct cli *c, const char *path)
{
    struct check_run r = {.c = c, .path = path};
    int rc = check_usage(&r);
    if (rc == EXIT_HOLDS)
        rc = answer(&r);
    free_run(&r);
    diag_free(&c->diags);
    return rc;
}

/* Said once, whatever the histories are; --strongest asks of each what it has times for. */
static void note_no_effect(const struct check_run *question)
{
    const struct options *opt = &question->c->opt;
    bool timed = opt->strongest || opt->verify_certificate;
    for (size_t i = 0; i < question->count; i++) {
        enum level_time time = question->levels[i].level.real_time;
        timed |= time == LEVEL_TIME_COMMITS || time == LEVEL_TIME_STRICT;
    }
    if (OPTION_GIVEN(question->c, clock_drift) && !timed)
        check_note(question, "--clock-drift has no effect: no level with real time (strict-ser, "
                             "strong-si, gsi) is asked for");
}

/* What is wrong with the question itself is said once, before any history is read.  From there on
 * each history has an answer of its own, be it that it cannot be asked this question. */
int cmd_check(struct cli *c)
{
    struct check_run question = {.c = c};
    int rc = several_usage(c);
    if (rc == EXIT_HOLDS)
        rc = check_usage(&question);
    if (rc != EXIT_HOLDS)
        return rc;
    note_no_effect(&question);
    bool stopped = false; /* then the others are not looked at, which has to be said of each */
    for (size_t i = 0; i < c->files.len; i++) {
        if (i && !c->opt.quiet && !c->opt.json)
            fputc('\n', c->out);
        if (i)
            fflush(c->out); /* the next history's notes and errors are on standard error */
        cli_file(c, i, rc);
        rc = cli_worse(rc, stopped ? cli_unknown(c, limit_text_of("not looked at"))
                                   : one_history(c, c->files.data[i]));
        stopped = limit_reached();
    }
    return rc;
}
