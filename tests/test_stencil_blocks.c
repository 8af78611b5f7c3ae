// Blocks of the pyramid method on a GPU's kernels: windows which hold whole work-items, vectors of either type and short last
// blocks change no bit. Grids and budgets of next to nothing.
// Every solver of cut columns and of next to nothing has kernels of its own: a run takes one in eight.
#include "support_stencil.h"

#include <string.h>

static const mst_stencil_field line[] = {{.name = "u", .initial = {.expression = "sin(x) + 0.001 * x"}},
                                         {.name = "c", .initial = {.expression = "0.1 + 0.0001 * x"}, .coefficient = true}};
static const mst_stencil_field field[] = {{.name = "u", .initial = {.expression = "sin(x + 3 * y) + 0.1 * x"}},
                                          {.name = "c", .initial = {.expression = "0.1 + 0.001 * x"}, .coefficient = true}};

static mst_stencil_desc problem(int rank, const char *update[1], bool constant) {
    static mst_stencil_update updates[1];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    updates[0] = (mst_stencil_update){"u", update[0], 0};
    d.rank = rank;
    d.precision = MST_FLOAT32;
    d.fields = rank == 1 ? line : field;
    d.n_fields = constant ? 2 : 1;
    d.updates = updates;
    d.n_updates = 1;
    return d;
}

// Tiles in two dimensions and slabs in one, whose columns are cut: vectors of both types, reaches of whole vectors and less.
static void test_cut_columns(void **state) {
    static const char *const updates[2][2] = {
        {"u + 0.1 * (u[-1] - 2 * u + u[2])", "u + c[3] * (u[-4] - u) + c[-1] * (u[3] - u)"},
        {"u + 0.1 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", "u + c[1,-4] * (u[-1,4] - u) + c[0,2] * (u[0,-3] - u[2,0])"}};
    mst_context *context = *state;
    char text[200];
    for (int i = 0; i < 24; i++) {
        if (!test_turn((size_t)i / 2 + 5 * (size_t)(i % 2), 8)) // in either rank
            continue;
        int rank = 1 + i % 2, which = i / 2 % 2;
        mst_stencil_desc d = problem(rank, (const char *[]){updates[rank - 1][which]}, which == 1);
        d.grid[0] = rank == 1 ? test_between(300, 900) : test_between(30, 90);
        d.grid[1] = test_between(300, 700);
        d.precision = i % 8 < 4 && mst_context_device(context)->fp64 ? MST_FLOAT64 : MST_FLOAT32;
        d.shape = MST_STENCIL_SHAPE_GPU;
        d.schedule = rank == 1 ? MST_STENCIL_PYRAMID_SLABS : MST_STENCIL_PYRAMID_TILES;
        d.fuse = 1 + (unsigned)i / 8;
        d.depth = d.fuse + test_between(0, 6);
        d.block = test_between(20, 280);
        d.store = i % 3 ? MST_STENCIL_STORE_PINNED : MST_STENCIL_STORE_MEMORY;
        mst_stencil_boundary ends[4] = {{.kind = MST_BOUNDARY_DIRICHLET}};
        if (i % 4 == 3)
            ends[2 * rank - 2].kind = ends[2 * rank - 1].kind = MST_BOUNDARY_PERIODIC;
        d.boundaries = ends;
        const size_t portions[] = {d.depth, 3};
        test_scheme reference = test_scheme_run(&d, d.depth + 3);
        snprintf(text, sizeof text, "%s on %zu x %zu, type %d, n = %zu, m = %u, b = %zu", updates[rank - 1][which], d.grid[0],
                 rank == 1 ? 1 : d.grid[1], (int)d.precision, d.depth, d.fuse, d.block);
        test_scheme_check(context, &d, portions, 2, &reference, text);
        test_scheme_free(&reference);
    }
}

// Two steps of this scheme reach as far as one, since one of its fields reads no neighbours: a trip of single steps reaches
// further than a deeper one of fused ones.
static void test_trips_that_reach_further(void **state) {
    static const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "sin(x)"}},
                                               {.name = "v", .initial = {.expression = "cos(2 * x)"}},
                                               {.name = "c", .initial = {.expression = "0.1 + 0.001 * x"}, .coefficient = true}};
    static const mst_stencil_update updates[] = {{"u", "0.9 * v", 0}, {"v", "0.3 * (u[-1] + u[1]) + c[1]", 0}};
    for (size_t short_trip = 1; short_trip < 5; short_trip++) {
        mst_stencil_desc d = MST_STENCIL_DESC_INIT;
        char text[60];
        d.rank = 1;
        d.grid[0] = test_between(20, 90);
        d.fields = fields;
        d.n_fields = 3;
        d.updates = updates;
        d.n_updates = 2;
        d.precision = MST_FLOAT32;
        d.shape = short_trip % 2 ? MST_STENCIL_SHAPE_CPU : MST_STENCIL_SHAPE_GPU;
        d.schedule = MST_STENCIL_PYRAMID_SLABS;
        d.fuse = 4;
        d.depth = 4 + short_trip % 3;
        d.block = test_between(3, 9);
        const size_t portions[] = {d.depth, short_trip};
        test_scheme reference = test_scheme_run(&d, d.depth + short_trip);
        snprintf(text, sizeof text, "%zu nodes, n = %zu, b = %zu, then %zu steps", d.grid[0], d.depth, d.block, short_trip);
        test_scheme_check(*state, &d, portions, 2, &reference, text);
        test_scheme_free(&reference);
    }
}

// Rates are measured on whatever there is: a few nodes, or a budget for a few.
static void test_next_to_nothing(void **state) {
    static const char *const updates[] = {"0.5 * u + 0.1 * u[1]", "0.5 * u + 0.1 * u[1,-1]", "0.5 * u + 0.1 * u[1,0,-1]"};
    static const size_t grids[][3] = {{1, 1, 1}, {3, 1, 1}, {1, 2, 1}, {2, 1, 3}};
    mst_stencil *solver;
    mst_error e;
    for (int rank = 1; rank <= 3; rank++)
        for (size_t i = 0; i < 8; i++) {
            mst_stencil_desc d = problem(rank, (const char *[]){updates[rank - 1]}, false);
            if (!test_turn(i + 3 * (size_t)rank, 8))
                continue;
            memcpy(d.grid, grids[i % 4], sizeof grids[0]);
            d.shape = i / 4 ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
            OK(mst_stencil_create(*state, &d, &solver, &e));
            OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
            mst_stencil_destroy(solver);
        }
    size_t turn = 0;
    for (uint64_t budget = 32; budget < 6000; budget = budget * 7 / 4) {
        mst_context_desc cd = MST_CONTEXT_DESC_INIT;
        cd.device_memory = budget;
        mst_context *small = test_context(&cd);
        for (int rank = 1; rank <= 3; rank++) {
            mst_stencil_desc d = problem(rank, (const char *[]){updates[rank - 1]}, false);
            d.grid[0] = rank == 1 ? 2000 : 64;
            d.grid[1] = d.grid[2] = 32;
            if (!test_turn(turn++, 7))
                continue;
            mst_status status = mst_stencil_create(small, &d, &solver, &e);
            CHECK(status == MST_OK || status == MST_ERROR_BUDGET, "%llu bytes, %d axes: %s", (unsigned long long)budget, rank,
                  e.message);
            mst_stencil_destroy(solver);
        }
        mst_context_destroy(small);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_columns), cmocka_unit_test(test_trips_that_reach_further),
                                       cmocka_unit_test(test_next_to_nothing)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
