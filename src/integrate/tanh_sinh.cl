// The tanh-sinh rule (Takahasi and Mori 1974), a level of nodes at a time for all integrals that are not done. With d the
// distance of a node from the nearer end, as a share of the range, the integral is (b - a) h sum_j weight_j (f(a + d_j (b - a)) +
// f(b - d_j (b - a))). A level halves h: its nodes lie between those before.

// Row of an integral in `sums`: the parts of all levels, the value and its error. State: the evaluations' number, and why it
// stopped (mst_integral_status; RUNNING until then).
#define PARTS 6
#define SUMS (PARTS + 2)
#define CONVERGED 0
#define ROUND_OFF 2
#define NON_FINITE 3
#define RUNNING 4
#define EPSILON (PRECISION == 64 ? REAL(2.220446049250313e-16) : REAL(1.1920928955078125e-7))

#define BEYOND 40    // 1 / (s + 1) down to s = -0.9, and what rounding makes of the distance of the last node that does count
#define LOOK_LEVEL 5 // where all values are 0, levels are added up to this one

// What a level adds: sum of weight f and of weight |f|, and of either end the largest |f| and the weights of nodes that fell on
// it.
enum { SUM, MAGNITUDE, LARGEST, LOST = LARGEST + 2 };
typedef struct part {
    real v[PARTS];
} part;

part add_parts(part a, part b) {
    for (uint k = 0; k < PARTS; k++)
        a.v[k] = k == LARGEST || k == LARGEST + 1 ? fmax(a.v[k], b.v[k]) : a.v[k] + b.v[k];
    return a;
}

real largest_lane(realv v) {
    real lanes[WIDTH], most = 0;
    STOREV(v, lanes);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, lanes[l]);
    return most;
}

// Work-item i's share of a level.
part sum_nodes(uint first, uint count, __global const real *distances, __global const real *weights, pair a, pair b,
               const realv *p) {
    realv sum = 0, magnitude = 0, largest[2] = {0, 0}, lost[2] = {0, 0};
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
            largest[side] = fmax(largest[side], fabs(kept));
            lost[side] += w * at_end;
        }
    }
    const part result = {{sum_lanes(sum), sum_lanes(magnitude), largest_lane(largest[0]), largest_lane(largest[1]),
                          sum_lanes(lost[0]), sum_lanes(lost[1])}};
    return result;
}

// The parts of all work-items, in a tree, in item 0. scratch holds PARTS numbers an item.
part sum_parts(part own, __local real *scratch) {
    for (uint reach = ITEMS / 2; reach > 0; reach /= 2) {
        SYNC();
        for (uint k = 0; k < PARTS && ITEM >= reach && ITEM < 2 * reach; k++)
            scratch[PARTS * ITEM + k] = own.v[k];
        SYNC();
        if (ITEM < reach) {
            part other;
            for (uint k = 0; k < PARTS; k++)
                other.v[k] = scratch[PARTS * (ITEM + reach) + k];
            own = add_parts(own, other);
        }
    }
    return own;
}

__kernel void add_level(uint n_sets, uint sets_a_group, uint first, uint count, real h, uint level, real relative, real absolute,
                        __global const real *distances, __global const real *weights, __global const real *rows,
                        __global const real *cuts, __global real *sums, __global uint *state, __global uint *running,
                        __local real *scratch) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    for (uint set = begin_set; set < end_set; set++) {
        __global real *sum = sums + SUMS * (ulong)set;
        __global const real *cut = cuts + 4 * (ulong)set;
        const pair a = pair_of(cut[0], cut[1]), b = pair_of(cut[2], cut[3]);
        const real width = (b.hi - a.hi) + (b.lo - a.lo);
        realv p[N_ROW + 1];
        const bool done = level > 0 && state[2 * set] != RUNNING;
        SYNC(); // item 0 writes the state below
        if (done)
            continue;
        broadcast_row(rows, set, p);
        part all = sum_parts(sum_nodes(first, count, distances, weights, a, b, p), scratch);
        if (ITEM == 0) {
            part before;
            for (uint k = 0; k < PARTS; k++)
                before.v[k] = level > 0 ? sum[k] : 0;
            all = add_parts(before, all);
            const real value = width * h * all.v[SUM];
            // What the last level changed, what rounding values and nodes may have added, and what may lie beyond the last node
            // of either end: the integral of C d^s from 0 to d is C d^(s + 1) / (s + 1).
            const real floor_error = EPSILON * (10 * fabs(width) + 4 * fmax(fabs(a.hi), fabs(b.hi))) * h * all.v[MAGNITUDE];
            real beyond = 0;
            for (uint side = 0; side < 2; side++)
                beyond += BEYOND * fabs(width) * all.v[LARGEST + side] * (h * all.v[LOST + side] + distances[LAST_NODE]);
            const real change = level > 0 ? fabs(value - sum[PARTS]) : INFINITY;
            const real error = fmax(change, floor_error) + beyond, tolerance = fmax(absolute, relative * fabs(value));
            uint stop = RUNNING;
            if (!(fabs(value) < INFINITY))
                stop = NON_FINITE;
            else if (error <= tolerance && (all.v[MAGNITUDE] > 0 || level >= LOOK_LEVEL || width == 0))
                stop = CONVERGED;
            else if (change <= floor_error && all.v[MAGNITUDE] > 0)
                stop = ROUND_OFF;
            else
                atomic_inc(running);
            for (uint k = 0; k < PARTS; k++)
                sum[k] = all.v[k];
            sum[PARTS] = value;
            sum[PARTS + 1] = error;
            state[2 * set] = stop;
            state[2 * set + 1] = (level > 0 ? state[2 * set + 1] : 0) + 2 * count;
        }
    }
}
