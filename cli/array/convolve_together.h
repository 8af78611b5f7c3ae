// Convolution by a whole team (core/team.h) that shares transforms of the whole arrays.
#ifndef MASTABA_CLI_CONVOLVE_TOGETHER_H
#define MASTABA_CLI_CONVOLVE_TOGETHER_H

#include "operand.h"
#include "output.h"

#include "core/options.h"

typedef struct convolve_together {
    const char *command;
    const mst_convolution_desc *desc; // of whole arrays, with the result
    const cli_operand *operands[2];
    const cli_output *output; // which has begun
    bool dry_run;             // who would have what is printed, and that is all
    // What it gives:
    mst_context *context; // the caller's
    mst_report report;
    uint64_t bytes; // of this process's parts
} convolve_together;

// Whether a convolution along the first axis is for the team together: in a circle, or where the second operand has more rows
// than three quarters of a share, as each would convolve as many more than it keeps then. Where exchanges begin to take less was
// judged, not measured.
bool convolve_is_together(const mst_convolution_desc *desc);

// Does it, all of the team at once, and unless dry, reports. An exit code.
int convolve_do_together(convolve_together *work, cli_output *output, const cli_options *options);

#endif
