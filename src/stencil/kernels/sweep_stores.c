// How kernels of sweeps store new values.
#include "write_sweep.h"

// Where an update's new value goes, behind the condition under which there is such a place: its name, and what is added to it.
static const char *write_target(const mst_writer *w, const mst_sweeps *s, int k, int update, mst_name name) {
    const mst_problem_field *field = &s->problem->fields[s->problem->updates[update].field];
    mst_sweep_name_target(s, k, update, name);
    if (!field->is_memory)
        return "i";
    mst_text_put(w->out, "if (");
    mst_sweep_write_is_layer(w, field->layer_axis, 0);
    mst_text_put(w->out, ")\n");
    return mst_sweep_memory_place(field->layer_axis);
}

// Of all components of an update's new value, or of one.
static void write_store(const mst_writer *w, const mst_sweeps *s, int k, int update, int component) {
    const bool half = s->problem->fields[s->problem->updates[update].field].is_half;
    const char lane[] = {"0123456789abcdef"[component < 0 ? 0 : component], '\0'};
    mst_name name;
    const char *at = write_target(w, s, k, update, name);
    const char *text = component >= 0 ? half ? "vstore_half_rte(new_value$u.s$lane, $at + $component, $name);\n"
                                             : "$name[$at + $component] = new_value$u.s$lane;\n"
                       : s->shape == MST_STENCIL_SHAPE_CPU ? "STORE_GLOBAL$half(new_value$u, $name + $at);\n"
                       : half                              ? "STORE_VECTOR_HALF(new_value$u, $name + $at);\n"
                                                           : "*(__global vreal *)($name + $at) = new_value$u;\n";
    mst_text_put(w->out, text, MST_SET(half, mst_element_suffix(half)), MST_SET(name, name), MST_SET(u, update), MST_SET(at, at),
                 MST_SET(component, component), MST_SET(lane, lane));
}

bool mst_sweep_computes(const mst_sweeps *s, int update, unsigned axes) {
    const mst_problem_field *field = &s->problem->fields[s->problem->updates[update].field];
    return !field->is_memory || (axes >> field->layer_axis & 1) != 0;
}

static void write_all_stores(const mst_writer *w, const mst_sweeps *s, int k, unsigned axes, int component) {
    for (int u = s->first[k]; u < s->first[k + 1]; u++)
        if (mst_sweep_computes(s, u, axes))
            write_store(w, s, k, u, component);
}

// A CPU stores whole vectors, with what was there beyond the face: fifteen cases of single elements take as long as some vectors,
// and loads of their cache line wait for them.
static void write_last_vector(const mst_writer *w, const mst_sweeps *s, int k, unsigned axes) {
    mst_text_put(w->out, "if (column + WIDTH > n_columns) {\n");
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const bool half = s->problem->fields[s->problem->updates[u].field].is_half;
        mst_name name;
        if (!mst_sweep_computes(s, u, axes))
            continue;
        const char *at = write_target(w, s, k, u, name);
        mst_text_put(w->out, "new_value$u = FIRST_LANES(n_columns - column, new_value$u, LOAD_GLOBAL$half($name + $at));\n",
                     MST_SET(u, u), MST_SET(half, mst_element_suffix(half)), MST_SET(name, name), MST_SET(at, at));
    }
    mst_text_put(w->out, "}\n");
}

// Behind the last column are nodes beyond the face, which are not to be overwritten.
void mst_sweep_write_stores(const mst_writer *w, const mst_sweeps *s, int k, unsigned axes) {
    if (s->shape == MST_STENCIL_SHAPE_CPU) {
        if (!s->has_fixed_lines || s->problem->grid[COLUMNS] % (uint64_t)s->width > 0)
            write_last_vector(w, s, k, axes);
        write_all_stores(w, s, k, axes, -1);
        return;
    }
    mst_text_put(w->out, "if (column + WIDTH <= n_columns) {\n");
    write_all_stores(w, s, k, axes, -1);
    mst_text_put(w->out, "} else {\n");
    for (int component = 0; component < s->width - 1; component++) {
        mst_text_put(w->out, "if (column + $component < n_columns) {\n", MST_SET(component, component));
        write_all_stores(w, s, k, axes, component);
        mst_text_put(w->out, "}\n");
    }
    mst_text_put(w->out, "}\n");
}
