// The copy threads: they share out loops over independent chunks.
#ifndef MST_RUNTIME_POOL_H
#define MST_RUNTIME_POOL_H

#include "error.h"

typedef struct mst_pool mst_pool;

// Up to n_threads threads, which start when there is something for them to do.
mst_status mst_pool_create(unsigned n_threads, mst_pool **out, mst_error *error);
void mst_pool_destroy(mst_pool *pool);

// Calls body(i, user, error) for i = 0..n-1, on the pool's threads and the caller's, in any order, and returns when all are
// done: the first failure, after which no further i is begun, or MST_OK. Several threads may call at once.
typedef mst_status (*mst_pool_fn)(size_t i, void *user, mst_error *error);
mst_status mst_pool_run(mst_pool *pool, size_t n, mst_pool_fn body, void *user, mst_error *error);

// No further i of any call is begun; calls that have any left, and later ones, fail with MST_ERROR_CANCELLED. Thread-safe.
void mst_pool_cancel(mst_pool *pool);

#endif
