/* The door: which rules a program's levels are. */
#include "tests/conformance/conformance.h"
#include "tests/conformance/innodb.h"
#include "tests/conformance/pg.h"
#include "tests/conformance/serial.h"

#include <assert.h>

static void allowed_in_order(const struct cf_program *p, const struct cf_order *order,
                             struct cf_outcomes *out)
{
    if (cf_is_pg(p->transaction[0].level))
        pg_allowed(p, order, out);
    else
        innodb_allowed(p, order, out);
}

void cf_allowed(const struct cf_program *p, const struct cf_order *order, struct cf_outcomes *out)
{
    assert(p->transactions && !cf_unsupported(p));
    if (order) {
        allowed_in_order(p, order, out);
        return;
    }
    struct cf_order all = {0};
    for (unsigned i = 0; i < p->transactions; i++)
        if (!p->transaction[i].rolls_back)
            all.order[all.commits++] = (uint8_t)i;
    do {
        allowed_in_order(p, &all, out);
    } while (next_order(&all));
}
