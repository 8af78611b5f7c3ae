// The published filter's stages as a section of a page.
#include "filter.h"

#include <string.h>

static void put_row(const page *p, const char *name, const char *kind, const double *values, const bool *missing, double factor) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        page_number(p, kind, missing && missing[g] ? 0 : values[g] * factor, false);
    page_close(p, "tr");
}

static void put_table(const page *p, const filter_table *t) {
    char caption[120], columns[120] = "<stage", name[64];
    size_t used = strlen(columns);
    for (int g = 0; g < PAPER_N_GROUPS && used < sizeof columns; g++)
        used += (size_t)snprintf(columns + used, sizeof columns - used, "|%zu", paper_groups[g]);
    snprintf(caption, sizeof caption, "Milliseconds of the stages, %zu x %zu pixels", t->n, t->n);
    page_table(p, caption, "|work-items a group*7", columns);
    for (int s = 0; s < FILTER_N_ROWS; s++) {
        bool published = s < PAPER_N_STAGES && t->n == 512;
        snprintf(name, sizeof name, "%s%s", filter_row_name(s), published ? ", here" : "");
        put_row(p, name, "m", t->paper[s], t->missing, 1e3);
        if (published)
            put_row(p, "published", "p", paper_stages[s].milliseconds, NULL, 1);
    }
    page_table_end(p);
}

void filter_page(const page *p, const filter_bench *bench) {
    cli_plot plot = filter_plot(bench);
    page_put(
        p, "p",
        "A high pass of radius n/8 on n x n grey pixels by the algorithm of the OpenCL Programming Book, section 6.1: rows of "
        "radix-2 butterflies, transposed, twice each way. Milliseconds of each stage on the device, from events, for "
        "work-groups of 1 to 512 work-items; the least of up to five runs. The published table is of an NVIDIA GPU of 2009 "
        "that is not named. Conversions to and from complex numbers are part of the stages there.");
    for (int i = 0; i < bench->n_tables; i++)
        put_table(p, &bench->tables[i]);
    if (bench->n_tables > 0 && filter_any(&bench->tables[0]))
        page_plot(p, &plot, "The stages that take time, by work-items a group; both axes are logarithmic.");
    if (bench->n_tables == 0)
        return;
    page_table(p, "This library's fused filter, float32 pixels on the device, Gaussian low pass", NULL,
               "n|ms|GB/s at 24 bytes a point|share of a copy's rate");
    for (int i = 0; i < bench->n_tables; i++) {
        const filter_table *t = &bench->tables[i];
        page_open(p, "tr");
        page_put(p, "td", "%zu", t->n);
        page_number(p, "m", 1e3 * t->fused, false);
        page_number(p, "m", 1e-9 * filter_rate(t), false);
        page_number(p, "m", filter_rate(t) / bench->copy_rate, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}
