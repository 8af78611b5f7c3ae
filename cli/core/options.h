// Options: what a command takes, and those that commands share.
#ifndef MASTABA_CLI_OPTIONS_H
#define MASTABA_CLI_OPTIONS_H

#include "count.h"

#include <mastaba/mastaba.h>

// What an option's value is.
typedef enum cli_kind {
    CLI_FLAG,  // int: 1 if the option is given
    CLI_INT,   // int
    CLI_LONG,  // long long
    CLI_REAL,  // double
    CLI_TEXT,  // char *, malloc'ed; NULL: not given. The last one counts
    CLI_TEXTS, // char **, malloc'ed, NULL-ended: one for each time that the option is given; NULL: not given
} cli_kind;

typedef struct cli_option {
    const char *name; // NULL: there is only the letter
    char letter;      // 0: there is only the name
    cli_kind kind;
    size_t at;            // where the value is in the structure that holds the values: offsetof(type, member)
    const char *help;     // NULL: --help does not show the option
    const char *argument; // what stands for the value in --help
} cli_option;

// The options that commands share, in groups that a command can leave out.
enum {
    CLI_DEVICE = 1,
    CLI_MEMORY = 2,
    CLI_NO_CACHE = 4,
    CLI_FORCE = 8,
    CLI_JSON = 16,
    CLI_VERBOSE = 32,
    CLI_KERNELS = 64,
    CLI_TIMEOUT = 128
};

typedef struct cli_options {
    char *device;                                     // NULL: MASTABA_DEVICE, else the default
    uint64_t device_memory, host_memory;              // 0: the library's default
    int no_cache, force, json, verbose, show_kernels; // 0 or 1
    char *device_memory_text, *host_memory_text;
    double timeout; // seconds that a rank waits for others; 0: for ever
} cli_options;

#endif
