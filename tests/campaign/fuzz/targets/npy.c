// .npy files: the dictionary of the header, and the file as a whole, whose size limits what the header may claim.
#include "fuzz.h"

#include "io/npy_header.h"
#include <mastaba/npy.h>

#include <string.h>

static bool same_layout(const mst_layout *a, const mst_layout *b) {
    bool same = a->type == b->type && a->rank == b->rank;
    for (int k = 0; k < a->rank && same; k++)
        same = a->shape[k] == b->shape[k] && a->strides[k] == b->strides[k];
    return same;
}

static void read_back(const mst_layout *layout, size_t data_bytes) {
    char header[MST_NPY_HEADER_BYTES];
    size_t bytes = mst_npy_header_write(layout, header), offset, text_bytes, again_bytes;
    mst_npy_order order = {0};
    mst_layout again;
    FUZZ_CHECK(bytes <= sizeof header && bytes % 64 == 0);
    FUZZ_CHECK(mst_npy_prefix_read((const unsigned char *)header, bytes, &offset, &text_bytes, NULL) == MST_OK);
    FUZZ_CHECK(offset + text_bytes == bytes);
    FUZZ_CHECK(mst_npy_text_read(header + offset, text_bytes, &again, &again_bytes, &order, NULL) == MST_OK);
    FUZZ_CHECK(!order.fortran && !order.swapped);
    FUZZ_CHECK(same_layout(layout, &again) && again_bytes == data_bytes);
}

// Whether it is taken.
static bool try_header(const uint8_t *data, size_t size) {
    size_t offset, text_bytes, data_bytes;
    mst_npy_order order = {0};
    mst_layout layout;
    mst_error error;
    if (mst_npy_prefix_read(data, size, &offset, &text_bytes, &error) != MST_OK) {
        FUZZ_CHECK(error.status == MST_ERROR_FORMAT && fuzz_is_message(error.message));
        return false;
    }
    text_bytes = text_bytes < size - offset ? text_bytes : size - offset;
    if (mst_npy_text_read((const char *)data + offset, text_bytes, &layout, &data_bytes, &order, &error) == MST_OK) {
        read_back(&layout, data_bytes);
        return true;
    }
    FUZZ_CHECK(error.status == MST_ERROR_FORMAT && fuzz_is_message(error.message));
    return false;
}

static void try_file(const uint8_t *data, size_t size) {
    mst_npy *npy;
    mst_error error;
    size_t data_bytes;
    if (mst_npy_open(fuzz_file(data, size), &npy, &error) == MST_OK) {
        FUZZ_CHECK(mst_npy_data_bytes(mst_npy_layout(npy), &data_bytes));
        FUZZ_CHECK(mst_npy_location(npy).offset <= size && data_bytes <= size - mst_npy_location(npy).offset);
        mst_npy_close(npy);
    } else {
        FUZZ_CHECK(npy == NULL && error.status == MST_ERROR_FORMAT && fuzz_is_message(error.message));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (try_header(data, size) || size % 16 == 0) // files cost much more time than headers
        try_file(data, size);
    return 0;
}
