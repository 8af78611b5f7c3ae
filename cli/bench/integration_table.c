// The figures of `mastaba bench integration` as text and as JSON.
#include "integration.h"

void integration_print_heading(int which) {
    printf("\n%s over [-5, 5], float32\n%5s %11s %11s %9s %9s %11s %9s %9s %9s %9s\n", integration_names[which], "N", "one core",
           "published", "K1", "K2", "own", "K1", "K2", "paper K1", "paper K2");
}

void integration_print_cell(int which, const integration_cell *cell) {
    const paper_integration *p = integration_paper(which, cell->log_n);
    char texts[3][32];
    printf("2^%-3d %11s %11s %9.4g %9.4g %11s %9.4g %9.4g", cell->log_n, cli_time_text(cell->core, texts[0]),
           cli_time_text(cell->published, texts[1]), cell->core / cell->published, cell->core / cell->kernels[0],
           cli_time_text(cell->own, texts[2]), cell->core / cell->own, cell->core / cell->kernels[1]);
    if (p)
        printf(" %9.4g %9.4g", p->k1, p->k2);
    puts(cell->right ? "" : "   WRONG");
    fflush(stdout);
}

void integration_print_rate(const integration_bench *bench, const integration_rate *r) {
    printf("  %-8s %-10s %8.4g   error %.2g, reported %.2g\n", mst_type_name(r->type), mst_integral_rule_name(r->rule),
           (double)((uint64_t)1 << bench->log_points) / r->seconds * 1e-9, r->error, r->reported);
    fflush(stdout);
}

void integration_print_adaptive(const integration_adaptive *a) {
    char text[32];
    if (a->n > 1)
        printf("  %zu x %s: %s, %.3g integrals a second\n", a->n, a->integrand, cli_time_text(a->seconds, text),
               (double)a->n / a->seconds);
    else
        printf("  %s: %s, %llu evaluations, %s\n", a->integrand, cli_time_text(a->seconds, text),
               (unsigned long long)a->result.evaluations, mst_integral_status_name(a->result.status));
}

static json_t *call_json(const integration_cell *c, double call, double kernels) {
    return json_pack("{s:o, s:o, s:o, s:o}", "seconds", cli_json_real(call), "k1", cli_json_real(c->core / call),
                     "kernel_seconds", cli_json_real(kernels), "k2", cli_json_real(c->core / kernels));
}

static json_t *cell_json(int which, const integration_cell *c) {
    const paper_integration *p = integration_paper(which, c->log_n);
    return json_pack("{s:i, s:o, s:b, s:o, s:o, s:b, s:o}", "log2_points", c->log_n, "core_seconds", cli_json_real(c->core),
                     "core_scaled", (int)(c->log_n > 24), "published", call_json(c, c->published, c->kernels[0]), "own",
                     call_json(c, c->own, c->kernels[1]), "right", (int)c->right, "paper",
                     p ? json_pack("{s:f, s:f}", "k1", p->k1, "k2", p->k2) : json_null());
}

static json_t *rate_json(const integration_bench *bench, const integration_rate *r) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "type", mst_type_name(r->type), "rule", mst_integral_rule_name(r->rule),
                     "seconds", cli_json_real(r->seconds), "points_per_second",
                     cli_json_real((double)((uint64_t)1 << bench->log_points) / r->seconds), "error", cli_json_real(r->error),
                     "reported_error", cli_json_real(r->reported));
}

static json_t *adaptive_json(const integration_adaptive *a) {
    return json_pack("{s:s, s:I, s:o, s:o, s:I, s:s}", "integrand", a->integrand, "integrals", (json_int_t)a->n, "seconds",
                     cli_json_real(a->seconds), "integrals_per_second", cli_json_real((double)a->n / a->seconds), "evaluations",
                     (json_int_t)a->result.evaluations, "status", mst_integral_status_name(a->result.status));
}

json_t *integration_json(const integration_bench *bench) {
    json_t *integrals = json_array(), *rates = json_array(), *adaptive = json_array();
    int failed = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        json_t *cells = json_array();
        for (int k = 0; k < bench->n_cells[which]; k++)
            failed |= json_array_append_new(cells, cell_json(which, &bench->cells[which][k]));
        failed |=
            json_array_append_new(integrals, json_pack("{s:s, s:o}", "integrand", integration_names[which], "cells", cells));
    }
    for (int k = 0; k < bench->n_rates; k++)
        failed |= json_array_append_new(rates, rate_json(bench, &bench->rates[k]));
    for (int k = 0; k < bench->n_adaptive; k++)
        failed |= json_array_append_new(adaptive, adaptive_json(&bench->adaptive[k]));
    json_t *object = json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:i, s:o, s:o}", "benchmark", "integration", "device",
                               cli_json_text(bench->device->name), "driver", cli_json_text(bench->device->driver_version), "date",
                               bench->date, "reference_processor", cli_json_text(bench->processor), "integrals", integrals,
                               "rates_log2_points", bench->log_points, "rates", rates, "adaptive", adaptive);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}
