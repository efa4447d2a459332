#include <visar.h>

DATABASE int x;

struct p { int a; };
static int get(const struct p *p)
{
    return p->a;
}
TRANSACTION void t(void) { x = get(&(struct p){3}); }
