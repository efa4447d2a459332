#include <visar.h>

PRESENCE bool nowhere;
struct twice { PRESENCE bool here; int x; PRESENCE bool there; };
struct number { PRESENCE int here; };
struct fine { PRESENCE bool here; int x; };
struct outer { struct fine in; int y; };
struct outers { struct fine in[2]; };
DATABASE struct twice a[3];
DATABASE struct number b[3];
DATABASE struct fine c[3];
DATABASE struct outer d[3];
DATABASE struct outers e[3];

TRANSACTION PRESENCE void t(int i)
{
    assume(0 <= i && i < 3);
    struct fine copy = c[i];
    c[i].x = copy.x;
}
