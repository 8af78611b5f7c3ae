// What a run writes besides traces and checkpoints: frames at regular steps, and the last state.
#include "solve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool solve_may_replace(const solve_run *run) { return run->common->force || run->options->resume; }

// The name of a frame's file: "FILE-00000100.npy", with "-FIELD" behind FILE if each of several fields has a file of its own.
static bool frame_file(const problem_output *output, size_t field, uint64_t step, char path[FRAME_PATH_BYTES]) {
    static const char *const extensions[] = {".npy", ".vti", ".png"};
    char prefix[FRAME_PATH_BYTES];
    bool own = output->n_fields > 1 && output->format != PROBLEM_VTI;
    int length = snprintf(prefix, sizeof prefix, "%s%s%s", output->file, own ? "-" : "", own ? output->fields[field] : "");
    return length < (int)sizeof prefix && frame_path(prefix, step, extensions[output->format], path);
}

static size_t files_a_frame(const problem_output *output) { return output->format == PROBLEM_VTI ? 1 : output->n_fields; }

// ---- Before any work

static int refuse_existing(const solve_run *run, const char *path) {
    if (solve_may_replace(run) || access(path, F_OK) != 0)
        return CLI_DONE;
    cli_error(solve_command, "%s: exists; --force replaces it", path);
    return CLI_INPUT_OUTPUT;
}

// Makes the directory of a path if need be.
static int make_directory(const char *path) {
    char *directory = strdup(path), *slash = directory ? strrchr(directory, '/') : NULL;
    int code = CLI_DONE;
    if (slash && slash != directory) {
        *slash = '\0';
        if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
            cli_error(solve_command, "%s: the directory cannot be made: %s", directory, strerror(errno));
            code = CLI_INPUT_OUTPUT;
        }
    }
    free(directory);
    return code;
}

static int check_frames(const solve_run *run, const problem_output *output) {
    char path[FRAME_PATH_BYTES];
    int code = make_directory(output->file);
    for (uint64_t step = 0; step <= run->problem.steps && code == CLI_DONE; step += output->every)
        for (size_t field = 0; field < files_a_frame(output) && code == CLI_DONE; field++) {
            if (!frame_file(output, field, step, path)) {
                cli_error(solve_command, "%s: the name is too long", output->file);
                return CLI_INPUT_OUTPUT;
            }
            code = refuse_existing(run, path);
        }
    return code;
}

int solve_check_outputs(const solve_run *run) {
    const solve_options *o = run->options;
    const char *const inputs[] = {o->name, NULL};
    int code = o->output ? cli_output_check(solve_command, o->output, false, solve_may_replace(run), inputs) : CLI_DONE;
    for (size_t i = 0; i < run->problem.n_outputs && code == CLI_DONE; i++)
        code = check_frames(run, &run->problem.outputs[i]);
    for (size_t i = 0; i < run->problem.desc.n_receivers && code == CLI_DONE; i++) {
        code = make_directory(run->problem.traces[i].file);
        if (code == CLI_DONE)
            code = refuse_existing(run, run->problem.traces[i].file);
    }
    if (code != CLI_DONE || !o->checkpoint || o->resume || run->common->force || access(o->checkpoint, F_OK) != 0)
        return code;
    cli_error(solve_command, "%s: exists; --resume continues from it, --force replaces it", o->checkpoint);
    return CLI_INPUT_OUTPUT;
}

// ---- Frames

// The layout of a frame is that of the region without the sliced axes; origin and spacing are along the axes that are left.
static void frame_shape(const solve_run *run, const problem_output *output, frame_grid *grid) {
    const mst_stencil_desc *desc = &run->problem.desc;
    size_t shape[MST_MAX_AXES];
    int rank = 0;
    for (int k = 0; k < desc->rank; k++) {
        if (output->sliced[k])
            continue;
        shape[rank] = output->region.count[k];
        grid->origin[rank] = (double)output->region.start[k] * desc->spacing[k];
        grid->spacing[rank++] = (double)output->region.step[k] * desc->spacing[k];
    }
    grid->layout = mst_layout_dense(desc->precision, rank, shape);
}

static int read_field(solve_run *run, const problem_output *output, size_t field, mst_location to) {
    mst_error error;
    if (mst_stencil_read(run->solver, output->fields[field], 0, &output->region, to, &error) == MST_OK)
        return CLI_DONE;
    return cli_fail(solve_command, output->file, &error);
}

static int write_npy(solve_run *run, const problem_output *output, size_t field, const char *path, const frame_grid *grid) {
    cli_output out = {0};
    int code = cli_output_create(solve_command, path, &grid->layout, 0, solve_may_replace(run), &out);
    if (code == CLI_DONE)
        code = read_field(run, output, field, out.location);
    if (code == CLI_DONE)
        code = cli_output_commit(solve_command, &out);
    cli_output_close(&out);
    return code;
}

static int write_png(solve_run *run, const problem_output *output, size_t field, const char *path, const frame_grid *grid) {
    void *values = malloc((size_t)cli_layout_bytes(&grid->layout));
    if (!values) {
        cli_error(solve_command, "%s: out of memory for the picture", path);
        return CLI_FAILED;
    }
    int code = read_field(run, output, field, mst_at_host(values));
    if (code == CLI_DONE)
        code = frame_write_png(solve_command, path, solve_may_replace(run), &grid->layout, values, &output->style);
    free(values);
    return code;
}

static int write_vti(solve_run *run, const problem_output *output, uint64_t step, const char *path, const frame_grid *grid) {
    cli_whole_file whole = {0};
    uint64_t first, stride;
    int code = frame_vti_open(solve_command, path, solve_may_replace(run), grid, output->fields, output->n_fields, &whole, &first,
                              &stride);
    for (size_t field = 0; field < output->n_fields && code == CLI_DONE; field++)
        code = read_field(run, output, field, mst_at_file(fileno(whole.file), first + field * stride));
    if (code == CLI_DONE)
        code = cli_whole_commit(&whole, false);
    cli_whole_close(&whole);
    return code == CLI_DONE ? frame_write_pvd(solve_command, output->file, output->every, step, run->problem.desc.time_step)
                            : code;
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
        frame_shape(run, output, &grid);
        for (size_t field = 0; field < files_a_frame(output) && code == CLI_DONE; field++) {
            frame_file(output, field, step, path);
            code = output->format == PROBLEM_VTI   ? write_vti(run, output, step, path, &grid)
                   : output->format == PROBLEM_PNG ? write_png(run, output, field, path, &grid)
                                                   : write_npy(run, output, field, path, &grid);
        }
    }
    return code;
}

// ---- The last state; where there are several fields, they lie along a first axis

int solve_write_state(solve_run *run, const char *path, bool may_replace) {
    const mst_stencil_desc *desc = &run->problem.desc;
    mst_layout layout = mst_layout_dense(desc->precision, desc->rank, desc->grid);
    uint64_t bytes = cli_layout_bytes(&layout), written = 0;
    size_t shape[MST_MAX_AXES + 1] = {desc->n_updates};
    cli_output out = {0};
    mst_error error;
    memcpy(shape + 1, desc->grid, sizeof desc->grid);
    if (desc->n_updates > 1)
        layout = mst_layout_dense(desc->precision, desc->rank + 1, shape);
    int code = cli_output_create(solve_command, path, &layout, 0, may_replace, &out);
    for (size_t i = 0; i < desc->n_fields && code == CLI_DONE; i++) {
        if (desc->fields[i].coefficient)
            continue;
        mst_location place = mst_at_file(out.location.file, out.location.offset + written++ * bytes);
        if (mst_stencil_read(run->solver, desc->fields[i].name, 0, NULL, place, &error) != MST_OK)
            code = cli_fail(solve_command, path, &error);
    }
    if (code == CLI_DONE)
        code = cli_output_commit(solve_command, &out);
    cli_output_close(&out);
    return code;
}

int solve_write_result(solve_run *run) {
    const char *path = run->options->output;
    return path ? solve_write_state(run, path, solve_may_replace(run)) : CLI_DONE;
}
