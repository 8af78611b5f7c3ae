// What may hide between the nodes of tanh-sinh where the integrand has comparisons and steps: of integrals that a level
// has brought to an end, the error is raised for it, and those that are not good enough then go on.

// As tanh_sinh.cl has them.
#define PARTS 12
enum { VALUE = PARTS, ERROR, CHANGE, MODULUS, BOUND, SUMS };
#define CONVERGED 0
#define RUNNING 4

// The distance of node j from its end, as a share of the range; 0 of the last one, which nothing that counts is beyond.
real distance_of(uint j, real h, uint cells) { return j < cells ? 1 / (1 + exp(PI * sinh(j * h))) : (real)0; }

// Of `cells` cells between nodes on either side, what may be hidden in all.
real hidden_error(uint cells, real h, real a, real width, const realv *row, uint n_row, __global const int *code) {
    real sum = 0;
    for (uint first = 0; first < 2 * cells; first += WIDTH) {
        real low[WIDTH], high[WIDTH], near_low[WIDTH], near_high[WIDTH];
        box_values v;
        given in;
        for (uint l = 0; l < WIDTH; l++) {
            const uint cell = min(first + l, 2 * cells - 1), j = cell / 2;
            const bool right = cell % 2 == 1, kept = first + l < 2 * cells;
            const real far = width * distance_of(j, h, cells), near = kept ? width * distance_of(j + 1, h, cells) : far;
            near_low[l] = right ? width - far : near; // the distance from the lower end
            near_high[l] = right ? width - near : far;
            low[l] = a + near_low[l];
            high[l] = a + near_high[l];
        }
        for (uint k = 0; k < n_row; k++)
            put_number(&v, k, row[k]);
        const bounds t = {LOADV(low), LOADV(high), (LOADV(low) + LOADV(high)) / 2, (realv)0, 1};
        bounds left = {LOADV(near_low), LOADV(near_high), (LOADV(near_low) + LOADV(near_high)) / 2, (realv)0, 1},
               right = {width - left.high, width - left.low, width - left.middle, (realv)0, 1};
        put_bounds(&v, n_row, t);
        put_bounds(&v, n_row + 1, width < 0 ? bounds_negate(left) : left);
        put_bounds(&v, n_row + 2, width < 0 ? bounds_negate(right) : right);
        put_constants(&v, code);
        if (!interpret_box(&v, code))
            continue;
        realv share;
        const realv change = hidden_change(&v, (uint)VALUE_SLOTS(code)[0], &share);
        // Nodes beside the cell that differ by as much show it.
        realv seen[2];
        take_code(&in, code);
        for (uint k = 0; k < n_row; k++)
            in.row[k] = row[k];
        for (uint k = 0; k < 2; k++) {
            const realv at = k ? t.high : t.low, from = k ? left.high : left.low;
            seen[k] = integrand_at(&at, fabs(from), fabs(width - from), &in);
        }
        const realv size = share * change * fabs(t.high - t.low),
                    hidden = (fabs(seen[1] - seen[0]) < change / 2 && size < INFINITY) ? size : (realv)0;
        sum += sum_lanes(hidden);
    }
    return sum;
}

// With one item an integral. `evaluations` are those of integrals that the level has been the last of.
__kernel void hidden(uint n_sets, uint cells, real h, uint evaluations, real relative, real absolute,
                     __global const real *rows, __global const int *code, __global const real *cuts,
                     __global real *sums, __global uint *state, __global uint *running) {
    const ulong set = get_global_id(0);
    if (set >= n_sets || state[2 * set] != CONVERGED || state[2 * set + 1] != evaluations)
        return;
    __global const real *cut = cuts + 4 * set;
    const uint n_row = ROW_LENGTH(code);
    realv row[SLOTS];
    for (uint k = 0; k < n_row; k++)
        row[k] = (realv)rows[set * n_row + k];
    __global real *sum = sums + SUMS * set;
    const real error = hidden_error(cells, h, cut[0], (cut[2] - cut[0]) + (cut[3] - cut[1]), row, n_row, code);
    sum[ERROR] += error;
    if (error == 0 || sum[ERROR] <= fmax(absolute, relative * fabs(sum[VALUE])))
        return;
    state[2 * set] = RUNNING;
    atomic_inc(running);
}
