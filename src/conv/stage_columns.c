// Tiles of columns: the lanes' elements lie side by side. The columns of a tile belong to one vector (mst_geometry_choose sees to
// that), and so fill it.
#include "stage_cpu.h"

// void X_lanes(array, at, p, &x, &y): lane l is at position p + l of the caller's array.
static void write_load_lanes(const mst_stage *s, int port, bool own, mst_text *out) {
    const char *name = mst_stage_port_name(port), *real = mst_tile_real(s);
    unsigned lanes = s->pass.lanes;
    size_t extent = s->g->axes[s->g->n_axes - 1].extent[s->ports[port].array];
    bool pairs;
    const char *type = mst_tile_memory_type(s, port, &pairs);
    mst_text_add(out, "void %s_lanes(__global const %s *a, long at, long p, vreal *x, vreal *y) {\n", name, type);
    if (mst_tile_is_contiguous(s, port, own)) {
        mst_text_add(out, "    if (p >= 0 && p + LANES <= %zu) {\n", extent);
        if (pairs)
            mst_text_add(out,
                         "        const %s%u both = convert_%s%u(vload%u(0, a + 2 * (at + p)));\n"
                         "        *x = both.even;\n        *y = both.odd;\n",
                         real, 2 * lanes, real, 2 * lanes, 2 * lanes);
        else
            mst_text_add(out, "        *x = convert_%s%u(vload%u(0, a + at + p));\n        *y = 0;\n", real, lanes, lanes);
        mst_text_add(out, "        return;\n    }\n");
    }
    mst_text_add(out,
                 "    *x = *y = 0;\n    if (p + LANES <= 0 || p >= %zu)\n        return;\n"
                 "    for (uint l = 0; l < LANES; l++) {\n        const real2 value = %s_fetch(a, at, p + l);\n"
                 "        ((real *)x)[l] = value.x;\n        ((real *)y)[l] = value.y;\n    }\n}\n\n",
                 extent, name);
}

// Between digits: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of lanes where
// neighbours belong to different columns.
static void write_twiddles(const mst_stage *s, bool conjugate, mst_text *out) {
    mst_text_add(out, "            const real2 wc = TWIDDLE(k);\n");
    if (s->column == 1)
        mst_text_add(out,
                     "            const vreal lr = vload%u(2 * k, lane_twiddles), li = vload%u(2 * k + 1, lane_twiddles);\n"
                     "            const vreal wr = wc.x * lr - wc.y * li, wi = wc.x * li + wc.y * lr;\n",
                     s->pass.lanes, s->pass.lanes);
    else
        mst_text_add(out, "            const real wr = wc.x, wi = wc.y;\n");
    mst_tile_write_product(conjugate, out);
}

static void write_weights(const mst_stage *s, bool conjugate, mst_text *out) {
    mst_text_add(out,
                 "            const %s%u weight = vload%u(0, (__global const real *)&WEIGHT(k));\n"
                 "            const vreal wr = weight.even, wi = weight.odd;\n",
                 mst_tile_real(s), 2 * s->pass.lanes, 2 * s->pass.lanes);
    mst_tile_write_product(conjugate, out);
}

static void write_load_columns(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const char *name = mst_stage_port_name(port), *index = mst_tile_index(s, port);
    size_t rest = s->g->digits[s->digit].rest, limit = p->work ? mst_stage_load_limit(s, port) : 0;
    bool back = s->kind == MST_STAGE_BACKWARD;
    if (!p->work)
        write_load_lanes(s, port, own, out);
    mst_text_add(out,
                 "void %s_tile(vreal *v, __global const %s *a, %s) {\n"
                 "    const long at = base + %s_at(line, first), begin = %s_begin(line);\n"
                 "    const uint column = column_of(line);\n    for (uint k = 0; k < %zuu; k++) {\n        vreal x, y;\n",
                 name, port == FROM ? "FROM_ELEMENT" : "WITH_ELEMENT", mst_tile_parameters, name, name, s->pass.n);
    if (p->work) {
        if (limit)
            mst_text_add(out,
                         "        if (begin + (long)k * %zu >= %zu) {\n            RE(k) = IM(k) = 0;\n            continue;\n"
                         "        }\n",
                         rest, limit);
        mst_text_add(out,
                     "        const %s%u both = vload%u(0, (__global const real *)(a + at + (long)k * %zu));\n"
                     "        x = both.even;\n        y = both.odd;\n",
                     mst_tile_real(s), 2 * s->pass.lanes, 2 * s->pass.lanes, s->inner);
    } else {
        mst_text_add(out, "        %s_lanes(a, at, begin + (long)k * %zu, &x, &y);\n", name, rest);
    }
    if (!p->work && s->g->right_angle) {
        mst_text_add(out,
                     "        vreal unused;\n        %s_lanes(a, at, begin + (long)k * %zu + %zu, &y, &unused);\n        {\n",
                     name, rest, s->g->axes[s->g->n_axes - 1].n);
        write_weights(s, false, out);
        mst_text_add(out, "        }\n");
    }
    if (back && s->tables->twiddles.n) {
        mst_text_add(out, "        {\n");
        write_twiddles(s, true, out);
        mst_text_add(out, "        }\n");
    }
    mst_text_add(out, "        %s(%s) = x;\n        %s(%s) = y;\n    }\n}\n\n", back ? "IM" : "RE", index, back ? "RE" : "IM",
                 index);
}

// void to_lanes(array, at, begin, p, x, y): lane l is at position p + l of the block.
static void write_store_lanes(const mst_stage *s, bool own, mst_text *out) {
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 1];
    unsigned lanes = s->pass.lanes;
    bool pairs;
    const char *type = mst_tile_memory_type(s, TO, &pairs);
    mst_text_add(out, "void to_lanes(__global %s *a, long at, long begin, long p, vreal x, vreal y) {\n", type);
    if (mst_tile_is_contiguous(s, TO, own)) {
        mst_text_add(out, "    const long first = begin + p - %zu;\n    if (p >= %zu && first + LANES <= %zu) {\n", a->start,
                     a->start, a->kept);
        if (pairs) {
            mst_text_add(out, "        vstore%u((%s%u)(", 2 * lanes, mst_tile_real(s), 2 * lanes);
            for (unsigned k = 0; k < lanes; k++)
                mst_text_add(out, "%sx.s%x, y.s%x", k ? ", " : "", k, k);
            mst_text_add(out, "), 0, a + 2 * (at + first));\n");
        } else {
            mst_text_add(out, "        vstore%u(x, 0, a + at + first);\n", lanes);
        }
        mst_text_add(out, "        return;\n    }\n");
    }
    mst_text_add(out, "    for (uint l = 0; l < LANES; l++)\n        to_put(a, at, begin, p + l, %s);\n}\n\n",
                 pairs ? "(real2)(((real *)&x)[l], ((real *)&y)[l])" : "((real *)&x)[l]");
}

static void write_store_work(const mst_stage *s, mst_text *out) {
    const mst_padded_axis *a = &s->g->axes[s->g->digits[s->digit].axis];
    if (mst_stage_store_limited(s))
        mst_text_add(out,
                     "        const long p = begin + (long)k * %zu;\n        if (p < %zu || p >= %zu)\n            continue;\n",
                     s->g->digits[s->digit].rest, a->start, a->start + a->kept);
    mst_text_add(out, "        vstore%u((%s%u)(", 2 * s->pass.lanes, mst_tile_real(s), 2 * s->pass.lanes);
    for (unsigned l = 0; l < s->pass.lanes; l++)
        mst_text_add(out, "%sx.s%x, y.s%x", l ? ", " : "", l, l);
    mst_text_add(out, "), 0, (__global real *)(a + at + (long)k * %zu));\n", s->inner);
}

static void write_store_columns(const mst_stage *s, bool own, mst_text *out) {
    bool work = s->ports[TO].work, back = s->kind == MST_STAGE_BACKWARD;
    size_t rest = s->g->digits[s->digit].rest;
    const char *index = mst_tile_index(s, TO);
    if (!work)
        write_store_lanes(s, own, out);
    mst_text_add(out,
                 "void to_tile(vreal *v, __global TO_ELEMENT *a, %s) {\n"
                 "    const long at = base + to_at(line, first), begin = to_begin(line);\n"
                 "    const uint column = column_of(line);\n    for (uint k = 0; k < %zuu; k++) {\n"
                 "        vreal x = %s(%s), y = %s(%s);\n",
                 mst_tile_parameters, s->pass.n, back ? "IM" : "RE", index, back ? "RE" : "IM", index);
    if (s->kind == MST_STAGE_FORWARD && s->tables->twiddles.n) {
        mst_text_add(out, "        {\n");
        write_twiddles(s, false, out);
        mst_text_add(out, "        }\n");
    }
    if (!work && s->g->right_angle) {
        mst_text_add(out, "        {\n");
        write_weights(s, true, out);
        mst_text_add(out, "        }\n");
    }
    if (work) {
        write_store_work(s, out);
    } else {
        mst_text_add(out, "        to_lanes(a, at, begin - column, column + (long)k * %zu, x * SCALE, y * SCALE);\n", rest);
        if (s->g->right_angle)
            mst_text_add(out, "        to_lanes(a, at, begin - column, column + (long)k * %zu + %zu, y * SCALE, 0);\n", rest,
                         s->g->axes[s->g->n_axes - 1].n);
    }
    mst_text_add(out, "    }\n}\n\n");
}

void mst_tile_write_columns(const mst_stage *s, int port, bool own, mst_text *out) {
    if (port == TO)
        write_store_columns(s, own, out);
    else
        write_load_columns(s, port, own, out);
}
