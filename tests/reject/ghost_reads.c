#include <visar.h>

DATABASE struct { int stock, price; } item[3];
GHOST int sold, earned, by_item[3];
GHOST struct { int a, b; } pair;

static int scaled(int v) { return 2 * v; }
static int looked(void) { return sold; }
static void lost(int *p) { *p = 0; }

TRANSACTION int buy(int i, int q)
{
    assume(0 <= i && i < 3);
    item[i].stock -= q;
    sold += q;
    by_item[i] = by_item[i] + q * item[i].price;
    pair.a = pair.b + 1;
    earned -= -earned + (earned < 3) * 2;
    if (sold > 100)
        rollback();
    item[i].price = sold;
    sold = earned;
    sold = 10 / sold;
    sold /= 2;
    sold = sold << 1;
    sold = sold ? 1 : 2;
    sold = sold && q;
    sold = scaled(sold);
    by_item[sold] = 1;
    by_item[by_item[0]]++;
    sold = item[sold].price;
    q = sold++;
    sold = earned = 0;
    lost(&sold);
    ATOMIC {
        item[i].stock--;
        sold++;
    }
    ATOMIC item[i].stock = sold;
    for (int k = 0; k < sold; k++)
        item[i].stock++;
    for_update(by_item[i]);
    q = fresh(by_item);
    assert(sold > 0);
    q += looked();
    return sold;
}

CONSTRAINT bool enough(void) { return sold >= 0 && looked() < 7; }
INITIAL void opening(void) { sold = 3; earned = sold; }
INVARIANT bool fine(void) { return sold + looked() + earned >= 0; }
