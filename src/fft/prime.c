#include "prime.h"

#include "any.h"

#include <math.h>

size_t mst_prime_room(const mst_prime *p) { return 2 * p->inner.n; }

// Sweeps over a tile, those that bring, multiply and put back numbers included. A step of a prime radix that has no butterfly of
// its own takes sums over all of its numbers for each of them.
static double work_of(const mst_pass *inner) {
    double work = 3;
    for (int k = 0; k < inner->n_radices; k++) {
        const double radix = inner->radices[k];
        work += 1 + (radix <= MST_ANY_RADIX ? log2(radix) / 3 : radix / 4);
    }
    return work * (double)inner->n;
}

// The length of at least `least` whose transforms are the least work.
static bool choose_length(size_t least, mst_pass *best) {
    bool found = false;
    for (size_t n = least; n < 2 * least; n++) {
        mst_pass inner = *best;
        inner.n = n;
        if (!mst_pass_factor(n, true, 0, inner.radices, &inner.n_radices) || (found && work_of(&inner) >= work_of(best)))
            continue;
        *best = inner;
        found = true;
    }
    return found;
}

bool mst_prime_find(size_t n, mst_prime *out) {
    size_t prime = n, limit = ANY_TILE;
    unsigned radices[MST_PASS_RADICES];
    int count;
    if (n <= MST_PASS_MAX_PRIME || n > ANY_LONGEST)
        return false;
    for (size_t d = 2; d <= MST_PASS_MAX_PRIME; d++)
        while (prime % d == 0)
            prime /= d;
    for (size_t d = MST_PASS_MAX_PRIME + 1; d * d <= prime; d++)
        if (prime % d == 0)
            return false;
    if (prime == 1 || !mst_pass_factor(n / prime, true, 0, radices, &count))
        return false;
    *out = (mst_prime){.prime = prime, .others = n / prime, .rader = true, .inner = {.cpu = true, .n = prime - 1}};
    if (!mst_pass_factor(prime - 1, true, 0, out->inner.radices, &out->inner.n_radices)) {
        out->rader = false;
        if (!choose_length(2 * prime - 1, &out->inner))
            return false;
    }
    return n + mst_prime_room(out) <= limit && count + 1 + out->inner.n_radices <= ANY_RADICES;
}

bool mst_prime_factor(size_t n, unsigned *radices, int *n_radices) {
    mst_prime way;
    if (!mst_prime_find(n, &way) || !mst_pass_factor(way.others, true, 0, radices, n_radices))
        return false;
    radices[(*n_radices)++] = (unsigned)way.prime;
    return true;
}
