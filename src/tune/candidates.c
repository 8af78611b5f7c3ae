#include "candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_CANDIDATES = 4096 };
#define UNLIKELY 4.0 // times the lowest cost: not tried

bool mst_tune_same_values(const mst_tune_problem *p, const int64_t *a, const int64_t *b) {
    return memcmp(a, b, (size_t)p->n_parameters * sizeof *a) == 0;
}

static int by_cost(const void *left, const void *right) {
    const mst_candidate *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->tie > b->tie) - (a->tie < b->tie);
}

mst_status mst_tune_list(const mst_tune_problem *p, uint64_t seed, const int64_t *safe, const int64_t *before,
                         const int64_t *untuned, mst_candidate **list, unsigned *n, mst_error *error) {
    size_t all = 1, bytes = (size_t)p->n_parameters * sizeof(int64_t);
    double least = INFINITY;
    for (int k = 0; k < p->n_parameters; k++)
        if (!mst_multiply(all, (size_t)p->parameters[k].n, &all) || all > MOST_CANDIDATES)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s has too many combinations of values", p->capability);
    *n = 0;
    if (!(*list = calloc(all + 1, sizeof **list)))
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory tuning %s", p->capability);
    for (size_t i = 0; i < all; i++) {
        mst_candidate *c = &(*list)[*n];
        size_t rest = i;
        for (int k = 0; k < p->n_parameters; k++) {
            c->values[k] = p->parameters[k].values[rest % (size_t)p->parameters[k].n];
            rest /= (size_t)p->parameters[k].n;
        }
        c->cost = p->cost ? p->cost(p->user, c->values) : 1;
        c->tie = XXH64(c->values, bytes, seed);
        if (isinf(c->cost) || mst_tune_same_values(p, c->values, safe) || mst_tune_same_values(p, c->values, before) ||
            mst_tune_same_values(p, c->values, untuned))
            continue;
        least = c->cost < least ? c->cost : least;
        ++*n;
    }
    qsort(*list, *n, sizeof **list, by_cost);
    while (*n > 0 && (*list)[*n - 1].cost > UNLIKELY * least)
        --*n;
    return MST_OK;
}
