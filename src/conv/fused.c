// The fused algorithm: padding, both transforms, the product, the inverse and cropping in one kernel, so that every value crosses
// memory once, where a work-group (on a CPU, the cache) holds a padded vector. Longer vectors and images take one pass more for
// each digit before the last: its columns forward for both operands, the fused rows, the columns back. Nothing is transposed or
// reordered.
#include "panels.h"
#include "stage.h"

#include "runtime/numbers.h"

#include <stdlib.h>

#define MAX_STAGES (3 * MST_CONV_DIGITS)

typedef struct work_memory {
    bool kept;      // a spectrum that serves several vectors of the result,
    bool fixed;     // and every block of the stream
    size_t vectors; // an item of the stream; of a fixed one: in all
    bool needed;
    cl_mem buffer;
    uint64_t bytes;
} work_memory;

typedef struct mst_fused {
    mst_convolution *plan;
    mst_stream *stream;
    mst_geometry geometry;
    size_t lines_an_item; // of the result
    size_t items_at_once; // that go through all stages together
    work_memory works[N_ARRAYS];
    int result; // the work memory of the result: of an operand, where one is free
    int n_stages;
    mst_stage stages[MAX_STAGES];
} mst_fused;

static size_t work_vectors(const work_memory *w, size_t n_items) { return w->fixed ? w->vectors : w->vectors * n_items; }

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    mst_fused *fused = user;
    mst_status status = MST_OK;
    mst_context *context = fused->plan->context;
    uint64_t vector = fused->geometry.points * mst_type_bytes(fused->plan->work_type);
    for (int a = 0; a < N_ARRAYS; a++) {
        mst_device_release(context, fused->works[a].buffer, fused->works[a].bytes);
        fused->works[a].buffer = NULL;
    }
    for (int a = 0; a < N_ARRAYS && n_items > 0; a++) {
        work_memory *w = &fused->works[a];
        if (!w->needed)
            continue;
        w->bytes = work_vectors(w, mst_smaller(n_items, fused->items_at_once)) * vector;
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, w->bytes, "spectra", &w->buffer, error));
    }
fail:
    return status;
}

// Whether the kernel gets an array of the caller's with its gaps, or packed, depends on where it lies.
static bool has_gaps(const mst_fused *fused, const mst_stage_port *p) {
    return !p->work && !mst_layout_is_dense(mst_convolution_layout(fused->plan, p->array));
}

static mst_stage_array array_of(const mst_fused *fused, const mst_block *block, const mst_stage_port *p) {
    int work_of = p->array == Z ? fused->result : p->array;
    if (p->work)
        return (mst_stage_array){fused->works[work_of].buffer, 0, 0, false};
    const mst_block_port *port = &block->ports[p->array];
    return (mst_stage_array){port->buffer, port->base, port->first_item * fused->lines_an_item,
                             !port->packed && has_gaps(fused, p)};
}

static mst_status compute_part(mst_fused *fused, const mst_block *part, bool first, bool last, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < fused->n_stages; k++) {
        mst_stage *s = &fused->stages[k];
        mst_stage_array arrays[N_STAGE_PORTS];
        int array = s->ports[FROM].array;
        size_t vectors = part->count * fused->lines_an_item * fused->geometry.n_blocks;
        if (s->kind == MST_STAGE_FORWARD) {
            if (fused->works[array].fixed && !first)
                continue; // its spectrum is there
            vectors = work_vectors(&fused->works[array], part->count);
        }
        for (int port = 0; port < N_STAGE_PORTS; port++)
            arrays[port] = array_of(fused, part, &s->ports[s->kind != MST_STAGE_FUSED && port == WITH ? FROM : port]);
        if (last && k + 1 == fused->n_stages)
            mst_queue_expect_mark(part->queue);
        MST_TRY(mst_stage_enqueue(s, part->queue, arrays, vectors, error));
    }
fail:
    return status;
}

// Some items at a time, so that what lies between stages is still in the device's cache when it is read.
static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    mst_fused *fused = user;
    for (size_t done = 0; done < block->count; done += fused->items_at_once) {
        mst_block part = *block;
        part.count = mst_smaller(block->count - done, fused->items_at_once);
        for (int a = 0; a < N_ARRAYS; a++)
            if (a == Z || !mst_stage_one(fused->plan, a))
                part.ports[a].first_item += done;
        bool last = done + part.count == block->count;
        MST_TRY(compute_part(fused, &part, block->is_first && done == 0, last, error));
    }
fail:
    return status;
}

static mst_stage *add_stage(mst_fused *fused, mst_stage_kind kind, int digit) {
    mst_stage *s = &fused->stages[fused->n_stages++];
    s->plan = fused->plan;
    s->g = &fused->geometry;
    s->kind = kind;
    s->digit = digit;
    return s;
}

static mst_status plan_stages(mst_fused *fused, mst_error *error) {
    mst_status status = MST_OK;
    int last = fused->geometry.n_digits - 1;
    for (int a = X; a <= Y; a++)
        for (int d = 0; d < last + fused->works[a].kept; d++) {
            mst_stage *s = add_stage(fused, MST_STAGE_FORWARD, d);
            s->ports[FROM] = (mst_stage_port){.array = a, .work = d > 0, .forward = true};
            s->ports[TO] = (mst_stage_port){.array = a, .work = true};
        }
    mst_stage *fusion = add_stage(fused, MST_STAGE_FUSED, last);
    for (int a = X; a <= Y; a++) {
        bool kept = fused->works[a].kept;
        fusion->ports[a == X ? FROM : WITH] =
            (mst_stage_port){.array = a, .work = last > 0 || kept, .kept = kept, .forward = !kept};
    }
    fusion->ports[TO] = (mst_stage_port){.array = Z, .work = last > 0};
    for (int d = last - 1; d >= 0; d--) {
        mst_stage *s = add_stage(fused, MST_STAGE_BACKWARD, d);
        s->ports[FROM] = (mst_stage_port){.array = Z, .work = true, .forward = true};
        s->ports[TO] = (mst_stage_port){.array = Z, .work = d > 0};
    }
    for (int k = 0; k < fused->n_stages; k++)
        MST_TRY(mst_stage_plan(&fused->stages[k], fused->stages, k, error));
fail:
    return status;
}

// Which vectors have work memory. An operand with fewer vectors than the result is transformed once for all of them.
static void plan_works(mst_fused *fused) {
    const mst_convolution *plan = fused->plan;
    const mst_geometry *g = &fused->geometry;
    bool several = g->n_digits > 1;
    size_t all = plan->n_lines[Z] * g->n_blocks;
    fused->result = Z;
    for (int a = Y; a >= X; a--) {
        work_memory *w = &fused->works[a];
        size_t own = plan->n_lines[a] * mst_stage_blocks(g, a);
        w->kept = own < all;
        w->fixed = w->kept && mst_stage_one(plan, a);
        w->needed = several || w->kept;
        w->vectors = w->fixed ? own : fused->lines_an_item * mst_stage_blocks(g, a);
        if (!w->kept)
            fused->result = a;
    }
    fused->works[Z].needed = several && fused->result == Z;
    fused->works[Z].vectors = fused->lines_an_item * g->n_blocks;
}

// Work memory of an item of the stream, that all items share, and the largest piece of the first.
static uint64_t count_work(const mst_fused *fused, uint64_t *fixed, uint64_t *piece) {
    uint64_t vector = fused->geometry.points * mst_type_bytes(fused->plan->work_type), item = 0;
    *fixed = *piece = 0;
    for (int a = 0; a < N_ARRAYS; a++) {
        const work_memory *w = &fused->works[a];
        uint64_t bytes = w->needed ? w->vectors * vector : 0;
        *(w->fixed ? fixed : &item) += bytes;
        if (!w->fixed && bytes > *piece)
            *piece = bytes;
    }
    return item;
}

// On a CPU what lies between stages stays in its cache; on a GPU each launch must be long beside its beginning and end.
#define CPU_WORK ((uint64_t)4 << 20)
#define GPU_WORK ((uint64_t)1 << 30)

uint64_t mst_fused_work(bool cpu) { return cpu ? CPU_WORK : GPU_WORK; }

// With a single stage nothing lies between stages. A small budget counts too.
static size_t choose_items_at_once(const mst_fused *fused, size_t n_items, uint64_t item) {
    mst_context *context = fused->plan->context;
    uint64_t chosen = fused->plan->choice.work_bytes, most = chosen ? chosen : mst_fused_work(fused->geometry.cpu);
    uint64_t left = mst_budget_left(context, &context->device_memory) / 8;
    most = mst_smaller(left, most);
    if (fused->n_stages == 1 || item == 0 || most / item >= n_items)
        return n_items;
    return most < item ? 1 : (size_t)(most / item);
}

static mst_status make_stream(mst_fused *fused, mst_error *error) {
    const mst_convolution *plan = fused->plan;
    const mst_convolution_desc *d = &plan->desc;
    int split = fused->geometry.axes[0].axis;
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_lines[Z] / fused->lines_an_item,
        .n_ports = N_ARRAYS,
        .ports = {{MST_PORT_INPUT, d->x, split, "x"}, {MST_PORT_INPUT, d->y, split, "y"}, {MST_PORT_OUTPUT, d->z, split, "z"}},
        .prepare = prepare,
        .compute = compute,
        .user = fused};
    for (int a = X; a <= Y; a++)
        if (mst_stage_one(plan, a))
            stream.ports[a].kind = MST_PORT_FIXED;
    mst_panel_put_windows(plan, &stream);
    uint64_t item = count_work(fused, &stream.fixed_work_bytes, &stream.item_work_piece);
    fused->items_at_once = choose_items_at_once(fused, stream.n_items, item);
    if (fused->items_at_once == stream.n_items)
        stream.item_work_bytes = item;
    else
        stream.fixed_work_bytes += fused->items_at_once * item;
    for (int k = 0; k < fused->n_stages; k++)
        stream.table_bytes += mst_stage_table_bytes(&fused->stages[k]);
    return mst_stream_create(&stream, &fused->stream, error);
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution_desc *d = &plan->desc;
    mst_fused *fused = plan->work = calloc(1, sizeof *fused);
    MST_REQUIRE(fused, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    fused->plan = plan;
    MST_TRY(mst_geometry_choose(plan, &fused->geometry, error));
    fused->lines_an_item = 1;
    for (int k = fused->geometry.axes[0].axis + 1; k < d->z.rank; k++)
        if (!mst_convolution_is_along(plan, k))
            fused->lines_an_item *= d->z.shape[k];
    plan_works(fused);
    MST_TRY(plan_stages(fused, error));
    MST_TRY(make_stream(fused, error));
    plan->stream = fused->stream;
    for (int k = 0; k < fused->n_stages; k++) {
        mst_stage *s = &fused->stages[k];
        bool with = s->kind == MST_STAGE_FUSED && has_gaps(fused, &s->ports[WITH]);
        MST_TRY(mst_stage_make_tables(s, error));
        if (!s->any && !with && !has_gaps(fused, &s->ports[FROM]) && !has_gaps(fused, &s->ports[TO]))
            MST_TRY(mst_device_pass_make(&s->device, 0, error));
    }
fail:
    return status;
}

static void destroy(void *work) {
    mst_fused *fused = work;
    if (!fused)
        return;
    mst_stream_destroy(fused->stream);
    prepare(fused, 0, NULL);
    for (int k = 0; k < fused->n_stages; k++)
        mst_stage_destroy(&fused->stages[k]);
    free(fused);
}

static mst_status execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const mst_fused *fused = plan->work;
    return mst_stream_run(plan->context, fused->stream, where, how, error);
}

static size_t padded_length(const mst_convolution *plan) {
    const mst_fused *fused = plan->work;
    return fused->geometry.points << fused->geometry.right_angle;
}

const mst_convolution_method mst_fused_method = {create, destroy, execute, padded_length};
