#include <visar.h>

DATABASE struct { int state, n; } list[ANY];
DATABASE int m[ANY];

TRANSACTION int t(void)
{
    int found = 0;
    for (int d = 0; d < ANY; d++)
        for (int i = 0; i < ANY; i++)
            if (list[i].state == m[d] && skip_locked(list[i])) {
                found++;
                break;
            }
    return found;
}
