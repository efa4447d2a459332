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

int cli_unknown_name(const struct cli *c, enum option_kind kind, const char *word)
{
    const char *what = kind == KIND_MODEL || kind == KIND_MODELS ? "model"
                       : kind == KIND_LEVELS                     ? "level"
                       : kind == KIND_ANOMALY                    ? "anomaly"
                                                                 : "format";
    VEC(const char *) names = {0};
    struct strbuf all = {0};
    for (size_t i = 0; cli_name_at(kind, i); i++) {
        vec_push(&names, cli_name_at(kind, i));
        sb_printf(&all, "%s%s", i ? ", " : "", cli_name_at(kind, i));
    }
    const char *close = cli_closest(word, names.data, names.len);
    int rc = close ? cli_usage(c, "unknown %s '%s' (did you mean '%s'?)", what, word, close)
                   : cli_usage(c, "unknown %s '%s': there are %s", what, word, sb_str(&all));
    vec_free(&names);
    sb_free(&all);
    return rc;
}
