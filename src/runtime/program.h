// Programs and kernels.
#ifndef MST_RUNTIME_PROGRAM_H
#define MST_RUNTIME_PROGRAM_H

#include "context.h"
#include "text/text.h"

typedef struct mst_program mst_program;

// The program of prelude.cl and one embedded .cl file, built with `options` ("-D N=8 -D ..."; PRECISION, which prelude.cl needs,
// is always one of them): from the context's memory, else from the cache on disk, else from source. `title` says what it is to
// a reader ("fft: pass 2 of 3, 4096 points along axis 0"). The context keeps it: nothing to release. Thread-safe.
mst_status mst_program_of_file(mst_context *context, const char *title, const char *file, const char *options,
                               const mst_program **out, mst_error *error);
// The same for text written at run time, in place of the file. A text that failed fails here.
mst_status mst_program_of_text(mst_context *context, const char *title, const mst_text *text, const char *options,
                               const mst_program **out, mst_error *error);
// Adds an embedded file's text, for such a program.
mst_status mst_program_add_file(mst_context *context, const char *file, mst_text *out, mst_error *error);
void mst_programs_destroy(mst_program *programs);

const char *mst_program_title(const mst_program *program);
const char *mst_program_text(const mst_program *program); // without prelude.cl
cl_program mst_program_opencl(const mst_program *program);
bool mst_program_is_double(const mst_program *program); // what `real` is

// ---- What follows goes when every module launches by mst_kernel_launch (kernel.h).

mst_status mst_program_get(mst_context *context, const char *file, const char *options, cl_program *out, mst_error *error);
mst_status mst_program_build(mst_context *context, const char *text, const char *options, cl_program *out, mst_error *error);

// A kernel of such a program, the caller's to release by mst_kernel_release, which accepts NULL.
mst_status mst_kernel_create(cl_program program, const char *name, cl_kernel *out, mst_error *error);
void mst_kernel_release(cl_kernel kernel);

typedef struct mst_argument {
    size_t bytes;
    const void *value; // NULL: of local memory
    const char *name;  // of the parameter
    int kind;          // an mst_argument_kind
} mst_argument;
#define MST_ARGUMENT(variable)                                                                                                   \
    { .bytes = sizeof(variable), .value = &(variable) }

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
