#include "byte_code.h"

#include "expr/code.h"
#include "expr/elementary.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 8,
    LOAD = 4,
    VECTOR_BYTES = 32,
    SLOT_BYTES = 1024,
    N_ARRAYS = MST_MAP_MAX_INPUTS + 1,
    OUTPUT = MST_MAP_MAX_INPUTS,
    INDEX = N_ARRAYS // of the first of MST_MAX_RANK axes, in place of an array's number
};

// Measured with PoCL 3.1 on two cores of an EPYC with AVX-512: what compiling the kernel of a map takes, and how much longer byte
// code takes than a compiled kernel for an array's element and for an operation on it. Functions take as long in either; but
// outputs behind the first compute again what a compiled kernel computes once for all of them.
static const double compiling_seconds = 0.6, load_seconds = 0.1e-9, instruction_seconds = 0.1e-9, function_seconds = 3e-9;

typedef struct code_of_output {
    mst_expr *expression; // of one type
    unsigned values[2];   // its nodes, see mst_expr_in_one_type
    mst_type type;
    unsigned n_instructions;
    uint64_t bytes;
    cl_mem words; // see byte_code.cl
    mst_kernel *kernel;
} code_of_output;

struct mst_map_code {
    code_of_output outputs[MST_MAP_MAX_OUTPUTS];
    uint64_t elements, break_even; // computed so far, and from how many on kernels are compiled
};

// Who asks for a width of vectors asks for a kernel that has it.
static bool is_wanted(const mst_map *plan, const mst_map_desc *desc) {
    const bool is_cpu = (plan->context->device.type & CL_DEVICE_TYPE_CPU) != 0;
    return desc->compile_from > 1 || (desc->compile_from == 0 && is_cpu && !desc->vector_width && !desc->measure);
}

// Functions of the device's own have other bits in vectors than alone, which is how a compiled kernel has the last elements.
static bool has_same_functions(const mst_map *plan, const mst_expr *expression) {
    const mst_elementary *own = mst_elementary_of(&plan->context->device);
    for (unsigned i = 0; i < expression->n_nodes; i++) {
        const mst_expr_operation o = expression->nodes[i].operation;
        const bool is_exact = o == MST_EXPR_COPYSIGN || o == MST_EXPR_NEXTAFTER || o == MST_EXPR_MOD;
        if (mst_type_is_float(expression->nodes[i].type) && mst_expr_has_error(o) && !is_exact && !mst_elementary_has(own, o))
            return false;
    }
    return true;
}

static mst_status read_expression(mst_map *plan, int output, code_of_output *code, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = mst_expr_n_leaves(plan->expression);
    const mst_expr_leaf *leaves = mst_expr_leaves(plan->expression);
    const double **numbers = calloc(n + 1, sizeof *numbers);
    MST_REQUIRE(numbers, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (size_t i = 0; i < n; i++) {
        if (!mst_map_is_number(plan, &leaves[i]))
            continue;
        const mst_map_number *given = &plan->numbers[leaves[i].symbol - (size_t)plan->n_inputs];
        numbers[i] = leaves[i].level ? &given->imaginary : &given->value;
    }
    MST_TRY(mst_expr_in_one_type(plan->expression, &plan->roots[output], numbers, &code->expression, code->values, &code->type,
                                 error));
fail:
    free(numbers);
    return status;
}

static bool is_possible(const mst_map *plan) {
    bool narrows = false;
    for (int k = 0; k < plan->n_inputs; k++)
        narrows = narrows || mst_map_narrows(plan, k);
    return !plan->reduce && !narrows;
}

static double cost(const code_of_output *code, bool is_first) {
    const mst_expr *expression = code->expression;
    double seconds = load_seconds * (double)(mst_expr_n_leaves(expression) + 1) + instruction_seconds * code->n_instructions;
    for (unsigned i = 0; i < expression->n_nodes && !is_first; i++)
        seconds += mst_expr_has_error(expression->nodes[i].operation) ? function_seconds : 0;
    return seconds * (double)mst_type_bytes(code->type) / 4;
}

// The table of loads, and the code behind it.
static mst_status make_words(mst_map *plan, int output, code_of_output *code, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_code made = {.words = NULL};
    const unsigned n = (unsigned)mst_expr_n_leaves(code->expression);
    const mst_expr_leaf *leaves = mst_expr_leaves(code->expression);
    unsigned *slots = calloc(n + 1, sizeof *slots);
    int32_t *words = NULL;
    MST_REQUIRE(slots, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (unsigned i = 0; i < n; i++)
        slots[i] = i;
    MST_TRY(mst_expr_code_make(code->expression, code->type, slots, n, code->values, 2, &made, error));
    const size_t head = HEAD + (size_t)LOAD * n, n_words = head + made.n_words;
    MST_REQUIRE(words = calloc(n_words, sizeof *words), MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    words[0] = (int32_t)head;
    words[1] = (int32_t)n;
    words[2] = (int32_t)mst_type_part(plan->outputs[output].type);
    words[3] = mst_type_has_parts(plan->outputs[output].type) ? 2 : 1;
    words[4] = made.slots[0];
    words[5] = made.slots[1];
    for (unsigned i = 0; i < n; i++) {
        int32_t *load = words + HEAD + (size_t)LOAD * i;
        load[0] = mst_map_is_array(plan, &leaves[i])
                      ? (int32_t)leaves[i].symbol
                      : INDEX + MST_MAX_RANK - plan->shape.rank + mst_map_index_axis(plan, &leaves[i]);
        if (load[0] >= INDEX)
            continue;
        const mst_type type = plan->types[leaves[i].symbol];
        load[1] = (int32_t)mst_type_part(type);
        load[2] = leaves[i].level;
        load[3] = mst_type_has_parts(type) ? 2 : 1;
    }
    memcpy(words + head, made.words, made.n_words * sizeof *words);
    code->n_instructions = made.n_instructions;
    code->bytes = n_words * sizeof *words;
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_ONLY, code->bytes, "byte code", &code->words, error));
    mst_queue queue = MST_QUEUE(plan->context, mst_context_queue(plan->context));
    status = mst_queue_write(&queue, CL_TRUE, code->words, 0, code->bytes, words, "byte code", error);
    mst_queue_release(&queue);
fail:
    free(made.words);
    free(words);
    free(slots);
    return status;
}

static unsigned width_of(mst_type type) { return mst_type_bytes(type) > 1 ? VECTOR_BYTES / (unsigned)mst_type_bytes(type) : 16; }

static void write_defines(mst_type type, unsigned width, mst_text *text) {
    static const struct {
        const char *name;
        mst_type type;
    } types[] = {{"BOOL", MST_BOOL},     {"INT8", MST_INT8},       {"INT16", MST_INT16},     {"INT32", MST_INT32},
                 {"INT64", MST_INT64},   {"UINT8", MST_UINT8},     {"UINT16", MST_UINT16},   {"UINT32", MST_UINT32},
                 {"UINT64", MST_UINT64}, {"FLOAT16", MST_FLOAT16}, {"FLOAT32", MST_FLOAT32}, {"FLOAT64", MST_FLOAT64}};
    const char *name = mst_type_opencl(type);
    char as[20];
    snprintf(as, sizeof as, mst_type_bytes(type) > 4 || type == MST_FLOAT32 ? "as_%s" : "(%s)", name);
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
                 "typedef $type number;\n"
                 "typedef $type$width numbers;\n\n",
                 MST_SET(width, width), MST_SET(vectors, SLOT_BYTES / (width * (unsigned)mst_type_bytes(type))),
                 MST_SET(slots, (int)MST_EXPR_CODE_SLOTS), MST_SET(number, (int)type),
                 MST_SET(is_float, mst_type_is_float(type) ? 1 : 0), MST_SET(words, mst_type_bytes(type) > 4 ? 2 : 1),
                 MST_SET(as, as), MST_SET(type, name));
}

static mst_status build(mst_map *plan, code_of_output *code, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    mst_text text = {0};
    char title[100];
    const mst_program *program;
    const unsigned width = width_of(code->type);
    const bool functions = mst_expr_has_functions(code->expression);
    mst_text_put(&text, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    write_defines(code->type, width, &text);
    MST_TRY(mst_expr_write_block(mst_elementary_of(&context->device), code->type, functions, width, &text, error));
    MST_TRY(mst_program_add_file(context, "byte_code.cl", &text, error));
    MST_TRY(mst_elementary_define(context, &text, error));
    snprintf(title, sizeof title, "map: byte code of %s%s", mst_type_name(code->type), functions ? ", functions" : "");
    MST_TRY(mst_program_of_text(context, title, &text, context->device.fp64 ? "-D PRECISION=64" : "-D PRECISION=32", &program,
                                error));
    MST_TRY(mst_kernel_create(program, "byte_code", &code->kernel, error));
fail:
    mst_text_release(&text);
    return status;
}

void mst_map_code_destroy(mst_map *plan) {
    struct mst_map_code *code = plan->code;
    if (!code)
        return;
    for (int k = 0; k < plan->n_outputs; k++) {
        mst_expr_destroy(code->outputs[k].expression);
        mst_device_release(plan->context, code->outputs[k].words, code->outputs[k].bytes);
        mst_kernel_destroy(code->outputs[k].kernel);
    }
    free(code);
    plan->code = NULL;
}

// *exists: of all outputs.
static mst_status make_codes(mst_map *plan, bool *exists, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    *exists = is_possible(plan);
    for (int k = 0; k < plan->n_outputs && *exists; k++) {
        code_of_output *code = &plan->code->outputs[k];
        MST_TRY(read_expression(plan, k, code, error));
        *exists = code->expression && has_same_functions(plan, code->expression);
        if (!*exists)
            break;
        MST_TRY(make_words(plan, k, code, error));
        *seconds += cost(code, k == 0);
    }
fail:
    return status;
}

mst_status mst_map_code_create(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const bool asked_for = desc->compile_from > 1;
    bool exists = false;
    double seconds = 0;
    if (!is_wanted(plan, desc))
        return MST_OK;
    MST_REQUIRE(plan->code = calloc(1, sizeof *plan->code), MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    status = make_codes(plan, &exists, &seconds, error);
    if (!asked_for && (!exists || status == MST_ERROR_UNSUPPORTED)) { // which is too long for it
        mst_map_code_destroy(plan);
        return MST_OK;
    }
    MST_TRY(status);
    MST_REQUIRE(exists, MST_ERROR_UNSUPPORTED,
                "byte code is of maps whose operations are all of one type in each output; compile_from must be 0 or 1");
    const double units = plan->context->device.compute_units ? plan->context->device.compute_units : 1;
    plan->code->break_even = asked_for ? desc->compile_from : (uint64_t)(compiling_seconds * units / seconds);
fail:
    if (status != MST_OK)
        mst_map_code_destroy(plan);
    return status;
}

mst_status mst_map_code_expect(mst_map *plan, uint64_t n, bool *computes, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_map_code *code = plan->code;
    code->elements += n;
    *computes = code->elements < code->break_even;
    for (int k = 0; k < plan->n_outputs && *computes; k++) {
        if (code->outputs[k].kernel)
            continue;
        MST_TRY(build(plan, &code->outputs[k], error));
        mst_log(plan->context, MST_LOG_INFO, "map: byte code of %u instructions, compiled from %.2g elements on",
                code->outputs[k].n_instructions, (double)code->break_even);
    }
fail:
    return status;
}

static mst_status launch(mst_map *plan, const code_of_output *code, int output, mst_queue *queue, const mst_map_operand *ports,
                         uint64_t element, uint64_t n, mst_error *error) {
    static const char *const arrays[N_ARRAYS] = {"in_0", "in_1", "in_2", "in_3", "in_4", "in_5", "in_6", "out"};
    static const char *const tables[N_ARRAYS] = {"lines_0", "lines_1", "lines_2", "lines_3",
                                                 "lines_4", "lines_5", "lines_6", "lines_7"};
    mst_argument arguments[2 * N_ARRAYS + 8];
    cl_mem buffers[N_ARRAYS], lines[N_ARRAYS];
    cl_long8 bases = {{0}}, firsts = {{0}};
    cl_ulong8 shape;
    cl_uint gaps = 0;
    const int n_ones = MST_MAX_RANK - plan->shape.rank;
    const cl_ulong block = SLOT_BYTES / mst_type_bytes(code->type);
    for (int axis = 0; axis < MST_MAX_RANK; axis++)
        shape.s[axis] = axis < n_ones ? 1 : plan->shape.shape[axis - n_ones];
    for (int k = 0; k < N_ARRAYS; k++) {
        const bool is_used = k < plan->n_inputs || k == OUTPUT;
        const mst_map_operand *port = &ports[k == OUTPUT ? 1 + output : mst_map_port(plan, is_used ? k : 0)];
        buffers[k] = is_used ? port->buffer : code->words;
        const bool has_gaps = is_used && port->lines && port->lines != plan->lines[MST_MAP_MAX_PORTS];
        lines[k] = has_gaps ? port->lines : code->words;
        bases.s[k] = is_used ? port->base : 0;
        firsts.s[k] = is_used ? (cl_long)port->first : 0;
        gaps |= has_gaps ? 1u << k : 0;
        arguments[k] = MST_BIND_AS(arrays[k], buffers[k]);
        arguments[N_ARRAYS + k] = MST_BIND_AS(tables[k], lines[k]);
    }
    const cl_ulong items = 4 * (plan->context->device.compute_units ? plan->context->device.compute_units : 1);
    const cl_ulong share = mst_divide_up(mst_divide_up(n, items), block) * block;
    size_t a = 2 * (size_t)N_ARRAYS;
    arguments[a++] = MST_BIND(bases, bases);
    arguments[a++] = MST_BIND(firsts, firsts);
    arguments[a++] = MST_BIND(gaps, gaps);
    arguments[a++] = MST_BIND(shape, shape);
    arguments[a++] = MST_BIND(element, element);
    arguments[a++] = MST_BIND(words, code->words);
    arguments[a++] = MST_BIND(share, share);
    arguments[a++] = MST_BIND(n, n);
    return mst_kernel_launch(queue, code->kernel, arguments, a, (size_t)mst_divide_up(n, share), 1, NULL, error);
}

// The first output, which may be at the place of the first input, comes last.
mst_status mst_map_code_launch(mst_map *plan, mst_queue *queue, const mst_map_operand *ports, uint64_t element, uint64_t n,
                               mst_error *error) {
    mst_status status = MST_OK;
    for (int k = plan->n_outputs - 1; k >= 0 && status == MST_OK; k--) {
        if (k == 0)
            mst_queue_expect_mark(queue);
        status = launch(plan, &plan->code->outputs[k], k, queue, ports, element, n, error);
    }
    return status;
}
