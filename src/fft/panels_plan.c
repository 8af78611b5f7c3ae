// All passes of a transform by panels, in numbers.
#include "panels.h"

#include "axis.h"
#include "even.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RUN 64                        // bytes side by side that are worth reading
#define ANY_FACTOR ((size_t)1 << 21)        // up to here transforms on the device take every length,
#define LONGEST_ON_DEVICE ((size_t)1 << 30) // and up to here those without large prime factors
#define LEAST_PANEL ((uint64_t)64)          // bytes, where the search for smaller ones ends
#define WIDER 6                             // doublings of the least panel that may take less in all
#define WHOLE_RING 3                        // slots with which uploading, computing and downloading go on at once

// The axes in the order of passes, and which of them go together; the first may be a long one, which takes two.
typedef struct panels_way {
    int n_groups;
    unsigned groups[MST_MAX_AXES]; // bits of the caller's axes
    bool split;
    size_t n1, n2;
} panels_way;

static bool is_real(mst_type type) { return !mst_type_is_complex(type); }

static bool has_transform(size_t n) { return n <= ANY_FACTOR || (n <= LONGEST_ON_DEVICE && mst_axis_is_smooth(n)); }

// n = n1 n2 as close to each other as can be, n1 >= n2. False if n has no two such factors.
static bool split_length(size_t n, size_t *n1, size_t *n2) {
    size_t d = (size_t)sqrt((double)n);
    for (; d > 1 && n / d <= LONGEST_ON_DEVICE; d--)
        if (n % d == 0 && has_transform(n / d) && has_transform(d)) {
            *n1 = n / d;
            *n2 = d;
            return true;
        }
    return false;
}

// ---- All passes.

// The caller's axes as a pass from one array to another has them. Axes of one index, which cost nothing, are left out.
static void begin_pass(const mst_fft_panels_problem *problem, mst_fft_panels_plan *plan, unsigned group) {
    const mst_fft_desc *d = problem->desc;
    mst_fft_panel_pass *p = &plan->passes[plan->n_passes];
    const mst_layout *layouts[MST_SIDES] = {plan->n_passes == 0 ? &d->input : &d->output, &d->output};
    *p =
        (mst_fft_panel_pass){.array = {plan->n_passes == 0 ? MST_FFT_PANELS_INPUT : MST_FFT_PANELS_OUTPUT, MST_FFT_PANELS_OUTPUT},
                             .real = -1,
                             .cut = -1,
                             .scale = 1};
    for (int side = 0; side < MST_SIDES; side++)
        p->type[side] = layouts[side]->type;
    for (int k = 0; k < d->input.rank; k++) {
        if (!(group & 1u << k) && d->input.shape[k] == 1)
            continue;
        mst_fft_panel_axis *axis = &p->axes[p->n_axes];
        axis->axis = k;
        for (int side = 0; side < MST_SIDES; side++) {
            axis->n[side] = layouts[side]->shape[k];
            axis->stride[side] = layouts[side]->strides[k];
        }
        if (group & 1u << k)
            p->transformed |= 1u << p->n_axes;
        p->n_axes++;
    }
    plan->n_passes++;
}

static int find_axis(const mst_fft_panel_pass *p, unsigned group) {
    for (int a = 0; a < p->n_axes; a++)
        if (group & 1u << p->axes[a].axis)
            return a;
    return -1;
}

// Makes complex numbers of pairs of real ones that lie side by side along an axis.
static void pair_reals(mst_fft_panel_pass *p, int side, int axis) {
    if (!is_real(p->type[side]))
        return;
    p->type[side] = p->type[side] == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128;
    for (int a = 0; a < p->n_axes; a++)
        if (a != axis)
            p->axes[a].stride[side] /= 2;
}

// Whether a side's arrays are such pairs, or complex already.
static bool has_pairs(const mst_layout *layout, int axis) {
    bool even = layout->strides[axis] == 1;
    for (int k = 0; k < layout->rank; k++)
        even = even && (k == axis || layout->shape[k] == 1 || layout->strides[k] % 2 == 0);
    return even || !is_real(layout->type);
}

// The two passes of a long axis: j1 and k1 stay where the axis was, j2 and k2 stand behind all others.
static void add_split(const mst_fft_panels_problem *problem, const panels_way *w, mst_fft_panels_plan *plan) {
    size_t n = w->n1 * w->n2;
    for (int number = 0; number < 2; number++) {
        begin_pass(problem, plan, w->groups[0]);
        mst_fft_panel_pass *p = &plan->passes[plan->n_passes - 1];
        int high = find_axis(p, w->groups[0]), low = p->n_axes++;
        for (int side = 0; side < MST_SIDES; side++)
            pair_reals(p, side, high);
        int64_t from = p->axes[high].stride[MST_FROM], to = p->axes[high].stride[MST_TO], n1 = (int64_t)w->n1,
                n2 = (int64_t)w->n2;
        p->axes[high].n[MST_FROM] = p->axes[high].n[MST_TO] = w->n1;
        p->axes[high].stride[MST_FROM] = number == 0 ? from * n2 : from;
        p->axes[low] = (mst_fft_panel_axis){p->axes[high].axis, {w->n2, w->n2}, {number == 0 ? from : from * n1, to * n1}};
        p->transformed = 1u << (number == 0 ? high : low);
        if (number == 0) {
            p->twiddle_n = n;
            p->row = high;
            p->column = low;
        }
        bool real_in = is_real(problem->desc->input.type), real_out = is_real(problem->desc->output.type);
        if (number == 0 ? real_out : real_in) {
            p->mirror = real_in ? MST_FFT_MIRROR_COMBINE : MST_FFT_MIRROR_SPLIT;
            p->cut = number == 0 ? low : high;
            p->n_columns = number == 0 ? w->n2 : w->n1;
        }
    }
}

static int real_axis(const mst_fft_desc *d) {
    return d->kind != MST_FFT_FOURIER ? -1
           : is_real(d->input.type)   ? d->axes[0]
           : is_real(d->output.type)  ? d->axes[d->n_axes - 1]
                                      : -1;
}

// Of real results by two passes, the pass of the other axes or of the real one.
static void fold_spectrum(mst_fft_panel_pass *p, int real) {
    const bool apart = p->real >= 0;
    const int side = apart ? MST_FROM : MST_TO;
    p->fold = apart ? MST_FFT_FOLD_APART : MST_FFT_FOLD_TOGETHER;
    p->folded = find_axis(p, 1u << real);
    pair_reals(p, side, p->folded);
    p->axes[p->folded].n[MST_FROM] = p->axes[p->folded].n[side] = p->axes[p->folded].n[MST_TO] / 2;
}

static void build(const mst_fft_panels_problem *problem, const panels_way *w, mst_fft_panels_plan *plan) {
    const mst_fft_desc *d = problem->desc;
    *plan = (mst_fft_panels_plan){0};
    if (w->split)
        add_split(problem, w, plan);
    for (int g = w->split; g < w->n_groups; g++) {
        begin_pass(problem, plan, w->groups[g]);
        mst_fft_panel_pass *p = &plan->passes[plan->n_passes - 1];
        int real = real_axis(d);
        if (real >= 0 && w->groups[g] & 1u << real)
            p->real = find_axis(p, 1u << real);
        if (real >= 0 && is_real(d->output.type) && w->n_groups > 1)
            fold_spectrum(p, real);
    }
    plan->passes[plan->n_passes - 1].scale = d->scale;
}

// Panels of up to so many bytes for all passes; false if there are none with rows of at least so many bytes.
static bool choose_panels(mst_fft_panels_plan *plan, uint64_t capacity, uint64_t run) {
    memset(plan->panel_bytes, 0, sizeof plan->panel_bytes);
    for (int k = 0; k < plan->n_passes; k++) {
        mst_fft_panel_pass *p = &plan->passes[k];
        if (!mst_fft_panel_choose(p, capacity) || mst_fft_panel_shortest_run(p) < run)
            return false;
        for (int side = 0; side < MST_SIDES; side++)
            plan->panel_bytes[side] = mst_larger(plan->panel_bytes[side], p->bytes[side]);
    }
    return true;
}

// The least capacity that panels of one index of everything else have.
static uint64_t least_capacity(mst_fft_panels_plan *plan) {
    uint64_t capacity = 1, most = UINT64_MAX / 2;
    while (capacity < most) {
        uint64_t middle = capacity + (most - capacity) / 2;
        if (choose_panels(plan, middle, 0))
            most = middle;
        else
            capacity = middle + 1;
    }
    return capacity;
}

// Adds up what panels that are chosen take with so many slots. *fits: the budgets.
static mst_status count_memory(const mst_fft_panels_problem *problem, mst_fft_panels_plan *plan, int slots, bool *fits,
                               mst_error *error) {
    mst_status status = MST_OK;
    uint64_t staged = (uint64_t)slots * (plan->panel_bytes[MST_FROM] + plan->panel_bytes[MST_TO]), most_work = 0, tables = 0;
    plan->slots = slots;
    plan->host_bytes = staged;
    plan->device_bytes = staged;
    *fits = false;
    bool whole = mst_larger(plan->panel_bytes[MST_FROM], plan->panel_bytes[MST_TO]) <= problem->largest;
    if (slots > 1 && (staged > problem->device || staged > problem->host || !whole))
        return MST_OK;
    for (int k = 0; k < plan->n_passes; k++) {
        const mst_fft_panel_pass *p = &plan->passes[k];
        uint64_t work, own;
        MST_TRY(problem->cost(problem->user, p, &work, &own, error));
        most_work = mst_larger(most_work, work);
        tables += own;
        size_t roots = p->twiddle_n ? mst_fft_panel_twiddle_count(p->twiddle_n) : 0;
        if (p->mirror)
            roots += mst_fft_panel_twiddle_count(mst_fft_panel_mirrored(p));
        tables += roots * (mst_type_is_double(p->type[MST_TO]) ? 16 : 8);
    }
    plan->device_bytes = staged + most_work + tables;
    *fits = whole && plan->device_bytes <= problem->device && plan->host_bytes <= problem->host;
fail:
    return status;
}

// The largest panels that one way allows with so many slots.
static mst_status try_way(const mst_fft_panels_problem *problem, const panels_way *w, int slots, uint64_t run,
                          mst_fft_panels_plan *plan, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    *fits = false;
    build(problem, w, plan);
    uint64_t capacity = mst_smaller(problem->wanted, problem->largest);
    while (capacity < problem->most && choose_panels(plan, capacity, 0) && !choose_panels(plan, capacity, problem->row))
        capacity *= 2; // wider ones read and write in longer rows
    for (; capacity >= LEAST_PANEL && choose_panels(plan, capacity, run); capacity /= 2) {
        MST_TRY(count_memory(problem, plan, slots, fits, error));
        if (*fits)
            break;
    }
fail:
    return status;
}

// ---- All ways.

typedef struct ways {
    int n;
    panels_way list[16];
} ways;

static void add_way(ways *all, const panels_way *w, const int *axes, int n_axes, unsigned cuts) {
    panels_way *out = &all->list[all->n++];
    *out = *w;
    for (int a = 0; a < n_axes; a++) {
        if (a == 0 || cuts & 1u << (a - 1))
            out->groups[out->n_groups++] = 0;
        out->groups[out->n_groups - 1] |= 1u << axes[a];
    }
}

// The axes as passes take them: inner ones first, a real one first on the way in and last on the way out.
static void order_of_passes(const mst_fft_desc *d, int *axes) {
    int first = d->kind == MST_FFT_FOURIER && is_real(d->input.type),
        last = d->kind == MST_FFT_FOURIER && is_real(d->output.type);
    memcpy(axes, d->axes, (size_t)d->n_axes * sizeof *axes);
    for (int a = first; a < d->n_axes - last; a++)
        for (int b = a; b > first && axes[b] > axes[b - 1]; b--) {
            int other = axes[b];
            axes[b] = axes[b - 1];
            axes[b - 1] = other;
        }
}

// Whether the device has transforms of the whole of all these axes. Real ones of even lengths go as half as many complex numbers.
static bool have_transforms(const mst_fft_desc *d, const int *axes, int n) {
    for (int a = 0; a < n; a++) {
        size_t length = mst_larger(d->input.shape[axes[a]], d->output.shape[axes[a]]);
        if (d->kind != MST_FFT_FOURIER)
            length = mst_even_length(d->kind, length);
        bool pairs = d->input.shape[axes[a]] != d->output.shape[axes[a]] && length % 2 == 0;
        if (length > LONGEST_ON_DEVICE || !has_transform(pairs ? length / 2 : length))
            return false;
    }
    return true;
}

// Whether the passes that these cuts make are ways to real results: one, or two of which the second one takes the real axis
// alone.
static bool can_fold(const mst_fft_desc *d, unsigned cuts) {
    const int real = d->axes[d->n_axes - 1];
    return cuts == 0 || (cuts == 1u << (d->n_axes - 2) && d->output.shape[real] % 2 == 0 && has_pairs(&d->output, real));
}

// Ways of so many passes: neighbours in the order of passes go together, or the first axis takes two.
static void list_ways(const mst_fft_desc *d, int n_passes, ways *all) {
    int axes[MST_MAX_AXES];
    bool fourier = d->kind == MST_FFT_FOURIER, real = is_real(d->input.type) || is_real(d->output.type);
    order_of_passes(d, axes);
    all->n = 0;
    for (unsigned cuts = 0; have_transforms(d, axes, d->n_axes) && cuts < 1u << (d->n_axes - 1); cuts++)
        if (__builtin_popcount(cuts) + 1 == n_passes && (!fourier || !is_real(d->output.type) || can_fold(d, cuts)))
            add_way(all, &(panels_way){0}, axes, d->n_axes, cuts);
    // The array of results is no store for two passes of an axis before it has been written, nor after the real axis.
    const int n_long = !fourier || (is_real(d->output.type) && d->n_axes > 1) ? 0 : real ? 1 : d->n_axes;
    for (int a = 0; a < n_long; a++) {
        panels_way w = {.n_groups = 1, .groups = {1u << axes[a]}, .split = true};
        int others[MST_MAX_AXES], n = 0;
        for (int b = 0; b < d->n_axes; b++)
            if (b != a)
                others[n++] = axes[b];
        size_t length = is_real(d->output.type) ? d->output.shape[axes[a]] : d->input.shape[axes[a]];
        if (real && (length % 2 || !has_pairs(&d->input, axes[a]) || !has_pairs(&d->output, axes[a])))
            continue;
        if (!have_transforms(d, others, n) || !split_length(real ? length / 2 : length, &w.n1, &w.n2))
            continue;
        for (unsigned cuts = 0; cuts < 1u << (n > 0 ? n - 1 : 0); cuts++)
            if (__builtin_popcount(cuts) + 2 + (n > 0) == n_passes)
                add_way(all, &w, others, n, cuts);
    }
}

// The first way of so many passes that fits, with rows of at least so many bytes.
static mst_status search_ways(const mst_fft_panels_problem *problem, const ways *all, bool whole_ring, uint64_t run,
                              mst_fft_panels_plan *out, bool *fits, mst_error *error) {
    static const int slots[] = {5, 3, 2, 1};
    mst_status status = MST_OK;
    for (size_t s = 0; s < MST_COUNT(slots) && (!whole_ring || slots[s] >= WHOLE_RING); s++)
        for (int i = 0; i < all->n; i++) {
            MST_TRY(try_way(problem, &all->list[i], slots[s], run, out, fits, error));
            if (*fits)
                return MST_OK;
        }
fail:
    return status;
}

// All ways, those of few passes first, and of these the ones with rows that move at full rate, as far as fewer slots make room
// for them; `run`: rows of at least so many bytes.
static mst_status search(const mst_fft_panels_problem *problem, uint64_t run, mst_fft_panels_plan *out, bool *fits,
                         mst_error *error) {
    mst_status status = MST_OK;
    ways all;
    *fits = false;
    for (int n_passes = 1; n_passes <= MST_FFT_PANELS_MAX_PASSES && !*fits; n_passes++) {
        list_ways(problem->desc, n_passes, &all);
        for (uint64_t row = problem->row; row > run && !*fits; row /= 2)
            MST_TRY(search_ways(problem, &all, true, row, out, fits, error));
        if (!*fits)
            MST_TRY(search_ways(problem, &all, false, run, out, fits, error));
    }
fail:
    return status;
}

// Keeps in *out what takes less of the device or, where that is enough, of the host: of one way, panels of one index and wider
// ones, whose transforms may take smaller tables. The capacities to which try_way comes by halving are among them, so that none
// of the budgets that are refused has room.
static mst_status search_least_of(const mst_fft_panels_problem *problem, const panels_way *w, mst_fft_panels_plan *out,
                                  bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels_plan plan;
    bool this_fits;
    build(problem, w, &plan);
    uint64_t least[] = {least_capacity(&plan), mst_smaller(problem->wanted, problem->largest)};
    while (least[1] / 2 >= least[0])
        least[1] /= 2;
    for (int k = 0; k < 2 * WIDER; k++) {
        if (!choose_panels(&plan, least[k % 2] << k / 2, 0))
            continue;
        MST_TRY(count_memory(problem, &plan, 1, &this_fits, error));
        bool enough = plan.device_bytes <= problem->device, had_enough = out->device_bytes <= problem->device;
        if (enough && had_enough ? plan.host_bytes < out->host_bytes : plan.device_bytes < out->device_bytes) {
            *out = plan;
            *fits = this_fits;
        }
    }
fail:
    return status;
}

static mst_status search_least(const mst_fft_panels_problem *problem, mst_fft_panels_plan *out, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    ways all;
    *out = (mst_fft_panels_plan){.device_bytes = UINT64_MAX};
    *fits = false;
    for (int n_passes = 1; n_passes <= MST_FFT_PANELS_MAX_PASSES; n_passes++) {
        list_ways(problem->desc, n_passes, &all);
        for (int i = 0; i < all.n; i++)
            MST_TRY(search_least_of(problem, &all.list[i], out, fits, error));
    }
    MST_REQUIRE(out->n_passes > 0, MST_ERROR_UNSUPPORTED, "no passes over panels compute this transform");
fail:
    return status;
}

mst_status mst_fft_panels_choose(const mst_fft_panels_problem *problem, mst_fft_panels_plan *out, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(search(problem, LEAST_RUN, out, fits, error));
    if (!*fits)
        MST_TRY(search(problem, 0, out, fits, error));
    if (!*fits)
        MST_TRY(search_least(problem, out, fits, error));
fail:
    return status;
}
