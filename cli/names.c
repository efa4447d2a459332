/* The names that options take: models, levels, formats, anomalies.  They come from the tables of
 * the rooms that know them; completion lists them, and an unknown one is answered from here. */
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/table.h"
#include "history/check.h"
#include "history/formats.h"
#include "history/generate.h"
#include "models/models.h"

static const char *model_at(size_t i)
{
    return i < MODEL_COUNT ? model_get((enum model_id)i)->name : NULL;
}

static const char *models_at(size_t i)
{
    return i == MODEL_COUNT ? "all" : model_at(i);
}

static const char *levels_at(size_t i)
{
    return i <= MODEL_COUNT ? models_at(i) : check_level_extra(i - MODEL_COUNT - 1);
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

/* Long names are understood too, so one of them may have been meant: the short one is the answer.
 */
static const char *closest(enum option_kind kind, const char *word)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; cli_name_at(kind, i); i++)
        vec_push(&names, cli_name_at(kind, i));
    bool models = kind == KIND_MODEL || kind == KIND_MODELS || kind == KIND_LEVELS;
    for (int i = 0; i < MODEL_COUNT && models; i++)
        vec_push(&names, model_get((enum model_id)i)->title);
    const char *close = cli_closest(word, names.data, names.len);
    vec_free(&names);
    const struct model *m = close && models ? model_find(close) : NULL;
    return m ? m->name : close;
}

int cli_unknown_name(const struct cli *c, enum option_kind kind, const char *word)
{
    const char *what = kind == KIND_MODEL || kind == KIND_MODELS ? "model"
                       : kind == KIND_LEVELS                     ? "level"
                       : kind == KIND_ANOMALY                    ? "anomaly"
                                                                 : "format";
    struct strbuf all = {0};
    for (size_t i = 0; cli_name_at(kind, i); i++)
        sb_printf(&all, "%s%s", i ? ", " : "", cli_name_at(kind, i));
    const char *close = closest(kind, word);
    int rc = close ? cli_usage(c, "unknown %s '%s' (did you mean '%s'?)", what, word, close)
                   : cli_usage(c, "unknown %s '%s': there are %s", what, word, sb_str(&all));
    sb_free(&all);
    return rc;
}
