// The rates of copies between the host and the device, and on the host.
#include "measure_parts.h"
#include "runtime/numbers.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALIBRATION_BYTES = 64 << 20,
    HOST_BYTES = 160 << 20, // so that three arrays of them fit few caches
    LEAST_BYTES = 1 << 20,  // whatever the budget
    FEW = 4,                // copies
    LEAST_ROWS = 64,        // of a tile
    PAGE = 4096,
    LENGTHS = 3, // of rows
    KINDS = 1 + 2 * LENGTHS
};

enum { UP, DOWN, BOTH, WAYS };

static const double SAMPLE_SECONDS = 5e-3; // about, of copies that are short

// Memory for the measurement of copies: pinned, for uploads and downloads, and ordinary. Pieces of it are copied by turns, as a
// run goes through its store, so that caches hold no more of them than they do then.
typedef struct copies {
    uint64_t bytes, piece, pieces; // bytes of each memory and of a copy
    unsigned char *up, *down, *ordinary;
    mst_queue queues[2]; // of the context, for uploads and downloads
} copies;

static mst_status finish_copies(copies *c, mst_error *error) {
    mst_status status = MST_OK;
    for (int way = UP; way <= DOWN; way++)
        MST_TRY(mst_queue_finish(&c->queues[way], error));
fail:
    return status;
}

static mst_status enqueue_piece(copies *c, bool up, const mst_window w[2], int k, uint64_t bytes, mst_error *error) {
    mst_status status = MST_OK;
    size_t first = (size_t)((uint64_t)k % c->pieces * c->piece);
    mst_queue *queue = &c->queues[up ? UP : DOWN];
    cl_event event = NULL;
    MST_TRY_CL(
        up ? clEnqueueWriteBuffer(queue->opencl, w[0].buffers[0], CL_FALSE, 0, (size_t)bytes, c->up + first, 0, NULL, &event)
           : clEnqueueReadBuffer(queue->opencl, w[1].buffers[0], CL_FALSE, 0, (size_t)bytes, c->down + first, 0, NULL, &event),
        "cannot measure rates");
    MST_TRY(mst_queue_add(queue, event, "a measured copy", NULL, error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot measure rates");
fail:
    return status;
}

// A tile of about a piece's size in the store: the bytes of its rows and their distance. In three dimensions a row is what the
// tile has of one plane. Fewer rows where the memory is too small for all.
typedef struct tile {
    size_t row, rows, pitch;
} tile;

static tile tile_of(const mst_problem *p, const copies *c, double wider) {
    double unit = (double)((p->rank == 3 ? p->grid[COLUMNS] : 1) * p->element), side = sqrt((double)c->piece / unit);
    uint64_t pitch = mst_smaller(p->plane * p->element, c->bytes / LEAST_ROWS / p->element * p->element);
    uint64_t row = mst_smaller((uint64_t)(wider * side * unit), mst_smaller(pitch, c->piece)) / p->element * p->element;
    row = row > 0 ? row : p->element;
    return (tile){.row = (size_t)row, .rows = (size_t)mst_smaller(c->piece / row, c->bytes / pitch), .pitch = (size_t)pitch};
}

static mst_status enqueue_tile(copies *c, bool up, const mst_window w[2], int k, const tile *t, mst_error *error) {
    mst_status status = MST_OK;
    const size_t zero[] = {0, 0, 0}, at[] = {(size_t)k % (t->pitch / t->row) * t->row, 0, 0}, region[] = {t->row, t->rows, 1};
    mst_queue *queue = &c->queues[up ? UP : DOWN];
    cl_event event = NULL;
    MST_TRY_CL(up ? clEnqueueWriteBufferRect(queue->opencl, w[0].buffers[0], CL_FALSE, zero, at, region, t->row, 0, t->pitch, 0,
                                             c->up, 0, NULL, &event)
                  : clEnqueueReadBufferRect(queue->opencl, w[1].buffers[0], CL_FALSE, zero, at, region, t->row, 0, t->pitch, 0,
                                            c->down, 0, NULL, &event),
               "cannot measure rates");
    MST_TRY(mst_queue_add(queue, event, "a measured copy", NULL, error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot measure rates");
fail:
    return status;
}

// The seconds that a copy takes, as the mean of a few that follow one another; one way, or both ways at once; of a tile, or of so
// many bytes in one piece.
static mst_status time_copy(copies *c, bool up, bool down, const mst_window w[2], int sample, const tile *t, uint64_t bytes,
                            double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    int n = sample < 0 || *seconds > SAMPLE_SECONDS / FEW ? 1 : FEW;
    double start = mst_now();
    for (int k = 0; k < n; k++)
        for (int way = up ? 0 : 1; way < (down ? 2 : 1); way++)
            MST_TRY(t ? enqueue_tile(c, way == 0, w, (sample + 1) * n + k, t, error)
                      : enqueue_piece(c, way == 0, w, (sample + 1) * n + k, bytes, error));
    MST_TRY(finish_copies(c, error));
    *seconds = (mst_now() - start) / n;
fail:
    return status;
}

// By how much copies both ways at once take longer than the longer of them alone, as a part of the time of the shorter one.
static double beside(double up, double down, double both) { return fmax(0, fmin(1, (both - fmax(up, down)) / fmin(up, down))); }

// Times copies up, down and both at once: of a piece, of tiles, and of as many bytes as the tiles have in one piece. What a row
// takes depends on its length in a different way with every driver, so three lengths stand for all.
static mst_status time_copies(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], copies *c, mst_clock *clock,
                              mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    double samples[WAYS][KINDS][MST_MEASURE_MOST_SAMPLES], seconds[WAYS][KINDS], begin = mst_now();
    tile tiles[LENGTHS];
    int n = -1; // the first calls may do work that none does after them
    for (int i = 0; i < LENGTHS; i++)
        tiles[i] = tile_of(m->problem, c, ldexp(1, i - LENGTHS / 2));
    for (; mst_measure_goes_on(clock, n, begin); n++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int way = 0; way < WAYS; way++) {
                const tile *t = kind == 0 ? NULL : &tiles[(kind - 1) / 2];
                MST_TRY(time_copy(c, way != DOWN, way != UP, mst_measure_pair(w, n + 1), n, kind % 2 == 0 ? t : NULL,
                                  t ? t->row * t->rows : c->piece, &seconds[way][kind], error));
                if (n >= 0)
                    samples[way][kind][n] = seconds[way][kind];
            }
    for (int way = 0; way < WAYS; way++)
        for (int kind = 0; kind < KINDS; kind++)
            seconds[way][kind] = mst_measure_usual(samples[way][kind], n);
    rates->upload = (double)c->piece / seconds[UP][0];
    rates->download = (double)c->piece / seconds[DOWN][0];
    rates->beside[0] = beside(seconds[UP][0], seconds[DOWN][0], seconds[BOTH][0]);
    rates->row[0] = rates->row[1] = rates->beside[1] = 0;
    for (int i = 0; i < LENGTHS; i++) {
        const int flat = 1 + 2 * i, rows = 2 + 2 * i;
        for (int way = UP; way <= DOWN; way++)
            rates->row[way] += fmax(0, seconds[way][rows] - seconds[way][flat]) / (double)tiles[i].rows / LENGTHS;
        rates->beside[1] += beside(seconds[UP][rows], seconds[DOWN][rows], seconds[BOTH][rows]) / LENGTHS;
    }
fail:
    return status;
}

// Times the host's copies from staging to a store that is not direct and back, while the device copies both ways.
static mst_status time_host(const mst_measurement *m, const mst_window w[2], copies *c, mst_clock *clock, double *rate,
                            mst_error *error) {
    mst_status status = MST_OK;
    double seconds[MST_MEASURE_SAMPLES];
    int n = -1;
    size_t bytes = (size_t)c->bytes / 2; // the device has the first halves, the host the others
    const size_t shape[] = {bytes};
    const mst_transfer t = {mst_layout_dense(MST_UINT8, 1, shape), mst_at_host(c->ordinary), "the measurement of rates", NULL};
    uint64_t piece = mst_smaller(c->piece, bytes), pieces = mst_smaller(MST_MEASURE_COMMANDS, FEW * bytes / piece);
    for (; n < MST_MEASURE_SAMPLES && (n < 1 || mst_now() < clock->end); n++) {
        for (uint64_t k = 0; k < pieces; k++)
            for (int up = 0; up < 2; up++)
                MST_TRY(enqueue_piece(c, up, w, 0, piece, error));
        double start = mst_now();
        MST_TRY(mst_transfer_write(m->context->pool, &t, 0, bytes, c->down + bytes, error));
        MST_TRY(mst_transfer_read(m->context->pool, &t, 0, bytes, c->up + bytes, error));
        if (n >= 0)
            seconds[n] = mst_now() - start;
        MST_TRY(finish_copies(c, error));
    }
    *rate = 2 * (double)bytes / mst_measure_usual(seconds, n);
    clock->is_cut = clock->is_cut || n < MST_MEASURE_SAMPLES;
fail:
    return status;
}

// Makes pieces so small that two samples, the first of which only warms up, fit the time that is left.
static mst_status choose_piece(const mst_window w[2], copies *c, mst_clock *clock, mst_error *error) {
    mst_status status = MST_OK;
    const double in_all = 2 * WAYS * KINDS * 1.4; // of both ways, which take longer
    double seconds = SAMPLE_SECONDS;
    MST_TRY(time_copy(c, true, false, w, -1, NULL, c->piece, &seconds, error));
    MST_TRY(time_copy(c, true, false, w, -1, NULL, c->piece, &seconds, error));
    for (; in_all * seconds > clock->end - mst_now() && c->piece > LEAST_BYTES; seconds /= 2) {
        c->piece = mst_larger(c->piece / 2, (uint64_t)LEAST_BYTES);
        clock->is_cut = true;
    }
    c->pieces = c->bytes / c->piece;
fail:
    return status;
}

mst_status mst_measure_copies(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], uint64_t bytes, mst_clock *clock,
                              mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t most = m->is_direct || m->context->device.unified_memory ? CALIBRATION_BYTES : HOST_BYTES;
    uint64_t host = mst_budget_left(m->context, &m->context->host_memory) / 3 + LEAST_BYTES;
    most = mst_smaller(most, mst_larger(m->problem->nodes * m->problem->element, (uint64_t)LEAST_BYTES));
    most = mst_smaller(most, mst_smaller(m->context->device.max_allocation_bytes / 2, host));
    most = most > PAGE ? most - most % PAGE : mst_larger(most, (uint64_t)2); // two halves, whatever a device claims
    copies c = {.bytes = most,
                .piece = mst_smaller(bytes, most),
                .queues = {MST_QUEUE(m->context, m->context->upload), MST_QUEUE(m->context, m->context->download)}};
    c.pieces = c.bytes / c.piece;
    void *pinned = NULL;
    MST_REQUIRE(c.ordinary = malloc((size_t)c.bytes), MST_ERROR_HOST_MEMORY, "out of memory measuring rates");
    memset(c.ordinary, 0, (size_t)c.bytes);
    MST_TRY(mst_pinned_create(m->context, 2 * c.bytes, &pinned, error));
    memset(pinned, 1, 2 * (size_t)c.bytes); // memory never written may be read from one page
    c.up = pinned;
    c.down = c.up + c.bytes;
    MST_TRY(choose_piece(w, &c, clock, error));
    MST_TRY(time_copies(m, w, &c, clock, rates, error));
    if (!m->is_direct)
        MST_TRY(time_host(m, w, &c, clock, &rates->host, error));
fail:
    for (int way = UP; way <= DOWN; way++) {
        mst_queue_abandon(&c.queues[way]); // they may still work on what is to be released
        mst_queue_release(&c.queues[way]);
    }
    free(c.ordinary);
    mst_pinned_destroy(m->context, pinned);
    return status;
}
