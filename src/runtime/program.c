#include "program.h"

#include "cache.h"
#include "kernels.h"
#include "pocl_binary.h"
#include "text/letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mst_program {
    char *title;
    char *file, *options; // of what: file is NULL for text that was written at run time
    char *text;           // as it was built, without prelude.cl
    cl_program program;
    cl_device_id device; // that it was built for
    struct mst_program *next;
};

// What is built: prelude.cl, then a kernel file of the library or a text that was written at run time.
typedef struct source {
    char *text;
    size_t length;
    size_t n_prelude; // bytes of prelude.cl
} source;

const char *mst_program_precision(const mst_context *context, bool is_double) {
    if (context->device.type == CL_DEVICE_TYPE_CPU)
        return is_double ? "-D PRECISION=64 -cl-denorms-are-zero" : "-D PRECISION=32 -cl-denorms-are-zero";
    return is_double ? "-D PRECISION=64" : "-D PRECISION=32";
}

bool mst_program_rounds_quotients(const mst_context *context) {
    cl_device_fp_config config = 0;
    if (clGetDeviceInfo(context->device.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL) != CL_SUCCESS)
        return false;
    return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

static mst_program *find_program(mst_context *context, const char *file, const char *text, const char *options) {
    for (mst_program *p = context->programs; p; p = p->next) {
        bool same = false;
        if (file && p->file)
            same = strcmp(p->file, file) == 0;
        else if (text && !p->file)
            same = strcmp(p->text, text) == 0;
        if (same && strcmp(p->options, options) == 0)
            return p;
    }
    return NULL;
}

static char *read_override(const char *directory, const char *file, size_t *length) {
    char path[4096];
    char *text = NULL;
    long size;
    int n = snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "rb") : NULL;
    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 &&
        (text = malloc((size_t)size + 1)) != NULL) {
        *length = fread(text, 1, (size_t)size, f);
        text[*length] = '\0';
    }
    fclose(f);
    return text;
}

static mst_status append_text(source *s, const char *text, size_t length, mst_error *error) {
    char *grown = realloc(s->text, s->length + length + 2);
    if (!grown)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory building kernels");
    s->text = grown;
    memcpy(grown + s->length, text, length);
    s->length += length;
    grown[s->length++] = '\n';
    grown[s->length] = '\0';
    return MST_OK;
}

static mst_status append_file(mst_context *context, const char *file, source *s, mst_error *error) {
    const char *text = NULL;
    size_t length = 0;
    char *override = context->kernel_directory ? read_override(context->kernel_directory, file, &length) : NULL;
    if (override) {
        text = override;
        mst_log(context, MST_LOG_INFO, "kernels: %s comes from %s", file, context->kernel_directory);
    }
    for (size_t i = 0; i < mst_n_kernel_files && !text; i++)
        if (strcmp(mst_kernel_files[i].name, file) == 0) {
            text = mst_kernel_files[i].text;
            length = mst_kernel_files[i].length;
        }
    if (!text)
        return mst_fail(error, MST_ERROR_BUILD, "the library holds no kernel file %s", file);
    mst_status status = append_text(s, text, length, error);
    free(override);
    return status;
}

// The first line of the build log that speaks of an error, else its first line.
static void first_error_line(cl_program program, cl_device_id device, char *out, size_t size) {
    size_t length = 0;
    char *log = NULL;
    snprintf(out, size, "no build log");
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) != CL_SUCCESS || length < 2 ||
        !(log = malloc(length + 1)))
        return;
    log[length] = '\0';
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL) == CL_SUCCESS) {
        char *line = strstr(log, "error");
        if (!line)
            line = log;
        while (line > log && line[-1] != '\n')
            line--;
        while (mst_is_blank(*line))
            line++;
        snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
    }
    free(log);
}

// What programs are built for: the device and the whole of which it is a part.
enum { MOST_DEVICES = 2 };

static cl_uint devices_of(const mst_context *context, cl_device_id devices[MOST_DEVICES]) {
    devices[0] = context->device.device;
    devices[1] = context->whole;
    return context->whole ? 2 : 1;
}

static mst_status build(mst_context *context, cl_program program, const char *title, const char *options, mst_error *error) {
    char line[300], quiet[1024];
    cl_int code = CL_SUCCESS;
    // Some drivers print the number of warnings on the program's stderr.
    int length = snprintf(quiet, sizeof quiet, "%s -w", options);
    if (length < 0 || (size_t)length >= sizeof quiet)
        return mst_fail(error, MST_ERROR_BUILD, "the options of the program \"%s\" are too long", title);
    cl_device_id devices[MOST_DEVICES];
    const cl_uint n = devices_of(context, devices);
    // Tried twice: concurrent processes on a cold driver cache make PoCL fail now and then.
    for (int attempt = 0; attempt < 2; attempt++) {
        code = clBuildProgram(program, n, devices, quiet, NULL, NULL);
        if (code == CL_SUCCESS)
            return MST_OK;
    }
    first_error_line(program, context->device.device, line, sizeof line);
    mst_fail_opencl(error, code, "the program \"%s\" does not build on %.60s: %s", title, context->device.name, line);
    if (error)
        error->status = MST_ERROR_BUILD;
    return MST_ERROR_BUILD;
}

// One binary for all devices, which are of one make.
static cl_program load_binary(mst_context *context, const unsigned char *binary, size_t size, const char *options) {
    const unsigned char *binaries[MOST_DEVICES] = {binary, binary};
    const size_t sizes[MOST_DEVICES] = {size, size};
    cl_device_id devices[MOST_DEVICES];
    const cl_uint n = devices_of(context, devices);
    cl_int code;
    cl_program program = clCreateProgramWithBinary(context->opencl, n, devices, sizes, binaries, NULL, &code);
    if (program && clBuildProgram(program, n, devices, options, NULL, NULL) == CL_SUCCESS)
        return program;
    if (program)
        clReleaseProgram(program);
    return NULL;
}

// What PoCL cannot unpack, as where its cache is read-only, it may have unpacked with the code.
static cl_program load_cached(mst_context *context, mst_cache_key key, const char *options) {
    size_t size = 0, length = 0;
    cl_program program = NULL;
    unsigned char *binary = mst_cache_load_program(context, key, &size);
    if (!binary)
        return NULL;
    unsigned char *without_code = mst_pocl_without_code(binary, size, &length);
    if (without_code) {
        const int lock = mst_cache_lock(context); // PoCL may remove what another thread or process unpacks just now
        program = load_binary(context, without_code, length, options);
        mst_cache_unlock(lock);
    }
    if (!program)
        program = load_binary(context, binary, size, options);
    free(without_code);
    free(binary);
    return program;
}

// Some drivers compile only when a kernel is made, so all of them are made once before the binary is read.
static void store_cached(mst_context *context, mst_cache_key key, cl_program program) {
    cl_uint n_kernels = 0, n_devices = 0;
    size_t sizes[16] = {0}, bytes = 0;
    cl_device_id devices[16];
    unsigned char *binaries[16] = {NULL};
    cl_kernel kernels[64];
    if (clCreateKernelsInProgram(program, 64, kernels, &n_kernels) == CL_SUCCESS)
        for (cl_uint k = 0; k < n_kernels; k++)
            clReleaseKernel(kernels[k]);
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof n_devices, &n_devices, NULL) != CL_SUCCESS || n_devices > 16 ||
        clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL) != CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        return;
    // Only our device's binary is wanted: the others' pointers stay NULL.
    for (cl_uint d = 0; d < n_devices; d++)
        if (devices[d] == context->device.device && sizes[d] > 0) {
            binaries[d] = malloc(sizes[d]);
            bytes = binaries[d] ? sizes[d] : 0;
        }
    if (bytes > 0 && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
        for (cl_uint d = 0; d < n_devices; d++)
            if (binaries[d])
                mst_cache_store(context, key, binaries[d], bytes);
    for (cl_uint d = 0; d < n_devices; d++)
        free(binaries[d]);
}

// From the cache on disk if it is there, else from source or, if that is not to be compiled, *out is NULL.
static mst_status build_source(mst_context *context, const char *title, const source *s, const char *options, bool compile,
                               cl_program *out, mst_error *error) {
    mst_status status = MST_OK;
    cl_program program = NULL;
    cl_int code;
    mst_cache_key key;
    double start = mst_now();
    bool cached = (context->cache_directory || context->system_cache >= 0) &&
                  mst_cache_make_key(context, s->text, s->length, options, &key);
    if (cached)
        program = load_cached(context, key, options);
    const char *from = "the cache";
    *out = NULL;
    if (!program && !compile)
        return MST_OK;
    if (!program) {
        from = "source";
        const char *text = s->text;
        program = clCreateProgramWithSource(context->opencl, 1, &text, &s->length, &code);
        MST_TRY_CL(code, "cannot make the program \"%s\"", title);
        MST_TRY(build(context, program, title, options, error));
        if (cached && context->cache_directory)
            store_cached(context, key, program);
    }
    mst_log(context, MST_LOG_DEBUG, "kernels: %s [%s] from %s in %.1f ms", title, options, from, 1e3 * (mst_now() - start));
    *out = program;
    return MST_OK;
fail:
    if (program)
        clReleaseProgram(program);
    return status;
}

// Hands a program to the caller's on_program, behind prelude.cl if it is the first one.
static void give_program(mst_context *context, const mst_program *p, source *s) {
    char name[600];
    mst_context *lead = context->lead;
    if (!context->on_program)
        return;
    snprintf(name, sizeof name, "%s [%s]", p->title, p->options);
    pthread_mutex_lock(&lead->log_mutex);
    if (!lead->prelude_given) {
        s->text[s->n_prelude - 1] = '\0'; // nothing is built from it any more
        context->on_program("prelude", s->text, context->on_program_user);
        lead->prelude_given = true;
    }
    context->on_program(name, p->text, context->on_program_user);
    pthread_mutex_unlock(&lead->log_mutex);
}

// *out is NULL if it would have to be compiled, and is not to be.
static mst_status make_program(mst_context *context, const char *title, const char *file, const char *text, const char *options,
                               bool compile, mst_program **out, mst_error *error) {
    mst_status status = MST_OK;
    source s = {NULL, 0, 0};
    char label[200]; // in messages
    mst_program *p = calloc(1, sizeof *p);
    MST_REQUIRE(p, MST_ERROR_HOST_MEMORY, "out of memory building kernels");
    p->device = context->device.device;
    MST_TRY(append_file(context, "prelude.cl", &s, error));
    s.n_prelude = s.length;
    MST_TRY(file ? append_file(context, file, &s, error) : append_text(&s, text, strlen(text), error));
    p->title = strdup(title);
    p->file = file ? strdup(file) : NULL;
    p->options = strdup(options);
    p->text = strdup(file ? s.text + s.n_prelude : text);
    MST_REQUIRE(p->title && (p->file || !file) && p->options && p->text, MST_ERROR_HOST_MEMORY, "out of memory building kernels");
    snprintf(label, sizeof label, file ? "%s (%s)" : "%s", title, file);
    status = build_source(context, label, &s, options, compile, &p->program, error);
    if (status == MST_OK && !p->program)
        goto fail;
    if (status == MST_OK || status == MST_ERROR_BUILD) // one that does not build is what a user wants to see
        give_program(context, p, &s);
    MST_TRY(status);
    *out = p;
    p = NULL;
fail:
    mst_programs_destroy(p);
    free(s.text);
    return status;
}

static mst_status get_program(mst_context *context, const char *title, const char *file, const char *text, const char *options,
                              bool compile, const mst_program **out, mst_error *error) {
    mst_program *made = NULL;
    pthread_mutex_lock(&context->mutex);
    *out = find_program(context, file, text, options);
    pthread_mutex_unlock(&context->mutex);
    if (*out)
        return MST_OK;
    mst_status status = make_program(context, title, file, text, options, compile, &made, error);
    if (status != MST_OK || !made)
        return status;
    pthread_mutex_lock(&context->mutex);
    *out = find_program(context, file, text, options); // another thread may have built the same meanwhile
    if (!*out) {
        *out = made;
        made->next = context->programs;
        context->programs = made;
        made = NULL;
    }
    pthread_mutex_unlock(&context->mutex);
    mst_programs_destroy(made);
    return MST_OK;
}

mst_status mst_program_of_file(mst_context *context, const char *title, const char *file, const char *options,
                               const mst_program **out, mst_error *error) {
    return get_program(context, title, file, NULL, options, true, out, error);
}

static mst_status program_of_text(mst_context *context, const char *title, const mst_text *text, const char *options,
                                  bool compile, const mst_program **out, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(!text->missing[0], MST_ERROR_BUILD, "a template of the program \"%s\" has no value for $%s", title,
                text->missing);
    MST_REQUIRE(!text->failed && text->text, MST_ERROR_HOST_MEMORY, "out of memory writing the program \"%s\"", title);
    MST_TRY(get_program(context, title, NULL, text->text, options, compile, out, error));
fail:
    return status;
}

mst_status mst_program_of_text(mst_context *context, const char *title, const mst_text *text, const char *options,
                               const mst_program **out, mst_error *error) {
    return program_of_text(context, title, text, options, true, out, error);
}

mst_status mst_program_find_text(mst_context *context, const char *title, const mst_text *text, const char *options,
                                 const mst_program **out, mst_error *error) {
    return program_of_text(context, title, text, options, false, out, error);
}

const char *mst_program_title(const mst_program *program) { return program->title; }
const char *mst_program_text(const mst_program *program) { return program->text; }
cl_program mst_program_opencl(const mst_program *program) { return program->program; }
cl_device_id mst_program_device(const mst_program *program) { return program->device; }
bool mst_program_is_double(const mst_program *program) { return strstr(program->options, "PRECISION=64") != NULL; }

mst_status mst_program_add_file(mst_context *context, const char *file, mst_text *out, mst_error *error) {
    source s = {NULL, 0, 0};
    mst_status status = append_file(context, file, &s, error);
    if (status == MST_OK)
        mst_text_add_verbatim(out, s.text);
    free(s.text);
    return status;
}

mst_status mst_program_add_files(mst_context *context, const char *const *files, size_t n, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t k = 0; k < n && status == MST_OK; k++)
        status = mst_program_add_file(context, files[k], out, error);
    return status;
}

void mst_programs_destroy(mst_program *programs) {
    while (programs) {
        mst_program *next = programs->next;
        if (programs->program)
            clReleaseProgram(programs->program);
        free(programs->title);
        free(programs->file);
        free(programs->options);
        free(programs->text);
        free(programs);
        programs = next;
    }
}
