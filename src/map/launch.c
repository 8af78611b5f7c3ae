// Building and launching the kernels of a map.
#include "plan.h"

#include <stdio.h>

#define MOST_ARGUMENTS (4 * MST_MAP_MAX_PORTS + MST_MAP_MAX_NUMBERS + 2)

mst_status mst_map_build(const mst_map *plan, mst_map_form form, mst_kernel **out, mst_error *error) {
    static const char *const forms[] = {"arrays without gaps, aligned", "arrays without gaps", "arrays with gaps"};
    const mst_program *program;
    char title[100];
    bool fp64 = plan->type == MST_FLOAT64;
    for (int k = 0; k < plan->n_inputs; k++)
        fp64 = fp64 || (plan->types[k] == MST_FLOAT64 && !mst_map_narrows(plan, k));
    snprintf(title, sizeof title, "map: %s, vectors of %u", forms[form], form == MST_MAP_STRIDED ? 1 : plan->width);
    mst_status status = mst_program_of_text(plan->context, title, &plan->texts[form],
                                            fp64 ? "-D PRECISION=64" : "-D PRECISION=32", &program, error);
    return status == MST_OK ? mst_kernel_create(program, "map", out, error) : status;
}

// A number in the type of the computation.
typedef union number {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} number;

static number number_of(mst_type type, double value) {
    switch (type) {
    case MST_INT8:
        return (number){.i8 = (int8_t)(int64_t)value};
    case MST_INT16:
        return (number){.i16 = (int16_t)(int64_t)value};
    case MST_INT32:
        return (number){.i32 = (int32_t)(int64_t)value};
    case MST_INT64:
        return (number){.i64 = (int64_t)value};
    case MST_FLOAT32:
        return (number){.f32 = (float)value};
    default:
        return (number){.f64 = value};
    }
}

// A number as an argument of the computation's type.
static mst_argument bind_number(const char *name, mst_type type, const number *n) {
    switch (type) {
    case MST_INT8:
        return MST_BIND_AS(name, n->i8);
    case MST_INT16:
        return MST_BIND_AS(name, n->i16);
    case MST_INT32:
        return MST_BIND_AS(name, n->i32);
    case MST_INT64:
        return MST_BIND_AS(name, n->i64);
    case MST_FLOAT32:
        return MST_BIND_AS(name, n->f32);
    default:
        return MST_BIND_AS(name, n->f64);
    }
}

mst_status mst_map_launch(const mst_map *plan, const mst_kernel *kernel, mst_map_form form, unsigned width, mst_queue *queue,
                          const mst_map_operand *ports, uint64_t n, mst_error *error) {
    mst_argument arguments[MOST_ARGUMENTS];
    number numbers[MST_MAP_MAX_NUMBERS];
    cl_long bases[MST_MAP_MAX_PORTS];
    cl_ulong length = plan->layouts[1].shape[plan->layouts[1].rank - 1];
    int order[MST_MAP_MAX_PORTS]; // the kernel takes the inputs, then the output
    size_t a = 0;
    for (int k = 0; k <= plan->n_inputs; k++) {
        order[k] = k < plan->n_inputs ? mst_map_port(k) : 1;
        const mst_map_operand *port = &ports[order[k]];
        bases[k] = port->base + (form == MST_MAP_STRIDED ? 0 : (cl_long)port->first);
        arguments[a++] = MST_BIND_AS(plan->words[k].array, port->buffer);
        arguments[a++] = MST_BIND_AS(plan->words[k].base, bases[k]);
    }
    for (int k = 0; k <= plan->n_inputs && form == MST_MAP_STRIDED; k++) {
        arguments[a++] = MST_BIND_AS(plan->words[k].lines, ports[order[k]].lines);
        arguments[a++] = MST_BIND_AS(plan->words[k].first, ports[order[k]].first);
    }
    for (int k = 0; k < plan->n_numbers; k++) {
        numbers[k] = number_of(plan->type, plan->numbers[k]);
        arguments[a++] = bind_number(plan->number_words[k], plan->type, &numbers[k]);
    }
    if (form == MST_MAP_STRIDED)
        arguments[a++] = MST_BIND(length, length);
    arguments[a++] = MST_BIND(n, n);
    size_t items = (size_t)(form == MST_MAP_STRIDED ? n : n / width + (width > 1 ? 1 : 0));
    return mst_kernel_launch(queue, kernel, arguments, a, items, mst_kernel_group(plan->context, kernel, items), NULL, error);
}
