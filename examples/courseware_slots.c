/* Courseware, slots: two clerks schedule different courses into one time slot.  Scheduling writes
 * the slot's row as well as the course's, so the two transactions conflict on the slot and the
 * levels that forbid write-write conflicts keep the timetable sound; the others lose one of the
 * two writes of the slot while both courses believe they have it.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define SLOTS 2
#define COURSES 3
#define NOTHING 0 /* slots and courses are numbered from 1 inside the rows */

DATABASE struct { int course; } slot[SLOTS];
DATABASE struct { int slot; } course[COURSES];

TRANSACTION void schedule_course(int c, int s)
{
    assume(c >= 0 && c < COURSES);
    assume(s >= 0 && s < SLOTS);
    if (slot[s].course != NOTHING || course[c].slot != NOTHING)
        rollback();
    slot[s].course = c + 1;
    course[c].slot = s + 1;
}

INVARIANT bool a_slot_has_one_course(void)
{
    for (int i = 0; i < COURSES; i++)
        if (course[i].slot != NOTHING)
            for (int j = i + 1; j < COURSES; j++)
                if (course[i].slot == course[j].slot)
                    return false;
    return true;
}

/* The lemma that lets the invariant above be proved for any number of transactions. */
INVARIANT bool tables_agree(void)
{
    for (int c = 0; c < COURSES; c++)
        for (int s = 0; s < SLOTS; s++)
            if (course[c].slot == s + 1 && slot[s].course != c + 1)
                return false;
    return true;
}

SCENARIO void two_clerks(void)
{
    schedule_course(0, 1);
    schedule_course(2, 1);
}
