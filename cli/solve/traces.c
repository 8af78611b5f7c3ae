// What the receivers record is kept for the whole run and written when it is done.
#include "solve.h"

#include "core/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int make_traces(solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    if (desc->n_receivers == 0)
        return CLI_DONE;
    run->traces = calloc(desc->n_receivers, sizeof *run->traces);
    for (size_t i = 0; run->traces && i < desc->n_receivers; i++) {
        size_t values;
        bool fits = !__builtin_mul_overflow(run->problem.steps, problem_recorded(desc, i), &values) && values <= SIZE_MAX / 8;
        run->traces[i] = fits ? malloc(values * sizeof(double) + 1) : NULL;
        if (!run->traces[i]) {
            cli_error(solve_command, "out of memory for what %s is to hold: %zu values in each of %llu steps",
                      run->problem.traces[i].file, problem_recorded(desc, i), (unsigned long long)run->problem.steps);
            return CLI_FAILED;
        }
    }
    if (run->traces)
        return CLI_DONE;
    return cli_out_of_memory(solve_command, NULL);
}

int solve_make_traces(solve_run *run) { return cli_agree(solve_command, make_traces(run)); }

static mst_status read_receiver(solve_run *run, size_t i, uint64_t first, uint64_t count, double *values, mst_error *error) {
    return run->shared ? run->shared->read_receiver(run->shared->solver, i, first, count, values, error)
                       : mst_stencil_read_receiver(run->solver, i, first, count, values, error);
}

int solve_take_traces(solve_run *run) {
    uint64_t step = solve_step(run);
    for (size_t i = 0; run->traces && step > run->traced && i < run->problem.desc.n_receivers; i++) {
        double *to = run->traces[i] + run->traced * problem_recorded(&run->problem.desc, i);
        mst_error error;
        if (read_receiver(run, i, run->traced + 1, step - run->traced, to, &error) != MST_OK)
            return cli_fail(solve_command, run->problem.traces[i].file, &error);
    }
    run->traced = step;
    return CLI_DONE;
}

mst_layout solve_trace_layout(const solve_run *run, size_t receiver) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const size_t shape[] = {desc->n_runs, (size_t)run->problem.steps, desc->receivers[receiver].n_points};
    const int runs = desc->n_runs > 0;
    return mst_layout_dense(MST_FLOAT64, 2 + runs, shape + 1 - runs);
}

// The solver gives a row a step, of all runs; a file has an array a run.
static bool write_trace(const solve_run *run, size_t receiver, const mst_location *to) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const size_t n_runs = problem_runs(desc), n = desc->receivers[receiver].n_points, steps = (size_t)run->problem.steps;
    const double *from = run->traces[receiver];
    double *part = n_runs > 1 ? malloc(steps * n * sizeof *part + 1) : NULL;
    bool good = n_runs == 1 || part;
    for (size_t r = 0; r < n_runs && good; r++) {
        for (size_t k = 0; k < steps && part; k++)
            memcpy(part + k * n, from + (k * n_runs + r) * n, n * sizeof *part);
        good = cli_write_bytes(to, r * steps * n * sizeof *part, part ? part : from, steps * n * sizeof *part);
    }
    free(part);
    return good;
}

// A run without steps has no pictures.
static int write_traces(solve_run *run) {
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < run->problem.desc.n_receivers; i++) {
        const problem_receiver *trace = &run->problem.traces[i];
        const mst_layout layout = solve_trace_layout(run, i);
        cli_output *out = &run->trace_files[i];
        if (!out->whole.file)
            continue;
        if (run->ended && cli_has_extension(trace->file, ".npy")) // there are fewer steps than there was room for
            code = ftruncate(fileno(out->whole.file), 0) == 0 ? cli_output_begin_own(out, &layout)
                                                              : cli_fail_file(solve_command, trace->file, "cannot be shortened");
        if (code != CLI_DONE)
            return code;
        if (!cli_has_extension(trace->file, ".npy"))
            code = frame_draw_png(&out->whole, &layout, run->traces[i], &trace->style);
        else if (!write_trace(run, i, &out->location))
            code = cli_fail_file(solve_command, trace->file, "cannot be written");
        if (code == CLI_DONE)
            code = cli_output_commit(out);
    }
    return code;
}

int solve_write_traces(solve_run *run) { return cli_agree(solve_command, write_traces(run)); }

mst_layout solve_trace_spectrum_layout(const solve_run *run, size_t receiver) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const size_t n = run->problem.traces[receiver].n_frequencies, points = desc->receivers[receiver].n_points;
    const size_t shape[] = {n, desc->n_runs > 0 ? desc->n_runs : points, points};
    return mst_layout_dense(MST_COMPLEX128, desc->n_runs > 0 ? 3 : 2, shape);
}

// sum of value(k dt) exp(-i 2 pi f k dt) dt over all steps k, of what one point recorded.
static void transform(const solve_run *run, size_t receiver, double frequency, size_t point, double out[2]) {
    const size_t n = problem_recorded(&run->problem.desc, receiver);
    const double dt = run->problem.desc.time_step;
    out[0] = out[1] = 0;
    for (uint64_t k = 1; k <= run->problem.steps; k++) {
        const double turns = frequency * ((double)k * dt), angle = -2 * M_PI * (turns - floor(turns));
        const double value = run->traces[receiver][(k - 1) * n + point] * dt;
        out[0] += value * cos(angle);
        out[1] += value * sin(angle);
    }
}

static int write_spectrum(solve_run *run, size_t i) {
    const problem_receiver *trace = &run->problem.traces[i];
    const mst_layout layout = solve_trace_spectrum_layout(run, i);
    const size_t n = problem_recorded(&run->problem.desc, i);
    const cli_output *out = &run->trace_spectra[i];
    double *sums = malloc((size_t)cli_layout_bytes(&layout));
    if (!sums)
        return cli_out_of_memory(solve_command, trace->spectrum_file);
    for (size_t f = 0; f < trace->n_frequencies; f++)
        for (size_t point = 0; point < n; point++)
            transform(run, i, trace->frequencies[f], point, sums + 2 * (f * n + point));
    const bool written = cli_write_bytes(&out->location, 0, sums, (size_t)cli_layout_bytes(&layout));
    free(sums);
    return written ? CLI_DONE : cli_fail_file(solve_command, trace->spectrum_file, "cannot be written");
}

int solve_write_trace_spectra(solve_run *run) {
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < run->problem.desc.n_receivers; i++)
        if (run->problem.traces[i].spectrum_file) {
            code = cli_agree(solve_command, solve_is_first() ? write_spectrum(run, i) : CLI_DONE);
            if (code == CLI_DONE)
                code = cli_output_commit(&run->trace_spectra[i]);
        }
    return code;
}
