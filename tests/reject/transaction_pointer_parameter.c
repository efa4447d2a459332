#include <visar.h>

DATABASE int x;

TRANSACTION void t(int *row)
{
    *row = 1;
}
