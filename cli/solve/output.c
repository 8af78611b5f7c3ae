// What a run writes besides traces and checkpoints: frames at regular steps, and the last state.
#include "solve.h"

#include <stdlib.h>
#include <string.h>

bool solve_frame_path(const problem_output *output, size_t field, uint64_t step, char path[FRAME_PATH_BYTES]) {
    static const char *const extensions[] = {".npy", ".vti", ".png"};
    char prefix[FRAME_PATH_BYTES];
    bool own = output->n_fields > 1 && output->format != PROBLEM_VTI;
    int length = snprintf(prefix, sizeof prefix, "%s%s%s", output->file, own ? "-" : "", own ? output->fields[field] : "");
    return length < (int)sizeof prefix && frame_path(prefix, step, extensions[output->format], path);
}

bool solve_list_path(const problem_output *output, char path[FRAME_PATH_BYTES]) {
    return snprintf(path, FRAME_PATH_BYTES, "%s.pvd", output->file) < FRAME_PATH_BYTES;
}

size_t solve_files_a_frame(const problem_output *output) { return output->format == PROBLEM_VTI ? 1 : output->n_fields; }

// ---- Frames

// The layout of a frame is that of the region without the sliced axes; origin and spacing are along the axes that are left.
void solve_frame_grid(const solve_run *run, const problem_output *output, frame_grid *grid) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const int runs = desc->n_runs > 0;
    size_t shape[MST_MAX_AXES];
    int rank = 0;
    for (int k = 0; k < desc->rank + runs; k++) {
        const double spacing = k < runs ? 1 : desc->spacing[k - runs];
        if (output->sliced[k])
            continue;
        shape[rank] = output->region.count[k];
        grid->origin[rank] = (double)output->region.start[k] * spacing;
        grid->spacing[rank++] = (double)output->region.step[k] * spacing;
    }
    grid->layout = mst_layout_dense(output->type ? output->type : desc->precision, rank, shape);
}

static int read_field(solve_run *run, const problem_output *output, size_t field, mst_location to) {
    mst_error error;
    if (mst_stencil_read_as(run->solver, output->fields[field], 0, &output->region, output->type, to, &error) == MST_OK)
        return CLI_DONE;
    return cli_fail(solve_command, output->file, &error);
}

static int fill_npy(solve_run *run, const problem_output *output, size_t field, const cli_whole_file *whole,
                    const frame_grid *grid) {
    mst_location place;
    mst_error error;
    if (mst_npy_write_header(fileno(whole->file), &grid->layout, &place, &error) != MST_OK)
        return cli_fail(solve_command, whole->path, &error);
    return read_field(run, output, field, place);
}

static int fill_png(solve_run *run, const problem_output *output, size_t field, const cli_whole_file *whole,
                    const frame_grid *grid) {
    void *values = malloc((size_t)cli_layout_bytes(&grid->layout));
    if (!values) {
        cli_error(solve_command, "%s: out of memory for the picture", whole->path);
        return CLI_FAILED;
    }
    int code = read_field(run, output, field, mst_at_host(values));
    if (code == CLI_DONE)
        code = frame_draw_png(whole, &grid->layout, values, &output->style);
    free(values);
    return code;
}

static int fill_vti(solve_run *run, const problem_output *output, const cli_whole_file *whole, const frame_grid *grid) {
    uint64_t first, stride;
    int code = frame_begin_vti(whole, grid, output->fields, output->n_fields, &first, &stride);
    for (size_t field = 0; field < output->n_fields && code == CLI_DONE; field++)
        code = read_field(run, output, field, mst_at_file(fileno(whole->file), first + field * stride));
    return code;
}

static int write_frame(solve_run *run, size_t k, size_t field, const char *path, const frame_grid *grid) {
    const problem_output *output = &run->problem.outputs[k];
    cli_whole_file whole = {0};
    int code = cli_whole_open(solve_command, &run->frame_places[k], path, solve_may_replace(run), &whole);
    if (code == CLI_DONE)
        code = output->format == PROBLEM_VTI   ? fill_vti(run, output, &whole, grid)
               : output->format == PROBLEM_PNG ? fill_png(run, output, field, &whole, grid)
                                               : fill_npy(run, output, field, &whole, grid);
    if (code == CLI_DONE)
        code = cli_whole_commit(&whole, false);
    cli_whole_close(&whole);
    return code;
}

// The list of the frames so far, in place of the one before.
static int write_list(const solve_run *run, size_t k, uint64_t step) {
    const problem_output *output = &run->problem.outputs[k];
    char path[FRAME_PATH_BYTES];
    cli_whole_file whole = {0};
    solve_list_path(output, path);
    int code = cli_whole_open(solve_command, &run->frame_places[k], path, true, &whole);
    if (code == CLI_DONE) {
        frame_write_pvd(whole.file, output->file, output->every, step, run->problem.desc.time_step);
        code = cli_whole_commit(&whole, false);
    }
    cli_whole_close(&whole);
    return code;
}

uint64_t solve_next_frame(const solve_run *run, uint64_t step) {
    uint64_t next = run->problem.steps;
    for (size_t i = 0; i < run->problem.n_outputs; i++) {
        uint64_t every = run->problem.outputs[i].every, frame = (step / every + 1) * every;
        next = frame < next ? frame : next;
    }
    return next;
}

int solve_write_frames(solve_run *run, uint64_t step) {
    int code = CLI_DONE;
    for (size_t i = 0; i < run->problem.n_outputs && code == CLI_DONE; i++) {
        const problem_output *output = &run->problem.outputs[i];
        char path[FRAME_PATH_BYTES];
        frame_grid grid;
        if (step % output->every != 0)
            continue;
        solve_frame_grid(run, output, &grid);
        for (size_t field = 0; field < solve_files_a_frame(output) && code == CLI_DONE; field++) {
            solve_frame_path(output, field, step, path);
            code = write_frame(run, i, field, path, &grid);
        }
        if (code == CLI_DONE && output->format == PROBLEM_VTI)
            code = write_list(run, i, step);
    }
    return code;
}

// ---- The last state; where there are several fields, they lie along a first axis

mst_layout solve_result_layout(const solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const mst_type type = run->options->output_type ? run->options->output_type : desc->precision;
    const int several = desc->n_updates > 1;
    size_t shape[MST_MAX_AXES + 1] = {desc->n_updates};
    const int rank = problem_shape(desc, shape + several);
    return mst_layout_dense(type, rank + several, shape);
}

int solve_write_result(solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const mst_layout layout = solve_result_layout(run);
    const uint64_t bytes = cli_layout_bytes(&layout) / desc->n_updates;
    uint64_t written = 0;
    const mst_location at = run->result.location;
    mst_error error;
    if (!run->result.whole.file)
        return CLI_DONE;
    for (size_t i = 0; i < desc->n_fields; i++) {
        if (desc->fields[i].coefficient)
            continue;
        mst_location place = mst_at_file(at.file, at.offset + written++ * bytes);
        if (mst_stencil_read_as(run->solver, desc->fields[i].name, 0, NULL, layout.type, place, &error) != MST_OK)
            return cli_fail(solve_command, run->result.whole.path, &error);
    }
    return cli_output_commit(&run->result);
}

int solve_write_elsewhere(solve_run *run, const char *path) {
    const cli_place *place = run->options->checkpoint ? &run->checkpoint_place : &run->frame_places[0];
    const mst_layout layout = solve_result_layout(run);
    cli_output *result = &run->result;
    if (result->whole.file) { // its space is taken already
        result->whole.path = path;
        result->whole.force = true;
        return solve_write_result(run);
    }
    result->path = path;
    int code = cli_whole_open(solve_command, place, path, true, &result->whole);
    if (code == CLI_DONE)
        code = cli_output_begin(result, &layout, 0);
    return code == CLI_DONE ? solve_write_result(run) : code;
}
