#include "library.h"

#include "report.h"

#ifdef CLI_LOADS_FORMATS

#include "count.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern const cli_library cli_libsndfile, cli_libyaml, cli_libtiff, cli_libpng, cli_libjpeg;

static const cli_library *const libraries[] = {
    [CLI_LIBSNDFILE] = &cli_libsndfile, [CLI_LIBYAML] = &cli_libyaml, [CLI_LIBTIFF] = &cli_libtiff, [CLI_LIBPNG] = &cli_libpng,
#ifdef CLI_HAS_JPEG
    [CLI_LIBJPEG] = &cli_libjpeg,
#endif
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_open[CLI_COUNT(libraries)];

static void *load(const cli_library *library, char *problem, size_t size) {
    void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        snprintf(problem, size, "which cannot be loaded (%.200s); install it", dlerror());
    return handle || !library->elsewhere ? handle : dlopen(library->elsewhere, RTLD_LAZY | RTLD_LOCAL);
}

// The library stays open: what it has handed out may live as long as the program.
static bool open_library(const cli_library *library, char *problem, size_t size) {
    void *handle = load(library, problem, size);
    if (!handle)
        return false;
    for (size_t k = 0; k < library->n_names; k++) {
        void *function = dlsym(handle, library->names[k]);
        if (!function) {
            snprintf(problem, size, "which has no function %s; install a newer version", library->names[k]);
            dlclose(handle);
            return false;
        }
        memcpy((char *)library->table + k * sizeof function, &function, sizeof function);
    }
    return true;
}

static bool find(cli_format_library library, char *problem, size_t size) {
    if (library == CLI_NO_LIBRARY)
        return true;
    pthread_mutex_lock(&mutex);
    const bool found = is_open[library] = is_open[library] || open_library(libraries[library], problem, size);
    pthread_mutex_unlock(&mutex);
    return found;
}

int cli_library_open(const char *command, const char *path, cli_format_library library) {
    char problem[300];
    if (find(library, problem, sizeof problem))
        return CLI_DONE;
    cli_error(command, "%s: needs %s, %s", path, libraries[library]->file, problem);
    return CLI_FAILED;
}

bool cli_library_is_there(cli_format_library library) {
    char problem[300];
    return find(library, problem, sizeof problem);
}

#else

int cli_library_open(const char *command, const char *path, cli_format_library library) {
    (void)command, (void)path, (void)library;
    return CLI_DONE;
}

bool cli_library_is_there(cli_format_library library) {
    (void)library;
    return true;
}

#endif
