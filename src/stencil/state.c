// Writing and initialising the state, wherever it lies.
#include "given.h"
#include "half.h"
#include "halo.h"
#include "initial.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"
#include "schedules/nonfinite.h"
#include "scheme/expressions.h"
#include "scheme/layers.h"
#include "scheme/region.h"
#include "solver.h"
#include "stream/transfer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = MST_STATE_CHUNK };

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
        ((double *)to)[i] = mst_problem_rounded(p, value);
    else
        ((float *)to)[i] = (float)mst_problem_rounded(p, value);
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

// What is given of an array, on its way to elements that the solver holds.
typedef struct state_load {
    mst_stencil *solver;
    int array;
    const mst_given *given;
    bool of_whole; // the array of the whole grid is given, else what the solver holds
    void *read, *values;
} state_load;

// Elements first .. first + count - 1, of which those that lie one behind the other in what is given are read at once.
static mst_status load_elements(const state_load *l, uint64_t first, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil *s = l->solver;
    const mst_transfer *from = &l->given->from;
    const size_t bytes = mst_type_bytes(from->layout.type);
    for (uint64_t k = 0, n; k < count; k += n) {
        const mst_part_piece all = {first + k, count - k, first + k};
        const mst_part_piece piece = l->of_whole ? mst_part_piece_at(&s->problem, l->array, first + k) : all;
        n = mst_smaller(piece.count, count - k);
        MST_TRY(
            mst_transfer_read(s->context->pool, from, (size_t)piece.at * bytes, (size_t)(piece.at + n) * bytes, l->read, error));
        MST_TRY(
            load_part(&s->problem, l->given, l->read, piece.at, n, (unsigned char *)l->values + k * s->problem.element, error));
    }
fail:
    return status;
}

static mst_status load(mst_stencil *s, int array, const mst_given *given, bool of_whole, mst_error *error) {
    mst_status status = MST_OK;
    state_load l = {s, array, given, of_whole, NULL, NULL};
    const uint64_t all = mst_layers_array_nodes(&s->problem, array);
    l.values = malloc(CHUNK * s->problem.element);
    l.read = malloc(CHUNK * mst_type_bytes(given->from.layout.type));
    MST_REQUIRE(l.values && l.read, MST_ERROR_HOST_MEMORY, "out of memory for initial values");
    for (uint64_t first = 0; first < all; first += CHUNK) {
        const uint64_t n = mst_smaller(all - first, (uint64_t)CHUNK);
        MST_TRY(load_elements(&l, first, n, error));
        MST_TRY(mst_solver_put(s, array, first, n, l.values, error));
    }
fail:
    free(l.values);
    free(l.read);
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
        MST_TRY(load(s, array, &given, true, error));
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

static mst_status write_field(mst_stencil *s, const char *field, int level, bool whole, mst_type type, mst_location from,
                              mst_error *error) {
    mst_status status = MST_OK;
    int array;
    MST_TRY(mst_solver_find(s, field, level, &array, error));
    MST_REQUIRE(from.place == MST_PLACE_HOST || from.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "`from` must be host memory or a file");
    const size_t shape[] = {
        (size_t)(whole ? mst_part_whole_elements(&s->problem, array) : mst_layers_array_nodes(&s->problem, array))};
    const mst_given t = {{mst_layout_dense(type, 1, shape), from, "the values", NULL}, NULL, 0};
    MST_REQUIRE(mst_given_is_real(type), MST_ERROR_ARGUMENT, "the values are %s; they must be real numbers", mst_type_name(type));
    mst_observer_forget(&s->observer);
    MST_TRY(load(s, array, &t, whole, error));
    if (array < s->problem.n_arrays) {
        s->missing &= ~((uint64_t)1 << array);
        MST_TRY(mst_part_written(s, array, error));
    }
fail:
    return status;
}

mst_status mst_stencil_write_as(mst_stencil *s, const char *field, int level, mst_type type, mst_location from,
                                mst_error *error) {
    mst_status status = mst_solver_take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, write_field(s, field, level, false, type ? type : mst_solver_precision(s), from, error));
}

mst_status mst_stencil_write_whole(mst_stencil *s, const char *field, int level, mst_type type, mst_location from,
                                   mst_error *error) {
    mst_status status = mst_solver_take_turn(s, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, write_field(s, field, level, true, type ? type : mst_solver_precision(s), from, error));
}

mst_status mst_stencil_write(mst_stencil *s, const char *field, int level, mst_location from, mst_error *error) {
    return mst_stencil_write_as(s, field, level, (mst_type)0, from, error);
}
