// Randomly shifted rank-1 lattices (Cranley and Patterson 1976). Point k of 2^m in dimension j is
//     u = frac(k a^j / 2^m + shift_j),   t = from + (to - from) (1 - |2 u - 1|)
// where the last step, the baker's transform, makes the error fall as for a periodic integrand (Hickernell 2002).
// Numbers in [0, 1) are 64-bit fractions, so nothing is lost for any k.

// The largest of all work-items' numbers, in item 0.
real largest_of_group(real v, __local real *scratch) {
    for (uint reach = ITEMS / 2; reach > 0; reach /= 2) {
        SYNC();
        scratch[ITEM] = v;
        SYNC();
        if (ITEM < reach)
            v = fmax(v, scratch[ITEM + reach]);
    }
    return v;
}

real largest_of_lanes(realv v) {
    real lanes[WIDTH], largest = 0;
    STOREV(v, lanes);
    for (uint l = 0; l < WIDTH; l++)
        largest = fmax(largest, lanes[l]);
    return largest;
}

// Work-items of a group, and `groups` groups, share the points start + i stride, i < count, of one integral and one
// shift; a group gives a pair for each component, those of one component standing together; behind all pairs stand the
// sums of |f|, then its largest values. Bounds are pairs. generators: a^j 2^(64 - m). A row of
// shifts for each of n_shifts.
__kernel void add_points(ulong start, ulong stride, ulong count, uint groups, uint n_shifts,
                         __global const ulong *generators, __global const ulong *shifts, __global const uint *active,
                         __global const real *rows, __global const int *code, __global const real *cuts,
                         __global real *partials, __local real *scratch) {
    const uint g = get_group_id(0) % groups, shift = get_group_id(0) / groups % n_shifts;
    const ulong set = active[get_group_id(0) / groups / n_shifts];
    const ulong each = (count + (ulong)groups * ITEMS - 1) / ((ulong)groups * ITEMS);
    const ulong begin = min(((ulong)g * ITEMS + ITEM) * each, count), end = min(begin + each, count);
    __global const real *cut = cuts + 4 * DIM * set;
    given in;
    pair sums[COMPONENTS], sizes[COMPONENTS];
    realv largest[COMPONENTS];
    real volume = 1, widths[DIM];
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        sums[c] = sizes[c] = pair_of(0, 0);
        largest[c] = 0;
    }
    broadcast_row(rows, set, code, &in);
    for (uint j = 0; j < DIM; j++) {
        widths[j] = (cut[4 * j + 2] - cut[4 * j]) + (cut[4 * j + 3] - cut[4 * j + 1]);
        volume *= widths[j];
    }
    for (ulong i = begin; i < end; i += WIDTH) {
        realv t[DIM];
        real inside[WIDTH];
        for (uint j = 0; j < DIM; j++) {
            real lanes[WIDTH];
            for (uint l = 0; l < WIDTH; l++) {
                const ulong k = start + min(i + l, end - 1) * stride;
                const ulong u = k * generators[j] + shifts[shift * DIM + j];
                // 1 - |2 u - 1|: up to 1/2 doubled, beyond it what is missing to 1 doubled.
                lanes[l] = (real)((u >> 63 ? ~u : u) >> (PRECISION == 64 ? 11 : 40)) *
                           (PRECISION == 64 ? REAL(0x1p-52) : REAL(0x1p-23));
            }
            t[j] = cut[4 * j] + (cut[4 * j + 1] + widths[j] * LOADV(lanes));
        }
        for (uint l = 0; l < WIDTH; l++)
            inside[l] = i + l < end ? 1 : 0;
        const realv at_t = integrand(t, &in);
#pragma unroll 1
        for (uint c = 0; c < COMPONENTS; c++) {
            const realv all = c == 0 ? at_t : further(&in, c), f = LOADV(inside) > 0 ? all : (realv)0;
            sums[c] = pair_add(sums[c], pair_of(sum_lanes(f), 0));
            sizes[c] = pair_add(sizes[c], pair_of(sum_lanes(fabs(f)), 0));
            largest[c] = fmax(largest[c], fabs(f));
        }
    }
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        const ulong place = (ulong)c * get_num_groups(0) + get_group_id(0);
        const pair sum = sum_group(pair_multiply(sums[c], pair_of(volume, 0)), scratch);
        SYNC();
        const pair size = sum_group(pair_multiply(sizes[c], pair_of(fabs(volume), 0)), scratch);
        SYNC();
        const real most = fabs(volume) * largest_of_group(largest_of_lanes(largest[c]), scratch);
        SYNC();
        if (ITEM == 0) {
            vstore2((real2)(sum.hi, sum.lo), place, partials);
            partials[2 * COMPONENTS * get_num_groups(0) + place] = size.hi;
            partials[3 * COMPONENTS * get_num_groups(0) + place] = most;
        }
    }
}
