// OpenCL C of the fused filter. What is done to values and where they lie is in fused_*.cl; GPU-shaped kernels are the FFT
// engine's around these functions, CPU-shaped ones put them around its steps: a work-item takes LANES lines at once.
#include "fused.h"

#include "runtime/program.h"

#include <stdio.h>

static const char *const parameters[N_FUSED] = {
    "__global const IN *image, long base, ulong first_line, __constant const long *lines, __global real2 *half_planes, "
    "ulong n_lines, __global const real2 *table, __global const real2 *back_table",
    "__global real2 *half_planes, __global const real *mask, ulong n_lines, __global const real2 *table, "
    "__global const real2 *back_table",
    "__global RESULT *image, long base, ulong first_line, __constant const long *lines, __global const real2 *half_planes, "
    "ulong n_lines, __global const real2 *table, __global const real2 *back_table, real white"};

static const char *element_name(mst_type type) { return type == MST_UINT8 ? "uchar" : type == MST_UINT16 ? "ushort" : "float"; }

static void write_constants(const mst_filter *plan, mst_text *out) {
    // Both rows' spectra are loaded twice as large.
    float scale = (float)(0.5 / ((double)plan->p * (double)plan->q));
    char scale_text[32];
    snprintf(scale_text, sizeof scale_text, "%.9gf", (double)scale);
    mst_text_put(out,
                 "#define HEIGHT ${height}u\n"
                 "#define WIDTH ${width}u\n"
                 "#define CHANNELS ${channels}u\n"
                 "#define COLOURS ${colours}u // channels that are filtered, each a plane\n"
                 "#define P ${p}u // points transformed along the height,\n"
                 "#define Q ${q}u // and along the width\n"
                 "#define J ${j}u // rows y and y + J go together, as one of complex numbers\n"
                 "#define HALF ${half}u // columns, each with its opposite beside it\n"
                 "#define PITCH ${pitch}u // numbers from a row of a half plane to the next\n"
                 "#define PLACE(e) (2 * (e) <= Q ? 2 * (e) : 2 * (Q - (e)) + 1) // of element e of a row there\n"
                 "#define SCALE $scale // of the inverse transform, and a half: spectra of two rows are taken twice as large\n"
                 "#define MIRROR $mirror // beyond the edges: the image mirrored, or 0\n"
                 "#define LEVELS $levels // something is taken off each plane\n\n",
                 MST_SET(height, plan->height), MST_SET(width, plan->width), MST_SET(channels, plan->channels),
                 MST_SET(colours, plan->colours), MST_SET(p, plan->p), MST_SET(q, plan->q), MST_SET(j, plan->p / 2),
                 MST_SET(half, plan->q / 2 + 1), MST_SET(pitch, mst_fused_filter_pitch(plan)),
                 MST_SET(scale, (const char *)scale_text), MST_SET(mirror, plan->desc.edges == MST_FILTER_REFLECT),
                 MST_SET(levels, mst_filter_levels(plan)));
}

// Results go to the caller's images, or as they are to planes, where their range is still to be found.
static void write_result(const mst_filter *plan, mst_text *out) {
    bool ranged = mst_filter_ranged(plan), clips = plan->desc.output_as == MST_FILTER_CLIP && plan->desc.white > 0;
    mst_type type = ranged ? MST_FLOAT32 : plan->desc.output.type;
    mst_text_put(out,
                 "#define RESULT $type\n"
                 "#define TO_RESULT $conversion\n"
                 "#define CLIPS $clips\n"
                 "#define RANGED $ranged\n\n",
                 MST_SET(type, element_name(type)),
                 MST_SET(conversion, type == MST_UINT8    ? "convert_uchar_sat_rte"
                                     : type == MST_UINT16 ? "convert_ushort_sat_rte"
                                                          : "(float)"),
                 MST_SET(clips, clips), MST_SET(ranged, ranged));
}

// The functions that a kernel is made of.
static mst_status write_functions(const mst_filter *plan, int kernel, mst_text *out, mst_error *error) {
    static const char *const files[N_FUSED] = {"fused_input.cl", "fused_columns.cl", "fused_output.cl"};
    mst_text_put(out, "typedef float4 real4;\n\n");
    write_constants(plan, out);
    if (kernel == ROWS)
        mst_text_put(out, "#define IN $type\n\n", MST_SET(type, element_name(plan->desc.input.type)));
    else if (kernel == BACK)
        write_result(plan, out);
    else
        mst_text_add(out, "%s", plan->mask.text);
    return mst_program_add_file(plan->context, files[kernel], out, error);
}

// ---- CPU-shaped

// Columns are forward and back with the mask between them, rows only one of both.
static mst_status write_cpu(const mst_filter *plan, int kernel, const mst_pass *pass, mst_text *out, mst_error *error) {
    static const char *const files[N_FUSED] = {"fused_input_tile.cl", "fused_columns_tile.cl", "fused_output_tile.cl"};
    static const char *const loads[N_FUSED] = {"load_tile(v, image, base, first_line, lines, first, count);\n",
                                               "load_tile(v, half_planes, first, count);\n",
                                               "load_tile(v, places, half_planes, first, count);\n"};
    static const char *const stores[N_FUSED] = {"store_tile(v, places, half_planes, first, count);\n",
                                                "store_tile(v, half_planes, first, count);\n",
                                                "store_tile(v, image, base, first_line, lines, first, count, white);\n"};
    mst_status status = MST_OK;
    mst_pass_write_cpu_steps(pass, kernel != ROWS, out);
    MST_TRY(mst_program_add_file(plan->context, files[kernel], out, error));
    mst_text_put(out,
                 "\n__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fused($parameters, uint tiles) {\n"
                 "vreal v[$reals];\n"
                 "uint places[$n]; // where the steps leave an element of the spectrum\n"
                 "for (uint e = 0; e < ${n}u; e++)\n"
                 "places[e] = place(e);\n"
                 "for (uint tile = 0; tile < tiles; tile++) {\n"
                 "const ulong first = (get_global_id(0) * tiles + tile) * LANES;\n"
                 "if (first >= n_lines)\n"
                 "return;\n"
                 "const uint count = n_lines - first < LANES ? (uint)(n_lines - first) : LANES;\n",
                 MST_SET(parameters, parameters[kernel]), MST_SET(n, pass->n), MST_SET(reals, 2 * pass->n));
    mst_text_put(out, loads[kernel]);
    if (kernel != BACK)
        mst_text_put(out, "forward(v, table);\n");
    if (kernel == COLUMNS)
        mst_text_put(out, "multiply_tile(v, places, mask, first, count);\n");
    if (kernel != ROWS)
        mst_text_put(out, "backward(v, table);\n");
    mst_text_put(out, stores[kernel]);
    mst_text_put(out, "}\n"
                      "}\n");
fail:
    return status;
}

// ---- GPU-shaped

static void write_gpu(int kernel, const fused_pass *pass, mst_text *out) {
    char head[600];
    snprintf(head, sizeof head, "fused(%s)", parameters[kernel]);
    const mst_fusion fusions[N_FUSED] = {
        {.head = head,
         .locate = "row_pair rows = {0, 0, 0, false, false, 0};\n"
                   "if (active)\n"
                   "rows = find_rows(image, line, base, first_line, lines);\n",
         .loads = {"load_pixels(image, rows, e)"},
         .forward = {true},
         .store = "half_planes[line * PITCH + PLACE(e)] = value"},
        {.head = head,
         .locate = "const ulong plane = active ? line / HALF : 0;\n"
                   "const uint l = active ? (uint)(line - plane * HALF) : 0;\n"
                   "__global real4 *columns = find_columns(half_planes, plane, l);\n",
         .loads = {"part_rows(columns[(ulong)e * (PITCH / 2)], 2 * l % Q == 0, &value, &partner);"},
         .forward = {true},
         .change = "value *= mask_at(mask, e, l) * SCALE",
         .backward = true,
         .store = "columns[(ulong)e * (PITCH / 2)] = join_rows(value, partner)",
         .pairs = true},
        {.head = head,
         .locate = "row_pair rows = {0, 0, 0, false, false};\n"
                   "if (active)\n"
                   "rows = find_rows(line, base, first_line, lines);\n",
         .loads = {"half_planes[line * PITCH + PLACE(e)]"},
         .backward = true,
         .store = "store_pixels(image, rows, e, value, white)"}};
    mst_pass_write_fusion(&pass->there, &pass->back, &fusions[kernel], out);
}

mst_status mst_fused_filter_write(const mst_filter *plan, const mst_filter_fused *fused, int kernel, mst_text *out,
                                  mst_error *error) {
    static const char *const titles[N_FUSED] = {"rows forward", "columns forward, the mask, and back", "rows back"};
    mst_status status = MST_OK;
    const fused_pass *pass = kernel == COLUMNS ? &fused->columns : &fused->rows;
    mst_text_put(out,
                 "// filter: $what, $n points\n\n"
                 "typedef $vreal vreal;\n\n",
                 MST_SET(what, titles[kernel]), MST_SET(n, pass->there.n), MST_SET(vreal, plan->cpu ? "float8" : "real"));
    mst_butterflies_write(pass->there.radices, pass->there.n_radices, out);
    MST_TRY(write_functions(plan, kernel, out, error));
    if (plan->cpu)
        MST_TRY(write_cpu(plan, kernel, &pass->there, out, error));
    else
        write_gpu(kernel, pass, out);
fail:
    return status;
}
