// Two neighbouring tiles of lines that lie side by side: of each row of numbers two lines of the cache, which
// processors fetch together in half the time that two of them take one after the other.

// Whether a whole tile is behind a whole one.
bool is_next(const lines_of_tile *tile, lines_of_tile next) {
    return next.count == LANES && next.left == 0 && next.first == tile->first + LANES;
}

bool is_wide(__global const any_side *s, const long *at, const long *next) {
    return s->wide && next[0] - at[0] == 2 * LANES && evenly_apart(at, LANES, 2) && evenly_apart(next, LANES, 2);
}

__attribute__((noinline)) void load_wide(vreal *restrict v, vreal *restrict w, __global const real *restrict from,
                                         uint n, long stride, uint swap) {
    for (uint e = 0; e < n; e++, from += stride) {
        const vpairs a = VLOAD_PAIRS(0, from), b = VLOAD_PAIRS(1, from);
        ASK_LATER(from + 4 * LANES);
        ASK_LATER(from + 6 * LANES);
        v[2 * e + swap] = a.even, v[2 * e + 1 - swap] = a.odd;
        w[2 * e + swap] = b.even, w[2 * e + 1 - swap] = b.odd;
    }
}

__attribute__((noinline)) void store_wide(const vreal *restrict v, const vreal *restrict w, __global real *restrict to,
                                          __global const uint *restrict places, uint n, long stride, uint swap,
                                          real scale) {
    for (uint k = 0; k < n; k++, to += stride) {
        const uint re = 2 * places[k] + swap, im = 2 * places[k] + 1 - swap;
        ASK_LATER(to + 4 * LANES);
        ASK_LATER(to + 6 * LANES);
        VSTORE_PAIRS(PAIRS(v[re] * scale, v[im] * scale), 0, to);
        VSTORE_PAIRS(PAIRS(w[re] * scale, w[im] * scale), 1, to);
    }
}

// The twiddles of store_twiddled, whose arithmetic this is, of columns c and c + LANES.
__attribute__((noinline)) void store_wide_twiddled(const vreal *restrict v, const vreal *restrict w,
                                                   __global const any_pass *p, __global real *restrict to,
                                                   __global const real *restrict numbers,
                                                   __global const uint *restrict places, uint c) {
    const uint n = (uint)p->target.n;
    const long stride = p->target.step * p->target.axis_stride;
    __global const real *restrict lanes = numbers + p->lanes;
    for (uint k = 0; k < n; k++, to += stride) {
        const uint e = places[k];
        const vreal lr = VLOAD(2 * k, lanes), li = VLOAD(2 * k + 1, lanes);
        ASK_LATER(to + 4 * LANES);
        ASK_LATER(to + 6 * LANES);
        {
            const real2 wc = twiddle_of(p, numbers, c * k);
            const vreal x = RE(e), y = IM(e);
            const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr);
            VSTORE_PAIRS(PAIRS(fma(x, wr, -(y * wi)), fma(x, wi, y * wr)), 0, to);
        }
        {
            const real2 wc = twiddle_of(p, numbers, (c + LANES) * k);
            const vreal x = w[2 * e], y = w[2 * e + 1];
            const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr);
            VSTORE_PAIRS(PAIRS(fma(x, wr, -(y * wi)), fma(x, wi, y * wr)), 1, to);
        }
    }
}

// All that a pass does to two full tiles.
__attribute__((noinline)) void transform_wide(vreal *v, __global const any_pass *p, __global const real *from,
                                              __global real *to, __global const real *numbers,
                                              __global const uint *places, ulong s_first, ulong t_first, long s_base,
                                              long t_base, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)p->n;
    vreal *w = v + 2 * n;
    long at[LANES], next[LANES];
    uint c = 0;
    find_lines(s, s_first, LANES, s_base, at);
    find_lines(s, s_first + LANES, LANES, s_base, next);
    if (is_wide(s, at, next)) {
        load_wide(v, w, from + at[0], n, s->step * s->axis_stride, (uint)s->swap);
    } else {
        load_tile(v, p, from, numbers, s_first, LANES, s_base, at);
        load_tile(w, p, from, numbers, s_first + LANES, LANES, s_base, next);
    }
    transform_tile(v, p, n, numbers, places);
    transform_tile(w, p, n, numbers, places);
    find_lines(t, t_first, LANES, t_base, at);
    find_lines(t, t_first + LANES, LANES, t_base, next);
    if (!is_wide(t, at, next) || (p->twiddled && !store_column(p, s_first, 2 * LANES, &c))) {
        store_tile(v, p, to, numbers, places, t_first, s_first, LANES, t_base, at, scale);
        store_tile(w, p, to, numbers, places, t_first + LANES, s_first + LANES, LANES, t_base, next, scale);
    } else if (p->twiddled) {
        store_wide_twiddled(v, w, p, to + at[0], numbers, places, c);
    } else {
        store_wide(v, w, to + at[0], places, n, t->step * t->axis_stride, (uint)t->swap, scale);
    }
}

// Neighbouring tiles of short columns, whose numbers come and go row by row, and which are worked on at once: calls and
// places cost as much as they do.

// How many tiles from this one on, `most` at most, are whole and lie side by side.
uint count_strip(__global const any_side *s, __global const any_side *t, const cut *c, const lines_of_tile *tile,
                 ulong s_first, ulong t_first, uint most) {
    ulong left = c->n_lines - tile->first;
    if (c->run)
        left = min(left, c->run - (c->before + tile->first) % c->run);
    if (s->n_dims > 1)
        left = min(left, (ulong)s->last - s_first % (ulong)s->last);
    if (t->n_dims > 1)
        left = min(left, (ulong)t->last - t_first % (ulong)t->last);
    return (uint)min(left / LANES, (ulong)most);
}

__attribute__((noinline)) void load_strip(vreal *restrict v, __global const real *restrict from, uint n, uint many,
                                          long stride, uint swap) {
    for (uint e = 0; e < n; e++, from += stride)
        for (uint k = 0; k < many; k++) {
            vreal *restrict at = v + 2 * (size_t)(n * k + e);
            take_column(at, at + 1, from + 2 * LANES * k, swap);
        }
}

__attribute__((noinline)) void store_strip(const vreal *restrict v, __global real *restrict to,
                                           __global const uint *restrict places, uint n, uint many, long stride,
                                           uint swap, real scale) {
    for (uint e = 0; e < n; e++, to += stride)
        for (uint k = 0; k < many; k++) {
            const vreal *restrict at = v + 2 * (size_t)(n * k + places[e]);
            put_column(at[0] * scale, at[1] * scale, to + 2 * LANES * k, swap);
        }
}

// The first step from memory and the last one to memory where there are such, so that loads and stores overlap with
// butterflies.
__attribute__((noinline)) void transform_strip(vreal *v, __global const any_pass *p, __global const real *from,
                                               __global real *to, __global const real *numbers,
                                               __global const uint *places, ulong s_first, ulong t_first, long s_base,
                                               long t_base, uint many, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)p->n, end = (uint)p->n_steps, last = (uint)p->to_memory, first = (uint)p->from_memory;
    const long s_stride = s->step * s->axis_stride, t_stride = t->step * t->axis_stride;
    from += s_base + sum_over_line(s, s->starts, s_first);
    to += t_base + sum_over_line(t, t->starts, t_first);
    if (p->columns) {
        take_columns(n, from, to, many, s_stride, t_stride, (uint)s->swap, scale, numbers + p->odd[0]);
        return;
    }
    if (first)
        take_first((uint)p->radices[0], from, v, n, many, s_stride, (uint)s->swap, numbers + p->tables[0]);
    else
        load_strip(v, from, n, many, s_stride, (uint)s->swap);
    take_steps(v, p, first, end - last, many * n, numbers, places);
    if (last)
        take_last((uint)p->radices[end - 1], v, to, places, n, many, t_stride, (uint)t->swap, scale);
    else
        store_strip(v, to, places, n, many, t_stride, (uint)t->swap, scale);
}
