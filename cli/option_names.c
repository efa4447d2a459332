/* The names that options take: models, levels, formats, anomalies.  They come from the tables of
 * the rooms that know them; completion lists them, and an unknown one is answered from here. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/table.h"
#include "history/format/formats.h"
#include "history/generate/generate.h"
#include "models/levels.h"

static const char *model_at(size_t i)
{
    return i < MODEL_COUNT ? model_get((enum model_id)i)->name : NULL;
}

/* Models, and the levels of databases. */
static const char *models_at(size_t i)
{
    if (i <= MODEL_COUNT)
        return i == MODEL_COUNT ? "all" : model_at(i);
    const struct model *server = model_server(i - MODEL_COUNT - 1);
    return server ? server->name : NULL;
}

static const char *levels_at(size_t i)
{
    if (i <= MODEL_COUNT)
        return i == MODEL_COUNT ? "all" : model_at(i);
    return level_extra(i - MODEL_COUNT - 1);
}

static const char *reader_at(size_t i)
{
    return i < fmt_count() ? fmt_at(i)->name : NULL;
}

static const char *writer_at(size_t wanted)
{
    for (size_t i = 0; i < fmt_count(); i++)
        if (fmt_at(i)->write && wanted-- == 0)
            return fmt_at(i)->name;
    return NULL;
}

static const char *anomaly_at(size_t i)
{
    return i < gen_anomaly_count() ? gen_anomaly_at(i)->name : NULL;
}

const char *cli_name_at(enum option_kind kind, size_t i)
{
    switch (kind) {
    case KIND_MODEL:
        return model_at(i);
    case KIND_MODELS:
        return models_at(i);
    case KIND_LEVELS:
        return levels_at(i);
    case KIND_READER:
        return reader_at(i);
    case KIND_WRITER:
        return writer_at(i);
    case KIND_ANOMALY:
        return anomaly_at(i);
    default:
        return NULL;
    }
}

static bool is_model(enum option_kind kind)
{
    return kind == KIND_MODEL || kind == KIND_MODELS || kind == KIND_LEVELS;
}

/* Long names are understood too, so one of them may have been meant: the short one is the answer.
 */
static const char *closest(enum option_kind kind, const char *word)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; cli_name_at(kind, i); i++)
        vec_push(&names, cli_name_at(kind, i));
    bool models = is_model(kind);
    for (int i = 0; i < MODEL_COUNT && models; i++)
        vec_push(&names, model_get((enum model_id)i)->title);
    const char *close = cli_closest(word, names.data, names.len);
    vec_free(&names);
    const struct model *m = close && models ? model_find(close) : NULL;
    return m ? m->name : close;
}

/* ---- what databases call them ---------------------------------------------------------------- */

/* Short words that are close to a wrong name, or to none. */
static const struct {
    const char *word, *means;
} habits[] = {
    {"rr", "repeatable read"},          {"repeatable", "repeatable read"},
    {"committed", "read committed"},    {"rcsi", "read committed, statement snapshots"},
    {"atomic", "read atomic"},          {"causal", "causal consistency"},
    {"prefix", "prefix consistency"},   {"parallel snapshot", "parallel snapshot isolation"},
    {"snapshot", "snapshot isolation"}, {"serialisable", "serializable"},
    {"linearizable", "strict ser"},     {"strict serializability", "strict ser"},
    {"strict", "strict ser"},
};

/* As databases would say it: "Repeatable-Read" is "repeatable read". */
static const char *normal(struct strbuf *b, const char *word)
{
    for (; *word; word++)
        sb_putc(b, *word == '-' || *word == '_' ? ' ' : (char)tolower((unsigned char)*word));
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (!strcmp(sb_str(b), habits[i].word))
            return habits[i].means;
    return sb_str(b);
}

/* "si (PostgreSQL, TiDB), rcs (MySQL)": nothing if no database has a level of that name. */
static void put_databases(struct strbuf *out, const char *name)
{
    for (int m = MODEL_COUNT; m-- > 0;) {
        bool first = true;
        for (size_t i = 0; i < model_profile_count; i++) {
            const struct model_profile *p = &model_profiles[i];
            if ((int)p->model != m || strcasecmp(p->level, name) != 0)
                continue;
            if (first)
                sb_printf(out, "%s%s (", out->len ? ", " : "", model_get(p->model)->name);
            sb_printf(out, "%s%s", first ? "" : ", ", p->database);
            first = false;
        }
        sb_puts(out, first ? "" : ")");
    }
}

/* One of ours with that name in other letters, or NULL. */
static const char *ours(enum option_kind kind, const char *name)
{
    bool ser = !strcmp(name, "serializable"); /* the title is the noun */
    const struct model *m = ser ? model_get(MODEL_SER) : model_find(name);
    const char *found = m ? m->name : NULL;
    for (size_t i = 0; !found && cli_name_at(kind, i); i++) {
        struct strbuf b = {0};
        if (!strcmp(normal(&b, cli_name_at(kind, i)), name))
            found = cli_name_at(kind, i);
        sb_free(&b);
    }
    return found;
}

/* A level of a database is one model here and another there: no alias could be right. */
static bool known_to_databases(const struct cli *c, enum option_kind kind, const char *what,
                               const char *word)
{
    struct strbuf b = {0}, where = {0}, hint = {0};
    const char *name = normal(&b, word), *found = ours(kind, name);
    put_databases(&where, name);
    if (found)
        sb_printf(&hint, " (did you mean '%s'?)", found);
    if (where.len)
        sb_printf(&hint, ": databases mean %s by it, see 'visar models'", where.data);
    if (hint.len)
        cli_usage(c, "unknown %s '%s'%s", what, word, hint.data);
    bool known = hint.len > 0;
    sb_free(&hint);
    sb_free(&b);
    sb_free(&where);
    return known;
}

int cli_unknown_name(const struct cli *c, enum option_kind kind, const char *word)
{
    bool level = kind == KIND_LEVELS || c->command == COMMAND_GENERATE;
    const char *what = is_model(kind)         ? level ? "level" : "model"
                       : kind == KIND_ANOMALY ? "anomaly"
                                              : "format";
    if (is_model(kind) && known_to_databases(c, kind, what, word))
        return EXIT_USAGE;
    struct strbuf all = {0};
    for (size_t i = 0; cli_name_at(kind, i); i++)
        sb_printf(&all, "%s%s", i ? ", " : "", cli_name_at(kind, i));
    const char *close = closest(kind, word);
    int rc = close ? cli_usage(c, "unknown %s '%s' (did you mean '%s'?)", what, word, close)
                   : cli_usage(c, "unknown %s '%s': there are %s%s", what, word, sb_str(&all),
                               kind == KIND_LEVELS
                                   ? " ('visar models' says what the first are, docs/check.md "
                                     "the others)"
                               : is_model(kind) ? " ('visar models' says what they are)"
                                                : "");
    sb_free(&all);
    return rc;
}
