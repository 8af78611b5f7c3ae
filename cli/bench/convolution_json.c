// The comparison for machines.
#include "convolution.h"

static const char *const outcomes[] = {"not run", "done", "wrong", "slow", "memory", "failed"}; // by bench_outcome

static json_t *text(const char *value) { // a driver's strings may be anything
    json_t *string = json_string(value);
    return string ? string : json_string("?");
}

static json_t *positive(double value) { return value > 0 ? cli_json_real(value) : json_null(); }

static json_t *letters(const double values[PAPER_N_VARIANTS]) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "A", positive(values[0]), "B", positive(values[1]), "C", positive(values[2]),
                     "D", positive(values[3]), "E", positive(values[4]));
}

static json_t *timing(const bench_timing *t, double speedup) {
    return json_pack("{s:s, s:o, s:o, s:i, s:o, s:o*}", "outcome", outcomes[t->outcome], "seconds", positive(t->seconds),
                     "speedup", positive(speedup), "runs", t->runs, "error",
                     t->outcome == BENCH_DONE || t->outcome == BENCH_WRONG ? cli_json_real(t->error) : json_null(), "message",
                     t->message[0] ? text(t->message) : NULL);
}

static json_t *letter(int variant) { // null for -1
    return variant < 0 ? json_null() : json_stringn((const char[]){(char)('A' + variant)}, 1);
}

static json_t *cell_object(const bench_cell *c) {
    json_t *paper = json_object(), *variants = json_object();
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        json_object_set_new(paper, paper_platforms[p],
                            json_pack("{s:o, s:o}", "speedup", letters(c->paper->speedups[p]), "best",
                                      letter(paper_best(c->paper->speedups[p]))));
    for (int v = 0; v < PAPER_N_VARIANTS && !c->skipped[0]; v++)
        json_object_set_new(variants, (const char[]){(char)('A' + v), '\0'}, timing(&c->variants[v], c->speedups[v]));
    double part = c->reference_vectors ? (double)c->n_vectors / (double)c->reference_vectors : 0;
    return json_pack("{s:I, s:I, s:I, s:s*, s:{s:o, s:I, s:i, s:b}, s:o, s:o, s:o, s:o}", "n", (json_int_t)c->paper->n, "m",
                     (json_int_t)c->paper->side, "j", (json_int_t)c->paper->side, "skipped", c->skipped[0] ? c->skipped : NULL,
                     "reference", "seconds", positive(c->reference.seconds * part), "vectors_timed",
                     (json_int_t)c->reference_vectors, "runs", c->reference.runs, "scaled", part > 1, "allowed_error",
                     cli_json_real(c->gate), "variants", variants, "best", letter(paper_best(c->speedups)), "paper", paper);
}

static json_t *summary_of(const bench_run *run, int platform) {
    bench_count count = bench_count_best(run, platform);
    bench_peak peak = bench_highest(run, platform);
    json_t *lengths = json_array(), *highest = json_null();
    for (int large = 0; large < 2; large++) {
        const int *b = count.best[large];
        json_array_append_new(lengths,
                              json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, s:i}}", "n", large ? ">=512" : "<512", "cells",
                                        count.cells[large], "best", "A", b[0], "B", b[1], "C", b[2], "D", b[3], "E", b[4]));
    }
    if (peak.cell)
        highest = json_pack("{s:f, s:o, s:I, s:I, s:I}", "speedup", peak.speedup, "variant", letter(peak.variant), "n",
                            (json_int_t)peak.cell->n, "m", (json_int_t)peak.cell->side, "j", (json_int_t)peak.cell->side);
    return json_pack("{s:o, s:o}", "highest", highest, "how_often_best", lengths);
}

json_t *bench_json(const bench_run *run) {
    const mst_device_info *d = run->device;
    json_t *cells = json_array(), *summary = json_object();
    for (int c = 0; c < run->n_cells; c++)
        json_array_append_new(cells, cell_object(&run->cells[c]));
    json_object_set_new(summary, "here", summary_of(run, -1));
    for (int p = 0; p < PAPER_N_PLATFORMS; p++)
        json_object_set_new(summary, paper_platforms[p], summary_of(run, p));
    return json_pack("{s:s, s:s, s:s, s:f, s:b, s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o, s:o}", "benchmark", "convolution",
                     "version", mst_version(), "date", run->date, "cell_seconds", run->cell_seconds, "interrupted",
                     run->interrupted, "device", "name", text(d->name), "vendor", text(d->vendor), "platform",
                     text(d->platform_name), "driver", text(d->driver_version), "version", text(d->device_version),
                     "reference_processor", text(run->processor), "cells", cells, "summary", summary);
}
