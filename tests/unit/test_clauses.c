/* Proofs by unit propagation: what is accepted is true, the solver's proofs are accepted, and they
 * do not rest on clauses that are not there.
 *
 * Formulas have so few variables that all assignments can be tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "certify/clauses.h"
#include "certify/refutation.h"
#include "check/solver/sat.h"
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

static void load(struct clauses *c, const struct cnf *f)
{
    *c = (struct clauses){0};
    for (int v = 0; v < VARS; v++)
        clauses_new_var(c);
    for (size_t i = 0; i < f->ends.len; i++) {
        uint32_t start = clause_start(f, i);
        clauses_add(c, f->lits.data + start, f->ends.data[i] - start);
    }
}

/* --- what is accepted is true ----------------------------------------------------------------- */

static void accepted_is_true(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(1);
    size_t accepted = 0, refused = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct cnf f = {0};
        struct clauses c;
        random_cnf(&rng, &f);
        load(&c, &f);
        for (int k = 0; k < 20; k++) {
            clause_lits lits = {0};
            random_clause(&rng, orc_below(&rng, 4), &lits);
            bool follows = clauses_derive(&c, lits.data, lits.len);
            assert_true(!follows || implies(&f, lits.data, lits.len));
            accepted += follows;
            refused += !follows;
            vec_free(&lits);
        }
        if (clauses_contradict(&c))
            assert_true(implies(&f, NULL, 0));
        clauses_free(&c);
        cnf_free(&f);
    }
    assert_true(accepted > 1000 && refused > 1000);
}

/* --- the solver's proofs ---------------------------------------------------------------------- */

/* The solver's proof, into *proof.  False: the formula has a solution. */
static bool solve(const struct cnf *f, struct cnf *proof)
{
    struct sat *s = sat_new(1, true);
    sat_lits lits = {0}, ends = {0};
    for (int v = 0; v < VARS; v++)
        sat_new_var(s, false);
    for (size_t i = 0; i < f->ends.len; i++) {
        uint32_t start = clause_start(f, i);
        sat_add_clause(s, f->lits.data + start, f->ends.data[i] - start);
    }
    bool no = sat_solve(s) == SAT_NO;
    if (no)
        sat_proof(s, &lits, &ends);
    for (size_t i = 0; i < lits.len; i++)
        vec_push(&proof->lits, lits.data[i]);
    for (size_t i = 0; i < ends.len; i++)
        vec_push(&proof->ends, ends.data[i]);
    vec_free(&lits);
    vec_free(&ends);
    sat_free(s);
    return no;
}

static bool replay(const struct cnf *f, const struct cnf *proof)
{
    struct clauses c;
    bool fine = true;
    load(&c, f);
    for (size_t i = 0; i < proof->ends.len && fine; i++) {
        uint32_t start = clause_start(proof, i);
        fine = clauses_derive(&c, proof->lits.data + start, proof->ends.data[i] - start);
    }
    fine = fine && clauses_contradict(&c);
    clauses_free(&c);
    return fine;
}

/* The formula without one of its clauses. */
static struct cnf without(const struct cnf *f, size_t clause)
{
    struct cnf g = {0};
    for (size_t i = 0; i < f->ends.len; i++) {
        for (uint32_t k = clause_start(f, i); k < f->ends.data[i] && i != clause; k++)
            vec_push(&g.lits, f->lits.data[k]);
        if (i != clause)
            vec_push(&g.ends, (uint32_t)g.lits.len);
    }
    return g;
}

static void proofs_are_accepted(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(2);
    size_t refuted = 0, steps = 0, needed = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct cnf f = {0}, proof = {0};
        random_cnf(&rng, &f);
        bool no = solve(&f, &proof);
        assert_int_equal(no, implies(&f, NULL, 0));
        assert_int_equal(no, replay(&f, &proof));
        refuted += no;
        steps += proof.ends.len;
        for (size_t k = 0; k < f.ends.len && no; k++) { /* a clause is missing */
            struct cnf less = without(&f, k);
            bool accepted = replay(&less, &proof);
            assert_true(!accepted || implies(&less, NULL, 0));
            needed += !accepted;
            cnf_free(&less);
        }
        cnf_free(&f);
        cnf_free(&proof);
    }
    print_message("%zu refuted in %zu steps; %zu clauses were needed\n", refuted, steps, needed);
    assert_true(refuted > FORMULAS / 4 && steps > refuted / 2 && needed > refuted);
}

/* --- clauses under what is supposed ----------------------------------------------------------- */

static bool suggest(void *self, const struct clauses *given, const clause_lits *goal,
                    clause_lits *lits, clause_lits *ends)
{
    (void)self;
    struct cnf f = {0}, proof = {0};
    for (size_t i = 0; i < given->lits.len; i++)
        vec_push(&f.lits, given->lits.data[i]);
    for (size_t i = 0; i < given->ends.len; i++)
        vec_push(&f.ends, given->ends.data[i]);
    for (size_t i = 0; i < goal->len; i++) {
        vec_push(&f.lits, clause_not(goal->data[i]));
        vec_push(&f.ends, (uint32_t)f.lits.len);
    }
    bool no = solve(&f, &proof);
    for (size_t i = 0; i < proof.lits.len; i++)
        vec_push(lits, proof.lits.data[i]);
    for (size_t i = 0; i < proof.ends.len; i++)
        vec_push(ends, proof.ends.data[i]);
    cnf_free(&f);
    cnf_free(&proof);
    return no;
}

static struct formula formula_of(const struct cnf *f)
{
    struct formula to = {0};
    for (uint32_t v = 0; v < VARS; v++)
        formula_new(&to, (struct check_fact){CHECK_FACT_HAPPENED, VARS - v, 0, 0});
    for (size_t i = 0; i < f->ends.len; i++) {
        uint32_t start = clause_start(f, i);
        formula_add(&to, f->lits.data + start, f->ends.data[i] - start);
    }
    return to;
}

/* Two clauses, one after the other, are proved if and only if they follow, and the proofs that were
 * written are enough without the solver. */
static void goals_are_proved(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(3);
    const struct certify_prover prover = {NULL, suggest};
    size_t proved = 0, proofs = 0, clauses = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct cnf f = {0};
        struct check_result r = {0};
        clause_lits goal[2] = {0};
        bool follows[2];
        random_cnf(&rng, &f);
        struct formula first = formula_of(&f), second = formula_of(&f);
        struct proof_reader writing = {.r = &r, .prover = &prover, .out = &r}, reading = {.r = &r};
        for (int k = 0; k < 2; k++) {
            random_clause(&rng, 1 + orc_below(&rng, 3), &goal[k]);
            follows[k] = proof_derives(&writing, &first, &goal[k], false);
            assert_int_equal(follows[k], implies(&f, goal[k].data, goal[k].len));
            proved += follows[k];
        }
        for (int k = 0; k < 2; k++)
            if (follows[k])
                assert_true(proof_derives(&reading, &second, &goal[k], false));
        assert_int_equal(reading.next, r.proofs.len);
        proofs += r.proofs.len;
        clauses += r.clauses.len;
        formula_free(&first);
        formula_free(&second);
        vec_free(&goal[0]);
        vec_free(&goal[1]);
        check_result_free(&r);
        cnf_free(&f);
    }
    print_message("%zu proved, %zu with proofs of %zu clauses\n", proved, proofs, clauses);
    assert_true(proofs > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_is_true),
        cmocka_unit_test(proofs_are_accepted),
        cmocka_unit_test(goals_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
