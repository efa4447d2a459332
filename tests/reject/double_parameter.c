#include <visar.h>

DATABASE int x;

TRANSACTION void t(double amount)
{
    x = 1;
}
