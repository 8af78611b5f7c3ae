// Short columns, a vector of each row of numbers at a time, so that loads and stores overlap with butterflies.

#define COLUMNS_AHEAD (16 * LANES)

// A vector of a row of columns, and back; those that come soon are asked for. Lanes have the columns in an order of
// their own, which takes half as many instructions.
INLINE void take_column(vreal *x, vreal *y, __global const real *from, uint swap) {
    const vpairs both = VLOAD_PAIRS(0, from);
    ASK_LATER(from + COLUMNS_AHEAD);
    *x = swap ? ODD_NEAR(both) : EVEN_NEAR(both);
    *y = swap ? EVEN_NEAR(both) : ODD_NEAR(both);
}

INLINE void put_column(vreal x, vreal y, __global real *to, uint swap) {
    ASK_TO_WRITE(to + COLUMNS_AHEAD);
    VSTORE_PAIRS(PAIRS_NEAR(swap ? y : x, swap ? x : y), 0, to);
}

// Columns of a prime's length up to 31, from memory to memory (step_odd).
__attribute__((noinline)) void columns_odd(uint radix, __global const real *from, __global real *to, uint many,
                                           long s_stride, long t_stride, uint swap, real scale,
                                           __global const real *restrict c) {
    const uint pairs = radix / 2;
    for (uint column = 0; column < many; column++, from += 2 * LANES, to += 2 * LANES) {
        vreal pr[15], pi[15], mr[15], mi[15], r0, i0;
        take_column(&r0, &i0, from, swap);
        vreal sr = r0, si = i0;
        for (uint k = 0; k < pairs; k++) {
            vreal ar, ai, br, bi;
            take_column(&ar, &ai, from + (k + 1) * s_stride, swap);
            take_column(&br, &bi, from + (radix - 1 - k) * s_stride, swap);
            pr[k] = ar + br, pi[k] = ai + bi, mr[k] = ar - br, mi[k] = ai - bi;
            sr += pr[k], si += pi[k];
        }
        put_column(sr * scale, si * scale, to, swap);
        for (uint q = 1; q <= pairs; q++) {
            vreal a, e, f, g;
            SUM_PAIRS(a, e, f, g)
            put_column((a + f) * scale, (e - g) * scale, to + q * t_stride, swap);
            put_column((a - f) * scale, (e + g) * scale, to + (radix - q) * t_stride, swap);
        }
    }
}
