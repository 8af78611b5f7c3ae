// What a search may try.
#ifndef MST_TUNE_CANDIDATES_H
#define MST_TUNE_CANDIDATES_H

#include "tune.h"

typedef struct mst_candidate {
    int64_t values[MST_TUNING_MAX_VALUES];
    double cost;
    uint64_t tie; // decides between equal costs
} mst_candidate;

// All combinations of legal values but the three that are tried anyway, the most promising first; *list is the caller's to free.
mst_status mst_tune_list(const mst_tune_problem *p, uint64_t seed, const int64_t *safe, const int64_t *before,
                         const int64_t *untuned, mst_candidate **list, unsigned *n, mst_error *error);

bool mst_tune_same_values(const mst_tune_problem *p, const int64_t *a, const int64_t *b);

#endif
