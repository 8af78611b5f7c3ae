// The tanh-sinh rule (Takahasi and Mori 1974), a level of nodes at a time for all integrals that are not done. With d
// the distance of a node from the nearer end, as a share of the range, the integral is (b - a) h sum_j weight_j (f(a +
// d_j (b - a)) + f(b - d_j (b - a))). A level halves h: its nodes lie between those before.

// Row of an integral in `sums`: the parts of all levels, then what the last level gave. State: the evaluations' number,
// and why it stopped (mst_integral_status; RUNNING until then).
#define PARTS 12
enum { VALUE = PARTS, ERROR, CHANGE, MODULUS, BOUND, SUMS };
#define CONVERGED 0
#define ROUND_OFF 2
#define NON_FINITE 3
#define RUNNING 4
#define EPSILON (PRECISION == 64 ? REAL(2.220446049250313e-16) : REAL(1.1920928955078125e-7))

// An integral is 0 if it is no more than its error, and that no more than so many times what rounding makes.
#define NOUGHT (1000 * EPSILON)
#define BEYOND                                                                                                         \
    40         // 1 / (s + 1) down to s = -0.9, and what rounding makes of the distance of the last node that does count
#define TAIL 4 // of what an exponent found says, beyond the last node
#define LEAST_LEVEL 2 // gaps between nodes are a twentieth of the range then
#define LOOK_LEVEL 5  // where all values are 0, levels are added up to this one

// The sum with step h differs from the integral by what the transform in t has at the frequencies 1 / h, 2 / h and so
// on, so that the change to step h / 2 shows the cosine part at 1 / h. The nodes of the next level, every other one
// with its sign changed, show the sine part at that frequency: of both together a chance phase hides nothing (the
// modulus). An integrand is smooth where moduli fall faster and faster. Elsewhere, at jumps, kinks and peaks between
// the nodes, one change may be small by chance, and what those before it showed counts, less with each level.
#define FALL REAL(0.125)            // smooth: each modulus is below so much of the one before,
#define LAST_FALL REAL(0.015625)    // and the change below so much of the last modulus
#define DROP REAL(0.0001)           // or the change so much, as soon as nodes are dense enough for what oscillates
#define SETTLED REAL(1e-5)          // where the last modulus is below so much of the integral of |f|
#define FIRST_FALL REAL(0.00390625) // the modulus before the first one, as a share of the integral of |f|
#define FADING REAL(0.35)           // a modulus counts so much less a level later
#define CAUTION 8                   // true errors are no larger, in bounds
#define CAUTION_SMOOTH 4     // and at smooth integrands so much more, in changes; half of it where these are rounding
#define STALLED REAL(0.65)   // moduli that fall no faster than this, at |x - c|^-0.8 say, leave more
#define CAUTION_STALLED 48   // behind them
#define UNRESOLVED REAL(0.2) // a share of all |f| that one node must not have, or any peak may be hidden beside it

// What a level adds: sum of weight f, of weight |f|, and with alternating signs; of either end the largest |f|, the
// largest weight |f| of all, of either end |f| at two nodes far out (NEARER and FARTHER, of the first level), and the
// weights of nodes that fell on it.
enum { SUM, MAGNITUDE, ALTERNATING, LARGEST, HEAVIEST = LARGEST + 2, OUTSIDE, LOST = OUTSIDE + 4 };
typedef struct part {
    real v[PARTS];
} part;

part add_parts(part a, part b) {
    for (uint k = 0; k < PARTS; k++)
        a.v[k] = k >= LARGEST && k < LOST ? fmax(a.v[k], b.v[k]) : a.v[k] + b.v[k];
    return a;
}

real largest_lane(realv v) {
    real lanes[WIDTH], most = 0;
    STOREV(v, lanes);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, lanes[l]);
    return most;
}

// Work-item i's share of a level. opposite: the sign of the upper half in the sum with alternating signs.
part sum_nodes(uint first, uint count, __global const real *distances, __global const real *weights, pair a, pair b,
               real opposite, given *in) {
    const real signs[16] = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    realv sum = 0, magnitude = 0, alternating = 0, heaviest = 0, largest[2] = {0, 0}, lost[2] = {0, 0};
    real outside[4] = {0, 0, 0, 0};
    const real width = (b.hi - a.hi) + (b.lo - a.lo);
    for (uint j = ITEM * WIDTH; j < count; j += ITEMS * WIDTH) {
        // Behind the last node the tables are filled with weights of 0.
        const realv d = LOADV(distances + first + j), w = LOADV(weights + first + j), near = width * d,
                    far = width * (1 - d);
        const realv sign = LOADV(signs + (WIDTH == 1 ? j % 2 : 0));
#pragma unroll 1
        for (uint side = 0; side < 2; side++) {
            const realv x = side ? b.hi - (near - b.lo) : a.hi + (near + a.lo);
            const realv f = integrand_at(&x, fabs(side ? far : near), fabs(side ? near : far), in), size = fabs(f);
            const realv at_end = (size < INFINITY || (x != a.hi && x != b.hi)) ? (realv)0 : (realv)1;
            const realv kept = (at_end > 0 || w == 0) ? (realv)0 : f;
            sum += w * kept;
            magnitude += w * fabs(kept);
            alternating += (side ? opposite * sign : sign) * (w * kept);
            heaviest = fmax(heaviest, w * fabs(kept));
            largest[side] = fmax(largest[side], fabs(kept));
            lost[side] += w * at_end;
            for (uint k = 0; k < 2; k++) {
                const uint node = k ? FARTHER : NEARER;
                if (first + j > node || node >= first + j + WIDTH)
                    continue;
                real lanes[WIDTH];
                STOREV(fabs(kept), lanes);
                outside[2 * side + k] = lanes[node - first - j];
            }
        }
    }
    const part result = {{sum_lanes(sum), sum_lanes(magnitude), sum_lanes(alternating), largest_lane(largest[0]),
                          largest_lane(largest[1]), largest_lane(heaviest), outside[0], outside[1], outside[2],
                          outside[3], sum_lanes(lost[0]), sum_lanes(lost[1])}};
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

// What lies beyond the farther of two nodes far out, as a share of the range, by the exponent of f between them:
// farther out, where squares of x overflow, f may seem to be 0.
real beyond_end(const real *outside, real d_nearer, real d_farther) {
    const real ratio = outside[1] / outside[0];
    if (!(ratio > 0 && ratio < INFINITY))
        return 0;
    const real q = 1 + log(ratio) / log(d_farther / d_nearer);
    return q > EPSILON ? outside[1] * d_farther * TAIL / q : INFINITY;
}

__kernel void add_level(uint n_sets, uint sets_a_group, uint first, uint count, real h, uint level, uint infinite,
                        real relative, real absolute, __global const real *distances, __global const real *weights,
                        __global const real *rows, __global const int *code, __global const real *cuts,
                        __global real *sums, __global uint *state, __global uint *running, __local real *scratch) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    for (uint set = begin_set; set < end_set; set++) {
        __global real *sum = sums + SUMS * (ulong)set;
        __global const real *cut = cuts + 4 * (ulong)set;
        const pair a = pair_of(cut[0], cut[1]), b = pair_of(cut[2], cut[3]);
        const real width = (b.hi - a.hi) + (b.lo - a.lo);
        given in;
        const bool done = level > 0 && state[2 * set] != RUNNING;
        SYNC(); // item 0 writes the state below
        if (done)
            continue;
        broadcast_row(rows, set, code, &in);
        part all = sum_parts(sum_nodes(first, count, distances, weights, a, b, level > 0 ? -1 : 1, &in), scratch);
        if (ITEM == 0) {
            part before;
            for (uint k = 0; k < PARTS; k++)
                before.v[k] = level > 0 && k != ALTERNATING ? sum[k] : 0;
            all = add_parts(before, all);
            const real value = width * h * all.v[SUM];
            // What convergence so far promises, what rounding values and nodes may have added, and what may lie beyond
            // the last node of either end: the integral of C d^s from 0 to d is C d^(s + 1) / (s + 1).
            const real floor_error =
                EPSILON * (10 * fabs(width) + 4 * fmax(fabs(a.hi), fabs(b.hi))) * h * all.v[MAGNITUDE];
            real beyond = 0;
            for (uint side = 0; side < 2; side++) {
                beyond +=
                    BEYOND * fabs(width) * all.v[LARGEST + side] * (h * all.v[LOST + side] + distances[LAST_NODE]);
                if (infinite > 0)
                    beyond +=
                        fabs(width) * beyond_end(all.v + OUTSIDE + 2 * side, distances[NEARER], distances[FARTHER]);
            }
            // The first level has the one before within it: the sum of every other node.
            const real alternating = fabs(width * h * all.v[ALTERNATING]);
            const real change = level > 0 ? fabs(value - sum[VALUE]) : alternating;
            real modulus = FIRST_FALL * fabs(width) * h * all.v[MAGNITUDE], bound = change;
            bool smooth = false;
            int caution = CAUTION;
            if (level > 0) {
                modulus = hypot(sum[CHANGE], 2 * alternating);
                const bool settled = modulus <= fmax(SETTLED * fabs(width) * h * all.v[MAGNITUDE], 32 * floor_error);
                smooth =
                    settled && ((change <= fmax(LAST_FALL * modulus, floor_error) && modulus <= FALL * sum[MODULUS]) ||
                                (level > 2 && change <= DROP * modulus));
                bound = smooth ? CAUTION_SMOOTH * fmax(change - 4 * floor_error, change / 2)
                               : fmax(change, FADING * fmax(modulus, sum[BOUND]));
                caution = modulus > STALLED * sum[MODULUS] ? CAUTION_STALLED : CAUTION;
            }
            const bool unresolved = level < LEAST_LEVEL || (!smooth && all.v[HEAVIEST] > UNRESOLVED * all.v[MAGNITUDE]);
            const real promise = fmax(floor_error, (bound <= 4 * floor_error ? 2 : caution) * bound);
            const real error = unresolved ? INFINITY : promise + beyond;
            const real tolerance = fmax(absolute, relative * fabs(value));
            const bool nought = fabs(value) <= error && error <= NOUGHT * fabs(width) * h * all.v[MAGNITUDE];
            uint stop = RUNNING;
            if (!(fabs(value) < INFINITY))
                stop = NON_FINITE;
            else if ((error <= tolerance || nought) && (all.v[MAGNITUDE] > 0 || level >= LOOK_LEVEL || width == 0))
                stop = CONVERGED;
            else if (level >= LEAST_LEVEL && bound <= floor_error && all.v[MAGNITUDE] > 0)
                stop = ROUND_OFF;
            else
                atomic_inc(running);
            for (uint k = 0; k < PARTS; k++)
                sum[k] = all.v[k];
            sum[VALUE] = value;
            sum[ERROR] = error;
            sum[CHANGE] = change;
            sum[MODULUS] = modulus;
            sum[BOUND] = bound;
            state[2 * set] = stop;
            state[2 * set + 1] = (level > 0 ? state[2 * set + 1] : 0) + 2 * count;
        }
    }
}
