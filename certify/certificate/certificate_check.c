/* A certificate as text against a history; see certificate_check.h. */
#include "certify/certificate/certificate_check.h"

#include "base/strbuf.h"
#include "certify/order/certify_missing_rows.h"
#include "certify/predicate/certify_whitebox.h"

/* --- the history that a certificate is about -------------------------------------------------- */

struct items {
    const struct history *recorded;
    struct lowered lowered; /* no history: the level sees the history as it was recorded */
    bool all_rows;          /* all missing rows are among the items */
};

/* The view of the history and the missing rows that the head of the certificate asks for. */
static struct lower_options options_of(struct items *x, const struct certificate_head *head)
{
    bool repeatable = head->level.real_time == LEVEL_ITEMS_ONLY;
    enum lower_view view = repeatable ? LOWER_ITEMS : lower_view_of(head->level.model);
    if (head->exact && view == LOWER_CAUSAL && head->level.session_order)
        view = LOWER_EXACT;
    struct lower_options o = lower_view_options(view, head->level.session_order);
    x->all_rows = repeatable || (!head->named && !missing_rows_many(x->recorded));
    if (!x->all_rows)
        o.only = &head->rows;
    return o;
}

/* A result that nothing gives violates every level, and leaves nothing that a certificate could be
 * about but this result: out->rejected. */
static void lower(struct items *x, const struct certificate_head *head, struct arena *messages,
                  struct certificate_answer *out)
{
    struct lower_options o = options_of(x, head);
    struct lowered *d = &x->lowered;
    if (!lower_needed(x->recorded, &o))
        return;
    lower_history(x->recorded, &o, messages, d);
    out->unknown = d->unknown;
    if (d->unknown)
        return;
    out->fault = d->violation ? certify_mismatch(x->recorded, d, messages)
                              : certify_results(x->recorded, messages);
    if (d->violation && !out->fault)
        out->rejected =
            arena_printf(messages, "every level is violated for another reason: %s", d->violation);
}

static void items_free(struct items *x)
{
    hist_free(x->lowered.history);
    mem_free(x->lowered.spans);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* The certificate explains the items.  Rows that predicate reads did not return must not be
 * visible: NULL, or what is wrong. */
static const char *certify_unseen_rows(const struct items *x, const struct certificate *c,
                                       struct arena *messages)
{
    struct missing_rows rows;
    if (x->all_rows)
        return NULL; /* they are all among the items */
    missing_rows_init(&rows, x->recorded);
    const char *error = certify_missing_rows(&x->lowered, c, &rows, messages);
    if (!error && rows.too_large)
        error = "there are too many predicate reads of too many rows";
    if (!error && rows.wrong.len) {
        struct strbuf key = {0}, txn = {0};
        hist_key_text(rows.h, rows.wrong.data[0].to, &key);
        hist_txn_text(rows.h, rows.h->predicates.data[rows.wrong.data[0].from].txn, &txn);
        error = arena_printf(messages, "it shows %s the row %s, which it did not return",
                             sb_str(&txn), sb_str(&key));
        sb_free(&key);
        sb_free(&txn);
    }
    missing_rows_free(&rows);
    return error;
}

/* What is wrong with a certificate that could be read; or NULL. */
static const char *judge(const struct items *x, const struct certificate *c, struct arena *messages)
{
    if (c->mismatch)
        return certify_mismatch(x->recorded, c->mismatch, messages);
    const struct history *h = x->lowered.history ? x->lowered.history : x->recorded;
    const char *error = certificate_judge(h, c, messages);
    if (error || c->violation || !x->lowered.history)
        return error;
    return c->level.real_time == LEVEL_ITEMS_ONLY ? certify_repeatable(x->recorded, c, messages)
                                                  : certify_unseen_rows(x, c, messages);
}

/* Reads the certificate in any case: whether it is one does not depend on the history. */
static void read_and_judge(const struct items *x, const struct certificate_piece *p,
                           const struct certificate_witness *shown, struct arena *messages,
                           struct certificate_answer *out)
{
    struct certificate c;
    const struct history *h = x->lowered.history ? x->lowered.history : x->recorded;
    const char *error = certificate_read(p, h, messages, &c);
    if (error && !c.foreign)
        *out = (struct certificate_answer){.unreadable = error, .line = c.bad_line};
    else if (!out->rejected && !out->unknown && !out->fault)
        out->rejected = error ? c.foreign : judge(x, &c, messages);
    out->level = c.level;
    out->violated = c.violation || c.mismatch;
    out->mismatch = c.mismatch != NULL;
    if (shown && c.violation && !out->unreadable && !out->rejected && !out->unknown && !out->fault)
        shown->show(shown->self, h, c.violation);
    certificate_free(&c);
}

void certificate_check(const struct history *h, const struct certificate_piece *p,
                       const struct certificate_witness *shown, struct arena *messages,
                       struct certificate_answer *out)
{
    struct items x = {.recorded = h};
    struct certificate_head head;
    *out = (struct certificate_answer){0};
    if (certificate_read_head(p, h, messages, &head) && !head.mismatch)
        lower(&x, &head, messages, out);
    read_and_judge(&x, p, shown, messages, out);
    vec_free(&head.rows);
    items_free(&x);
}
