// What a run writes besides traces and checkpoints: frames at regular steps, and the last state.
#include "solve.h"

#include "core/file.h"
#include "core/team.h"

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
    size_t shape[MST_MAX_AXES + 1] = {output->n_runs};
    int rank = desc->n_runs > 0 && !output->of_one_run;
    grid->origin[0] = 0;
    grid->spacing[0] = 1;
    for (int k = 0; k < desc->rank; k++) {
        if (output->sliced[k])
            continue;
        shape[rank] = output->region.count[k];
        grid->origin[rank] = (double)output->region.start[k] * desc->spacing[k];
        grid->spacing[rank++] = (double)output->region.step[k] * desc->spacing[k];
    }
    grid->layout = mst_layout_dense(output->type ? output->type : desc->precision, rank, shape);
}

// A frame is of several regions, one behind the other, where the runs' planes are those of one axis, but not all are wanted.
static size_t count_pieces(const solve_run *run, const problem_output *output) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const bool joined = desc->n_runs > 0 && desc->rank == MST_MAX_AXES;
    return joined && (output->region.count[0] < desc->grid[0] || output->region.step[0] > 1) ? output->n_runs : 1;
}

// Such a region as the library takes it.
static mst_stencil_region piece_of(const solve_run *run, const problem_output *output, size_t piece) {
    const mst_stencil_desc *desc = &run->problem.desc;
    mst_stencil_region region = output->region;
    if (desc->n_runs == 0)
        return region;
    if (desc->rank == MST_MAX_AXES) {
        region.start[0] += (output->first_run + piece) * desc->grid[0];
        region.count[0] *= output->n_runs / count_pieces(run, output);
        return region;
    }
    for (int k = desc->rank; k > 0; k--) {
        region.start[k] = region.start[k - 1];
        region.step[k] = region.step[k - 1];
        region.count[k] = region.count[k - 1];
    }
    region.start[0] = output->first_run;
    region.step[0] = 1;
    region.count[0] = output->n_runs;
    return region;
}

static int put_frame(solve_run *run, const problem_output *output, const cli_whole_file *whole, uint64_t offset,
                     const char *field, const frame_grid *grid) {
    const size_t n = count_pieces(run, output);
    int code = CLI_DONE;
    for (size_t piece = 0; piece < n && code == CLI_DONE; piece++) {
        const mst_stencil_region region = piece_of(run, output, piece);
        code = solve_put(run, whole, offset + piece * (cli_layout_bytes(&grid->layout) / n), field, &region, output->type);
    }
    return code;
}

// Where the values of a frame's fields are in its file.
typedef struct frame_fields {
    uint64_t first, stride;
} frame_fields;

static int begin_frame(solve_run *run, size_t k, const char *path, const frame_grid *grid, cli_whole_file *whole,
                       frame_fields *at) {
    const problem_output *output = &run->problem.outputs[k];
    mst_location place = {.offset = 0};
    mst_error error;
    int code = cli_whole_open(solve_command, &run->frame_places[k], path, solve_may_replace(run), whole);
    if (code == CLI_DONE && output->format == PROBLEM_VTI)
        return frame_begin_vti(whole, grid, output->fields, output->n_fields, &at->first, &at->stride);
    if (code == CLI_DONE && output->format == PROBLEM_NPY &&
        mst_npy_write_header(fileno(whole->file), &grid->layout, &place, &error) != MST_OK)
        code = cli_fail(solve_command, whole->path, &error);
    at->first = place.offset;
    return code;
}

// A field's values for a picture; a team puts them into a file that gets no name.
static int read_values(solve_run *run, size_t k, const char *field, const char *path, void *values, const frame_grid *grid) {
    const problem_output *output = &run->problem.outputs[k];
    const size_t bytes = (size_t)cli_layout_bytes(&grid->layout), n = count_pieces(run, output);
    cli_whole_file file = {0};
    mst_error error;
    for (size_t piece = 0; piece < n && !run->shared; piece++) {
        const mst_stencil_region region = piece_of(run, output, piece);
        const mst_location to = mst_at_host((char *)values + piece * (bytes / n));
        if (mst_stencil_read_as(run->solver, field, 0, &region, output->type, to, &error) != MST_OK)
            return cli_fail(solve_command, output->file, &error);
    }
    if (!run->shared)
        return CLI_DONE;
    int code = solve_is_first() ? cli_whole_open(solve_command, &run->frame_places[k], path, true, &file) : CLI_DONE;
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE)
        code = put_frame(run, output, &file, 0, field, grid);
    if (code == CLI_DONE && solve_is_first()) {
        const mst_location from = mst_at_file(fileno(file.file), 0);
        if (!cli_read_bytes(&from, 0, values, bytes))
            code = cli_fail_file(solve_command, path, "cannot be read");
    }
    cli_whole_close(&file);
    return cli_agree(solve_command, code);
}

static int fill_png(solve_run *run, size_t k, size_t field, const cli_whole_file *whole, const frame_grid *grid) {
    const problem_output *output = &run->problem.outputs[k];
    const size_t bytes = (size_t)cli_layout_bytes(&grid->layout);
    void *values = solve_is_first() ? malloc(bytes) : NULL;
    int code = CLI_DONE;
    if (solve_is_first() && !values) {
        cli_error(solve_command, "%s: out of memory for the picture", whole->path);
        code = CLI_FAILED;
    }
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE)
        code = read_values(run, k, output->fields[field], whole->path, values, grid);
    if (code == CLI_DONE && solve_is_first())
        code = frame_draw_png(whole, &grid->layout, values, &output->style);
    free(values);
    return code;
}

static int write_frame(solve_run *run, size_t k, size_t field, const char *path, const frame_grid *grid) {
    const problem_output *output = &run->problem.outputs[k];
    const size_t first = output->format == PROBLEM_VTI ? 0 : field,
                 end = output->format == PROBLEM_VTI ? output->n_fields : field + 1;
    cli_whole_file whole = {0};
    frame_fields at = {0, 0};
    int code = cli_agree(solve_command, solve_is_first() ? begin_frame(run, k, path, grid, &whole, &at) : CLI_DONE);
    if (code == CLI_DONE && output->format == PROBLEM_PNG)
        code = fill_png(run, k, field, &whole, grid);
    for (size_t i = first; i < end && code == CLI_DONE && output->format != PROBLEM_PNG; i++)
        code = put_frame(run, output, &whole, at.first + (i - first) * at.stride, output->fields[i], grid);
    if (code == CLI_DONE && solve_is_first())
        code = cli_whole_commit(&whole, false);
    cli_whole_close(&whole);
    return cli_agree(solve_command, code);
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
            code = cli_agree(solve_command, solve_is_first() ? write_list(run, i, step) : CLI_DONE);
    }
    return code;
}

// ---- The last state; where there are several fields, they lie along a first axis

mst_layout solve_result_layout(const solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const mst_type type = run->options->output_type ? run->options->output_type : desc->precision;
    const int several = desc->n_updates > 1;
    size_t shape[MST_MAX_AXES + 2] = {desc->n_updates};
    const int rank = problem_shape(desc, shape + several);
    return mst_layout_dense(type, rank + several, shape);
}

int solve_write_result(solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const mst_layout layout = solve_result_layout(run);
    const uint64_t bytes = cli_layout_bytes(&layout) / desc->n_updates;
    const mst_location at = run->result.location;
    mst_stencil_region all = {.step = {1, 1, 1}};
    uint64_t written = 0;
    int code = CLI_DONE;
    if (!run->result.whole.file && !run->result.is_shared)
        return CLI_DONE;
    problem_region_shape(desc, all.count);
    cli_take_time();
    for (size_t i = 0; i < desc->n_fields && code == CLI_DONE; i++)
        if (!desc->fields[i].coefficient)
            code = solve_put_own(run, run->result.path, at.file, at.offset + written++ * bytes, desc->fields[i].name, &all,
                                 layout.type);
    code = cli_agree(solve_command, code);
    return code == CLI_DONE ? cli_output_commit(&run->result) : code;
}

int solve_write_elsewhere(solve_run *run, const char *path) {
    const cli_place *place = run->options->checkpoint ? &run->checkpoint_place : &run->frame_places[0];
    const mst_layout layout = solve_result_layout(run);
    cli_output *result = &run->result;
    if (run->options->output) { // its space is taken already
        result->whole.path = path;
        result->whole.force = true;
        return solve_write_result(run);
    }
    result->command = solve_command;
    result->path = path;
    int code = solve_is_first() ? cli_whole_open(solve_command, place, path, true, &result->whole) : CLI_DONE;
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE)
        code = cli_output_begin(result, &layout, 0);
    return code == CLI_DONE ? solve_write_result(run) : code;
}
