/* Anomalies as data: their names, what they are in plain words, and which models rule each of them
 * out.  anomalies.def is the one list. */
#ifndef MODELS_ANOMALIES_H
#define MODELS_ANOMALIES_H

#include "models/models.h"

enum anomaly {
#define ANOMALY(id, words, name, rules_out, text) ANOMALY_##id,
#include "models/anomalies.def"
#undef ANOMALY
    ANOMALY_COUNT
};
const char *anomaly_name(enum anomaly a);  /* "aborted read (G1a)", "future read" */
const char *anomaly_words(enum anomaly a); /* "aborted read" */
const char *anomaly_adya(enum anomaly a);  /* "G1a", or "" */
const char *anomaly_text(enum anomaly a);  /* a sentence */
/* The models that rule out every anomaly of this name, as a bit set. */
uint32_t anomaly_rules_out(enum anomaly a);

#endif
