// Building and launching the kernels of a map.
#include "bind.h"
#include "reduce.h"

#include <stdio.h>

#define CPU_VECTOR_BYTES 32 // wider ones are halved by compilers, and slower
#define GPU_VECTOR_BYTES 16

static unsigned most_width(const mst_map *plan) { return plan->has_parts ? 8 : 16; }

unsigned mst_map_safe_width(const mst_map *plan) {
    bool cpu = (plan->context->device.type & CL_DEVICE_TYPE_CPU) != 0;
    unsigned bytes = mst_expr_largest(plan->expression), width = (cpu ? CPU_VECTOR_BYTES : GPU_VECTOR_BYTES) / bytes;
    return width > most_width(plan) ? most_width(plan) : width;
}

bool mst_map_is_double(const mst_map *plan) {
    bool fp64 = mst_map_computes_double(plan);
    for (int k = 0; k < plan->n_inputs; k++)
        fp64 = fp64 || (mst_type_part(plan->types[k]) == MST_FLOAT64 && !mst_map_narrows(plan, k));
    return fp64;
}

mst_status mst_map_build(const mst_map *plan, mst_map_form form, bool cached, mst_kernel **out, mst_error *error) {
    static const char *const forms[] = {"arrays without gaps, aligned", "arrays without gaps", "arrays with gaps"};
    const char *options = mst_map_is_double(plan) ? "-D PRECISION=64" : "-D PRECISION=32";
    const mst_program *program;
    char title[100];
    *out = NULL;
    snprintf(title, sizeof title, "map: %s, vectors of %u", forms[form], form == MST_MAP_STRIDED ? 1 : plan->width);
    mst_status status = cached ? mst_program_find_text(plan->context, title, &plan->texts[form], options, &program, error)
                               : mst_program_of_text(plan->context, title, &plan->texts[form], options, &program, error);
    return status == MST_OK && program ? mst_kernel_create(program, "map", out, error) : status;
}

// Sets it, and binds it to a parameter of that type. Whether it fits was seen when the plan was made.
static mst_argument bind_number(const char *name, mst_type type, double value, mst_map_value *n) {
    const int64_t whole = mst_type_is_integer(type) ? (int64_t)value : 0;
    switch (type) {
    case MST_INT8:
        return n->i8 = (cl_char)whole, MST_BIND_AS(name, n->i8);
    case MST_UINT8:
        return n->u8 = (cl_uchar)whole, MST_BIND_AS(name, n->u8);
    case MST_INT16:
        return n->i16 = (cl_short)whole, MST_BIND_AS(name, n->i16);
    case MST_UINT16:
        return n->u16 = (cl_ushort)whole, MST_BIND_AS(name, n->u16);
    case MST_INT32:
        return n->i32 = (cl_int)whole, MST_BIND_AS(name, n->i32);
    case MST_UINT32:
        return n->u32 = (cl_uint)whole, MST_BIND_AS(name, n->u32);
    case MST_INT64:
        return n->i64 = (cl_long)whole, MST_BIND_AS(name, n->i64);
    case MST_UINT64:
        return n->u64 = (cl_ulong)whole, MST_BIND_AS(name, n->u64);
    case MST_FLOAT32:
        return n->f32 = (float)value, MST_BIND_AS(name, n->f32);
    default:
        return n->f64 = value, MST_BIND_AS(name, n->f64);
    }
}

size_t mst_map_bind_numbers(const mst_map *plan, const mst_expr *expression, mst_map_number_binding *b, mst_argument *arguments) {
    size_t n = 0;
    for (size_t i = 0; i < mst_expr_n_leaves(expression); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(expression)[i];
        if (!mst_map_is_number(plan, leaf))
            continue;
        const mst_map_number *given = &plan->numbers[leaf->symbol - (size_t)plan->n_inputs];
        mst_map_number_word(plan, leaf, b->words[n]);
        arguments[n] = bind_number(b->words[n], mst_type_held((mst_type)leaf->offsets[0]),
                                   leaf->level ? given->imaginary : given->value, &b->values[n]);
        n++;
    }
    return n;
}

size_t mst_map_bind_arrays(const mst_map *plan, mst_map_form form, int n, const mst_map_operand *ports, cl_long *bases,
                           mst_argument *arguments) {
    int order[MST_MAP_MAX_PORTS]; // the kernel takes the inputs, then the outputs
    size_t a = 0;
    for (int k = 0; k < n; k++) {
        order[k] = k < plan->n_inputs ? mst_map_port(plan, k) : 1 + k - plan->n_inputs;
        const mst_map_operand *port = &ports[order[k]];
        bases[k] = port->base + (form == MST_MAP_STRIDED ? 0 : (cl_long)port->first);
        arguments[a++] = MST_BIND_AS(plan->words[k].array, port->buffer);
        arguments[a++] = MST_BIND_AS(plan->words[k].base, bases[k]);
    }
    for (int k = 0; k < n && form == MST_MAP_STRIDED; k++) {
        arguments[a++] = MST_BIND_AS(plan->words[k].lines, ports[order[k]].lines);
        arguments[a++] = MST_BIND_AS(plan->words[k].first, ports[order[k]].first);
    }
    return a;
}

mst_status mst_map_launch(const mst_map *plan, const mst_kernel *kernel, mst_map_form form, unsigned width, mst_queue *queue,
                          const mst_map_operand *ports, uint64_t element, uint64_t n, mst_error *error) {
    mst_argument arguments[MST_MAP_MOST_ARGUMENTS];
    mst_map_number_binding numbers;
    mst_map_index_binding indices;
    cl_long bases[MST_MAP_MAX_PORTS];
    cl_ulong length = plan->shape.shape[plan->shape.rank - 1];
    size_t a = mst_map_bind_arrays(plan, form, plan->n_inputs + plan->n_outputs, ports, bases, arguments);
    a += mst_map_bind_numbers(plan, plan->expression, &numbers, &arguments[a]);
    a += mst_map_bind_indices(plan, NULL, plan->shape.shape, &indices, &arguments[a]);
    if (mst_map_has_indices(plan))
        arguments[a++] = MST_BIND(element, element);
    if (form == MST_MAP_STRIDED)
        arguments[a++] = MST_BIND(length, length);
    arguments[a++] = MST_BIND(n, n);
    size_t items = (size_t)(form == MST_MAP_STRIDED ? n : n / width + (width > 1 ? 1 : 0));
    return mst_kernel_launch(queue, kernel, arguments, a, items, mst_kernel_group(plan->context, kernel, items), NULL, error);
}
