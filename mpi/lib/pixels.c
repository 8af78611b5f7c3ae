#include "pixels.h"

static double rounded(const mst_filter_frame *f, double value) { return f->type == MST_FLOAT64 ? value : (double)(float)value; }

double mst_mpi_pixel_scale(const mst_filter_frame *f, const double range[2], double value) {
    const double white = rounded(f, f->white), extent = rounded(f, range[1] - range[0]), most = fmax(-range[0], range[1]);
    switch (f->output_as) {
    case MST_FILTER_CLIP:
        return white > 0 ? fmin(fmax(value, 0), white) : value;
    case MST_FILTER_STRETCH:
        return extent > 0 ? rounded(f, rounded(f, value - range[0]) * rounded(f, white / extent)) : 0;
    case MST_FILTER_MAGNITUDE:
        return most > 0 ? rounded(f, fabs(value) * rounded(f, white / most)) : 0;
    default:
        return value;
    }
}
