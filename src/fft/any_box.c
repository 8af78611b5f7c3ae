// Boxes: the last axes of an array as one pass, eight boxes or four at once, each in a lane. Small ones spend more time on
// finding and moving the tiles of a pass for each axis than on transforms.
#include "any.h"
#include "prime.h"

#include "runtime/layout.h"

#define LEAST_TILES 2 // of boxes: with fewer, lanes would be empty that passes fill
#define MOST_POINTS ((size_t)ANY_LONGEST)

static bool is_real(const mst_fft_pass *p) {
    const mst_pass *pass = &p->device.pass;
    return pass->load.element != MST_ELEMENT_COMPLEX || pass->store.element != MST_ELEMENT_COMPLEX;
}

// Whether a pass is all that happens to its axis: all of its lines are transformed, and nothing else.
static bool is_plain(const mst_fft_pass *p) {
    const mst_pass *pass = &p->device.pass;
    bool halves = pass->half == MST_HALF_NONE || pass->half == MST_HALF_COMBINE || pass->half == MST_HALF_SPLIT;
    return pass->n_radices > 0 && pass->twiddle_n == 0 && halves && !pass->load.multiply && !pass->store.multiply &&
           pass->load.length == 0 && !pass->load.even && (pass->store.length == 0 || is_real(p)) &&
           (pass->load.element != MST_ELEMENT_HERMITIAN || pass->load.axis_length == pass->n);
}

// The number along the real axis, in its transform and in its spectrum.
static size_t kept_of(const mst_pass *pass) { return pass->half == MST_HALF_NONE ? pass->n / 2 + 1 : pass->n + 1; }

// What a lane holds of a box of these passes, the first and the last of which may be of a real axis; and their steps.
static bool fits(const mst_fft_pass *passes, int count) {
    const mst_fft_pass *real = is_real(&passes[0]) ? &passes[0] : is_real(&passes[count - 1]) ? &passes[count - 1] : NULL;
    size_t points = 1, rows = 1, steps = 0, room = 0;
    mst_prime way;
    for (int k = 0; k < count; k++) {
        const mst_pass *pass = &passes[k].device.pass;
        steps += (size_t)pass->n_radices;
        if (mst_prime_find(pass->n, &way)) {
            if (room > 0)
                return false;
            room = mst_prime_room(&way);
            steps += (size_t)way.inner.n_radices;
        }
        points *= pass->n;
        rows *= &passes[k] == real ? 1 : pass->n;
        if (points > MOST_POINTS)
            return false;
    }
    return steps <= ANY_RADICES && points + (real ? rows * kept_of(&real->device.pass) : 0) <= MOST_POINTS &&
           2 * points + room <= ANY_TILE;
}

// How many passes are those of the last axes, from the first one up, or, to real numbers, from the last one down.
static int count_passes(const mst_fft *plan, bool from_last) {
    int rank = plan->desc.input.rank, count = 0;
    for (; count < plan->desc.n_axes && count < plan->n_passes; count++) {
        const mst_fft_pass *p = &plan->passes[from_last ? plan->n_passes - 1 - count : count];
        if (p->axis != rank - 1 - count || !is_plain(p))
            break;
    }
    return count;
}

static size_t boxes_of(const mst_fft *plan, int first_axis) {
    size_t boxes = 1;
    for (int d = 0; d < first_axis; d++)
        boxes *= plan->desc.input.shape[d];
    return boxes;
}

// For its title.
static void describe_joined(const mst_any_box *box, mst_pass *pass) {
    pass->n_box = box->count;
    pass->n = 1;
    pass->n_radices = 0;
    for (int k = 0; k < box->count; k++) {
        const mst_pass *of_axis = &box->passes[k].device.pass;
        pass->n *= of_axis->n;
        for (int s = 0; s < of_axis->n_radices; s++)
            pass->radices[pass->n_radices++] = of_axis->radices[s];
    }
}

void mst_any_join_box(mst_fft *plan) {
    mst_any_box *box = &plan->any->box;
    const bool real_out = !mst_type_is_complex(plan->desc.output.type);
    const int rank = plan->desc.input.rank, n_passes = plan->n_passes;
    if (mst_fft_has_gaps(plan, SOURCE) || mst_fft_has_gaps(plan, TARGET) || plan->desc.kind != MST_FFT_FOURIER)
        return;
    const size_t least = LEAST_TILES * mst_pass_lanes(plan->is_double);
    int count = count_passes(plan, real_out), first = real_out ? n_passes - count : 0;
    while (count >= 2 && (boxes_of(plan, rank - count) < least || !fits(&plan->passes[first], count))) {
        count--;
        first = real_out ? n_passes - count : 0;
    }
    if (count < 2)
        return;
    *box = (mst_any_box){.at = first, .count = count};
    for (int k = 0; k < count; k++)
        box->passes[k] = plan->passes[first + k];
    mst_fft_pass *joined = &plan->passes[first];
    joined->axis = rank - count;
    joined->to = box->passes[count - 1].to;
    joined->lines_an_item = boxes_of(plan, rank - count);
    describe_joined(box, &joined->device.pass);
    for (int d = 0; d < plan->split; d++)
        joined->lines_an_item /= plan->desc.input.shape[d];
    for (int k = first + count; k < n_passes; k++)
        plan->passes[k - count + 1] = plan->passes[k];
    plan->n_passes = n_passes - count + 1;
    for (int k = 0; k < plan->n_passes; k++)
        mst_fft_name_pass(plan, k);
}

// Boxes one behind the other in memory, each of n elements.
static void describe_side(const mst_fft *plan, const mst_fft_pass *p, const mst_pass_op *op, size_t n, bool reals, any_side *s) {
    const cell stride = (cell)n * (reals ? 1 : 2);
    size_t boxes = boxes_of(plan, p->axis);
    *s = (any_side){.lines_an_item = (cell)p->lines_an_item,
                    .n_dims = 1,
                    .last = (cell)boxes,
                    .counts = {(cell)boxes},
                    .starts = {stride},
                    .outer = {stride},
                    .axis_stride = reals ? 1 : 2,
                    .step = 1,
                    .imaginary = reals ? 0 : 1,
                    .way = reals ? ANY_BY_REALS : ANY_BY_ROWS,
                    .lane_stride = stride,
                    .scratch = -1,
                    .factors = -1,
                    .n = (cell)n,
                    .swap = op->swap};
}

// The passes of the axes before the last one come behind its pass, from the last of them up, or before it, from the first one
// down. Of one of them: the rows, of the last axis, that lie between its neighbouring numbers.
static size_t rows_between(const mst_any_box *box, bool last_comes_first, int k) {
    size_t rows = 1;
    for (int other = last_comes_first ? 1 : k + 1; other < (last_comes_first ? k : box->count - 1); other++)
        rows *= box->passes[other].device.pass.n;
    return rows;
}

// Where result k of row r is after the steps of its axes, which those of the last axis leave in order or not.
static size_t place_of(const mst_any_box *box, bool last_comes_first, size_t row, size_t r, size_t k) {
    size_t place = k;
    for (int a = last_comes_first ? 1 : 0; a < box->count - (last_comes_first ? 0 : 1); a++) {
        const mst_pass *pass = &box->passes[a].device.pass;
        size_t rows = rows_between(box, last_comes_first, a);
        place += mst_any_place(pass, r / rows % pass->n) * rows * row;
    }
    return place;
}

// A row's numbers in memory, and in the tile before and after the ends are treated.
typedef struct box_rows {
    const mst_pass *last; // of the last axis
    bool in, out;         // it is real there
    size_t rows, before, after;
} box_rows;

static box_rows rows_of(const mst_any_box *box) {
    const mst_fft_pass *first = &box->passes[0], *end = &box->passes[box->count - 1];
    box_rows b = {.in = is_real(first), .out = is_real(end), .rows = 1};
    b.last = b.out ? &end->device.pass : &first->device.pass;
    for (int k = 0; k < box->count; k++)
        b.rows *= &box->passes[k].device.pass == b.last ? 1 : box->passes[k].device.pass.n;
    b.before = b.out ? kept_of(b.last) : b.last->n;
    b.after = b.in ? kept_of(b.last) : b.last->n;
    return b;
}

static void add_steps(const mst_fft *plan, const box_rows *b, any_pass *out) {
    const mst_any_box *box = &plan->any->box;
    for (int k = 0; k < box->count; k++) {
        const bool last = &box->passes[k].device.pass == b->last;
        if (last && b->out)
            out->first_steps = out->n_steps;
        mst_any_add_steps(plan, &box->passes[k], last ? 1 : rows_between(box, !b->out, k) * (b->in ? b->after : b->before), out);
        if (last && b->in)
            out->first_steps = out->n_steps;
    }
}

static void add_places(const mst_fft *plan, const box_rows *b, any_pass *out) {
    const mst_any_box *box = &plan->any->box;
    cl_uint *places = mst_any_new_places(plan, b->rows * b->after, &out->places);
    for (size_t r = 0; r < b->rows && places; r++)
        for (size_t k = 0; k < b->after; k++)
            places[r * b->after + k] = (cl_uint)place_of(box, !b->out, b->after, r, b->in ? k : mst_any_place(b->last, k));
    if (b->in && (places = mst_any_new_places(plan, b->last->n, &out->row_places)))
        mst_any_fill_places(b->last, places);
}

// What becomes of rows of real numbers.
static void describe_ends(const mst_fft *plan, const box_rows *b, any_pass *out) {
    const bool pairs = b->last->half != MST_HALF_NONE;
    out->n = (cell)b->last->n;
    out->rows = (cell)b->rows;
    out->first_n = (cell)(b->rows * b->before);
    out->ends = b->in ? pairs ? ANY_COMBINE : ANY_KEEP : pairs ? ANY_SPLIT : ANY_MIRROR;
    if (pairs)
        out->end_roots = mst_any_add_half_roots(plan, b->last->n);
}

void mst_any_describe_box(const mst_fft *plan, any_pass *out) {
    const mst_any_box *box = &plan->any->box;
    const mst_fft_pass *joined = &plan->passes[box->at];
    const mst_pass *first = &box->passes[0].device.pass, *end = &box->passes[box->count - 1].device.pass;
    const box_rows b = rows_of(box);
    const bool odd = b.last->half == MST_HALF_NONE;
    *out = (any_pass){.n = (cell)(b.rows * b.last->n), .low = -1, .high = -1, .lanes = -1};
    out->scale = end->scale ? mst_any_add_scale(plan) : -1;
    add_steps(plan, &b, out);
    add_places(plan, &b, out);
    mst_any_add_prime(plan, out);
    if (b.in || b.out)
        describe_ends(plan, &b, out);
    describe_side(plan, joined, &first->load, b.rows * b.before, b.in && odd, &out->source);
    describe_side(plan, joined, &end->store, b.rows * b.after, b.out && odd, &out->target);
    out->source.buffer = joined->from;
    out->target.buffer = joined->to;
    if (!b.in && b.last->radices[0] % (b.last->lanes / 2) == 0)
        out->near = (cell)(b.last->n / b.last->radices[0]);
    out->several = mst_any_several(out);
}
