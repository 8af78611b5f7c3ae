// The commands of the program.
#include "array/commands.h"
#include "bench/bench.h"
#include "describe/describe.h"
#include "devices/devices.h"
#include "image/deconvolve.h"
#include "image/filter.h"
#include "integrate/integrate.h"
#include "prepare/prepare.h"
#include "solve/solve.h"
#include "tune/tune.h"

static const cli_command *const commands[] = {
    &cmd_devices,   &cmd_doctor, &cmd_fft,     &cmd_convolve, &cmd_map,   &cmd_filter,     &cmd_deconvolve,
    &cmd_integrate, &cmd_solve,  &cmd_prepare, &cmd_tune,     &cmd_bench, &cmd_completion, &cmd_manual,
};

const cli_command cli_root = {
    .title = "FFTs, convolutions, image filters, integrals and finite differences on any OpenCL device,\nfor data of any size.",
    .synopsis = "COMMAND [options]",
    .details = "`mastaba COMMAND --help` describes a command; `mastaba --version` gives the version.\n\n"
               "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output,\n"
               "5 accuracy missed, 6 diverged, 130 interrupted.\n",
    .commands = commands,
    .n_commands = CLI_COUNT(commands),
};
