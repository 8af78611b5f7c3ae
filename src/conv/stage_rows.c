// Tiles of rows: each lane's elements lie side by side, and are transposed, a row of LANES numbers from each lane at a time.
#include "stage_cpu.h"

#include <stdio.h>

// The transposition by swapping halves, quarters, ... of rows and columns: in registers, as nothing is indexed by a variable.
static void write_transpose(unsigned lanes, mst_text *out) {
    mst_text_add(out, "void transpose(vreal *r) {\n    vreal t;\n");
    for (unsigned d = lanes / 2; d > 0; d /= 2)
        for (unsigned i = 0; i < lanes; i++) {
            if (i & d)
                continue;
            for (int half = 0; half < 2; half++) {
                mst_text_add(out, half ? "    r[%u] = (vreal)(" : "    t = (vreal)(", i + d);
                for (unsigned j = 0; j < lanes; j++) {
                    unsigned row = j & d ? i + d : i, from = (j & ~d) + (half ? d : 0);
                    mst_text_add(out, "%sr[%u].s%x", j ? ", " : "", row, from);
                }
                mst_text_add(out, ");\n");
            }
            mst_text_add(out, "    r[%u] = t;\n", i);
        }
    mst_text_add(out, "}\n\n");
}

// Positions [0, extent) of the port are there.
static size_t extent_of(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    return p->work ? s->pass.n : s->g->axes[s->g->n_axes - 1].extent[p->array];
}

// Elements that are moved at once between LANES vectors and memory: a row of LANES numbers for each lane.
static unsigned chunk_of(const mst_stage *s, int port) {
    bool pairs;
    mst_tile_memory_type(s, port, &pairs);
    return pairs ? s->pass.lanes / 2 : s->pass.lanes;
}

// Lanes that are moved one by one.
static void write_gather(const mst_stage *s, unsigned chunk, const char *fetch, mst_text *out) {
    mst_text_add(out,
                 "    for (uint k = 0; k < %uu; k++)\n        for (uint l = 0; l < LANES; l++) {\n"
                 "            const real2 value = %s;\n",
                 chunk, fetch);
    if (chunk < s->pass.lanes)
        mst_text_add(out, "            ((real *)&r[2 * k])[l] = value.x;\n            ((real *)&r[2 * k + 1])[l] = value.y;\n");
    else
        mst_text_add(out, "            ((real *)&r[k])[l] = value.x;\n");
    mst_text_add(out, "        }\n");
}

// void X_rows(r, array, at, begin, least, most, p): positions p .. of all lanes: a vector each, or one of real and one of
// imaginary parts.
static void write_load_rows(const mst_stage *s, int port, bool own, mst_text *out) {
    const char *name = mst_stage_port_name(port);
    unsigned lanes = s->pass.lanes, chunk = chunk_of(s, port);
    bool pairs;
    char fetch[120];
    const char *type = mst_tile_memory_type(s, port, &pairs);
    mst_text_add(
        out, "void %s_rows(vreal *r, __global const %s *a, const long *at, const long *begin, long least, long most, long p) {\n",
        name, type);
    if (mst_tile_is_contiguous(s, port, own)) {
        mst_text_add(out, "    if (least + p >= 0 && most + p + %u <= %zu) {\n", chunk, extent_of(s, port));
        for (unsigned l = 0; l < lanes; l++)
            mst_text_add(out, "        r[%u] = convert_%s%u(vload%u(0, a + %s(at[%u] + begin[%u] + p)));\n", l, mst_tile_real(s),
                         lanes, lanes, pairs ? "2 * " : "", l, l);
        mst_text_add(out, "        transpose(r);\n        return;\n    }\n");
    }
    if (s->ports[port].work)
        snprintf(fetch, sizeof fetch, "p + k >= %zu ? (real2)(0, 0) : vload2(at[l] + p + k, a)", s->pass.n);
    else
        snprintf(fetch, sizeof fetch, "%s_fetch(a, at[l], begin[l] + p + k)", name);
    mst_text_add(out,
                 "    if (most + p + %u <= 0 || least + p >= %zu) {\n        for (uint k = 0; k < LANES; k++)\n"
                 "            r[k] = 0;\n        return;\n    }\n",
                 chunk, extent_of(s, port));
    write_gather(s, chunk, fetch, out);
    mst_text_add(out, "}\n\n");
}

// Where the lanes' lines lie.
static void write_lane_places(int port, mst_text *out) {
    const char *name = mst_stage_port_name(port);
    mst_text_add(
        out,
        "    long at[LANES], begin[LANES], least = LONG_MAX, most = LONG_MIN;\n"
        "    for (uint l = 0; l < LANES; l++) {\n"
        "        const ulong k = line + min(l, count - 1);\n"
        "        at[l] = base + %s_at(k, first);\n        begin[l] = %s_begin(k);\n        least = min(least, begin[l]);\n"
        "        most = max(most, begin[l]);\n    }\n",
        name, name);
}

static void write_load_rows_tile(const mst_stage *s, int port, bool own, mst_text *out) {
    const char *name = mst_stage_port_name(port);
    const mst_stage_port *p = &s->ports[port];
    unsigned chunk = chunk_of(s, port);
    bool pairs = chunk < s->pass.lanes, angle = !p->work && s->g->right_angle, back = s->kind == MST_STAGE_BACKWARD;
    write_load_rows(s, port, own, out);
    mst_text_add(out, "void %s_tile(vreal *v, __global const %s *a, %s) {\n", name,
                 port == FROM ? "FROM_ELEMENT" : "WITH_ELEMENT", mst_tile_parameters);
    write_lane_places(port, out);
    const char *cast = p->work ? "(__global const real *)" : "";
    mst_text_add(out,
                 "    for (uint e = 0; e < %zuu; e += %uu) {\n        vreal r[LANES];\n"
                 "        %s_rows(r, %sa, at, begin, least, most, e);\n",
                 s->pass.n, chunk, name, cast);
    if (angle)
        mst_text_add(out, "        vreal i[LANES];\n        %s_rows(i, a, at, begin, least, most, e + %zu);\n", name,
                     s->g->axes[s->g->n_axes - 1].n);
    if (s->pass.n % chunk == 0)
        mst_text_add(out, "        for (uint j = 0; j < %uu; j++) {\n", chunk);
    else
        mst_text_add(out, "        for (uint j = 0; j < min(%uu, %zuu - e); j++) {\n", chunk, s->pass.n);
    mst_text_add(out, "            const uint k = e + j;\n            vreal x = r[%s], y = %s;\n", pairs ? "2 * j" : "j",
                 pairs   ? "r[2 * j + 1]"
                 : angle ? "i[j]"
                         : "0");
    if (angle) {
        mst_text_add(out, "            const real wr = weights[k].x, wi = weights[k].y;\n");
        mst_tile_write_product(false, out);
    }
    const char *index = mst_tile_index(s, port);
    mst_text_add(out, "            %s(%s) = x;\n            %s(%s) = y;\n        }\n    }\n}\n\n", back ? "IM" : "RE", index,
                 back ? "RE" : "IM", index);
}

// void to_rows(r, to, at, begin, least, most, count, p, m): m positions from p on.
static void write_store_rows(const mst_stage *s, bool own, mst_text *out) {
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 1];
    unsigned lanes = s->pass.lanes, chunk = chunk_of(s, TO);
    bool pairs;
    const char *type = mst_tile_memory_type(s, TO, &pairs);
    mst_text_add(out,
                 "void to_rows(vreal *r, __global %s *a, const long *at, const long *begin, long least, long most, uint count,\n"
                 "             long p, uint m) {\n",
                 type);
    if (mst_tile_is_contiguous(s, TO, own)) {
        if (s->ports[TO].work)
            mst_text_add(out, "    const long shift = p;\n    if (m == %uu) {\n", chunk);
        else
            mst_text_add(out, "    const long shift = p - %zu;\n    if (m == %uu && shift >= 0 && most + shift + %u <= %zu) {\n",
                         a->start, chunk, chunk, a->kept);
        mst_text_add(out, "        transpose(r);\n");
        for (unsigned l = 0; l < lanes; l++)
            mst_text_add(out, "        if (%u < count)\n            vstore%u(r[%u], 0, a + %s(at[%u] + begin[%u] + shift));\n", l,
                         lanes, l, pairs ? "2 * " : "", l, l);
        mst_text_add(out, "        return;\n    }\n");
    }
    mst_text_add(out, "    for (uint k = 0; k < m; k++)\n        for (uint l = 0; l < count; l++)\n");
    if (s->ports[TO].work)
        mst_text_add(out,
                     "            vstore2((real2)(((real *)&r[2 * k])[l], ((real *)&r[2 * k + 1])[l]), at[l] + p + k, a);\n");
    else if (pairs)
        mst_text_add(out, "            to_put(a, at[l], begin[l], p + k, (real2)(((real *)&r[2 * k])[l], ((real *)&r[2 * k + "
                          "1])[l]));\n");
    else
        mst_text_add(out, "            to_put(a, at[l], begin[l], p + k, ((real *)&r[k])[l]);\n");
    mst_text_add(out, "}\n\n");
}

static void write_store_rows_tile(const mst_stage *s, bool own, mst_text *out) {
    unsigned chunk = chunk_of(s, TO);
    bool work = s->ports[TO].work, pairs = chunk < s->pass.lanes, angle = !work && s->g->right_angle;
    bool back = s->kind == MST_STAGE_BACKWARD;
    const char *index = mst_tile_index(s, TO), *cast = work ? "(__global real *)" : "";
    char m[60];
    snprintf(m, sizeof m, s->pass.n % chunk ? "min(%uu, %zuu - e)" : "%uu", chunk, s->pass.n);
    write_store_rows(s, own, out);
    mst_text_add(out, "void to_tile(vreal *v, __global TO_ELEMENT *a, %s) {\n", mst_tile_parameters);
    write_lane_places(TO, out);
    mst_text_add(out,
                 "    for (uint e = 0; e < %zuu; e += %uu) {\n        vreal r[LANES]%s;\n"
                 "        for (uint j = 0; j < %s; j++) {\n            const uint k = e + j;\n"
                 "            vreal x = %s(%s), y = %s(%s);\n",
                 s->pass.n, chunk, angle ? ", i[LANES]" : "", m, back ? "IM" : "RE", index, back ? "RE" : "IM", index);
    if (angle) {
        mst_text_add(out, "            const real wr = weights[k].x, wi = weights[k].y;\n");
        mst_tile_write_product(true, out);
    }
    const char *scale = work ? "" : " * SCALE";
    if (pairs)
        mst_text_add(out, "            r[2 * j] = x%s;\n            r[2 * j + 1] = y%s;\n", scale, scale);
    else
        mst_text_add(out, "            r[j] = x%s;\n", scale);
    if (angle)
        mst_text_add(out, "            i[j] = y%s;\n", scale);
    mst_text_add(out, "        }\n        to_rows(r, %sa, at, begin, least, most, count, e, %s);\n", cast, m);
    if (angle)
        mst_text_add(out, "        to_rows(i, a, at, begin, least, most, count, e + %zu, %s);\n", s->g->axes[s->g->n_axes - 1].n,
                     m);
    mst_text_add(out, "    }\n}\n\n");
}

void mst_tile_write_rows(const mst_stage *s, int port, bool own, mst_text *out) {
    if (port == FROM)
        write_transpose(s->pass.lanes, out);
    if (port == TO)
        write_store_rows_tile(s, own, out);
    else
        write_load_rows_tile(s, port, own, out);
}
