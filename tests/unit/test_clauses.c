/* Proofs by unit propagation along hints: what is accepted is true, the solver's proofs are
 * accepted, and no forged proof makes anything true that is not.
 *
 * Formulas have so few variables that all assignments can be tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "certify/refutation.h"
#include "check/explain/prove.h"
#include "tests/oracle/oracle.h"

#define VARS 8
#define FORMULAS 4000

struct cnf {
    clause_lits lits, ends;
};

static uint32_t clause_start(const struct cnf *f, size_t i)
{
    return i ? f->ends.data[i - 1] : 0;
}

static void random_clause(struct orc_rng *rng, int n, clause_lits *to)
{
    for (; n; n--)
        vec_push(to, (uint32_t)orc_below(rng, 2 * VARS));
}

static void random_cnf(struct orc_rng *rng, struct cnf *f)
{
    for (int n = 20 + orc_below(rng, 40); n; n--) {
        random_clause(rng, orc_percent(rng, 10) ? 2 : 3, &f->lits);
        vec_push(&f->ends, (uint32_t)f->lits.len);
    }
}

static void cnf_free(struct cnf *f)
{
    vec_free(&f->lits);
    vec_free(&f->ends);
}

static bool satisfies(unsigned assignment, const uint32_t *lits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((assignment >> lits[i] / 2 & 1) != (lits[i] & 1))
            return true;
    return false;
}

static bool satisfies_all(unsigned assignment, const struct cnf *f)
{
    for (size_t i = 0; i < f->ends.len; i++) {
        uint32_t start = clause_start(f, i);
        if (!satisfies(assignment, f->lits.data + start, f->ends.data[i] - start))
            return false;
    }
    return true;
}

/* Does every assignment that satisfies the formula satisfy the clause? */
static bool implies(const struct cnf *f, const uint32_t *lits, size_t n)
{
    for (unsigned a = 0; a < 1u << VARS; a++)
        if (satisfies_all(a, f) && !satisfies(a, lits, n))
            return false;
    return true;
}

static struct formula formula_of(const struct cnf *f)
{
    struct formula to = {0};
    for (uint32_t v = 0; v < VARS; v++)
        formula_lit(&to, CHECK_FACT_HAPPENED, VARS - v, 0, NULL);
    for (size_t i = 0; i < f->ends.len; i++) {
        uint32_t start = clause_start(f, i);
        formula_add(&to, f->lits.data + start, f->ends.data[i] - start);
    }
    return to;
}

/* Everything that has been added to the formula follows from it. */
static void assert_all_follow(const struct cnf *f, const struct formula *to)
{
    for (size_t i = f->ends.len; i < to->clauses.ends.len; i++) {
        uint32_t n;
        const uint32_t *lits = clauses_get(&to->clauses, (uint32_t)i, &n);
        assert_true(implies(f, lits, n));
    }
}

static bool replay(const struct cnf *f, const struct check_result *r, const clause_lits *goal)
{
    struct formula to = formula_of(f);
    bool proved = r->proofs.len && proof_replay(r, &r->proofs.data[0], &to, goal, NULL, NULL);
    assert_all_follow(f, &to);
    assert_true(!proved || implies(f, goal->data, goal->len));
    assert_int_equal(to.clauses.trail.len, 0);
    formula_free(&to);
    return proved;
}

static void prove_it(const struct cnf *f, const clause_lits *goal, struct check_result *r)
{
    struct formula to = formula_of(f);
    *r = (struct check_result){0};
    prove_clause(&to, goal, r);
    formula_free(&to);
}

/* --- what is accepted is true ----------------------------------------------------------------- */

/* A clause and hints at random. */
static void random_hints(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(1);
    size_t accepted = 0, refused = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct cnf f = {0};
        random_cnf(&rng, &f);
        struct formula to = formula_of(&f);
        for (int k = 0; k < 20; k++) {
            clause_lits lits = {0}, hints = {0};
            random_clause(&rng, orc_below(&rng, 4), &lits);
            for (int n = orc_below(&rng, 5); n; n--)
                vec_push(&hints, (uint32_t)orc_below(&rng, (int)f.ends.len + 1));
            bool follows = clauses_follow(&to.clauses, lits.data, lits.len, hints.data,
                                          hints.len) == CLAUSES_FALSE;
            clauses_retract(&to.clauses);
            assert_true(!follows || implies(&f, lits.data, lits.len));
            accepted += follows;
            refused += !follows;
            vec_free(&lits);
            vec_free(&hints);
        }
        formula_free(&to);
        cnf_free(&f);
    }
    print_message("%zu accepted, %zu refused\n", accepted, refused);
    assert_true(accepted > 50 && refused > 1000);
}

/* --- the solver's proofs ---------------------------------------------------------------------- */

/* The formula without one of its clauses; in its place stands one that is always true, so that the
 * others keep their numbers. */
static struct cnf without(const struct cnf *f, size_t clause)
{
    struct cnf g = {0};
    for (size_t i = 0; i < f->ends.len; i++) {
        for (uint32_t k = clause_start(f, i); k < f->ends.data[i] && i != clause; k++)
            vec_push(&g.lits, f->lits.data[k]);
        for (uint32_t k = 0; k < 2 && i == clause; k++)
            vec_push(&g.lits, k);
        vec_push(&g.ends, (uint32_t)g.lits.len);
    }
    return g;
}

static void proofs_are_accepted(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(2);
    size_t proved = 0, steps = 0, needed = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct cnf f = {0};
        struct check_result r;
        clause_lits goal = {0};
        random_cnf(&rng, &f);
        random_clause(&rng, orc_below(&rng, 4), &goal);
        prove_it(&f, &goal, &r);
        bool follows = implies(&f, goal.data, goal.len);
        assert_int_equal(r.proofs.len, follows);
        assert_int_equal(replay(&f, &r, &goal), follows);
        proved += follows;
        steps += r.clauses.len;
        for (size_t k = 0; k < f.ends.len && follows; k++) { /* a clause is missing */
            struct cnf less = without(&f, k);
            needed += !replay(&less, &r, &goal);
            cnf_free(&less);
        }
        cnf_free(&f);
        vec_free(&goal);
        check_result_free(&r);
    }
    print_message("%zu proved in %zu steps; %zu clauses were needed\n", proved, steps, needed);
    assert_true(proved > FORMULAS / 4 && steps > proved && needed > proved);
}

/* --- forged proofs ---------------------------------------------------------------------------- */

/* One change to a proof: a hint, a literal, the length of a clause or of a list of hints, the order
 * of two clauses, or that the proof ends earlier. */
static void forge(struct orc_rng *rng, struct check_result *r)
{
    size_t last = r->clauses.len - 1;
    struct check_clause *c = &r->clauses.data[orc_below(rng, (int)last + 1)], other = *c;
    struct check_clause *d = &r->clauses.data[orc_below(rng, (int)last + 1)];
    switch (orc_below(rng, 8)) {
    case 0:
    case 1:
        if (c->hint_count)
            r->hints.data[c->hints + (uint32_t)orc_below(rng, (int)c->hint_count)] =
                (uint32_t)orc_below(rng, 80);
        break;
    case 2:
        if (c->len)
            r->literals.data[c->start + (uint32_t)orc_below(rng, (int)c->len)].negated ^= 1;
        break;
    case 3:
        if (c->len)
            r->literals.data[c->start + (uint32_t)orc_below(rng, (int)c->len)].fact.a =
                (uint32_t)orc_below(rng, VARS + 2);
        break;
    case 4:
        c->len -= c->len > 0;
        break;
    case 5:
        c->hint_count -= c->hint_count > 0;
        break;
    case 6:
        *c = *d;
        *d = other;
        break;
    default:
        r->proofs.data[0].len -= r->proofs.data[0].len > 1;
        break;
    }
}

/* Forged proofs, for what follows and (with a few clauses less) for what does not: nothing is added
 * to the formula that does not follow from it. */
static void forged_proofs(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(4);
    size_t forged = 0, accepted = 0, of_nothing = 0;
    for (int i = 0; i < FORMULAS / 2; i++) {
        struct cnf f = {0}, less;
        clause_lits goal = {0};
        random_cnf(&rng, &f);
        random_clause(&rng, orc_below(&rng, 3), &goal);
        less = without(&f, 0);
        for (int n = 6; n; n--) {
            struct cnf more = less;
            less = without(&more, (size_t)orc_below(&rng, (int)f.ends.len));
            cnf_free(&more);
        }
        for (int k = 0; k < 10; k++) {
            struct check_result r;
            prove_it(&f, &goal, &r);
            for (int n = 1 + orc_below(&rng, 3); n && r.proofs.len; n--)
                forge(&rng, &r);
            forged += r.proofs.len;
            accepted += replay(&f, &r, &goal);
            of_nothing += r.proofs.len && !implies(&less, goal.data, goal.len);
            replay(&less, &r, &goal);
            check_result_free(&r);
        }
        vec_free(&goal);
        cnf_free(&f);
        cnf_free(&less);
    }
    print_message("%zu forged, %zu of them still right; %zu of what does not follow\n", forged,
                  accepted, of_nothing);
    assert_true(forged > FORMULAS && accepted > 0 && accepted < forged && of_nothing > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_hints),
        cmocka_unit_test(proofs_are_accepted),
        cmocka_unit_test(forged_proofs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
