// Streams in two levels of parts: the first `latency` long, the second so long that both take about as much work a sample. A
// block of the second level is computed when its last sample has come; its results are due from the next sample on, so its parts
// begin one such block after the kernel's beginning, which the first level covers.
#include "parts.h"

#include "runtime/description.h"
#include "runtime/numbers.h"

#include <mastaba/convolver.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY ((size_t)256)
#define LEAST_LATENCY ((size_t)16)
#define MOST_LATENCY ((size_t)1 << 20)
#define MOST_TAPS ((size_t)1 << 30)

struct mst_convolver {
    mst_context *context;
    mst_queue queue;
    mst_type type;
    size_t channels, taps, latency;
    mst_parts head, tail; // tail.n is 0 for short kernels
    void *results;        // `latency` frames of which some wait to be pulled
    size_t ready, pulled; // frames of them
    size_t filled;        // frames of the head's present block
    uint64_t frames_in, frames_out;
    uint64_t computed; // frames of results, with those of zeros behind the input's end
    bool ended;
    bool failed; // a block is not whole, nor is what later ones need of it
};

// The length of the tail's parts: the work of a sample, in products of spectra, is 2 tail / latency + 2 taps / tail.
static size_t choose_tail(size_t taps, size_t latency) {
    size_t best = latency;
    while (best * best / latency < taps)
        best *= 2;
    return best;
}

static void plan_levels(mst_convolver *c) {
    size_t block = choose_tail(c->taps, c->latency);
    size_t head = mst_smaller(block, c->taps), rest = c->taps - head;
    c->head = (mst_parts){.context = c->context, .type = c->type, .channels = c->channels, .block = c->latency};
    c->head.n = mst_divide_up(head, c->latency);
    c->tail = (mst_parts){
        .context = c->context, .type = c->type, .channels = c->channels, .block = block, .n = mst_divide_up(rest, block)};
}

static mst_status read_desc(const mst_convolver_desc *desc, mst_convolver_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_convolver_desc, MST_CONVOLVER_DESC_INIT, latency), desc, d, error));
    d->latency = d->latency ? d->latency : LATENCY;
    MST_REQUIRE(d->channels >= 1 && d->channels <= 1024, MST_ERROR_ARGUMENT, "channels is %zu; it is 1 to 1024", d->channels);
    MST_REQUIRE(d->kernel_channels == 1 || d->kernel_channels == d->channels, MST_ERROR_ARGUMENT,
                "the kernel has %zu channels and the stream %zu; give one kernel for all, or one each", d->kernel_channels,
                d->channels);
    MST_REQUIRE(d->type == MST_FLOAT32 || d->type == MST_FLOAT64, MST_ERROR_ARGUMENT,
                "samples of %s; streams are of float32 or float64", mst_type_name(d->type));
    const bool wide = d->type == MST_FLOAT64;
    MST_REQUIRE(wide ? !d->kernel : !d->kernel_double, MST_ERROR_ARGUMENT, "a kernel of %s for samples of %s",
                mst_type_name(wide ? MST_FLOAT32 : MST_FLOAT64), mst_type_name(d->type));
    const bool given = wide ? d->kernel_double != NULL : d->kernel != NULL;
    MST_REQUIRE(d->taps >= 1 && d->taps <= MOST_TAPS && given, MST_ERROR_ARGUMENT, "the kernel has %zu taps; give 1 to %zu",
                given ? d->taps : 0, MOST_TAPS);
    MST_REQUIRE((d->latency & (d->latency - 1)) == 0 && d->latency >= LEAST_LATENCY && d->latency <= MOST_LATENCY,
                MST_ERROR_ARGUMENT, "a latency of %zu samples; give a power of two from %zu to %zu", d->latency, LEAST_LATENCY,
                MOST_LATENCY);
fail:
    return status;
}

mst_status mst_convolver_create(mst_context *context, const mst_convolver_desc *desc, mst_convolver **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolver *c = NULL;
    mst_convolver_desc d;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(read_desc(desc, &d, error));
    MST_REQUIRE(d.type != MST_FLOAT64 || context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use float32",
                context->device.name);
    MST_REQUIRE(c = calloc(1, sizeof *c), MST_ERROR_HOST_MEMORY, "out of memory making a convolver");
    c->context = context;
    c->queue = (mst_queue)MST_QUEUE(context, context->compute);
    c->type = d.type;
    c->channels = d.channels, c->taps = d.taps, c->latency = d.latency;
    const void *kernel = d.type == MST_FLOAT64 ? (const void *)d.kernel_double : d.kernel;
    plan_levels(c);
    c->results = malloc(c->latency * c->channels * mst_type_bytes(c->type));
    MST_REQUIRE(c->results, MST_ERROR_HOST_MEMORY, "out of memory making a convolver");
    MST_TRY(mst_parts_create(&c->head, &c->queue, kernel, d.kernel_channels, d.taps, 0, error));
    if (c->tail.n > 0)
        MST_TRY(mst_parts_create(&c->tail, &c->queue, kernel, d.kernel_channels, d.taps, c->tail.block, error));
    *out = c;
    return MST_OK;
fail:
    mst_convolver_destroy(c);
    return status;
}

void mst_convolver_destroy(mst_convolver *c) {
    if (!c)
        return;
    mst_queue_finish(&c->queue, NULL);
    mst_queue_release(&c->queue);
    mst_parts_release(&c->head);
    mst_parts_release(&c->tail);
    free(c->results);
    free(c);
}

static void put_frames(mst_convolver *c, const void *frames, size_t first, size_t n) {
    for (size_t channel = 0; channel < c->channels; channel++) {
        const size_t to = 2 * c->latency * channel + c->latency + c->filled;
        for (size_t k = 0; k < n; k++)
            mst_parts_put(c->type, c->head.window, to + k,
                          frames ? mst_parts_get(c->type, frames, (first + k) * c->channels + channel) : 0);
    }
    c->filled += n;
}

// The present block's results of both levels, frame by frame.
static void add_levels(mst_convolver *c, size_t at) {
    for (size_t channel = 0; channel < c->channels; channel++) {
        const size_t head = 2 * c->latency * channel + c->latency, tail = 2 * c->tail.block * channel + c->tail.block + at;
        for (size_t k = 0; k < c->latency; k++) {
            const double late = c->tail.n > 0 ? mst_parts_get(c->type, c->tail.results, tail + k) : 0;
            mst_parts_put(c->type, c->results, k * c->channels + channel,
                          mst_parts_get(c->type, c->head.results, head + k) + late);
        }
    }
}

// The tail's block has the head's in it, and is convolved when it is full.
static mst_status run_tail(mst_convolver *c, size_t at, mst_error *error) {
    const size_t bytes = mst_type_bytes(c->type);
    for (size_t channel = 0; channel < c->channels; channel++)
        memcpy((char *)c->tail.window + bytes * (2 * c->tail.block * channel + c->tail.block + at),
               (char *)c->head.window + bytes * 2 * c->latency * channel, // where the head has put its last block
               c->latency * bytes);
    return at + c->latency == c->tail.block ? mst_parts_run(&c->tail, &c->queue, error) : MST_OK;
}

static mst_status run_block(mst_convolver *c, mst_error *error) {
    mst_status status = MST_OK;
    c->failed = true;
    size_t at = (size_t)(c->computed % c->tail.block); // where the block lies in the tail's
    MST_TRY(mst_parts_run(&c->head, &c->queue, error));
    add_levels(c, at);
    if (c->tail.n > 0)
        MST_TRY(run_tail(c, at, error));
    c->computed += c->latency;
    c->filled = 0;
    c->ready = c->latency;
    c->pulled = 0;
    c->failed = false;
fail:
    return status;
}

static mst_status check_whole(const mst_convolver *c, mst_type type, mst_error *error) {
    if (type != c->type)
        return mst_fail(error, MST_ERROR_ARGUMENT, "the stream's samples are %s, not %s", mst_type_name(c->type),
                        mst_type_name(type));
    return c->failed ? mst_fail(error, MST_ERROR_ARGUMENT, "a block of the stream has failed; restart the convolver") : MST_OK;
}

static mst_status push(mst_convolver *c, mst_type type, const void *frames, size_t n, size_t *taken, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(c && taken && (frames || n == 0), MST_ERROR_ARGUMENT, "convolver, frames and taken must not be NULL");
    *taken = 0;
    MST_TRY(check_whole(c, type, error));
    MST_REQUIRE(!c->ended, MST_ERROR_ARGUMENT, "the input has ended with a flush; restart the convolver for another one");
    while (*taken < n && (c->filled + 1 < c->latency || c->pulled == c->ready)) {
        size_t room = c->latency - c->filled - (c->pulled < c->ready), some = mst_smaller(n - *taken, room);
        put_frames(c, frames, *taken, some);
        *taken += some;
        c->frames_in += some;
        if (c->filled == c->latency)
            MST_TRY(run_block(c, error));
    }
fail:
    return status;
}

static mst_status pull(mst_convolver *c, mst_type type, void *frames, size_t n, size_t *given, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(c && given && (frames || n == 0), MST_ERROR_ARGUMENT, "convolver, frames and given must not be NULL");
    *given = 0;
    MST_TRY(check_whole(c, type, error));
    // After the input's end zeros follow it, which do not count.
    uint64_t end = c->frames_in > 0 ? c->frames_in + c->taps - 1 : 0;
    if (c->ended && c->pulled == c->ready && c->frames_out < end) {
        put_frames(c, NULL, 0, c->latency - c->filled);
        MST_TRY(run_block(c, error));
    }
    size_t some = mst_smaller(n, c->ready - c->pulled);
    if (c->ended)
        some = (size_t)mst_smaller((uint64_t)some, end - c->frames_out);
    const size_t frame = c->channels * mst_type_bytes(c->type);
    if (some > 0)
        memcpy(frames, (char *)c->results + c->pulled * frame, some * frame);
    c->pulled += some;
    c->frames_out += some;
    *given = some;
fail:
    return status;
}

mst_status mst_convolver_push(mst_convolver *c, const float *frames, size_t n, size_t *taken, mst_error *error) {
    return push(c, MST_FLOAT32, frames, n, taken, error);
}

mst_status mst_convolver_push_double(mst_convolver *c, const double *frames, size_t n, size_t *taken, mst_error *error) {
    return push(c, MST_FLOAT64, frames, n, taken, error);
}

mst_status mst_convolver_pull(mst_convolver *c, float *frames, size_t n, size_t *given, mst_error *error) {
    return pull(c, MST_FLOAT32, frames, n, given, error);
}

mst_status mst_convolver_pull_double(mst_convolver *c, double *frames, size_t n, size_t *given, mst_error *error) {
    return pull(c, MST_FLOAT64, frames, n, given, error);
}

mst_status mst_convolver_flush(mst_convolver *c, mst_error *error) {
    if (!c)
        return mst_fail(error, MST_ERROR_ARGUMENT, "convolver must not be NULL");
    c->ended = true;
    return MST_OK;
}

mst_status mst_convolver_restart(mst_convolver *c, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(c, MST_ERROR_ARGUMENT, "convolver must not be NULL");
    c->ended = false;
    c->ready = c->pulled = c->filled = 0;
    c->frames_in = c->frames_out = c->computed = 0;
    if (c->failed)
        mst_queue_abandon(&c->queue);
    c->failed = true;
    MST_TRY(mst_parts_clear(&c->head, &c->queue, error));
    if (c->tail.n > 0)
        MST_TRY(mst_parts_clear(&c->tail, &c->queue, error));
    c->failed = false;
fail:
    return status;
}
