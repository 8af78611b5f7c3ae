// mastaba fft: its help, and the plan that --dry-run prints.
#ifndef CLI_ARRAY_FFT_PLAN_H
#define CLI_ARRAY_FFT_PLAN_H

#include "files.h"

extern const char fft_details[];

// Fails where an execution would be refused for its budgets.
int fft_print_plan(const char *command, const cli_options *options, const char *path, const mst_fft *plan);

#endif
