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
#include "check/check_items.h"
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
    struct claim x = {.why_not = certificate_read(text, strlen(text), h, a, &c)};
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
    sprintf(copy, "visar-certificate 1\nlevel %s session-order=%s%s",
            model_get((enum model_id)orc_below(rng, MODEL_COUNT))->name,
            orc_percent(rng, 50) ? "on" : "off", after);
    return copy;
}

static char *edit(char *text, struct orc_rng *rng)
{
    int lines = (int)count_lines(text), i = orc_below(rng, lines), j = orc_below(rng, lines);
    switch (orc_below(rng, 5)) {
    case 0:
        return swap_lines(text, (unsigned)i, (unsigned)j);
    case 1:
        return drop_or_double(text, (unsigned)i, false);
    case 2:
        return drop_or_double(text, (unsigned)i, true);
    case 3:
        return change_level(text, rng);
    default:
        return change_character(text, rng);
    }
}

/* ---- the tests ------------------------------------------------------------------------------ */

struct tally {
    size_t written, edited, refused;
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

static void run(const struct orc_hist_params *p, uint64_t seed)
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
        options.always_solve = orc_percent(&rng, 30);
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
            tamper(&o, h, text, &rng, &t);
        }
        free(text);
        check_result_free(&r);
        hist_free(h);
    }
    print_message("%zu certificates, %zu edited, %zu of these rejected\n", t.written, t.edited,
                  t.refused);
    assert_true((long)t.written > HISTORIES * 9 / 10);
    assert_true(t.refused > t.edited / 2);
}

static void unique_values(void **state)
{
    (void)state;
    run(&oracle_unique, 11);
}

static void repeated_values(void **state)
{
    (void)state;
    run(&oracle_repeated, 12);
}

static void all_outcomes(void **state)
{
    (void)state;
    run(&oracle_outcomes, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_values),
        cmocka_unit_test(repeated_values),
        cmocka_unit_test(all_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
