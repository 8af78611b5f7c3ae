// The headers are for C++ as well: the INIT macros, the inline functions, linking.
#include <mastaba/mastaba.h>

#include <cstdio>
#include <cstring>

int main() {
    const std::size_t shape[] = {4, 5};
    mst_context_desc context = MST_CONTEXT_DESC_INIT;
    mst_execution execution = MST_EXECUTION_INIT;
    mst_fft_desc fft = MST_FFT_DESC_INIT;
    mst_convolution_desc convolution = MST_CONVOLUTION_DESC_INIT;
    mst_filter_desc filter = MST_FILTER_DESC_INIT;
    mst_integral_desc integral = MST_INTEGRAL_DESC_INIT;
    mst_map_desc map = MST_MAP_DESC_INIT;
    mst_stencil_desc stencil = MST_STENCIL_DESC_INIT;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil_report done = MST_STENCIL_REPORT_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_tuning tuning = MST_TUNING_INIT;
    const mst_stencil_field fields[2] = {};
    const mst_stencil_boundary walls[] = {{MST_BOUNDARY_NEUMANN, NULL, 0}, {MST_BOUNDARY_DIRICHLET, "1", 0}};
    mst_location location = mst_at_host(shape);
    mst_layout z;
    mst_error error;
    stencil.fields = fields;
    stencil.boundaries = walls;
    convolution.x = convolution.y = fft.input = mst_layout_dense(MST_FLOAT32, 2, shape);
    if (mst_convolution_result(&convolution, &z, &error) != MST_OK || z.shape[1] != 9 || location.host != shape ||
        context.struct_size == 0 || filter.stage_size == 0 || integral.result_size == 0 || map.input_size == 0 ||
        stencil.fields != fields || stencil.boundaries != walls || stencil.file != -1 || plan.struct_size == 0 ||
        done.struct_size == 0 || report.struct_size == 0 || tuning.seconds <= 0 || execution.struct_size == 0 ||
        std::strcmp(mst_version(), MST_VERSION_STRING) != 0) {
        std::puts("wrong");
        return 1;
    }
    std::puts("ok");
    return 0;
}
