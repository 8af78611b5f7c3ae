#include "group.h"

#include "device.h"

#include <stdlib.h>
#include <string.h>

// How many of the chosen devices are parts of the same one, or are it.
static uint64_t parts_of(const mst_device_info *chosen, size_t n, size_t k) {
    uint64_t parts = 0;
    for (size_t i = 0; i < n; i++)
        parts += chosen[i].index == chosen[k].index;
    return parts;
}

// The description of one member.
static mst_context_desc member_desc(const mst_context_desc *desc, const mst_device_info *chosen, size_t n, size_t k) {
    mst_context_desc d = *desc;
    const uint64_t parts = parts_of(chosen, n, k);
    if (d.device_memory == 0 && parts > 1)
        d.device_memory = chosen[k].memory_bytes / 4 * 3 / parts;
    for (size_t i = 0; i < k; i++)
        if (strcmp(chosen[i].name, chosen[k].name) == 0) // the programs are the same, and were given once
            d.on_program = NULL;
    return d;
}

// The processor of which the chosen devices are all parts, and work in its memory; NULL: there is none.
static cl_device_id whole_of(const mst_device_info *chosen, size_t n) {
    cl_device_id whole = NULL;
    if (n == 1 || parts_of(chosen, n, 0) < n || !(chosen->type & CL_DEVICE_TYPE_CPU) || !chosen->unified_memory)
        return NULL;
    return clGetDeviceInfo(chosen->device, CL_DEVICE_PARENT_DEVICE, sizeof whole, &whole, NULL) == CL_SUCCESS ? whole : NULL;
}

static mst_status create(const mst_context_desc *desc, const mst_device_info *chosen, size_t n, mst_context **out,
                         mst_error *error) {
    mst_status status = MST_OK;
    mst_context *lead = NULL;
    mst_context_desc d = member_desc(desc, chosen, n, 0);
    MST_TRY(mst_context_make(&d, chosen, whole_of(chosen, n), NULL, &lead, error));
    if (n > 1)
        MST_REQUIRE(lead->peers = calloc(n - 1, sizeof(mst_context *)), MST_ERROR_HOST_MEMORY, "out of memory making a context");
    for (; lead->n_peers < n - 1; lead->n_peers++) {
        d = member_desc(desc, chosen, n, lead->n_peers + 1);
        MST_TRY(mst_context_make(&d, &chosen[lead->n_peers + 1], NULL, lead, &lead->peers[lead->n_peers], error));
    }
    for (size_t k = 0; k < n; k++) // parts of a device have budgets in any case
        mst_group_member(lead, k)->is_limited = desc->device_memory != 0 || desc->host_memory != 0;
    *out = lead;
    return MST_OK;
fail:
    mst_context_destroy(lead);
    return status;
}

mst_status mst_group_create(const mst_context_desc *desc, mst_context **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_device_info *chosen = NULL;
    size_t n = 0;
    MST_REQUIRE((desc->devices != NULL) == (desc->n_devices > 0), MST_ERROR_ARGUMENT, "n_devices is %zu but devices is %s",
                desc->n_devices, desc->devices ? "set" : "NULL");
    MST_REQUIRE(!desc->devices || !desc->device, MST_ERROR_ARGUMENT, "device and devices are both set; give one of them");
    MST_TRY(desc->devices ? mst_devices_choose(desc->devices, desc->n_devices, &chosen, &n, error)
                          : mst_devices_choose(&desc->device, 1, &chosen, &n, error));
    MST_TRY(create(desc, chosen, n, out, error));
fail:
    free(chosen);
    return status;
}

size_t mst_context_n_devices(const mst_context *context) { return mst_group_size(context); }

const mst_device_info *mst_context_device_at(const mst_context *context, size_t number) {
    if (number >= mst_group_size(context))
        return NULL;
    return number == 0 ? &context->device : &context->peers[number - 1]->device;
}

// ---- work of all members at once

// Work waits for the last thread, as the work of one may be to meet all others.
typedef struct group_gate {
    pthread_mutex_t closed;
    bool complete;
} group_gate;

typedef struct group_thread {
    group_gate *gate;
    void (*work)(size_t k, void *user);
    void *user;
    size_t k;
    pthread_t thread;
} group_thread;

static void *run_member(void *argument) {
    const group_thread *m = argument;
    pthread_mutex_lock(&m->gate->closed);
    const bool complete = m->gate->complete;
    pthread_mutex_unlock(&m->gate->closed);
    if (complete)
        m->work(m->k, m->user);
    return NULL;
}

mst_status mst_group_run(size_t n, void (*work)(size_t k, void *user), void *user, mst_error *error) {
    mst_status status = MST_OK;
    group_thread *members = NULL;
    group_gate gate = {.closed = PTHREAD_MUTEX_INITIALIZER};
    size_t started = 1;
    if (n > 1)
        MST_REQUIRE(members = calloc(n, sizeof *members), MST_ERROR_HOST_MEMORY, "out of memory starting %zu threads", n);
    pthread_mutex_lock(&gate.closed);
    for (; started < n; started++) {
        members[started] = (group_thread){.gate = &gate, .work = work, .user = user, .k = started};
        if (pthread_create(&members[started].thread, NULL, run_member, &members[started]) != 0)
            break;
    }
    gate.complete = started >= n;
    pthread_mutex_unlock(&gate.closed);
    if (gate.complete)
        work(0, user);
    for (size_t k = 1; k < started; k++)
        pthread_join(members[k].thread, NULL);
    MST_REQUIRE(gate.complete, MST_ERROR_HOST_MEMORY, "cannot start the threads of %zu devices", n);
fail:
    free(members);
    return status;
}

// ---- a plan for each member

mst_status mst_twins_create(mst_context *lead, const mst_twin_kind *kind, const void *desc, void ***plans, size_t *n,
                            mst_error *error) {
    mst_status status = MST_OK;
    void **made = NULL;
    size_t count = 0;
    *plans = NULL;
    *n = 0;
    if (lead->n_peers == 0)
        return MST_OK;
    MST_REQUIRE(made = calloc(lead->n_peers, sizeof *made), MST_ERROR_HOST_MEMORY, "out of memory making plans");
    for (size_t k = 0; k < lead->n_peers; k++) {
        mst_error why;
        status = kind->make(lead->peers[k], desc, &made[count], &why);
        if (status == MST_ERROR_UNSUPPORTED || status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY) {
            mst_log(lead, MST_LOG_WARNING, "a device of the group takes no part: %s", why.message);
            status = MST_OK;
            continue;
        }
        if (status != MST_OK && error)
            *error = why;
        if (status != MST_OK)
            goto fail;
        count++;
    }
    *plans = made;
    *n = count;
    return MST_OK;
fail:
    mst_twins_destroy(kind, made, count);
    return status;
}

void mst_twins_destroy(const mst_twin_kind *kind, void **plans, size_t n) {
    for (size_t k = 0; k < n; k++)
        kind->destroy(plans[k]);
    free(plans);
}
