#include "least.h"

#include "runtime/numbers.h"

mst_plan_least mst_plan_least_start(void) {
    return (mst_plan_least){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0};
}

static void visit_least(const mst_candidates *c, void *user) {
    mst_plan_least *l = user;
    const mst_footprint *f = &c->plan.footprint;
    uint64_t device = mst_footprint_least_device(f), host = mst_footprint_bytes(f, MST_MEMORY_STAGING);
    l->piece = mst_smaller(l->piece, mst_footprint_largest(f));
    if (mst_footprint_largest(f) > c->in->limits.max_allocation_bytes)
        return;
    if (host <= c->in->host.left)
        l->device = mst_smaller(l->device, device);
    if (device <= l->device_left)
        l->host = mst_smaller(l->host, host);
    if (device < l->both || (device == l->both && host < l->host_of_it)) {
        l->both = device;
        l->host_of_it = host;
    }
}

// Without a wish an in-core run counts, too.
void mst_plan_find_least(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan_least *l) {
    mst_plan_inputs nothing = *in;
    nothing.device.left = 0; // so that tables are as small as they can be
    l->device_left = in->device.left;
    mst_candidates c = mst_candidates_make(&nothing, pair);
    mst_candidates_visit_all(&c, visit_least, l);
    if (!in->wishes.schedule)
        mst_candidates_visit(&c, MST_STENCIL_IN_CORE, visit_least, l);
    if (mst_plan_may_sweep(in))
        mst_candidates_visit(&c, MST_STENCIL_SWEEPS, visit_least, l);
}

mst_status mst_plan_fail(const mst_plan_inputs *in, const mst_plan_least *l, mst_error *error) {
    const char *what = in->wishes.schedule ? mst_stencil_schedule_name(in->wishes.schedule) : "any schedule";
    const unsigned long long device = in->device.left + in->device.used, host = in->host.left + in->host.used;
    if (l->both == UINT64_MAX)
        return mst_fail(error, MST_ERROR_DEVICE_MEMORY, "%s needs %llu bytes of memory in one piece; %s allows %llu", what,
                        (unsigned long long)l->piece, in->tile_limits.device,
                        (unsigned long long)in->limits.max_allocation_bytes);
    if (l->device != UINT64_MAX)
        return mst_fail(error, MST_ERROR_BUDGET,
                        "the budget of %llu bytes of device memory is too small for %s; %llu bytes would do", device, what,
                        (unsigned long long)(l->device + in->device.used));
    if (l->host != UINT64_MAX)
        return mst_fail(error, MST_ERROR_BUDGET,
                        "the budget of %llu bytes of host memory is too small for %s; %llu bytes would do", host, what,
                        (unsigned long long)(l->host + in->host.used));
    return mst_fail(error, MST_ERROR_BUDGET,
                    "the budgets of %llu bytes of device and %llu of host memory are too small for %s; %llu and %llu would do",
                    device, host, what, (unsigned long long)(l->both + in->device.used),
                    (unsigned long long)(l->host_of_it + in->host.used));
}
