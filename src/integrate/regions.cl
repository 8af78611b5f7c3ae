// Breadth-first adaptive integration: all regions of all integrals are evaluated, judged and split together.
//
// A region is a box lo[k] .. lo[k] + len[k]. Those of one integral stand in a row: integral i has run[2 i + 1] of them
// from run[2 i] on. The rule (evaluate_box: value, error, the axis to split along) is in kronrod.cl or genz_malik.cl.
// Values, errors, integrals of |f| and marks are those of each component, `capacity` apart. A region is split for one
// component, whose mark SPLIT says so: of those that want it the one whose error is largest beside its share.

#define EPSILON (PRECISION == 64 ? REAL(2.220446049250313e-16) : REAL(1.1920928955078125e-7))

// Marks of a region: its axis, and
#define AT_FLOOR 0x80 // the error is all rounding: splitting does not help
#define SPLIT 0x40
#define SERIES 0x20     // value and error are those of a series at a singular end
#define NOT_FINITE 0x10 // the integrand is not: the value is 0, the error infinite
#define LOST 0x08       // it is not, but was in the region this is a half of: value and error are from there
#define AXIS (DIM > 1 ? 0x07 : 0)
// Of a region with one variable:
#define ROUGH 0x02   // the integrand is not resolved, so nothing is known of how it goes on between the nodes
#define TAIL 0x04    // with SERIES: that end is infinity
#define STEEP 0x04   // without: it may be singular at its end, by something else than a power times a smooth factor
#define SUSPECT 0x01 // it is so at one place, which is looked for (locate.cl) and the region cut there

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
#define LAST_ROUND 99
#define NOISE                                                                                                          \
    (PRECISION == 64 ? 4096 : 256) // relative errors below so many EPSILON that splitting does not lessen are rounding
#define PATIENCE 6                 // rounds in which regions where the integrand was never finite are split
#define FIRST_VERDICT (DIM > 1 ? 1 : 0) // the first round without a pair to compare decides nothing
// A singularity in the interior, |x - c|^s, at which nodes can come no closer: the error that a rule sees is up to so
// many times too small, for s down to -0.9 (with one variable -0.95). At an end it is less, down to -0.95.
#define UNRESOLVED (DIM > 1 ? 10 : 4)
#define UNRESOLVED_END 4

// Row of a component of an integral in `sums`: value, error and integral of |f| of the regions done, the last 2 DIM
// values. And in `results`, apart as the host reads no more: value and error of all regions.
#define SUMS (3 + 2 * DIM)
enum { DONE_VALUE, DONE_ERROR, DONE_MAGNITUDE, BEFORE };
#define RESULTS 2
enum { VALUE, ERROR };
// An integral is 0 if it is no more than its error, and that no more than so many times what rounding makes.
#define NOUGHT (120 * EPSILON)
#define UNSETTLED REAL(0.95)

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
// At an end where it may be singular not below so many, as the nodes next to the end, 1/230 of it away, decide there.
#define FINEST_AT_CUT 256
// A region at infinity with one variable is halved down to this width, where squares of x are still far from overflow.
#define FARTHEST (PRECISION == 64 ? REAL(1e-30) : REAL(1e-9))
// And any down to this one, where the nodes next to an end at 0 are far from numbers with fewer digits.
#define SMALLEST (PRECISION == 64 ? REAL(1e-285) : REAL(1e-27))

void evaluate_box(const box *b, given *in, estimate *of_components);

realv gather(__global const real *from, const uint *index, uint stride, uint offset) {
    real lanes[WIDTH];
    for (uint l = 0; l < WIDTH; l++)
        lanes[l] = from[(ulong)index[l] * stride + offset];
    return LOADV(lanes);
}

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
            sums[SUMS * ((ulong)set * COMPONENTS + c) + k] = 0;
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
__kernel void evaluate(uint n, uint infinite, uint capacity, uint tiles_an_item, __global const real *lo,
                       __global const real *len, __global const uint *id, __global const uchar *ends,
                       __global const real *rows, __global const int *code, __global real *values,
                       __global real *errors, __global real *magnitudes, __global uchar *marks) {
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
        evaluate_box(&b, &in, e);
#pragma unroll 1
        for (uint c = 0; c < COMPONENTS; c++)
            store_estimates(&b, &e[c], narrowest, (ulong)c * capacity + first, count, values, errors, magnitudes,
                            marks);
    }
}

// What rounds to come may change if none of them can be paid for: the rest of a geometric series. DIM rounds halve
// every axis once, after which the changes of a rule that converges are no more than half of those before. Where they
// are not, as at a peak that grows as it is found, the series is cut off at the ratio UNSETTLED. before: of the last 2
// DIM rounds, in a ring.
real unsettled(__global const real *before, real value, uint round) {
    const uint span = min((uint)DIM, round / 2);
    if (span == 0)
        return round == 0 ? 0 : fabs(value - before[0]);
    const real last = before[(round - span) % (2 * DIM)], change = fabs(value - last);
    const real ratio = change / fabs(last - before[(round - 2 * span) % (2 * DIM)]);
    const real kept = fmin(fmax(ratio, REAL(0.5)), UNSETTLED);
    return change * kept / (1 - kept);
}

// Sums over the work-items of a group, in a tree; in every item. scratch holds SHARED numbers an item. The loop is
// entered in any case: PoCL has what follows a barrier twice if that is under a condition, and a loop that may be left
// out is one.
#define SHARED 4
void sum_items(real v[SHARED], __local real *scratch) {
    for (uint k = 0; k < (ITEMS > 1 ? SHARED : 0); k++)
        scratch[k * ITEMS + ITEM] = v[k];
    uint reach = ITEMS;
    do {
        reach /= 2;
        SYNC();
        for (uint k = 0; k < SHARED && ITEM < reach; k++)
            scratch[k * ITEMS + ITEM] += scratch[k * ITEMS + ITEM + reach];
    } while (reach > 1);
    SYNC();
    for (uint k = 0; k < (ITEMS > 1 ? SHARED : 0); k++)
        v[k] = scratch[k * ITEMS];
    SYNC();
}

// The same for a count each.
uint count_items(uint own, __local uint *scratch) {
    scratch[ITEM] = own;
    uint reach = ITEMS;
    do {
        reach /= 2;
        SYNC();
        if (ITEM < reach)
            scratch[ITEM] += scratch[ITEM + reach];
    } while (reach > 1);
    SYNC();
    own = scratch[0];
    SYNC();
    return own;
}

// What judging a component finds, the same in every item.
typedef struct verdict {
    uint stop;            // its state
    real share;           // of the tolerance, a region
    uint count, suspects; // regions that it wants to split, and of these, such as are searched
    real done[3];         // of the others: value, error, integral of |f|
    real value, error;    // of all
} verdict;

// Marks the regions that the component wants to split. Pointers are to what is the component's.
void judge_component(real relative, real absolute, uint most_regions, uint least_look, uint round, uint first, uint n,
                     uint evaluated, uint state, __global const real *values, __global const real *errors,
                     __global const real *magnitudes, __global uchar *marks, __global const real *sum,
                     __local real *scratch, __local uint *counts, verdict *v) {
    real all[SHARED] = {0, 0, 0, 0}; // value, error, integral of |f|, whether the integrand is not finite somewhere
    for (uint r = first + ITEM; r < first + n; r += ITEMS) {
        all[0] += values[r];
        all[1] += errors[r];
        all[2] += magnitudes[r];
        all[3] = marks[r] & NOT_FINITE ? 1 : all[3];
    }
    sum_items(all, scratch);
    const real value = sum[DONE_VALUE] + all[0], error = sum[DONE_ERROR] + all[1],
               magnitude = sum[DONE_MAGNITUDE] + all[2];
    v->value = value;
    v->error = error;
    const bool nought = fabs(value) <= error && error <= NOUGHT * magnitude;
    const real tolerance = fmax(absolute, relative * fmax(fabs(value) - error, (real)0));
    v->share = fmax(tolerance - sum[DONE_ERROR], (real)0) / (2 * (real)n);
    // Rounding alone makes an error unless all values are 0: something narrow may have been missed.
    const bool unseen = error == 0 && n < least_look && evaluated + 3 * (ulong)n <= most_regions;
    uint count = 0, suspects = 0;
    real part[SHARED] = {0, 0, 0, 0}; // of the regions not to split: value, error, integral of |f|, whether one is lost
    for (uint r = first + ITEM; r < first + n; r += ITEMS) {
        const bool split =
            (int)round < FIRST_VERDICT || ((unseen || !(errors[r] <= v->share)) && !(marks[r] & AT_FLOOR));
        marks[r] = (uchar)(marks[r] & ~SPLIT) | (split ? SPLIT : 0);
        count += split ? 1 : 0;
        suspects += DIM == 1 && split && (marks[r] & SUSPECT) ? 1 : 0;
        part[0] += split ? 0 : values[r];
        part[1] += split ? 0 : errors[r];
        part[2] += split ? 0 : magnitudes[r];
        part[3] = !split && (marks[r] & LOST) ? 1 : part[3];
    }
    sum_items(part, scratch);
    for (uint k = 0; k < 3; k++)
        v->done[k] = part[k];
    v->count = count_items(count, counts);
    v->suspects = SEARCHES(round) ? count_items(suspects, counts) : 0;
    const bool loss = part[3] > 0 || state == RUNNING_WITH_LOSS;
    v->stop = loss ? RUNNING_WITH_LOSS : RUNNING;
    if ((error <= tolerance || nought) && !loss && (int)round >= FIRST_VERDICT && !(unseen && v->count > 0))
        v->stop = CONVERGED;
    else if (all[3] > 0 && round >= PATIENCE)
        v->stop = NON_FINITE;
    else if (v->count == 0 || round == LAST_ROUND)
        v->stop = ROUND_OFF;
}

// Which component a region is split for; COMPONENTS if for none.
uint split_for(__global const uchar *marks, uint capacity, uint r) {
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++)
        if (marks[(ulong)c * capacity + r] & SPLIT)
            return c;
    return COMPONENTS;
}

// Of several components: leaves one of those that want a region split its mark, takes what is done of regions that none
// wants to, and counts the others.
void agree(uint first, uint n, uint capacity, __global const real *values, __global const real *errors,
           __global const real *magnitudes, __global uchar *marks, verdict *all, uint *count, uint *suspects,
           __local real *scratch, __local uint *counts) {
    *count = *suspects = 0;
    for (uint r = first + ITEM; r < first + n; r += ITEMS) {
        uint lead = COMPONENTS;
        real most = 0;
#pragma unroll 1
        for (uint c = 0; c < COMPONENTS; c++) {
            const ulong at = (ulong)c * capacity + r;
            const bool wants = all[c].stop >= RUNNING && (marks[at] & SPLIT);
            const real much = errors[at] < INFINITY && all[c].share > 0 ? errors[at] / all[c].share : (real)INFINITY;
            marks[at] &= (uchar)~SPLIT;
            lead = wants && (lead == COMPONENTS || much > most) ? c : lead;
            most = lead == c ? much : most;
        }
        if (lead == COMPONENTS)
            continue;
        marks[(ulong)lead * capacity + r] |= SPLIT;
        *count += 1;
        *suspects += DIM == 1 && (marks[(ulong)lead * capacity + r] & SUSPECT) ? 1 : 0;
    }
    *count = count_items(*count, counts);
    *suspects = count_items(*suspects, counts);
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        real part[SHARED] = {0, 0, 0, 0};
        for (uint r = first + ITEM; r < first + n && all[c].stop >= RUNNING; r += ITEMS) {
            const ulong at = (ulong)c * capacity + r;
            const bool split = split_for(marks, capacity, r) < COMPONENTS;
            part[0] += split ? 0 : values[at];
            part[1] += split ? 0 : errors[at];
            part[2] += split ? 0 : magnitudes[at];
        }
        sum_items(part, scratch);
        for (uint k = 0; k < 3; k++)
            all[c].done[k] = part[k];
    }
}

// Takes the verdicts over into the rows of an integral's components; whether one of them goes on. In one item.
bool conclude(const verdict *all, bool spent, uint round, __global real *sum, __global real *result,
              __global uint *states) {
    bool goes_on = false;
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++, sum += SUMS, result += RESULTS) {
        const bool runs = all[c].stop >= RUNNING;
        if (states[c] < RUNNING)
            continue;
        states[c] = runs && spent ? BUDGET : all[c].stop;
        goes_on = goes_on || states[c] >= RUNNING;
        for (uint k = 0; k < 3; k++)
            sum[DONE_VALUE + k] += all[c].done[k];
        result[VALUE] = all[c].value;
        result[ERROR] = runs ? fmax(all[c].error, unsettled(sum + BEFORE, all[c].value, round)) : all[c].error;
        sum[BEFORE + round % (2 * DIM)] = all[c].value;
    }
    return goes_on;
}

// Decides about every region of an integral, and about its components. A component wants a region split unless its
// error is small against what is left of the tolerance for all n that are not done:
//     error <= (tolerance - errors of those done) / (2 n),
// so that those done never take more than half of what was left. The tolerance is that of the smallest |I| that the
// error allows. Where all nodes gave 0, regions are halved until there are least_look.
__kernel void judge(uint n_sets, uint sets_a_group, uint capacity, real relative, real absolute, uint most_regions,
                    uint least_look, uint round, __global const uint *run, __global const real *values,
                    __global const real *errors, __global const real *magnitudes, __global uchar *marks,
                    __global real *sums, __global real *results, __global uint *state, __global uint *n_split,
                    __global uint *total, __local real *scratch, __local uint *counts) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    for (uint set = begin_set; set < end_set; set++) {
        const uint first = run[2 * set], n = run[2 * set + 1];
        __global uint *states = state + STATE * (ulong)set;
        const uint evaluated = states[COMPONENTS];
        verdict all[COMPONENTS];
        if (ITEM == 0)
            n_split[set] = 0;
        if (n == 0)
            continue;
#pragma unroll 1
        for (uint c = 0; c < COMPONENTS; c++) {
            const ulong at = (ulong)c * capacity;
            // One that has stopped is judged by no regions: PoCL doubles a kernel for each barrier under a condition.
            const bool runs = COMPONENTS == 1 || states[c] >= RUNNING;
            judge_component(relative, absolute, most_regions, least_look, round, first, runs ? n : 0, evaluated,
                            states[c], values + at, errors + at, magnitudes + at, marks + at,
                            sums + SUMS * ((ulong)set * COMPONENTS + c), scratch, counts, &all[c]);
            all[c].stop = runs ? all[c].stop : states[c];
        }
        uint count = all[0].count, suspects = all[0].suspects;
        if (COMPONENTS > 1)
            agree(first, n, capacity, values, errors, magnitudes, marks, all, &count, &suspects, scratch, counts);
        if (ITEM == 0) {
            const bool spent =
                (ulong)evaluated + n + 2 * (ulong)count + SEARCH_REGIONS * (ulong)suspects > most_regions;
            const bool goes_on = conclude(all, spent, round, sums + SUMS * ((ulong)set * COMPONENTS),
                                          results + RESULTS * ((ulong)set * COMPONENTS), states);
            states[COMPONENTS] = evaluated + n;
            n_split[set] = goes_on ? count : 0;
            if (goes_on && suspects > 0)
                atomic_add(&total[1 + round % 2], suspects);
        }
        SYNC(); // PoCL 3.1 has all items take that branch where it ends the loop
    }
}

// How many pairs of regions the integrals of each work-group come to, if there are several.
__kernel void tally(uint n_sets, uint sets_a_group, __global const uint *n_split, __global uint *tallies,
                    __local uint *scratch) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    uint own = 0;
    for (uint set = begin_set + ITEM; set < end_set; set += ITEMS)
        own = add_sat(own, n_split[set]);
    scratch[ITEM] = own;
    SYNC();
    if (ITEM > 0)
        return;
    for (uint k = 1; k < ITEMS; k++)
        own = add_sat(own, scratch[k]);
    tallies[get_group_id(0)] = own;
}

// Where each integral's regions will stand, and how many there will be in all; the largest number if that does not fit.
// total[1] and total[2] count suspects, of even and of odd rounds.
__kernel void place(uint n_sets, uint sets_a_group, uint round, __global const uint *n_split,
                    __global const uint *tallies, __global uint *next_run, __global uint *total,
                    __local uint *scratch) {
    const uint begin_group = get_group_id(0) * sets_a_group, end_group = min(begin_group + sets_a_group, n_sets);
    const uint each = (end_group - begin_group + ITEMS - 1) / ITEMS;
    const uint begin_set = min(begin_group + (uint)ITEM * each, end_group), end_set = min(begin_set + each, end_group);
    uint own = 0, before = 0;
    for (uint g = ITEM; g < get_group_id(0); g += ITEMS)
        own = add_sat(own, add_sat(tallies[g], tallies[g]));
    scratch[ITEM] = own;
    SYNC();
    for (uint k = 0; k < ITEMS; k++)
        before = add_sat(before, scratch[k]);
    SYNC();
    own = 0;
    for (uint set = begin_set; set < end_set; set++)
        own = add_sat(own, 2 * n_split[set]);
    scratch[ITEM] = own;
    SYNC();
    for (uint k = 0; k < ITEM; k++)
        before = add_sat(before, scratch[k]);
    if (ITEM == ITEMS - 1 && end_group == n_sets) {
        total[0] = add_sat(before, own);
        total[2 - round % 2] = 0;
    }
    for (uint set = begin_set; set < end_set; set++) {
        next_run[2 * set] = before;
        next_run[2 * set + 1] = 2 * n_split[set];
        before += 2 * n_split[set];
    }
}

// Halves every region that is marked, the halves in its place; of one that is singular at an end the part there is
// smaller, so that fewer are needed, and the other part is resolved still. A suspect is cut at the place that was found
// in it.
__kernel void split(uint n_sets, uint sets_a_group, uint capacity, uint next_capacity, __global const uint *run,
                    __global uint *next_run, __global const uchar *marks, __global const real *values,
                    __global const real *errors, __global const real *lo, __global const real *len,
                    __global const uchar *ends, __global const real *places, __global real *next_lo,
                    __global real *next_len, __global uint *next_id, __global uchar *next_ends, __global real *parents,
                    __local uint *scratch) {
    const uint begin_set = get_group_id(0) * sets_a_group, end_set = min(begin_set + sets_a_group, n_sets);
    for (uint set = begin_set; set < end_set; set++) {
        const uint first = run[2 * set], n = run[2 * set + 1];
        uint to = next_run[2 * set];
        if (next_run[2 * set + 1] == 0)
            continue;
        for (uint start = 0; start < n; start += ITEMS) {
            const uint r = first + start + ITEM, lead = start + ITEM < n ? split_for(marks, capacity, r) : COMPONENTS;
            const bool own = lead < COMPONENTS;
            const uint mark = own ? marks[(ulong)lead * capacity + r] : 0;
            const bool is_found = DIM == 1 && (mark & SUSPECT);
            SYNC();
            scratch[ITEM] = own ? 1 : 0;
            for (uint step = 1; step < ITEMS; step *= 2) { // running sums (Hillis and Steele 1986)
                SYNC();
                const uint left = ITEM >= step ? scratch[ITEM - step] : 0;
                SYNC();
                scratch[ITEM] += left;
            }
            SYNC();
            const uint all = scratch[ITEMS - 1];
            for (uint upper = 0; upper < 2 && own; upper++) {
                const ulong at = to + 2 * (ulong)(scratch[ITEM] - 1) + upper;
                const bool closer = DIM == 1 && (mark & (SERIES | STEEP)) && (ends[r] & (LOWER_CUT | UPPER_CUT));
                for (uint k = 0; k < DIM; k++) {
                    const real l = len[(ulong)k * capacity + r], from = lo[(ulong)k * capacity + r];
                    const bool cut = k == (mark & AXIS);
                    const real part = !closer ? l / 2 : ends[r] & LOWER_CUT ? l / CLOSER : l - l / CLOSER;
                    const real below = is_found ? places[r] - from : part;
                    next_lo[(ulong)k * next_capacity + at] = cut && upper ? is_found ? places[r] : from + part : from;
                    next_len[(ulong)k * next_capacity + at] = cut ? upper ? l - below : below : l;
                }
                next_id[at] = set;
                const uint kept = ends[r] & (upper ? UPPER_CUT : LOWER_CUT),
                           new_ends = FOUND | (upper ? LOWER_CUT : UPPER_CUT);
                next_ends[at] = (uchar)(is_found ? new_ends : kept > 0 ? kept | (ends[r] & FOUND) : 0);
                if (upper)
                    continue;
#pragma unroll 1
                for (uint c = 0; c < COMPONENTS; c++) {
                    const ulong from = (ulong)c * capacity + r, pair = PAIR(c, next_capacity, at / 2);
                    parents[3 * pair] = values[from];
                    parents[3 * pair + 1] = errors[from];
                    parents[3 * pair + 2] = (real)marks[from];
                }
            }
            to += 2 * all;
        }
    }
}
