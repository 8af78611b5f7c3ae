// Sources and receivers of a description: what they feed and record, node by node or region by region.
#include "runtime/numbers.h"
#include "spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Sources

static mst_status read_series(const mst_stencil_desc *desc, const mst_problem *p, size_t k, mst_problem_source *to,
                              mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_source *from = &desc->sources[k];
    char what[60];
    snprintf(what, sizeof what, "the series of source %zu", k);
    MST_REQUIRE(!from->series != !from->samples, MST_ERROR_ARGUMENT, "source %zu needs a series or samples, one of the two", k);
    if (from->series)
        return mst_problem_series(p, desc, from->series, what, &to->series, error);
    MST_REQUIRE(to->samples = calloc(from->n_samples + 1, sizeof(double)), MST_ERROR_HOST_MEMORY, "out of memory for sources");
    memcpy(to->samples, from->samples, from->n_samples * sizeof(double));
    to->n_samples = from->n_samples;
fail:
    return status;
}

static mst_status read_region(const mst_stencil_desc *desc, const mst_problem *p, size_t k, mst_problem_source *to,
                              mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_source *from = &desc->sources[k];
    const mst_stencil_region *region = from->region;
    char what[60];
    to->is_region = true;
    for (int axis = 0; axis < N_AXES; axis++)
        to->to[axis] = 1;
    for (int a = 0; a < p->rank; a++) {
        const int axis = mst_problem_axis(p->rank, a);
        MST_REQUIRE(region->step[a] == 1, MST_ERROR_ARGUMENT,
                    "the region of source %zu has step %zu along axis %d; only 1 is "
                    "supported",
                    k, region->step[a], a);
        MST_REQUIRE(region->count[a] > 0 && region->start[a] < p->grid[axis] &&
                        region->count[a] <= p->grid[axis] - region->start[a],
                    MST_ERROR_ARGUMENT, "the region of source %zu has %zu nodes from %zu on along axis %d, which has %llu", k,
                    region->count[a], region->start[a], a, (unsigned long long)p->grid[axis]);
        to->from[axis] = region->start[a];
        to->to[axis] = region->start[a] + region->count[a];
    }
    snprintf(what, sizeof what, "the amplitude of source %zu", k);
    if (from->amplitude)
        MST_TRY(mst_problem_initial(p, desc, from->amplitude, what, &to->amplitude, error));
    snprintf(what, sizeof what, "the delay of source %zu", k);
    MST_REQUIRE(!from->delay || from->series, MST_ERROR_ARGUMENT, "source %zu has samples, which take no delay", k);
    if (from->delay)
        MST_TRY(mst_problem_initial(p, desc, from->delay, what, &to->delay, error));
fail:
    return status;
}

// The nodes that it feeds.
static mst_status read_place(const mst_stencil_desc *desc, const mst_problem *p, size_t k, mst_problem_source *to,
                             mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_source *from = &desc->sources[k];
    char what[40];
    MST_REQUIRE(!from->region || !from->position, MST_ERROR_ARGUMENT, "source %zu has a position and a region; it takes one", k);
    MST_REQUIRE(from->region || (!from->amplitude && !from->delay), MST_ERROR_ARGUMENT,
                "source %zu has an amplitude or a delay, but no region", k);
    if (from->region)
        return read_region(desc, p, k, to, error);
    snprintf(what, sizeof what, "source %zu", k);
    if (!from->position)
        return mst_place_add_node(p, from->point, what, &to->list, error);
    return mst_place_add(p, (mst_place_spread){from->interpolation, from->radius, p->fields[to->field].faces}, from->position,
                         what, &to->list, error);
fail:
    return status;
}

// Makes nodes of a run's grid those of run number `run`.
static void move_to_run(const mst_problem *p, uint64_t run, mst_weighted_node *nodes, size_t n) {
    for (size_t i = 0; i < n; i++)
        nodes[i].node[PLANES] += run * p->grid[PLANES];
}

static mst_status read_source(const mst_stencil_desc *desc, size_t k, uint64_t run, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_source *from = &desc->sources[k];
    mst_problem_source *to = &p->sources[p->n_sources++];
    to->field = mst_problem_find(p, from->field);
    MST_REQUIRE(to->field >= 0 && !p->fields[to->field].coefficient, MST_ERROR_ARGUMENT,
                "source %zu feeds %s, which is no field%s", k, from->field ? from->field : "(NULL)",
                to->field >= 0 ? " that is updated" : "");
    MST_TRY(read_place(desc, p, k, to, error));
    move_to_run(p, run, to->list.nodes, to->list.n);
    MST_TRY(read_series(desc, p, k, to, error));
    to->first = p->n_feeds;
    p->n_feeds += to->is_region ? 1 : to->list.n;
    p->n_regions += to->is_region;
fail:
    return status;
}

// ---- Receivers

static mst_status read_receiver(const mst_stencil_desc *desc, size_t k, mst_problem *p, mst_node_list *list, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_receiver *from = &desc->receivers[k];
    mst_problem_receiver *to = &p->receivers[p->n_receivers++];
    char what[40];
    snprintf(what, sizeof what, "receiver %zu", k);
    to->field = mst_problem_find(p, from->field);
    MST_REQUIRE(to->field >= 0 && !p->fields[to->field].coefficient, MST_ERROR_ARGUMENT,
                "receiver %zu listens to %s, which is no field%s", k, from->field ? from->field : "(NULL)",
                to->field >= 0 ? " that is updated" : "");
    MST_REQUIRE(from->n_points >= 1 && (from->points || from->positions), MST_ERROR_ARGUMENT, "receiver %zu has no points", k);
    MST_REQUIRE(!from->points || !from->positions, MST_ERROR_ARGUMENT, "receiver %zu has points and positions; it takes one", k);
    to->n_points = from->n_points * (size_t)p->grids;
    to->first = p->n_points;
    for (size_t i = 0; i < to->n_points; i++) { // run by run
        const size_t begin = list->n, point = i % from->n_points;
        p->shares_begin[p->n_points++] = begin;
        if (from->points)
            MST_TRY(mst_place_add_node(p, from->points[point], what, list, error));
        else
            MST_TRY(mst_place_add(p, (mst_place_spread){from->interpolation, from->radius, p->fields[to->field].faces},
                                  from->positions[point], what, list, error));
        move_to_run(p, i / from->n_points, list->nodes + begin, list->n - begin);
    }
    p->shares_begin[p->n_points] = list->n;
fail:
    return status;
}

// A node that a share is of.
typedef struct shared_node {
    mst_problem_record record;
    size_t share;
} shared_node;

static int compare(const void *x, const void *y) {
    const mst_problem_record *a = &((const shared_node *)x)->record, *b = &((const shared_node *)y)->record;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    for (int axis = 0; axis < N_AXES; axis++)
        if (a->node[axis] != b->node[axis])
            return a->node[axis] < b->node[axis] ? -1 : 1;
    return 0;
}

// Points next to one another share most of their nodes, each of which is recorded once.
static mst_status make_records(const mst_node_list *list, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    shared_node *all = calloc(list->n + 1, sizeof *all);
    MST_REQUIRE(all, MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    MST_REQUIRE(p->shares = calloc(list->n + 1, sizeof *p->shares), MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t k = 0; k < p->n_receivers; k++) {
        const mst_problem_receiver *r = &p->receivers[k];
        for (size_t i = p->shares_begin[r->first]; i < p->shares_begin[r->first + r->n_points]; i++) {
            all[i] = (shared_node){{.field = r->field}, i};
            memcpy(all[i].record.node, list->nodes[i].node, sizeof all[i].record.node);
            p->shares[i].weight = list->nodes[i].weight;
        }
    }
    qsort(all, list->n, sizeof *all, compare);
    MST_REQUIRE(p->records = calloc(list->n + 1, sizeof *p->records), MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t i = 0; i < list->n; i++) {
        if (i == 0 || compare(&all[i - 1], &all[i]) != 0)
            p->records[p->n_records++] = all[i].record;
        p->shares[all[i].share].record = p->n_records - 1;
    }
fail:
    free(all);
    return status;
}

size_t mst_problem_home(const mst_problem *p, size_t point) {
    size_t home = p->shares_begin[point];
    for (size_t k = home + 1; k < p->shares_begin[point + 1]; k++)
        if (fabs(p->shares[k].weight) > fabs(p->shares[home].weight))
            home = k;
    return p->shares[home].record;
}

// ---- Both

mst_status mst_problem_read_points(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    mst_node_list list = {.n = 0};
    size_t n_points = 0, n_sources;
    for (size_t k = 0; k < desc->n_receivers; k++)
        MST_REQUIRE(mst_add(n_points, desc->receivers[k].n_points, &n_points) && n_points < SIZE_MAX / sizeof(size_t) / p->grids,
                    MST_ERROR_HOST_MEMORY, "receiver %zu has %zu points, too many", k, desc->receivers[k].n_points);
    n_points *= (size_t)p->grids;
    MST_REQUIRE(mst_multiply(desc->n_sources, (size_t)p->grids, &n_sources) && n_sources < SIZE_MAX / sizeof *p->sources &&
                    (p->sources = calloc(n_sources + 1, sizeof *p->sources)),
                MST_ERROR_HOST_MEMORY, "out of memory for sources");
    p->receivers = calloc(desc->n_receivers + 1, sizeof *p->receivers);
    p->shares_begin = calloc(n_points + 1, sizeof *p->shares_begin);
    MST_REQUIRE(p->receivers && p->shares_begin, MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t i = 0; i < n_sources; i++)
        MST_TRY(read_source(desc, i / (size_t)p->grids, i % p->grids, p, error));
    for (size_t k = 0; k < desc->n_receivers; k++)
        MST_TRY(read_receiver(desc, k, p, &list, error));
    MST_TRY(make_records(&list, p, error));
fail:
    free(list.nodes);
    return status;
}

void mst_problem_release_points(mst_problem *p) {
    for (size_t k = 0; k < p->n_sources; k++) {
        mst_formula_release(&p->sources[k].amplitude);
        mst_formula_release(&p->sources[k].delay);
        mst_formula_release(&p->sources[k].series);
        free(p->sources[k].list.nodes);
        free(p->sources[k].samples);
    }
    free(p->sources);
    free(p->receivers);
    free(p->records);
    free(p->shares);
    free(p->shares_begin);
}
