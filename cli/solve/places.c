// What a run is going to write, opened before any work.
#include "solve.h"

#include "core/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool solve_may_replace(const solve_run *run) { return run->common->force || run->options->resume; }

// The names of files that a run writes, but of frames only the first ones.
typedef struct name_list {
    char **names;
    size_t n;
} name_list;

static void free_names(name_list *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->names[i]);
    free(list->names);
}

static bool is_listed(const name_list *list, const char *path) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->names[i], path) == 0)
            return true;
    return false;
}

static int add_name(name_list *list, const char *path) {
    if (is_listed(list, path)) {
        cli_error(solve_command, "%s: is the name of two outputs; give one of them another", path);
        return CLI_INPUT_OUTPUT;
    }
    char **longer = realloc(list->names, (list->n + 1) * sizeof *longer);
    list->names = longer ? longer : list->names;
    char *copy = longer ? strdup(path) : NULL;
    if (!copy)
        return cli_out_of_memory(solve_command, NULL);
    list->names[list->n++] = copy;
    return CLI_DONE;
}

static int refuse_unwritable(const solve_run *run, const char *path) {
    const char *const inputs[] = {run->options->name, NULL};
    return cli_output_available(solve_command, path, solve_may_replace(run), inputs);
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

static int open_result(solve_run *run, name_list *list) {
    const char *const inputs[] = {run->options->name, NULL}, *path = run->options->output;
    const mst_layout layout = solve_result_layout(run);
    if (!path)
        return CLI_DONE;
    int code = cli_output_open(solve_command, path, false, solve_may_replace(run), inputs, &run->result);
    if (code == CLI_DONE)
        code = cli_output_begin(&run->result, &layout, 0);
    return code == CLI_DONE ? add_name(list, path) : code;
}

static int open_trace(solve_run *run, size_t i, name_list *list) {
    const char *path = run->problem.traces[i].file;
    cli_output *out = &run->trace_files[i];
    const mst_layout layout = solve_trace_layout(run, i);
    bool picture = !cli_has_extension(path, ".npy");
    if (picture && run->problem.steps == 0)
        return CLI_DONE;
    int code = make_directory(path);
    if (code == CLI_DONE)
        code = refuse_unwritable(run, path);
    if (code == CLI_DONE && picture)
        code = frame_check_png(solve_command, path, &layout);
    if (code == CLI_DONE)
        code = cli_whole_open(solve_command, NULL, path, solve_may_replace(run), &out->whole);
    out->path = path;
    if (code == CLI_DONE && !picture)
        code = cli_output_begin_own(out, &layout);
    return code == CLI_DONE ? add_name(list, path) : code;
}

static int open_monitor(solve_run *run, size_t i, name_list *list) {
    const char *path = run->problem.monitor_files[i];
    if (!path)
        return CLI_DONE;
    int code = make_directory(path);
    if (code == CLI_DONE)
        code = refuse_unwritable(run, path);
    if (code == CLI_DONE)
        code = cli_whole_open(solve_command, NULL, path, solve_may_replace(run), &run->row_files[i].whole);
    run->row_files[i].path = path;
    return code == CLI_DONE ? add_name(list, path) : code;
}

static int open_traces(solve_run *run, name_list *list) {
    int code = CLI_DONE;
    for (size_t i = 0; i < run->problem.desc.n_receivers && code == CLI_DONE; i++)
        code = open_trace(run, i, list);
    for (size_t i = 0; i < run->problem.n_logs && code == CLI_DONE; i++)
        code = open_monitor(run, i, list);
    return code;
}

static int open_spectrum(solve_run *run, const char *path, mst_layout layout, cli_output *out, name_list *list) {
    const char *const inputs[] = {run->options->name, NULL};
    int code = cli_agree(solve_command, solve_is_first() ? make_directory(path) : CLI_DONE);
    if (code == CLI_DONE)
        code = cli_output_open(solve_command, path, false, solve_may_replace(run), inputs, out);
    if (code == CLI_DONE)
        code = cli_output_begin(out, &layout, 0);
    return code == CLI_DONE ? cli_agree(solve_command, add_name(list, path)) : code;
}

static int open_spectra(solve_run *run, name_list *list) {
    int code = CLI_DONE;
    for (size_t i = 0; i < run->problem.desc.n_spectra && code == CLI_DONE; i++)
        code = open_spectrum(run, run->problem.spectrum_files[i].file, solve_spectrum_layout(&run->problem, i),
                             &run->spectrum_files[i], list);
    for (size_t i = 0; i < run->problem.desc.n_receivers && code == CLI_DONE; i++)
        if (run->problem.traces[i].spectrum_file)
            code = open_spectrum(run, run->problem.traces[i].spectrum_file, solve_trace_spectrum_layout(run, i),
                                 &run->trace_spectra[i], list);
    return code;
}

int solve_place_checkpoint(solve_run *run) {
    const solve_options *o = run->options;
    struct stat info;
    if (!solve_may_replace(run) && stat(o->checkpoint, &info) == 0) {
        cli_error(solve_command, "%s: exists; --resume continues from it, --force replaces it", o->checkpoint);
        return CLI_INPUT_OUTPUT;
    }
    run->first_checkpoint = !solve_may_replace(run);
    int code = refuse_unwritable(run, o->checkpoint);
    if (code == CLI_DONE)
        code = cli_place_open(solve_command, o->checkpoint, &run->checkpoint_place);
    if (code == CLI_DONE)
        code = cli_place_expect(solve_command, o->checkpoint, &run->checkpoint_place,
                                solve_checkpoint_bytes(run, run->problem.steps), false);
    return code;
}

static int open_checkpoint_place(solve_run *run, name_list *list) {
    const char *path = run->options->checkpoint;
    if (!path)
        return CLI_DONE;
    const int code = solve_place_checkpoint(run);
    return code == CLI_DONE ? add_name(list, path) : code;
}

static int check_frames(const solve_run *run, const problem_output *output, name_list *list) {
    char path[FRAME_PATH_BYTES];
    int code = CLI_DONE;
    for (uint64_t step = 0; step <= run->problem.steps && code == CLI_DONE; step += output->every)
        for (size_t field = 0; field < solve_files_a_frame(output) && code == CLI_DONE; field++) {
            if (!solve_frame_path(output, field, step, path)) {
                cli_error(solve_command, "%s: the name is too long", output->file);
                return CLI_INPUT_OUTPUT;
            }
            code = refuse_unwritable(run, path);
            if (code == CLI_DONE && (step == 0 || is_listed(list, path)))
                code = add_name(list, path);
        }
    if (code != CLI_DONE || output->format != PROBLEM_VTI)
        return code;
    if (!solve_list_path(output, path)) {
        cli_error(solve_command, "%s: the name is too long", output->file);
        return CLI_INPUT_OUTPUT;
    }
    code = refuse_unwritable(run, path);
    return code == CLI_DONE ? add_name(list, path) : code;
}

static int open_frames(solve_run *run, size_t k, name_list *list) {
    const problem_output *output = &run->problem.outputs[k];
    frame_grid grid;
    solve_frame_grid(run, output, &grid);
    int code = make_directory(output->file);
    if (code == CLI_DONE && output->format == PROBLEM_PNG)
        code = frame_check_png(solve_command, output->file, &grid.layout);
    if (code == CLI_DONE)
        code = check_frames(run, output, list);
    if (code == CLI_DONE)
        code = cli_place_open(solve_command, output->file, &run->frame_places[k]);
    if (code == CLI_DONE && output->format != PROBLEM_PNG)
        code =
            cli_place_expect(solve_command, output->file, &run->frame_places[k],
                             (run->problem.steps / output->every + 1) * output->n_fields * cli_layout_bytes(&grid.layout), false);
    return code;
}

// What the first process of a team writes alone; names of files that all write are in its list, too.
static int open_own(solve_run *run, name_list *list) {
    int code = CLI_DONE;
    for (size_t k = 0; k < run->problem.n_outputs && code == CLI_DONE; k++)
        code = open_frames(run, k, list);
    if (code == CLI_DONE)
        code = open_traces(run, list);
    return code == CLI_DONE ? open_checkpoint_place(run, list) : code;
}

int solve_open_outputs(solve_run *run) {
    name_list list = {0};
    run->trace_files = calloc(run->problem.desc.n_receivers + 1, sizeof *run->trace_files);
    int code = cli_agree(solve_command, run->trace_files ? CLI_DONE : cli_out_of_memory(solve_command, NULL));
    if (code == CLI_DONE)
        code = open_result(run, &list);
    if (code == CLI_DONE)
        code = cli_agree(solve_command, solve_is_first() ? open_own(run, &list) : CLI_DONE);
    if (code == CLI_DONE)
        code = open_spectra(run, &list);
    free_names(&list);
    return code;
}

void solve_close_outputs(solve_run *run) {
    cli_output_close(&run->result);
    for (size_t i = 0; run->trace_files && i < run->problem.desc.n_receivers; i++)
        cli_output_close(&run->trace_files[i]);
    free(run->trace_files);
    for (size_t i = 0; i < run->problem.n_logs; i++)
        cli_output_close(&run->row_files[i]);
    for (size_t i = 0; i < run->problem.desc.n_receivers; i++)
        cli_output_close(&run->trace_spectra[i]);
    for (size_t i = 0; i < run->problem.n_spectra; i++)
        cli_output_close(&run->spectrum_files[i]);
    cli_place_close(&run->checkpoint_place);
    for (size_t k = 0; k < run->problem.n_outputs; k++)
        cli_place_close(&run->frame_places[k]);
    if (run->resumed)
        fclose(run->resumed);
}
