// mastaba-mpi filter, where ranks share transforms of one image: each reads and filters its part of it, and writes it where it
// belongs in an .npy file, or the first one gets the whole result.
#include "image/filter.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/team.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
    const filter_together *work;
    mst_mpi_part part; // of the result
    void *values;
    mst_mpi_filter *plan;
} job;

// Puts a part without gaps where it belongs in the whole array, row by row: these, with their channels, no rank shares.
static void put_part(const mst_mpi_part *p, const mst_layout *whole, char *all, const char *part) {
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
        memcpy(all + at * element, part, bytes);
    }
}

static int find_parts(const char *command, const char *path, const mst_filter_desc *desc, int rank, mst_mpi_part *input,
                      mst_mpi_part *output) {
    mst_error error;
    *input = *output = (mst_mpi_part)MST_MPI_PART_INIT;
    if (mst_mpi_filter_parts(desc, MST_MPI_CUT_AUTO, ranks_count(), rank, input, output, &error) == MST_OK)
        return CLI_DONE;
    return cli_fail_input(command, path, &error);
}

static int find_result(const filter_together *w, int rank, mst_mpi_part *part) {
    mst_mpi_part input;
    return find_parts(w->command, w->path, w->desc, rank, &input, part);
}

// Before the channels and the columns, of which a rank has all, come rows, and before these, pages.
int ranks_filter_part(const char *command, const char *path, const mst_filter_desc *desc, cli_image_part *part) {
    mst_mpi_part input, output;
    const int code = find_parts(command, path, desc, ranks_number(), &input, &output), row = desc->input.rank - 3;
    if (code != CLI_DONE)
        return code;
    part->first_row = input.start[row];
    part->rows = input.layout.shape[row];
    if (row > 0) {
        part->first_page = input.start[row - 1];
        part->pages = input.layout.shape[row - 1];
    }
    return CLI_DONE;
}

int ranks_filter_plan(const char *command, const char *path, const mst_filter_desc *desc, json_t *list) {
    static const ranks_array_name names[] = {{"in", "input"}, {"out", "output"}};
    int code = CLI_DONE;
    for (int rank = 0; rank < ranks_count() && code == CLI_DONE; rank++) {
        mst_mpi_part parts[2];
        mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
        mst_error error;
        code = find_parts(command, path, desc, rank, &parts[0], &parts[1]);
        if (code == CLI_DONE && mst_mpi_filter_needs(desc, MST_MPI_CUT_AUTO, ranks_count(), rank, &needs, &error) != MST_OK)
            code = cli_fail_input(command, path, &error);
        if (code == CLI_DONE && ranks_add_plan(list, rank, 2, names, parts, &needs) != 0)
            code = cli_out_of_memory(command, "a plan");
    }
    return code;
}

static int prepare(job *j) {
    const filter_together *w = j->work;
    int code = find_result(w, ranks_number(), &j->part);
    if (code == CLI_DONE && !(j->values = malloc((size_t)cli_layout_bytes(&j->part.layout) + 1)))
        code = cli_out_of_memory(w->command, "this rank's part of an image");
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
        status = mst_mpi_filter_execute(j->plan, w->pixels, j->values, &error);
    if (mst_mpi_filter_is_broken(j->plan))
        ranks_give_up();
    return status == MST_OK ? CLI_DONE : cli_fail_input(w->command, w->path, &error);
}

// The first rank puts all parts where they belong.
static int collect(job *j) {
    const filter_together *w = j->work;
    const mst_layout whole = mst_layout_dense(j->part.layout.type, w->desc->input.rank, w->desc->input.shape);
    int code = CLI_DONE;
    if (w->result)
        put_part(&j->part, &whole, w->result, j->values);
    for (int rank = 1; rank < ranks_count() && code == CLI_DONE; rank++) {
        mst_mpi_part part;
        void *values = w->result ? NULL : j->values;
        code = find_result(w, rank, &part);
        if (code == CLI_DONE && w->result && !(values = malloc((size_t)cli_layout_bytes(&part.layout) + 1)))
            code = cli_out_of_memory(w->command, "another rank's part of an image");
        code = cli_agree(w->command, code);
        if (code == CLI_DONE)
            ranks_collect(values, (size_t)cli_layout_bytes(&part.layout), rank);
        if (code == CLI_DONE && w->result)
            put_part(&part, &whole, w->result, values);
        if (w->result)
            free(values);
    }
    return code;
}

static int write_own(const job *j) {
    const filter_together *w = j->work;
    const mst_mpi_part *p = &j->part;
    const mst_layout whole = mst_layout_dense(p->layout.type, w->desc->input.rank, w->desc->input.shape);
    cli_image own = *w->kind;
    own.pages = 1;
    own.height = (size_t)(cli_layout_bytes(&p->layout) / mst_type_bytes(p->layout.type) / (own.width * own.channels));
    own.pixels = j->values;
    const int code = filter_check_result(w->command, w->path, &own);
    return code == CLI_DONE ? ranks_write_part(w->command, w->file->path, w->file->location, &whole, p, j->values) : code;
}

int ranks_filter(const filter_together *work) {
    job j = {.work = work};
    int code = prepare(&j);
    if (code == CLI_DONE)
        code = cli_agree(work->command, compute(&j));
    if (code == CLI_DONE && work->file)
        ranks_pause_watch();
    if (code == CLI_DONE)
        code = work->file ? write_own(&j) : collect(&j);
    cli_take_time();
    mst_mpi_filter_destroy(j.plan);
    free(j.values);
    return code;
}
