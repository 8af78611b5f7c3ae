// mastaba bench: comparisons that the program can run on this machine.
#include "bench.h"

#include <string.h>

static const cli_command *const benchmarks[] = {
    &bench_all,
    &bench_convolution.command,
    &bench_integration.command,
    &bench_vector_width.command,
    &bench_pyramid.command,
    &bench_filter.command,
};

// Without "bench ".
static const char *name_of(const cli_command *command) { return strchr(command->name, ' ') + 1; }

static void print_help(FILE *out) {
    fputs("Usage: mastaba bench BENCHMARK [options]\n\nBenchmarks:\n", out);
    for (size_t i = 0; i < CLI_COUNT(benchmarks); i++)
        fprintf(out, "  %-12s %s\n", name_of(benchmarks[i]), benchmarks[i]->summary);
    fputs("\n`mastaba bench BENCHMARK --help` describes one.\n", out);
}

static int run_one(int argc, const char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return cli_flush("bench");
    }
    for (size_t i = 0; i < CLI_COUNT(benchmarks); i++)
        if (strcmp(argv[1], name_of(benchmarks[i])) == 0)
            return cli_run_command(benchmarks[i], argc - 1, argv + 1);
    cli_error("bench", "%s: no such benchmark; `mastaba bench --help` lists them", argv[1]);
    return CLI_USAGE;
}

const cli_command cmd_bench = {.name = "bench", .summary = "compare algorithms on this machine", .run_one = run_one};
