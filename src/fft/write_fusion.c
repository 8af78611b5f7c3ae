// Kernels around the steps of a GPU-shaped pass: operands in, their product or another change, and back.
#include "write_parts.h"

// The product stays where the last step has left the spectra, since the inverse takes the radices backwards.
static void write_product(const mst_pass *pass, mst_text *out) {
    int last = pass->n_radices - 1;
    mst_text_put(out,
                 "\n// The product of both spectra.\n"
                 "#pragma unroll\n"
                 "for (uint i = 0; i < ${held}u; i++) {\n"
                 "const real a = re[i], b = im[i];\n"
                 "re[i] = a * with_re[i] - b * with_im[i];\n"
                 "im[i] = a * with_im[i] + b * with_re[i];\n"
                 "}\n",
                 MST_SET(held, mst_pass_gpu_butterflies(pass, last) * pass->radices[last]));
}

// Elements e and e + n/2 of a radix that is even are in the same work-item.
static void write_pairs_loading(const mst_pass *pass, const char *load, mst_text *out) {
    unsigned r = pass->radices[0], braces = mst_pass_gpu_open_butterflies(pass, 0, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${half}u; q++) {\n"
                 "const int e = (int)j + (int)q * $apart;\n"
                 "real2 value = (real2)(0, 0), partner = (real2)(0, 0);\n"
                 "if (active) {\n"
                 "$load\n"
                 "}\n"
                 "re[${first}q] = value.x;\n"
                 "im[${first}q] = value.y;\n"
                 "re[${first}q + ${half}u] = partner.x;\n"
                 "im[${first}q + ${half}u] = partner.y;\n"
                 "}\n",
                 MST_SET(half, r / 2), MST_SET(apart, pass->n / r), MST_SET(load, load),
                 MST_SET(first, mst_pass_gpu_first_register(pass, 0).text));
    mst_pass_gpu_close(braces, out);
}

// Numbers that come from half spectra have their parts exchanged.
static void write_change(const mst_pass *pass, const char *change, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1];
    const bool exchanged = pass->half == MST_HALF_SPLIT;
    mst_text_put(out, "\n// What happens to the $what.\n", MST_SET(what, exchanged ? "real numbers" : "spectrum"));
    unsigned braces = mst_pass_gpu_open_butterflies(pass, pass->n_radices - 1, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const int e = (int)j + (int)q * $apart;\n"
                 "real2 value = (real2)($x[${first}q], $y[${first}q]);\n"
                 "if (active) {\n"
                 "$change;\n"
                 "}\n"
                 "re[${first}q] = value.x;\n"
                 "im[${first}q] = value.y;\n"
                 "}\n",
                 MST_SET(radix, r), MST_SET(apart, pass->n / r), MST_SET(change, change), MST_SET(x, exchanged ? "im" : "re"),
                 MST_SET(y, exchanged ? "re" : "im"),
                 MST_SET(first, mst_pass_gpu_first_register(pass, pass->n_radices - 1).text));
    mst_pass_gpu_close(braces, out);
}

// Element n of half spectra, a real number.
static void write_last_loading(const mst_pass *pass, const char *load, mst_text *out) {
    mst_text_put(out, "real last = 0; // of the spectrum\nif (active && t == 0) {\nconst int e = $n;\nlast = ($load).x;\n}\n",
                 MST_SET(n, pass->n), MST_SET(load, load));
}

static void write_last_storing(const mst_pass *pass, const char *store, mst_text *out) {
    mst_text_put(out, "if (t == 0) {\nconst int e = $n;\nconst real2 value = (real2)(last, 0);\n$store;\n}\n",
                 MST_SET(n, pass->n), MST_SET(store, store));
}

static void write_storing(const mst_pass *pass, const mst_fusion *fusion, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1], rounds = fusion->pairs ? r / 2 : r;
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, pass->n_radices - 1);
    const mst_text_value values[] = {MST_SET(rounds, rounds),    MST_SET(apart, pass->n / r),   MST_SET(half, r / 2),
                                     MST_SET(first, first.text), MST_SET(store, fusion->store), {0}};
    mst_text_add(out, "\n// Store.\n");
    if (fusion->finish)
        mst_pass_gpu_write_barrier(out);
    else
        mst_text_add(out, "if (!active)\nreturn;\n");
    unsigned braces = mst_pass_gpu_open_butterflies(pass, pass->n_radices - 1, out);
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${rounds}u; q++) {\n"
                        "const int e = (int)j + (int)q * $apart;\n"
                        "const real2 value = (real2)(re[${first}q], im[${first}q]);\n",
                        values);
    if (fusion->pairs)
        mst_text_put_values(out, "const real2 partner = (real2)(re[${first}q + ${half}u], im[${first}q + ${half}u]);\n", values);
    mst_text_put_values(out, "$store;\n}\n", values);
    mst_pass_gpu_close(braces, out);
    if (fusion->finish) {
        mst_pass_gpu_write_barrier(out);
        mst_text_add(out, "%s", fusion->finish);
    }
}

// Both operands are on their way from memory before the first is transformed.
static int write_operands(const mst_pass *pass, const mst_fusion *fusion, mst_pass_gpu_names forward[2], mst_text *out) {
    static const mst_pass_gpu_names operands[] = {{"re", "im", "step_twiddles"}, {"with_re", "with_im", "step_twiddles"}};
    int n_forward = 0;
    mst_text_add(out, "\n// Load.\n");
    if (fusion->loads[1])
        mst_text_put(out, "real with_re[$held], with_im[$held]; // the second operand\n",
                     MST_SET(held, mst_pass_gpu_registers(pass)));
    for (int k = 0; k < 2 && fusion->loads[k]; k++) {
        if (fusion->pairs)
            write_pairs_loading(pass, fusion->loads[k], out);
        else
            mst_pass_gpu_write_operand(pass, fusion->loads[k], fusion->forward[k], operands[k], out);
        if (fusion->forward[k])
            forward[n_forward++] = operands[k];
    }
    return n_forward;
}

void mst_pass_write_fusion(const mst_pass *pass, const mst_fusion *fusion, mst_text *out) {
    const mst_pass back = mst_pass_back(pass); // so the product is taken where the last forward step leaves the spectra
    const bool from_half = pass->half == MST_HALF_SPLIT;
    mst_pass_gpu_names forward[2];
    mst_pass_gpu_local local = {.used = fusion->finish};
    if (from_half) {
        mst_pass_gpu_write_half_functions(pass, out);
        mst_pass_gpu_write_half_functions(&back, out);
    }
    mst_pass_gpu_write_head(pass, fusion->signature, out);
    mst_text_add(out, "%s", fusion->locate);
    int n_forward = write_operands(pass, fusion, forward, out);
    if (from_half) {
        write_last_loading(pass, fusion->loads[0], out);
        mst_pass_gpu_write_split(pass, out);
    }
    mst_pass_gpu_write_steps(pass, &local, forward, n_forward, out);
    if (fusion->loads[1])
        write_product(pass, out);
    if (fusion->change)
        write_change(pass, fusion->change, out);
    if (fusion->mirrors)
        mst_pass_gpu_write_mirrors(pass, fusion->mirrors, out);
    if (fusion->backward) {
        mst_text_add(out,
                     from_half ? "\n// There again.\n" : "\n// Back: the same steps with real and imaginary parts exchanged.\n");
        const mst_pass_gpu_names names = {from_half ? "re" : "im", from_half ? "im" : "re", "back_step_twiddles"};
        mst_pass_gpu_write_steps(&back, &local, &names, 1, out);
    }
    if (from_half)
        mst_pass_gpu_write_combine(&back, out);
    write_storing(fusion->backward ? &back : pass, fusion, out);
    if (from_half)
        write_last_storing(pass, fusion->store, out);
    mst_text_add(out, "}\n");
}
