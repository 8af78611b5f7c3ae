// Convolves files that are larger than the memory the library may use: 48 MiB in, 51 MiB out, through 8 MiB of the device and
// 8 MiB of RAM. The files are removed at the end.
#define _XOPEN_SOURCE 700
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 6144, SIGNAL = 2048, KERNEL = 129, FULL = SIGNAL + KERNEL - 1, CHECKED = 97 };

static const char *const x_path = "convolve_files_x.npy", *const y_path = "convolve_files_y.npy";
static const char *const z_path = "convolve_files_z.npy";

static void fill(float *values, int n, unsigned seed) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}

// Row b of x is fill() with seed b, of y with seed BATCH: the check makes them again.
static mst_status write_rows(const char *path, int n_rows, int length, unsigned first_seed, mst_error *error) {
    static float row[SIGNAL];
    mst_layout layout = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){(size_t)n_rows, (size_t)length});
    mst_npy *file = NULL;
    mst_status status = mst_npy_create(path, &layout, true, &file, error);
    for (int b = 0; b < n_rows && status == MST_OK; b++) {
        mst_location where = mst_npy_location(file);
        size_t bytes = (size_t)length * sizeof *row;
        fill(row, length, first_seed + (unsigned)b);
        if (pwrite(where.file, row, bytes, (off_t)(where.offset + (uint64_t)b * bytes)) != (ssize_t)bytes) {
            status = error->status = MST_ERROR_IO;
            snprintf(error->message, sizeof error->message, "cannot write %s", path);
        }
    }
    if (status == MST_OK)
        status = mst_npy_commit(file, error);
    mst_npy_close(file);
    return status;
}

static mst_status convolve(mst_context *context, const mst_npy *x, const mst_npy *y, mst_report *report, mst_error *error) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    mst_convolution *plan = NULL;
    mst_npy *z = NULL;
    mst_layout z_layout;
    desc.x = *mst_npy_layout(x);
    desc.y = *mst_npy_layout(y);

    mst_execution how = MST_EXECUTION_INIT;
    how.report = report;

    mst_status status = mst_convolution_result(&desc, &z_layout, error);
    if (status == MST_OK)
        status = mst_convolution_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_npy_create(z_path, &z_layout, true, &z, error);
    if (status == MST_OK)
        status = mst_convolution_execute(plan, mst_npy_location(x), mst_npy_location(y), mst_npy_location(z), &how, error);
    if (status == MST_OK)
        status = mst_npy_commit(z, error); // only now is there a file under its name
    mst_npy_close(z);
    mst_convolution_destroy(plan);
    return status;
}

static mst_status convolve_files(mst_report *report, mst_error *error) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device_memory = 8 << 20;
    desc.host_memory = 8 << 20;

    mst_context *context = NULL;
    mst_npy *x = NULL, *y = NULL;
    mst_status status = mst_context_create(&desc, &context, error);
    if (status == MST_OK)
        status = mst_npy_open(x_path, &x, error);
    if (status == MST_OK)
        status = mst_npy_open(y_path, &y, error);
    if (status == MST_OK)
        status = convolve(context, x, y, report, error);
    mst_npy_close(x);
    mst_npy_close(y);
    mst_context_destroy(context);
    return status;
}

// The error of row b relative to the product of the norms of its signal and the kernel, against the direct sum.
static double row_error(const float *z, int b) {
    static float x[SIGNAL], y[KERNEL];
    double error = 0, x_norm = 0, y_norm = 0;
    fill(x, SIGNAL, (unsigned)b);
    fill(y, KERNEL, BATCH);
    for (int i = 0; i < SIGNAL; i++)
        x_norm += (double)x[i] * x[i];
    for (int i = 0; i < KERNEL; i++)
        y_norm += (double)y[i] * y[i];
    for (int k = 0; k < FULL; k++) {
        double sum = 0;
        for (int i = k < KERNEL ? 0 : k - KERNEL + 1; i <= k && i < SIGNAL; i++)
            sum += (double)x[i] * y[k - i];
        error += pow(z[k] - sum, 2);
    }
    return sqrt(error / (x_norm * y_norm));
}

// Rows spread over the whole file, the first and the last among them.
static double worst_error(mst_error *error) {
    static float row[FULL];
    mst_npy *z = NULL;
    if (mst_npy_open(z_path, &z, error) != MST_OK) {
        fprintf(stderr, "%s\n", error->message);
        return INFINITY;
    }
    mst_location where = mst_npy_location(z);
    double worst = 0;
    for (int i = 0; i < CHECKED; i++) {
        int b = (int)((int64_t)i * (BATCH - 1) / (CHECKED - 1));
        if (pread(where.file, row, sizeof row, (off_t)(where.offset + (uint64_t)b * sizeof row)) != (ssize_t)sizeof row)
            worst = INFINITY;
        else
            worst = fmax(worst, row_error(row, b));
    }
    mst_npy_close(z);
    return worst;
}

int main(void) {
    mst_error error;
    mst_report report = MST_REPORT_INIT;
    double worst = INFINITY;
    mst_status status = write_rows(x_path, BATCH, SIGNAL, 0, &error);
    if (status == MST_OK)
        status = write_rows(y_path, 1, KERNEL, BATCH, &error);
    if (status == MST_OK)
        status = convolve_files(&report, &error);
    if (status == MST_OK)
        worst = worst_error(&error);
    else
        fprintf(stderr, "%s\n", error.message);
    remove(x_path);
    remove(y_path);
    remove(z_path);
    if (status != MST_OK)
        return EXIT_FAILURE;

    printf("%d rows in %llu blocks, %.2f s, largest error of a row: %.1e\n", BATCH, (unsigned long long)report.blocks,
           report.seconds, worst);
    return report.blocks > 1 && worst < 5e-7 ? EXIT_SUCCESS : EXIT_FAILURE;
}
