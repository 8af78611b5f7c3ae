// The program `mastaba`: finds the command and runs it.
#include "core/cli.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, const char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"devices", cmd_devices, "list the OpenCL devices, or check them"},
    {"fft", cmd_fft, "Fourier transforms of arrays of any size"},
    {"convolve", cmd_convolve, "convolution and correlation of arrays and sounds"},
    {"map", cmd_map, "an expression for every element of arrays"},
    {"filter", cmd_filter, "images filtered in the frequency domain"},
    {"integrate", cmd_integrate, "definite integrals of expressions, with an error estimate"},
    {"solve", cmd_solve, "explicit finite-difference schemes on grids of any size"},
    {"tune", cmd_tune, "find the fastest kernels by test runs, and remember them"},
    {"bench", cmd_bench, "compare algorithms on this machine"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
    fputs("Usage: mastaba COMMAND [options]\n\n"
          "FFTs, convolutions, image filters, integrals and finite differences on any OpenCL device,\nfor data of any "
          "size.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`mastaba COMMAND --help` describes a command; `mastaba --version` gives the version.\n\n"
          "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output,\n"
          "5 accuracy missed, 130 interrupted.\n",
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
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, (const char **)argv + 1);
    const char *meant = cli_nearest(name, commands, N_COMMANDS, sizeof commands[0]);
    if (meant)
        cli_error(NULL, "%s: no such %s; did you mean `mastaba %s`?", name, name[0] == '-' ? "option" : "command", meant);
    else
        cli_error(NULL, "%s: no such %s; `mastaba --help` lists the commands", name, name[0] == '-' ? "option" : "command");
    return CLI_USAGE;
}
