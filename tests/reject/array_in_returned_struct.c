#include <visar.h>

DATABASE int x;

struct s { int a[2]; };
static struct s make(void)
{
    struct s s = {{1, 2}};
    return s;
}

TRANSACTION void t(void)
{
    x = make().a[1];
}
