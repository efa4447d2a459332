/* The proof rule with inferred relies (docs/semantics.md, "Unbounded question").
 *
 * Houdini (Flanagan and Leino 2001): start from all invariants that hold initially and all
 * candidate relies, drop whatever some step breaks while all that is left is assumed, repeat until
 * nothing is dropped.  What remains is inductive together.  Everything is then proved once more,
 * one fact at a time, to learn what each proof rests on.
 *
 * Relies.  rely(A, B) is about visible sets X ⊆ Y with states A and B.  By induction on the
 * ar-largest transaction T of the two: if T is in neither, nothing is to show; if only in Y, then Y
 * without T is such a set, and the step from it to Y is what proof_step checks (facts are
 * transitive); if T is in both, its writes are on top in both states, so the cells that it writes
 * are equal and the others are as without T: a reflexive fact about single cells survives.  (That
 * is why adding a transaction *below* others, as CC and PSI may, needs no check of its own here:
 * restricted to any subset of its rows, a step that keeps a fact cell by cell still keeps it.)
 * Under RA a snapshot need not be contained in the set that its transaction joins: no relies.
 *
 * First without relies: most programs need none.  What is proved then stays proved, however the
 * second attempt ends: it has many more facts to drop, and its time may run out. */
#include "encode/proof/proof.h"

#include <string.h>

#include "base/limit.h"
#include "encode/proof/minimal.h"
#include "encode/proof/relies.h"
#include "encode/result/loops.h"
#include "encode/z3/z3ctx.h"

struct proof {
    const struct proof_question *q;
    struct sx_program *sx;
    const struct properties *props;
    struct proof_setting setting;
    proof_relies relies;
    proof_candidates candidates;
    struct proof_step **steps; /* by TRANSACTION */
    struct proof_facts kept;
    bool *base;   /* by invariant: it holds initially */
    bool *broken; /* by property: a step breaks it */
    struct proof_result *results;
    struct arena *arena;
    bool *never_run;
    bool bounds_hit; /* a loop may go on: nothing is proved */
    loop_list loops; /* … which */
    bool undecided;  /* the solver gave up on whether a loop may go on, or anything runs */
};

static struct proof_facts new_facts(size_t n_inv, size_t n_rely)
{
    return (struct proof_facts){mem_calloc(n_inv + 1, sizeof(bool)),
                                mem_calloc(n_rely + 1, sizeof(bool)), n_inv, n_rely};
}

static void free_facts(struct proof_facts *f)
{
    mem_free(f->inv);
    mem_free(f->rely);
}

/* PROPERTY_NONE: it was proposed, nobody wrote it. */
static uint32_t invariant_property(const struct proof *p, size_t i)
{
    if (i >= p->sx->n_invariants)
        return PROPERTY_NONE;
    return properties_of_predicate(p->props, p->sx->invariants[i]->func);
}

/* ---- Houdini ------------------------------------------------------------------------------- */

static void drop(struct proof *p, const struct proof_facts *broken)
{
    for (size_t i = 0; i < broken->n_inv; i++)
        if (broken->inv[i]) {
            p->kept.inv[i] = false;
            if (i >= p->sx->n_invariants)
                continue;
            struct proof_result *r = &p->results[invariant_property(p, i)];
            p->broken[invariant_property(p, i)] = true;
            r->why = "the proof rule fails: a step of induction breaks it";
        }
    for (size_t k = 0; k < broken->n_rely; k++)
        if (broken->rely[k])
            p->kept.rely[k] = false;
}

static const char *too_hard(const struct proof *p)
{
    for (uint32_t t = 0; p->steps && t < p->sx->n_txns; t++)
        if (proof_step_limit(p->steps[t]))
            return arena_printf(p->arena, "the proof rule fails: %s",
                                proof_step_limit(p->steps[t]));
    return limit_reached()               ? limit_text()
           : z3ctx_pool_late(p->q->pool) ? "the proof rule used up its share of the time"
                                         : "the proof rule fails: a step of induction is too hard";
}

/* The loop that the step cannot deal with is the best reason. */
static void name_loop(struct proof *p, struct proof_result *r, struct proof_step *s, uint32_t i)
{
    const char *loop = proof_step_loop(s, i, p->arena);
    if (loop)
        r->why = arena_printf(p->arena, "the proof rule fails: %s", loop);
}

/* The solver gave up on all together: one at a time, and what is not proved is dropped. */
static void drop_unproved(struct proof *p, struct proof_step *s)
{
    struct proof_facts one = new_facts(p->kept.n_inv, p->kept.n_rely);
    struct proof_facts broken = new_facts(p->kept.n_inv, p->kept.n_rely);
    for (size_t i = 0; i < p->kept.n_inv + p->kept.n_rely; i++) {
        bool *fact = i < p->kept.n_inv ? &p->kept.inv[i] : &p->kept.rely[i - p->kept.n_inv];
        bool *ask = i < p->kept.n_inv ? &one.inv[i] : &one.rely[i - p->kept.n_inv];
        if (!*fact)
            continue;
        *ask = true;
        if (limit_reached() || proof_step_breaks(s, &p->kept, &one, &broken) != PROOF_NO) {
            *fact = false;
            if (i >= p->sx->n_invariants)
                continue;
            p->results[invariant_property(p, i)].why = too_hard(p);
            name_loop(p, &p->results[invariant_property(p, i)], s, (uint32_t)i);
        }
        *ask = false;
    }
    free_facts(&one);
    free_facts(&broken);
}

/* True if the step broke something. */
static bool weed(struct proof *p, struct proof_step *s)
{
    struct proof_facts broken = new_facts(p->kept.n_inv, p->kept.n_rely);
    bool changed = false;
    for (;;) {
        enum proof_answer a = proof_step_breaks(s, &p->kept, &p->kept, &broken);
        if (a == PROOF_NO)
            break;
        changed = true;
        if (a == PROOF_UNKNOWN) {
            drop_unproved(p, s);
            break;
        }
        drop(p, &broken);
    }
    free_facts(&broken);
    return changed;
}

static void houdini(struct proof *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < p->sx->n_txns; t++)
            changed |= weed(p, p->steps[t]);
    }
}

/* ---- candidates ---------------------------------------------------------------------------- */

static void use_settings(struct proof *p, int effort)
{
    p->setting = (struct proof_setting){.sx = p->sx,
                                        .model = p->q->model,
                                        .relies = p->relies.data,
                                        .n_relies = p->relies.len,
                                        .candidates = p->candidates.data,
                                        .n_candidates = p->candidates.len,
                                        .effort = effort,
                                        .pool = p->q->pool};
}

/* ---- the initial state --------------------------------------------------------------------- */

/* Which invariants hold initially?  From every state that satisfies those of the program, these do
 * by definition. */
static void find_base(struct proof *p)
{
    size_t n = p->sx->n_invariants + p->candidates.len;
    struct proof_facts none = new_facts(n, 0), one = new_facts(n, 0), broken = new_facts(n, 0);
    struct proof_step *s = NULL;
    p->base = arena_array(p->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool mine = i < p->sx->n_invariants;
        if (p->q->start == PROOF_FROM_INVARIANTS) {
            p->base[i] = mine;
            continue;
        }
        if (!s)
            s = proof_step_initial(&p->setting);
        one.inv[i] = true;
        p->base[i] = proof_step_breaks(s, &none, &one, &broken) == PROOF_NO ||
                     (mine && p->q->holds_initially &&
                      p->q->holds_initially(p->q->initially_arg, (uint32_t)i));
        one.inv[i] = false;
    }
    proof_step_free(s);
    free_facts(&none);
    free_facts(&one);
    free_facts(&broken);
}

static void propose(struct proof *p)
{
    p->kept = new_facts(p->sx->n_invariants + p->candidates.len, p->relies.len);
    for (size_t i = 0; i < p->kept.n_inv; i++) {
        p->kept.inv[i] = p->base[i];
        if (i < p->sx->n_invariants)
            p->results[invariant_property(p, i)].why =
                p->base[i] ? NULL
                           : "the proof rule fails: it does not see that the initial state "
                             "satisfies it";
    }
    memset(p->kept.rely, true, p->relies.len);
}

static void make_steps(struct proof *p)
{
    p->steps = mem_calloc(p->sx->n_txns + 1, sizeof *p->steps);
    for (uint32_t i = 0; i < p->sx->n_txns; i++)
        p->steps[i] = proof_step_new(&p->setting, p->sx->txns[i]);
}

static void free_steps(struct proof *p)
{
    for (uint32_t i = 0; i < p->sx->n_txns; i++)
        proof_step_free(p->steps[i]);
    mem_free(p->steps);
    p->steps = NULL;
}

/* ---- results ------------------------------------------------------------------------------- */

/* What the invariants used use in turn belongs to the proof, too. */
static void close_over(struct proof *p, struct proof_facts *used, struct proof_facts *uses)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < used->n_inv; i++)
            for (size_t k = 0; used->inv[i] && k < used->n_inv + used->n_rely; k++) {
                bool *to = k < used->n_inv ? &used->inv[k] : &used->rely[k - used->n_inv];
                bool from = k < used->n_inv ? uses[i].inv[k] : uses[i].rely[k - used->n_inv];
                again |= from && !*to;
                *to |= from;
            }
    }
    (void)p;
}

static void report(struct proof *p, uint32_t property, const struct proof_facts *used)
{
    struct proof_result *r = &p->results[property];
    uint32_t *list = arena_array(p->arena, uint32_t, used->n_inv + 1);
    struct verify_rely *relies = arena_array(p->arena, struct verify_rely, used->n_rely + 1);
    const char **found = arena_array(p->arena, const char *, p->candidates.len + 1);
    for (size_t i = 0; i < used->n_inv; i++)
        if (used->inv[i] && i >= p->sx->n_invariants)
            found[r->n_found++] =
                proof_candidate_text(p->sx, &p->candidates.data[i - p->sx->n_invariants], p->arena);
        else if (used->inv[i] && invariant_property(p, i) != property)
            list[r->n_used++] = invariant_property(p, i);
    for (size_t k = 0; k < used->n_rely; k++)
        if (used->rely[k])
            relies[r->n_relies++] = p->relies.data[k];
    r->proved = true;
    r->used = list;
    r->relies = relies;
    r->found = found;
    p->q->news(p->q->news_arg, property, r);
}

/* What the proof of invariant i, which is kept, rests on.  That all kept facts are inductive
 * together is known: if the solver gives up on this one alone, it rests on all of them.  False: not
 * confirmed. */
static bool prove_again(struct proof *p, size_t i, struct proof_facts *uses)
{
    struct proof_facts one = new_facts(p->kept.n_inv, p->kept.n_rely);
    struct proof_facts broken = new_facts(p->kept.n_inv, p->kept.n_rely);
    enum proof_answer a = PROOF_NO;
    one.inv[i] = true;
    for (uint32_t t = 0; a == PROOF_NO && t < p->sx->n_txns; t++) {
        a = proof_step_breaks(p->steps[t], &p->kept, &one, &broken);
        if (a == PROOF_NO)
            proof_step_used(p->steps[t], &p->kept, uses);
    }
    if (a == PROOF_UNKNOWN) {
        memcpy(uses->inv, p->kept.inv, uses->n_inv * sizeof *uses->inv);
        memcpy(uses->rely, p->kept.rely, uses->n_rely * sizeof *uses->rely);
    }
    free_facts(&one);
    free_facts(&broken);
    return a != PROOF_YES;
}

static size_t invariant_of(const struct proof *p, uint32_t property)
{
    size_t i = 0;
    while (invariant_property(p, i) != property)
        i++;
    return i;
}

/* What an earlier attempt used. */
static void used_before(const struct proof *p, const struct proof_result *r,
                        struct proof_facts *uses)
{
    for (size_t k = 0; k < r->n_used; k++)
        uses->inv[invariant_of(p, r->used[k])] = true;
    for (size_t i = 0; i < r->n_relies; i++)
        for (size_t k = 0; k < p->relies.len; k++)
            uses->rely[k] |= !memcmp(&p->relies.data[k], &r->relies[i], sizeof r->relies[i]);
}

/* uses: by invariant, what its own proof rests on.  False: not confirmed. */
static bool prove_all_again(struct proof *p, struct proof_facts *uses)
{
    bool fine = true;
    for (size_t i = p->sx->n_invariants; i < p->kept.n_inv && fine; i++)
        if (p->kept.inv[i])
            fine = prove_again(p, i, &uses[i]);
    for (size_t i = 0; i < p->sx->n_invariants && fine; i++) {
        const struct proof_result *r = &p->results[invariant_property(p, i)];
        if (r->proved)
            used_before(p, r, &uses[i]);
        if (!r->proved && p->kept.inv[i])
            fine = prove_again(p, i, &uses[i]);
    }
    return fine;
}

struct place {
    struct proof *p;
    uint32_t property;
};

/* The assertion or check fails on no snapshot with these facts. */
static bool never_fires(void *arg, const struct proof_facts *assume)
{
    const struct place *at = arg;
    struct proof *p = at->p;
    for (uint32_t t = 0; t < p->sx->n_txns; t++)
        if (properties_in(p->props, at->property, p->sx->txns[t]) &&
            proof_step_fires(p->steps[t], assume, p->props, at->property) != PROOF_NO)
            return false;
    return true;
}

/* Those that were found and that the proof does not need are not worth printing. */
static void report_minimal(struct proof *p, uint32_t property, struct proof_facts *used)
{
    struct place at = {p, property};
    bool is_place = p->props->v.data[property].kind > VERIFY_FINAL;
    if (p->results[property].proved)
        return; /* in an earlier attempt */
    proof_minimise(&(struct proof_minimal){.steps = p->steps,
                                           .n_steps = p->sx->n_txns,
                                           .first_found = p->sx->n_invariants,
                                           .holds = is_place ? never_fires : NULL,
                                           .arg = &at},
                   used);
    report(p, property, used);
}

/* The best over the transactions that have the assertion. */
static enum verify_reach reach_of(struct proof *p, uint32_t property, const struct sx_point **fails)
{
    enum verify_reach reach = VERIFY_UNREACHED;
    if (p->props->v.data[property].kind != VERIFY_ASSERT)
        return VERIFY_REACHED;
    for (uint32_t t = 0; t < p->sx->n_txns; t++) {
        if (!properties_in(p->props, property, p->sx->txns[t]))
            continue;
        enum verify_reach here = proof_step_reach(p->steps[t], &p->kept, p->props, property, fails);
        if (here == VERIFY_REACHED)
            return here;
        reach = here > reach ? here : reach;
    }
    return reach;
}

/* An assertion or check of transactions: on every snapshot that satisfies the invariants.  Places
 * that scenarios or INITIAL reach too are left to bounded runs. */
static void prove_place(struct proof *p, uint32_t property, struct proof_facts *uses)
{
    struct proof_result *r = &p->results[property];
    if (r->proved)
        return;
    struct proof_facts used = new_facts(p->kept.n_inv, p->kept.n_rely);
    bool occurs = false, fine = true;
    for (uint32_t t = 0; t < p->sx->n_txns && fine; t++) {
        if (!properties_in(p->props, property, p->sx->txns[t]))
            continue;
        occurs = true;
        enum proof_answer a = proof_step_fires(p->steps[t], &p->kept, p->props, property);
        fine = a == PROOF_NO;
        if (fine)
            proof_step_used(p->steps[t], &p->kept, &used);
        p->broken[property] |= a == PROOF_YES;
    }
    r->why = fine ? "the proof rule does not speak of places outside transactions"
                  : "the proof rule fails: the invariants allow a snapshot that breaks it";
    for (uint32_t i = 0; i < p->sx->n_scenarios; i++)
        fine &= !properties_in(p->props, property, p->sx->scenarios[i]);
    fine &= !properties_in(p->props, property, p->sx->initial);
    for (uint32_t i = 0; i < p->sx->n_finals; i++)
        fine &= !properties_in(p->props, property, p->sx->finals[i]);
    /* Inside an invariant: "defined" is part of what is inductive. */
    for (uint32_t i = 0; i < p->sx->n_invariants; i++)
        if (properties_in(p->props, property, p->sx->invariants[i])) {
            occurs = true;
            fine &= p->kept.inv[i];
            used.inv[i] = true;
        }
    if (occurs && fine) {
        close_over(p, &used, uses);
        report_minimal(p, property, &used);
        r->reach = reach_of(p, property, &r->fails);
    }
    free_facts(&used);
}

/* ---- what is missing ----------------------------------------------------------------------- */

/* All invariants that may be assumed of a state, proved or not.  Houdini's own steps are no good
 * explanation: when it broke one invariant, others might have been dropped already, and its states
 * then are some that these forbid. */
static struct proof_facts all_facts(const struct proof *p)
{
    struct proof_facts all = new_facts(p->kept.n_inv, p->kept.n_rely);
    memcpy(all.inv, p->base, all.n_inv * sizeof *all.inv);
    memcpy(all.rely, p->kept.rely, all.n_rely * sizeof *all.rely);
    return all;
}

static void take_needs(struct proof *p, uint32_t property, const struct proof_facts *used)
{
    struct proof_result *r = &p->results[property];
    uint32_t *list = arena_array(p->arena, uint32_t, used->n_inv + 1);
    for (size_t i = 0; i < used->n_inv; i++)
        if (i < p->sx->n_invariants && used->inv[i] && !p->kept.inv[i] &&
            invariant_property(p, i) != property)
            list[r->n_needs++] = invariant_property(p, i);
    r->needs = list;
}

/* The gap once more, with all invariants assumed: of invariant i, or with UINT32_MAX of a place in
 * transactions. */
static void explain(struct proof *p, uint32_t property, uint32_t i)
{
    struct proof_result *r = &p->results[property];
    struct proof_facts all = all_facts(p), one = new_facts(p->kept.n_inv, p->kept.n_rely);
    struct proof_facts used = new_facts(p->kept.n_inv, p->kept.n_rely);
    struct proof_facts broken = new_facts(p->kept.n_inv, p->kept.n_rely);
    enum proof_answer a = PROOF_NO;
    if (i != UINT32_MAX)
        one.inv[i] = true;
    for (uint32_t t = 0; t < p->sx->n_txns && a == PROOF_NO; t++) {
        if (i == UINT32_MAX && !properties_in(p->props, property, p->sx->txns[t]))
            continue;
        a = limit_reached()   ? PROOF_UNKNOWN
            : i != UINT32_MAX ? proof_step_breaks(p->steps[t], &all, &one, &broken)
                              : proof_step_fires(p->steps[t], &all, p->props, property);
        if (a == PROOF_YES)
            r->gap = proof_step_gap(p->steps[t], i);
        if (a != PROOF_NO && i != UINT32_MAX)
            name_loop(p, r, p->steps[t], i);
        else if (a == PROOF_NO)
            proof_step_used(p->steps[t], &all, &used);
    }
    if (a == PROOF_NO)
        take_needs(p, property, &used);
    free_facts(&all);
    free_facts(&one);
    free_facts(&used);
    free_facts(&broken);
}

static bool wants_explanation(const struct proof *p, uint32_t property)
{
    return p->broken[property] && !p->results[property].proved;
}

static void explain_all(struct proof *p)
{
    for (uint32_t k = 0; k < p->props->v.len; k++)
        if (wants_explanation(p, k) && p->props->v.data[k].kind > VERIFY_FINAL)
            explain(p, k, UINT32_MAX);
    for (uint32_t i = 0; i < p->sx->n_invariants; i++)
        if (wants_explanation(p, invariant_property(p, i)))
            explain(p, invariant_property(p, i), i);
}

static void find_bounds(struct proof *p)
{
    p->bounds_hit = p->undecided = false;
    vec_clear(&p->loops);
    for (uint32_t t = 0; t < p->sx->n_txns; t++) {
        enum proof_answer a = proof_step_fires(p->steps[t], &p->kept, p->props, PROPERTY_NONE);
        p->undecided |= a == PROOF_UNKNOWN;
        p->bounds_hit |= a == PROOF_YES;
        if (a == PROOF_YES)
            loops_add(&p->loops, p->sx->txns[t]->points, p->sx->txns[t]->n_points);
    }
}

/* A proof about transactions that cannot run, or from invariants that contradict each other, says
 * nothing: leave it to a bounded run to call it vacuous. */
static bool something_runs(struct proof *p)
{
    bool runs = false, undecided = false;
    for (uint32_t t = 0; t < p->sx->n_txns; t++) {
        enum proof_answer a = proof_step_exists(p->steps[t], &p->kept);
        p->never_run[t] |= a == PROOF_NO;
        undecided |= a == PROOF_UNKNOWN;
        runs |= a == PROOF_YES;
    }
    p->undecided |= !runs && undecided;
    return runs;
}

static void say_why(struct proof *p, const char *why)
{
    for (uint32_t k = 0; k < p->props->v.len; k++)
        if (!p->results[k].why)
            p->results[k].why = why;
}

/* Proofs from what is kept.  True if something runs. */
static bool conclude(struct proof *p)
{
    struct proof_facts *uses = mem_calloc(p->kept.n_inv + 1, sizeof *uses);
    for (size_t i = 0; i < p->kept.n_inv; i++)
        uses[i] = new_facts(p->kept.n_inv, p->kept.n_rely);
    find_bounds(p);
    bool runs = something_runs(p);
    if (!p->bounds_hit && !p->undecided && runs && prove_all_again(p, uses)) {
        for (size_t i = 0; i < p->sx->n_invariants; i++)
            if (p->kept.inv[i]) {
                struct proof_facts used = new_facts(p->kept.n_inv, p->kept.n_rely);
                used.inv[i] = true;
                close_over(p, &used, uses);
                report_minimal(p, invariant_property(p, i), &used);
                free_facts(&used);
            }
        for (uint32_t k = 0; k < p->props->v.len; k++)
            if (p->props->v.data[k].kind > VERIFY_FINAL)
                prove_place(p, k, uses);
    }
    for (size_t i = 0; i < p->kept.n_inv; i++)
        free_facts(&uses[i]);
    mem_free(uses);
    return runs;
}

/* Why the rest is not proved. */
static void account(struct proof *p, bool runs)
{
    explain_all(p);
    say_why(p, limit_reached()          ? limit_text()
               : p->bounds_hit          ? arena_printf(p->arena, "the proof rule fails: %s",
                                                       loops_text(&p->loops, p->sx->ast, p->arena))
               : !runs && !p->undecided ? "no transaction can run"
                                        : too_hard(p));
}

static bool all_proved(const struct proof *p)
{
    for (uint32_t k = 0; k < p->props->v.len; k++)
        if (p->props->v.data[k].kind != VERIFY_FINAL && !p->results[k].proved)
            return false;
    return true;
}

static void drop_attempt(struct proof *p)
{
    if (!p->steps)
        return;
    free_steps(p);
    free_facts(&p->kept);
}

/* Attempts: ever more is said, so that simple proofs are found fast.  Many relies about tables that
 * are written row by row fill the instances that a step may have, so that little is left for sums:
 * these come first on their own. */
struct attempt {
    bool relies, candidates;
    int effort;
};
static const struct attempt attempts[] = {
    {false, false, 0}, {false, false, 1}, {true, false, 2}, {true, true, 2}};
#define N_ATTEMPTS (sizeof attempts / sizeof *attempts)

/* False: it is the attempt before it once more. */
static bool prepare(struct proof *p, const struct attempt *a)
{
    if (a->relies && !p->relies.len)
        proof_propose_relies(p->sx, p->q->model, &p->relies);
    if (a->candidates && p->q->start == PROOF_FROM_INITIAL)
        proof_propose(p->sx, &p->candidates);
    if (a->candidates && !p->candidates.len)
        return false;
    use_settings(p, a->effort);
    find_base(p);
    return true;
}

void proof_run(const struct proof_question *q, struct proof_result *results, bool *never_run)
{
    struct proof p = {.q = q,
                      .sx = q->sx,
                      .props = q->props,
                      .results = results,
                      .arena = q->arena,
                      .never_run = never_run};
    p.broken = arena_array(p.arena, bool, p.props->v.len + 1);
    bool runs = false;
    for (size_t i = 0; i < N_ATTEMPTS; i++) {
        limit_phase("Z3 tried the proof rule under %s", q->model->name);
        if (p.steps && (all_proved(&p) || limit_reached()))
            break;
        if (!prepare(&p, &attempts[i]))
            continue;
        drop_attempt(&p);
        propose(&p);
        make_steps(&p);
        houdini(&p);
        runs = conclude(&p);
    }
    account(&p, runs);
    drop_attempt(&p);
    vec_free(&p.relies);
    vec_free(&p.candidates);
    vec_free(&p.loops);
}
