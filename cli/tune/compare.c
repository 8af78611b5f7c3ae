// The summary of --compare: ratios of times over all problems.
#include "tune.h"

#include <math.h>
#include <string.h>

void tune_add(tune_ratios *t, const tune_case *c, const mst_tuning_result *r) {
    if (r->source > MST_TUNING_OTHER_DRIVER || !(r->seconds > 0 && r->before_seconds > 0 && r->safe_seconds > 0)) {
        t->left_out++; // a ratio of 1 says nothing where nothing was found; others are too large for test runs
        return;
    }
    double gain = r->before_seconds / r->seconds;
    t->least_gain = t->n == 0 || gain < t->least_gain ? gain : t->least_gain;
    t->untuned += log(r->seconds / r->before_seconds);
    t->safe += log(r->seconds / r->safe_seconds);
    t->n++;
    if (strcmp(c->capability, "map") != 0 || !(t->copy_rate > 0) || r->elements == 0)
        return;
    double rate =
        4.0 * (double)r->elements * (double)mst_type_bytes(c->type) / r->seconds / t->copy_rate; // three read, one written
    t->least_map = t->least_map == 0 || rate < t->least_map ? rate : t->least_map;
}

static double mean_of(const tune_ratios *t, double logs) { return t->n > 0 ? exp(logs / t->n) : NAN; }

void tune_print_ratios(const tune_ratios *t) {
    if (t->left_out > 0)
        printf("%d problem%s left out: nothing was found, or it cannot be timed\n", t->left_out, t->left_out == 1 ? "" : "s");
    if (t->n == 0)
        return;
    printf(
        "%d problems: values that were found are at least %.3f times as fast as those of an untuned device; of their speed, in\n"
        "geometric mean, an untuned device reaches %.3f, and one of which nothing is known %.3f\n",
        t->n, t->least_gain, mean_of(t, t->untuned), mean_of(t, t->safe));
    if (t->least_map > 0)
        printf("map: at least %.3f of the copy rate of %.4g GB/s\n", t->least_map, 1e-9 * t->copy_rate);
}

json_t *tune_ratios_json(const tune_ratios *t) {
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "problems", t->n, "left_out", t->left_out, "least_gain",
                     cli_json_real(t->n > 0 ? t->least_gain : NAN), "untuned", cli_json_real(mean_of(t, t->untuned)), "safe",
                     cli_json_real(mean_of(t, t->safe)), "copy_rate", cli_json_real(t->copy_rate), "map",
                     cli_json_real(t->least_map));
}
