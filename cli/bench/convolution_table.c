// The comparison as text, laid out as the paper's tables 11 and 12: a row for M x J, groups for N, the best of a row marked.
#include "convolution.h"

#include <string.h>

// Three digits, and more before the point where need be.
static void number(double k, char text[16]) { snprintf(text, 16, "%.*f", k < 0.9995 ? 3 : k < 9.995 ? 2 : k < 99.95 ? 1 : 0, k); }

static void print_speedup(double k, const char *instead, bool best) {
    char text[16];
    number(k, text);
    printf("%6s%s", k > 0 ? text : instead, best ? "*" : " ");
}

static const char *symbol(bench_outcome outcome) {
    static const char *const symbols[] = {[BENCH_NOT_RUN] = "", [BENCH_DONE] = "",      [BENCH_WRONG] = "WRONG",
                                          [BENCH_SLOW] = "-",   [BENCH_MEMORY] = "mem", [BENCH_FAILED] = "FAILED"};
    return symbols[outcome];
}

void bench_print_heading(const bench_run *run) {
    printf("Circular convolution of M x J pairs of complex64 vectors of length N by the published variants A to E.\n"
           "K = time of the sequential reference / time of a whole call on host arrays, transfers included.\n\n"
           "  device     %s (%s, driver %s)\n  reference  C, one thread of %s\n  date       %s, mastaba %s\n"
           "  limit      about %g s a cell\n\n"
           "  * best of its row    ~ reference timed on a part of the vectors and scaled in proportion\n"
           "  - predicted to exceed the limit    mem  did not fit into memory    .  not published, did not fit there\n",
           run->device->name, run->device->platform_name, run->device->driver_version, run->processor, run->date, mst_version(),
           run->cell_seconds);
    printf("\n%16s%-35s", "", "this machine");
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        printf("|  paper: %-26s", paper_machines[p]);
    printf("\n%6s %7s ", "N", "M x J");
    for (int p = -1; p < PAPER_N_PLATFORMS; p++)
        printf("%s%6s %6s %6s %6s %6s ", p < 0 ? "" : "|", "A", "B", "C", "D", "E");
    putchar('\n');
}

void bench_print_cell(const bench_cell *cell, bool new_length) {
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

bench_count bench_count_best(const bench_run *run, int platform) {
    bench_count count = {0};
    for (int c = 0; c < (platform < 0 ? run->n_cells : PAPER_N_CELLS); c++) {
        const paper_cell *paper = platform < 0 ? run->cells[c].paper : &paper_cells[c];
        int best = paper_best(platform < 0 ? run->cells[c].speedups : paper->speedups[platform]);
        int large = paper->n >= PAPER_SPLIT;
        if (best >= 0) {
            count.cells[large]++;
            count.best[large][best]++;
        }
    }
    return count;
}

bench_peak bench_highest(const bench_run *run, int platform) {
    bench_peak peak = {0, NULL, 0};
    for (int c = 0; c < (platform < 0 ? run->n_cells : PAPER_N_CELLS); c++) {
        const paper_cell *paper = platform < 0 ? run->cells[c].paper : &paper_cells[c];
        const double *k = platform < 0 ? run->cells[c].speedups : paper->speedups[platform];
        int best = paper_best(k);
        if (best >= 0 && k[best] > peak.speedup)
            peak = (bench_peak){k[best], paper, best};
    }
    return peak;
}

static void print_counts(const char *name, bench_count count) {
    printf("  %-26s", name);
    for (int large = 0; large < 2; large++) {
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            printf("%4d", count.best[large][v]);
        printf(large ? "  of %d\n" : "  of %-3d", count.cells[large]);
    }
}

static void print_peak(const char *name, bench_peak peak) {
    char text[16];
    number(peak.speedup, text);
    if (peak.cell)
        printf("  %-26s%6s  %c, N = %zu, %zux%zu\n", name, text, 'A' + peak.variant, peak.cell->n, peak.cell->side,
               peak.cell->side);
    else
        printf("  %-26s%6s\n", name, "none");
}

static void print_notes(const bench_run *run) {
    const char *before = "";
    double worst = 0;
    for (int c = 0; c < run->n_cells; c++) {
        const bench_cell *cell = &run->cells[c];
        if (cell->skipped[0])
            printf("N = %zu, %zux%zu skipped: %s\n", cell->paper->n, cell->paper->side, cell->paper->side, cell->skipped);
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            const bench_timing *t = &cell->variants[v];
            if (t->outcome == BENCH_WRONG)
                printf("N = %zu, %zux%zu, %c is WRONG: error %.2g, at most %.2g is right\n", cell->paper->n, cell->paper->side,
                       cell->paper->side, 'A' + v, t->error, cell->gate);
            else if (t->message[0] && strcmp(t->message, before) != 0)
                printf("N = %zu, %zux%zu, %c: %s\n", cell->paper->n, cell->paper->side, cell->paper->side, 'A' + v,
                       before = t->message);
            else if (t->outcome == BENCH_DONE && t->error / cell->gate > worst)
                worst = t->error / cell->gate;
        }
    }
    printf("Every result was checked against the reference; the worst of the right ones used %.0f%% of the allowed error.\n",
           100 * worst);
}

void bench_print_summary(const bench_run *run) {
    bench_count paper = {0};
    printf("\nHighest speed-up\n");
    print_peak("this machine", bench_highest(run, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        print_peak(paper_machines[p], bench_highest(run, p));
    printf("\nHow often best%16sN < %-5d%20sN >= %d\n%-28s", "", PAPER_SPLIT, "", PAPER_SPLIT, "");
    printf("%4s%4s%4s%4s%4s%13s%4s%4s%4s%4s\n", "A", "B", "C", "D", "E", "A", "B", "C", "D", "E");
    print_counts("this machine", bench_count_best(run, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        bench_count one = bench_count_best(run, p);
        print_counts(paper_machines[p], one);
        for (int large = 0; large < 2; large++) {
            paper.cells[large] += one.cells[large];
            for (int v = 0; v < PAPER_N_VARIANTS; v++)
                paper.best[large][v] += one.best[large][v];
        }
    }
    print_counts("paper, both", paper);
    putchar('\n');
    print_notes(run);
}
