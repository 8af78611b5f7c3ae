// Kernels that read an expression at the nodes of a region: for a reduction, or for the sums of a Fourier transform.
#ifndef MST_STENCIL_WRITE_OBSERVATION_H
#define MST_STENCIL_WRITE_OBSERVATION_H

#include "stencil/scheme/observations.h"
#include "write.h"

// The lines of a region, which go along the columns, are cut into units of so many nodes. Each of at most MST_OBSERVATION_GROUPS
// groups has a share of them, as many units one behind the other, and work-item `lane` of it reads every so-manyth node of each.
// So the order of a sum depends on the region alone, and where the grid is cut into parts, a cut goes through one group.
enum {
    MST_OBSERVATION_UNIT = 1024,
    MST_OBSERVATION_LANES = 32,
    MST_OBSERVATION_GROUPS = 2048,
    MST_OBSERVATION_ALL_GROUPS = 8192
};

// The kernels `monitor0`.. and `spectrum0`... Their parameters:
//     u_in, speed_coefficient..  arrays that are read, in the order of mst_observation.reads
//     partials (monitors)        two numbers a work-item: a sum and what it lacks, or the largest or least value
//     sums, phases (spectra)     complex numbers: [frequency][node]; what values are multiplied by, a frequency
//     numbers                    those that differ from run to run, if there are any: [number][run]
//     grid                       s0, s1, s2: planes, rows and columns; s3, s4: elements from row to row and from plane to plane;
//                                s5: element of the first node
//     held                       of the arrays: s0: the first plane, s1: how many, s2: the first row, s3: how many
//     region                     s0 to s2: first plane, row and column; s3 to s5: steps; s6 to s8: counts. A monitor's of an
//                                ensemble is that of a run, its plane
//     range                      s0, s1: units, or nodes of the region; a group that has begun before s0 goes on from its
//                                partials; s2 (monitors): groups; s3 (monitors): runs, from the region's on, each with
//                                partials of its own
// Of a part of a grid that is cut along its rows or columns, `monitor0`.. give the values at nodes s0 to s1 - 1, that of node s2
// to partials[0].
//     now, before                the time, and that of a step earlier
mst_status mst_write_observations(const mst_writer *w, const mst_observations *all, mst_error *error);

// Units of a line, and of a region, those of a group, and the groups. And how many runs of so many a launch takes.
uint64_t mst_observation_line(const mst_region *region);
uint64_t mst_observation_units(const mst_region *region);
uint64_t mst_observation_share(const mst_region *region);
uint64_t mst_observation_groups(const mst_region *region);
uint64_t mst_observation_runs(const mst_region *region, uint64_t n_runs);

// Whether the device adds in double precision.
bool mst_observation_in_double(const mst_context *context);

#endif
