// The program described for others: completion for shells, and pages of the manual, from the same tables as --help.
#ifndef MASTABA_CLI_DESCRIBE_H
#define MASTABA_CLI_DESCRIBE_H

#include "core/cli.h"

extern const cli_command cli_root; // the commands of the program, which defines it
extern const cli_command cmd_completion, cmd_manual;

// The number `i` of a command's options, its own first, then those that it shares; NULL: there are no more. Options that --help
// does not show are passed over.
const cli_option *describe_option(const cli_command *command, size_t i);

// Calls visit(command, data) for the program and every command of it that runs.
void describe_each(const cli_command *root, void (*visit)(const cli_command *command, void *data), void *data);

#endif
