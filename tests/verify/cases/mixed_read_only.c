/* The read-only anomaly among serializable transactions needs a dependency by reading (rw, wr, rw).
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * mixed: ser,ser,ser,si=holds
 * mixed: ser,ser,si,si=violated
 * mixed: ser,si,ser,ser=violated
 * mixed: ser,ser,ser,rc=holds
 */
#include <visar.h>

DATABASE int savings, checking, z;
DATABASE struct { bool printed; int savings, checking; } report;

TRANSACTION void deposit(void) { savings += 20; }

TRANSACTION void withdraw(void)
{
    if (savings + checking < 10)
        checking -= 11;
    else
        checking -= 10;
}

TRANSACTION void print(void)
{
    report.savings = savings;
    report.checking = checking;
    report.printed = true;
}

TRANSACTION void elsewhere(void) { z = 1; }

FINAL bool no_penalty_after_the_deposit(void)
{
    return !(report.printed && report.savings == 20 && report.checking == 0 && checking == -11);
}

SCENARIO void four(void)
{
    deposit();
    withdraw();
    print();
    elsewhere();
}
