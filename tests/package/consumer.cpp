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
    mst_location location = mst_at_host(shape);
    mst_layout z;
    mst_error error;
    convolution.x = convolution.y = fft.input = mst_layout_dense(MST_FLOAT32, 2, shape);
    if (mst_convolution_result(&convolution, &z, &error) != MST_OK || z.shape[1] != 9 || location.host != shape ||
        context.struct_size == 0 || execution.struct_size == 0 || std::strcmp(mst_version(), MST_VERSION_STRING) != 0) {
        std::puts("wrong");
        return 1;
    }
    std::puts("ok");
    return 0;
}
