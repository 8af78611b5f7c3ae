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
        load_real_rows(v, from, at, there, swap);
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

void store_tile(vreal *v, __global const any_pass *p, __global real *to, __global const real *numbers,
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
        store_real_rows(v, to, at, places, n, swap, count, scale);
    else
        store_rows(v, to, at, places, n, (uint)p->near, swap, count, scale);
}

void transform_tile(vreal *v, __global const any_pass *p, uint count, __global const real *numbers,
                    __global const uint *places) {
    if (p->ends == ANY_SPLIT)
        split_tile(v, (uint)p->n, numbers + p->end_roots);
    if (p->ends == ANY_MIRROR)
        mirror_row(v, v, (uint)p->n, (uint)p->source.swap);
    take_steps(v, p, 0, (uint)p->n_steps, count, numbers, places);
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

// A work-item takes pieces, one or `joint` after the other, each through all passes; where n_lines is not zero, there
// is one pass and one piece of so many lines, and work-items share its tiles.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_any(__global const uchar *tables, __global real *source, __global real *target, __global real *work,
        __global real *padded, __global real *spectrum, __global real *scratch, any_call call, real scale) {
    vreal v[2 * ANY_TILE + 2];
    __global const any_pass *passes = (__global const any_pass *)(tables + call.passes_at);
    __global const real *numbers = (__global const real *)tables;
    __global const uint *places = (__global const uint *)(tables + call.places_at);
    const uint n_passes = (uint)call.n_passes;
    const ulong scratch_reals = (ulong)call.scratch_reals, n_pieces = (ulong)call.n_pieces,
                n_lines = (ulong)call.n_lines;
    const ulong joint = (ulong)call.joint, n_joint = (n_pieces + joint - 1) / joint;
    const ulong id = get_global_id(0), n_items = get_global_size(0), end = n_lines ? 1 : (id + 1) * n_joint / n_items;
    __global real *buffers[] = {source, target, work, padded, spectrum};
    const long bases[] = {call.source_base, call.target_base, 0, 0, 0};
    const ulong items[] = {(ulong)call.source_item, (ulong)call.target_item, (ulong)call.work_item,
                           (ulong)call.work_item, (ulong)call.work_item};
    for (ulong piece = n_lines ? 0 : id * n_joint / n_items; piece < end; piece++)
        for (uint k = 0; k < n_passes; k++) {
            __global const any_pass *p = passes + k;
            __global const any_side *s = &p->source, *t = &p->target;
            const ulong lines_a_piece = (ulong)p->lines_a_piece, before_piece = piece * joint * lines_a_piece;
            const ulong lines = n_lines ? n_lines : min(joint, n_pieces - piece * joint) * lines_a_piece;
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
                load_tile(v, p, from, numbers, s_first + l.first, l.count, s_base, s_at);
                if (p->rows)
                    transform_box(v, p, numbers, places);
                else
                    transform_tile(v, p, (uint)p->n, numbers, places + p->places);
                store_tile(v + 2 * p->first_n, p, to, numbers, places + p->places, t_first + l.first, s_first + l.first,
                           l.count, t_base, t_at, p->scaled ? scale : 1);
            }
        }
}
