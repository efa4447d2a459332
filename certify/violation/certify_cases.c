/* The cases of a violation and its conclusion: each of them is a clause that follows.
 *
 * A case says that not all that it and the cases around it suppose is true.  Its cycle is a lemma;
 * the clause follows from that alone, or with the clauses before it as a proof of the verdict says.
 * The conclusion is the empty clause.  So cases are no more than the way in which a proof is told.
 */
#include "certify/violation/certify_claims.h"

/* --- what follows ----------------------------------------------------------------------------- */

/* What a cycle rests on is not all true. */
static const char *add_lemma(struct judge *j, uint32_t index)
{
    vec_clear(&j->rests_on);
    const char *error = judge_cycle(j, index);
    clause_lits clause = {0};
    for (size_t i = 0; i < j->rests_on.len && !error; i++) {
        uint32_t lit = choices_fact(j, &j->rests_on.data[i]);
        if (lit != HIST_NONE)
            vec_push(&clause, clause_not(lit));
    }
    j->lemma = (uint32_t)j->formula.clauses.ends.len;
    if (!error)
        formula_add(&j->formula, clause.data, clause.len);
    vec_free(&clause);
    choices_complete(j);
    return error;
}

/* The clause of the cycle at hand says no more than what the cases around suppose. */
static bool follows_from_lemma(const struct judge *j)
{
    uint32_t n, found = 0;
    if (j->lemma == HIST_NONE)
        return false;
    const uint32_t *lits = clauses_get(&j->formula.clauses, j->lemma, &n);
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < j->path.len; k++)
            if (lits[i] == j->path.data[k]) {
                found++;
                break;
            }
    return found == n;
}

const char *judge_extend(struct judge *j, enum check_scope scope)
{
    const char *error = NULL;
    if (scope >= CHECK_SCOPE_EXTENDED) {
        if (j->scope < CHECK_SCOPE_EXTENDED)
            choices_add_lists(j);
        error = results_add(j);
    }
    if (scope == CHECK_SCOPE_WIDE && !error) {
        if (j->scope < CHECK_SCOPE_WIDE)
            choices_add_outcomes(j);
        error = results_add(j);
    }
    return error;
}

static bool exhausted(void *j, uint32_t aggregate)
{
    return results_none_left(j, aggregate);
}

/* Does the clause follow that not all is true that the cases around suppose?  NULL, or what is
 * wrong, `otherwise` if it does not. */
static const char *expect(struct judge *j, const char *otherwise)
{
    if (follows_from_lemma(j))
        return NULL;
    const struct check_proof *p = proof_next(&j->proofs, j, &j->formula, &j->path);
    const char *error = p ? judge_extend(j, p->scope) : judge_wrong(j, otherwise);
    if (!error && !proof_replay(j->r, p, &j->formula, &j->path, exhausted, j))
        error = judge_wrong(j, otherwise);
    return error;
}

/* --- cases ------------------------------------------------------------------------------------ */

static const char *check_hypothesis(struct judge *j, const struct check_case *c)
{
    const struct history *h = j->f.h;
    if (c->first >= h->ops.len)
        return judge_wrong(j, "a case is about nothing");
    uint32_t txn = j->f.op_txn[c->first], key = h->ops.data[c->first].key;
    if (c->kind == CHECK_SOURCE) {
        hist_facts_sources(&j->f, c->first, &j->sources);
        for (size_t i = 0; i < j->sources.len && hist_facts_external(&j->f, c->first); i++)
            if (j->sources.data[i] == c->second)
                return NULL;
        return judge_wrong(j, "a case supposes a source that cannot be");
    }
    if (c->second >= h->ops.len || !judge_is_version(j, c->first, txn, key) ||
        !judge_is_version(j, c->second, j->f.op_txn[c->second], key) ||
        txn == j->f.op_txn[c->second])
        return judge_wrong(j, "a case orders what are no two versions");
    return NULL;
}

/* What a read saw matters only if its transaction counts. */
static void suppose(struct judge *j, const struct check_case *c)
{
    if (c->kind == CHECK_ORDER) {
        vec_push(&j->path, clause_not(choices_order(j, c->first, c->second)));
    } else {
        uint32_t reader = choices_happened(j, j->f.op_txn[c->first]);
        vec_push(&j->path, clause_not(choices_source(j, c->first, c->second)));
        if (reader != HIST_NONE)
            vec_push(&j->path, clause_not(reader));
    }
    choices_complete(j);
}

/* All cases inside of `parent`, in order. */
static const char *check_inside(struct judge *j, uint32_t parent)
{
    while (j->next < j->r->cases.len && j->r->cases.data[j->next].parent == parent) {
        uint32_t index = j->next++;
        const struct check_case *c = &j->r->cases.data[index];
        size_t mark = j->path.len;
        const char *error = check_hypothesis(j, c);
        if (!error) {
            suppose(j, c);
            error = check_inside(j, index);
        }
        j->lemma = HIST_NONE;
        if (!error && c->cycle != HIST_NONE)
            error = add_lemma(j, c->cycle);
        if (!error)
            error = expect(j, "a case is not refuted");
        if (error)
            return error;
        j->path.len = mark;
    }
    return NULL;
}

const char *judge_cases(struct judge *j)
{
    const struct check_result *r = j->r;
    const char *error = check_inside(j, HIST_NONE);
    if (!error && j->next != r->cases.len)
        error = judge_wrong(j, "the cases are no tree");
    j->lemma = HIST_NONE;
    for (uint32_t i = 0; i < r->lemmas && !error; i++)
        error = add_lemma(j, (uint32_t)r->cycles.len - r->lemmas + i);
    if (!error && r->cycle != HIST_NONE) /* the one that a report shows, whatever the conclusion */
        error = add_lemma(j, r->cycle);
    if (error)
        return error;
    return expect(j, r->lemmas || (r->cycle == HIST_NONE && !r->no_source)
                         ? "the cycles leave a choice open"
                     : r->no_source ? "every read still has a source"
                                    : "the last cycle rests on what is not settled");
}
