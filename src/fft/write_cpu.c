// CPU-shaped passes: a work-item transforms a tile of `lanes` lines at once, lane l of every vector belonging to line l, in place
// in private arrays that stay in the cache: no barriers, work-groups of one. Decimation in frequency: a step on blocks of m
// elements with radix r takes elements j + q m/r and multiplies result q by exp(-2 pi i j q / m), which leaves results in
// digit-reversed order; storing puts them right.
#include "write_parts.h"

// The index in the arrays of result k.
static void write_place(const mst_pass *pass, mst_text *out) {
    size_t below = 1, above = pass->n;
    mst_text_add(out, "// Where the steps leave result k.\nuint place(uint k) { return ");
    for (int s = 0; s < pass->n_radices; s++) {
        above /= pass->radices[s];
        mst_text_put(out, "${plus}k / ${below}u % ${radix}u * ${above}u", MST_SET(plus, s > 0 ? " + " : ""),
                     MST_SET(below, below), MST_SET(radix, pass->radices[s]), MST_SET(above, above));
        below *= pass->radices[s];
    }
    mst_text_add(out, "; }\n\n");
}

// The loops over the butterflies of a step on blocks of m elements.
static void open_step(const mst_pass *pass, int s, size_t m, size_t table_at, const char *what, mst_text *out) {
    unsigned r = pass->radices[s];
    const mst_text_value values[] = {MST_SET(what, what),
                                     MST_SET(step, s + 1),
                                     MST_SET(steps, pass->n_radices),
                                     MST_SET(radix, r),
                                     MST_SET(m, m),
                                     MST_SET(apart, m / r),
                                     MST_SET(table_at, table_at),
                                     MST_SET(n, pass->n),
                                     MST_SET(rows, r - 1),
                                     {0}};
    mst_text_put_values(out,
                        "// $what $step of $steps: radix $radix on blocks of $m.\n"
                        "for (uint j = 0; j < ${apart}u; j++) {\n",
                        values);
    if (m > r)
        mst_text_put_values(out,
                            table_at > 0 ? "__global const real2 *w = step_twiddles + ${table_at}u + j * ${rows}u;\n"
                                         : "__global const real2 *w = step_twiddles + j * ${rows}u;\n",
                            values);
    mst_text_put_values(out,
                        "for (uint b = j; b < ${n}u; b += ${m}u) {\n"
                        "vreal x[$radix], y[$radix];\n",
                        values);
}

static void write_steps(const mst_pass *pass, mst_text *out) {
    size_t m = pass->n, table_at = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned r = pass->radices[s];
        size_t apart = m / r;
        open_step(pass, s, m, table_at, "Step", out);
        for (unsigned q = 0; q < r; q++)
            mst_text_put(out, "x[$q] = RE(b + $at), y[$q] = IM(b + $at);\n", MST_SET(q, q), MST_SET(at, q * apart));
        mst_text_put(out, "dft$radix(x, y);\nRE(b) = x[0], IM(b) = y[0];\n", MST_SET(radix, r));
        for (unsigned q = 1; q < r; q++)
            mst_text_put(out,
                         apart > 1 ? "RE(b + $at) = x[$q] * w[$row].x - y[$q] * w[$row].y, "
                                     "IM(b + $at) = x[$q] * w[$row].y + y[$q] * w[$row].x;\n"
                                   : "RE(b + $at) = x[$q], IM(b + $at) = y[$q];\n",
                         MST_SET(at, q * apart), MST_SET(q, q), MST_SET(row, q - 1));
        mst_text_add(out, "}\n}\n");
        table_at += apart > 1 ? apart * (r - 1) : 0;
        m = apart;
    }
}

// Decimation in time from where write_steps leaves results: the same steps undone one by one, with the same table.
static void write_steps_back(const mst_pass *pass, mst_text *out) {
    size_t apart = 1, table_at = mst_pass_table_count(pass);
    for (int s = pass->n_radices - 1; s >= 0; s--) {
        unsigned r = pass->radices[s];
        size_t m = apart * r;
        table_at -= apart > 1 ? apart * (r - 1) : 0;
        open_step(pass, s, m, table_at, "Back from step", out);
        mst_text_add(out, "x[0] = RE(b), y[0] = IM(b);\n");
        for (unsigned q = 1; q < r; q++)
            mst_text_put(out,
                         apart > 1 ? "x[$q] = RE(b + $at) * w[$row].x + IM(b + $at) * w[$row].y, "
                                     "y[$q] = IM(b + $at) * w[$row].x - RE(b + $at) * w[$row].y;\n"
                                   : "x[$q] = RE(b + $at), y[$q] = IM(b + $at);\n",
                         MST_SET(q, q), MST_SET(at, q * apart), MST_SET(row, q - 1));
        mst_text_put(out, "dft$radix(y, x);\n", MST_SET(radix, r));
        for (unsigned q = 0; q < r; q++)
            mst_text_put(out, "RE(b + $at) = x[$q], IM(b + $at) = y[$q];\n", MST_SET(q, q), MST_SET(at, q * apart));
        mst_text_add(out, "}\n}\n");
        apart = m;
    }
}

static void write_macros(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "#define LANES ${lanes}u\n"
                 "// The parts of a number lie side by side: one cache line, and fewer of them in one set.\n"
                 "#define RE(i) v[2 * (i)]\n"
                 "#define IM(i) v[2 * (i) + 1]\n\n",
                 MST_SET(lanes, pass->lanes));
}

void mst_pass_write_cpu_steps(const mst_pass *pass, bool backward, mst_text *out) {
    write_macros(pass, out);
    write_place(pass, out);
    mst_text_add(out, "void forward(vreal *v, __global const real2 *step_twiddles) {\n");
    write_steps(pass, out);
    mst_text_add(out, "}\n\n");
    if (!backward)
        return;
    mst_text_add(out, "// The inverse, times n, from where forward() leaves its results.\n"
                      "void backward(vreal *v, __global const real2 *step_twiddles) {\n");
    write_steps_back(pass, out);
    mst_text_add(out, "}\n\n");
}

void mst_pass_write_cpu(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    write_macros(pass, out);
    mst_pass_cpu_write_rows(pass, out);
    write_place(pass, out);
    mst_signature_write(signature, "__attribute__((reqd_work_group_size(1, 1, 1)))", out);
    mst_text_put(out,
                 "vreal v[$reals]; // the tile\n"
                 "for (uint tile = 0; tile < tiles; tile++) {\n"
                 "const ulong first = (get_global_id(0) * tiles + tile) * LANES;\n"
                 "if (first >= n_lines)\n"
                 "return;\n"
                 "const uint count = n_lines - first < LANES ? (uint)(n_lines - first) : LANES;\n\n",
                 MST_SET(reals, 2 * pass->n));
    mst_pass_cpu_write_load(pass, out);
    mst_text_add(out, "\n");
    write_steps(pass, out);
    mst_text_add(out, "\n");
    mst_pass_cpu_write_store(pass, out);
    mst_text_add(out, "}\n}\n");
}
