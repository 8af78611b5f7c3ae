// Kernels around the steps of a GPU-shaped pass: operands in, their product or another change, and back.
#include "write_gpu.h"

static const char *const barrier = "    barrier(CLK_LOCAL_MEM_FENCE);\n";

// The product stays where it is: the inverse takes the radices backwards.
static void write_product(const mst_pass *pass, mst_text *out) {
    unsigned last = pass->radices[pass->n_radices - 1];
    mst_text_add(out,
                 "#pragma unroll\n    for (uint i = 0; i < %uu; i++) {\n        const real a = re[i], b = im[i];\n"
                 "        re[i] = a * with_re[i] - b * with_im[i];\n        im[i] = a * with_im[i] + b * with_re[i];\n    }\n",
                 mst_gpu_butterflies(pass, last) * last);
}

// Elements e and e + n/2 of a radix that is even are in the same work-item.
static void write_pairs_loading(const mst_pass *pass, const char *load, mst_text *out) {
    unsigned r = pass->radices[0];
    mst_gpu_open_butterflies(pass, r, out);
    mst_text_add(
        out,
        "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const int e = (int)j + (int)q * %zu;\n"
        "                real2 value = (real2)(0, 0), partner = (real2)(0, 0);\n                if (active) {\n"
        "                    %s\n                }\n"
        "                re[i * %uu + q] = value.x;\n                im[i * %uu + q] = value.y;\n"
        "                re[i * %uu + q + %uu] = partner.x;\n                im[i * %uu + q + %uu] = partner.y;\n"
        "            }\n",
        r / 2, pass->n / r, load, r, r, r, r / 2, r, r / 2);
    mst_gpu_close_butterflies(out);
}

static void write_change(const mst_pass *pass, const char *change, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1];
    mst_gpu_open_butterflies(pass, r, out);
    mst_text_add(
        out,
        "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const int e = (int)j + (int)q * %zu;\n"
        "                real2 value = (real2)(re[i * %uu + q], im[i * %uu + q]);\n                if (active) {\n"
        "                    %s;\n                }\n                re[i * %uu + q] = value.x;\n"
        "                im[i * %uu + q] = value.y;\n            }\n",
        r, pass->n / r, r, r, change, r, r);
    mst_gpu_close_butterflies(out);
}

static void write_fusion_storing(const mst_pass *pass, const mst_fusion *fusion, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1], rounds = fusion->pairs ? r / 2 : r;
    mst_text_add(out, "%s", fusion->finish ? barrier : "    if (!active)\n        return;\n");
    mst_gpu_open_butterflies(pass, r, out);
    mst_text_add(
        out,
        "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const int e = (int)j + (int)q * %zu;\n"
        "                const real2 value = (real2)(re[i * %uu + q], im[i * %uu + q]);\n",
        rounds, pass->n / r, r, r);
    if (fusion->pairs)
        mst_text_add(out, "                const real2 partner = (real2)(re[i * %uu + q + %uu], im[i * %uu + q + %uu]);\n", r,
                     r / 2, r, r / 2);
    mst_text_add(out, "                %s;\n            }\n", fusion->store);
    mst_gpu_close_butterflies(out);
    if (fusion->finish)
        mst_text_add(out, "%s%s", barrier, fusion->finish);
}

// Both operands are on their way from memory before the first is transformed.
void mst_pass_write_fusion(const mst_pass *pass, const mst_pass *back, const mst_fusion *fusion, mst_text *out) {
    static const mst_gpu_names operands[] = {{"re", "im", "table"}, {"with_re", "with_im", "table"}};
    mst_gpu_names forward[2];
    int n_forward = 0;
    mst_gpu_local local = {.used = fusion->finish};
    mst_gpu_write_head(pass, fusion->head, out);
    mst_gpu_write_place(pass, out);
    mst_text_add(out, "%s", fusion->locate);
    if (fusion->loads[1])
        mst_text_add(out, "    real with_re[%u], with_im[%u]; // the second operand\n", mst_gpu_pass_registers(pass),
                     mst_gpu_pass_registers(pass));
    for (int k = 0; k < 2 && fusion->loads[k]; k++) {
        if (fusion->pairs)
            write_pairs_loading(pass, fusion->loads[k], out);
        else
            mst_gpu_write_operand(pass, fusion->loads[k], fusion->forward[k], operands[k], out);
        if (fusion->forward[k])
            forward[n_forward++] = operands[k];
    }
    mst_gpu_write_steps(pass, &local, forward, n_forward, out);
    if (fusion->loads[1])
        write_product(pass, out);
    if (fusion->change)
        write_change(pass, fusion->change, out);
    if (fusion->backward) {
        mst_text_add(out, "    // Backwards: forwards with real and imaginary parts exchanged.\n");
        mst_gpu_write_steps(back, &local, &(mst_gpu_names){"im", "re", "back_table"}, 1, out);
    }
    write_fusion_storing(fusion->backward ? back : pass, fusion, out);
    mst_text_add(out, "}\n");
}
