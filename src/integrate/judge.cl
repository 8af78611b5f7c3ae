// Which regions are split and where their halves go, and whether an integral is done.

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

// What the integral will hardly be less than, so that regions need not be split whose errors are small beside it: the
// least value of the last DIM rounds, if none of them was more than a little larger than the present one, or had
// another sign.
real likely_size(__global const real *before, real value, uint round) {
    real least = fabs(value);
    for (uint k = 1; k <= DIM; k++) {
        const real one = round >= DIM ? before[(round - k) % (2 * DIM)] : 0;
        least = one * value > 0 && fabs(one) <= fabs(value) * (1 + STEADY) ? fmin(least, fabs(one)) : 0;
    }
    return least;
}

// Sums over the work-items of a group, in a tree; in every item. scratch holds SHARED numbers an item. The loop is
// entered in any case: PoCL has what follows a barrier twice if that is under a condition, and a loop that may be left
// out is one.
#define SHARED 4
void sum_items(real *v, __local real *scratch) {
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
    const real likely = DIM > 1 ? STEADY * relative * likely_size(sum + BEFORE, value, round) : 0;
    v->share = fmax(fmax(tolerance, likely) - sum[DONE_ERROR], (real)0) / (2 * (real)n);
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

// Whether more rounds are of no use, after so many evaluations.
bool is_hopeless(const verdict *v, ulong evaluations, uint round, __global real *sum) {
    const bool falls = v->error < FALLS * sum[LEAST_ERROR];
    sum[LEAST_ERROR] = falls ? v->error : sum[LEAST_ERROR];
    sum[LEAST_ROUND] = falls ? (real)round : sum[LEAST_ROUND];
    if (DIM == 1 || round < DIM || evaluations < PATIENT || fabs(v->value) > v->error)
        return false;
    const real change = fabs(v->value - sum[BEFORE + (round - DIM) % (2 * DIM)]);
    return (real)round >= sum[LEAST_ROUND] + (change <= STEADY * fabs(v->value) ? HOPELESS_STEADY : HOPELESS);
}

// Takes the verdicts over into the rows of an integral's components; whether one of them goes on. In one item.
bool conclude(const verdict *all, bool spent, ulong evaluations, uint round, __global real *sum, __global real *result,
              __global uint *states) {
    bool goes_on = false;
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++, sum += SUMS, result += RESULTS) {
        const bool runs = all[c].stop >= RUNNING;
        if (states[c] < RUNNING)
            continue;
        const bool hopeless = is_hopeless(&all[c], evaluations, round, sum);
        states[c] = !runs ? all[c].stop : spent ? BUDGET : hopeless ? ROUND_OFF : all[c].stop;
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
            const bool goes_on =
                conclude(all, spent, N_POINTS * ((ulong)evaluated + n), round, sums + SUMS * ((ulong)set * COMPONENTS),
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

// The length from one end of a region to a place in it, or the next smaller number: what ends there is not to reach
// beyond it, where the integrand may be another one. Next to 0 a length is known less well than the place.
real length_to(real from, real place) {
    const real length = place - from, end = from + length;
    return (length > 0 ? end > place : end < place) ? length - EPSILON * length : length;
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
                    const bool last = is_found && places[r] == from + l;
                    const real below = last       ? l
                                       : is_found ? length_to(from, places[r])
                                                  : part; // 0 or l: found at an end
                    // Next to 0, where numbers lie close, an end tells more than a length from far away does.
                    const bool near = is_found && fabs(from + l) < fabs(below);
                    const real above = near ? from + l - places[r] : l - below;
                    next_lo[(ulong)k * next_capacity + at] = cut && upper ? is_found ? places[r] : from + part : from;
                    next_len[(ulong)k * next_capacity + at] = cut ? upper ? above : below : l;
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
