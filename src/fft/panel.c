// A pass by panels, in numbers.
#include "panels.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

unsigned mst_fft_panel_twiddle_shift(size_t n) {
    unsigned shift = 1;
    while (n >> 2 * shift)
        shift++;
    return shift;
}

size_t mst_fft_panel_twiddle_count(size_t n) {
    unsigned shift = mst_fft_panel_twiddle_shift(n);
    return ((size_t)1 << shift) + ((n - 1) >> shift) + 1;
}

static int64_t distance(const mst_fft_panel_axis *axis, int side) {
    return axis->stride[side] < 0 ? -axis->stride[side] : axis->stride[side];
}

// Of the array, at most; and what a packed panel has.
static size_t indices_of_array(const mst_fft_panel_pass *p, int side, int axis) {
    return axis == p->cut ? p->width : p->axes[axis].n[side];
}

size_t mst_fft_panel_indices(const mst_fft_panel_pass *p, int side, int axis) {
    bool more = p->fold && axis == p->folded && mst_type_is_complex(p->type[side]);
    return indices_of_array(p, side, axis) + more;
}

// Sorts the panel's axes by how far apart their elements lie.
static void order_axes(mst_fft_panel_pass *p, int side) {
    int n = 0;
    for (int a = 0; a < p->n_axes; a++) {
        int at = n;
        if (!(p->inside & 1u << a))
            continue;
        for (; at > 0 && distance(&p->axes[p->order[side][at - 1]], side) < distance(&p->axes[a], side); at--)
            p->order[side][at] = p->order[side][at - 1];
        p->order[side][at] = a;
        n++;
    }
    p->n_inside = n;
    p->bytes[side] = mst_type_bytes(p->type[side]);
    for (int i = 0; i < n; i++)
        p->bytes[side] *= mst_fft_panel_indices(p, side, p->order[side][i]);
}

// The axis, of those that are neither transformed nor taken yet, whose elements lie the closest together.
static int closest_axis(const mst_fft_panel_pass *p) {
    int best = -1;
    for (int a = 0; a < p->n_axes; a++)
        if (!(p->inside & 1u << a) && (best < 0 || distance(&p->axes[a], MST_FROM) <= distance(&p->axes[best], MST_FROM)))
            best = a;
    return best;
}

static size_t transformed_rows(const mst_fft_panel_pass *p) {
    size_t rows = 1;
    for (int a = 0; a < p->n_axes; a++)
        rows *= p->transformed & 1u << a ? p->axes[a].n[MST_FROM] : 1;
    return rows;
}

void mst_fft_panel_count(mst_fft_panel_pass *p) {
    p->n_panels = p->n_cuts = mst_divide_up(p->cut < 0 ? 1 : p->axes[p->cut].n[MST_FROM], p->width);
    for (int a = 0; a < p->n_axes; a++)
        if (!(p->inside & 1u << a))
            p->n_panels *= p->axes[a].n[MST_FROM];
    for (int side = 0; side < MST_SIDES; side++) {
        order_axes(p, side);
        if (p->mirror)
            p->bytes[side] = 2 * p->bytes[side] + mst_type_bytes(p->type[side]);
    }
}

size_t mst_fft_panel_mirrored(const mst_fft_panel_pass *p) { return 2 * p->n_columns * transformed_rows(p); }

// Columns with their mirrors: of one line, as wide as fits.
static bool choose_mirrors(mst_fft_panel_pass *p, uint64_t capacity) {
    uint64_t number = mst_type_bytes(p->type[MST_FROM]), rows = transformed_rows(p);
    if (capacity < (2 * rows + 1) * number)
        return false;
    size_t n = p->n_columns / 2 + 1;
    p->axes[p->cut].n[MST_FROM] = p->axes[p->cut].n[MST_TO] = n;
    p->inside = p->transformed | 1u << p->cut;
    p->n_cuts = mst_divide_up(n, (size_t)mst_smaller((uint64_t)n, (capacity - number) / (2 * rows * number)));
    p->width = mst_divide_up(n, p->n_cuts);
    mst_fft_panel_count(p);
    return true;
}

// Columns of one line, and one more.
static bool choose_folded(mst_fft_panel_pass *p, uint64_t capacity) {
    uint64_t column = mst_type_bytes(p->type[MST_FROM]) * transformed_rows(p);
    size_t n = p->axes[p->folded].n[MST_FROM];
    if (capacity < 2 * column)
        return false;
    p->cut = p->folded;
    p->inside = p->transformed | 1u << p->cut;
    p->n_cuts = mst_divide_up(n, (size_t)mst_smaller((uint64_t)n, capacity / column - 1));
    p->width = mst_divide_up(n, p->n_cuts);
    mst_fft_panel_count(p);
    return true;
}

// As much as fits so many bytes; false if the transformed axes alone do not.
bool mst_fft_panel_choose(mst_fft_panel_pass *p, uint64_t capacity) {
    uint64_t bytes[MST_SIDES];
    if (p->mirror)
        return choose_mirrors(p, capacity);
    if (p->fold == MST_FFT_FOLD_TOGETHER)
        return choose_folded(p, capacity);
    p->inside = p->transformed;
    p->cut = -1;
    p->width = p->n_cuts = p->n_panels = 1;
    for (int side = 0; side < MST_SIDES; side++) {
        bytes[side] = mst_type_bytes(p->type[side]);
        for (int a = 0; a < p->n_axes; a++)
            if (p->transformed & 1u << a && __builtin_mul_overflow(bytes[side], mst_fft_panel_indices(p, side, a), &bytes[side]))
                return false;
    }
    uint64_t unit = mst_larger(bytes[MST_FROM], bytes[MST_TO]);
    if (unit > capacity)
        return false;
    int count = __builtin_popcount(p->transformed);
    for (int a; (a = closest_axis(p)) >= 0 && p->width == (p->cut < 0 ? 1 : p->axes[p->cut].n[MST_FROM]);) {
        if (p->cut >= 0)
            unit *= p->width;
        size_t n = p->axes[a].n[MST_FROM], width = (size_t)mst_smaller((uint64_t)n, capacity / unit);
        if (width == 0 || count == MST_MAX_RANK)
            break;
        p->inside |= 1u << a;
        p->cut = a;
        p->n_cuts = mst_divide_up(n, width);
        p->width = width >= 16 && p->n_cuts > 1 ? width / 8 * 8 : mst_divide_up(n, p->n_cuts);
        count++;
    }
    mst_fft_panel_count(p);
    return true;
}

uint64_t mst_fft_panel_run(const mst_fft_panel_pass *p, int side) {
    int64_t elements = 1;
    for (int i = p->n_inside - 1; i >= 0; i--) {
        int axis = p->order[side][i];
        if (p->axes[axis].n[side] > 1 && distance(&p->axes[axis], side) != elements)
            break;
        elements *= (int64_t)indices_of_array(p, side, axis);
    }
    return (uint64_t)elements * mst_type_bytes(p->type[side]);
}

uint64_t mst_fft_panel_shortest_run(const mst_fft_panel_pass *p) {
    return mst_smaller(mst_fft_panel_run(p, MST_FROM), mst_fft_panel_run(p, MST_TO));
}

size_t mst_fft_panel_stride(const mst_fft_panel_pass *p, int side, int axis) {
    size_t stride = 1;
    for (int i = p->n_inside - 1; i >= 0 && p->order[side][i] != axis; i--)
        stride *= mst_fft_panel_indices(p, side, p->order[side][i]);
    return stride;
}

size_t mst_fft_panel_begin(const mst_fft_panel_pass *p, size_t item, int axis) {
    if (p->inside & 1u << axis)
        return axis == p->cut ? item % p->n_cuts * p->width : 0;
    item /= p->n_cuts;
    for (int a = p->n_axes - 1; a > axis; a--)
        if (!(p->inside & 1u << a))
            item /= p->axes[a].n[MST_FROM];
    return item % p->axes[axis].n[MST_FROM];
}

static mst_panel_piece place(const mst_fft_panel_pass *p, int side, size_t item) {
    mst_panel_piece piece = {.layout = {.type = p->type[side], .rank = mst_larger(p->n_inside, 1), .shape = {1}, .strides = {1}}};
    for (int a = 0; a < p->n_axes; a++)
        piece.offset += (int64_t)mst_fft_panel_begin(p, item, a) * p->axes[a].stride[side];
    uint64_t row = mst_type_bytes(p->type[side]), pitch = row;
    for (int i = p->n_inside - 1; i >= 0; i--) {
        int axis = p->order[side][i];
        size_t n = p->axes[axis].n[side];
        size_t held = mst_fft_panel_indices(p, side, axis);
        if (axis == p->cut)
            n = mst_smaller(p->width, n - mst_fft_panel_begin(p, item, axis));
        piece.layout.shape[i] = n;
        piece.layout.strides[i] = p->axes[axis].stride[side];
        row *= n;
        pitch *= held;
        if (n < held && i > 0) {
            piece.row_bytes = row;
            piece.pitch_bytes = pitch;
        }
    }
    return piece;
}

// The mirrors n_columns - c of columns c = first .. first + count - 1, but for 0 and the middle, which mirror themselves: packed
// in reverse order, so in their own. False if there are none.
static bool place_mirrors(const mst_fft_panel_pass *p, int side, size_t item, mst_panel_piece *piece) {
    const mst_panel_piece columns = *piece;
    const mst_fft_panel_axis *axis = &p->axes[p->cut];
    size_t begin = mst_fft_panel_begin(p, item, p->cut), end = mst_smaller(begin + p->width, (p->n_columns + 1) / 2), inner = 1;
    size_t first = mst_larger(begin, (size_t)1);
    uint64_t number = mst_type_bytes(p->type[side]);
    if (first >= end)
        return false;
    piece->offset += ((int64_t)p->n_columns - (int64_t)(end - 1) - (int64_t)begin) * axis->stride[side];
    for (int i = p->n_inside - 1; i >= 0; i--) {
        if (p->order[side][i] == p->cut)
            piece->layout.shape[i] = end - first;
        inner *= p->order[side][i] == p->cut ? p->width : columns.layout.shape[i];
    }
    size_t stride = mst_fft_panel_stride(p, side, p->cut);
    piece->at = number * (inner + (p->width - (end - begin)) * stride);
    piece->row_bytes = number * stride * (end - first);
    piece->pitch_bytes = number * stride * p->width;
    return true;
}

// The last column of half a spectrum, behind all others of the panel with the first one.
static mst_panel_piece place_last(const mst_fft_panel_pass *p, const mst_panel_piece *columns) {
    mst_panel_piece piece = *columns;
    const uint64_t bytes = mst_type_bytes(p->type[MST_FROM]) * mst_fft_panel_stride(p, MST_FROM, p->cut);
    for (int i = 0; i < p->n_inside; i++)
        if (p->order[MST_FROM][i] == p->cut)
            piece.layout.shape[i] = 1;
    piece.offset += (int64_t)p->axes[p->cut].n[MST_FROM] * p->axes[p->cut].stride[MST_FROM];
    piece.at = bytes * p->width;
    piece.row_bytes = bytes;
    piece.pitch_bytes = bytes * (p->width + 1);
    return piece;
}

int mst_fft_panel_place(const mst_fft_panel_pass *p, int side, size_t item, mst_panel_piece *pieces) {
    int n = 0;
    pieces[n++] = place(p, side, item);
    if (!p->mirror) {
        if (p->fold == MST_FFT_FOLD_TOGETHER && side == MST_FROM && item % p->n_cuts == 0)
            pieces[n++] = place_last(p, &pieces[0]);
        return n;
    }
    pieces[n] = pieces[0];
    n += place_mirrors(p, side, item, &pieces[n]);
    if (side == (p->mirror == MST_FFT_MIRROR_SPLIT ? MST_FROM : MST_TO) && mst_fft_panel_begin(p, item, p->cut) == 0) {
        uint64_t number = mst_type_bytes(p->type[side]);
        pieces[n] = (mst_panel_piece){.layout = {.type = p->type[side], .rank = 1, .shape = {1}, .strides = {1}},
                                      .offset = pieces[0].offset +
                                                (int64_t)(mst_fft_panel_mirrored(p) / 2) * p->axes[p->cut].stride[side],
                                      .at = p->bytes[side] - number};
        n++;
    }
    return n;
}

void mst_fft_panel_describe(const mst_fft_panel_pass *p, const mst_fft_desc *whole, mst_fft_desc *out) {
    int pair = p->mirror ? 1 : 0, n = mst_larger(p->n_inside + pair, 1), n_axes = 0; // of columns and mirrors
    *out = *whole;
    out->input = (mst_layout){.type = p->type[MST_FROM], .rank = n, .shape = {1}, .strides = {1}};
    out->output = (mst_layout){.type = p->type[MST_TO], .rank = n, .shape = {1}, .strides = {1}};
    out->scale = p->scale;
    if (whole->kind != MST_FFT_FOURIER) // a plan's kind is that of its inverse already
        out->direction = MST_FFT_FORWARD;
    for (int k = 0; k < p->n_inside; k++) {
        int axis = p->order[MST_FROM][k], i = k + pair;
        out->input.shape[i] = mst_fft_panel_indices(p, MST_FROM, axis);
        out->input.strides[i] = (ptrdiff_t)mst_fft_panel_stride(p, MST_FROM, axis);
        out->output.shape[i] = mst_fft_panel_indices(p, MST_TO, axis);
        out->output.strides[i] = (ptrdiff_t)mst_fft_panel_stride(p, MST_TO, axis);
        if (p->transformed & 1u << axis && axis != p->real)
            out->axes[n_axes++] = i;
    }
    if (pair) {
        out->input.shape[0] = out->output.shape[0] = 2;
        out->input.strides[0] = (ptrdiff_t)(mst_layout_count(&out->input) / 2);
        out->output.strides[0] = out->input.strides[0];
    }
    for (int i = 0; i < p->n_inside; i++) // the real axis is the last one in a description
        if (p->order[MST_FROM][i] == p->real)
            out->axes[n_axes++] = i;
    out->n_axes = n_axes;
}
