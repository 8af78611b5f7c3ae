// Operands that are both longer than what the device has room for, or go round: the transforms of the padded whole, by plans of
// the FFT engine that take panels (fft/panels.h), and between them spectra in the host's memory, where they are multiplied. What
// goes round is padded to twice its length unless its own transforms well, as fused plans have it (geometry.h).
#ifndef MST_CONV_SPECTRA_H
#define MST_CONV_SPECTRA_H

#include "geometry.h"

struct mst_spectra {
    mst_padded_axis axes[MST_CONVOLUTION_MAX_AXES]; // n: real points of real operands
    size_t numbers;                                 // of a padded operand: a vector, image or volume
    size_t products;                                // complex numbers of its spectrum
    uint64_t bytes;                                 // of the larger of the two
    uint64_t panels;                                // of all transforms of a line
    uint64_t device_bytes, staging_bytes;           // the most that one of them takes of the budgets
};

// Whether they are for this plan: the shorter operand is so long that there may be no room for panels.
bool mst_spectra_suit(const mst_convolution *plan);

// Sets plan->spectra if the budgets have room for each of the transforms; else says what they lack.
mst_status mst_spectra_plan(mst_convolution *plan, mst_error *error);
void mst_spectra_destroy(struct mst_spectra *spectra);

// As mst_convolution_execute, for arrays of which none is on the device.
mst_status mst_spectra_execute(const mst_convolution *plan, const mst_location *where, const mst_execution *how,
                               mst_error *error);

uint64_t mst_spectra_host_bytes(const struct mst_spectra *spectra); // that an execution takes

// spectra_lines.c: operands and results, chunk by chunk along the last axis.

// One line of the result, and the operand that goes into its padded form or the result that comes out of it.
typedef struct mst_spectra_line {
    const mst_convolution *plan;
    const mst_location *where;
    size_t number;
    int array;
    void *padded; // of all axes, in C order, in the type of the result
} mst_spectra_line;

mst_status mst_spectra_load(mst_spectra_line *line, mst_error *error);
mst_status mst_spectra_store(mst_spectra_line *line, mst_error *error);

#endif
