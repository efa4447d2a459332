/* `visar replay`: what the server did with a counterexample. */
#ifndef REPORT_COMMAND_REPLAY_REPORT_H
#define REPORT_COMMAND_REPLAY_REPORT_H

#include <stdio.h>

#include "database/replay.h"

struct replay_view {
    const struct plan *plan;         /* the counterexample */
    const struct schedule *schedule; /* the order of its statements; empty: there is none */
    const struct replay *replay;     /* what happened */
    enum replay_judgement judgement;
    bool quiet;
};

void report_replay_text(const struct replay_view *v, FILE *out);
void report_replay_json(const struct replay_view *v, FILE *out);
/* Why nothing is known where the server gave every answer, and the property holds on them or the
 * program is another one (REPLAY_HOLDS, REPLAY_DIFFERS: because of `difference`). */
const char *report_replay_doubt(const struct plan *p, const char *difference,
                                enum replay_judgement j, struct arena *a);

#endif
