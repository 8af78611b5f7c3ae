// What happens in a tile between loading and storing.

// The op of a side whose positions are the elements, on what lies at places[k], or k where there are none. Loading, the
// swap comes after the factor, storing before it.
__attribute__((noinline)) void multiply_tile(vreal *restrict v, __global const any_side *s,
                                             __global const real *restrict numbers,
                                             __global const uint *restrict places, uint n) {
    __global const real *restrict factors = numbers + s->factors;
    const uint swap = (uint)s->swap, swap_before = places ? swap : 0, swap_after = places ? 0 : swap;
    for (uint k = 0; k < n; k++) {
        const uint e = places ? places[k] : k;
        const real2 w = vload2(k, factors);
        const vreal x = v[2 * e + swap_before], y = v[2 * e + 1 - swap_before];
        v[2 * e + swap_after] = x * w.x - y * w.y;
        v[2 * e + 1 - swap_after] = x * w.y + y * w.x;
    }
}

// From the transform Z of z[j] = x[2j] + i x[2j+1] to that of x: with w = exp(-2 pi i / 2n), E = (Z[k] + conj Z[n-k]) /
// 2 and O = -i (Z[k] - conj Z[n-k]) / 2, X[k] = E + w^k O and X[n-k] = conj(E - w^k O). Result n goes behind the
// others.
__attribute__((noinline)) void combine_tile(vreal *restrict v, uint n, __global const uint *restrict places,
                                            __global const real *restrict roots) {
    const vreal zr = RE(0), zi = IM(0); // result 0 lies at 0
    RE(0) = zr + zi, IM(0) = 0;
    RE(n) = zr - zi, IM(n) = 0;
    for (uint k = 1; 2 * k <= n; k++) {
        const uint a = places[k], b = places[n - k];
        const real2 w = vload2(k, roots);
        const vreal ar = RE(a), ai = IM(a), br = RE(b), bi = IM(b);
        const vreal er = REAL(0.5) * (ar + br), ei = REAL(0.5) * (ai - bi);
        const vreal qr = REAL(0.5) * (ai + bi), qi = REAL(0.5) * (br - ar);
        const vreal tr = qr * w.x - qi * w.y, ti = qr * w.y + qi * w.x;
        RE(b) = er - tr, IM(b) = ti - ei;
        RE(a) = er + tr, IM(a) = ei + ti;
    }
}

// Back: Z[k] = E + i O with E = X[k] + conj X[n-k] and O = conj(w^k) (X[k] - conj X[n-k]), of which the inverse
// transform of length n, without a factor, is that of X of length 2n. Imaginary parts of X[0] and X[n] do not count.
// Leaves Z with its parts exchanged: a forward transform follows.
__attribute__((noinline)) void split_tile(vreal *restrict v, uint n, __global const real *restrict roots) {
    const vreal first = RE(0), last = RE(n);
    IM(0) = first + last, RE(0) = first - last;
    for (uint k = 1; 2 * k <= n; k++) {
        const uint a = k, b = n - k;
        const real2 w = vload2(k, roots);
        const vreal ar = RE(a), ai = IM(a), br = RE(b), bi = IM(b);
        const vreal er = ar + br, ei = ai - bi, dr = ar - br, di = ai + bi;
        const vreal qr = dr * w.x + di * w.y, qi = di * w.x - dr * w.y;
        IM(b) = er + qi, RE(b) = qr - ei;
        IM(a) = er - qi, RE(a) = ei + qr;
    }
}

// The same in memory: a run of results and their opposites, several at once where they lie side by side.
typedef struct opposites {
    vreal ar, ai, br, bi; // Z[k] and Z[n-k], or X
} opposites;

opposites combined(opposites z, vreal wr, vreal wi) {
    const vreal er = REAL(0.5) * (z.ar + z.br), ei = REAL(0.5) * (z.ai - z.bi);
    const vreal qr = REAL(0.5) * (z.ai + z.bi), qi = REAL(0.5) * (z.br - z.ar);
    const vreal tr = qr * wr - qi * wi, ti = qr * wi + qi * wr;
    return (opposites){er + tr, ei + ti, er - tr, ti - ei};
}

opposites split(opposites x, vreal wr, vreal wi) { // with the parts exchanged
    const vreal er = x.ar + x.br, ei = x.ai - x.bi, dr = x.ar - x.br, di = x.ai + x.bi;
    const vreal qr = dr * wr + di * wi, qi = di * wr - dr * wi;
    return (opposites){ei + qr, er - qi, qr - ei, er + qi};
}

// Of several, those from k on and their opposites from b on; of one, k and b.
void put_opposites(__global real *to, long stride, long k, long b, bool several, opposites z) {
    if (several) {
        VSTORE_PAIRS(PAIRS(REVERSED(z.br), REVERSED(z.bi)), 0, to + 2 * b);
        VSTORE_PAIRS(PAIRS(z.ar, z.ai), 0, to + 2 * k);
    } else {
        vstore2((real2)(z.br.s0, z.bi.s0), 0, to + b * stride);
        vstore2((real2)(z.ar.s0, z.ai.s0), 0, to + k * stride);
    }
}

// Results 0 and n.
void treat_first(bool combines, long n, __global const real *from, __global real *to, long s_stride, long t_stride) {
    const real2 first = vload2(0, from);
    const real last = combines ? 0 : from[n * s_stride];
    if (combines) {
        vstore2((real2)(first.x + first.y, 0), 0, to);
        vstore2((real2)(first.x - first.y, 0), 0, to + n * t_stride);
    } else {
        vstore2((real2)(first.x - last, first.x + last), 0, to);
    }
}

__attribute__((noinline)) void treat_run(__global const any_pass *p, __global const real *from, __global real *to,
                                         __global const real *restrict numbers, uint begin) {
    const long n = p->n, run = p->source.n, end = min(begin + run, n / 2 + 1);
    const long s_stride = p->source.axis_stride, t_stride = p->target.axis_stride;
    const bool combines = p->ends == ANY_COMBINE_ALONE, rows = s_stride == 2 && t_stride == 2;
    const real2 high = vload2(begin / (uint)run, numbers + p->run_roots);
    __global const real *roots = numbers + p->end_roots;
    if (begin == 0)
        treat_first(combines, n, from, to, s_stride, t_stride);
    for (long k = max(begin, 1u), count; k < end; k += count) {
        const bool several = rows && k + LANES <= end && 2 * (k + LANES) <= n;
        const long b = several ? n - k - (LANES - 1) : n - k;
        opposites z;
        vreal lr, li;
        count = several ? LANES : 1;
        if (several) {
            const vpairs first = VLOAD_PAIRS(0, from + 2 * k), opposite = VLOAD_PAIRS(0, from + 2 * b);
            const vpairs w = VLOAD_PAIRS(0, roots + 2 * (k - begin));
            z = (opposites){first.even, first.odd, REVERSED(opposite.even), REVERSED(opposite.odd)};
            lr = w.even, li = w.odd;
        } else {
            const real2 first = vload2(0, from + k * s_stride), opposite = vload2(0, from + b * s_stride);
            const real2 w = vload2(k - begin, roots);
            z = (opposites){first.x, first.y, opposite.x, opposite.y};
            lr = w.x, li = w.y;
        }
        const vreal wr = lr * high.x - li * high.y, wi = lr * high.y + li * high.x;
        z = combines ? combined(z, wr, wi) : split(z, wr, wi);
        put_opposites(to, t_stride, k, b, several, z);
    }
}

void treat_runs(__global const any_pass *p, __global const real *from, __global real *to, __global const real *numbers,
                ulong s_first, ulong t_first, uint count, long s_base, long t_base) {
    __global const any_side *s = &p->source, *t = &p->target;
    for (uint l = 0; l < count; l++)
        treat_run(p, from + s_base + sum_over_line(s, s->outer, s_first + l),
                  to + t_base + sum_over_line(t, t->outer, t_first + l), numbers,
                  (uint)sum_over_line(s, s->positions, s_first + l));
}
