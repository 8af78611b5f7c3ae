#include "race.h"

enum { N_WIDTHS = 5 };

// c * (a - b) in each width, with a tail, then with strides on the device, and both by byte code.
static void run(mst_context *context, int c) {
    enum { N = 37 };
    static float a[3][N], z[N];
    mst_error error;
    mst_map *plan;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map_input inputs[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    cl_int code = CL_SUCCESS;
    cl_mem buffer = NULL;
    const size_t shape[] = {N};
    for (int k = 0; k < 3; k++) {
        inputs[k].layout = mst_layout_dense(MST_FLOAT32, 1, shape);
        fill(a[k], MST_FLOAT32, N, k);
    }
    desc.expression = "(a - b) * c";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    desc.vector_width = c < N_WIDTHS ? 1u << c : 4;
    desc.compile_from = c > N_WIDTHS ? UINT64_MAX : 1;
    mst_location at[] = {mst_at_host(a[0]), mst_at_host(a[1]), mst_at_host(a[2])};
    if (c == N_WIDTHS || c == N_WIDTHS + 1) { // the first array backwards
        buffer = clCreateBuffer(mst_context_opencl(context), CL_MEM_COPY_HOST_PTR, sizeof a[0], a[0], &code);
        inputs[0].layout.strides[0] = -1;
        at[0] = mst_at_device(buffer, (N - 1) * sizeof(float));
    }
    check(code == CL_SUCCESS ? MST_OK : MST_ERROR_OPENCL, &error);
    check(mst_map_create(context, &desc, &plan, &error), &error);
    check(mst_map_execute(plan, at, mst_at_host(z), NULL, &error), &error);
    for (size_t i = 0; i < N; i++)
        expect("map", MST_FLOAT32, z[i], (a[0][buffer ? N - 1 - i : i] - a[1][i]) * a[2][i]);
    mst_map_destroy(plan);
    if (buffer)
        clReleaseMemObject(buffer);
}

const race_cases race_map = {N_WIDTHS + 3, run};
