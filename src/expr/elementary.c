#include "elementary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mst_elementary {
    cl_device_type type;
    const char *platform;
    long driver; // its version, or a later one
    bool (*runs)(void);
    bool has[MST_EXPR_N_OPERATIONS];
};

// The functions use fused multiply-adds and vectors of double, which are slow where the processor, on which such a device runs,
// has none.
static bool has_fused_vectors(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// Made from measurements (docs/performance-log.md, "Elementary functions on CPUs"): of PoCL's time ours take 0.2 to 1.4 in maps,
// in vectors of 8, and far less alone, as schemes had PoCL's. What is missing has no error there.
// gamma and lgamma are the device's own in vectors of 8.
static const mst_elementary table[] = {
    {CL_DEVICE_TYPE_CPU,
     "Portable Computing Language",
     3,
     has_fused_vectors,
     {[MST_EXPR_CBRT] = true,  [MST_EXPR_EXP] = true,   [MST_EXPR_EXP2] = true,  [MST_EXPR_EXPM1] = true, [MST_EXPR_LOG] = true,
      [MST_EXPR_LOG2] = true,  [MST_EXPR_LOG10] = true, [MST_EXPR_LOG1P] = true, [MST_EXPR_SIN] = true,   [MST_EXPR_COS] = true,
      [MST_EXPR_TAN] = true,   [MST_EXPR_ASIN] = true,  [MST_EXPR_ACOS] = true,  [MST_EXPR_ATAN] = true,  [MST_EXPR_SINH] = true,
      [MST_EXPR_COSH] = true,  [MST_EXPR_TANH] = true,  [MST_EXPR_ASINH] = true, [MST_EXPR_ACOSH] = true, [MST_EXPR_ATANH] = true,
      [MST_EXPR_ERF] = true,   [MST_EXPR_ERFC] = true,  [MST_EXPR_ATAN2] = true, [MST_EXPR_POW] = true,   [MST_EXPR_HYPOT] = true,
      [MST_EXPR_GAMMA] = true, [MST_EXPR_LGAMMA] = true}},
};
enum { N_ROWS = sizeof table / sizeof table[0] };

const mst_elementary *mst_elementary_of(const mst_device_info *device) {
    for (int k = 0; device && k < N_ROWS; k++)
        if ((device->type & table[k].type) != 0 && device->fp64 && strcmp(device->platform_name, table[k].platform) == 0 &&
            strtol(device->driver_version, NULL, 10) >= table[k].driver && table[k].runs())
            return &table[k];
    return NULL;
}

bool mst_elementary_has(const mst_elementary *own, mst_expr_operation operation) { return own && own->has[operation]; }

// ---- Definitions

enum { MAX_SECTIONS = 128, MAX_NAME = 24, N_WIDTHS = 5, N_FILES = 4 };

// A function's own text: from behind the line of its name to the next such line.
typedef struct section {
    const char *needs, *body, *end;
    char name[MAX_NAME];
    bool is_single, has_width, written[N_WIDTHS];
} section;

typedef struct library {
    section sections[MAX_SECTIONS];
    int n;
    mst_text files[N_FILES];
    mst_text out;
} library;

static const char mark[] = "\n//: ";

static mst_status read_sections(library *all, mst_context *context, int which, mst_error *error) {
    static const char *const names[N_FILES] = {"elementary_single.cl", "elementary_double.cl", "elementary_double_angles.cl",
                                               "elementary_double_special.cl"};
    mst_status status = MST_OK;
    mst_text *file = &all->files[which];
    MST_TRY(mst_program_add_file(context, names[which], file, error));
    MST_REQUIRE(!file->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    for (const char *at = strstr(file->text, mark), *next; at && all->n < MAX_SECTIONS; at = next) {
        section *s = &all->sections[all->n++];
        const char *name = at + strlen(mark);
        next = strstr(name, mark);
        const size_t length = strcspn(name, " \n"), line = strcspn(name, "\n");
        *s = (section){.needs = name + length, .body = name + line + 1, .end = next ? next + 1 : name + strlen(name)};
        snprintf(s->name, sizeof s->name, "%.*s", (int)length, name);
        s->is_single = which == 0;
        const char *typed = strstr(s->body, "_$");
        s->has_width = typed && typed < s->end;
    }
fail:
    return status;
}

// Those of float first, where both have the name and it is of a float that is asked.
static section *find(library *all, const char *name, size_t length, bool is_single) {
    for (int pass = is_single ? 1 : 0; pass >= 0; pass--)
        for (int k = 0; k < all->n; k++)
            if (all->sections[k].is_single == (pass == 1) && strlen(all->sections[k].name) == length &&
                memcmp(all->sections[k].name, name, length) == 0)
                return &all->sections[k];
    return NULL;
}

static void write_body(library *all, const section *s, unsigned width) {
    char types[4][12], *body = strndup(s->body, (size_t)(s->end - s->body));
    static const char *const names[] = {"double", "float", "long", "ulong"};
    for (int k = 0; k < 4; k++)
        snprintf(types[k], sizeof types[k], width > 1 ? "%s%u" : "%s", names[k], width % 100);
    all->out.failed = all->out.failed || !body;
    if (body)
        mst_text_put(&all->out, body, MST_SET(d, (const char *)types[0]), MST_SET(f, (const char *)types[1]),
                     MST_SET(l, (const char *)types[2]), MST_SET(u, (const char *)types[3]), MST_SET(w, width),
                     MST_SET(any, width > 1 ? "any" : ""));
    free(body);
}

// A section behind those that it needs, once for every width.
static void write_section(library *all, section *s, unsigned width) {
    unsigned slot = 0;
    while (s->has_width && width >> (slot + 1) != 0)
        slot++;
    if (s->written[slot])
        return;
    s->written[slot] = true;
    for (const char *at = s->needs; *at == ' ';) {
        const size_t length = strcspn(++at, " \n");
        section *needed = find(all, at, length, s->is_single);
        all->out.failed = all->out.failed || !needed;
        if (needed)
            write_section(all, needed, width);
        at += length;
    }
    write_body(all, s, width);
}

// Of a call own_NAME_TYPE(, whose name begins here.
static void write_called(library *all, const char *name) {
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    const char *type = name + length;
    while (type > name && *type != '_')
        type--;
    const bool is_single = strncmp(type, "_float", 6) == 0, is_double = strncmp(type, "_double", 7) == 0;
    section *s = name[length] == '(' && (is_single || is_double) ? find(all, name, (size_t)(type - name), is_single) : NULL;
    if (s && s->is_single == is_single) {
        const unsigned width = (unsigned)strtoul(type + (is_single ? 6 : 7), NULL, 10);
        write_section(all, s, width > 0 ? width : 1);
    }
}

mst_status mst_elementary_define(mst_context *context, mst_text *text, mst_error *error) {
    static const char prefix[] = "own_";
    mst_status status = MST_OK;
    const char *at = text->text && !text->failed ? strstr(text->text, prefix) : NULL;
    library *all = NULL;
    if (!at)
        return MST_OK;
    MST_REQUIRE(all = calloc(1, sizeof *all), MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    for (int k = 0; k < N_FILES; k++)
        MST_TRY(read_sections(all, context, k, error));
    mst_text_put(&all->out, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    for (; at; at = strstr(at, prefix))
        write_called(all, at += strlen(prefix));
    mst_text_add_verbatim(&all->out, text->text);
    MST_REQUIRE(!all->out.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    mst_text_release(text);
    *text = all->out;
    all->out = (mst_text){0};
fail:
    for (int k = 0; all && k < N_FILES; k++)
        mst_text_release(&all->files[k]);
    if (all)
        mst_text_release(&all->out);
    free(all);
    return status;
}
