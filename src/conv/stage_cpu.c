// CPU-shaped stages: a work-item takes a tile of `lanes` lines through the whole stage in private arrays that stay in its cache,
// lane l of every vector belonging to line l. Values are moved in one of several ways, as they lie, but arithmetic on them is
// the same for all: results do not depend on how full a tile is.
#include "stage_text.h"

static void write_tile(const mst_stage *s, int port, bool own, mst_text *out) {
    if (s->inner > 1)
        mst_stage_tile_write_columns(s, port, own, out);
    else
        mst_stage_tile_write_rows(s, port, own, out);
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
    mst_stage_tile_write_tables(s, port, false, out);
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
