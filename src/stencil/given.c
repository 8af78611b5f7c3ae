#include "given.h"

#include "half.h"
#include "runtime/error.h"
#include "runtime/layout.h"
#include "scheme/part.h"

#include <math.h>

static bool is_whole(mst_type type) { return type >= MST_INT8 && type <= MST_BOOL; }

bool mst_given_is_real(mst_type type) {
    return type == MST_FLOAT16 || type == MST_FLOAT32 || type == MST_FLOAT64 || is_whole(type);
}

static mst_status check_layout(const mst_stencil_desc *desc, const mst_layout *layout, const char *what, mst_error *error) {
    mst_status status = MST_OK;
    const bool has_runs = mst_ensemble_has_grids(desc); // before the grid's axes
    MST_REQUIRE(layout->rank == desc->rank, MST_ERROR_ARGUMENT, "%s has %d axes, the grid has %d", what, layout->rank,
                desc->rank);
    for (int k = 0; k < desc->rank; k++) {
        const size_t length = has_runs && k == 0 ? desc->n_runs : desc->grid[k - has_runs];
        MST_REQUIRE(layout->shape[k] == length, MST_ERROR_ARGUMENT, "%s has %zu nodes along axis %d, the grid has %zu", what,
                    layout->shape[k], k, length);
    }
    MST_TRY(mst_layout_check(layout, what, false, error));
    MST_REQUIRE(mst_given_is_real(layout->type), MST_ERROR_ARGUMENT,
                "%s is %s; float16, float32, float64, integers and bool are supported", what, mst_type_name(layout->type));
fail:
    return status;
}

mst_status mst_given_check(const mst_stencil_desc *desc, const mst_stencil_field *field, const mst_stencil_initial *initial,
                           const char *what, mst_given *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *layout = &initial->layout;
    *out = (mst_given){{*layout, initial->data, what, NULL}, field->n_table ? field->table : NULL, field->n_table};
    MST_REQUIRE(field->n_table == 0 || (field->table && field->coefficient && layout->rank > 0), MST_ERROR_ARGUMENT,
                "%s has a table, which goes with a coefficient field whose data are its rows", what);
    if (layout->rank == 0)
        return MST_OK;
    MST_REQUIRE(!initial->expression, MST_ERROR_ARGUMENT, "%s is given as an expression and as data", what);
    MST_TRY(check_layout(desc, layout, what, error));
    MST_REQUIRE(field->n_table == 0 || is_whole(layout->type), MST_ERROR_ARGUMENT,
                "%s is %s; the rows of a table are given as integers", what, mst_type_name(layout->type));
    MST_REQUIRE(initial->data.place == MST_PLACE_HOST || initial->data.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "%s must lie in host memory or a file", what);
fail:
    return status;
}

static void convert_halves(const uint16_t *from, size_t n, double *to) {
    for (size_t i = 0; i < n; i++) {
        float value;
        mst_floats_of_halves(&from[i], 1, &value);
        to[i] = (double)value;
    }
}

#define CONVERT(type)                                                                                                            \
    for (size_t i = 0; i < n; i++)                                                                                               \
        to[i] = (double)((const type *)from)[i];                                                                                 \
    break

static void convert(mst_type type, const void *from, size_t n, double *to) {
    switch (type) {
    case MST_FLOAT32:
        CONVERT(float);
    case MST_FLOAT64:
        CONVERT(double);
    case MST_INT8:
        CONVERT(int8_t);
    case MST_UINT8:
    case MST_BOOL:
        CONVERT(uint8_t);
    case MST_INT16:
        CONVERT(int16_t);
    case MST_UINT16:
        CONVERT(uint16_t);
    case MST_INT32:
        CONVERT(int32_t);
    case MST_UINT32:
        CONVERT(uint32_t);
    case MST_INT64:
        CONVERT(int64_t);
    case MST_UINT64:
        CONVERT(uint64_t);
    case MST_FLOAT16:
        convert_halves(from, n, to);
        break;
    case MST_COMPLEX64:
    case MST_COMPLEX128:
        break;
    }
}

mst_status mst_given_values(const mst_given *g, const void *read, uint64_t first, size_t n, double *to, mst_error *error) {
    mst_status status = MST_OK;
    convert(g->from.layout.type, read, n, to);
    for (size_t i = 0; i < n && g->table; i++) {
        const bool is_row = to[i] >= 0 && to[i] < (double)g->n_table && !isnan(g->table[(size_t)to[i]]);
        MST_REQUIRE(is_row, MST_ERROR_ARGUMENT, "%s is row %.0f of its table at node number %llu, and the table has no such row",
                    g->from.name, to[i], (unsigned long long)(first + i));
        to[i] = g->table[(size_t)to[i]];
    }
fail:
    return status;
}

bool mst_given_is_tied(const mst_stencil_field *a, const mst_stencil_field *b) {
    const mst_location *one = &a->initial.data, *other = &b->initial.data;
    return a->n_table > 0 && a->n_table == b->n_table && one->place == other->place && one->offset == other->offset &&
           (one->place == MST_PLACE_HOST ? one->host == other->host : one->file == other->file);
}
