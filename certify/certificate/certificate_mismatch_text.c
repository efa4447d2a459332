/* Certificates of results that nothing gives, behind the header (certificate_text.c): one line,
 *
 *     mismatch S.I N aggregate
 *     mismatch S.I N row K
 *     mismatch S.I N set S.I.O
 *
 * The N-th predicate read, from 0, of the transaction contradicts its version set, or, without one,
 * every state that the writes of the history allow: the number that it returned; the row with key
 * K, from 0 in the order in which the history first names its keys; the version S.I.O of its set.
 * This violates every level, so the level in the header is only the one that was asked about. */
#include <inttypes.h>
#include <string.h>

#include "certify/certificate/certificate_internal.h"
#include "history/lower/lower.h"

const char *const certificate_fault_names[] = {
    [LOWER_ROW] = "row", [LOWER_AGGREGATE] = "aggregate", [LOWER_SET] = "set"};

/* What the fault is about; false: not what should be there. */
static bool read_subject(struct certificate_reader *in, const char *s, struct lowered *d)
{
    char more;
    if (d->fault == LOWER_AGGREGATE)
        return !*s;
    if (d->fault == LOWER_ROW)
        return s[0] == ' ' && s[1] >= '0' && s[1] <= '9' &&
               sscanf(s, " %9" SCNu32 "%c", &d->key, &more) == 1;
    s = certificate_op(in, s, &d->op);
    return s && !*s && d->op != HIST_NONE;
}

const char *certificate_get_mismatch(struct certificate_reader *in)
{
    struct lowered *d = arena_alloc(in->arena, sizeof *d);
    *d = (struct lowered){.key = HIST_NONE, .op = HIST_NONE};
    in->c->mismatch = d;
    const char *line = certificate_line(in), *s = NULL;
    uint32_t number = 0;
    char fault[16];
    int end = 0, kind = -1;
    if (!strncmp(line, "mismatch ", 9))
        s = certificate_txn(in, line + 9, &d->txn);
    if (s && s[0] == ' ' && s[1] >= '0' && s[1] <= '9' &&
        sscanf(s, " %9" SCNu32 " %15s%n", &number, fault, &end) == 2)
        kind = certificate_find(fault, certificate_fault_names, 3);
    d->fault = (enum lower_fault)(kind < 0 ? 0 : kind);
    if (kind < 0 || !read_subject(in, s + end, d))
        return certificate_bad(in, "mismatch S.I N, and aggregate, row K or set S.I.O");
    d->predicate = hist_first_predicate(in->h, d->txn) + number;
    return NULL;
}
