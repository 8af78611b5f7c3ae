#include "window.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

// A port with its windows.
typedef struct port_view {
    const mst_port *port;
    const mst_windows *windows;
} port_view;

static port_view view_of(const mst_stream_desc *desc, int port) { return (port_view){&desc->ports[port], &desc->windows[port]}; }

// The positions of a window that the array has: first <= p < end.
typedef struct piece_span {
    int64_t at; // of position 0, along the array's axis
    size_t first, end;
} piece_span;

static piece_span span_of(const port_view *v, const mst_windows_axis *w, size_t panel) {
    int64_t at = w->first + (int64_t)panel * w->step, length = (int64_t)v->windows->array.shape[w->axis],
            window = (int64_t)v->port->layout.shape[w->axis];
    int64_t first = mst_smaller(mst_larger(-at, (int64_t)0), window),
            end = mst_smaller(mst_larger(length - at, (int64_t)0), window);
    return (piece_span){at, (size_t)first, (size_t)mst_larger(first, end)};
}

// The item's place along the axes before the split, and its windows. Returns the bytes' offset but for that of the windows.
static int64_t place_item(const port_view *v, size_t item, piece_span spans[MST_WINDOW_AXES]) {
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
            spans[panel_of] = span_of(v, &w->axes[panel_of], index);
        else
            offset += (int64_t)index * w->array.strides[k];
    }
    return offset * (int64_t)mst_type_bytes(port->layout.type);
}

bool mst_window_is_whole(const mst_stream_desc *desc, int port, size_t item) {
    const port_view v = view_of(desc, port);
    piece_span spans[MST_WINDOW_AXES];
    place_item(&v, item, spans);
    for (int a = 0; a < v.windows->n_axes; a++)
        if (spans[a].first > 0 || spans[a].end < v.port->layout.shape[v.windows->axes[a].axis])
            return false;
    return true;
}

// Rows first .. end-1 of the first axis of windows, which is the item's first, with all elements that the array has in them.
static mst_piece piece_of(const port_view *v, int64_t offset, const piece_span *spans, size_t first, size_t end) {
    const mst_port *port = v->port;
    const mst_windows *w = v->windows;
    int64_t element = (int64_t)mst_type_bytes(port->layout.type);
    mst_piece piece = {.layout = port->layout, .from = offset};
    uint64_t row = (uint64_t)element; // packed bytes
    for (int k = 0; k < port->split; k++)
        piece.layout.shape[k] = 1;
    for (int k = 0; k < port->layout.rank; k++)
        piece.layout.strides[k] = w->array.strides[k];
    for (int k = port->split + 1; k < port->layout.rank; k++)
        row *= port->layout.shape[k];
    piece.begin = row * first;
    for (int a = 0; a < w->n_axes; a++) {
        int k = w->axes[a].axis;
        size_t from = a == 0 ? first : spans[a].first, to = a == 0 ? end : spans[a].end;
        piece.layout.shape[k] = to - from;
        piece.from += (spans[a].at + (int64_t)from) * w->array.strides[k] * element;
        if (a > 0) // the last axis: nothing lies between its elements
            piece.begin += (uint64_t)from * (uint64_t)element;
    }
    piece.bytes = mst_layout_count(&piece.layout) * (uint64_t)element;
    return piece;
}

mst_status mst_window_visit(const mst_stream_desc *desc, int port, size_t item, mst_piece_fn visit, void *user,
                            mst_error *error) {
    mst_status status = MST_OK;
    const port_view v = view_of(desc, port);
    const mst_windows *w = v.windows;
    piece_span spans[MST_WINDOW_AXES];
    int64_t offset = place_item(&v, item, spans);
    bool full_rows = w->n_axes < 2 || (spans[1].first == 0 && spans[1].end == v.port->layout.shape[w->axes[1].axis]);
    for (int a = 0; a < w->n_axes; a++)
        if (spans[a].first == spans[a].end)
            return MST_OK;
    size_t rows = full_rows ? spans[0].end - spans[0].first : 1;
    for (size_t r = spans[0].first; r < spans[0].end; r += rows) {
        const mst_piece piece = piece_of(&v, offset, spans, r, r + rows);
        MST_TRY(visit(&piece, user, error));
    }
fail:
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
