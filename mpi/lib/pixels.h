// Pixels of images and the real numbers that are transformed.
#ifndef MST_MPI_PIXELS_H
#define MST_MPI_PIXELS_H

#include <mastaba/filter.h>
#include <math.h>

// Number i of pixels, or of what is transformed.
static inline double mst_mpi_pixel_get(mst_type type, const void *pixels, size_t i) {
    switch (type) {
    case MST_UINT8:
        return ((const uint8_t *)pixels)[i];
    case MST_UINT16:
        return ((const uint16_t *)pixels)[i];
    case MST_FLOAT64:
        return ((const double *)pixels)[i];
    default:
        return (double)((const float *)pixels)[i];
    }
}

// Integers are rounded to nearest, and limited.
static inline void mst_mpi_pixel_put(mst_type type, void *pixels, size_t i, double value) {
    if (type == MST_UINT8)
        ((uint8_t *)pixels)[i] = value > 0 ? (uint8_t)rint(fmin(value, 255)) : 0;
    else if (type == MST_UINT16)
        ((uint16_t *)pixels)[i] = value > 0 ? (uint16_t)rint(fmin(value, 65535)) : 0;
    else if (type == MST_FLOAT64)
        ((double *)pixels)[i] = value;
    else
        ((float *)pixels)[i] = (float)value;
}

// What becomes of a result, in the precision of the frame; `range`: the least and the greatest of 0 and all results of the image.
double mst_mpi_pixel_scale(const mst_filter_frame *frame, const double range[2], double value);

#endif
