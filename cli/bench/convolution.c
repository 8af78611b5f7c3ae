// mastaba bench convolution: the cells that the paper published, measured here. Text is laid out as the paper's tables 11 and 12:
// a row for M x J, groups for N, the best of a row marked.
#include "convolution.h"

#include <string.h>

static const char details[] = "Measures the published algorithms A to E against the sequential reference, one\n"
                              "thread of the host, on M x J pairs of complex64 vectors of length N, and prints\n"
                              "the speed-ups beside those of the paper. Every result is checked; a wrong one is\n"
                              "marked, and the exit code is 1.\n"
                              "\n"
                              "A time is the median of whole calls on host arrays, transfers included, after\n"
                              "one call to warm up; making the plan is not counted. A sixth of --cell-seconds is\n"
                              "for the reference (on fewer vectors where not all fit, scaled in proportion), and\n"
                              "a sixth for each variant: one that is predicted to take longer is not run.\n"
                              "\n"
                              "--plot DIR draws convolution-speedup.svg and .png there, by gnuplot.\n"
                              "\n"
                              "Example: a first look in under a minute\n"
                              "  mastaba bench convolution --quick\n";

// ---- Cases

typedef struct request {
    bench_request shared;
    int quick;
    double seconds; // for a cell
} request;

static const request defaults = {.seconds = 6};

static const cli_option option_table[] = {
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "only N = 32, 256, 2048, 16384 with 5x5 and 20x20 vectors", NULL},
    {"cell-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one cell (default: 6)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the speed-ups into this directory", "DIR"},
};

// ---- Text

static void number(double k, char text[16]) { snprintf(text, 16, "%.*f", k < 0.9995 ? 3 : k < 9.995 ? 2 : k < 99.95 ? 1 : 0, k); }

static void print_speedup(double k, const char *instead, bool best) {
    char text[16];
    number(k, text);
    printf("%6s%s", k > 0 ? text : instead, best ? "*" : " ");
}

static const char *symbol(convolution_outcome outcome) {
    static const char *const symbols[] = {[CELL_NOT_RUN] = "", [CELL_DONE] = "",      [CELL_WRONG] = "WRONG",
                                          [CELL_SLOW] = "-",   [CELL_MEMORY] = "mem", [CELL_FAILED] = "FAILED"};
    return symbols[outcome];
}

static void print_heading(const void *results) {
    const convolution_bench *bench = results;
    printf("Circular convolution of M x J pairs of complex64 vectors of length N by the published variants A to E.\n"
           "K = time of the sequential reference / time of a whole call on host arrays, transfers included.\n\n"
           "  device     %s (%s, driver %s)\n  reference  C, one thread of %s\n  date       %s, mastaba %s\n"
           "  limit      about %g s a cell\n\n"
           "  * best of its row    ~ reference timed on a part of the vectors and scaled in proportion\n"
           "  - predicted to exceed the limit    mem  did not fit into memory    .  not published, did not fit there\n",
           bench->run.device->name, bench->run.device->platform_name, bench->run.device->driver_version, bench->run.processor,
           bench->run.date, mst_version(), bench->cell_seconds);
    printf("\n%16s%-35s", "", "this machine");
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        printf("|  paper: %-26s", paper_machines[p]);
    printf("\n%6s %7s ", "N", "M x J");
    for (int p = -1; p < PAPER_N_PLATFORMS; p++)
        printf("%s%6s %6s %6s %6s %6s ", p < 0 ? "" : "|", "A", "B", "C", "D", "E");
    putchar('\n');
}

static void print_cell(const convolution_cell *cell, bool new_length) {
    char shape[32], n[16] = "";
    snprintf(shape, sizeof shape, "%zux%zu", cell->paper->side, cell->paper->side);
    if (new_length)
        snprintf(n, sizeof n, "%zu", cell->paper->n);
    printf("%6s %7s%s ", n, shape, !cell->skipped[0] && cell->reference_vectors < cell->n_vectors ? "~" : " ");
    if (cell->skipped[0]) {
        printf("%-35s", "  skipped: see below");
    } else {
        int best = paper_best(cell->speedups);
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            print_speedup(cell->speedups[v], symbol(cell->variants[v].outcome), v == best);
    }
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        const double *k = cell->paper->speedups[p];
        int best = paper_best(k);
        putchar('|');
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            print_speedup(k[v], ".", v == best);
    }
    putchar('\n');
}

static void print_counts(const char *name, convolution_count count) {
    printf("  %-26s", name);
    for (int large = 0; large < 2; large++) {
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            printf("%4d", count.best[large][v]);
        printf(large ? "  of %d\n" : "  of %-3d", count.cells[large]);
    }
}

static void print_peak(const char *name, convolution_peak peak) {
    char text[16];
    number(peak.speedup, text);
    if (peak.cell)
        printf("  %-26s%6s  %c, N = %zu, %zux%zu\n", name, text, 'A' + peak.variant, peak.cell->n, peak.cell->side,
               peak.cell->side);
    else
        printf("  %-26s%6s\n", name, "none");
}

static void print_notes(const convolution_bench *bench) {
    const char *before = "";
    double worst = 0;
    for (int c = 0; c < bench->n_cells; c++) {
        const convolution_cell *cell = &bench->cells[c];
        if (cell->skipped[0])
            printf("N = %zu, %zux%zu skipped: %s\n", cell->paper->n, cell->paper->side, cell->paper->side, cell->skipped);
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            const convolution_timing *t = &cell->variants[v];
            if (t->outcome == CELL_WRONG)
                printf("N = %zu, %zux%zu, %c is WRONG: error %.2g, at most %.2g is right\n", cell->paper->n, cell->paper->side,
                       cell->paper->side, 'A' + v, t->error, cell->gate);
            else if (t->message[0] && strcmp(t->message, before) != 0)
                printf("N = %zu, %zux%zu, %c: %s\n", cell->paper->n, cell->paper->side, cell->paper->side, 'A' + v,
                       before = t->message);
            else if (t->outcome == CELL_DONE && t->error / cell->gate > worst)
                worst = t->error / cell->gate;
        }
    }
    printf("Every result was checked against the reference; the worst of the right ones used %.0f%% of the allowed error.\n",
           100 * worst);
}

static void print_summary(const void *results) {
    const convolution_bench *bench = results;
    convolution_count paper = {0};
    printf("\nHighest speed-up\n");
    print_peak("this machine", convolution_highest(bench, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        print_peak(paper_machines[p], convolution_highest(bench, p));
    printf("\nHow often best%16sN < %-5d%20sN >= %d\n%-28s", "", PAPER_SPLIT, "", PAPER_SPLIT, "");
    printf("%4s%4s%4s%4s%4s%13s%4s%4s%4s%4s\n", "A", "B", "C", "D", "E", "A", "B", "C", "D", "E");
    print_counts("this machine", convolution_count_best(bench, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        convolution_count one = convolution_count_best(bench, p);
        print_counts(paper_machines[p], one);
        for (int large = 0; large < 2; large++) {
            paper.cells[large] += one.cells[large];
            for (int v = 0; v < PAPER_N_VARIANTS; v++)
                paper.best[large][v] += one.best[large][v];
        }
    }
    print_counts("paper, both", paper);
    putchar('\n');
    print_notes(bench);
}

// ---- JSON

static const char *const outcomes[] = {"not run", "done", "wrong", "slow", "memory", "failed"}; // by convolution_outcome

static json_t *text(const char *value) { // a driver's strings may be anything
    json_t *string = json_string(value);
    return string ? string : json_string("?");
}

static json_t *positive(double value) { return value > 0 ? cli_json_real(value) : json_null(); }

static json_t *letters(const double values[PAPER_N_VARIANTS]) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "A", positive(values[0]), "B", positive(values[1]), "C", positive(values[2]),
                     "D", positive(values[3]), "E", positive(values[4]));
}

static json_t *timing(const convolution_timing *t, double speedup) {
    return json_pack("{s:s, s:o, s:o, s:i, s:o, s:o*}", "outcome", outcomes[t->outcome], "seconds", positive(t->seconds),
                     "speedup", positive(speedup), "runs", t->runs, "error",
                     t->outcome == CELL_DONE || t->outcome == CELL_WRONG ? cli_json_real(t->error) : json_null(), "message",
                     t->message[0] ? text(t->message) : NULL);
}

static json_t *letter(int variant) { // null for -1
    return variant < 0 ? json_null() : json_stringn((const char[]){(char)('A' + variant)}, 1);
}

static json_t *cell_object(const convolution_cell *c) {
    json_t *paper = json_object(), *variants = json_object();
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        json_object_set_new(paper, paper_platforms[p],
                            json_pack("{s:o, s:o}", "speedup", letters(c->paper->speedups[p]), "best",
                                      letter(paper_best(c->paper->speedups[p]))));
    for (int v = 0; v < PAPER_N_VARIANTS && !c->skipped[0]; v++)
        json_object_set_new(variants, (const char[]){(char)('A' + v), '\0'}, timing(&c->variants[v], c->speedups[v]));
    double part = c->reference_vectors ? (double)c->n_vectors / (double)c->reference_vectors : 0;
    return json_pack("{s:I, s:I, s:I, s:s*, s:{s:o, s:I, s:i, s:b}, s:o, s:o, s:o, s:o}", "n", (json_int_t)c->paper->n, "m",
                     (json_int_t)c->paper->side, "j", (json_int_t)c->paper->side, "skipped", c->skipped[0] ? c->skipped : NULL,
                     "reference", "seconds", positive(c->reference.seconds * part), "vectors_timed",
                     (json_int_t)c->reference_vectors, "runs", c->reference.runs, "scaled", part > 1, "allowed_error",
                     cli_json_real(c->gate), "variants", variants, "best", letter(paper_best(c->speedups)), "paper", paper);
}

static json_t *summary_of(const convolution_bench *bench, int platform) {
    convolution_count count = convolution_count_best(bench, platform);
    convolution_peak peak = convolution_highest(bench, platform);
    json_t *lengths = json_array(), *highest = json_null();
    for (int large = 0; large < 2; large++) {
        const int *b = count.best[large];
        json_array_append_new(lengths,
                              json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, s:i}}", "n", large ? ">=512" : "<512", "cells",
                                        count.cells[large], "best", "A", b[0], "B", b[1], "C", b[2], "D", b[3], "E", b[4]));
    }
    if (peak.cell)
        highest = json_pack("{s:f, s:o, s:I, s:I, s:I}", "speedup", peak.speedup, "variant", letter(peak.variant), "n",
                            (json_int_t)peak.cell->n, "m", (json_int_t)peak.cell->side, "j", (json_int_t)peak.cell->side);
    return json_pack("{s:o, s:o}", "highest", highest, "how_often_best", lengths);
}

static json_t *json(const void *results) {
    const convolution_bench *bench = results;
    const mst_device_info *d = bench->run.device;
    json_t *cells = json_array(), *summary = json_object();
    for (int c = 0; c < bench->n_cells; c++)
        json_array_append_new(cells, cell_object(&bench->cells[c]));
    json_object_set_new(summary, "here", summary_of(bench, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        json_object_set_new(summary, paper_platforms[p], summary_of(bench, p));
    return json_pack("{s:s, s:s, s:s, s:f, s:b, s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o, s:o}", "benchmark", "convolution",
                     "version", mst_version(), "date", bench->run.date, "cell_seconds", bench->cell_seconds, "interrupted",
                     bench->run.interrupted, "device", "name", text(d->name), "vendor", text(d->vendor), "platform",
                     text(d->platform_name), "driver", text(d->driver_version), "version", text(d->device_version),
                     "reference_processor", text(bench->run.processor), "cells", cells, "summary", summary);
}

// ---- The description

static void want(convolution_bench *bench, bool quick) {
    bench->quick = quick;
    bench->n_wanted = quick ? 8 : PAPER_N_CELLS;
}

static int choose(const void *request_, void *results) {
    const request *r = request_;
    convolution_bench *bench = results;
    want(bench, r->quick != 0);
    bench->cell_seconds = r->seconds;
    bench->print_cell = bench->run.print ? print_cell : NULL;
    return bench_is_time(&bench->run, "cell-seconds", r->seconds) ? CLI_DONE : CLI_USAGE;
}

static void choose_within(bool quick, void *results) {
    convolution_bench *bench = results;
    want(bench, quick);
    bench->cell_seconds = bench_between(0.1, (bench->run.until - cli_now()) / bench->n_wanted, 6);
}

static void count(const void *results, int *done, int *wanted) {
    const convolution_bench *bench = results;
    *done = bench->n_cells;
    *wanted = bench->n_wanted;
}

static int check(const void *results) {
    const convolution_bench *bench = results;
    int code = CLI_DONE;
    for (int c = 0; c < bench->n_cells; c++)
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            const convolution_timing *t = &bench->cells[c].variants[v];
            if (t->outcome != CELL_WRONG && t->outcome != CELL_FAILED)
                continue;
            if (code == CLI_DONE)
                cli_error(bench->run.command, "variant %c at N = %zu: %s", 'A' + v, bench->cells[c].paper->n,
                          t->outcome == CELL_WRONG ? "the result is wrong" : t->message);
            code = CLI_FAILED;
        }
    return code;
}

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_convolution, arguments, values); }

const benchmark bench_convolution = {
    .command = {.name = "bench convolution",
                .summary = "the paper's variants A to E against its sequential reference",
                .title = "Compare the published convolution algorithms with the sequential reference.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(request),
                .defaults = &defaults,
                .run = run},
    .name = "convolution",
    .part = "Batched convolution",
    .weight = 3,
    .contexts = 1 << BENCH_PLAIN,
    .result_bytes = sizeof(convolution_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = convolution_measure,
    .count = count,
    .check = check,
    .heading = print_heading,
    .table = print_summary,
    .json = json,
    .plot = convolution_plot,
    .page = convolution_page,
    .headline = convolution_headline,
};
