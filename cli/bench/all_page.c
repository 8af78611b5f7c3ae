// The page of `mastaba bench all`.
#include "all.h"

#include <math.h>

void all_convolution_headline(const all_bench *bench, char published[200], char here[200]) {
    bench_peak best = bench_highest(&bench->convolution, -1), paper = {0};
    int machine = 0;
    for (int k = 0; k < PAPER_N_PLATFORMS; k++) {
        bench_peak peak = bench_highest(&bench->convolution, k);
        machine = peak.speedup > paper.speedup ? k : machine;
        paper = peak.speedup > paper.speedup ? peak : paper;
    }
    snprintf(published, 200, "%.3g times one core (variant %c, N = %zu, %s)", paper.speedup, 'A' + paper.variant, paper.cell->n,
             paper_machines[machine]);
    if (best.cell)
        snprintf(here, 200, "%.3g times one core (variant %c, N = %zu)", best.speedup, 'A' + best.variant, best.cell->n);
}

// The least sum of the stages over the work-group sizes, in ms.
static double least_sum(const filter_table *t) {
    double least = INFINITY;
    for (int g = 0; g < PAPER_N_GROUPS; g++) {
        double sum = 0;
        for (int s = 0; s < (t ? FILTER_N_ROWS : PAPER_N_STAGES); s++)
            sum += t ? 1e3 * t->paper[s][g] : paper_stages[s].milliseconds[g];
        least = t && t->missing[g] ? least : fmin(least, sum);
    }
    return least;
}

void all_filter_headline(const all_bench *bench, char published[200], char here[200]) {
    const filter_table *t = &bench->filter.tables[0];
    char paper[32], fused[32];
    snprintf(published, 200, "%s for 512 x 512 pixels, best work-group", cli_time_text(1e-3 * least_sum(NULL), paper));
    if (bench->filter.n_tables > 0 && isfinite(least_sum(t)))
        snprintf(here, 200, "%s; fused, on the device, %s", cli_time_text(1e-3 * least_sum(t), paper),
                 cli_time_text(t->fused, fused));
}

void all_pyramid_headline(const all_bench *bench, char published[200], char here[200]) {
    double best = 0;
    pyramid_speedups fastest = {.problem = NULL};
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(&bench->pyramid, i);
        double factor = fmax(row.own, row.published);
        fastest = factor > best ? row : fastest;
        best = fmax(best, factor);
    }
    snprintf(published, 200, "8.03 times the trivial way (heat2d, slabs, GeForce GT 330M)");
    if (best > 0)
        snprintf(here, 200, "%.3g times the trivial way (%s, %s)", best, fastest.problem,
                 mst_stencil_schedule_name(fastest.schedule));
}

void all_integration_headline(const all_bench *bench, char published[200], char here[200]) {
    double paper = 0, best = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        for (int k = 0; k < PAPER_N_SIZES; k++)
            paper = fmax(paper, paper_integrations[which][k].k1);
        for (int k = 0; k < bench->integration.n_cells[which]; k++) {
            const integration_cell *c = &bench->integration.cells[which][k];
            best = fmax(best, c->core / fmin(c->published, c->own));
        }
    }
    snprintf(published, 200, "%.4g times one core (K1, GTX 1050 Ti)", paper);
    if (best > 0)
        snprintf(here, 200, "%.3g times one core (K1)", best);
}

void all_width_headline(const all_bench *bench, char published[200], char here[200]) {
    enum { FLOAT = 4 };
    const width_bench *w = &bench->width;
    int t = FLOAT; // the paper's, or what there was time for
    for (int k = N_WIDTH_TYPES - 1; k >= 0 && !w->measured[FLOAT]; k--)
        t = w->measured[k] ? k : t;
    snprintf(published, 200, "float: 4 wins on ATI GPUs, every widening on CPUs");
    if (w->measured[t])
        snprintf(here, 200, "%s: width %d wins, at %.3g GB/s", width_types[t].name, width_best(w, t, 0),
                 1e-9 * width_rate(w, t, 0, (int)log2(width_best(w, t, 0))));
}

static void put_about(const page *p, const char *name, const char *value) {
    page_put(p, "dt", "%s", name);
    page_put(p, "dd", "%s", value);
}

static void put_head(const page *p, const all_bench *bench) {
    char text[200];
    page_put(p, "h1", "Mastaba on %s", bench->device->name);
    page_put(
        p, "p",
        "The five systems that this library grew from, measured on this machine beside what their authors published. Blue cells "
        "are measured here, white ones published.");
    page_open(p, "dl class=\"about\"");
    put_about(p, "device", bench->device->name);
    put_about(p, "platform", bench->device->platform_name);
    put_about(p, "driver", bench->device->driver_version);
    put_about(p, "OpenCL", bench->device->device_version);
    put_about(p, "host", bench->processor);
    put_about(p, "date", bench->date);
    put_about(p, "mastaba", mst_version());
    snprintf(text, sizeof text, "%.0f s, of %.0f s given%s", bench->seconds, bench->budget,
             bench->quick ? "; quick, so fewer points of everything" : "");
    put_about(p, "time taken", text);
    page_close(p, "dl");
}

static void put_summary(const page *p, const all_bench *bench) {
    page_table(p, "At a glance", NULL, "<system|<published|<here");
    for (int k = 0; k < ALL_N_PARTS; k++) {
        char published[200] = "", here[200] = "", link[64];
        all_kinds[k].headline(bench, published, here);
        snprintf(link, sizeof link, "a href=\"#%s\"", all_kinds[k].name);
        page_open(p, "tr");
        page_open(p, "td class=\"t\"");
        page_put(p, link, "%s", all_kinds[k].title);
        page_close(p, "td");
        page_put(p, "td class=\"t w\"", "%s", published);
        page_put(p, "td class=\"t m w\"", "%s", here[0] ? here : bench->parts[k].code ? "failed" : "not measured");
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_part(const page *p, const all_bench *bench, int k) {
    const all_part *part = &bench->parts[k];
    char element[64];
    snprintf(element, sizeof element, "section id=\"%s\"", all_kinds[k].name);
    page_open(p, element);
    page_put(p, "h2", "%s", all_kinds[k].title);
    if (part->code)
        page_put(p, "p class=\"failed\"", "This part failed; what it had measured by then is below. %s", part->message);
    else if (part->cut_short)
        page_put(p, "p class=\"short\"", "This part's share of the time, %.0f s, was not enough for all of it.", part->seconds);
    all_kinds[k].write(p, bench);
    page_close(p, "section");
}

void all_page(const page *p, const all_bench *bench) {
    char title[320];
    snprintf(title, sizeof title, "Mastaba on %.250s", bench->device->name);
    page_begin(p, title);
    put_head(p, bench);
    put_summary(p, bench);
    for (int k = 0; k < ALL_N_PARTS; k++)
        put_part(p, bench, k);
    page_put(p, "p class=\"note\"",
             "Made by `mastaba bench all`. Times on a machine that does other work as well are longer than they need be; "
             "`mastaba bench NAME` measures one part at length.");
    page_end(p);
}
