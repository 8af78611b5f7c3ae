// The program `mastaba-mpi`: commands of `mastaba` by all ranks of an MPI job.
#include "array/commands.h"
#include "describe/describe.h"
#include "image/filter.h"
#include "integrate/integrate.h"
#include "ranks.h"

#include <string.h>

static const cli_command *const commands[] = {&mpi_fft,       &cmd_convolve, &cmd_map,   &cmd_filter,
                                              &cmd_integrate, &mpi_solve,    &cmd_manual};

const cli_command cli_root = {
    .title = "Commands of `mastaba` by all ranks of an MPI job, on one or several machines.",
    .synopsis = "COMMAND [options]",
    .details = "`mpiexec -n RANKS mastaba-mpi COMMAND ...` begins a job. `mastaba-mpi COMMAND --help`\n"
               "describes a command; `mastaba-mpi --version` gives the version.\n",
    .commands = commands,
    .n_commands = CLI_COUNT(commands),
};

static int run(int argc, const char **argv) {
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("mastaba-mpi %s\n", mst_version());
        return cli_flush(NULL);
    }
    return cli_run_command(&cli_root, argc, argv);
}

int main(int argc, char **argv) {
    cli_set_program("mastaba-mpi");
    if (argc > 1 && strcmp(argv[1], cmd_manual.name) == 0) { // by one process, as in a build, where no job can be started
        ranks_describe();
        return run(argc, (const char **)argv);
    }
    cli_block_interrupts(); // MPI has threads
    if (!ranks_begin(&argc, &argv)) {
        cli_error(NULL, "MPI does not start, or not for calls from one thread of several (MPI_THREAD_FUNNELED)");
        return CLI_FAILED;
    }
    int code = run(argc, (const char **)argv);
    ranks_end();
    return code;
}
