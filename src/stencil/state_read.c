// Reading the state, wherever it lies.
#include "half.h"
#include "halo.h"
#include "runtime/numbers.h"
#include "scheme/layers.h"
#include "scheme/region.h"
#include "solver.h"
#include "stream/transfer.h"

#include <mastaba/stencil.h>

#include <stdlib.h>
#include <string.h>

enum { CHUNK = MST_STATE_CHUNK };

// The array that a field's level is, -1 if there is none.
static int find_array(const mst_stencil *s, const char *name, int level) {
    int f = mst_problem_find(&s->problem, name);
    if (f < 0 || level < 0 || level >= s->problem.fields[f].levels)
        return -1;
    return s->problem.fields[f].array + (s->problem.fields[f].coefficient ? s->problem.n_arrays : level);
}

mst_status mst_solver_find(const mst_stencil *s, const char *name, int level, int *array, mst_error *error) {
    *array = find_array(s, name, level);
    return *array >= 0 ? MST_OK
                       : mst_fail(error, MST_ERROR_ARGUMENT, "there is no level %d of a field %s", level, name ? name : "(NULL)");
}

mst_status mst_solver_take_turn(mst_stencil *s, mst_error *error) {
    return s ? mst_turn_take(s->turn, error) : mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
}

// As numbers of the scheme's precision, or of float16 as they lie in memory.
static mst_status get(mst_stencil *s, int array, mst_type type, uint64_t first, uint64_t count, void *to, mst_error *error) {
    mst_status status = MST_OK;
    uint16_t *halves = NULL;
    if (type == MST_FLOAT16 || !mst_problem_is_half(&s->problem, array))
        return s->schedule->kind->get(s->schedule, array, first, count, to, error);
    MST_REQUIRE(halves = malloc((size_t)count * sizeof *halves), MST_ERROR_HOST_MEMORY, "out of memory reading a field");
    MST_TRY(s->schedule->kind->get(s->schedule, array, first, count, halves, error));
    mst_floats_of_halves(halves, (size_t)count, to);
fail:
    free(halves);
    return status;
}

typedef struct reading {
    mst_stencil *s;
    int array;
    mst_type type;
    mst_region nodes; // of the array that the solver holds
    mst_transfer to;
    unsigned char *row, *packed;
    uint64_t filled, written; // elements
} reading;

static mst_status flush(reading *r, mst_error *error) {
    size_t e = mst_type_bytes(r->type);
    mst_status status = mst_transfer_write(r->s->context->pool, &r->to, (size_t)r->written * e,
                                           (size_t)(r->written + r->filled) * e, r->packed, error);
    r->written += r->filled;
    r->filled = 0;
    return status;
}

// Every step-th of count elements from `first` on.
static mst_status read_line(reading *r, uint64_t first, uint64_t step, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    size_t e = mst_type_bytes(r->type);
    uint64_t at_once = step < CHUNK ? (CHUNK - 1) / step + 1 : 1;
    for (uint64_t k = 0; k < count; k += at_once) {
        uint64_t n = count - k < at_once ? count - k : at_once;
        if (r->filled + n > CHUNK)
            MST_TRY(flush(r, error));
        unsigned char *packed = r->packed + r->filled * e;
        MST_TRY(get(r->s, r->array, r->type, first + k * step, (n - 1) * step + 1, step == 1 ? packed : r->row, error));
        for (uint64_t i = 0; i < n && step > 1; i++)
            memcpy(packed + i * e, r->row + i * step * e, e);
        r->filled += n;
    }
fail:
    return status;
}

// Elements that lie one behind the other in what the part holds, to where they are in an array of the whole grid.
static mst_status write_run(reading *r, uint64_t first, uint64_t count, const unsigned char *from, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t e = mst_type_bytes(r->type);
    for (uint64_t k = 0, n; k < count; k += n) {
        const mst_part_piece piece = mst_part_piece_at(&r->s->problem, r->array, first + k);
        n = mst_smaller(piece.count, count - k);
        MST_TRY(mst_transfer_write(r->s->context->pool, &r->to, (size_t)(piece.at * e), (size_t)((piece.at + n) * e),
                                   from + k * e, error));
    }
fail:
    return status;
}

static mst_status read_run(reading *r, uint64_t first, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t k = 0, n; k < count; k += n) {
        n = mst_smaller(count - k, (uint64_t)CHUNK);
        MST_TRY(get(r->s, r->array, r->type, first + k, n, r->packed, error));
        MST_TRY(write_run(r, first + k, n, r->packed, error));
    }
fail:
    return status;
}

// Parts of rows, of many with one copy from the device, which brings what lies between them, too.
static mst_status read_rows(reading *r, uint64_t first, uint64_t n_rows, uint64_t pitch, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t at_once = pitch < CHUNK ? CHUNK / pitch : 1, e = mst_type_bytes(r->type);
    for (uint64_t j = 0, n; j < n_rows; j += n, first += n * pitch) {
        n = mst_smaller(n_rows - j, at_once);
        if (n == 1) {
            MST_TRY(read_run(r, first, count, error));
            continue;
        }
        MST_TRY(get(r->s, r->array, r->type, first, (n - 1) * pitch + count, r->packed, error));
        for (uint64_t row = 0; row < n; row++)
            MST_TRY(write_run(r, first + row * pitch, count, r->packed + row * pitch * e, error));
    }
fail:
    return status;
}

// The part's own nodes of an array, to where they are in one of the whole grid: as many at once as lie one behind the other.
static mst_status read_own(reading *r, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t *start = r->nodes.start, *count = r->nodes.count;
    uint64_t grid[N_AXES];
    mst_layers_grid(&r->s->problem, r->array, grid);
    const bool rows = count[COLUMNS] == grid[COLUMNS], planes = rows && count[ROWS] == grid[ROWS];
    for (uint64_t i = 0; i < (planes ? 1 : count[PLANES]); i++) {
        const uint64_t first = ((start[PLANES] + i) * grid[ROWS] + start[ROWS]) * grid[COLUMNS] + start[COLUMNS];
        if (rows)
            MST_TRY(read_run(r, first, count[COLUMNS] * count[ROWS] * (planes ? count[PLANES] : 1), error));
        else
            MST_TRY(read_rows(r, first, count[ROWS], grid[COLUMNS], count[COLUMNS], error));
    }
fail:
    return status;
}

// The nodes of a region one behind the other.
static mst_status read_region(reading *r, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t grid[N_AXES];
    mst_layers_grid(&r->s->problem, r->array, grid);
    const uint64_t plane = grid[ROWS] * grid[COLUMNS], *start = r->nodes.start, *step = r->nodes.step, *count = r->nodes.count;
    const bool rows = count[COLUMNS] == grid[COLUMNS], planes = rows && count[ROWS] == grid[ROWS] && step[PLANES] == 1;
    if (planes)
        MST_TRY(read_line(r, start[PLANES] * plane, 1, count[PLANES] * plane, error));
    for (uint64_t i = 0; i < count[PLANES] && !planes; i++)
        for (uint64_t j = 0; j < count[ROWS]; j++) {
            const uint64_t row = (start[PLANES] + i * step[PLANES]) * grid[ROWS] + start[ROWS] + j * step[ROWS];
            MST_TRY(read_line(r, row * grid[COLUMNS] + start[COLUMNS], step[COLUMNS], count[COLUMNS], error));
        }
    MST_TRY(flush(r, error));
fail:
    return status;
}

static mst_status read_field(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, bool whole,
                             mst_type type, mst_location to, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const bool of_part = s->halo_steps > 0;
    uint64_t grid[N_AXES];
    reading r = {.s = s, .type = type};
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    MST_TRY(mst_solver_find(s, field, level, &r.array, error));
    MST_REQUIRE(type == mst_solver_precision(s) || (type == MST_FLOAT16 && mst_problem_is_half(p, r.array)), MST_ERROR_ARGUMENT,
                "%s is read as %s; it is stored as %s", field, mst_type_name(type),
                mst_type_name(mst_problem_is_half(p, r.array) ? MST_FLOAT16 : mst_solver_precision(s)));
    MST_REQUIRE(to.place == MST_PLACE_HOST || to.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "`to` must be host memory or a file");
    mst_layers_grid(p, r.array, grid);
    MST_TRY(of_part ? mst_part_region(s, r.array, region, &r.nodes, error)
                    : mst_region_read(p->rank, grid, region, &r.nodes, error));
    if (r.nodes.nodes == 0) // of a memory variable, where the part has none
        return MST_OK;
    const size_t total[] = {(size_t)(whole ? mst_part_whole_elements(p, r.array) : r.nodes.nodes)};
    r.to = (mst_transfer){mst_layout_dense(type, 1, total), to, "the values read", NULL};
    r.packed = malloc(CHUNK * p->element);
    r.row = malloc(CHUNK * p->element);
    MST_REQUIRE(r.packed && r.row, MST_ERROR_HOST_MEMORY, "out of memory reading a field");
    MST_TRY(whole && of_part ? read_own(&r, error) : read_region(&r, error));
fail:
    free(r.packed);
    free(r.row);
    return status;
}

mst_status mst_stencil_read_as(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, mst_type type,
                               mst_location to, mst_error *error) {
    mst_status status = mst_solver_take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, read_field(s, field, level, region, false, type ? type : mst_solver_precision(s), to, error));
}

mst_status mst_stencil_read_whole(mst_stencil *s, const char *field, int level, mst_type type, mst_location to,
                                  mst_error *error) {
    mst_status status = mst_solver_take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, read_field(s, field, level, NULL, true, type ? type : mst_solver_precision(s), to, error));
}

mst_status mst_stencil_read(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, mst_location to,
                            mst_error *error) {
    return mst_stencil_read_as(s, field, level, region, (mst_type)0, to, error);
}
