/* A history from the files of one format, finished, and errors with their places. */
#include "history/format/reader.h"

/* Readers that find out late that values are texts ask to be called again. */
static const char *read_files(const struct fmt_input *in, fmt_reader *read, struct fmt_context *c,
                              struct history **out)
{
    const char *error;
    do {
        hist_free(*out);
        *out = hist_new();
        vec_clear(c->notes);
        c->again = false;
        error = read(in, c, *out);
    } while (c->again);
    return error;
}

/* What hist_finish says is about a transaction, not about a place: read again, up to there. */
static const char *locate(const struct fmt_input *in, fmt_reader *read, struct fmt_context *c,
                          const char *complaint, struct history **out)
{
    c->complaint = arena_strdup(c->messages, complaint);
    c->complaint_txn = (*out)->error_txn;
    const char *error = c->complaint_txn == HIST_NONE ? NULL : read_files(in, read, c, out);
    return error ? error : arena_printf(c->messages, "%s: %s", in->path, c->complaint);
}

const char *fmt_read_history(const struct fmt_input *in, fmt_reader *read, struct arena *messages,
                             fmt_notes *notes, struct history **out)
{
    struct fmt_context c = {.messages = messages, .notes = notes};
    *out = NULL;
    const char *error = read_files(in, read, &c, out);
    if (!error) {
        hist_set_source(*out, in->path);
        error = hist_finish(*out);
        if (error)
            error = locate(in, read, &c, error, out);
    }
    if (error) {
        hist_free(*out);
        *out = NULL;
        vec_free(notes);
    }
    return error;
}
