// What the receivers recorded: kept for the whole run, written when it is done.
#include "solve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int solve_make_traces(solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    if (desc->n_receivers == 0)
        return CLI_DONE;
    run->traces = calloc(desc->n_receivers, sizeof *run->traces);
    for (size_t i = 0; run->traces && i < desc->n_receivers; i++) {
        size_t values;
        bool fits = !__builtin_mul_overflow(run->problem.steps, desc->receivers[i].n_points, &values) && values <= SIZE_MAX / 8;
        run->traces[i] = fits ? malloc(values * sizeof(double) + 1) : NULL;
        if (!run->traces[i]) {
            cli_error(solve_command, "out of memory for what %s is to hold: %zu values in each of %llu steps",
                      run->problem.traces[i].file, desc->receivers[i].n_points, (unsigned long long)run->problem.steps);
            return CLI_FAILED;
        }
    }
    if (run->traces)
        return CLI_DONE;
    cli_error(solve_command, "out of memory");
    return CLI_FAILED;
}

int solve_take_traces(solve_run *run) {
    uint64_t step = mst_stencil_step(run->solver);
    for (size_t i = 0; run->traces && step > run->traced && i < run->problem.desc.n_receivers; i++) {
        double *to = run->traces[i] + run->traced * run->problem.desc.receivers[i].n_points;
        mst_error error;
        if (mst_stencil_read_receiver(run->solver, i, run->traced + 1, step - run->traced, to, &error) != MST_OK)
            return cli_fail(solve_command, run->problem.traces[i].file, &error);
    }
    run->traced = step;
    return CLI_DONE;
}

static int write_npy(const solve_run *run, size_t i, const mst_layout *layout) {
    const char *path = run->problem.traces[i].file;
    const char *data = (const char *)run->traces[i];
    size_t bytes = (size_t)cli_layout_bytes(layout);
    mst_npy *npy = NULL;
    mst_error error;
    if (mst_npy_create(path, layout, run->common->force || run->options->resume, &npy, &error) != MST_OK)
        return cli_fail(solve_command, NULL, &error);
    mst_location to = mst_npy_location(npy);
    int code = CLI_DONE;
    for (size_t done = 0; done < bytes && code == CLI_DONE;) {
        ssize_t n = pwrite(to.file, data + done, bytes - done, (off_t)(to.offset + done));
        if (n > 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            cli_error(solve_command, "%s: cannot be written: %s", path, strerror(errno));
            code = CLI_INPUT_OUTPUT;
        }
    }
    if (code == CLI_DONE && mst_npy_commit(npy, &error) != MST_OK)
        code = cli_fail(solve_command, NULL, &error);
    mst_npy_close(npy);
    return code;
}

int solve_write_traces(const solve_run *run) {
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < run->problem.desc.n_receivers; i++) {
        const problem_receiver *trace = &run->problem.traces[i];
        size_t shape[2] = {(size_t)run->traced, run->problem.desc.receivers[i].n_points};
        mst_layout layout = mst_layout_dense(MST_FLOAT64, 2, shape);
        if (cli_has_extension(trace->file, ".npy"))
            code = write_npy(run, i, &layout);
        else if (run->traced > 0)
            code = frame_write_png(solve_command, trace->file, run->common->force || run->options->resume, &layout,
                                   run->traces[i], &trace->style);
    }
    return code;
}
