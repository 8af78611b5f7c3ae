// Initial values by the device: for large grids compiling a kernel takes less than what the interpreter takes for every node. The
// kernel computes in double precision, as the interpreter does, so values differ by the error of the device's functions at most,
// before they are rounded to the scheme's precision. Whether a field is made this way depends on its formula, the grid and the
// device alone, so that it is the same for every schedule and budget.
#include "initial.h"

#include "expr/elementary.h"
#include "kernels/write.h"
#include "runtime/numbers.h"
#include "runtime/program.h"

#include <stdio.h>
#include <stdlib.h>

enum { LEAST_NODES = 1 << 23, MOST_PART = 1 << 22 }; // elements of a part that goes to the backing store

static mst_status build(mst_stencil *s, const mst_formula *formula, bool half, mst_kernel **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    mst_problem in_double = s->problem;
    const mst_program *program;
    const char *type = half ? "half" : s->problem.is_double ? "double" : "float";
    in_double.is_double = true;
    const mst_writer w = {.context = s->context, .problem = &in_double, .out = &text};
    mst_text_put(&text, "#define WIDTH 2\n");
    MST_TRY(mst_program_add_file(s->context, "stencil.cl", &text, error));
    mst_text_put(&text,
                 "// Nodes first to first + count - 1 of the grid; number k lies at element\n"
                 "// s5 + plane s4 + row s3 + column of `grid`, which has s0 planes, s1 rows and s2 columns.\n"
                 "__kernel void initial(__global $type *array, long8 grid, long first, long count$exceeded) {\n"
                 "const long k = get_global_id(0), node = first + k, line = node / grid.s2;\n"
                 "const long plane = line / grid.s1, row = line % grid.s1, column = node % grid.s2;\n"
                 "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n"
                 "if (k >= count)\nreturn;\n",
                 MST_SET(type, type), MST_SET(exceeded, half ? ", __global uint *exceeded" : ""));
    mst_write_place(&w, formula, "plane", "row", "0");
    mst_write_column(&w, formula, "column", 1);
    mst_write_formula(&w, formula, 1, NULL, "value");
    mst_text_put(&text,
                 half ? "if (isfinite(value) && fabs(value) >= 65520) // float16 would be infinite\n*exceeded = 1;\n"
                        "vstore_half_rte((float)value, grid.s5 + plane * grid.s4 + row * grid.s3 + column, array);\n}\n"
                      : "const $type rounded = ($type)value;\n"
                        "array[grid.s5 + plane * grid.s4 + row * grid.s3 + column] = $flushed;\n}\n",
                 MST_SET(type, type),
                 MST_SET(flushed, s->problem.is_flushed ? "isnormal(rounded) || !isfinite(rounded) ? rounded : 0" : "rounded"));
    MST_TRY(mst_elementary_define(s->context, &text, error));
    MST_TRY(mst_program_of_text(s->context, "stencil: initial values", &text, "-D PRECISION=64", &program, error));
    MST_TRY(mst_kernel_create(program, "initial", out, error));
fail:
    mst_text_release(&text);
    return status;
}

// `exceeded` is for the kernel of float16.
static mst_status launch(mst_queue *queue, const mst_kernel *kernel, cl_mem array, cl_mem exceeded, const cl_long8 *grid,
                         uint64_t from, uint64_t n, mst_error *error) {
    const cl_long first = (cl_long)from, count = (cl_long)n;
    const mst_argument arguments[] = {MST_BIND(array, array), MST_BIND(grid, *grid), MST_BIND(first, first),
                                      MST_BIND(count, count), MST_BIND(exceeded, exceeded)};
    return mst_kernel_launch(queue, kernel, arguments, MST_COUNT(arguments) - !exceeded, (size_t)n,
                             mst_kernel_group(queue->context, kernel, (size_t)n), NULL, error);
}

// The whole array that is lent: run after run.
static mst_status launch_runs(const mst_stencil *s, mst_queue *queue, const mst_kernel *kernel, const mst_loan *loan,
                              cl_mem exceeded, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    for (uint64_t run = 0; run < p->grids; run++) {
        cl_long8 grid = loan->grid;
        grid.s[5] += (cl_long)run * (grid.s[6] + grid.s[7]) * grid.s[4];
        MST_TRY(launch(queue, kernel, loan->buffer, exceeded, &grid, 0, p->nodes / p->grids, error));
    }
fail:
    return status;
}

// Parts are computed in memory that is lent, and go to the backing store from there.
static mst_status fill_store(mst_stencil *s, const mst_kernel *kernel, const mst_loan *loan, int array, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const uint64_t part = mst_smaller(loan->elements, (uint64_t)MOST_PART);
    mst_queue queue = mst_stepper_queue(s->context, &s->problem);
    void *values = NULL;
    MST_REQUIRE(values = malloc((size_t)part * p->element), MST_ERROR_HOST_MEMORY, "out of memory for initial values");
    for (uint64_t from = 0, n; from < p->nodes; from += n) {
        n = mst_smaller(p->nodes - from, part);
        const cl_long8 packed = {{(cl_long)p->grid[PLANES], (cl_long)p->grid[ROWS], (cl_long)p->grid[COLUMNS],
                                  (cl_long)p->grid[COLUMNS], (cl_long)p->plane, -(cl_long)from}};
        MST_TRY(launch(&queue, kernel, loan->buffer, NULL, &packed, from, n, error));
        MST_TRY(mst_queue_read(&queue, loan->buffer, 0, (size_t)n * p->element, values, "initial values", error));
        MST_TRY(mst_solver_put(s, array, from, n, values, error));
    }
fail:
    mst_queue_release(&queue);
    free(values);
    return status;
}

// An array of float16. *done is false if it does not hold all values: the interpreter will say which.
static mst_status fill_halves(mst_stencil *s, const mst_kernel *kernel, const mst_loan *loan, bool *done, mst_error *error) {
    mst_status status = MST_OK;
    cl_uint exceeded = 0;
    cl_mem flag = NULL;
    mst_queue queue = mst_stepper_queue(s->context, &s->problem);
    MST_TRY(mst_device_allocate(s->context, CL_MEM_READ_WRITE, sizeof exceeded, "initial values", &flag, error));
    MST_TRY(mst_queue_write(&queue, CL_TRUE, flag, 0, sizeof exceeded, &exceeded, "initial values", error));
    MST_TRY(launch_runs(s, &queue, kernel, loan, flag, error));
    MST_TRY(mst_queue_read(&queue, flag, 0, sizeof exceeded, &exceeded, "initial values", error));
    *done = !exceeded;
fail:
    mst_queue_release(&queue);
    mst_device_release(s->context, flag, sizeof exceeded);
    return status;
}

static mst_status fill_array(mst_stencil *s, const mst_kernel *kernel, const mst_loan *loan, int array, bool *done,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = mst_stepper_queue(s->context, &s->problem);
    if (mst_problem_is_half(&s->problem, array))
        MST_TRY(fill_halves(s, kernel, loan, done, error));
    else
        MST_TRY(launch_runs(s, &queue, kernel, loan, NULL, error));
    if (s->check_every && array < s->problem.n_arrays)
        MST_TRY(s->schedule->kind->count_nonfinite(s->schedule, array, &s->nonfinite[array], error));
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    mst_queue_release(&queue);
    return status;
}

// Of the whole grid, so that parts of any kind are made as it is; of a run's, so that it is made as if it were alone.
static bool is_large(const mst_problem *p) {
    return (p->has_run_planes ? 1 : p->whole[PLANES]) * p->whole[ROWS] * p->whole[COLUMNS] >= LEAST_NODES;
}

mst_status mst_initial_fill(mst_stencil *s, int array, const mst_formula *formula, bool *done, mst_error *error) {
    mst_status status = MST_OK;
    mst_kernel *kernel = NULL;
    mst_loan loan;
    s->schedule->kind->lend(s->schedule, array, &loan);
    *done = formula && formula->n_varying == 0 && s->context->device.fp64 && is_large(&s->problem) &&
            (loan.is_array || formula->n_leaves > 0);
    if (!*done)
        return MST_OK;
    MST_TRY(build(s, formula, loan.is_array && mst_problem_is_half(&s->problem, array), &kernel, error));
    MST_TRY(loan.is_array ? fill_array(s, kernel, &loan, array, done, error) : fill_store(s, kernel, &loan, array, error));
fail:
    mst_kernel_destroy(kernel);
    return status;
}
