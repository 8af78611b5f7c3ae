// The pyramid method's figures as a section of a page.
#include "paper_pyramid.h"
#include "pyramid.h"

#include <math.h>

static void put_theory(const page *p) {
    page_table(p,
               "Theory: speed-up over the trivial way on 32768 x 32768 nodes at the best height, published and from the formulas",
               "||t_c / t_a = 1*2|5*2|10*2|15*2",
               "<device memory|<blocks|published|formulas|published|formulas|published|formulas|published|formulas");
    for (int i = 0; i < PYRAMID_N_ROWS; i++) {
        const pyramid_row *row = &pyramid_rows[i];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", row->memory);
        page_put(p, "td class=\"t\"", "%s%s", row->axes == 1 ? "slabs" : "tiles", row->slower > 1 ? ", slower copies" : "");
        for (int k = 0; k < PYRAMID_N_RATIOS; k++) {
            page_number(p, "p", row->published[k], false);
            page_number(p, "m", pyramid_speedup(row->share, row->axes, pyramid_ratios[k], row->slower), false);
        }
        page_close(p, "tr");
    }
    page_table_end(p);
    page_put(p, "p class=\"note\"",
             "t_c / t_a is the time to move a value over that to update it. The published rows of 1024 MB are "
             "what the formulas give for half of the grid rather than a quarter, and those of slower copies for copies 2.2 times "
             "as slow rather than 1.2.");
}

static void put_speedups(const page *p, const pyramid_bench *bench) {
    page_table(p, "Speed-up over the trivial way", NULL,
               "<problem|<schedule|published|here, as published|here, as this library runs");
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(bench, i);
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", row.problem);
        page_put(p, "td class=\"t\"", "%s", mst_stencil_schedule_name(row.schedule));
        page_number(p, "p", row.paper, false);
        page_number(p, "m", row.published, false);
        page_number(p, "m", row.own, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_point(const page *p, const pyramid_point *point) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", point->problem);
    page_put(p, "td class=\"t\"", "%s", mst_stencil_schedule_name(point->schedule));
    page_put(p, "td class=\"t\"", "%s", point->published ? "as published" : "as run");
    if (point->failed[0]) {
        if (point->height)
            page_put(p, "td", "%zu", point->height);
        else // the model's choice
            page_put(p, "td", "%s", "");
        page_put(p, "td class=\"t w\" colspan=\"6\"", "%s", point->failed);
    } else {
        page_put(p, "td", "%zu", point->plan.depth);
        page_put(p, "td", "%u", point->plan.fuse);
        page_put(p, "td", "%zu", point->plan.block);
        page_number(p, "m", 1e9 * point->measured, false);
        page_number(p, "m", 1e9 * point->predicted, false);
        page_put(p, "td class=\"m\"", "%+.1f %%", 100 * (point->predicted / point->measured - 1));
        page_put(p, "td class=\"m\"", "%.1f %%", 100 * fmax(point->plan.duplicated, 0));
    }
    page_close(p, "tr");
}

static void put_points(const page *p, const pyramid_bench *bench) {
    double rms, worst;
    pyramid_errors(bench, &rms, &worst);
    page_open(p, "details");
    page_put(p, "summary", "Every run: time a node-step, measured and predicted");
    page_table(p, "Runs; n steps a trip, m steps a kernel, nanoseconds a node-step", NULL,
               "<problem|<schedule|<manner|n|m|block|measured|predicted|error|computed twice");
    for (int i = 0; i < bench->n_points; i++)
        put_point(p, &bench->points[i]);
    page_table_end(p);
    page_close(p, "details");
    if (!isnan(rms))
        page_put(p, "p",
                 "Model against measurement: RMS relative error %.1f %%, worst %+.1f %%. Published: RMS 4 %% with slabs and 6 %% "
                 "with tiles, worst 13 %% and 17 %%.",
                 100 * rms, 100 * worst);
}

void pyramid_page(const page *p, const pyramid_bench *bench) {
    char budgets[2][32];
    cli_plot plot = pyramid_plot(bench);
    page_put(
        p, "p",
        "The heat equation on grids larger than the memory that they are given on the device: %s for %zu x %zu nodes, %s for "
        "%zu x %zu x %zu. The trivial way moves every block in and out at every step; the pyramid method takes n "
        "steps a trip, in slabs or tiles with overlapping halos; skewed slabs compute nothing twice between slabs. As "
        "published: one step a kernel, transfers and kernels one after the other. As this library runs: steps fused, "
        "transfers overlapped, n by its model. Published, on a GeForce GT 330M over PCIe 1: 5.44 ns a node-step the trivial way, "
        "0.64 with slabs and 0.71 with tiles on 16384 x 16384 nodes, 5.74 and 1.62 with slabs on 640 x 640 x 640.",
        cli_size_text(pyramid_budget(bench, "heat2d"), budgets[0]), bench->sides[0], bench->sides[0],
        cli_size_text(pyramid_budget(bench, "heat3d"), budgets[1]), bench->sides[1], bench->sides[1], bench->sides[1]);
    put_speedups(p, bench);
    if (pyramid_best(bench, "heat2d", MST_STENCIL_TRIVIAL, true))
        page_plot(p, &plot, "Time a node-step by the steps a trip, as published; both axes are logarithmic.");
    put_theory(p);
    put_points(p, bench);
}
