// mastaba bench: comparisons that the program can run on this machine.
#include "bench.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, const char **argv);
    const char *summary;
} benchmarks[] = {
    {"all", bench_all, "all of these, in one page of tables and figures beside the published ones"},
    {"convolution", bench_convolution, "the paper's variants A to E against its sequential reference"},
    {"integration", bench_integration, "the published rectangle rule against one core and the library's rules"},
    {"vector-width", bench_vector_width, "one kernel on vectors of 1 to 16 elements, in every type"},
    {"pyramid", bench_pyramid, "slabs, tiles and skewed slabs against the trivial way"},
    {"filter", bench_filter, "the published image filter's stages, and the fused filter"},
};

static void print_help(FILE *out) {
    fputs("Usage: mastaba bench BENCHMARK [options]\n\nBenchmarks:\n", out);
    for (size_t i = 0; i < sizeof benchmarks / sizeof benchmarks[0]; i++)
        fprintf(out, "  %-12s %s\n", benchmarks[i].name, benchmarks[i].summary);
    fputs("\n`mastaba bench BENCHMARK --help` describes one.\n", out);
}

int cmd_bench(int argc, const char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return cli_flush("bench");
    }
    for (size_t i = 0; i < sizeof benchmarks / sizeof benchmarks[0]; i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argc - 1, argv + 1);
    cli_error("bench", "%s: no such benchmark; `mastaba bench --help` lists them", argv[1]);
    return CLI_USAGE;
}
