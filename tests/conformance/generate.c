#include "tests/conformance/generate.h"
#include "tests/conformance/random.h"
#include "tests/conformance/statements.h"

/* How often each kind of statement comes. */
static const unsigned weights[CF_KINDS] = {
    [CF_SEL] = 4,  [CF_AGG] = 3,  [CF_FU] = 2,     [CF_FS] = 2,      [CF_FKS] = 2,
    [CF_FUP] = 2,  [CF_SKIP] = 2, [CF_SET] = 2,    [CF_INC] = 3,     [CF_SETL] = 3,
    [CF_UPDP] = 4, [CF_INS] = 3,  [CF_UPS] = 2,    [CF_INSN] = 2,    [CF_DEL] = 3,
    [CF_DELP] = 2, [CF_UPK] = 3,  [CF_UPDSUB] = 2, [CF_UPDSELF] = 2, [CF_INSSEL] = 1,
};

static enum cf_kind random_kind(struct random *r, bool pg)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < CF_KINDS; k++)
        sum += weights[k];
    for (;;) {
        unsigned at = random_below(r, sum), kind = 0;
        while (at >= weights[kind])
            at -= weights[kind++];
        if (pg || kind != CF_SKIP)
            return (enum cf_kind)kind;
    }
}

static struct cf_statement random_statement(struct random *r, bool pg, unsigned keys)
{
    struct cf_statement s = {.kind = random_kind(r, pg)};
    enum cf_arguments arguments = cf_kinds[s.kind].arguments;
    if (cf_by_predicate(&s)) {
        s.op = (enum cf_comparison)random_below(r, CF_COMPARISONS);
        s.constant = (int)random_below(r, 4);
        s.increment = s.kind == CF_UPDP && random_below(r, 2);
        if (s.kind == CF_UPDP && !s.increment)
            s.value = (int)random_below(r, 4);
        return s;
    }
    s.key = 1 + (int)random_below(r, keys);
    if (arguments == CF_KEY_VALUE)
        s.value = (int)random_below(r, 4);
    else if (arguments == CF_KEY_KEY)
        s.value = 1 + (int)random_below(r, keys);
    return s;
}

static bool writes(const struct cf_transaction *t)
{
    for (unsigned s = 0; s < t->statements; s++)
        if (cf_kinds[t->statement[s].kind].writes)
            return true;
    return false;
}

/* The keys that a transaction names; all of them for a predicate. */
static unsigned keys_of(const struct cf_transaction *t)
{
    unsigned keys = 0;
    for (unsigned s = 0; s < t->statements; s++)
        keys |= cf_by_predicate(&t->statement[s]) ? ~0u : 1u << t->statement[s].key;
    return keys;
}

/* Every two transactions have a key in common, two of them write, and there are few interleavings.
 */
static bool is_interesting(const struct cf_program *p)
{
    unsigned statements = 0, writers = 0;
    for (unsigned i = 0; i < p->transactions; i++) {
        statements += p->transaction[i].statements;
        writers += writes(&p->transaction[i]);
        for (unsigned j = 0; j < i; j++)
            if (!(keys_of(&p->transaction[i]) & keys_of(&p->transaction[j])))
                return false;
    }
    return writers >= 2 && statements <= (p->transactions == 2 ? 6 : 4);
}

static void random_levels(struct random *r, unsigned group, struct cf_program *p)
{
    enum cf_level first = group == CF_PG_MIXED ? CF_PG_RC : CF_MY_RC;
    do {
        for (unsigned i = 0; i < p->transactions; i++)
            p->transaction[i].level = group < CF_LEVELS
                                          ? (enum cf_level)group
                                          : (enum cf_level)((unsigned)first + random_below(r, 3));
    } while (cf_group(p) != group);
}

void cf_generate(uint64_t seed, unsigned group, struct cf_program *p)
{
    struct random r = {seed};
    bool pg = group == CF_PG_MIXED || (group < CF_LEVELS && cf_is_pg((enum cf_level)group));
    do {
        *p = (struct cf_program){.transactions = random_below(&r, 3) ? 2 : 3};
        unsigned keys = random_below(&r, 4) ? 2 : 3, most = p->transactions == 2 ? 3 : 2;
        for (unsigned k = 1; k <= keys; k++)
            if (random_below(&r, 5))
                p->row[p->rows++] = (struct cf_row){(int)k, (int)random_below(&r, 3)};
        for (unsigned i = 0; i < p->transactions; i++) {
            struct cf_transaction *t = &p->transaction[i];
            t->statements = 1 + random_below(&r, most);
            t->rolls_back = !random_below(&r, 15);
            for (unsigned s = 0; s < t->statements; s++)
                t->statement[s] = random_statement(&r, pg, keys);
        }
    } while (!is_interesting(p));
    random_levels(&r, group, p);
}
