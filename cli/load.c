#include "cli/load.h"

#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "cli/paths.h"
#include "cli/table.h"

/* Any instances, without a time limit: grow to that many; with ANY, where every number of them is
 * tried on tables of several sizes. */
#define TXNS_DEFAULT 4
#define TXNS_DEFAULT_ANY 3

/* Histories have names that programs do not have. */
static bool is_history(const char *file)
{
    static const char *const tails[] = {".jsonl", ".jsonl.gz", ".jsonl.zst",
                                        ".edn",   ".edn.gz",   ".edn.zst"};
    size_t n = strlen(file);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        size_t m = strlen(tails[i]);
        if (n > m && !strcmp(file + n - m, tails[i]))
            return true;
    }
    return false;
}

int program_open(struct cli *c, struct ast_program **out)
{
    const char *file = cli_one_file(c, "C program");
    if (!file)
        return EXIT_USAGE;
    if (is_history(file) && access(file, F_OK) == 0) {
        diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE,
                 "%s: expected a C program; this looks like a history, which `visar check` reads",
                 file);
        return cli_bad_input(c);
    }
    const char *include = path_include(&c->arena);
    struct ast_options options = {.include_dirs = &include,
                                  .n_include_dirs = include != NULL,
                                  .args = c->extra.data,
                                  .n_args = c->extra.len};
    double start = stats_wall_seconds();
    cli_progress(c, "reading %s", file);
    bool parsed = ast_parse(file, &options, &c->diags, out);
    c->stats.frontend_seconds += stats_wall_seconds() - start;
    cli_progress(c, "%s", "");
    if (limit_reached()) {
        ast_free(*out);
        *out = NULL;
        return cli_unknown(c, limit_text());
    }
    if (parsed && !sx_classify(*out, &c->diags)) {
        ast_free(*out);
        *out = NULL;
        parsed = false;
    }
    if (!parsed)
        return cli_bad_input(c);
    if (c->diags.items.len && !c->opt.quiet)
        cli_bad_input(c);
    vec_clear(&c->diags.items); /* said once */
    return EXIT_HOLDS;
}

int program_judged(struct cli *c, const struct ast_program *ast)
{
    static const char hint[] = "visar summary shows what the program does; verify, weakest, robust "
                               "and record would have to ignore the word";
    size_t errors = c->diags.errors;
    for (uint32_t i = 0; i < ast->n_tables; i++)
        if (ast->tables[i]->is_ghost) {
            diag_add(&c->diags, DIAG_ERROR, ast->tables[i]->loc,
                     "GHOST '%s' is not supported at any model yet", ast->tables[i]->name);
            diag_hint(&c->diags, "%s", hint);
        }
    return c->diags.errors == errors ? EXIT_HOLDS : cli_bad_input(c);
}

int program_recorded(struct cli *c, const struct ast_program *ast)
{
    int rc = program_judged(c, ast);
    size_t errors = c->diags.errors;
    for (uint32_t i = 0; i < ast->n_funcs && rc == EXIT_HOLDS; i++)
        if (ast->funcs[i]->role == AST_CONSTRAINT) {
            diag_add(&c->diags, DIAG_ERROR, ast->funcs[i]->loc,
                     "record does not make the database enforce CONSTRAINT '%s'",
                     ast->funcs[i]->name);
            diag_hint(&c->diags, "%s", "verify and weakest take constraints into account");
        }
    return c->diags.errors == errors ? rc : cli_bad_input(c);
}

struct verify_options program_options(const struct cli *c)
{
    return (struct verify_options){
        .granularity = !strcmp(c->opt.granularity, "field") ? SX_FIELD : SX_ROW,
        .check_overflow = !strcmp(c->opt.check, "overflow"),
        .unwind = (unsigned)c->opt.unwind,
    };
}

/* "'a', 'b'" */
static const char *quoted_list(struct cli *c, const char *const *names, size_t n)
{
    const char *list = "";
    for (size_t i = 0; i < n; i++)
        list = arena_printf(&c->arena, "%s%s'%s'", list, i ? ", " : "", names[i]);
    return list;
}

static bool known_scenario(struct cli *c, const struct ast_program *ast)
{
    const char **names = arena_array(&c->arena, const char *, ast->n_funcs + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < ast->n_funcs; i++)
        if (ast->funcs[i]->role == AST_SCENARIO) {
            if (!strcmp(ast->funcs[i]->name, c->opt.scenario))
                return true;
            names[n++] = ast->funcs[i]->name;
        }
    const char *close = cli_closest(c->opt.scenario, names, n);
    if (close)
        cli_usage(c, "%s has no scenario '%s' (did you mean '%s'?)", ast->file, c->opt.scenario,
                  close);
    else if (n)
        cli_usage(c, "%s has no scenario '%s'; it has %s", ast->file, c->opt.scenario,
                  quoted_list(c, names, n));
    else
        cli_usage(c, "%s has no scenario", ast->file);
    return false;
}

bool program_question(struct cli *c, const struct ast_program *ast, struct verify_question *q)
{
    memset(q, 0, sizeof *q);
    if (c->opt.scenario && OPTION_GIVEN(c, txns)) {
        cli_usage(c, "--scenario and --txns exclude each other");
        return false;
    }
    if (c->opt.bounded && c->opt.prove) {
        cli_usage(c, "--bounded and --prove exclude each other");
        return false;
    }
    if (OPTION_GIVEN(c, txns) && (c->opt.txns < 1 || c->opt.txns > 64)) {
        cli_usage(c, "--txns wants 1 to 64, not %lld", (long long)c->opt.txns);
        return false;
    }
    if (c->opt.rows < 1 || c->opt.rows > VERIFY_ROWS_CAP) {
        cli_usage(c, "--rows wants 1 to %d, not %lld", VERIFY_ROWS_CAP, (long long)c->opt.rows);
        return false;
    }
    if (OPTION_GIVEN(c, rows) && !ast->any) {
        cli_usage(c, "--rows is for programs with ANY: %s says how many rows its tables have",
                  ast->file);
        return false;
    }
    if (c->opt.scenario && !known_scenario(c, ast))
        return false;
    q->scenario = c->opt.scenario;
    q->txns = (unsigned)c->opt.txns;
    q->max_txns = c->opt.timeout > 0 ? 0 : ast->any ? TXNS_DEFAULT_ANY : TXNS_DEFAULT;
    q->max_rows = (uint64_t)c->opt.rows;
    q->bounded = c->opt.bounded;
    q->prove_only = c->opt.prove;
    q->no_session_order = c->opt.no_session_order;
    q->observe =
        !strcmp(c->opt.observe, "snapshots") ? VERIFY_OBSERVE_SNAPSHOTS : VERIFY_OBSERVE_FINAL;
    q->stats = &c->stats;
    return true;
}

bool program_dumps(const struct cli *c)
{
    return c->opt.dump && strcmp(c->opt.dump, "smt2") != 0;
}

static bool one_model(struct cli *c, const char *word, bool wanted[])
{
    const struct model *m = model_find_any(word);
    for (int i = 0; i < MODEL_COUNT && !strcmp(word, "all"); i++)
        wanted[i] = true;
    if (m)
        wanted[m->id] = true;
    if (m || !strcmp(word, "all"))
        return true;
    cli_unknown_name(c, KIND_MODELS, word);
    return false;
}

bool program_models(struct cli *c, const char *list, bool wanted[])
{
    memset(wanted, 0, MODEL_AFTER_SERVERS * sizeof *wanted);
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        if (!one_model(c, arena_strndup(&c->arena, p, n), wanted))
            return false;
        p += n;
        if (!*p)
            return true;
    }
}

bool program_names_server(struct cli *c)
{
    const struct model *m;
    bool found = false;
    for (char *rest = arena_strdup(&c->arena, c->opt.model), *word; (word = strsep(&rest, ","));)
        found |= (m = model_find_any(word)) && m->engine != ENGINE_NONE;
    return found;
}
