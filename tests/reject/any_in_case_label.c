#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(int n)
{
    switch (n) {
    case 0:
    case ANY:
        account[0] = n;
    }
}
