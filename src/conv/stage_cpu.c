// CPU-shaped stages: a work-item takes a tile of `lanes` lines through the whole stage in private arrays that stay in its cache,
// lane l of every vector belonging to line l. Values are moved in one of several ways, as they lie, but arithmetic on them is
// the same for all: results do not depend on how full a tile is.
#include "stage_text.h"

const char *mst_tile_memory_type(const mst_stage *s, int port, bool *pairs) {
    const mst_stage_port *p = &s->ports[port];
    mst_type type = mst_convolution_layout(s->plan, p->array)->type;
    *pairs = p->work || mst_type_is_complex(type);
    return p->work ? "real" : mst_convolution_element(type);
}

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
    mst_text_put(out,
                 "const vreal re_before = re;\n"
                 "re = re * wr $minus im * wi;\n"
                 "im = im * wr $plus re_before * wi;\n",
                 MST_SET(minus, conjugate ? "+" : "-"), MST_SET(plus, conjugate ? "-" : "+"));
}

// The tables that a tile's values are multiplied by, as parameters or as arguments.
static void write_tables(const mst_stage *s, int port, bool declared, mst_text *out) {
    bool twiddled = s->kind != MST_STAGE_FUSED && port == (s->kind == MST_STAGE_FORWARD ? TO : FROM);
    const bool used[MST_N_TABLES] = {[MST_TABLE_LOW] = twiddled,
                                     [MST_TABLE_HIGH] = twiddled,
                                     [MST_TABLE_LANES] = twiddled && s->column == 1,
                                     [MST_TABLE_WEIGHTS] = !s->ports[port].work};
    for (int k = 0; k < MST_N_TABLES; k++)
        if (used[k] && s->device.tables.tables[k].bytes > 0)
            mst_text_put(out, ", $type$name", MST_SET(type, declared ? mst_table_type(k) : ""), MST_SET(name, mst_table_name(k)));
}

void mst_tile_write_head(const mst_stage *s, int port, mst_text *out) {
    const char *name = mst_stage_port_name(s, port);
    mst_text_put(out, port == TO ? "// Stores a tile, whose first line is `line`.\n"
                                 : "// Loads a tile, whose first line is `line`.\n");
    mst_text_put(out, "void ${name}_tile(vreal *v, __global $const$type *$name, long base, ulong line, ulong first, uint count",
                 MST_SET(name, name), MST_SET(const, port == TO ? "" : "const "), MST_SET(type, mst_stage_port_type(s, port)));
    write_tables(s, port, true, out);
    mst_text_put(out, ") {\n");
}

static void write_tile(const mst_stage *s, int port, bool own, mst_text *out) {
    if (s->inner > 1)
        mst_tile_write_columns(s, port, own, out);
    else
        mst_tile_write_rows(s, port, own, out);
}

static void write_multiply(const mst_stage *s, mst_text *out) {
    mst_text_put(out,
                 "// The product of both spectra, in place of the first.\n"
                 "void multiply(vreal *v, const vreal *w) {\n"
                 "for (uint e = 0; e < ${n}u; e++) {\n"
                 "const vreal re = RE(e), im = IM(e), wr = w[2 * e], wi = w[2 * e + 1];\n"
                 "RE(e) = re * wr - im * wi;\n"
                 "IM(e) = re * wi + im * wr;\n"
                 "}\n"
                 "}\n\n",
                 MST_SET(n, s->device.pass.n));
}

// Takes a port's tile to or from `array` of the work-item.
static void write_move(const mst_stage *s, int port, const char *array, mst_text *out) {
    mst_text_put(out, "${name}_tile($array, $name, ${name}_base, line, ${name}_first, count",
                 MST_SET(name, mst_stage_port_name(s, port)), MST_SET(array, array));
    write_tables(s, port, false, out);
    mst_text_put(out, ");\n");
    if (s->ports[port].forward)
        mst_text_put(out, "forward($array, step_twiddles);\n", MST_SET(array, array));
}

static void write_kernel(const mst_stage *s, bool fused, const mst_signature *signature, mst_text *out) {
    const mst_text_value values[] = {MST_SET(registers, 2 * s->device.pass.n), {0}};
    mst_signature_write(signature, "__attribute__((reqd_work_group_size(1, 1, 1)))", out);
    mst_text_put_values(out, fused ? "vreal v[$registers], w[$registers];\n" : "vreal v[$registers];\n", values);
    mst_text_put(out, "for (uint tile = 0; tile < tiles; tile++) {\n"
                      "const ulong line = (get_global_id(0) * tiles + tile) * LANES;\n"
                      "if (line >= n_lines)\n"
                      "return;\n"
                      "const uint count = n_lines - line < LANES ? (uint)(n_lines - line) : LANES;\n");
    write_move(s, FROM, "v", out);
    if (fused) {
        write_move(s, WITH, "w", out);
        mst_text_put(out, "multiply(v, w);\n"
                          "backward(v, step_twiddles);\n");
    }
    write_move(s, TO, "v", out);
    mst_text_put(out, "}\n"
                      "}\n");
}

void mst_stage_write_cpu(const mst_stage *s, unsigned own, const mst_signature *signature, mst_text *out) {
    bool fused = s->kind == MST_STAGE_FUSED;
    mst_pass_write_cpu_steps(&s->device.pass, fused, out);
    for (int port = 0; port < N_STAGE_PORTS; port++)
        if (mst_stage_has_port(s, port))
            write_tile(s, port, own >> port & 1, out);
    if (fused)
        write_multiply(s, out);
    write_kernel(s, fused, signature, out);
}
