#include <visar.h>

DATABASE GHOST int both;
GHOST const int fixed = 3;
GHOST struct { PRESENCE bool there; int x; } row[3];
DATABASE int x, table[4];

GHOST TRANSACTION void t(void)
{
    GHOST int local = 1;
    x = local;
}
