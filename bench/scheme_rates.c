// scheme-rates: schemes that people run, beside the limit that memory sets to a step at a time, plain kernels and plain C.
#include "scheme_rates.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const way_names[] = {"mastaba", "plain kernels", "plain C", "quarter of the memory"};
static const char *const way_keys[] = {"mastaba", "plain_kernels", "plain_c", "quarter"};

typedef struct request {
    bench_request shared;
    char *only, *schemes, *schedule, *grid;
    int quick, rounds, no_quarter;
    double sample_seconds, seconds;
} request;

static const request defaults = {.rounds = 5, .sample_seconds = 0.25, .seconds = 460};

static const cli_option option_table[] = {
    {"only", 0, CLI_TEXT, offsetof(request, only), "schemes whose names begin with one of these, separated by commas", "NAMES"},
    {"schemes", 0, CLI_TEXT, offsetof(request, schemes), "where the problem files are (default: bench/schemes)", "DIR"},
    {"grid", 0, CLI_TEXT, offsetof(request, grid), "in place of the sizes that suit the device, for schemes of as many axes",
     "NxN"},
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "3 rounds of 0.1 s, and nothing beyond the memory", NULL},
    {"rounds", 0, CLI_INT, offsetof(request, rounds), "of all ways in turns (default: 5)", "N"},
    {"sample-seconds", 0, CLI_REAL, offsetof(request, sample_seconds), "time of one run (default: 0.25)", "S"},
    {"seconds", 0, CLI_REAL, offsetof(request, seconds), "no scheme begins later than that (default: 460)", "S"},
    {"no-quarter", 0, CLI_FLAG, offsetof(request, no_quarter), "not with a quarter of the memory", NULL},
    {"schedule", 0, CLI_TEXT, offsetof(request, schedule), "in place of the library's choice: in-core or sweeps", "NAME"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the rates into this directory", "DIR"},
};

// ---- The cells

static const char *find_directory(const request *r) {
    static const char own[] = "bench/schemes";
    return r->schemes ? r->schemes : access(own, R_OK) == 0 ? own : SCHEMES_DIR;
}

static int is_problem(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static bool is_wanted(const rates_bench *bench, const char *name) {
    for (const char *at = bench->only; at && *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (strncmp(name, at, length) == 0)
            return true;
    }
    return !bench->only;
}

// On a CPU the grid that stands in the file. On a GPU larger ones, among them sizes that are no powers of two.
static void add_cells(rates_bench *bench, const char *directory, const char *file) {
    static const size_t cubes[] = {512, 1000}, squares[] = {10000, 16384};
    const bool gpu = bench->run.device->type & CL_DEVICE_TYPE_GPU;
    const int rank = strstr(file, "-3d") ? 3 : 2;
    if (bench->rank && bench->rank != rank)
        return;
    for (int size = 0; size < (gpu && !bench->rank ? 2 : 1) && bench->n_cells < RATES_MOST_CELLS; size++) {
        rates_cell *cell = &bench->cells[bench->n_cells++];
        snprintf(cell->name, sizeof cell->name, "%.*s", (int)strcspn(file, "."), file);
        snprintf(cell->path, sizeof cell->path, "%s/%s", directory, file);
        cell->rank = gpu || bench->rank ? rank : 0;
        for (int axis = 0; axis < cell->rank; axis++)
            cell->grid[axis] = bench->rank ? bench->grid[axis] : rank == 3 ? cubes[size] : squares[size];
    }
}

int rates_choose_cells(rates_bench *bench) {
    struct dirent **entries = NULL;
    const int n = scandir(bench->directory, &entries, is_problem, alphasort);
    bench->end = cli_now() + bench->seconds;
    for (int k = 0; k < n; k++) {
        if (is_wanted(bench, entries[k]->d_name))
            add_cells(bench, bench->directory, entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
    if (bench->n_cells > 0)
        return CLI_DONE;
    cli_error(bench->run.command, "no problem file in %s%s%s", bench->directory, bench->only ? " begins with " : "",
              bench->only ? bench->only : "");
    return CLI_USAGE;
}

// "NxN" or "NxNxN".
static int read_grid(rates_bench *bench, const char *text) {
    int rank = 0;
    for (const char *at = text; at && rank < 3; at++) {
        char *end;
        bench->grid[rank++] = strtoul(at, &end, 10);
        at = end;
        if (*at != 'x' || bench->grid[rank - 1] == 0) {
            bench->rank = *at || bench->grid[rank - 1] == 0 ? 0 : rank;
            break;
        }
    }
    return !text || bench->rank > 1 ? CLI_DONE
                                    : cli_wrong_option(bench->run.command, "--grid", text, "expected sizes as 2000x2000");
}

static int choose(const void *request_, void *results) {
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_IN_CORE, MST_STENCIL_SWEEPS};
    const request *r = request_;
    rates_bench *bench = results;
    if (r->rounds < 1 || r->rounds > RATES_MOST_ROUNDS) {
        cli_error(bench->run.command, "--rounds %d: give 1 to %d", r->rounds, RATES_MOST_ROUNDS);
        return CLI_USAGE;
    }
    if (!bench_is_time(&bench->run, "sample-seconds", r->sample_seconds) || !bench_is_time(&bench->run, "seconds", r->seconds))
        return CLI_USAGE;
    for (size_t k = 0; r->schedule && k < CLI_COUNT(schedules); k++)
        if (strcmp(r->schedule, mst_stencil_schedule_name(schedules[k])) == 0)
            bench->schedule = schedules[k];
    if (r->schedule && !bench->schedule)
        return cli_wrong_option(bench->run.command, "--schedule", r->schedule, "expected in-core or sweeps");
    if (read_grid(bench, r->grid) != CLI_DONE)
        return CLI_USAGE;
    bench->rounds = r->quick ? 3 : r->rounds;
    bench->sample_seconds = r->quick ? 0.1 : r->sample_seconds;
    bench->beyond = !r->quick && !r->no_quarter;
    bench->only = r->only;
    bench->seconds = r->seconds;
    bench->directory = find_directory(r);
    return CLI_DONE;
}

// ---- Text

static void print_heading(const void *results) {
    const rates_bench *bench = results;
    printf("%s, driver %s: Gnode-steps/s, and what that is of others\n\n%-20s %-16s %8s %8s %8s %8s %8s %8s  %s\n",
           bench->run.device->name, bench->run.device->driver_version, "scheme", "grid", "rate", "limit", "kernels", "C",
           "quarter", "error", "how");
}

static void grid_text(const rates_cell *cell, char text[64]) {
    for (int axis = 0, used = 0; axis < cell->rank; axis++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%zu", axis ? "x" : "", cell->grid[axis]);
}

static void print_ratio(double ratio) {
    if (ratio > 0)
        printf(" %8.2f", ratio);
    else
        printf(" %8s", "-");
}

void rates_print(const rates_bench *bench, const rates_cell *cell) {
    char grid[64] = "";
    (void)bench;
    grid_text(cell, grid);
    printf("%-20s %-16s %8.3f", cell->name, grid, 1e-9 * cell->rate[RATES_OURS]);
    print_ratio(cell->rate[RATES_OURS] / cell->limit);
    print_ratio(rates_ratio(cell, RATES_OURS, RATES_KERNELS));
    print_ratio(rates_ratio(cell, RATES_OURS, RATES_C));
    print_ratio(rates_ratio(cell, RATES_BEYOND, RATES_OURS));
    printf(" %8.1e  %s m %u, made in %.1f s\n", cell->error[RATES_OURS], mst_stencil_schedule_name(cell->plan[0].schedule),
           cell->plan[0].fuse, cell->create_seconds[RATES_OURS]);
    for (int way = 0; way < RATES_N_WAYS; way++)
        if (cell->why[way][0])
            printf("    %s: %s\n", way_names[way], cell->why[way]);
    fflush(stdout);
}

// Geometric mean and least of the ratios that were measured.
typedef struct summary {
    double mean, least;
    int n;
} summary;

static double ratio_of(const rates_cell *cell, int column) {
    switch (column) {
    case 0:
        return cell->measured ? cell->rate[RATES_OURS] / cell->limit : 0;
    case 1:
        return rates_ratio(cell, RATES_OURS, RATES_KERNELS);
    case 2:
        return rates_ratio(cell, RATES_OURS, RATES_C);
    default:
        return rates_ratio(cell, RATES_BEYOND, RATES_OURS);
    }
}

enum { N_COLUMNS = 4 };
static const char *const column_keys[] = {"of_limit", "of_plain_kernels", "of_plain_c", "quarter_of_in_core"};

static summary summarise(const rates_bench *bench, int column) {
    summary s = {.mean = 0, .least = INFINITY};
    for (int k = 0; k < bench->n_cells; k++) {
        const double ratio = ratio_of(&bench->cells[k], column);
        if (!(ratio > 0))
            continue;
        s.mean += log(ratio);
        s.least = fmin(s.least, ratio);
        s.n++;
    }
    s.mean = s.n ? exp(s.mean / s.n) : 0;
    s.least = s.n ? s.least : 0;
    return s;
}

static void print_table(const void *results) {
    const rates_bench *bench = results;
    static const char *const names[] = {"geometric mean", "least"};
    for (int line = 0; line < 2; line++) {
        printf("%s%-20s %-16s %8s", line ? "" : "\n", names[line], "", "");
        for (int column = 0; column < N_COLUMNS; column++) {
            const summary s = summarise(bench, column);
            print_ratio(line ? s.least : s.mean);
        }
        putchar('\n');
    }
    if (bench->run.cut_short)
        printf("The time was over before all schemes were measured.\n");
}

// ---- JSON

static json_t *plan_json(const mst_stencil_plan *plan) {
    return json_pack("{s:s, s:I, s:I, s:I}", "schedule", mst_stencil_schedule_name(plan->schedule), "depth",
                     (json_int_t)plan->depth, "fuse", (json_int_t)plan->fuse, "block", (json_int_t)plan->block);
}

static json_t *cell_json(const rates_cell *cell) {
    json_t *object = json_pack("{s:s, s:o, s:I, s:f, s:o, s:o}", "scheme", cell->name, "grid",
                               cli_json_sizes(cell->grid, cell->rank), "arrays", (json_int_t)cell->n_arrays, "bytes_a_node",
                               cell->bytes_a_node, "limit", cli_json_real(cell->limit), "plan", plan_json(&cell->plan[0]));
    int failed = !object;
    if (cell->rate[RATES_BEYOND] > 0)
        failed |= json_object_set_new(object, "quarter_plan", plan_json(&cell->plan[1]));
    for (int way = 0; way < RATES_N_WAYS; way++)
        if (cell->rate[way] > 0)
            failed |= json_object_set_new(object, way_keys[way],
                                          json_pack("{s:f, s:f, s:f}", "node_steps_a_second", cell->rate[way], "made_in_seconds",
                                                    cell->create_seconds[way], "error", cell->error[way]));
        else if (cell->why[way][0])
            failed |= json_object_set_new(object, way_keys[way], json_pack("{s:o}", "failed", cli_json_text(cell->why[way])));
    for (int column = 0; column < N_COLUMNS; column++)
        if (ratio_of(cell, column) > 0)
            failed |= json_object_set_new(object, column_keys[column], cli_json_real(ratio_of(cell, column)));
    return cli_json_complete(object, failed);
}

static json_t *json(const void *results) {
    const rates_bench *bench = results;
    json_t *cells = json_array(), *summaries = json_object();
    int failed = !cells || !summaries;
    for (int k = 0; k < bench->n_cells && !failed; k++)
        if (bench->cells[k].measured)
            failed |= json_array_append_new(cells, cell_json(&bench->cells[k]));
    for (int column = 0; column < N_COLUMNS && !failed; column++) {
        const summary s = summarise(bench, column);
        if (s.n)
            failed |= json_object_set_new(summaries, column_keys[column],
                                          json_pack("{s:f, s:f, s:i}", "mean", s.mean, "least", s.least, "of", s.n));
    }
    json_t *root = json_pack("{s:s, s:o, s:s, s:s, s:s, s:f, s:i, s:b, s:o, s:o}", "benchmark", "scheme-rates", "device",
                             cli_json_text(bench->run.device->name), "driver", bench->run.device->driver_version, "processor",
                             bench->run.processor, "date", bench->run.date, "copy_bytes_a_second", bench->copy_rate, "rounds",
                             bench->rounds, "cut_short", (int)bench->run.cut_short, "summary", summaries, "schemes", cells);
    return cli_json_complete(root, failed);
}

// ---- The picture

static void write_data(FILE *gnuplot, const void *user) {
    const rates_bench *bench = user;
    char grid[64] = "";
    fputs("$rates << EOD\n", gnuplot);
    for (int k = 0; k < bench->n_cells; k++) {
        const rates_cell *cell = &bench->cells[k];
        if (!cell->measured)
            continue;
        grid_text(cell, grid);
        fprintf(gnuplot, "\"%s %s\"", cell->name, grid);
        for (int column = 0; column < N_COLUMNS; column++)
            fprintf(gnuplot, " %.6g", ratio_of(cell, column) > 0 ? ratio_of(cell, column) : NAN);
        fputc('\n', gnuplot);
    }
    fputs("EOD\n", gnuplot);
}

static void write_picture(FILE *gnuplot, const void *user) {
    const rates_bench *bench = user;
    char title[400], name[CLI_PLOT_NAME];
    cli_plot_name(bench->run.device->name, name);
    snprintf(title, sizeof title, "Schemes in core, %.100s: rate over that of others", name);
    cli_plot_string(gnuplot, "set title ", title, " noenhanced");
    fputs("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
          "unset logscale\nset grid noxtics\nset yrange [0:*]\nset xtics auto rotate by -35 noenhanced\n"
          "set key outside top center horizontal\nset arrow 1 from graph 0, first 1 to graph 1, first 1 nohead ls 10\n"
          "plot $rates using 2:xtic(1) ls 1 title 'one step a pass at the copy rate', '' using 3 ls 2 title 'plain kernels', "
          "'' using 4 ls 3 title 'plain C'\n",
          gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){.name = "scheme-rates",
                      .width = 1200,
                      .height = 500,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

// ---- The description

static int check(const void *results) {
    const rates_bench *bench = results;
    for (int k = 0; k < bench->n_cells; k++)
        for (int way = 0; way < RATES_N_WAYS; way++)
            if (bench->cells[k].error[way] >= RATES_WRONG) {
                cli_error(bench->run.command, "%s, %s: %s", bench->cells[k].name, way_names[way], bench->cells[k].why[way]);
                return CLI_TOLERANCE;
            }
    return CLI_DONE;
}

static int run(const cli_arguments *arguments, void *values);

static const benchmark scheme_rates = {
    .command = {.title = "Schemes that people run, beside what a step at a time could reach and plain loops.",
                .synopsis = "[options]",
                .details = "Each problem in bench/schemes, by the library's own choice of schedule, beside arrays read and\n"
                           "written once a step at the rate of a copy, plain kernels with a node a work-item, on a CPU a\n"
                           "plain loop in C with OpenMP (CC, -O3 -march=native), and itself with a quarter of the memory.\n"
                           "All take turns; results are compared before.\n",
                .leave_out = ~(unsigned)(CLI_DEVICE | CLI_JSON | CLI_FORCE | CLI_NO_CACHE),
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(request),
                .defaults = &defaults,
                .run = run},
    .name = "scheme-rates",
    .contexts = 1 << BENCH_PLAIN,
    .result_bytes = sizeof(rates_bench),
    .choose = choose,
    .measure = rates_measure,
    .check = check,
    .heading = print_heading,
    .table = print_table,
    .json = json,
    .plot = plot,
};

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&scheme_rates, arguments, values); }

int main(int argc, const char **argv) {
    cli_set_program("scheme-rates");
    return cli_run_command(&scheme_rates.command, argc, argv);
}
