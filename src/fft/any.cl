// Passes of any length: what a kernel for CPUs does with the numbers of any_pass.cl. A work-item takes tiles of LANES
// lines, as the kernels of write_cpu.c do and with the same arithmetic, but sizes, strides and radices are arguments.

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
void load_even_lanes(vreal *v, __global const any_side *s, __global const real *from, __global const real *numbers,
                     uint p, uint count);
void store_even_lanes(const vreal *v, __global const any_side *s, __global real *to, __global const real *numbers,
                      __global const uint *places, uint p, uint count, real scale);
#endif

void load_tile(vreal *v, __global const any_pass *p, __global const real *from, __global const real *numbers,
               ulong first, uint count, long base, const long *at) {
    __global const any_side *s = &p->source;
    const bool multiplied = s->factors >= 0;
    const uint swap = multiplied ? 0 : (uint)s->swap, there = (uint)(s->length ? s->length : s->n);
    if (s->way == ANY_BY_VALUES || (s->way == ANY_BY_LANES && !evenly_apart(at, count, s->lane_stride))) {
        load_values(v, s, from, numbers, first, count, base);
        return;
    }
    if (s->neighbours) {
        load_neighbours(v, s, from + at[0], numbers, (uint)sum_over_line(s, s->positions, first), count);
        return;
    }
#ifdef EVEN_DATA
    if (s->even) {
        const uint position = (uint)sum_over_line(s, s->positions, first);
        from += base + sum_over_line(s, s->outer, first);
        if (s->even == EVEN_PAIRED)
            load_paired(v, s, from, position, count);
        else
            load_even_lanes(v, s, from, numbers, position, count);
        return;
    }
#endif
    if (s->way == ANY_BY_LANES)
        load_lanes(v, from + at[0], there, s->step * s->axis_stride, s->imaginary, swap, count, s->lane_stride == 2);
    else if (s->way == ANY_BY_REALS)
        load_real_rows(v, from, at, there, there, swap);
    else
        load_rows(v, from, at, there, there, swap);
    for (uint e = there; e < (uint)s->n; e++)
        RE(e) = 0, IM(e) = 0;
    if (multiplied)
        multiply_tile(v, s, numbers, 0, there);
}

// By lanes between passes, they have neighbouring columns, the first of them a multiple of LANES; or all have one.
bool in_one_column(__global const any_pass *p, ulong source_first, uint count) {
    const ulong last = (ulong)p->source.last;
    return p->column_dim < p->source.n_dims - 1 && source_first % last + count <= last;
}

bool store_column(__global const any_pass *p, ulong source_first, uint count, uint *c) {
    const ulong n_columns = (ulong)p->source.last;
    *c = (uint)(source_first % n_columns);
    return p->column_dim == p->source.n_dims - 1 && *c % LANES == 0 && *c + count <= n_columns;
}

void store_tile(vreal *v, __global const any_pass *p, __global real *to, __global const real *numbers,
                __global const uint *places, ulong first, ulong source_first, uint count, long base, const long *at,
                real scale) {
    __global const any_side *s = &p->target;
    const uint n = (uint)(s->length ? s->length : s->n);
    uint swap = (uint)s->swap, c = 0;
    if (s->way == ANY_BY_VALUES || (s->way == ANY_BY_LANES && !evenly_apart(at, count, s->lane_stride)) ||
        (p->twiddled && !in_one_column(p, source_first, count) && !store_column(p, source_first, count, &c))) {
        store_values(v, p, to, numbers, places, first, source_first, count, base, scale);
        return;
    }
#ifdef EVEN_DATA
    if (s->even) {
        const uint position = (uint)sum_over_line(s, s->positions, first);
        to += base + sum_over_line(s, s->outer, first);
        if (s->even == EVEN_PAIRED)
            store_paired(v, s, to, places, position, count, scale);
        else
            store_even_lanes(v, s, to, numbers, places, position, count, scale);
        return;
    }
#endif
    if (s->neighbours) {
        store_neighbours(v, s, to + at[0], numbers, places, (uint)sum_over_line(s, s->positions, first), count, scale);
        return;
    }
    if (p->twiddled && in_one_column(p, source_first, count)) {
        store_one_column(v, p, to + at[0], numbers, places, column_of(p, source_first), count);
        return;
    }
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
    else if (s->way == ANY_BY_REALS)
        store_real_rows(v, to, at, places, n, n, swap, count, scale);
    else
        store_rows(v, to, at, places, n, n, (uint)p->near, swap, count, scale);
}

// Before the steps of a tile, and behind them.
void begin_tile(vreal *v, __global const any_pass *p, __global const real *numbers) {
    if (p->ends == ANY_SPLIT)
        split_tile(v, (uint)p->n, numbers + p->end_roots);
    if (p->ends == ANY_MIRROR)
        mirror_row(v, v, (uint)p->n, (uint)p->source.swap);
}

void end_tile(vreal *v, __global const any_pass *p, __global const real *numbers, __global const uint *places) {
    if (p->ends == ANY_COMBINE)
        combine_tile(v, (uint)p->n, places, numbers + p->end_roots);
}

void transform_tile(vreal *v, __global const any_pass *p, uint count, __global const real *numbers,
                    __global const uint *places) {
    begin_tile(v, p, numbers);
    take_steps(v, p, 0, (uint)p->n_steps, count, numbers, places);
    end_tile(v, p, numbers, places);
}

// Tiles of short rows one behind the other: all that a pass does to them. A tile that is split or combined has one
// number more than the transform, where the next one begins: so the last ones are combined first.
__attribute__((noinline)) void transform_rows(vreal *v, __global const any_pass *p, __global const real *from,
                                              __global real *to, __global const real *numbers,
                                              __global const uint *places, long s_start, long t_start, real scale) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)p->n, several = (uint)p->several, kept = (uint)(t->length ? t->length : t->n);
    long s_at[LANES], t_at[LANES];
    for (uint l = 0; l < LANES; l++)
        s_at[l] = (long)l * s->lane_stride, t_at[l] = (long)l * t->lane_stride;
    for (uint k = 0; k < several; k++) {
        __global const real *rows = from + s_start + (long)(k * LANES) * s->lane_stride;
        if (s->way == ANY_BY_REALS)
            load_real_rows(v + 2 * n * k, rows, s_at, n, several * n, (uint)s->swap);
        else
            load_rows(v + 2 * n * k, rows, s_at, (uint)s->n, several * (uint)s->n, (uint)s->swap);
        begin_tile(v + 2 * n * k, p, numbers);
    }
    take_steps(v, p, 0, (uint)p->n_steps, several * n, numbers, places);
    for (uint k = several; k-- > 0;) {
        __global real *rows = to + t_start + (long)(k * LANES) * t->lane_stride;
        end_tile(v + 2 * n * k, p, numbers, places);
        if (t->way == ANY_BY_REALS)
            store_real_rows(v + 2 * n * k, rows, t_at, places, kept, several * kept, (uint)t->swap, LANES, scale);
        else
            store_rows(v + 2 * n * k, rows, t_at, places, kept, several * kept, (uint)p->near, (uint)t->swap, LANES,
                       scale);
    }
}
