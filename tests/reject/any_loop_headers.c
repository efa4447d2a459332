#include <visar.h>

DATABASE int account[ANY];

DATABASE int first;

TRANSACTION void t(int from)
{
    int k;
    for (k = 0; k < ANY; k++)
        account[k] = 0;
    for (int i = 0, n = 3; i < ANY; i++)
        account[i] = n;
    for (int i = 0; i < ANY; i += 2)
        account[i] = 0;
    for (int i = ANY - 1; i >= 0; i--) /* no ANY in its condition: an ordinary loop */
        account[i] = 0;
    for (int i = 0; i < ANY && account[i]; i++)
        account[i] = 0;
    for (int i = 0; i < ANY - 1; i++)
        account[i] = 0;
    for (int i = 0; i <= ANY; i++)
        account[i] = 0;
    for (int i = 1; i != ANY; i++)
        account[i] = 0;
    for (short i = 0; i < ANY; i++)
        account[i] = 0;
    for (int i = 0; (short)i < ANY; i++)
        account[i] = 0;
    for (int i = from; i < (unsigned)ANY; i++)
        account[i] = 0;
    for (int i = 0; i < (short)ANY; i++)
        account[i] = 0;
    for (int i = 0; ANY; i++)
        account[i] = 0;
    for (int i = 0; i < ANY;)
        account[i++] = 0;
    for (int i = first; i < ANY; i++)
        account[i] = 0;
}
