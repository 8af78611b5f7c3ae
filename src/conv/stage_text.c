// The kernel of a stage as OpenCL C: what it is called, its constants and factors, and the GPU-shaped kernel. Where lines lie is
// in stage_values.c, the CPU-shaped kernel in stage_cpu.c.
#include "stage_text.h"

#include "runtime/numbers.h"

#include <stdio.h>

static size_t longest_extent(const mst_stage *s) {
    size_t longest = 0;
    for (int a = 0; a < s->g->n_axes; a++) {
        const mst_padded_axis *axis = &s->g->axes[a];
        size_t most = axis->extent[X] + axis->extent[Y] + 2 * axis->n;
        longest = mst_larger(most, longest);
    }
    return longest;
}

// Positions along an axis. GPUs compute with 32 bits faster; CPUs do not, and there a compiler was seen to lose the start of a
// narrow position that is part of a wide address, where it made vector code of the loop that stores value by value.
static const char *position_type(const mst_stage *s) {
    return !s->device.pass.cpu && longest_extent(s) < (size_t)1 << 30 ? "int" : "long";
}

static void write_constants(const mst_stage *s, mst_text *out) {
    const mst_digit *d = &s->g->digits[s->digit];
    size_t span = d->n * s->inner;
    const mst_text_value values[] = {MST_SET(position, position_type(s)),
                                     MST_SET(points, s->g->points),
                                     MST_SET(lines, mst_stage_lines(s)),
                                     MST_SET(row_lines, s->before * s->inner),
                                     MST_SET(row_points, s->before * span),
                                     MST_SET(before, s->before),
                                     MST_SET(span, span),
                                     MST_SET(inner, s->inner),
                                     MST_SET(column, s->column),
                                     MST_SET(rest, d->rest),
                                     {0}};
    mst_text_put_values(
        out,
        "typedef $position position; // along an axis\n\n"
        "// A padded vector has POINTS points, LINES of which are element 0 of a line of this stage. INNER lines lie side by\n"
        "// side in work memory, and COLUMN of these share their position along the axis. BEFORE such groups lie SPAN apart.\n"
        "#define POINTS $points\n"
        "#define LINES $lines\n"
        "#define BEFORE $before\n"
        "#define SPAN $span\n"
        "#define INNER $inner // also from an element of a line to the next in work memory,\n"
        "#define REST $rest // which is so far along the axis\n"
        "#define COLUMN $column\n",
        values);
    if (s->g->n_axes > 1)
        mst_text_put_values(out,
                            "#define ROW_LINES $row_lines // of a row of the image\n"
                            "#define ROW_POINTS $row_points\n",
                            values);
    if (s->planes > 1 || s->first_plane > 0)
        mst_text_put(out,
                     "#define ROWS $rows // of a plane of the volume,\n"
                     "#define PLANE_ROWS $all // and as many in work memory\n",
                     MST_SET(rows, s->rows), MST_SET(all, s->g->axes[d->axis - 1].n));
    if (s->g->n_blocks > 1)
        mst_text_put(out, "#define BLOCKS $blocks // of a vector: overlap-save\n", MST_SET(blocks, s->g->n_blocks));
    if (s->device.tables.tables[MST_TABLE_WEIGHTS].bytes)
        mst_text_put(out, "#define HALF $half // a number of the right-angle transform holds values p and p + HALF\n",
                     MST_SET(half, s->g->axes[s->g->n_axes - 1].n));
    mst_text_put(out, "#define SCALE ((real)1 / POINTS) // of the inverse transform\n\n");
}

// The factors that values are multiplied by on their way in or out.
static void write_factors(const mst_stage *s, mst_text *out) {
    const mst_pass *pass = &s->device.pass;
    mst_text_put(out, "real2 conjugate(real2 a) { return (real2)(a.x, -a.y); }\n\n"
                      "uint column_of(ulong line) { return (uint)(line % INNER / COLUMN); }\n\n");
    if (pass->twiddle_n && !pass->twiddle_by_column) {
        mst_twiddle_write(pass, out);
        mst_text_put(out, "// The twiddle between digits of element e.\n"
                          "#define TWIDDLE(e) twiddle(low_twiddles, high_twiddles, column * (e))\n\n");
    } else if (pass->twiddle_n) {
        mst_text_put(
            out,
            "// The twiddle between digits of element e = j + q n / radix, in the loops over j and q that load or store it.\n"
            "#define TWIDDLE(e) complex_multiply(low_twiddles[(int)j * $columns + (int)column], "
            "high_twiddles[(int)q * $columns + (int)column])\n\n",
            MST_SET(columns, pass->twiddle_n / pass->n));
    }
    if (s->device.tables.tables[MST_TABLE_WEIGHTS].bytes)
        mst_text_put(out, "#define WEIGHT(e) weights[column + (e) * REST] // of the right-angle transform\n\n");
}

// ---- GPU-shaped

static void write_locate(const mst_stage *s, mst_text *out) {
    mst_text_put(out, "const uint column = column_of(line);\n");
    for (int port = 0; port < N_STAGE_PORTS; port++)
        if (mst_stage_has_port(s, port))
            mst_text_put(out,
                         "const long ${name}_place = ${name}_base + ${name}_at(line, ${name}_first);\n"
                         "const position ${name}_start = ${name}_begin(line);\n",
                         MST_SET(name, mst_stage_port_name(s, port)));
}

// The expression for element e of an operand. Back is forwards with real and imaginary parts exchanged.
static void write_gpu_load(const mst_stage *s, int port, mst_text *out) {
    mst_text value = {0};
    const char *around = "$value";
    mst_text_put(&value, "${name}_load($name, ${name}_place, ${name}_start, e)", MST_SET(name, mst_stage_port_name(s, port)));
    if (s->kind == MST_STAGE_BACKWARD)
        around = s->device.pass.twiddle_n ? "complex_multiply($value, conjugate(TWIDDLE(e))).yx" : "$value.yx";
    else if (!s->ports[port].work && s->g->right_angle)
        around = "complex_multiply($value, WEIGHT(e))";
    out->failed = out->failed || value.failed;
    if (!out->failed)
        mst_text_put(out, around, MST_SET(value, value.text));
    mst_text_release(&value);
}

// The statement that stores element e, `value`.
static void write_gpu_store(const mst_stage *s, mst_text *out) {
    const char *around = "$value";
    if (!s->ports[TO].work)
        around = s->g->right_angle ? "complex_multiply($value, conjugate(WEIGHT(e))) * SCALE" : "$value * SCALE";
    else if (s->kind == MST_STAGE_FORWARD && s->device.pass.twiddle_n)
        around = "complex_multiply($value, TWIDDLE(e))";
    mst_text_put(out, "${name}_store($name, ${name}_place, ${name}_start, column, e, ",
                 MST_SET(name, mst_stage_port_name(s, TO)));
    mst_text_put(out, around, MST_SET(value, s->kind == MST_STAGE_BACKWARD ? "value.yx" : "value"));
    mst_text_put(out, ")");
}

static void write_gpu(const mst_stage *s, const mst_signature *signature, mst_text *out) {
    enum { LOCATE, LOAD, LOAD_WITH, STORE, N_TEXTS };
    mst_text texts[N_TEXTS] = {0};
    write_locate(s, &texts[LOCATE]);
    for (int port = FROM; port <= WITH && mst_stage_has_port(s, port); port++)
        write_gpu_load(s, port, &texts[LOAD + port]);
    write_gpu_store(s, &texts[STORE]);
    for (int k = 0; k < N_TEXTS; k++)
        out->failed = out->failed || texts[k].failed;
    if (!out->failed)
        mst_pass_write_fusion(&s->device.pass,
                              &(mst_fusion){.signature = signature,
                                            .locate = texts[LOCATE].text,
                                            .loads = {texts[LOAD].text, texts[LOAD_WITH].text},
                                            .forward = {s->ports[FROM].forward, s->ports[WITH].forward},
                                            .backward = s->kind == MST_STAGE_FUSED,
                                            .store = texts[STORE].text},
                              out);
    for (int k = 0; k < N_TEXTS; k++)
        mst_text_release(&texts[k]);
}

// ---- Both

// "an operand, digit 1 of 2, 16 of 65536 points: forward". Stages that do the same for either operand are one kernel.
void mst_stage_print_title(const mst_stage *s, char *out, size_t size) {
    static const char *const what[] = {"forward", "forward, product, and back", "back"};
    const char *operands = s->kind == MST_STAGE_FORWARD ? "an operand" : "the product";
    if (s->kind == MST_STAGE_FUSED) {
        bool x = s->ports[FROM].kept, y = s->ports[WITH].kept;
        operands = x && y ? "spectra of x and y" : x ? "spectra of x and y itself" : y ? "x and spectra of y" : "x and y";
    }
    snprintf(out, size, "convolution: %s, digit %d of %d, %zu of %zu points: %s", operands, s->digit + 1, s->g->n_digits,
             s->device.pass.n, s->g->points, what[s->kind]);
}

static mst_status write_heading(const mst_stage *s, mst_text *out, mst_error *error) {
    char radices[100];
    mst_pass_radices_text(&s->device.pass, radices, sizeof radices);
    mst_text_put(out, "// Radix $radices; the vectors have $x and $y values.\n\n", MST_SET(radices, (const char *)radices),
                 MST_SET(x, s->plan->lengths[X]), MST_SET(y, s->plan->lengths[Y]));
    return mst_butterflies_write(s->plan->context, &s->device.pass, out, error);
}

static void describe(const mst_stage *s, mst_signature *signature) {
    mst_signature_begin(signature, s->device.name);
    for (int port = 0; port < N_STAGE_PORTS; port++) {
        char type[40];
        if (!mst_stage_has_port(s, port))
            continue;
        snprintf(type, sizeof type, "__global %s%s *", port == TO ? "" : "const ", mst_stage_port_type(s, port));
        mst_signature_add(signature, type, "%s", mst_stage_parameter(s, port, STAGE_BUFFER));
        mst_signature_add(signature, "long", "%s", mst_stage_parameter(s, port, STAGE_BASE));
        mst_signature_add(signature, "ulong", "%s", mst_stage_parameter(s, port, STAGE_FIRST));
    }
    mst_device_pass_add_parameters(&s->device, signature);
}

// The pass is the same for all layouts.
mst_status mst_stage_write(void *stage, unsigned own, mst_pass *pass, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stage *s = stage;
    mst_signature signature;
    (void)pass;
    describe(s, &signature);
    MST_TRY(write_heading(s, out, error));
    write_constants(s, out);
    mst_stage_write_ports(s, own, out);
    write_factors(s, out);
    if (s->device.pass.cpu)
        mst_stage_write_cpu(s, own, &signature, out);
    else
        write_gpu(s, &signature, out);
    MST_REQUIRE(!out->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
fail:
    mst_signature_release(&signature);
    return status;
}
