// mastaba devices --check: does a driver work?
#ifndef MASTABA_CLI_CHECK_H
#define MASTABA_CLI_CHECK_H

#include "core/cli.h"

typedef struct cli_check {
    bool ok;
    double seconds;    // context, kernels, transforms
    double copy_rate;  // bytes per second
    char problem[600]; // if not ok
} cli_check;

// Runs the check of device `index` in a child (child.h) and waits at most `timeout` seconds.
void cli_check_device(size_t index, char *const *environment, int timeout, bool verbose, cli_check *check);

// The child's part: checks the device and answers. Returns an exit code.
int cli_check_child(int index);

#endif
