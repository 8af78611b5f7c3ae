// Constant tables by which the loop of a CPU-shaped kernel knows what differs between versions.
#include "write_cpu.h"

// A row a version. Returns how many there are.
static int write_versions(const mst_stencil_cpu_writer *c, const mst_pipeline *p) {
    int n = 0;
    mst_name name;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_field_version *v = &p->versions[k];
        if (v->update < 0 && v->depth == 0)
            continue;
        mst_name_version(p, k, name);
        mst_text_put(c->out,
                     "$operation, $field, $step, $output, $lag, $low_0, $high_0, $low_1, $high_1, $low_2, $high_2, // $name\n",
                     MST_SET(operation, v->update < 0 ? k : c->problem->n_arrays + v->update), MST_SET(field, v->field),
                     MST_SET(step, v->step), MST_SET(output, v->output), MST_SET(lag, v->lag), MST_SET(low_0, v->low[PLANES]),
                     MST_SET(high_0, v->high[PLANES]), MST_SET(low_1, v->low[ROWS]), MST_SET(high_1, v->high[ROWS]),
                     MST_SET(low_2, v->low[COLUMNS]), MST_SET(high_2, v->high[COLUMNS]), MST_SET(name, name));
        n++;
    }
    return n;
}

static void write_fields(const mst_stencil_cpu_writer *c) {
    mst_text_put(
        c->out, "// Of fields: where their rings begin, arrays of the state, planes of a ring, and how far they are read before\n"
                "// and behind along planes, rows and columns.\n"
                "__constant int fields[] = {\n");
    for (int f = 0; f < c->problem->n_fields; f++) {
        const mst_field_rings *r = &c->rings.fields[f];
        mst_text_put(c->out, "$base, $levels, $depth, ", MST_SET(base, r->base), MST_SET(levels, c->problem->fields[f].levels),
                     MST_SET(depth, r->depth));
        for (int axis = 0; axis < N_AXES; axis++)
            mst_text_put(c->out, "$before, $behind, ", MST_SET(before, r->reach[axis][0]), MST_SET(behind, r->reach[axis][1]));
        mst_text_put(c->out, "// $name\n", MST_SET(name, c->problem->fields[f].name));
    }
    mst_text_put(c->out, "};\n\n");
}

void mst_stencil_cpu_write_tables(const mst_stencil_cpu_writer *c, int n_versions[2]) {
    const mst_writer *w = c->w;
    mst_text_put(
        c->out,
        "// Of versions, first those of $m fused steps and then those of one: the operation (the input to load, or an update),\n"
        "// the field, the fused step or -1, the output or -1, the planes by which it lags behind the loading, and the nodes\n"
        "// needed before and behind the box along planes, rows and columns.\n"
        "__constant int versions[] = {\n",
        MST_SET(m, w->pipeline->m));
    n_versions[0] = write_versions(c, w->pipeline);
    n_versions[1] = write_versions(c, w->single);
    mst_text_put(c->out, "};\n\n");
    write_fields(c);
    if (c->n_half > 0) {
        mst_text_put(c->out, "// Of fields: 1 if values are rounded to float16, as which they lie in memory.\n"
                             "__constant int halves[] = {");
        for (int f = 0; f < c->problem->n_fields; f++)
            mst_text_put(c->out, f > 0 ? ", $half" : "$half", MST_SET(half, c->problem->fields[f].is_half));
        mst_text_put(c->out, "};\n\n");
    }
    mst_text_put(
        c->out,
        "// Of fields: the first of their sources in the list of points and the one behind the last, and receivers alike.\n"
        "__constant long points_of[] = {\n");
    for (int f = 0; f < c->problem->n_fields; f++)
        mst_text_put(c->out, "$s0, $s1, $r0, $r1,\n", MST_SET(s0, w->sources.first[f]), MST_SET(s1, w->sources.first[f + 1]),
                     MST_SET(r0, w->receivers.first[f]), MST_SET(r1, w->receivers.first[f + 1]));
    mst_text_put(c->out, "};\n\n");
}
