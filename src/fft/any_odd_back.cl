// A step of an odd radix up to 31 undone, but for the factor: as step_odd, with real and imaginary parts exchanged and
// the twiddles before the sums.
__attribute__((noinline)) void step_odd_back(vreal *restrict v, uint n, uint radix, uint apart,
                                             __global const real *restrict table, __global const real *restrict c) {
    const uint pairs = radix / 2, s = 2 * apart;
    for (uint j = 0; j < apart; j++, table += 2 * (radix - 1))
        for (uint b = j; b < n; b += radix * apart) {
            vreal *restrict p = v + 2 * b;
            vreal pr[15], pi[15], mr[15], mi[15];
            const vreal r0 = p[1], i0 = p[0];
            vreal sr = r0, si = i0;
            for (uint k = 0; k < pairs; k++) {
                vreal ar = p[(k + 1) * s + 1], ai = p[(k + 1) * s];
                vreal br = p[(radix - 1 - k) * s + 1], bi = p[(radix - 1 - k) * s];
                if (apart > 1) {
                    const real2 w1 = vload2(k, table), w2 = vload2(radix - 2 - k, table);
                    const vreal xr = ai * w1.x + ar * w1.y, yr = bi * w2.x + br * w2.y;
                    ar = ar * w1.x - ai * w1.y, ai = xr;
                    br = br * w2.x - bi * w2.y, bi = yr;
                }
                pr[k] = ar + br, pi[k] = ai + bi, mr[k] = ar - br, mi[k] = ai - bi;
                sr += pr[k], si += pi[k];
            }
            p[1] = sr, p[0] = si;
            for (uint q = 1; q <= pairs; q++) {
                vreal a, e, f, g;
                SUM_PAIRS(a, e, f, g)
                p[q * s + 1] = a + f, p[q * s] = e - g;
                p[(radix - q) * s + 1] = a - f, p[(radix - q) * s] = e + g;
            }
        }
}
