/* Two workers who both find a job find different ones where a row that is locked and written conflicts.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct {
    bool taken;
} job[3];

TRANSACTION int take(void)
{
    int k = -1;
    for (int i = 0; i < 3; i++)
        if (!job[i].taken && skip_locked(job[i])) {
            k = i;
            break;
        }
    if (k >= 0)
        job[k].taken = true;
    return k;
}

INITIAL void nothing(void) { job[1].taken = true; }

SCENARIO void two(void)
{
    int a = take();
    int b = take();
    assert(a < 0 || a != b);
    assert(a != 1 && b != 1);
}
