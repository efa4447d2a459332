/* The numbers of sessions in reports, graphs, certificates and orders.
 *
 * They are the file's own where it has numbers: a reader that meets session 7 first keeps "7" as
 * its name.  A session without a name, or with a name that is not a number, is numbered by its
 * position; if another session has that number in the file, by the next free number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "history/history.h"

/* As a writer prints it: no sign, no leading zero. */
static bool own_number(const struct history *h, uint32_t session, uint64_t *out)
{
    uint32_t name = h->session_names.data[session];
    if (name == HIST_NONE)
        return false;
    const char *s = intern_name(&h->texts, name);
    size_t n = strspn(s, "0123456789");
    if (n == 0 || n > 18 || s[n] || (*s == '0' && n > 1))
        return false;
    *out = strtoull(s, NULL, 10);
    return true;
}

void hist_number_sessions(struct history *h)
{
    uint64_t next = h->session_count;
    bool fresh, *own = mem_calloc(h->session_count + 1, sizeof *own);
    h->session_numbers = mem_calloc(h->session_count + 1, sizeof *h->session_numbers);
    for (uint32_t s = 0; s < h->session_count; s++) {
        if (!own_number(h, s, &h->session_numbers[s]))
            continue;
        map_put(&h->index.sessions_by_number, h->session_numbers[s], s,
                &own[s]); /* of two with one number, the first */
    }
    for (uint32_t s = 0; s < h->session_count; s++) {
        if (own[s])
            continue;
        h->session_numbers[s] = s;
        map_put(&h->index.sessions_by_number, s, s, &fresh);
        while (!fresh) {
            h->session_numbers[s] = next;
            map_put(&h->index.sessions_by_number, next++, s, &fresh);
        }
    }
    mem_free(own);
}

uint64_t hist_session_number(const struct history *h, uint32_t session)
{
    return h->session_numbers[session];
}

uint32_t hist_find_txn(const struct history *h, uint64_t number, uint64_t index)
{
    const uint64_t *found = map_get(&h->index.sessions_by_number, number);
    const uint32_t *start = found ? h->index.session_start + *found : NULL;
    return found && index < start[1] - start[0] ? h->index.session_txns[start[0] + index]
                                                : HIST_NONE;
}

void hist_session_text(const struct history *h, uint32_t session, struct strbuf *out)
{
    uint32_t name = h->session_names.data[session];
    if (name == HIST_NONE)
        sb_printf(out, "%" PRIu64, h->session_numbers[session]);
    else
        sb_puts(out, intern_name(&h->texts, name));
}
