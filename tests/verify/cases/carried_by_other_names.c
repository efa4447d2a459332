/* A write of one field carries the row's other fields over as the transaction last read them, by whatever name: who
 * has seen the new b keeps it.  Each transaction reads the row twice (at rc and rcs the second read may see more),
 * then writes one field of it.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=violated
 */
#include <visar.h>

DATABASE struct {
    int a, b;
} row[2];
DATABASE int told, none;

TRANSACTION void set_b(void) { row[0].b = 1; }

/* The last read has another name than the write. */
TRANSACTION void other_name(int i)
{
    assume(i == 0 || i == 1);
    int a = row[i].a;
    int b = row[0].b;
    row[i].a = a + 1;
    if (b == 1)
        told = 1;
}

/* The written row was read by a symbolic name only. */
TRANSACTION void symbolic_name(int i)
{
    assume(i == 0 || i == 1);
    int a = row[i].a;
    int b = row[i].b;
    row[0].a = a + 1;
    if (i == 0 && b == 1)
        told = 1;
}

/* Read on some paths only, and then again. */
TRANSACTION void some_paths(int i)
{
    assume(i == 0 || i == 1);
    int b = 0;
    if (row[i].a == 0)
        b = row[0].b;
    row[0].a++;
    if (b == 1)
        told = 1;
}

TRANSACTION void set_both(void)
{
    row[0].a = 5;
    row[0].b = 1;
}

/* Who has seen the old b does not write the new one. */
TRANSACTION void old_name(int i)
{
    assume(i == 0 || i == 1);
    int b = row[i].b;
    row[0].a = 7;
    if (i == 0 && b == 0)
        none = 1;
}

FINAL bool not_newer(void) { return !(none == 1 && row[0].a == 7 && row[0].b == 1); }

FINAL bool kept(void) { return told == 0 || row[0].b == 1; }

SCENARIO void first(void)
{
    set_b();
    other_name(nondet_int());
}

SCENARIO void second(void)
{
    set_b();
    symbolic_name(nondet_int());
}

SCENARIO void third(void)
{
    set_b();
    some_paths(nondet_int());
}

SCENARIO void fourth(void)
{
    set_both();
    old_name(nondet_int());
}
