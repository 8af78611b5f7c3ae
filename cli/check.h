// mastaba devices --check: does a driver work? Each device is tried in a process of its own, so that a driver that crashes
// or hangs is a line in the report.
#ifndef MASTABA_CLI_CHECK_H
#define MASTABA_CLI_CHECK_H

#include "core/cli.h"

extern const cli_command cmd_devices;

typedef struct cli_check {
    bool ok;
    double seconds;    // context, kernels, transforms
    double copy_rate;  // bytes per second
    char problem[600]; // if not ok
} cli_check;

// A copy of this process's environment, for the children; NULL if out of memory. To be taken before the first call of OpenCL:
// Khronos's loader cuts OCL_ICD_FILENAMES up in place, so that a child would see only the first of its drivers.
char **cli_environment_copy(void);
void cli_environment_free(char **environment);

// Runs the check of device `index` in a child and waits at most `timeout` seconds. With `verbose` what the driver prints on
// stderr is shown.
void cli_check_device(size_t index, char *const *environment, int timeout, bool verbose, cli_check *check);

// The child's part: checks the device and writes the result to descriptor 3. Returns an exit code.
int cli_check_child(int index);

#endif
