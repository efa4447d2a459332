/* Built-in checks: a division that can fail, an index that cannot; and no INITIAL. */
#include <visar.h>

DATABASE int total, count;
DATABASE int part[3];

TRANSACTION void average(int i)
{
    assume(i >= 0 && i < 3);
    part[i] = total / count;
}

TRANSACTION void add(int v)
{
    if (v < 0 || total > 1000 || v > 1000 || count > 1000)
        rollback();
    total += v;
    count++;
}

INVARIANT bool not_negative(void)
{
    return total >= 0 && count >= 0;
}
