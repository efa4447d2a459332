/* visar check: read a history, ask the engine about one level or several,
 * report.
 *
 * --strongest walks the lattice of levels from the top and shares what it
 * learns: a satisfied level settles all weaker ones, and a violation settles
 * every level under which the same cycles are impossible (report/rules_out.c),
 * so that most levels are never checked.
 *
 * Files asked for (--certificate, --dot) are created before the search, so that
 * a path that cannot be written is not found out an hour later, and appear only
 * when there is something to put in. */
#include <inttypes.h>
#include <string.h>

#include "base/io.h"
#include "base/limit.h"
#include "cli/table.h"
#include "cli/whitebox.h"
#include "history/certify.h"
#include "history/check.h"
#include "history/formats.h"
#include "report/report.h"

#define LEVELS_MAX 32

struct run {
    struct cli *c;
    struct history *h;
    const struct format *format;
    const char *names[LEVELS_MAX];
    struct check_result results[LEVELS_MAX];
    bool checked[LEVELS_MAX];
    struct report_answer answers[LEVELS_MAX];
    size_t count;
    struct io_out certificate, dot;
};

/* ---- levels ---------------------------------------------------------------------------------- */

static void add_level(struct run *r, const char *name, struct check_level level)
{
    r->answers[r->count] = (struct report_answer){.name = name,
                                                  .level = level,
                                                  .verdict = CHECK_UNKNOWN,
                                                  .result = &r->results[r->count],
                                                  .by = r->count};
    r->count++;
}

static int add_named_level(struct run *r, const char *name)
{
    struct check_level level;
    if (!check_level_find(name, &level))
        return cli_unknown_name(r->c, KIND_LEVELS, name);
    if (r->count == LEVELS_MAX)
        return cli_usage(r->c, "too many levels");
    if (r->c->opt.no_session_order) {
        if (!strncmp(name, "strong-session", 14))
            return cli_usage(r->c, "'%s' contradicts --no-session-order", name);
        level.session_order = false;
    }
    add_level(r, name, level);
    return EXIT_HOLDS;
}

/* Weakest first, as in the table. */
static void add_all_models(struct run *r)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        add_level(
            r, model_get((enum model_id)m)->name,
            (struct check_level){(enum model_id)m, !r->c->opt.no_session_order, CHECK_NO_TIME});
}

static int parse_levels(struct run *r)
{
    int rc = EXIT_HOLDS;
    char *rest = arena_strdup(&r->c->arena, r->c->opt.level), *name;
    if (!*rest)
        return cli_usage(r->c, "--level wants a level");
    while (rc == EXIT_HOLDS && (name = strsep(&rest, ",")))
        if (!strcmp(name, "all") && r->count + MODEL_COUNT <= LEVELS_MAX)
            add_all_models(r);
        else
            rc = add_named_level(r, name);
    return rc;
}

/* The whole lattice, strongest first.  Strict SER only where the history has
 * the times for it. */
static void add_lattice(struct run *r)
{
    bool sessions = !r->c->opt.no_session_order;
    if (r->h->begin_time && sessions)
        add_level(r, "strict-ser", (struct check_level){MODEL_SER, sessions, CHECK_TIME_STRICT});
    for (int m = MODEL_COUNT; m-- > 0;)
        add_level(r, model_get((enum model_id)m)->name,
                  (struct check_level){(enum model_id)m, sessions, CHECK_NO_TIME});
}

/* ---- one check ------------------------------------------------------------------------------- */

/* In the nanoseconds of the history. */
static int64_t clock_drift(const struct cli *c)
{
    return (int64_t)(c->opt.clock_drift * 1e9);
}

static struct check_options engine_options(const struct run *r, struct check_level level)
{
    const struct options *opt = &r->c->opt;
    struct check_options o = check_defaults();
    o.level = level;
    o.clock_drift = clock_drift(r->c);
    o.backend = !strcmp(opt->solver, "z3")        ? CHECK_Z3
                : !strcmp(opt->solver, "monosat") ? CHECK_MONOSAT
                                                  : CHECK_BUILTIN;
    o.monosat_path = opt->monosat;
    o.seed = (uint64_t)opt->seed;
    o.unique_values = opt->unique_values;
    o.stats = &r->c->stats;
    return o;
}

static void check_one(struct run *r, size_t i)
{
    struct report_answer *a = &r->answers[i];
    struct check_options o = engine_options(r, a->level);
    double before = stats_user_seconds();
    cli_progress(r->c, "checking %s …", report_level(a->level));
    check_history(r->h, &o, &r->results[i]);
    cli_progress(r->c, "%s", "");
    r->checked[i] = true;
    if (r->results[i].verdict == CHECK_VIOLATION && !report_refutes(r->h, &r->results[i])) {
        r->results[i].verdict = CHECK_BROKEN;
        r->results[i].reason = "the cycles that were found do not contradict the level";
    }
    a->verdict = r->results[i].verdict;
    a->seconds = stats_user_seconds() - before;
}

/* What a limit may still print: every verdict so far, in a text that is never
 * changed. */
static void tell_known(struct run *r)
{
    static const char *const names[] = {"satisfied", "violated"};
    const char *known = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->answers[i].verdict == CHECK_OK || r->answers[i].verdict == CHECK_VIOLATION)
            known = arena_printf(&r->c->arena, "%s%s%s %s", known ? known : "", known ? ", " : "",
                                 report_level(r->answers[i].level), names[r->answers[i].verdict]);
    cli_known(known);
}

static void check_each(struct run *r)
{
    for (size_t i = 0; i < r->count; i++) {
        check_one(r, i);
        tell_known(r);
    }
}

/* ---- the strongest levels -------------------------------------------------------------------- */

static bool is_open(const struct report_answer *a)
{
    return a->verdict == CHECK_UNKNOWN;
}

/* Answer i is known: settle what follows from it. */
static void spread(struct run *r, size_t i)
{
    const struct report_answer *a = &r->answers[i];
    struct report_ruled_out out = {0};
    if (a->verdict == CHECK_VIOLATION)
        out = report_rules_out(r->h, a->result);
    for (size_t j = 0; j < r->count; j++) {
        struct report_answer *b = &r->answers[j];
        bool above = report_level_weaker_or_equal(a->level, b->level);
        bool below = report_level_weaker_or_equal(b->level, a->level);
        bool same_proof =
            out.models >> b->level.model & 1 && (b->level.session_order || !out.needs_sessions);
        if (!is_open(b) || !(a->verdict == CHECK_OK ? below : above || same_proof))
            continue;
        b->verdict = a->verdict;
        b->by = i;
    }
}

static void check_strongest(struct run *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!is_open(&r->answers[i]))
            continue;
        check_one(r, i);
        if (r->answers[i].verdict == CHECK_OK || r->answers[i].verdict == CHECK_VIOLATION)
            spread(r, i);
        tell_known(r);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static int cannot(struct run *r, const char *path, const char *error)
{
    diag_add(&r->c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s: %s", path, error);
    return cli_bad_input(r->c);
}

static int create_files(struct run *r)
{
    const struct options *opt = &r->c->opt;
    const char *error;
    if (opt->certificate && (error = io_create(opt->certificate, &r->c->arena, &r->certificate)))
        return cannot(r, opt->certificate, error);
    if (opt->dot && (error = io_create(opt->dot, &r->c->arena, &r->dot)))
        return cannot(r, opt->dot, error);
    return EXIT_HOLDS;
}

static void note(const struct run *r, const char *text)
{
    if (!r->c->opt.quiet)
        fprintf(stderr, "visar: note: %s\n", text);
}

static int write_certificate(struct run *r)
{
    const char *error;
    if (!r->c->opt.certificate)
        return EXIT_HOLDS;
    if (r->answers[0].verdict != CHECK_OK) {
        io_discard(&r->certificate);
        note(r, "no certificate was written: the level is not known to be satisfied");
        return EXIT_HOLDS;
    }
    const struct check_result *result = r->answers[0].result;
    struct certificate c = {.level = result->level,
                            .clock_drift = clock_drift(r->c),
                            .kind = result->order_kind,
                            .order = result->order.data,
                            .len = result->order.len,
                            .sources = result->sources.data,
                            .source_count = result->sources.len};
    certificate_write(r->h, &c, r->certificate.file);
    error = io_commit(&r->certificate, &r->c->arena);
    return error ? cannot(r, r->c->opt.certificate, error) : EXIT_HOLDS;
}

static int write_dot(struct run *r, const struct check_report *report)
{
    const char *error;
    if (!r->c->opt.dot)
        return EXIT_HOLDS;
    if (!report_check_dot(report, r->dot.file)) {
        io_discard(&r->dot);
        note(r, "no graph was drawn: there is no violation");
        return EXIT_HOLDS;
    }
    error = io_commit(&r->dot, &r->c->arena);
    return error ? cannot(r, r->c->opt.dot, error) : EXIT_HOLDS;
}

/* ---- a certificate alone -------------------------------------------------------------------- */

static void print_certified(struct run *r, const char *path, struct check_level level,
                            const char *reason)
{
    struct cli *c = r->c;
    const char *title = report_level(level), *file = c->opt.verify_certificate;
    if (c->opt.json) {
        report_certificate_json(path, file, title, reason, c->out);
        return;
    }
    const char *color = !c->color ? "" : reason ? "\033[1;31m" : "\033[1;32m";
    fprintf(c->out, "%s%s%s: ", color, reason ? "REJECTED" : "OK", c->color ? "\033[0m" : "");
    if (reason)
        fprintf(c->out, "%s does not prove that %s satisfies %s: %s\n", file, path, title, reason);
    else
        fprintf(c->out, "%s proves that %s satisfies %s\n", file, path, title);
}

/* Somebody who names levels wants a certificate for these, or for stronger ones. */
static const char *not_for_level(struct run *r, struct check_level level)
{
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level); i++)
        if (!report_level_weaker_or_equal(r->answers[i].level, level))
            return arena_printf(&r->c->arena, "it is not a certificate for %s",
                                report_level(r->answers[i].level));
    return NULL;
}

static int verify_certificate(struct run *r, const char *path)
{
    struct arena *messages = &r->c->arena;
    const char *file = r->c->opt.verify_certificate;
    struct io_bytes bytes = {0};
    struct certificate c = {0};
    const char *error = io_read(file, messages, &bytes);
    if (!error)
        error = certificate_read(bytes.data, bytes.size, r->h, messages, &c);
    io_bytes_free(&bytes);
    if (error)
        return cannot(r, file, error);
    const char *reason = certify_order(r->h, &c, messages);
    if (!reason)
        reason = not_for_level(r, c.level);
    print_certified(r, path, c.level, reason);
    return reason ? EXIT_VIOLATED : EXIT_HOLDS;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_history(struct run *r, const char *path)
{
    struct fmt_result got = {0};
    if (r->c->opt.format && !fmt_find(r->c->opt.format))
        return cli_unknown_name(r->c, KIND_READER, r->c->opt.format);
    double before = stats_user_seconds();
    cli_progress(r->c, "reading %s …", path);
    const char *error = fmt_read(path, r->c->opt.format, &r->c->arena, &got);
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
        note(r, got.notes.data[i]);
    vec_free(&got.notes);
    r->h = got.history;
    r->format = got.format;
    return EXIT_HOLDS;
}

/* What does not go together, before anything is read. */
static int check_usage(struct run *r)
{
    struct cli *c = r->c;
    const struct options *opt = &c->opt;
    if (opt->strongest && OPTION_GIVEN(c, level))
        return cli_usage(c, "--strongest looks at all levels: leave out --level");
    if (opt->clock_drift > 9e9)
        return cli_usage(c, "--clock-drift is in seconds, and %g is too many", opt->clock_drift);
    if (opt->monosat && strcmp(opt->solver, "monosat"))
        return cli_usage(c, "--monosat goes with --solver monosat");
    if (opt->order && (opt->strongest || opt->certificate || opt->verify_certificate || opt->dot ||
                       opt->version_order || OPTION_GIVEN(c, level)))
        return cli_usage(c, "--order only replays: leave out levels, certificates and --dot");
    if (opt->certificate && opt->verify_certificate)
        return cli_usage(c, "--certificate writes and --verify-certificate reads: one of them");
    if ((opt->dot && !strcmp(opt->dot, "-")) ||
        (opt->certificate && !strcmp(opt->certificate, "-")))
        return cli_usage(c, "standard output has the verdict: give --dot and --certificate a file");
    int rc = opt->strongest ? EXIT_HOLDS : parse_levels(r);
    if (rc == EXIT_HOLDS && opt->certificate && (opt->strongest || r->count > 1))
        return cli_usage(c, "--certificate is for one level at a time");
    return rc;
}

static int exit_code(enum check_verdict v)
{
    static const int codes[] = {EXIT_HOLDS, EXIT_VIOLATED, EXIT_UNKNOWN, EXIT_INTERNAL};
    return codes[v];
}

static void print_broken(const struct run *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->answers[i].verdict == CHECK_BROKEN)
            fprintf(stderr,
                    "visar: internal error: %s: %s\nThis is a bug in visar; no "
                    "verdict is "
                    "given.\n",
                    report_level(r->answers[i].level), r->results[i].reason);
}

static int report(struct run *r, const char *path)
{
    struct cli *c = r->c;
    struct check_report report = {.h = r->h,
                                  .file = path,
                                  .format = r->format->name,
                                  .answers = r->answers,
                                  .count = r->count,
                                  .strongest = c->opt.strongest,
                                  .stats = &c->stats,
                                  .quiet = c->opt.quiet,
                                  .verbose = c->opt.verbose,
                                  .color = c->color};
    int rc = write_certificate(r), rc2 = write_dot(r, &report);
    print_broken(r);
    if (c->opt.json)
        report_check_json(&report, c->out);
    else
        report_check_text(&report, c->out);
    whitebox_remark(c, r->h, report_verdict(&report));
    return rc != EXIT_HOLDS ? rc : rc2 != EXIT_HOLDS ? rc2 : exit_code(report_verdict(&report));
}

static int dump_results(struct run *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->checked[i])
            check_result_dump(r->h, &r->results[i], r->c->out);
    return EXIT_HOLDS;
}

static int ask(struct run *r, const char *path)
{
    if (r->c->opt.dump && !strcmp(r->c->opt.dump, "history")) {
        hist_dump(r->h, r->c->out);
        return EXIT_HOLDS;
    }
    if (r->c->opt.strongest)
        add_lattice(r);
    int rc = create_files(r);
    if (rc != EXIT_HOLDS)
        return rc;
    if (r->c->opt.strongest)
        check_strongest(r);
    else
        check_each(r);
    r->c->stats.transactions = r->h->txns.len; /* once, however many levels */
    r->c->stats.operations = r->h->ops.len;
    return r->c->opt.dump ? dump_results(r) : report(r, path);
}

static void free_run(struct run *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->checked[i])
            check_result_free(&r->results[i]);
    if (r->certificate.file)
        io_discard(&r->certificate);
    if (r->dot.file)
        io_discard(&r->dot);
    hist_free(r->h);
}

/* Predicate reads become items, see history/derive.h. */
static int prepare(struct run *r, const char *path)
{
    struct check_level levels[LEVELS_MAX];
    for (size_t i = 0; i < r->count; i++)
        levels[i] = r->answers[i].level;
    int rc = whitebox_complete(r->c, r->h);
    if (rc != EXIT_HOLDS || (r->c->opt.dump && !strcmp(r->c->opt.dump, "history")))
        return rc;
    return whitebox_predicates(r->c, &r->h, path, levels, r->count);
}

int cmd_check(struct cli *c)
{
    struct run r = {.c = c};
    const char *path = cli_one_file(c, "history");
    if (!path)
        return EXIT_USAGE;
    int rc = check_usage(&r);
    if (rc == EXIT_HOLDS)
        rc = read_history(&r, path);
    if (rc == EXIT_HOLDS && c->opt.version_order)
        rc = whitebox_version_order(c, r.h);
    if (rc == EXIT_HOLDS && c->opt.order) {
        rc = whitebox_replay(c, r.h, path);
        free_run(&r);
        return rc;
    }
    if (rc == EXIT_HOLDS)
        rc = prepare(&r, path);
    if (rc == EXIT_HOLDS && r.h)
        rc = c->opt.verify_certificate ? verify_certificate(&r, path) : ask(&r, path);
    free_run(&r);
    return rc;
}
