/* An index that may leave its array.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int cell[3];

TRANSACTION void set(int i) { cell[i] = 1; }

SCENARIO void one(void) { set(nondet_int()); }
