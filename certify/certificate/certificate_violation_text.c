/* Certificates of violations as text, behind the header (certificate_text.c):
 *
 *     violation write skew
 *     operations 0
 *     cycles 1
 *     cycle 2
 *     rw 0.0.0 1.0.1 -
 *     rw 1.0.0 0.0.1 -
 *     cases 0
 *     conclusion 1
 *     end
 *
 * `operations` are those that show an anomaly without cycle: lines `o S.I.O`.  Edges: `so S.I S.I`;
 * `rt S.I S.I commit-begin` (or commit-commit, begin-commit); `wr` and `ww` with the two
 * operations; `rw` with the read, the later write, and the write that was read (`-`: the initial
 * version). Cases, in the order of reading: `order A B PARENT CYCLE`, suppose A's version is older
 * than B's; `source R W PARENT CYCLE`, suppose R read W.  Cases and cycles are numbered from 1; 0:
 * none.
 *
 * The conclusion is a cycle; `no-source`: the cases leave a read without a source; `lemmas N`: no
 * choice avoids all of the last N cycles.  Before it stand the proofs (certificate_proofs_text.c).
 */
#include <inttypes.h>
#include <string.h>

#include "certify/certificate/certificate_internal.h"

const char *const certificate_edge_names[] = {"so", "rt", "wr", "ww", "rw"};
const char *const certificate_rt_names[] = {"commit-begin", "commit-commit", "begin-commit"};
const char *const certificate_case_names[] = {"order", "source"};

/* --- reading ---------------------------------------------------------------------------------- */

struct proof {
    struct certificate_reader *in;
    struct check_result *r;
};

/* "WORD N" on a line of its own. */
static const char *read_count(struct proof *p, const char *word, uint32_t *n)
{
    const char *line = certificate_line(p->in);
    size_t len = strlen(word);
    char more;
    if (strncmp(line, word, len) || line[len] != ' ' || line[len + 1] < '0' ||
        line[len + 1] > '9' || sscanf(line + len, " %9" SCNu32 "%c", n, &more) != 1)
        return certificate_bad(p->in, arena_printf(p->in->arena, "%s N", word));
    return NULL;
}

static const char *read_name(struct proof *p)
{
    static const char unique[] = "violation-of-unique-values ", plain[] = "violation ";
    const char *line = certificate_line(p->in), *name = NULL;
    p->in->c->unique_values = !strncmp(line, unique, sizeof unique - 1);
    if (p->in->c->unique_values)
        name = line + sizeof unique - 1;
    else if (!strncmp(line, plain, sizeof plain - 1))
        name = line + sizeof plain - 1;
    for (int a = ANOMALY_NO_ANOMALY + 1; name && a < ANOMALY_COUNT; a++)
        if (!strcmp(name, anomaly_words((enum anomaly)a))) {
            p->r->anomaly = (enum anomaly)a;
            return NULL;
        }
    return certificate_bad(p->in, "violation and the name of an anomaly");
}

static const char *read_operations(struct proof *p)
{
    uint32_t n = 0;
    const char *error = read_count(p, "operations", &n);
    for (uint32_t i = 0; i < n && !error; i++) {
        uint32_t op = HIST_NONE;
        const char *line = certificate_line(p->in);
        const char *end = *line == 'o' ? certificate_op(p->in, line + 1, &op) : NULL;
        if (!end || *end || op == HIST_NONE)
            error = certificate_bad(p->in, "`o S.I.O`: an operation of the history");
        else
            vec_push(&p->r->ops, op);
    }
    return error;
}

/* Between transactions. */
static const char *read_order_edge(struct proof *p, const char *s, struct check_edge *e)
{
    s = *s == ' ' ? certificate_txn(p->in, s + 1, &e->from) : NULL;
    s = s && *s == ' ' ? certificate_txn(p->in, s + 1, &e->to) : NULL;
    if (!s || e->kind == CHECK_SO)
        return s;
    int how = *s == ' ' ? certificate_find(s + 1, certificate_rt_names, 3) : -1;
    e->via = (uint32_t)how;
    return how < 0 ? NULL : s + strlen(s);
}

/* Between operations. */
static const char *read_item_edge(struct proof *p, const char *s, struct check_edge *e)
{
    const struct history *h = p->in->h;
    s = certificate_op(p->in, s, &e->from_op);
    s = s ? certificate_op(p->in, s, &e->to_op) : NULL;
    if (s && e->kind == CHECK_RW)
        s = certificate_op(p->in, s, &e->via);
    if (!s || e->from_op == HIST_NONE || e->to_op == HIST_NONE)
        return NULL;
    e->key = h->ops.data[e->to_op].key;
    e->from = hist_op_txn(h, e->from_op);
    e->to = hist_op_txn(h, e->to_op);
    return s;
}

static const char *read_edge(struct proof *p)
{
    struct check_edge e = {.key = HIST_NONE,
                           .from_op = HIST_NONE,
                           .to_op = HIST_NONE,
                           .via = HIST_NONE,
                           .because = HIST_NONE};
    char *line = certificate_line(p->in), word[3] = {0};
    memcpy(word, line, strnlen(line, 2));
    int kind = certificate_find(word, certificate_edge_names, 5);
    e.kind = (enum check_edge_kind)(kind < 0 ? 0 : kind);
    const char *end = kind < 0                               ? NULL
                      : kind == CHECK_SO || kind == CHECK_RT ? read_order_edge(p, line + 2, &e)
                                                             : read_item_edge(p, line + 2, &e);
    if (!end || *end)
        return certificate_bad(p->in, "an edge: so, rt, wr, ww or rw, and what it joins");
    vec_push(&p->r->edges, e);
    return NULL;
}

static const char *read_cycles(struct proof *p)
{
    uint32_t n = 0, len = 0;
    const char *error = read_count(p, "cycles", &n);
    for (uint32_t i = 0; i < n && !error; i++) {
        uint32_t start = (uint32_t)p->r->edges.len;
        error = read_count(p, "cycle", &len);
        for (uint32_t k = 0; k < len && !error; k++)
            error = read_edge(p);
        if (!error)
            vec_push(&p->r->cycles, ((struct check_cycle){start, len}));
    }
    return error;
}

/* A number from 1 to `limit` as an index; 0 as HIST_NONE. */
static bool index_of(uint32_t given, size_t limit, uint32_t *out)
{
    *out = given - 1;
    return given <= limit;
}

static const char *read_case(struct proof *p)
{
    char *line = certificate_line(p->in), *space = strchr(line, ' '), more;
    struct check_case c = {.first = HIST_NONE};
    const char *rest = NULL;
    uint32_t parent = 0, cycle = 0;
    int kind = -1;
    if (space) {
        *space = 0;
        kind = certificate_find(line, certificate_case_names, 2);
        *space = ' ';
    }
    if (kind >= 0)
        rest = certificate_op(p->in, space, &c.first);
    rest = rest ? certificate_op(p->in, rest, &c.second) : NULL;
    if (!rest || c.first == HIST_NONE || (kind == CHECK_ORDER && c.second == HIST_NONE) ||
        sscanf(rest, " %9" SCNu32 " %9" SCNu32 "%c", &parent, &cycle, &more) != 2 ||
        !index_of(parent, p->r->cases.len, &c.parent) ||
        !index_of(cycle, p->r->cycles.len, &c.cycle))
        return certificate_bad(p->in, "`order A B PARENT CYCLE` or `source R W PARENT CYCLE`");
    c.kind = (enum check_hypothesis)kind;
    vec_push(&p->r->cases, c);
    return NULL;
}

static const char *read_conclusion(struct proof *p)
{
    const char *line = certificate_line(p->in);
    uint32_t cycle = 0, lemmas = 0;
    int end = 0, after = 0;
    struct check_result *r = p->r;
    bool fine = sscanf(line, "conclusion %9" SCNu32 "%n", &cycle, &end) == 1 && end &&
                index_of(cycle, r->cycles.len, &r->cycle);
    if (fine && sscanf(line + end, " lemmas %9" SCNu32 "%n", &lemmas, &after) == 1)
        end += after;
    r->lemmas = lemmas;
    r->no_source = fine && !strcmp(line + end, " no-source");
    if (!fine || lemmas > r->cycles.len || (!r->no_source && line[end]))
        return certificate_bad(p->in, "conclusion CYCLE, perhaps with lemmas N or no-source");
    return NULL;
}

const char *certificate_get_violation(struct certificate_reader *in)
{
    struct check_result *r = mem_calloc(1, sizeof *r);
    struct proof p = {in, r};
    uint32_t n = 0;
    *r = (struct check_result){
        .level = in->c->level, .verdict = CHECK_VIOLATION, .reason = "", .cycle = HIST_NONE};
    in->c->violation = r;
    const char *error = read_name(&p);
    if (!error)
        error = read_operations(&p);
    if (!error)
        error = read_cycles(&p);
    if (!error)
        error = read_count(&p, "cases", &n);
    for (uint32_t i = 0; i < n && !error; i++)
        error = read_case(&p);
    if (!error)
        error = certificate_get_proofs(in, r);
    return error ? error : read_conclusion(&p);
}

void certificate_free(struct certificate *c)
{
    struct check_result *r = (struct check_result *)c->violation;
    if (r)
        check_result_free(r);
    mem_free(r);
    c->violation = NULL;
}
