// Programs and kernels.
#ifndef MST_RUNTIME_PROGRAM_H
#define MST_RUNTIME_PROGRAM_H

#include "context.h"
#include "text/text.h"

struct mst_program_entry;

// The program of prelude.cl and one embedded .cl file, built with `options` ("-D N=8 -D ..."): from the context's memory, else
// from the cache on disk, else from source. The context keeps it: nothing to release. Thread-safe.
mst_status mst_program_get(mst_context *context, const char *file, const char *options, cl_program *out, mst_error *error);
// The same for text written at run time behind prelude.cl.
mst_status mst_program_build(mst_context *context, const char *text, const char *options, cl_program *out, mst_error *error);
// Adds an embedded file's text, for such a program.
mst_status mst_program_add_file(mst_context *context, const char *file, mst_text *out, mst_error *error);
void mst_programs_destroy(struct mst_program_entry *programs);

// A kernel of such a program, the caller's to release by mst_kernel_release, which accepts NULL.
mst_status mst_kernel_create(cl_program program, const char *name, cl_kernel *out, mst_error *error);
void mst_kernel_release(cl_kernel kernel);

typedef struct mst_argument {
    size_t bytes;
    const void *value;
} mst_argument;
#define MST_ARGUMENT(variable)                                                                                                   \
    { sizeof(variable), &(variable) }

// Sets all arguments and enqueues `n_items` work-items, rounded up to work-groups of `group` (the kernel checks its bounds).
mst_status mst_kernel_enqueue(cl_command_queue queue, cl_kernel kernel, const mst_argument *arguments, size_t n_arguments,
                              size_t n_items, size_t group, mst_error *error);

// The same with an event, the caller's to release; NULL: none.
mst_status mst_kernel_enqueue_event(cl_command_queue queue, cl_kernel kernel, const mst_argument *arguments, size_t n_arguments,
                                    size_t n_items, size_t group, cl_event *event, mst_error *error);

// A work-group size for n_items independent items of a kernel: as the device likes it, but small enough that every compute unit
// gets work.
size_t mst_kernel_group(const mst_context *context, cl_kernel kernel, size_t n_items);

#endif
