// Maps whose outputs run along an axis: cumsum(a * b), cumprod(a). What stands in the parentheses is computed for every element,
// and stored; then each block's output is summed up in place (scan.cl).
//
// Blocks begin and end anywhere; what they leave open is carried from one to the next in memory of the device. So blocks are not
// shared out to several devices, and the same bits come out whatever they are.
#ifndef MST_MAP_SCAN_H
#define MST_MAP_SCAN_H

#include "reduce.h"

// Rows of a tile, tiles of a group; what is carried of a lane: of its tile, its group and its line.
enum { MST_MAP_SCAN_TILE = 256, MST_MAP_SCAN_SPAN = 256, MST_MAP_SCAN_LEVELS = 3 };

typedef enum mst_map_scanner { MST_MAP_SCAN_TILES, MST_MAP_SCAN_PARTS, MST_MAP_SCAN_WRITE, MST_MAP_N_SCANNERS } mst_map_scanner;

typedef struct mst_map_scanned {
    bool scanned;                // of outputs side by side some may be without
    mst_map_reduction_kind kind; // MST_MAP_SUM or MST_MAP_PRODUCT
    mst_kernel *kernels[MST_MAP_N_SCANNERS];
    cl_mem carries[2]; // what the last block left, and what the next one leaves
    int last;
} mst_map_scanned;

typedef struct mst_map_scan {
    mst_map_scanned outputs[MST_MAP_MAX_OUTPUTS];
    uint64_t length, inner; // of the axis, and elements behind it
    int levels;             // that a line has
    uint64_t carry_bytes;
    cl_mem work[2], lines; // totals of tiles and of groups; of an array without gaps
    uint64_t work_bytes[2];
} mst_map_scan;

// scan_read.c: the scans in the plan's expressions; plan->scan stays NULL without any. Then the type in which one is, which is
// that of the output, and the axis.
mst_status mst_map_scan_find(mst_map *plan, const mst_map_desc *desc, mst_error *error);
mst_status mst_map_scan_lower(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, int output, mst_error *error);
mst_status mst_map_scan_axis(mst_map *plan, const mst_map_desc *desc, mst_error *error);

// scan.c: kernels, behind the plan's types; bytes of the device for blocks of n elements, in all or for each element; and the
// outputs of a block that the map has written.
mst_status mst_map_scan_create(mst_map *plan, mst_error *error);
uint64_t mst_map_scan_fixed_bytes(const mst_map *plan);
uint64_t mst_map_scan_item_bytes(const mst_map *plan);
mst_status mst_map_scan_prepare(mst_map *plan, size_t n, mst_error *error);
mst_status mst_map_scan_compute(mst_map *plan, const mst_block *block, mst_error *error);
void mst_map_scan_destroy(mst_map *plan);

#endif
