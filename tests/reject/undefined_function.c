#include <visar.h>

DATABASE int x;

int price(int item);

TRANSACTION void t(void)
{
    x = price(3);
}
