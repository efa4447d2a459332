/* Inside the reader of visar's own format: its state, and the part that reads operations. */
#ifndef HISTORY_FORMAT_JSONL_H
#define HISTORY_FORMAT_JSONL_H

#include "base/json.h"
#include "base/strbuf.h"
#include "history/format/reader.h"

struct jsonl_reader {
    struct scan s;
    struct fmt_context *c;
    struct history *h;
    struct strbuf scratch, name;
    struct strbuf field; /* of a condition or an aggregate, while `name` is still in use */
    size_t lines;
    uint32_t declared; /* sessions of the header, or HIST_NONE */
    struct map sessions;
    struct intern session_texts;
    VEC(uint32_t) session_of_text;
    VEC(int64_t) list;
    struct fmt_keys keys;
    VEC(uint32_t) order;
    VEC(uint32_t) initialised; /* per key: 1 + its index in the initial values, or 0 */
    uint32_t set_op;           /* the predicate read whose version set the line gives */

    /* State of the line being read, whose number is `line`. */
    uint64_t line;
    unsigned seen;
    bool open;
    uint32_t session;
    enum hist_status status;
    struct hist_times times;
    uint64_t id;
    struct scan ops; /* the operations, read last if "session" comes after them */
    uint32_t version_key;
};

/* The whole file, as struct format has it; hist_finish is the caller's. */
const char *jsonl_read(const struct fmt_input *in, struct fmt_context *c, struct history *h);

/* Parts of it. */
const char *jsonl_key(struct jsonl_reader *r, uint32_t *out);
/* A scalar, a row or null. */
const char *jsonl_value(struct jsonl_reader *r, struct hist_value *out);
/* A row, an object with fields, as a value (jsonl_rows.c). */
const char *jsonl_row(struct jsonl_reader *r, struct hist_value *out);
/* Read what follows the kind of an operation, up to its last element. */
const char *jsonl_range(struct jsonl_reader *r);
const char *jsonl_predicate(struct jsonl_reader *r);
/* Read the array of operations into a new transaction of r->session, which stays open. */
const char *jsonl_operations(struct jsonl_reader *r);

#endif
