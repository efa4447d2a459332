/* What `verify` and `weakest` have in common, see verified.h. */
#include "cli/verified.h"

#include <string.h>

#include "base/limit.h"
#include "report/page/messages.h"

int verified_open(struct verified *v, struct cli *c, bool servers)
{
    *v = (struct verified){.c = c, .lock = PTHREAD_MUTEX_INITIALIZER, .models_known = ""};
    cross_check_init(&v->opinions, c);
    int rc = program_open(c, &v->ast);
    rc = rc == EXIT_HOLDS ? program_judged(c, v->ast) : rc;
    if (rc != EXIT_HOLDS)
        return rc;
    struct verify_options options = program_options(c);
    options.models_only = !servers;
    /* Formulas of several questions would be interleaved. */
    unsigned jobs = c->opt.dump ? 1 : (unsigned)c->opt.jobs;
    cli_progress(c, "executing the transactions of %s", v->ast->file);
    v->batch = batch_open(v->ast, &options, jobs, &c->diags);
    cli_progress(c, "%s", "");
    if (v->batch)
        return EXIT_HOLDS;
    return limit_reached() ? cli_unknown(c, limit_text()) : cli_bad_input(c);
}

void verified_close(struct verified *v)
{
    cross_check_free(&v->opinions);
    vec_free(&v->asked);
    vec_free(&v->news);
    batch_close(v->batch);
    if (v->ast)
        ast_free(v->ast);
}

/* ---- what is known so far ------------------------------------------------------------------- */

static void publish(struct verified *v)
{
    struct strbuf b = {0};
    sb_puts(&b, v->models_known);
    for (size_t i = 0; i < v->news.len; i++)
        sb_printf(&b, "%s%s", b.len ? ", " : "", v->news.data[i].text);
    /* The second opinion is not there yet, so the exit code is that of UNKNOWN. */
    cli_known(b.len ? arena_strdup(&v->c->arena, sb_str(&b)) : NULL, EXIT_HOLDS);
    sb_free(&b);
}

void verified_known(struct verified *v, const char *text)
{
    pthread_mutex_lock(&v->lock);
    v->models_known = arena_strdup(&v->c->arena, text);
    vec_clear(&v->news);
    publish(v);
    pthread_mutex_unlock(&v->lock);
}

/* Built-in checks are many, and what holds of them is not what anybody waits for. */
static bool is_news(const struct verify_property *p, const struct verify_verdict *d)
{
    bool good = d->status == VERIFY_PROVED || d->status == VERIFY_HOLDS;
    return d->status == VERIFY_VIOLATED || (good && !report_is_builtin(p->kind));
}

static void on_news(void *arg, const struct verify_result *r, const struct verify_verdict *d)
{
    struct verified *v = arg;
    const struct verify_property *p = &r->properties[d->property];
    if (!is_news(p, d))
        return;
    struct verified_news *same = NULL;
    struct strbuf b = {0};
    report_known_property(r, d, &b);
    pthread_mutex_lock(&v->lock);
    for (size_t i = 0; i < v->news.len && !d->scenario; i++)
        if (v->news.data[i].of == r && v->news.data[i].property == d->property)
            same = &v->news.data[i];
    if (!same)
        same = vec_add(&v->news);
    *same = (struct verified_news){r, d->property, arena_strdup(&v->c->arena, sb_str(&b))};
    publish(v);
    pthread_mutex_unlock(&v->lock);
    sb_free(&b);
}

/* ---- questions ------------------------------------------------------------------------------ */

bool verified_question(struct verified *v, struct verify_question *q)
{
    if (!program_question(v->c, v->ast, q))
        return false;
    q->news = on_news;
    q->news_arg = v;
    q->dump_smt2 = v->c->opt.dump ? v->c->out : NULL;
    return true;
}

int verified_refuse(const struct verified *v, const struct verify_result *r)
{
    if (r->n_properties && r->program->n_txns)
        return cli_usage(v->c, "%s", r->error);
    message_error("%s: %s", v->ast->file, r->error);
    return EXIT_BAD_INPUT;
}

void verified_ask(struct verified *v, const struct verify_result *r)
{
    for (size_t i = 0; i < v->asked.len; i++)
        if (v->asked.data[i] == r)
            return;
    if (!r)
        return;
    if (r->overall == VERIFY_VIOLATED)
        cli_progress(v->c, "asking the history engine about what was found under %s",
                     r->model->name);
    cross_check_ask(&v->opinions, r);
    vec_push(&v->asked, r);
}

void verified_ask_serial(struct verified *v, const struct verify_result *r)
{
    cross_check_serial(&v->opinions, r);
}

int verified_agree(struct verified *v)
{
    cli_progress(v->c, "%s", "");
    if (!v->opinions.trouble)
        return EXIT_HOLDS;
    message_internal_error("%s", v->opinions.trouble);
    return EXIT_INTERNAL;
}

struct verify_view verified_view(const struct verified *v)
{
    const struct cli *c = v->c;
    return (struct verify_view){
        .file = v->ast->file,
        .ast = v->ast,
        .files = &c->diags,
        .opinions = v->opinions.list.data,
        .n_opinions = v->opinions.list.len,
        .no_session_order = c->opt.no_session_order,
        .snapshots = !strcmp(c->opt.observe, "snapshots"),
        .fields = !strcmp(c->opt.granularity, "field"),
        .stats = &c->stats,
        .quiet = c->opt.quiet,
        .verbose = c->opt.verbose,
        .color = c->color,
    };
}

/* Under one model or another: what cannot run on any state with the invariants of one result may
 * well run with those of another, which are fewer. */
static bool never_runs(const struct verified *v, const struct ast_func *f)
{
    bool said = false;
    for (size_t i = 0; i < v->asked.len; i++) {
        const struct verify_result *r = v->asked.data[i];
        bool here = false;
        for (size_t k = 0; k < r->n_never_run; k++)
            here |= r->never_run[k] == f;
        if (r->never_run && !here)
            return false;
        said |= here;
    }
    return said;
}

/* The same for all models, as far as it was looked at. */
static bool is_filled(const struct verified *v, const struct ast_var *table)
{
    for (size_t i = 0; i < v->asked.len; i++)
        for (size_t k = 0; k < v->asked.data[i]->n_filled; k++)
            if (v->asked.data[i]->filled[k] == table)
                return true;
    return false;
}

void verified_warn(const struct verified *v)
{
    for (uint32_t i = 0; i < v->ast->n_tables && !v->c->opt.quiet; i++)
        if (is_filled(v, v->ast->tables[i]))
            report_filled(v->ast->tables[i]);
    for (uint32_t i = 0; i < v->ast->n_funcs && !v->c->opt.quiet; i++)
        if (never_runs(v, v->ast->funcs[i]))
            report_never_runs(v->ast->funcs[i]);
}
