// Kernels that are shaped for GPUs are compiled without optimisation but at night: nobody runs them on a CPU, and PoCL takes
// several times as long to optimise its loops over their work-items. So are all kernels of tests that run many for a short time,
// and in the short form (MASTABA_SHORT=1) of all programs, but for the kernels that tests find in their caches. The functions
// stand before those of the same names in the library that programs link to last, or are preloaded (libquick_builds.so).
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool test_quick_builds, test_all_quick_builds;

static bool is_shaped_for_gpus(const char *source) {
    static const char attribute[] = "reqd_work_group_size(";
    for (const char *at = source; (at = strstr(at, attribute)) != NULL;) {
        at += strlen(attribute);
        if (strncmp(at, "1,", 2) != 0)
            return true;
    }
    return false;
}

// Of all sizes or formulas: the tests share them, and begin with them in the caches (warm_cache.sh).
static bool knows_no_sizes(const char *source) {
    static const char *const marks[] = {"void fft_any(",    "void convolve_any(", "void filter_any(",
                                        "void interpret(",  "\ndirect(",          "void accumulate(",
                                        "void load_array(", "void load_planes(",  "void take_ratio("};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (strstr(source, marks[k]))
            return true;
    return false;
}

static char *source_of(cl_program program) {
    size_t size = 0;
    char *source = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) != CL_SUCCESS || !(source = calloc(1, size + 1)))
        return NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source, NULL) == CL_SUCCESS)
        return source;
    free(source);
    return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    __typeof__(&clBuildProgram) build;
    *(void **)&build = dlsym(RTLD_NEXT, "clBuildProgram");
    cl_device_type type = 0;
    const bool in_short = getenv("MASTABA_SHORT") && !getenv("MASTABA_NIGHTLY");
    bool quick = (test_quick_builds || in_short) &&
                 clGetDeviceInfo(devices[0], CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
                 (type & CL_DEVICE_TYPE_CPU);
    char *source = quick ? source_of(program) : NULL, line[1100];
    if (source && (test_all_quick_builds || (in_short && !knows_no_sizes(source)) || is_shaped_for_gpus(source))) {
        snprintf(line, sizeof line, "%s -cl-opt-disable", options ? options : "");
        options = line;
    }
    free(source);
    return build(program, n_devices, devices, options, notify, user);
}
