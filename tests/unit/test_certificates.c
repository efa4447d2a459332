/* Certificates as files: every answer's is accepted, and one that somebody has tampered with never
 * proves what is not so.
 *
 * An edit need not make a certificate wrong: two transactions of an order that have nothing to do
 * with each other may change places.  So what an edited certificate that is still accepted says is
 * compared with the oracle; edits that cannot be harmless must be rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "certify/certify.h"
#include "check/certified_search.h"
#include "tests/oracle/oracle.h"
#include "tests/unit/oracle_history.h"

/* VISAR_FUZZ=N takes 10 N histories. */
#define HISTORIES (oracle_setting("VISAR_FUZZ", 400) * 10)
#define EDITS 12

/* What the answer's certificate looks like.  NULL: there is no verdict. */
static char *write_certificate(const struct history *h, const struct check_options *o,
                               const struct check_result *r)
{
    char *text = NULL;
    size_t size;
    struct certificate c = {.level = o->level, .unique_values = o->unique_values};
    if (r->verdict == CHECK_OK) {
        c.kind = r->order_kind;
        c.order = r->order.data, c.len = r->order.len;
        c.sources = r->sources.data, c.source_count = r->sources.len;
    } else if (r->verdict == CHECK_VIOLATION) {
        c.violation = r;
    } else
        return NULL;
    FILE *out = open_memstream(&text, &size);
    certificate_write(h, &c, out);
    fclose(out);
    return text;
}

struct claim {
    bool accepted, satisfied;
    struct level level;
    const char *why_not;
};

static struct claim judge(const struct history *h, const char *text, struct arena *a)
{
    struct certificate c;
    struct certificate_piece piece = {.text = text, .size = strlen(text)};
    struct claim x = {.why_not = certificate_read(&piece, h, a, &c)};
    x.level = c.level;
    x.satisfied = !c.violation;
    if (!x.why_not)
        x.why_not = certificate_judge(h, &c, a);
    x.accepted = !x.why_not;
    certificate_free(&c);
    return x;
}

/* ---- edits ---------------------------------------------------------------------------------- */

static char *line_start(char *text, unsigned n)
{
    char *at = text;
    while (n-- && strchr(at, '\n'))
        at = strchr(at, '\n') + 1;
    return at;
}

static unsigned count_lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Lines i < j change places. */
static char *swap_lines(char *text, unsigned i, unsigned j)
{
    char *copy = malloc(strlen(text) + 2), *out = copy;
    for (unsigned k = 0, n = count_lines(text); k < n; k++) {
        const char *line = line_start(text, k == i ? j : k == j ? i : k);
        size_t len = strcspn(line, "\n") + 1;
        memcpy(out, line, len);
        out += len;
    }
    *out = 0;
    return copy;
}

static char *drop_or_double(char *text, unsigned i, bool twice)
{
    char *copy = malloc(2 * strlen(text) + 2), *out = copy;
    for (unsigned k = 0, n = count_lines(text); k < n; k++) {
        const char *line = line_start(text, k);
        size_t len = strcspn(line, "\n") + 1;
        for (int times = k != i ? 1 : twice ? 2 : 0; times; times--, out += len)
            memcpy(out, line, len);
    }
    *out = 0;
    return copy;
}

/* Another digit, letter or level somewhere. */
static char *change_character(char *text, struct orc_rng *rng)
{
    static const char others[] = "0123456789.- rwbcts\n";
    char *copy = strdup(text);
    for (int tries = 0; tries < 20; tries++) {
        size_t at = (size_t)orc_below(rng, (int)strlen(copy));
        bool digit = copy[at] >= '0' && copy[at] <= '9';
        if (!digit && !orc_percent(rng, 20))
            continue;
        copy[at] = digit ? (char)('0' + orc_below(rng, 6))
                         : others[orc_below(rng, (int)sizeof others - 1)];
        break;
    }
    return copy;
}

static char *change_level(char *text, struct orc_rng *rng)
{
    const char *rest = strstr(text, " session-order=");
    const char *after = strstr(text, " real-time=");
    char *copy = malloc(strlen(text) + 64);
    if (!rest || !after) {
        strcpy(copy, text);
        return copy;
    }
    sprintf(copy, "%.*slevel %s session-order=%s%s", (int)(strchr(text, '\n') + 1 - text), text,
            model_get((enum model_id)orc_below(rng, MODEL_COUNT))->name,
            orc_percent(rng, 50) ? "on" : "off", after);
    return copy;
}

/* The number behind the first `word` becomes one less; false: there is none, or it is 0. */
static bool count_down(char *text, const char *word)
{
    char *at = strstr(text, word);
    if (!at)
        return false;
    char *digits = at + strlen(word), *end = digits + strspn(digits, "0123456789");
    int n = atoi(digits);
    if (end == digits || !n)
        return false;
    char number[16];
    int len = sprintf(number, "%0*d", (int)(end - digits), n - 1);
    memcpy(digits, number, (size_t)len);
    return true;
}

/* One step of a proof less, in a file that is whole all the same. */
static char *drop_clause(char *text, struct orc_rng *rng)
{
    unsigned first = 0, n = 0, lines = count_lines(text);
    for (unsigned k = 0; k < lines; k++)
        if (!strncmp(line_start(text, k), "c ", 2) && strstr(text, "\nproofs "))
            first = n++ ? first : k;
    if (!n)
        return strdup(text);
    char *copy = drop_or_double(text, first + (unsigned)orc_below(rng, (int)n), false);
    count_down(copy, "\nproof ");
    return copy;
}

/* In one step of a proof, another number behind the colon, or the opposite of a literal before it.
 */
static char *change_step(char *text, struct orc_rng *rng)
{
    char *proofs = strstr(text, "\nproofs "), *at = proofs;
    int n = 0;
    while (at && (at = strstr(at + 1, "\nc ")))
        n++;
    if (!n)
        return strdup(text);
    n = 1 + orc_below(rng, n);
    for (at = proofs; n; n--)
        at = strstr(at + 1, "\nc ");
    char *copy = malloc(strlen(text) + 8), *colon = strstr(at, ":");
    bool literals = colon > at + 3 && orc_percent(rng, 50), taken = false;
    char *from = literals ? at + 3 : colon + 1, *to = copy + (from - text);
    memcpy(copy, text, (size_t)(from - text));
    for (; *from; from++) {
        bool number = !literals && *from >= '0' && *from <= '9',
             name = *from >= 'a' && *from <= 't';
        bool here = !taken && (number || (literals && name)) && orc_percent(rng, 40);
        if (here && literals && from[-1] != '-')
            *to++ = '-';
        *to++ = here && number ? (char)('0' + orc_below(rng, 10)) : *from;
        taken |= here || *from == '\n';
    }
    *to = 0;
    return copy;
}

/* The last lemma less. */
static char *drop_lemma(char *text)
{
    char *last = NULL, *copy = strdup(text);
    for (char *at = copy; (at = strstr(at, "\ncycle ")); at++)
        last = at;
    char *cases = strstr(copy, "\ncases ");
    if (last && cases > last && strstr(copy, " lemmas ") && count_down(copy, "\ncycles ") &&
        count_down(copy, " lemmas "))
        memmove(last, cases, strlen(cases) + 1);
    return copy;
}

static char *edit(char *text, struct orc_rng *rng)
{
    int lines = (int)count_lines(text), i = orc_below(rng, lines), j = orc_below(rng, lines);
    switch (strstr(text, "\nproofs ") ? orc_below(rng, 12) : orc_below(rng, 7)) {
    case 0:
        return swap_lines(text, (unsigned)i, (unsigned)j);
    case 1:
        return drop_or_double(text, (unsigned)i, false);
    case 2:
        return drop_or_double(text, (unsigned)i, true);
    case 3:
        return change_level(text, rng);
    case 4:
        return drop_clause(text, rng);
    case 5:
        return drop_lemma(text);
    case 6:
        return change_character(text, rng);
    default:
        return change_step(text, rng);
    }
}

/* ---- the tests ------------------------------------------------------------------------------ */

struct tally {
    size_t written, edited, refused, proofs;
};

/* Real time: these histories have no time stamps, so nothing is said about it. */
static void expect_true(const struct orc_history *o, const struct claim *x, const char *text)
{
    struct orc_rules rules =
        orc_rules_uniform((enum orc_level)x->level.model, x->level.session_order);
    if (x->level.real_time == LEVEL_ITEMS_ONLY || x->level.real_time == LEVEL_NO_TIME) {
        if (orc_hist_axioms(o, &rules, NULL) == x->satisfied)
            return;
    } else {
        print_error("accepted without time stamps\n");
    }
    print_error("accepted, but not true:\n%s", text);
    orc_hist_print(stderr, o);
    fail();
}

static void tamper(const struct orc_history *o, const struct history *h, char *text,
                   struct orc_rng *rng, struct tally *t)
{
    for (int i = 0; i < EDITS; i++) {
        struct arena a = {0};
        char *edited = edit(text, rng);
        if (orc_percent(rng, 30)) {
            char *once = edited;
            edited = edit(once, rng);
            free(once);
        }
        struct claim x = judge(h, edited, &a);
        t->edited++;
        t->refused += !x.accepted;
        if (x.accepted)
            expect_true(o, &x, edited);
        free(edited);
        arena_free(&a);
    }
}

/* The certificate goes with another history, in which somebody saw or wrote something else. */
static void change_history(const struct orc_history *o, char *text, struct orc_rng *rng,
                           struct tally *t)
{
    struct orc_history other = *o;
    struct arena a = {0};
    for (int n = 1 + orc_below(rng, 2); n; n--) {
        struct orc_txn *x = &other.txns[orc_below(rng, o->n_txns)];
        if (x->n_ops)
            x->ops[orc_below(rng, x->n_ops)].value = orc_below(rng, 4);
    }
    struct history *h = oracle_history(&other, 0);
    struct claim x = judge(h, text, &a);
    t->edited++;
    t->refused += !x.accepted;
    if (x.accepted)
        expect_true(&other, &x, text);
    hist_free(h);
    arena_free(&a);
}

static void run(const struct orc_hist_params *p, uint64_t seed, size_t proofs)
{
    struct orc_rng rng = orc_rng(seed);
    struct tally t = {0};
    for (long i = 0, n = HISTORIES; i < n; i++) {
        struct orc_history o;
        orc_hist_random(&rng, p, &o);
        struct history *h = oracle_history(&o, 0);
        struct check_options options = check_defaults();
        options.level = (struct level){(enum model_id)orc_below(&rng, MODEL_COUNT),
                                       orc_percent(&rng, 75), LEVEL_NO_TIME};
        options.always_solve = proofs || orc_percent(&rng, 30);
        options.no_cases = proofs || orc_percent(&rng, 30);
        struct check_result r;
        check_items(h, &options, &r);
        char *text = write_certificate(h, &options, &r);
        if (text) {
            struct arena a = {0};
            struct claim x = judge(h, text, &a);
            if (!x.accepted)
                print_error("%s\n%s", x.why_not, text);
            assert_true(x.accepted);
            assert_int_equal(x.satisfied, r.verdict == CHECK_OK);
            arena_free(&a);
            t.written++;
            t.proofs += strstr(text, "\nproofs ") != NULL;
            tamper(&o, h, text, &rng, &t);
            for (int k = 0; k < EDITS / 4; k++)
                change_history(&o, text, &rng, &t);
        }
        free(text);
        check_result_free(&r);
        hist_free(h);
    }
    print_message("%zu certificates, %zu with proofs; %zu edited, %zu of these rejected\n",
                  t.written, t.proofs, t.edited, t.refused);
    assert_true(HISTORIES < 1000 || t.proofs >= proofs);
    assert_true((long)t.written > HISTORIES * 9 / 10);
    assert_true(t.refused > t.edited / 2);
}

static void unique_values(void **state)
{
    (void)state;
    run(&oracle_unique, 11, 0);
}

static void repeated_values(void **state)
{
    (void)state;
    run(&oracle_repeated, 12, 0);
}

/* Many equal values: what is violated is shown by lemmas and proofs now and then. */
static void proofs(void **state)
{
    (void)state;
    run(
        &(struct orc_hist_params){
            .txns = 6, .sessions = 4, .ops = 5, .keys = 2, .values = 2, .unknown = 10},
        14, 1);
}

static void all_outcomes(void **state)
{
    (void)state;
    run(&oracle_outcomes, 13, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_values),
        cmocka_unit_test(repeated_values),
        cmocka_unit_test(all_outcomes),
        cmocka_unit_test(proofs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
