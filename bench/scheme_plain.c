// Plain schemes that run: C by the machine's compiler with OpenMP, and OpenCL.
#include "scheme_plain.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int levels_of(const plain_scheme *s, int field) { return s->problem->desc.fields[field].levels == 2 ? 2 : 1; }

void plain_run_rotate(plain_run *r, int substep) {
    const plain_scheme *s = r->scheme;
    for (int u = s->begin[substep]; u < s->begin[substep + 1]; u++) {
        int *slot = r->slot[s->field_of[u]];
        const int oldest = levels_of(s, s->field_of[u]) - 1, target = s->in_place[u] ? oldest : 2, made = slot[target];
        slot[target] = slot[oldest];
        if (oldest == 1)
            slot[1] = slot[0];
        slot[0] = made;
    }
}

// Which faces of an axis a field's margin is made for.
typedef struct margin_faces {
    int periodic, low, high;
} margin_faces;

static margin_faces faces_of(const plain_scheme *s, int field, int axis) {
    const mst_stencil_desc *d = &s->problem->desc;
    const int own = axis - (PLAIN_AXES - d->rank);
    const bool always = d->fields[field].coefficient;
    if (own < 0 || s->reach[axis] == 0)
        return (margin_faces){0, 0, 0};
    const mst_stencil_boundary *b = &d->boundaries[2 * own];
    return (margin_faces){b[0].kind == MST_BOUNDARY_PERIODIC, always || b[0].kind != MST_BOUNDARY_DIRICHLET,
                          always || b[1].kind != MST_BOUNDARY_DIRICHLET};
}

static bool has_array(const plain_scheme *s, int field, int slot) {
    if (slot < levels_of(s, field))
        return true;
    for (size_t u = 0; u < s->problem->desc.n_updates; u++)
        if (slot == 2 && s->field_of[u] == field)
            return !s->in_place[u];
    return false;
}

static void begin(plain_run *r, const plain_scheme *s) {
    r->scheme = s;
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++)
            r->slot[f][slot] = slot;
}

// ---- C

typedef struct c_run {
    plain_run base;
    void *library;
    float *arrays[MST_STENCIL_MAX_FIELDS][PLAIN_SLOTS];
    void (*substep[MST_STENCIL_MAX_FIELDS])(float *const *);
    void (*margin[PLAIN_AXES])(float *, int, int, int);
    void (*zero)(float *);
} c_run;

static void c_margins_of(c_run *c, int field, int slot) {
    for (int axis = PLAIN_AXES; axis-- > 0;) {
        const margin_faces m = faces_of(c->base.scheme, field, axis);
        if (m.low || m.high)
            c->margin[axis](c->arrays[field][c->base.slot[field][slot]], m.periodic, m.low, m.high);
    }
}

static void c_margins(plain_run *r) {
    const plain_scheme *s = r->scheme;
    for (int f = 0; f < (int)s->problem->desc.n_fields; f++)
        for (int level = 0; level < levels_of(s, f) && s->has_margin[f]; level++)
            c_margins_of((c_run *)r, f, level);
}

static bool c_steps(plain_run *r, int n) {
    c_run *c = (c_run *)r;
    const plain_scheme *s = r->scheme;
    float *arrays[MST_STENCIL_MAX_FIELDS * PLAIN_SLOTS];
    for (int step = 0; step < n; step++)
        for (int k = 0; k < s->n_substeps; k++) {
            for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
                for (int slot = 0; slot < PLAIN_SLOTS; slot++)
                    arrays[f * PLAIN_SLOTS + slot] = c->arrays[f][r->slot[f][slot]];
            c->substep[k](arrays);
            plain_run_rotate(r, k);
            for (int u = s->begin[k]; u < s->begin[k + 1]; u++)
                if (s->has_margin[s->field_of[u]])
                    c_margins_of(c, s->field_of[u], 0);
        }
    return true;
}

static float *c_row(plain_run *r, int field, int level, size_t plane, size_t row) {
    const plain_scheme *s = r->scheme;
    return ((c_run *)r)->arrays[field][r->slot[field][level]] + s->first + (int64_t)plane * s->plane + (int64_t)row * s->pitch;
}

static void c_put(plain_run *r, int field, int level, size_t plane, const float *values) {
    const size_t *n = r->scheme->n;
    for (size_t row = 0; row < n[1]; row++)
        memcpy(c_row(r, field, level, plane, row), values + row * n[2], n[2] * sizeof *values);
}

static void c_get(plain_run *r, int field, int level, size_t plane, float *values) {
    const size_t *n = r->scheme->n;
    for (size_t row = 0; row < n[1]; row++)
        memcpy(values + row * n[2], c_row(r, field, level, plane, row), n[2] * sizeof *values);
}

static void c_destroy(plain_run *r) {
    c_run *c = (c_run *)r;
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++)
            free(c->arrays[f][slot]);
    if (c->library)
        dlclose(c->library);
    free(c);
}

// Compiles the text in a directory of its own, and opens what came out.
static void *compile(const char *text, unsigned threads, char why[PLAIN_TEXT]) {
    char directory[] = "/tmp/scheme-rates-XXXXXX", command[400], source[80], library[80], number[20];
    const char *compiler = getenv("CC");
    void *opened = NULL;
    if (!mkdtemp(directory)) {
        snprintf(why, PLAIN_TEXT, "no directory in /tmp");
        return NULL;
    }
    snprintf(source, sizeof source, "%s/plain.c", directory);
    snprintf(library, sizeof library, "%s/plain.so", directory);
    snprintf(command, sizeof command, "%s -std=gnu11 -O3 -march=native -fopenmp -fPIC -shared -o %s %s 2>%s/errors",
             compiler ? compiler : "cc", library, source, directory);
    FILE *file = fopen(source, "w");
    const bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && written && system(command) == 0) {
        snprintf(number, sizeof number, "%u", threads);
        setenv("OMP_NUM_THREADS", number, 1);                            // read when the first such library is opened
        opened = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); // OpenMP's threads live on
    }
    if (!opened)
        snprintf(why, PLAIN_TEXT, "cannot compile C with OpenMP: %.150s", command);
    snprintf(command, sizeof command, "%s/errors", directory);
    unlink(command);
    unlink(source);
    unlink(library);
    rmdir(directory);
    return opened;
}

// Each thread writes first what it will work on.
static float *c_array(const c_run *c) {
    float *array = NULL;
    if (posix_memalign((void **)&array, 64, (size_t)c->base.scheme->elements * sizeof *array) != 0)
        return NULL;
    c->zero(array);
    return array;
}

static bool find_functions(c_run *c, char why[PLAIN_TEXT]) {
    char name[20];
    bool found = (*(void **)&c->zero = dlsym(c->library, "zero")) != NULL;
    for (int k = 0; k < c->base.scheme->n_substeps; k++) {
        snprintf(name, sizeof name, "substep%d", k);
        found &= (*(void **)&c->substep[k] = dlsym(c->library, name)) != NULL;
    }
    for (int axis = 0; axis < PLAIN_AXES; axis++) {
        snprintf(name, sizeof name, "margin%d", axis);
        found &= (*(void **)&c->margin[axis] = dlsym(c->library, name)) != NULL;
    }
    if (!found)
        snprintf(why, PLAIN_TEXT, "a function is missing in what the compiler made");
    return found;
}

plain_run *plain_run_c(const plain_scheme *s, unsigned threads, char why[PLAIN_TEXT]) {
    char *text = plain_scheme_write(s, PLAIN_C, false, why);
    c_run *c = calloc(1, sizeof *c);
    bool done = text && c && (c->library = compile(text, threads, why)) != NULL;
    free(text);
    if (c) {
        c->base = (plain_run){.put = c_put, .get = c_get, .steps = c_steps, .margins = c_margins, .destroy = c_destroy};
        begin(&c->base, s);
    }
    done = done && find_functions(c, why);
    for (int f = 0; done && f < (int)s->problem->desc.n_fields; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++)
            if (has_array(s, f, slot))
                done &= (c->arrays[f][slot] = c_array(c)) != NULL;
    if (done)
        return &c->base;
    if (!*why)
        snprintf(why, PLAIN_TEXT, "out of memory");
    if (c)
        c_destroy(&c->base);
    return NULL;
}

// ---- OpenCL

typedef struct opencl_run {
    plain_run base;
    cl_command_queue queue;
    cl_program program;
    bool gpu;
    cl_mem arrays[MST_STENCIL_MAX_FIELDS][PLAIN_SLOTS];
    cl_kernel substep[MST_STENCIL_MAX_FIELDS], margin[PLAIN_AXES];
    cl_int failed; // the first code that was none of success
} opencl_run;

static void look(opencl_run *o, cl_int code) { o->failed = o->failed ? o->failed : code; }

static void opencl_margins_of(opencl_run *o, int field, int slot) {
    const plain_scheme *s = o->base.scheme;
    size_t padded[PLAIN_AXES];
    for (int axis = 0; axis < PLAIN_AXES; axis++)
        padded[axis] = s->n[axis] + 2 * (size_t)s->reach[axis];
    for (int axis = PLAIN_AXES; axis-- > 0;) {
        const margin_faces m = faces_of(s, field, axis);
        const size_t items[] = {padded[axis == 0 ? 1 : 0], padded[axis == 2 ? 1 : 2]};
        if (!m.low && !m.high)
            continue;
        look(o, clSetKernelArg(o->margin[axis], 0, sizeof(cl_mem), &o->arrays[field][o->base.slot[field][slot]]));
        look(o, clSetKernelArg(o->margin[axis], 1, sizeof(int), &m.periodic));
        look(o, clSetKernelArg(o->margin[axis], 2, sizeof(int), &m.low));
        look(o, clSetKernelArg(o->margin[axis], 3, sizeof(int), &m.high));
        look(o, clEnqueueNDRangeKernel(o->queue, o->margin[axis], 2, NULL, items, NULL, 0, NULL, NULL));
    }
}

static void opencl_margins(plain_run *r) {
    const plain_scheme *s = r->scheme;
    for (int f = 0; f < (int)s->problem->desc.n_fields; f++)
        for (int level = 0; level < levels_of(s, f) && s->has_margin[f]; level++)
            opencl_margins_of((opencl_run *)r, f, level);
}

static void launch(opencl_run *o, int k) {
    const plain_scheme *s = o->base.scheme;
    const size_t local[] = {64, 4, 1};
    size_t items[] = {s->n[2], s->n[1], s->n[0]};
    cl_uint n = 0;
    const int unused = 0;
    for (int f = 0; f < (int)s->problem->desc.n_fields; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++) {
            bool writes;
            if (plain_scheme_takes(s, k, f, slot, &writes))
                look(o, clSetKernelArg(o->substep[k], n++, sizeof(cl_mem), &o->arrays[f][o->base.slot[f][slot]]));
        }
    look(o, clSetKernelArg(o->substep[k], n, sizeof unused, &unused));
    for (int axis = 0; axis < PLAIN_AXES && o->gpu; axis++)
        items[axis] = (items[axis] + local[axis] - 1) / local[axis] * local[axis];
    look(o, clEnqueueNDRangeKernel(o->queue, o->substep[k], 3, NULL, items, o->gpu ? local : NULL, 0, NULL, NULL));
}

static bool opencl_steps(plain_run *r, int n) {
    opencl_run *o = (opencl_run *)r;
    const plain_scheme *s = r->scheme;
    for (int step = 0; step < n && !o->failed; step++)
        for (int k = 0; k < s->n_substeps; k++) {
            launch(o, k);
            plain_run_rotate(r, k);
            for (int u = s->begin[k]; u < s->begin[k + 1]; u++)
                if (s->has_margin[s->field_of[u]])
                    opencl_margins_of(o, s->field_of[u], 0);
        }
    look(o, clFinish(o->queue));
    return !o->failed;
}

static void opencl_copy(opencl_run *o, int field, int level, size_t plane, float *values, bool up) {
    const plain_scheme *s = o->base.scheme;
    const size_t e = sizeof *values, pitch = (size_t)s->pitch * e, all = (size_t)s->plane * e;
    const size_t place[] = {(size_t)s->reach[2] * e, (size_t)s->reach[1], (size_t)s->reach[0] + plane}, zero[] = {0, 0, 0};
    const size_t region[] = {s->n[2] * e, s->n[1], 1};
    const cl_mem array = o->arrays[field][o->base.slot[field][level]];
    look(o, up ? clEnqueueWriteBufferRect(o->queue, array, CL_TRUE, place, zero, region, pitch, all, region[0], 0, values, 0,
                                          NULL, NULL)
               : clEnqueueReadBufferRect(o->queue, array, CL_TRUE, place, zero, region, pitch, all, region[0], 0, values, 0, NULL,
                                         NULL));
}

static void opencl_put(plain_run *r, int field, int level, size_t plane, const float *values) {
    opencl_copy((opencl_run *)r, field, level, plane, (float *)(uintptr_t)values, true);
}

static void opencl_get(plain_run *r, int field, int level, size_t plane, float *values) {
    opencl_copy((opencl_run *)r, field, level, plane, values, false);
}

static void opencl_destroy(plain_run *r) {
    opencl_run *o = (opencl_run *)r;
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++) {
        for (int slot = 0; slot < PLAIN_SLOTS; slot++)
            if (o->arrays[f][slot])
                clReleaseMemObject(o->arrays[f][slot]);
        if (o->substep[f])
            clReleaseKernel(o->substep[f]);
    }
    for (int axis = 0; axis < PLAIN_AXES; axis++)
        if (o->margin[axis])
            clReleaseKernel(o->margin[axis]);
    if (o->program)
        clReleaseProgram(o->program);
    if (o->queue)
        clReleaseCommandQueue(o->queue);
    free(o);
}

static void make_arrays(opencl_run *o, cl_context context) {
    const plain_scheme *s = o->base.scheme;
    const float zero = 0;
    cl_int code;
    for (int f = 0; f < (int)s->problem->desc.n_fields; f++)
        for (int slot = 0; slot < PLAIN_SLOTS && !o->failed; slot++)
            if (has_array(s, f, slot)) {
                o->arrays[f][slot] = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)s->elements * sizeof zero, NULL, &code);
                look(o, code);
                if (!code)
                    look(o, clEnqueueFillBuffer(o->queue, o->arrays[f][slot], &zero, sizeof zero, 0,
                                                (size_t)s->elements * sizeof zero, 0, NULL, NULL));
            }
}

static void make_kernels(opencl_run *o, cl_context context, cl_device_id device, const char *text) {
    char name[20];
    cl_int code;
    o->program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    look(o, code);
    if (!o->failed)
        look(o, clBuildProgram(o->program, 1, &device, "", NULL, NULL));
    for (int k = 0; k < o->base.scheme->n_substeps && !o->failed; k++) {
        snprintf(name, sizeof name, "substep%d", k);
        o->substep[k] = clCreateKernel(o->program, name, &code);
        look(o, code);
    }
    for (int axis = 0; axis < PLAIN_AXES && !o->failed; axis++) {
        snprintf(name, sizeof name, "margin%d", axis);
        o->margin[axis] = clCreateKernel(o->program, name, &code);
        look(o, code);
    }
}

plain_run *plain_run_opencl(const plain_scheme *s, mst_context *context, char why[PLAIN_TEXT]) {
    const bool gpu = mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
    char *text = plain_scheme_write(s, PLAIN_OPENCL, gpu, why);
    opencl_run *o = calloc(1, sizeof *o);
    cl_context opencl = mst_context_opencl(context);
    cl_device_id device;
    cl_int code;
    if (o)
        o->base = (plain_run){
            .put = opencl_put, .get = opencl_get, .steps = opencl_steps, .margins = opencl_margins, .destroy = opencl_destroy};
    if (text && o) {
        begin(&o->base, s);
        o->gpu = gpu;
        look(o, clGetCommandQueueInfo(mst_context_queue(context), CL_QUEUE_DEVICE, sizeof device, &device, NULL));
        o->queue = clCreateCommandQueue(opencl, device, 0, &code);
        look(o, code);
        make_kernels(o, opencl, device, text);
        make_arrays(o, opencl);
    }
    free(text);
    if (text && o && !o->failed)
        return &o->base;
    if (!*why)
        snprintf(why, PLAIN_TEXT, "OpenCL says %d", o ? (int)o->failed : 0);
    if (o)
        opencl_destroy(&o->base);
    return NULL;
}
