/* Who only locks sees every earlier writer of the rows, under the models that know write conflicts: so two readers
 * that lock both rows cannot see the two writes in different orders, even under psi.
 * expect: ser=holds si=holds psi=holds pc=holds cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void set_x(void) { x = 1; }
TRANSACTION void set_y(void) { y = 1; }

struct pair {
    int x, y;
};

TRANSACTION struct pair look(void)
{
    for_update(x);
    for_update(y);
    struct pair p;
    p.x = x;
    p.y = y;
    return p;
}

SCENARIO void fork(void)
{
    set_x();
    set_y();
    struct pair a = look(), b = look();
    assert(!(a.x == 1 && a.y == 0 && b.x == 0 && b.y == 1));
}
