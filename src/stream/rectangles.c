#include "rectangles.h"

#include "runtime/layout.h"

#define DIMENSIONS 3 // of OpenCL's rectangles

// Nested loops over bytes, the innermost first. Axes that continue one another on both sides are one.
typedef struct loops {
    int n;
    size_t count[MST_MAX_RANK + 1];
    size_t host[MST_MAX_RANK + 1], device[MST_MAX_RANK + 1]; // bytes from one to the next
} loops;

static loops loops_of(const mst_crossing *c) {
    const mst_layout *layout = c->layout;
    size_t element = mst_type_bytes(layout->type), packed = element;
    loops l = {.n = 1, .count = {element}, .host = {1}, .device = {1}};
    for (int k = layout->rank - 1; k >= 0; k--) {
        size_t count = layout->shape[k], host = (size_t)layout->strides[k] * element;
        size_t device = c->row_bytes > 0 && packed == c->row_bytes ? (size_t)c->pitch_bytes : packed;
        int last = l.n - 1;
        if (count == 1)
            continue;
        packed = device * count;
        if (host == l.host[last] * l.count[last] && device == l.device[last] * l.count[last]) {
            l.count[last] *= count;
            continue;
        }
        l.count[l.n] = count;
        l.host[l.n] = host;
        l.device[l.n++] = device;
    }
    return l;
}

// How many of the innermost loops one rectangle takes: slices have to be a whole number of rows apart.
static int loops_of_rectangle(const loops *l) {
    bool slices = l->n >= DIMENSIONS && l->host[2] % l->host[1] == 0 && l->device[2] % l->device[1] == 0 &&
                  l->host[2] >= l->host[1] * l->count[1] && l->device[2] >= l->device[1] * l->count[1];
    return l->n < DIMENSIONS || slices ? l->n < DIMENSIONS ? l->n : DIMENSIONS : DIMENSIONS - 1;
}

typedef struct sides {
    size_t bytes[DIMENSIONS];  // in a row, rows, slices
    size_t host[2], device[2]; // from row to row, from slice to slice
} sides;

static sides sides_of(const loops *l, int taken) {
    sides r = {{l->count[0], 1, 1}, {0, 0}, {0, 0}};
    for (int k = 1; k < taken; k++) {
        r.bytes[k] = l->count[k];
        r.host[k - 1] = l->host[k];
        r.device[k - 1] = l->device[k];
    }
    return r;
}

static cl_int enqueue(const mst_context *context, bool write, const sides *r, cl_mem device, size_t at, unsigned char *host,
                      cl_uint n_waits, const cl_event *wait, cl_event *event) {
    const size_t begin[DIMENSIONS] = {at, 0, 0}, zero[DIMENSIONS] = {0, 0, 0};
    if (r->bytes[1] == 1 && r->bytes[2] == 1)
        return write ? clEnqueueReadBuffer(context->download, device, CL_FALSE, at, r->bytes[0], host, n_waits, wait, event)
                     : clEnqueueWriteBuffer(context->upload, device, CL_FALSE, at, r->bytes[0], host, n_waits, wait, event);
    return write ? clEnqueueReadBufferRect(context->download, device, CL_FALSE, begin, zero, r->bytes, r->device[0], r->device[1],
                                           r->host[0], r->host[1], host, n_waits, wait, event)
                 : clEnqueueWriteBufferRect(context->upload, device, CL_FALSE, begin, zero, r->bytes, r->device[0], r->device[1],
                                            r->host[0], r->host[1], host, n_waits, wait, event);
}

static cl_int cross(const mst_context *context, bool write, const mst_crossing *c, cl_event *event) {
    const loops l = loops_of(c);
    const int taken = loops_of_rectangle(&l);
    const sides r = sides_of(&l, taken);
    size_t index[MST_MAX_RANK + 1] = {0};
    *event = NULL;
    for (;;) {
        size_t host = 0, device = (size_t)c->at;
        for (int k = taken; k < l.n; k++) {
            host += index[k] * l.host[k];
            device += index[k] * l.device[k];
        }
        if (*event)
            clReleaseEvent(*event);
        *event = NULL;
        cl_int code =
            enqueue(context, write, &r, c->device, device, c->host + host, c->wait ? 1 : 0, c->wait ? &c->wait : NULL, event);
        int k = taken;
        for (; k < l.n && ++index[k] == l.count[k]; k++)
            index[k] = 0;
        if (code != CL_SUCCESS || k == l.n)
            return code;
    }
}

cl_int mst_rectangles_download(const mst_context *context, const mst_crossing *crossing, cl_event *event) {
    return cross(context, true, crossing, event);
}

cl_int mst_rectangles_upload(const mst_context *context, const mst_crossing *crossing, cl_event *event) {
    return cross(context, false, crossing, event);
}
