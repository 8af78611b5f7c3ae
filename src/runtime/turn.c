#include "turn.h"

#include <pthread.h>
#include <stdlib.h>

struct mst_turn {
    pthread_mutex_t mutex;
};

mst_status mst_turn_create(mst_turn **out, mst_error *error) {
    mst_status status = MST_OK;
    pthread_mutexattr_t kind;
    mst_turn *turn = NULL;
    bool has_kind = pthread_mutexattr_init(&kind) == 0;
    *out = NULL;
    MST_REQUIRE(has_kind && (turn = malloc(sizeof *turn)), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    MST_REQUIRE(pthread_mutex_init(&turn->mutex, &kind) == 0, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    *out = turn;
    turn = NULL;
fail:
    free(turn);
    if (has_kind)
        pthread_mutexattr_destroy(&kind);
    return status;
}

void mst_turn_destroy(mst_turn *turn) {
    if (!turn)
        return;
    pthread_mutex_destroy(&turn->mutex);
    free(turn);
}

mst_status mst_turn_take(mst_turn *turn, mst_error *error) {
    if (pthread_mutex_lock(&turn->mutex) == 0)
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT,
                    "the plan or solver is called from the progress function of its own execution; call it when that has ended");
}

mst_status mst_turn_give(mst_turn *turn, mst_status status) {
    pthread_mutex_unlock(&turn->mutex);
    return status;
}
