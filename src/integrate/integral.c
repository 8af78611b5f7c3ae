// The description, the plan's life, and execution.
#include "buffers.h"
#include "integrand.h"
#include "oscillatory.h"

#include "expr/bounds.h"
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdlib.h>

static mst_status check_desc(const mst_integral_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->rule >= MST_INTEGRAL_ADAPTIVE && d->rule <= MST_INTEGRAL_OSCILLATORY, MST_ERROR_ARGUMENT,
                "there is no rule %d", (int)d->rule);
    MST_REQUIRE(d->n_variables >= 1 && d->n_variables <= MST_INTEGRAL_MAX_VARIABLES, MST_ERROR_ARGUMENT,
                "n_variables is %d; 1 to %d are supported", d->n_variables, MST_INTEGRAL_MAX_VARIABLES);
    MST_REQUIRE(d->n_variables == 1 || d->rule == MST_INTEGRAL_ADAPTIVE, MST_ERROR_ARGUMENT,
                "the rule %s is for one variable; use adaptive for %d", mst_integral_rule_name(d->rule), d->n_variables);
    MST_REQUIRE(d->n_parameters >= 0 && d->n_parameters <= MST_INTEGRAL_MAX_PARAMETERS, MST_ERROR_ARGUMENT,
                "n_parameters is %d; up to %d are supported", d->n_parameters, MST_INTEGRAL_MAX_PARAMETERS);
    MST_REQUIRE(d->n_breakpoints >= 0 && d->n_breakpoints <= MST_INTEGRAL_MAX_BREAKPOINTS, MST_ERROR_ARGUMENT,
                "n_breakpoints is %d; up to %d are supported", d->n_breakpoints, MST_INTEGRAL_MAX_BREAKPOINTS);
    MST_REQUIRE(d->ranges && (d->n_parameters == 0 || d->parameters) && (d->n_breakpoints == 0 || d->breakpoints),
                MST_ERROR_ARGUMENT, "desc->%s must not be NULL",
                !d->ranges                              ? "ranges"
                : d->n_parameters > 0 && !d->parameters ? "parameters"
                                                        : "breakpoints");
    MST_REQUIRE(d->n_breakpoints == 0 || (d->n_variables <= MST_INTEGRAL_MOST_IN_BOXES && d->rule == MST_INTEGRAL_ADAPTIVE),
                MST_ERROR_ARGUMENT, "breakpoints are for the adaptive rule with up to %d variables", MST_INTEGRAL_MOST_IN_BOXES);
    MST_REQUIRE(d->relative_tolerance >= 0 && d->absolute_tolerance >= 0 && isfinite(d->relative_tolerance) &&
                    isfinite(d->absolute_tolerance),
                MST_ERROR_ARGUMENT, "tolerances are %g (relative) and %g (absolute); they must not be negative, infinite or NaN",
                d->relative_tolerance, d->absolute_tolerance);
    MST_REQUIRE(d->type == (mst_type)0 || d->type == MST_FLOAT32 || d->type == MST_FLOAT64, MST_ERROR_ARGUMENT,
                "type is %s; integrals are computed in float32 or float64", mst_type_name(d->type));
    MST_REQUIRE(d->points <= (uint64_t)1 << 40 && d->max_evaluations <= (uint64_t)1 << 50, MST_ERROR_ARGUMENT,
                "points is %llu and max_evaluations %llu; 2^40 and 2^50 are the most", (unsigned long long)d->points,
                (unsigned long long)d->max_evaluations);
    MST_REQUIRE((d->work_items == 0 && d->group_size == 0) || d->rule == MST_INTEGRAL_RECTANGLE, MST_ERROR_ARGUMENT,
                "work_items and group_size are for the rule rectangle");
    MST_REQUIRE(d->work_items == 0 || (d->relative_tolerance == 0 && d->absolute_tolerance == 0), MST_ERROR_ARGUMENT,
                "rectangle with work_items has no error estimate, so no tolerance can be asked for");
    MST_REQUIRE(d->points == 0 || mst_integral_is_fixed(d->rule), MST_ERROR_ARGUMENT,
                "points are for the fixed rules, not for %s", mst_integral_rule_name(d->rule));
    MST_REQUIRE(d->max_evaluations == 0 || !mst_integral_is_fixed(d->rule), MST_ERROR_ARGUMENT,
                "max_evaluations is for adaptive and tanh-sinh; %s takes points", mst_integral_rule_name(d->rule));
    MST_REQUIRE(d->group_size == 0 || d->work_items > 0, MST_ERROR_ARGUMENT, "group_size is %zu without work_items; give both",
                d->group_size);
    MST_REQUIRE(d->group_size == 0 || d->work_items % d->group_size == 0, MST_ERROR_ARGUMENT,
                "work_items is %zu; it must be a multiple of group_size, %zu", d->work_items, d->group_size);
    MST_REQUIRE(d->shape >= MST_INTEGRAL_SHAPE_AUTO && d->shape <= MST_INTEGRAL_SHAPE_CPU, MST_ERROR_ARGUMENT,
                "there is no shape %d", (int)d->shape);
    MST_REQUIRE(d->n_components >= 0 && d->n_components <= MST_INTEGRAL_MAX_COMPONENTS, MST_ERROR_ARGUMENT,
                "n_components is %d; up to %d are supported", d->n_components, MST_INTEGRAL_MAX_COMPONENTS);
    MST_REQUIRE(d->n_components == 0 || (d->components && !d->integrand), MST_ERROR_ARGUMENT, "desc->%s",
                d->components ? "integrand must be NULL where there are components" : "components must not be NULL");
    MST_REQUIRE(d->n_components <= 1 || d->rule == MST_INTEGRAL_ADAPTIVE, MST_ERROR_ARGUMENT,
                "the rule %s takes one component; use adaptive for %d", mst_integral_rule_name(d->rule), d->n_components);
    MST_REQUIRE(d->work_items == 0 || d->compile_from <= 1, MST_ERROR_UNSUPPORTED,
                "rectangle with work_items has no byte code, so compile_from must be 0 or 1");
fail:
    return status;
}

static void fill_defaults(mst_integral *plan, const mst_integral_desc *desc) {
    const mst_device_info *device = &plan->context->device;
    mst_integral_desc *d = &plan->desc;
    *d = *desc;
    d->integrand = NULL;
    d->components = NULL;
    plan->n_components = d->n_components > 0 ? d->n_components : 1;
    d->ranges = NULL;
    d->parameters = d->breakpoints = NULL;
    d->breakpoint_variables = NULL;
    if (d->type == (mst_type)0)
        d->type = device->fp64 ? MST_FLOAT64 : MST_FLOAT32;
    plan->is_double = d->type == MST_FLOAT64;
    plan->twice_from = MST_INTEGRALS_TWICE;
    plan->cpu = d->shape == MST_INTEGRAL_SHAPE_AUTO ? !(device->type & CL_DEVICE_TYPE_GPU) && !device->local_memory_dedicated
                                                    : d->shape == MST_INTEGRAL_SHAPE_CPU;
    if (d->points == 0)
        d->points = (uint64_t)1 << 20;
    if (d->max_evaluations == 0)
        d->max_evaluations = (uint64_t)1 << (d->n_variables == 1 ? 22 : 28);
    if (d->relative_tolerance == 0 && d->absolute_tolerance == 0 && !mst_integral_is_fixed(d->rule))
        d->relative_tolerance = !plan->is_double ? 1e-4 : d->n_variables == 1 ? 1e-10 : 1e-6;
}

static const mst_integral_method *choose_method(const mst_integral_desc *d) {
    if (mst_integral_is_fixed(d->rule))
        return &mst_integral_fixed;
    if (d->rule == MST_INTEGRAL_TANH_SINH)
        return &mst_integral_tanh_sinh;
    if (d->rule == MST_INTEGRAL_OSCILLATORY)
        return &mst_integral_oscillatory;
    return d->n_variables <= MST_INTEGRAL_MOST_IN_BOXES ? &mst_integral_regions : &mst_integral_lattice;
}

static mst_integral_choice choose_by_rule(const mst_integral *plan) {
    const mst_integral_method *m = plan->method;
    if (!plan->cpu)
        return (mst_integral_choice){1, m->gpu_group, m->gpu_items};
    return (mst_integral_choice){plan->desc.work_items > 0 ? 1 : plan->is_double ? 8 : 16, 1, m->cpu_items};
}

// Whether bounds.cl is to look for jumps between nodes.
static bool may_jump(const mst_integral *plan) {
    bool jumps = false;
    if (plan->method != &mst_integral_regions && plan->method != &mst_integral_tanh_sinh && plan->method != &mst_integral_lattice)
        return false;
    for (int c = 0; c < plan->n_components; c++)
        jumps = jumps || mst_expr_may_jump(plan->components[c], (size_t)plan->desc.n_variables);
    return jumps;
}

// Whether neither bounds nor breakpoints read parameters, nor kernels anything else.
static bool has_same_bounds(const mst_integral *plan) {
    bool same = plan->n_row == plan->desc.n_parameters;
    for (int k = 0; k < 2 * plan->desc.n_variables; k++)
        same = same && mst_expr_n_leaves(plan->bounds[k]) == 0;
    for (int k = 0; k < plan->desc.n_breakpoints; k++)
        same = same && mst_expr_n_leaves(plan->breakpoints[k]) == 0;
    return same;
}

static mst_status create_parts(mst_integral *plan, const mst_integral_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < MST_INTEGRAL_PARTS; k++) {
        mst_oscillatory_part part;
        MST_TRY(mst_oscillatory_describe(plan, desc, k, &part, error));
        MST_TRY(mst_integral_create(plan->context, &part.desc, &plan->parts[k], error));
    }
fail:
    return status;
}

// With a choice (chain is NULL), or with what tuning and rules choose (choice is NULL).
static mst_status create(mst_context *context, const mst_integral_desc *desc, const mst_integral_choice *choice,
                         mst_tune_chain *chain, mst_integral **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_integral *plan = NULL;
    *out = NULL;
    MST_TRY(check_desc(desc, error));
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    plan->queue = (mst_queue)MST_QUEUE(context, context->compute);
    fill_defaults(plan, desc);
    MST_REQUIRE(!plan->is_double || context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use float32",
                context->device.name);
    plan->method = choose_method(&plan->desc);
    MST_TRY(mst_integrand_parse(plan, desc, error));
    MST_TRY(mst_integrand_map(plan, error));
    plan->may_jump = may_jump(plan);
    plan->same_bounds = plan->method->shrink && has_same_bounds(plan);
    plan->choice = choice ? *choice : choose_by_rule(plan);
    if (desc->rule == MST_INTEGRAL_OSCILLATORY) { // its parts' kernels are all that it has
        MST_TRY(create_parts(plan, desc, error));
    } else {
        if (!choice)
            MST_TRY(mst_integral_tune(plan, desc, chain, error));
        MST_TRY(mst_integral_choose_form(plan, error));
        MST_TRY(plan->method->create(plan, error));
        mst_integral_tell_form(plan);
    }
    MST_TRY(mst_queue_finish(&plan->queue, error)); // tables that it may have written
    *out = plan;
    return MST_OK;
fail:
    mst_integral_destroy(plan);
    return status;
}

mst_status mst_integral_create_as(mst_context *context, const mst_integral_desc *desc, const mst_integral_choice *choice,
                                  mst_integral **out, mst_error *error) {
    return create(context, desc, choice, NULL, out, error);
}

// The caller's description in full; its ranges are copied into `ranges`.
static mst_status read_desc(const mst_integral_desc *desc, mst_integral_desc *d,
                            mst_integral_range ranges[MST_INTEGRAL_MAX_VARIABLES], mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_integral_desc, MST_INTEGRAL_DESC_INIT, n_parameters), desc, d, error));
    MST_TRY(mst_elements_check(MST_INTEGRAL_RESULT, d->result_size, error));
    if (d->ranges && d->n_variables >= 1 && d->n_variables <= MST_INTEGRAL_MAX_VARIABLES) {
        MST_TRY(mst_elements_read(MST_ELEMENTS(mst_integral_range, range_size, MST_INTEGRAL_DESC_INIT, sizeof *ranges), d->ranges,
                                  (size_t)d->n_variables, d->range_size, ranges, error));
        d->ranges = ranges;
        d->range_size = sizeof *ranges;
    }
fail:
    return status;
}

static mst_status make_twin(mst_context *peer, const void *desc, void **plan, mst_error *error) {
    mst_integral *made = NULL;
    mst_status status = mst_integral_create(peer, desc, &made, error);
    *plan = made;
    return status;
}

static void destroy_twin(void *plan) { mst_integral_destroy(plan); }

static const mst_twin_kind twin_kind = {make_twin, destroy_twin};

mst_status mst_integral_create(mst_context *context, const mst_integral_desc *desc, mst_integral **out, mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_integral_range ranges[MST_INTEGRAL_MAX_VARIABLES];
    mst_integral_desc full;
    mst_status status;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(read_desc(desc, &full, ranges, error));
    do
        status = create(context, &full, NULL, &chain, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
    full.type = status == MST_OK ? (*out)->desc.type : full.type;    // by the lead
    if (status == MST_OK && full.rule != MST_INTEGRAL_OSCILLATORY && // whose plans have twins
        (status = mst_twins_create(context, &twin_kind, &full, &(*out)->twins, &(*out)->n_twins, error)) != MST_OK) {
        mst_integral_destroy(*out);
        *out = NULL;
    }
fail:
    return status;
}

void mst_integral_destroy(mst_integral *plan) {
    if (!plan)
        return;
    mst_twins_destroy(&twin_kind, plan->twins, plan->n_twins);
    mst_integral_destroy_second(plan->second);
    mst_turn_destroy(plan->turn);
    for (int k = 0; k < MST_INTEGRAL_PARTS; k++)
        mst_integral_destroy(plan->parts[k]);
    if (plan->work)
        plan->method->destroy(plan);
    mst_queue_release(&plan->queue);
    mst_integral_release(plan, &plan->code);
    for (int c = 0; c < MST_INTEGRAL_MAX_COMPONENTS; c++)
        mst_expr_destroy(plan->components[c]);
    mst_expr_destroy(plan->mapped);
    for (int k = 0; k < 2 * MST_INTEGRAL_MAX_VARIABLES; k++)
        mst_expr_destroy(plan->bounds[k]);
    for (int k = 0; k < MST_INTEGRAL_MAX_BREAKPOINTS; k++)
        mst_expr_destroy(plan->breakpoints[k]);
    free(plan);
}

int mst_integral_n_components(const mst_integral *plan) { return plan->n_components; }
mst_type mst_integral_type(const mst_integral *plan) { return plan->desc.type; }

static mst_status execute(mst_integral *plan, const double *parameters, size_t n_sets, mst_integral_result *results,
                          const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    mst_execution execution;
    mst_report report = {0};
    mst_integral_call call = {.n_sets = n_sets, .n_all = n_sets, .parameters = parameters, .how = &execution, .report = &report};
    double start = mst_now();
    size_t bytes;
    bool own = false; // a caller's results are as large as this library's, and computed in place
    MST_REQUIRE(results || n_sets == 0, MST_ERROR_ARGUMENT, "results must not be NULL");
    MST_REQUIRE(plan->desc.n_parameters == 0 || parameters || n_sets == 0, MST_ERROR_ARGUMENT,
                "parameters is NULL, but the integral has %d", plan->desc.n_parameters);
    MST_REQUIRE(mst_multiply(n_sets, 4096 * sizeof(double), &bytes), MST_ERROR_ARGUMENT, "n_sets is %zu, which is too many",
                n_sets);
    MST_TRY(mst_execution_read(how, &execution, error));
    MST_REQUIRE(!execution.event, MST_ERROR_ARGUMENT, "an integral gives no event: it blocks");
    if (execution.n_wait > 0)
        MST_TRY_CL(mst_wait_for_events(execution.n_wait, execution.wait_list), "cannot wait for events");
    own = plan->desc.result_size == sizeof *results;
    if (n_sets > 0) {
        call.results = own ? results : calloc(n_sets * (size_t)plan->n_components, sizeof *call.results);
        MST_REQUIRE(call.results, MST_ERROR_HOST_MEMORY, "out of memory for results");
        call.copies = own ? NULL : results;
        MST_TRY(mst_integrand_take_rows(plan, &call, error));
        MST_TRY(mst_integral_run(plan, &call, error));
    }
    report.seconds = mst_now() - start;
    mst_execution_report(&execution, &report);
fail:
    if (status != MST_OK && plan)
        mst_queue_abandon(&plan->queue);
    if (!own)
        free(call.results);
    free(call.memory);
    return status;
}

mst_status mst_integral_execute(mst_integral *plan, const double *parameters, size_t n_sets, mst_integral_result *results,
                                const mst_execution *how, mst_error *error) {
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(plan->turn, execute(plan, parameters, n_sets, results, how, error));
}
