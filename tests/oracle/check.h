/* The few lines that both self tests need: named checks that print ok or not ok. */
#ifndef TESTS_ORACLE_CHECK_H
#define TESTS_ORACLE_CHECK_H

#include <stdbool.h>
#include <stdio.h>

struct checks {
    int passed, failed;
};

static inline bool check(struct checks *c, bool ok, const char *name)
{
    printf("%s %s\n", ok ? "ok" : "not ok", name);
    fflush(stdout);
    if (ok)
        c->passed++;
    else
        c->failed++;
    return ok;
}

static inline int checks_done(const struct checks *c)
{
    printf("# %d passed, %d failed\n", c->passed, c->failed);
    return c->failed > 0;
}

#endif
