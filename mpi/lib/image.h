// A filter over ranks as transforms of images continued beyond their edges. Knows neither MPI nor devices.
#ifndef MST_MPI_IMAGE_H
#define MST_MPI_IMAGE_H

#include "part.h"

#include <mastaba/mpi.h>

#include <stdbool.h>

enum { MST_MPI_SIDES = 3 }; // depth, height, width

// What there is to know without MPI.
typedef struct mst_mpi_image {
    mst_filter_frame frame;
    mst_layout whole;                  // the images, dense
    int first;                         // the axis of `whole` that is transformed first
    int n_axes;                        // how many are
    size_t n_images, colours;          // colours: channels that are filtered
    size_t pixels[MST_MPI_SIDES];      // of an image
    bool is_reflected;                 // beyond the edges; else the image is repeated, or zero there
    bool is_scaled;                    // by the range of its results, of all colours
    mst_mpi_fft_desc forward, inverse; // of one colour
    bool is_empty;
} mst_mpi_image;

// What a rank has. Sides that an image does not have are of one pixel.
typedef struct mst_mpi_region {
    mst_mpi_part input, output, points, spectrum;
    size_t start[MST_MPI_SIDES], count[MST_MPI_SIDES];        // of its box,
    size_t own[MST_MPI_SIDES];                                // of which so many points are pixels of results
    size_t first_pixel[MST_MPI_SIDES], pixels[MST_MPI_SIDES]; // of its part of the input
} mst_mpi_region;

mst_status mst_mpi_image_make(const mst_filter_desc *desc, mst_mpi_cut cut, double timeout, mst_mpi_image *image,
                              mst_error *error);

// Both transforms get the strides of this rank's parts.
mst_status mst_mpi_image_region(mst_mpi_image *image, int n_ranks, int rank, mst_mpi_region *region, mst_error *error);

// What both transforms of a colour take, as mst_mpi_fft_needs_of.
mst_status mst_mpi_image_needs(const mst_mpi_image *image, int n_ranks, int rank, mst_mpi_needs *needs,
                               size_t bytes[MST_MPI_WORK], mst_error *error);

// The pixel that point i along a side is made of, counted in this rank's part of the input; false: none, it is zero.
static inline bool mst_mpi_image_pixel(const mst_mpi_image *image, const mst_mpi_region *region, int side, size_t i,
                                       size_t *pixel) {
    const size_t n = image->pixels[side], at = region->start[side] + i;
    *pixel = (at < n ? at : 2 * n - 1 - at) - region->first_pixel[side];
    return at < n || image->is_reflected;
}

#endif
