// Passes of any length: what a kernel for CPUs does with the numbers of any_pass.cl. A work-item takes tiles of LANES
// lines, as the kernels of write_cpu.c do and with the same arithmetic, but sizes, strides and radices are arguments.
// Where lines lie.

long sum_over_line(__global const any_side *s, __global const cell *factors, ulong line) {
    long at = 0;
    for (int k = (int)s->n_dims - 1; k > 0; k--) {
        const ulong count = (ulong)s->counts[k], above = line / count;
        at += (long)(line - above * count) * factors[k];
        line = above;
    }
    return s->n_dims > 0 ? at + (long)line * factors[0] : 0;
}

// The beginnings of the lines of a tile; lanes beyond the last line have its.
void find_lines(__global const any_side *s, ulong first, uint count, long base, long *at) {
    const int last = (int)s->n_dims - 1;
    const ulong end =
        last > 0 ? (ulong)s->last - first % (ulong)s->last : ULONG_MAX; // lines before the next index above
    const long stride = last >= 0 ? s->starts[last] : 0, start = base + sum_over_line(s, s->starts, first);
    for (uint l = 0; l < LANES; l++)
        at[l] = start + (long)min(l, count - 1) * stride;
    for (uint l = 1; l < LANES && end < count; l++)
        at[l] = base + sum_over_line(s, s->starts, first + min(l, count - 1));
}

bool evenly_apart(const long *at, uint count, long stride) {
    bool even = true;
    for (uint l = 1; l < count; l++)
        even = even && at[l] - at[0] == (long)l * stride;
    return even;
}

// Moving tiles.

INLINE real2 read_value(__global const any_side *s, __global const real *from, uint position) {
#ifdef EVEN_DATA
    if (s->even)
        return even_load((uint)s->even, s->sine, (uint)s->axis_length, from, s->axis_stride, position);
#endif
    const uint whole = (uint)s->axis_length;
    const bool mirrored = s->element == ANY_HERMITIAN && position > whole / 2;
    const long at = (long)(mirrored ? whole - position : position) * s->axis_stride;
    real2 value = (real2)(from[at], s->imaginary ? from[at + s->imaginary] : 0);
    if (mirrored)
        value.y = -value.y;
    if (s->element == ANY_HERMITIAN && (position == 0 || 2 * position == whole))
        value.y = 0;
    return value;
}

// Number by number, with everything that can happen to it on the way.
__attribute__((noinline)) void load_values(vreal *restrict v, __global const any_side *s, __global const real *from,
                                           __global const real *numbers, ulong first, uint count, long base) {
    const uint n = (uint)s->n;
    for (uint l = 0; l < LANES; l++) {
        const ulong line = first + min(l, count - 1);
        const long outer = base + sum_over_line(s, s->outer, line);
        uint position = (uint)sum_over_line(s, s->positions, line);
        for (uint e = 0; e < n; e++, position += (uint)s->step) {
            real2 value = (real2)(0, 0);
            if (s->length == 0 || position < (ulong)s->length) {
                value = read_value(s, from + outer, position);
                if (s->factors >= 0)
                    value = complex_multiply(value, vload2(position, numbers + s->factors));
                value = s->swap ? value.yx : value;
            }
            ((real *)&RE(e))[l] = value.x;
            ((real *)&IM(e))[l] = value.y;
        }
    }
}

// Where the lines lie side by side.
__attribute__((noinline)) void load_lanes(vreal *restrict v, __global const real *restrict from, uint n, long stride,
                                          long imaginary, uint swap, uint count, bool pairs) {
    real part[2 * LANES] = {0};
    for (uint e = 0; e < n; e++, from += stride) {
        if (pairs) {
            vpairs both;
            if (count == LANES) {
                both = VLOAD_PAIRS(0, from);
            } else {
                for (uint k = 0; k < 2 * count; k++)
                    part[k] = from[k];
                both = VLOAD_PAIRS(0, part);
            }
            v[2 * e + swap] = both.even;
            v[2 * e + 1 - swap] = both.odd;
        } else {
            for (uint k = 0; k < count; k++) {
                part[k] = from[k];
                part[LANES + k] = imaginary ? from[imaginary + k] : 0;
            }
            v[2 * e + swap] = VLOAD(0, part);
            v[2 * e + 1 - swap] = VLOAD(1, part);
        }
    }
}

// Where a line's elements lie side by side.
__attribute__((noinline)) void load_rows(vreal *restrict v, __global const real *restrict from, const long *restrict at,
                                         uint n, uint swap) {
    size_t e = 0;
    vreal *re = v + swap, *im = v + 1 - swap;
#define FIND(l) __global const real *from##l = from + at[l];
    EACH_LANE(FIND)
    for (; e + ROW <= n; e += ROW) {
        vreal r[LANES];
#define LOAD(l) r[l] = VLOAD(0, from##l + 2 * e);
        EACH_LANE(LOAD)
        transpose(r);
#define PUT(i) re[2 * (e + i)] = r[2 * i], im[2 * (e + i)] = r[2 * i + 1];
        EACH_OF_ROW(PUT)
    }
    for (; e < n; e++)
        for (uint l = 0; l < LANES; l++) {
            ((real *)&re[2 * e])[l] = from[at[l] + 2 * (long)e];
            ((real *)&im[2 * e])[l] = from[at[l] + 2 * (long)e + 1];
        }
}

#define SHORT 256u

// A tile that is one run of memory, and so short that processors, which foresee long runs, do not foresee its lines: by
// way of `staged`, so that memory is read from front to back.
__attribute__((noinline)) void load_short(vreal *restrict v, vreal *restrict staged, __global const real *restrict from,
                                          size_t n, uint swap) {
    const real *lines = (const real *)staged;
    vreal *re = v + swap, *im = v + 1 - swap;
    for (size_t k = 0; k < 2 * n; k++)
        staged[k] = VLOAD(k, from);
    for (size_t e = 0; e < n; e += ROW) {
        vreal r[LANES];
#define TAKE_LINE(l) r[l] = VLOAD(0, lines + l * 2 * n + 2 * e);
        EACH_LANE(TAKE_LINE)
        transpose(r);
        EACH_OF_ROW(PUT)
    }
}

real2 twiddle_of(__global const any_pass *p, __global const real *numbers, uint t) {
    return complex_multiply(vload2(t & (uint)p->low_mask, numbers + p->low),
                            vload2(t >> p->low_shift, numbers + p->high));
}

__attribute__((noinline)) void store_values(const vreal *restrict v, __global const any_pass *p, __global real *to,
                                            __global const real *numbers, __global const uint *places, ulong first,
                                            ulong source_first, uint count, long base, real scale) {
    __global const any_side *s = &p->target;
    const uint n = (uint)s->n;
    for (uint l = 0; l < count; l++) {
        const long outer = base + sum_over_line(s, s->outer, first + l);
        uint position = (uint)sum_over_line(s, s->positions, first + l);
        uint c = 0, lane = 0;
        if (p->twiddled) {
            ulong line = source_first + l;
            for (int k = (int)p->source.n_dims - 1; k > (int)p->column_dim; k--)
                line /= (ulong)p->source.counts[k];
            c = (uint)(p->column_dim > 0 ? line % (ulong)p->source.counts[p->column_dim] : line);
            lane = c % LANES;
        }
        for (uint k = 0; k < n; k++, position += (uint)s->step) {
            const uint e = places[k];
            real2 value = (real2)(((const real *)&RE(e))[l], ((const real *)&IM(e))[l]);
            if (p->twiddled) {
                const real2 wc = twiddle_of(p, numbers, (c - lane) * k);
                __global const real *lanes = numbers + p->lanes;
                const real lr = lanes[2 * k * LANES + lane], li = lanes[(2 * k + 1) * LANES + lane];
                const real wr = fma(wc.x, lr, -(wc.y * li)), wi = fma(wc.x, li, wc.y * lr);
                value = (real2)(fma(value.x, wr, -(value.y * wi)), fma(value.x, wi, value.y * wr));
            }
            if (s->length && position >= (ulong)s->length)
                continue;
            value = s->swap ? value.yx : value;
            if (s->factors >= 0)
                value = complex_multiply(value, vload2(position, numbers + s->factors));
            value *= scale;
#ifdef EVEN_DATA
            if (s->even) {
                even_store((uint)s->even, s->sine, (uint)s->axis_length, to + outer, s->axis_stride, position, value);
                continue;
            }
#endif
            const long at = outer + (long)position * s->axis_stride;
            to[at] = value.x;
            if (s->imaginary)
                to[at + s->imaginary] = value.y;
        }
    }
}

void store_pairs(vreal x, vreal y, __global real *to, long imaginary, uint count, bool pairs) {
    if (pairs && count == LANES) {
        VSTORE_PAIRS(PAIRS(x, y), 0, to);
        return;
    }
    for (uint l = 0; l < count; l++) {
        to[pairs ? 2 * l : l] = ((real *)&x)[l];
        if (imaginary)
            to[pairs ? 2 * l + 1 : imaginary + l] = ((real *)&y)[l];
    }
}

__attribute__((noinline)) void store_lanes(const vreal *restrict v, __global const any_pass *p,
                                           __global real *restrict to, __global const uint *restrict places, uint n,
                                           uint swap, uint count, real scale, bool pairs) {
    const long stride = p->target.step * p->target.axis_stride, imaginary = p->target.imaginary;
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        store_pairs(v[2 * e + swap] * scale, v[2 * e + 1 - swap] * scale, to, imaginary, count, pairs);
    }
}

// Between passes: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of
// lanes, c a multiple of the lanes. The rounding is spelled out: the same as of single values (store_values).
__attribute__((noinline)) void store_twiddled(const vreal *restrict v, __global const any_pass *p,
                                              __global real *restrict to, __global const real *restrict numbers,
                                              __global const uint *restrict places, uint c, uint count) {
    const uint n = (uint)p->target.n;
    const long stride = p->target.step * p->target.axis_stride;
    __global const real *restrict lanes = numbers + p->lanes;
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        const real2 wc = twiddle_of(p, numbers, c * k);
        const vreal lr = VLOAD(2 * k, lanes), li = VLOAD(2 * k + 1, lanes), x = RE(e), y = IM(e);
        const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr);
        store_pairs(fma(x, wr, -(y * wi)), fma(x, wi, y * wr), to, 1, count, true);
    }
}

// Results k .. k + ROW - 1 of all lines: a row of each.
INLINE void take_rows(vreal *r, const vreal *re, const vreal *im, __global const uint *places, size_t k, size_t apart,
                      real scale) {
    size_t from = 2 * (size_t)places[k];
    if (apart) { // they are as far apart as the elements of the first step
#define TAKE_NEAR(i) r[2 * i] = re[from + i * apart] * scale, r[2 * i + 1] = im[from + i * apart] * scale;
        EACH_OF_ROW(TAKE_NEAR)
    } else {
#define TAKE(i)                                                                                                        \
    from = 2 * (size_t)places[k + i];                                                                                  \
    r[2 * i] = re[from] * scale, r[2 * i + 1] = im[from] * scale;
        EACH_OF_ROW(TAKE)
    }
    transpose(r);
}

// The same back.
__attribute__((noinline)) void store_short(const vreal *restrict v, vreal *restrict staged, __global real *restrict to,
                                           __global const uint *restrict places, size_t n, size_t apart, uint swap,
                                           real scale) {
    real *lines = (real *)staged;
    for (size_t k = 0; k < n; k += ROW) {
        vreal r[LANES];
        take_rows(r, v + swap, v + 1 - swap, places, k, apart, scale);
#define STAGE(l) VSTORE(r[l], 0, lines + l * 2 * n + 2 * k);
        EACH_LANE(STAGE)
    }
    for (size_t k = 0; k < 2 * n; k++)
        VSTORE(staged[k], k, to);
}

__attribute__((noinline)) void store_rows(const vreal *restrict v, __global real *restrict to, const long *restrict at,
                                          __global const uint *restrict places, uint n, uint near, uint swap,
                                          uint count, real scale) {
    size_t k = 0;
    const size_t apart = 2 * near;
    const vreal *re = v + swap, *im = v + 1 - swap;
#define FIND_TO(l) __global real *to##l = to + at[l];
    EACH_LANE(FIND_TO)
    for (; k + ROW <= n; k += ROW) {
        vreal r[LANES];
        take_rows(r, re, im, places, k, apart, scale);
        if (count == LANES) {
#define STORE(l) VSTORE(r[l], 0, to##l + 2 * k);
            EACH_LANE(STORE)
        } else {
#define STORE_ONE(l)                                                                                                   \
    if (l < count)                                                                                                     \
        VSTORE(r[l], 0, to##l + 2 * k);
            EACH_LANE(STORE_ONE)
        }
    }
    for (; k < n; k++)
        for (uint l = 0; l < count; l++) {
            to[at[l] + 2 * (long)k] = ((const real *)&re[2 * places[k]])[l] * scale;
            to[at[l] + 2 * (long)k + 1] = ((const real *)&im[2 * places[k]])[l] * scale;
        }
}

// What happens in a tile beside the transform.

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
        if (several) {
            VSTORE_PAIRS(PAIRS(REVERSED(z.br), REVERSED(z.bi)), 0, to + 2 * b);
            VSTORE_PAIRS(PAIRS(z.ar, z.ai), 0, to + 2 * k);
        } else {
            vstore2((real2)(z.br.s0, z.bi.s0), 0, to + b * t_stride);
            vstore2((real2)(z.ar.s0, z.ai.s0), 0, to + k * t_stride);
        }
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

// A tile from memory to memory.

#ifdef EVEN_DATA
uint even_tiles(vreal *v, __global const any_pass *p, __global const real *from, __global real *to,
                __global const real *numbers, __global const uint *places, const long *s_at, const long *t_at,
                const long *s_next, const long *t_next, uint count, uint next_count, real scale);
void even_runs(__global const any_pass *p, __global const real *from, __global real *to, __global const real *numbers,
               ulong s_first, ulong t_first, uint count, long s_base, long t_base, real scale);
void load_paired(vreal *v, __global const any_side *s, __global const real *from, uint p, uint count);
void store_paired(const vreal *v, __global const any_side *s, __global real *to, __global const uint *places, uint p,
                  uint count, real scale);
#endif

void load_tile(vreal *v, vreal *staged, __global const any_pass *p, __global const real *from,
               __global const real *numbers, ulong first, uint count, long base, const long *at) {
    __global const any_side *s = &p->source;
    const bool multiplied = s->factors >= 0;
    const uint swap = multiplied ? 0 : (uint)s->swap, there = (uint)(s->length ? s->length : s->n);
    if (s->way == ANY_BY_VALUES || (s->way == ANY_BY_LANES && !evenly_apart(at, count, s->lane_stride))) {
        load_values(v, s, from, numbers, first, count, base);
        return;
    }
#ifdef EVEN_DATA
    if (s->even) {
        load_paired(v, s, from + base + sum_over_line(s, s->outer, first), (uint)sum_over_line(s, s->positions, first),
                    count);
        return;
    }
#endif
    if (s->way == ANY_BY_LANES)
        load_lanes(v, from + at[0], there, s->step * s->axis_stride, s->imaginary, swap, count, s->lane_stride == 2);
    else if (there <= SHORT && there % ROW == 0 && count == LANES && evenly_apart(at, LANES, 2 * there))
        load_short(v, staged, from + at[0], there, swap);
    else
        load_rows(v, from, at, there, swap);
    for (uint e = there; e < (uint)s->n; e++)
        RE(e) = 0, IM(e) = 0;
    if (multiplied)
        multiply_tile(v, s, numbers, 0, there);
}

// By lanes between passes, they have neighbouring columns, the first of them a multiple of LANES.
bool store_column(__global const any_pass *p, ulong source_first, uint count, uint *c) {
    const ulong n_columns = (ulong)p->source.last;
    *c = (uint)(source_first % n_columns);
    return p->column_dim == p->source.n_dims - 1 && *c % LANES == 0 && *c + count <= n_columns;
}

void store_tile(vreal *v, vreal *staged, __global const any_pass *p, __global real *to, __global const real *numbers,
                __global const uint *places, ulong first, ulong source_first, uint count, long base, const long *at,
                real scale) {
    __global const any_side *s = &p->target;
    const uint n = (uint)(s->length ? s->length : s->n);
    uint swap = (uint)s->swap, c = 0;
    if (s->way == ANY_BY_VALUES || (s->way == ANY_BY_LANES && !evenly_apart(at, count, s->lane_stride)) ||
        (p->twiddled && !store_column(p, source_first, count, &c))) {
        store_values(v, p, to, numbers, places, first, source_first, count, base, scale);
        return;
    }
#ifdef EVEN_DATA
    if (s->even) {
        store_paired(v, s, to + base + sum_over_line(s, s->outer, first), places,
                     (uint)sum_over_line(s, s->positions, first), count, scale);
        return;
    }
#endif
    if (p->twiddled) {
        store_twiddled(v, p, to + at[0], numbers, places, c, count);
        return;
    }
    if (s->factors >= 0) {
        multiply_tile(v, s, numbers, places, n);
        swap = 0;
    }
    if (s->way == ANY_BY_LANES)
        store_lanes(v, p, to + at[0], places, n, swap, count, scale, s->lane_stride == 2);
    else if (n <= SHORT && n % ROW == 0 && count == LANES && evenly_apart(at, LANES, 2 * n))
        store_short(v, staged, to + at[0], places, n, 2 * (size_t)p->near, swap, scale);
    else
        store_rows(v, to, at, places, n, (uint)p->near, swap, count, scale);
}

void transform_tile(vreal *v, __global const any_pass *p, uint count, __global const real *numbers,
                    __global const uint *places) {
    uint apart = (uint)p->n;
    __global const real *table = numbers + p->steps;
    if (p->ends == ANY_SPLIT)
        split_tile(v, (uint)p->n, numbers + p->end_roots);
    for (uint k = 0; k < (uint)p->n_steps; k++) {
        const uint radix = (uint)p->radices[k];
        apart /= radix;
        take_step(v, count, radix, apart, table, numbers + p->odd[k]);
        table += 2 * apart * (radix - 1);
    }
    if (p->ends == ANY_COMBINE)
        combine_tile(v, (uint)p->n, places, numbers + p->end_roots);
}

// The kernel.

// Tiles of short rows one behind the other: all that a pass does to them.
__attribute__((noinline)) void transform_rows(vreal *v, __global const any_pass *p, __global const real *from,
                                              __global real *to, __global const real *numbers,
                                              __global const uint *places, long s_start, long t_start, real scale) {
    const uint n = (uint)p->n, several = (uint)p->several;
    const long s_stride = p->source.lane_stride, t_stride = p->target.lane_stride;
    long at[LANES];
    for (uint t = 0; t < several; t++) {
        for (uint l = 0; l < LANES; l++)
            at[l] = s_start + (long)(t * LANES + l) * s_stride;
        load_rows(v + 2 * n * t, from, at, n, (uint)p->source.swap);
    }
    transform_tile(v, p, several * n, numbers, places);
    for (uint t = 0; t < several; t++) {
        for (uint l = 0; l < LANES; l++)
            at[l] = t_start + (long)(t * LANES + l) * t_stride;
        store_rows(v + 2 * n * t, to, at, places, n, (uint)p->near, (uint)p->target.swap, LANES, scale);
    }
}

// Which lines of a piece a tile has, counted from the piece's first one.
typedef struct lines_of_tile {
    ulong first;
    uint count;
} lines_of_tile;

lines_of_tile find_tile(ulong tile, ulong n_lines, ulong before, ulong run) {
    if (run == 0)
        return (lines_of_tile){tile * LANES, (uint)min((ulong)LANES, n_lines - tile * LANES)};
    const ulong tiles_a_run = (run + LANES - 1) / LANES, r = tile / tiles_a_run,
                in_run = (tile - r * tiles_a_run) * LANES;
    const ulong from = max(r * run + in_run, before);
    const ulong to = min(r * run + min(in_run + LANES, run), before + n_lines);
    return (lines_of_tile){from - before, to > from ? (uint)(to - from) : 0};
}

ulong count_tiles(ulong n_lines, ulong before, ulong run) {
    if (run == 0)
        return (n_lines + LANES - 1) / LANES;
    return (before + n_lines + run - 1) / run * ((run + LANES - 1) / LANES);
}

// A work-item takes pieces, one after the other, each through all passes; where n_lines is not zero, there is one pass
// and one piece of so many lines, and work-items share its tiles.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_any(__global const any_pass *passes, uint n_passes, __global const real *numbers, __global const uint *places,
        __global real *source, long source_base, ulong source_item, __global real *target, long target_base,
        ulong target_item, __global real *work, __global real *padded, __global real *spectrum, ulong work_item,
        __global real *scratch, ulong scratch_reals, real scale, ulong n_pieces, ulong n_lines) {
    vreal v[2 * ANY_LONGEST + 2], staged[2 * SHORT];
    const ulong id = get_global_id(0), n_items = get_global_size(0), end = n_lines ? 1 : (id + 1) * n_pieces / n_items;
    __global real *buffers[] = {source, target, work, padded, spectrum};
    const long bases[] = {source_base, target_base, 0, 0, 0};
    const ulong items[] = {source_item, target_item, work_item, work_item, work_item};
    for (ulong piece = n_lines ? 0 : id * n_pieces / n_items; piece < end; piece++)
        for (uint k = 0; k < n_passes; k++) {
            __global const any_pass *p = passes + k;
            __global const any_side *s = &p->source, *t = &p->target;
            const ulong lines = n_lines ? n_lines : (ulong)p->lines_a_piece, before_piece = piece * lines;
            const ulong s_first = s->scratch >= 0 ? 0 : items[s->buffer] * (ulong)s->lines_an_item + before_piece;
            const ulong t_first = t->scratch >= 0 ? 0 : items[t->buffer] * (ulong)t->lines_an_item + before_piece;
            __global real *from = s->scratch >= 0 ? scratch + id * scratch_reals + s->scratch : buffers[s->buffer];
            __global real *to = t->scratch >= 0 ? scratch + id * scratch_reals + t->scratch : buffers[t->buffer];
            const long s_base = s->scratch >= 0 ? 0 : bases[s->buffer], t_base = t->scratch >= 0 ? 0 : bases[t->buffer];
            const ulong run = (ulong)p->run, before = run ? s_first % run : 0,
                        n_tiles = count_tiles(lines, before, run);
            const ulong tiles_end = n_lines ? (id + 1) * n_tiles / n_items : n_tiles;
            const ulong several = (ulong)p->several;
            for (ulong tile = n_lines ? id * n_tiles / n_items : 0, done; tile < tiles_end; tile += done) {
                done = 1;
                if (several > 1 && tile + several <= tiles_end && (tile + several) * LANES <= lines) {
                    done = several;
                    transform_rows(v, p, from, to, numbers, places + p->places,
                                   s_base + (long)(s_first + tile * LANES) * s->lane_stride,
                                   t_base + (long)(t_first + tile * LANES) * t->lane_stride, p->scaled ? scale : 1);
                    continue;
                }
                const lines_of_tile l = find_tile(tile, lines, before, run);
                if (l.count == 0)
                    continue;
#ifdef EVEN_DATA
                if (p->ends >= ANY_EVEN_COMBINE_ALONE) {
                    even_runs(p, from, to, numbers, s_first + l.first, t_first + l.first, l.count, s_base, t_base,
                              p->scaled ? scale : 1);
                    continue;
                }
#endif
                if (p->ends >= ANY_COMBINE_ALONE) {
                    treat_runs(p, from, to, numbers, s_first + l.first, t_first + l.first, l.count, s_base, t_base);
                    continue;
                }
                long s_at[LANES], t_at[LANES];
                find_lines(s, s_first + l.first, l.count, s_base, s_at);
                find_lines(t, t_first + l.first, l.count, t_base, t_at);
#ifdef EVEN_DATA
                if (p->ends == ANY_EVEN) {
                    long s_next[LANES], t_next[LANES];
                    const lines_of_tile next =
                        tile + 1 < tiles_end ? find_tile(tile + 1, lines, before, run) : (lines_of_tile){l.first, 0};
                    find_lines(s, s_first + next.first, max(next.count, 1u), s_base, s_next);
                    find_lines(t, t_first + next.first, max(next.count, 1u), t_base, t_next);
                    done = even_tiles(v, p, from, to, numbers, places, s_at, t_at, s_next, t_next, l.count, next.count,
                                      p->scaled ? scale : 1);
                    continue;
                }
#endif
                load_tile(v, staged, p, from, numbers, s_first + l.first, l.count, s_base, s_at);
                transform_tile(v, p, (uint)p->n, numbers, places + p->places);
                store_tile(v, staged, p, to, numbers, places + p->places, t_first + l.first, s_first + l.first, l.count,
                           t_base, t_at, p->scaled ? scale : 1);
            }
        }
}
