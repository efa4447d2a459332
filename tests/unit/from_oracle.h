/* The oracle's random histories as the engine's: for tests that compare the two. */
#ifndef TESTS_UNIT_FROM_ORACLE_H
#define TESTS_UNIT_FROM_ORACLE_H

#include "history/history.h"
#include "tests/oracle/oracle.h"

static inline struct history *from_oracle(const struct orc_history *o)
{
    struct history *h = hist_new();
    int sessions = 0;
    for (int k = 0; k < o->n_keys; k++)
        hist_set_initial(h, hist_key_int(h, k), hist_int(o->init[k]));
    for (int t = 0; t < o->n_txns; t++)
        sessions = o->txns[t].session >= sessions ? o->txns[t].session + 1 : sessions;
    for (int s = 0; s < sessions; s++)
        hist_add_session(h, NULL);
    for (int t = 0; t < o->n_txns; t++) {
        const struct orc_txn *x = &o->txns[t];
        static const enum hist_status status[] = {HIST_COMMITTED, HIST_ABORTED, HIST_UNKNOWN};
        hist_begin_txn(h, (uint32_t)x->session);
        for (int i = 0; i < x->n_ops; i++) {
            uint32_t key = hist_key_int(h, x->ops[i].key);
            if (x->ops[i].write)
                hist_write(h, key, hist_int(x->ops[i].value));
            else
                hist_read(h, key, hist_int(x->ops[i].value));
            if (i && x->ops[i].stmt == x->ops[i - 1].stmt)
                hist_op_flag(h, HIST_OP_SAME_STMT);
        }
        hist_end_txn(h, status[x->status]);
    }
    assert_null(hist_finish(h));
    return h;
}

#endif
