#include "window.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <string.h>

// A port with its windows.
typedef struct port_view {
    const mst_port *port;
    const mst_windows *windows;
} port_view;

static port_view view_of(const mst_stream_desc *desc, int port) { return (port_view){&desc->ports[port], &desc->windows[port]}; }

// The positions of a window that the array has: first <= p < end. Where it goes round, those before, or behind, its end.
typedef struct piece_span {
    int64_t at; // of position 0, along the array's axis
    size_t first, end;
} piece_span;

static piece_span span_of(const port_view *v, const mst_windows_axis *w, size_t panel, bool behind) {
    int64_t at = w->first + (int64_t)panel * w->step, length = (int64_t)v->windows->array.shape[w->axis],
            window = (int64_t)v->port->layout.shape[w->axis];
    if (w->goes_round)
        at = (at % length + length) % length - (behind ? length : 0);
    int64_t first = mst_smaller(mst_larger(-at, (int64_t)0), window),
            end = mst_smaller(mst_larger(length - at, (int64_t)0), window);
    return (piece_span){at, (size_t)first, (size_t)mst_larger(first, end)};
}

// Bits of `turn`: 1 for an axis that goes round, for what is behind its end.
// The item's place along the axes before the split, and its windows. Returns the bytes' offset but for that of the windows.
static int64_t place_item(const port_view *v, size_t item, unsigned turn, piece_span spans[MST_WINDOW_AXES]) {
    const mst_port *port = v->port;
    const mst_windows *w = v->windows;
    int64_t offset = 0;
    for (int k = port->split - 1; k >= 0; k--) {
        size_t index = item % port->layout.shape[k];
        item /= port->layout.shape[k];
        int panel_of = -1;
        for (int a = 0; a < w->n_axes; a++)
            if (w->axes[a].panel == k)
                panel_of = a;
        if (panel_of >= 0)
            spans[panel_of] = span_of(v, &w->axes[panel_of], index, turn >> panel_of & 1);
        else
            offset += (int64_t)index * w->array.strides[k];
    }
    return offset * (int64_t)mst_type_bytes(port->layout.type);
}

bool mst_window_is_whole(const mst_stream_desc *desc, int port, size_t item) {
    const port_view v = view_of(desc, port);
    piece_span spans[MST_WINDOW_AXES];
    place_item(&v, item, 0, spans);
    for (int a = 0; a < v.windows->n_axes; a++)
        if (!v.windows->axes[a].goes_round &&
            (spans[a].first > 0 || spans[a].end < v.port->layout.shape[v.windows->axes[a].axis]))
            return false;
    return true;
}

// What of an item the array has: so many elements along an axis of the port's layout, from one of the item's on.
typedef struct item_range {
    size_t first[MST_MAX_RANK], count[MST_MAX_RANK];
    uint64_t stride[MST_MAX_RANK]; // packed bytes
    int64_t offset;                // bytes from the array's element [0]...[0] to the item's first one, which may not be there
} item_range;

// False if the array has nothing of the item on that turn.
static bool range_of(const port_view *v, size_t item, unsigned turn, item_range *r) {
    const mst_layout *layout = &v->port->layout;
    const mst_windows *w = v->windows;
    int64_t element = (int64_t)mst_type_bytes(layout->type);
    piece_span spans[MST_WINDOW_AXES];
    uint64_t stride = (uint64_t)element;
    memset(r, 0, sizeof *r);
    r->offset = place_item(v, item, turn, spans);
    for (int k = layout->rank - 1; k >= v->port->split; k--) {
        r->first[k] = 0;
        r->count[k] = layout->shape[k];
        r->stride[k] = stride;
        stride *= layout->shape[k];
    }
    for (int a = 0; a < w->n_axes; a++) {
        int k = w->axes[a].axis;
        r->first[k] = spans[a].first;
        r->count[k] = spans[a].end - spans[a].first;
        r->offset += spans[a].at * w->array.strides[k] * element;
        if (r->count[k] == 0)
            return false;
    }
    return true;
}

// The last axis before `axis` of which the array has a part only; below the split if there is none.
static int cut_before(const port_view *v, const item_range *r, int axis) {
    int k = axis - 1;
    while (k >= v->port->split && r->count[k] == v->port->layout.shape[k])
        k--;
    return k;
}

// The part of an item with these indices along the axes before `from`: along `row`, of which the array may have a part only, and
// along those after it, elements follow one another.
static mst_piece piece_of(const port_view *v, const item_range *r, const size_t *index, int from, int row) {
    const mst_layout *array = &v->windows->array;
    int64_t element = (int64_t)mst_type_bytes(array->type);
    mst_piece piece = {
        .layout = v->port->layout,
        .from = r->offset,
    };
    for (int k = 0; k < piece.layout.rank; k++) {
        size_t first = k < v->port->split ? 0 : k < from ? index[k] : r->first[k];
        piece.layout.strides[k] = array->strides[k];
        piece.layout.shape[k] = k < from ? 1 : r->count[k];
        piece.from += (int64_t)first * array->strides[k] * element;
        if (k >= v->port->split)
            piece.begin += first * r->stride[k];
    }
    piece.bytes = mst_layout_count(&piece.layout) * (uint64_t)element;
    piece.row_bytes = r->count[row] * r->stride[row];
    piece.pitch_bytes = v->port->layout.shape[row] * r->stride[row];
    return piece;
}

static mst_status visit_turn(const port_view *v, size_t item, unsigned turn, mst_piece_fn visit, void *user, mst_error *error) {
    const int split = v->port->split;
    item_range r;
    size_t index[MST_MAX_RANK];
    if (!range_of(v, item, turn, &r))
        return MST_OK;
    // Rows that are as far apart as they are long with what is missing, over as many axes as can be.
    int row = cut_before(v, &r, v->port->layout.rank), from;
    row = row < split ? split : row;
    from = cut_before(v, &r, row);
    from = from < split ? split : from;
    memcpy(index, r.first, sizeof index);
    for (;;) {
        const mst_piece piece = piece_of(v, &r, index, from, row);
        mst_status status = visit(&piece, user, error);
        int k = from - 1;
        while (k >= split && ++index[k] == r.first[k] + r.count[k]) {
            index[k] = r.first[k];
            k--;
        }
        if (status != MST_OK || k < split)
            return status;
    }
}

mst_status mst_window_visit(const mst_stream_desc *desc, int port, size_t item, mst_piece_fn visit, void *user,
                            mst_error *error) {
    const port_view v = view_of(desc, port);
    mst_status status = MST_OK;
    unsigned round = 0; // a bit an axis: those of which an item may have a piece before the array's end, and one behind it
    for (int a = 0; a < v.windows->n_axes; a++)
        round |= (unsigned)v.windows->axes[a].goes_round << a;
    for (unsigned turn = 0; turn <= round && status == MST_OK; turn++)
        if ((turn & ~round) == 0)
            status = visit_turn(&v, item, turn, visit, user, error);
    return status;
}

mst_location mst_piece_location(const mst_location *array, const mst_piece *piece) {
    mst_location at = *array;
    if (at.place == MST_PLACE_HOST)
        at.host = (unsigned char *)at.host + piece->from;
    else
        at.offset = (uint64_t)((int64_t)at.offset + piece->from);
    return at;
}
