// Building and launching the kernels of a map.
#include "plan.h"

#include "runtime/program.h"

#define MOST_ARGUMENTS (4 * MST_MAP_MAX_PORTS + MST_MAP_MAX_NUMBERS + 2)

mst_status mst_map_build(const mst_map *plan, const char *text, cl_kernel *out, mst_error *error) {
    cl_program program;
    bool fp64 = plan->type == MST_FLOAT64;
    for (int k = 0; k < plan->n_inputs; k++)
        fp64 = fp64 || (plan->types[k] == MST_FLOAT64 && !mst_map_narrows(plan, k));
    mst_status status = mst_program_build(plan->context, text, fp64 ? "-D PRECISION=64" : "-D PRECISION=32", &program, error);
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

mst_status mst_map_launch(const mst_map *plan, cl_kernel kernel, mst_map_form form, unsigned width, cl_command_queue queue,
                          const mst_map_operand *ports, uint64_t n, mst_error *error) {
    mst_argument arguments[MOST_ARGUMENTS];
    number numbers[MST_MAP_MAX_NUMBERS];
    cl_long bases[MST_MAP_MAX_PORTS];
    cl_ulong count = n, length = plan->layouts[1].shape[plan->layouts[1].rank - 1];
    int order[MST_MAP_MAX_PORTS]; // the kernel takes the inputs, then the output
    size_t a = 0;
    for (int k = 0; k <= plan->n_inputs; k++) {
        order[k] = k < plan->n_inputs ? mst_map_port(k) : 1;
        const mst_map_operand *port = &ports[order[k]];
        bases[k] = port->base + (form == MST_MAP_STRIDED ? 0 : (cl_long)port->first);
        arguments[a++] = (mst_argument)MST_ARGUMENT(port->buffer);
        arguments[a++] = (mst_argument)MST_ARGUMENT(bases[k]);
    }
    for (int k = 0; k <= plan->n_inputs && form == MST_MAP_STRIDED; k++) {
        arguments[a++] = (mst_argument)MST_ARGUMENT(ports[order[k]].lines);
        arguments[a++] = (mst_argument)MST_ARGUMENT(ports[order[k]].first);
    }
    for (int k = 0; k < plan->n_numbers; k++) {
        numbers[k] = number_of(plan->type, plan->numbers[k]);
        arguments[a++] = (mst_argument){.bytes = mst_type_bytes(plan->type), .value = &numbers[k]};
    }
    if (form == MST_MAP_STRIDED)
        arguments[a++] = (mst_argument)MST_ARGUMENT(length);
    arguments[a++] = (mst_argument)MST_ARGUMENT(count);
    size_t items = (size_t)(form == MST_MAP_STRIDED ? n : n / width + (width > 1 ? 1 : 0));
    return mst_kernel_enqueue(queue, kernel, arguments, a, items, mst_kernel_group(plan->context, kernel, items), error);
}
