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
