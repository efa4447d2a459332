/* Anomalies, put into a generated history so that the verdict is certain.
 *
 * Each is a script of a few transactions over rows that nobody else touches, x and y:
 *
 *     wx1    write 1 to x (append it, if x is a list)
 *     rx0    read x and see the initial value (the empty list)
 *     rx1    read x and see 1
 *     rx12   read the list x and see 1, then 2
 *     !      first in a transaction: it aborts
 *
 * Whatever the other transactions are, these alone violate the levels that the table lists: a
 * history satisfies a level only if its part on x and y does.  And they violate no others: the
 * scripted transactions run at one moment, all concurrently.  At the levels where the store has one
 * order of commits, each also does ordinary work, on rows that the other scripted transactions do
 * not write, so that they fit into the rest in any order.
 *
 * Why each violates what it does is in semantics.md: RC and RCS allow a stale read before a fresh
 * one, so scripts put the stale read first. */
#include <string.h>
#include <strings.h>

#include "history/generate/generate_internal.h"

#define M(x) (1u << MODEL_##x)
#define EVERY (M(EC) | M(RC) | M(RCS) | M(RA) | M(CC) | M(PC) | M(PSI) | M(SI) | M(SER))
#define ATOMIC (M(RA) | M(CC) | M(PC) | M(PSI) | M(SI) | M(SER))

static const struct gen_anomaly anomalies[] = {
    {"g0",
     "dirty-write",
     "two transactions overwrite each other",
     EVERY,
     true,
     "abc",
     {"wx1 wy1", "wx2 wy2", "rx12 ry21"}},
    {"g1a",
     "aborted-read",
     "a read from an aborted transaction",
     EVERY,
     false,
     "ab",
     {"!wx1", "rx1"}},
    {"g1b",
     "intermediate-read",
     "a read of a value that its writer overwrote",
     EVERY,
     false,
     "ab",
     {"wx1 wx2", "rx1"}},
    {"g1c",
     "circular-information-flow",
     "two transactions read from each other",
     EVERY,
     false,
     "ab",
     {"wx1 ry1", "wy1 rx1"}},
    {"thin-air-read",
     "garbage-read",
     "a read of a value that nobody wrote",
     EVERY,
     false,
     "a",
     {"rx9"}},
    {"internal", "int", "a transaction does not see its own write", EVERY, false, "a", {"wx1 rx0"}},
    {"non-repeatable-read",
     NULL,
     "two reads of one row see different versions",
     ATOMIC,
     false,
     "ab",
     {"wx1", "rx0 rx1"}},
    {"g-single",
     "read-skew",
     "a transaction sees half of another",
     ATOMIC,
     false,
     "ab",
     {"wx1 wy1", "rx0 ry1"}},
    {"stale-session",
     NULL,
     "a session does not see its own earlier write",
     ATOMIC | M(RCS),
     false,
     "aa",
     {"wx1", "rx0"}},
    {"causality",
     "causality-violation",
     "an effect is seen, its cause is not",
     M(CC) | M(PC) | M(PSI) | M(SI) | M(SER),
     false,
     "abc",
     {"wx1", "rx1 wy1", "rx0 ry1"}},
    {"lost-update",
     NULL,
     "two updates of the same version",
     M(PSI) | M(SI) | M(SER),
     false,
     "ab",
     {"rx0 wx1", "rx0 wx2"}},
    {"long-fork",
     "g-nonadjacent",
     "two writes are seen in opposite orders",
     M(PC) | M(SI) | M(SER),
     false,
     "abcd",
     {"wx1", "wy1", "ry0 rx1", "rx0 ry1"}},
    {"write-skew",
     "g2-item",
     "each of two transactions overwrites what the other read",
     M(SER),
     false,
     "ab",
     {"rx0 ry0 wx1", "rx0 ry0 wy1"}},
};

size_t gen_anomaly_count(void)
{
    return sizeof anomalies / sizeof *anomalies;
}

const struct gen_anomaly *gen_anomaly_at(size_t i)
{
    return &anomalies[i];
}

const struct gen_anomaly *gen_anomaly_find(const char *name)
{
    for (size_t i = 0; i < gen_anomaly_count(); i++)
        if (!strcasecmp(name, anomalies[i].name) ||
            (anomalies[i].alias && !strcasecmp(name, anomalies[i].alias)))
            return &anomalies[i];
    return NULL;
}

enum { ACTORS = 4, SCRIPT_ROWS = 2 };

struct cast {
    struct gen *g;
    uint32_t session[ACTORS], actors;
    uint32_t rows[SCRIPT_ROWS];
    VEC(uint32_t) touched, written; /* rows of the ordinary work so far */
};

static bool contains(const uint32_t *rows, size_t n, uint32_t row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i] == row)
            return true;
    return false;
}

/* Ordinary operations that do not meet those of the other actors. */
static void keep_apart(struct cast *c, gen_ops *plan)
{
    size_t kept = 0, touched = c->touched.len, written = c->written.len;
    for (size_t i = 0; i < plan->len; i++) {
        struct gen_op op = plan->data[i];
        if (contains(c->written.data, written, op.row) ||
            (op.write && contains(c->touched.data, touched, op.row)))
            continue;
        plan->data[kept++] = op;
        vec_push(&c->touched, op.row);
        if (op.write)
            vec_push(&c->written, op.row);
    }
    plan->len = kept;
}

/* The script's operations, at random places among the others but in order. */
static void add_script(struct cast *c, gen_ops *plan, const char *script)
{
    struct gen *g = c->g;
    size_t place = 0;
    for (const char *p = script; *p; p += strcspn(p, " ")) {
        p += strspn(p, " !");
        struct gen_op op = {.row = c->rows[p[1] - 'x'], .write = *p == 'w', .given = true};
        for (const char *digit = p + 2; *digit >= '0' && *digit <= '9'; digit++)
            if (*digit != '0')
                op.read[op.numbers++] = (uint8_t)(*digit - '0');
        place += gen_below(&g->random, (uint32_t)(plan->len - place) + 1);
        vec_push(plan, op);
        memmove(plan->data + place + 1, plan->data + place,
                (plan->len - 1 - place) * sizeof *plan->data);
        plan->data[place++] = op;
    }
}

static void prepare(struct cast *c, uint32_t actor, const char *script)
{
    struct gen *g = c->g;
    uint32_t session = c->session[actor];
    gen_ops *plan = &g->sessions[session].plan;
    gen_plan(g, session);
    if (g->places)
        vec_clear(plan);
    keep_apart(c, plan);
    add_script(c, plan, script);
    gen_begin(g, session);
}

/* Distinct sessions for distinct letters. */
static void choose_sessions(struct cast *c, const char *letters)
{
    struct gen *g = c->g;
    for (c->actors = 0; letters[c->actors]; c->actors++) {
        uint32_t i = 0;
        while (i < c->actors && letters[i] != letters[c->actors])
            i++;
        if (i < c->actors) {
            c->session[c->actors] = c->session[i];
            continue;
        }
        do
            c->session[c->actors] = gen_below(&g->random, g->o->sessions);
        while (contains(c->session, c->actors, c->session[c->actors]));
    }
}

void gen_inject(struct gen *g, const struct gen_anomaly *a)
{
    struct cast c = {.g = g};
    bool same_session = a->sessions[1] == a->sessions[0];
    choose_sessions(&c, a->sessions);
    if (!g->o->lists) { /* a list has its own numbers */
        g->script_base = g->next_value - 1;
        g->next_value += 9;
    }
    for (int i = 0; i < SCRIPT_ROWS; i++)
        c.rows[i] = gen_add_row(g);
    for (uint32_t i = 0; i < c.actors; i++) {
        prepare(&c, i, a->script[i]);
        if (same_session)
            gen_emit(g, c.session[i], HIST_COMMITTED);
    }
    for (uint32_t i = 0; !same_session && i < c.actors; i++)
        gen_emit(g, c.session[i], *a->script[i] == '!' ? HIST_ABORTED : HIST_COMMITTED);
    for (uint32_t i = 0; i < c.actors; i++) { /* what they were about to do begins now */
        gen_plan(g, c.session[i]);
        gen_begin(g, c.session[i]);
    }
    vec_free(&c.touched);
    vec_free(&c.written);
}
