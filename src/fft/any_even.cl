// Cosine and sine transforms of lines that a tile holds: as N real numbers of even length N, in the slots v[0 .. N-1]
// of N/2 complex ones, whose parts they are. Which number of a line is in which slot, coming and going, is in tables;
// where every other sign changes, `odd` does it.

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
#define LOAD_REALS(l) r[l] = VLOAD(0, from##l + j);
        EACH_LANE(LOAD_REALS)
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
        transpose(r);
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

void even_tile(vreal *v, __global const any_pass *p, __global const real *from, __global real *to,
               __global const real *numbers, __global const uint *places, const long *s_at, const long *t_at,
               uint count, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    __global const uint *slots_in = places + p->slots, *slots_out = slots_in + s->axis_length;
    const uint n = (uint)s->axis_length, h = (uint)p->n, map = (uint)s->even;
    const bool sine = s->sine, by_factors = s->factors >= 0;
    places += p->places;
    load_reals(v, from, s_at, s->axis_stride, count, n,
               s->way == ANY_BY_LANES && evenly_apart(s_at, count, s->lane_stride), sine && map == EVEN_SPREAD ? -1 : 1,
               slots_in);
    if (map == EVEN_MIRRORED) {
        if (by_factors)
            weigh_ends(v, slots_in[0], slots_in[n - 1], numbers[s->factors]);
        mirror(v, h, sine);
    } else if (map == EVEN_ROTATED) {
        split_rotated(v, h, numbers + p->end_roots, numbers + s->factors);
    } else if (map == EVEN_FOLDED) {
        multiply_tile(v, s, numbers, 0, h);
    }
    transform_tile(v, p, h, numbers, places);
    if (map == EVEN_SPREAD)
        combine_rotated(v, h, places, numbers + p->end_roots, numbers + t->factors);
    else if (map == EVEN_MIRRORED)
        combine_tile(v, h, places, numbers + p->end_roots);
    else if (map == EVEN_FOLDED)
        multiply_tile(v, t, numbers, places, h);
    if (map == EVEN_MIRRORED && by_factors)
        weigh_ends(v, slots_out[0], slots_out[n - 1], numbers[t->factors]);
    const bool alternate = map == EVEN_ROTATED || map == EVEN_FOLDED;
    const real even = map == EVEN_MIRRORED && sine ? -scale : scale;
    const real odd = (map == EVEN_FOLDED) != (sine && alternate) ? -scale : even;
    store_reals(v, to, t_at, t->axis_stride, count, n,
                t->way == ANY_BY_LANES && evenly_apart(t_at, count, t->lane_stride), even, odd, slots_out);
}
