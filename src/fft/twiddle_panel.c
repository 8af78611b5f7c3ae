#include "twiddle_panel.h"

#include "panels.h"
#include "pass.h"
#include "runtime/numbers.h"
#include "twiddle.h"

#include <stdlib.h>

#define CPU_SPAN 1024 // values of a work-item

mst_status mst_panel_kernel(mst_context *context, bool is_double, const char *name, mst_kernel **out, mst_error *error) {
    const mst_program *program;
    mst_status status = mst_program_of_file(context, "fft: twiddles of panels", "panels.cl",
                                            mst_program_precision(context, is_double), &program, error);
    return status == MST_OK ? mst_kernel_create(program, name, out, error) : status;
}

mst_status mst_panel_roots(mst_context *context, bool is_double, size_t n, mst_device_table *out, mst_error *error) {
    size_t number = is_double ? 16 : 8, count = mst_fft_panel_twiddle_count(n);
    unsigned shift = mst_fft_panel_twiddle_shift(n);
    size_t low = (size_t)1 << shift;
    void *values = malloc(count * number);
    for (size_t i = 0; values && i < count; i++) {
        size_t index = i < low ? i : (i - low) << shift;
        mst_table_put(values, is_double, i, mst_twiddle(index % n, n));
    }
    out->bytes = count * number;
    return mst_table_upload(context, out, values, error);
}

mst_status mst_panel_twiddle(mst_queue *queue, const mst_kernel *kernel, const mst_panel_twiddles *of, mst_error *error) {
    cl_uint shift = mst_fft_panel_twiddle_shift(of->length);
    cl_uint span = mst_pass_suits_cpu(&queue->context->device) ? CPU_SPAN : 1;
    double sign = of->inverse ? -1 : 1;
    size_t n_items = (size_t)mst_divide_up(of->n, (cl_ulong)span);
    const mst_argument arguments[] = {MST_BIND(panel, of->panel),
                                      MST_BIND(first, of->first),
                                      MST_BIND(n, of->n),
                                      MST_BIND(row_stride, of->row_stride),
                                      MST_BIND(row_count, of->row_count),
                                      MST_BIND(column_stride, of->column_stride),
                                      MST_BIND(column_count, of->column_count),
                                      MST_BIND(column_first, of->column_first),
                                      MST_BIND(column_end, of->column_end),
                                      MST_BIND(roots, of->roots),
                                      MST_BIND(shift, shift),
                                      MST_BIND(sign, sign),
                                      MST_BIND(span, span)};
    return mst_kernel_launch(queue, kernel, arguments, MST_COUNT(arguments), n_items,
                             mst_kernel_group(queue->context, kernel, n_items), NULL, error);
}
