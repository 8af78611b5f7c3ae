// The boundaries of a scheme: those of all fields, and sets that are some fields' own.
#include "faces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const mst_problem_boundary *mst_problem_face(const mst_problem *p, int set, int axis, int side) {
    static const mst_problem_boundary mirror = {.kind = MST_BOUNDARY_NEUMANN, .mirrors = true, .shift = 1};
    if (set == MST_COEFFICIENT_FACES)
        return mst_problem_periodic(p, axis) ? &p->boundaries[axis][side] : &mirror;
    return set == 0 ? &p->boundaries[axis][side] : &p->own_sets[set - 1][axis][side];
}

static bool negates(mst_boundary_kind kind) { return kind == MST_BOUNDARY_ANTIMIRROR || kind == MST_BOUNDARY_ANTIMIRROR_NODE; }
static bool mirrors(mst_boundary_kind kind) {
    return kind == MST_BOUNDARY_NEUMANN || kind == MST_BOUNDARY_MIRROR_NODE || negates(kind);
}

static bool is_of_all(const mst_stencil_boundary *b) {
    return b->kind == MST_BOUNDARY_PERIODIC || b->kind == MST_BOUNDARY_SPONGE || b->kind == MST_BOUNDARY_ABSORB;
}

static bool is_same(const mst_stencil_boundary *a, const mst_stencil_boundary *b) {
    return a->kind == b->kind && a->width == b->width && a->speed == b->speed && a->reflection == b->reflection &&
           a->order == b->order && a->kappa == b->kappa && a->alpha == b->alpha && !a->value == !b->value &&
           (!a->value || !strcmp(a->value, b->value));
}

static const mst_stencil_boundary *given(const mst_stencil_desc *desc, const mst_stencil_field *field, int k, int side) {
    static const mst_stencil_boundary zero = {.kind = MST_BOUNDARY_DIRICHLET};
    const mst_stencil_boundary *all = field && field->boundaries ? field->boundaries : desc->boundaries;
    return all ? &all[2 * k + side] : &zero;
}

static bool has_same(const mst_stencil_desc *desc, int rank, const mst_stencil_field *a, const mst_stencil_field *b) {
    for (int i = 0; i < 2 * rank; i++)
        if (!is_same(given(desc, a, i / 2, i % 2), given(desc, b, i / 2, i % 2)))
            return false;
    return true;
}

static mst_status read_face(const mst_stencil_desc *desc, mst_problem *p, const mst_stencil_field *field, int k, int side,
                            mst_problem_boundary *to, mst_face_value_reader read, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_boundary *from = given(desc, field, k, side), *all = given(desc, NULL, k, side);
    const mst_boundary_kind kind = from->kind;
    const uint64_t length = p->grid[mst_problem_axis(p->rank, k)];
    char what[MST_EXPR_MAX_NAME + 80];
    snprintf(what, sizeof what, "the boundary value%s%s at the %s end of axis %d", field ? " of " : "", field ? field->name : "",
             side ? "upper" : "lower", k);
    MST_REQUIRE(kind == MST_BOUNDARY_DIRICHLET || mirrors(kind) || is_of_all(from), MST_ERROR_ARGUMENT,
                "boundary %d of axis %d is no kind of boundary", (int)kind, k);
    MST_REQUIRE((kind == MST_BOUNDARY_PERIODIC) == (given(desc, field, k, !side)->kind == MST_BOUNDARY_PERIODIC),
                MST_ERROR_ARGUMENT, "axis %d is periodic at one end only", k);
    MST_REQUIRE(!field || !(is_of_all(from) || is_of_all(all)) || is_same(from, all), MST_ERROR_ARGUMENT,
                "the boundary of %s at the %s end of axis %d is not that of all fields, as periodic ones, sponges and absorbing "
                "layers are",
                field ? field->name : "", side ? "upper" : "lower", k);
    MST_REQUIRE(kind != MST_BOUNDARY_SPONGE || (from->width >= 1 && from->width <= length), MST_ERROR_ARGUMENT,
                "the sponge of axis %d is %zu nodes wide; the axis has %llu", k, from->width, (unsigned long long)length);
    MST_REQUIRE(!from->value || kind == MST_BOUNDARY_DIRICHLET, MST_ERROR_ARGUMENT,
                "axis %d has a boundary value, but the boundary is not Dirichlet", k);
    to->kind = kind;
    to->width = from->width;
    to->mirrors = mirrors(kind);
    to->negates = negates(kind);
    to->shift = kind == MST_BOUNDARY_NEUMANN || kind == MST_BOUNDARY_ANTIMIRROR;
    to->is_own = field && !is_same(from, all);
    if (from->value)
        MST_TRY(read(p, desc, from->value, what, &to->value, error));
fail:
    return status;
}

static mst_status read_set(const mst_stencil_desc *desc, mst_problem *p, const mst_stencil_field *field,
                           mst_problem_boundary set[N_AXES][2], mst_face_value_reader read, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < p->rank; k++)
        for (int side = 0; side < 2; side++)
            MST_TRY(read_face(desc, p, field, k, side, &set[mst_problem_axis(p->rank, k)][side], read, error));
fail:
    return status;
}

// The set of field f: one that is there, or a new one.
static mst_status find_set(const mst_stencil_desc *desc, mst_problem *p, int f, mst_face_value_reader read, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_field *field = &desc->fields[f];
    if (has_same(desc, p->rank, field, NULL))
        return MST_OK;
    for (int other = 0; other < f; other++)
        if (!p->fields[other].coefficient && has_same(desc, p->rank, field, &desc->fields[other])) {
            p->fields[f].faces = p->fields[other].faces;
            return MST_OK;
        }
    p->fields[f].faces = p->n_sets++;
    MST_TRY(read_set(desc, p, field, p->own_sets[p->fields[f].faces - 1], read, error));
fail:
    return status;
}

// A node beyond a mirror on the last node must be like one of the grid, as far as any update reads.
static mst_status check_reach(const mst_problem *p, const mst_formula *formula, mst_error *error) {
    mst_status status = MST_OK;
    for (int i = 0; i < p->rank; i++) {
        const int axis = mst_problem_axis(p->rank, i);
        for (int set = 0; set < p->n_sets; set++)
            for (int side = 0; side < 2; side++) {
                const mst_problem_boundary *face = mst_problem_face(p, set, axis, side);
                for (size_t k = 0; k < formula->n_leaves && face->mirrors && face->shift == 0; k++)
                    MST_REQUIRE((uint64_t)abs(formula->leaves[k].offsets[axis]) < p->grid[axis], MST_ERROR_ARGUMENT,
                                "an update reads at an offset of %d along axis %d, which has only %llu nodes and is mirrored at "
                                "the last of them",
                                formula->leaves[k].offsets[axis], i, (unsigned long long)p->grid[axis]);
            }
    }
fail:
    return status;
}

mst_status mst_problem_read_faces(const mst_stencil_desc *desc, mst_problem *p, mst_face_value_reader read, mst_error *error) {
    mst_status status = MST_OK;
    p->n_sets = 1;
    MST_REQUIRE(p->own_sets = calloc((size_t)p->n_fields, sizeof *p->own_sets), MST_ERROR_HOST_MEMORY,
                "out of memory for boundaries");
    MST_TRY(read_set(desc, p, NULL, p->boundaries, read, error));
    for (int f = 0; f < (int)desc->n_fields; f++) { // the others are memory variables, which are not read there
        MST_REQUIRE(!p->fields[f].coefficient || !desc->fields[f].boundaries, MST_ERROR_ARGUMENT,
                    "coefficient field %s has boundaries; such fields are mirrored", p->fields[f].name);
        p->fields[f].faces = p->fields[f].coefficient ? MST_COEFFICIENT_FACES : 0;
        if (!p->fields[f].coefficient)
            MST_TRY(find_set(desc, p, f, read, error));
    }
    for (int u = 0; u < p->n_updates; u++)
        MST_TRY(check_reach(p, &p->updates[u].formula, error));
fail:
    return status;
}
