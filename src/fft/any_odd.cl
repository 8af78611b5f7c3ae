// Of results q and radix - q: what the sums pr and pi of the pairs bring to real and imaginary parts (a, e), and what
// the differences mr and mi do (f, g), which is added to one of the results and taken from the other.
#define SUM_PAIRS(a, e, f, g)                                                                                          \
    {                                                                                                                  \
        uint at = 2 * q < radix ? 2 * q : 2 * q - radix;                                                               \
        const real2 c0 = vload2(q, c), c1 = vload2(at, c);                                                             \
        a = r0 + pr[0] * c0.x + pr[1] * c1.x, e = i0 + pi[0] * c0.x + pi[1] * c1.x;                                    \
        f = mi[0] * c0.y + mi[1] * c1.y, g = mr[0] * c0.y + mr[1] * c1.y;                                              \
        for (uint k = 2; k < pairs; k++) {                                                                             \
            at = at + q < radix ? at + q : at + q - radix;                                                             \
            const real2 ck = vload2(at, c);                                                                            \
            a = a + pr[k] * ck.x;                                                                                      \
            e = e + pi[k] * ck.x;                                                                                      \
            f = f + mi[k] * ck.y;                                                                                      \
            g = g + mr[k] * ck.y;                                                                                      \
        }                                                                                                              \
    }

// A step of an odd radix up to 31, by sums over pairs of opposite elements; c has cos and sin of 2 pi k / radix. Sums
// are in the order, and the first two terms in one expression, of the butterflies that are written for a radix: they
// round the same.
__attribute__((noinline)) void step_odd(vreal *restrict v, uint n, uint radix, uint apart, uint inner,
                                        __global const real *restrict table, __global const real *restrict c) {
    const uint pairs = radix / 2, s = 2 * apart;
    for (uint j = 0, left = inner; j < apart; j++) {
        for (uint b = j; b < n; b += radix * apart) {
            vreal *restrict p = v + 2 * b;
            vreal pr[15], pi[15], mr[15], mi[15];
            const vreal r0 = p[0], i0 = p[1];
            vreal sr = r0, si = i0;
            for (uint k = 0; k < pairs; k++) {
                const vreal ar = p[(k + 1) * s], ai = p[(k + 1) * s + 1];
                const vreal br = p[(radix - 1 - k) * s], bi = p[(radix - 1 - k) * s + 1];
                pr[k] = ar + br, pi[k] = ai + bi, mr[k] = ar - br, mi[k] = ai - bi;
                sr += pr[k], si += pi[k];
            }
            p[0] = sr, p[1] = si;
            for (uint q = 1; q <= pairs; q++) {
                vreal a, e, f, g;
                SUM_PAIRS(a, e, f, g)
                const vreal xr = a + f, xi = e - g, yr = a - f, yi = e + g;
                vreal *restrict p1 = p + q * s, *restrict p2 = p + (radix - q) * s;
                if (apart > inner) {
                    const real2 w1 = vload2(q - 1, table), w2 = vload2(radix - q - 1, table);
                    p1[0] = xr * w1.x - xi * w1.y, p1[1] = xr * w1.y + xi * w1.x;
                    p2[0] = yr * w2.x - yi * w2.y, p2[1] = yr * w2.y + yi * w2.x;
                } else {
                    p1[0] = xr, p1[1] = xi, p2[0] = yr, p2[1] = yi;
                }
            }
        }
        if (--left == 0)
            left = inner, table += 2 * (radix - 1);
    }
}
