// Runs the library's kernels on tiny data, for Oclgrind to watch. race_main: prints the number of cases. race_main CASE: runs
// one, and exits with 1 when its results are wrong.
#include "race.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static const race_cases *const modules[] = {&race_stencil,     &race_filter, &race_integral,     &race_fft,
                                                &race_convolution, &race_map,    &race_deconvolution};
    const size_t n_modules = sizeof modules / sizeof modules[0];
    mst_error error;
    mst_context *context;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.no_cache = true; // Oclgrind can abort on a binary that it did not make
    int n = 0;
    for (size_t i = 0; i < n_modules; i++)
        n += modules[i]->n;
    if (argc == 1) {
        printf("%d\n", n);
        return 0;
    }
    int c = atoi(argv[1]);
    if (c < 0 || c >= n)
        return 2;
    size_t module = 0;
    while (c >= modules[module]->n)
        c -= modules[module++]->n;
    check(mst_context_create(&desc, &context, &error), &error);
    modules[module]->run(context, c);
    mst_context_destroy(context);
    return 0;
}
