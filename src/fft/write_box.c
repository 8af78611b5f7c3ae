// GPU-shaped passes over boxes: the steps of one axis after the other, with an exchange between any two. The first step reads the
// box from memory, the last one writes it, both in runs of neighbours.
#include "box.h"
#include "write_parts.h"

#include <stdio.h>

// Places of a butterfly in the box: where its numbers are, `from`, or where its results go, `to`.
static void write_place(const mst_box_step *step, bool from, mst_text *out) {
    size_t m = step->n / step->radix;
    const mst_text_value values[] = {MST_SET(inner, step->inner),
                                     MST_SET(m, m),
                                     MST_SET(slice, m * step->inner),
                                     MST_SET(box, step->n * step->inner),
                                     MST_SET(span, step->span),
                                     MST_SET(radix, step->radix),
                                     {0}};
    mst_text_put_values(
        out, "const uint inner = j % ${inner}u, along = j / ${inner}u % ${m}u, outside = j / ${slice}u * ${box}u + inner;\n",
        values);
    if (from)
        mst_text_put_values(out, "const uint from = outside + along * ${inner}u;\n", values);
    else
        mst_text_put_values(
            out, "const uint to = outside + (along / ${span}u * ${radix}u * ${span}u + along % ${span}u) * ${inner}u;\n", values);
}

// A loop over the numbers of the work-item's butterflies, with `work` for register e and place `at`.
static void write_moves(const mst_pass *pass, const mst_box_step *step, bool from, const char *work, mst_text *out) {
    size_t apart = (from ? step->n / step->radix : step->span) * step->inner;
    unsigned braces = mst_pass_gpu_open_butterflies(pass, step->number, out);
    write_place(step, from, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const uint e = ${first}q, at = $place + q * ${apart}u;\n"
                 "$work\n"
                 "}\n",
                 MST_SET(radix, step->radix), MST_SET(first, mst_pass_gpu_first_register(pass, step->number).text),
                 MST_SET(place, from ? "from" : "to"), MST_SET(apart, apart), MST_SET(work, work));
    mst_pass_gpu_close(braces, out);
}

static void write_exchange(const mst_pass *pass, const mst_box_step *step, const mst_box_step *next, mst_text *out) {
    char put[100], get[100];
    for (unsigned part = 0; part < pass->exchange_parts; part++) {
        if (pass->exchange_parts == 1) {
            size_t other = mst_pass_padded_reals(pass);
            snprintf(put, sizeof put, "own[PAD(at)] = re[e], own[%zuu + PAD(at)] = im[e];", other);
            snprintf(get, sizeof get, "re[e] = own[PAD(at)], im[e] = own[%zuu + PAD(at)];", other);
        } else {
            snprintf(put, sizeof put, "own[PAD(at)] = %s[e];", part ? "im" : "re");
            snprintf(get, sizeof get, "%s[e] = own[PAD(at)];", part ? "im" : "re");
        }
        if (part > 0)
            mst_pass_gpu_write_barrier(out);
        write_moves(pass, step, false, put, out);
        mst_pass_gpu_write_barrier(out);
        write_moves(pass, next, true, get, out);
    }
}

static void write_arithmetic(const mst_pass *pass, const mst_box_step *step, mst_text *out) {
    bool one = mst_pass_gpu_butterflies(pass, step->number) == 1;
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, step->number);
    unsigned braces = mst_pass_gpu_open_butterflies(pass, step->number, out);
    if (step->span > 1)
        mst_text_put(out,
                     "const uint k = j / ${inner}u % ${span}u;\n"
                     "#pragma unroll\n"
                     "for (uint q = 1; q < ${radix}u; q++) {\n"
                     "const real2 w = step_twiddles[k + ${at}u + (q - 1) * ${span}u];\n"
                     "const real a = re[${first}q], b = im[${first}q];\n"
                     "re[${first}q] = a * w.x - b * w.y;\n"
                     "im[${first}q] = a * w.y + b * w.x;\n"
                     "}\n",
                     MST_SET(inner, step->inner), MST_SET(span, step->span), MST_SET(radix, step->radix),
                     MST_SET(at, step->table_at), MST_SET(first, first.text));
    mst_text_put(out, one ? "dft$radix(re, im);\n" : "dft$radix(re + i * ${radix}u, im + i * ${radix}u);\n",
                 MST_SET(radix, step->radix));
    mst_pass_gpu_close(braces, out);
}

static void write_load(const mst_pass *pass, char *out, size_t size) {
    const char *value = pass->half == MST_HALF_COMBINE ? "vload2(at, source + outer)"
                        : pass->half == MST_HALF_SPLIT ? "split(source, outer, at, half_roots)"
                                                       : NULL;
    if (value)
        snprintf(out, size, "const real2 value = active ? %s : (real2)(0, 0);\nre[e] = value.x, im[e] = value.y;", value);
    else
        snprintf(
            out, size,
            "const real2 value = active ? load_value(source, outer, at%s) : (real2)(0, 0);\nre[e] = value.x, im[e] = value.y;",
            mst_load_arguments(pass));
}

// Real numbers are pairs, whose parts are where splitting left them: exchanged.
static void write_store(const mst_pass *pass, char *out, size_t size) {
    if (pass->half == MST_HALF_COMBINE)
        snprintf(out, size, "own[PAD(at)] = re[e], own[%zuu + PAD(at)] = im[e];", mst_pass_padded_reals(pass));
    else if (pass->half == MST_HALF_SPLIT)
        snprintf(out, size, "vstore2((real2)(im[e], re[e])%s, at, target + result);", pass->scale ? " * scale" : "");
    else
        snprintf(out, size, "store_value(target, result, at%s, (real2)(re[e], im[e]));", mst_store_arguments(pass));
}

void mst_pass_write_box(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    const bool combines = pass->half == MST_HALF_COMBINE;
    char load[200], store[160];
    write_load(pass, load, sizeof load);
    write_store(pass, store, sizeof store);
    mst_pass_gpu_write_pad(pass, out);
    if (pass->half != MST_HALF_NONE)
        mst_box_write_half_functions(pass, out);
    mst_pass_gpu_write_head(pass, signature, out);
    mst_text_add(out, "const long outer = active ? source_base + source_outer(source_first + line) : 0;\n");
    for (int s = 0; s < pass->n_radices; s++) {
        const mst_box_step step = mst_box_step_at(pass, s);
        mst_text_put(out, "\n// Step $step of $steps: axis $axis of the box, radix $radix, span $span.\n", MST_SET(step, s + 1),
                     MST_SET(steps, pass->n_radices), MST_SET(axis, step.axis), MST_SET(radix, step.radix),
                     MST_SET(span, step.span));
        if (s == 0)
            write_moves(pass, &step, true, load, out);
        write_arithmetic(pass, &step, out);
        if (s + 1 == pass->n_radices)
            continue;
        const mst_box_step next = mst_box_step_at(pass, s + 1);
        if (s > 0)
            mst_pass_gpu_write_barrier(out);
        write_exchange(pass, &step, &next, out);
    }
    const mst_box_step last = mst_box_step_at(pass, pass->n_radices - 1);
    if (combines) {
        mst_text_add(out, "\n// Results to local memory.\n");
        mst_pass_gpu_write_barrier(out);
        write_moves(pass, &last, false, store, out);
        mst_pass_gpu_write_barrier(out);
    }
    mst_text_add(out, "\n// Store.\n"
                      "if (!active)\n"
                      "return;\n"
                      "const long result = target_base + target_outer(target_first + line);\n");
    if (combines)
        mst_box_write_combined(pass, out);
    else
        write_moves(pass, &last, false, store, out);
    mst_text_add(out, "}\n");
}
