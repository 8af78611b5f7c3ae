// Cosine and sine transforms of lines that a tile holds: as N real numbers of even length N, in the slots v[0 .. N-1]
// of N/2 complex ones, whose parts they are (odd lengths: any_even_odd.cl). Which number of a line is in which slot,
// coming and going, is in tables; where every other sign changes, `odd` does it.

#if PRECISION == 64
typedef double4 real4;
#else
typedef float4 real4;
#endif

INLINE vreal even_sign_of(vreal x, size_t i, real even, real odd) { return x * (i % 2 ? odd : even); }

// Numbers j of all lines, from where lines lie side by side.
INLINE vreal load_across(__global const real *from, uint count) {
    if (count == LANES)
        return VLOAD(0, from);
    real part[LANES] = {0};
    for (uint l = 0; l < count; l++)
        part[l] = from[l];
    return VLOAD(0, part);
}

__attribute__((noinline)) void load_reals(vreal *restrict v, __global const real *restrict from,
                                          const long *restrict at, long stride, uint count, uint n, bool across,
                                          real odd, __global const uint *restrict slots) {
    size_t j = 0;
    if (across) {
        for (; j < n; j++)
            v[slots[j]] = even_sign_of(load_across(from + at[0] + (long)j * stride, count), j, 1, odd);
        return;
    }
#define FIND_REALS(l) __global const real *from##l = from + at[l];
    EACH_LANE(FIND_REALS)
    for (; stride == 1 && j + LANES <= n; j += LANES) {
        vreal r[LANES];
#define LOAD_REALS(a, b) TAKE_HALVES(a, b, from##a + j, from##b + j)
        EACH_PAIR(LOAD_REALS)
        transpose(r);
#define PUT_REALS(i) v[slots[j + i]] = even_sign_of(r[i], i, 1, odd);
        EACH_LANE(PUT_REALS)
    }
    for (; j < n; j++) {
        vreal x;
        for (uint l = 0; l < LANES; l++)
            ((real *)&x)[l] = from[at[l] + (long)j * stride];
        v[slots[j]] = even_sign_of(x, j, 1, odd);
    }
}

__attribute__((noinline)) void store_reals(const vreal *restrict v, __global real *restrict to, const long *restrict at,
                                           long stride, uint count, uint n, bool across, real even, real odd,
                                           __global const uint *restrict slots) {
    size_t j = 0;
    if (across && count == LANES) {
        for (; j < n; j++)
            VSTORE(even_sign_of(v[slots[j]], j, even, odd), 0, to + at[0] + (long)j * stride);
        return;
    }
#define FIND_TO_REALS(l) __global real *to##l = to + at[l];
    EACH_LANE(FIND_TO_REALS)
    for (; stride == 1 && count == LANES && j + LANES <= n; j += LANES) {
        vreal r[LANES];
#define TAKE_REALS(i) r[i] = even_sign_of(v[slots[j + i]], i, even, odd);
        EACH_LANE(TAKE_REALS)
        transpose_to_lines(r);
#define STORE_REALS(l) VSTORE(r[l], 0, to##l + j);
        EACH_LANE(STORE_REALS)
    }
    for (; j < n; j++) {
        const vreal x = even_sign_of(v[slots[j]], j, even, odd);
        for (uint l = 0; l < count; l++)
            to[at[l] + (long)j * stride] = ((const real *)&x)[l];
    }
}

// From the transform Z of the complex numbers to X[k] - i X[n-k] = f[k] V[k], V the transform of the real ones
// (combine_tile), k up to n/2; h complex numbers are 2h real ones.
__attribute__((noinline)) void combine_rotated(vreal *restrict v, uint h, __global const uint *restrict places,
                                               __global const real *restrict roots,
                                               __global const real *restrict factors) {
    const vreal zr = RE(0), zi = IM(0);
    RE(0) = (zr + zi) * factors[0];
    IM(0) = (zr - zi) * factors[2 * h];
    for (uint k = 1; 2 * k <= h; k++) {
        const uint a = places[k], b = places[h - k];
        const real2 w = vload2(k, roots), f = vload2(k, factors), g = vload2(h - k, factors);
        const opposites x = combined((opposites){RE(a), IM(a), RE(b), IM(b)}, w.x, w.y);
        RE(b) = x.br * g.x - x.bi * g.y, IM(b) = -(x.br * g.y + x.bi * g.x);
        RE(a) = x.ar * f.x - x.ai * f.y, IM(a) = -(x.ar * f.y + x.ai * f.x);
    }
}

// Back: V[k] = f[k] (X[k] - i X[n-k]), and split_tile's step from there.
__attribute__((noinline)) void split_rotated(vreal *restrict v, uint h, __global const real *restrict roots,
                                             __global const real *restrict factors) {
    const real2 middle = vload2(h, factors);
    const vreal first = RE(0) * factors[0], last = IM(0) * (middle.x + middle.y);
    IM(0) = first + last, RE(0) = first - last;
    for (uint k = 1; 2 * k <= h; k++) {
        const uint a = k, b = h - k;
        const real2 w = vload2(k, roots), f = vload2(a, factors), g = vload2(b, factors);
        const vreal ar = RE(a) * f.x + IM(a) * f.y, ai = RE(a) * f.y - IM(a) * f.x;
        const vreal br = RE(b) * g.x + IM(b) * g.y, bi = RE(b) * g.y - IM(b) * g.x;
        const opposites z = split((opposites){ar, ai, br, bi}, w.x, w.y);
        RE(b) = z.br, IM(b) = z.bi;
        RE(a) = z.ar, IM(a) = z.ai;
    }
}

// The other half of a period of 2h numbers.
__attribute__((noinline)) void mirror(vreal *restrict v, uint h, bool sine) {
    if (sine)
        v[0] = 0, v[h] = 0;
    for (uint u = 1; u < h; u++)
        v[2 * h - u] = sine ? -v[u] : v[u];
}

// The ends of cosine transforms of type I whose matrix is orthogonal.
void weigh_ends(vreal *v, uint first, uint last, real weight) {
    v[first] *= weight;
    if (first != last)
        v[last] *= weight;
}

// All that happens to a tile between loading and storing; slots: coming and going.
void even_middle(vreal *v, __global const any_pass *p, __global const real *numbers, __global const uint *places,
                 __global const uint *slots_in, __global const uint *slots_out) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)s->axis_length, h = (uint)p->n, map = (uint)s->even;
    const bool weighed = map == EVEN_MIRRORED && s->factors >= 0;
    if (n == h) {
        even_odd_middle(v, p, numbers, places);
        return;
    }
    if (weighed)
        weigh_ends(v, slots_in[0], slots_in[n - 1], numbers[s->factors]);
    if (map == EVEN_MIRRORED)
        mirror(v, h, s->sine);
    else if (map == EVEN_ROTATED)
        split_rotated(v, h, numbers + p->end_roots, numbers + s->factors);
    else if (map == EVEN_FOLDED)
        multiply_tile(v, s, numbers, 0, h);
    transform_tile(v, p, h, numbers, places);
    if (map == EVEN_SPREAD)
        combine_rotated(v, h, places, numbers + p->end_roots, numbers + t->factors);
    else if (map == EVEN_MIRRORED)
        combine_tile(v, h, places, numbers + p->end_roots);
    else if (map == EVEN_FOLDED)
        multiply_tile(v, t, numbers, places, h);
    if (weighed)
        weigh_ends(v, slots_out[0], slots_out[n - 1], numbers[t->factors]);
}

// Signs of numbers with odd indices coming, and of those with even and odd ones going.
real4 even_signs(__global const any_side *s) {
    const bool mirrored = s->even == EVEN_MIRRORED,
               alternate = s->even == EVEN_ROTATED || s->even == EVEN_FOLDED || s->even == EVEN_STRIDED;
    const real even = mirrored && s->sine ? -1 : 1;
    return (real4)(s->sine && s->even == EVEN_SPREAD ? -1 : 1, even,
                   (s->even == EVEN_FOLDED) != (s->sine && alternate) ? -1 : even, 0);
}

void even_tile(vreal *v, __global const any_pass *p, __global const real *from, __global real *to,
               __global const real *numbers, __global const uint *places, const long *s_at, const long *t_at,
               uint count, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    __global const uint *slots_in = places + p->slots, *slots_out = slots_in + s->axis_length;
    const real4 signs = even_signs(s);
    const uint n = (uint)s->axis_length;
    load_reals(v, from, s_at, s->axis_stride, count, n,
               s->way == ANY_BY_LANES && evenly_apart(s_at, count, s->lane_stride), signs.x, slots_in);
    even_middle(v, p, numbers, places + p->places, slots_in, slots_out);
    store_reals(v, to, t_at, t->axis_stride, count, n,
                t->way == ANY_BY_LANES && evenly_apart(t_at, count, t->lane_stride), signs.y * scale, signs.z * scale,
                slots_out);
}

// Two tiles side by side: a line of the cache has numbers of both.
bool even_goes_on(__global const any_side *s, const long *at, const long *next) {
    return s->way == ANY_BY_LANES && evenly_apart(at, LANES, 1) && evenly_apart(next, LANES, 1) &&
           next[0] - at[0] == LANES;
}

__attribute__((noinline)) void even_two(vreal *restrict v, __global const any_pass *p,
                                        __global const real *restrict from, __global real *restrict to,
                                        __global const real *numbers, __global const uint *places, long s_at, long t_at,
                                        real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    __global const uint *restrict slots_in = places + p->slots, *restrict slots_out = slots_in + s->axis_length;
    const real4 signs = even_signs(s);
    const size_t n = (size_t)s->axis_length, second = 2 * (size_t)p->n + 2;
    for (size_t j = 0; j < n; j++) {
        const vpairs x = VLOAD_PAIRS(0, from + s_at + (long)j * s->axis_stride);
        v[slots_in[j]] = even_sign_of(x.lo, j, 1, signs.x);
        v[second + slots_in[j]] = even_sign_of(x.hi, j, 1, signs.x);
    }
    even_middle(v, p, numbers, places + p->places, slots_in, slots_out);
    even_middle(v + second, p, numbers, places + p->places, slots_in, slots_out);
    const real even = signs.y * scale, odd = signs.z * scale;
    for (size_t j = 0; j < n; j++) {
        const vpairs x = (vpairs)(v[slots_out[j]], v[second + slots_out[j]]);
        VSTORE_PAIRS(x * (j % 2 ? odd : even), 0, to + t_at + (long)j * t->axis_stride);
    }
}

// Transforms a tile, or two where the next one lies beside it; returns how many.
uint even_tiles(vreal *v, __global const any_pass *p, __global const real *from, __global real *to,
                __global const real *numbers, __global const uint *places, const long *s_at, const long *t_at,
                const long *s_next, const long *t_next, uint count, uint next_count, real scale) {
    const bool two = count == LANES && next_count == LANES && 2 * p->n + 2 <= ANY_LONGEST && p->prime_m == 0 &&
                     even_goes_on(&p->source, s_at, s_next) && even_goes_on(&p->target, t_at, t_next);
    if (two)
        even_two(v, p, from, to, numbers, places, s_at[0], t_at[0], scale);
    else
        even_tile(v, p, from, to, numbers, places, s_at, t_at, count, scale);
    return two ? 2 : 1;
}

// Lines that no tile holds: the steps around the transform in memory, by runs (treat_run).

// Numbers k, k + 1, .. or k, k - 1, .. of n, in reverse order of sine transforms: one or a vector of them.
INLINE vreal take_run(__global const real *from, long stride, long i, bool up, bool several) {
    if (!several)
        return from[i * stride];
    return up ? VLOAD(0, from + i) : REVERSED(VLOAD(0, from + i - (LANES - 1)));
}

INLINE void put_run(__global real *to, long stride, long i, bool up, bool several, vreal x) {
    if (!several)
        to[i * stride] = x.s0;
    else if (up)
        VSTORE(x, 0, to + i);
    else
        VSTORE(REVERSED(x), 0, to + i - (LANES - 1));
}

// Roots k .. of those whose low ones are at `low`, the high one being `high`.
INLINE opposites take_roots(__global const real *low, long k, real2 high, bool several) {
    vreal lr, li;
    if (several) {
        const vpairs w = VLOAD_PAIRS(0, low + 2 * k);
        lr = w.even, li = w.odd;
    } else {
        lr = low[2 * k], li = low[2 * k + 1];
    }
    return (opposites){lr * high.x - li * high.y, lr * high.y + li * high.x, 0, 0};
}

// Numbers 0 and h, whose weights are at `factors`.
void even_run_first(bool combines, bool sine, long h, __global const real *from, __global real *to, long stride,
                    __global const real *weights, real scale) {
    const long first = (sine ? 2 * h - 1 : 0) * stride, middle = (sine ? h - 1 : h) * stride;
    if (combines) {
        const real2 z = vload2(0, from);
        to[first] = (z.x + z.y) * weights[0] * scale;
        to[middle] = (z.x - z.y) * weights[1] * scale;
    } else {
        const real a = from[first] * weights[0], b = from[middle] * weights[1];
        vstore2((real2)(a - b, a + b), 0, to);
    }
}

// f = w^k and g = w^(h-k), as in combine_rotated and split_rotated.
__attribute__((noinline)) void even_run(__global const any_pass *p, __global const real *from, __global real *to,
                                        __global const real *restrict numbers, uint begin, real scale) {
    const bool combines = p->ends == ANY_EVEN_COMBINE_ALONE, sine = combines ? p->target.sine : p->source.sine;
    const long h = p->n, n = 2 * h, run = p->source.n, end = min(begin + run, h / 2 + 1);
    const long s_stride = p->source.axis_stride, t_stride = p->target.axis_stride;
    const bool rows = combines ? s_stride == 2 && t_stride == 1 : s_stride == 1 && t_stride == 2;
    const real2 high = vload2(begin / (uint)run, numbers + p->run_roots),
                turn = vload2(begin / (uint)run, numbers + p->high);
    const real root_half = REAL(0.70710678118654752440);
    if (begin == 0)
        even_run_first(combines, sine, h, from, to, combines ? t_stride : s_stride,
                       numbers + (combines ? p->target.factors : p->source.factors), scale);
    for (long k = max(begin, 1u), count; k < end; k += count) {
        const bool several = rows && k + LANES <= end && 2 * (k + LANES) <= h;
        const long b = several ? h - k - (LANES - 1) : h - k;
        const opposites w = take_roots(numbers + p->end_roots, k - begin, high, several);
        const opposites f = take_roots(numbers + p->low, k - begin, turn, several);
        const vreal gr = root_half * (f.ar - f.ai), gi = -root_half * (f.ar + f.ai); // exp(-pi i / 4) conj(f)
        const long at_k = sine ? n - 1 - k : k, after_n = sine ? k - 1 : n - k;
        const long before_h = sine ? h - 1 + k : h - k, after_h = sine ? h - 1 - k : h + k;
        count = several ? LANES : 1;
        if (combines) {
            opposites z;
            if (several) {
                const vpairs first = VLOAD_PAIRS(0, from + 2 * k), opposite = VLOAD_PAIRS(0, from + 2 * b);
                z = (opposites){first.even, first.odd, REVERSED(opposite.even), REVERSED(opposite.odd)};
            } else {
                const real2 first = vload2(0, from + k * s_stride), opposite = vload2(0, from + b * s_stride);
                z = (opposites){first.x, first.y, opposite.x, opposite.y};
            }
            z = combined(z, w.ar, w.ai);
            const real twice = 2 * scale;
            put_run(to, t_stride, before_h, sine, several, twice * (z.br * gr - z.bi * gi));
            put_run(to, t_stride, after_h, !sine, several, -twice * (z.br * gi + z.bi * gr));
            put_run(to, t_stride, at_k, !sine, several, twice * (z.ar * f.ar - z.ai * f.ai));
            put_run(to, t_stride, after_n, sine, several, -twice * (z.ar * f.ai + z.ai * f.ar));
        } else {
            const vreal x = take_run(from, s_stride, at_k, !sine, several),
                        y = take_run(from, s_stride, after_n, sine, several);
            const vreal u = take_run(from, s_stride, before_h, sine, several),
                        v = take_run(from, s_stride, after_h, !sine, several);
            const opposites z = split(
                (opposites){x * f.ar - y * f.ai, -x * f.ai - y * f.ar, u * gr - v * gi, -u * gi - v * gr}, w.ar, w.ai);
            put_opposites(to, t_stride, k, b, several, z);
        }
    }
}

void even_runs(__global const any_pass *p, __global const real *from, __global real *to, __global const real *numbers,
               ulong s_first, ulong t_first, uint count, long s_base, long t_base, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    for (uint l = 0; l < count; l++)
        even_run(p, from + s_base + sum_over_line(s, s->outer, s_first + l),
                 to + t_base + sum_over_line(t, t->outer, t_first + l), numbers,
                 (uint)sum_over_line(s, s->positions, s_first + l), scale);
}
