// Libraries that are opened when a file needs them. Where the program is linked to them (CLI_LOADS_FORMATS is not defined), they
// are there already.
#ifndef MASTABA_CLI_LIBRARY_H
#define MASTABA_CLI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_format_library {
    CLI_NO_LIBRARY,
    CLI_LIBSNDFILE,
    CLI_LIBYAML,
    CLI_LIBTIFF,
    CLI_LIBPNG,
    CLI_LIBJPEG
} cli_format_library;

// Opens a library, before the first call of one of its functions, from any thread. Prints that it is missing, and that `path`
// needs it. Returns an exit code.
int cli_library_open(const char *command, const char *path, cli_format_library library);

// The same without a message: whether it is open.
bool cli_library_is_there(cli_format_library library);

// What cmake/LoadFormats.cmake makes of each: its file, its path where the loader does not look by itself (or NULL), its
// functions' names, and the table of pointers to these.
typedef struct cli_library {
    const char *file, *elsewhere;
    const char *const *names;
    size_t n_names;
    void *table;
} cli_library;

#endif
