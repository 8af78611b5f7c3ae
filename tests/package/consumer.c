// A user's program: convolves two short vectors, on whatever device there is.
#include <mastaba/mastaba.h>

#include <stdio.h>

int main(void) {
    const float x[] = {1.0f, 2.0f, 3.0f}, y[] = {1.0f, 10.0f};
    const size_t x_shape[] = {3}, y_shape[] = {2};
    float z[4];
    mst_error error;
    mst_context *context = NULL;
    mst_convolution *plan = NULL;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 1, x_shape);
    desc.y = mst_layout_dense(MST_FLOAT32, 1, y_shape);
    if (mst_context_create(NULL, &context, &error) != MST_OK || mst_convolution_create(context, &desc, &plan, &error) != MST_OK ||
        mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error) != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    mst_convolution_destroy(plan);
    mst_context_destroy(context);
    printf("%.2f %.2f %.2f %.2f\n", z[0], z[1], z[2], z[3]);
    return 0;
}
