#include "tests/conformance/explore.h"
#include "tests/conformance/random.h"
#include "tests/conformance/run.h"
#include "tests/conformance/statements.h"

#include <stdlib.h>
#include <string.h>

/* The choices of a run: who could do a step, and who did.  Runs go through them as a search in
 * depth goes through a tree; each begins again at its root. */
struct choice {
    unsigned enabled;
    unsigned chosen;
};
struct path {
    unsigned length;
    struct choice choice[CF_SCHEDULE];
};

/* ---- which orders do not matter ---- */

/* A plain read takes no locks, and sees nothing of a transaction that has not committed. */
static bool is_plain_read(const struct cf_statement *s, enum cf_level level)
{
    return (s->kind == CF_SEL || s->kind == CF_AGG) && level != CF_MY_SER;
}

/* The keys that a statement works on; all of them, if it is by predicate or has a sub-select. */
static unsigned keys_of(const struct cf_statement *s)
{
    if (cf_by_predicate(s) || s->kind == CF_UPDSUB || s->kind == CF_INSSEL)
        return ~0u;
    return 1u << s->key | (s->kind == CF_UPK ? 1u << s->value : 0);
}

/* The next statement of a transaction that can do a step; NULL: its end. */
static const struct cf_statement *next_statement(const struct run *r, unsigned i)
{
    const struct cf_transaction *t = &r->program->transaction[i];
    unsigned n = r->transaction[i].next;
    return n < t->statements ? &t->statement[n] : NULL;
}

/* InnoDB locks gaps beside the rows, so only plain reads are independent there. */
static bool independent(const struct cf_program *p, unsigned i, const struct cf_statement *a,
                        unsigned j, const struct cf_statement *b)
{
    if (is_plain_read(a, p->transaction[i].level) || is_plain_read(b, p->transaction[j].level))
        return true;
    return cf_is_pg(p->transaction[i].level) && !(keys_of(a) & keys_of(b));
}

/* What was done in the last step: a statement that did not end its transaction, or NULL. */
struct last_step {
    unsigned who;
    const struct cf_statement *statement;
};

/* Of two neighbouring steps in either order, the run in which the lower number comes first is
 * enough. */
static unsigned worth_trying(const struct run *r, const struct last_step *last, unsigned enabled)
{
    unsigned set = enabled;
    if (!last->statement || r->slow || r->transaction[last->who].state != RUNS)
        return set;
    for (unsigned i = 0; i < last->who; i++) {
        const struct cf_statement *s = enabled & 1u << i ? next_statement(r, i) : NULL;
        if (s && independent(r->program, i, s, last->who, last->statement))
            set &= ~(1u << i);
    }
    return set ? set : enabled;
}

/* ---- runs ---- */

static unsigned lowest(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

/* One of the set; every other time the one who did the last step. */
static unsigned random_choice(struct random *random, unsigned set, unsigned last)
{
    if (set & 1u << last && random_below(random, 2))
        return last;
    for (unsigned n = random_below(random, (unsigned)__builtin_popcount(set)); n; n--)
        set &= set - 1;
    return lowest(set);
}

/* Runs the program along the first `given` choices of the path, then with the first choice always,
 * or with random ones.
 * If a choice is not possible any more (the server is free to let one of two waiting statements go
 * first), the rest of the path is new. */
static void run_along(struct run *r, struct path *path, unsigned given, size_t number,
                      struct random *random)
{
    struct last_step last = {0};
    unsigned enabled;
    run_start(r, number);
    for (path->length = 0; (enabled = run_enabled(r)); path->length++) {
        if (path->length == CF_SCHEDULE)
            abort();
        struct choice *c = &path->choice[path->length];
        c->enabled = worth_trying(r, &last, enabled);
        if (path->length >= given || !(c->enabled & 1u << c->chosen)) {
            given = 0;
            c->chosen = random ? random_choice(random, c->enabled, last.who) : lowest(c->enabled);
        }
        last = (struct last_step){c->chosen, next_statement(r, c->chosen)};
        run_step(r, c->chosen);
    }
    run_finish(r);
}

/* Goes to the next path; returns how many of its choices are given, 0: that was the last one. */
static unsigned next_path(struct path *path)
{
    for (unsigned n = path->length; n; n--) {
        struct choice *c = &path->choice[n - 1];
        unsigned higher = c->enabled & ~((2u << c->chosen) - 1);
        if (higher) {
            c->chosen = lowest(higher);
            return n;
        }
    }
    return 0;
}

static void remember(struct explored *e, const struct run *r, const struct path *path)
{
    if (!cf_outcomes_add(&e->seen, &r->outcome))
        return;
    if (e->seen.count > e->capacity) {
        e->capacity = 2 * e->seen.count;
        struct schedule *more = realloc(e->schedule, e->capacity * sizeof(*more));
        if (!more)
            abort();
        e->schedule = more;
    }
    struct schedule *s = &e->schedule[e->seen.count - 1];
    s->steps = path->length;
    for (unsigned i = 0; i < path->length; i++)
        s->step[i] = (uint8_t)path->choice[i].chosen;
}

void explore(const struct server_driver *driver, struct server *server, const struct cf_program *p,
             const struct explore_options *options, struct explored *e)
{
    struct path path = {0};
    struct run run = {.driver = driver, .server = server, .program = p, .slow = options->slow};
    struct random random = {1};
    unsigned given = 0;
    explored_clear(e);
    do {
        run_along(&run, &path, given, e->runs, NULL);
        remember(e, &run, &path);
        e->runs++;
        given = next_path(&path);
    } while (given && e->runs < options->most_runs);
    e->complete = !given;
    for (size_t i = 0; !e->complete && i < options->random_runs; i++) {
        run_along(&run, &path, 0, e->runs, &random);
        remember(e, &run, &path);
        e->runs++;
    }
}

void explored_clear(struct explored *e)
{
    cf_outcomes_clear(&e->seen);
    e->runs = 0;
    e->complete = false;
}

void explored_free(struct explored *e)
{
    cf_outcomes_free(&e->seen);
    free(e->schedule);
    *e = (struct explored){0};
}

void schedule_print(FILE *to, const struct schedule *s)
{
    for (unsigned i = 0; i < s->steps; i++)
        fprintf(to, "%sT%d", i ? " " : "", s->step[i]);
}
