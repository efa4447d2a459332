#include <visar.h>

DATABASE struct { int stock; } item[3];

CONSTRAINT bool in_stock(int i) { return item[i].stock > 0; }

INITIAL void two_items(void)
{
    item[0].stock = 1;
    item[1].stock = 5;
}

TRANSACTION void sell(int i)
{
    assume(i >= 0 && i < 3);
    item[i].stock--;
}

INVARIANT bool not_negative(int i) { return item[i].stock >= 0; }
