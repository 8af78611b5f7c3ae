// The figures of `mastaba bench pyramid` as text and as JSON.
#include "paper_pyramid.h"
#include "pyramid.h"

#include <math.h>
#include <string.h>

static void print_row(const pyramid_row *row, const char *label, double share, double slower) {
    printf("%-38s", label);
    for (int k = 0; k < PYRAMID_N_RATIOS; k++)
        printf(" %6.2f", pyramid_speedup(share, row->axes, pyramid_ratios[k], slower));
    putchar('\n');
}

void pyramid_print_theory(void) {
    printf("Theory: speed-up over the trivial way, grid 32768 x 32768 float32, at the best height\n%-38s", "t_c / t_a");
    for (int k = 0; k < PYRAMID_N_RATIOS; k++)
        printf(" %6.0f", pyramid_ratios[k]);
    putchar('\n');
    for (int i = 0; i < PYRAMID_N_ROWS; i++) {
        const pyramid_row *row = &pyramid_rows[i];
        char label[64];
        snprintf(label, sizeof label, "%s, %s%s, published", row->memory, row->axes == 1 ? "slabs" : "tiles",
                 row->slower > 1 ? ", slower copies" : "");
        printf("%-38s", label);
        for (int k = 0; k < PYRAMID_N_RATIOS; k++)
            printf(" %6.2f", row->published[k]);
        putchar('\n');
        print_row(row, "    formulas", row->share, row->slower);
        if (row->fitted_share > row->share || row->fitted_slower > row->slower) {
            snprintf(label, sizeof label, "    1/%.0f of the grid, copies x %.1f", 1 / row->fitted_share, row->fitted_slower);
            print_row(row, label, row->fitted_share, row->fitted_slower);
        }
    }
}

static void print_point(const pyramid_point *p) {
    if (p->failed[0]) {
        printf("%-7s %-14s %6zu  %s\n", p->problem, mst_stencil_schedule_name(p->schedule), p->height, p->failed);
        return;
    }
    printf("%-7s %-14s %6zu %4u %7zu %10.4f %10.4f %+7.1f%% %8.1f%%\n", p->problem, mst_stencil_schedule_name(p->schedule),
           p->plan.depth, p->plan.fuse, p->plan.block, 1e9 * p->measured, 1e9 * p->predicted,
           100 * (p->predicted / p->measured - 1), 100 * fmax(p->plan.duplicated, 0));
}

static void print_points(const pyramid_bench *bench, bool published) {
    printf("\n%s\n%-7s %-14s %6s %4s %7s %10s %10s %8s %9s\n",
           published ? "As published: one step a kernel, transfers and kernels one after the other; ns a node-step"
                     : "As this program runs: steps fused, transfers overlapped, height by the model; ns a node-step",
           "", "schedule", "n", "m", "block", "measured", "predicted", "error", "twice");
    for (int i = 0; i < bench->n_points; i++)
        if (bench->points[i].published == published)
            print_point(&bench->points[i]);
}

// Times of the trivial way over those of another, both run in the same manner; 0 if one is missing.
static double speedup(const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule, bool published) {
    const pyramid_point *trivial = pyramid_best(bench, name, MST_STENCIL_TRIVIAL, published);
    const pyramid_point *other = pyramid_best(bench, name, schedule, published);
    return trivial && other ? trivial->measured / other->measured : 0;
}

static const pyramid_speedups rows[PYRAMID_N_SPEEDUPS] = {
    {.problem = "heat2d", .schedule = MST_STENCIL_PYRAMID_SLABS, .paper = 8.03},
    {.problem = "heat2d", .schedule = MST_STENCIL_PYRAMID_TILES, .paper = 7.66},
    {.problem = "heat2d", .schedule = MST_STENCIL_SKEWED},
    {.problem = "heat3d", .schedule = MST_STENCIL_PYRAMID_SLABS, .paper = 3.54},
    {.problem = "heat3d", .schedule = MST_STENCIL_PYRAMID_TILES},
    {.problem = "heat3d", .schedule = MST_STENCIL_SKEWED},
};

pyramid_speedups pyramid_compare(const pyramid_bench *bench, int row) {
    pyramid_speedups r = rows[row];
    r.published = speedup(bench, r.problem, r.schedule, true);
    r.own = speedup(bench, r.problem, r.schedule, false);
    return r;
}

static void print_factor(double factor) {
    if (factor > 0)
        printf(" %15.2f", factor);
    else
        printf(" %15s", "-");
}

void pyramid_print(const pyramid_bench *bench) {
    double rms, worst;
    print_points(bench, true);
    print_points(bench, false);
    printf("\nSpeed-up over the trivial way\n%-22s %15s %15s %15s\n", "", "the paper", "as published", "as run here");
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(bench, i);
        printf("%-7s %-14s", row.problem, mst_stencil_schedule_name(row.schedule));
        print_factor(row.paper);
        print_factor(row.published);
        print_factor(row.own);
        putchar('\n');
    }
    pyramid_errors(bench, &rms, &worst);
    printf("\nModel against measurement: RMS relative error %.1f%%, worst %+.1f%%\n", 100 * rms, 100 * worst);
}

static json_t *point_json(const pyramid_point *p) {
    return json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:s}", "problem", p->problem, "schedule",
                     mst_stencil_schedule_name(p->schedule), "as_published", (int)p->published, "height",
                     (json_int_t)p->plan.depth, "fuse", (json_int_t)p->plan.fuse, "block", (json_int_t)p->plan.block,
                     "seconds_per_node_step", cli_json_real(p->measured), "predicted_seconds_per_node_step",
                     cli_json_real(p->predicted), "duplicated", cli_json_real(p->plan.duplicated), "failed", p->failed);
}

json_t *pyramid_json(const pyramid_bench *bench) {
    double rms, worst;
    json_t *points = json_array();
    int failed = !points;
    pyramid_errors(bench, &rms, &worst);
    for (int i = 0; i < bench->n_points; i++)
        failed |= json_array_append_new(points, point_json(&bench->points[i]));
    if (failed) {
        json_decref(points);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "device", bench->device, "date", bench->date, "side_2d",
                     (json_int_t)bench->sides[0], "side_3d", (json_int_t)bench->sides[1], "points", points, "rms_relative_error",
                     cli_json_real(rms), "worst_relative_error", cli_json_real(worst));
}
