// The program `mastaba-mpi`: commands of `mastaba` by all ranks of an MPI job.
#include "array/commands.h"
#include "image/filter.h"
#include "integrate/integrate.h"
#include "ranks.h"

#include <string.h>

static const cli_command *const commands[] = {&mpi_fft, &cmd_convolve, &cmd_map, &cmd_filter, &cmd_integrate, &mpi_solve};

static void print_help(FILE *out) {
    fputs("Usage: mpiexec -n RANKS mastaba-mpi COMMAND [options]\n\n"
          "Commands of `mastaba` by all ranks of an MPI job, on one or several machines.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < CLI_COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n`mastaba-mpi COMMAND --help` describes a command; `mastaba-mpi --version` gives the version.\n", out);
}

static int run(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(name ? stdout : stderr);
        return name ? cli_flush(NULL) : CLI_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("mastaba-mpi %s\n", mst_version());
        return cli_flush(NULL);
    }
    for (size_t i = 0; i < CLI_COUNT(commands); i++)
        if (strcmp(name, commands[i]->name) == 0)
            return cli_run_command(commands[i], argc - 1, (const char **)argv + 1);
    cli_error(NULL, "%s: no such %s; `mastaba-mpi --help` lists the commands", name, name[0] == '-' ? "option" : "command");
    return CLI_USAGE;
}

int main(int argc, char **argv) {
    cli_set_program("mastaba-mpi");
    cli_block_interrupts(); // MPI has threads
    if (!ranks_begin(&argc, &argv)) {
        cli_error(NULL, "MPI does not start, or not for calls from one thread of several (MPI_THREAD_FUNNELED)");
        return CLI_FAILED;
    }
    int code = run(argc, argv);
    ranks_end();
    return code;
}
