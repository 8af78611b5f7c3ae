// What may hide between the nodes of a region where the integrand has comparisons and steps: all nodes are on one side,
// and the rule takes it for smooth. bounds.cl tells where that cannot be excluded.
#define SEEN REAL(0.015625) // of the jump over the whole region: an error of so much shows that nodes see it
#define KNOWN REAL(0.125)   // of the integral of |f|: with an error of so much a region is not taken for smooth

// Raises the errors of `count` regions, one to a lane, for what may be hidden. Nodes do not see it, so the axis that
// they chose tells nothing of it; bounds become narrower with the widest one: beside limits that vary, a box that is
// halved along other axes only may stay undecided for ever.
void raise_errors(const uint *index, uint count, uint capacity, __global const real *lo, __global const real *len,
                  __global const uint *id, __global const real *rows, const all_cuts *all, __global const int *code,
                  __global real *errors, __global uchar *marks) {
    const uint n_row = ROW_LENGTH(code);
    uint set[WIDTH];
    realv volume = 1, is_narrow = 0, widest = 0, axis = 0, wide[DIM];
    box_values v;
    for (uint l = 0; l < WIDTH; l++)
        set[l] = id[index[l]];
    for (uint a = 0; a < n_row; a++)
        put_number(&v, a, gather(rows, set, n_row, a));
    find_shares(index, set, capacity, len, all, wide);
    for (uint a = 0; a < DIM; a++) {
        const realv from = gather(lo + (ulong)a * capacity, index, 1, 0),
                    length = gather(len + (ulong)a * capacity, index, 1, 0);
        const bounds x = {fmin(from, from + length), fmax(from, from + length), from + length / 2, (realv)0, 1};
        put_bounds(&v, n_row + a, x);
        volume *= fabs(length);
        axis = wide[a] > widest ? (realv)a : axis;
        widest = fmax(widest, wide[a]);
        is_narrow = DIM == 1 && fabs(length) < 2 * FINEST_AT_CUT * EPSILON * fabs(from) ? (realv)1 : (realv)0;
    }
    put_constants(&v, code);
    if (!interpret_box(&v, code))
        return;
    for (uint c = 0; c < COMPONENTS; c++) {
        realv share;
        const realv whole = volume * hidden_change(&v, (uint)VALUE_SLOTS(code)[c], &share);
        real error[WIDTH], enough[WIDTH], narrow[WIDTH], across[WIDTH];
        STOREV(share * whole, error);
        STOREV(SEEN * whole, enough);
        STOREV(is_narrow, narrow);
        STOREV(axis, across);
        for (uint l = 0; l < count; l++) {
            const ulong r = (ulong)c * capacity + index[l];
            if (!(error[l] > errors[r] && error[l] < INFINITY) || errors[r] > enough[l])
                continue;
            errors[r] = error[l];
            marks[r] &= (uchar)(narrow[l] > 0 ? 0xff : ~AT_FLOOR);
            marks[r] = (uchar)((marks[r] & ~AXIS) | (uint)across[l]);
        }
    }
}

// Whether some component is taken for smooth.
bool seems_smooth(ulong r, uint capacity, __global const real *errors, __global const real *magnitudes) {
    bool smooth = false;
    for (uint c = 0; c < COMPONENTS; c++, r += capacity)
        smooth = smooth || errors[r] <= KNOWN * magnitudes[r];
    return smooth;
}

// Before regions are judged; each item takes so many tiles of WIDTH.
__kernel void hidden(uint n, uint capacity, uint tiles_an_item, ulong intervals, uint cut_stride,
                     __global const real *cuts, __global const real *lo, __global const real *len,
                     __global const uint *id, __global const real *rows, __global const int *code,
                     __global const real *magnitudes, __global real *errors, __global uchar *marks) {
    const all_cuts all = {cuts, intervals, cut_stride};
    const ulong each = (ulong)tiles_an_item * WIDTH, first = get_global_id(0) * each, end = min(first + each, (ulong)n);
    uint index[WIDTH], count = 0;
    for (ulong r = first; r < end; r++) {
        if (seems_smooth(r, capacity, errors, magnitudes)) {
            for (uint l = count; l < WIDTH; l++)
                index[l] = (uint)r;
            count++;
        }
        if (count == WIDTH || (count > 0 && r + 1 == end)) {
            raise_errors(index, count, capacity, lo, len, id, rows, &all, code, errors, marks);
            count = 0;
        }
    }
}
