// Results of mastaba integrate: on stdout, as JSON, in a file.
#include "integrate.h"

#include "core/context.h"

#include <math.h>
#include <string.h>

static size_t n_results(const integrate_run *run) { return run->parameters->n_sets * run->n_components; }

static bool is_adaptive_to_infinity(const integrate_run *run) {
    const mst_integral_desc *d = &run->desc;
    return d->n_variables == 1 && d->rule == MST_INTEGRAL_ADAPTIVE &&
           (strstr(d->ranges[0].from, "inf") || strstr(d->ranges[0].to, "inf"));
}

static int verdict(const integrate_run *run) {
    size_t missed = 0, n = n_results(run);
    for (size_t i = 0; i < n; i++)
        missed += run->results[i].status != MST_INTEGRAL_CONVERGED;
    if (missed == 0)
        return CLI_DONE;
    if (n > 1)
        cli_error(run->command, "%zu of %zu integrals missed the tolerance", missed, n);
    else
        cli_error(run->command, "the tolerance was not met: %s%s", mst_integral_status_name(run->results[0].status),
                  is_adaptive_to_infinity(run) && run->results[0].status != MST_INTEGRAL_NON_FINITE
                      ? "; for what oscillates for ever there is --rule oscillatory"
                      : "");
    return CLI_TOLERANCE;
}

static json_t *json_result(const integrate_run *run, size_t i) {
    const mst_integral_result *r = &run->results[i];
    const integrate_parameters *p = run->parameters;
    json_t *object = json_pack("{s:o, s:o, s:I, s:s}", "value", cli_json_real(r->value), "error", cli_json_real(r->error),
                               "evaluations", (json_int_t)r->evaluations, "status", mst_integral_status_name(r->status));
    json_t *parameters = p->n > 0 ? json_object() : NULL;
    for (size_t k = 0; k < p->n && parameters; k++)
        json_object_set_new(parameters, p->names[k], cli_json_real(p->values[i / run->n_components * p->n + k]));
    if (run->n_components > 1)
        json_object_set_new(object, "integrand", cli_json_text(run->desc.components[i % run->n_components]));
    if (parameters)
        json_object_set_new(object, "parameters", parameters);
    return object;
}

static int print_json(const integrate_run *run) {
    char names[320];
    size_t n = n_results(run);
    bool single = run->parameters->rank == 0 && run->n_components == 1;
    json_t *object = single ? json_result(run, 0) : json_object(), *list = single ? NULL : json_array();
    for (size_t i = 0; i < n && list; i++)
        json_array_append_new(list, json_result(run, i));
    if (list)
        json_object_set_new(object, "results", list);
    json_object_set_new(object, "rule", json_string(mst_integral_rule_name(run->desc.rule)));
    json_object_set_new(object, "type", json_string(mst_type_name(run->type)));
    json_object_set_new(object, "device", cli_json_text(cli_device_text(run->context, names)));
    json_object_set_new(object, "seconds", cli_json_real(run->seconds));
    return cli_print_json_digits(run->command, object, 17);
}

static int longest_component(const integrate_run *run) {
    enum { MOST = 40 };
    size_t longest = 0;
    for (size_t c = 0; c < run->n_components; c++)
        longest = strlen(run->desc.components[c]) > longest ? strlen(run->desc.components[c]) : longest;
    return longest < MOST ? (int)longest : MOST;
}

static void print_result(const integrate_run *run, size_t i) {
    const mst_integral_result *r = &run->results[i];
    const integrate_parameters *p = run->parameters;
    for (size_t k = 0; k < p->n && p->rank > 0; k++)
        printf("%s = %-12g ", p->names[k], p->values[i / run->n_components * p->n + k]);
    if (run->n_components > 1)
        printf("%-*s ", longest_component(run), run->desc.components[i % run->n_components]);
    printf("%.*g", run->type == MST_FLOAT64 ? 16 : 8, r->value);
    if (isnan(r->error))
        printf("  no error estimate");
    else
        printf(" +- %.2g", r->error);
    printf("  %llu evaluations, %s\n", (unsigned long long)r->evaluations, mst_integral_status_name(r->status));
}

int integrate_print(const integrate_run *run, bool json) {
    int code;
    if (json) {
        code = print_json(run);
    } else {
        for (size_t i = 0; i < n_results(run); i++)
            print_result(run, i);
        code = cli_flush(run->command);
    }
    return code == CLI_DONE ? verdict(run) : code;
}

static int write_rows(const integrate_run *run, const cli_output *out) {
    enum { AT_ONCE = 4096 };
    double rows[AT_ONCE][4];
    const cli_share share = cli_share_of(run->parameters->n_sets, cli_get_team()->number);
    const size_t begin = share.first * run->n_components, end = begin + share.count * run->n_components;
    for (size_t first = begin; first < end; first += AT_ONCE) {
        size_t count = end - first < AT_ONCE ? end - first : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            const mst_integral_result *r = &run->results[first + i];
            const double row[] = {r->value, r->error, (double)r->evaluations, (double)r->status};
            memcpy(rows[i], row, sizeof row);
        }
        if (!cli_write_bytes(&out->location, first * sizeof rows[0], rows, count * sizeof rows[0]))
            return cli_fail_file(run->command, out->path, "cannot be written");
    }
    return CLI_DONE;
}

int integrate_begin(const integrate_run *run, cli_output *out) {
    const integrate_parameters *p = run->parameters;
    size_t shape[MST_MAX_RANK];
    int rank = p->rank;
    memcpy(shape, p->shape, sizeof shape);
    if (run->n_components > 1 && rank == MST_MAX_RANK - 1) {
        cli_error(run->command, "--param: at most %d ranges with several integrands", MST_MAX_RANK - 2);
        return CLI_USAGE;
    }
    if (run->n_components > 1)
        shape[rank++] = run->n_components;
    shape[rank++] = 4;
    const mst_layout layout = mst_layout_dense(MST_FLOAT64, rank, shape);
    return cli_output_begin(out, &layout, 0);
}

int integrate_store(const integrate_run *run, cli_output *out, bool json) {
    int code = cli_agree(run->command, write_rows(run, out));
    if (code == CLI_DONE)
        code = cli_output_commit(out);
    if (code == CLI_DONE && json)
        return integrate_print(run, json);
    if (code == CLI_DONE)
        printf("%s: %zu %s in %.3g s\n", out->path, n_results(run), n_results(run) == 1 ? "integral" : "integrals", run->seconds);
    if (code == CLI_DONE)
        code = cli_flush(run->command);
    return code == CLI_DONE ? verdict(run) : code;
}
