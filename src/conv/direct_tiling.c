#include "direct.h"

#include "fft/pass.h"
#include "runtime/numbers.h"

#include <string.h>

#define CPU_SUMS 8u // vectors at once: direct_cpu.cl's N_SUMS
#define CPU_TILE_ROWS 16u
#define CPU_TILE_COLUMNS 256u
#define CPU_LINE_COLUMNS 4096u
#define CPU_LEAST_COLUMNS 64u         // where local memory is small
#define CPU_LOCAL ((size_t)128 << 10) // of the second cache
#define CPU_ITEMS 16u                 // a core, so that all end at about the same time
#define GPU_GROUP 128u
#define GPU_ROWS 16u // results a work-item: of two axes
#define GPU_RUN 9u   // of one: odd, so that neighbours use different banks of local memory
#define GPU_LANES 64u
#define GPU_LOCAL ((size_t)40 << 10)
#define WINDOW_TAPS 64u // the most of direct_window.cl: more are summed too slowly, and rounded too often
#define WINDOW_HELD 25u // up to which it holds rows of the signal
#define WINDOW_GROUP 256u
#define LINE_TAPS 64u // the most of direct_line.cl
#define LINE_RUN 16u
#define MOST_PLACES ((uint64_t)1 << 29)
#define MOST_BLOCK 32u      // rows and columns of taps at once
#define MOST_LINE_BLOCK 64u // of one axis

static size_t offset_start(const mst_convolution_desc *d, int axis) {
    size_t n = d->x.shape[axis], m = d->y.shape[axis];
    return d->mode == MST_CONVOLUTION_SAME ? (m - 1) / 2 : d->mode == MST_CONVOLUTION_VALID ? mst_smaller(n, m) - 1 : 0;
}

// Circular correlation alone begins with the first element of the signal under the first tap.
static int64_t offset_of(const mst_convolution_desc *d, int axis, size_t taps) {
    bool turned = d->mode == MST_CONVOLUTION_CIRCULAR && d->correlate;
    return turned ? 0 : (int64_t)offset_start(d, axis) - (int64_t)(taps - 1);
}

// Of arrays with two axes: whether 32 bits count the places in an image.
static bool is_small(const mst_convolution *plan, int array) {
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *layout = mst_convolution_layout(plan, array);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    for (int k = 0; k < d->n_axes; k++) {
        int axis = d->axes[k];
        uint64_t most = MOST_PLACES / (layout->shape[axis] + MOST_BLOCK);
        int64_t strides[] = {layout->strides[axis], packed.strides[axis]};
        for (int p = 0; p < 2; p++)
            if ((uint64_t)(strides[p] < 0 ? -strides[p] : strides[p]) > most)
                return false;
    }
    return true;
}

static void measure(const mst_convolution *plan, mst_direct_tiling *t) {
    const mst_convolution_desc *d = &plan->desc;
    size_t taps[2] = {1, 1}; // of x and y
    for (int k = 0; k < d->n_axes; k++) {
        taps[X] *= d->x.shape[d->axes[k]];
        taps[Y] *= d->y.shape[d->axes[k]];
    }
    t->taps = taps[X] < taps[Y] ? X : Y;
    t->signal = t->taps == X ? Y : X;
    t->n_taps = taps[t->taps];
    t->n_axes = d->n_axes;
    t->parts = mst_type_is_complex(d->z.type) ? 2 : 1;
    const mst_layout *signal = mst_convolution_layout(plan, t->signal), *kernel = mst_convolution_layout(plan, t->taps);
    int row = d->axes[0], column = d->axes[d->n_axes - 1];
    bool two = d->n_axes > 1;
    t->signal_rows = two ? signal->shape[row] : 1;
    t->signal_columns = signal->shape[column];
    t->tap_rows = two ? kernel->shape[row] : 1;
    t->tap_columns = kernel->shape[column];
    t->result_rows = two ? d->z.shape[row] : 1;
    t->result_columns = d->z.shape[column];
    t->offset_row = two ? offset_of(d, row, t->tap_rows) : 0;
    t->offset_column = offset_of(d, column, t->tap_columns);
    t->one_kernel = plan->n_lines[t->taps] == 1;
    bool integers = signal->type >= MST_INT8 && kernel->type >= MST_INT8; // whose sums are exact
    t->separable = t->cpu && two && !mst_type_is_complex(kernel->type) && !integers;
    t->small = two && is_small(plan, t->signal) && is_small(plan, t->taps) && is_small(plan, Z);
}

// Local memory of a tile with its surroundings, and of the taps.
static size_t count_local(mst_direct_tiling *t, size_t number, unsigned planes) {
    unsigned lines = !t->cpu && t->n_axes == 1 && !t->one_kernel ? t->rows : 1;
    t->pitch = t->columns + (t->block_columns - 1) * t->parts;
    t->height = t->n_axes > 1 || t->cpu ? t->rows + t->block_rows - 1 : t->rows;
    t->room = planes * t->block_rows * t->block_columns + (t->separable ? t->block_rows + t->block_columns : 0);
    t->values_bytes = (size_t)t->pitch * t->height * (t->cpu ? planes : 1) * number;
    t->weights_bytes = (size_t)t->room * lines * number;
    bool blocks = t->tap_rows > t->block_rows || t->tap_columns > t->block_columns;
    t->totals_bytes = t->cpu && blocks ? (size_t)t->rows * t->columns * number : number;
    return t->values_bytes + t->weights_bytes + t->totals_bytes;
}

static unsigned power_for(size_t n, unsigned least, unsigned most) {
    unsigned p = least;
    while (p < most && p < n)
        p *= 2;
    return p;
}

static void choose_cpu_tile(mst_direct_tiling *t, bool is_double) {
    size_t numbers = t->result_columns * t->parts;
    t->lanes = is_double ? 4 : 8;
    unsigned step = t->n_axes > 1 ? t->lanes : t->lanes * CPU_SUMS, most = t->n_axes > 1 ? CPU_TILE_COLUMNS : CPU_LINE_COLUMNS;
    t->columns = numbers < most ? (unsigned)mst_round_up(numbers, (size_t)step) : most;
    t->rows = t->n_axes == 1 ? 1 : t->result_rows <= CPU_SUMS ? CPU_SUMS : CPU_TILE_ROWS;
}

// Of one axis: as many work-items side by side as leave few without work.
static unsigned lanes_for(const mst_direct_tiling *t) {
    size_t numbers = t->result_columns * t->parts, best = SIZE_MAX;
    unsigned best_lanes = 4;
    for (unsigned lanes = 4; lanes <= t->group; lanes *= 2) {
        size_t tile = (size_t)lanes * t->item, work = mst_divide_up(numbers, tile) * (tile + mst_smaller(t->tap_columns, 64) / 2);
        if (work <= best) {
            best = work;
            best_lanes = lanes;
        }
    }
    return best_lanes;
}

static void choose_gpu_tile(mst_direct_tiling *t) {
    size_t numbers = t->result_columns * t->parts;
    t->group = GPU_GROUP;
    t->item = t->n_axes > 1 ? GPU_ROWS : GPU_RUN;
    t->lanes = t->n_axes > 1 ? power_for(numbers, 16, GPU_LANES) : lanes_for(t);
    unsigned height = t->group / t->lanes;
    t->rows = t->n_axes > 1 ? height * t->item : height;
    t->columns = t->n_axes > 1 ? t->lanes : t->lanes * t->item;
}

// The most numbers a vector, of `most`, that rows of an array divide into, where it lies and packed; 0 if neighbours in a row are
// not neighbours in memory.
static unsigned vector_of(const mst_convolution *plan, int array, unsigned most) {
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *layout = mst_convolution_layout(plan, array);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    int row = d->axes[0], column = d->axes[1];
    unsigned vector = most, parts = mst_type_is_complex(layout->type) ? 2 : 1;
    const int64_t strides[] = {layout->strides[row], packed.strides[row]};
    for (int k = 0; k < 2; k++) {
        int64_t size = strides[k] < 0 ? -strides[k] : strides[k];
        while (vector > 1 && (uint64_t)size * parts % vector != 0)
            vector /= 2;
    }
    while (layout->shape[column] * parts % vector != 0)
        vector /= 2;
    bool near = layout->shape[column] == 1 || (layout->strides[column] == 1 && packed.strides[column] == 1);
    return near ? vector : 0;
}

// Windows of images in registers, for small kernels of real numbers.
static void choose_window(const mst_convolution *plan, mst_direct_tiling *t) {
    const mst_convolution_desc *d = &plan->desc;
    bool turned = d->correlate && t->taps == X;
    unsigned most = plan->work_type == MST_COMPLEX128 ? 2 : 4;
    if (t->cpu || !t->small || turned || t->n_taps > WINDOW_TAPS || t->device->max_work_group_size < WINDOW_GROUP ||
        mst_type_is_complex(mst_convolution_layout(plan, t->taps)->type))
        return;
    unsigned signal = vector_of(plan, t->signal, most), result = vector_of(plan, Z, most);
    t->vector = signal < result ? signal : result;
    int64_t offset = t->offset_column * (int64_t)t->parts, vector = t->vector;
    if (vector == 0)
        return;
    t->shift = (unsigned)((offset % vector + vector) % vector);
    bool narrow = t->vector == 1;
    t->hold_rows = t->vector == 4 && t->n_taps <= WINDOW_HELD;
    t->local_taps = !t->hold_rows;
    t->item = narrow ? 16 : t->hold_rows || most == 2 ? 4 : 8;
    t->group = WINDOW_GROUP;
    t->lanes = power_for(t->result_columns * t->parts / t->vector, 8, narrow ? 64 : 32);
    t->rows = t->group / t->lanes * t->item;
    t->columns = t->lanes * t->vector;
}

// Whether neighbours along the axis of signals are neighbours in memory.
static bool is_near(const mst_convolution *plan, int array) {
    const mst_layout *layout = mst_convolution_layout(plan, array);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    int column = plan->desc.axes[0];
    return layout->shape[column] == 1 || (layout->strides[column] == 1 && packed.strides[column] == 1);
}

static unsigned divisor_of(size_t n, unsigned most) {
    while (n % most)
        most /= 2;
    return most;
}

// Returns the local memory of a tile.
static size_t place_line(mst_direct_tiling *t, size_t number) {
    t->rows = t->group / t->lanes;
    t->columns = t->lanes * t->item;
    unsigned fours = t->columns / 4 + t->room;
    t->pitch = fours + fours / 8 + 1; // with direct_line.cl's gaps
    t->values_bytes = (size_t)t->pitch * t->rows * 4 * number;
    t->weights_bytes = (size_t)t->room * (t->one_kernel ? 1 : t->rows) * 4 * number;
    return t->values_bytes + t->weights_bytes;
}

// Windows of signals in registers, for short kernels of real numbers.
static void choose_line(const mst_convolution *plan, mst_direct_tiling *t, size_t number, size_t limit) {
    const mst_convolution_desc *d = &plan->desc;
    bool turned = d->correlate && t->taps == X;
    unsigned most = number == sizeof(double) ? 2 : 4;
    if (t->cpu || t->n_axes > 1 || turned || t->n_taps > LINE_TAPS ||
        mst_type_is_complex(mst_convolution_layout(plan, t->taps)->type) || !is_near(plan, t->signal) || !is_near(plan, Z))
        return;
    mst_direct_tiling line = *t;
    line.line = true;
    line.vector = divisor_of(t->signal_columns * t->parts, most);
    line.result_vector = divisor_of(t->result_columns * t->parts, most);
    int64_t offset = t->offset_column * (int64_t)t->parts, vector = line.vector;
    line.shift = (unsigned)((offset % vector + vector) % vector);
    line.item = LINE_RUN;
    line.room = mst_divide_up(line.shift + (unsigned)t->n_taps * t->parts, 4u);
    // More work-items side by side, with fewer lines, take less local memory.
    for (line.lanes = lanes_for(&line); place_line(&line, number) > limit && line.lanes < line.group;)
        line.lanes *= 2;
    if (line.values_bytes + line.weights_bytes <= limit)
        *t = line;
}

void mst_direct_plan(const mst_convolution *plan, mst_direct_tiling *t) {
    const mst_device_info *device = &plan->context->device;
    bool is_double = plan->work_type == MST_COMPLEX128;
    memset(t, 0, sizeof *t);
    t->device = device;
    mst_fft_shape shape = plan->desc.shape;
    t->cpu = shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(device) : shape == MST_FFT_SHAPE_CPU;
    measure(plan, t);
    if (t->cpu)
        choose_cpu_tile(t, is_double);
    else
        choose_gpu_tile(t);
    unsigned planes = mst_type_is_complex(mst_convolution_layout(plan, t->taps)->type) ? 2 : 1;
    size_t limit = mst_smaller(t->cpu ? CPU_LOCAL : GPU_LOCAL, (size_t)device->local_memory_bytes * 7 / 8);
    t->block_rows = (unsigned)mst_smaller(t->tap_rows, MOST_BLOCK);
    t->block_columns = (unsigned)mst_smaller(t->tap_columns, t->n_axes > 1 ? MOST_BLOCK : MOST_LINE_BLOCK);
    while (count_local(t, is_double ? 8 : 4, planes) > limit && t->block_rows * t->block_columns > 1)
        *(t->block_columns >= t->block_rows ? &t->block_columns : &t->block_rows) /= 2;
    while (t->cpu && count_local(t, is_double ? 8 : 4, planes) > limit && t->columns > CPU_LEAST_COLUMNS)
        t->columns = (unsigned)mst_round_up(t->columns / 2, CPU_LEAST_COLUMNS);
    choose_window(plan, t);
    choose_line(plan, t, is_double ? 8 : 4, limit);
}

cl_long8 mst_direct_sizes(const mst_direct_tiling *t) {
    return (cl_long8){.s = {(cl_long)t->signal_rows, (cl_long)t->signal_columns, (cl_long)t->tap_rows, (cl_long)t->tap_columns,
                            (cl_long)t->result_rows, (cl_long)t->result_columns, t->offset_row, t->offset_column}};
}

static unsigned log2_of(unsigned power) {
    unsigned log = 0;
    while (1u << log < power)
        log++;
    return log;
}

// Of a line, or on GPUs of one axis of as many as a tile has.
static size_t tiles_down(const mst_direct_tiling *t) {
    return !t->cpu && t->n_axes == 1 ? 1 : mst_divide_up(t->result_rows, (size_t)t->rows);
}

static size_t tiles_across(const mst_direct_tiling *t) { return mst_divide_up(t->result_columns * t->parts, (size_t)t->columns); }

size_t mst_direct_tiles(const mst_direct_tiling *t, size_t n_lines) {
    const size_t lines = !t->cpu && t->n_axes == 1 ? mst_divide_up(n_lines, (size_t)t->rows) : n_lines;
    return lines * tiles_down(t) * tiles_across(t);
}

double mst_direct_tile_products(const mst_direct_tiling *t) { return (double)t->rows * t->columns * (double)t->n_taps; }

mst_direct_launch mst_direct_share_out(const mst_direct_tiling *t, size_t n_lines, size_t first_tile, size_t n_tiles) {
    mst_direct_launch launch;
    size_t down = tiles_down(t), across = tiles_across(t);
    size_t units = t->device->compute_units ? t->device->compute_units : 1, each = mst_divide_up(n_tiles, units * CPU_ITEMS);
    launch.items = t->cpu ? mst_divide_up(n_tiles, each) : n_tiles * t->group;
    if (t->cpu) {
        launch.tiles = (cl_long8){.s = {(cl_long)n_lines, (cl_long)down, (cl_long)across, (cl_long)each,
                                        (cl_long)(first_tile + n_tiles), (cl_long)first_tile}};
        launch.tile = (cl_int8){.s = {(cl_int)t->rows, (cl_int)t->columns, (cl_int)t->pitch, (cl_int)t->height,
                                      (cl_int)t->block_rows, (cl_int)t->block_columns}};
    } else {
        launch.tiles =
            (cl_long8){.s = {(cl_long)n_lines, (cl_long)down, (cl_long)across, t->one_kernel ? 1 : 2, 0, (cl_long)first_tile}};
        launch.tile = (cl_int8){
            .s = {(cl_int)log2_of(t->lanes), (cl_int)t->pitch, (cl_int)t->block_rows, (cl_int)t->block_columns, (cl_int)t->room}};
    }
    return launch;
}
