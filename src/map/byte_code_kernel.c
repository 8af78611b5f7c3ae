// The kernels of byte code, and launching them.
#include "byte_code.h"
#include "reduce.h"

#include "expr/elementary.h"
#include "runtime/numbers.h"

#include <stdio.h>

enum { VECTOR_BYTES = 32, N_ARRAYS = MST_MAP_MAX_INPUTS + 1, OUTPUT = MST_MAP_MAX_INPUTS };

static unsigned width_of(mst_type type) { return mst_type_bytes(type) > 1 ? VECTOR_BYTES / (unsigned)mst_type_bytes(type) : 16; }

static void write_defines(mst_type type, unsigned width, mst_text *text) {
    static const struct {
        const char *name;
        mst_type type;
    } types[] = {{"BOOL", MST_BOOL},     {"INT8", MST_INT8},       {"INT16", MST_INT16},     {"INT32", MST_INT32},
                 {"INT64", MST_INT64},   {"UINT8", MST_UINT8},     {"UINT16", MST_UINT16},   {"UINT32", MST_UINT32},
                 {"UINT64", MST_UINT64}, {"FLOAT16", MST_FLOAT16}, {"FLOAT32", MST_FLOAT32}, {"FLOAT64", MST_FLOAT64}};
    const char *name = mst_type_opencl(type);
    char as[20], of_float[24] = "(number)";
    snprintf(as, sizeof as, mst_type_bytes(type) > 4 || type == MST_FLOAT32 ? "as_%s" : "(%s)", name);
    if (!mst_type_is_float(type)) // as mst_expr_write_lowered has it: what is beyond the type becomes its end
        snprintf(of_float, sizeof of_float, "convert_%s_sat", name);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        mst_text_put(text, "#define $name $type\n", MST_SET(name, types[k].name), MST_SET(type, (int)types[k].type));
    mst_text_put(text,
                 "#define WIDTH $width\n"
                 "#define VECTORS $vectors\n"
                 "#define SLOTS $slots\n"
                 "#define NUMBER_TYPE $number\n"
                 "#define NUMBER_IS_FLOAT $is_float\n"
                 "#define NUMBER_WORDS $words\n"
                 "#define AS_NUMBER(bits) $as(bits)\n"
                 "#define OF_FLOAT(x) $of_float(x)\n"
                 "typedef $type number;\n"
                 "typedef $type$width numbers;\n\n",
                 MST_SET(width, width), MST_SET(vectors, MST_MAP_SLOT_BYTES / (width * (unsigned)mst_type_bytes(type))),
                 MST_SET(slots, (int)MST_EXPR_CODE_SLOTS), MST_SET(number, (int)type),
                 MST_SET(is_float, mst_type_is_float(type) ? 1 : 0), MST_SET(words, mst_type_bytes(type) > 4 ? 2 : 1),
                 MST_SET(as, as), MST_SET(of_float, of_float), MST_SET(type, name));
}

mst_status mst_map_stage_build(mst_map *plan, mst_map_stage *stage, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    mst_text text = {0};
    char title[100];
    const mst_program *program;
    const unsigned width = width_of(stage->made.type);
    static const char *const called[] = {"", ", functions", ", functions and gamma"};
    const mst_expr_calls calls = mst_expr_calls_of(stage->made.expression);
    mst_text_put(&text, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    write_defines(stage->made.type, width, &text);
    MST_TRY(mst_expr_write_block(mst_elementary_of(&context->device), stage->made.type, calls, width, &text, error));
    MST_TRY(mst_program_add_file(context, "byte_code.cl", &text, error));
    MST_TRY(mst_elementary_define(context, &text, error));
    snprintf(title, sizeof title, "map: byte code of %s%s", mst_type_name(stage->made.type), called[calls]);
    MST_TRY(mst_program_of_text(context, title, &text, context->device.fp64 ? "-D PRECISION=64" : "-D PRECISION=32", &program,
                                error));
    MST_TRY(mst_kernel_create(program, "byte_code", &stage->kernel, error));
fail:
    mst_text_release(&text);
    return status;
}

// Where an array's elements from number `element` of the block on lie. Temporary arrays hold a chunk of them.
static mst_map_operand operand_of(const mst_map *plan, const mst_map_operand *ports, int array, uint64_t element) {
    const struct mst_map_code *code = plan->code;
    mst_map_operand operand;
    if (array < plan->n_inputs) {
        operand = ports[mst_map_port(plan, array)];
        operand.first += element;
        return operand;
    }
    const mst_map_stage *stage = &code->stages[array - plan->n_inputs];
    if (mst_map_is_temporary(plan, stage))
        return (mst_map_operand){.buffer = code->temporaries, .base = (cl_long)(stage->place / mst_type_bytes(stage->stored))};
    operand = ports[1 + stage->output];
    operand.first += element;
    return operand;
}

// n elements from number `element` of the block on, which begins with number `begin` of the shape.
static mst_status launch(mst_map *plan, int number, mst_queue *queue, const mst_map_operand *ports, uint64_t begin,
                         uint64_t element, uint64_t n, mst_error *error) {
    static const char *const arrays[N_ARRAYS] = {"in_0", "in_1", "in_2", "in_3", "in_4", "in_5", "in_6", "out"};
    static const char *const tables[N_ARRAYS] = {"lines_0", "lines_1", "lines_2", "lines_3",
                                                 "lines_4", "lines_5", "lines_6", "lines_7"};
    const mst_map_stage *stage = &plan->code->stages[number];
    mst_argument arguments[2 * N_ARRAYS + 8];
    mst_map_operand operands[N_ARRAYS];
    cl_mem lines[N_ARRAYS];
    cl_long8 bases = {{0}}, firsts = {{0}};
    cl_ulong8 shape;
    cl_uint gaps = 0;
    const size_t *lengths = plan->reduce ? plan->reduce->now.shape : plan->shape.shape;
    const int n_ones = MST_MAX_RANK - plan->shape.rank;
    const cl_ulong block = MST_MAP_SLOT_BYTES / mst_type_bytes(stage->made.type), at = begin + element;
    for (int axis = 0; axis < MST_MAX_RANK; axis++)
        shape.s[axis] = axis < n_ones ? 1 : lengths[axis - n_ones];
    for (int k = 0; k < N_ARRAYS; k++) {
        operands[k] = (mst_map_operand){.buffer = stage->words};
        if (k < stage->n_arrays || k == OUTPUT)
            operands[k] = operand_of(plan, ports, k == OUTPUT ? plan->n_inputs + number : stage->arrays[k], element);
        const bool has_gaps = operands[k].lines && operands[k].lines != plan->lines[MST_MAP_MAX_PORTS];
        lines[k] = has_gaps ? operands[k].lines : stage->words;
        bases.s[k] = operands[k].base;
        firsts.s[k] = (cl_long)operands[k].first;
        gaps |= has_gaps ? 1u << k : 0;
        arguments[k] = MST_BIND_AS(arrays[k], operands[k].buffer);
        arguments[N_ARRAYS + k] = MST_BIND_AS(tables[k], lines[k]);
    }
    const cl_ulong items = 4 * (cl_ulong)plan->context->units;
    const cl_ulong share = mst_divide_up(mst_divide_up(n, items), block) * block;
    size_t a = 2 * (size_t)N_ARRAYS;
    arguments[a++] = MST_BIND(bases, bases);
    arguments[a++] = MST_BIND(firsts, firsts);
    arguments[a++] = MST_BIND(gaps, gaps);
    arguments[a++] = MST_BIND(shape, shape);
    arguments[a++] = MST_BIND_AS("element", at);
    arguments[a++] = MST_BIND_AS("words", stage->words);
    arguments[a++] = MST_BIND(share, share);
    arguments[a++] = MST_BIND(n, n);
    return mst_kernel_launch(queue, stage->kernel, arguments, a, (size_t)mst_divide_up(n, share), 1, NULL, error);
}

mst_status mst_map_code_launch(mst_map *plan, mst_queue *queue, const mst_map_operand *ports, uint64_t element, uint64_t n,
                               mst_error *error) {
    mst_status status = MST_OK;
    const struct mst_map_code *code = plan->code;
    for (uint64_t done = 0; done < n && status == MST_OK; done += code->chunk) {
        const uint64_t some = mst_smaller(n - done, code->chunk);
        for (int k = 0; k < code->n_stages && status == MST_OK; k++) {
            if (done + some == n && k == code->n_stages - 1)
                mst_queue_expect_mark(queue);
            status = launch(plan, k, queue, ports, element, done, some, error);
        }
        if (some == n - done)
            break;
    }
    return status;
}

uint64_t mst_map_code_place(const mst_map *plan, int root) {
    const mst_map_stage *stage = plan->code->stages;
    while (stage->output != root)
        stage++;
    return stage->place / mst_type_bytes(stage->stored);
}
