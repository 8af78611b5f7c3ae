// What the two kinds of CPU-shaped tiles share: rows, which lie apart, and columns, which lie side by side.
#include "stage_text.h"

const char *mst_stage_tile_memory_type(const mst_stage *s, int port, bool *pairs) {
    const mst_stage_port *p = &s->ports[port];
    mst_type type = mst_convolution_layout(s->plan, p->array)->type;
    *pairs = p->work || mst_type_is_complex(type);
    return p->work ? "real" : mst_type_element(type);
}

bool mst_stage_tile_is_contiguous(const mst_stage *s, int port, bool own) {
    const mst_stage_port *p = &s->ports[port];
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 1];
    if (p->work)
        return true;
    return mst_stage_view(s, p->array, own).axis_stride == 1 && !(p->array == X && a->periodic) &&
           !(p->array == Y && a->reversal);
}

const char *mst_stage_tile_index(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    bool spectrum = port == TO ? s->kind != MST_STAGE_FUSED : !p->forward;
    return spectrum ? "place(k)" : "k";
}

void mst_stage_tile_write_product(bool conjugate, mst_text *out) {
    mst_text_put(out,
                 "const vreal re_before = re;\n"
                 "re = re * wr $minus im * wi;\n"
                 "im = im * wr $plus re_before * wi;\n",
                 MST_SET(minus, conjugate ? "+" : "-"), MST_SET(plus, conjugate ? "-" : "+"));
}

// The tables that a tile's values are multiplied by, as parameters or as arguments.
void mst_stage_tile_write_tables(const mst_stage *s, int port, bool declared, mst_text *out) {
    bool twiddled = s->kind != MST_STAGE_FUSED && port == (s->kind == MST_STAGE_FORWARD ? TO : FROM);
    const bool used[MST_N_TABLES] = {[MST_TABLE_LOW] = twiddled,
                                     [MST_TABLE_HIGH] = twiddled,
                                     [MST_TABLE_LANES] = twiddled && s->column == 1,
                                     [MST_TABLE_WEIGHTS] = !s->ports[port].work};
    for (int k = 0; k < MST_N_TABLES; k++)
        if (used[k] && s->device.tables.tables[k].bytes > 0)
            mst_text_put(out, ", $type$name", MST_SET(type, declared ? mst_table_type((mst_table_kind)k) : ""),
                         MST_SET(name, mst_table_name((mst_table_kind)k)));
}

void mst_stage_tile_write_head(const mst_stage *s, int port, mst_text *out) {
    const char *name = mst_stage_port_name(s, port);
    mst_text_put(out, port == TO ? "// Stores a tile, whose first line is `line`.\n"
                                 : "// Loads a tile, whose first line is `line`.\n");
    mst_text_put(out, "void ${name}_tile(vreal *v, __global $const$type *$name, long base, ulong line, ulong first, uint count",
                 MST_SET(name, name), MST_SET(const, port == TO ? "" : "const "), MST_SET(type, mst_stage_port_type(s, port)));
    mst_stage_tile_write_tables(s, port, true, out);
    mst_text_put(out, ") {\n");
}
