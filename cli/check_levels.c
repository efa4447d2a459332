/* visar check: the options as a question to the history engine. */
#include <string.h>

#include "cli/cmd_check.h"
#include "cli/table.h"

/* ---- which levels ---------------------------------------------------------------------------- */

static int add_named_level(struct check_run *r, const char *name)
{
    struct level level;
    if (!level_find(name, &level))
        return cli_unknown_name(r->c, KIND_LEVELS, name);
    if (r->count == LATTICE_MAX)
        return cli_usage(r->c, "too many levels");
    if (r->c->opt.no_session_order) {
        if (!strncmp(name, "strong-session", 14))
            return cli_usage(r->c, "'%s' contradicts --no-session-order", name);
        level.session_order = false;
    }
    r->levels[r->count++] = (struct named_level){name, level};
    return EXIT_HOLDS;
}

/* Weakest first, as in the table. */
static void add_all_models(struct check_run *r)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        r->levels[r->count++] =
            (struct named_level){model_get((enum model_id)m)->name,
                                 level_make((enum model_id)m, !r->c->opt.no_session_order)};
}

int check_parse_levels(struct check_run *r)
{
    int rc = EXIT_HOLDS;
    char *rest = arena_strdup(&r->c->arena, r->c->opt.level), *name;
    if (!*rest)
        return cli_usage(r->c, "--level wants a level");
    while (rc == EXIT_HOLDS && (name = strsep(&rest, ",")))
        if (!strcmp(name, "all") && r->count + MODEL_COUNT <= LATTICE_MAX)
            add_all_models(r);
        else
            rc = add_named_level(r, name);
    return rc;
}

/* ---- the question ---------------------------------------------------------------------------- */

static void show_progress(void *run, const char *text)
{
    cli_progress(((const struct check_run *)run)->c, "%s", text);
}

/* What a limit may still print: every verdict so far, in a text that is never changed. */
static void tell_known(void *run, const struct check_answers *so_far)
{
    static const char *const names[] = {"satisfied", "violated"};
    struct cli *c = ((const struct check_run *)run)->c;
    const char *known = NULL;
    int code = EXIT_HOLDS;
    for (size_t i = 0; i < so_far->count; i++) {
        const struct check_answer *a = &so_far->at[i];
        if (a->verdict != CHECK_OK && a->verdict != CHECK_VIOLATION)
            continue;
        known = arena_printf(&c->arena, "%s%s%s %s", known ? known : "", known ? ", " : "",
                             level_short_title(a->level), names[a->verdict]);
        if (a->verdict == CHECK_VIOLATION)
            code = EXIT_VIOLATED;
    }
    cli_known(known, code);
}

struct check_request check_question(struct check_run *r)
{
    const struct options *opt = &r->c->opt;
    struct check_options o = check_defaults();
    o.clock_drift = (int64_t)(opt->clock_drift * 1e9); /* in the nanoseconds of the history */
    o.backend = !strcmp(opt->solver, "z3")        ? BACKEND_Z3
                : !strcmp(opt->solver, "monosat") ? BACKEND_MONOSAT
                                                  : BACKEND_BUILTIN;
    o.monosat_path = opt->monosat;
    o.seed = (uint64_t)opt->seed;
    o.unique_values = opt->unique_values;
    o.stats = &r->c->stats;
    return (struct check_request){.levels = r->levels,
                                  .count = r->count,
                                  .strongest = opt->strongest,
                                  .options = o,
                                  .progress = show_progress,
                                  .known = tell_known,
                                  .arg = r};
}
