// The tanh-sinh rule (Takahasi and Mori 1974), a level of nodes at a time for all integrals that are not done. With d the
// distance of a node from the nearer end, as a share of the range, the integral is (b - a) h sum_j weight_j (f(a + d_j (b - a)) +
// f(b - d_j (b - a))). A level halves h: its nodes lie between those before.

// Row of an integral in `sums`: sum of weight f and of weight |f|, largest |f|, weights of the nodes that fell on an end, and the
// value and its error. State: the evaluations' number, and why it stopped (mst_integral_status; RUNNING until then).
#define SUMS 6
#define CONVERGED 0
#define ROUND_OFF 2
#define NON_FINITE 3
#define RUNNING 4
#define EPSILON (PRECISION == 64 ? REAL(2.220446049250313e-16) : REAL(1.1920928955078125e-7))

typedef struct part {
    real sum, magnitude, largest, lost;
} part;

// Work-item i's share of a level.
part sum_nodes(uint first, uint count, __global const real *distances, __global const real *weights, pair a, pair b,
               const realv *p) {
    realv sum = 0, magnitude = 0, largest = 0, lost = 0;
    const real width = (b.hi - a.hi) + (b.lo - a.lo);
    for (uint j = ITEM * WIDTH; j < count; j += ITEMS * WIDTH) {
        // Behind the last node the tables are filled with weights of 0.
        const realv d = LOADV(distances + first + j), w = LOADV(weights + first + j), near = width * d, far = width * (1 - d);
#pragma unroll 1
        for (uint side = 0; side < 2; side++) {
            const realv x = side ? b.hi - (near - b.lo) : a.hi + (near + a.lo);
            const realv f = integrand_at(&x, fabs(side ? far : near), fabs(side ? near : far), p), size = fabs(f);
            const realv at_end = (size < INFINITY || (x != a.hi && x != b.hi)) ? (realv)0 : (realv)1;
            const realv kept = (at_end > 0 || w == 0) ? (realv)0 : f;
            sum += w * kept;
            magnitude += w * fabs(kept);
            largest = fmax(largest, fabs(kept));
            lost += w * at_end;
        }
    }
    real lanes[WIDTH], most = 0;
    STOREV(largest, lanes);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, lanes[l]);
    const part result = {sum_lanes(sum), sum_lanes(magnitude), most, sum_lanes(lost)};
    return result;
}

// The parts of all work-items, in a tree, in item 0. scratch holds four numbers an item.
part sum_parts(part own, __local real *scratch) {
    for (uint reach = ITEMS / 2; reach > 0; reach /= 2) {
        SYNC();
        if (ITEM >= reach && ITEM < 2 * reach)
            vstore4((REAL4)(own.sum, own.magnitude, own.largest, own.lost), ITEM, scratch);
        SYNC();
        if (ITEM < reach) {
            const REAL4 other = vload4(ITEM + reach, scratch);
            own.sum += other.x;
            own.magnitude += other.y;
            own.largest = fmax(own.largest, other.z);
            own.lost += other.w;
        }
    }
    return own;
}

__kernel void add_level(uint n_sets, uint sets_a_group, uint first, uint count, real h, uint is_first, real relative,
                        real absolute, __global const real *distances, __global const real *weights, __global const real *rows,
                        __global const real *cuts, __global real *sums, __global uint *state, __global uint *running,
                        __local real *scratch) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    for (uint set = begin_set; set < end_set; set++) {
        __global real *sum = sums + SUMS * (ulong)set;
        __global const real *cut = cuts + 4 * (ulong)set;
        const pair a = pair_of(cut[0], cut[1]), b = pair_of(cut[2], cut[3]);
        const real width = (b.hi - a.hi) + (b.lo - a.lo);
        realv p[N_ROW + 1];
        const bool done = !is_first && state[2 * set] != RUNNING;
        SYNC(); // item 0 writes the state below
        if (done)
            continue;
        broadcast_row(rows, set, p);
        const part level = sum_parts(sum_nodes(first, count, distances, weights, a, b, p), scratch);
        if (ITEM == 0) {
            const real total = (is_first ? 0 : sum[0]) + level.sum, magnitude = (is_first ? 0 : sum[1]) + level.magnitude;
            const real largest = fmax(is_first ? 0 : sum[2], level.largest), lost = (is_first ? 0 : sum[3]) + level.lost;
            const real value = width * h * total;
            // What the last level changed, what rounding values and nodes may have added, and what may lie beyond the last node.
            const real floor_error = EPSILON * (10 * fabs(width) + 4 * fmax(fabs(a.hi), fabs(b.hi))) * h * magnitude;
            const real beyond = 4 * fabs(width) * largest * (h * lost + distances[LAST_NODE]);
            const real change = is_first ? INFINITY : fabs(value - sum[4]);
            const real error = fmax(change, floor_error) + beyond, tolerance = fmax(absolute, relative * fabs(value));
            uint stop = RUNNING;
            if (!(fabs(value) < INFINITY))
                stop = NON_FINITE;
            else if (error <= tolerance)
                stop = CONVERGED;
            else if (change <= floor_error)
                stop = ROUND_OFF;
            else
                atomic_inc(running);
            sum[0] = total;
            sum[1] = magnitude;
            sum[2] = largest;
            sum[3] = lost;
            sum[4] = value;
            sum[5] = error;
            state[2 * set] = stop;
            state[2 * set + 1] = (is_first ? 0 : state[2 * set + 1]) + 2 * count;
        }
    }
}
