// mastaba bench vector-width: what is measured and how it is drawn (vector_width_plot.c).
#ifndef MASTABA_BENCH_VECTOR_WIDTH_H
#define MASTABA_BENCH_VECTOR_WIDTH_H

#include "bench.h"

enum { N_WIDTH_TYPES = 6, N_WIDTH_LENGTHS = 2 };

typedef struct width_type {
    const char *name; // in OpenCL C
    mst_type type;
    int claim; // index into a device's preferred_width
    int paper; // the width that is native, and best, on the ATI GPUs of the paper; 0: not said
} width_type;
extern const width_type width_types[N_WIDTH_TYPES];

typedef struct width_bench {
    const mst_device_info *device;
    char date[32];
    size_t bytes; // of one array
    int rounds;
    double until; // of cli_now(): no type begins later
    bool cut_short;
    // Seconds for each type; lengths that all widths divide, and one less; width 2^w. 0: not supported.
    double seconds[N_WIDTH_TYPES][N_WIDTH_LENGTHS][MST_MAP_N_WIDTHS];
    bool measured[N_WIDTH_TYPES];
} width_bench;

// Bytes that all four arrays move, over the time; and the best width, 1 to 16.
double width_rate(const width_bench *bench, int type, int length, int width);
int width_best(const width_bench *bench, int type, int length);

// Measures all types, into a bench that has its bytes, rounds and until. `print`: shows each when it is done. Returns an exit
// code after printing the error.
int width_measure(mst_context *context, bool print, width_bench *bench);

json_t *width_json(const width_bench *bench); // NULL: out of memory
cli_plot width_plot(const width_bench *bench);
void width_page(const page *p, const width_bench *bench);

#endif
