// CPU-shaped stages: a work-item takes a tile of `lanes` lines through the whole stage in private arrays that stay in its cache,
// lane l of every vector belonging to line l. Values are moved in one of several ways, as they lie, but arithmetic on them is
// the same for all: results do not depend on how full a tile is.
#include "stage_cpu.h"

const char *const mst_tile_parameters =
    "long base, ulong line, ulong first, uint count, __global const real2 *low,\n"
    "    __global const real2 *high, uint log_low, __global const real *lane_twiddles, __global const real2 *weights";

const char *mst_tile_memory_type(const mst_stage *s, int port, bool *pairs) {
    const mst_stage_port *p = &s->ports[port];
    mst_type type = mst_convolution_layout(s->plan, p->array)->type;
    *pairs = p->work || mst_type_is_complex(type);
    return p->work ? "real" : mst_convolution_element(type);
}

const char *mst_tile_real(const mst_stage *s) { return s->pass.is_double ? "double" : "float"; }

bool mst_tile_is_contiguous(const mst_stage *s, int port, bool own) {
    const mst_stage_port *p = &s->ports[port];
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 1];
    if (p->work)
        return true;
    return mst_stage_view(s, p->array, own).axis_stride == 1 && !(p->array == X && a->periodic) &&
           !(p->array == Y && a->reversal);
}

const char *mst_tile_index(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    bool spectrum = port == TO ? s->kind != MST_STAGE_FUSED : !p->forward;
    return spectrum ? "place(k)" : "k";
}

void mst_tile_write_product(bool conjugate, mst_text *out) {
    mst_text_add(out, "            const vreal t = x;\n            x = x * wr %s y * wi;\n            y = y * wr %s t * wi;\n",
                 conjugate ? "+" : "-", conjugate ? "-" : "+");
}

static void write_tile(const mst_stage *s, int port, bool own, mst_text *out) {
    if (s->inner > 1)
        mst_tile_write_columns(s, port, own, out);
    else
        mst_tile_write_rows(s, port, own, out);
}

static void write_multiply(const mst_stage *s, mst_text *out) {
    mst_text_add(out,
                 "// v times w.\nvoid multiply(vreal *v, const vreal *w) {\n    for (uint e = 0; e < %zuu; e++) {\n"
                 "        const vreal x = RE(e), y = IM(e), wr = w[2 * e], wi = w[2 * e + 1];\n"
                 "        RE(e) = x * wr - y * wi;\n        IM(e) = x * wi + y * wr;\n    }\n}\n\n",
                 s->pass.n);
}

void mst_stage_write_cpu(const mst_stage *s, int own, mst_text *out) {
    static const char *const rest = "count, low, high, log_low, lane_twiddles, weights";
    bool fused = s->kind == MST_STAGE_FUSED;
    mst_pass_write_cpu_steps(&s->pass, fused, out);
    for (int port = 0; port < N_STAGE_PORTS; port++)
        if (port != WITH || fused)
            write_tile(s, port, own >> port & 1, out);
    if (fused)
        write_multiply(s, out);
    mst_text_add(out,
                 "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void\nstage(%s, uint tiles) {\n    vreal v[%zu];\n",
                 mst_stage_arguments, 2 * s->pass.n);
    if (fused)
        mst_text_add(out, "    vreal w[%zu];\n", 2 * s->pass.n);
    mst_text_add(out, "    for (uint tile = 0; tile < tiles; tile++) {\n"
                      "        const ulong line = (get_global_id(0) * tiles + tile) * LANES;\n"
                      "        if (line >= n_lines)\n            return;\n"
                      "        const uint count = n_lines - line < LANES ? (uint)(n_lines - line) : LANES;\n");
    for (int port = FROM; port <= WITH && (port == FROM || fused); port++) {
        const char *name = mst_stage_port_name(port), *array = port == FROM ? "v" : "w";
        mst_text_add(out, "        %s_tile(%s, %s, %s_base, line, %s_first, %s);\n", name, array, name, name, name, rest);
        if (s->ports[port].forward)
            mst_text_add(out, "        forward(%s, table);\n", array);
    }
    if (fused)
        mst_text_add(out, "        multiply(v, w);\n        backward(v, table);\n");
    mst_text_add(out, "        to_tile(v, to, to_base, line, to_first, %s);\n    }\n}\n", rest);
}
