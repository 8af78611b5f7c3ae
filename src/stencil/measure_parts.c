#include "measure_parts.h"

#include <math.h>

enum { LEAST_SAMPLES = 4 };

static const double LEAST_SECONDS = 5e-2; // of short samples together
static const double MOST_SECONDS = 1;     // of long ones

// Of the seconds that a measurement may take: at least, and as a part of the run.
static const double LEAST_LIMIT = 2, PART_OF_RUN = 0.05;

double mst_measure_limit(double run_seconds) { return fmax(LEAST_LIMIT, PART_OF_RUN * run_seconds); }

double mst_measure_usual(double *seconds, int n) {
    mst_median(seconds, n);
    return seconds[n / 4];
}

bool mst_measure_goes_on(mst_clock *clock, int n, double since) {
    const double now = mst_now(), seconds = now - since;
    bool more = n < LEAST_SAMPLES || (n < MST_MEASURE_SAMPLES && seconds < MOST_SECONDS) ||
                (n < MST_MEASURE_MOST_SAMPLES && seconds < LEAST_SECONDS);
    if (more && n >= 1 && now > clock->end) {
        clock->is_cut = clock->is_cut || n < LEAST_SAMPLES;
        return false;
    }
    return more;
}

const mst_window *mst_measure_pair(const mst_window w[MST_MEASURE_WINDOWS], int sample) {
    return &w[sample % 2 ? MST_MEASURE_COEFFICIENTS + 1 : 0];
}
