#include <visar.h>

DATABASE int account[ANY];

static void next(int *i) { *i += 1; }
TRANSACTION void t(int from, int to)
{
    int *p = &to;
    for (int i = 0; i < ANY; i++)
        if (account[i] == 0)
            i++;
    for (int i = 0; i < ANY; i++) {
        account[i] = 0;
        next(&i);
    }
    for (int i = from; i < ANY; i++) {
        account[i] = 0;
        from--;
    }
    for (int i = to; i < ANY; i++) {
        account[i] = 0;
        *p = 1;
    }
    for (int i = from++; i < ANY; i++)
        account[i] = 0;
    for (int i = nondet_int(); i < ANY; i++)
        account[i] = 0;
}
