// OpenCL C of the fused filter on GPUs. What is done to values and where they lie is in fused_*.cl; kernels are the FFT engine's
// around these functions.
#include "fused.h"

static void write_constants(const mst_filter *plan, mst_text *out) {
    // Both rows' spectra are loaded twice as large.
    float scale = (float)(0.5 / ((double)plan->p * (double)plan->q));
    mst_text number = {0};
    mst_text_add(&number, "%.9gf", (double)scale);
    out->failed = out->failed || number.failed;
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
                 "// Where element e of a line is in the image: there, or in a cosine transform's order, 0, 2, .., 3, 1.\n"
                 "#define ORDER(e, n) ($order)\n"
                 "#define SCALE $scale // of the inverse transform, and a half: spectra of two rows are taken twice as large\n"
                 "#define MIRROR $mirror // beyond the edges: the image mirrored, or 0\n"
                 "#define LEVELS $levels // something is taken off each plane\n\n",
                 MST_SET(height, plan->height), MST_SET(width, plan->width), MST_SET(channels, plan->channels),
                 MST_SET(colours, plan->colours), MST_SET(p, plan->p), MST_SET(q, plan->q), MST_SET(j, plan->p / 2),
                 MST_SET(half, plan->q / 2 + 1), MST_SET(pitch, mst_fused_filter_pitch(plan)),
                 MST_SET(scale, (const char *)number.text), MST_SET(mirror, plan->desc.edges == MST_FILTER_REFLECT),
                 MST_SET(levels, mst_filter_levels(plan)),
                 MST_SET(order, plan->cosine ? "2 * (e) < (n) ? 2 * (e) : 2 * ((n) - (e)) - 1" : "e"));
    mst_text_release(&number);
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
                 MST_SET(type, mst_type_element(type)), MST_SET(conversion, mst_filter_conversion(type)), MST_SET(clips, clips),
                 MST_SET(ranged, ranged));
}

// What makes a kernel of one pass out of the functions in .cl files.
typedef struct kernel_parts {
    const char *file;                  // where lines lie, and what is done to one value
    const char *locate, *load, *store; // of mst_fusion
} kernel_parts;

static const kernel_parts parts[N_FILTER_PASSES] = {
    {.file = "fused_input.cl",
     .locate = "row_pair rows = {0, 0, 0, false, false, 0};\n"
               "if (active)\n"
               "rows = find_rows(image, line, base, first_line, lines);\n",
     .load = "load_pixels(image, rows, e)",
     .store = "half_planes[line * PITCH + PLACE(e)] = value"},
    {.file = "fused_columns.cl",
     .locate = "const ulong plane = active ? line / HALF : 0;\n"
               "const uint l = active ? (uint)(line - plane * HALF) : 0;\n"
               "__global real4 *columns = find_columns(half_planes, plane, l);\n",
     .load = "part_rows(columns[(ulong)e * (PITCH / 2)], 2 * l % Q == 0, &value, &partner);",
     .store = "columns[(ulong)e * (PITCH / 2)] = join_rows(value, partner)"},
    {.file = "fused_output.cl",
     .locate = "row_pair rows = {0, 0, 0, false, false};\n"
               "if (active)\n"
               "rows = find_rows(line, base, first_line, lines);\n",
     .load = "half_planes[line * PITCH + PLACE(e)]",
     .store = "store_pixels(image, rows, e, value, white)"}};

// With cosine transforms, for columns: what the place of a column is besides, and what changes its spectrum.
static const char cosine_locate[] = "const real2 turn = turn_of(l);\n";
static const mst_mirrors cosine_mirrors = {.pair = "keep_mirrors",
                                           .arguments = ", half_roots, mask, l, turn",
                                           .zeroth = "keep_own(re, im, 0, mask, l, turn);",
                                           .middle = "keep_own(re + e, im + e, P / 2, mask, l, turn);"};

static void describe(const mst_filter_pass *p, mst_signature *signature) {
    static const char *const images[N_FILTER_PASSES] = {
        [FILTER_ROWS] = "__global const IN *", [FILTER_BACK] = "__global RESULT *"};
    mst_signature_begin(signature, p->device.name);
    if (images[p->which]) {
        mst_signature_add(signature, images[p->which], "image");
        mst_signature_add(signature, "long", "base");
        mst_signature_add(signature, "ulong", "first_line");
        mst_signature_add(signature, "__constant const long *", "lines");
    }
    mst_signature_add(signature, p->which == FILTER_BACK ? "__global const real2 *" : "__global real2 *", "half_planes");
    if (p->which == FILTER_COLUMNS)
        mst_signature_add(signature, "__global const real *", "mask");
    if (p->which == FILTER_BACK)
        mst_signature_add(signature, "real", "white");
    mst_device_pass_add_parameters(&p->device, signature);
}

static mst_status write_heading(const mst_filter_pass *p, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_pass *pass = &p->device.pass;
    char radices[100];
    mst_pass_radices_text(pass, radices, sizeof radices);
    mst_text_put(out,
                 "// Radix $radices.\n\n"
                 "typedef float4 real4;\n\n",
                 MST_SET(radices, (const char *)radices));
    MST_TRY(mst_butterflies_write(p->plan->context, pass, out, error));
    write_constants(p->plan, out);
    if (p->which == FILTER_ROWS)
        mst_text_put(out, "#define IN $type\n\n", MST_SET(type, mst_type_element(p->plan->desc.input.type)));
    else if (p->which == FILTER_BACK)
        write_result(p->plan, out);
    else
        mst_text_add(out, "%s", p->plan->mask.text);
fail:
    return status;
}

static void write_kernel(const mst_filter_pass *p, const mst_signature *signature, mst_text *out) {
    const kernel_parts *k = &parts[p->which];
    const bool columns = p->which == FILTER_COLUMNS, cosine = columns && p->plan->cosine;
    mst_text locate = {0};
    mst_text_add(&locate, "%s%s", k->locate, cosine ? cosine_locate : "");
    const mst_fusion fusion = {.signature = signature,
                               .locate = locate.text,
                               .loads = {k->load},
                               .forward = {p->which != FILTER_BACK},
                               .change = columns && !cosine ? "value *= mask_at(mask, e, l) * SCALE" : NULL,
                               .mirrors = cosine ? &cosine_mirrors : NULL,
                               .backward = p->which != FILTER_ROWS,
                               .store = k->store,
                               .pairs = columns};
    if (locate.failed)
        out->failed = true;
    else
        mst_pass_write_fusion(&p->device.pass, &fusion, out);
    mst_text_release(&locate);
}

// There are no ports, and the pass is as it is.
mst_status mst_fused_filter_write(void *filter_pass, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter_pass *p = filter_pass;
    mst_signature signature;
    (void)ports;
    (void)pass;
    describe(p, &signature);
    MST_TRY(write_heading(p, out, error));
    MST_TRY(mst_program_add_file(p->plan->context, parts[p->which].file, out, error));
    if (p->plan->cosine && p->which == FILTER_COLUMNS)
        MST_TRY(mst_program_add_file(p->plan->context, "fused_cosine.cl", out, error));
    write_kernel(p, &signature, out);
    MST_REQUIRE(!out->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
fail:
    mst_signature_release(&signature);
    return status;
}
