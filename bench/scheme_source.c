// Writes a scheme as a loop over nodes, in C or OpenCL C, by going through the expressions word by word: fields become elements
// of arrays, parameters numbers. It knows nothing of how the library does the same.
#include "scheme_plain.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const plain_scheme *s;
    plain_language language;
    FILE *out;
    char *why;
    // Reading alone: what is found.
    void (*found)(void *user, int field, int level, const long offset[PLAIN_AXES]);
    void *user;
} source;

static int find_field(const mst_stencil_desc *d, const char *name, size_t length) {
    for (size_t f = 0; f < d->n_fields; f++)
        if (strlen(d->fields[f].name) == length && memcmp(d->fields[f].name, name, length) == 0)
            return (int)f;
    return -1;
}

static int levels_of(const mst_stencil_desc *d, int field) { return d->fields[field].levels == 2 ? 2 : 1; }

static void put_number(const source *w, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    fprintf(w->out, "%s%s%sf%s", value < 0 ? "(" : "", text, strpbrk(text, ".e") ? "" : ".0", value < 0 ? ")" : "");
}

static bool is_known_number(const mst_stencil_desc *d, const char *name, size_t length, double *value) {
    static const char *const spacings[] = {"dz", "dy", "dx"};
    for (size_t k = 0; k < d->n_parameters; k++)
        if (strlen(d->parameters[k].name) == length && memcmp(d->parameters[k].name, name, length) == 0) {
            *value = d->parameters[k].value;
            return true;
        }
    for (int axis = 0; axis < d->rank; axis++)
        if (length == 2 && memcmp(spacings[PLAIN_AXES - d->rank + axis], name, 2) == 0) {
            *value = d->spacing[axis];
            return true;
        }
    *value = length == 2 && memcmp(name, "dt", 2) == 0 ? d->time_step : 0;
    return length == 2 && memcmp(name, "dt", 2) == 0;
}

static bool put_function(const source *w, const char *name, size_t length) {
    static const char *const names[] = {"sqrt", "exp", "sin", "cos", "min", "max", "abs"};
    static const char *const of_c[] = {"sqrtf", "expf", "sinf", "cosf", "fminf", "fmaxf", "fabsf"};
    static const char *const of_opencl[] = {"sqrt", "exp", "sin", "cos", "fmin", "fmax", "fabs"};
    for (size_t k = 0; k < CLI_COUNT(names); k++)
        if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0) {
            fputs((w->language == PLAIN_C ? of_c : of_opencl)[k], w->out);
            return true;
        }
    return false;
}

// "[dz, dy, dx]" behind a field's name, if it is there.
static const char *read_offsets(const source *w, const char *text, long offset[PLAIN_AXES]) {
    const char *at = text + strspn(text, " ");
    memset(offset, 0, PLAIN_AXES * sizeof *offset);
    if (*at != '[')
        return text;
    for (int axis = PLAIN_AXES - w->s->problem->desc.rank; axis < PLAIN_AXES; axis++) {
        char *end;
        offset[axis] = strtol(at + 1, &end, 10);
        at = end + strspn(end, " ");
    }
    return at + 1;
}

static const char *put_field(const source *w, int field, const char *text) {
    static const char *const pitches[] = {"*PLANE", "*PITCH", ""};
    long offset[PLAIN_AXES];
    int level = 0;
    if (strncmp(text, ".prev", 5) == 0) {
        level = 1;
        text += 5;
    }
    text = read_offsets(w, text, offset);
    if (w->found)
        w->found(w->user, field, level, offset);
    fprintf(w->out, "f%d_%d[i", field, level);
    for (int axis = 0; axis < PLAIN_AXES; axis++)
        if (offset[axis] != 0)
            fprintf(w->out, "%+ld%s", offset[axis], pitches[axis]);
    fputc(']', w->out);
    return text;
}

static void put_expression(const source *w, const char *text);

// The definition of that name, in brackets; one with arguments, or moved by offsets behind it, is not known.
static bool put_definition(const source *w, const char *name, size_t length) {
    const mst_stencil_desc *d = &w->s->problem->desc;
    for (size_t k = 0; k < d->n_definitions; k++) {
        const mst_stencil_definition *definition = &d->definitions[k];
        if (strlen(definition->name) != length || memcmp(definition->name, name, length) != 0 || name[length] == '(' ||
            name[length] == '[')
            continue;
        fputc('(', w->out);
        put_expression(w, definition->expression);
        fputc(')', w->out);
        return true;
    }
    return false;
}

static const char *put_name(const source *w, const char *text) {
    static const char *const axes = "zyx", *const names[] = {"z", "y", "x"};
    const mst_stencil_desc *d = &w->s->problem->desc;
    size_t length = 0;
    double value;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    const int field = find_field(d, text, length);
    const char *axis = length == 1 ? strchr(axes, *text) : NULL;
    if (field >= 0)
        return put_field(w, field, text + length);
    if (axis && PLAIN_AXES - (axis - axes) <= d->rank) {
        fprintf(w->out, "((float)%s*", names[axis - axes]);
        put_number(w, d->spacing[axis - axes - (PLAIN_AXES - d->rank)]);
        fputc(')', w->out);
    } else if (is_known_number(d, text, length, &value)) {
        put_number(w, value);
    } else if (!put_definition(w, text, length) && !put_function(w, text, length)) {
        snprintf(w->why, PLAIN_TEXT, "the plain form of '%.*s' is not known", (int)length, text);
    }
    return text + length;
}

static void put_expression(const source *w, const char *text) {
    while (*text) {
        char *end;
        if (isalpha((unsigned char)*text) || *text == '_') {
            text = put_name(w, text);
        } else if (isdigit((unsigned char)*text) || *text == '.') {
            put_number(w, strtod(text, &end));
            text = end;
        } else {
            if (*text == '^')
                snprintf(w->why, PLAIN_TEXT, "the plain form of a power is not known");
            fputc(*text++, w->out);
        }
    }
}

// ---- The scheme

typedef struct looking {
    plain_scheme *s;
    int substep;
    bool beyond[MST_STENCIL_MAX_FIELDS][2]; // in the sub-step: read at neighbours
} looking;

static void look(void *user, int field, int level, const long offset[PLAIN_AXES]) {
    looking *l = user;
    l->s->reads[l->substep][field][level] = true;
    for (int axis = 0; axis < PLAIN_AXES; axis++) {
        const int64_t reach = labs(offset[axis]);
        l->s->reach[axis] = reach > l->s->reach[axis] ? reach : l->s->reach[axis];
        l->beyond[field][level] |= reach > 0;
    }
}

static const mst_stencil_boundary *face(const plain_scheme *s, int axis, int side) {
    const mst_stencil_desc *d = &s->problem->desc;
    return &d->boundaries[2 * (axis - (PLAIN_AXES - d->rank)) + side];
}

static bool find_reads(plain_scheme *s, char *why) {
    const mst_stencil_desc *d = &s->problem->desc;
    bool zero = true;
    looking l = {.s = s};
    source w = {.s = s, .language = PLAIN_C, .out = fopen("/dev/null", "w"), .why = why, .found = look, .user = &l};
    for (; w.out && l.substep < s->n_substeps; l.substep++) {
        memset(l.beyond, 0, sizeof l.beyond);
        for (int u = s->begin[l.substep]; u < s->begin[l.substep + 1]; u++)
            put_expression(&w, d->updates[u].expression);
        for (int u = s->begin[l.substep]; u < s->begin[l.substep + 1]; u++)
            s->in_place[u] = !l.beyond[s->field_of[u]][levels_of(d, s->field_of[u]) - 1];
        for (size_t f = 0; f < d->n_fields; f++)
            s->has_margin[f] |= l.beyond[f][0] || l.beyond[f][1];
    }
    for (int axis = PLAIN_AXES - d->rank; axis < PLAIN_AXES; axis++)
        for (int side = 0; side < 2; side++) {
            const mst_stencil_boundary *b = face(s, axis, side);
            zero &= b->kind == MST_BOUNDARY_DIRICHLET;
            if (b->kind == MST_BOUNDARY_SPONGE || b->value)
                snprintf(why, PLAIN_TEXT, "the plain form of a boundary is not known");
        }
    for (size_t f = 0; f < d->n_fields; f++)
        s->has_margin[f] &= !zero || d->fields[f].coefficient;
    if (w.out)
        fclose(w.out);
    return w.out && !*why;
}

// Arrays of which a step needs the old values, and those that it makes.
static double bytes_a_node(const plain_scheme *s) {
    const mst_stencil_desc *d = &s->problem->desc;
    size_t arrays = d->n_updates;
    for (size_t f = 0; f < d->n_fields; f++)
        for (int level = 0; level < levels_of(d, (int)f); level++) {
            bool written = false, needed = false;
            for (int k = 0; k < s->n_substeps && !written; k++) {
                needed |= s->reads[k][f][level];
                for (int u = s->begin[k]; u < s->begin[k + 1]; u++)
                    written |= s->field_of[u] == (int)f;
            }
            arrays += needed;
        }
    return 4.0 * (double)arrays;
}

bool plain_scheme_make(const problem *p, plain_scheme *s, char why[PLAIN_TEXT]) {
    const mst_stencil_desc *d = &p->desc;
    *s = (plain_scheme){.problem = p, .n = {1, 1, 1}};
    why[0] = '\0';
    for (int axis = 0; axis < d->rank; axis++)
        s->n[PLAIN_AXES - d->rank + axis] = d->grid[axis];
    for (int u = 0; u < (int)d->n_updates; u++) {
        s->field_of[u] = find_field(d, d->updates[u].field, strlen(d->updates[u].field));
        if (u == 0 || d->updates[u].substep != d->updates[u - 1].substep)
            s->begin[s->n_substeps++] = u;
    }
    s->begin[s->n_substeps] = (int)d->n_updates;
    if (d->precision != MST_FLOAT32 || d->n_sources > 0)
        snprintf(why, PLAIN_TEXT, "the plain form has float32 and no sources");
    if (*why || !find_reads(s, why))
        return false;
    s->pitch = (int64_t)s->n[2] + 2 * s->reach[2];
    s->plane = ((int64_t)s->n[1] + 2 * s->reach[1]) * s->pitch;
    s->first = s->reach[0] * s->plane + s->reach[1] * s->pitch + s->reach[2];
    s->elements = ((int64_t)s->n[0] + 2 * s->reach[0]) * s->plane;
    s->bytes_a_node = bytes_a_node(s);
    return true;
}

bool plain_scheme_takes(const plain_scheme *s, int substep, int field, int slot, bool *writes) {
    *writes = false;
    for (int u = s->begin[substep]; u < s->begin[substep + 1]; u++)
        if (s->field_of[u] == field)
            *writes = slot == (s->in_place[u] ? levels_of(&s->problem->desc, field) - 1 : 2);
    return *writes || (slot < 2 && s->reads[substep][field][slot]);
}

// ---- The text

static void put_parameters(const source *w, int k) {
    const bool c = w->language == PLAIN_C;
    for (int f = 0; f < (int)w->s->problem->desc.n_fields; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++) {
            bool writes;
            if (plain_scheme_takes(w->s, k, f, slot, &writes))
                fprintf(w->out, "%s%s float *restrict f%d_%d, ", c ? "" : "global ", writes ? "" : "const", f, slot);
        }
}

static void put_updates(const source *w, int k) {
    const plain_scheme *s = w->s;
    for (int u = s->begin[k]; u < s->begin[k + 1]; u++) {
        fprintf(w->out, "        const float new%d = ", u);
        put_expression(w, s->problem->desc.updates[u].expression);
        fputs(";\n", w->out);
    }
    for (int u = s->begin[k]; u < s->begin[k + 1]; u++)
        fprintf(w->out, "        f%d_%d[i] = new%d;\n", s->field_of[u],
                s->in_place[u] ? levels_of(&s->problem->desc, s->field_of[u]) - 1 : 2, u);
}

static void put_substep_c(const source *w, int k) {
    fprintf(w->out, "static inline void row%d(", k);
    put_parameters(w, k);
    fputs("const long z, const long y) {\n    for (long x = 0; x < NX; x++) {\n"
          "        const long i = FIRST + z * PLANE + y * PITCH + x;\n",
          w->out);
    put_updates(w, k);
    fprintf(w->out, "    }\n}\n\nvoid substep%d(float *const *a) {\n", k);
    fprintf(w->out, "#pragma omp parallel for\n    for (long %s)\n%s        row%d(",
            w->s->n[0] > 1 ? "z = 0; z < NZ; z++" : "y = 0; y < NY; y++",
            w->s->n[0] > 1 ? "    for (long y = 0; y < NY; y++)\n" : "", k);
    for (int f = 0; f < (int)w->s->problem->desc.n_fields; f++)
        for (int slot = 0; slot < PLAIN_SLOTS; slot++) {
            bool writes;
            if (plain_scheme_takes(w->s, k, f, slot, &writes))
                fprintf(w->out, "a[%d], ", f * PLAIN_SLOTS + slot);
        }
    fprintf(w->out, "%s, y);\n}\n\n", w->s->n[0] > 1 ? "z" : "0");
}

static void put_substep_opencl(const source *w, int k, bool guarded) {
    fprintf(w->out, "kernel void substep%d(", k);
    put_parameters(w, k);
    fputs("int unused) {\n    const INDEX x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n", w->out);
    if (guarded)
        fputs("    if (x >= NX || y >= NY || z >= NZ)\n        return;\n", w->out);
    fputs("    const INDEX i = FIRST + z * PLANE + y * PITCH + x;\n", w->out);
    put_updates(w, k);
    fputs("}\n\n", w->out);
}

// The nodes beyond the faces of an axis, by those that lie across the other axes, margins included.
static void put_margin(const source *w, int axis) {
    static const char *const across[PLAIN_AXES] = {"p * PITCH + q", "p * PLANE + q", "p * PLANE + q * PITCH"};
    static const char *const stride[PLAIN_AXES] = {"PLANE", "PITCH", "1"};
    const plain_scheme *s = w->s;
    const int others[] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    const long long n = (long long)s->n[axis], reach = (long long)s->reach[axis];
    const long long np = (long long)s->n[others[0]] + 2 * s->reach[others[0]];
    const long long nq = (long long)s->n[others[1]] + 2 * s->reach[others[1]];
    if (w->language == PLAIN_C)
        fprintf(w->out,
                "void margin%d(float *a, int periodic, int low, int high) {\n%s    for (long p = 0; p < %lld; p++)\n"
                "    for (long q = 0; q < %lld; q++) {\n",
                axis, s->n[0] > 1 ? "#pragma omp parallel for\n" : "", np, nq);
    else
        fprintf(w->out,
                "kernel void margin%d(global float *a, int periodic, int low, int high) {\n"
                "    const INDEX p = get_global_id(0), q = get_global_id(1);\n    {\n",
                axis);
    fprintf(
        w->out,
        "        for (int k = 0; k < %lld; k++) {\n"
        "            if (low)\n                a[%s + (%lld - 1 - k) * %s] = a[%s + (%lld + (periodic ? %lld - 1 - k : k)) * "
        "%s];\n"
        "            if (high)\n                a[%s + (%lld + k) * %s] = a[%s + (%lld + (periodic ? k : %lld - 1 - k)) * %s];\n"
        "        }\n    }\n}\n\n",
        reach, across[axis], reach, stride[axis], across[axis], reach, n, stride[axis], across[axis], reach + n, stride[axis],
        across[axis], reach, n, stride[axis]);
}

char *plain_scheme_write(const plain_scheme *s, plain_language language, bool guarded, char why[PLAIN_TEXT]) {
    char *text = NULL;
    size_t size;
    source w = {.s = s, .language = language, .out = open_memstream(&text, &size), .why = why};
    why[0] = '\0';
    if (!w.out)
        return NULL;
    if (language == PLAIN_C)
        fputs("#include <math.h>\n#define INDEX long\n", w.out);
    else
        fprintf(w.out, "#define INDEX %s\n", s->elements < INT32_MAX ? "int" : "long");
    fprintf(w.out, "#define NZ %zu\n#define NY %zu\n#define NX %zu\n", s->n[0], s->n[1], s->n[2]);
    const char *suffix = language == PLAIN_OPENCL && s->elements < INT32_MAX ? "" : "L";
    fprintf(w.out, "#define PITCH %lld%s\n#define PLANE %lld%s\n#define FIRST %lld%s\n\n", (long long)s->pitch, suffix,
            (long long)s->plane, suffix, (long long)s->first, suffix);
    for (int k = 0; k < s->n_substeps; k++)
        if (language == PLAIN_C)
            put_substep_c(&w, k);
        else
            put_substep_opencl(&w, k, guarded);
    for (int axis = 0; axis < PLAIN_AXES; axis++)
        put_margin(&w, axis);
    if (language == PLAIN_C)
        fprintf(w.out,
                "void zero(float *a) {\n#pragma omp parallel for\n    for (long line = 0; line < %lld; line++)\n"
                "    for (long k = 0; k < PITCH; k++)\n        a[line * PITCH + k] = 0;\n}\n",
                (long long)(s->elements / s->pitch));
    if (fclose(w.out) != 0 || *why) {
        free(text);
        return NULL;
    }
    return text;
}
