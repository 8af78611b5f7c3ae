// A step whose radix is a large prime n (prime.h), by a cyclic convolution of m points behind the tile: of the numbers
// in Rader's order, or of all of them times a chirp, and zeros.

__attribute__((noinline)) void bring_in_order(vreal *restrict to, const vreal *restrict from, size_t apart, uint m,
                                              __global const uint *restrict order) {
    for (uint q = 0; q < m; q++) {
        const vreal *at = from + 2 * apart * order[q];
        to[2 * q] = at[0], to[2 * q + 1] = at[1];
    }
}

__attribute__((noinline)) void bring_chirped(vreal *restrict to, const vreal *restrict from, size_t apart, uint n,
                                             uint m, __global const real *restrict chirp) {
    for (uint k = 0; k < n; k++, from += 2 * apart) {
        const real2 w = vload2(k, chirp);
        const vreal x = from[0], y = from[1];
        to[2 * k] = x * w.x - y * w.y, to[2 * k + 1] = x * w.y + y * w.x;
    }
    for (uint k = n; k < m; k++)
        to[2 * k] = 0, to[2 * k + 1] = 0;
}

// In order, with the parts exchanged: what is left is the inverse transform.
__attribute__((noinline)) void multiply_spectrum(vreal *restrict to, const vreal *restrict from, uint m,
                                                 __global const uint *restrict places,
                                                 __global const real *restrict spectrum) {
    for (uint k = 0; k < m; k++) {
        const real2 w = vload2(k, spectrum);
        const vreal x = from[2 * (size_t)places[k]], y = from[2 * (size_t)places[k] + 1];
        to[2 * k] = x * w.y + y * w.x, to[2 * k + 1] = x * w.x - y * w.y;
    }
}

// Results 1 .. n - 1, each with number 0 added; `sum`, of the others, makes result 0.
__attribute__((noinline)) void put_in_order(vreal *restrict to, const vreal *restrict from, size_t apart, uint n,
                                            __global const uint *restrict places, vreal sum_re, vreal sum_im) {
    const vreal x = to[0], y = to[1];
    to[0] = x + sum_re, to[1] = y + sum_im;
    for (uint k = 1; k < n; k++) {
        const size_t e = 2 * (size_t)places[k];
        to[2 * apart * k] = x + from[e + 1], to[2 * apart * k + 1] = y + from[e];
    }
}

__attribute__((noinline)) void put_chirped(vreal *restrict to, const vreal *restrict from, size_t apart, uint n,
                                           __global const uint *restrict places, __global const real *restrict chirp) {
    for (uint k = 0; k < n; k++, to += 2 * apart) {
        const real2 w = vload2(k, chirp);
        const vreal x = from[2 * (size_t)places[k] + 1], y = from[2 * (size_t)places[k]];
        to[0] = x * w.x - y * w.y, to[1] = x * w.y + y * w.x;
    }
}

// Of consecutive steps, the sizes of blocks are multiples or divisors of one another.
uint block_of(__global const any_pass *p, uint k) { return (uint)(p->radices[k] * p->apart[k]); }

void take_smooth_steps(vreal *v, __global const any_pass *p, uint first, uint end, uint count,
                       __global const real *numbers) {
    for (uint k = first, next; k < end; k = next) {
        uint block = block_of(p, k), part = count;
        for (next = k + 1; count > NEAR_NUMBERS && next < end && max(block, block_of(p, next)) <= NEAR_NUMBERS; next++)
            block = max(block, block_of(p, next));
        if (next > k + 1)
            part = PART_OF(block);
        for (uint at = 0; at < count; at += part)
            for (uint i = k; i < next; i++)
                take_step(v + 2 * (size_t)at, min(part, count - at), (uint)p->radices[i], (uint)p->apart[i],
                          (uint)p->inner[i], numbers + p->tables[i], numbers + p->odd[i]);
    }
}

// One of n numbers that are `apart` from one another.
void convolve_prime(vreal *at, vreal *room, __global const any_pass *p, size_t apart, uint n,
                    __global const real *numbers, __global const uint *places) {
    const uint m = (uint)p->prime_m, first = (uint)p->n_steps, end = first + (uint)p->prime_steps;
    __global const uint *inner = places + p->prime_places, *results = places + p->prime_results;
    vreal *product = room + 2 * (size_t)m;
    const bool rader = p->chirp < 0;
    if (rader)
        bring_in_order(room, at, apart, m, places + p->prime_order);
    else
        bring_chirped(room, at, apart, n, m, numbers + p->chirp);
    take_smooth_steps(room, p, first, end, m, numbers);
    multiply_spectrum(product, room, m, inner, numbers + p->spectrum);
    take_smooth_steps(product, p, first, end, m, numbers);
    if (rader)
        put_in_order(at, product, apart, n, results, room[0], room[1]);
    else
        put_chirped(at, product, apart, n, results, numbers + p->chirp);
}

// All blocks of a tile of `count` numbers.
void step_prime(vreal *v, __global const any_pass *p, uint count, uint n, uint apart, __global const real *numbers,
                __global const uint *places) {
    for (uint j = 0; j < apart; j++)
        for (uint b = j; b < count; b += n * apart)
            convolve_prime(v + 2 * (size_t)b, v + 2 * (size_t)count, p, apart, n, numbers, places);
}

void take_steps(vreal *v, __global const any_pass *p, uint first, uint end, uint count, __global const real *numbers,
                __global const uint *places) {
    if (p->prime_m == 0) {
        take_smooth_steps(v, p, first, end, count, numbers);
        return;
    }
    for (uint k = first; k < end; k++)
        if (p->radices[k] > ANY_PRIME)
            step_prime(v, p, count, (uint)p->radices[k], (uint)p->apart[k], numbers, places);
        else
            take_smooth_steps(v, p, k, k + 1, count, numbers);
}
