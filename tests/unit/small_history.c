/* Histories in a few letters; see small_history.h. */
#include "tests/unit/small_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

struct reader {
    struct history *h;
    uint32_t session[26];
    bool begun;
    enum hist_status status;
};

static void end_transaction(struct reader *r)
{
    if (r->begun)
        hist_end_txn(r->h, r->status);
    r->begun = false;
}

static const char *begin_transaction(struct reader *r, const char *at)
{
    uint32_t *session = &r->session[*at - 'A'];
    end_transaction(r);
    if (*session == HIST_NONE)
        *session = hist_add_session(r->h, NULL);
    at++;
    r->status = *at == '!' ? HIST_ABORTED : *at == '?' ? HIST_UNKNOWN : HIST_COMMITTED;
    at += *at != ':';
    assert_true(*at == ':');
    hist_begin_txn(r->h, *session);
    r->begun = true;
    return at + 1;
}

static const char *add_operation(struct reader *r, const char *at)
{
    assert_true((*at == 'r' || *at == 'w') && at[1] >= 'a' && at[1] <= 'z');
    char *end;
    uint32_t key = hist_key_str(r->h, at + 1, 1);
    struct hist_value value = hist_int(strtol(at + 2, &end, 10));
    assert_true(end > at + 2);
    if (*at == 'w')
        hist_write(r->h, key, value);
    else
        hist_read(r->h, key, value);
    return end;
}

struct history *small_builder(const char *text)
{
    struct reader r = {.h = hist_new()};
    memset(r.session, 0xff, sizeof r.session);
    hist_set_initial_default(r.h, hist_int(0));
    while (*text)
        if (*text == ' ')
            text++;
        else if (*text >= 'A' && *text <= 'Z')
            text = begin_transaction(&r, text);
        else
            text = add_operation(&r, text);
    end_transaction(&r);
    return r.h;
}

struct history *small_history(const char *text)
{
    struct history *h = small_builder(text);
    assert_null(hist_finish(h));
    return h;
}

void small_graph_init(struct small_graph *s, struct history *h, struct level level)
{
    struct check_options o = check_defaults();
    *s = (struct small_graph){.h = h};
    s->r = (struct check_result){.history = h, .level = level, .reason = "", .cycle = HIST_NONE};
    o.level = level;
    s->matched = match_build(h, &o, &s->p, &s->r);
    if (!s->matched)
        return;
    pg_init(&s->g, &s->p, 0);
    pg_add_known(&s->g);
    s->sorted = pg_sort(&s->g);
}

void small_graph_free(struct small_graph *s)
{
    if (s->matched) {
        pg_free(&s->g);
        match_free(&s->p);
    }
    check_result_free(&s->r);
    hist_free(s->h);
}

struct level small_level(enum model_id model)
{
    return (struct level){model, true, LEVEL_NO_TIME};
}

bool small_expected(const struct orc_history *o, enum model_id model)
{
    struct orc_rules rules = orc_rules_uniform(model == MODEL_SER  ? ORC_SER
                                               : model == MODEL_SI ? ORC_SI
                                                                   : ORC_PC,
                                               true);
    return orc_hist_axioms(o, &rules, NULL);
}

static void walk(struct pg *g, uint32_t u, uint8_t *seen)
{
    if (seen[u])
        return;
    seen[u] = 1;
    pg_successors(g, u);
    size_t n = g->scratch.len;
    uint32_t *next = mem_alloc(mem_mul(n + 1, sizeof *next));
    for (size_t i = 0; i < n; i++)
        next[i] = g->scratch.data[i];
    for (size_t i = 0; i < n; i++)
        walk(g, next[i], seen);
    mem_free(next);
}

uint8_t *small_reachable(struct pg *g)
{
    uint8_t *reach = mem_calloc((size_t)g->nodes * g->nodes + 1, 1);
    for (uint32_t u = 0; u < g->nodes; u++)
        walk(g, u, reach + (size_t)u * g->nodes);
    return reach;
}
