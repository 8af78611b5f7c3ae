#include "observer.h"

#include "expr/elementary.h"
#include "kernels/write_observation.h"
#include "look.h"
#include "runtime/numbers.h"
#include "runtime/program.h"
#include "schedules/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Making and releasing

static mst_status build(mst_observer *o, mst_text *text, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = o->problem->observations;
    const mst_writer w = {.context = o->context, .problem = o->problem, .out = text};
    const mst_program *program;
    char kernel[30];
    MST_TRY(mst_write_observations(&w, all, error));
    MST_TRY(mst_elementary_define(o->context, text, error));
    MST_TRY(mst_program_of_text(o->context, "stencil: monitors and spectra", text,
                                mst_stepper_build_options(o->context, o->problem), &program, error));
    for (size_t k = 0; k < all->n_monitors; k++) {
        snprintf(kernel, sizeof kernel, "monitor%zu", k);
        MST_TRY(mst_kernel_create(program, kernel, &o->monitors[k], error));
    }
    for (size_t k = 0; k < all->n_spectra; k++) {
        snprintf(kernel, sizeof kernel, "spectrum%zu", k);
        MST_TRY(mst_kernel_create(program, kernel, &o->spectra[k], error));
    }
fail:
    return status;
}

static void put_numbers(const mst_observer *o, const mst_formula *f, void *to) {
    const size_t runs = o->problem->n_runs;
    for (size_t i = 0; i < f->n_varying * runs; i++)
        if (o->problem->is_double)
            ((double *)to)[f->first_varying * runs + i] = f->varying[i];
        else
            ((float *)to)[f->first_varying * runs + i] = (float)f->varying[i];
}

static mst_status take_numbers(mst_observer *o, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = o->problem->observations;
    const mst_allocation *a = &o->footprint->parts[MST_FOOTPRINT_NUMBERS];
    void *numbers = NULL;
    if (a->count == 0)
        return MST_OK;
    MST_REQUIRE(numbers = malloc((size_t)a->bytes), MST_ERROR_HOST_MEMORY, "out of memory for the numbers of runs");
    const mst_formula *f;
    for (int k = 0; (f = mst_problem_formula(o->problem, k)); k++)
        put_numbers(o, f, numbers);
    for (size_t k = 0; k < all->n_monitors; k++)
        put_numbers(o, &all->monitors[k].what.formula, numbers);
    for (size_t k = 0; k < all->n_spectra; k++)
        put_numbers(o, &all->spectra[k].what.formula, numbers);
    MST_TRY(mst_memory_take(o->context, a, NULL, a->count, &o->numbers, error));
    MST_TRY(mst_queue_write(&o->queue, CL_TRUE, o->numbers, 0, (size_t)a->bytes, numbers, a->what, error));
fail:
    free(numbers);
    return status;
}

static mst_status take(mst_observer *o, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *parts = o->footprint->parts, *held = &parts[MST_FOOTPRINT_HELD], *sums = &parts[MST_FOOTPRINT_SUMS];
    const size_t room =
        (size_t)mst_larger(mst_larger(held->bytes, parts[MST_FOOTPRINT_PHASES].bytes), parts[MST_FOOTPRINT_PARTIALS].bytes);
    MST_TRY(mst_memory_take(o->context, &parts[MST_FOOTPRINT_PARTIALS], NULL, parts[MST_FOOTPRINT_PARTIALS].count, &o->partials,
                            error));
    MST_TRY(
        mst_memory_take(o->context, &parts[MST_FOOTPRINT_PHASES], NULL, parts[MST_FOOTPRINT_PHASES].count, &o->phases, error));
    MST_TRY(mst_memory_take(o->context, sums, NULL, sums->count, &o->sums, error));
    MST_TRY(take_numbers(o, error));
    MST_TRY(mst_memory_take(o->context, held, NULL, held->count, o->held, error));
    MST_REQUIRE(o->staging = malloc(room), MST_ERROR_HOST_MEMORY, "out of memory for monitors and spectra");
    if (sums->count > 0) {
        MST_TRY(mst_queue_fill(&o->queue, o->sums, 0, (size_t)sums->bytes, "the sums of spectra", error));
        MST_TRY(mst_queue_finish(&o->queue, error));
    }
fail:
    return status;
}

mst_status mst_observer_create(mst_schedule *schedule, mst_observer *o, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = schedule->with.context;
    const mst_observations *all = schedule->with.problem->observations;
    mst_text text = {0};
    *o = (mst_observer){.context = context,
                        .problem = schedule->with.problem,
                        .footprint = &schedule->with.plan->footprint,
                        .schedule = schedule,
                        .queue = MST_QUEUE(context, context->compute)};
    if (all->n_monitors + all->n_spectra == 0)
        return MST_OK;
    o->monitors = calloc(all->n_monitors + 1, sizeof *o->monitors);
    o->spectra = calloc(all->n_spectra + 1, sizeof *o->spectra);
    o->records = calloc(all->n_monitors + 1, sizeof *o->records);
    MST_REQUIRE(o->monitors && o->spectra && o->records, MST_ERROR_HOST_MEMORY, "out of memory for monitors and spectra");
    for (size_t k = 0; k < all->n_monitors; k++)
        MST_REQUIRE(o->records[k].latest = calloc(mst_observer_runs(o), sizeof(double)), MST_ERROR_HOST_MEMORY,
                    "out of memory for monitors");
    mst_observer_forget(o);
    MST_TRY(build(o, &text, error));
    MST_TRY(take(o, error));
fail:
    mst_text_release(&text);
    return status;
}

void mst_observer_release(mst_observer *o) {
    if (!o->context)
        return;
    const mst_observations *all = o->problem->observations;
    const mst_allocation *parts = o->footprint->parts;
    mst_memory_give(o->context, &parts[MST_FOOTPRINT_PARTIALS], NULL, 1, &o->partials);
    mst_memory_give(o->context, &parts[MST_FOOTPRINT_PHASES], NULL, 1, &o->phases);
    mst_memory_give(o->context, &parts[MST_FOOTPRINT_SUMS], NULL, 1, &o->sums);
    mst_memory_give(o->context, &parts[MST_FOOTPRINT_NUMBERS], NULL, 1, &o->numbers);
    mst_memory_give(o->context, &parts[MST_FOOTPRINT_HELD], NULL, MST_STENCIL_MAX_LEAVES, o->held);
    for (size_t k = 0; o->monitors && k < all->n_monitors; k++)
        mst_kernel_destroy(o->monitors[k]);
    for (size_t k = 0; o->spectra && k < all->n_spectra; k++)
        mst_kernel_destroy(o->spectra[k]);
    for (size_t k = 0; o->records && k < all->n_monitors; k++) {
        free(o->records[k].values);
        free(o->records[k].latest);
    }
    free(o->monitors);
    free(o->spectra);
    free(o->records);
    free(o->staging);
    mst_queue_release(&o->queue);
    *o = (mst_observer){.context = NULL};
}

// ---- Monitors

static void add(double *sum, double *rest, double value) {
    const double total = *sum + value, part = total - *sum;
    *rest += (*sum - (total - part)) + (value - part);
    *sum = total;
}

static double partial(const mst_observer *o, size_t i) {
    return mst_observation_in_double(o->context) ? ((double *)o->staging)[i] : (double)((float *)o->staging)[i];
}

static double sum_of(const mst_observer *o, size_t first, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = first; i < first + n; i++) {
        add(&sum, &rest, partial(o, 2 * i));
        rest += isfinite(sum) ? partial(o, 2 * i + 1) : 0;
    }
    return isfinite(sum) ? sum + rest : sum;
}

static double extreme_of(const mst_observer *o, size_t first, size_t n, double sign) {
    double most = -INFINITY;
    for (size_t i = first; i < first + n; i++) {
        const double value = sign * partial(o, 2 * i);
        most = value > most || isnan(value) ? value : most;
    }
    return sign * most;
}

static double reduce(const mst_observer *o, const mst_problem_monitor *m, size_t first, size_t n) {
    switch (m->reduction) {
    case MST_STENCIL_MAX:
        return extreme_of(o, first, n, 1);
    case MST_STENCIL_MIN:
        return extreme_of(o, first, n, -1);
    case MST_STENCIL_MEAN:
        return sum_of(o, first, n) / (double)m->what.region.nodes;
    case MST_STENCIL_NORM:
        return sqrt(sum_of(o, first, n));
    default:
        return sum_of(o, first, n);
    }
}

// The values of so many runs at once.
static mst_status measure(mst_observer *o, size_t monitor, uint64_t step, size_t first, size_t runs, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem_monitor *m = &o->problem->observations->monitors[monitor];
    const mst_region *r = &m->what.region;
    const size_t items = (size_t)mst_observation_groups(r) * MST_OBSERVATION_LANES;
    mst_look l = {.o = o,
                  .what = &m->what,
                  .kernel = o->monitors[monitor],
                  .result = &o->partials,
                  .region = *r,
                  .runs = runs,
                  .of_line = mst_observation_units(r) / (r->count[PLANES] * r->count[ROWS]),
                  .step = step};
    l.region.start[PLANES] += first;
    MST_TRY(mst_look_at(&l, error));
    MST_TRY(mst_queue_read(&o->queue, o->partials, 0,
                           runs * 2 * items * (mst_observation_in_double(o->context) ? sizeof(double) : sizeof(float)),
                           o->staging, "what a monitor found", error));
    for (size_t k = 0; k < runs; k++)
        o->records[monitor].latest[first + k] = reduce(o, m, k * items, items);
fail:
    return status;
}

mst_status mst_observer_measure(mst_observer *o, size_t monitor, uint64_t step, const double **values, mst_error *error) {
    mst_status status = MST_OK;
    const mst_region *r = &o->problem->observations->monitors[monitor].what.region;
    const size_t all = mst_observer_runs(o);
    const size_t at_once = o->schedule->kind->view ? (size_t)mst_observation_runs(r, all) : 1;
    mst_record *record = &o->records[monitor];
    if (record->measured != step) {
        for (size_t first = 0; first < all; first += at_once)
            MST_TRY(measure(o, monitor, step, first, mst_smaller(at_once, all - first), error));
        record->measured = step;
    }
    *values = record->latest;
fail:
    return status;
}

static mst_status record(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    mst_record *r = &o->records[monitor];
    const size_t runs = mst_observer_runs(o);
    const double *latest;
    if (r->n == r->capacity) {
        const uint64_t capacity = 2 * r->capacity + 64;
        double *grown = realloc(r->values, (size_t)capacity * runs * sizeof *grown);
        MST_REQUIRE(grown, MST_ERROR_HOST_MEMORY, "out of memory for what a monitor recorded at %llu steps",
                    (unsigned long long)capacity);
        r->values = grown;
        r->capacity = capacity;
    }
    MST_TRY(mst_observer_measure(o, monitor, step, &latest, error));
    memcpy(r->values + r->n++ * runs, latest, runs * sizeof *latest);
fail:
    return status;
}

// ---- Spectra

// exp(-i 2 pi f t) every dt; only the part of f t behind the point counts.
static void put_phase(const mst_observer *o, double frequency, uint64_t every, uint64_t step, size_t k) {
    const double turns = frequency * ((double)step * o->problem->time_step), angle = -2 * M_PI * (turns - floor(turns));
    const double weight = (double)every * o->problem->time_step;
    for (int part = 0; part < 2; part++) {
        const double value = weight * (part ? sin(angle) : cos(angle));
        if (o->problem->is_double)
            ((double *)o->staging)[2 * k + (size_t)part] = value;
        else
            ((float *)o->staging)[2 * k + (size_t)part] = (float)value;
    }
}

mst_status mst_observer_add(mst_observer *o, size_t spectrum, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem_spectrum *s = &o->problem->observations->spectra[spectrum];
    const mst_look l = {.o = o,
                        .what = &s->what,
                        .kernel = o->spectra[spectrum],
                        .result = &o->sums,
                        .is_spectrum = true,
                        .region = s->what.region,
                        .of_line = s->what.region.count[COLUMNS],
                        .step = step};
    for (size_t k = 0; k < s->n_frequencies; k++)
        put_phase(o, s->frequencies[k], s->what.every, step, k);
    MST_TRY(mst_queue_write(&o->queue, CL_TRUE, o->phases, 0, s->n_frequencies * 2 * o->problem->element, o->staging,
                            "the phases of spectra", error));
    MST_TRY(mst_look_at(&l, error));
    MST_TRY(mst_queue_finish(&o->queue, error));
fail:
    return status;
}

// ---- What is due

static bool is_due(uint64_t every, uint64_t step) { return every > 0 && step > 0 && step % every == 0; }

mst_status mst_observer_until(mst_observer *o, uint64_t step, bool *ended, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = o->problem->observations;
    const size_t runs = mst_observer_runs(o);
    const double *found[MST_STENCIL_MAX_MONITORS] = {NULL};
    *ended = false;
    if (!all->until || !is_due(all->until_every, step))
        return MST_OK;
    for (size_t k = 0; k < all->n_monitors; k++)
        if (mst_observations_until_reads(all, k))
            MST_TRY(mst_observer_measure(o, k, step, &found[k], error));
    *ended = true;
    for (size_t run = 0; run < runs && *ended; run++) {
        double values[MST_STENCIL_MAX_MONITORS] = {0};
        for (size_t k = 0; k < all->n_monitors; k++)
            values[k] = found[k] ? found[k][run] : 0;
        *ended = mst_observations_until_holds(all, values, (double)step * o->problem->time_step, run, runs);
    }
fail:
    return status;
}

mst_status mst_observer_look(mst_observer *o, uint64_t step, bool *ended, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = o->problem->observations;
    *ended = false;
    for (size_t k = 0; k < all->n_monitors; k++)
        if (is_due(all->monitors[k].what.every, step))
            MST_TRY(record(o, k, step, error));
    for (size_t k = 0; k < all->n_spectra; k++)
        if (is_due(all->spectra[k].what.every, step))
            MST_TRY(mst_observer_add(o, k, step, error));
    MST_TRY(mst_observer_until(o, step, ended, error));
fail:
    return status;
}

void mst_observer_forget(mst_observer *o) {
    for (size_t k = 0; o->records && k < o->problem->observations->n_monitors; k++)
        o->records[k].measured = UINT64_MAX;
}

void mst_observer_restart(mst_observer *o, uint64_t step) {
    mst_observer_forget(o);
    o->recorded_from = step;
    for (size_t k = 0; o->records && k < o->problem->observations->n_monitors; k++)
        o->records[k].n = 0;
}
