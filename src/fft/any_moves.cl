// Where the lines of passes of any length lie, and moving tiles of them.

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

// What the next tile wants: no processor foresees it. Where lines lie side by side, its numbers are behind this one's,
// and far from one another, to be read (0) or written (1). A tile of short rows is one run of memory that ends where
// processors have just found out that it is one; the next one's waits in the second cache, as the first is full. So
// do the lines that the next tile of rows up to half as long is written to.
#if defined(PREFETCHES) && defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define ASK(at, write) __builtin_prefetch((const void *)(size_t)(at), write)
#define ASK_LATER(at) __builtin_prefetch((const void *)(size_t)(at), 0, 2)
#define ASK_TO_WRITE(at) __builtin_prefetch((const void *)(size_t)(at), 1, 2)
#endif
#endif
#ifndef ASK
#define ASK(at, write)
#define ASK_LATER(at)
#define ASK_TO_WRITE(at)
#endif

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

// How many of `count` lines, of which the first is at a position and the others behind it, have one before the end.
INLINE uint count_there(__global const any_side *s, uint position, uint count) {
    return s->length == 0 ? count : position >= (uint)s->length ? 0 : min(count, (uint)s->length - position);
}

// The factors of neighbouring positions; those of lines that are not there are none of the table's.
INLINE vpairs take_factors(__global const real *factors, uint position, uint there) {
    if (there == LANES)
        return VLOAD_PAIRS(0, factors + 2 * (size_t)position);
    real part[2 * LANES] = {0};
    for (uint k = 0; k < 2 * there; k++)
        part[k] = factors[2 * (size_t)position + k];
    return VLOAD_PAIRS(0, part);
}

// Where the lines lie side by side and have neighbouring positions: zeros from the length on, times factors.
__attribute__((noinline)) void load_neighbours(vreal *restrict v, __global const any_side *s,
                                               __global const real *restrict from,
                                               __global const real *restrict numbers, uint position, uint count) {
    const bool pairs = s->imaginary == 1;
    const uint n = (uint)s->n, swap = (uint)s->swap;
    const long stride = s->step * s->axis_stride;
    for (uint e = 0; e < n; e++, position += (uint)s->step, from += stride) {
        const uint there = count_there(s, position, count);
        vreal x = 0, y = 0;
        if (there == LANES && pairs) {
            const vpairs both = VLOAD_PAIRS(0, from);
            ASK(from + 2 * LANES, 0);
            x = both.even, y = both.odd;
        } else if (there == LANES && s->imaginary == 0) {
            x = VLOAD(0, from);
        } else {
            for (uint l = 0; l < there; l++) {
                ((real *)&x)[l] = from[(long)l * s->lane_stride];
                ((real *)&y)[l] = s->imaginary ? from[(long)l * s->lane_stride + s->imaginary] : 0;
            }
        }
        if (s->factors >= 0) {
            const vpairs w = take_factors(numbers + s->factors, position, there);
            const vreal re = x * w.even - y * w.odd;
            y = x * w.odd + y * w.even;
            x = re;
        }
        v[2 * e + swap] = x;
        v[2 * e + 1 - swap] = y;
    }
}

// Where the lines lie side by side.
__attribute__((noinline)) void load_lanes(vreal *restrict v, __global const real *restrict from, uint n, long stride,
                                          long imaginary, uint swap, uint count, bool pairs) {
    real part[2 * LANES] = {0};
    for (uint e = 0; e < n; e++, from += stride) {
        if (pairs) {
            vpairs both;
            ASK(from + 2 * LANES, 0);
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

#define SHORT 256u // longer rows are foreseen

// How many of n elements are moved by vectors of so many: all, if the last vector ends with the last of them, where
// more than a few would go one by one. BY_VECTORS goes through the first elements of the vectors that move these.
INLINE size_t by_vectors(uint n, uint many) {
    const uint left = n % many;
    return n > many && left > many / 4 && left > 1 ? n : n - left;
}
#define BY_VECTORS(e, n, many)                                                                                         \
    for (size_t e = 0, end = (n) - (n) % (many), more = 1; more; more = end < (n), e = (n) - (many), end = (n))        \
        for (; e < end; e += (many))

// Where a line's elements lie side by side; so many elements `ahead` are those of the next tile.
__attribute__((noinline)) void load_rows(vreal *restrict v, __global const real *restrict from, const long *restrict at,
                                         uint n, uint ahead, uint swap) {
    const size_t whole = by_vectors(n, ROW);
    vreal *re = v + swap, *im = v + 1 - swap;
#define FIND(l) __global const real *from##l = from + at[l];
    EACH_LANE(FIND)
    BY_VECTORS(e, whole, ROW) {
        vreal r[LANES];
#define LOAD(a, b) TAKE_HALVES(a, b, from##a + 2 * e, from##b + 2 * e)
        EACH_PAIR(LOAD)
#define ASK_NEXT(i) ASK_LATER(from0 + 2 * LANES * (ahead + e + i));
        if (n <= SHORT) {
            EACH_OF_ROW(ASK_NEXT)
        }
        transpose(r);
#define PUT(i) re[2 * (e + i)] = r[2 * i], im[2 * (e + i)] = r[2 * i + 1];
        EACH_OF_ROW(PUT)
    }
    for (size_t e = whole; e < n; e++)
        for (uint l = 0; l < LANES; l++) {
            ((real *)&re[2 * e])[l] = from[at[l] + 2 * (long)e];
            ((real *)&im[2 * e])[l] = from[at[l] + 2 * (long)e + 1];
        }
}

real2 twiddle_of(__global const any_pass *p, __global const real *numbers, uint t) {
    return complex_multiply(vload2(t & (uint)p->low_mask, numbers + p->low),
                            vload2(t >> p->low_shift, numbers + p->high));
}

// The column of a line, between passes.
uint column_of(__global const any_pass *p, ulong line) {
    for (int k = (int)p->source.n_dims - 1; k > (int)p->column_dim; k--)
        line /= (ulong)p->source.counts[k];
    return (uint)(p->column_dim > 0 ? line % (ulong)p->source.counts[p->column_dim] : line);
}

__attribute__((noinline)) void store_values(const vreal *restrict v, __global const any_pass *p, __global real *to,
                                            __global const real *numbers, __global const uint *places, ulong first,
                                            ulong source_first, uint count, long base, real scale) {
    __global const any_side *s = &p->target;
    const uint n = (uint)s->n;
    for (uint l = 0; l < count; l++) {
        const long outer = base + sum_over_line(s, s->outer, first + l);
        uint position = (uint)sum_over_line(s, s->positions, first + l);
        const uint c = p->twiddled ? column_of(p, source_first + l) : 0, lane = c % LANES;
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

// load_neighbours, back.
__attribute__((noinline)) void store_neighbours(const vreal *restrict v, __global const any_side *s,
                                                __global real *restrict to, __global const real *restrict numbers,
                                                __global const uint *restrict places, uint position, uint count,
                                                real scale) {
    const uint n = (uint)s->n, swap = (uint)s->swap;
    const long stride = s->step * s->axis_stride;
    for (uint k = 0; k < n; k++, position += (uint)s->step, to += stride) {
        const uint there = count_there(s, position, count);
        const vreal x = v[2 * places[k] + swap], y = v[2 * places[k] + 1 - swap];
        vreal re = x, im = y;
        if (s->factors >= 0) {
            const vpairs w = take_factors(numbers + s->factors, position, there);
            re = x * w.even - y * w.odd;
            im = x * w.odd + y * w.even;
        }
        ASK(to + 2 * LANES, 1);
        store_pairs(re * scale, im * scale, to, s->imaginary, there, s->lane_stride == 2);
    }
}

__attribute__((noinline)) void store_lanes(const vreal *restrict v, __global const any_pass *p,
                                           __global real *restrict to, __global const uint *restrict places, uint n,
                                           uint swap, uint count, real scale, bool pairs) {
    const long stride = p->target.step * p->target.axis_stride, imaginary = p->target.imaginary;
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        ASK(to + 2 * LANES, 1);
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
        ASK(to + 2 * LANES, 1);
        const vreal lr = VLOAD(2 * k, lanes), li = VLOAD(2 * k + 1, lanes), x = RE(e), y = IM(e);
        const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr);
        store_pairs(fma(x, wr, -(y * wi)), fma(x, wi, y * wr), to, 1, count, true);
    }
}

// The same where all lanes have column c, and so the same twiddles.
__attribute__((noinline)) void store_one_column(const vreal *restrict v, __global const any_pass *p,
                                                __global real *restrict to, __global const real *restrict numbers,
                                                __global const uint *restrict places, uint c, uint count) {
    const uint n = (uint)p->target.n, lane = c % LANES;
    const long stride = p->target.step * p->target.axis_stride;
    __global const real *restrict lanes = numbers + p->lanes;
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        const real2 wc = twiddle_of(p, numbers, (c - lane) * k);
        ASK(to + 2 * LANES, 1);
        const real lr = lanes[2 * k * LANES + lane], li = lanes[(2 * k + 1) * LANES + lane];
        const real wr = fma(wc.x, lr, -(wc.y * li)), wi = fma(wc.x, li, wc.y * lr);
        const vreal x = RE(e), y = IM(e);
        store_pairs(fma(x, (vreal)wr, -(y * wi)), fma(x, (vreal)wi, y * wr), to, 1, count, true);
    }
}

// Results k .. k + ROW - 1 of all lines: a row of each.
INLINE void take_rows(vreal *r, const vreal *re, const vreal *im, __global const uint *places, size_t k, size_t apart,
                      real scale) {
    size_t from = 2 * (size_t)places[k];
    if (apart) { // they are as far apart as the elements of the first step, from a multiple of ROW on
#define TAKE_NEAR(i) r[2 * i] = re[from + i * apart] * scale, r[2 * i + 1] = im[from + i * apart] * scale;
        EACH_OF_ROW(TAKE_NEAR)
    } else {
#define TAKE(i)                                                                                                        \
    from = 2 * (size_t)places[k + i];                                                                                  \
    r[2 * i] = re[from] * scale, r[2 * i + 1] = im[from] * scale;
        EACH_OF_ROW(TAKE)
    }
    transpose_to_lines(r);
}

__attribute__((noinline)) void store_rows(const vreal *restrict v, __global real *restrict to, const long *restrict at,
                                          __global const uint *restrict places, uint n, uint ahead, uint near,
                                          uint swap, uint count, real scale) {
    const size_t apart = 2 * near, whole = by_vectors(n, ROW);
    const vreal *re = v + swap, *im = v + 1 - swap;
#define FIND_TO(l) __global real *to##l = to + at[l];
    EACH_LANE(FIND_TO)
    BY_VECTORS(k, whole, ROW) {
        vreal r[LANES];
        take_rows(r, re, im, places, k, k % ROW ? 0 : apart, scale);
#define ASK_NEXT_TO(i) ASK_TO_WRITE(to0 + 2 * LANES * (ahead + k + i));
        if (n <= SHORT / 2) {
            EACH_OF_ROW(ASK_NEXT_TO)
        }
        if (count == LANES) {
#define STORE(l) VSTORE(r[l], 0, to##l + 2 * k);
            EACH_LANE(STORE)
        } else {
#define STORE_THERE(l)                                                                                                 \
    if (l < count)                                                                                                     \
        VSTORE(r[l], 0, to##l + 2 * k);
            EACH_LANE(STORE_THERE)
        }
    }
    for (size_t k = whole; k < n; k++)
        for (uint l = 0; l < count; l++) {
            to[at[l] + 2 * (long)k] = ((const real *)&re[2 * places[k]])[l] * scale;
            to[at[l] + 2 * (long)k + 1] = ((const real *)&im[2 * places[k]])[l] * scale;
        }
}
