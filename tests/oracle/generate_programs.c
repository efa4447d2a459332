/* Writes random programs as C files, and what the oracle says of each under every model:
 *
 *     generate_programs COUNT SEED FOLDER > expected.tsv
 *
 * The files are FOLDER/SEED.c, FOLDER/SEED+1.c, …; a line of the output has the file's name, the
 * model, and the settings and answers named in the first line.  "exists" is 0 if no execution
 * satisfies the assumptions (vacuous), "assert" is - if the program has none. */
#include <stdlib.h>
#include "tests/oracle/oracle.h"

static const struct orc_prog_params SHAPES[] = {
    {.txns = 4, .stmts = 2},
    {.txns = 3, .stmts = 3, .sessions = 2, .rollbacks = true, .asserts = true},
    {.txns = 3, .stmts = 2, .params = true, .arrays = true, .structs = true},
    {.txns = 3, .stmts = 3, .structs = true, .for_update = true, .sessions = 3},
    {.txns = 4, .stmts = 2, .sessions = 2},
    {.txns = 3,
     .stmts = 2,
     .sessions = 2,
     .params = true,
     .arrays = true,
     .structs = true,
     .for_update = true,
     .rollbacks = true,
     .asserts = true},
    {.txns = 3, .stmts = 3, .arrays = true, .wide = true, .for_update = true},
    {.txns = 3, .stmts = 3, .for_update = true, .locks = true, .sessions = 2},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

static bool has_assert(const struct orc_prog *p)
{
    for (int s = 0; s < p->n_stmts; s++)
        if (p->stmts[s].kind == ORC_ASSERT)
            return true;
    return false;
}

static bool write_program(const struct orc_prog *p, const char *folder, uint64_t seed,
                          const char *word)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu.c", folder, (unsigned long long)seed);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return false;
    }
    orc_prog_print(out, p, word);
    return fclose(out) == 0;
}

static void judge(const struct orc_prog *p, uint64_t seed, const char *word, struct orc_run run)
{
    for (int l = 0; l < ORC_LEVELS; l++) {
        struct orc_rules rules = orc_rules_uniform((enum orc_level)l, run.rules.session);
        run.rules = rules;
        run.observer = (enum orc_level)l;
        struct orc_outcome out = orc_prog_axioms(p, &run);
        printf("%llu.c\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", (unsigned long long)seed,
               orc_level_name((enum orc_level)l), rules.session ? "on" : "off",
               run.observe_snapshots ? "snapshots" : "final", run.by_field ? "field" : "row", word,
               out.exists, out.invariant_violated ? "violated" : "holds",
               !has_assert(p)      ? "-"
               : out.assert_failed ? "violated"
                                   : "holds");
        free(out.finals);
    }
}

int main(int argc, char **argv)
{
    static struct orc_prog p;
    if (argc != 4) {
        fputs("usage: generate_programs COUNT SEED FOLDER\n", stderr);
        return 1;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    puts("file\tmodel\tsession\tobserve\tgranularity\tword\texists\tinvariant\tassert");
    for (uint64_t i = seed; i < seed + count; i++) {
        struct orc_rng r = orc_rng(i);
        struct orc_run run = {0};
        orc_prog_random(&r, &SHAPES[i % N_SHAPES], &p);
        run.rules.session = !orc_percent(&r, 25);
        run.by_field = orc_percent(&r, 20);
        run.observe_snapshots = orc_percent(&r, 20);
        const char *word = !run.observe_snapshots && orc_percent(&r, 50) ? "FINAL" : "INVARIANT";
        if (!write_program(&p, argv[3], i, word))
            return 2;
        judge(&p, i, word, run);
    }
    return 0;
}
