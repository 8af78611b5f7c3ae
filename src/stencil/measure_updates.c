// The rates of kernels, and what launches and copies of next to nothing take.
#include "measure_parts.h"
#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"

#include <math.h>

enum {
    PROBE_PART = 16,    // of the box, that tells about how long all of it takes
    LEAST_LAUNCHES = 14 // on the box, about, that a sample and the one before the first take, of the slower kernel
};

static const double SAMPLE_SECONDS = 5e-3;  // about, of launches that are short
static const double WARM_SECONDS = 0.1;     // until a device that was idle runs at its clock
static const double PART_FOR_KERNELS = 0.5; // of the time of a measurement; the rest is for copies

// The seconds of a launch, as the mean of so many that follow one another.
static mst_status time_launches(const mst_measurement *m, const mst_stepper *stepper, const mst_window w[2],
                                const mst_window *held, const mst_box *box, int n, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = mst_stepper_queue(m->context, m->problem);
    double start = mst_now();
    for (int l = 0; l < n; l++)
        MST_TRY(mst_stepper_enqueue(stepper, &queue, &w[l % 2], &w[1 - l % 2], held, box, 1, 0, error));
    MST_TRY(mst_queue_finish(&queue, error));
    *seconds = (mst_now() - start) / n;
fail:
    mst_queue_release(&queue);
    return status;
}

static double work_of(const mst_stepper *stepper, const mst_box *box) {
    double longer, work = mst_cutting_work(&stepper->tile, &stepper->pipeline, box, 1, &longer);
    return work * longer;
}

static void set_planes(mst_window w[MST_MEASURE_WINDOWS], mst_box *box, int64_t planes) {
    box->to[PLANES] = box->from[PLANES] + planes;
    for (int k = 0; k < MST_MEASURE_WINDOWS; k++)
        w[k].planes = planes;
}

// A launch on a few planes tells how long a run takes. From that follow the time that the measurement may take, and a box on
// which there is time for some launches.
static mst_status set_limits(const mst_measurement *m, mst_window w[MST_MEASURE_WINDOWS], mst_box *box, mst_clock *clock,
                             mst_error *error) {
    mst_status status = MST_OK;
    const mst_stepper *stepper = &m->steppers[0];
    const mst_box grid = mst_plan_grid(m->problem);
    const int64_t planes = box->to[PLANES] - box->from[PLANES];
    double seconds, first = work_of(stepper, box);
    set_planes(w, box, mst_divide_up(planes, (int64_t)PROBE_PART));
    for (int k = 0; k < 2; k++) // compiles what drivers compile at the first launch
        MST_TRY(time_launches(m, &m->steppers[k], w, &w[MST_MEASURE_COEFFICIENTS], box, 1, &seconds, error));
    clock->begin = mst_now();
    MST_TRY(time_launches(m, stepper, w, &w[MST_MEASURE_COEFFICIENTS], box, 1, &seconds, error));
    const double rate = work_of(stepper, box) / seconds, trips = (double)m->steps / stepper->pipeline.m;
    const double limit = mst_measure_limit(trips * work_of(stepper, &grid) / rate);
    clock->end = clock->begin + limit;
    const double part = PART_FOR_KERNELS * limit * rate / (LEAST_LAUNCHES * first);
    clock->is_cut = part < 1;
    set_planes(w, box, part < 1 ? mst_larger((int64_t)((double)planes * part), (int64_t)1) : planes);
fail:
    return status;
}

static mst_status warm_up(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], const mst_box *box,
                          mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now(), each;
    for (int n = 1; mst_now() - start < WARM_SECONDS; n = n < MST_MEASURE_COMMANDS ? 2 * n : n)
        MST_TRY(time_launches(m, &m->steppers[0], w, &w[MST_MEASURE_COEFFICIENTS], box, n, &each, error));
fail:
    return status;
}

// A launch takes some time at its beginning and end whatever its size: launches on the box and on half of it tell how much. It
// takes more where the host waits for it.
static mst_status measure_launches(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], const mst_box *box,
                                   mst_clock *clock, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    mst_box boxes[2] = {*box, *box};
    double seconds[2][2][MST_MEASURE_SAMPLES], waited[MST_MEASURE_SAMPLES], begin = mst_now(); // of both kernels on both boxes
    int launches[2][2] = {{2, 2}, {2, 2}}, n = -1;
    boxes[1].to[PLANES] = (box->from[PLANES] + box->to[PLANES] + 1) / 2;
    bool halves = boxes[1].to[PLANES] < box->to[PLANES];
    for (; mst_measure_goes_on(clock, n, begin) && n < MST_MEASURE_SAMPLES; n++) {
        int sample = n < 0 ? 0 : n;
        const mst_window *pair = mst_measure_pair(w, sample), *held = &w[MST_MEASURE_COEFFICIENTS];
        for (int k = 0; k < 2; k++)
            for (int part = 0; part <= halves; part++) {
                double *each = &seconds[k][part][sample];
                MST_TRY(time_launches(m, &m->steppers[k], pair, held, &boxes[part], launches[k][part], each, error));
                launches[k][part] = (int)fmin(2 * MST_MEASURE_COMMANDS, ceil(SAMPLE_SECONDS / *each));
            }
        MST_TRY(time_launches(m, &m->steppers[0], pair, held, box, 1, &waited[sample], error));
    }
    rates->wait = fmax(0, mst_measure_usual(waited, n) - mst_measure_usual(seconds[0][0], n));
    for (int k = 0; k < 2; k++) {
        double whole = mst_measure_usual(seconds[k][0], n), work = work_of(&m->steppers[k], box), launch = rates->launch[k];
        double half_work = halves ? work_of(&m->steppers[k], &boxes[1]) : work;
        if (work > 1.2 * half_work) // else the difference tells nothing
            launch = (mst_measure_usual(seconds[k][1], n) * work - whole * half_work) / (work - half_work);
        rates->launch[k] = fmax(0, fmin(launch, whole / 2)); // caches may hold the half and not the whole
        rates->update[k] = work / (whole - rates->launch[k]);
    }
fail:
    return status;
}

static mst_status measure_commands(const mst_measurement *m, const mst_window w[MST_MEASURE_WINDOWS], mst_rates *rates,
                                   mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = mst_stepper_queue(m->context, m->problem), up = MST_QUEUE(m->context, m->context->upload);
    const mst_box node = {{0, 0, 0}, {1, 1, 1}};
    static const double nothing = 0;
    double launched[MST_MEASURE_SAMPLES], copied[MST_MEASURE_SAMPLES];
    for (int sample = 0; sample < MST_MEASURE_SAMPLES; sample++) {
        double start = mst_now();
        for (int k = 0; k < MST_MEASURE_COMMANDS; k++)
            MST_TRY(mst_stepper_enqueue(&m->steppers[1], &queue, &w[0], &w[1], &w[MST_MEASURE_COEFFICIENTS], &node, 1, 0, error));
        MST_TRY(mst_queue_finish(&queue, error));
        double middle = mst_now();
        for (int k = 0; k < MST_MEASURE_COMMANDS; k++)
            MST_TRY(mst_queue_write(&up, CL_FALSE, w[0].buffers[0], 0, m->problem->element, &nothing, "a measured copy", error));
        MST_TRY(mst_queue_finish(&up, error));
        launched[sample] = (middle - start) / MST_MEASURE_COMMANDS;
        copied[sample] = (mst_now() - middle) / MST_MEASURE_COMMANDS;
    }
    rates->launch[0] = rates->launch[1] = mst_measure_usual(launched, MST_MEASURE_SAMPLES);
    rates->copy = mst_measure_usual(copied, MST_MEASURE_SAMPLES);
fail:
    mst_queue_release(&queue);
    mst_queue_release(&up);
    return status;
}

mst_status mst_measure_updates(const mst_measurement *m, mst_window w[MST_MEASURE_WINDOWS], mst_box *box, mst_clock *clock,
                               mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(set_limits(m, w, box, clock, error));
    MST_TRY(warm_up(m, w, box, error));
    MST_TRY(measure_commands(m, w, rates, error));
    MST_TRY(measure_launches(m, w, box, clock, rates, error));
fail:
    return status;
}
