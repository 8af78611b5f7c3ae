#include "spread.h"

#include <math.h>
#include <stdlib.h>

enum { USUAL_RADIUS = 4, MOST_AXIS_NODES = 2 * MST_SPREAD_MOST_RADIUS + 1 };

// What an axis gives to the product: nodes in ascending order, each once.
typedef struct axis_weights {
    int n;
    uint64_t nodes[MOST_AXIS_NODES];
    double weights[MOST_AXIS_NODES];
} axis_weights;

// ---- Weights at a distance, in nodes

// I0, the modified Bessel function of order 0, by its power series (Abramowitz and Stegun 9.6.12), all of whose terms are
// positive.
static double bessel_i0(double x) {
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

// Hicks' table 1: b of the least error for wave numbers up to pi / 2, that is, four nodes a wavelength.
static double kaiser_sinc(double distance, unsigned radius) {
    static const double b[MST_SPREAD_MOST_RADIUS] = {1.24, 2.94, 4.53, 6.31, 7.91, 9.42, 10.95, 12.53, 14.09, 14.18};
    const double pi = 3.14159265358979323846, ratio = distance / radius;
    const double window = bessel_i0(b[radius - 1] * sqrt(1 - ratio * ratio)) / bessel_i0(b[radius - 1]);
    return window * sin(pi * distance) / (pi * distance);
}

// ---- An axis

static bool is_zero(const mst_problem_boundary *face) {
    const double none[1] = {0};
    if (face->kind != MST_BOUNDARY_DIRICHLET || face->value.n_leaves > 0)
        return false;
    return !face->value.expr || mst_expr_evaluate(face->value.expr, none) == 0;
}

// Moves a node beyond a face to where the boundary says; false if there is nothing. Along short axes an image may lie beyond the
// other face.
static bool find_image(const mst_problem *p, int set, int axis, int64_t *node, double *weight) {
    const int64_t n = (int64_t)p->grid[axis];
    while (*node < 0 || *node >= n) {
        const int side = *node < 0 ? 0 : 1;
        const mst_problem_boundary *face = mst_problem_face(p, set, axis, side);
        if (face->kind == MST_BOUNDARY_PERIODIC) {
            *node = (*node % n + n) % n;
        } else if (face->mirrors) {
            *node = side ? 2 * n - 2 + face->shift - *node : -face->shift - *node;
            *weight = face->negates ? -*weight : *weight;
        } else if (is_zero(face) && *node != -1 && *node != n) {
            *node = side ? 2 * n - *node : -2 - *node;
            *weight = -*weight;
        } else {
            return false;
        }
    }
    return true;
}

static void add_weight(const mst_problem *p, int set, int axis, int64_t node, double weight, axis_weights *out) {
    int k = 0;
    if (!find_image(p, set, axis, &node, &weight))
        return;
    while (k < out->n && out->nodes[k] < (uint64_t)node)
        k++;
    if (k < out->n && out->nodes[k] == (uint64_t)node) {
        out->weights[k] += weight;
        return;
    }
    for (int j = out->n++; j > k; j--) {
        out->nodes[j] = out->nodes[j - 1];
        out->weights[j] = out->weights[j - 1];
    }
    out->nodes[k] = (uint64_t)node;
    out->weights[k] = weight;
}

static void spread_axis(const mst_problem *p, int axis, mst_place_spread spread, double position, axis_weights *out) {
    const bool linear = spread.interpolation == MST_STENCIL_INTERPOLATION_LINEAR;
    const unsigned radius = linear ? 1 : spread.radius ? spread.radius : USUAL_RADIUS;
    const double node = floor(position);
    out->n = 0;
    if (node == position) {
        add_weight(p, spread.faces, axis, (int64_t)node, 1, out);
        return;
    }
    for (int64_t i = (int64_t)node - (int64_t)radius + 1; i <= (int64_t)node + (int64_t)radius; i++) {
        const double distance = (double)i - position;
        add_weight(p, spread.faces, axis, i, linear ? 1 - fabs(distance) : kaiser_sinc(distance, radius), out);
    }
}

// How far from the first and the last node a position may be.
static bool is_inside(const mst_problem *p, int set, int axis, double position) {
    const double last = (double)p->grid[axis] - 1;
    if (position >= 0 && position <= last)
        return true;
    const mst_problem_boundary *face = mst_problem_face(p, set, axis, position > 0);
    const double beyond = position > 0 ? position - last : -position;
    return face->kind == MST_BOUNDARY_PERIODIC ? position > 0 && beyond < 1
           : face->mirrors                     ? beyond <= 0.5 * face->shift
                                               : is_zero(face) && beyond < 1;
}

// ---- Products

static mst_status make_room(mst_node_list *list, size_t more, mst_error *error) {
    size_t needed, bytes;
    if (mst_add(list->n, more, &needed) && needed <= list->capacity)
        return MST_OK;
    const size_t capacity = 2 * needed;
    mst_weighted_node *grown = mst_multiply(capacity, sizeof *grown, &bytes) ? realloc(list->nodes, bytes) : NULL;
    if (!grown)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for the %zu nodes of sources and receivers", needed);
    list->nodes = grown;
    list->capacity = capacity;
    return MST_OK;
}

mst_status mst_place_add(const mst_problem *p, mst_place_spread spread, const double *position, const char *what,
                         mst_node_list *list, mst_error *error) {
    mst_status status = MST_OK;
    axis_weights axes[N_AXES] = {{1, {0}, {1}}, {1, {0}, {1}}, {1, {0}, {1}}};
    MST_REQUIRE(spread.interpolation == MST_STENCIL_INTERPOLATION_SINC ||
                    spread.interpolation == MST_STENCIL_INTERPOLATION_LINEAR,
                MST_ERROR_ARGUMENT, "%s has interpolation %d, which is no kind", what, (int)spread.interpolation);
    MST_REQUIRE(spread.radius <= MST_SPREAD_MOST_RADIUS, MST_ERROR_ARGUMENT, "%s has a sinc of radius %u; 1 to %d are supported",
                what, spread.radius, MST_SPREAD_MOST_RADIUS);
    for (int k = 0; k < p->rank; k++) {
        const int axis = mst_problem_axis(p->rank, k);
        MST_REQUIRE(is_inside(p, spread.faces, axis, position[k]), MST_ERROR_ARGUMENT,
                    "%s lies at %g of axis %d, whose nodes are 0 to %llu", what, position[k], k,
                    (unsigned long long)p->grid[axis] - 1);
        spread_axis(p, axis, spread, position[k], &axes[axis]);
    }
    MST_TRY(make_room(list, (size_t)axes[PLANES].n * (size_t)axes[ROWS].n * (size_t)axes[COLUMNS].n, error));
    for (int i = 0; i < axes[PLANES].n; i++)
        for (int j = 0; j < axes[ROWS].n; j++)
            for (int k = 0; k < axes[COLUMNS].n; k++)
                list->nodes[list->n++] =
                    (mst_weighted_node){{axes[PLANES].nodes[i], axes[ROWS].nodes[j], axes[COLUMNS].nodes[k]},
                                        axes[PLANES].weights[i] * axes[ROWS].weights[j] * axes[COLUMNS].weights[k]};
fail:
    return status;
}

mst_status mst_place_add_node(const mst_problem *p, const size_t *point, const char *what, mst_node_list *list,
                              mst_error *error) {
    mst_status status = MST_OK;
    mst_weighted_node node = {.weight = 1};
    for (int k = 0; k < p->rank; k++) {
        const int axis = mst_problem_axis(p->rank, k);
        node.node[axis] = point[k];
        MST_REQUIRE(point[k] < p->grid[axis], MST_ERROR_ARGUMENT, "%s lies at node %zu of axis %d, which has %llu nodes", what,
                    point[k], k, (unsigned long long)p->grid[axis]);
    }
    MST_TRY(make_room(list, 1, error));
    list->nodes[list->n++] = node;
fail:
    return status;
}
