// Running convolution plans.
#include "support.h"

mst_convolution_desc test_convolution_desc(mst_type tx, size_t bx, size_t n, mst_type ty, size_t by, size_t m) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    size_t x[] = {bx, n}, y[] = {by, m};
    desc.x = mst_layout_dense(tx, 2, x);
    desc.y = mst_layout_dense(ty, 2, y);
    return desc;
}

static mst_convolution *make_plan(mst_context *context, const mst_convolution_desc *desc) {
    mst_error e;
    mst_convolution *plan = NULL;
    OK(mst_convolution_create(context, desc, &plan, &e));
    return plan;
}

test_array test_convolution_run(mst_context *context, const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                                const mst_place places[3], const mst_execution *how) {
    mst_error e;
    mst_layout layout = desc->z;
    if (layout.rank == 0)
        OK(mst_convolution_result(desc, &layout, &e));
    test_array z = test_array_new(&layout);
    test_placed px = test_place(context, places[0], x), py = test_place(context, places[1], y);
    test_placed pz = test_place(context, places[2], &z);
    mst_convolution *plan = make_plan(context, desc);
    OK(mst_convolution_execute(plan, px.at, py.at, pz.at, how, &e));
    mst_convolution_destroy(plan);
    test_collect_input(&px, x);
    test_collect_input(&py, y);
    test_collect_output(&pz, &z);
    return z;
}

static size_t padded_length(mst_context *context, const mst_convolution_desc *desc) {
    mst_convolution *plan = make_plan(context, desc);
    size_t n = mst_convolution_padded_length(plan);
    mst_convolution_destroy(plan);
    return n;
}

void test_convolution_check(mst_context *context, const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                            const mst_place places[3]) {
    test_array z = test_convolution_run(context, desc, x, y, places, NULL);
    long double *norms = malloc((z.elements + 1) * sizeof *norms);
    CHECK(norms, "no memory");
    test_wide *reference = test_convolution_reference(desc, x, y, &z.layout, norms);
    size_t n = padded_length(context, desc), worst;
    double error = test_convolution_error(&z, desc->axes[0], reference, norms, &worst), gate = 2 * test_gate(&z.layout, n);
    CHECK(error <= gate,
          "%s, mode %d%s, axis %d, x %s in %s, y %s in %s -> z %s in %s, N = %zu: error %.3g is above %.3g, worst vector %zu",
          mst_convolution_algorithm_name(desc->algorithm), (int)desc->mode, desc->correlate ? " correlate" : "", desc->axes[0],
          test_layout_text(&x->layout), test_place_name(places[0]), test_layout_text(&y->layout), test_place_name(places[1]),
          test_layout_text(&z.layout), test_place_name(places[2]), n, error, gate, worst);
    free(reference);
    free(norms);
    test_array_free(&z);
}

mst_status test_convolution_attempt(uint64_t device_memory, uint64_t host_memory, const mst_convolution_desc *desc, void *data,
                                    size_t result, mst_error *e) {
    mst_context *context = test_context_with_budget(device_memory, host_memory);
    mst_convolution *plan = NULL;
    mst_status status = mst_convolution_create(context, desc, &plan, e);
    if (status == MST_OK)
        status = mst_convolution_execute(plan, mst_at_host(data), mst_at_host(data), mst_at_host((char *)data + result), NULL, e);
    mst_convolution_destroy(plan);
    CHECK(mst_context_device_memory_used(context) == 0, "memory is still held after %s", mst_status_name(status));
    mst_context_destroy(context);
    return status;
}
