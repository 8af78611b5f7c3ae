#include "kernel.h"

#include "numbers.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    mst_argument_kind kind;
} types[] = {
#define TYPE(type, kind, name) {name, MST_ARGUMENT_##kind},
    MST_ARGUMENT_TYPES(TYPE)
#undef TYPE
};

// What a parameter of a type takes.
static mst_argument_kind kind_of(const char *type) {
    if (strchr(type, '*'))
        return strstr(type, "local") ? MST_ARGUMENT_LOCAL : MST_ARGUMENT_MEMORY;
    type += strncmp(type, "const ", 6) == 0 ? 6 : 0;
    if (strcmp(type, "real") == 0)
        return MST_ARGUMENT_REAL;
    for (size_t k = 0; k < MST_COUNT(types); k++)
        if (strcmp(type, types[k].name) == 0)
            return types[k].kind;
    return MST_ARGUMENT_STRUCT;
}

static const char *name_of(mst_argument_kind kind) {
    for (size_t k = 0; k < MST_COUNT(types); k++)
        if (types[k].kind == kind)
            return types[k].name;
    return kind == MST_ARGUMENT_MEMORY ? "device memory" : kind == MST_ARGUMENT_LOCAL ? "local memory" : "a struct";
}

mst_status mst_kernel_create(const mst_program *program, const char *name, mst_kernel **out, mst_error *error) {
    mst_status status = MST_OK;
    cl_int code;
    mst_kernel *kernel = calloc(1, sizeof *kernel);
    *out = NULL;
    MST_REQUIRE(kernel, MST_ERROR_HOST_MEMORY, "out of memory making kernel %s", name);
    bool found = mst_signature_read(mst_program_text(program), name, &kernel->signature);
    MST_REQUIRE(!kernel->signature.failed, MST_ERROR_HOST_MEMORY, "out of memory making kernel %s", name);
    MST_REQUIRE(found, MST_ERROR_BUILD, "the program \"%s\" has no kernel %s", mst_program_title(program), name);
    size_t n = kernel->signature.n_parameters;
    kernel->kinds = calloc(n + 1, sizeof *kernel->kinds);
    kernel->set = calloc(n + 1, sizeof *kernel->set);
    MST_REQUIRE(kernel->kinds && kernel->set, MST_ERROR_HOST_MEMORY, "out of memory making kernel %s", name);
    for (size_t k = 0; k < n; k++)
        kernel->kinds[k] = kind_of(kernel->signature.parameters[k].type);
    kernel->is_double = mst_program_is_double(program);
    kernel->opencl = clCreateKernel(mst_program_opencl(program), name, &code);
    MST_TRY_CL(code, "cannot make kernel %s", name);
    MST_TRY_CL(clGetKernelWorkGroupInfo(kernel->opencl, mst_program_device(program), CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof kernel->most_items, &kernel->most_items, NULL),
               "cannot ask for the work-group size of kernel %s", name);
    kernel->most_items = mst_larger(kernel->most_items, (size_t)1);
    *out = kernel;
    return MST_OK;
fail:
    mst_kernel_destroy(kernel);
    return status;
}

void mst_kernel_destroy(mst_kernel *kernel) {
    if (!kernel)
        return;
    if (kernel->opencl)
        clReleaseKernel(kernel->opencl);
    mst_signature_release(&kernel->signature);
    free(kernel->kinds);
    free(kernel->set);
    free(kernel);
}

static bool fits(const mst_kernel *kernel, size_t k, mst_argument_kind kind) {
    if (kernel->kinds[k] == MST_ARGUMENT_REAL)
        return kind == MST_ARGUMENT_DOUBLE || (kind == MST_ARGUMENT_FLOAT && !kernel->is_double);
    return kind == kernel->kinds[k];
}

static mst_status check_arguments(const mst_kernel *kernel, const mst_argument *arguments, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    const mst_signature *s = &kernel->signature;
    for (size_t k = 0; k < n || k < s->n_parameters; k++) {
        const mst_parameter *p = k < s->n_parameters ? &s->parameters[k] : NULL;
        MST_REQUIRE(p, MST_ERROR_BUILD, "kernel %s has %zu parameters: none for the argument %s", s->kernel, k,
                    arguments[k].name);
        MST_REQUIRE(k < n, MST_ERROR_BUILD, "kernel %s: no argument for its parameter %s", s->kernel, p->name);
        const mst_argument *a = &arguments[k];
        MST_REQUIRE(strcmp(a->name, p->name) == 0, MST_ERROR_BUILD, "kernel %s: argument %zu is %s, where the parameter is %s",
                    s->kernel, k, a->name, p->name);
        MST_REQUIRE(fits(kernel, k, a->kind), MST_ERROR_BUILD, "kernel %s: parameter %s is of type %s, the argument is %s",
                    s->kernel, p->name, p->type, name_of(a->kind));
    }
fail:
    return status;
}

static cl_int set_argument(const mst_kernel *kernel, cl_uint k, const mst_argument *a) {
    const bool is_rounded = kernel->kinds[k] == MST_ARGUMENT_REAL && a->kind == MST_ARGUMENT_DOUBLE && !kernel->is_double;
    const cl_float rounded = is_rounded ? (cl_float) * (const cl_double *)a->value : 0;
    const size_t bytes = is_rounded ? sizeof rounded : a->bytes;
    const void *value = is_rounded ? &rounded : a->value;
    mst_set_value *set = &kernel->set[k];
    const bool is_memory = a->kind == MST_ARGUMENT_MEMORY && *(const cl_mem *)value;
    if (is_memory || (value && bytes > sizeof set->value)) {
        set->bytes = 0;
        return clSetKernelArg(kernel->opencl, k, bytes, value);
    }
    if (set->bytes == bytes && (!value || memcmp(set->value, value, bytes) == 0))
        return CL_SUCCESS;
    const cl_int code = clSetKernelArg(kernel->opencl, k, bytes, value);
    set->bytes = code == CL_SUCCESS ? bytes : 0;
    if (value)
        memcpy(set->value, value, bytes);
    return code;
}

// By all of the processor that the queue's device is a part of: its queue begins behind a mark, as the own OpenCL queue may have
// commands of others, plans or blocks, that this one knows nothing of, and the own one goes on when it has ended. It is one
// launch with no offset: of launches with and without one, or of several widths, that run at once, PoCL before 6 takes the one's
// use of their code for the other's when they end, and stops the program where one is not in use any more.
static mst_status launch_shared(mst_queue *queue, const mst_kernel *kernel, cl_uint rank, const size_t *global,
                                const size_t *local, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    const char *name = kernel->signature.kernel;
    cl_command_queue joint = queue->context->joint;
    cl_event before = NULL, end = NULL, mark = NULL, own = NULL, *place;
    cl_uint n_waits;
    const cl_event *waits;
    MST_TRY(mst_queue_begin(queue, &n_waits, &waits, &own, &place, error));
    MST_TRY_CL(clEnqueueMarkerWithWaitList(queue->opencl, n_waits, waits, &before), "cannot wait for commands");
    MST_TRY_CL(clFlush(queue->opencl), "cannot start commands");
    MST_TRY_CL(clEnqueueNDRangeKernel(joint, kernel->opencl, rank, NULL, global, local, 1, &before, &end),
               "cannot launch kernel %s with %zu work-items in groups of %zu", name, global[0] * global[1], local[0]);
    MST_TRY_CL(clFlush(joint), "cannot start kernel %s", name);
    MST_TRY_CL(clEnqueueMarkerWithWaitList(queue->opencl, 1, &end, &mark), "cannot wait for kernel %s", name);
    own = end;
    end = NULL;
    MST_TRY(mst_queue_add(queue, own, name, NULL, error));
    own = mark;
    mark = NULL;
    MST_TRY(mst_queue_add(queue, own, name, event, error));
fail:
    mst_event_drop(&before);
    mst_event_drop(&end);
    mst_event_drop(&mark);
    return status;
}

mst_status mst_kernel_launch_times(mst_queue *queue, const mst_kernel *kernel, const mst_argument *arguments, size_t n_arguments,
                                   size_t n_items, size_t group, size_t times, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    const char *name = kernel->signature.kernel;
    const size_t global[] = {mst_round_up(n_items, group), times}, local[] = {group, 1};
    cl_event own = NULL, *place;
    cl_uint n_waits;
    const cl_event *waits;
    MST_TRY(check_arguments(kernel, arguments, n_arguments, error));
    for (size_t k = 0; k < n_arguments; k++)
        MST_TRY_CL(set_argument(kernel, (cl_uint)k, &arguments[k]), "cannot set the argument %s of kernel %s", arguments[k].name,
                   name);
    if (queue->shares && queue->context->joint && global[0] * times > group)
        return launch_shared(queue, kernel, times > 1 ? 2 : 1, global, local, event, error);
    MST_TRY(mst_queue_begin(queue, &n_waits, &waits, &own, &place, error));
    MST_TRY_CL(clEnqueueNDRangeKernel(queue->opencl, kernel->opencl, times > 1 ? 2 : 1, NULL, global, local, n_waits, waits,
                                      event ? &own : place),
               "cannot launch kernel %s with %zu work-items in groups of %zu", name, global[0] * times, group);
    MST_TRY(mst_queue_add(queue, own, name, event, error));
fail:
    return status;
}

mst_status mst_kernel_launch(mst_queue *queue, const mst_kernel *kernel, const mst_argument *arguments, size_t n_arguments,
                             size_t n_items, size_t group, cl_event *event, mst_error *error) {
    return mst_kernel_launch_times(queue, kernel, arguments, n_arguments, n_items, group, 1, event, error);
}

size_t mst_kernel_group(const mst_context *context, const mst_kernel *kernel, size_t n_items) {
    size_t group = kernel->most_items < 256 ? kernel->most_items : 256;
    while (group > 1 && n_items / group < 2 * (size_t)context->units)
        group /= 2;
    return group;
}
