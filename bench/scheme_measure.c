// Takes the times of scheme-rates: all ways of a scheme in turns, from the same state, after comparing what they make of it.
#include "core/clock.h"
#include "scheme_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_STEPS = 5, SHORTEST = 16, MOST_COMPARED = 1 << 26, MOST_STEPS = 1 << 20 };

typedef struct measuring {
    rates_bench *bench;
    rates_cell *cell;
    problem problem;
    plain_scheme plain;
    mst_stencil *solvers[RATES_N_WAYS]; // of ours and beyond
    plain_run *runs[RATES_N_WAYS];      // of the plain ways
    mst_context *small;                 // of beyond
    float *plane, *other;
    int steps[RATES_N_WAYS]; // of a sample
} measuring;

static bool fails(measuring *m, rates_way way, const mst_error *error) {
    snprintf(m->cell->why[way], PLAIN_TEXT, "%.*s", PLAIN_TEXT - 1, error->message);
    return false;
}

static int levels_of(const measuring *m, size_t field) { return m->problem.desc.fields[field].levels == 2 ? 2 : 1; }

static bool read_plane(measuring *m, rates_way way, size_t field, int level, size_t plane, float *to) {
    const mst_stencil_desc *d = &m->problem.desc;
    mst_stencil_region region;
    mst_error error;
    for (int axis = 0; axis < d->rank; axis++) {
        region.start[axis] = 0;
        region.step[axis] = 1;
        region.count[axis] = d->grid[axis];
    }
    if (d->rank == PLAIN_AXES) {
        region.start[0] = plane;
        region.count[0] = 1;
    }
    return mst_stencil_read(m->solvers[way], d->fields[field].name, level, &region, mst_at_host(to), &error) == MST_OK ||
           fails(m, way, &error);
}

static bool take_plane(measuring *m, rates_way way, size_t field, int level, size_t plane, float *to) {
    if (m->solvers[way])
        return read_plane(m, way, field, level, plane, to);
    m->runs[way]->get(m->runs[way], (int)field, level, plane, to);
    return true;
}

// ---- Making the ways

static bool make_solver(measuring *m, rates_way way, mst_context *context) {
    mst_stencil_desc d = m->problem.desc;
    mst_error error;
    const double start = cli_now();
    if (way == RATES_OURS)
        d.schedule = m->bench->schedule;
    if (mst_stencil_create(context, &d, &m->solvers[way], &error) != MST_OK)
        return fails(m, way, &error);
    m->cell->create_seconds[way] = cli_now() - start;
    mst_stencil_plan *plan = &m->cell->plan[way == RATES_BEYOND];
    *plan = (mst_stencil_plan)MST_STENCIL_PLAN_INIT;
    return mst_stencil_describe(m->solvers[way], SHORTEST, plan, &error) == MST_OK || fails(m, way, &error);
}

static bool make_small(measuring *m) {
    const rates_cell *cell = m->cell;
    uint64_t bytes = m->cell->n_arrays * sizeof(float);
    for (int axis = 0; axis < cell->rank; axis++)
        bytes *= cell->grid[axis];
    mst_context_desc d = MST_CONTEXT_DESC_INIT;
    mst_error error;
    d.device = m->bench->run.options->device;
    d.device_memory = bytes / 4;
    d.host_memory = (uint64_t)64 << 30;
    if (mst_context_create(&d, &m->small, &error) != MST_OK)
        return fails(m, RATES_BEYOND, &error);
    return make_solver(m, RATES_BEYOND, m->small);
}

static bool load(measuring *m, rates_way way) {
    plain_run *r = m->runs[way];
    for (size_t f = 0; f < m->problem.desc.n_fields; f++)
        for (int level = 0; level < levels_of(m, f); level++)
            for (size_t plane = 0; plane < m->plain.n[0]; plane++) {
                if (!read_plane(m, RATES_OURS, f, level, plane, m->plane))
                    return false;
                r->put(r, (int)f, level, plane, m->plane);
            }
    r->margins(r);
    return true;
}

static void make_plain(measuring *m, rates_way way) {
    mst_context *context = m->bench->run.contexts[BENCH_PLAIN];
    const mst_device_info *device = mst_context_device(context);
    const double start = cli_now();
    char *why = m->cell->why[way];
    why[0] = '\0';
    if (way == RATES_C && !(device->type & CL_DEVICE_TYPE_CPU))
        return;
    m->runs[way] =
        way == RATES_C ? plain_run_c(&m->plain, device->compute_units, why) : plain_run_opencl(&m->plain, context, why);
    m->cell->create_seconds[way] = cli_now() - start;
    if (m->runs[way] && !load(m, way)) {
        m->runs[way]->destroy(m->runs[way]);
        m->runs[way] = NULL;
    }
}

static bool has(const measuring *m, rates_way way) { return m->solvers[way] || m->runs[way]; }

static bool steps(measuring *m, rates_way way, int n) {
    mst_error error;
    if (m->runs[way])
        return m->runs[way]->steps(m->runs[way], n);
    return mst_stencil_run(m->solvers[way], (uint64_t)n, NULL, NULL, &error) == MST_OK || fails(m, way, &error);
}

// ---- Comparing

// The largest difference of a field from the plain kernels', of their largest value; infinite where a value is not finite.
static bool compare_field(measuring *m, rates_way way, size_t field, size_t every, double *error) {
    const size_t *n = m->plain.n;
    double most = 0, largest = 0;
    for (size_t plane = 0; plane < n[0]; plane += every) {
        if (!take_plane(m, RATES_KERNELS, field, 0, plane, m->plane) || !take_plane(m, way, field, 0, plane, m->other))
            return false;
        for (size_t k = 0; k < n[1] * n[2]; k++) {
            const double difference = fabs((double)m->other[k] - (double)m->plane[k]);
            most = isfinite(difference) ? fmax(most, difference) : INFINITY;
            largest = fmax(largest, fabs((double)m->plane[k]));
        }
    }
    *error = fmax(*error, largest > 0 ? most / largest : most);
    return true;
}

static bool compare(measuring *m, rates_way way) {
    const size_t *n = m->plain.n, nodes = n[0] * n[1] * n[2];
    for (size_t f = 0; f < m->problem.desc.n_fields; f++)
        if (!m->problem.desc.fields[f].coefficient && !compare_field(m, way, f, nodes / MOST_COMPARED + 1, &m->cell->error[way]))
            return false;
    if (m->cell->error[way] < RATES_WRONG)
        return true;
    snprintf(m->cell->why[way], PLAIN_TEXT, "differs from the plain kernels by %.2g", m->cell->error[way]);
    return false;
}

// Every way does some steps, and is left out where it fails or is wrong.
static void check(measuring *m) {
    for (rates_way way = RATES_N_WAYS; way-- > 0;)
        if (has(m, way) && !steps(m, way, CHECK_STEPS) && !m->cell->why[way][0])
            snprintf(m->cell->why[way], PLAIN_TEXT, "failed");
    for (rates_way way = 0; way < RATES_N_WAYS; way++)
        if (has(m, way) && way != RATES_KERNELS && !m->cell->why[way][0] && has(m, RATES_KERNELS))
            compare(m, way);
}

// ---- Time

static bool sample(measuring *m, rates_way way, double *seconds) {
    const double start = cli_now();
    const bool done = steps(m, way, m->steps[way]);
    *seconds = (cli_now() - start) / m->steps[way];
    return done;
}

// How many steps a sample has: at least as many as a schedule takes at once.
static void size_sample(measuring *m, rates_way way) {
    const mst_stencil_plan *plan = &m->cell->plan[way == RATES_BEYOND];
    const int least = m->runs[way] ? 1 : way == RATES_BEYOND ? (int)fmin((double)plan->depth, MOST_STEPS) : SHORTEST;
    double seconds = 0;
    m->steps[way] = m->runs[way] ? 2 : SHORTEST;
    if (!sample(m, way, &seconds) || !sample(m, way, &seconds))
        return;
    const double wanted = fmin(ceil(m->bench->sample_seconds / seconds), MOST_STEPS);
    m->steps[way] = (int)ceil(wanted / least) * least;
}

static void take_times(measuring *m) {
    rates_cell *cell = m->cell;
    double seconds;
    for (rates_way way = 0; way < RATES_N_WAYS; way++)
        if (has(m, way) && !cell->why[way][0])
            size_sample(m, way);
    for (int round = 0; round < m->bench->rounds; round++, cell->n_samples++)
        for (rates_way way = 0; way < RATES_N_WAYS; way++)
            if (has(m, way) && !cell->why[way][0] && sample(m, way, &seconds))
                cell->samples[way][round] = (double)(m->plain.n[0] * m->plain.n[1] * m->plain.n[2]) / seconds;
    for (rates_way way = 0; way < RATES_N_WAYS; way++) {
        double sorted[RATES_MOST_ROUNDS];
        memcpy(sorted, cell->samples[way], sizeof sorted);
        cell->rate[way] = cell->n_samples ? cli_median(sorted, cell->n_samples) : 0;
    }
}

double rates_ratio(const rates_cell *cell, rates_way way, rates_way other) {
    double ratios[RATES_MOST_ROUNDS];
    if (!(cell->rate[way] > 0) || !(cell->rate[other] > 0))
        return 0;
    for (int k = 0; k < cell->n_samples; k++)
        ratios[k] = cell->samples[way][k] / cell->samples[other][k];
    return cli_median(ratios, cell->n_samples);
}

// ---- A cell

static void release(measuring *m) {
    for (rates_way way = 0; way < RATES_N_WAYS; way++) {
        mst_stencil_destroy(m->solvers[way]);
        if (m->runs[way])
            m->runs[way]->destroy(m->runs[way]);
    }
    mst_context_destroy(m->small);
    free(m->plane);
    free(m->other);
    problem_free(&m->problem);
}

static int open_cell(measuring *m) {
    const rates_cell *cell = m->cell;
    problem_overrides overrides = {.rank = cell->rank, .steps = -1};
    memcpy(overrides.grid, cell->grid, sizeof overrides.grid);
    return problem_open(m->bench->run.command, cell->path, &overrides, &m->problem);
}

static void count_arrays(measuring *m) {
    m->cell->n_arrays = 0;
    for (size_t f = 0; f < m->problem.desc.n_fields; f++)
        m->cell->n_arrays += (size_t)levels_of(m, f);
}

// On a GPU the plain ways need as much again, and what goes through the host takes long.
static bool is_too_large(measuring *m) {
    const mst_device_info *device = m->bench->run.device;
    const double bytes = (double)(m->cell->n_arrays * sizeof(float)) * (double)(m->plain.n[0] * m->plain.n[1] * m->plain.n[2]);
    if (!(device->type & CL_DEVICE_TYPE_GPU) || bytes < (double)device->memory_bytes / 4)
        return false;
    snprintf(m->cell->why[RATES_OURS], PLAIN_TEXT, "not run, as the state takes more than a quarter of the device's memory");
    return true;
}

static int measure_cell(rates_bench *bench, rates_cell *cell) {
    measuring m = {.bench = bench, .cell = cell};
    int code = open_cell(&m);
    if (code != CLI_DONE) {
        release(&m);
        return code;
    }
    cell->rank = m.problem.desc.rank;
    memcpy(cell->grid, m.problem.desc.grid, sizeof cell->grid);
    count_arrays(&m);
    if (!plain_scheme_make(&m.problem, &m.plain, cell->why[RATES_KERNELS])) {
        cli_error(bench->run.command, "%s: %s", cell->name, cell->why[RATES_KERNELS]);
        release(&m);
        return CLI_FAILED;
    }
    cell->bytes_a_node = m.plain.bytes_a_node;
    cell->limit = bench->copy_rate / cell->bytes_a_node;
    m.plane = malloc(m.plain.n[1] * m.plain.n[2] * sizeof *m.plane);
    m.other = malloc(m.plain.n[1] * m.plain.n[2] * sizeof *m.other);
    if (!m.plane || !m.other)
        code = cli_out_of_memory(bench->run.command, NULL);
    if (code == CLI_DONE && !is_too_large(&m) && make_solver(&m, RATES_OURS, bench->run.contexts[BENCH_PLAIN])) {
        make_plain(&m, RATES_KERNELS);
        make_plain(&m, RATES_C);
        if (bench->beyond)
            make_small(&m);
        check(&m);
        take_times(&m);
        cell->measured = true;
    }
    release(&m);
    return code;
}

int rates_measure(void *results) {
    rates_bench *bench = results;
    mst_error error;
    int code = CLI_DONE;
    if (mst_context_copy_rate(bench->run.contexts[BENCH_PLAIN], &bench->copy_rate, &error) != MST_OK)
        return cli_fail(bench->run.command, NULL, &error);
    code = rates_choose_cells(bench);
    for (int k = 0; k < bench->n_cells && code == CLI_DONE; k++) {
        if (cli_now() > bench->end) {
            bench->run.cut_short = true;
            break;
        }
        code = measure_cell(bench, &bench->cells[k]);
        if (bench->run.print)
            rates_print(bench, &bench->cells[k]);
    }
    return code;
}
