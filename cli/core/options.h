// The command line of a command.
#ifndef MASTABA_CLI_OPTIONS_H
#define MASTABA_CLI_OPTIONS_H

#include <limits.h>
#include <mastaba/mastaba.h>
#include <popt.h>

// The options that commands share, in groups that a command can leave out.
enum { CLI_DEVICE = 1, CLI_MEMORY = 2, CLI_NO_CACHE = 4, CLI_FORCE = 8, CLI_JSON = 16, CLI_VERBOSE = 32 };

typedef struct cli_options {
    char *device;                        // NULL: MASTABA_DEVICE, else the default
    uint64_t device_memory, host_memory; // 0: the library's default
    int no_cache, force, json, verbose;  // 0 or 1
    char *device_memory_text, *host_memory_text;
} cli_options;

enum { CLI_MANY = INT_MAX }; // operands without limit

typedef struct cli_usage {
    const char *command;              // "convolve"
    const char *synopsis;             // "X Y -o Z [options]"
    const char *summary;              // one line, as `mastaba --help` has it
    const char *details;              // printed after the options: what is done, and an example; ends with a newline
    unsigned leave_out;               // groups of shared options that would do nothing here; 0: the command has them all
    const struct poptOption *options; // the command's own, ending in POPT_TABLEEND
    int min_operands, max_operands;
} cli_usage;

// What cli_parse read. The operands are NULL after the last one.
typedef struct cli_arguments {
    cli_options common;
    const char **operands;
    int n_operands;
    poptContext popt; // owns the operands' text
} cli_arguments;

// Parses a command line, options before or after operands. Returns false if the command is to end with *exit_code: --help was
// printed, or an error. cli_free follows in any case. String options in usage->options are malloc'ed and the command's.
bool cli_parse(const cli_usage *usage, int argc, const char **argv, cli_arguments *arguments, int *exit_code);
void cli_free(cli_arguments *arguments);

// Bytes in "4096", "512M", "1.5GiB" (powers of 1024) or "64KB" (of 1000: KB MB GB TB), in any case. False if it is no size.
bool cli_size(const char *text, uint64_t *bytes);

// The numbers of --axes, as in "-2,-1": at most `most`. Returns CLI_DONE, or CLI_USAGE after printing the error.
int cli_axes(const char *command, const char *text, int most, int *axes, int *n_axes);

#endif
