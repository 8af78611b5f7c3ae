// mastaba-mpi convolve, where ranks share transforms of the whole arrays: each reads what it has of the operands, and writes what
// it has of the result.
#include "array/convolve_together.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/team.h"
#include "files.h"

#include <stdlib.h>

typedef struct job {
    convolve_together *work;
    mst_mpi_part parts[3];
    void *values[3];
    mst_mpi_convolution *plan;
} job;

// ---- Who has what

static const ranks_array_name array_names[] = {{"x", "x"}, {"y", "y"}, {"z", "z"}};

static int print_plan(const convolve_together *w, bool json) {
    json_t *list = json ? json_array() : NULL;
    mst_error error;
    int failed = 0;
    for (int rank = 0; rank < ranks_count(); rank++) {
        mst_mpi_part parts[] = {MST_MPI_PART_INIT, MST_MPI_PART_INIT, MST_MPI_PART_INIT};
        mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
        if (mst_mpi_convolution_parts(w->desc, MST_MPI_CUT_AUTO, ranks_count(), rank, &parts[0], &parts[1], &parts[2], &error) !=
                MST_OK ||
            mst_mpi_convolution_needs(w->desc, MST_MPI_CUT_AUTO, ranks_count(), rank, &needs, &error) != MST_OK)
            return cli_fail_input(w->command, NULL, &error);
        failed |= ranks_add_plan(list, rank, 3, array_names, parts, &needs);
    }
    return json ? cli_print_json(w->command, cli_json_complete(list, failed || !list)) : cli_flush(w->command);
}

// ---- The work

static int prepare(job *j, const cli_options *options) {
    convolve_together *w = j->work;
    mst_error error;
    int code = cli_context(w->command, options, true, &w->context);
    if (code == CLI_DONE && mst_mpi_convolution_parts(w->desc, MST_MPI_CUT_AUTO, ranks_count(), ranks_number(), &j->parts[0],
                                                      &j->parts[1], &j->parts[2], &error) != MST_OK)
        code = cli_fail_input(w->command, NULL, &error);
    ranks_pause_watch(); // the first ranks have more to read
    for (int side = 0; side < 2 && code == CLI_DONE; side++) {
        cli_operand operand = *w->operands[side];
        const mst_layout *whole = side ? &w->desc->y : &w->desc->x;
        operand.layout = mst_layout_dense(whole->type, whole->rank, whole->shape);
        code = ranks_read_part(w->command, &operand, &j->parts[side], &j->values[side]);
        w->bytes += cli_layout_bytes(&j->parts[side].layout);
    }
    w->bytes += cli_layout_bytes(&j->parts[2].layout);
    j->values[2] = malloc((size_t)cli_layout_bytes(&j->parts[2].layout) + 1);
    if (code == CLI_DONE && !j->values[2])
        code = cli_out_of_memory(w->command, "this rank's part of the result");
    return ranks_meet(w->command, code);
}

// The library waits for other ranks, and gives up with a message of all.
static int create(job *j, double timeout) {
    mst_error error;
    ranks_pause_watch();
    if (mst_mpi_convolution_create(MPI_COMM_WORLD, j->work->context, j->work->desc, MST_MPI_CUT_AUTO, timeout, &j->plan,
                                   &error) == MST_OK)
        return CLI_DONE;
    return cli_agree(j->work->command, cli_fail_input(j->work->command, NULL, &error));
}

static int compute(job *j) {
    const convolve_together *w = j->work;
    mst_error error;
    int code = CLI_DONE;
    if (mst_mpi_convolution_execute(j->plan, j->values[0], j->values[1], j->values[2], &error) != MST_OK) {
        if (mst_mpi_convolution_is_broken(j->plan))
            ranks_give_up();
        code = cli_fail_input(w->command, NULL, &error);
    }
    if (code == CLI_DONE)
        code = ranks_write_part(w->command, w->output->path, w->output->location, &w->desc->z, &j->parts[2], j->values[2]);
    return code == CLI_DONE && cli_interrupted() ? cli_fail_interrupted(w->command) : code;
}

int ranks_convolve(convolve_together *work, const cli_options *options) {
    job j = {.work = work, .parts = {MST_MPI_PART_INIT, MST_MPI_PART_INIT, MST_MPI_PART_INIT}};
    if (work->dry_run)
        return print_plan(work, options->json != 0);
    int code = prepare(&j, options);
    if (code == CLI_DONE)
        code = create(&j, options->timeout);
    if (code == CLI_DONE && work->output->path) {
        const double began = cli_work_begin();
        code = cli_work_end(work->command, compute(&j), began, &work->report);
    }
    mst_mpi_convolution_destroy(j.plan);
    for (int side = 0; side < 3; side++)
        free(j.values[side]);
    return code;
}
