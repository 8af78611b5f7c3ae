// Two halves beside the region that they come from.

// What replaces a half r or r + 1 with NOT_FINITE: of the whole, if that was finite, what the other half leaves. A node
// may have hit a singularity by chance, so it is split once more; if that does not help, it is done.
void replace_lost(ulong r, real value, real error, uint parent_marks, __global real *values, __global real *errors,
                  __global uchar *marks) {
    const bool both = marks[r] & marks[r + 1] & NOT_FINITE;
    const real first = values[r], second = values[r + 1];
    for (uint k = 0; k < 2 && error < INFINITY; k++) {
        if (!(marks[r + k] & NOT_FINITE))
            continue;
        values[r + k] = both ? value / 2 : value - (k ? first : second);
        errors[r + k] = (both ? error / 2 : error) * (parent_marks & LOST ? UNRESOLVED_END : 1);
        marks[r + k] = LOST | (parent_marks & LOST ? AT_FLOOR : 0);
    }
}

// Two halves whose values do not add up to that of the region they come from have hidden something from the rule, a
// thin part behind a discontinuity say: their errors grow, as in Cuhre (Berntsen, Espelid, Genz 1991; Hahn 2005). With
// one variable the null rules see it; halves that are nearly all rounding and do not improve on the whole are done, and
// of one that is not resolved beside one that is, there is one place to look for. parent: value, error and marks of
// what the pair comes from. Other pointers are to what is the component's.
void compare_halves(ulong r, uint round, __global const real *parent, __global const uchar *ends, __global real *values,
                    __global real *errors, __global uchar *marks) {
    const real value = parent[0], parent_error = parent[1];
    const uint parent_marks = (uint)parent[2];
    if ((marks[r] | marks[r + 1]) & NOT_FINITE) {
        replace_lost(r, value, parent_error, parent_marks, values, errors, marks);
        return;
    }
    // Closer to a singular end, rounding x leaves less of the distance from it: then that half is what the other
    // leaves.
    if ((parent_marks & SERIES) && !(parent_marks & TAIL) && errors[r] + errors[r + 1] > parent_error) {
        const ulong worse = errors[r] > errors[r + 1] ? r : r + 1, other = worse == r ? r + 1 : r;
        values[worse] = value - values[other];
        errors[worse] = parent_error;
        marks[worse] |= AT_FLOOR;
        return;
    }
    if (DIM == 1) {
        if (errors[r] >= parent_error / 4 && errors[r + 1] >= parent_error / 4 && parent_error > 0 &&
            parent_error <= NOISE * EPSILON * (fabs(values[r]) + fabs(values[r + 1]))) {
            marks[r] |= AT_FLOOR;
            marks[r + 1] |= AT_FLOOR;
        }
        for (uint k = 0; k < 2 && SEARCHES(round); k++) {
            const bool rough =
                (marks[r + k] & ROUGH) && !(marks[r + k] & (AT_FLOOR | SERIES)) && (parent_marks & ROUGH);
            marks[r + k] |= rough && ends[r + k] == 0 && errors[r + k] > APART * errors[r + 1 - k] ? SUSPECT : 0;
        }
        return;
    }
    const real missing = fabs(values[r] + values[r + 1] - value) / 4, both = errors[r] + errors[r + 1];
    for (uint k = 0; k < 2; k++) {
        const real error = errors[r + k], grown = (both > 0 ? error * (1 + 2 * missing / both) : 0) + missing;
        errors[r + k] = grown;
        marks[r + k] = (uchar)(grown > 2 * error ? marks[r + k] & ~AT_FLOOR : marks[r + k]);
    }
}

// With one item a pair.
__kernel void compare(uint n, uint round, uint capacity, __global const real *parents, __global const uchar *ends,
                      __global real *values, __global real *errors, __global uchar *marks) {
    const ulong i = get_global_id(0);
    if (2 * i >= n)
        return;
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        const ulong at = (ulong)c * capacity;
        compare_halves(2 * i, round, parents + 3 * PAIR(c, capacity, i), ends, values + at, errors + at, marks + at);
    }
}
