/* The proofs of certificates of violations as text, behind the cases; no such lines where every
 * case and the conclusion follow from their own cycles:
 *
 *     proofs 1
 *     proof 3
 *     c -o 0.0.1 1.0.0 s 2.0.0 0.0.1 : 4 9 2
 *     c t 1.0 : 12 7
 *     c : 13 5
 *
 * `proof N`, `proof N extended` or `proof N wide` (enum check_scope) has N clauses.  A clause is a
 * line of literals, of which one is true, and hints, the numbers of the clauses that it follows
 * from, from 1.  `g Q` behind the hints: because the aggregate Q has no result left.  The last
 * clause is empty.  `-` in front of a literal negates it:
 *
 *     o A B      the version of the write A is older than that of B
 *     s R W      the read R saw the write W, `-` being the initial version
 *     t S.I      the transaction happened
 *     a A N      the append A, its transaction's last to the list, is element N of it, from 1
 *
 * and what abbreviates these, with numbers as certify_choices.c, certify_results.c and
 * certify_cover.c count them:
 *
 *     us R N     the read R saw one of its first N possible sources
 *     ua A N     the append A is at one of the first N places that it may have
 *     ue K N     one of the first places that have an element of the list K shows it
 *     gp Q N     the aggregate Q has the partial result N
 *     gb Q O     the row of operation O counts as something else for the aggregate Q */
#include <inttypes.h>
#include <string.h>

#include "certify/certificate/certificate_internal.h"

const char *const certificate_fact_names[] = {"o", "s", "t", "a", "us", "ua", "ue", "gp", "gb"};
const char *const certificate_fact_parts[] = {"oo", "oo", "t", "on", "on", "on", "nn", "nn", "no"};
const char *const certificate_scope_names[] = {"", " extended", " wide"};

/* --- reading ---------------------------------------------------------------------------------- */

static const char *read_number(const char *s, uint32_t *out)
{
    int end = 0;
    if (s[0] != ' ' || s[1] < '0' || s[1] > '9' || sscanf(s, " %9" SCNu32 "%n", out, &end) != 1)
        return NULL;
    return s + end;
}

/* " NAME PARTS" or " -NAME PARTS"; where it ends, or NULL. */
static const char *read_literal(struct certificate_reader *in, const char *s,
                                struct check_literal *l)
{
    char name[3] = {0};
    uint32_t part[2] = {0};
    if (*s++ != ' ')
        return NULL;
    l->negated = *s == '-';
    s += l->negated;
    size_t len = strcspn(s, " ");
    if (len >= sizeof name)
        return NULL;
    memcpy(name, s, len);
    int kind = certificate_find(name, certificate_fact_names, CHECK_FACT_KINDS);
    s = kind < 0 ? NULL : s + len;
    for (int i = 0; s && certificate_fact_parts[kind][i]; i++) {
        char is = certificate_fact_parts[kind][i];
        if (is == 't')
            s = *s == ' ' ? certificate_txn(in, s + 1, &part[i]) : NULL;
        else
            s = is == 'o' ? certificate_op(in, s, &part[i]) : read_number(s, &part[i]);
    }
    l->fact = (struct check_fact){(enum check_fact_kind)kind, part[0], part[1]};
    return s;
}

/* Behind the colon, to the end of the line; NULL: that is not what is there. */
static const char *read_hints(const char *s, struct check_result *r, struct check_clause *c)
{
    uint32_t hint;
    while (s && *s && strncmp(s, " g ", 3)) {
        s = read_number(s, &hint);
        if (s)
            vec_push(&r->hints, hint - 1);
    }
    if (s && *s)
        s = read_number(s + 2, &c->aggregate);
    c->hint_count = (uint32_t)r->hints.len - c->hints;
    return s && !*s ? s : NULL;
}

static const char *read_clause(struct certificate_reader *in, struct check_result *r)
{
    struct check_clause c = {.start = (uint32_t)r->literals.len,
                             .hints = (uint32_t)r->hints.len,
                             .aggregate = HIST_NONE};
    const char *s = certificate_line(in);
    s = *s == 'c' ? s + 1 : NULL;
    while (s && *s && strncmp(s, " :", 2)) {
        struct check_literal l;
        s = read_literal(in, s, &l);
        if (s)
            vec_push(&r->literals, l);
    }
    if (!s || !*s || !read_hints(s + 2, r, &c))
        return certificate_bad(in, "`c`, literals, `:` and hints: a clause");
    c.len = (uint32_t)r->literals.len - c.start;
    vec_push(&r->clauses, c);
    return NULL;
}

static const char *read_proof(struct certificate_reader *in, struct check_result *r)
{
    struct check_proof p = {.start = (uint32_t)r->clauses.len};
    const char *line = certificate_line(in);
    const char *rest = strncmp(line, "proof", 5) ? NULL : read_number(line + 5, &p.len);
    int scope = rest ? certificate_find(rest, certificate_scope_names, 3) : -1;
    if (scope < 0)
        return certificate_bad(in, "proof N, perhaps with extended or wide");
    p.scope = (enum check_scope)scope;
    const char *error = NULL;
    for (uint32_t i = 0; i < p.len && !error; i++)
        error = read_clause(in, r);
    if (!error)
        vec_push(&r->proofs, p);
    return error;
}

const char *certificate_get_proofs(struct certificate_reader *in, struct check_result *r)
{
    uint32_t n = 0;
    if (strncmp(in->next, "proofs", 6))
        return NULL;
    const char *rest = read_number(certificate_line(in) + 6, &n);
    const char *error = !rest || *rest ? certificate_bad(in, "proofs N") : NULL;
    for (uint32_t i = 0; i < n && !error; i++)
        error = read_proof(in, r);
    return error;
}
