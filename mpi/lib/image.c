#include "image.h"

#include "description.h"
#include "frame.h"
#include "numbers.h"
#include "part.h"

#include <string.h>

// ---- What is transformed

static mst_status check(const mst_filter_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(d->kind != MST_FILTER_WIENER, MST_ERROR_UNSUPPORTED, "Wiener filters are for one process; ranks share other kinds");
    REQUIRE(d->algorithm == MST_FILTER_AUTO, MST_ERROR_UNSUPPORTED, "the paper's algorithm is for one process");
    REQUIRE(!d->time_stages && d->tiles == 0, MST_ERROR_UNSUPPORTED, "stages and tiles are of one process");
fail:
    return status;
}

static void describe_transforms(mst_mpi_image *m) {
    const mst_filter_frame *f = &m->frame;
    mst_mpi_fft_desc *to = &m->forward;
    double points = 1;
    to->input = f->type;
    to->kind = f->cosine ? MST_FFT_DCT2 : MST_FFT_FOURIER;
    to->rank = to->n_axes = m->n_axes;
    for (int a = 0; a < m->n_axes; a++) {
        to->axes[a] = a;
        to->shape[a] = f->points[MST_MPI_SIDES - m->n_axes + a];
        points *= (double)f->periods[MST_MPI_SIDES - m->n_axes + a];
    }
    to->transposed_input = MST_MPI_AS_IT_IS;
    to->transposed_output = 1;
    m->inverse = *to;
    m->inverse.direction = MST_FFT_INVERSE;
    m->inverse.scale = 1 / points;
    m->inverse.transposed_input = 1;
    m->inverse.transposed_output = MST_MPI_AS_IT_IS;
    if (f->cosine)
        return;
    m->inverse.input = f->type == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128;
    m->inverse.output = f->type;
}

mst_status mst_mpi_image_make(const mst_filter_desc *given, mst_mpi_cut cut, double timeout, mst_mpi_image *m, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    *m = (mst_mpi_image){.frame = MST_FILTER_FRAME_INIT, .forward = MST_MPI_FFT_DESC_INIT};
    TRY(mst_mpi_description_read(MST_MPI_DESCRIPTION(mst_filter_desc, "desc", MST_FILTER_DESC_INIT, notches), given, &d, error));
    TRY(check(&d, error));
    TRY(mst_filter_describe(&d, &m->frame, error));
    TRY(mst_mpi_check_timeout(timeout, error));
    m->whole = mst_layout_dense(d.input.type, d.input.rank, d.input.shape);
    m->n_axes = d.volume ? 3 : 2;
    m->first = d.input.rank - 1 - m->n_axes;
    m->colours = d.input.shape[d.input.rank - 1] - (d.alpha ? 1 : 0);
    m->is_reflected = d.edges == MST_FILTER_REFLECT;
    m->is_scaled = m->frame.output_as == MST_FILTER_STRETCH || m->frame.output_as == MST_FILTER_MAGNITUDE;
    m->n_images = 1;
    for (int k = 0; k < m->first; k++)
        m->n_images *= d.input.shape[k];
    for (int side = 0; side < MST_MPI_SIDES; side++)
        m->pixels[side] = side < MST_MPI_SIDES - m->n_axes ? 1 : d.input.shape[m->first + side - (MST_MPI_SIDES - m->n_axes)];
    m->is_empty = mst_mpi_layout_elements(&m->whole) == 0;
    m->forward.cut = cut;
    m->forward.timeout = timeout;
    if (!m->is_empty)
        describe_transforms(m);
fail:
    return status;
}

// ---- Who has what

// The pixels of a side that the points of a rank's box are made of lie next to one another: its first or its last point is made
// of one end of them, and where the box goes across the image's end, that is the other.
static void find_pixels(const mst_mpi_image *m, int side, mst_mpi_region *r) {
    const size_t n = m->pixels[side], from = r->start[side], to = from + r->count[side];
    size_t ends[2] = {mst_mpi_smaller(from, n), mst_mpi_smaller(to, n)};
    if (m->is_reflected && to > n) {
        ends[0] = mst_mpi_smaller(from < n ? from : n, 2 * n - to);
        ends[1] = from < n ? n : 2 * n - from;
    }
    r->own[side] = mst_mpi_smaller(to, n) - mst_mpi_smaller(from, n);
    r->first_pixel[side] = ends[0];
    r->pixels[side] = ends[1] - ends[0];
}

// A part of the images of so many pixels of each side.
static mst_mpi_part part_of(const mst_mpi_image *m, const mst_mpi_region *r, mst_type type, const size_t *start,
                            const size_t *count) {
    mst_mpi_part part = r->points;
    mst_layout l = m->whole;
    memset(part.start, 0, sizeof part.start);
    for (int a = 0; a < m->n_axes; a++) {
        part.start[m->first + a] = start[MST_MPI_SIDES - m->n_axes + a];
        l.shape[m->first + a] = count[MST_MPI_SIDES - m->n_axes + a];
    }
    for (int i = 0; i < 2; i++)
        part.cut_axes[i] = m->first + r->points.cut_axes[i];
    part.layout = mst_layout_dense(type, l.rank, l.shape);
    part.on_host = 1;
    return part;
}

// This rank's box of points, and its spectrum, which both transforms have in one order.
static mst_status find_points(mst_mpi_image *m, int n_ranks, int rank, mst_mpi_region *r, mst_error *error) {
    const mst_status status = mst_mpi_fft_parts(&m->forward, n_ranks, rank, &r->points, &r->spectrum, error);
    const mst_layout *l = &r->points.layout;
    r->points.layout = mst_layout_dense(l->type, l->rank, l->shape);
    memcpy(m->forward.input_strides, r->points.layout.strides, sizeof l->strides);
    memcpy(m->inverse.output_strides, r->points.layout.strides, sizeof l->strides);
    memcpy(m->inverse.input_strides, r->spectrum.layout.strides, sizeof l->strides);
    return status;
}

mst_status mst_mpi_image_region(mst_mpi_image *m, int n_ranks, int rank, mst_mpi_region *r, mst_error *error) {
    mst_status status = MST_OK;
    *r = (mst_mpi_region){.points = MST_MPI_PART_INIT, .spectrum = MST_MPI_PART_INIT};
    r->points.cut_ranks[0] = n_ranks;
    r->points.cut_ranks[1] = 1;
    REQUIRE(n_ranks >= 1 && rank >= 0 && rank < n_ranks, MST_ERROR_ARGUMENT, "there is no rank %d of %d", rank, n_ranks);
    if (!m->is_empty)
        TRY(find_points(m, n_ranks, rank, r, error));
    for (int side = 0; side < MST_MPI_SIDES; side++) {
        const int axis = side - (MST_MPI_SIDES - m->n_axes);
        r->start[side] = axis < 0 ? 0 : r->points.start[axis];
        r->count[side] = axis < 0 ? 1 : m->is_empty ? m->pixels[side] : r->points.layout.shape[axis]; // empty: all have nothing
        find_pixels(m, side, r);
    }
    r->input = part_of(m, r, m->whole.type, r->first_pixel, r->pixels);
    r->output = part_of(m, r, m->frame.output, r->start, r->own);
fail:
    return status;
}

mst_status mst_mpi_filter_parts(const mst_filter_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_part *input,
                                mst_mpi_part *output, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_image m;
    mst_mpi_region r;
    TRY(mst_mpi_part_check(input, error));
    TRY(mst_mpi_part_check(output, error));
    TRY(mst_mpi_image_make(desc, cut, 0, &m, error));
    TRY(mst_mpi_image_region(&m, n_ranks, rank, &r, error));
    mst_mpi_part_write(&r.input, input);
    mst_mpi_part_write(&r.output, output);
fail:
    return status;
}

mst_status mst_mpi_image_needs(const mst_mpi_image *m, int n_ranks, int rank, mst_mpi_needs *needs, size_t bytes[MST_MPI_WORK],
                               mst_error *error) {
    mst_status status = mst_mpi_fft_needs_of(&m->forward, false, n_ranks, rank, needs, bytes, error);
    return status == MST_OK ? mst_mpi_fft_needs_of(&m->inverse, false, n_ranks, rank, needs, bytes, error) : status;
}

mst_status mst_mpi_filter_needs(const mst_filter_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_needs *needs,
                                mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_image m;
    mst_mpi_region r;
    mst_mpi_needs all = MST_MPI_NEEDS_INIT;
    size_t bytes[MST_MPI_WORK] = {0};
    TRY(mst_mpi_needs_check(needs, error));
    TRY(mst_mpi_image_make(desc, cut, 0, &m, error));
    TRY(mst_mpi_image_region(&m, n_ranks, rank, &r, error));
    if (!m.is_empty)
        TRY(mst_mpi_image_needs(&m, n_ranks, rank, &all, bytes, error));
    all.exchanges *= m.n_images * m.colours;
    all.messages *= m.n_images * m.colours;
    all.sent_bytes *= m.n_images * m.colours;
    if (!m.is_empty)
        all.host_bytes = bytes[MST_MPI_BEFORE] + bytes[MST_MPI_BEHIND] + bytes[MST_MPI_PACKED] +
                         (m.is_scaled ? m.colours : 1) * mst_mpi_part_bytes(&r.points) + mst_mpi_part_bytes(&r.spectrum) +
                         mst_mpi_layout_elements(&r.spectrum.layout) * mst_type_bytes(m.frame.type); // the mask
    mst_mpi_needs_write(&all, needs);
fail:
    return status;
}
