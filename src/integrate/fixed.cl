// Fixed rules: sums over panels k = 0 .. n - 1 of sum_i weight_i f(a + k h + offset_i).

// Row of `grids` for each integral: a as a pair, h and the offset of every node for the fine rule, then the same for a
// coarse one with fewer panels, which estimates the error.
#define GRID_HALF (2 + NODES)
#define GRID_ROW (2 + 2 * GRID_HALF)

#define CHAIN 8 // additions in plain precision: their rounding is that of a value of the integrand

// The sum over n panels from `start` on. Chains are added to a sum in twice the precision (Knuth's two-sum, 1969).
pair sum_block(pair start, real h, uint n, __global const real *offsets, given *in) {
    realv base[NODES], hi = 0, lo = 0;
    const real lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    realv j = LOADV(lanes);
    for (uint i = 0; i < NODES; i++)
        base[i] = (realv)pair_add(start, pair_of(offsets[i], 0)).hi;
    for (uint k = 0; k < n;) {
        const uint end = min(k + CHAIN * WIDTH, n);
        realv sums[NODES], chain = 0;
        for (uint i = 0; i < NODES; i++)
            sums[i] = 0;
#pragma unroll 2
        for (; k < end; k += WIDTH) {
            const realv inside = WIDTH == 1 ? j : fmin(j, (realv)(n - 1));
            for (uint i = 0; i < NODES; i++) {
                const realv x = fma(inside, (realv)h, base[i]), f = integrand(&x, in);
                sums[i] += WIDTH == 1 || k + WIDTH <= n ? f : j < (realv)n ? f : (realv)0;
            }
            j += WIDTH;
        }
        for (uint i = 0; i < NODES; i++)
            chain += WEIGHTS[i] * sums[i];
        const realv sum = hi + chain, part = sum - hi;
        lo += (hi - (sum - part)) + (chain - part);
        hi = sum;
    }
    real highs[WIDTH], lows[WIDTH];
    STOREV(hi, highs);
    STOREV(lo, lows);
    pair total = pair_of(highs[0], lows[0]);
    for (uint l = 1; l < WIDTH; l++)
        total = pair_add(total, pair_of(highs[l], lows[l]));
    return total;
}

// panels and coarse_panels are the numbers of panels, groups and coarse_groups those of work-groups that sum them; a
// block of panels starts from one exact point. Group g of an integral sums blocks_an_item consecutive blocks in each of
// its work-items, and gives a pair. One launch takes the blocks from begin_block to end_block of every work-item; until
// the last ones, the work-items' pairs are in `carried` between launches, so that these do not show in the bits.
__kernel void sum_panels(ulong panels, ulong coarse_panels, uint groups, uint coarse_groups, uint block,
                         uint blocks_an_item, uint begin_block, uint end_block, __global const real *grids,
                         __global const real *rows, __global const int *code, __global real *carried,
                         __global real *partials, __local real *scratch) {
    const uint groups_a_set = groups + coarse_groups;
    const ulong set = get_group_id(0) / groups_a_set;
    uint g = get_group_id(0) % groups_a_set;
    const bool fine = g < groups;
    __global const real *grid = grids + set * GRID_ROW;
    const pair a = pair_of(grid[0], grid[1]);
    grid += fine ? 2 : 2 + GRID_HALF;
    const pair h = pair_of(grid[0], grid[1]);
    const ulong n = fine ? panels : coarse_panels;
    given in;
    pair sum = {0, 0};
    broadcast_row(rows, set, code, &in);
    g -= fine ? 0 : groups;
    ulong first = (((ulong)g * ITEMS + ITEM) * blocks_an_item + begin_block) * block;
    if (begin_block > 0)
        sum = pair_of(carried[2 * get_global_id(0)], carried[2 * get_global_id(0) + 1]);
    for (uint b = begin_block; b < end_block && first < n; b++, first += block) {
        const pair start = pair_add(a, pair_multiply(pair_of_count(first), h));
        sum = pair_add(sum, sum_block(start, h.hi, (uint)min((ulong)block, n - first), grid + 2, &in));
    }
    if (end_block < blocks_an_item) {
        vstore2((real2)(sum.hi, sum.lo), get_global_id(0), carried);
        return;
    }
    sum = sum_group(sum, scratch);
    if (ITEM == 0)
        vstore2((real2)(sum.hi, sum.lo), get_group_id(0), partials);
}
