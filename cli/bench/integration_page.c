// The published integrals as a section of a page.
#include "integration.h"

static void put_cells(const page *p, const integration_bench *bench, int which) {
    char caption[120], text[32];
    if (bench->n_cells[which] == 0)
        return;
    snprintf(caption, sizeof caption, "%s over [-5, 5], float32: times, and speed-ups over one core", integration_names[which]);
    page_table(p, caption, "|time here*3|published kernel, here*2|this library, here*2|published*2",
               "<N|one core|published kernel|this library|K1|K2|K1|K2|K1|K2");
    for (int k = 0; k < bench->n_cells[which]; k++) {
        const integration_cell *c = &bench->cells[which][k];
        const paper_integration *paper = integration_paper(which, c->log_n);
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "2^%d%s", c->log_n, c->right ? "" : " (WRONG)");
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->core, text));
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->published, text));
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->own, text));
        page_number(p, "m", c->core / c->published, false);
        page_number(p, "m", c->core / c->kernels[0], false);
        page_number(p, "m", c->core / c->own, false);
        page_number(p, "m", c->core / c->kernels[1], false);
        page_number(p, "p", paper ? paper->k1 : 0, false);
        page_number(p, "p", paper ? paper->k2 : 0, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_rates(const page *p, const integration_bench *bench) {
    char caption[120];
    if (bench->n_rates == 0)
        return;
    snprintf(caption, sizeof caption, "The library's rules on sin(x^2) at 2^%d points", bench->log_points);
    page_table(p, caption, NULL, "<rule|<type|billion points a second|error|reported error");
    for (int k = 0; k < bench->n_rates; k++) {
        const integration_rate *r = &bench->rates[k];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", mst_integral_rule_name(r->rule));
        page_put(p, "td class=\"t\"", "%s", mst_type_name(r->type));
        page_number(p, "m", (double)((uint64_t)1 << bench->log_points) / r->seconds * 1e-9, false);
        page_put(p, "td class=\"m\"", "%.2g", r->error);
        page_put(p, "td class=\"m\"", "%.2g", r->reported);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_adaptive(const page *p, const integration_bench *bench) {
    char text[32];
    if (bench->n_adaptive == 0)
        return;
    page_table(p, "Adaptive integrals", NULL, "<integrand|integrals|time|evaluations of the first|status");
    for (int k = 0; k < bench->n_adaptive; k++) {
        const integration_adaptive *a = &bench->adaptive[k];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", a->integrand);
        page_put(p, "td class=\"m\"", "%zu", a->n);
        page_put(p, "td class=\"m\"", "%s", cli_time_text(a->seconds, text));
        page_put(p, "td class=\"m\"", "%llu", (unsigned long long)a->result.evaluations);
        page_put(p, "td class=\"m\"", "%s", mst_integral_status_name(a->result.status));
        page_close(p, "tr");
    }
    page_table_end(p);
}

void integration_page(const page *p, const integration_bench *bench) {
    cli_plot plot = integration_plot(bench);
    page_put(
        p, "p",
        "The left rectangle rule in single precision, in the published kernel (2048 work-items in groups of 128) and in this "
        "library's, which fills the device. K1 is the time of a plain loop on one core over that of a whole call, plans made "
        "beforehand; K2 counts the kernels only. Published: GTX 1050 Ti against one core of an "
        "i3-2100; the core here: %s.",
        bench->processor);
    if (bench->n_cells[0] > 0)
        page_plot(p, &plot, "Speed-ups over one core by the number of points; the dashed line is the core itself.");
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++)
        put_cells(p, bench, which);
    put_rates(p, bench);
    put_adaptive(p, bench);
}
