/* `visar replay`: a counterexample on a real PostgreSQL.
 *
 * Of the server there are four outcomes.  Reproduced: every read gave what the execution says,
 * every transaction ended as it should, and the program, run on these answers, violates its
 * property.  Not evaluated: the same, but the program could not be run, so nothing is known of its
 * property.  Refused: the server refused a statement, with its own words, or gave another answer.
 * Not expressible: there is no order of statements at these levels that could show the execution,
 * whatever the timing.  Besides, a limit may be reached (unknown), or visar itself may be wrong
 * (broken). */
#ifndef DATABASE_REPLAY_H
#define DATABASE_REPLAY_H

#include <stdio.h>

#include "history/history.h"
#include "database/plan.h"
#include "database/record.h"
#include "database/schedule.h"

enum replay_outcome {
    REPLAY_REPRODUCED,
    REPLAY_NOT_EVALUATED, /* r->not_judged says why, once the judge was asked */
    REPLAY_REFUSED,
    REPLAY_NOT_REPRODUCED, /* at a level of PostgreSQL: the model allows it, the server does not */
    REPLAY_NOT_EXPRESSIBLE,
    REPLAY_UNKNOWN,
    REPLAY_BROKEN /* a bug of this program */
};

/* One statement as it was run, for the report. */
struct replay_statement {
    uint32_t txn;
    const char *text; /* "BEGIN ISOLATION LEVEL …", "account[0]: balance = 60", "COMMIT" … */
    bool failed;
};

struct replay {
    struct arena arena; /* owns the texts below */
    enum replay_outcome outcome;
    const char *version;          /* of the server; NULL if there was no need to ask it */
    enum record_isolation *level; /* by transaction */
    const char *level_name;       /* "REPEATABLE READ", or "the levels of the transactions" */
    bool forced;                  /* the level is not that of the execution's model */
    VEC(struct replay_statement) statements; /* what was run */
    uint32_t txn;                            /* REFUSED: whose statement, … */
    const char *statement;                   /* … which, … */
    const char *sqlstate;                    /* … or "" if the answer was not an error, … */
    const char *reason;       /* … and what was said; NOT_EXPRESSIBLE, UNKNOWN: why */
    struct plan_cells **seen; /* [transaction][read]: as it was answered; NULL: nothing ran */
    const char *not_judged;   /* why the property could not be evaluated, or NULL */
    struct history *history;  /* what the sessions saw; NULL if nothing was run */
};

/* The levels that correspond to the execution's models, or `forced` for all (-1: none). */
void pgreplay_levels(struct replay *r, const struct plan *p, int forced);
/* Levels of databases: the statements of the transactions, from the program itself.  NULL, or in
 * what the program is not that of the counterexample (replay_judge.c). */
const char *pgreplay_statements(struct replay *r, struct plan *p, struct ast_program *ast);
/* Is there a schedule?  With forced levels, a schedule for a weaker level is accepted, the
 * strongest that has one, to see what the server answers.  False: r->outcome and r->reason say
 * why. */
bool pgreplay_schedule(struct replay *r, const struct plan *p, bool forced, struct schedule *s);
/* NULL, or why it could not be tried (bad URL, no permission).  If everything went as the execution
 * says, the outcome is NOT_EVALUATED until pgreplay_judge decides whether the property fails. */
const char *pgreplay_run(struct replay *r, const struct plan *p, const struct schedule *s,
                         const char *url);
void pgreplay_free(struct replay *r);

/* The program is run again on the server's answers (replay_judge.c). */
enum replay_judgement {
    REPLAY_FAILS, /* the property fails on these answers */
    REPLAY_HOLDS,
    REPLAY_DIFFERS,   /* this is not the program of the counterexample: r->not_judged */
    REPLAY_NOT_JUDGED /* r->not_judged, if not NULL, says why */
};
enum replay_judgement pgreplay_judge(struct replay *r, const struct plan *p,
                                     struct ast_program *ast);

/* The schedule as a test of PostgreSQL's isolationtester. */
void pgreplay_spec(const struct replay *r, const struct plan *p, const struct schedule *s,
                   FILE *out);

#endif
