/* Aggregates over rows of which it is not known which version was seen: against all combinations of
 * versions, one by one.  Random histories of a few writers and one reader of an aggregate; the
 * yes or no, the diagram over the candidates and the clauses must all say what adding up says.
 *
 * VISAR_FUZZ=N runs N histories instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/problem/aggregate.h"
#include "check/solver/sat.h"
#include "history/lower/lower.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

enum { MOST_READS = 16, MOST_LITS = 64 };

/* --- one problem ------------------------------------------------------------------------------ */

struct setting {
    struct history *h;
    struct lowered lowered;
    struct arena messages;
    struct check_result r;
    struct prob p;
    bool matched;
    uint32_t src[MOST_READS]; /* per read: the version of the combination at hand */
};

static void read_aggregate(struct history *h, enum hist_predicate_kind kind, int64_t least,
                           struct hist_value result)
{
    hist_predicate_read(h, kind);
    hist_condition_int(h, "value", 5, HIST_GE, least);
    hist_aggregate(h, "value", kind == HIST_COUNT ? 0 : 5, result);
}

static void begin(struct setting *s, struct history *h)
{
    struct lower_options d = lower_view_options(LOWER_STRONG, true);
    struct check_options o = check_defaults();
    *s = (struct setting){.h = h};
    assert_null(hist_finish(h));
    lower_history(h, &d, &s->messages, &s->lowered);
    s->r = (struct check_result){.level = o.level, .reason = "", .cycle = HIST_NONE};
    s->matched = s->lowered.history && match_build(s->lowered.history, &o, &s->p, &s->r);
}

static void end(struct setting *s)
{
    if (s->matched)
        match_free(&s->p);
    check_result_free(&s->r);
    hist_free(s->lowered.history);
    mem_free(s->lowered.spans);
    arena_free(&s->messages);
    hist_free(s->h);
}

/* --- adding up -------------------------------------------------------------------------------- */

struct total {
    int64_t sum, least, greatest, count;
};

static void add(struct total *t, const struct prob *p, const struct aggregate *a,
                struct hist_value v)
{
    const struct hist_predicate *q = &p->h->predicates.data[a->predicate];
    int64_t at_least = p->h->conditions.data[q->conditions].value;
    if (v.null || v.value < at_least)
        return;
    t->least = !t->count || v.value < t->least ? v.value : t->least;
    t->greatest = !t->count || v.value > t->greatest ? v.value : t->greatest;
    t->sum += v.value;
    t->count++;
}

/* Is the result what the combination of versions and the transaction's own writes give? */
static bool adds_up(const struct setting *s, const struct aggregate *a)
{
    const struct prob *p = &s->p;
    const struct history *h = p->h;
    const struct hist_predicate *q = &h->predicates.data[a->predicate];
    struct total t = {0};
    for (uint32_t i = a->start; i < a->start + a->rows; i++) {
        uint32_t op = p->ver_op[s->src[p->aggregate_rows.data[i].read]];
        add(&t, p, a, op == HIST_NONE ? hist_int(0) : hist_op_value(&h->ops.data[op]));
    }
    const struct hist_txn *x = &h->txns.data[q->txn];
    for (uint32_t i = x->first_op; i < q->first_op; i++) {
        bool last = h->ops.data[i].kind == HIST_WRITE;
        for (uint32_t k = i + 1; k < q->first_op; k++)
            last &= h->ops.data[k].kind != HIST_WRITE || h->ops.data[k].key != h->ops.data[i].key;
        if (last)
            add(&t, p, a, hist_op_value(&h->ops.data[i]));
    }
    if (q->kind == HIST_COUNT)
        return !q->result.null && q->result.value == t.count;
    if (!t.count || q->result.null)
        return !t.count && q->result.null;
    return q->result.value == (q->kind == HIST_SUM   ? t.sum
                               : q->kind == HIST_MIN ? t.least
                                                     : t.greatest);
}

/* --- all combinations ------------------------------------------------------------------------- */

static uint32_t candidates(const struct prob *p, uint32_t read, const uint32_t **first)
{
    uint32_t v = p->rd_ver[read];
    *first =
        v & PROB_CHOICE ? p->cand.data + p->choices.data[v & ~PROB_CHOICE].start : &p->rd_ver[read];
    return v & PROB_CHOICE ? p->choices.data[v & ~PROB_CHOICE].len : 1;
}

/* The first combination, the next one; false: that was the last. */
static void first_combination(struct setting *s)
{
    const uint32_t *v;
    assert_true(s->p.rd_start[s->p.n] <= MOST_READS);
    for (uint32_t r = 0; r < s->p.rd_start[s->p.n]; r++) {
        candidates(&s->p, r, &v);
        s->src[r] = v[0];
    }
}

static bool next_combination(struct setting *s)
{
    for (uint32_t r = 0; r < s->p.rd_start[s->p.n]; r++) {
        const uint32_t *v;
        uint32_t n = candidates(&s->p, r, &v), i = 0;
        while (v[i] != s->src[r])
            i++;
        if (i + 1 < n) {
            s->src[r] = v[i + 1];
            return true;
        }
        s->src[r] = v[0];
    }
    return false;
}

/* --- three ways to say it --------------------------------------------------------------------- */

static bool is_chosen(void *arg, uint32_t read, uint32_t version)
{
    const struct setting *s = arg;
    return s->src[read] == version;
}

static bool diagram_says(struct setting *s, const struct aggregate *a)
{
    struct diagram d;
    enum diagram_answer answer = aggregate_diagram(&s->p, a, is_chosen, s, &d);
    diagram_free(&d);
    assert_true(answer != DIAGRAM_TOO_MANY);
    return answer == DIAGRAM_FINE;
}

struct clauses {
    struct sat *sat;
    struct {
        uint32_t read, version, lit;
    } lits[MOST_LITS];
    uint32_t n;
};

static uint32_t new_var(void *arg)
{
    struct clauses *c = arg;
    return sat_new_var(c->sat, false);
}

static void add_clause(void *arg, const uint32_t *lits, size_t n)
{
    struct clauses *c = arg;
    sat_add_clause(c->sat, lits, n);
}

static uint32_t literal(void *arg, uint32_t read, uint32_t version)
{
    struct clauses *c = arg;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->lits[i].read == read && c->lits[i].version == version)
            return c->lits[i].lit;
    assert_true(c->n < MOST_LITS);
    c->lits[c->n].read = read;
    c->lits[c->n].version = version;
    return c->lits[c->n++].lit = 2 * sat_new_var(c->sat, false);
}

/* The clauses, with the combination as units; happened: whether the transaction did, if asked. */
static bool clauses_say(struct setting *s, const struct aggregate *a, const bool *happened)
{
    struct clauses c = {.sat = sat_new(1, false)};
    struct aggregate_sink to = {&c, new_var, add_clause, literal};
    uint32_t lit = happened ? 2 * sat_new_var(c.sat, false) : HIST_NONE;
    assert_true(aggregate_encode(&s->p, a, lit, &to));
    if (happened) {
        uint32_t unit = *happened ? lit : sat_neg(lit);
        sat_add_clause(c.sat, &unit, 1);
    }
    for (uint32_t i = 0; i < c.n; i++) {
        bool chosen = s->src[c.lits[i].read] == c.lits[i].version;
        uint32_t unit = chosen ? c.lits[i].lit : sat_neg(c.lits[i].lit);
        sat_add_clause(c.sat, &unit, 1);
    }
    bool possible = sat_solve(c.sat) == SAT_YES;
    sat_free(c.sat);
    return possible;
}

/* Versions of rows that no combination has must not be allowed, and the others must. */
static void check_allowed(struct setting *s, const struct aggregate *a)
{
    struct prob *p = &s->p;
    struct diagram d;
    enum diagram_answer answer = aggregate_diagram(p, a, NULL, NULL, &d);
    for (uint32_t i = 0; i < a->rows; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[a->start + i];
        const uint32_t *v;
        uint32_t n = candidates(p, row->read, &v);
        for (uint32_t k = 0; k < n; k++) {
            bool found = false;
            first_combination(s);
            do
                found |= s->src[row->read] == v[k] && adds_up(s, a);
            while (next_combination(s));
            assert_int_equal(answer == DIAGRAM_FINE && aggregate_allows(p, row, &d, i, v[k], false),
                             found);
        }
    }
    diagram_free(&d);
}

static void check_problem(struct setting *s, long *yes, long *no)
{
    struct prob *p = &s->p;
    for (size_t i = 0; i < p->aggregates.len; i++) {
        const struct aggregate *a = &p->aggregates.data[i];
        first_combination(s);
        do {
            uint32_t current[26];
            bool expected = adds_up(s, a), happened[] = {false, true};
            assert_true(p->keys <= 26);
            for (uint32_t r = p->rd_start[aggregate_txn(p, a)];
                 r < p->rd_start[aggregate_txn(p, a) + 1]; r++)
                current[p->rd_key[r]] = s->src[r];
            assert_int_equal(aggregate_holds(p, a, s->src), expected);
            assert_int_equal(aggregate_holds_now(p, a, current), expected);
            assert_int_equal(diagram_says(s, a), expected);
            assert_int_equal(clauses_say(s, a, NULL), expected);
            assert_int_equal(clauses_say(s, a, &happened[1]), expected);
            assert_true(clauses_say(s, a, &happened[0]));
            *(expected ? yes : no) += 1;
        } while (next_combination(s));
        check_allowed(s, a);
    }
}

/* --- the tests -------------------------------------------------------------------------------- */

static struct history *random_history(struct orc_rng *rng)
{
    static const enum hist_predicate_kind kinds[] = {HIST_COUNT, HIST_SUM, HIST_MIN, HIST_MAX};
    struct history *h = small_builder("");
    uint32_t key[3];
    for (int k = 0; k < 3; k++)
        key[k] = hist_key_str(h, &"xyz"[k], 1);
    for (int t = 0; t < 3; t++) {
        hist_begin_txn(h, hist_add_session(h, NULL));
        for (int k = 0; k < 3; k++)
            if (orc_percent(rng, 50))
                hist_write(h, key[k], hist_int(orc_below(rng, 7) - 2));
        hist_end_txn(h, HIST_COMMITTED);
    }
    hist_begin_txn(h, hist_add_session(h, NULL));
    if (orc_percent(rng, 40))
        hist_write(h, key[orc_below(rng, 3)], hist_int(orc_below(rng, 5)));
    enum hist_predicate_kind kind = kinds[orc_below(rng, 4)];
    struct hist_value result =
        kind != HIST_COUNT && orc_percent(rng, 15) ? hist_null() : hist_int(orc_below(rng, 6));
    read_aggregate(h, kind, orc_below(rng, 3) - 1, result);
    hist_end_txn(h, HIST_COMMITTED);
    return h;
}

static void test_against_all_combinations(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 71));
    long rounds = oracle_setting("VISAR_FUZZ", 1500), yes = 0, no = 0, refused = 0;
    for (long i = 0; i < rounds; i++) {
        struct setting s;
        begin(&s, random_history(&rng));
        assert_true(s.matched || s.lowered.violation);
        if (s.matched)
            check_problem(&s, &yes, &no);
        refused += !s.matched;
        end(&s);
    }
    assert_true(yes > rounds / 2 && no > rounds / 2 && refused > rounds / 50);
}

/* Three versions of x beside the initial one; 7 is the sum of two of x and y. */
static void test_sum(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx3  B: wx5  C: wy2 wy4");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_aggregate(h, HIST_SUM, 1, hist_int(7));
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h);
    assert_true(s.matched);
    assert_int_equal(s.p.aggregates.len, 1);
    assert_int_equal(s.p.aggregates.data[0].rows, 2);
    uint32_t held = 0;
    first_combination(&s);
    do
        held += aggregate_holds(&s.p, &s.p.aggregates.data[0], s.src);
    while (next_combination(&s));
    assert_int_equal(held, 1); /* 3 + 4: the 2 was overwritten by its own transaction */
    end(&s);
}

/* A row that the transaction wrote itself is no choice. */
static void test_own_rows(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx3  B: wx5");
    hist_begin_txn(h, hist_add_session(h, NULL));
    hist_write(h, hist_key_str(h, "y", 1), hist_int(9));
    read_aggregate(h, HIST_MAX, 1, hist_int(9));
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h);
    assert_true(s.matched);
    const struct aggregate *a = &s.p.aggregates.data[0];
    assert_int_equal(a->rows, 1);
    assert_int_equal(a->own.count, 1);
    assert_int_equal(a->own.greatest, 9);
    first_combination(&s);
    do
        assert_true(aggregate_holds(&s.p, a, s.src));
    while (next_combination(&s));
    end(&s);
}

/* Two aggregates of one transaction see the same versions: each alone is possible here. */
static void test_two_aggregates(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx3  B: wx5");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_aggregate(h, HIST_SUM, 1, hist_int(3));
    read_aggregate(h, HIST_MAX, 1, hist_int(5));
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h);
    assert_true(s.matched);
    assert_int_equal(s.p.aggregates.len, 2);
    const struct aggregate *a = s.p.aggregates.data;
    assert_int_equal(s.p.aggregate_rows.data[a[0].start].read,
                     s.p.aggregate_rows.data[a[1].start].read);
    uint32_t held[2] = {0, 0}, both = 0;
    first_combination(&s);
    do {
        bool first = aggregate_holds(&s.p, &a[0], s.src);
        bool second = aggregate_holds(&s.p, &a[1], s.src);
        held[0] += first;
        held[1] += second;
        both += first && second;
    } while (next_combination(&s));
    assert_true(held[0] == 1 && held[1] == 1 && both == 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_own_rows),
        cmocka_unit_test(test_two_aggregates),
        cmocka_unit_test(test_against_all_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
