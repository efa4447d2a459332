/* visar-conformance: random programs on a real server, in all interleavings, against what the
 * axioms of docs/databases.md allow.
 *
 * A program whose outcome is seen and not allowed is printed with its schedule and the outcome, and
 * the exit code is 1.  What is allowed and was not seen is a figure only: some of it needs a
 * statement that is slow between its snapshot and its locks (--slow). */
#include "tests/conformance/explore.h"
#include "tests/conformance/generate.h"
#include "tests/conformance/judge.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: visar-conformance URL [OPTION…]\n"
    "  URL               postgresql://user@host:port/database, or\n"
    "                    mariadb://user:password@host:port/database (or …/database?socket=PATH);\n"
    "                    the table t of that database is dropped\n"
    "  --levels LIST     of rc, rr, ser, mixed, with commas between (all)\n"
    "  --from SEED       the seed of the first program (1)\n"
    "  --programs N      programs per level (200)\n"
    "  --runs N          at most so many interleavings of a program (400)\n"
    "  --random N        so many random ones of a program that has more (0)\n"
    "  --minutes N       go on with new seeds for so long\n"
    "  --slow            statements may be slow between snapshot and locks (PostgreSQL)\n"
    "  --program TEXT    this program only, as a failure prints it\n"
    "  --unseen          print what is allowed and was not seen, too\n"
    "  --verbose         print every program\n";

struct options {
    const char *url, *levels, *program;
    uint64_t from;
    size_t programs;
    double minutes;
    bool unseen, verbose;
    struct explore_options explore;
};

struct tester {
    struct options options;
    const struct server_driver *driver;
    struct server *server;
    struct explored explored;
    struct cf_outcomes forbidden, unseen;
    struct cf_figures group[CF_GROUPS];
};

/* ---- options ---- */

static void refuse(const char *why)
{
    fprintf(stderr, "visar-conformance: %s\n%s", why, usage);
    exit(2);
}

static double number_of(const char *text)
{
    char *end;
    double n = strtod(text, &end);
    if (end == text || *end || n < 0)
        refuse("that is no number");
    return n;
}

static void read_option(struct options *o, const char *name, const char *value)
{
    if (!strcmp(name, "--levels"))
        o->levels = value;
    else if (!strcmp(name, "--from"))
        o->from = (uint64_t)number_of(value);
    else if (!strcmp(name, "--programs"))
        o->programs = (size_t)number_of(value);
    else if (!strcmp(name, "--runs"))
        o->explore.most_runs = (size_t)number_of(value);
    else if (!strcmp(name, "--random"))
        o->explore.random_runs = (size_t)number_of(value);
    else if (!strcmp(name, "--minutes"))
        o->minutes = number_of(value);
    else if (!strcmp(name, "--program"))
        o->program = value;
    else
        refuse("there is no such option");
}

static struct options read_options(int argc, char **argv)
{
    struct options o = {
        .levels = "rc,rr,ser,mixed", .from = 1, .programs = 200, .explore = {.most_runs = 400}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--slow"))
            o.explore.slow = true;
        else if (!strcmp(argv[i], "--unseen"))
            o.unseen = true;
        else if (!strcmp(argv[i], "--verbose"))
            o.verbose = true;
        else if (argv[i][0] != '-' && !o.url)
            o.url = argv[i];
        else if (i + 1 < argc)
            read_option(&o, argv[i], argv[i + 1]), i++;
        else
            refuse("an option has no value");
    }
    if (!o.url)
        refuse("there is no URL");
    return o;
}

static bool listed(const char *list, const char *name)
{
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        if (length == strlen(name) && !strncmp(at, name, length))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* Is the group of levels one that was asked for, and one of this server? */
static bool wanted(const struct tester *t, unsigned group)
{
    const char *name = cf_group_name(group);
    bool pg = !strncmp(name, "pg-", 3);
    return pg == (t->driver == &server_pg) && listed(t->options.levels, name + 3);
}

static void check_levels(const struct options *o)
{
    size_t words = 1, known = 0;
    for (const char *at = o->levels; *at; at++)
        words += *at == ',';
    for (unsigned group = 0; group < CF_GROUPS; group++)
        if (!strncmp(cf_group_name(group), "pg-", 3))
            known += listed(o->levels, cf_group_name(group) + 3);
    if (words != known)
        refuse("--levels is a list of rc, rr, ser and mixed");
}

/* ---- tests ---- */

static void show(const struct tester *t, const struct cf_program *p, const char *what,
                 const struct cf_outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count && i < 5; i++) {
        printf("    %s: ", what);
        cf_outcome_print(stdout, p, &outcomes->data[i]);
        printf("\n");
        for (size_t k = 0; k < t->explored.seen.count; k++) {
            if (!cf_outcome_same(&t->explored.seen.data[k], &outcomes->data[i]))
                continue;
            printf("    schedule: ");
            schedule_print(stdout, &t->explored.schedule[k]);
            printf("\n");
        }
    }
}

static void test_program(struct tester *t, const struct cf_program *p)
{
    struct cf_figures *f = &t->group[cf_group(p)];
    char text[CF_TEXT];
    explore(t->driver, t->server, p, &t->options.explore, &t->explored);
    f->runs += t->explored.runs;
    cf_judge(p, &t->explored.seen, t->explored.complete, f, &t->forbidden, &t->unseen);
    if (!t->forbidden.count && !(t->options.unseen && t->unseen.count) && !t->options.verbose)
        return;
    cf_program_write(p, text);
    printf("program: %s: %zu runs, %zu outcomes\n", text, t->explored.runs, t->explored.seen.count);
    show(t, p, "seen, not allowed", &t->forbidden);
    if (t->options.unseen)
        show(t, p, "allowed, not seen", &t->unseen);
    fflush(stdout);
}

static void test_text(struct tester *t)
{
    struct cf_program p;
    const char *wrong = cf_program_read(&p, t->options.program);
    if (!wrong && !p.transactions)
        wrong = "the program has no transactions";
    if (!wrong)
        wrong = cf_unsupported(&p);
    if (!wrong && cf_is_pg(p.transaction[0].level) != (t->driver == &server_pg))
        wrong = "the levels are those of another server";
    if (wrong)
        refuse(wrong);
    test_program(t, &p);
    for (size_t i = 0; i < t->explored.seen.count; i++) {
        printf("seen: ");
        cf_outcome_print(stdout, &p, &t->explored.seen.data[i]);
        printf("; schedule ");
        schedule_print(stdout, &t->explored.schedule[i]);
        printf("\n");
    }
}

static void test_seed(struct tester *t, uint64_t seed)
{
    for (unsigned group = 0; group < CF_GROUPS; group++) {
        struct cf_program p;
        if (!wanted(t, group))
            continue;
        cf_generate(seed, group, &p);
        test_program(t, &p);
    }
}

static void test_seeds(struct tester *t)
{
    const struct options *o = &t->options;
    time_t end = time(NULL) + (time_t)(o->minutes * 60);
    for (uint64_t n = 0; o->minutes > 0 ? time(NULL) < end : n < o->programs; n++)
        test_seed(t, o->from + n);
}

static int report(const struct tester *t)
{
    bool failed = false;
    for (unsigned g = 0; g < CF_GROUPS; g++) {
        const struct cf_figures *f = &t->group[g];
        if (!f->programs)
            continue;
        cf_figures_print(stdout, cf_group_name(g), f);
        printf("%s %s", f->forbidden ? "not ok" : "ok", cf_group_name(g));
        if (f->forbidden)
            printf(": %zu outcomes are not allowed", f->forbidden);
        printf("\n");
        failed |= f->forbidden > 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct tester t = {.options = read_options(argc, argv)};
    check_levels(&t.options);
    t.driver = server_driver_of(t.options.url);
    if (!t.driver)
        refuse("the URL is neither PostgreSQL's nor MariaDB's");
    if (t.options.explore.slow && !t.driver->gate)
        refuse("--slow is for PostgreSQL");
    t.server = t.driver->open(t.options.url);
    printf("# %s\n", t.driver->version(t.server));
    if (t.options.program)
        test_text(&t);
    else
        test_seeds(&t);
    int rc = report(&t);
    t.driver->close(t.server);
    explored_free(&t.explored);
    cf_outcomes_free(&t.forbidden);
    cf_outcomes_free(&t.unseen);
    return rc;
}
