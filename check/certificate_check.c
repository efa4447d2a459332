/* Certificates as text, for those who ask through check.h. */
#include "base/strbuf.h"
#include "certify/certify_missing_rows.h"
#include "certify/certify_whitebox.h"
#include "check/check_internal.h"

/* The certificate explains the items.  Rows that predicate reads did not return must not be
 * visible: NULL, or what is wrong. */
static const char *certify_unseen_rows(const struct check_lowering *x, const struct certificate *c,
                                       struct arena *messages)
{
    struct missing_rows rows;
    if (x->search.all)
        return NULL; /* they are all among the items */
    missing_rows_init(&rows, x->recorded);
    const char *error = certify_missing_rows(&x->items, c, &rows, messages);
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
static const char *judge(const struct history *h, const struct certificate *c,
                         const struct check_lowering *x, struct arena *messages)
{
    if (c->mismatch)
        return certify_mismatch(h, c->mismatch, messages);
    const char *error = certificate_judge(h, c, messages);
    if (error || c->violation || !x || !x->needed)
        return error;
    return c->level.real_time == LEVEL_ITEMS_ONLY ? certify_repeatable(x->recorded, c, messages)
                                                  : certify_unseen_rows(x, c, messages);
}

static void read_and_judge(const struct history *h, const char *text, size_t size,
                           const struct check_lowering *x, struct arena *messages,
                           struct check_certificate_answer *out)
{
    struct certificate c = {0};
    const char *error = certificate_read(text, size, h, messages, &c);
    out->judged = true;
    if (error && !c.foreign)
        out->unreadable = error;
    else
        out->rejected = error ? c.foreign : judge(h, &c, x, messages);
    out->level = c.level;
    out->violated = c.violation || c.mismatch;
    out->mismatch = c.mismatch != NULL;
    certificate_free(&c);
}

/* The level that a certificate is for.  If it does not say, it cannot be read, and any level does
 * to see whether the history itself has an answer. */
static struct level level_of(const char *text, size_t size, struct arena *scratch)
{
    struct level level;
    if (!certificate_level(text, size, scratch, &level))
        level = (struct level){MODEL_SER, true, LEVEL_NO_TIME};
    return level;
}

void check_certificate(const struct history *h, const char *text, size_t size,
                       const struct check_request *q, struct check_answers *answers,
                       struct check_certificate_answer *out)
{
    struct arena scratch = {0};
    *out = (struct check_certificate_answer){.judged = false};
    if (certificate_is_mismatch(text, size, &scratch)) { /* it is about the history as recorded */
        *answers = (struct check_answers){.history = h};
        read_and_judge(h, text, size, NULL, &answers->arena, out);
    } else {
        struct certificate_items named = {0};
        struct level level = level_of(text, size, &scratch);
        certificate_items(text, size, h, &scratch, &named);
        if (door_open(h, q, &level, 1, &named, answers))
            read_and_judge(answers->history, text, size, answers->lowering, &answers->arena, out);
        vec_free(&named.rows);
    }
    arena_free(&scratch);
}
