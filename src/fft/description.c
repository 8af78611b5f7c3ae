// Descriptions of transforms: what they say and what is wrong with them.
#include "even.h"
#include "plan.h"

#include "runtime/description.h"
#include "runtime/layout.h"

#include <math.h>
#include <string.h>

static bool is_transformable(mst_type type) { return mst_type_is_complex(type) || type == MST_FLOAT32 || type == MST_FLOAT64; }

// 0-based axes in the order in which they are transformed: a real axis comes first on the way in and last on the way out.
static mst_status read_axes(mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_axes >= 1 && d->n_axes <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "n_axes is %d; 1 to %d are supported", d->n_axes,
                MST_MAX_AXES);
    for (int a = 0; a < d->n_axes; a++) {
        int axis = mst_layout_axis(&d->input, d->axes[a]);
        MST_REQUIRE(axis >= 0, MST_ERROR_ARGUMENT, "there is no axis %d in an array of rank %d", d->axes[a], d->input.rank);
        d->axes[a] = axis;
        for (int b = 0; b < a; b++)
            MST_REQUIRE(d->axes[b] != axis, MST_ERROR_ARGUMENT, "axis %d is given twice", axis);
    }
    if (!mst_type_is_complex(d->input.type) && d->kind == MST_FFT_FOURIER) {
        int real_axis = d->axes[d->n_axes - 1];
        for (int a = d->n_axes - 1; a > 0; a--)
            d->axes[a] = d->axes[a - 1];
        d->axes[0] = real_axis;
    }
fail:
    return status;
}

// The shapes must be equal but for the axis that is real on one side: n there, n/2 + 1 on the complex side.
static mst_status check_shapes(const mst_fft_desc *d, mst_error *error) {
    mst_layout complex_side = mst_type_is_complex(d->input.type) ? d->input : d->output;
    mst_layout expected = mst_type_is_complex(d->input.type) ? d->output : d->input;
    char shapes[2][120];
    if (mst_type_is_complex(d->input.type) != mst_type_is_complex(d->output.type)) {
        int axis = d->axes[mst_type_is_complex(d->input.type) ? d->n_axes - 1 : 0];
        if (axis < expected.rank)
            expected.shape[axis] = expected.shape[axis] / 2 + 1;
    }
    if (mst_layout_same_shape(&complex_side, &expected))
        return MST_OK;
    mst_layout_print_shape(&d->input, shapes[0], sizeof shapes[0]);
    mst_layout_print_shape(&d->output, shapes[1], sizeof shapes[1]);
    return mst_fail(error, MST_ERROR_ARGUMENT, "input has shape (%s) but output (%s)%s", shapes[0], shapes[1],
                    mst_type_is_complex(d->input.type) == mst_type_is_complex(d->output.type)
                        ? ""
                        : "; the complex side has n/2 + 1 elements along the last axis of `axes`, where the real one has n");
}

// What is particular to Fourier transforms.
static mst_status read_fourier(mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    if (d->output.rank == 0) {
        mst_type type = mst_type_is_double(d->input.type) ? MST_COMPLEX128 : MST_COMPLEX64;
        size_t shape[MST_MAX_RANK];
        memcpy(shape, d->input.shape, sizeof shape);
        if (!mst_type_is_complex(d->input.type))
            shape[d->axes[0]] = shape[d->axes[0]] / 2 + 1;
        d->output = mst_layout_dense(type, d->input.rank, shape);
    }
    MST_REQUIRE(is_transformable(d->output.type) && mst_type_is_double(d->output.type) == mst_type_is_double(d->input.type) &&
                    (mst_type_is_complex(d->input.type) || mst_type_is_complex(d->output.type)),
                MST_ERROR_ARGUMENT, "output is %s but input is %s; they are complex or one is real, of the same precision",
                mst_type_name(d->output.type), mst_type_name(d->input.type));
    MST_REQUIRE(mst_type_is_complex(d->input.type) || d->direction == MST_FFT_FORWARD, MST_ERROR_ARGUMENT,
                "input is real: only the forward transform is supported");
    MST_REQUIRE(mst_type_is_complex(d->output.type) || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
                "output is real: only the inverse transform is supported");
    MST_TRY(check_shapes(d, error));
fail:
    return status;
}

mst_status mst_fft_read(const mst_fft_desc *desc, mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_fft_desc, MST_FFT_DESC_INIT, direction), desc, d, error));
    MST_TRY(mst_layout_check(&d->input, "input", false, error));
    if (d->output.rank != 0)
        MST_TRY(mst_layout_check(&d->output, "output", true, error));
    MST_REQUIRE(is_transformable(d->input.type), MST_ERROR_ARGUMENT,
                "input is %s; float32, float64, complex64 and complex128 are supported", mst_type_name(d->input.type));
    MST_REQUIRE(d->kind >= MST_FFT_FOURIER && d->kind <= MST_FFT_DST4, MST_ERROR_ARGUMENT, "there is no kind %d", (int)d->kind);
    MST_REQUIRE(d->orthogonal == 0 || (d->orthogonal == 1 && d->kind != MST_FFT_FOURIER), MST_ERROR_ARGUMENT,
                "orthogonal is %d; it is 0, or 1 for cosine and sine transforms", d->orthogonal);
    MST_TRY(read_axes(d, error));
    MST_REQUIRE(d->direction == MST_FFT_FORWARD || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
                "direction is %d; it is MST_FFT_FORWARD or MST_FFT_INVERSE", (int)d->direction);
    MST_REQUIRE(d->shape >= MST_FFT_SHAPE_AUTO && d->shape <= MST_FFT_SHAPE_CPU, MST_ERROR_ARGUMENT, "there is no shape %d",
                (int)d->shape);
    MST_TRY(d->kind == MST_FFT_FOURIER ? read_fourier(d, error) : mst_even_read(d, error));
    MST_REQUIRE(isfinite(d->scale), MST_ERROR_ARGUMENT, "scale is not finite");
fail:
    return status;
}
