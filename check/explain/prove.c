/* Proofs for the certifier, from its own clauses: by unit propagation, because an aggregate has no
 * result left, or by the solver.
 *
 * The clauses are those that the cycles of the explanation leave, which is little compared with
 * what the search had to deal with.  Of a solver's run the proof has the clauses that it learned on
 * the way to a contradiction, as far as that rests on them.  Unit propagation finds their hints. */
#include "check/explain/prove.h"

#include "certify/violation/certify_claims.h"
#include "check/solver/propagate.h"

/* Who proves: the result gets the proofs. */
struct prover {
    struct check_result *r;
    struct propagate known; /* the clauses of the formula, as far as they have been looked at */
};

/* Clauses with hints, numbered behind those of the formula (given) and those that say that the goal
 * is false, which need no hint (up to first). */
struct step_log {
    uint32_t given, first;
    sat_lits lits, ends, hints, hint_ends;
    uint32_t *unit; /* per variable: the step that says what it is; or PROPAGATE_NONE */
    size_t units;   /* so many of what is known have one */
};

static void log_free(struct step_log *log)
{
    vec_free(&log->lits);
    vec_free(&log->ends);
    vec_free(&log->hints);
    vec_free(&log->hint_ends);
    mem_free(log->unit);
}

/* The hints of the step are already there. */
static uint32_t log_step(struct step_log *log, const uint32_t *lits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&log->lits, lits[i]);
    vec_push(&log->ends, (uint32_t)log->lits.len);
    vec_push(&log->hint_ends, (uint32_t)log->hints.len);
    return log->first + (uint32_t)log->ends.len - 1;
}

static uint32_t start_of(const sat_lits *ends, size_t i)
{
    return i ? ends->data[i - 1] : 0;
}

/* --- writing proofs down ---------------------------------------------------------------------- */

static void put_literal(struct check_result *r, const struct formula *f, uint32_t lit)
{
    vec_push(&r->literals, ((struct check_literal){f->facts.data[lit / 2], lit & 1}));
}

/* Per step, whether the last one rests on it. */
static uint8_t *find_needed(const struct step_log *log)
{
    uint8_t *needed = mem_calloc(log->ends.len + 1, 1);
    needed[log->ends.len - 1] = 1;
    for (size_t i = log->ends.len; i-- > 0;)
        for (uint32_t k = start_of(&log->hint_ends, i); k < log->hint_ends.data[i] && needed[i];
             k++)
            if (log->hints.data[k] >= log->first)
                needed[log->hints.data[k] - log->first] = 1;
    return needed;
}

/* The steps that the last one, which is empty, rests on. */
static void write_steps(struct check_result *r, const struct formula *f, const struct step_log *log,
                        enum check_scope scope)
{
    uint8_t *needed = find_needed(log);
    uint32_t *number = mem_alloc(mem_mul(log->ends.len, sizeof *number));
    struct check_proof proof = {(uint32_t)r->clauses.len, 0, scope};
    for (size_t i = 0; i < log->ends.len; i++) {
        struct check_clause c = {.start = (uint32_t)r->literals.len,
                                 .hints = (uint32_t)r->hints.len,
                                 .aggregate = HIST_NONE};
        if (!needed[i])
            continue;
        number[i] = log->given + proof.len++;
        for (uint32_t k = start_of(&log->ends, i); k < log->ends.data[i]; k++)
            put_literal(r, f, log->lits.data[k]);
        for (uint32_t k = start_of(&log->hint_ends, i); k < log->hint_ends.data[i]; k++) {
            uint32_t hint = log->hints.data[k];
            if (hint < log->given || hint >= log->first)
                vec_push(&r->hints, hint < log->given ? hint : number[hint - log->first]);
        }
        c.len = (uint32_t)r->literals.len - c.start;
        c.hint_count = (uint32_t)r->hints.len - c.hints;
        vec_push(&r->clauses, c);
    }
    vec_push(&r->proofs, proof);
    mem_free(number);
    mem_free(needed);
}

/* A proof of the goal alone. */
static void write_hints(struct check_result *r, const sat_lits *hints, uint32_t aggregate)
{
    struct check_clause c = {.start = (uint32_t)r->literals.len,
                             .hints = (uint32_t)r->hints.len,
                             .hint_count = (uint32_t)hints->len,
                             .aggregate = aggregate};
    struct check_proof proof = {(uint32_t)r->clauses.len, 1, CHECK_SCOPE_PLAIN};
    for (size_t i = 0; i < hints->len; i++)
        vec_push(&r->hints, hints->data[i]);
    vec_push(&r->clauses, c);
    vec_push(&r->proofs, proof);
}

/* --- by unit propagation ---------------------------------------------------------------------- */

static void catch_up(struct propagate *p, const struct formula *f)
{
    while (p->reason.len < f->facts.len)
        propagate_new_var(p);
    while (propagate_count(p) < f->clauses.ends.len) {
        uint32_t n;
        const uint32_t *lits = clauses_get(&f->clauses, propagate_count(p), &n);
        propagate_add(p, lits, n);
    }
}

/* What is known of the reads of a transaction, and of itself. */
static void find_hints_for(struct propagate *p, struct judge *j, uint32_t txn, sat_lits *hints)
{
    sat_lits vars = {0};
    vec_clear(hints);
    for (size_t i = 0; i < p->trail.len; i++) {
        const struct check_fact *f = &j->formula.facts.data[p->trail.data[i] / 2];
        if ((f->kind == CHECK_FACT_SAW && j->f.op_txn[f->a] == txn) ||
            (f->kind == CHECK_FACT_HAPPENED && f->a == txn))
            vec_push(&vars, p->trail.data[i] / 2);
    }
    propagate_hints_for(p, vars.data, vars.len, NULL, hints);
    vec_free(&vars);
}

/* An aggregate of the transaction that cannot be had, for all that is known; or HIST_NONE. */
static uint32_t find_exhausted(struct propagate *p, struct judge *j, uint32_t txn, sat_lits *hints)
{
    const struct history *h = j->f.h;
    uint32_t q = hist_first_predicate(h, txn), found = HIST_NONE;
    if (q >= h->predicates.len || h->predicates.data[q].txn != txn)
        return HIST_NONE;
    find_hints_for(p, j, txn, hints);
    clauses_follow(&j->formula.clauses, j->path.data, j->path.len, hints->data, hints->len);
    for (; q < h->predicates.len && h->predicates.data[q].txn == txn && found == HIST_NONE; q++)
        if (results_none_left(j, q))
            found = q;
    clauses_retract(&j->formula.clauses);
    return found;
}

/* Some aggregate that has to do with what has been supposed has no result left. */
static bool prove_by_results(struct prover *x, struct judge *j)
{
    struct propagate *p = &x->known;
    sat_lits hints = {0};
    uint32_t found = HIST_NONE;
    uint8_t *asked = mem_calloc(j->f.h->txns.len + 1, 1);
    for (size_t i = p->trail.len; i-- > 0 && found == HIST_NONE && j->aggregates.any;) {
        const struct check_fact *f = &j->formula.facts.data[p->trail.data[i] / 2];
        uint32_t txn = f->kind == CHECK_FACT_SAW ? j->f.op_txn[f->a] : HIST_NONE;
        if (txn == HIST_NONE || asked[txn])
            continue;
        asked[txn] = 1;
        found = find_exhausted(p, j, txn, &hints);
    }
    if (found != HIST_NONE)
        write_hints(x->r, &hints, found);
    mem_free(asked);
    vec_free(&hints);
    return found != HIST_NONE;
}

static bool prove_simply(struct prover *x, struct judge *j, const struct formula *f,
                         const clause_lits *goal)
{
    sat_lits hints = {0};
    catch_up(&x->known, f);
    bool proved = propagate_suppose_false(&x->known, goal->data, goal->len);
    if (proved) {
        propagate_hints(&x->known, NULL, &hints);
        write_hints(x->r, &hints, HIST_NONE);
    } else if (j) {
        proved = prove_by_results(x, j);
    }
    propagate_retract(&x->known);
    vec_free(&hints);
    return proved;
}

/* --- by the solver ---------------------------------------------------------------------------- */

/* Clauses that lead to a contradiction, each by unit propagation.  False: there are none. */
static bool solve(const struct formula *f, const clause_lits *goal, sat_lits *lits, sat_lits *ends)
{
    struct sat *s = sat_new(1, true);
    for (size_t v = 0; v < f->facts.len; v++)
        sat_new_var(s, false);
    for (uint32_t i = 0; i < f->clauses.ends.len; i++) {
        uint32_t n;
        const uint32_t *clause = clauses_get(&f->clauses, i, &n);
        sat_add_clause(s, clause, n);
    }
    for (size_t i = 0; i < goal->len; i++)
        sat_add_clause(s, (uint32_t[]){sat_neg(goal->data[i])}, 1);
    bool no = sat_solve(s) == SAT_NO;
    if (no)
        sat_proof(s, lits, ends);
    sat_free(s);
    return no;
}

/* Steps for all literals that have become known, so that their reasons need not be repeated. */
static void log_units(struct propagate *p, struct step_log *log)
{
    propagate_suppose_false(p, NULL, 0);
    propagate_retract(p);
    for (; log->units < p->trail.len; log->units++) {
        uint32_t lit = p->trail.data[log->units], v = lit / 2, reason = p->reason.data[v];
        if (propagate_size(p, reason) == 1) {
            log->unit[v] = reason;
            continue;
        }
        propagate_hints_for(p, &v, 1, log->unit, &log->hints);
        propagate_add(p, &lit, 1);
        log->unit[v] = log_step(log, &lit, 1);
    }
}

/* Hints for the clauses, and the empty one as the last.  False: something does not follow. */
static bool log_clauses(struct propagate *p, const sat_lits *lits, const sat_lits *ends,
                        struct step_log *log)
{
    log_units(p, log);
    for (size_t i = 0; i < ends->len && !p->contradiction; i++) {
        const uint32_t *clause = lits->data + start_of(ends, i);
        size_t n = ends->data[i] - start_of(ends, i);
        if (!propagate_suppose_false(p, clause, n))
            return false;
        propagate_hints(p, log->unit, &log->hints);
        propagate_retract(p);
        log_step(log, clause, n);
        propagate_add(p, clause, n);
        log_units(p, log);
    }
    if (!p->contradiction)
        return false;
    propagate_hints(p, log->unit, &log->hints);
    log_step(log, NULL, 0);
    return true;
}

static bool prove_by_solver(struct prover *x, const struct formula *f, const clause_lits *goal,
                            enum check_scope scope)
{
    sat_lits lits = {0}, ends = {0};
    struct propagate p;
    propagate_init(&p);
    catch_up(&p, f);
    struct step_log log = {.given = propagate_count(&p)};
    for (size_t i = 0; i < goal->len; i++)
        propagate_add(&p, (uint32_t[]){sat_neg(goal->data[i])}, 1);
    log.first = propagate_count(&p);
    log.unit = mem_alloc(mem_mul(f->facts.len + 1, sizeof *log.unit));
    for (size_t v = 0; v < f->facts.len; v++)
        log.unit[v] = PROPAGATE_NONE;
    bool proved = solve(f, goal, &lits, &ends) && log_clauses(&p, &lits, &ends, &log);
    if (proved)
        write_steps(x->r, f, &log, scope);
    log_free(&log);
    propagate_free(&p);
    vec_free(&lits);
    vec_free(&ends);
    return proved;
}

/* --- all together ----------------------------------------------------------------------------- */

static void prove(void *self, struct judge *j, struct formula *f, const clause_lits *goal)
{
    struct prover *x = self;
    if (prove_simply(x, j, f, goal))
        return;
    if (!j) {
        prove_by_solver(x, f, goal, CHECK_SCOPE_PLAIN);
        return;
    }
    enum check_scope most = j->unknown ? CHECK_SCOPE_WIDE : CHECK_SCOPE_EXTENDED;
    for (enum check_scope scope = CHECK_SCOPE_EXTENDED; scope <= most; scope++)
        if (judge_extend(j, scope) || prove_by_solver(x, f, goal, scope))
            return;
}

void prove_clause(struct formula *f, const clause_lits *goal, struct check_result *r)
{
    struct prover x = {.r = r};
    propagate_init(&x.known);
    prove(&x, NULL, f, goal);
    propagate_free(&x.known);
}

const char *prove_violation(const struct history *h, const struct certify_question *o,
                            struct check_result *r, struct arena *messages)
{
    struct prover x = {.r = r};
    const struct certify_prover prover = {&x, prove};
    propagate_init(&x.known);
    const char *error = certify_prove(h, o, r, &prover, messages);
    propagate_free(&x.known);
    /* What is written down must be enough without the solver. */
    return error || !r->literals.len ? error : certify_violation(h, o, r, messages);
}
