// What may hide between the points of a lattice where the integrand has comparisons and steps.

// Boxes are halves along these many axes.
#define HALVED (DIM < 8 ? DIM : 8)
#define BOXES (1 << HALVED)
#define HITS 16 // of points where it is otherwise the standard error sees it

// What the boxes of an active integral may hide, beside `points` points; with one item for each.
__kernel void hidden(uint n_active, real points, __global const uint *active, __global const real *rows,
                     __global const int *code, __global const real *cuts, __global real *errors) {
    if (get_global_id(0) >= n_active)
        return;
    const ulong set = active[get_global_id(0)];
    const uint n_row = ROW_LENGTH(code);
    real sums[COMPONENTS];
    for (uint c = 0; c < COMPONENTS; c++)
        sums[c] = 0;
    for (uint first = 0; first < BOXES; first += WIDTH) {
        box_values v;
        real volume = (real)1 / BOXES;
        for (uint k = 0; k < n_row; k++)
            put_number(&v, k, (realv)rows[set * n_row + k]);
        for (uint a = 0; a < DIM; a++) {
            __global const real *cut = cuts + 4 * (set * DIM + a);
            real from[WIDTH];
            const real length = (cut[2] - cut[0]) + (cut[3] - cut[1]), part = a < HALVED ? length / 2 : length;
            for (uint l = 0; l < WIDTH; l++)
                from[l] = cut[0] + (a < HALVED && (first + l) >> a & 1 ? part : (real)0);
            const realv begin = LOADV(from), end = begin + part;
            const bounds x = {fmin(begin, end), fmax(begin, end), begin + part / 2, (realv)0, 1};
            put_bounds(&v, n_row + a, x);
            volume *= fabs(length);
        }
        put_constants(&v, code);
        if (!interpret_box(&v, code))
            continue;
        for (uint c = 0; c < COMPONENTS; c++) {
            realv share;
            const realv change = hidden_change(&v, (uint)VALUE_SLOTS(code)[c], &share), size = share * change * volume;
            sums[c] += sum_lanes((share * points < HITS * BOXES && size < INFINITY) ? size : (realv)0);
        }
    }
    for (uint c = 0; c < COMPONENTS; c++)
        errors[get_global_id(0) * COMPONENTS + c] = sums[c];
}
