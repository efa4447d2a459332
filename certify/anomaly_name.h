/* The names of cycles: Adya's, and the well-known special cases in plain words. */
#ifndef CERTIFY_ANOMALY_NAME_H
#define CERTIFY_ANOMALY_NAME_H

#include "certify/verdict.h"

/* The name of a cycle by itself. */
enum anomaly anomaly_of_cycle(const struct history *h, const struct check_result *r,
                              uint32_t cycle);
/* The mildest of the cycles: the violation has its name, if every cycle rules out what the name
 * does; else no name fits, and `cycle` is HIST_NONE. */
struct anomaly_choice {
    enum anomaly name;
    uint32_t cycle;
};
struct anomaly_choice anomaly_of_violation(const struct history *h, const struct check_result *r);
/* Is the name of a violation the one that its cycles give it? */
bool anomaly_is_named(const struct history *h, const struct check_result *r);

#endif
