// Reading, writing and initialising the state, wherever it lies.
#include "given.h"
#include "half.h"
#include "halo.h"
#include "initial.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"
#include "schedules/nonfinite.h"
#include "scheme/layers.h"
#include "scheme/region.h"
#include "solver.h"
#include "stream/transfer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 }; // elements moved at a time

static mst_type precision(const mst_stencil *s) { return s->problem.is_double ? MST_FLOAT64 : MST_FLOAT32; }

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

static const char *name_of(const mst_problem *p, int array) {
    for (int f = 0; f < p->n_fields; f++) {
        const int first = p->fields[f].array + (p->fields[f].coefficient ? p->n_arrays : 0);
        if (array >= first && array < first + p->fields[f].levels)
            return p->fields[f].name;
    }
    return "a field";
}

// What float16 does not hold must not become infinite without a word.
static mst_status check_range(const mst_problem *p, int array, uint64_t first, uint64_t count, const float *values,
                              mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t i = 0; i < count; i++)
        MST_REQUIRE(!(fabsf(values[i]) >= 65520) || isinf(values[i]), MST_ERROR_ARGUMENT,
                    "%s is %g at node number %llu; float16, as which it is stored, goes to 65504", name_of(p, array),
                    (double)values[i], (unsigned long long)(first + i));
fail:
    return status;
}

static mst_status put_halves(mst_stencil *s, int array, uint64_t first, uint64_t count, const float *from, mst_error *error) {
    mst_status status = MST_OK;
    uint16_t *halves = NULL;
    MST_REQUIRE(halves = malloc((size_t)count * sizeof *halves), MST_ERROR_HOST_MEMORY, "out of memory writing a field");
    MST_TRY(check_range(&s->problem, array, first, count, from, error));
    mst_halves_of_floats(from, (size_t)count, halves);
    MST_TRY(s->schedule->kind->put(s->schedule, array, first, count, halves, error));
fail:
    free(halves);
    return status;
}

// Values that are not finite are counted on their way, to know later whether there are more.
mst_status mst_solver_put(mst_stencil *s, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    if (s->check_every && array < s->problem.n_arrays)
        s->nonfinite[array] = (first ? s->nonfinite[array] : 0) + mst_nonfinite_count(from, count, s->problem.element);
    return mst_problem_is_half(&s->problem, array) ? put_halves(s, array, first, count, from, error)
                                                   : s->schedule->kind->put(s->schedule, array, first, count, from, error);
}

static void put_value(const mst_problem *p, void *to, uint64_t i, double value) {
    if (p->is_double)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

typedef struct filling {
    const mst_problem *problem;
    const mst_formula *formula;
    uint64_t first, count;
    void *to;
} filling;

static mst_status fill_part(size_t part, void *user, mst_error *error) {
    enum { PART = 1 << 14, RUN = 1 << 9 };
    mst_status status = MST_OK;
    const filling *f = user;
    const mst_problem *p = f->problem;
    double values[RUN];
    uint64_t end = (part + 1) * PART < f->count ? (part + 1) * PART : f->count, n;
    for (uint64_t i = part * PART; i < end; i += n) {
        uint64_t node = f->first + i, column = node % p->grid[COLUMNS];
        const int64_t at[N_AXES] = {(int64_t)(node / p->plane), (int64_t)(node / p->grid[COLUMNS] % p->grid[ROWS]),
                                    (int64_t)column};
        n = p->grid[COLUMNS] - column < RUN ? p->grid[COLUMNS] - column : RUN;
        n = end - i < n ? end - i : n;
        MST_TRY(mst_formula_row(p, f->formula, at, (size_t)n, values, error));
        for (uint64_t k = 0; k < n; k++)
            put_value(p, f->to, i + k, values[k]);
    }
fail:
    return status;
}

static mst_status fill(mst_stencil *s, int array, const mst_formula *formula, mst_error *error) {
    mst_status status = MST_OK;
    void *values = NULL;
    bool done;
    MST_TRY(mst_initial_fill(s, array, formula, &done, error));
    MST_REQUIRE(done || (values = malloc(CHUNK * s->problem.element)), MST_ERROR_HOST_MEMORY, "out of memory for initial values");
    const uint64_t nodes = mst_layers_array_nodes(&s->problem, array);
    for (uint64_t at = 0; at < nodes && !done; at += CHUNK) {
        uint64_t n = nodes - at < CHUNK ? nodes - at : CHUNK;
        filling f = {&s->problem, formula, at, n, values};
        if (formula)
            MST_TRY(mst_pool_run(s->context->pool, (size_t)((n + (1 << 14) - 1) >> 14), fill_part, &f, error));
        else
            memset(values, 0, (size_t)n * s->problem.element);
        MST_TRY(mst_solver_put(s, array, at, n, values, error));
    }
fail:
    free(values);
    return status;
}

static mst_status load_part(const mst_problem *p, const mst_given *given, const char *read, uint64_t first, uint64_t count,
                            void *to, mst_error *error) {
    enum { RUN = 1 << 9 };
    mst_status status = MST_OK;
    const size_t bytes = mst_type_bytes(given->from.layout.type);
    double values[RUN];
    for (uint64_t i = 0, n; i < count; i += n) {
        n = mst_smaller(count - i, (uint64_t)RUN);
        MST_TRY(mst_given_values(given, read + i * bytes, first + i, (size_t)n, values, error));
        for (uint64_t k = 0; k < n; k++) {
            MST_REQUIRE(p->is_double || isinf(values[k]) || !(fabs(values[k]) > (double)FLT_MAX), MST_ERROR_ARGUMENT,
                        "%s is %g at node number %llu; float32, in which the scheme is computed, goes to %g", given->from.name,
                        values[k], (unsigned long long)(first + i + k), (double)FLT_MAX);
            put_value(p, to, i + k, values[k]);
        }
    }
fail:
    return status;
}

// A piece of an array from what is given of the whole one.
static mst_status load(mst_stencil *s, int array, const mst_given *given, const mst_part_piece *piece, mst_error *error) {
    mst_status status = MST_OK;
    const mst_transfer *from = &given->from;
    size_t bytes = mst_type_bytes(from->layout.type);
    void *values = NULL, *read = NULL;
    MST_REQUIRE((values = malloc(CHUNK * s->problem.element)) && (read = malloc(CHUNK * bytes)), MST_ERROR_HOST_MEMORY,
                "out of memory for initial values");
    for (uint64_t k = 0; k < piece->count; k += CHUNK) {
        const uint64_t n = mst_smaller(piece->count - k, (uint64_t)CHUNK), at = piece->at + k;
        MST_TRY(mst_transfer_read(s->context->pool, from, (size_t)at * bytes, (size_t)(at + n) * bytes, read, error));
        MST_TRY(load_part(&s->problem, given, read, at, n, values, error));
        MST_TRY(mst_solver_put(s, array, piece->first + k, n, values, error));
    }
fail:
    free(values);
    free(read);
    return status;
}

static mst_status initialise(mst_stencil *s, const mst_stencil_desc *desc, const mst_stencil_field *field,
                             const mst_stencil_initial *initial, int array, mst_error *error) {
    mst_status status = MST_OK;
    mst_formula formula = {0};
    mst_given given;
    char what[MST_EXPR_MAX_NAME + 30];
    snprintf(what, sizeof what, "the initial value of %s", field->name);
    MST_TRY(mst_given_check(desc, field, initial, what, &given, error));
    if (initial->expression) {
        MST_TRY(mst_problem_initial(&s->problem, desc, initial->expression, what, &formula, error));
        MST_TRY(fill(s, array, &formula, error));
    } else if (initial->layout.rank == 0) {
        MST_TRY(fill(s, array, NULL, error));
    } else {
        mst_part_piece pieces[MST_PART_PIECES];
        const int n = mst_part_pieces(&s->problem, array, pieces);
        for (int k = 0; k < n; k++)
            MST_TRY(load(s, array, &given, &pieces[k], error));
    }
fail:
    mst_formula_release(&formula);
    return status;
}

mst_status mst_solver_initialise(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    for (int f = (int)desc->n_fields; f < p->n_fields; f++) // memory variables
        MST_TRY(fill(s, p->fields[f].array, NULL, error));
    for (int f = 0; f < (int)desc->n_fields; f++) {
        const mst_stencil_field *field = &desc->fields[f];
        const mst_stencil_initial *previous = &field->previous;
        int array = p->fields[f].array + (p->fields[f].coefficient ? p->n_arrays : 0);
        MST_TRY(initialise(s, desc, field, &field->initial, array, error));
        if (p->fields[f].levels == 2)
            MST_TRY(initialise(s, desc, field, previous->expression || previous->layout.rank ? previous : &field->initial,
                               array + 1, error));
    }
    s->steps_left = s->halo_steps;
    for (int a = 0; a < p->n_arrays && s->halo_steps > 0 && s->check_every; a++)
        MST_TRY(mst_solver_count(s, a, &s->nonfinite[a], error));
fail:
    return status;
}

// The array that a field's level is, -1 if there is none.
static int find_array(const mst_stencil *s, const char *name, int level) {
    int f = mst_problem_find(&s->problem, name);
    if (f < 0 || level < 0 || level >= s->problem.fields[f].levels)
        return -1;
    return s->problem.fields[f].array + (s->problem.fields[f].coefficient ? s->problem.n_arrays : level);
}

static mst_status find(const mst_stencil *s, const char *name, int level, int *array, mst_error *error) {
    *array = find_array(s, name, level);
    return *array >= 0 ? MST_OK
                       : mst_fail(error, MST_ERROR_ARGUMENT, "there is no level %d of a field %s", level, name ? name : "(NULL)");
}

typedef struct reading {
    mst_stencil *s;
    int array;
    mst_type type;
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

static mst_status take_turn(mst_stencil *s, mst_error *error) {
    return s ? mst_turn_take(s->turn, error) : mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
}

static mst_status read_field(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, mst_type type,
                             mst_location to, mst_error *error) {
    mst_status status = MST_OK;
    mst_region nodes;
    uint64_t grid[N_AXES];
    reading r = {.s = s, .type = type};
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    MST_TRY(find(s, field, level, &r.array, error));
    const mst_problem *p = &s->problem;
    MST_REQUIRE(type == precision(s) || (type == MST_FLOAT16 && mst_problem_is_half(p, r.array)), MST_ERROR_ARGUMENT,
                "%s is read as %s; it is stored as %s", field, mst_type_name(type),
                mst_type_name(mst_problem_is_half(p, r.array) ? MST_FLOAT16 : precision(s)));
    mst_layers_grid(&s->problem, r.array, grid);
    if (s->halo_steps > 0)
        MST_TRY(mst_part_region(s, r.array, region, &nodes, error));
    else
        MST_TRY(mst_region_read(s->problem.rank, grid, region, &nodes, error));
    const uint64_t plane = grid[ROWS] * grid[COLUMNS], *start = nodes.start, *step = nodes.step, *count = nodes.count;
    MST_REQUIRE(to.place == MST_PLACE_HOST || to.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "`to` must be host memory or a file");
    const size_t total[] = {(size_t)nodes.nodes};
    r.to = (mst_transfer){mst_layout_dense(type, 1, total), to, "the values read"};
    r.packed = malloc(CHUNK * p->element);
    r.row = malloc(CHUNK * p->element);
    MST_REQUIRE(r.packed && r.row, MST_ERROR_HOST_MEMORY, "out of memory reading a field");
    bool rows = count[COLUMNS] == grid[COLUMNS], planes = rows && count[ROWS] == grid[ROWS] && step[PLANES] == 1;
    if (planes)
        MST_TRY(read_line(&r, start[PLANES] * plane, 1, count[PLANES] * plane, error));
    for (uint64_t i = 0; i < count[PLANES] && !planes; i++)
        for (uint64_t j = 0; j < count[ROWS]; j++) {
            uint64_t row = (start[PLANES] + i * step[PLANES]) * grid[ROWS] + start[ROWS] + j * step[ROWS];
            MST_TRY(read_line(&r, row * grid[COLUMNS] + start[COLUMNS], step[COLUMNS], count[COLUMNS], error));
        }
    MST_TRY(flush(&r, error));
fail:
    free(r.packed);
    free(r.row);
    return status;
}

mst_status mst_stencil_read_as(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, mst_type type,
                               mst_location to, mst_error *error) {
    mst_status status = take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, read_field(s, field, level, region, type ? type : precision(s), to, error));
}

mst_status mst_stencil_read(mst_stencil *s, const char *field, int level, const mst_stencil_region *region, mst_location to,
                            mst_error *error) {
    return mst_stencil_read_as(s, field, level, region, (mst_type)0, to, error);
}

static mst_status write_field(mst_stencil *s, const char *field, int level, mst_type type, mst_location from, mst_error *error) {
    mst_status status = MST_OK;
    int array;
    MST_TRY(find(s, field, level, &array, error));
    MST_REQUIRE(from.place == MST_PLACE_HOST || from.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "`from` must be host memory or a file");
    const size_t shape[] = {(size_t)mst_layers_array_nodes(&s->problem, array)};
    const mst_given t = {{mst_layout_dense(type, 1, shape), from, "the values"}, NULL, 0};
    MST_REQUIRE(mst_given_is_real(type), MST_ERROR_ARGUMENT, "the values are %s; they must be real numbers", mst_type_name(type));
    mst_observer_forget(&s->observer);
    MST_TRY(load(s, array, &t, &(mst_part_piece){0, shape[0], 0}, error));
    if (array < s->problem.n_arrays) {
        s->missing &= ~((uint64_t)1 << array);
        MST_TRY(mst_part_written(s, array, error));
    }
fail:
    return status;
}

mst_status mst_stencil_write_as(mst_stencil *s, const char *field, int level, mst_type type, mst_location from,
                                mst_error *error) {
    mst_status status = take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, write_field(s, field, level, type ? type : precision(s), from, error));
}

mst_status mst_stencil_write(mst_stencil *s, const char *field, int level, mst_location from, mst_error *error) {
    return mst_stencil_write_as(s, field, level, (mst_type)0, from, error);
}
