// The parts of a measurement: of the kernels, and of copies.
#ifndef MST_STENCIL_MEASURE_PARTS_H
#define MST_STENCIL_MEASURE_PARTS_H

#include "measure.h"

enum {
    MST_MEASURE_COEFFICIENTS = 2, // the window of coefficient fields
    MST_MEASURE_WINDOWS = 5,
    MST_MEASURE_SAMPLES = 11,
    MST_MEASURE_MOST_SAMPLES = 99,
    MST_MEASURE_COMMANDS = 16
};

// The time that a measurement has.
typedef struct mst_clock {
    double begin;
    double end;  // no sample but the first is begun after it
    bool is_cut; // there was less than there should have been
} mst_clock;

// Seconds that a measurement for a run of so many seconds may take.
double mst_measure_limit(double run_seconds);

// Whether to take another sample after n of them (-1: before the one that warms up): a few whatever they take, more in a second,
// and as many short ones as a moment holds.
bool mst_measure_goes_on(mst_clock *clock, int n, double since);

// The lower quartile of times, which it sorts. Other programs on the machine make some times longer and none shorter; but a whole
// run is never as lucky as the least of them.
double mst_measure_usual(double *seconds, int n);

// From one window to another: two such pairs by turns, since some memory is slower than other for where it lies.
const mst_window *mst_measure_pair(const mst_window w[MST_MEASURE_WINDOWS], int sample);

// The kernels on a part of the grid, which may become smaller, and launches and copies of next to nothing.
mst_status mst_measure_updates(const mst_measurement *m, mst_window w[MST_MEASURE_WINDOWS], mst_box *box, mst_clock *clock,
                               mst_rates *rates, mst_error *error);

// Copies, of about so many bytes.
mst_status mst_measure_copies(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], uint64_t bytes, mst_clock *clock,
                              mst_rates *rates, mst_error *error);

#endif
