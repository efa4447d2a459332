/* skip_locked may skip all rows: nothing is found although both jobs are free.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct {
    bool taken;
} job[2];

TRANSACTION int take(void)
{
    for (int i = 0; i < 2; i++)
        if (!job[i].taken && skip_locked(job[i]))
            return i;
    return -1;
}

INITIAL void nothing(void) { job[0].taken = false; }

SCENARIO void one(void)
{
    int k = take();
    assert(k >= 0);
}
