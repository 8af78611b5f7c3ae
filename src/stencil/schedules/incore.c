// The whole state stays on the device, twice: m steps go from one copy to the other.
#include "runtime/program.h"
#include "stencil/solver.h"

static uint64_t array_bytes(const mst_stencil *s) { return s->problem.nodes * s->problem.element; }

static mst_status take(mst_stencil *s, int n, mst_window *window, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    window->planes = (int64_t)p->grid[PLANES];
    window->rows = (int64_t)p->grid[ROWS];
    window->columns = (int64_t)p->grid[COLUMNS];
    for (int a = 0; a < n; a++)
        MST_TRY(mst_device_allocate(s->context, CL_MEM_READ_WRITE, array_bytes(s), "the state of an in-core run",
                                    &window->buffers[a], error));
fail:
    return status;
}

static mst_status prepare(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < 2; k++)
        MST_TRY(take(s, s->problem.n_arrays, &s->state[k], error));
    MST_TRY(take(s, s->problem.n_coefficients, &s->held, error));
fail:
    return status;
}

static void release(mst_stencil *s) {
    for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++) {
        for (int k = 0; k < 2; k++)
            mst_device_release(s->context, s->state[k].buffers[a], array_bytes(s));
        mst_device_release(s->context, s->held.buffers[a], array_bytes(s));
    }
}

static mst_status advance(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    const mst_box grid = mst_solver_grid(s);
    (void)run;
    while (n > 0) {
        const mst_stepper *stepper = mst_solver_stepper(s, n);
        MST_TRY(mst_stepper_enqueue(stepper, s->context->compute, &s->state[s->current], &s->state[!s->current], &s->held, &grid,
                                    1, row, error));
        s->current = !s->current;
        row += (uint64_t)stepper->pipeline.m;
        n -= (uint64_t)stepper->pipeline.m;
    }
fail:
    return status;
}

static mst_status settle(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    (void)run;
    MST_TRY_CL(clFinish(s->context->compute), "the steps failed");
fail:
    return status;
}

const mst_engine mst_in_core_engine = {prepare, release, advance, settle};
