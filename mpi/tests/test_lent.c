// What devices are lent of the host's memory by convolutions of which nothing is exchanged, whose results are those of sums.
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Convolves one line of n elements with one of m on each rank, where nothing is exchanged, with itself if they are one array. How
// often the result was lent.
static int check_lines(mst_context *context, size_t n, size_t m, bool is_one) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_convolution *plan = NULL;
    mst_error e;
    const size_t bytes = (n + m) * sizeof(float) / 64 * 64 + 64; // the device takes what is aligned
    float *const x = aligned_alloc(64, bytes), *const y = is_one ? x : aligned_alloc(64, bytes),
                 *const z = aligned_alloc(64, bytes);
    double error = 0, norm = 0;
    CHECK(x && y && z, "no memory");
    d.x = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){(size_t)test_n_ranks, n});
    d.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){(size_t)test_n_ranks, m});
    d.axes[0] = 1;
    memset(z, 0xff, bytes);
    for (size_t i = 0; i < m; i++)
        y[i] = (float)test_value(i);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_value(i);
    OK(mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_SLABS, 60, &plan, &e));
    (void)test_lent(z);
    OK(mst_mpi_convolution_execute(plan, x, y, z, &e));
    const int lent = test_lent(NULL);
    for (size_t k = 0; k < n + m - 1; k++) {
        double sum = 0;
        for (size_t i = k < m ? 0 : k - m + 1; i <= k && i < n; i++)
            sum += (double)x[i] * (double)y[k - i];
        error += pow((double)z[k] - sum, 2);
        norm += sum * sum;
    }
    CHECK(sqrt(error) <= 4e-6 * sqrt(norm), "lines of %zu and %zu elements: relative error %g", n, m, sqrt(error / norm));
    mst_mpi_convolution_destroy(plan);
    free(x);
    if (!is_one)
        free(y);
    free(z);
    return lent;
}

// A device in the host's memory is lent arrays, but not one twice, nor those that pass in panels where its budget is small.
static void check_lent(mst_context *context) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *small = NULL;
    mst_error e;
    desc.device_memory = 150000;
    OK(mst_mpi_context_create(MPI_COMM_WORLD, &desc, &small, &e));
    int lent = check_lines(context, 600, 600, false);
    CHECK(lent == (mst_context_device(context)->unified_memory ? 1 : 0), "a result was lent %d times", lent);
    (void)check_lines(context, 600, 600, true);
    lent = check_lines(small, 50021, 77, false);
    CHECK(lent == 0, "the result of panels was lent");
    mst_context_destroy(small);
}

int main(int argc, char **argv) {
    mst_context *context = test_begin(&argc, &argv);
    check_lent(context);
    test_end(context);
    return 0;
}
