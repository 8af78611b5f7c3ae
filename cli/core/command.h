// A command of the program, in one description: what the list of commands and its own help say, its options, and its function.
#ifndef MASTABA_CLI_COMMAND_H
#define MASTABA_CLI_COMMAND_H

#include "options.h"

#include <limits.h>

enum { CLI_MANY = INT_MAX }; // operands without limit

// What the command line holds besides the command's own options. The operands are NULL after the last one.
typedef struct cli_arguments {
    cli_options common;
    const char **operands;
    int n_operands;
} cli_arguments;

typedef struct cli_command {
    const char *name;     // "convolve"; of a benchmark "bench convolution"; NULL: the program itself
    const char *summary;  // in the list of commands
    const char *title;    // the first line of --help: a sentence
    const char *synopsis; // "X Y -o Z [options]"
    const char *details;  // printed after the options: what is done, and an example; ends with a newline
    int min_operands, max_operands;
    bool of_expressions;       // its operands begin with an expression, which may begin with -
    unsigned leave_out;        // groups of shared options that would do nothing here; 0: the command has them all
    const cli_option *options; // the command's own
    size_t n_options;
    size_t values_bytes;  // of the structure that holds their values
    const void *defaults; // such a structure; NULL: zeros

    // Does the work; values is the structure, whose texts the program frees afterwards. Returns an exit code.
    int (*run)(const cli_arguments *arguments, void *values);

    // In place of the operands and of all below `details`: commands of its own, of which the first argument names one. Their
    // names begin with this command's, if it has one: "bench filter".
    const struct cli_command *const *commands;
    size_t n_commands;
} cli_command;

// A command's name among those of its group: "filter" of "bench filter".
const char *cli_command_name(const cli_command *command);

// The options that a command shares with others: the number `i` of them, --help last; NULL: there are no more.
const cli_option *cli_shared_option(const cli_command *command, size_t i);

// What --help says last: how sizes are given, where the command takes any, and the exit codes.
const char *cli_command_notes(const cli_command *command);

// Parses a command line, options before or after operands, and runs the command, or prints its help. argv[0] is the command's
// name. Returns an exit code.
int cli_run_command(const cli_command *command, int argc, const char **argv);

// The same for a command that has commands of its own: runs the one that argv[1] names, or prints their list.
int cli_run_group(const cli_command *group, int argc, const char **argv);

#endif
