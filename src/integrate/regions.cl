// Breadth-first adaptive integration: all regions of all integrals are evaluated, judged and split together.
//
// A region is a box lo[k] .. lo[k] + len[k]. Those of one integral stand in a row: integral i has run[2 i + 1] of them
// from run[2 i] on. The rule (evaluate_box: value, error, the axis to split along) is in kronrod.cl or genz_malik.cl.
// Values, errors, integrals of |f| and marks are those of each component, `capacity` apart. A region is split for one
// component, whose mark SPLIT says so: of those that want it the one whose error is largest beside its share.

// A search takes so many evaluations, in regions' worth at most. It pays from the third round on, and is tried again
// every third one where there was nothing to be found.
#define MOST_SEARCHED 111
#define SEARCH_REGIONS ((MOST_SEARCHED + N_POINTS - 1) / N_POINTS)
#define SEARCHES(round) (DIM == 1 && (round) % 3 == 0)
#define APART 64 // so many times is the error of a suspect more than that of the other half

// Ends of a region with one variable that are ends of the range, infinity or breakpoints, where singularities are
// looked for.
#define LOWER_CUT 1
#define UPPER_CUT 2
#define FOUND 4 // beside one of them, which is a place that was looked for
#define LAST_ROUND (DIM > 1 ? 199 : 99)
#define NOISE                                                                                                          \
    (PRECISION == 64 ? 4096 : 256) // relative errors below so many EPSILON that splitting does not lessen are rounding
#define PATIENCE 6                 // rounds in which regions where the integrand was never finite are split
#define FIRST_VERDICT (DIM > 1 ? 1 : 0) // the first round without a pair to compare decides nothing
// A singularity in the interior, |x - c|^s, at which nodes can come no closer: the error that a rule sees is up to so
// many times too small, for s down to -0.9 (with one variable -0.95). At an end it is less, down to -0.95.
#define UNRESOLVED (DIM > 1 ? 10 : 4)
#define UNRESOLVED_END 4

// Row of a component of an integral in `sums`: value, error and integral of |f| of the regions done, the error that the
// last one to be less by a tenth had, in which round, the last 2 DIM values. And in `results`, apart as the host reads
// no more: value and error of all regions.
#define SUMS (5 + 2 * DIM)
enum { DONE_VALUE, DONE_ERROR, DONE_MAGNITUDE, LEAST_ERROR, LEAST_ROUND, BEFORE };
#define RESULTS 2
enum { VALUE, ERROR };
// An integral is 0 if it is no more than its error, and that no more than so many times what rounding makes.
#define NOUGHT (1000 * EPSILON)
#define UNSETTLED REAL(0.95)
// With several variables halving every axis once takes DIM rounds, in which a value that is steady changes by no more
// than this.
#define STEADY REAL(0.25)
// While the value is no more than its error, an integral whose error has not fallen by a tenth in so many rounds
// diverges, or might as well: of |x - c|^s halving every axis leaves 2^-(1 + s). But while narrow peaks are found and
// parts cancel errors grow, too, so that it is given up only after PATIENT evaluations.
#define HOPELESS (10 * DIM)
#define HOPELESS_STEADY (4 * DIM)
#define PATIENT (1 << 22)
#define FALLS REAL(0.9)

// State of a component of an integral: while it runs, and why it stopped (mst_integral_status). A component that has
// stopped keeps its value and error while regions are split for others. Row of an integral in `state`: those states,
// then the regions evaluated so far.
#define STATE (COMPONENTS + 1)
// Where a component has what the i-th pair of regions comes from.
#define PAIR(c, capacity, i) ((ulong)(c) * ((capacity) / 2 + 1) + (i))
#define CONVERGED 0
#define BUDGET 1
#define ROUND_OFF 2
#define NON_FINITE 3
#define RUNNING 4
#define RUNNING_WITH_LOSS 5 // and a region was done in which the integrand is not finite

#if WIDTH == 1
#define ANY(condition) (condition)
#else
#define ANY(condition) any(condition)
#endif

typedef struct box {
    realv center[DIM], half_width[DIM]; // negative half widths: from above to below
    realv share[DIM];                   // of the range, with several variables
    realv cut;                          // -1, 1: the lower or the upper end is one of LOWER_CUT, UPPER_CUT; 0: neither
    realv found;                        // 1: that is a place that was looked for, and known but for rounding
    realv tail;                         // 1: it is infinity, where t is 0
} box;

typedef struct estimate {
    realv value, error, rounding, axis; // rounding: below it, errors are not told from those of arithmetic
    realv magnitude;                    // the integral of |f|
} estimate;

// A region with one variable is not halved where its half is below so many EPSILON of x: nodes fall together in halves,
// of which an integrand seems to be constant.
#define FINEST 6
#define CLOSER 4 // at a singular end so small a share is cut off
// A region at infinity with one variable is halved down to this width, where squares of x are still far from overflow.
#define FARTHEST (PRECISION == 64 ? REAL(1e-30) : REAL(1e-9))
// And any down to this one, where the nodes next to an end at 0 are far from numbers with fewer digits.
#define SMALLEST (PRECISION == 64 ? REAL(1e-285) : REAL(1e-27))

void evaluate_box(const box *b, given *in, estimate *of_components);

// The first regions of each integral: two along every axis between each two of its cuts, of which there are more than
// the bounds with breakpoints. `intervals` has so many between cuts for each axis, 8 bits each. Cuts are pairs, so that
// lengths are those of the bounds before rounding, cut_stride numbers from one integral's to the next one's: 0 where
// all have the same. With one item a region.
__kernel void begin(uint n_sets, ulong intervals, uint cut_stride, uint first_regions, uint infinite, uint capacity,
                    __global const real *cuts, __global real *lo, __global real *len, __global uint *id,
                    __global uchar *ends, __global uint *run, __global real *sums, __global real *results,
                    __global uint *state, __global uint *total) {
    const ulong r = get_global_id(0);
    if (r == 0)
        total[1] = total[2] = 0;
    const uint set = (uint)(r / first_regions), own = (uint)(r - (ulong)set * first_regions);
    if (set >= n_sets)
        return;
    __global const real *cut = cuts + (ulong)set * cut_stride;
    uint rest = own;
    for (uint k = 0; k < DIM; k++) {
        const uint n = intervals >> 8 * k & 0xff, from = rest / 2 % n;
        const real at = cut[2 * from],
                   length = ((cut[2 * from + 2] - at) + (cut[2 * from + 3] - cut[2 * from + 1])) / 2;
        lo[(ulong)k * capacity + r] = rest % 2 > 0 ? at + length : at;
        len[(ulong)k * capacity + r] = length;
        rest /= 2 * n;
        cut += 2 * (n + 1);
    }
    id[r] = set;
    // Of the whole line, infinity is the middle.
    ends[r] = (own % 2 == 0) != (infinite == 2 && intervals == 1) ? LOWER_CUT : UPPER_CUT;
    if (own > 0)
        return;
    run[2 * set] = (uint)r;
    run[2 * set + 1] = first_regions;
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        for (uint k = 0; k < BEFORE; k++)
            sums[SUMS * ((ulong)set * COMPONENTS + c) + k] = k == LEAST_ERROR ? (real)INFINITY : 0;
        for (uint k = 0; k < RESULTS; k++)
            results[RESULTS * ((ulong)set * COMPONENTS + c) + k] = 0;
        state[STATE * (ulong)set + c] = RUNNING;
    }
    state[STATE * (ulong)set + COMPONENTS] = 0;
}

// Keeps what is known of a component's regions from `first` on.
void store_estimates(const box *b, const estimate *e, realv narrowest, ulong first, uint count, __global real *values,
                     __global real *errors, __global real *magnitudes, __global uchar *marks) {
    real value[WIDTH], error[WIDTH], least[WIDTH], axis[WIDTH], width[WIDTH], tail[WIDTH], magnitude[WIDTH],
        finest[WIDTH];
    const realv least_x = EPSILON * fabs(b->center[0]);
    STOREV(e->value, value);
    STOREV(e->error, error);
    STOREV(e->rounding, least);
    STOREV(e->axis, axis);
    STOREV(e->magnitude, magnitude);
    STOREV(b->tail, tail);
    STOREV(DIM > 1                         ? (realv)0
           : (b->cut != 0 && b->tail == 0) ? fmax(FINEST_AT_CUT * least_x, SMALLEST)
                                           : FINEST * least_x,
           finest);
    STOREV(narrowest, width);
    for (uint l = 0; l < count; l++) {
        const bool empty = width[l] == 0, finite = fabs(value[l]) < INFINITY && error[l] < INFINITY;
        values[first + l] = finite && !empty ? value[l] : 0;
        magnitudes[first + l] = finite && !empty ? magnitude[l] : 0;
        const bool at_floor =
            (error[l] <= least[l] && least[l] > 0) || width[l] < finest[l] || (tail[l] > 0 && width[l] < FARTHEST);
        const real largest = fmax(error[l], least[l]) * (at_floor && error[l] > fabs(value[l]) / 64 ? UNRESOLVED : 1);
        errors[first + l] = empty ? 0 : finite ? largest : INFINITY;
        marks[first + l] = empty ? AT_FLOOR : !finite ? NOT_FINITE : (uchar)axis[l] | (at_floor ? AT_FLOOR : 0);
    }
}

// Tiles of WIDTH regions, one to a lane.
__kernel void evaluate(uint n, uint infinite, uint capacity, uint tiles_an_item, ulong intervals, uint cut_stride,
                       __global const real *cuts, __global const real *lo, __global const real *len,
                       __global const uint *id, __global const uchar *ends, __global const real *rows,
                       __global const int *code, __global real *values, __global real *errors,
                       __global real *magnitudes, __global uchar *marks) {
    const all_cuts all = {cuts, intervals, cut_stride};
    ulong tile = get_global_id(0) * (ulong)tiles_an_item;
    for (uint k = 0; k < tiles_an_item && tile * WIDTH < n; k++, tile++) {
        const uint first = (uint)(tile * WIDTH), count = min((uint)WIDTH, n - first);
        uint index[WIDTH], set[WIDTH];
        real cut[WIDTH], tail[WIDTH], found[WIDTH];
        estimate e[COMPONENTS];
        given in;
        realv narrowest = INFINITY;
        box b;
        for (uint l = 0; l < WIDTH; l++) {
            index[l] = min(first + l, n - 1);
            set[l] = id[index[l]];
            cut[l] = (real)(ends[index[l]] & LOWER_CUT ? -1 : ends[index[l]] & UPPER_CUT ? 1 : 0);
            found[l] = ends[index[l]] & FOUND ? 1 : 0;
            const real end = lo[index[l]] + (cut[l] > 0 ? len[index[l]] : 0);
            tail[l] = infinite > 0 && cut[l] != 0 && fabs(end) <= EPSILON ? 1 : 0;
        }
        b.cut = LOADV(cut);
        b.found = LOADV(found);
        b.tail = LOADV(tail);
        take_code(&in, code);
        for (uint a = 0; a < ROW_LENGTH(code); a++)
            in.row[a] = gather(rows, set, ROW_LENGTH(code), a);
        for (uint a = 0; a < DIM; a++) {
            b.half_width[a] = gather(len + (ulong)a * capacity, index, 1, 0) / 2;
            b.center[a] = gather(lo + (ulong)a * capacity, index, 1, 0) + b.half_width[a];
            narrowest = fmin(narrowest, fabs(b.half_width[a]));
        }
        if (DIM > 1)
            find_shares(index, set, capacity, len, &all, b.share);
        evaluate_box(&b, &in, e);
#pragma unroll 1
        for (uint c = 0; c < COMPONENTS; c++)
            store_estimates(&b, &e[c], narrowest, (ulong)c * capacity + first, count, values, errors, magnitudes,
                            marks);
    }
}
