// Times one cell of the comparison: the reference, then every variant, each checked against the reference.
#include "convolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RUNS = 51 };

// n_vectors pairs of vectors, of which the first `period` are random and the rest repeat them: so every result can be checked
// though the reference ran on a part only.
typedef struct convolution_data {
    size_t n, n_vectors, period;
    float *x, *y, *z;
    float *expected; // for the first period
    double *norms;   // ||x|| ||y||
} convolution_data;

static void free_data(convolution_data *d) {
    free(d->x);
    free(d->y);
    free(d->z);
    free(d->expected);
    free(d->norms);
}

static void fill_random(float *at, size_t count, uint64_t *state) { // splitmix64, to [-1, 1)
    for (size_t i = 0; i < count; i++) {
        uint64_t z = *state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        at[i] = (float)(int32_t)((z ^ (z >> 31)) >> 32) * 0x1p-31f;
    }
}

static void repeat(float *data, size_t period, size_t count) {
    for (size_t i = period; i < count; i += period)
        memcpy(data + i, data, (count - i < period ? count - i : period) * sizeof *data);
}

static double norm(const float *v, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)v[i] * v[i];
    return sqrt(sum);
}

static double distance(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

// The worst vector; not a number if any value is not.
static double worst_error(const convolution_data *d) {
    double worst = 0;
    for (size_t b = 0; b < d->n_vectors; b++) {
        size_t same = b % d->period;
        double error = distance(d->z + 2 * d->n * b, d->expected + 2 * d->n * same, 2 * d->n) / d->norms[same];
        if (!(error <= worst))
            worst = error;
        if (isnan(worst))
            break;
    }
    return worst;
}

static bool go_on(uint64_t done, uint64_t total, void *user) {
    (void)done, (void)total, (void)user;
    return !cli_interrupted();
}

static mst_status make_plan(mst_context *context, const convolution_data *d, size_t n_vectors,
                            mst_convolution_algorithm algorithm, mst_convolution **plan, mst_error *error) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = desc.y = mst_layout_dense(MST_COMPLEX64, 2, (size_t[]){n_vectors, d->n});
    desc.mode = MST_CONVOLUTION_CIRCULAR;
    desc.algorithm = algorithm;
    return mst_convolution_create(context, &desc, plan, error);
}

static mst_status execute(mst_convolution *plan, const convolution_data *d, double *seconds, mst_error *error) {
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = go_on;
    double start = cli_now();
    mst_status status = mst_convolution_execute(plan, mst_at_host(d->x), mst_at_host(d->y), mst_at_host(d->z), &how, error);
    *seconds = cli_now() - start;
    return status;
}

// One run to warm up, then the median of as many as fit into the time, one at least. The result is left in d->z.
static mst_status time_median(mst_context *context, const convolution_data *d, size_t n_vectors,
                              mst_convolution_algorithm algorithm, double limit, convolution_timing *timing, mst_error *error) {
    double runs[MOST_RUNS], warm_up, total = 0;
    mst_convolution *plan = NULL;
    int n = 0;

    mst_status status = make_plan(context, d, n_vectors, algorithm, &plan, error);
    memset(d->z, 0xff, 2 * d->n * n_vectors * sizeof *d->z); // not numbers: what is not written is found
    if (status == MST_OK)
        status = execute(plan, d, &warm_up, error);
    while (status == MST_OK && n < MOST_RUNS && (n == 0 || total + runs[n - 1] < limit)) {
        status = execute(plan, d, &runs[n], error);
        total += runs[n++];
    }
    mst_convolution_destroy(plan);
    if (status != MST_OK)
        return status;
    timing->seconds = cli_median(runs, n);
    timing->runs = n;
    timing->outcome = CELL_DONE;
    return MST_OK;
}

// Whether all vectors are likely to take no longer than `limit`. Tried on few vectors, then four times as many each time: a
// device that is not yet full takes no longer for more, so a plain proportion would overestimate.
static mst_status predict(mst_context *context, const convolution_data *d, mst_convolution_algorithm algorithm, double limit,
                          bool *fits, mst_error *error) {
    double before = 0;
    *fits = true;
    for (size_t n = 1, n_before = 0; n < d->n_vectors; n_before = n, n *= 4) {
        convolution_timing part;
        mst_status status = time_median(context, d, n, algorithm, 0, &part, error);
        if (status != MST_OK)
            return status;
        double now = part.seconds, rest = (double)(d->n_vectors - n);
        if (now * (double)d->n_vectors / (double)n <= limit)
            return MST_OK;
        // The growth tells nothing while it is lost in the noise.
        double growth = n_before && now > limit / 16 ? fmax(now - before, 0) / (double)(n - n_before) : 0;
        if (now + growth * rest > limit) {
            *fits = false;
            return MST_OK;
        }
        before = now;
    }
    return MST_OK;
}

static mst_status measure_variant(mst_context *context, const convolution_data *d, int variant, double limit,
                                  convolution_cell *cell, mst_error *error) {
    mst_convolution_algorithm algorithm = (mst_convolution_algorithm)(MST_CONVOLUTION_PAPER_A + variant);
    convolution_timing *timing = &cell->variants[variant];
    bool fits;
    mst_status status = predict(context, d, algorithm, limit / 2, &fits, error);

    if (status == MST_OK && !fits) {
        timing->outcome = CELL_SLOW;
        return MST_OK;
    }
    if (status == MST_OK)
        status = time_median(context, d, d->n_vectors, algorithm, limit / 2, timing, error);
    if (status == MST_ERROR_CANCELLED)
        return status;
    if (status != MST_OK) {
        bool memory = status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY || status == MST_ERROR_HOST_MEMORY;
        timing->outcome = memory ? CELL_MEMORY : CELL_FAILED;
        snprintf(timing->message, sizeof timing->message, "%s", error->message);
        return MST_OK;
    }
    timing->error = worst_error(d);
    if (!(timing->error <= cell->gate))
        timing->outcome = CELL_WRONG;
    else
        cell->speedups[variant] = cell->reference.seconds * (double)d->n_vectors / (double)d->period / timing->seconds;
    return MST_OK;
}

static mst_status measure_reference(mst_context *context, convolution_data *d, double limit, convolution_timing *timing,
                                    mst_error *error) {
    uint64_t seed = d->n;
    size_t values = 2 * d->n;
    convolution_timing one;

    // How many vectors fit: time one; the rest is generated for as many.
    fill_random(d->x, values, &seed);
    fill_random(d->y, values, &seed);
    mst_status status = time_median(context, d, 1, MST_CONVOLUTION_REFERENCE, limit / 16, &one, error);
    if (status != MST_OK)
        return status;
    double fitting = fmax(limit / 3 / one.seconds, 1);
    d->period = fitting < (double)d->n_vectors ? (size_t)fitting : d->n_vectors;
    fill_random(d->x, values * d->period, &seed);
    fill_random(d->y, values * d->period, &seed);
    status = time_median(context, d, d->period, MST_CONVOLUTION_REFERENCE, limit * 2 / 3, timing, error);
    if (status != MST_OK)
        return status;
    d->expected = malloc(values * d->period * sizeof *d->expected);
    d->norms = malloc(d->period * sizeof *d->norms);
    if (!d->expected || !d->norms) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return error->status = MST_ERROR_HOST_MEMORY;
    }
    memcpy(d->expected, d->z, values * d->period * sizeof *d->expected);
    for (size_t b = 0; b < d->period; b++)
        d->norms[b] = norm(d->x + values * b, values) * norm(d->y + values * b, values);
    repeat(d->x, values * d->period, values * d->n_vectors);
    repeat(d->y, values * d->period, values * d->n_vectors);
    return MST_OK;
}

// The three arrays, unless they take more than half of the memory: the reason goes into cell->skipped.
static bool make_data(convolution_data *d, convolution_cell *cell) {
    size_t bytes = 2 * d->n * d->n_vectors * sizeof(float);
    double half = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    char need[32], have[32];

    if (4 * (double)bytes > half) {
        snprintf(cell->skipped, sizeof cell->skipped, "needs %s of memory, half of this machine's is %s",
                 cli_size_text(4 * bytes, need), cli_size_text((uint64_t)half, have));
        return false;
    }
    d->x = malloc(bytes);
    d->y = malloc(bytes);
    d->z = malloc(bytes);
    if (d->x && d->y && d->z)
        return true;
    snprintf(cell->skipped, sizeof cell->skipped, "%s of memory are not free", cli_size_text(3 * bytes, need));
    return false;
}

// In about so many seconds. MST_ERROR_CANCELLED if the program was interrupted, or the error that stopped the reference.
static mst_status measure_cell(mst_context *context, const paper_cell *paper, double seconds, convolution_cell *cell,
                               mst_error *error) {
    convolution_data d = {.n = paper->n, .n_vectors = paper->side * paper->side};
    double share = seconds / (1 + PAPER_N_VARIANTS);
    mst_status status = MST_OK;

    memset(cell, 0, sizeof *cell);
    cell->paper = paper;
    cell->n_vectors = d.n_vectors;
    // A convolution's gate is 2 * 6e-8 * sqrt(log2 N); two results, both rounded, may differ by twice that.
    cell->gate = 2 * 2 * 6e-8 * sqrt(log2((double)d.n));
    if (make_data(&d, cell))
        status = measure_reference(context, &d, share, &cell->reference, error);
    if (!cell->skipped[0]) {
        cell->reference_vectors = d.period;
        for (int v = 0; v < PAPER_N_VARIANTS && status == MST_OK; v++)
            status = measure_variant(context, &d, v, share, cell, error);
    }
    free_data(&d);
    return status;
}

static bool is_quick(const paper_cell *cell) {
    bool length = cell->n == 32 || cell->n == 256 || cell->n == 2048 || cell->n == 16384;
    return length && (cell->side == 5 || cell->side == 20);
}

convolution_count convolution_count_best(const convolution_bench *bench, int platform) {
    convolution_count count = {0};
    for (int c = 0; c < (platform < 0 ? bench->n_cells : PAPER_N_CELLS); c++) {
        const paper_cell *paper = platform < 0 ? bench->cells[c].paper : &paper_cells[c];
        int best = paper_best(platform < 0 ? bench->cells[c].speedups : paper->speedups[platform]);
        int large = paper->n >= PAPER_SPLIT;
        if (best >= 0) {
            count.cells[large]++;
            count.best[large][best]++;
        }
    }
    return count;
}

convolution_peak convolution_highest(const convolution_bench *bench, int platform) {
    convolution_peak peak = {0, NULL, 0};
    for (int c = 0; c < (platform < 0 ? bench->n_cells : PAPER_N_CELLS); c++) {
        const paper_cell *paper = platform < 0 ? bench->cells[c].paper : &paper_cells[c];
        const double *k = platform < 0 ? bench->cells[c].speedups : paper->speedups[platform];
        int best = paper_best(k);
        if (best >= 0 && k[best] > peak.speedup)
            peak = (convolution_peak){k[best], paper, best};
    }
    return peak;
}

int convolution_measure(void *results) {
    convolution_bench *bench = results;
    const char *command = bench->run.command;
    cli_progress progress = cli_progress_start(command, 0);
    uint64_t done = 0;
    size_t last = 0;
    int exit_code = CLI_DONE;

    progress.visible &= !bench->print_cell;
    for (size_t c = 0; c < PAPER_N_CELLS && exit_code == CLI_DONE; c++) {
        mst_error error;
        convolution_cell *cell = &bench->cells[bench->n_cells];
        if (bench->quick && !is_quick(&paper_cells[c]))
            continue;
        bench->run.cut_short = bench->n_cells > 0 && cli_now() > bench->run.until;
        if (bench->run.cut_short)
            break;
        mst_status status = measure_cell(bench->run.contexts[BENCH_PLAIN], &paper_cells[c], bench->cell_seconds, cell, &error);
        if (cli_interrupted() || status == MST_ERROR_CANCELLED) {
            bench->run.interrupted = true;
            cli_error(command, "interrupted after %d cells", bench->n_cells);
            break;
        }
        if (status != MST_OK) {
            exit_code = cli_fail(command, "the reference", &error);
            break;
        }
        bench->n_cells++;
        if (bench->print_cell) {
            bench->print_cell(cell, cell->paper->n != last);
            exit_code = cli_flush(command); // whoever reads may have gone
        }
        last = cell->paper->n;
        cli_progress_update(++done, (uint64_t)bench->n_wanted, &progress);
    }
    cli_progress_end(&progress);
    return exit_code;
}
