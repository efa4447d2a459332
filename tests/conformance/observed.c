/* conformance_observed: judges recorded observations of servers, which it reads from its
 * input, one Python tuple a line:
 *
 *     (database, seed, level or levels, initial rows, transactions, outcomes, complete, runs)
 *
 * as the README beside the observations says.
 *
 * Every outcome that was seen must be allowed.  Of the complete programs at most 0.5 % of what is
 * allowed may be unseen, except at pg-ser, where the server aborts more than it needs to. */
#include "tests/conformance/judge.h"
#include "tests/conformance/literal.h"
#include "tests/conformance/statements.h"

#include <stdlib.h>
#include <string.h>

struct observation {
    struct cf_program program;
    struct cf_outcomes seen;
    bool complete;
    size_t runs;
    long seed;
};

/* ---- from literals ---- */

static bool is_text(const struct literal *l, const char *text)
{
    return l->kind == LITERAL_STRING && l->count == strlen(text) &&
           !memcmp(l->text, text, l->count);
}

static bool is_list(const struct literal *l, size_t least)
{
    return l->kind == LITERAL_SEQUENCE && l->count >= least;
}

static bool read_level(const struct literal *database, const struct literal *l,
                       enum cf_level *level)
{
    static const char *const names[] = {"rc", "rr", "ser"};
    for (int i = 0; i < 3; i++) {
        if (is_text(l, names[i])) {
            *level = (enum cf_level)(i + (is_text(database, "pg") ? CF_PG_RC : CF_MY_RC));
            return true;
        }
    }
    return false;
}

/* Statements are written as in the notation of programs, but for quotes. */
static bool write_words(const struct literal *l, char *text, size_t size)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct literal *word = &l->item[i];
        size_t n = strlen(text);
        if (word->kind == LITERAL_NUMBER)
            snprintf(text + n, size - n, " %ld", word->number);
        else if (word->kind == LITERAL_STRING)
            snprintf(text + n, size - n, " %.*s", (int)word->count, word->text);
        else if (word->kind != LITERAL_SEQUENCE || !write_words(word, text, size))
            return false;
    }
    return true;
}

static bool read_transaction(const struct literal *l, enum cf_level level,
                             struct cf_transaction *out)
{
    char text[CF_TEXT] = "";
    struct cf_program one;
    if (!is_list(l, 2) || !is_list(&l->item[0], 0))
        return false;
    snprintf(text, sizeof(text), "| %s", cf_level_name(level));
    for (size_t i = 0; i < l->item[0].count; i++) {
        if (!is_list(&l->item[0].item[i], 1) ||
            !write_words(&l->item[0].item[i], text, sizeof(text)))
            return false;
        strncat(text, ";", sizeof(text) - strlen(text) - 1);
    }
    strncat(text, is_text(&l->item[1], "C") ? " commit" : " rollback",
            sizeof(text) - strlen(text) - 1);
    if (cf_program_read(&one, text))
        return false;
    *out = one.transaction[0];
    return true;
}

static bool read_program(const struct literal *l, struct cf_program *p)
{
    const struct literal *levels = &l->item[2], *rows = &l->item[3], *transactions = &l->item[4];
    *p = (struct cf_program){0};
    if (!is_list(rows, 0) || rows->count > 2 * (size_t)CF_KEYS || !is_list(transactions, 1) ||
        transactions->count > CF_TRANSACTIONS)
        return false;
    for (size_t i = 0; i + 1 < rows->count; i += 2)
        p->row[p->rows++] =
            (struct cf_row){(int)rows->item[i].number, (int)rows->item[i + 1].number};
    for (size_t i = 0; i < transactions->count; i++) {
        enum cf_level level;
        const struct literal *name = levels->kind == LITERAL_STRING ? levels : &levels->item[i];
        if (!read_level(&l->item[0], name, &level) ||
            !read_transaction(&transactions->item[i], level, &p->transaction[p->transactions++]))
            return false;
    }
    return true;
}

/* The rows of a result; a number alone is a count of rows. */
static bool read_result(const struct literal *l, struct cf_result *out)
{
    *out = (struct cf_result){0};
    if (!is_list(l, 0) || l->count > CF_RESULT_ROWS)
        return false;
    if (l->count == 1 && l->item[0].kind == LITERAL_NUMBER) {
        out->rows = (int)l->item[0].number;
        return true;
    }
    for (size_t i = 0; i < l->count; i++) {
        if (!is_list(&l->item[i], 2))
            return false;
        cf_result_add(
            out, (struct cf_row){(int)l->item[i].item[0].number, (int)l->item[i].item[1].number});
    }
    cf_result_sort(out);
    return true;
}

static bool read_outcome(const struct literal *l, const struct cf_program *p, struct cf_outcome *o)
{
    memset(o, 0, sizeof(*o));
    if (!is_list(l, 3) || !is_list(&l->item[0], 0) || !is_list(&l->item[1], p->transactions))
        return false;
    for (size_t i = 0; i < l->item[0].count; i++)
        o->order[o->commits++] = (uint8_t)l->item[0].item[i].number;
    for (unsigned i = 0; i < p->transactions; i++) {
        const struct literal *results = &l->item[1].item[i];
        if (results->kind == LITERAL_NONE)
            continue;
        for (unsigned s = 0; s < p->transaction[i].statements; s++)
            if (!is_list(results, s + 1) || !read_result(&results->item[s], &o->result[i][s]))
                return false;
    }
    return read_result(&l->item[2], &o->end);
}

static bool read_observation(const struct literal *l, struct observation *out)
{
    struct cf_outcome o;
    cf_outcomes_clear(&out->seen);
    if (!l || !is_list(l, 8) || !read_program(l, &out->program) || !is_list(&l->item[5], 0))
        return false;
    for (size_t i = 0; i < l->item[5].count; i++) {
        const struct literal *pair = &l->item[5].item[i];
        if (!is_list(pair, 2) || !read_outcome(&pair->item[0], &out->program, &o))
            return false;
        cf_outcomes_add(&out->seen, &o);
    }
    out->seed = l->item[1].number;
    out->complete = l->item[6].number;
    out->runs = (size_t)l->item[7].number;
    return true;
}

/* ---- judging ---- */

struct judged {
    struct cf_figures group[CF_GROUPS];
    struct cf_outcomes forbidden, unseen;
    bool verbose;
};

static void show(const struct observation *o, const char *what, const struct cf_outcomes *outcomes)
{
    char text[CF_TEXT];
    cf_program_write(&o->program, text);
    printf("seed %ld: %s\n", o->seed, text);
    for (size_t i = 0; i < outcomes->count && i < 3; i++) {
        printf("    %s: ", what);
        cf_outcome_print(stdout, &o->program, &outcomes->data[i]);
        printf("\n");
    }
}

static void judge(struct judged *j, const struct observation *o)
{
    struct cf_figures *f = &j->group[cf_group(&o->program)];
    f->runs += o->runs;
    cf_judge(&o->program, &o->seen, o->complete, f, &j->forbidden, &j->unseen);
    if (j->forbidden.count)
        show(o, "seen, not allowed", &j->forbidden);
    if (j->verbose && j->unseen.count && cf_group(&o->program) != CF_PG_SER)
        show(o, "allowed, not seen", &j->unseen);
}

static int report(struct judged *j, size_t unreadable)
{
    struct cf_figures all = {0}, exact = {0};
    for (unsigned g = 0; g < CF_GROUPS; g++) {
        if (!j->group[g].programs)
            continue;
        cf_figures_print(stdout, cf_group_name(g), &j->group[g]);
        cf_figures_add(&all, &j->group[g]);
        if (g != CF_PG_SER)
            cf_figures_add(&exact, &j->group[g]);
        printf("%s %s_allowed\n", j->group[g].forbidden ? "not ok" : "ok", cf_group_name(g));
    }
    cf_figures_print(stdout, "all", &all);
    bool few = exact.unseen * 200 <= exact.allowed;
    printf("%s seen: %zu of %zu outcomes were not seen (pg-ser left out)\n", few ? "ok" : "not ok",
           exact.unseen, exact.allowed);
    printf("%s read: %zu lines cannot be read\n", !unreadable && all.programs ? "ok" : "not ok",
           unreadable);
    return all.forbidden || !few || unreadable || !all.programs;
}

int main(void)
{
    struct judged judged = {.verbose = getenv("VISAR_VERBOSE") != NULL};
    struct observation o = {0};
    struct literals memory = {0};
    char *line = NULL;
    size_t size = 0, unreadable = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (read_observation(literal_read(&memory, line), &o))
            judge(&judged, &o);
        else
            unreadable++;
        literals_clear(&memory);
    }
    free(line);
    int rc = report(&judged, unreadable);
    cf_outcomes_free(&o.seen);
    cf_outcomes_free(&judged.forbidden);
    cf_outcomes_free(&judged.unseen);
    return rc;
}
