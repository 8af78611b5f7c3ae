// Tiles of lines that side by side fill no vectors: what runs have left over behind their last whole tile. Each lane
// has its own place, so that a few lines of eight runs take one tile and not eight.

__attribute__((noinline)) void load_apart(vreal *restrict v, __global const real *restrict from, const long *at, uint n,
                                          long stride, uint swap) {
#define FROM_LANE(l) __global const real *from##l = from + at[l];
    EACH_LANE(FROM_LANE)
    for (uint e = 0; e < n; e++) {
#define TAKE_LANE(l)                                                                                                   \
    const real2 x##l = vload2(0, from##l);                                                                             \
    from##l += stride;
        EACH_LANE(TAKE_LANE)
        const vpairs both = OF_LANES(x);
        v[2 * e + swap] = both.even;
        v[2 * e + 1 - swap] = both.odd;
    }
}

__attribute__((noinline)) void store_apart(const vreal *restrict v, __global real *restrict to, const long *at,
                                           __global const uint *restrict places, uint n, long stride, uint swap,
                                           uint count, real scale) {
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        const vreal x = v[2 * e + swap] * scale, y = v[2 * e + 1 - swap] * scale;
#define PUT_LANE(l)                                                                                                    \
    if (l < count)                                                                                                     \
        vstore2((real2)(x.s##l, y.s##l), 0, to + at[l]);
        EACH_LANE(PUT_LANE)
    }
}

// The lines that a tile has, from each of its runs' last `left` ones.
__attribute__((noinline)) void find_left(__global const any_side *s, const lines_of_tile *tile, ulong first, ulong run,
                                         long base, long *at) {
    for (uint l = 0; l < LANES; l++) {
        const ulong q = tile->at + min(l, tile->count - 1), r = q / tile->left;
        at[l] = base + sum_over_line(s, s->starts, first + r * run + (q - r * tile->left));
    }
}

__attribute__((noinline)) void transform_apart(vreal *v, __global const any_pass *p, __global const real *from,
                                               __global real *to, __global const real *numbers,
                                               __global const uint *places, const lines_of_tile *tile, ulong s_first,
                                               ulong t_first, long s_base, long t_base, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)p->n;
    long at[LANES];
    find_left(s, tile, s_first + tile->first, (ulong)p->run, s_base, at);
    load_apart(v, from, at, n, s->step * s->axis_stride, (uint)s->swap);
    transform_tile(v, p, n, numbers, places);
    find_left(t, tile, t_first + tile->first, (ulong)p->run, t_base, at);
    store_apart(v, to, at, places, n, t->step * t->axis_stride, (uint)t->swap, tile->count, scale);
}
