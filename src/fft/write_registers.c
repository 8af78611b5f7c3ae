// What the work-items of a GPU-shaped kernel hold, and the loops in which they work on it: butterflies of a step, whose numbers
// are in registers.
#include "write_parts.h"

#include "runtime/numbers.h"

#include <stdio.h>

unsigned mst_pass_gpu_butterflies(const mst_pass *pass, int step) { return (unsigned)mst_pass_rounds(pass, step, pass->threads); }

// Pairs of butterflies j and count - j; those that mirror themselves, 0 and count / 2, are a pair, or 0 is one alone.
static size_t pairs_of(size_t count) { return (count + 1) / 2; }

static bool is_paired(const mst_pass *pass, int step) { return step == mst_pass_paired_step(pass); }

bool mst_pass_gpu_is_ragged(const mst_pass *pass, int step) {
    size_t count = pass->n / pass->radices[step];
    if (is_paired(pass, step) && count > 1)
        return count % 2 != 0 || count / 2 % pass->threads != 0;
    return count % pass->threads != 0;
}

static unsigned open_pairs(const mst_pass *pass, int step, mst_text *out) {
    size_t count = pass->n / pass->radices[step];
    const mst_text_value values[] = {MST_SET(rounds, mst_pass_gpu_butterflies(pass, step)),
                                     MST_SET(threads, pass->threads),
                                     MST_SET(count, count),
                                     MST_SET(middle, count / 2),
                                     MST_SET(pairs, pairs_of(count)),
                                     {0}};
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint i = 0; i < ${rounds}u; i++) { // pairs of butterflies whose results mirror each other\n"
                        "const uint pair = t + i / 2 * ${threads}u;\n",
                        values);
    mst_text_put_values(out,
                        count % 2 == 0 ? "const uint j = i % 2 == 0 ? pair : pair == 0 ? ${middle}u : ${count}u - pair;\n"
                                       : "const uint j = i % 2 == 0 ? pair : ${count}u - pair;\n",
                        values);
    if (!mst_pass_gpu_is_ragged(pass, step))
        return 1;
    mst_text_put_values(out, "if (pair < ${pairs}u && j < ${count}u) {\n", values);
    return 2;
}

unsigned mst_pass_gpu_open_butterflies(const mst_pass *pass, int step, mst_text *out) {
    bool several = mst_pass_gpu_butterflies(pass, step) > 1, ragged = mst_pass_gpu_is_ragged(pass, step);
    const mst_text_value values[] = {MST_SET(rounds, mst_pass_gpu_butterflies(pass, step)),
                                     MST_SET(threads, pass->threads),
                                     MST_SET(count, pass->n / pass->radices[step]),
                                     {0}};
    if (several && is_paired(pass, step))
        return open_pairs(pass, step, out);
    if (several)
        mst_text_put_values(out,
                            "#pragma unroll\n"
                            "for (uint i = 0; i < ${rounds}u; i++) {\n"
                            "const uint j = t + i * ${threads}u;\n",
                            values);
    if (several && ragged)
        mst_text_put_values(out, "if (j < ${count}u) {\n", values);
    if (!several)
        mst_text_put_values(out, ragged ? "if (t < ${count}u) {\nconst uint j = t;\n" : "{\nconst uint j = t;\n", values);
    return several && ragged ? 2 : 1;
}

void mst_pass_gpu_close(unsigned braces, mst_text *out) {
    for (unsigned k = 0; k < braces; k++)
        mst_text_add(out, "}\n");
}

mst_pass_gpu_first mst_pass_gpu_first_register(const mst_pass *pass, int step) {
    mst_pass_gpu_first first = {""};
    if (mst_pass_gpu_butterflies(pass, step) > 1)
        snprintf(first.text, sizeof first.text, "i * %uu + ", pass->radices[step]);
    return first;
}

unsigned mst_pass_gpu_registers(const mst_pass *pass) {
    unsigned registers = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned held = mst_pass_gpu_butterflies(pass, s) * pass->radices[s];
        registers = mst_larger(registers, held);
    }
    return registers;
}

void mst_pass_gpu_write_barrier(mst_text *out) { mst_text_add(out, "barrier(CLK_LOCAL_MEM_FENCE);\n"); }

void mst_pass_gpu_write_place(const mst_pass *pass, unsigned run, mst_text *out) {
    const mst_text_value values[] = {MST_SET(run, run),
                                     MST_SET(lines, pass->lines),
                                     MST_SET(group_run, run * pass->lines),
                                     MST_SET(own, mst_pass_own_reals(pass)),
                                     MST_SET(row, pass->row),
                                     MST_SET(there, pass->row_there),
                                     {0}};
    mst_text_put_values(out,
                        "slot = id / $run % $lines, t = id / $group_run * $run + id % $run;\n"
                        "line = get_group_id(0) * (ulong)$lines + slot, active = line < n_lines",
                        values);
    mst_text_put_values(out, pass->row ? " && (uint)(line % ${row}ul) < ${there}u;\n" : ";\n", values);
    if (pass->n_radices > 1)
        mst_text_put_values(out, "own = (__local real *)exchange + slot * ${own}u;\n", values);
}

void mst_pass_gpu_write_pad(const mst_pass *pass, mst_text *out) {
    if (pass->n_radices > 1 && !pass->whole_exchange)
        mst_text_put(out,
                     "// Real numbers in local memory: the gaps keep work-items that are neighbours off one another's banks.\n"
                     "#define PAD(i) ((i) + ((i) >> $shift))\n\n",
                     MST_SET(shift, mst_pass_pad_shift(pass)));
}

void mst_pass_gpu_write_head(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    char attributes[80];
    size_t shared = (mst_pass_own_reals(pass) * pass->areas * pass->lines + 1) / 2;
    if (pass->n_box == 0)
        mst_pass_gpu_write_pad(pass, out);
    snprintf(attributes, sizeof attributes, "__attribute__((reqd_work_group_size(%u, 1, 1)))", pass->threads * pass->lines);
    mst_signature_write(signature, attributes, out);
    const bool staged = pass->staged_load || pass->staged_store;
    if (staged || pass->n_radices > 1)
        mst_text_put(out, "__local real2 $name[$count];\n", MST_SET(name, pass->n_radices > 1 ? "exchange" : "stage"),
                     MST_SET(count, shared));
    if (staged && pass->n_radices > 1)
        mst_text_add(out, "__local real2 *stage = exchange;\n");
    mst_text_put(out,
                 "// This work-item is number t of those of a line, which is number `slot` of the work-group's.\n"
                 "const uint id = get_local_id(0);\n"
                 "uint slot, t;\n"
                 "ulong line;\n"
                 "bool active; // the line is there\n"
                 "$own",
                 MST_SET(own, pass->n_radices > 1 ? "__local real *own; // local memory of the line\n" : ""));
    mst_pass_gpu_write_place(pass, pass->load_run, out);
    mst_text_put(out, "real re[$held], im[$held];\n", MST_SET(held, mst_pass_gpu_registers(pass)));
}

void mst_pass_gpu_write_operand(const mst_pass *pass, const char *load, bool for_first_step, mst_pass_gpu_names n,
                                mst_text *out) {
    const int step = for_first_step ? 0 : pass->n_radices - 1;
    unsigned r = pass->radices[step], braces = mst_pass_gpu_open_butterflies(pass, step, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const int e = (int)j + (int)q * $apart;\n"
                 "real2 value = (real2)(0, 0);\n"
                 "if (active)\n"
                 "value = $load;\n"
                 "$re[${first}q] = value.x;\n"
                 "$im[${first}q] = value.y;\n"
                 "}\n",
                 MST_SET(radix, r), MST_SET(apart, pass->n / r), MST_SET(load, load), MST_SET(re, n.re), MST_SET(im, n.im),
                 MST_SET(first, mst_pass_gpu_first_register(pass, step).text));
    mst_pass_gpu_close(braces, out);
}
