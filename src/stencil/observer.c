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

// Of a part of an ensemble's runs, those that it has.
static void put_numbers(const mst_observer *o, const mst_formula *f, void *to) {
    const mst_problem *p = o->problem;
    const size_t own = (size_t)mst_problem_runs(p);
    for (size_t i = 0; i < f->n_varying * own; i++) {
        const size_t at = f->first_varying * own + i;
        const double value = f->varying[i / own * p->n_runs + (size_t)p->first[PLANES] + i % own];
        if (p->is_double)
            ((double *)to)[at] = value;
        else
            ((float *)to)[at] = (float)value;
    }
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
    MST_REQUIRE((o->staging = malloc(room)) && (o->found = malloc((size_t)parts[MST_FOOTPRINT_PARTIALS].bytes + 1)),
                MST_ERROR_HOST_MEMORY, "out of memory for monitors and spectra");
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
                        .queue = mst_stepper_queue(context, schedule->with.problem)};
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
    free(o->found);
    mst_queue_release(&o->queue);
    *o = (mst_observer){.context = NULL};
}

static mst_status put_on_record(mst_observer *o, mst_record *r, const double *latest, mst_error *error) {
    mst_status status = MST_OK;
    const size_t runs = mst_observer_runs(o);
    if (r->n == r->capacity) {
        const uint64_t capacity = 2 * r->capacity + 64;
        double *grown = realloc(r->values, (size_t)capacity * runs * sizeof *grown);
        MST_REQUIRE(grown, MST_ERROR_HOST_MEMORY, "out of memory for what a monitor recorded at %llu steps",
                    (unsigned long long)capacity);
        r->values = grown;
        r->capacity = capacity;
    }
    memcpy(r->values + r->n++ * runs, latest, runs * sizeof *latest);
fail:
    return status;
}

static mst_status record(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    const double *latest;
    MST_TRY(mst_observer_measure(o, monitor, step, &latest, error));
    if (o->own == MST_OK)
        MST_TRY(mst_observer_keep(o, put_on_record(o, &o->records[monitor], latest, error)));
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
    mst_look l = {.o = o,
                  .what = &s->what,
                  .kernel = o->spectra[spectrum],
                  .result = &o->sums,
                  .is_spectrum = true,
                  .region = s->what.region,
                  .to = mst_spectrum_nodes(s),
                  .of_line = mst_observation_own(&s->what, COLUMNS),
                  .step = step};
    for (int axis = 0; axis < N_AXES; axis++) {
        l.region.start[axis] += s->what.from[axis] * s->what.region.step[axis] - (uint64_t)o->problem->first[axis];
        l.region.count[axis] = mst_observation_own(&s->what, axis);
    }
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
    *ended = o->own == MST_OK;
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
    for (size_t k = 0; k < all->n_monitors && o->looked != step; k++)
        if (is_due(all->monitors[k].what.every, step))
            MST_TRY(record(o, k, step, error));
    for (size_t k = 0; k < all->n_spectra && o->looked != step; k++)
        if (is_due(all->spectra[k].what.every, step) && o->own == MST_OK)
            MST_TRY(mst_observer_keep(o, mst_observer_add(o, k, step, error)));
    o->looked = step;
    MST_TRY(mst_observer_until(o, step, ended, error));
fail:
    return status;
}

uint64_t mst_observer_next(const mst_observer *o, uint64_t step) {
    const mst_observations *all = o->problem->observations;
    return mst_observations_due(all, step) && o->looked != step ? step : mst_observations_next(all, step);
}

void mst_observer_forget(mst_observer *o) {
    for (size_t k = 0; o->records && k < o->problem->observations->n_monitors; k++)
        o->records[k].measured = UINT64_MAX;
}

void mst_observer_restart(mst_observer *o, uint64_t step) {
    mst_observer_forget(o);
    o->recorded_from = o->looked = step;
    for (size_t k = 0; o->records && k < o->problem->observations->n_monitors; k++)
        o->records[k].n = 0;
}
