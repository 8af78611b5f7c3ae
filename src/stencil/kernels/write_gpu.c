// GPU-shaped kernels: a work-group takes a tile of rows and columns, a block of them a work-item, through a strip of planes.
// Each work-item keeps the last planes of its own nodes of every version in registers, as vectors of columns; of nodes beyond its
// block it reads those that the other work-items put into local memory once their plane is a plane old, so there is one barrier a
// plane (two where local memory does not hold two copies). What a tile computes beyond what it owns goes wrong from its edge
// inwards, a radius a step, and is not stored.
//
// The interior kernel does the tiles that need no care (gpu_choice.c), none of them in absorbing layers, so that it knows no
// memory variables; the boundary kernel does the others, in shorter parts of strips, as they are slow and few. They load a plane
// ahead, and update all versions in all iterations, also beyond the planes that are needed: what comes of it is not read.
#include "write_gpu.h"

#include "runtime/program.h"
#include "stencil/scheme/layers.h"

#include <stdio.h>

// Planes beyond mirroring faces follow from those inside, of which the newest is number `plane`.
static void write_mirrored_planes(const mst_stencil_gpu_writer *g, int version, int row) {
    const mst_problem *p = g->w->problem;
    mst_register_name newest, older;
    mst_stencil_gpu_name_register(g, version, 0, row, newest);
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face =
            mst_problem_face(p, p->fields[g->w->pipeline->versions[version].field].faces, PLANES, side);
        const char *sign = face->negates ? "-" : "";
        for (int k = 1, age; face->mirrors && (age = 2 * k - face->shift) < mst_exchange_registers(&g->exchange, version); k++) {
            mst_stencil_gpu_name_register(g, version, age, row, older);
            mst_text_put(g->out,
                         side == 0 ? "if (plane == $inside)\n$older = $sign$newest;\n"
                                   : "if (plane == $behind)\n$newest = $sign$older;\n",
                         MST_SET(inside, k - face->shift), MST_SET(behind, MST_SUM("n_planes", k - 1)), MST_SET(older, older),
                         MST_SET(newest, newest), MST_SET(sign, sign));
        }
    }
}

// Moves the planes of a version back by one.
static void write_shift(const mst_stencil_gpu_writer *g, int version, int row) {
    mst_register_name to, from;
    for (int age = mst_exchange_registers(&g->exchange, version) - 1; age > 0; age--) {
        mst_stencil_gpu_name_register(g, version, age, row, to);
        mst_stencil_gpu_name_register(g, version, age - 1, row, from);
        mst_text_put(g->out, "$to = $from;\n", MST_SET(to, to), MST_SET(from, from));
    }
}

// Makes `value` the newest plane of a version.
static void write_push(const mst_stencil_gpu_writer *g, int version, int row) {
    mst_register_name to;
    write_shift(g, version, row);
    mst_stencil_gpu_name_register(g, version, 0, row, to);
    mst_text_put(g->out, "$to = value;\n", MST_SET(to, to));
    if (g->is_boundary)
        write_mirrored_planes(g, version, row);
}

// A plane of an input that was loaded an iteration ago.
static void write_input(const mst_stencil_gpu_writer *g, int version) {
    const mst_field_version *v = &g->w->pipeline->versions[version];
    mst_name array;
    mst_name_state(g->w->problem, version, array);
    mst_text_put(g->out, "{ // $array, as it was loaded\nconst long plane = part_begin + i;\n", MST_SET(array, array));
    for (int row = 0; row < g->deep; row++) {
        mst_text_put(g->out, "{\nconst long row = $place;\nvreal value = ${array}_next_row$row;\n",
                     MST_SET(place, MST_SUM("first_row", row)), MST_SET(row, row), MST_SET(array, array));
        if (g->is_boundary)
            mst_stencil_gpu_write_faces(g, v);
        mst_stencil_gpu_write_store(g, v, row);
        write_push(g, version, row);
        mst_text_put(g->out, "}\n");
    }
    mst_text_put(g->out, "}\n");
}

static void write_inputs(const mst_stencil_gpu_writer *g) {
    for (int k = 0; k < g->w->problem->n_arrays; k++) {
        const bool late = mst_stencil_gpu_loads_late(g, k);
        if (!late)
            write_input(g, k);
        for (int row = 0; row < g->deep && late; row++)
            write_shift(g, k, row);
    }
    mst_stencil_gpu_write_late_load(g);
    mst_stencil_gpu_write_next_load(g);
}

// The update of a row, and before it what it reads.
static void write_value(const mst_stencil_gpu_writer *g, const mst_field_version *v, int row) {
    const mst_problem *p = g->w->problem;
    const mst_formula *f = &p->updates[v->update].formula;
    mst_number_text values[MST_STENCIL_MAX_LEAVES], step;
    mst_name name;
    snprintf(step, sizeof step, "%d", v->step);
    mst_write_place(g->w, f, "plane", "row", step);
    mst_write_column(g->w, f, "first_column", g->width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        mst_name_leaf(p, leaf, name);
        snprintf(values[i], sizeof values[i], "%s", name);
        if (p->fields[leaf->field].coefficient)
            mst_stencil_gpu_write_coefficient(g, v, leaf, row);
        else
            mst_stencil_gpu_write_neighbour(g, v, i, row);
    }
    mst_write_formula(g->w, f, g->width, (const mst_number_text *)values, "result");
    mst_text_put(g->out, "value = result;\n");
    mst_stencil_gpu_write_damping(g);
    if (p->fields[v->field].is_half)
        mst_text_put(g->out, "value = vround_to_half(value);\n");
    if (g->is_boundary)
        mst_stencil_gpu_write_points(g, v);
}

// One of the work-item's rows.
static void write_update_row(const mst_stencil_gpu_writer *g, int version, int row) {
    const mst_field_version *v = &g->w->pipeline->versions[version];
    mst_text_put(g->out, "{\nconst long row = $row;\nvreal value = 0;\n", MST_SET(row, MST_SUM("first_row", row)));
    if (g->w->problem->rank == 1) // most iterations have nothing to do
        mst_text_put(g->out, "if (i >= $first && i < $end) {\n", MST_SET(first, v->lag - v->low[PLANES]),
                     MST_SET(end, MST_SUM("part_planes", v->lag + v->high[PLANES])));
    else
        mst_text_put(g->out, "{\n");
    write_value(g, v, row);
    mst_text_put(g->out, "}\n");
    if (g->is_boundary)
        mst_stencil_gpu_write_faces(g, v);
    mst_stencil_gpu_write_store(g, v, row);
    write_push(g, version, row);
    mst_text_put(g->out, "}\n");
}

static void write_update(const mst_stencil_gpu_writer *g, int version) {
    const mst_problem *p = g->w->problem;
    const mst_field_version *v = &g->w->pipeline->versions[version];
    mst_text_put(g->out,
                 "{ // fused step $step of $m, sub-step $substep: $field\n"
                 "const long plane = $plane;\n",
                 MST_SET(step, v->step + 1), MST_SET(m, g->tile->m), MST_SET(substep, p->updates[v->update].substep),
                 MST_SET(field, p->fields[v->field].name), MST_SET(plane, MST_SUM("part_begin + i", -v->lag)));
    for (int row = 0; row < g->deep; row++)
        write_update_row(g, version, row);
    mst_text_put(g->out, "}\n");
}

static void write_loop(const mst_stencil_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    mst_text_put(g->out,
                 "\n// Iteration i loads plane part_begin + i of the state and computes planes further back of the versions.\n");
    if (p->problem->rank == 1) // one plane: every version has its turn, and the others' work is dropped
        mst_text_put(g->out,
                     g->w->unroll ? "#pragma unroll\nfor (int i = $first; i < $end; i++) {\n"
                                  : "for (int i = $first; i < $end; i++) {\n",
                     MST_SET(first, g->first), MST_SET(end, 1 + g->last));
    else // not unrolled, which would spare registers' moves, but is too long for caches of instructions
        mst_text_put(g->out, "for (int i = $first; i < $end; i++) {\n", MST_SET(first, g->first),
                     MST_SET(end, MST_SUM("part_planes", g->last)));
    mst_stencil_gpu_write_exchange(g);
    write_inputs(g);
    for (int k = p->problem->n_arrays; k < p->n_versions; k++)
        write_update(g, k);
    mst_stencil_gpu_write_next_targets(g);
    mst_stencil_gpu_write_next_coefficients(g);
    mst_text_put(g->out, "}\n");
}

static void write_registers(const mst_stencil_gpu_writer *g) {
    mst_register_name name;
    mst_text_put(g->out, "\n// The last planes of each version, plane0 the newest one.\n");
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < mst_exchange_registers(&g->exchange, k); age++)
            for (int row = 0; row < g->deep; row++) {
                mst_stencil_gpu_name_register(g, k, age, row, name);
                mst_text_put(g->out, "vreal $name = 0;\n", MST_SET(name, name));
            }
}

static void write_kernel(const mst_stencil_gpu_writer *g) {
    mst_text_put(g->out, g->is_boundary ? "\n// Tiles at faces, with sources or receivers in them, or at a window's sides.\n"
                                        : "\n// All tiles but those of the boundary kernel.\n");
    mst_write_head(g->w, g->is_boundary ? "boundary" : "interior",
                   g->is_boundary ? "boundary_tile(get_group_id(0), box, launch, sides)" : "get_group_id(0)");
    mst_stencil_gpu_write_choice(g);
    mst_stencil_gpu_write_place(g);
    mst_stencil_gpu_write_targets(g);
    if (g->is_boundary)
        mst_stencil_gpu_write_masks(g);
    mst_stencil_gpu_write_first_load(g);
    mst_stencil_gpu_write_first_coefficients(g);
    write_registers(g);
    write_loop(g);
    mst_text_put(g->out, "}\n");
}

mst_status mst_write_gpu(const mst_writer *w, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tile *t = w->tile;
    const mst_problem outside = mst_layers_outside(w->problem);
    mst_stencil_gpu_writer g = {.tile = t, .out = w->out, .width = t->item[COLUMNS], .deep = t->item[ROWS]};
    mst_pipeline pipeline;
    mst_writer interior = *w;
    interior.problem = &outside;
    interior.pipeline = &pipeline;
    MST_TRY(mst_pipeline_make(&outside, w->pipeline->m, true, &pipeline, error));
    MST_TRY(mst_write_helpers(w, t->width, error));
    MST_TRY(mst_program_add_file(w->context, "stencil_gpu.cl", w->out, error));
    for (int boundary = 0; boundary < 2; boundary++) {
        g.w = boundary ? w : &interior;
        g.is_boundary = boundary;
        g.n_ahead = 0;
        mst_tile_iterations(g.w->pipeline, &g.first, &g.last);
        mst_stencil_gpu_choose_ahead(&g);
        MST_TRY(mst_exchange_make(t, g.w->pipeline, boundary, w->local_bytes, &g.exchange, error));
        write_kernel(&g);
        mst_exchange_release(&g.exchange);
    }
fail:
    mst_pipeline_release(&pipeline);
    return status;
}
