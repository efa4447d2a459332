/* Certificates are written here; what their lines mean is said where they are read:
 * certificate_text.c, certificate_violation_text.c, certificate_proofs_text.c,
 * certificate_mismatch_text.c. */
#include <inttypes.h>
#include <string.h>

#include "certify/certificate/certificate_internal.h"

static void put_txn(const struct history *h, uint32_t txn, FILE *out)
{
    const struct hist_txn *t = &h->txns.data[txn];
    fprintf(out, " %" PRIu64 ".%" PRIu32, hist_session_number(h, t->session), t->index);
}

static void put_op(const struct history *h, uint32_t op, FILE *out)
{
    if (op == HIST_NONE) {
        fputs(" -", out);
        return;
    }
    uint32_t txn = hist_op_txn(h, op);
    put_txn(h, txn, out);
    fprintf(out, ".%" PRIu32, op - h->txns.data[txn].first_op);
}

/* --- violations ------------------------------------------------------------------------------- */

static void put_literal(const struct history *h, const struct check_literal *l, FILE *out)
{
    const uint32_t part[] = {l->fact.a, l->fact.b};
    const char *parts = certificate_fact_parts[l->fact.kind];
    fprintf(out, " %s%s", l->negated ? "-" : "", certificate_fact_names[l->fact.kind]);
    for (int i = 0; parts[i]; i++) {
        if (parts[i] == 'o')
            put_op(h, part[i], out);
        else if (parts[i] == 't')
            put_txn(h, part[i], out);
        else
            fprintf(out, " %" PRIu32, part[i]);
    }
}

static void put_proofs(const struct history *h, const struct check_result *r, FILE *out)
{
    if (r->proofs.len)
        fprintf(out, "proofs %zu\n", r->proofs.len);
    for (size_t i = 0; i < r->proofs.len; i++) {
        const struct check_proof *p = &r->proofs.data[i];
        fprintf(out, "proof %" PRIu32 "%s\n", p->len, certificate_scope_names[p->scope]);
        for (uint32_t k = p->start; k < p->start + p->len; k++) {
            const struct check_clause *c = &r->clauses.data[k];
            fputc('c', out);
            for (uint32_t n = c->start; n < c->start + c->len; n++)
                put_literal(h, &r->literals.data[n], out);
            fputs(" :", out);
            for (uint32_t n = c->hints; n < c->hints + c->hint_count; n++)
                fprintf(out, " %" PRIu32, r->hints.data[n] + 1);
            if (c->aggregate != HIST_NONE)
                fprintf(out, " g %" PRIu32, c->aggregate);
            fputc('\n', out);
        }
    }
}

/* HIST_NONE becomes 0. */
static uint32_t number(uint32_t index)
{
    return index + 1;
}

static void put_edge(const struct history *h, const struct check_edge *e, FILE *out)
{
    fputs(certificate_edge_names[e->kind], out);
    if (e->kind == CHECK_SO || e->kind == CHECK_RT) {
        put_txn(h, e->from, out);
        put_txn(h, e->to, out);
        if (e->kind == CHECK_RT)
            fprintf(out, " %s", certificate_rt_names[e->via]);
    } else {
        put_op(h, e->from_op, out);
        put_op(h, e->to_op, out);
        if (e->kind == CHECK_RW)
            put_op(h, e->via, out);
    }
    fputc('\n', out);
}

static void put_cycles(const struct history *h, const struct check_result *r, FILE *out)
{
    fprintf(out, "cycles %zu\n", r->cycles.len);
    for (size_t i = 0; i < r->cycles.len; i++) {
        const struct check_cycle *c = &r->cycles.data[i];
        fprintf(out, "cycle %" PRIu32 "\n", c->len);
        for (uint32_t k = 0; k < c->len; k++)
            put_edge(h, &r->edges.data[c->start + k], out);
    }
}

static void put_violation(const struct history *h, const struct certificate *c, FILE *out)
{
    const struct check_result *r = c->violation;
    fprintf(out, "violation%s %s\n", c->unique_values ? "-of-unique-values" : "",
            anomaly_words(r->anomaly));
    fprintf(out, "operations %zu\n", r->ops.len);
    for (size_t i = 0; i < r->ops.len; i++) {
        fputc('o', out);
        put_op(h, r->ops.data[i], out);
        fputc('\n', out);
    }
    put_cycles(h, r, out);
    fprintf(out, "cases %zu\n", r->cases.len);
    for (size_t i = 0; i < r->cases.len; i++) {
        const struct check_case *x = &r->cases.data[i];
        fputs(certificate_case_names[x->kind], out);
        put_op(h, x->first, out);
        put_op(h, x->second, out);
        fprintf(out, " %" PRIu32 " %" PRIu32 "\n", number(x->parent), number(x->cycle));
    }
    put_proofs(h, r, out);
    fprintf(out, "conclusion %" PRIu32, number(r->cycle));
    if (r->lemmas)
        fprintf(out, " lemmas %" PRIu32, r->lemmas);
    fputs(r->no_source ? " no-source\n" : "\n", out);
}

static void put_mismatch(const struct history *h, const struct lowered *d, FILE *out)
{
    fputs("mismatch", out);
    put_txn(h, d->txn, out);
    fprintf(out, " %" PRIu32 " %s", d->predicate - hist_first_predicate(h, d->txn),
            certificate_fault_names[d->fault]);
    if (d->fault == LOWER_ROW)
        fprintf(out, " %" PRIu32, d->key);
    if (d->fault == LOWER_SET)
        put_op(h, d->op, out);
    fputc('\n', out);
}

/* --- orders ----------------------------------------------------------------------------------- */

static void write_sources(const struct history *h, const struct certificate *c, FILE *out)
{
    if (c->source_count)
        fprintf(out, "sources %zu\n", c->source_count);
    for (size_t i = 0; i < c->source_count; i++) {
        fputc('r', out);
        put_op(h, c->sources[i].from, out);
        put_op(h, c->sources[i].to, out);
        fputc('\n', out);
    }
}

/* An order of begins and commits, or a serial one, says all by itself. */
static void write_rows(const struct history *h, const struct certificate *c, FILE *out)
{
    if (h->lowered.exact_sets)
        fputs("sets exact\n", out);
    if (!h->lowered.some_missing_rows || (!c->violation && c->kind != CHECK_ARBITRATION))
        return;
    fprintf(out, "rows %zu\n", h->lowered.missing_rows.len);
    for (size_t i = 0; i < h->lowered.missing_rows.len; i++) {
        fputc('p', out);
        put_txn(h, h->lowered.missing_rows.data[i].txn, out);
        fprintf(out, " %" PRIu32 " %" PRIu32 "\n", h->lowered.missing_rows.data[i].number,
                h->lowered.missing_rows.data[i].key);
    }
}

void certificate_write(const struct history *h, const struct certificate *c, FILE *out)
{
    fputs("visar-certificate 3\n", out);
    fprintf(out, "level %s session-order=%s real-time=%s clock-drift=%" PRId64 "\n",
            model_get(c->level.model)->name, c->level.session_order ? "on" : "off",
            certificate_time_names[c->level.real_time], c->clock_drift);
    if (c->mismatch) {
        put_mismatch(h, c->mismatch, out);
        fputs("end\n", out);
        return;
    }
    write_rows(h, c, out);
    if (c->violation) {
        put_violation(h, c, out);
        fputs("end\n", out);
        return;
    }
    fprintf(out, "order %s %zu\n", certificate_order_names[c->kind], c->len);
    for (size_t i = 0; i < c->len; i++) {
        bool events = c->kind == CHECK_EVENTS;
        uint32_t at = c->order[i];
        const struct hist_txn *t = &h->txns.data[events ? at / 2 : at];
        char letter = !events ? 't' : at % 2 ? 'c' : 'b';
        fprintf(out, "%c %" PRIu64 ".%" PRIu32 "\n", letter, hist_session_number(h, t->session),
                t->index);
    }
    write_sources(h, c, out);
    fputs("end\n", out);
}
