// OpenCL C of the fused filter. GPU-shaped kernels are the FFT engine's around our loads and stores; CPU-shaped ones put the same
// around its steps: a work-item takes LANES lines at once.
#include "fused.h"

#include <stdio.h>

static const char *const arguments[N_FUSED] = {
    "__global const IN *image, long base, ulong first_line, __constant const long *lines, __global real2 *half_planes,\n"
    "    ulong n_lines, __global const real2 *table, __global const real2 *back_table",
    "__global real2 *half_planes, __global const real *mask, ulong n_lines, __global const real2 *table,\n"
    "    __global const real2 *back_table",
    "__global RESULT *image, long base, ulong first_line, __constant const long *lines, __global const real2 *half_planes,\n"
    "    ulong n_lines, __global const real2 *table, __global const real2 *back_table, real white"};

// Where rows j and j + J of a plane begin, and what is taken off it.
static const char locate_input[] =
    "    real level = 0;\n    long upper = 0, lower = 0;\n    const long stride = axis_stride(lines);\n    bool has_upper = "
    "false, has_lower = "
    "false;\n"
    "    if (active) {\n        const ulong plane = line / J;\n        const uint y = (uint)(line - plane * J);\n"
    "        has_upper = find_input(plane, y, base, first_line, lines, &upper);\n"
    "        has_lower = find_input(plane, y + J, base, first_line, lines, &lower);\n"
    "        if (LEVELS)\n            level = level_of(image, plane, base, first_line, lines);\n    }\n";

static const char load_input[] =
    "(real2)(pixel(image, upper, stride, has_upper, e) - level, pixel(image, lower, stride, has_lower, e) - level)";

static const char locate_output[] =
    "    long upper = 0, lower = 0;\n    const long stride = output_stride(lines);\n    bool has_upper = false, has_lower = "
    "false;\n"
    "    if (active) {\n        const ulong plane = line / J;\n        const uint y = (uint)(line - plane * J);\n"
    "        has_upper = find_output(plane, y, base, first_line, lines, &upper);\n"
    "        has_lower = find_output(plane, y + J, base, first_line, lines, &lower);\n    }\n";

static const char store_output[] = "if (e < WIDTH) {\n"
                                   "                    if (has_upper)\n"
                                   "                        image[upper + (long)e * stride] = result_of(value.x, white);\n"
                                   "                    if (has_lower)\n"
                                   "                        image[lower + (long)e * stride] = result_of(value.y, white);\n"
                                   "                }";

static const char locate_column[] =
    "    const ulong plane = active ? line / HALF : 0;\n    const uint l = active ? (uint)(line - plane * HALF) : 0;\n"
    "    const bool alone = 2 * l % Q == 0; // its own opposite\n"
    "    __global real4 *column = (__global real4 *)half_planes + plane * ((ulong)J * (PITCH / 2)) + l;\n";

// The spectra of two real rows, twice, from that of both as one complex row; and that again.
static const char load_column[] = "const real4 both = column[(ulong)e * (PITCH / 2)];\n"
                                  "                    const real2 a = both.xy, b = alone ? both.xy : both.zw;\n"
                                  "                    value = (real2)(a.x + b.x, a.y - b.y);\n"
                                  "                    partner = (real2)(a.y + b.y, b.x - a.x);";

static const char store_column[] = "column[(ulong)e * (PITCH / 2)] = (real4)(value.x - partner.y, value.y + partner.x,\n"
                                   "                    value.x + partner.y, partner.x - value.y)";

static const char load_half[] = "half_planes[line * PITCH + PLACE(e)]",
                  store_half[] = "half_planes[line * PITCH + PLACE(e)] = value";

static const char *element_name(mst_type type) { return type == MST_UINT8 ? "uchar" : type == MST_UINT16 ? "ushort" : "float"; }

static void write_constants(const mst_filter *plan, mst_text *out) {
    mst_text_add(out,
                 "#define HEIGHT %zuu\n#define WIDTH %zuu\n#define CHANNELS %zuu\n#define COLOURS %zuu\n#define J %zuu\n"
                 "#define Q %zuu\n#define HALF %zuu\n#define PITCH %zuu\n#define MIRROR %d\n#define LEVELS %d\n"
                 "#define IN %s\n"
                 "#define PLACE(e) (2 * (e) <= Q ? 2 * (e) : 2 * (Q - (e)) + 1)\n\n",
                 plan->height, plan->width, plan->channels, plan->colours, plan->p / 2, plan->q, plan->q / 2 + 1,
                 mst_fused_filter_pitch(plan), plan->desc.edges == MST_FILTER_REFLECT, mst_filter_levels(plan),
                 element_name(plan->desc.input.type));
}

static void write_input(mst_text *out) {
    mst_text_add(
        out, "bool find_input(ulong plane, uint y, long base, ulong first_line, __constant const long *lines, long *at) {\n"
             "    if (y >= HEIGHT && !MIRROR)\n        return false;\n"
             "    const ulong image = plane / COLOURS, c = plane - image * COLOURS;\n"
             "    y = y < HEIGHT ? y : 2 * HEIGHT - 1 - y;\n"
             "    *at = base + line_offset(lines, first_line + (image * HEIGHT + y) * CHANNELS + c);\n"
             "    return true;\n}\n\n"
             "real pixel(__global const IN *image, long at, long stride, bool there, uint x) {\n"
             "    if (!there || (x >= WIDTH && !MIRROR))\n        return 0;\n"
             "    return (real)image[at + (long)(x < WIDTH ? x : 2 * WIDTH - 1 - x) * stride];\n}\n\n"
             "real level_of(__global const IN *image, ulong plane, long base, ulong first_line, __constant const long *lines) {\n"
             "    long first = 0, middle = 0, last = 0;\n"
             "    const long stride = axis_stride(lines);\n"
             "    find_input(plane, 0, base, first_line, lines, &first);\n"
             "    find_input(plane, HEIGHT / 2, base, first_line, lines, &middle);\n"
             "    find_input(plane, HEIGHT - 1, base, first_line, lines, &last);\n"
             "    const real a = (real)image[first], b = (real)image[middle + (WIDTH / 2) * stride],\n"
             "               c = (real)image[last + (WIDTH - 1) * stride];\n"
             "    return fmax(fmin(a, b), fmin(fmax(a, b), c));\n}\n\n");
}

// Results go to the caller's images, or as they are to planes, where their range is still to be found.
static void write_output(const mst_filter *plan, mst_text *out) {
    bool ranged = mst_filter_ranged(plan), clips = plan->desc.output_as == MST_FILTER_CLIP && plan->desc.white > 0;
    mst_type type = ranged ? MST_FLOAT32 : plan->desc.output.type;
    const char *conversion = type == MST_UINT8 ? "convert_uchar_sat_rte" : type == MST_UINT16 ? "convert_ushort_sat_rte" : "";
    mst_text_add(out,
                 "#define RESULT %s\n"
                 "RESULT result_of(real value, real white) { return %s(%s); }\n\n"
                 "long output_stride(__constant const long *lines) { return %s; }\n\n"
                 "bool find_output(ulong plane, uint y, long base, ulong first_line, __constant const long *lines, long *at) {\n"
                 "    if (y >= HEIGHT)\n        return false;\n",
                 element_name(type), conversion, clips ? "clamp(value, (real)0, white)" : "value",
                 ranged ? "1" : "axis_stride(lines)");
    if (ranged)
        mst_text_add(out, "    *at = (long)((plane * HEIGHT + y) * WIDTH);\n    return true;\n}\n\n");
    else
        mst_text_add(out, "    const ulong image = plane / COLOURS, c = plane - image * COLOURS;\n"
                          "    *at = base + line_offset(lines, first_line + (image * HEIGHT + y) * CHANNELS + c);\n"
                          "    return true;\n}\n\n");
}

// ---- CPU-shaped

static void write_cpu_head(const char *its_arguments, const mst_pass *pass, mst_text *out) {
    mst_text_add(
        out,
        "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void\nfused(%s, uint tiles) {\n    vreal v[%zu];\n"
        "    uint places[%zu]; // of the spectrum\n    for (uint e = 0; e < %zuu; e++)\n        places[e] = place(e);\n"
        "    for (uint tile = 0; tile < tiles; tile++) {\n"
        "    const ulong first = (get_global_id(0) * tiles + tile) * LANES;\n    if (first >= n_lines)\n        return;\n"
        "    const uint count = n_lines - first < LANES ? (uint)(n_lines - first) : LANES;\n",
        its_arguments, 2 * pass->n, pass->n, pass->n);
}

// Line by line. Spectra lie where the forward steps leave them.
static void write_cpu_rows(int kernel, const mst_pass *pass, mst_text *out) {
    bool there = kernel == ROWS;
    const char *load = there ? load_input : load_half;
    const char *store = there ? store_half : store_output;
    write_cpu_head(arguments[kernel], pass, out);
    mst_text_add(out,
                 "    const bool active = true;\n    for (uint lane = 0; lane < LANES; lane++) {\n"
                 "    const ulong line = first + min(lane, count - 1);\n%s"
                 "        for (uint e = 0; e < %zuu; e++) {\n            const uint at = %s;\n"
                 "            const real2 value = %s;\n            ((real *)&RE(at))[lane] = value.x;\n"
                 "            ((real *)&IM(at))[lane] = value.y;\n        }\n    }\n    %s(v, table);\n",
                 there ? locate_input : "", pass->n, there ? "e" : "places[e]", load, there ? "forward" : "backward");
    mst_text_add(out,
                 "    for (uint lane = 0; lane < count; lane++) {\n    const ulong line = first + lane;\n%s"
                 "        for (uint e = 0; e < %zuu; e++) {\n            const uint at = %s;\n"
                 "            const real2 value = (real2)(((real *)&RE(at))[lane], ((real *)&IM(at))[lane]);\n"
                 "                %s;\n        }\n    }\n    }\n}\n",
                 there ? "" : locate_output, pass->n, there ? "places[e]" : "e", store);
}

// Columns side by side, l to l + LANES - 1 of one plane and their opposites, as vectors; others one by one.
static void write_cpu_columns(const mst_pass *pass, float scale, mst_text *out) {
    write_cpu_head(arguments[COLUMNS], pass, out);
    mst_text_add(
        out,
        "    const ulong plane0 = first / HALF;\n    const uint l0 = (uint)(first - plane0 * HALF);\n"
        "    const bool whole = count == LANES && l0 > 0 && 2 * (l0 + LANES - 1) < Q;\n"
        "    __global real *columns = (__global real *)half_planes + 2 * plane0 * ((ulong)J * PITCH) + 4 * l0;\n"
        "    const bool active = true;\n    if (whole) {\n"
        "        for (uint e = 0; e < J; e++) {\n"
        "            const real16 low = vload16(0, columns + 2 * (ulong)e * PITCH);\n"
        "            const real16 high = vload16(1, columns + 2 * (ulong)e * PITCH);\n"
        "            const vreal ax = (vreal)(low.s048c, high.s048c), ay = (vreal)(low.s159d, high.s159d);\n"
        "            const vreal bx = (vreal)(low.s26ae, high.s26ae), by = (vreal)(low.s37bf, high.s37bf);\n"
        "            RE(e) = ax + bx;\n            IM(e) = ay - by;\n"
        "            RE(e + J) = ay + by;\n            IM(e + J) = bx - ax;\n        }\n    } else {\n"
        "        for (uint lane = 0; lane < LANES; lane++) {\n"
        "            const ulong line = first + min(lane, count - 1);\n%s"
        "            for (uint e = 0; e < J; e++) {\n                real2 value, partner;\n                %s\n"
        "                ((real *)&RE(e))[lane] = value.x;\n                ((real *)&IM(e))[lane] = value.y;\n"
        "                ((real *)&RE(e + J))[lane] = partner.x;\n"
        "                ((real *)&IM(e + J))[lane] = partner.y;\n            }\n        }\n    }\n    forward(v, table);\n",
        locate_column, load_column);
    mst_text_add(out,
                 "    uint l_of[LANES];\n    for (uint lane = 0; lane < LANES; lane++)\n"
                 "        l_of[lane] = (uint)((first + min(lane, count - 1)) %% HALF);\n"
                 "    for (uint e = 0; e < %zuu; e++) {\n        vreal factor;\n"
                 "        for (uint lane = 0; lane < LANES; lane++)\n"
                 "            ((real *)&factor)[lane] = mask_at(mask, e, l_of[lane]) * %.9gf;\n"
                 "        RE(places[e]) *= factor;\n        IM(places[e]) *= factor;\n    }\n    backward(v, table);\n",
                 pass->n, (double)scale);
    mst_text_add(out,
                 "    if (whole) {\n"
                 "        for (uint e = 0; e < J; e++) {\n            real16 low, high;\n"
                 "            const vreal ax = RE(e) - IM(e + J), ay = IM(e) + RE(e + J);\n"
                 "            const vreal bx = RE(e) + IM(e + J), by = RE(e + J) - IM(e);\n"
                 "            low.s048c = ax.lo;\n            low.s159d = ay.lo;\n            low.s26ae = bx.lo;\n            "
                 "low.s37bf = by.lo;\n"
                 "            high.s048c = ax.hi;\n            high.s159d = ay.hi;\n"
                 "            high.s26ae = bx.hi;\n            high.s37bf = by.hi;\n"
                 "            vstore16(low, 0, columns + 2 * (ulong)e * PITCH);\n"
                 "            vstore16(high, 1, columns + 2 * (ulong)e * PITCH);\n        }\n        continue;\n    }\n"
                 "    for (uint lane = 0; lane < count; lane++) {\n        const ulong line = first + lane;\n%s"
                 "        for (uint e = 0; e < J; e++) {\n"
                 "            const real2 value = (real2)(((real *)&RE(e))[lane], ((real *)&IM(e))[lane]);\n"
                 "            const real2 partner = (real2)(((real *)&RE(e + J))[lane], ((real *)&IM(e + J))[lane]);\n"
                 "                %s;\n        }\n    }\n    }\n}\n",
                 locate_column, store_column);
}

// ---- GPU-shaped

static void write_gpu(int kernel, const fused_pass *pass, float scale, mst_text *out) {
    char head[600], change[80];
    snprintf(head, sizeof head, "fused(%s)", arguments[kernel]);
    snprintf(change, sizeof change, "value *= mask_at(mask, e, l) * %.9gf", (double)scale);
    const mst_fusion fusions[N_FUSED] = {
        {.head = head, .locate = locate_input, .loads = {load_input}, .forward = {true}, .store = store_half},
        {.head = head,
         .locate = locate_column,
         .loads = {load_column},
         .forward = {true},
         .change = change,
         .backward = true,
         .store = store_column,
         .pairs = true},
        {.head = head, .locate = locate_output, .loads = {load_half}, .backward = true, .store = store_output}};
    mst_pass_write_fusion(&pass->there, &pass->back, &fusions[kernel], out);
}

void mst_fused_filter_write(const mst_filter *plan, const mst_filter_fused *fused, int kernel, mst_text *out) {
    const fused_pass *pass = kernel == COLUMNS ? &fused->columns : &fused->rows;
    // Both rows' spectra are loaded twice as large.
    float scale = (float)(0.5 / ((double)plan->p * (double)plan->q));
    mst_text_add(out, "typedef %s vreal;\n\n", plan->cpu ? "float8" : "real");
    mst_text_add(out, "typedef float4 real4;\ntypedef float16 real16;\n\n");
    write_constants(plan, out);
    mst_butterflies_write(pass->there.radices, pass->there.n_radices, out);
    if (kernel == ROWS)
        write_input(out);
    else if (kernel == BACK)
        write_output(plan, out);
    else
        mst_text_add(out, "%s", plan->mask.text);
    if (!plan->cpu) {
        write_gpu(kernel, pass, scale, out);
        return;
    }
    mst_pass_write_cpu_steps(&pass->there, kernel != ROWS, out);
    if (kernel == COLUMNS)
        write_cpu_columns(&pass->there, scale, out);
    else
        write_cpu_rows(kernel, &pass->there, out);
}
