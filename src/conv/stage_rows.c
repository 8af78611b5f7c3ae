// Tiles of rows: each lane's elements lie side by side, and are transposed, a row of LANES numbers from each lane at a time.
#include "stage_text.h"

#include <stdio.h>
#include <string.h>

// (vreal)(r[I].sJ, ...): the halves of blocks of 2 d columns that row i of the transposition consists of.
static void write_swapped(unsigned lanes, unsigned i, unsigned d, unsigned half, mst_text *out) {
    for (unsigned j = 0; j < lanes; j++) {
        unsigned row = j & d ? i + d : i, column = (j & ~d) + half * d;
        mst_text_add(out, "%sr[%u].s%x", j ? ", " : "(vreal)(", row, column);
    }
    mst_text_add(out, ");\n");
}

// The transposition by swapping halves, quarters, ... of rows and columns: in registers, as nothing is indexed by a variable.
static void write_transpose(unsigned lanes, mst_text *out) {
    mst_text_put(out, "// Row l holds number k of lane l, or the other way round, and then the opposite.\n"
                      "void transpose(vreal *r) {\n"
                      "vreal t;\n");
    for (unsigned d = lanes / 2; d > 0; d /= 2)
        for (unsigned i = 0; i < lanes; i++) {
            if (i & d)
                continue;
            mst_text_put(out, "t = ");
            write_swapped(lanes, i, d, 0, out);
            mst_text_put(out, "r[$i] = ", MST_SET(i, i + d));
            write_swapped(lanes, i, d, 1, out);
            mst_text_put(out, "r[$i] = t;\n", MST_SET(i, i));
        }
    mst_text_put(out, "}\n\n");
}

// Positions [0, extent) of a port that is read are there.
static size_t extent_of(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    if (p->work)
        return s->device.pass.n;
    return p->array == Z ? 0 : s->g->axes[s->g->n_axes - 1].extent[p->array];
}

// Elements that are moved at once between LANES vectors and memory: a row of LANES numbers for each lane.
static unsigned chunk_of(const mst_stage *s, int port) {
    bool pairs;
    mst_stage_tile_memory_type(s, port, &pairs);
    return pairs ? s->device.pass.lanes / 2 : s->device.pass.lanes;
}

// What the templates below refer to.
#define N_ROW_VALUES 12
typedef struct row_text {
    mst_text_value values[N_ROW_VALUES];
    char count[60]; // of the numbers of a row, where the last one is shorter
    bool pairs, angle;
} row_text;

static void describe(const mst_stage *s, int port, row_text *t) {
    bool back = s->kind == MST_STAGE_BACKWARD, work = s->ports[port].work;
    unsigned chunk = chunk_of(s, port);
    const char *type = mst_stage_tile_memory_type(s, port, &t->pairs);
    t->angle = !work && s->g->right_angle;
    snprintf(t->count, sizeof t->count, s->device.pass.n % chunk ? "min(%uu, %zuu - e)" : "%uu", chunk, s->device.pass.n);
    const mst_text_value values[N_ROW_VALUES] = {
        MST_SET(name, mst_stage_port_name(s, port)),
        MST_SET(type, type),
        MST_SET(n, s->device.pass.n),
        MST_SET(chunk, chunk),
        MST_SET(extent, extent_of(s, port)),
        MST_SET(cast, !work        ? ""
                      : port == TO ? "(__global real *)"
                                   : "(__global const real *)"),
        MST_SET(index, mst_stage_tile_index(s, port)),
        MST_SET(re, back ? "IM" : "RE"), // back is forwards with real and imaginary parts exchanged
        MST_SET(im, back ? "RE" : "IM"),
        MST_SET(scale, work ? "" : " * SCALE"),
        MST_SET(count, (const char *)t->count),
        {0}};
    memcpy(t->values, values, sizeof values);
}

// A whole row of each lane at once, where all of them are there.
static void write_load_vectors(const mst_stage *s, const row_text *t, mst_text *out) {
    mst_text_put_values(out, "if (least + p >= 0 && most + p + $chunk <= $extent) { // all are there\n", t->values);
    for (unsigned l = 0; l < s->device.pass.lanes; l++)
        mst_text_put(out, "r[$l] = convert_$real$lanes(vload$lanes(0, $name + $two(at[$l] + begin[$l] + p)));\n", MST_SET(l, l),
                     MST_SET(real, mst_stage_real(s)), MST_SET(lanes, s->device.pass.lanes), t->values[0],
                     MST_SET(two, t->pairs ? "2 * " : ""));
    mst_text_put(out, "transpose(r);\n"
                      "return;\n"
                      "}\n");
}

// Lanes that are moved one by one.
static void write_gather(const mst_stage *s, int port, const row_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "for (uint k = 0; k < ${chunk}u; k++)\n"
                        "for (uint l = 0; l < LANES; l++) {\n",
                        t->values);
    if (s->ports[port].work)
        mst_text_put_values(out, "const real2 value = p + k >= $extent ? (real2)(0, 0) : vload2(at[l] + p + k, $name);\n",
                            t->values);
    else
        mst_text_put_values(out, "const real2 value = ${name}_fetch($name, at[l], begin[l] + p + k);\n", t->values);
    if (t->pairs)
        mst_text_put(out, "((real *)&r[2 * k])[l] = value.x;\n"
                          "((real *)&r[2 * k + 1])[l] = value.y;\n"
                          "}\n");
    else
        mst_text_put(out, "((real *)&r[k])[l] = value.x;\n"
                          "}\n");
}

// void NAME_rows(r, array, at, begin, least, most, p): positions p .. of all lanes: a vector each, or one of real and one of
// imaginary parts.
static void write_load_rows(const mst_stage *s, int port, bool own, const row_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "// Loads $chunk values of each lane from position p on, number k of all lanes into one vector.\n"
                        "void ${name}_rows(vreal *r, __global const $type *$name, const long *at, const long *begin, long least, "
                        "long most, long p) {\n",
                        t->values);
    if (mst_stage_tile_is_contiguous(s, port, own))
        write_load_vectors(s, t, out);
    mst_text_put_values(out,
                        "if (most + p + $chunk <= 0 || least + p >= $extent) { // nothing is there\n"
                        "for (uint k = 0; k < LANES; k++)\n"
                        "r[k] = 0;\n"
                        "return;\n"
                        "}\n",
                        t->values);
    write_gather(s, port, t, out);
    mst_text_put(out, "}\n\n");
}

static void write_lane_places(const row_text *t, mst_text *out) {
    mst_text_put_values(out,
                        "// Where the lanes' lines lie, and the least and the greatest position that they begin at.\n"
                        "long at[LANES], begin[LANES], least = LONG_MAX, most = LONG_MIN;\n"
                        "for (uint l = 0; l < LANES; l++) {\n"
                        "const ulong k = line + min(l, count - 1);\n"
                        "at[l] = base + ${name}_at(k, first);\n"
                        "begin[l] = ${name}_begin(k);\n"
                        "least = min(least, begin[l]);\n"
                        "most = max(most, begin[l]);\n"
                        "}\n",
                        t->values);
}

static void write_load_tile(const mst_stage *s, int port, const row_text *t, mst_text *out) {
    mst_stage_tile_write_head(s, port, out);
    write_lane_places(t, out);
    mst_text_put_values(out,
                        "for (uint e = 0; e < ${n}u; e += ${chunk}u) {\n"
                        "vreal r[LANES];\n"
                        "${name}_rows(r, $cast$name, at, begin, least, most, e);\n",
                        t->values);
    if (t->angle)
        mst_text_put_values(out,
                            "vreal i[LANES]; // right angle: values p + HALF are imaginary parts\n"
                            "${name}_rows(i, $name, at, begin, least, most, e + HALF);\n",
                            t->values);
    mst_text_put_values(out,
                        "for (uint j = 0; j < $count; j++) {\n"
                        "const uint k = e + j;\n",
                        t->values);
    mst_text_put(out, t->pairs   ? "vreal re = r[2 * j], im = r[2 * j + 1];\n"
                      : t->angle ? "vreal re = r[j], im = i[j];\n"
                                 : "vreal re = r[j], im = 0;\n");
    if (t->angle) {
        mst_text_put(out, "const real wr = weights[k].x, wi = weights[k].y;\n");
        mst_stage_tile_write_product(false, out);
    }
    mst_text_put_values(out,
                        "$re($index) = re;\n"
                        "$im($index) = im;\n"
                        "}\n"
                        "}\n"
                        "}\n\n",
                        t->values);
}

// A whole row of each lane at once, where all of it is kept.
static void write_store_vectors(const mst_stage *s, const row_text *t, mst_text *out) {
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 1];
    if (s->ports[TO].work)
        mst_text_put_values(out,
                            "const long shift = p;\n"
                            "if (m == ${chunk}u) {\n",
                            t->values);
    else
        mst_text_put(out,
                     "const long shift = p - $start; // to the place in the result\n"
                     "if (m == ${chunk}u && shift >= 0 && most + shift + $chunk <= $kept) { // all are kept\n",
                     MST_SET(start, a->start), MST_SET(chunk, chunk_of(s, TO)), MST_SET(kept, a->kept));
    mst_text_put(out, "transpose(r);\n");
    for (unsigned l = 0; l < s->device.pass.lanes; l++)
        mst_text_put(out,
                     "if ($l < count)\n"
                     "vstore$lanes(r[$l], 0, $name + $two(at[$l] + begin[$l] + shift));\n",
                     MST_SET(l, l), MST_SET(lanes, s->device.pass.lanes), t->values[0], MST_SET(two, t->pairs ? "2 * " : ""));
    mst_text_put(out, "return;\n"
                      "}\n");
}

// void NAME_rows(r, array, at, begin, least, most, count, p, m): m positions from p on.
static void write_store_rows(const mst_stage *s, bool own, const row_text *t, mst_text *out) {
    mst_text_put_values(
        out,
        "// Stores m values of each lane from position p on, number k of all lanes from one vector.\n"
        "void ${name}_rows(vreal *r, __global $type *$name, const long *at, const long *begin, long least, long most, "
        "uint count, long p, uint m) {\n",
        t->values);
    if (mst_stage_tile_is_contiguous(s, TO, own))
        write_store_vectors(s, t, out);
    mst_text_put(out, "for (uint k = 0; k < m; k++)\n"
                      "for (uint l = 0; l < count; l++)\n");
    const char *put = "${name}_put($name, at[l], begin[l], p + k, ((real *)&r[k])[l]);\n";
    if (s->ports[TO].work)
        put = "vstore2((real2)(((real *)&r[2 * k])[l], ((real *)&r[2 * k + 1])[l]), at[l] + p + k, $name);\n";
    else if (t->pairs)
        put = "${name}_put($name, at[l], begin[l], p + k, (real2)(((real *)&r[2 * k])[l], ((real *)&r[2 * k + 1])[l]));\n";
    mst_text_put_values(out, put, t->values);
    mst_text_put(out, "}\n\n");
}

static void write_store_tile(const mst_stage *s, const row_text *t, mst_text *out) {
    mst_stage_tile_write_head(s, TO, out);
    write_lane_places(t, out);
    mst_text_put_values(out, "for (uint e = 0; e < ${n}u; e += ${chunk}u) {\n", t->values);
    mst_text_put(out, t->angle ? "vreal r[LANES], i[LANES]; // right angle: values p + HALF are imaginary parts\n"
                               : "vreal r[LANES];\n");
    mst_text_put_values(out,
                        "for (uint j = 0; j < $count; j++) {\n"
                        "const uint k = e + j;\n"
                        "vreal re = $re($index), im = $im($index);\n",
                        t->values);
    if (t->angle) {
        mst_text_put(out, "const real wr = weights[k].x, wi = weights[k].y;\n");
        mst_stage_tile_write_product(true, out);
    }
    if (t->pairs)
        mst_text_put_values(out,
                            "r[2 * j] = re$scale;\n"
                            "r[2 * j + 1] = im$scale;\n",
                            t->values);
    else
        mst_text_put_values(out, "r[j] = re$scale;\n", t->values);
    if (t->angle)
        mst_text_put_values(out, "i[j] = im$scale;\n", t->values);
    mst_text_put_values(out,
                        "}\n"
                        "${name}_rows(r, $cast$name, at, begin, least, most, count, e, $count);\n",
                        t->values);
    if (t->angle)
        mst_text_put_values(out, "${name}_rows(i, $name, at, begin, least, most, count, e + HALF, $count);\n", t->values);
    mst_text_put(out, "}\n"
                      "}\n\n");
}

void mst_stage_tile_write_rows(const mst_stage *s, int port, bool own, mst_text *out) {
    row_text t;
    describe(s, port, &t);
    if (port == FROM)
        write_transpose(s->device.pass.lanes, out);
    if (port == TO) {
        write_store_rows(s, own, &t, out);
        write_store_tile(s, &t, out);
    } else {
        write_load_rows(s, port, own, &t, out);
        write_load_tile(s, port, &t, out);
    }
}
