/* Courseware, slots: two clerks schedule different courses into one time slot.  Scheduling writes
 * the slot's row as well as the course's, so the two transactions conflict on the slot and the
 * levels that forbid write-write conflicts keep the timetable sound; the others lose one of the
 * two writes of the slot while both courses believe they have it.  Any number of both.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define NOTHING 0 /* slots and courses are numbered from 1 inside the rows */

DATABASE struct { int course; } slot[ANY];
DATABASE struct { int slot; } course[ANY];

TRANSACTION void schedule_course(int c, int s)
{
    assume(c >= 0 && c < ANY);
    assume(s >= 0 && s < ANY);
    if (slot[s].course != NOTHING || course[c].slot != NOTHING)
        rollback();
    slot[s].course = c + 1;
    course[c].slot = s + 1;
}

INVARIANT bool a_slot_has_one_course(int i, int j)
{
    return i == j || course[i].slot == NOTHING || course[i].slot != course[j].slot;
}

/* The lemma that lets the invariant above be proved for any number of transactions. */
INVARIANT bool tables_agree(int c, int s)
{
    return course[c].slot != s + 1 || slot[s].course == c + 1;
}

SCENARIO void two_clerks(void)
{
    schedule_course(0, 1);
    schedule_course(2, 1);
}
