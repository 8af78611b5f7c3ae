#include "describe.h"

const cli_option *describe_option(const cli_command *command, size_t i) {
    for (size_t k = 0; k < command->n_options; k++)
        if (command->options[k].help && i-- == 0)
            return &command->options[k];
    return command->commands ? NULL : cli_shared_option(command, i);
}

void describe_each(const cli_command *root, void (*visit)(const cli_command *command, void *data), void *data) {
    if (!root->commands)
        visit(root, data);
    for (size_t i = 0; i < root->n_commands; i++)
        describe_each(root->commands[i], visit, data);
}
