// The comparison as a section of a page.
#include "convolution.h"

static void put_peak(const page *p, const char *kind, const char *name, bench_peak peak) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    page_number(p, kind, peak.speedup, true);
    if (peak.cell)
        page_put(p, "td class=\"t\"", "%c, N = %zu, %zu x %zu", 'A' + peak.variant, peak.cell->n, peak.cell->side,
                 peak.cell->side);
    else
        page_put(p, "td class=\"t\"", "none");
    page_close(p, "tr");
}

static void put_count(const page *p, const char *kind, const char *name, bench_count count) {
    char element[32];
    snprintf(element, sizeof element, "td class=\"%s\"", kind);
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    for (int large = 0; large < 2; large++) {
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            page_put(p, element, "%d", count.best[large][v]);
        page_put(p, element, "%d", count.cells[large]);
    }
    page_close(p, "tr");
}

static void put_variants(const page *p, const char *kind, const double speedups[PAPER_N_VARIANTS]) {
    int best = paper_best(speedups);
    for (int v = 0; v < PAPER_N_VARIANTS; v++)
        page_number(p, kind, speedups[v], v == best);
}

static void put_cells(const page *p, const bench_run *run) {
    char groups[200];
    snprintf(groups, sizeof groups, "||this machine*5|%s*5|%s*5", paper_machines[0], paper_machines[1]);
    page_open(p, "details");
    page_put(p, "summary", "Every cell that was measured, beside the paper's tables 11 and 12");
    page_table(p, "Speed-up K; a dash here: predicted to exceed the cell's time, or too little memory; there: not published",
               groups, "N|M x J|A|B|C|D|E|A|B|C|D|E|A|B|C|D|E");
    for (int c = 0; c < run->n_cells; c++) {
        const bench_cell *cell = &run->cells[c];
        page_open(p, "tr");
        page_put(p, "td", "%zu", cell->paper->n);
        page_put(p, "td", "%zu x %zu%s", cell->paper->side, cell->paper->side,
                 !cell->skipped[0] && cell->reference_vectors < cell->n_vectors ? " ~" : "");
        put_variants(p, "m", cell->speedups);
        for (int k = 0; k < PAPER_N_PLATFORMS; k++)
            put_variants(p, "p", cell->paper->speedups[k]);
        page_close(p, "tr");
    }
    page_table_end(p);
    page_put(p, "p class=\"note\"", "~ the reference was timed on a part of the vectors and scaled in proportion.");
    page_close(p, "details");
}

// What is not right is named.
static void put_wrong(const page *p, const bench_run *run) {
    for (int c = 0; c < run->n_cells; c++)
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            const bench_timing *t = &run->cells[c].variants[v];
            if (t->outcome == BENCH_WRONG || t->outcome == BENCH_FAILED)
                page_put(p, "p class=\"failed\"", "Variant %c at N = %zu, %zu x %zu: %s", 'A' + v, run->cells[c].paper->n,
                         run->cells[c].paper->side, run->cells[c].paper->side,
                         t->outcome == BENCH_WRONG ? "the result is wrong" : t->message);
        }
}

void bench_page(const page *p, const bench_run *run) {
    cli_plot plot = bench_plot(run);
    page_put(p, "p",
             "M x J pairs of complex64 vectors of length N are convolved by the published variants A to E (A to C: a work-item a "
             "pair; D, E: a work-item an element; A, D take every intermediate result to the host and back). K is the time of "
             "the sequential reference over that of a whole call on host arrays, transfers included. The reference here runs on "
             "one thread of %s. Every result is checked against it. %d of %d cells were measured, about %.2g s each.",
             run->processor, run->n_cells, run->n_wanted, run->cell_seconds);
    put_wrong(p, run);
    page_table(p, "Highest speed-up", NULL, "<machine|K|<variant and cell");
    put_peak(p, "m", "this machine", bench_highest(run, -1));
    for (int k = 0; k < PAPER_N_PLATFORMS; k++)
        put_peak(p, "p", paper_machines[k], bench_highest(run, k));
    page_table_end(p);
    page_table(p, "How often a variant is the best of its cell", "|N < 512*6|N >= 512*6",
               "<machine|A|B|C|D|E|cells|A|B|C|D|E|cells");
    put_count(p, "m", "this machine", bench_count_best(run, -1));
    for (int k = 0; k < PAPER_N_PLATFORMS; k++)
        put_count(p, "p", paper_machines[k], bench_count_best(run, k));
    page_table_end(p);
    page_plot(p, &plot,
              "For every length the speed-up at the batch size that suits a variant best; the dashed line is the reference.");
    put_cells(p, run);
}
