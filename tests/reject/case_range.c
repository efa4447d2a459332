#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    switch (x) {
    case 1 ... 5:
        x = 0;
    }
}
