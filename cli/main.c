// The program `mastaba`: finds the command and runs it.
#include "array/commands.h"
#include "bench/bench.h"
#include "check.h"
#include "core/cli.h"
#include "image/filter.h"
#include "integrate/integrate.h"
#include "solve/solve.h"
#include "tune/tune.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cmd_devices, &cmd_fft, &cmd_convolve, &cmd_map, &cmd_filter, &cmd_integrate, &cmd_solve, &cmd_tune, &cmd_bench,
};

static void print_help(FILE *out) {
    fputs("Usage: mastaba COMMAND [options]\n\n"
          "FFTs, convolutions, image filters, integrals and finite differences on any OpenCL device,\nfor data of any "
          "size.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < CLI_COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n`mastaba COMMAND --help` describes a command; `mastaba --version` gives the version.\n\n"
          "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output,\n"
          "5 accuracy missed, 6 diverged, 130 interrupted.\n",
          out);
}

// A closed standard descriptor would be given to the first file that is opened, and messages would be written into it.
static void fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR) < 0) // so that writing results fails
            _exit(CLI_INPUT_OUTPUT);
}

int main(int argc, char **argv) {
    fill_standard_descriptors();
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return cli_flush(NULL);
    }
    if (strcmp(name, "--version") == 0) {
        printf("mastaba %s\n", mst_version());
        return cli_flush(NULL);
    }
    for (size_t i = 0; i < CLI_COUNT(commands); i++)
        if (strcmp(name, commands[i]->name) == 0)
            return cli_run_command(commands[i], argc - 1, (const char **)argv + 1);
    const char *names[CLI_COUNT(commands)];
    for (size_t i = 0; i < CLI_COUNT(commands); i++)
        names[i] = commands[i]->name;
    const char *meant = cli_nearest(name, names, CLI_COUNT(names), sizeof names[0]);
    if (meant)
        cli_error(NULL, "%s: no such %s; did you mean `mastaba %s`?", name, name[0] == '-' ? "option" : "command", meant);
    else
        cli_error(NULL, "%s: no such %s; `mastaba --help` lists the commands", name, name[0] == '-' ? "option" : "command");
    return CLI_USAGE;
}
