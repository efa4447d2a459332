#include <visar.h>
#ifndef FZ
#define FZ(e) (e)
#define FZ_STUB(...)
#endif
enum color { RED, GREEN = 5, BLUE };
struct account {
    unsigned short a;
    long b;
    _Bool c;
};
DATABASE struct account account[4];
DATABASE long counter;
DATABASE unsigned short grid[2][3] = {{1}, {4, 5, 300}};
static struct account bump(struct account s, int by)
{
    return s;
}
static unsigned char h0_6(unsigned n, struct account *p0)
{
    long y = 1;
    return FZ(y);
}
TRANSACTION short t55(enum color m, int n, enum color k)
{
    long y = 1;
    y = (account[3].a = 41) + 1;
    account[(k) & 3].a = FZ((n & 1));
    int x686 = (int)(FZ((grid[0][(m) & 1] >> (n & 7))) & 3);
    while (x686-- > 0) {
        account[((x686 & m)) & 3].c -= 3;
    }
    y = (account[(y) & 3].b = 3) + 1;
    return FZ((x686 || n));
}
