// What monitors and spectra found: kept for the whole run, and written when it is done.
#include "solve.h"

#include "core/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Rows of monitors: the value at step i every is number i

// Room for so many more, *to.
static int add_rows(solve_run *run, size_t k, size_t count, double **to) {
    solve_rows *r = &run->rows[k];
    const size_t runs = problem_runs(&run->problem.desc);
    if (count > r->capacity - r->n) {
        const size_t capacity = 2 * r->capacity + 64 + count;
        double *grown = realloc(r->values, capacity * runs * sizeof *grown);
        if (!grown)
            return cli_out_of_memory(solve_command, run->problem.monitors[k].name);
        r->values = grown;
        r->capacity = capacity;
    }
    *to = r->values + r->n * runs;
    r->n += count;
    return CLI_DONE;
}

static mst_status measure(solve_run *run, size_t k, double *values, mst_error *error) {
    return run->shared ? run->shared->measure(run->shared->solver, k, values, error)
                       : mst_stencil_measure(run->solver, k, values, error);
}

static mst_status read_monitor(solve_run *run, size_t k, uint64_t first, uint64_t count, double *values, mst_error *error) {
    return run->shared ? run->shared->read_monitor(run->shared->solver, k, first, count, values, error)
                       : mst_stencil_read_monitor(run->solver, k, first, count, values, error);
}

int solve_begin_rows(solve_run *run) {
    int code = CLI_DONE;
    if (!(run->latest = calloc(problem_runs(&run->problem.desc), sizeof *run->latest)))
        code = cli_out_of_memory(solve_command, NULL);
    code = cli_agree(solve_command, code);
    for (size_t k = 0; k < run->problem.n_logs && run->first == 0 && code == CLI_DONE; k++) {
        double *values = NULL;
        mst_error error;
        code = cli_agree(solve_command, add_rows(run, k, 1, &values));
        cli_take_time();
        if (code == CLI_DONE && measure(run, k, values, &error) != MST_OK)
            code = cli_fail(solve_command, run->problem.monitors[k].name, &error);
    }
    return code;
}

int solve_take_rows(solve_run *run) {
    const uint64_t step = solve_step(run);
    int code = CLI_DONE;
    for (size_t k = 0; k < run->problem.n_logs && code == CLI_DONE; k++) {
        const uint64_t first = run->rows[k].n, end = step / run->problem.monitors[k].every + 1;
        double *values = NULL;
        mst_error error;
        if (first >= end)
            continue;
        code = cli_agree(solve_command, add_rows(run, k, (size_t)(end - first), &values));
        if (code == CLI_DONE && read_monitor(run, k, first, end - first, values, &error) != MST_OK)
            code = cli_fail(solve_command, run->problem.monitors[k].name, &error);
    }
    return code;
}

void solve_free_rows(solve_run *run) {
    for (size_t k = 0; k < run->problem.n_logs; k++)
        free(run->rows[k].values);
    free(run->latest);
}

const double *solve_last_values(const solve_run *run, size_t k) {
    const solve_rows *r = &run->rows[k];
    return r->n > 0 ? r->values + (r->n - 1) * problem_runs(&run->problem.desc) : NULL;
}

// "0.25", or of several runs "0.25 to 0.75".
static size_t print_range(const double *values, size_t n, int digits, char *out, size_t size) {
    double least = values[0], most = values[0];
    for (size_t i = 1; i < n; i++) {
        least = values[i] < least || isnan(values[i]) ? values[i] : least;
        most = values[i] > most || isnan(values[i]) ? values[i] : most;
    }
    return (size_t)(n > 1 ? snprintf(out, size, "%.*g to %.*g", digits, least, digits, most)
                          : snprintf(out, size, "%.*g", digits, values[0]));
}

// The values so far, "energy 0.25", for the progress line.
void solve_note_monitors(const solve_run *run, char *note, size_t size) {
    const size_t runs = problem_runs(&run->problem.desc);
    size_t used = 0;
    note[0] = '\0';
    for (size_t k = 0; k < run->problem.n_logs && used + 1 < size; k++) {
        const uint64_t last = solve_step(run) / run->problem.monitors[k].every;
        const double *values = solve_last_values(run, k);
        if (last > 0 && mst_stencil_read_monitor(run->solver, k, last, 1, run->latest, NULL) == MST_OK)
            values = run->latest; // else it was read before
        if (values) {
            used += (size_t)snprintf(note + used, size - used, "  %s ", run->problem.monitors[k].name);
            if (used + 1 < size)
                used += print_range(values, runs, 6, note + used, size - used);
        }
    }
}

void solve_print_monitors(const solve_run *run) {
    const size_t runs = problem_runs(&run->problem.desc);
    for (size_t k = 0; k < run->problem.n_logs; k++) {
        const double *values = solve_last_values(run, k);
        char range[80];
        if (!values)
            continue;
        print_range(values, runs, 9, range, sizeof range);
        printf("%s: %s after step %llu\n", run->problem.monitors[k].name, range,
               (unsigned long long)((run->rows[k].n - 1) * run->problem.monitors[k].every));
    }
}

// Run by run.
static int write_csv(const solve_run *run, size_t k, FILE *file) {
    const mst_stencil_monitor *m = &run->problem.monitors[k];
    const size_t runs = problem_runs(&run->problem.desc);
    const bool several = run->problem.desc.n_runs > 0;
    fprintf(file, "%sstep,t,%s\n", several ? "run," : "", m->name);
    for (size_t r = 0; r < runs; r++)
        for (size_t i = 0; i < run->rows[k].n; i++) {
            if (several)
                fprintf(file, "%zu,", r);
            fprintf(file, "%llu,%.17g,%.17g\n", (unsigned long long)(i * m->every),
                    (double)(i * m->every) * run->problem.desc.time_step, run->rows[k].values[i * runs + r]);
        }
    return fflush(file) == 0 ? CLI_DONE : CLI_FAILED;
}

// A row a look: t and the value; of several runs, an array a run.
static int write_npy(const solve_run *run, size_t k, cli_output *out) {
    const mst_stencil_monitor *m = &run->problem.monitors[k];
    const size_t runs = problem_runs(&run->problem.desc), n = run->rows[k].n, shape[] = {runs, n, 2};
    const int several = run->problem.desc.n_runs > 0;
    const mst_layout layout = mst_layout_dense(MST_FLOAT64, 2 + several, shape + 1 - several);
    int code = cli_output_begin_own(out, &layout);
    double *rows = malloc(runs * 2 * n * sizeof *rows + 1);
    if (code == CLI_DONE && !rows)
        code = cli_out_of_memory(solve_command, m->name);
    for (size_t i = 0; code == CLI_DONE && i < runs * n; i++) {
        rows[2 * i] = (double)(i % n * m->every) * run->problem.desc.time_step;
        rows[2 * i + 1] = run->rows[k].values[i % n * runs + i / n];
    }
    if (code == CLI_DONE && !cli_write_bytes(&out->location, 0, rows, (size_t)cli_layout_bytes(&layout)))
        code = cli_fail_file(solve_command, out->path, "cannot be written");
    free(rows);
    return code;
}

int solve_write_rows(solve_run *run) {
    int code = CLI_DONE;
    for (size_t k = 0; k < run->problem.n_logs && code == CLI_DONE; k++) {
        cli_output *out = &run->row_files[k];
        if (!out->whole.file)
            continue;
        if (cli_has_extension(out->path, ".npy"))
            code = write_npy(run, k, out);
        else if (write_csv(run, k, out->whole.file) != CLI_DONE)
            code = cli_fail_file(solve_command, out->path, "cannot be written");
        if (code == CLI_DONE)
            code = cli_output_commit(out);
    }
    return cli_agree(solve_command, code);
}

// ---- Spectra: [frequency], the run, if there are several, and the axes of the region that have more than a node of their own

mst_layout solve_spectrum_layout(const problem *p, size_t k) {
    const mst_stencil_spectrum *s = &p->spectra[k];
    size_t shape[MST_MAX_AXES + 2] = {s->n_frequencies};
    int rank = 1;
    if (p->desc.n_runs > 0)
        shape[rank++] = p->desc.n_runs;
    for (int axis = 0; axis < p->desc.rank; axis++)
        if (!p->spectrum_files[k].fixed[axis])
            shape[rank++] = s->region.count[axis];
    return mst_layout_dense(p->desc.precision == MST_FLOAT64 ? MST_COMPLEX128 : MST_COMPLEX64, rank, shape);
}

int solve_write_spectra(solve_run *run) {
    int code = CLI_DONE;
    for (size_t k = 0; k < run->problem.desc.n_spectra && code == CLI_DONE; k++) {
        cli_output *out = &run->spectrum_files[k];
        mst_error error;
        cli_take_time();
        if (run->solver && mst_stencil_read_spectrum(run->solver, k, out->location, &error) != MST_OK)
            code = cli_fail(solve_command, out->path, &error);
        code = cli_agree(solve_command, code);
        if (code == CLI_DONE)
            code = cli_output_commit(out);
    }
    return code;
}

// ---- Checkpoints: rows, then sums

static uint64_t rows_at(const problem *p, size_t monitor, uint64_t step) { return step / p->monitors[monitor].every + 1; }

static uint64_t spectrum_bytes(const problem *p, size_t k) {
    const mst_layout layout = solve_spectrum_layout(p, k);
    return cli_layout_bytes(&layout);
}

uint64_t solve_found_bytes(const problem *p, uint64_t step) {
    uint64_t bytes = 0;
    for (size_t k = 0; k < p->n_logs; k++)
        bytes += rows_at(p, k, step) * problem_runs(&p->desc) * sizeof(double);
    for (size_t k = 0; k < p->desc.n_spectra; k++)
        bytes += spectrum_bytes(p, k);
    return bytes;
}

size_t solve_rows_bytes(const solve_run *run) {
    size_t n = 0;
    for (size_t k = 0; k < run->problem.n_logs; k++)
        n += run->rows[k].n;
    return n * problem_runs(&run->problem.desc) * sizeof(double);
}

size_t solve_copy_rows(const solve_run *run, void *to) {
    unsigned char *at = to;
    for (size_t k = 0; k < run->problem.n_logs; k++) {
        const size_t bytes = run->rows[k].n * problem_runs(&run->problem.desc) * sizeof(double);
        memcpy(at, run->rows[k].values, bytes);
        at += bytes;
    }
    return (size_t)(at - (unsigned char *)to);
}

int solve_read_spectra(solve_run *run, mst_location to) {
    for (size_t k = 0; k < run->problem.desc.n_spectra && run->solver; k++) {
        mst_error error;
        if (mst_stencil_read_spectrum(run->solver, k, to, &error) != MST_OK)
            return cli_fail(solve_command, run->options->checkpoint, &error);
        if (to.place == MST_PLACE_FILE)
            to.offset += spectrum_bytes(&run->problem, k);
        else
            to.host = (char *)to.host + spectrum_bytes(&run->problem, k);
    }
    return CLI_DONE;
}

int solve_take_found(solve_run *run, int file, uint64_t offset) {
    const mst_location rows = mst_at_file(file, offset);
    const size_t row_bytes = problem_runs(&run->problem.desc) * sizeof(double);
    uint64_t used = 0;
    int code = CLI_DONE;
    for (size_t k = 0; k < run->problem.n_logs; k++)
        if (code == CLI_DONE) {
            const size_t n = (size_t)rows_at(&run->problem, k, run->resumed_step);
            double *values = NULL;
            code = add_rows(run, k, n, &values);
            if (code == CLI_DONE && !cli_read_bytes(&rows, used, values, n * row_bytes))
                return cli_fail_file(solve_command, run->options->checkpoint, "cannot be read");
            used += n * row_bytes;
        }
    for (size_t k = 0; k < run->problem.desc.n_spectra && code == CLI_DONE; k++) {
        mst_error error;
        if (run->solver && mst_stencil_write_spectrum(run->solver, k, mst_at_file(file, offset + used), &error) != MST_OK)
            return cli_fail(solve_command, run->options->checkpoint, &error);
        used += spectrum_bytes(&run->problem, k);
    }
    return code;
}
