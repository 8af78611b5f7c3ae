// A stage of a fused convolution whose sizes are arguments: what stage_cpu.c, stage_rows.c and stage_columns.c write
// for given ones, with the same arithmetic.

// Where things lie.

typedef struct tile {
    long at[LANES], begin[LANES], least,
        most; // element 0 of each lane; its position, and the least and greatest of all
    uint column, count;
} tile;

long row_of(long r, long length, long periodic, long reversal) {
    r = periodic ? (r + 1) % length : r;
    return reversal == 1 ? length - 1 - r : reversal == 2 && r > 0 ? length - r : r;
}

long outer_of(__global const stage_port *p, ulong vector) {
    long at = 0;
    for (int k = (int)p->n_dims - 1; k > 0; k--) {
        const ulong count = (ulong)p->counts[k], above = vector / count;
        at += (long)(vector - above * count) * p->outer[k];
        vector = above;
    }
    return p->n_dims > 0 ? at + (long)vector * p->outer[0] : 0;
}

long place_of(__global const stage *s, __global const stage_port *p, ulong vector, ulong l, ulong first) {
    const ulong all = l / (ulong)s->row_lines, plane = s->rows ? all / (ulong)s->rows : 0,
                row = s->rows ? all % (ulong)s->rows : all;
    vector /= (ulong)p->divide;
    vector = p->modulo ? vector % (ulong)p->modulo : vector;
    if (p->work)
        return (long)vector * s->points +
               (((long)plane + p->first_plane) * s->plane_rows + (long)row + p->first_row) * s->row_points +
               (long)(l / (ulong)s->inner % (ulong)s->before) * s->span + (long)(l % (ulong)s->inner);
    long at = outer_of(p, first + vector);
    if (p->row_stride)
        at += row_of((long)row, p->row_length, p->row_periodic, p->row_reversal) * p->row_stride;
    if (p->plane_stride)
        at += row_of((long)plane, p->plane_length, p->plane_periodic, p->plane_reversal) * p->plane_stride;
    return at;
}

__attribute__((noinline)) void find_tile(tile *t, __global const stage *s, __global const stage_port *p, long base,
                                         ulong first, ulong line, uint count) {
    const ulong lines = (ulong)s->lines, inner = (ulong)s->inner, every = (ulong)p->every;
    const ulong key = lines > 1 ? line : first + line; // lines go on as they began up to the next multiple of `every`
    uint run = every > 1 ? (uint)min(every - key % every, (ulong)LANES) : 1, left = 0;
    t->least = LONG_MAX, t->most = LONG_MIN;
    t->count = count;
    t->column = inner > 1 ? (uint)(line % inner / (ulong)s->column) : 0;
    for (uint l = 0; l < (inner > 1 ? 1 : LANES); l++) {
        if (l >= count || left > 0) {
            t->at[l] = t->at[l - 1] + (l < count ? p->next : 0);
            t->begin[l] = t->begin[l - 1];
            left -= l < count;
            continue;
        }
        const ulong k = line + l, vector = lines > 1 ? k / lines : k;
        t->at[l] = base + place_of(s, p, vector, k - vector * lines, first);
        t->begin[l] = t->column;
        if (p->blocks > 1)
            t->begin[l] += (long)(vector % (ulong)p->blocks) * p->block_step + p->block_offset;
        t->least = min(t->least, t->begin[l]);
        t->most = max(t->most, t->begin[l]);
        left = run - 1;
        run = (uint)min(every, (ulong)LANES);
    }
}

// Values of the caller's.

#if PRECISION == 64
#define EACH_TYPE(F)                                                                                                   \
    F(1, float)                                                                                                        \
    F(5, char) F(6, uchar) F(7, short) F(8, ushort) F(9, int) F(10, uint) F(11, long) F(12, ulong) F(13, uchar)
__attribute__((noinline)) vreal converted(__global const char *array, long at, int type) {
    switch (type) {
#define VECTOR_OF(number, name)                                                                                        \
    case number:                                                                                                       \
        return convert_double4(vload4(0, (__global const name *)array + at));
        EACH_TYPE(VECTOR_OF)
    }
    return vload4(0, (__global const double *)array + at);
}
__attribute__((noinline)) real number_at(__global const char *array, long at, int type) {
    switch (type) {
#define NUMBER_OF(number, name)                                                                                        \
    case number:                                                                                                       \
        return (double)((__global const name *)array)[at];
        EACH_TYPE(NUMBER_OF)
    }
    return ((__global const double *)array)[at];
}
INLINE vreal numbers_at(__global const char *array, long at, int type) {
    return type == 0 ? VLOAD(0, (__global const real *)array + at) : converted(array, at, type);
}
#else
real number_at(__global const char *array, long at, int type) { return ((__global const real *)array)[at]; }
vreal numbers_at(__global const char *array, long at, int type) { return VLOAD(0, (__global const real *)array + at); }
#endif

real2 fetch(__global const stage_port *p, __global const char *array, long at, long position) {
    const int type = (int)p->type;
    if (position < 0 || position >= p->extent)
        return (real2)(0, 0);
    const long length = p->length;
    long k = position;
    if (p->periodic)
        k = k + 1 < length ? k + 1 : k + 1 - length;
    if (p->reversal)
        k = p->reversal == 1 ? length - 1 - k : k > 0 ? length - k : 0;
    at += k * p->axis_stride;
    if (p->parts == 1)
        return (real2)(number_at(array, at, type), 0);
    const real y = number_at(array, 2 * at + 1, type);
    return (real2)(number_at(array, 2 * at, type), p->reversal ? -y : y);
}

// Stores what is at position p of a block as element k of the result, if it is kept.
void put(__global const stage_port *p, __global real *array, long at, long begin, long position, real re, real im) {
    const long k = begin + position - p->start;
    if (position < p->start || k >= p->kept)
        return;
    at += k * p->axis_stride;
    if (p->parts == 1) {
        array[at] = re;
    } else {
        array[2 * at] = re;
        array[2 * at + 1] = im;
    }
}

INLINE void multiply_by(vreal *re, vreal *im, vreal wr, vreal wi) {
    const vreal before = *re;
    *re = before * wr - *im * wi;
    *im = *im * wr + before * wi;
}

INLINE void multiply_by_conjugate(vreal *re, vreal *im, vreal wr, vreal wi) {
    const vreal before = *re;
    *re = before * wr + *im * wi;
    *im = *im * wr - before * wi;
}

// Rows: lanes lie apart, and are transposed.

// Values of all lanes from position `position` on, one by one: m vectors, or 2 m where elements are pairs.
__attribute__((noinline)) void gather(vreal *restrict g, __global const stage_port *p, __global const char *array,
                                      const tile *t, long position, uint m) {
    const uint parts = (uint)p->parts;
    if (p->contiguous && p->type == 0) {
        for (uint k = 0; k < parts * m; k++)
            g[k] = 0;
        for (uint l = 0; l < LANES; l++) {
            const long place = t->begin[l] + position;
            const uint from = (uint)clamp(-place, 0L, (long)m), end = (uint)clamp(p->extent - place, 0L, (long)m);
            __global const real *row = (__global const real *)array + (long)parts * (t->at[l] + place);
            for (uint k = parts * from; k < parts * end; k++)
                ((real *)&g[k])[l] = row[k];
        }
        return;
    }
    for (uint k = 0; k < m; k++)
        for (uint l = 0; l < LANES; l++) {
            const real2 value = fetch(p, array, t->at[l], t->begin[l] + position + k);
            ((real *)&g[parts * k])[l] = value.x;
            if (parts == 2)
                ((real *)&g[2 * k + 1])[l] = value.y;
        }
}

// LANES numbers of each lane: a row each, or half a row of pairs.
#define PLACE_OF(l) parts *(t->at[l] + t->begin[l] + position)
#define FETCH_LANES(a, b)                                                                                              \
    TAKE_HALVES(a, b, (__global const real *)array + PLACE_OF(a), (__global const real *)array + PLACE_OF(b))
#define CONVERT_LANES(a, b)                                                                                            \
    r[a] = numbers_at(array, PLACE_OF(a), type), r[b] = numbers_at(array, PLACE_OF(b), type);                          \
    SWAP_HALVES(a, b)
#define ZERO_LANE(l) r[l] = 0;
#define COPY_LANE(l) r[l] = g[l];
INLINE void fetch_rows(vreal *r, __global const stage_port *p, __global const char *array, const tile *t, long position,
                       const long parts, bool contiguous, int type, long extent) {
    const uint m = LANES / (uint)parts;
    if (contiguous && t->least + position >= 0 && t->most + position + m <= extent) {
        if (type == 0) {
            EACH_PAIR(FETCH_LANES)
        } else {
            EACH_PAIR(CONVERT_LANES)
        }
        transpose(r);
    } else if (t->most + position + m <= 0 || t->least + position >= extent) {
        EACH_LANE(ZERO_LANE)
    } else {
        vreal g[LANES];
        gather(g, p, array, t, position, m);
        EACH_LANE(COPY_LANE)
    }
}

__attribute__((noinline)) void load_row_pairs(vreal *restrict v, __global const stage *s, __global const stage_port *p,
                                              __global const char *restrict array, const tile *restrict t,
                                              __global const uint *restrict places) {
    const uint n = (uint)s->steps.n, swap = s->kind == STAGE_BACKWARD;
    const int type = (int)p->type;
    const bool contiguous = p->contiguous, spectrum = p->spectrum;
    const long extent = p->extent;
    vreal *re = v + swap, *im = v + 1 - swap;
    uint e = 0;
    for (; e + ROW <= n; e += ROW) {
        vreal r[LANES];
        fetch_rows(r, p, array, t, e, 2, contiguous, type, extent);
        if (spectrum) {
#define PUT_RESULT(i) re[2 * (size_t)places[e + i]] = r[2 * i], im[2 * (size_t)places[e + i]] = r[2 * i + 1];
            EACH_OF_ROW(PUT_RESULT)
        } else {
#define PUT_PAIR(i) re[2 * (size_t)(e + i)] = r[2 * i], im[2 * (size_t)(e + i)] = r[2 * i + 1];
            EACH_OF_ROW(PUT_PAIR)
        }
    }
    for (; e < n; e++) {
        const size_t to = 2 * (size_t)(spectrum ? places[e] : e);
        vreal pair[2];
        gather(pair, p, array, t, e, 1);
        re[to] = pair[0], im[to] = pair[1];
    }
}

// Right angle: values p + angle are imaginary parts.
__attribute__((noinline)) void load_row_reals(vreal *restrict v, __global const stage *s, __global const stage_port *p,
                                              __global const char *restrict array, const tile *restrict t,
                                              __global const real *restrict weights) {
    const uint n = (uint)s->steps.n;
    const int type = (int)p->type;
    const bool contiguous = p->contiguous;
    const long extent = p->extent, angle = s->angle;
    uint e = 0;
    for (; e + LANES <= n; e += LANES) {
        vreal r[LANES];
        fetch_rows(r, p, array, t, e, 1, contiguous, type, extent);
        if (angle) {
            vreal re[LANES];
#define KEEP(l) re[l] = r[l];
            EACH_LANE(KEEP)
            fetch_rows(r, p, array, t, e + angle, 1, contiguous, type, extent);
#define PUT_WEIGHTED(j)                                                                                                \
    {                                                                                                                  \
        vreal x = re[j], y = r[j];                                                                                     \
        multiply_by(&x, &y, (vreal)weights[2 * (e + j)], (vreal)weights[2 * (e + j) + 1]);                             \
        v[2 * (size_t)(e + j)] = x, v[2 * (size_t)(e + j) + 1] = y;                                                    \
    }
            EACH_LANE(PUT_WEIGHTED)
        } else {
#define PUT_REAL(j) v[2 * (size_t)(e + j)] = r[j], v[2 * (size_t)(e + j) + 1] = 0;
            EACH_LANE(PUT_REAL)
        }
    }
    for (; e < n; e++) {
        vreal x, y = 0;
        gather(&x, p, array, t, e, 1);
        if (angle) {
            gather(&y, p, array, t, e + angle, 1);
            multiply_by(&x, &y, (vreal)weights[2 * e], (vreal)weights[2 * e + 1]);
        }
        v[2 * e] = x, v[2 * e + 1] = y;
    }
}

__attribute__((noinline)) void scatter(const vreal *restrict g, __global const stage_port *p,
                                       __global real *restrict array, const tile *t, long position, uint m) {
    const uint parts = (uint)p->parts;
    if (p->contiguous) {
        const uint from = (uint)clamp(p->start - position, 0L, (long)m);
        for (uint l = 0; l < t->count; l++) {
            const long place = t->begin[l] + position - p->start;
            const uint end = (uint)clamp(p->kept - place, 0L, (long)m);
            __global real *row = array + (long)parts * (t->at[l] + place);
            for (uint k = parts * from; k < parts * end; k++)
                row[k] = ((const real *)&g[k])[l];
        }
        return;
    }
    for (uint k = 0; k < m; k++)
        for (uint l = 0; l < t->count; l++)
            put(p, array, t->at[l], t->begin[l], position + k, ((const real *)&g[parts * k])[l],
                parts == 2 ? ((const real *)&g[2 * k + 1])[l] : 0);
}

#define SEND_LANES(a, b)                                                                                               \
    if (a < t->count)                                                                                                  \
        PUT_LOW(a, b, array + parts * (t->at[a] + t->begin[a] + shift))                                                \
    if (b < t->count)                                                                                                  \
    PUT_HIGH(a, b, array + parts * (t->at[b] + t->begin[b] + shift))
#define HOLD_LANE(l) g[l] = r[l];
INLINE void send_rows(vreal *r, __global const stage_port *p, __global real *array, const tile *t, long position,
                      const long parts, bool contiguous, long start, long kept) {
    const uint m = LANES / (uint)parts;
    const long shift = position - start; // to the place in the result
    if (contiguous && shift >= 0 && t->most + shift + m <= kept) {
        transpose(r);
        EACH_PAIR(SEND_LANES)
    } else if (shift + m > 0 && t->least + shift < kept) {
        vreal g[LANES];
        EACH_LANE(HOLD_LANE)
        scatter(g, p, array, t, position, m);
    }
}

__attribute__((noinline)) void store_row_pairs(const vreal *restrict v, __global const stage *s,
                                               __global const stage_port *p, __global real *restrict array,
                                               const tile *restrict t, __global const uint *restrict places,
                                               real scale) {
    const uint n = (uint)s->steps.n, swap = s->kind == STAGE_BACKWARD;
    const bool contiguous = p->contiguous, spectrum = p->spectrum;
    const long start = p->start, kept = p->kept;
    const vreal *re = v + swap, *im = v + 1 - swap;
    uint e = 0;
    for (; e + ROW <= n; e += ROW) {
        vreal r[LANES];
        if (spectrum) {
#define TAKE_RESULT(i)                                                                                                 \
    r[2 * i] = re[2 * (size_t)places[e + i]] * scale, r[2 * i + 1] = im[2 * (size_t)places[e + i]] * scale;
            EACH_OF_ROW(TAKE_RESULT)
        } else {
#define TAKE_PAIR(i) r[2 * i] = re[2 * (size_t)(e + i)] * scale, r[2 * i + 1] = im[2 * (size_t)(e + i)] * scale;
            EACH_OF_ROW(TAKE_PAIR)
        }
        send_rows(r, p, array, t, e, 2, contiguous, start, kept);
    }
    for (; e < n; e++) {
        const size_t from = 2 * (size_t)(spectrum ? places[e] : e);
        const vreal pair[2] = {re[from] * scale, im[from] * scale};
        scatter(pair, p, array, t, e, 1);
    }
}

__attribute__((noinline)) void store_row_reals(const vreal *restrict v, __global const stage *s,
                                               __global const stage_port *p, __global real *restrict array,
                                               const tile *restrict t, __global const uint *restrict places,
                                               __global const real *restrict weights, real scale) {
    const uint n = (uint)s->steps.n, swap = s->kind == STAGE_BACKWARD;
    const bool contiguous = p->contiguous, spectrum = p->spectrum;
    const long start = p->start, kept = p->kept, angle = s->angle;
    const vreal *re = v + swap, *im = v + 1 - swap;
    uint e = 0;
    for (; e + LANES <= n; e += LANES) {
        vreal r[LANES], i[LANES];
        if (angle) {
#define TAKE_WEIGHTED(j)                                                                                               \
    {                                                                                                                  \
        const size_t from = 2 * (size_t)(spectrum ? places[e + j] : e + j);                                            \
        vreal x = re[from], y = im[from];                                                                              \
        multiply_by_conjugate(&x, &y, (vreal)weights[2 * (e + j)], (vreal)weights[2 * (e + j) + 1]);                   \
        r[j] = x * scale, i[j] = y * scale;                                                                            \
    }
            EACH_LANE(TAKE_WEIGHTED)
            send_rows(r, p, array, t, e, 1, contiguous, start, kept);
            send_rows(i, p, array, t, e + angle, 1, contiguous, start, kept);
        } else {
#define TAKE_REAL(j) r[j] = re[2 * (size_t)(spectrum ? places[e + j] : e + j)] * scale;
            EACH_LANE(TAKE_REAL)
            send_rows(r, p, array, t, e, 1, contiguous, start, kept);
        }
    }
    for (; e < n; e++) {
        const size_t from = 2 * (size_t)(spectrum ? places[e] : e);
        vreal x = re[from], y = im[from];
        if (angle)
            multiply_by_conjugate(&x, &y, (vreal)weights[2 * e], (vreal)weights[2 * e + 1]);
        x *= scale, y *= scale;
        scatter(&x, p, array, t, e, 1);
        if (angle)
            scatter(&y, p, array, t, e + angle, 1);
    }
}

// Columns: lanes lie side by side, all in one vector.

__attribute__((noinline)) void gather_lanes(vreal *restrict re, vreal *restrict im, __global const stage_port *p,
                                            __global const char *array, long at, long position) {
    for (uint l = 0; l < LANES; l++) {
        const real2 value = fetch(p, array, at, position + l);
        ((real *)re)[l] = value.x;
        ((real *)im)[l] = value.y;
    }
}

INLINE void fetch_lanes(vreal *re, vreal *im, __global const stage_port *p, __global const char *array, long at,
                        long position, bool contiguous, bool pairs, int type, long extent) {
    if (position + LANES <= 0 || position >= extent) {
        *re = *im = 0;
    } else if (contiguous && position >= 0 && position + LANES <= extent) {
        if (pairs) {
            const vpairs both = (vpairs)(numbers_at(array, 2 * (at + position), type),
                                         numbers_at(array, 2 * (at + position) + LANES, type));
            *re = both.even, *im = both.odd;
        } else {
            *re = numbers_at(array, at + position, type), *im = 0;
        }
    } else {
        vreal x, y;
        gather_lanes(&x, &y, p, array, at, position);
        *re = x, *im = y;
    }
}

typedef struct tables {
    any_tables steps;
    __global const real *low, *high, *lanes, *weights;
} tables;

// Between digits: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of
// lanes where neighbours belong to different columns.
INLINE void find_twiddle(vreal *wr, vreal *wi, uint t, uint k, uint low_mask, uint low_shift, bool lanes_differ,
                         const tables *with) {
    const real2 wc = complex_multiply(vload2(t & low_mask, with->low), vload2(t >> low_shift, with->high));
    *wr = wc.x, *wi = wc.y;
    if (lanes_differ) {
        const vreal lr = VLOAD(2 * k, with->lanes), li = VLOAD(2 * k + 1, with->lanes);
        *wr = wc.x * lr - wc.y * li, *wi = wc.x * li + wc.y * lr;
    }
}

// What is done to the columns is constant in each of the functions below that this is part of.
INLINE void load_columns(vreal *v, __global const stage *s, __global const stage_port *p, __global const char *array,
                         const tile *t, const tables *with, const bool work, const bool twiddled, const bool right) {
    const uint n = (uint)s->steps.n, swap = s->kind == STAGE_BACKWARD, column = t->column, low_mask = (uint)s->low_mask,
               low_shift = (uint)s->low_shift;
    const int type = (int)p->type;
    const bool contiguous = p->contiguous, pairs = p->parts == 2, lanes_differ = s->lanes_differ;
    const long extent = p->extent, angle = s->angle, limit = p->limit, rest = s->rest, inner = s->inner, at = t->at[0],
               begin = t->begin[0];
    const tables own = *with;
    __global const real *memory = (__global const real *)array + 2 * at;
    vreal *to_re = v + swap, *to_im = v + 1 - swap;
    for (uint k = 0; k < n; k++) {
        const long position = begin + (long)k * rest;
        vreal re = 0, im = 0, wr, wi;
        if (!work) {
            fetch_lanes(&re, &im, p, array, at, position, contiguous, pairs, type, extent);
        } else if (position < limit) {
            const vpairs both = VLOAD_PAIRS(0, memory + 2 * (long)k * inner);
            re = both.even, im = both.odd;
        }
        if (right) {
            vreal unused;
            fetch_lanes(&im, &unused, p, array, at, position + angle, contiguous, false, type, extent);
            const vpairs weight = VLOAD_PAIRS(0, own.weights + 2 * (column + (long)k * rest));
            multiply_by(&re, &im, weight.even, weight.odd);
        }
        if (twiddled) {
            find_twiddle(&wr, &wi, column * k, k, low_mask, low_shift, lanes_differ, &own);
            multiply_by_conjugate(&re, &im, wr, wi);
        }
        to_re[2 * (size_t)k] = re;
        to_im[2 * (size_t)k] = im;
    }
}

// Columns of a spectrum.
__attribute__((noinline)) void load_results(vreal *restrict v, __global const stage *s,
                                            __global const real *restrict memory, const tile *restrict t,
                                            __global const uint *restrict places) {
    const uint n = (uint)s->steps.n;
    const long inner = s->inner;
    memory += 2 * t->at[0];
    for (uint k = 0; k < n; k++) {
        const size_t to = 2 * (size_t)places[k];
        const vpairs both = VLOAD_PAIRS(0, memory + 2 * (long)k * inner);
        v[to] = both.even, v[to + 1] = both.odd;
    }
}

#define LOADER(name, work, twiddled, right)                                                                            \
    __attribute__((noinline)) void name(vreal *v, __global const stage *s, __global const stage_port *p,               \
                                        __global const char *array, const tile *t, const tables *with) {               \
        load_columns(v, s, p, array, t, with, work, twiddled, right);                                                  \
    }
LOADER(load_array_columns, false, false, false)
LOADER(load_right_columns, false, false, true)
LOADER(load_work_columns, true, false, false)
LOADER(load_twiddled_columns, true, true, false)

INLINE void send_lanes(vreal re, vreal im, __global const stage_port *p, __global real *array, long at, long begin,
                       long position, bool contiguous, bool pairs, long start, long kept) {
    const long first = begin + position - start;
    if (position + LANES <= start || first >= kept)
        return;
    if (contiguous && position >= start && first + LANES <= kept) {
        if (pairs)
            VSTORE_PAIRS(PAIRS(re, im), 0, array + 2 * (at + first));
        else
            VSTORE(re, 0, array + at + first);
        return;
    }
    const vreal x = re, y = im;
    for (uint l = 0; l < LANES; l++)
        put(p, array, at, begin, position + l, ((const real *)&x)[l], ((const real *)&y)[l]);
}

INLINE void store_columns(const vreal *v, __global const stage *s, __global const stage_port *p, __global real *array,
                          const tile *t, const tables *with, const bool work, const bool twiddled, const bool right) {
    const uint n = (uint)s->steps.n, swap = s->kind == STAGE_BACKWARD, column = t->column, low_mask = (uint)s->low_mask,
               low_shift = (uint)s->low_shift;
    const bool contiguous = p->contiguous, spectrum = p->spectrum, pairs = p->parts == 2,
               lanes_differ = s->lanes_differ;
    const long angle = s->angle, rest = s->rest, inner = s->inner, at = t->at[0], begin = t->begin[0], from = p->from,
               end = p->end, start = p->start, kept = p->kept;
    const tables own = *with;
    const real scale = (real)1 / s->points; // of the inverse transform
    const vreal *from_re = v + swap, *from_im = v + 1 - swap;
    __global real *memory = array + 2 * at;
    for (uint k = 0; k < n; k++) {
        const size_t e = 2 * (size_t)(spectrum ? own.steps.places[k] : k);
        const long position = (work ? begin : column) + (long)k * rest;
        vreal re = from_re[e], im = from_im[e], wr, wi;
        if (twiddled) {
            find_twiddle(&wr, &wi, column * k, k, low_mask, low_shift, lanes_differ, &own);
            multiply_by(&re, &im, wr, wi);
        }
        if (work) {
            if (position >= from && position < end)
                VSTORE_PAIRS(PAIRS(re, im), 0, memory + 2 * (long)k * inner);
            continue;
        }
        if (right) {
            const vpairs weight = VLOAD_PAIRS(0, own.weights + 2 * (column + (long)k * rest));
            multiply_by_conjugate(&re, &im, weight.even, weight.odd);
        }
        re *= scale, im *= scale;
        send_lanes(re, im, p, array, at, begin - column, position, contiguous, pairs, start, kept);
        if (right)
            send_lanes(im, (vreal)0, p, array, at, begin - column, position + angle, contiguous, false, start, kept);
    }
}

#define STORER(name, work, twiddled, right)                                                                            \
    __attribute__((noinline)) void name(const vreal *v, __global const stage *s, __global const stage_port *p,         \
                                        __global real *array, const tile *t, const tables *with) {                     \
        store_columns(v, s, p, array, t, with, work, twiddled, right);                                                 \
    }
STORER(store_array_columns, false, false, false)
STORER(store_right_columns, false, false, true)
STORER(store_work_columns, true, false, false)
STORER(store_twiddled_columns, true, true, false)

// A tile from memory to memory.

void load_tile(vreal *v, __global const stage *s, __global const stage_port *p, __global const char *array,
               const tile *t, const tables *with) {
    if (s->inner == 1 && p->parts == 2)
        load_row_pairs(v, s, p, array, t, with->steps.places);
    else if (s->inner == 1)
        load_row_reals(v, s, p, array, t, with->weights);
    else if (p->spectrum)
        load_results(v, s, (__global const real *)array, t, with->steps.places);
    else if (p->work && s->twiddled && s->kind == STAGE_BACKWARD)
        load_twiddled_columns(v, s, p, array, t, with);
    else if (p->work)
        load_work_columns(v, s, p, array, t, with);
    else if (s->angle)
        load_right_columns(v, s, p, array, t, with);
    else
        load_array_columns(v, s, p, array, t, with);
}

void store_tile(const vreal *v, __global const stage *s, __global const stage_port *p, __global real *array,
                const tile *t, const tables *with) {
    const real scale = p->work ? 1 : (real)1 / s->points; // of the inverse transform
    if (s->inner == 1 && p->parts == 2)
        store_row_pairs(v, s, p, array, t, with->steps.places, scale);
    else if (s->inner == 1)
        store_row_reals(v, s, p, array, t, with->steps.places, with->weights, scale);
    else if (p->work && s->twiddled && s->kind == STAGE_FORWARD)
        store_twiddled_columns(v, s, p, array, t, with);
    else if (p->work)
        store_work_columns(v, s, p, array, t, with);
    else if (s->angle)
        store_right_columns(v, s, p, array, t, with);
    else
        store_array_columns(v, s, p, array, t, with);
}

// The product of both spectra, in place of the first.
__attribute__((noinline)) void multiply(vreal *restrict v, const vreal *restrict w, uint n) {
    for (uint e = 0; e < n; e++) {
        const vreal re = RE(e), im = IM(e), wr = w[2 * e], wi = w[2 * e + 1];
        RE(e) = re * wr - im * wi;
        IM(e) = re * wi + im * wr;
    }
}

// `own`: bits of arrays that lie as the caller says.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
convolve_any(__global const stage *s, uint own, __global const real *step_twiddles, __global const real *low_twiddles,
             __global const real *high_twiddles, __global const real *lane_twiddles, __global const real *weights,
             __global const real *odd, __global const uint *places, __global char *x, long x_base, ulong x_first,
             __global char *y, long y_base, ulong y_first, __global real *z, long z_base, ulong z_first, ulong n_lines,
             uint tiles) {
    vreal v[4 * ANY_LENGTH];
    vreal *w = v + 2 * s->steps.n;
    tile t;
    const tables with = {{step_twiddles, odd, places}, low_twiddles, high_twiddles, lane_twiddles, weights};
    __global const stage_port *from = s->ports + (own & 1), *second = s->ports + 2 + (own >> 1 & 1),
                              *to = s->ports + 4 + (own >> 2 & 1);
    for (uint k = 0; k < tiles; k++) {
        const ulong line = (get_global_id(0) * tiles + k) * LANES;
        if (line >= n_lines)
            return;
        const uint count = (uint)min((ulong)LANES, n_lines - line);
        find_tile(&t, s, from, x_base, x_first, line, count);
        load_tile(v, s, from, x, &t, &with);
        if (!from->spectrum)
            forward(v, &s->steps, &with.steps);
        if (s->kind == STAGE_FUSED) {
            find_tile(&t, s, second, y_base, y_first, line, count);
            load_tile(w, s, second, y, &t, &with);
            if (!second->spectrum)
                forward(w, &s->steps, &with.steps);
            multiply(v, w, (uint)s->steps.n);
            backward(v, &s->steps, &with.steps);
        }
        find_tile(&t, s, to, z_base, z_first, line, count);
        store_tile(v, s, to, z, &t, &with);
    }
}
