// Whether the time step is stable: by the problem's time_step_limit, or else by the analysis of its scheme.
#include "solve.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static int refuse(const solve_run *run, const char *what, double limit) {
    cli_error(solve_command, "%s: the time step %.6g is unstable: %s is %.6g; take a smaller one, or --force", run->options->name,
              run->problem.desc.time_step, what, limit);
    return CLI_INPUT_OUTPUT;
}

// A scheme on the limit of the analysis is not refused for the analysis' last digits. One that is not linear is not known, and
// one that is stable at no time step may be wanted for few steps.
int solve_check_stability(const solve_run *run) {
    const problem *p = &run->problem;
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_error error;
    if (run->common->force || (p->safety > 0 && p->overrides.time_step == 0))
        return CLI_DONE;
    if (p->step_limit > 0)
        return p->desc.time_step <= p->step_limit * (1 + 1e-12) ? CLI_DONE : refuse(run, "the Courant limit", p->step_limit);
    const mst_status status = mst_stencil_time_step_limit(&p->desc, &found, &error);
    if (status != MST_OK)
        return status == MST_ERROR_UNSUPPORTED ? CLI_DONE : cli_fail_input(solve_command, NULL, &error);
    if (found.time_step_limit == 0 || p->desc.time_step <= found.time_step_limit * (1 + 1e-6))
        return CLI_DONE;
    return refuse(run, "by its amplification the limit of the scheme", found.time_step_limit);
}

// "x: 0.5 pi a node, y: pi a node"
static void print_wave(const problem *p, const mst_stencil_stability *found) {
    double length = 0;
    printf("the wave that grows first:");
    for (int k = p->desc.rank - 1; k >= 0; k--) {
        printf("%s k%c d%c = %.4g pi", k < p->desc.rank - 1 ? "," : "", "xyz"[p->desc.rank - 1 - k], "xyz"[p->desc.rank - 1 - k],
               found -> wave[k] / pi + 0.0);
        length = fmax(length, fabs(found->wave[k]));
    }
    printf(length > 0 ? " (%.4g nodes a wave along the axis with fewest)\n" : "\n", 2 * pi / length);
}

static int print_json(const solve_run *run, const mst_stencil_stability *found, const char *reason) {
    const problem *p = &run->problem;
    json_t *object = json_object(), *wave = json_array();
    int failed = !object || !wave;
    for (int k = 0; k < p->desc.rank; k++)
        failed |= json_array_append_new(wave, cli_json_real(found->wave[k]));
    failed |= json_object_set_new(object, "problem", cli_json_text(run->options->name));
    failed |= json_object_set_new(object, "time_step", cli_json_real(p->desc.time_step));
    failed |= json_object_set_new(object, "known", json_boolean(!reason));
    failed |= json_object_set_new(object, "reason", reason ? cli_json_text(reason) : json_null());
    failed |= json_object_set_new(object, "time_step_limit",
                                  reason || isinf(found->time_step_limit) ? json_null() : cli_json_real(found->time_step_limit));
    failed |=
        json_object_set_new(object, "stable", reason ? json_null() : json_boolean(p->desc.time_step <= found->time_step_limit));
    failed |= json_object_set_new(object, "growth_rate", cli_json_real(found->growth_rate));
    failed |= json_object_set_new(object, "wave", wave);
    const unsigned step = cli_json_digits(p->desc.time_step), limit = cli_json_digits(found->time_step_limit);
    return cli_print_json_digits(solve_command, cli_json_complete(object, failed), step > limit ? step : limit);
}

int solve_print_stability(const solve_run *run) {
    const problem *p = &run->problem;
    const char *name = run->options->name;
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_error error;
    const mst_status status = mst_stencil_time_step_limit(&p->desc, &found, &error);
    if (status != MST_OK && status != MST_ERROR_UNSUPPORTED)
        return cli_fail_input(solve_command, NULL, &error);
    if (run->common->json)
        return print_json(run, &found, status == MST_OK ? NULL : error.message);
    if (status != MST_OK) {
        printf("%s: %s\n", name, error.message);
    } else if (found.time_step_limit == 0) {
        printf("%s: stable at no time step\n", name);
    } else if (isinf(found.time_step_limit)) {
        printf("%s: stable at any time step\n", name);
    } else {
        printf("%s: the largest stable time step is %.6g; the time step %.6g is %.4g of it\n", name, found.time_step_limit,
               p->desc.time_step, p->desc.time_step / found.time_step_limit);
        print_wave(p, &found);
    }
    if (found.growth_rate > 0)
        printf("long waves grow by up to exp(%.4g t) at any time step, which counts as stable\n", found.growth_rate);
    return cli_flush(solve_command);
}
