/* fuzz_symexec [--seed N] [--files N] [--per-file N] [--states N] [--seconds N] [--keep FOLDER]
 *              [--file PROGRAM.c] [--compiler gcc] [--folds 1] [--print 1]
 *
 * Generates programs, runs every function of each on random states in three ways, compares.  A
 * failure is shrunk and left in the folder given by --keep (default: the current one).  --seconds:
 * no new program after so much CPU time, children included.  With --file only that program is run:
 * to replay a failure.  --print: the programs are printed, not run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "generate.h"

struct options {
    uint64_t seed;
    unsigned files, per_file, seconds;
    const char *keep, *file;
    bool folds, print;
};

struct session {
    struct options options;
    struct fz_setting setting;
    char folder[64]; /* for temporary files */
};

static struct sx_options how_of(uint64_t seed)
{
    return (struct sx_options){.reads = (enum sx_reads)(seed % 3),
                               .granularity = seed % 4 == 3 ? SX_FIELD : SX_ROW,
                               .unwind = 6};
}

/* ---- one program --------------------------------------------------------------------------- */

static void write_file(const char *file, const char *text)
{
    FILE *f = fopen(file, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        perror(file);
        exit(2);
    }
}

/* What differs, a copy, or NULL. */
static char *check_text(struct session *s, const char *text, uint64_t seed, bool complain,
                        char who[32], bool *accepted)
{
    struct fz_program p;
    char file[128];
    snprintf(file, sizeof file, "%s/program.c", s->folder);
    write_file(file, text);
    *accepted = fz_program_load(&p, file, s->folder, s->setting.compiler, how_of(seed), complain);
    s->setting.totals.refused += complain ? p.refused : 0;
    const char *difference = *accepted ? fz_program_run(&s->setting, &p, seed, who) : NULL;
    char *copy = difference ? mem_strdup(difference) : NULL;
    fz_program_unload(&p);
    return copy;
}

struct failure {
    struct session *s;
    uint64_t seed;
    const char *difference;
};

/* Wrong in the same way: the difference starts with the same words. */
static bool still_wrong(void *arg, const char *text)
{
    struct failure *f = arg;
    char who[32];
    bool accepted;
    char *now = check_text(f->s, text, f->seed, false, who, &accepted);
    bool wrong = now && strncmp(now, f->difference, 24) == 0;
    mem_free(now);
    return wrong;
}

static void report(struct session *s, const char *text, uint64_t seed, const char *who,
                   const char *difference)
{
    char file[256];
    struct failure f = {s, seed, difference};
    printf("not ok symexec-fuzz: seed %llu, %s: %s\n", (unsigned long long)seed, who, difference);
    fflush(stdout);
    char *shrunk = fz_shrink(text, who, still_wrong, &f);
    snprintf(file, sizeof file, "%s/failure-%llu.c", s->options.keep, (unsigned long long)seed);
    write_file(file, shrunk);
    printf("# shrunk into %s; replay: --file it --seed %llu\n", file, (unsigned long long)seed);
    mem_free(shrunk);
}

static bool fuzz_text(struct session *s, const char *text, uint64_t seed)
{
    char who[32] = "";
    bool accepted;
    char *difference = check_text(s, text, seed, true, who, &accepted);
    if (!accepted)
        printf("not ok symexec-fuzz: seed %llu: the program is not accepted\n",
               (unsigned long long)seed);
    if (difference)
        report(s, text, seed, who, difference);
    mem_free(difference);
    return accepted && !difference;
}

/* A kept program is fuzzed as it is: nothing is shrunk further. */
static bool fuzz_file(struct session *s)
{
    struct arena messages = {0};
    struct io_bytes bytes;
    const char *error = io_read(s->options.file, &messages, &bytes);
    if (error) {
        fprintf(stderr, "%s: %s\n", s->options.file, error);
        arena_free(&messages);
        return false;
    }
    char who[32] = "", *text = mem_strndup((const char *)bytes.data, bytes.size);
    bool accepted;
    char *difference = check_text(s, text, s->options.seed, true, who, &accepted);
    bool ok = accepted && !difference;
    printf("# %s: %s%s%s\n", s->options.file, accepted ? who : "not accepted", *who ? ": " : "",
           difference ? difference : "agrees");
    mem_free(difference);
    mem_free(text);
    io_bytes_free(&bytes);
    arena_free(&messages);
    return ok;
}

/* ---- all ----------------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        struct rusage u;
        getrusage(k ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
        sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
    }
    return sum;
}

static bool print_totals(const struct session *s)
{
    const struct fz_totals *t = &s->setting.totals;
    printf("# %lu transactions, %lu predicates, %lu INITIAL, %lu scenarios; %lu runs, %lu skipped "
           "(%lu of them as the compiler missed something)\n",
           t->functions[AST_TRANSACTION], t->functions[AST_INVARIANT] + t->functions[AST_FINAL],
           t->functions[AST_INITIAL], t->functions[AST_SCENARIO], t->runs, t->skipped, t->missed);
    printf("# %lu calls in scenarios, %lu predicates with overflow, %.0f s\n", t->calls, t->inexact,
           cpu_seconds());
    if (s->options.folds)
        printf(
            "# %lu sums that overflow on the way, %lu functions without a summary for any size\n",
            t->partial, t->refused);
    for (int e = 0; e <= FZ_TOO_LONG; e++)
        printf("#   %s: %lu\n", fz_end_name((enum fz_end)e), t->ends[e]);
    if (t->missed * 10 <= t->undefined || t->undefined <= 100)
        return true;
    printf("not ok symexec-fuzz: %s missed %lu of %lu undefined operations\n", s->setting.compiler,
           t->missed, t->undefined);
    return false;
}

static bool fuzz_many(struct session *s)
{
    bool ok = true;
    for (unsigned i = 0; i < s->options.files && ok; i++) {
        struct strbuf text = {0};
        if (s->options.seconds && i && cpu_seconds() > s->options.seconds)
            break;
        (s->options.folds ? generate_folds : generate_program)(s->options.seed + i,
                                                               s->options.per_file, &text);
        if (s->options.print)
            puts(sb_str(&text));
        else
            ok = fuzz_text(s, sb_str(&text), s->options.seed + i);
        sb_free(&text);
    }
    return print_totals(s) && ok;
}

static unsigned long number(const char *text)
{
    char *end;
    errno = 0;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    if (!text || errno || *end) {
        fprintf(stderr, "a number is needed, not '%s'\n", text ? text : "");
        exit(1);
    }
    return n;
}

static void parse_arguments(int argc, char **argv, struct session *s)
{
    struct options *o = &s->options;
    *o = (struct options){.seed = 1, .files = 10, .per_file = 100, .keep = "."};
    s->setting = (struct fz_setting){.states = 40, .compiler = "gcc"};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--seed"))
            o->seed = number(value);
        else if (!strcmp(argv[i], "--files"))
            o->files = (unsigned)number(value);
        else if (!strcmp(argv[i], "--per-file"))
            o->per_file = (unsigned)number(value);
        else if (!strcmp(argv[i], "--states"))
            s->setting.states = (unsigned)number(value);
        else if (!strcmp(argv[i], "--print"))
            o->print = number(value) != 0;
        else if (!strcmp(argv[i], "--folds"))
            o->folds = number(value) != 0;
        else if (!strcmp(argv[i], "--seconds"))
            o->seconds = (unsigned)number(value);
        else if (!strcmp(argv[i], "--keep") && value)
            o->keep = value;
        else if (!strcmp(argv[i], "--compiler") && value)
            s->setting.compiler = value;
        else if (!strcmp(argv[i], "--file") && value)
            o->file = value;
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    struct session s = {0};
    parse_arguments(argc, argv, &s);
    snprintf(s.folder, sizeof s.folder, "%s", "/tmp/fuzz_symexec_XXXXXX");
    if (!mkdtemp(s.folder)) {
        perror("mkdtemp");
        return 2;
    }
    bool ok = s.options.file ? fuzz_file(&s) : fuzz_many(&s);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", s.folder);
    if (system(command) != 0)
        fprintf(stderr, "cannot remove %s\n", s.folder);
    return ok ? 0 : 1;
}
