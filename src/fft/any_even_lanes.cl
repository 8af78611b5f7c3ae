// Cosine and sine transforms whose lines take several passes and lie side by side, with numbers of neighbouring
// positions in neighbouring lanes (even.cl has where they are).

// Lines that lie side by side, of numbers that are spread and paired: the numbers of neighbouring positions are four
// apart, going up from 4 p in the first half, and down from 2 n - 1 - 4 p in the second.
__attribute__((noinline)) void load_paired(vreal *restrict v, __global const any_side *s, __global const real *from,
                                           uint p, uint count) {
    const uint n = (uint)s->axis_length;
    const long stride = s->axis_stride;
    const real odd = s->sine ? -1 : 1;
    for (uint e = 0; e < (uint)s->n; e++, p += (uint)s->step) {
        const bool first = 4 * (p + LANES) <= n, second = 4 * p >= n;
        if (stride == 1 && count == LANES && (first || second)) {
            __global const real *at = from + (first ? 4 * (long)p : 2 * (long)n - 4 * ((long)p + LANES));
            const vpairs a = VLOAD_PAIRS(0, at), b = VLOAD_PAIRS(1, at);
            const vreal low = first ? a.even : a.odd, high = first ? b.even : b.odd;
            const vreal x = (vreal)(low.even, high.even), y = (vreal)(low.odd, high.odd);
            RE(e) = first ? x : odd * REVERSED(y);
            IM(e) = first ? y : odd * REVERSED(x);
        } else {
            for (uint l = 0; l < LANES; l++) {
                const real2 value = even_load(EVEN_PAIRED, s->sine, n, from, stride, p + min(l, count - 1));
                ((real *)&RE(e))[l] = value.x;
                ((real *)&IM(e))[l] = value.y;
            }
        }
    }
}

// With the parts exchanged.
__attribute__((noinline)) void store_paired(const vreal *restrict v, __global const any_side *s, __global real *to,
                                            __global const uint *restrict places, uint p, uint count, real scale) {
    const uint n = (uint)s->axis_length;
    const long stride = s->axis_stride;
    for (uint k = 0; k < (uint)s->n; k++, p += (uint)s->step) {
        const uint e = places[k];
        const bool first = 4 * (p + LANES) <= n, second = 4 * p >= n, whole = count == LANES && (first || second);
        const real sign = whole && second && s->sine ? -scale : scale;
        const vreal x = IM(e) * sign, y = RE(e) * sign;
        if (whole) {
            const long apart = first ? 4 * stride : -4 * stride, between = apart / 2;
            __global real *at = to + (first ? 4 * (long)p : 2 * (long)n - 1 - 4 * (long)p) * stride;
#define PUT_PAIR(l) at[l * apart] = ((const real *)&x)[l], at[l * apart + between] = ((const real *)&y)[l];
            EACH_LANE(PUT_PAIR)
        } else {
            for (uint l = 0; l < count; l++)
                even_store(EVEN_PAIRED, s->sine, n, to, stride, p + l,
                           (real2)(((const real *)&x)[l], ((const real *)&y)[l]));
        }
    }
}

// Numbers p .. p + LANES - 1 of the copies that are strided.
INLINE vreal take_strided(bool sine, uint n, __global const real *from, uint p) {
    vreal x;
    uint m = (uint)((n / 2 + 4 * (ulong)p) % (4 * (ulong)n));
    for (uint l = 0; l < LANES; l++) {
        const uint copy = (m >= n) + (m >= 2 * n) + (m >= 3 * n), i = copy & 1 ? n - 1 - (m - copy * n) : m - copy * n;
        ((real *)&x)[l] = even_signed(from[sine ? n - 1 - i : i], copy == 1 || copy == 2);
        m = m + 4 < 4 * n ? m + 4 : m + 4 - 4 * n;
    }
    return x;
}

// The parts of the numbers of positions p .. p + LANES - 1; false: they do not lie in a row.
INLINE bool take_lanes(uint map, bool sine, uint n, __global const real *from, uint p, vreal *x, vreal *y) {
    const bool first = 2 * (p + LANES) <= n, second = 2 * p >= n;
    if (map == EVEN_SPREAD && (first || second)) {
        const vpairs a = VLOAD_PAIRS(0, from + (first ? 2 * (size_t)p : 2 * (size_t)(n - p - LANES)));
        *x = first ? a.even : sine ? -REVERSED(a.odd) : REVERSED(a.odd);
        *y = 0;
    } else if (map == EVEN_ROTATED && p > 0) {
        const vreal up = VLOAD(0, from + p - sine), down = REVERSED(VLOAD(0, from + n - p - LANES + 1 - sine));
        *x = sine ? down : up;
        *y = sine ? -up : -down;
    } else if (map == EVEN_FOLDED && first) {
        const vreal up = VLOAD_PAIRS(0, from + 2 * (size_t)p).even,
                    down = REVERSED(VLOAD_PAIRS(0, from + n - 2 * (size_t)(p + LANES)).odd);
        *x = sine ? down : up;
        *y = sine ? up : down;
    } else if (map == EVEN_STRIDED) {
        *x = take_strided(sine, n, from, p);
        *y = 0;
    } else if (map == EVEN_MIRRORED && p >= sine && p + LANES <= n + sine) {
        *x = VLOAD(0, from + p - sine);
        *y = 0;
    } else if (map == EVEN_MIRRORED && p >= n + 2 * sine) {
        const vreal down = REVERSED(VLOAD(0, from + (sine ? 2 * n + 2 : 2 * n - 1) - p - LANES));
        *x = sine ? -down : down;
        *y = 0;
    } else {
        return false;
    }
    return true;
}

__attribute__((noinline)) void load_even_lanes(vreal *restrict v, __global const any_side *s,
                                               __global const real *restrict from,
                                               __global const real *restrict numbers, uint p, uint count) {
    const uint n = (uint)s->axis_length, swap = (uint)s->swap;
    const long stride = s->axis_stride;
    for (uint e = 0; e < (uint)s->n; e++, p += (uint)s->step) {
        vreal x, y;
        if (stride != 1 || count < LANES || !take_lanes((uint)s->even, s->sine, n, from, p, &x, &y))
            for (uint l = 0; l < LANES; l++) {
                const real2 value = even_load((uint)s->even, s->sine, n, from, stride, p + min(l, count - 1));
                ((real *)&x)[l] = value.x;
                ((real *)&y)[l] = value.y;
            }
        if (s->factors >= 0) {
            const vpairs w = take_factors(numbers + s->factors, p, count);
            const vreal re = x * w.even - y * w.odd;
            y = x * w.odd + y * w.even;
            x = re;
        }
        v[2 * e + swap] = x;
        v[2 * e + 1 - swap] = y;
    }
}

// Results of positions p .. p + LANES - 1; false: they do not lie in a row.
INLINE bool put_lanes(uint map, bool sine, uint n, __global real *to, uint p, vreal x, vreal y) {
    const bool first = 2 * (p + LANES) <= n, second = 2 * p >= n;
    if (map == EVEN_ROTATED && first && p > 0) {
        VSTORE(sine ? -y : x, 0, to + p - sine);
        VSTORE(sine ? REVERSED(x) : -REVERSED(y), 0, to + n - p - LANES + 1 - sine);
    } else if (map == EVEN_SPREAD && (first || second)) {
        const long apart = first ? 2 : -2;
        const vreal value = sine && second ? -x : x;
        __global real *at = to + (first ? 2 * (long)p : 2 * (long)(n - p) - 1);
#define PUT_SPREAD(l) at[l * apart] = ((const real *)&value)[l];
        EACH_LANE(PUT_SPREAD)
    } else if (map == EVEN_FOLDED && first) {
        const vreal down = sine ? y : -y;
        __global real *low = to + 2 * (long)p, *high = to + n - 1 - 2 * (long)p;
#define PUT_FOLDED(l) low[2 * l] = ((const real *)&x)[l], *(high - 2 * l) = ((const real *)&down)[l];
        EACH_LANE(PUT_FOLDED)
    } else if (map == EVEN_MIRRORED && p >= sine && p + LANES <= n + sine) {
        VSTORE(sine ? -y : x, 0, to + p - sine);
    } else {
        return (map == EVEN_ROTATED && 2 * p > n) || (map == EVEN_MIRRORED && p >= n + sine);
    }
    return true;
}

__attribute__((noinline)) void store_even_lanes(const vreal *restrict v, __global const any_side *s,
                                                __global real *restrict to, __global const real *restrict numbers,
                                                __global const uint *restrict places, uint p, uint count, real scale) {
    const uint n = (uint)s->axis_length, swap = (uint)s->swap;
    const long stride = s->axis_stride;
    for (uint k = 0; k < (uint)s->n; k++, p += (uint)s->step) {
        const size_t e = places[k];
        vreal x = v[2 * e + swap], y = v[2 * e + 1 - swap];
        if (s->factors >= 0) {
            const vpairs w = take_factors(numbers + s->factors, p, count);
            const vreal re = x * w.even - y * w.odd;
            y = x * w.odd + y * w.even;
            x = re;
        }
        x *= scale, y *= scale;
        if (stride != 1 || count < LANES || !put_lanes((uint)s->even, s->sine, n, to, p, x, y))
            for (uint l = 0; l < count; l++)
                even_store((uint)s->even, s->sine, n, to, stride, p + l,
                           (real2)(((const real *)&x)[l], ((const real *)&y)[l]));
    }
}
