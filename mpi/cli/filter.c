// mastaba-mpi filter, where ranks share transforms of one image: each has read all of it, filters its part, and the first one
// gets the whole result.
#include "image/filter.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/team.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
    const filter_together *work;
    mst_mpi_part parts[2]; // of the input and the result
    void *values[2];
    mst_mpi_filter *plan;
} job;

// A part without gaps, between memory and the whole array, row by row: these, with their channels, no rank shares.
static void copy_part(const mst_mpi_part *p, const mst_layout *whole, char *all, char *part, bool into_whole) {
    const mst_layout *l = &p->layout;
    const int axis = l->rank - 2; // of the rows
    const size_t element = mst_type_bytes(l->type), bytes = element * l->shape[axis] * l->shape[axis + 1];
    const uint64_t n = bytes > 0 ? cli_layout_bytes(l) / bytes : 0;
    for (uint64_t row = 0; row < n; row++, part += bytes) {
        uint64_t left = row, at = 0;
        for (int k = axis - 1; k >= 0; k--) {
            at += (p->start[k] + left % l->shape[k]) * (uint64_t)whole->strides[k];
            left /= l->shape[k];
        }
        char *const there = all + at * element;
        memcpy(into_whole ? there : part, into_whole ? part : there, bytes);
    }
}

static int find_parts(const filter_together *w, int rank, mst_mpi_part *input, mst_mpi_part *output) {
    mst_error error;
    *input = *output = (mst_mpi_part)MST_MPI_PART_INIT;
    if (mst_mpi_filter_parts(w->desc, MST_MPI_CUT_AUTO, ranks_count(), rank, input, output, &error) == MST_OK)
        return CLI_DONE;
    return cli_fail_input(w->command, w->path, &error);
}

static int prepare(job *j) {
    const filter_together *w = j->work;
    int code = find_parts(w, ranks_number(), &j->parts[0], &j->parts[1]);
    for (int side = 0; side < 2 && code == CLI_DONE; side++) {
        j->values[side] = malloc((size_t)cli_layout_bytes(&j->parts[side].layout) + 1);
        if (!j->values[side])
            code = cli_out_of_memory(w->command, "this rank's part of an image");
    }
    if (code == CLI_DONE)
        copy_part(&j->parts[0], &w->desc->input, (char *)(uintptr_t)w->pixels, j->values[0], false);
    code = cli_agree(w->command, code);
    ranks_pause_watch(); // the library waits for other ranks, and gives up with a message of all
    return code;
}

static int compute(job *j) {
    const filter_together *w = j->work;
    mst_error error;
    mst_status status =
        mst_mpi_filter_create(MPI_COMM_WORLD, w->context, w->desc, MST_MPI_CUT_AUTO, w->timeout, &j->plan, &error);
    if (status == MST_OK)
        status = mst_mpi_filter_execute(j->plan, j->values[0], j->values[1], &error);
    if (mst_mpi_filter_is_broken(j->plan))
        ranks_give_up();
    return status == MST_OK ? CLI_DONE : cli_fail_input(w->command, w->path, &error);
}

// The first rank puts all parts where they belong.
static int collect(job *j) {
    const filter_together *w = j->work;
    const mst_layout whole = mst_layout_dense(j->parts[1].layout.type, w->desc->input.rank, w->desc->input.shape);
    int code = CLI_DONE;
    if (w->result)
        copy_part(&j->parts[1], &whole, w->result, j->values[1], true);
    for (int rank = 1; rank < ranks_count() && code == CLI_DONE; rank++) {
        mst_mpi_part input, output;
        void *values = w->result ? NULL : j->values[1];
        code = find_parts(w, rank, &input, &output);
        if (code == CLI_DONE && w->result && !(values = malloc((size_t)cli_layout_bytes(&output.layout) + 1)))
            code = cli_out_of_memory(w->command, "another rank's part of an image");
        code = cli_agree(w->command, code);
        if (code == CLI_DONE)
            ranks_collect(values, (size_t)cli_layout_bytes(&output.layout), rank);
        if (code == CLI_DONE && w->result)
            copy_part(&output, &whole, w->result, values, true);
        if (w->result)
            free(values);
    }
    return code;
}

int ranks_filter(const filter_together *work) {
    job j = {.work = work};
    int code = prepare(&j);
    if (code == CLI_DONE)
        code = cli_agree(work->command, compute(&j));
    if (code == CLI_DONE)
        code = collect(&j);
    cli_take_time();
    mst_mpi_filter_destroy(j.plan);
    for (int side = 0; side < 2; side++)
        free(j.values[side]);
    return code;
}
