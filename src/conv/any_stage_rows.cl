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

#define SEND_LANE(l)                                                                                                   \
    if (l < t->count)                                                                                                  \
        VSTORE(r[l], 0, array + parts * (t->at[l] + t->begin[l] + shift));
#define HOLD_LANE(l) g[l] = r[l];
INLINE void send_rows(vreal *r, __global const stage_port *p, __global real *array, const tile *t, long position,
                      const long parts, bool contiguous, long start, long kept) {
    const uint m = LANES / (uint)parts;
    const long shift = position - start; // to the place in the result
    if (contiguous && shift >= 0 && t->most + shift + m <= kept) {
        transpose_to_lines(r);
        EACH_LANE(SEND_LANE)
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
