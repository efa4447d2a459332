/* See anomalies.h. */
#include "models/anomalies.h"

#include "models/model_sets.h"

#define M(model) (1u << MODEL_##model)

static const struct {
    const char *words, *adya, *name, *text;
    uint32_t rules_out;
} anomaly_table[] = {
#define ANOMALY(id, words, name, rules_out, text)                                                  \
    {words, name, sizeof name > 1 ? words " (" name ")" : words, text, rules_out},
#include "models/anomalies.def"
#undef ANOMALY
};

const char *anomaly_name(enum anomaly a)
{
    return anomaly_table[a].name;
}

const char *anomaly_words(enum anomaly a)
{
    return anomaly_table[a].words;
}

const char *anomaly_adya(enum anomaly a)
{
    return anomaly_table[a].adya;
}

const char *anomaly_text(enum anomaly a)
{
    return anomaly_table[a].text;
}

uint32_t anomaly_rules_out(enum anomaly a)
{
    uint32_t all = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (anomaly_table[a].rules_out >> m & 1)
            all |= model_and_above((enum model_id)m);
    return all;
}
