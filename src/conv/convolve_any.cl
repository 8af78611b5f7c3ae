// A stage of a fused convolution whose sizes are arguments: what stage_cpu.c, stage_rows.c and stage_columns.c write
// for given ones, with the same arithmetic.

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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
convolve_any(__global const stage *s, __global const real *step_twiddles, __global const real *low_twiddles,
             __global const real *high_twiddles, __global const real *lane_twiddles, __global const real *weights,
             __global const real *odd, __global const uint *places, __global char *x, __global char *y,
             __global real *z, stage_call call) {
    vreal v[4 * ANY_LENGTH];
    vreal *w = v + 2 * s->steps.n;
    tile t;
    const tables with = {{step_twiddles, odd, places}, low_twiddles, high_twiddles, lane_twiddles, weights};
    __global const stage_port *from = s->ports + (call.own & 1), *second = s->ports + 2 + (call.own >> 1 & 1),
                              *to = s->ports + 4 + (call.own >> 2 & 1);
    const ulong n_lines = (ulong)call.n_lines;
    for (ulong k = 0; k < (ulong)call.tiles; k++) {
        const ulong line = (get_global_id(0) * (ulong)call.tiles + k) * LANES;
        if (line >= n_lines)
            return;
        const uint count = (uint)min((ulong)LANES, n_lines - line);
        find_tile(&t, s, from, call.base[0], (ulong)call.first[0], line, count);
        load_tile(v, s, from, x, &t, &with);
        if (!from->spectrum)
            forward(v, &s->steps, &with.steps);
        if (s->kind == STAGE_FUSED) {
            find_tile(&t, s, second, call.base[1], (ulong)call.first[1], line, count);
            load_tile(w, s, second, y, &t, &with);
            if (!second->spectrum)
                forward(w, &s->steps, &with.steps);
            multiply(v, w, (uint)s->steps.n);
            backward(v, &s->steps, &with.steps);
        }
        find_tile(&t, s, to, call.base[2], (ulong)call.first[2], line, count);
        store_tile(v, s, to, z, &t, &with);
    }
}
