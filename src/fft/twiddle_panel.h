// Twiddles between the two passes of a long axis (Bailey's four-step method), on the device: values of a packed array times
// exp(-2 pi i k1 j2 / n), or its conjugate.
#ifndef MST_FFT_TWIDDLE_PANEL_H
#define MST_FFT_TWIDDLE_PANEL_H

#include "device_table.h"
#include "runtime/kernel.h"

// A kernel of panels.cl, and the table of roots that they read: two levels, of some sqrt(n) each.
mst_status mst_panel_kernel(mst_context *context, bool is_double, const char *name, mst_kernel **out, mst_error *error);
mst_status mst_panel_roots(mst_context *context, bool is_double, size_t n, mst_device_table *out, mst_error *error);

// Values first .. first + n - 1 of a buffer. Of value e of them, k1 is e / row_stride % row_count, and j2 is
// e / column_stride % column_count + column_first, which is below column_end or counts as 0.
typedef struct mst_panel_twiddles {
    cl_mem panel, roots;
    size_t length; // of the axis
    bool inverse;
    cl_ulong first, n, row_stride, row_count, column_stride, column_count;
    cl_long column_first, column_end;
} mst_panel_twiddles;

mst_status mst_panel_twiddle(mst_queue *queue, const mst_kernel *kernel, const mst_panel_twiddles *of, mst_error *error);

#endif
