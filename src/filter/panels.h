// Images of which one does not fit the device: what panels.c, panels_rows.c and panels_mask.c share. Numbers of planes and
// spectra are of the plan's type; what the host computes of them is computed in double precision and rounded to it after each
// step, which for single precision gives what single precision does.
#ifndef MST_FILTER_PANELS_H
#define MST_FILTER_PANELS_H

#include "composed.h"

#include "stream/scratch.h"

typedef struct mst_panels_run {
    mst_filter *plan;
    const mst_location *where;
    mst_execution how;
    mst_report report;
    uint64_t done, total; // transforms
    mst_scratch memory;   // of all four:
    void *plane;          // r x p x q; between the transforms of the spectrum, means of its power
    void *spectrum;
    void *results;   // colours x depth x height x width, not scaled; NULL where one colour stays in the plane
    void *means;     // as many as the plane may hold; NULL: not needed
    size_t image;    // that is worked on,
    size_t colour;   // and its channel
    double level;    // taken off it
    double noise;    // Wiener: of standard deviation 1 a pixel, times the channel's, what a frequency has
    double range[2]; // the least and the greatest of 0 and an image's results
} mst_panels_run;

static inline double mst_panels_get(const mst_filter *plan, const void *values, size_t i) {
    return plan->is_double ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static inline void mst_panels_put(const mst_filter *plan, void *values, size_t i, double value) {
    if (plan->is_double)
        ((double *)values)[i] = value;
    else
        ((float *)values)[i] = (float)value;
}

static inline double mst_panels_rounded(const mst_filter *plan, double value) { return plan->is_double ? value : (float)value; }

// The numbers from number i on.
static inline void *mst_panels_from(const mst_filter *plan, void *values, size_t i) {
    return (char *)values + i * mst_filter_real_bytes(plan);
}

// Real numbers that a frequency has.
static inline size_t mst_panels_parts(const mst_filter *plan) { return plan->cosine ? 1 : 2; }

// ---- panels_rows.c
mst_status mst_panels_load(mst_panels_run *r, mst_error *error);  // a channel of an image, continued beyond its edges
void mst_panels_keep(mst_panels_run *r);                          // a channel's results, and their range
mst_status mst_panels_store(mst_panels_run *r, mst_error *error); // all channels of an image

// Of image r->image: so many pixels of a row, of all its slices' one after the other. Read with all channels into memory that is
// the caller's; written from results of the plan's type, [pixel][colour], scaled, with the opacity.
mst_status mst_panels_read_part(const mst_panels_run *r, size_t y, size_t first, size_t count, void **packed, mst_error *error);
mst_status mst_panels_write_part(const mst_panels_run *r, size_t y, size_t first, size_t count, const void *results,
                                 mst_error *error);
void mst_panels_add_to_range(mst_panels_run *r, double value);

// ---- panels_mask.c
// Numbers that mst_panels_run.means has.
size_t mst_panels_n_means(const mst_filter *plan);
// Before the plane is transformed: finds a Wiener filter's noise.
mst_status mst_panels_look(mst_panels_run *r, mst_error *error);
mst_status mst_panels_mask(mst_panels_run *r, mst_error *error);

#endif
