// Building and launching the kernels of a map.
#include "plan.h"

#include <stdio.h>

// A number may be an argument in every type that is held, and a complex one by its parts.
#define MOST_NUMBERS (12 * MST_MAP_MAX_NUMBERS)
#define MOST_ARGUMENTS (4 * MST_MAP_MAX_PORTS + MOST_NUMBERS + 2)

mst_status mst_map_build(const mst_map *plan, mst_map_form form, mst_kernel **out, mst_error *error) {
    static const char *const forms[] = {"arrays without gaps, aligned", "arrays without gaps", "arrays with gaps"};
    const mst_program *program;
    char title[100];
    bool fp64 = mst_expr_has_double(plan->expression);
    for (int k = 0; k < plan->n_inputs; k++)
        fp64 = fp64 || (mst_type_part(plan->types[k]) == MST_FLOAT64 && !mst_map_narrows(plan, k));
    snprintf(title, sizeof title, "map: %s, vectors of %u", forms[form], form == MST_MAP_STRIDED ? 1 : plan->width);
    mst_status status = mst_program_of_text(plan->context, title, &plan->texts[form],
                                            fp64 ? "-D PRECISION=64" : "-D PRECISION=32", &program, error);
    return status == MST_OK ? mst_kernel_create(program, "map", out, error) : status;
}

// A number in the type that it takes.
typedef union number {
    cl_char i8;
    cl_uchar u8;
    cl_short i16;
    cl_ushort u16;
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    float f32;
    double f64;
} number;

// Sets it, and binds it to a parameter of that type. Whether it fits was seen when the plan was made.
static mst_argument bind_number(const char *name, mst_type type, double value, number *n) {
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

// The arguments of those leaves that are numbers; returns how many.
static size_t bind_numbers(const mst_map *plan, char (*words)[MST_MAP_MAX_NUMBER_WORD], number *numbers,
                           mst_argument *arguments) {
    size_t n = 0;
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(plan->expression)[i];
        if (leaf->symbol < (size_t)plan->n_inputs)
            continue;
        const mst_map_number *given = &plan->numbers[leaf->symbol - (size_t)plan->n_inputs];
        mst_map_number_word(plan, leaf, words[n]);
        arguments[n] = bind_number(words[n], mst_type_held((mst_type)leaf->offsets[0]),
                                   leaf->level ? given->imaginary : given->value, &numbers[n]);
        n++;
    }
    return n;
}

mst_status mst_map_launch(const mst_map *plan, const mst_kernel *kernel, mst_map_form form, unsigned width, mst_queue *queue,
                          const mst_map_operand *ports, uint64_t n, mst_error *error) {
    mst_argument arguments[MOST_ARGUMENTS];
    number numbers[MOST_NUMBERS];
    char words[MOST_NUMBERS][MST_MAP_MAX_NUMBER_WORD];
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
    a += bind_numbers(plan, words, numbers, &arguments[a]);
    if (form == MST_MAP_STRIDED)
        arguments[a++] = MST_BIND(length, length);
    arguments[a++] = MST_BIND(n, n);
    size_t items = (size_t)(form == MST_MAP_STRIDED ? n : n / width + (width > 1 ? 1 : 0));
    return mst_kernel_launch(queue, kernel, arguments, a, items, mst_kernel_group(plan->context, kernel, items), NULL, error);
}
