// The published figures of the filter by FFT (The OpenCL Programming Book, section 6.1): milliseconds of each stage, by the size
// of work-groups, 512 x 512 pixels, on an NVIDIA GPU of 2009 that it does not name.
#ifndef MASTABA_PAPER_FILTER_H
#define MASTABA_PAPER_FILTER_H

#include <stddef.h>

enum { PAPER_N_GROUPS = 7, PAPER_N_STAGES = 8 };

extern const size_t paper_groups[PAPER_N_GROUPS];

typedef struct paper_stage {
    const char *name;
    const char *ours; // the stage of mst_filter_stages; NULL: a transfer
    double milliseconds[PAPER_N_GROUPS];
} paper_stage;

extern const paper_stage paper_stages[PAPER_N_STAGES];

#endif
