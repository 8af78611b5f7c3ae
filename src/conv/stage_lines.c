// Where the lines of a stage lie, in numbers, and what its kernel calls its arrays.
#include "stage_text.h"

size_t mst_stage_blocks(const mst_geometry *g, int array) { return array == Z || array == g->blocked ? g->n_blocks : 1; }

bool mst_stage_has_port(const mst_stage *s, int port) { return port != WITH || s->kind == MST_STAGE_FUSED; }

size_t mst_stage_lines(const mst_stage *s) { return s->planes * s->rows * s->before * s->inner; }

// The caller's lines; one vector that goes with all has them all in the same place.
mst_view mst_stage_view(const mst_stage *s, int array, bool own) {
    const mst_convolution *plan = s->plan;
    const mst_layout *layout = mst_convolution_layout(plan, array), *z = mst_convolution_layout(plan, Z);
    mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    const ptrdiff_t *strides = own ? layout->strides : packed.strides;
    mst_view v = {.axis_stride = strides[s->g->axes[s->g->n_axes - 1].axis], .step = 1};
    for (int k = 0; k < z->rank; k++) {
        bool transformed = false;
        for (int a = 0; a < s->g->n_axes; a++)
            transformed = transformed || k == s->g->axes[a].axis;
        if (transformed)
            continue;
        v.counts[v.n_dims] = z->shape[k];
        v.outer[v.n_dims++] = mst_stage_one(plan, array) ? 0 : strides[k];
    }
    mst_view_merge(&v, NULL);
    return v;
}

// Whether a stage is of the first digit of an axis before the last. Of what lies along that axis only what holds something, or is
// kept, is transformed along the axes after it.
static bool is_first_of_rows(const mst_stage *s) { return s->g->digits[s->digit].axis < s->g->n_axes - 1 && s->before == 1; }

size_t mst_stage_load_limit(const mst_stage *s, int port) {
    const mst_padded_axis *a = &s->g->axes[s->g->digits[s->digit].axis];
    if (!is_first_of_rows(s) || s->kind == MST_STAGE_BACKWARD || !s->ports[port].forward) // else it is of x or y
        return 0;
    const size_t extent = a->extent[s->ports[port].array];
    return extent < a->n ? extent : 0;
}

bool mst_stage_store_limited(const mst_stage *s) { return is_first_of_rows(s) && s->kind != MST_STAGE_FORWARD; }

// ---- Names

const char *mst_stage_parameter(const mst_stage *s, int port, int which) {
    static const char *const arrays[N_STAGE_PORTS][N_STAGE_PARAMETERS] = {
        {"x", "x_base", "x_first"}, {"y", "y_base", "y_first"}, {"z", "z_base", "z_first"}};
    static const char *const sides[N_STAGE_PORTS][N_STAGE_PARAMETERS] = {
        [FROM] = {"source", "source_base", "source_first"}, [TO] = {"target", "target_base", "target_first"}};
    return (s->kind == MST_STAGE_FUSED ? arrays : sides)[port][which];
}

const char *mst_stage_port_name(const mst_stage *s, int port) { return mst_stage_parameter(s, port, STAGE_BUFFER); }

const char *mst_stage_port_type(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    bool is_array = mst_stage_has_port(s, port) && !p->work;
    return is_array ? mst_type_element(mst_convolution_layout(s->plan, p->array)->type) : "real2";
}

const char *mst_stage_real(const mst_stage *s) { return s->device.pass.is_double ? "double" : "float"; }
