#include "layout.h"

uint64_t cli_layout_bytes(const mst_layout *layout) {
    uint64_t bytes = mst_type_bytes(layout->type);
    for (int k = 0; k < layout->rank; k++)
        bytes *= layout->shape[k];
    return bytes;
}

double cli_real_at(mst_type type, const void *values, size_t i) {
    switch (type) {
    case MST_FLOAT32:
        return (double)((const float *)values)[i];
    case MST_FLOAT64:
        return ((const double *)values)[i];
    case MST_INT8:
        return ((const int8_t *)values)[i];
    case MST_UINT8:
    case MST_BOOL:
        return ((const uint8_t *)values)[i];
    case MST_INT16:
        return ((const int16_t *)values)[i];
    case MST_UINT16:
        return ((const uint16_t *)values)[i];
    case MST_INT32:
        return ((const int32_t *)values)[i];
    case MST_UINT32:
        return ((const uint32_t *)values)[i];
    case MST_INT64:
        return (double)((const int64_t *)values)[i];
    case MST_UINT64:
        return (double)((const uint64_t *)values)[i];
    case MST_FLOAT16: // which commands that ask do not take
    case MST_COMPLEX64:
    case MST_COMPLEX128:
        break;
    }
    return 0;
}
