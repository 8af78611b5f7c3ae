// Passes in the numbers of any_pass.cl.
#include "any.h"

#include <string.h>

static cell larger(cell a, cell b) { return a > b ? a : b; }

// Real numbers in memory: from element to element of the array.
static cell reals_of(const mst_pass_op *op) { return op->element == MST_ELEMENT_REAL ? 1 : 2; }

static void describe_view(const mst_view *v, const mst_pass_op *op, mst_pass_half half, any_side *s) {
    bool pairs = half != MST_HALF_NONE && !op->even && op->element == MST_ELEMENT_REAL; // positions are those of pairs of reals
    s->axis_stride = v->axis_stride * (pairs ? 2 : reals_of(op));
    s->imaginary = pairs ? v->axis_stride : reals_of(op) - 1;
    s->step = (cell)v->step;
    s->n_dims = v->n_dims;
    for (int k = 0; k < v->n_dims; k++) {
        s->counts[k] = (cell)v->counts[k];
        s->outer[k] = v->outer[k] * reals_of(op);
        s->positions[k] = (cell)v->position[k];
        s->starts[k] = s->outer[k] + s->positions[k] * s->axis_stride;
    }
    s->last = v->n_dims > 0 ? s->counts[v->n_dims - 1] : 1;
    s->lane_stride = v->n_dims > 0 ? s->starts[v->n_dims - 1] : 0;
}

// Whether a position is the number of an element, whatever the line.
static bool positions_are_elements(const any_side *s) {
    for (int k = 0; k < s->n_dims; k++)
        if (s->positions[k] != 0)
            return false;
    return s->step == 1;
}

// Whether something happens to numbers by positions, which are neighbours in neighbouring lines.
static bool are_neighbours(const any_side *s, const mst_pass_op *op) {
    return !op->even && (op->length || op->multiply) && !positions_are_elements(s) && s->n_dims > 0 &&
           s->positions[s->n_dims - 1] == 1 && s->outer[s->n_dims - 1] == 0;
}

static cell way_of(const any_side *s, const mst_pass_op *op, cell lanes) {
    bool by_position = op->length || op->multiply;
    if (s->element == ANY_HERMITIAN || op->even || (by_position && !positions_are_elements(s) && !s->neighbours))
        return ANY_BY_VALUES;
    if (s->imaginary == 0 && s->step * s->axis_stride == 1 && !by_position)
        return ANY_BY_REALS;
    bool adjacent = s->imaginary == 1 ? s->lane_stride == 2 : s->lane_stride == 1;
    if (adjacent && 2 * s->last >= lanes)
        return ANY_BY_LANES;
    if (s->neighbours)
        return ANY_BY_VALUES;
    return s->imaginary == 1 && s->step * s->axis_stride == 2 ? ANY_BY_ROWS : ANY_BY_VALUES;
}

// Of whole lines of real numbers.
static cell way_of_reals(const any_side *s, cell lanes) {
    return s->lane_stride == 1 && s->axis_stride != 1 && 2 * s->last >= lanes ? ANY_BY_LANES : ANY_BY_ROWS;
}

// Whether results that stand for their mirrors, too, are all in one line.
static bool mirrors(const mst_pass_op *op, const any_side *s, size_t n) {
    return op->element == MST_ELEMENT_HERMITIAN && !op->multiply && op->length == 0 && positions_are_elements(s) &&
           op->axis_length == n;
}

static void describe_side(const mst_fft_pass *p, const mst_view *v, const mst_pass_op *op, any_side *s) {
    const mst_pass *pass = &p->device.pass;
    describe_view(v, op, pass->half, s);
    s->lines_an_item = (cell)p->lines_an_item;
    s->scratch = s->factors = -1;
    s->element = op->element == MST_ELEMENT_HERMITIAN && !mirrors(op, s, pass->n) ? ANY_HERMITIAN : ANY_PLAIN;
    s->axis_length = (cell)op->axis_length;
    s->length = (cell)op->length;
    s->swap = op->swap;
    s->even = op->even;
    s->sine = op->sine;
    s->n = (cell)pass->n;
    s->neighbours = are_neighbours(s, op);
    s->way = pass->half == MST_HALF_EVEN ? way_of_reals(s, pass->lanes) : way_of(s, op, pass->lanes);
    if (op->even && op->length == 0 && pass->half != MST_HALF_EVEN && s->n_dims > 0 && s->positions[s->n_dims - 1] == 1 &&
        s->outer[s->n_dims - 1] == 0)
        s->way = ANY_BY_LANES; // of neighbouring positions
}

// Whether two tiles of lines may be moved together.
static bool is_wide(const any_side *s, const mst_pass_op *op) {
    return s->way == ANY_BY_LANES && s->lane_stride == 2 && s->imaginary == 1 && !s->neighbours && op->length == 0 &&
           !op->multiply && !op->even;
}

#define SHORT_ROW 32
#define SHORT_COLUMN 128
#define COLUMNS_AT_ONCE 128 // elements of them, in vectors
#define ALL_TILES (1 << 30)
#define ROWS_AT_ONCE 64 // elements of them, in vectors: an eighth of the first cache; what is asked for meanwhile takes as much

static cell several_of(const any_pass *p, const mst_pass *pass) {
    return pass->load.multiply || pass->store.multiply ? 1 : mst_any_several(p);
}

static bool are_rows(const any_side *s) { return (s->way == ANY_BY_ROWS || s->way == ANY_BY_REALS) && s->n_dims == 1; }

cell mst_any_several(const any_pass *p) {
    const bool plain = p->source.length == 0 && !p->twiddled && p->rows == 0 && p->ends != ANY_EVEN;
    return plain && are_rows(&p->source) && are_rows(&p->target) && p->n <= SHORT_ROW ? ROWS_AT_ONCE / p->n : 1;
}

// A step that takes the room behind a tile.
static bool has_prime(const mst_pass *pass) {
    for (int k = 0; k < pass->n_radices; k++)
        if (pass->radices[k] > ANY_PRIME)
            return true;
    return false;
}

// Neighbouring tiles of short columns at a time: four or more, of whose rows processors foresee the rest, or, where numbers stay
// in registers, as many as there are.
static void describe_strip(any_pass *p, const mst_pass *pass) {
    const bool wide = p->source.wide && p->target.wide && p->source.swap == p->target.swap;
    const int steps = pass->n_radices;
    if (!wide || p->ends != ANY_WHOLE || p->twiddled || steps == 0 || p->n > SHORT_COLUMN || has_prime(pass))
        return;
    const unsigned first = pass->radices[0], last = pass->radices[steps - 1];
    p->columns = steps == 1;
    p->from_memory = steps > 1 && first >= MST_ANY_FIRST_LEAST && first <= MST_ANY_FIRST_MOST;
    p->to_memory = steps > 1 && last <= MST_ANY_LAST_MOST;
    p->strip = p->columns ? ALL_TILES : larger(COLUMNS_AT_ONCE / p->n, 4);
}

// Tiles that end where lines stop lying side by side.
static cell run_of(const any_pass *p) {
    cell source = p->source.way == ANY_BY_LANES && p->source.n_dims > 1 ? p->source.last : 0;
    cell target = p->target.way == ANY_BY_LANES && p->target.n_dims > 1 ? p->target.last : 0;
    return source && target && target < source ? target : larger(source, source ? 0 : target);
}

// How many runs fill tiles with what they have left over: each number of these is moved by itself, which takes less than lanes
// that are empty.
static cell joins_of(const any_pass *p, cell lanes) {
    const cell left = p->run % lanes;
    cell joins = 1;
    if (!p->source.wide || !p->target.wide || p->ends != ANY_WHOLE || p->twiddled || left == 0)
        return 0;
    while (joins * left % lanes)
        joins *= 2;
    return joins;
}

void mst_any_describe(const mst_fft_pass *p, bool own_source, bool own_target, any_pass *out) {
    const mst_pass *pass = &p->device.pass;
    static const cell ends[] = {[MST_HALF_COMBINE] = ANY_COMBINE,
                                [MST_HALF_SPLIT] = ANY_SPLIT,
                                [MST_HALF_EVEN] = ANY_EVEN,
                                [MST_HALF_COMBINE_ALONE] = ANY_COMBINE_ALONE,
                                [MST_HALF_SPLIT_ALONE] = ANY_SPLIT_ALONE,
                                [MST_HALF_EVEN_COMBINE_ALONE] = ANY_EVEN_COMBINE_ALONE,
                                [MST_HALF_EVEN_SPLIT_ALONE] = ANY_EVEN_SPLIT_ALONE};
    memset(out, 0, sizeof *out);
    out->n = (cell)pass->n;
    out->ends = ends[pass->half];
    out->scale = -1;
    if (pass->n_radices > 0 && pass->radices[0] % (pass->lanes / 2) == 0)
        out->near = (cell)(pass->n / pass->radices[0]);
    out->twiddled = pass->twiddle_n > 0;
    out->column_dim = own_source ? p->own_twiddle_dim : pass->twiddle_dim;
    describe_side(p, own_source ? &p->own_source : &pass->source, &pass->load, &out->source);
    describe_side(p, own_target ? &p->own_target : &pass->target, &pass->store, &out->target);
    out->source.buffer = p->from;
    out->target.buffer = p->to;
    if (mirrors(&pass->load, &out->source, pass->n)) {
        out->ends = ANY_MIRROR;
        out->source.n = (cell)(pass->n / 2 + 1);
    }
    out->source.n += pass->half == MST_HALF_SPLIT;
    out->target.n += pass->half == MST_HALF_COMBINE;
    if (out->ends >= ANY_COMBINE_ALONE)
        out->source.n = out->target.n = MST_PASS_HALF_RUN;
    if (out->twiddled && out->target.way == ANY_BY_ROWS)
        out->target.way = ANY_BY_VALUES;
    out->run = run_of(out);
    out->several = several_of(out, pass);
    out->source.wide = is_wide(&out->source, &pass->load);
    out->target.wide = is_wide(&out->target, &pass->store);
    out->joins = joins_of(out, pass->lanes);
    describe_strip(out, pass);
    out->wide = (out->source.wide || out->target.wide) && out->ends == ANY_WHOLE && !has_prime(pass);
}
