// mastaba bench: comparisons that the program can run on this machine.
#include "bench.h"

static const cli_command *const benchmarks[] = {
    &bench_all,
    &bench_convolution.command,
    &bench_integration.command,
    &bench_vector_width.command,
    &bench_pyramid.command,
    &bench_filter.command,
    &bench_rates.command,
};

const cli_command cmd_bench = {
    .name = "bench",
    .summary = "compare algorithms on this machine",
    .title = "Compares algorithms on this machine.",
    .synopsis = "COMMAND [options]",
    .details = "`mastaba bench COMMAND --help` describes one.\n",
    .commands = benchmarks,
    .n_commands = CLI_COUNT(benchmarks),
};
