/* Certificates with proofs that the solver found, on histories that are large enough to need one.
 *
 * Histories of a dozen transactions with few values: most reads have several possible writers, and
 * no single cycle says that the history is not serializable.  Whether it is, is found out by
 * running the transactions one after the other in all orders; orders that have run the same
 * transactions and left the same values are all alike.  Certificates are accepted, and no forged
 * one is for a history that is serializable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"
#include "certify/certify.h"
#include "check/certified_search.h"
#include "tests/oracle/oracle.h"
#include "tests/unit/oracle_history.h"

enum { TXNS = 14, OPS = 4, KEYS = 3, VALUES = 2, SESSIONS = 7 };

struct op {
    bool write;
    int key, value;
};
struct txn {
    int session, n;
    struct op ops[OPS];
};
struct records {
    int n;
    struct txn txns[TXNS];
};

/* --- histories -------------------------------------------------------------------------------- */

/* Every transaction runs against the values before some recent transaction, and reads before it
 * writes. */
static void random_records(struct orc_rng *rng, struct records *x)
{
    int state[TXNS + 1][KEYS] = {{0}};
    x->n = TXNS - orc_below(rng, 4);
    for (int t = 0; t < x->n; t++) {
        struct txn *now = &x->txns[t];
        int back = orc_percent(rng, 50) ? 0 : orc_below(rng, t < 4 ? t + 1 : 4);
        int reads = 1 + orc_below(rng, 2), writes = 1 + orc_below(rng, 2);
        *now = (struct txn){.session = orc_below(rng, SESSIONS), .n = reads + writes};
        memcpy(state[t + 1], state[t], sizeof state[t]);
        for (int i = 0; i < now->n; i++) {
            struct op *o = &now->ops[i];
            o->write = i >= reads;
            o->key = orc_below(rng, KEYS);
            o->value = o->write ? 1 + orc_below(rng, VALUES) : state[t - back][o->key];
            if (o->write)
                state[t + 1][o->key] = o->value;
        }
    }
}

static struct history *build(const struct records *x)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (int k = 0; k < KEYS; k++)
        hist_key_int(h, k);
    for (int s = 0; s < SESSIONS; s++)
        hist_add_session(h, NULL);
    for (int t = 0; t < x->n; t++) {
        hist_begin_txn(h, (uint32_t)x->txns[t].session);
        for (int i = 0; i < x->txns[t].n; i++) {
            const struct op *o = &x->txns[t].ops[i];
            if (o->write)
                hist_write(h, (uint32_t)o->key, hist_int(o->value));
            else
                hist_read(h, (uint32_t)o->key, hist_int(o->value));
        }
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    return h;
}

/* --- is it serializable? ---------------------------------------------------------------------- */

struct runs {
    const struct records *x;
    bool sessions;
    struct map tried; /* who has run, and the values that are left */
};

static bool may_run(const struct runs *r, unsigned done, int t)
{
    for (int s = 0; s < t && r->sessions; s++)
        if (r->x->txns[s].session == r->x->txns[t].session && !(done >> s & 1))
            return false;
    return !(done >> t & 1);
}

static bool run_one(const struct txn *t, int *state)
{
    for (int i = 0; i < t->n; i++) {
        const struct op *o = &t->ops[i];
        if (o->write)
            state[o->key] = o->value;
        else if (state[o->key] != o->value)
            return false;
    }
    return true;
}

static bool run_rest(struct runs *r, unsigned done, const int *state)
{
    uint64_t key = done;
    bool fresh;
    for (int k = 0; k < KEYS; k++)
        key = key * (VALUES + 2) + (unsigned)state[k];
    if (done + 1 == 1u << r->x->n)
        return true;
    map_put(&r->tried, key, 1, &fresh);
    for (int t = 0; t < r->x->n && fresh; t++) {
        int after[KEYS];
        memcpy(after, state, sizeof after);
        if (may_run(r, done, t) && run_one(&r->x->txns[t], after) &&
            run_rest(r, done | 1u << t, after))
            return true;
    }
    return false;
}

static bool serializable(const struct records *x, bool sessions)
{
    struct runs r = {.x = x, .sessions = sessions};
    int state[KEYS] = {0};
    bool can = run_rest(&r, 0, state);
    map_free(&r.tried);
    return can;
}

/* --- certificates ----------------------------------------------------------------------------- */

static char *write_certificate(const struct history *h, const struct check_result *r)
{
    char *text = NULL;
    size_t size;
    struct certificate c = {.level = r->level, .violation = r};
    FILE *out = open_memstream(&text, &size);
    certificate_write(h, &c, out);
    fclose(out);
    return text;
}

/* Of a violation of SER: NULL, or why not. */
static const char *judge(const struct history *h, const char *text, struct arena *a, bool *sessions)
{
    struct certificate c;
    struct certificate_piece piece = {.text = text, .size = strlen(text)};
    const char *error = certificate_read(&piece, h, a, &c);
    *sessions = c.level.session_order;
    if (!error)
        error = c.violation ? certificate_judge(h, &c, a) : "it is satisfied";
    certificate_free(&c);
    return error;
}

/* A line of a proof that is not the last. */
static char *find_step(char *text, struct orc_rng *rng)
{
    int n = 0;
    char *proofs = strstr(text, "\nproofs "), *at = proofs;
    while ((at = strstr(at + 1, "\nc ")))
        n++;
    n = 1 + orc_below(rng, n);
    for (at = proofs; n; n--)
        at = strstr(at + 1, "\nc ");
    return at + 1;
}

/* In one step of a proof: another hint, one less, the opposite of a literal, another literal, one
 * less; or the step is gone. */
static void forge(char *text, struct orc_rng *rng)
{
    char *line = find_step(text, rng), *colon = strchr(line, ':'), *end = strchr(line, '\n');
    bool literals = colon > line + 2 && orc_percent(rng, 50);
    char *from = literals ? line + 1 : colon + 1, *to = literals ? colon - 1 : end;
    if (from == to)
        return;
    char *at = from + orc_below(rng, (int)(to - from));
    while (*at != ' ')
        at--;
    size_t word = 1 + strcspn(at + 1, " \n");
    switch (orc_below(rng, 4)) {
    case 0: /* a word less */
        memmove(at, at + word, strlen(at + word) + 1);
        break;
    case 1: /* another digit */
        for (char *s = at; s < at + word; s++)
            if (*s >= '0' && *s <= '9' && orc_percent(rng, 60))
                *s = (char)('0' + orc_below(rng, 10));
        break;
    case 2: /* the opposite */
        for (char *s = line; s < colon; s++)
            if (*s == '-' && s[1] != ' ') {
                memmove(s, s + 1, strlen(s + 1) + 1);
                return;
            }
        break;
    default: /* a step less */
        memmove(line, end + 1, strlen(end + 1) + 1);
        char *count = strstr(text, "\nproof ") + 7, number[16];
        size_t digits = strcspn(count, "\n");
        snprintf(number, sizeof number, "%0*d", (int)digits, atoi(count) - 1);
        memcpy(count, number, digits);
    }
}

struct tally {
    size_t violated, satisfied, proofs, clauses, forged, accepted, others;
};

static void assert_right(const struct records *x, const char *text, struct tally *t)
{
    struct arena a = {0};
    bool sessions;
    struct history *h = build(x);
    t->forged++;
    if (!judge(h, text, &a, &sessions)) {
        t->accepted++;
        assert_false(serializable(x, sessions));
    }
    hist_free(h);
    arena_free(&a);
}

/* Somebody saw or wrote something else. */
static void change(struct records *x, struct orc_rng *rng)
{
    struct txn *y = &x->txns[orc_below(rng, x->n)];
    struct op *o = &y->ops[orc_below(rng, y->n)];
    o->value = o->write ? 1 + orc_below(rng, VALUES) : orc_below(rng, VALUES + 1);
}

/* Every read sees what it does if the transactions run as they stand, so that only few change. */
static void mend(struct records *x)
{
    int state[KEYS] = {0};
    for (int t = 0; t < x->n; t++)
        for (int i = 0; i < x->txns[t].n; i++) {
            struct op *o = &x->txns[t].ops[i];
            if (o->write)
                state[o->key] = o->value;
            else
                o->value = state[o->key];
        }
}

/* Forged proofs for the history, for others that differ a little, and for one that is serializable.
 */
static void tamper(const struct records *x, const char *text, struct orc_rng *rng, struct tally *t)
{
    for (int i = 0; i < 60; i++) {
        struct records other = *x;
        char *forged = strdup(text);
        for (int n = orc_below(rng, 3); n; n--)
            forge(forged, rng);
        for (int n = orc_below(rng, 3); n; n--)
            change(&other, rng);
        if (orc_percent(rng, 30))
            mend(&other);
        t->others += serializable(&other, true);
        assert_right(&other, forged, t);
        free(forged);
    }
}

static void proofs(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(21);
    struct tally t = {0};
    long n = 40 * oracle_setting("VISAR_FUZZ", 100);
    for (long i = 0; i < n; i++) {
        struct records x;
        random_records(&rng, &x);
        struct history *h = build(&x);
        struct check_options o = check_defaults();
        o.level = (struct level){MODEL_SER, orc_percent(&rng, 70), LEVEL_NO_TIME};
        o.always_solve = o.no_cases = true;
        struct check_result r;
        check_items(h, &o, &r);
        assert_int_equal(r.verdict == CHECK_OK, serializable(&x, o.level.session_order));
        assert_true(r.verdict == CHECK_OK || r.verdict == CHECK_VIOLATION);
        t.satisfied += r.verdict == CHECK_OK;
        t.violated += r.verdict != CHECK_OK;
        if (r.literals.len) {
            char *text = write_certificate(h, &r);
            struct arena a = {0};
            bool sessions;
            assert_null(judge(h, text, &a, &sessions));
            arena_free(&a);
            t.proofs++;
            t.clauses += r.clauses.len;
            tamper(&x, text, &rng, &t);
            free(text);
        }
        check_result_free(&r);
        hist_free(h);
    }
    print_message("%zu satisfied, %zu violated, %zu by proofs of %zu clauses; %zu forged, %zu for "
                  "what is satisfied, %zu accepted\n",
                  t.satisfied, t.violated, t.proofs, t.clauses, t.forged, t.others, t.accepted);
    assert_true(n < 1000 || (t.proofs > 20 && t.clauses > 5 * t.proofs));
    assert_true(n < 1000 || (t.others > t.forged / 5 && t.accepted < t.forged / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
