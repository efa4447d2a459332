/* The judge of questions about robustness: the history engine, at serializability. */
#ifndef CLI_SERIAL_JUDGE_H
#define CLI_SERIAL_JUDGE_H

#include <pthread.h>

#include "encode/verify.h"

struct serial_judge {
    struct verify_judge judge; /* to be asked, from any thread */
    pthread_mutex_t lock;
    struct arena arena; /* of the reasons */
};

void serial_judge_init(struct serial_judge *j);
void serial_judge_free(struct serial_judge *j);

#endif
