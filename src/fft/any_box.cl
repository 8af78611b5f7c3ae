// Real numbers of odd lengths, and boxes: lines whose numbers are those of several axes, the last one's side by side.

// Where a line's real numbers lie side by side: to complex ones whose imaginary parts are zero.
__attribute__((noinline)) void load_real_rows(vreal *restrict v, __global const real *restrict from,
                                              const long *restrict at, uint n, uint ahead, uint swap) {
    const size_t whole = by_vectors(n, LANES);
    vreal *re = v + swap, *im = v + 1 - swap;
    for (size_t k = 0; k < n; k++)
        im[2 * k] = 0;
    EACH_LANE(FIND)
    BY_VECTORS(e, whole, LANES) {
        vreal r[LANES];
#define LOAD_REAL(a, b) TAKE_HALVES(a, b, from##a + e, from##b + e)
        EACH_PAIR(LOAD_REAL)
#define ASK_REALS(i) ASK_LATER(from0 + LANES * (ahead + e + 2 * i));
        if (n <= SHORT) {
            EACH_OF_ROW(ASK_REALS)
        }
        transpose(r);
#define PUT_REAL(i) re[2 * (e + i)] = r[i];
        EACH_LANE(PUT_REAL)
    }
    for (size_t e = whole; e < n; e++)
        for (uint l = 0; l < LANES; l++)
            ((real *)&re[2 * e])[l] = from[at[l] + (long)e];
}

// The same back: the real parts of results.
__attribute__((noinline)) void store_real_rows(const vreal *restrict v, __global real *restrict to,
                                               const long *restrict at, __global const uint *restrict places, uint n,
                                               uint ahead, uint swap, uint count, real scale) {
    const size_t whole = count == LANES ? by_vectors(n, LANES) : 0;
    const vreal *re = v + swap;
    EACH_LANE(FIND_TO)
    BY_VECTORS(k, whole, LANES) {
        vreal r[LANES];
#define TAKE_REAL(i) r[i] = re[2 * (size_t)places[k + i]] * scale;
        EACH_LANE(TAKE_REAL)
#define ASK_TO_WRITE_REALS(i) ASK_TO_WRITE(to0 + LANES * (ahead + k + 2 * i));
        if (n <= SHORT / 2) {
            EACH_OF_ROW(ASK_TO_WRITE_REALS)
        }
        transpose_to_lines(r);
#define STORE_REAL(l) VSTORE(r[l], 0, to##l + k);
        EACH_LANE(STORE_REAL)
    }
    for (size_t k = whole; k < n; k++)
        for (uint l = 0; l < count; l++)
            to[at[l] + (long)k] = ((const real *)&re[2 * places[k]])[l] * scale;
}

// The whole spectrum of n real numbers from the results up to n / 2, in the same place or another one; their parts are
// exchanged if they were swapped.
__attribute__((noinline)) void mirror_row(vreal *to, const vreal *from, uint n, uint swap) {
    const uint re = swap, im = 1 - swap;
    for (uint k = 0; 2 * k <= n; k++) {
        const vreal x = from[2 * k + re], y = k == 0 || 2 * k == n ? (vreal)0 : from[2 * k + im];
        to[2 * k + re] = x, to[2 * k + im] = y;
        if (k > 0 && 2 * k < n)
            to[2 * (n - k) + re] = x, to[2 * (n - k) + im] = -y;
    }
}

// combine_tile from a row of n results to another of n + 1 in their order, and split_tile back from these, swapped.
__attribute__((noinline)) void combine_row(vreal *restrict to, const vreal *restrict from, uint n,
                                           __global const uint *restrict places, __global const real *restrict roots) {
    const vreal zr = from[0], zi = from[1];
    to[0] = zr + zi, to[1] = 0;
    to[2 * n] = zr - zi, to[2 * n + 1] = 0;
    for (uint k = 1; 2 * k <= n; k++) {
        const uint a = 2 * places[k], b = 2 * places[n - k];
        const real2 w = vload2(k, roots);
        const opposites x = combined((opposites){from[a], from[a + 1], from[b], from[b + 1]}, w.x, w.y);
        to[2 * (n - k)] = x.br, to[2 * (n - k) + 1] = x.bi;
        to[2 * k] = x.ar, to[2 * k + 1] = x.ai;
    }
}

__attribute__((noinline)) void split_row(vreal *restrict to, const vreal *restrict from, uint n, uint swap,
                                         __global const real *restrict roots) {
    const vreal *restrict re = from + swap, *restrict im = from + 1 - swap;
    to[1] = re[0] + re[2 * n], to[0] = re[0] - re[2 * n];
    for (uint k = 1; 2 * k <= n; k++) {
        const uint a = 2 * k, b = 2 * (n - k);
        const real2 w = vload2(k, roots);
        const opposites z = split((opposites){re[a], im[a], re[b], im[b]}, w.x, w.y);
        to[b] = z.br, to[b + 1] = z.bi;
        to[a] = z.ar, to[a + 1] = z.ai;
    }
}

// A row's results up to n / 2, in their order.
__attribute__((noinline)) void keep_row(vreal *restrict to, const vreal *restrict from, uint n,
                                        __global const uint *restrict places) {
    for (uint k = 0; 2 * k <= n; k++)
        to[2 * k] = from[2 * places[k]], to[2 * k + 1] = from[2 * places[k] + 1];
}

// A tile of boxes of real numbers: what lies between the last axis and the others has another length than it.
void transform_box(vreal *v, __global const any_pass *p, __global const real *numbers, __global const uint *places) {
    const uint n = (uint)p->n, rows = (uint)p->rows, ends = (uint)p->ends, middle = (uint)p->first_steps;
    const bool pairs = ends == ANY_COMBINE || ends == ANY_SPLIT, in = ends == ANY_COMBINE || ends == ANY_KEEP;
    const uint kept = pairs ? n + 1 : n / 2 + 1, before = in ? n : kept, after = in ? kept : n,
               swap = (uint)p->source.swap;
    vreal *first = v, *second = v + 2 * p->first_n;
    take_steps(first, p, 0, middle, rows * before, numbers, places + p->places);
    for (uint r = 0; r < rows; r++) {
        const vreal *from = first + 2 * (size_t)(r * before);
        vreal *to = second + 2 * (size_t)(r * after);
        if (ends == ANY_COMBINE)
            combine_row(to, from, n, places + p->row_places, numbers + p->end_roots);
        else if (ends == ANY_SPLIT)
            split_row(to, from, n, swap, numbers + p->end_roots);
        else if (ends == ANY_KEEP)
            keep_row(to, from, n, places + p->row_places);
        else
            mirror_row(to, from, n, swap);
    }
    take_steps(second, p, middle, (uint)p->n_steps, rows * after, numbers, places + p->places);
}
