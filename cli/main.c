/* visar: isolation levels, verified.  The whole program on one page: parse the command line, start
 * the limits, run one command, print the statistics if asked. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/limit.h"
#include "base/terminal.h"
#include "cli/table.h"
#include "report/command/no_answer.h"
#include "report/page/messages.h"

/* What a limit that ends the program must still be able to say, from the watcher's thread. */
static struct {
    bool json, quiet;
    const char *command;
    _Atomic(const char *) known;
    atomic_int known_code;
    const char *const *files; /* NULL: none was named yet */
    size_t count;
    atomic_size_t at;
    atomic_int worst; /* exit code of the files before */
    bool each;        /* each file has an answer of its own from now on, be it an error */
    int write_error;  /* errno, if the verdict could not be written */
} words;

void cli_known(const char *text, int code)
{
    atomic_store(&words.known_code, code);
    atomic_store(&words.known, text);
}

/* An answer that is missing is worse than a bad one: a script that asks about ten histories must
 * notice that one of them was not checked. */
int cli_worse(int a, int b)
{
    static const int order[] = {EXIT_HOLDS,     EXIT_UNKNOWN, EXIT_VIOLATED,
                                EXIT_BAD_INPUT, EXIT_USAGE,   EXIT_INTERNAL};
    for (size_t i = sizeof order / sizeof *order; i-- > 0;)
        if (order[i] == a || order[i] == b)
            return order[i];
    return EXIT_INTERNAL;
}

void cli_file(struct cli *c, size_t i, int worst)
{
    words.files = c->files.data;
    words.count = c->files.len;
    cli_known(NULL, EXIT_HOLDS);
    atomic_store(&words.worst, worst);
    atomic_store(&words.at, i);
    words.each = c->files.len > 1;
    limit_work();
}

/* The report of a file is printed.  With several files, the next one becomes the current one. */
int cli_said(struct cli *c, int rc)
{
    size_t at = atomic_load(&words.at);
    int worst = cli_worse(atomic_load(&words.worst), rc);
    if (fflush(c->out) != 0)
        words.write_error = errno;
    if (at + 1 >= words.count) {
        limit_said(worst);
        return rc;
    }
    cli_known(NULL, EXIT_HOLDS);
    atomic_store(&words.worst, worst);
    atomic_store(&words.at, at + 1);
    limit_work();
    return rc;
}

static void say_unknown(FILE *out, const char *reason, const char *file, const char *known)
{
    bool limit = limit_reached();
    struct no_answer a = {.command = words.command,
                          .file = file,
                          .reason = reason,
                          .known = known,
                          .limit = limit ? limit_name() : NULL,
                          .phase = limit && *limit_phase_text() ? limit_phase_text() : NULL,
                          .one_of_several = words.count > 1,
                          .json = words.json,
                          .quiet = words.quiet};
    report_unknown(&a, out);
}

/* Of the file at hand, and of all behind it if they will not be looked at. */
static int say_all_unknown(FILE *out, const char *reason, bool rest)
{
    size_t at = atomic_load(&words.at);
    int worst = cli_worse(atomic_load(&words.worst), atomic_load(&words.known_code));
    say_unknown(out, reason, words.files ? words.files[at] : NULL, atomic_load(&words.known));
    for (size_t i = at + 1; i < words.count && rest; i++)
        say_unknown(out, limit_text_of("not looked at"), words.files[i], NULL);
    return cli_worse(worst, EXIT_UNKNOWN);
}

/* The program did not stop by itself.  Its buffers may be half full: drop them, write whole lines
 * with a stream of our own. */
static int last_words(enum limit_reason why)
{
    (void)why;
    mem_on_exhausted(NULL);
    cli_progress_leave();
    FILE *own = fdopen(dup(STDOUT_FILENO), "w");
    FILE *out = own ? terminal_open(own, false, words.json, NULL) : NULL;
    if (!out)
        return EXIT_UNKNOWN;
    int rc = say_all_unknown(out, limit_text(), true);
    fclose(out);
    fclose(own);
    return rc;
}

int cli_unknown(struct cli *c, const char *reason)
{
    cli_progress(c, "%s", "");
    limit_speak();
    say_all_unknown(c->out, reason, false);
    return cli_said(c, EXIT_UNKNOWN);
}

/* One of several histories has no answer: that is its answer, where the others have theirs. */
static void say_error(struct cli *c, const char *reason)
{
    struct no_answer a = {.command = words.command,
                          .file = words.files[atomic_load(&words.at)],
                          .reason = reason,
                          .json = words.json,
                          .color = c->color};
    report_error(&a, c->out);
}

int cli_cannot_answer(struct cli *c, int code, const char *reason)
{
    if (words.each)
        say_error(c, reason);
    else
        message_error("%s: %s", words.files[0], reason);
    return code;
}

int cli_bad_input(struct cli *c)
{
    cli_progress(c, "%s", "");
    diag_sort(&c->diags);
    if (words.each) {
        for (size_t i = 0; i < c->diags.items.len; i++)
            if (c->diags.items.data[i].level == DIAG_ERROR)
                say_error(c, c->diags.items.data[i].text);
        return EXIT_BAD_INPUT;
    }
    diag_print(&c->diags, stderr, isatty(STDERR_FILENO) && strcmp(c->opt.color, "never") != 0);
    return EXIT_BAD_INPUT;
}

const char *cli_one_file(struct cli *c, const char *what)
{
    if (c->files.len == 1)
        return c->files.data[0];
    if (c->files.len == 0)
        cli_usage(c, "which %s?", what);
    else
        cli_usage(c, "one %s at a time, not also '%s'", what, c->files.data[1]);
    return NULL;
}

static bool want_color(const struct cli *c)
{
    if (!strcmp(c->opt.color, "auto"))
        return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && !c->opt.json;
    return !strcmp(c->opt.color, "always");
}

/* A verdict that could not be written is not a verdict: the same words and exit code as for a file
 * of --out.  An error that came earlier may have left no errno. */
static int flush(FILE *out, int rc)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return rc;
    int why = errno ? errno : words.write_error;
    if (rc == EXIT_BAD_INPUT)
        return rc; /* said already */
    message_error("standard output: cannot be written%s%s", why ? ": " : "",
                  why ? strerror(why) : "");
    return EXIT_BAD_INPUT;
}

/* Whatever is printed but files goes through a guard.  Histories that are asked for on standard
 * output are files (base/io.h). */
static void guard_errors(void)
{
    FILE *guarded = terminal_open(stderr, isatty(STDERR_FILENO), false, NULL);
    if (!guarded)
        return;
    setvbuf(guarded, NULL, _IONBF, 0);
    stderr = guarded;
}

static void guard_output(struct cli *c)
{
    FILE *guarded = terminal_open(stdout, c->color, c->opt.json, limit_uttered);
    c->out = guarded ? guarded : stdout;
    if (guarded && isatty(STDOUT_FILENO))
        setvbuf(guarded, NULL, _IOLBF, BUFSIZ);
}

/* Upwards: a part of a megabyte is a limit too, and 0 would be none. */
static size_t megabytes(double limit)
{
    size_t whole = (size_t)limit;
    return whole + (limit > (double)whole);
}

static int run(struct cli *c)
{
    words.json = c->opt.json;
    words.quiet = c->opt.quiet;
    words.command = cli_command_name(c->command);
    c->color = want_color(c);
    c->columns = terminal_columns(STDOUT_FILENO);
    guard_output(c);
    if (c->command == COMMAND_CHECK && c->files.len) { /* a limit may be reached at once */
        words.files = c->files.data;
        words.count = c->files.len;
    }
    limit_phase("starting");
    limit_start(c->opt.timeout, megabytes(c->opt.memory), last_words);
    cli_progress_start(c);
    int rc = cli_check_outputs(c);
    if (rc == EXIT_HOLDS)
        rc = flush(stdout, flush(c->out, command_table[c->command].run(c)));
    cli_progress_stop();
    limit_stop();
    if (c->out != stdout)
        fclose(c->out);
    if (c->opt.verbose)
        stats_print(&c->stats, stderr);
    return rc;
}

int main(int argc, char **argv)
{
    crash_catch("visar " VISAR_VERSION, EXIT_INTERNAL);
    guard_errors();
    struct cli c = {0};
    const char *inject = getenv("VISAR_FAIL_ALLOC"); /* the tests fail the n-th allocation */
    if (inject)
        mem_inject(atol(inject));
    json_set_alloc_funcs(mem_alloc, mem_free);
    int rc = cli_parse(&c, argc, argv);
    if (rc == EXIT_HOLDS)
        rc = run(&c);
    else if (rc < 0)
        rc = flush(stdout, EXIT_HOLDS);
    vec_free(&c.files);
    vec_free(&c.extra);
    arena_free(&c.arena);
    diag_free(&c.diags);
    return rc;
}
