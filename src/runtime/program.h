// Programs: what kernels are made of.
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
// The same if it need not be compiled, being in the context's memory or in the cache on disk; else *out is NULL.
mst_status mst_program_find_text(mst_context *context, const char *title, const mst_text *text, const char *options,
                                 const mst_program **out, mst_error *error);
// The option that says which precision `real` has in programs of linear operations: transforms, convolutions, filters. CPUs,
// which compute with subnormal numbers many times as slowly, take them for 0 there if the driver can have them do so: beside one
// number of ordinary size that is far below rounding.
const char *mst_program_precision(const mst_context *context, bool is_double);
// Whether quotients and roots of float32 are correctly rounded where a program's options ask for that; elsewhere a GPU's
// compiler may make other bits of the same quotient in every kernel.
bool mst_program_rounds_quotients(const mst_context *context);
// Adds an embedded file's text, for such a program, and the texts of n files.
mst_status mst_program_add_file(mst_context *context, const char *file, mst_text *out, mst_error *error);
mst_status mst_program_add_files(mst_context *context, const char *const *files, size_t n, mst_text *out, mst_error *error);
void mst_programs_destroy(mst_program *programs);

const char *mst_program_title(const mst_program *program);
const char *mst_program_text(const mst_program *program); // without prelude.cl
cl_program mst_program_opencl(const mst_program *program);
cl_device_id mst_program_device(const mst_program *program);
bool mst_program_is_double(const mst_program *program); // what `real` is

#endif
