/* What holds for a database's level; databases.h. */
#include "report/verify/databases.h"

#include "encode/updates.h"

static bool holds(const struct weakest_view *w, enum model_id m)
{
    return w->line[m].status == VERIFY_PROVED || w->line[m].status == VERIFY_HOLDS;
}

static bool fails(const struct weakest_view *w, enum model_id m)
{
    return w->line[m].status == VERIFY_VIOLATED;
}

/* Every line was made from the same program; without any, the worst is supposed. */
static struct updates updates(const struct weakest_view *w)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        if (w->line[m].result)
            return updates_of(w->line[m].result->program);
    return (struct updates){true, true, true, true};
}

/* A level with statement snapshots.  An UPDATE that reads nothing but its own row sees a prefix of
 * the commits all the same; what si allows, without locks, it allows too. */
static enum database_answer statement_level(const struct weakest_view *w, const struct updates *u)
{
    if (holds(w, MODEL_RCS))
        return u->columns || u->wider ? DATABASE_STATEMENTS : DATABASE_ENOUGH;
    if ((fails(w, MODEL_SI) && !w->base.fields) ||
        (fails(w, MODEL_RCS) && !u->columns && !u->reading))
        return DATABASE_NOT_ENOUGH;
    return fails(w, MODEL_RCS) ? DATABASE_STATEMENTS : DATABASE_UNSETTLED;
}

/* A level whose plain reads come from one snapshot, while changes act on the newest rows: pc, if no
 * UPDATE reads anything. */
static enum database_answer newest_level(const struct weakest_view *w, const struct updates *u)
{
    if (holds(w, MODEL_PC))
        return u->columns || u->reading ? DATABASE_STATEMENTS : DATABASE_ENOUGH;
    if ((fails(w, MODEL_SI) && !w->base.fields) ||
        (fails(w, MODEL_PC) && !u->columns && !u->reading))
        return DATABASE_NOT_ENOUGH;
    return fails(w, MODEL_PC) ? DATABASE_STATEMENTS : DATABASE_UNSETTLED;
}

/* Rows conflict on the database, so a violation by field need not be one there. */
static enum database_answer snapshot_level(const struct weakest_view *w, enum model_id m)
{
    if (holds(w, m))
        return DATABASE_ENOUGH;
    if (fails(w, m))
        return w->base.fields ? DATABASE_STATEMENTS : DATABASE_NOT_ENOUGH;
    return DATABASE_UNSETTLED;
}

/* A level that gives less than the model: what the model allows it allows, unless an update is one
 * operation that the store makes as a whole. */
static enum database_answer nearest_level(const struct weakest_view *w, const struct updates *u,
                                          enum model_id m)
{
    if (holds(w, m))
        return DATABASE_LESS;
    if (!fails(w, m))
        return DATABASE_UNSETTLED;
    if ((fails(w, MODEL_SI) && !w->base.fields) || (!u->columns && !u->reading))
        return DATABASE_NOT_ENOUGH;
    return DATABASE_STATEMENTS;
}

const struct server_line *report_server(const struct weakest_view *w, enum model_id m)
{
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (w->server[i].model && w->server[i].model->id == m)
            return &w->server[i];
    return NULL;
}

enum database_answer report_database(const struct weakest_view *w, const struct model_profile *p)
{
    struct updates u = updates(w);
    const struct server_line *measured = report_server(w, p->measured);
    if (measured)
        return measured->status == VERIFY_PROVED || measured->status == VERIFY_HOLDS
                   ? DATABASE_ENOUGH
               : measured->status == VERIFY_VIOLATED ? DATABASE_NOT_ENOUGH
                                                     : DATABASE_UNSETTLED;
    if (fails(w, MODEL_SER)) /* transactions may always run one after the other */
        return DATABASE_NOT_ENOUGH;
    if (p->fit == FIT_SAME)
        return holds(w, p->model) ? DATABASE_ENOUGH : DATABASE_UNSETTLED;
    if (u.locks)
        return DATABASE_LOCKS;
    switch (p->fit) {
    case FIT_STATEMENT:
        return statement_level(w, &u);
    case FIT_NEWEST:
        return newest_level(w, &u);
    case FIT_SNAPSHOT:
        return snapshot_level(w, p->model);
    default:
        return nearest_level(w, &u, p->model);
    }
}
