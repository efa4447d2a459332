/* Two-state facts that are proposed, see relies.h. */
#include "encode/proof/relies.h"

#include <string.h>

/* Which facts relate the states that a transaction sees and the one that it joins?
 *
 * Where a snapshot is contained in the set that its transaction joins, all kinds do: see proof.c.
 * Elsewhere (RA, RC, EC) only "never changes": it says that the cell has the same value in all
 * states, which needs no containment.  By induction on the transactions, in the order of ar: the
 * states without T all have that value, those that T sees and B among them; T writes this very
 * value wherever it writes the cell, which is what the step checks; so the states with T have it,
 * too. */
static bool may_rely_on(const struct model *m, enum verify_rely_kind kind)
{
    bool contained = model_has(m, AXIOM_TRANSVIS) || model_has(m, AXIOM_PREFIX) ||
                     m->snapshot == SNAPSHOT_STATEMENT;
    return !model_has(m, AXIOM_TOTALVIS) && (contained || kind == VERIFY_NEVER_CHANGES);
}

/* ---- relative to another row ---------------------------------------------------------------- */

/* Where whoever has written a row that T writes or locks is visible to T (NOCONFLICT), facts may be
 * relative to such a row: kept by all who do not write it.  There are many, so only those are tried
 * that may say something: what is assumed of a fact is true whenever Houdini keeps it. */
#define RELATIVE_MAX 100

struct proposal {
    const struct sx_program *sx;
    proof_relies *out;
};

static bool assigns(const struct sx_summary *sum, uint32_t table, uint32_t field)
{
    for (size_t i = 0; i < sum->n_writes; i++)
        if (sum->writes[i].row.table == table && sum->writes[i].touched[field])
            return true;
    return false;
}

static bool writes(const struct sx_summary *sum, uint32_t table)
{
    for (size_t i = 0; i < sum->n_writes; i++)
        if (sum->writes[i].row.table == table)
            return true;
    return false;
}

/* Of the transactions that assign the field: how many write the other table, too, and how many do
 * not? */
struct company {
    size_t with, alone;
};

static struct company company_of(const struct sx_program *sx, const struct verify_rely *r)
{
    struct company c = {0};
    for (uint32_t i = 0; i < sx->n_txns; i++) {
        if (!assigns(sx->txns[i], r->table, r->field))
            continue;
        if (writes(sx->txns[i], r->with))
            c.with++;
        else
            c.alone++;
    }
    return c;
}

/* "Never changes" holds for fields that nobody assigns, and cannot be kept by one who assigns the
 * field alone.  The other facts are of use if somebody keeps them alone, and somebody need not. */
static void propose_facts(struct proposal *p, struct verify_rely r)
{
    struct company c = company_of(p->sx, &r);
    for (int kept = VERIFY_NEVER_CHANGES; kept <= VERIFY_STAYS_SET; kept++) {
        bool useful = kept == VERIFY_NEVER_CHANGES ? c.alone == 0 : c.alone > 0 && c.with > 0;
        r.kept = (enum verify_rely_kind)kept;
        if (useful && p->out->len < RELATIVE_MAX)
            vec_push(p->out, r);
    }
}

static void propose_relative(struct proposal *p, uint32_t table, uint32_t with, uint32_t column,
                             uint32_t after)
{
    struct verify_rely r = {.kind = VERIFY_CHANGES_WITH,
                            .table = table,
                            .with = with,
                            .column = column,
                            .after = after};
    for (r.field = 0; r.field < p->sx->tables[table].n_fields; r.field++)
        propose_facts(p, r);
}

static void propose_all_relative(struct proposal *p)
{
    for (uint32_t t = 0; t < p->sx->n_tables; t++)
        for (uint32_t with = 0; with < p->sx->n_tables; with++) {
            const struct sx_table *table = &p->sx->tables[t], *other = &p->sx->tables[with];
            if (t == with)
                continue;
            if (other->n_dims <= table->n_dims)
                propose_relative(p, t, with, VERIFY_BY_INDEX, 0);
            for (uint32_t f = 0; f < table->n_fields && other->n_dims == 1; f++)
                for (uint32_t after = 0; after < 2 && table->fields[f].type->width > 1; after++)
                    propose_relative(p, t, with, f, after);
        }
}

void proof_propose_relies(const struct sx_program *sx, const struct model *m, proof_relies *out)
{
    struct proposal p = {sx, out};
    if (model_has(m, AXIOM_NOCONFLICT) && !model_has(m, AXIOM_TOTALVIS))
        propose_all_relative(&p);
    for (uint32_t t = 0; t < sx->n_tables; t++)
        for (uint32_t f = 0; f < sx->tables[t].n_fields; f++)
            for (int kind = VERIFY_NEVER_CHANGES; kind <= VERIFY_STAYS_SET; kind++)
                if (may_rely_on(m, (enum verify_rely_kind)kind))
                    vec_push(out,
                             ((struct verify_rely){
                                 .kind = (enum verify_rely_kind)kind, .table = t, .field = f}));
}
