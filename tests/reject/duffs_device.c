#include <visar.h>

DATABASE int x;

TRANSACTION void t(int n)
{
    switch (n % 2) {
    case 0:
        do {
            x++;
    case 1:
            x++;
        } while (--n > 0);
    }
}
