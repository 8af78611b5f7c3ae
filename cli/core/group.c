// Commands that have commands: the program itself, and `mastaba bench`.
#include "command.h"

#include "nearest.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

const char *cli_command_name(const cli_command *command) {
    const char *space = strrchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

static void print_help(const cli_command *group, FILE *out) {
    fprintf(out, "Usage: %s%s%s %s\n\n%s\n\nCommands:\n", cli_program(), group->name ? " " : "", group->name ? group->name : "",
            group->synopsis, group->title);
    for (size_t i = 0; i < group->n_commands; i++)
        fprintf(out, "  %-12s %s\n", cli_command_name(group->commands[i]), group->commands[i]->summary);
    fprintf(out, "\n%s", group->details);
}

static int no_such_command(const cli_command *group, const char *name) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = group->n_commands < MOST ? group->n_commands : MOST;
    for (size_t i = 0; i < n; i++)
        names[i] = cli_command_name(group->commands[i]);
    const char *space = group->name ? " " : "", *of = group->name ? group->name : "";
    const char *meant = cli_nearest(name, names, n, sizeof names[0]), *what = name[0] == '-' ? "option" : "command";
    if (meant)
        cli_error(group->name, "%s: no such %s; did you mean `%s%s%s %s`?", name, what, cli_program(), space, of, meant);
    else
        cli_error(group->name, "%s: no such %s; `%s%s%s --help` lists the commands", name, what, cli_program(), space, of);
    return CLI_USAGE;
}

int cli_run_group(const cli_command *group, int argc, const char **argv) {
    if (argc < 2) {
        print_help(group, stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(group, stdout);
        return cli_flush(group->name);
    }
    for (size_t i = 0; i < group->n_commands; i++)
        if (strcmp(argv[1], cli_command_name(group->commands[i])) == 0)
            return cli_run_command(group->commands[i], argc - 1, argv + 1);
    return no_such_command(group, argv[1]);
}
