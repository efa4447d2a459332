/* Does the program's initial state satisfy the properties? */
#include <string.h>

#include "encode/inquiry.h"

void inquiry_find_base(struct inquiry *q, bool *base)
{
    size_t n = q->sx->n_invariants;
    memset(base, true, n);
    if (!inquiry_has_start(q))
        return;
    struct run_input in = inquiry_run(q);
    run_items items = {0};
    in.initially = true;
    in.quietly = true;
    run_bounded(&in, &items);
    memset(base, false, n);
    for (size_t i = 0; i < items.len; i++) {
        for (size_t k = 0; k < n; k++)
            if (items.data[i].status == VERIFY_HOLDS &&
                properties_of_predicate(q->props, q->sx->invariants[k]->func) ==
                    items.data[i].property)
                base[k] = true;
        exec_free(items.data[i].execution);
    }
    vec_free(&items);
}

void inquiry_run_initially(struct inquiry *q)
{
    struct run_input in = inquiry_run(q);
    run_items items = {0}, bad = {0};
    in.initially = true;
    run_bounded(&in, &items);
    for (size_t i = 0; i < items.len; i++) {
        enum verify_property_kind kind = q->props->v.data[items.data[i].property].kind;
        if (items.data[i].status == VERIFY_HOLDS && kind == VERIFY_INVARIANT)
            continue; /* so far, so good */
        if (items.data[i].status == VERIFY_HOLDS &&
            !properties_in(q->props, items.data[i].property, q->sx->initial))
            continue;
        if (items.data[i].status != VERIFY_HOLDS)
            q->unsettled[items.data[i].property] = false;
        vec_push(&bad, items.data[i]);
    }
    inquiry_take(q, &bad, NULL, 0, false);
    vec_free(&items);
    vec_free(&bad);
}
