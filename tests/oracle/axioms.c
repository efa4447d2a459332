/* The axioms, one small function each, on executions that grow in ar order.  Everything else in the
 * oracle about vis and ar only enumerates candidates and asks these functions. */
#include "tests/oracle/axioms.h"

const char *orc_level_name(enum orc_level level)
{
    static const char *const names[] = {"ec", "rc", "rcs", "ra", "cc", "pc", "psi", "si", "ser"};
    return names[level];
}

/* EC < RC < RA < CC < PC < SI < SER; RC < RCS < PC; CC < PSI < SI. */
bool orc_weaker_or_equal(enum orc_level a, enum orc_level b)
{
    if (a == ORC_EC)
        return true;
    switch (b) {
    case ORC_EC:
        return false;
    case ORC_RC:
        return a == ORC_RC;
    case ORC_RCS:
        return a == ORC_RCS || a == ORC_RC;
    case ORC_RA:
        return a == ORC_RA || a == ORC_RC;
    case ORC_CC:
        return a != ORC_RCS && a <= ORC_CC;
    case ORC_PC:
        return a <= ORC_PC;
    case ORC_PSI:
        return a == ORC_PSI || (a != ORC_RCS && a <= ORC_CC);
    default:
        return a <= b;
    }
}

struct orc_rules orc_rules_uniform(enum orc_level level, bool session)
{
    struct orc_rules r = {.session = session};
    for (int t = 0; t < ORC_TXNS; t++)
        r.level[t] = level;
    return r;
}

bool orc_is_mixed(const struct orc_rules *rules, int n)
{
    for (int t = 1; t < n; t++)
        if (rules->level[t] != rules->level[0])
            return true;
    return rules->mixed_ser;
}

/* SESSION: so ⊆ vis.  RC: only so ⊆ ar.  EC: nothing. */
void orc_orders_add(struct orc_orders *o, const struct orc_rules *rules, int s, int t)
{
    enum orc_level level = rules->level[t];
    bool ar_only = level == ORC_RC || (level == ORC_RCS && rules->rcs_session_ar_only);
    if (level == ORC_EC)
        return;
    o->ar_before[t] |= 1u << s;
    o->dep[t] |= 1u << s;
    if (!ar_only)
        o->see[t] |= 1u << s;
}

static bool has_transvis(enum orc_level level)
{
    return level == ORC_CC || level == ORC_PSI;
}

/* SER counts for the mixed definition: it obeys SI's rules. */
static bool has_prefix(enum orc_level level)
{
    return level == ORC_RCS || level == ORC_PC || level == ORC_SI || level == ORC_SER;
}

static bool has_no_conflict(enum orc_level level)
{
    return level == ORC_PSI || level == ORC_SI || level == ORC_SER;
}

/* TRANSVIS: S vis U vis T ⇒ S vis T. */
static bool transvis(const struct orc_exec *x, uint32_t v)
{
    for (int u = 0; u < ORC_TXNS; u++)
        if (orc_has(v, u) && !orc_subset(x->vis[u], v))
            return false;
    return true;
}

/* PREFIX: S ar U vis T ⇒ S vis T. */
static bool prefix(const struct orc_exec *x, uint32_t v)
{
    for (int i = 0; i < x->n_placed; i++)
        for (int j = i + 1; j < x->n_placed; j++)
            if (orc_has(v, x->at[j]) && !orc_has(v, x->at[i]))
                return false;
    return true;
}

bool orc_may_see(const struct orc_exec *x, const struct orc_rules *rules,
                 const struct orc_orders *o, bool mixed, int t, uint32_t v)
{
    enum orc_level level = rules->level[t];
    if (!orc_subset(v, x->placed) || !orc_subset(o->see[t], v) || (v & o->hide[t]))
        return false;
    if (has_transvis(level) && !transvis(x, v))
        return false;
    if (has_prefix(level) && !prefix(x, v))
        return false;
    /* TOTALVIS: vis = ar. */
    return level != ORC_SER || mixed || v == x->placed;
}

/* NOCONFLICT: S writes a row that T writes or locks and S ar T ⇒ S vis T. */
bool orc_no_conflict(const struct orc_exec *x, enum orc_level level, int t, uint32_t v)
{
    if (!has_no_conflict(level))
        return true;
    for (int i = 0; i < x->n_placed; i++) {
        int s = x->at[i];
        if ((x->writes[s] & x->touches[t]) && !orc_has(v, s))
            return false;
    }
    return true;
}

/* EXT: the ar-largest S with S vis T that writes the row. */
int orc_ext_writer(const struct orc_exec *x, uint32_t v, int row)
{
    for (int i = x->n_placed - 1; i >= 0; i--)
        if (orc_has(v, x->at[i]) && orc_has(x->writes[x->at[i]], row))
            return x->at[i];
    return -1;
}

void orc_place(struct orc_exec *x, int t, uint32_t v)
{
    x->vis[t] = v;
    x->at[x->n_placed++] = t;
    x->placed |= 1u << t;
}

/* Dependencies of the transactions s (earlier in ar) and t on each other through one row. */
static void row_edges(const struct orc_exec *x, int s, int t, int row, uint32_t edge[ORC_TXNS])
{
    bool sw = orc_has(x->writes[s], row), tw = orc_has(x->writes[t], row);
    if (sw && tw) /* ww */
        edge[s] |= 1u << t;
    if (sw && orc_has(x->reads[t], row)) {
        if (orc_ext_writer(x, x->vis[t], row) == s) /* wr */
            edge[s] |= 1u << t;
        if (!orc_has(x->vis[t], s)) { /* rw, if s overwrote what t read */
            int read = orc_ext_writer(x, x->vis[t], row);
            if (read < 0 || orc_ext_writer(x, 1u << read | 1u << s, row) == s)
                edge[t] |= 1u << s;
        }
    }
    if (tw && orc_has(x->reads[s], row)) /* rw: s cannot have seen t */
        edge[s] |= 1u << t;
}

/* Mixed levels: wr, ww, rw among the SER transactions are acyclic.  Session order (and strict real
 * time) among them counts as well, or SER for all would not be strong session SER. */
bool orc_ser_acyclic(const struct orc_exec *x, const struct orc_orders *o, uint32_t ser)
{
    uint32_t edge[ORC_TXNS] = {0}, left = ser & x->placed;
    for (int i = 0; i < x->n_placed; i++)
        for (int j = i + 1; j < x->n_placed; j++)
            for (int row = 0; row < 32; row++)
                row_edges(x, x->at[i], x->at[j], row, edge);
    for (int t = 0; t < ORC_TXNS; t++)
        for (int s = 0; s < ORC_TXNS; s++)
            if (orc_has(o->dep[t], s))
                edge[s] |= 1u << t;
    /* Take away transactions that nothing left points to, until none is left or none can go. */
    for (bool again = true; again && left;) {
        uint32_t pointed = 0;
        for (int t = 0; t < ORC_TXNS; t++)
            if (orc_has(left, t))
                pointed |= edge[t];
        again = (left & ~pointed) != 0;
        left &= pointed;
    }
    return !left;
}
