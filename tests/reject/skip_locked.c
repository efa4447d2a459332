#include <visar.h>

DATABASE struct { int state, n; } job[4], list[ANY];
DATABASE int n, m[2][4];

TRANSACTION int t(int j)
{
    int k = -1;
    assume(0 <= j && j < 4);
    if (skip_locked(job[j]))
        return j;
    k = skip_locked(job[0]);
    for (int i = 0; i < 4; i++)
        if (skip_locked(job[i]) && job[i].state == 0) {
            k = i;
            break;
        }
    for (int i = 0; i < 4; i++)
        if (job[i].state == 0 || skip_locked(job[i])) {
            k = i;
            break;
        }
    for (int i = 0; i < 4; i++)
        if (job[i].state == 0 && skip_locked(job[j])) {
            k = i;
            break;
        }
    for (int i = 0; i < 4; i++)
        if (job[i].state == 0 && skip_locked(job[i]))
            k = i;
    for (int i = 0; i < 4; i++)
        if (job[i].state == 0 && skip_locked(job[i])) {
            k = i;
            break;
        } else {
            n = i;
        }
    for (int i = 0; i < 4; i++) {
        if (job[i].state == 1)
            continue;
        if (skip_locked(job[i]))
            return i;
    }
    for (int i = 0; i < 3; i++)
        if (job[i].state == 0 && skip_locked(job[i]))
            return i;
    for (int i = 0; i < ANY; i++)
        if (list[i].state == 0 && skip_locked(list[i]))
            return i; /* this is fine */
    return k;
}
