#include "runtime/loader.h"

#include "runtime/error.h"

#ifdef MST_LOAD_OPENCL

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// One for the process, as a library that the linker had found would be; written once, and only read after that.
struct mst_opencl_table mst_opencl;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[300];

static void find_function(void *library, const char *name, void *place) {
    *(void **)place = dlsym(library, name);
    if (!*(void **)place && !problem[0])
        snprintf(problem, sizeof problem, "the OpenCL loader has no %s, which OpenCL 1.2 has: install a newer one", name);
}

static void load(void) {
    const char *named = getenv("MASTABA_OPENCL");
    void *library = dlopen(named && *named ? named : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem,
                 "no OpenCL loader (%s); install one, on Debian and Ubuntu the package ocl-icd-libopencl1, or name its file in "
                 "MASTABA_OPENCL",
                 dlerror());
        return;
    }
#define FIND(function) find_function(library, #function, &mst_opencl.function);
    MST_OPENCL_FUNCTIONS(FIND)
#undef FIND
}

mst_status mst_opencl_load(mst_error *error) {
    pthread_once(&once, load);
    return problem[0] ? mst_fail(error, MST_ERROR_NO_DEVICE, "%s", problem) : MST_OK;
}

#else

mst_status mst_opencl_load(mst_error *error) {
    (void)error;
    return MST_OK;
}

#endif
