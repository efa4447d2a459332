/* A sum over the rows below a counter, which a transaction moves by one or by two.
 * prove: ser=proved si=proved psi=proved pc=not
 */
#include <visar.h>
DATABASE struct { int next; } seq;
DATABASE struct { int amount; } order[ANY];
DATABASE long total;
INITIAL void nothing(void) { }
TRANSACTION void place(int amount, bool two)
{
    assume(seq.next >= 0 && seq.next < ANY - 1);
    order[seq.next].amount = amount;
    total += amount;
    if (two) {
        order[seq.next + 1].amount = 1;
        total++;
        seq.next += 2;
    } else {
        seq.next++;
    }
}
INVARIANT bool adds_up(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        if (i < seq.next)
            sum += order[i].amount;
    return sum == total;
}
