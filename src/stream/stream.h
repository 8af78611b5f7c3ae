// The block pipeline. A capability says what arrays it works on and how it computes a block of items; the stream takes the
// arrays from wherever they lie (host, file, device) through the device and back, with reading, upload, compute, download and
// writing of different blocks overlapped. Arrays that already lie on the device are handed to the capability in place.
//
// Items are counted in C order over the leading axes of the arrays (axes 0 .. split - 1), so one item is a sub-array.
#ifndef MST_STREAM_STREAM_H
#define MST_STREAM_STREAM_H

#include "panel.h"
#include "watch.h"

#include "runtime/group.h"
#include "runtime/queue.h"

typedef enum mst_port_kind {
    MST_PORT_INPUT,  // read block by block
    MST_PORT_OUTPUT, // written block by block
    MST_PORT_FIXED   // an input that every block needs whole
} mst_port_kind;

// Axis `axis` of a port's layout is a window on that axis of the caller's array: position p of window number k, which is the
// index along axis `panel`, is element first + k step + p, or nothing where the array has no such element (window.h); or, in an
// array that goes round, the element at that place modulo its length, of windows that are no longer than it.
#define MST_WINDOW_AXES 3
typedef struct mst_windows_axis {
    int panel, axis;
    int64_t first, step;
    bool goes_round;
} mst_windows_axis;

// The axes of the panels come before the split. The axes of windows ascend; the first is that at the split.
typedef struct mst_windows {
    int n_axes; // 0: the port's layout is the caller's array
    mst_windows_axis axes[MST_WINDOW_AXES];
    mst_layout array; // the caller's, with the length 1 along the axes of panels
} mst_windows;

typedef struct mst_port {
    mst_port_kind kind;
    mst_layout layout; // checked; without empty axes
    int split;         // not used for MST_PORT_FIXED
    const char *name;  // for messages; static
} mst_port;

// Where a block finds the array of one port.
typedef struct mst_block_port {
    cl_mem buffer;
    bool packed;       // items one behind the other, each in C order without gaps; else the layout of the port
    int64_t base;      // elements before element [0]...[0] of the block (packed) or of the array
    size_t first_item; // the block's first item: 0 if packed
} mst_block_port;

typedef struct mst_block {
    size_t first, count;           // items
    bool is_first;                 // of the execution on this device
    mst_queue *queue;              // in order; what is enqueued here finds its inputs ready
    const mst_stream_watch *watch; // to be asked between parts of a block that takes long; NULL: nobody is
    mst_block_port ports[MST_STREAM_MAX_PORTS];
} mst_block;

typedef struct mst_stream_desc {
    mst_context *context;
    size_t n_items;    // at least 1
    size_t most_items; // of all runs that mst_stream_turn_to turns to; 0: n_items
    int n_ports;
    mst_port ports[MST_STREAM_MAX_PORTS];
    mst_windows windows[MST_STREAM_MAX_PORTS]; // of ports; arrays with windows are not on the device
    // Items that are neither indices of leading axes nor windows, but any rectangles: columns of a larger array, say. Says the
    // pieces of one, and how many; it takes panel_bytes of a port's slot, and a block has one. NULL: items are as above. Arrays
    // with such panels are not on the device.
    int (*panel)(const void *user, mst_panel_view view, int port, size_t item, mst_panel_piece *pieces);
    uint64_t panel_bytes[MST_STREAM_MAX_PORTS];
    // Chooses the trays of a run (trays.h); NULL: panels have none.
    mst_tray_shape (*trays)(void *user, const mst_tray_room *room);
    bool panels_cross; // rows of panels are long enough for the device to copy them from and to pinned memory by itself
    // Says how many of `count` items from `first` on a block takes, at least 1, where blocks may not end anywhere; NULL: all.
    // A block then has room for least_items, of which one is enough to end a block, wherever it begins.
    size_t (*cut)(const void *user, size_t first, size_t count);
    size_t least_items;
    bool in_place;             // port 1 (output) may be the same as port 0 (input) when their layouts are equal
    uint64_t item_work_bytes;  // device memory that compute needs, an item of a block
    uint64_t item_work_piece;  // the largest single allocation in it
    uint64_t table_bytes;      // device memory that the plan takes for itself, after making the stream
    uint64_t fixed_work_bytes; // device memory that compute needs whatever the block
    uint64_t item_host_bytes;  // the same in RAM
    // Makes work memory for blocks of up to n_items; 0 releases it. Called before any compute.
    mst_status (*prepare)(void *user, size_t n_items, mst_error *error);
    mst_status (*compute)(void *user, const mst_block *block, mst_error *error);
    // Makes what one run takes besides, before its first block; a further device of a group that has no memory for it takes no
    // part in that run. NULL: nothing.
    mst_status (*begin)(void *user, mst_error *error);
    void *user;
} mst_stream_desc;
typedef struct mst_stream mst_stream;

// Checks first that the budget leaves room for the tables and one block's work: MST_ERROR_BUDGET names the least that works.
mst_status mst_stream_create(const mst_stream_desc *desc, mst_stream **out, mst_error *error);
void mst_stream_destroy(mst_stream *stream); // does not call prepare

// What the next runs move through the same slots: other items of other arrays, in panels that take no more room.
void mst_stream_turn_to(mst_stream *stream, size_t n_items, const mst_port *ports, bool in_place);

// Gives back the memory that the next run takes anew: where a plan has two streams, of which one runs at a time.
mst_status mst_stream_give_back(mst_stream *stream, mst_error *error);

// Whether one item fits the budgets and the device, wherever its arrays lie, and the bytes that it takes of each budget.
bool mst_stream_fits(const mst_stream_desc *desc, uint64_t *device, uint64_t *host);
bool mst_stream_has_room(const mst_stream *stream); // of a stream's own, in what is left of the budgets

// How a capability makes plans for a group's further devices, and where such a plan has its stream.
typedef struct mst_share_kind {
    mst_twin_kind twin;
    mst_stream *(*stream_of)(void *plan);
} mst_share_kind;

// On a context of several devices, makes a plan of the same description for each further device. From then on, executions whose
// arrays lie in host memory or files share their blocks out. The stream owns these plans. Nothing to do for a NULL stream, one of
// a single item, or a context of one device.
mst_status mst_stream_share(mst_stream *stream, const mst_share_kind *kind, const void *desc, mst_error *error);

// Defines the last step of mst_NAME_create, for plans with a member `stream`: share(&plan, desc, status, error) does nothing but
// return a status that is not MST_OK; else it shares the plan out, or destroys it where that fails.
#define MST_SHARED_PLAN(NAME)                                                                                                    \
    static mst_status make_twin(mst_context *peer, const void *desc, void **plan, mst_error *error) {                            \
        mst_##NAME *made = NULL;                                                                                                 \
        mst_status status = mst_##NAME##_create(peer, desc, &made, error);                                                       \
        *plan = made;                                                                                                            \
        return status;                                                                                                           \
    }                                                                                                                            \
    static void destroy_twin(void *plan) { mst_##NAME##_destroy(plan); }                                                         \
    static mst_stream *stream_of(void *plan) { return ((mst_##NAME *)plan)->stream; }                                            \
    static mst_status share(mst_##NAME **plan, const void *desc, mst_status status, mst_error *error) {                          \
        static const mst_share_kind kind = {{make_twin, destroy_twin}, stream_of};                                               \
        if (status != MST_OK)                                                                                                    \
            return status;                                                                                                       \
        status = mst_stream_share((*plan)->stream, &kind, desc, error);                                                          \
        if (status != MST_OK) {                                                                                                  \
            mst_##NAME##_destroy(*plan);                                                                                         \
            *plan = NULL;                                                                                                        \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

// Checks the locations against the layouts, then runs all blocks: one location a port. `how` is as the public header says.
// Staging memory is kept for the next run of the same kind. A NULL stream, of a plan without elements, has nothing to do but
// to answer as `how` asks.
mst_status mst_stream_run(mst_context *context, mst_stream *stream, const mst_location *where, const mst_execution *how,
                          mst_error *error);

#endif
