#include "footprint.h"

#include "held.h"
#include "middle.h"
#include "runtime/numbers.h"
#include "stencil/kernels/sweep.h"
#include "stencil/kernels/write_observation.h"
#include "stencil/scheme/layers.h"
#include "stencil/scheme/points.h"

#include <string.h>

enum {
    TABLE_SHARE = 64, // the part of the device's budget that is the tables'; the rest is for the state
    TABLE_BYTES = 16 << 20,
    TABLE_STEPS = 4096,                 // at most
    COUNTS_BYTES = 4 << 16,             // of the counts of values that are not finite, at most
    POINT_BYTES = 32,                   // a vector of four long numbers
    MOST_LANES = MST_LAYER_TABLE_BEGIN, // of a vector, which may reach beyond the last column of a sponge
    HELD_BYTES = 16 << 20               // of an array in a backing store that an expression reads
};

int mst_plan_copies(const mst_plan *plan) {
    const bool in_place =
        plan->schedule == MST_STENCIL_SKEWED || (plan->schedule == MST_STENCIL_SKEWED_SWEEPS && !plan->ring.periodic);
    return in_place ? 1 : 2;
}

static uint64_t times(uint64_t a, uint64_t b) {
    size_t product;
    return mst_multiply(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t plus(uint64_t a, uint64_t b) {
    size_t sum;
    return mst_add(a, b, &sum) ? sum : UINT64_MAX;
}

static void set(mst_footprint *f, mst_footprint_part part, const char *what, mst_memory memory, uint64_t bytes, uint64_t count) {
    count = bytes > 0 ? count : 0;
    f->parts[part] =
        (mst_allocation){.what = what, .memory = memory, .bytes = bytes, .count = count, .total = times(bytes, count)};
}

// Arrays of the problem with one number of nodes: n of them, of which the first has element[0], so many times; a node of all has
// so many bytes.
typedef struct arrays {
    int n;
    const size_t *element;
    uint64_t node_bytes;
} arrays;

static arrays state_of(const mst_problem *p) { return (arrays){p->n_arrays, p->elements, p->state_node_bytes}; }
static arrays coefficients_of(const mst_problem *p) {
    return (arrays){p->n_coefficients, p->elements + p->n_arrays, p->coefficient_node_bytes};
}

static void set_arrays(mst_footprint *f, mst_footprint_part part, const char *what, mst_memory memory, uint64_t nodes, arrays all,
                       uint64_t copies) {
    size_t largest = 0;
    for (int k = 0; k < all.n; k++)
        largest = mst_larger(largest, all.element[k]);
    set(f, part, what, memory, times(nodes, largest), times(copies, (uint64_t)all.n));
    f->parts[part].nodes = nodes;
    f->parts[part].total = times(times(nodes, all.node_bytes), copies);
}

static uint64_t bytes_of(const mst_allocation *part) { return part->total; }

static uint64_t damping_bytes(const mst_problem *p) {
    uint64_t n = plus(MOST_LANES, times(p->n_varying, mst_problem_runs(p)));
    bool any = p->n_varying > 0;
    for (int axis = 0; axis < N_AXES; axis++) {
        any = any || mst_problem_is_damped(p, axis);
        n += p->grid[axis];
    }
    for (int k = 0; k < mst_layers_count(p); k++)
        n += p->grid[p->layers[k / MST_LAYER_COEFFICIENTS].axis] + 2 * MST_LAYER_TABLE_MARGIN;
    return any || p->n_layers > 0 ? times(n, p->element) : 0;
}

// The table of steps has a row for the step before and one for the step after.
static void set_rows(const mst_problem *p, uint64_t rows, mst_footprint *f) {
    uint64_t steps = times(times(rows + 2, 1 + p->n_feeds), p->element);
    uint64_t records = times(times(rows, p->n_records), p->element);
    f->rows = rows;
    set(f, MST_FOOTPRINT_STEPS, "the table of steps", MST_MEMORY_DEVICE, steps, 1);
    set(f, MST_FOOTPRINT_RECORDS, "the receivers", MST_MEMORY_DEVICE, records, 1);
    set(f, MST_FOOTPRINT_ROWS, "sources and receivers", MST_MEMORY_ORDINARY, mst_larger(steps, records), 1);
}

// Bytes that do not depend on depth and block; and, below, what is left of the device's budget without them.
static uint64_t fixed_bytes(const mst_footprint *f) {
    uint64_t bytes = plus(bytes_of(&f->parts[MST_FOOTPRINT_POINTS]), bytes_of(&f->parts[MST_FOOTPRINT_DAMPING]));
    for (int part = MST_FOOTPRINT_PARTIALS; part <= MST_FOOTPRINT_PACKED; part++)
        bytes = plus(bytes, bytes_of(&f->parts[part]));
    return bytes;
}

static uint64_t left_of(const mst_plan_inputs *in, const mst_footprint *f) {
    uint64_t fixed = fixed_bytes(f);
    return in->device.left > fixed ? in->device.left - fixed : 0;
}

// The tables hold as many steps as a part of the budget has room for, a multiple of a trip's if possible; those of one trip if
// the state leaves no more room, or the device gives no piece as large.
static void add_tables(const mst_plan_inputs *in, uint64_t depth, mst_footprint *f) {
    const mst_problem *p = in->problem;
    uint64_t row = times(2 + p->n_feeds + p->n_records, p->element), state = mst_footprint_state_bytes(f);
    set(f, MST_FOOTPRINT_POINTS, "the points of sources and receivers", MST_MEMORY_DEVICE,
        times(mst_points_count(p) + 1, POINT_BYTES), 1);
    set(f, MST_FOOTPRINT_DAMPING, "factors of sponges and layers, numbers of runs", MST_MEMORY_DEVICE, damping_bytes(p), 1);
    f->rows = UINT64_MAX;
    if (!mst_problem_needs_rows(p))
        return;
    uint64_t left = left_of(in, f), room = mst_smaller(left / TABLE_SHARE, (uint64_t)TABLE_BYTES);
    uint64_t rows = mst_smaller(room / row, (uint64_t)TABLE_STEPS);
    set_rows(p, rows < depth ? depth : rows / depth * depth, f);
    uint64_t steps = bytes_of(&f->parts[MST_FOOTPRINT_STEPS]), records = bytes_of(&f->parts[MST_FOOTPRINT_RECORDS]);
    if (plus(state, plus(steps, records)) > left || mst_larger(steps, records) > in->limits.max_allocation_bytes)
        set_rows(p, depth, f);
}

// Of values that are not finite.
static void set_counts(const mst_problem *p, const char *what, mst_footprint *f) {
    set(f, MST_FOOTPRINT_RESULT, what, MST_MEMORY_DEVICE, mst_smaller(times(p->nodes, 4), (uint64_t)COUNTS_BYTES), 1);
}

static void add_in_core(const mst_problem *p, mst_footprint *f) {
    const char *what = "the state of an in-core run";
    set_arrays(f, MST_FOOTPRINT_STATE, what, MST_MEMORY_DEVICE, p->nodes, state_of(p), 2);
    set_arrays(f, MST_FOOTPRINT_COEFFICIENTS, what, MST_MEMORY_DEVICE, p->nodes, coefficients_of(p), 1);
    if (mst_problem_is_half(p, 0)) // else an array that the next step goes to holds the counts
        set_counts(p, what, f);
}

// Of the middle two windows of the state and one of the coefficient fields.
static void add_middle(const mst_problem *p, const mst_middle *m, mst_footprint *f) {
    mst_allocation *windows = &f->parts[MST_FOOTPRINT_LEVELS];
    const uint64_t nodes = mst_middle_window_nodes(m);
    const arrays state = {p->n_arrays - p->n_memories, p->elements, mst_ring_node_bytes(p)}, held = coefficients_of(p);
    set_arrays(f, MST_FOOTPRINT_LEVELS, "the middle of an in-core run", MST_MEMORY_DEVICE, nodes, state, 2);
    windows->count += (uint64_t)held.n;
    windows->total = plus(windows->total, times(nodes, held.node_bytes));
    for (int k = 0; k < held.n; k++)
        windows->bytes = mst_larger(windows->bytes, times(nodes, held.element[k]));
}

static void add_sweeps(const mst_sweeps *s, mst_footprint *f) {
    const char *what = "the state of an in-core run";
    const mst_problem *p = s->problem;
    mst_allocation *state = &f->parts[MST_FOOTPRINT_STATE];
    set_arrays(f, MST_FOOTPRINT_COEFFICIENTS, what, MST_MEMORY_DEVICE, s->padded.elements, coefficients_of(p), 1);
    set(f, MST_FOOTPRINT_STATE, what, MST_MEMORY_DEVICE, 1, (uint64_t)(p->n_arrays + s->n_spares));
    for (int a = 0; a < p->n_arrays; a++)
        state->bytes = mst_larger(state->bytes, mst_sweeps_bytes(s, a));
    const uint64_t all = mst_sweeps_all_bytes(s), coefficients = bytes_of(&f->parts[MST_FOOTPRINT_COEFFICIENTS]);
    state->nodes = s->padded.elements;
    state->total = all == UINT64_MAX ? UINT64_MAX : all - coefficients;
    set_counts(p, what, f);
}

// Staging for so many blocks at once, each of all arrays in one piece.
static void add_staging(const mst_plan *plan, mst_footprint_part part, uint64_t nodes, uint64_t node_bytes, uint64_t slots,
                        mst_footprint *f) {
    if (!plan->is_direct)
        set(f, part, "staging", MST_MEMORY_STAGING, times(nodes, node_bytes), slots);
}

// Of skewed sweeps, whose state is otherwise in a ring.
static void add_memories(const mst_sweeps *s, mst_footprint *f) {
    const mst_problem *p = s->problem;
    uint64_t most = 0, all = 0, n = (uint64_t)p->n_memories;
    for (int a = p->n_arrays - p->n_memories; a < p->n_arrays; a++) {
        most = mst_larger(most, mst_sweeps_bytes(s, a));
        all = plus(all, mst_sweeps_bytes(s, a));
    }
    for (int k = 0; k < s->n_spares; k++)
        if (s->spare_kinds[k] >= MST_SWEEPS_LAYERS) {
            all = plus(all, mst_sweeps_spare_bytes(s, k));
            n++;
        }
    set(f, MST_FOOTPRINT_LEVELS, "the memory variables of layers", MST_MEMORY_DEVICE, most, n);
    f->parts[MST_FOOTPRINT_LEVELS].total = all;
}

static void add_ring(const mst_sweeps *s, const mst_plan *plan, mst_footprint *f) {
    const char *what = "the ring of planes of a schedule";
    const mst_problem *p = s->problem;
    const uint64_t nodes = mst_sweeps_elements(s, (uint64_t)plan->ring.planes);
    size_t elements[MST_STENCIL_MAX_ARRAYS + MST_STENCIL_MAX_FIELDS];
    const int n = p->n_arrays - p->n_memories;
    arrays all = {n, elements, mst_ring_node_bytes(p)};
    memcpy(elements, p->elements, (size_t)n * sizeof *elements);
    for (int k = 0; k < s->n_spares && s->spare_kinds[k] < MST_SWEEPS_LAYERS; k++)
        all.node_bytes += elements[all.n++] = mst_sweeps_spare_element(s, k);
    add_memories(s, f);
    set_arrays(f, MST_FOOTPRINT_STATE, what, MST_MEMORY_DEVICE, nodes, all, 1);
    set_arrays(f, MST_FOOTPRINT_COEFFICIENTS, what, MST_MEMORY_DEVICE, nodes, coefficients_of(p), 1);
    const uint64_t slab = times(plan->block, s->problem->plane);
    add_staging(plan, MST_FOOTPRINT_STAGING_UP, slab, mst_ring_node_bytes(p), MST_RING_SLOTS, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_COEFFICIENTS, slab, p->coefficient_node_bytes, MST_RING_SLOTS, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_DOWN, slab, mst_ring_node_bytes(p), MST_RING_SLOTS, f);
}

static void add_slabs(const mst_problem *p, const mst_plan *plan, mst_footprint *f) {
    const char *what = "the slabs of a schedule";
    const mst_slabs *s = &plan->slabs;
    const arrays state = state_of(p), held = coefficients_of(p);
    const uint64_t slots = mst_slabs_slots(s), slab = times(plan->block, p->plane);
    const uint64_t coefficients = times(plan->block + (uint64_t)s->ahead, p->plane);
    set_arrays(f, MST_FOOTPRINT_STATE, what, MST_MEMORY_DEVICE, times(mst_slabs_ring_planes(s, 0), p->plane), state, 1);
    set_arrays(f, MST_FOOTPRINT_LEVELS, what, MST_MEMORY_DEVICE, times(mst_slabs_ring_planes(s, 1), p->plane), state, 1);
    set_arrays(f, MST_FOOTPRINT_RESULT, what, MST_MEMORY_DEVICE, times(mst_slabs_down_planes(s), p->plane), state, 1);
    set_arrays(f, MST_FOOTPRINT_COEFFICIENTS, "the coefficient fields", MST_MEMORY_DEVICE,
               times(mst_slabs_coefficient_planes(s), p->plane), held, 1);
    add_staging(plan, MST_FOOTPRINT_STAGING_UP, slab, state.node_bytes, slots, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_COEFFICIENTS, coefficients, held.node_bytes, slots, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_DOWN, slab, state.node_bytes, slots, f);
}

static void add_blocks(const mst_problem *p, const mst_plan *plan, mst_footprint *f) {
    const char *what = "the blocks of a schedule";
    const arrays state = state_of(p), held = coefficients_of(p);
    const uint64_t big = mst_blocks_most_nodes(&plan->blocks, plan->depth, plan->fuse, false);
    const uint64_t own = mst_blocks_most_nodes(&plan->blocks, 0, plan->fuse, false);
    const uint64_t coefficients = mst_blocks_most_nodes(&plan->blocks, plan->depth, plan->fuse, true);
    set_arrays(f, MST_FOOTPRINT_STATE, what, MST_MEMORY_DEVICE, big, state, MST_BLOCKS_WINDOWS + 1);
    set_arrays(f, MST_FOOTPRINT_RESULT, what, MST_MEMORY_DEVICE, own, state, MST_BLOCKS_WINDOWS);
    set_arrays(f, MST_FOOTPRINT_COEFFICIENTS, what, MST_MEMORY_DEVICE, coefficients, held, MST_BLOCKS_WINDOWS);
    add_staging(plan, MST_FOOTPRINT_STAGING_UP, big, state.node_bytes, MST_BLOCKS_SLOTS, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_COEFFICIENTS, coefficients, held.node_bytes, MST_BLOCKS_SLOTS, f);
    add_staging(plan, MST_FOOTPRINT_STAGING_DOWN, own, state.node_bytes, MST_BLOCKS_SLOTS, f);
}

static void add_store(const mst_problem *p, const mst_plan *plan, mst_footprint *f) {
    mst_memory memory = plan->store == MST_STENCIL_STORE_PINNED ? MST_MEMORY_PINNED
                        : plan->store == MST_STENCIL_STORE_FILE ? MST_MEMORY_FILE
                                                                : MST_MEMORY_ORDINARY;
    const uint64_t copies = (uint64_t)mst_plan_copies(plan);
    const uint64_t all = plus(times(copies, mst_layers_state_bytes(p)), times(p->nodes, p->coefficient_node_bytes));
    uint64_t most = 0;
    for (int a = 0; a < p->n_arrays + p->n_coefficients; a++)
        most = mst_larger(most, times(mst_layers_array_nodes(p, a), p->elements[a]));
    set(f, MST_FOOTPRINT_STORE, "the backing store", memory, most, copies * (uint64_t)p->n_arrays + (uint64_t)p->n_coefficients);
    f->parts[MST_FOOTPRINT_STORE].total = all;
}

static uint64_t most_reads(const mst_observations *all) {
    uint64_t most = 1;
    for (size_t k = 0; k < all->n_monitors; k++)
        most = mst_larger(most, all->monitors[k].what.n_reads);
    for (size_t k = 0; k < all->n_spectra; k++)
        most = mst_larger(most, all->spectra[k].what.n_reads);
    return most;
}

// Of each array a share of the budget, but at least what the expressions need.
static uint64_t held_bytes(const mst_plan_inputs *in, uint64_t reads) {
    const mst_problem *p = in->problem;
    const mst_observations *all = p->observations;
    const uint64_t share = mst_smaller(in->device.left / TABLE_SHARE / reads, (uint64_t)HELD_BYTES);
    uint64_t bytes = mst_smaller(share, times(p->nodes, p->element));
    for (size_t k = 0; k < all->n_monitors; k++)
        bytes = mst_larger(bytes, mst_held_least(p, &all->monitors[k].what));
    for (size_t k = 0; k < all->n_spectra; k++)
        bytes = mst_larger(bytes, mst_held_least(p, &all->spectra[k].what));
    return bytes;
}

// Of a launch for a monitor: that of a state in a backing store is for one run.
static uint64_t groups_of(const mst_problem *p, const mst_plan *plan, const mst_region *region) {
    const uint64_t runs = mst_plan_in_core(plan->schedule) ? mst_larger(p->n_runs, (size_t)1) : 1;
    return mst_observation_groups(region) * mst_observation_runs(region, runs);
}

static void add_observations(const mst_plan_inputs *in, const mst_plan *plan, mst_footprint *f) {
    const mst_observations *all = in->problem->observations;
    const uint64_t complex_bytes = 2 * in->problem->element, reads = most_reads(all);
    uint64_t groups = 0, frequencies = 0;
    for (size_t k = 0; k < all->n_monitors; k++)
        groups = mst_larger(groups, groups_of(in->problem, plan, &all->monitors[k].what.region));
    for (size_t k = 0; k < all->n_spectra; k++)
        frequencies = mst_larger(frequencies, all->spectra[k].n_frequencies);
    set(f, MST_FOOTPRINT_PARTIALS, "the sums of monitors", MST_MEMORY_DEVICE, groups * MST_OBSERVATION_LANES * 2 * sizeof(double),
        1);
    set(f, MST_FOOTPRINT_SUMS, "the sums of spectra", MST_MEMORY_DEVICE, times(all->n_sums, complex_bytes), 1);
    set(f, MST_FOOTPRINT_PHASES, "the phases of spectra", MST_MEMORY_DEVICE, frequencies * complex_bytes, 1);
    set(f, MST_FOOTPRINT_NUMBERS, "the numbers of runs", MST_MEMORY_DEVICE,
        times(all->n_varying * in->problem->element, in->problem->n_runs), 1);
    if (groups + frequencies > 0 && !mst_plan_in_core(plan->schedule))
        set(f, MST_FOOTPRINT_HELD, "what monitors and spectra read", MST_MEMORY_DEVICE, held_bytes(in, reads), reads);
}

void mst_footprint_observe(const mst_plan_inputs *in, mst_plan *plan) { add_observations(in, plan, &plan->footprint); }

void mst_footprint_make(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan *plan) {
    const mst_problem *p = in->problem;
    mst_footprint *f = &plan->footprint;
    *f = (mst_footprint){.rows = 0};
    plan->fuse = mst_plan_sweeps(plan->schedule) ? 1 : pair->m;
    plan->middle.m = 0;
    plan->is_direct =
        plan->store == MST_STENCIL_STORE_PINNED || (plan->store == MST_STENCIL_STORE_MEMORY && in->limits.unified_memory);
    if (plan->schedule == MST_STENCIL_IN_CORE) {
        add_in_core(p, f);
    } else if (plan->schedule == MST_STENCIL_SWEEPS) {
        add_sweeps(&pair->sweeps, f);
        plan->middle = in->middle;
        if (plan->middle.m > 0) {
            plan->fuse = plan->middle.m;
            add_middle(p, &plan->middle, f);
        }
    } else if (plan->schedule == MST_STENCIL_SKEWED_SWEEPS) {
        plan->ring = mst_ring_make(&pair->sweeps, plan->depth, plan->block);
        add_ring(&pair->sweeps, plan, f);
        add_store(p, plan, f);
    } else if (plan->schedule == MST_STENCIL_SKEWED) {
        plan->slabs = mst_slabs_make(pair, plan->depth, plan->block, plan->queues);
        add_slabs(p, plan, f);
        add_store(p, plan, f);
    } else {
        plan->blocks = mst_blocks_make(pair, plan->schedule, plan->block);
        add_blocks(p, plan, f);
        add_store(p, plan, f);
    }
    if (mst_plan_in_core(plan->schedule))
        set(f, MST_FOOTPRINT_PACKED, "packed halos", MST_MEMORY_DEVICE, in->packed_bytes, 1);
    add_observations(in, plan, f);
    add_tables(in, plan->depth, f);
}

uint64_t mst_footprint_bytes(const mst_footprint *f, mst_memory memory) {
    uint64_t bytes = 0;
    for (int part = 0; part < MST_FOOTPRINT_PARTS; part++)
        if (f->parts[part].memory == memory)
            bytes = plus(bytes, bytes_of(&f->parts[part]));
    return bytes;
}

uint64_t mst_footprint_state_bytes(const mst_footprint *f) {
    uint64_t bytes = 0;
    for (int part = MST_FOOTPRINT_STATE; part <= MST_FOOTPRINT_COEFFICIENTS; part++)
        bytes = plus(bytes, bytes_of(&f->parts[part]));
    return bytes;
}

uint64_t mst_footprint_largest(const mst_footprint *f) {
    uint64_t largest = 0;
    for (int part = 0; part < MST_FOOTPRINT_PARTS; part++)
        if (f->parts[part].memory <= MST_MEMORY_PINNED && f->parts[part].count > 0)
            largest = mst_larger(largest, f->parts[part].bytes);
    return largest;
}

bool mst_footprint_fits(const mst_plan_inputs *in, const mst_footprint *f) {
    return mst_footprint_bytes(f, MST_MEMORY_DEVICE) <= in->device.left &&
           mst_footprint_state_bytes(f) <= left_of(in, f) / TABLE_SHARE * (TABLE_SHARE - 1) &&
           mst_footprint_bytes(f, MST_MEMORY_STAGING) <= in->host.left &&
           mst_footprint_largest(f) <= in->limits.max_allocation_bytes;
}

uint64_t mst_footprint_least_device(const mst_footprint *f) {
    uint64_t state = mst_divide_up(mst_footprint_state_bytes(f), (uint64_t)(TABLE_SHARE - 1));
    return mst_larger(mst_footprint_bytes(f, MST_MEMORY_DEVICE), plus(fixed_bytes(f), times(state, TABLE_SHARE)));
}
