// mastaba bench pyramid: what is measured (pyramid_measure.c) is shown by pyramid.c.
#ifndef MASTABA_BENCH_PYRAMID_H
#define MASTABA_BENCH_PYRAMID_H

#include "bench.h"
#include "solve/problem.h"

enum { PYRAMID_MOST_POINTS = 64, PYRAMID_ROUNDS = 3 };

// One way of one problem: seconds a node-step, measured (the median of all rounds') and predicted.
typedef struct pyramid_point {
    const char *problem; // "heat2d"
    mst_stencil_schedule schedule;
    size_t depth;   // 0: the model chooses
    bool published; // as the paper has it: one step a kernel, no overlap
    double samples[PYRAMID_ROUNDS], measured, predicted;
    int n_samples;
    mst_stencil_plan plan;
    char failed[500]; // why there is no figure; ""
} pyramid_point;

typedef struct pyramid_bench {
    bench_run run;   // without contexts: each problem has a budget of its own
    double seconds;  // a point
    size_t sides[2]; // of the grids of heat2d and heat3d
    bool quick;
    char device[256];
    int n_points;
    pyramid_point points[PYRAMID_MOST_POINTS];
} pyramid_bench;

// The bytes of the device that a grid is to go through: those of --device-memory, or an eighth of it in 2-D, a quarter in 3-D. A
// block is held twice, old and new, so that blocks are about those of the paper: 1024 rows of 16384, 64 planes of 640.
uint64_t pyramid_budget(const pyramid_bench *bench, const char *name);

// Lists the points, in the order in which they are worth having, should the time not last.
void pyramid_list(pyramid_bench *bench);

// Chooses the grids and measures the points. Returns an exit code; what goes wrong with a point is its own.
int pyramid_measure(void *results);

// Why a point has no figure; "" where it has one.
const char *pyramid_lack(const pyramid_point *point);

// The fastest measured point of a kind; NULL if there is none.
const pyramid_point *pyramid_best(const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule, bool published);

// Root mean square and greatest magnitude of the relative error of the predictions.
void pyramid_errors(const pyramid_bench *bench, double *rms, double *worst);

// Rows of the comparison with what the paper measured: speed-ups over the trivial way, as published and as run here; 0 where
// there is none.
enum { PYRAMID_N_SPEEDUPS = 6 };
typedef struct pyramid_speedups {
    const char *problem;
    mst_stencil_schedule schedule;
    double paper, published, own;
} pyramid_speedups;
pyramid_speedups pyramid_compare(const pyramid_bench *bench, int row);

#endif
