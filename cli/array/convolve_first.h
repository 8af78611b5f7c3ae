// Convolution along the first axis by a team (core/team.h).
#ifndef MASTABA_CLI_CONVOLVE_FIRST_H
#define MASTABA_CLI_CONVOLVE_FIRST_H

#include "core/team.h"

// What this process computes in full, and keeps of it.
typedef struct convolve_first {
    void *values;               // malloc'ed
    size_t start[MST_MAX_RANK]; // in the full result
    mst_layout kept;            // this process's part of the result
} convolve_first;

// Of a description with the result of all, makes that of what this process computes in full from the rows at *x. Returns an exit
// code after printing the error, as does the writing of what is kept of the full result, to where its part begins.
int convolve_first_cut(const char *command, const cli_share *share, mst_convolution_desc *desc, mst_location *x,
                       convolve_first *out);
int convolve_first_write(const char *command, const char *path, const convolve_first *first, const mst_layout *full,
                         const mst_location *to);

#endif
