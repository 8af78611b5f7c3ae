// Which passes one launch takes, piece by piece.
#include "any.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#define PIECES_A_UNIT 4u                  // fewer pieces keep units waiting for one another,
#define PIECE_BYTES ((uint64_t)16 << 20)  // and larger ones do not stay in any cache
#define ALONE_BYTES ((uint64_t)96 << 10)  // so little is done before a second launch begins
#define UNIT_BYTES ((uint64_t)1 << 20)    // of scratch memory that stays in a unit's own cache
#define COLUMN_BYTES ((uint64_t)2 << 20)  // of columns that one unit reads again; several units have as much each
#define CACHED_BYTES ((uint64_t)4 << 20)  // what a plan of several launches works on at a time: the caches keep it in between
#define BUDGET_SHARE 4u                   // of what is left of the device's memory, the most for scratch memory
enum { LEAST_ITEMS = 2, MOST_ITEMS = 8 }; // work-items of a launch for each compute unit

static bool comes_before(const mst_fft *plan, int a, int b) {
    bool real_out = plan->desc.kind == MST_FFT_FOURIER && !mst_type_is_complex(plan->desc.output.type);
    return real_out ? a < b : a > b;
}

void mst_any_order_axes(mst_fft *plan) {
    mst_fft_desc *d = &plan->desc;
    bool fourier = d->kind == MST_FFT_FOURIER;
    int first = fourier && !mst_type_is_complex(d->input.type) ? 1 : 0;
    int end = fourier && !mst_type_is_complex(d->output.type) ? d->n_axes - 1 : d->n_axes;
    for (int a = first; a < end; a++)
        for (int b = a; b > first && comes_before(plan, d->axes[b], d->axes[b - 1]); b--) {
            int axis = d->axes[b];
            d->axes[b] = d->axes[b - 1];
            d->axes[b - 1] = axis;
        }
}

static const any_pass *pass_of(const mst_fft *plan, int k) { return &plan->any->described[0][k]; }

// A group of the passes first .. first + count - 1; dimensions before the one that is cut are those of complex arrays.
static mst_any_group make_group(const mst_fft *plan, int first, int count) {
    mst_any_group g = {.first = first, .count = count, .pieces_an_item = 1, .joint = 1};
    const mst_layout *complex_side = mst_type_is_complex(plan->desc.input.type) ? &plan->desc.input : &plan->desc.output;
    int cut = plan->passes[first].axis;
    for (int k = first; k < first + count; k++)
        cut = plan->passes[k].axis < cut ? plan->passes[k].axis : cut;
    for (int d = plan->split; d < cut; d++)
        g.pieces_an_item *= complex_side->shape[d];
    return g;
}

static uint64_t piece_bytes(const mst_fft *plan, const mst_any_group *g, const mst_fft_pass *p, const any_side *s) {
    return (uint64_t)s->n * (p->lines_an_item / g->pieces_an_item) * mst_fft_number_bytes(plan);
}

// Whether a group needs a buffer for itself only: it writes it before it reads it, and so does whoever comes later.
static bool is_own(const mst_fft *plan, const mst_any_group *g, int buffer) {
    bool touched = false, later = false;
    if (buffer < WORK)
        return false;
    for (int k = g->first; k < plan->n_passes && !later; k++) {
        const mst_fft_pass *p = &plan->passes[k];
        bool inside = k < g->first + g->count;
        if (p->from == buffer && (inside ? !touched : true))
            return false;
        touched = touched || p->to == buffer;
        later = !inside && p->to == buffer;
    }
    return touched;
}

// Bytes of a piece in every buffer that the group reads or writes, and their sum.
static uint64_t buffer_bytes(const mst_fft *plan, const mst_any_group *g, uint64_t bytes[N_BUFFERS]) {
    uint64_t sum = 0;
    for (int b = 0; b < N_BUFFERS; b++)
        bytes[b] = 0;
    for (int k = g->first; k < g->first + g->count; k++) {
        const mst_fft_pass *p = &plan->passes[k];
        const any_pass *d = pass_of(plan, k);
        bytes[p->from] = mst_larger(bytes[p->from], piece_bytes(plan, g, p, &d->source));
        bytes[p->to] = mst_larger(bytes[p->to], piece_bytes(plan, g, p, &d->target));
    }
    for (int b = 0; b < N_BUFFERS; b++)
        sum += bytes[b];
    return sum;
}

size_t mst_any_items_at_once(const mst_fft *plan) {
    uint64_t bytes = 0;
    for (int k = 0; k < 2; k++) {
        const mst_layout *l = k ? &plan->desc.output : &plan->desc.input;
        uint64_t item = mst_type_bytes(l->type);
        for (int d = plan->split; d < l->rank; d++)
            item *= l->shape[d];
        bytes += item;
    }
    for (int b = WORK; b < N_BUFFERS; b++)
        bytes += plan->item_bytes[b];
    return (size_t)mst_larger(CACHED_BYTES / bytes, (uint64_t)1);
}

// Pieces of a launch.
static uint64_t pieces_of(const mst_fft *plan, const mst_any_group *g) {
    uint64_t n = 1;
    for (int d = 0; d < plan->split; d++)
        n *= plan->desc.input.shape[d];
    return (g->count == plan->n_passes ? n : mst_smaller(n, (uint64_t)mst_any_items_at_once(plan))) * g->pieces_an_item;
}

// Whether units that have fewer pieces than others wait for less than a fifth of the time.
static bool shares_out(const mst_fft *plan, uint64_t pieces) {
    const uint64_t units = plan->context->units;
    return 4 * mst_round_up(pieces, units) <= 5 * pieces;
}

// Whether the lines that a pass reads lie side by side, so that no processor foresees what comes next of each.
static bool reads_columns(const any_side *s) {
    return s->way == ANY_BY_LANES && s->n_dims > 0 && s->positions[s->n_dims - 1] == 0;
}

// Whether a unit that takes a piece alone reads columns in scratch memory that its own cache has no room for. A launch for each
// pass leaves each unit a part of them.
static bool reads_far_columns(const mst_fft *plan, const mst_any_group *g, const uint64_t bytes[N_BUFFERS]) {
    uint64_t sum = 0;
    bool columns = false;
    for (int b = WORK; b < N_BUFFERS; b++)
        sum += is_own(plan, g, b) ? bytes[b] : 0;
    for (int k = g->first; k < g->first + g->count; k++) {
        const any_side *s = &pass_of(plan, k)->source;
        columns = columns || (s->buffer >= WORK && reads_columns(s));
    }
    return columns && sum > COLUMN_BYTES;
}

// Whether so many pieces keep all units at work: many, or few that leave none waiting, whose scratch memory is near.
static bool keeps_busy(const mst_fft *plan, const mst_any_group *g, uint64_t pieces, const uint64_t bytes[N_BUFFERS]) {
    return pieces >= (uint64_t)PIECES_A_UNIT * plan->context->units ||
           (shares_out(plan, pieces) && !reads_far_columns(plan, g, bytes));
}

// Whether a launch for all of them is better than one for each, and leaves most of the budget to what it works on.
static bool suits(const mst_fft *plan, const mst_any_group *g) {
    mst_context *context = plan->context;
    uint64_t each[N_BUFFERS], bytes = buffer_bytes(plan, g, each), pieces = pieces_of(plan, g);
    const uint64_t least = bytes * LEAST_ITEMS * context->units;
    return bytes <= PIECE_BYTES && least <= mst_budget_left(context, &context->device_memory) / BUDGET_SHARE &&
           (keeps_busy(plan, g, pieces, each) || bytes * pieces <= ALONE_BYTES);
}

static size_t lines_of(const mst_fft *plan, const mst_any_group *g, int k) {
    return plan->passes[k].lines_an_item / g->pieces_an_item;
}

// The part of lanes that the tiles of so many lines fill, where nothing but their number decides that; else 1.
static double filled_by(const any_pass *p, size_t lines, size_t lanes) {
    const size_t run = p->joins ? (size_t)p->run : lines, runs = lines / run;
    const size_t tiles = runs * (run / lanes) + mst_divide_up(runs * (run % lanes), lanes);
    return p->run == 0 || p->joins ? (double)lines / (double)(tiles * lanes) : 1;
}

// The least of that of a group's passes, over so many pieces.
static double filled(const mst_fft *plan, const mst_any_group *g, size_t joint) {
    const size_t lanes = mst_pass_lanes(plan->is_double);
    double least = 1;
    for (int k = g->first; k < g->first + g->count; k++) {
        const double part = filled_by(pass_of(plan, k), joint * lines_of(plan, g, k), lanes);
        least = part < least ? part : least;
    }
    return least;
}

// Pieces that a work-item takes together: none waits for another, and what lies between the passes stays in a unit's cache.
static size_t choose_joint(const mst_fft *plan, const mst_any_group *g) {
    uint64_t each[N_BUFFERS], pieces = pieces_of(plan, g), bytes = buffer_bytes(plan, g, each);
    const size_t lanes = mst_pass_lanes(plan->is_double);
    size_t best = 1;
    for (size_t joint = 2; joint <= lanes && g->count > 1; joint *= 2)
        if (pieces >= joint * PIECES_A_UNIT * plan->context->units && joint * bytes <= UNIT_BYTES &&
            filled(plan, g, joint) > filled(plan, g, best))
            best = joint;
    return best;
}

// Gives a work-item memory of its own for what lies between the passes of a group, and takes it from the items'.
static void set_scratch(mst_fft *plan, mst_any_group *g) {
    uint64_t bytes[N_BUFFERS], real_bytes = mst_fft_number_bytes(plan) / 2;
    buffer_bytes(plan, g, bytes);
    for (int b = WORK; b < N_BUFFERS; b++) {
        if (bytes[b] == 0 || g->count == 1 || !is_own(plan, g, b))
            continue;
        for (unsigned own = 0; own < MST_ANY_LAYOUTS; own++)
            for (int k = g->first; k < g->first + g->count; k++) {
                any_pass *p = &plan->any->described[own][k];
                p->source.scratch = p->source.buffer == b ? (cell)g->scratch_reals : p->source.scratch;
                p->target.scratch = p->target.buffer == b ? (cell)g->scratch_reals : p->target.scratch;
            }
        // From piece to piece a buffer may have more than passes move: half a spectrum's last number, which splitting takes in.
        uint64_t apart = mst_divide_up(plan->item_bytes[b], (uint64_t)g->pieces_an_item);
        g->scratch_reals += (size_t)mst_divide_up(g->joint * mst_larger(bytes[b], apart), real_bytes);
    }
}

// Few, where each has scratch memory of its own that the next one does not find in the cache.
static size_t work_items(const mst_fft *plan, const mst_any_group *g) {
    const uint64_t bytes = g->scratch_reals * mst_fft_number_bytes(plan) / 2, units = plan->context->units;
    uint64_t items = bytes ? UNIT_BYTES / bytes : MOST_ITEMS;
    items = units * mst_larger(mst_smaller(items, (uint64_t)MOST_ITEMS), (uint64_t)LEAST_ITEMS);
    return (size_t)(bytes ? mst_smaller(items, mst_divide_up(pieces_of(plan, g), (uint64_t)g->joint)) : items);
}

static bool is_shared(const mst_fft *plan, int buffer) {
    for (int k = 0; k < plan->n_passes; k++) {
        const any_pass *p = pass_of(plan, k);
        if ((p->source.buffer == buffer && p->source.scratch < 0) || (p->target.buffer == buffer && p->target.scratch < 0))
            return true;
    }
    return false;
}

void mst_any_group_passes(mst_fft *plan) {
    mst_any *any = plan->any;
    for (int k = 0; k < plan->n_passes;) {
        mst_any_group g = make_group(plan, k, 1);
        for (int count = 2; k + count <= plan->n_passes; count++) {
            const mst_any_group larger = make_group(plan, k, count);
            g = suits(plan, &larger) ? larger : g;
        }
        g.joint = choose_joint(plan, &g);
        set_scratch(plan, &g);
        g.work_items = work_items(plan, &g);
        for (unsigned own = 0; own < MST_ANY_LAYOUTS; own++)
            for (int j = k; j < k + g.count; j++)
                any->described[own][j].lines_a_piece = (cell)lines_of(plan, &g, j);
        any->groups[any->n_groups++] = g;
        k += g.count;
    }
    for (int b = WORK; b < N_BUFFERS; b++)
        if (!is_shared(plan, b))
            plan->item_bytes[b] = 0;
}
