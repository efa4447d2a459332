/* Rows by constant and symbolic index, structs inside rows, pointers, for_update, carried fields. */
#include <visar.h>

struct item {
    int stock;
    struct {
        short price;
        bool sale;
    } tag[2];
};
DATABASE struct item item[3];
DATABASE long grid[2][4];
DATABASE unsigned total;

TRANSACTION void restock(int i, int n)
{
    assume(i >= 0 && i < 3);
    assume(n > 0 && n < 100);
    struct item *it = &item[i];
    for_update(*it);
    if (it->stock > 500)
        rollback();
    it->stock += n;
    total += (unsigned)n;
}

TRANSACTION int swap(int i, int j)
{
    assume(i >= 0 && i < 3 && j >= 0 && j < 3);
    struct item old = item[i];
    item[i] = item[j];
    item[j] = old;
    return item[i].stock;
}

TRANSACTION long sale(bool second, unsigned char row)
{
    struct item *it = second ? &item[1] : &item[0];
    it->tag[row & 1].sale = true;
    grid[row % 2][3]++;
    return grid[1][3] + grid[0][row];
}

INVARIANT bool stocked(void)
{
    for (int i = 0; i < 3; i++)
        if (item[i].stock < 0)
            return false;
    return true;
}
