// Whether kernels run the integrand's byte code, or are compiled for it.
#include "buffers.h"
#include "integrand.h"

#include "runtime/program.h"

#include <stdlib.h>

// What compiling the kernels of an integrand takes, and how much longer byte code takes than a compiled kernel for a vector and
// for each of its instructions, on a compute unit. The functions themselves take as long in either.
typedef struct form_costs {
    double compiling, vector, instruction; // seconds
} form_costs;

// PoCL 3.1 on two cores of an EPYC with AVX-512; an H100, whose units have many work-items at once, driver 580.
static const form_costs on_cpus = {.compiling = 1.3, .vector = 10e-9, .instruction = 4.5e-9},
                        on_gpus = {.compiling = 1.0, .vector = 0.2e-9, .instruction = 0.25e-9};

static uint64_t break_even(const mst_integral *plan, unsigned n_instructions) {
    const form_costs *c = plan->cpu ? &on_cpus : &on_gpus;
    double units = plan->context->device.compute_units ? plan->context->device.compute_units : 1;
    return (uint64_t)(c->compiling * units * plan->choice.width / (c->vector + c->instruction * n_instructions));
}

static mst_status upload_code(mst_integral *plan, const mst_expr_code *code, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = code->n_words * sizeof *code->words;
    MST_TRY(mst_integral_reserve(plan, &plan->code, bytes, "byte code", error));
    MST_TRY(mst_queue_write(&plan->queue, CL_TRUE, plan->code.memory, 0, bytes, code->words, "byte code", error));
fail:
    return status;
}

// Makes the byte code, if it is asked for, may be repaid or tells of jumps, and says whether kernels may run it.
static mst_status make_code(mst_integral *plan, bool *made, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_code code = {.words = NULL};
    const mst_integral_desc *d = &plan->desc;
    bool asked_for = d->compile_from > 1, pays = !plan->cpu || plan->choice.width > 1;
    *made = false;
    bool runs = d->work_items == 0 && (asked_for || (d->compile_from == 0 && pays));
    if (!runs && !plan->may_jump)
        return MST_OK;
    status = mst_integrand_code(plan, &code, error);
    if (status == MST_ERROR_UNSUPPORTED && !asked_for) {
        plan->may_jump = false;
        return MST_OK;
    }
    MST_TRY(status);
    MST_TRY(upload_code(plan, &code, error));
    plan->n_instructions = code.n_instructions;
    plan->n_slots = code.n_slots;
    plan->break_even = asked_for ? d->compile_from : break_even(plan, code.n_instructions);
    *made = runs;
fail:
    free(code.words);
    return status;
}

mst_status mst_integral_choose_form(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_integral_desc *d = &plan->desc;
    bool has_code;
    MST_TRY(make_code(plan, &has_code, error));
    bool is_repaid = mst_integral_is_fixed(d->rule) && d->points >= plan->break_even;
    plan->form = !has_code || is_repaid ? MST_INTEGRAL_FORM_COMPILED
                 : d->compile_from > 1  ? MST_INTEGRAL_FORM_BYTE_CODE
                                        : MST_INTEGRAL_FORM_ANY;
    if (!plan->code.memory) // kernels have an argument that nothing reads
        MST_TRY(mst_integral_reserve(plan, &plan->code, sizeof(cl_int), "byte code", error));
fail:
    return status;
}

void mst_integral_tell_form(const mst_integral *plan) {
    if (plan->form == MST_INTEGRAL_FORM_BYTE_CODE)
        mst_log(plan->context, MST_LOG_INFO, "integrate: byte code of %u instructions, compiled from %.2g evaluations on",
                plan->n_instructions, (double)plan->break_even);
    else
        mst_log(plan->context, MST_LOG_INFO, "integrate: kernels compiled for the integrand");
}

mst_status mst_integral_expect(mst_integral *plan, uint64_t evaluations, mst_error *error) {
    mst_status status = MST_OK;
    if (plan->form != MST_INTEGRAL_FORM_BYTE_CODE)
        return MST_OK;
    plan->evaluations += evaluations;
    if (plan->evaluations < plan->break_even)
        return MST_OK;
    MST_TRY(mst_queue_finish(&plan->queue, error)); // messages name kernels that are gone then
    plan->form = MST_INTEGRAL_FORM_COMPILED;
    status = plan->method->build(plan, error);
    if (status == MST_ERROR_BUILD) { // byte code goes on
        plan->form = MST_INTEGRAL_FORM_BYTE_CODE;
        plan->break_even = UINT64_MAX;
        status = MST_OK;
    }
    MST_TRY(status);
    mst_integral_tell_form(plan);
fail:
    return status;
}
