#include "history.h"

#include "runtime/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { KEPT_SECONDS = 24 * 3600 }; // as long as rates are kept, which are measured when kernels are there

typedef struct kept_steps {
    uint64_t steps;
    int64_t when;
} kept_steps;

uint64_t mst_scheme_hash(const mst_stencil_desc *desc, const mst_problem *p, uint64_t seed) {
    XXH64_hash_t hash = XXH3_64bits_withSeed(p->grid, sizeof p->grid, seed);
    for (size_t k = 0; k < desc->n_updates; k++)
        hash = XXH3_64bits_withSeed(desc->updates[k].expression, strlen(desc->updates[k].expression), hash);
    return hash;
}

static bool key_of(const mst_context *context, uint64_t scheme, mst_cache_key *key) {
    char text[60];
    const int length = snprintf(text, sizeof text, "steps of scheme %016llx", (unsigned long long)scheme);
    return mst_cache_make_key(context, text, (size_t)length, "history", key);
}

uint64_t mst_history_steps(mst_context *context, uint64_t scheme) {
    size_t size = 0;
    kept_steps kept = {.steps = 0};
    mst_cache_key key;
    if (!key_of(context, scheme, &key))
        return 0;
    unsigned char *payload = mst_cache_load(context, key, &size);
    if (payload && size == sizeof kept)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    const int64_t now = (int64_t)time(NULL);
    return kept.when <= now && kept.when > now - KEPT_SECONDS ? kept.steps : 0; // none where the clock went back
}

void mst_history_add(mst_context *context, uint64_t scheme, uint64_t steps) {
    const uint64_t before = mst_history_steps(context, scheme);
    const kept_steps kept = {steps < UINT64_MAX - before ? before + steps : UINT64_MAX, (int64_t)time(NULL)};
    mst_cache_key key;
    if (steps > 0 && key_of(context, scheme, &key))
        mst_cache_store(context, key, (const unsigned char *)&kept, sizeof kept);
}
