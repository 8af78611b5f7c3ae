// Steps whose radix is a prime above MST_PASS_MAX_PRIME, of passes by kernels that know no sizes (any.h): a cyclic convolution in
// the room behind the tile, Rader's where prime - 1 has radices, else Bluestein's (cyclic.c).
#ifndef MST_FFT_PRIME_H
#define MST_FFT_PRIME_H

#include "pass.h"

typedef struct mst_prime {
    size_t prime, others; // of a length prime * others
    bool rader;
    mst_pass inner; // what is convolved: its length and radices
} mst_prime;

// The way of a length with one such prime factor; false if there is none, or no room in a tile.
bool mst_prime_find(size_t n, mst_prime *out);

// What a tile needs behind its numbers, in numbers.
size_t mst_prime_room(const mst_prime *p);

// The radices of such a length, the prime the last of them; false as above.
bool mst_prime_factor(size_t n, unsigned *radices, int *n_radices);

#endif
