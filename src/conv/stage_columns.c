// Tiles of columns: the lanes' elements lie side by side. The columns of a tile belong to one vector (mst_geometry_choose sees to
// that), and so fill it.
#include "stage_text.h"

#include <string.h>

// What the templates below refer to.
#define N_COLUMN_VALUES 16
typedef struct column_text {
    mst_text_value values[N_COLUMN_VALUES];
    bool pairs, work, angle;
} column_text;

static void describe(const mst_stage *s, int port, column_text *t) {
    bool back = s->kind == MST_STAGE_BACKWARD;
    const mst_padded_axis *last = &s->g->axes[s->g->n_axes - 1], *own = &s->g->axes[s->g->digits[s->digit].axis];
    const char *type = mst_stage_tile_memory_type(s, port, &t->pairs);
    t->work = s->ports[port].work;
    t->angle = !t->work && s->g->right_angle;
    const mst_text_value values[N_COLUMN_VALUES] = {
        MST_SET(name, mst_stage_port_name(s, port)),
        MST_SET(type, type),
        MST_SET(real, mst_stage_real(s)),
        MST_SET(lanes, s->device.pass.lanes),
        MST_SET(both, 2 * s->device.pass.lanes),
        MST_SET(n, s->device.pass.n),
        MST_SET(extent, s->ports[port].array == Z ? 0 : last->extent[s->ports[port].array]), // of what is read
        MST_SET(limit, mst_stage_load_limit(s, port)),
        MST_SET(start, (t->work ? own : last)->start),
        MST_SET(kept, last->kept),
        MST_SET(end, own->start + own->kept),
        MST_SET(index, mst_stage_tile_index(s, port)),
        MST_SET(re, back ? "IM" : "RE"), // back is forwards with real and imaginary parts exchanged
        MST_SET(im, back ? "RE" : "IM"),
        {0}};
    memcpy(t->values, values, sizeof values);
}

// void NAME_lanes(array, at, p, &re, &im): lane l is at position p + l of the caller's array.
static void write_load_lanes(const mst_stage *s, int port, bool own, const column_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "// Loads the values from position p on, one for each lane.\n"
                        "void ${name}_lanes(__global const $type *$name, long at, long p, vreal *re, vreal *im) {\n",
                        t->values);
    if (mst_stage_tile_is_contiguous(s, port, own)) {
        mst_text_put_values(out, "if (p >= 0 && p + LANES <= $extent) { // all are there\n", t->values);
        mst_text_put_values(out,
                            t->pairs ? "const $real$both parts = convert_$real$both(vload$both(0, $name + 2 * (at + p)));\n"
                                       "*re = parts.even;\n"
                                       "*im = parts.odd;\n"
                                     : "*re = convert_$real$lanes(vload$lanes(0, $name + at + p));\n"
                                       "*im = 0;\n",
                            t->values);
        mst_text_put(out, "return;\n"
                          "}\n");
    }
    mst_text_put_values(out,
                        "*re = *im = 0;\n"
                        "if (p + LANES <= 0 || p >= $extent) // nothing is there\n"
                        "return;\n"
                        "for (uint l = 0; l < LANES; l++) {\n"
                        "const real2 value = ${name}_fetch($name, at, p + l);\n"
                        "((real *)re)[l] = value.x;\n"
                        "((real *)im)[l] = value.y;\n"
                        "}\n"
                        "}\n\n",
                        t->values);
}

// Between digits: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of lanes where
// neighbours belong to different columns.
static void write_twiddles(const mst_stage *s, bool conjugate, const column_text *t, mst_text *out) {
    mst_text_put(out, "{ // the twiddle between digits\n"
                      "const real2 wc = TWIDDLE(k);\n");
    if (s->column == 1)
        mst_text_put_values(out,
                            "const vreal lr = vload$lanes(2 * k, lane_twiddles), li = vload$lanes(2 * k + 1, lane_twiddles);\n"
                            "const vreal wr = wc.x * lr - wc.y * li, wi = wc.x * li + wc.y * lr;\n",
                            t->values);
    else
        mst_text_put(out, "const real wr = wc.x, wi = wc.y;\n");
    mst_stage_tile_write_product(conjugate, out);
    mst_text_put(out, "}\n");
}

static void write_weights(bool conjugate, const column_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "{ // the weight of the right-angle transform\n"
                        "const $real$both weight = vload$both(0, (__global const real *)&WEIGHT(k));\n"
                        "const vreal wr = weight.even, wi = weight.odd;\n",
                        t->values);
    mst_stage_tile_write_product(conjugate, out);
    mst_text_put(out, "}\n");
}

static void write_load_work(const column_text *t, bool limited, mst_text *out) {
    if (limited)
        mst_text_put_values(out,
                            "if (begin + (long)k * REST >= $limit) { // padding: nothing was stored here\n"
                            "RE(k) = IM(k) = 0;\n"
                            "continue;\n"
                            "}\n",
                            t->values);
    mst_text_put_values(out,
                        "const $real$both parts = vload$both(0, (__global const real *)($name + at + (long)k * INNER));\n"
                        "re = parts.even;\n"
                        "im = parts.odd;\n",
                        t->values);
}

static void write_place(const column_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "const long at = base + ${name}_at(line, first), begin = ${name}_begin(line);\n"
                        "const uint column = column_of(line);\n"
                        "for (uint k = 0; k < ${n}u; k++) {\n",
                        t->values);
}

static void write_load_tile(const mst_stage *s, int port, const column_text *t, mst_text *out) {
    mst_stage_tile_write_head(s, port, out);
    write_place(t, out);
    mst_text_put(out, "vreal re, im;\n");
    if (t->work)
        write_load_work(t, mst_stage_load_limit(s, port) > 0, out);
    else
        mst_text_put_values(out, "${name}_lanes($name, at, begin + (long)k * REST, &re, &im);\n", t->values);
    if (t->angle) {
        mst_text_put_values(out,
                            "vreal unused; // right angle: values p + HALF are imaginary parts\n"
                            "${name}_lanes($name, at, begin + (long)k * REST + HALF, &im, &unused);\n",
                            t->values);
        write_weights(false, t, out);
    }
    if (s->kind == MST_STAGE_BACKWARD && s->device.pass.twiddle_n)
        write_twiddles(s, true, t, out);
    mst_text_put_values(out,
                        "$re($index) = re;\n"
                        "$im($index) = im;\n"
                        "}\n"
                        "}\n\n",
                        t->values);
}

// (float8)(re.s0, im.s0, re.s1, ...)
static void write_interleaved(const mst_stage *s, mst_text *out) {
    mst_text_add(out, "(%s%u)(", mst_stage_real(s), 2 * s->device.pass.lanes);
    for (unsigned l = 0; l < s->device.pass.lanes; l++)
        mst_text_add(out, "%sre.s%x, im.s%x", l ? ", " : "", l, l);
    mst_text_add(out, ")");
}

// void NAME_lanes(array, at, begin, p, re, im): lane l is at position p + l of the block.
static void write_store_lanes(const mst_stage *s, bool own, const column_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "// Stores the values from position p of the block on, one of each lane.\n"
                        "void ${name}_lanes(__global $type *$name, long at, long begin, long p, vreal re, vreal im) {\n",
                        t->values);
    if (mst_stage_tile_is_contiguous(s, TO, own)) {
        mst_text_put_values(out,
                            "const long first = begin + p - $start;\n"
                            "if (p >= $start && first + LANES <= $kept) { // all are kept\n",
                            t->values);
        if (t->pairs) {
            mst_text_put_values(out, "vstore$both(", t->values);
            write_interleaved(s, out);
            mst_text_put_values(out, ", 0, $name + 2 * (at + first));\n", t->values);
        } else {
            mst_text_put_values(out, "vstore$lanes(re, 0, $name + at + first);\n", t->values);
        }
        mst_text_put(out, "return;\n"
                          "}\n");
    }
    mst_text_put(out, "for (uint l = 0; l < LANES; l++)\n");
    mst_text_put_values(out,
                        t->pairs ? "${name}_put($name, at, begin, p + l, (real2)(((real *)&re)[l], ((real *)&im)[l]));\n"
                                 : "${name}_put($name, at, begin, p + l, ((real *)&re)[l]);\n",
                        t->values);
    mst_text_put(out, "}\n\n");
}

static void write_store_work(const mst_stage *s, const column_text *t, mst_text *out) {
    if (mst_stage_store_limited(s))
        mst_text_put_values(out,
                            "const long p = begin + (long)k * REST;\n"
                            "if (p < $start || p >= $end) // not kept\n"
                            "continue;\n",
                            t->values);
    mst_text_put_values(out, "vstore$both(", t->values);
    write_interleaved(s, out);
    mst_text_put_values(out, ", 0, (__global real *)($name + at + (long)k * INNER));\n", t->values);
}

static void write_store_tile(const mst_stage *s, const column_text *t, mst_text *out) {
    mst_stage_tile_write_head(s, TO, out);
    write_place(t, out);
    mst_text_put_values(out, "vreal re = $re($index), im = $im($index);\n", t->values);
    if (s->kind == MST_STAGE_FORWARD && s->device.pass.twiddle_n)
        write_twiddles(s, false, t, out);
    if (t->angle)
        write_weights(true, t, out);
    if (t->work)
        write_store_work(s, t, out);
    else
        mst_text_put_values(out, "${name}_lanes($name, at, begin - column, column + (long)k * REST, re * SCALE, im * SCALE);\n",
                            t->values);
    if (t->angle)
        mst_text_put_values(out,
                            "// right angle: imaginary parts are values p + HALF\n"
                            "${name}_lanes($name, at, begin - column, column + (long)k * REST + HALF, im * SCALE, 0);\n",
                            t->values);
    mst_text_put(out, "}\n"
                      "}\n\n");
}

void mst_stage_tile_write_columns(const mst_stage *s, int port, bool own, mst_text *out) {
    column_text t;
    describe(s, port, &t);
    if (port == TO) {
        if (!t.work)
            write_store_lanes(s, own, &t, out);
        write_store_tile(s, &t, out);
    } else {
        if (!t.work)
            write_load_lanes(s, port, own, &t, out);
        write_load_tile(s, port, &t, out);
    }
}
