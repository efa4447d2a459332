#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    switch (x) {
        int *p = &x;
    case 1:
        *p = 2;
    }
}
