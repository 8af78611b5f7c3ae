#include "packing.h"

#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GIVEN, TAKEN, WAYS };

// What goes one way.
typedef struct packed_way {
    cl_mem packed, boxes;
    uint64_t bytes;
    size_t n_boxes, first[MST_STENCIL_MAX_ARRAYS + 1]; // of an array, in the table
    uint64_t units[MST_STENCIL_MAX_ARRAYS];            // likewise
} packed_way;

struct mst_packing {
    mst_stencil *solver;
    mst_kernel *kernel;
    size_t unit; // bytes, of the smallest elements of all arrays
    packed_way ways[WAYS];
};

// ---- What it takes

static bool is_wanted(const mst_stencil *s) {
    const mst_cuts cuts = mst_part_cuts(s);
    return s->is_brick && mst_cuts_sideways(&cuts) && mst_plan_shape(&s->inputs) == MST_STENCIL_SHAPE_GPU;
}

// An array has a box of each link, in two parts where it is a memory variable of layers.
static size_t most_boxes(const mst_stencil *s) { return 2 * (size_t)s->n_links * (size_t)s->problem.n_arrays; }

uint64_t mst_packing_bytes(const mst_stencil *s) {
    return is_wanted(s) ? mst_halos_given(s) + mst_halos_taken(s) + WAYS * most_boxes(s) * sizeof(cl_long8) : 0;
}

// ---- The table

typedef struct packed_table {
    const mst_packing *packing;
    packed_way *way;
    cl_long8 *boxes;
} packed_table;

// A part of a piece, on one side of where the array's elements have a gap.
static mst_status add_part(packed_table *t, const mst_boxes *lie, const mst_halo_piece *piece, uint64_t link_at, uint64_t from,
                           uint64_t to, mst_error *error) {
    mst_status status = MST_OK;
    const int64_t unit = (int64_t)t->packing->unit, wide = (int64_t)lie->element / unit;
    const uint64_t *whole = piece->count;
    uint64_t count[N_AXES], skipped[N_AXES] = {0};
    int64_t at = lie->array.first, n = wide;
    const int64_t pitches[N_AXES] = {lie->array.plane_pitch, lie->array.pitch, 1};
    const int64_t packed[N_AXES] = {(int64_t)(whole[ROWS] * whole[COLUMNS]), (int64_t)whole[COLUMNS], 1};
    int64_t there = 0;
    memcpy(count, whole, sizeof count);
    count[lie->axis] = to - from;
    skipped[lie->axis] = from - piece->from[lie->axis];
    for (int axis = 0; axis < N_AXES; axis++) {
        const uint64_t first = piece->from[axis] + skipped[axis];
        at += (int64_t)(first + (axis == lie->axis && first >= lie->low ? lie->skipped : 0)) * pitches[axis];
        there += (int64_t)skipped[axis] * packed[axis];
        n *= (int64_t)count[axis];
    }
    MST_REQUIRE(n <= UINT32_MAX, MST_ERROR_UNSUPPORTED, "a halo has %lld numbers of %lld bytes; at most 2^32 of them are packed",
                (long long)n, (long long)unit);
    const int64_t before = (int64_t)t->way->units[piece->array];
    t->boxes[t->way->n_boxes++] =
        (cl_long8){{before, before + n, (int64_t)count[ROWS], (int64_t)count[COLUMNS] * wide, at * wide,
                    (int64_t)(link_at + piece->at) / unit + there * wide, packed[ROWS] * wide, packed[PLANES] * wide}};
    t->way->units[piece->array] += (uint64_t)n;
fail:
    return status;
}

static mst_status add_piece(packed_table *t, const mst_halo_piece *piece, uint64_t link_at, mst_error *error) {
    mst_status status = MST_OK;
    const mst_schedule *schedule = t->packing->solver->schedule;
    const mst_boxes lie = schedule->kind->lie(schedule, piece->array);
    const uint64_t from = piece->from[lie.axis], to = from + piece->count[lie.axis];
    const uint64_t middle = mst_smaller(mst_larger(lie.low, from), to);
    if (from < middle)
        MST_TRY(add_part(t, &lie, piece, link_at, from, middle, error));
    if (middle < to)
        MST_TRY(add_part(t, &lie, piece, link_at, middle, to, error));
fail:
    return status;
}

// Of one array.
static mst_status add_array(packed_table *t, int array, bool gives, mst_halo_piece *const *pieces, const size_t *n,
                            mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil *s = t->packing->solver;
    t->way->first[array] = t->way->n_boxes;
    for (int link = 0; link < s->n_links; link++)
        for (size_t i = 0; i < n[link]; i++)
            if (pieces[link][i].array == array)
                MST_TRY(add_piece(t, &pieces[link][i], gives ? s->links[link].given_at : s->links[link].taken_at, error));
fail:
    return status;
}

static mst_status fill_table(packed_table *t, bool gives, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil *s = t->packing->solver;
    mst_halo_piece *pieces[MST_MOST_LINKS] = {NULL};
    size_t n[MST_MOST_LINKS] = {0};
    for (int link = 0; link < s->n_links; link++) // an array's box is one piece
        MST_TRY(mst_halo_cut(s, link, gives, UINT64_MAX, &pieces[link], &n[link], error));
    for (int a = 0; a < s->problem.n_arrays; a++)
        MST_TRY(add_array(t, a, gives, pieces, n, error));
    t->way->first[s->problem.n_arrays] = t->way->n_boxes;
fail:
    for (int link = 0; link < s->n_links; link++)
        free(pieces[link]);
    return status;
}

static mst_status make_way(mst_packing *p, int number, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = p->solver->context;
    packed_way *w = &p->ways[number];
    const size_t table_bytes = most_boxes(p->solver) * sizeof(cl_long8);
    packed_table t = {p, w, calloc(most_boxes(p->solver) + 1, sizeof(cl_long8))};
    MST_REQUIRE(t.boxes, MST_ERROR_HOST_MEMORY, "out of memory for halos");
    w->bytes = number == GIVEN ? mst_halos_given(p->solver) : mst_halos_taken(p->solver);
    MST_TRY(fill_table(&t, number == GIVEN, error));
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, w->bytes, "packed halos", &w->packed, error));
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, table_bytes, "the places of halos", &w->boxes, error));
    if (w->n_boxes > 0)
        MST_TRY(mst_device_write(context, context->upload, w->boxes, w->n_boxes * sizeof(cl_long8), t.boxes,
                                 "the places of halos", error));
fail:
    free(t.boxes);
    return status;
}

mst_status mst_packing_create(mst_stencil *s, mst_packing **out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    char options[40];
    mst_packing *p = *out = NULL;
    if (!is_wanted(s) || !s->schedule->kind->lie)
        return MST_OK;
    MST_REQUIRE(p = *out = calloc(1, sizeof *p), MST_ERROR_HOST_MEMORY, "out of memory for halos");
    p->solver = s;
    p->unit = s->problem.elements[0];
    for (int a = 1; a < s->problem.n_arrays; a++)
        p->unit = mst_smaller(p->unit, s->problem.elements[a]);
    snprintf(options, sizeof options, "-D PRECISION=32 -D UNIT=%zu", p->unit);
    MST_TRY(mst_program_of_file(s->context, "stencil: halos packed", "packing.cl", options, &program, error));
    MST_TRY(mst_kernel_create(program, "pack", &p->kernel, error));
    for (int number = 0; number < WAYS; number++)
        MST_TRY(make_way(p, number, error));
fail:
    return status;
}

void mst_packing_destroy(mst_packing *p) {
    if (!p)
        return;
    for (int number = 0; number < WAYS; number++) {
        mst_device_release(p->solver->context, p->ways[number].packed, p->ways[number].bytes);
        mst_device_release(p->solver->context, p->ways[number].boxes, most_boxes(p->solver) * sizeof(cl_long8));
    }
    mst_kernel_destroy(p->kernel);
    free(p);
}

// ---- Exchanges

static mst_status launch(mst_packing *p, const packed_way *w, bool spreads, mst_error *error) {
    mst_status status = MST_OK;
    mst_schedule *schedule = p->solver->schedule;
    const cl_int direction = spreads;
    for (int a = 0; a < p->solver->problem.n_arrays; a++) {
        mst_loan loan;
        if (w->units[a] == 0)
            continue;
        if (spreads)
            schedule->kind->lend(schedule, a, &loan);
        else
            schedule->kind->view(schedule, a, &loan);
        const mst_boxes lie = schedule->kind->lie(schedule, a);
        const int64_t wide = (int64_t)(lie.element / p->unit);
        const cl_long4 work = {{(cl_long)w->first[a], (cl_long)(w->first[a + 1] - w->first[a]), lie.array.pitch * wide,
                                lie.array.plane_pitch * wide}};
        const mst_argument arguments[] = {MST_BIND(array, loan.buffer), MST_BIND(packed, w->packed), MST_BIND(boxes, w->boxes),
                                          MST_BIND(work, work), MST_BIND(spreads, direction)};
        MST_TRY(mst_kernel_launch(&schedule->queue, p->kernel, arguments, MST_COUNT(arguments), (size_t)w->units[a],
                                  mst_kernel_group(p->solver->context, p->kernel, (size_t)w->units[a]), NULL, error));
    }
fail:
    return status;
}

mst_status mst_packing_gather(mst_packing *p, mst_error *error) { return launch(p, &p->ways[GIVEN], false, error); }

mst_status mst_packing_spread(mst_packing *p, mst_error *error) { return launch(p, &p->ways[TAKEN], true, error); }

mst_status mst_packing_download(mst_packing *p, mst_queue *down, void *given, mst_error *error) {
    const packed_way *w = &p->ways[GIVEN];
    return w->bytes == 0 ? MST_OK : mst_queue_read(down, w->packed, 0, (size_t)w->bytes, given, "halos", error);
}

mst_status mst_packing_upload(mst_packing *p, mst_queue *up, const void *taken, mst_error *error) {
    const packed_way *w = &p->ways[TAKEN];
    mst_queue_expect_mark(up); // a marker of NVIDIA's waits for kernels, too
    return w->bytes == 0 ? MST_OK : mst_queue_write(up, CL_FALSE, w->packed, 0, (size_t)w->bytes, taken, "halos", error);
}
