// The fused filter whose sizes are arguments: what fused_*.cl do, a tile of LANES lines (any_images.cl) at a time, of
// up to FILTER_POINTS (any.c) points each.

// One of the three passes.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_any(__global const filter_sizes *s, int pass, __global const real *step_twiddles, __global const real *odd,
           __global const uint *places, __global const real2 *rotations, __global char *image, long base,
           ulong first_line, __constant const long *lines, __global real *half_planes, __global const real *mask,
           real scale, real white, ulong n_lines, uint tiles) {
    vreal v[2 * FILTER_POINTS];
    tile t;
    __global const any_steps *along = s->along + (pass == ANY_COLUMNS);
    const any_tables with = {step_twiddles, odd, places + along->places};
    const long stride = pass == ANY_BACK && s->ranged ? 1 : axis_stride(lines);
    for (uint k = 0; k < tiles; k++) {
        const ulong first = (get_global_id(0) * tiles + k) * LANES;
        if (first >= n_lines)
            return;
        const uint count = (uint)min((ulong)LANES, n_lines - first);
        if (pass != ANY_COLUMNS)
            find_tile(&t, s, image, first, count, pass == ANY_ROWS, base, first_line, lines);
        if (pass == ANY_ROWS)
            load_rows(v, s, image, &t, stride);
        else if (pass == ANY_COLUMNS) {
            load_columns(v, s, half_planes, first, count);
            if (2 * (uint)s->j > along->n) // no row is below the last one; rounding left something that is not scaled
                RE(along->n) = IM(along->n) = 0;
        } else
            load_spectra(v, s, half_planes, with.places, first, count);
        if (pass != ANY_BACK)
            forward(v, along, &with);
        if (pass == ANY_COLUMNS && s->cosine)
            multiply_cosines(v, s, with.places, mask, rotations, first, count, scale);
        else if (pass == ANY_COLUMNS)
            multiply(v, s, with.places, mask, first, count, scale);
        if (pass != ANY_ROWS)
            backward(v, along, &with);
        if (pass == ANY_ROWS)
            store_spectra(v, s, half_planes, with.places, first, count);
        else if (pass == ANY_COLUMNS)
            store_columns(v, s, half_planes, first, count);
        else
            store_rows(v, s, image, &t, stride, white);
    }
}
