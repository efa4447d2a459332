#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    switch (x)
    case 1:
        x = 0;
}
