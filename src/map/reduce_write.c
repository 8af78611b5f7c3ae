// The kernels of reductions, as OpenCL C.
#include "reduce_parts.h"
#include "write.h"

#include "expr/elementary.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN_VECTORS = 4 }; // side by side, of one work-item

static void end(mst_signature *s, mst_text *t) {
    mst_signature_write(s, "", t);
    mst_signature_release(s);
}

static void write_tiles_head(const mst_map *plan, mst_map_form form, mst_text *t) {
    mst_signature s;
    mst_signature_begin(&s, "tiles");
    mst_map_add_arrays(plan, form, plan->n_inputs, &s);
    mst_map_add_numbers(plan, plan->expression, &s);
    mst_map_add_indices(plan, &s);
    mst_signature_add(&s, "__global ulong *", "partials");
    static const char *const names[] = {"n_partials", "first_tile", "tiles", "reduced", "inner", "from", "n"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        mst_signature_add(&s, "ulong", "%s", names[k]);
    if (form == MST_MAP_STRIDED)
        mst_signature_add(&s, "ulong", "length");
    end(&s, t);
    mst_text_add(t, "const ulong i = get_global_id(0);\n"
                    "if (i >= n)\n"
                    "return;\n");
    mst_map_write_bases(plan, plan->n_inputs, t);
}

// Pointers to an element of any strides, from those to the array's.
static void write_addresses(const mst_map *plan, const char *element, mst_text *t) {
    for (int k = 0; k < plan->n_inputs; k++) {
        mst_text_put(t, "$array = ${array}_0;\n", MST_SET(array, plan->words[k].array));
        mst_map_write_address(plan, k, element, t);
    }
}

static void write_origins(const mst_map *plan, mst_text *t) {
    for (int k = 0; k < plan->n_inputs; k++)
        mst_text_put(t, "__global const $type *const ${array}_0 = $array;\n", MST_SET(type, mst_map_stored_type(plan, k)),
                     MST_SET(array, plan->words[k].array));
}

// Moves dense arrays' pointers on by so many elements.
static void write_move(const mst_map *plan, const char *by, mst_text *t) {
    for (int k = 0; k < plan->n_inputs; k++)
        mst_text_put(t, mst_type_has_parts(plan->types[k]) ? "$array += 2 * ($by);\n" : "$array += $by;\n",
                     MST_SET(array, plan->words[k].array), MST_SET(by, by));
}

static void write_inverse(const mst_map *plan, const char *n, mst_text *t) {
    if (mst_map_counts(plan->reduce))
        mst_text_put(t, "const $real inverse = 1 / ($real)($n);\n", MST_SET(real, mst_map_spread_type(plan->reduce)),
                     MST_SET(n, n));
}

static const char *counting(unsigned width) {
    switch (width) {
    case 2:
        return "(long2)(0, 1)";
    case 4:
        return "(long4)(0, 1, 2, 3)";
    case 8:
        return "(long8)(0, 1, 2, 3, 4, 5, 6, 7)";
    case 16:
        return "(long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)";
    default:
        return "0";
    }
}

// ---- Along the last axis: lanes

// Whole rows of lanes, a vector at a time; then the lanes one by one.
static mst_status write_vector_lanes(const mst_map *plan, unsigned width, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    char suffix[40], place[120], element[80];
    snprintf(suffix, sizeof suffix, "_row[%u]", MST_MAP_LANES / width);
    snprintf(place, sizeof place, "((long)(begin + k * %u) + %s)", width, counting(width));
    snprintf(element, sizeof element, "element + k * %u", width);
    mst_text_add(t, "if (full > 0) {\n");
    mst_map_write_slots(plan->reduce, mst_map_lanes(width), suffix, t);
    mst_text_put(t, "for (int v = 0; v < $n; v++) {\n", MST_SET(n, MST_MAP_LANES / width));
    mst_map_write_empty(plan->reduce, "_row[v]", t);
    mst_text_put(t, "}\nfor (ulong j = 0; j < full; j++) {\n");
    write_inverse(plan, "j + 1", t);
    mst_text_put(t, "for (int v = 0; v < $n; v++) {\nconst ulong k = j * $n + v;\n", MST_SET(n, MST_MAP_LANES / width));
    MST_TRY(mst_map_write_values(plan, MST_MAP_PACKED, width, "k", element, t, error));
    mst_map_write_take(plan, width, "_row[v]", place, t);
    mst_text_put(t, "}\n}\nfor (int v = 0; v < $n; v++) {\n", MST_SET(n, MST_MAP_LANES / width));
    mst_map_write_unfold(plan->reduce, width, t);
    mst_text_add(t, "}\n}\n");
fail:
    return status;
}

// What is left of a tile, or all of it, an element after the other.
static mst_status write_scalar_lanes(const mst_map *plan, mst_map_form form, const char *from, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    mst_text_put(t, "for (ulong k = $from; k < count; k++) {\nconst int l = (int)(k % $lanes);\n", MST_SET(from, from),
                 MST_SET(lanes, MST_MAP_LANES));
    if (form == MST_MAP_STRIDED)
        write_addresses(plan, "(element - from + k)", t);
    mst_text_put(t, "{\n");
    write_inverse(plan, "k / 32 + 1", t);
    MST_TRY(mst_map_write_values(plan, form, 1, form == MST_MAP_STRIDED ? "0" : "k", "element + k", t, error));
    mst_map_write_take(plan, 1, "_lane[l]", "(long)(begin + k)", t);
    mst_text_add(t, "}\n}\n");
fail:
    return status;
}

static mst_status write_rows(const mst_map *plan, mst_map_form form, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    const unsigned width = form == MST_MAP_STRIDED ? 1 : plan->width;
    char lanes[16];
    snprintf(lanes, sizeof lanes, "_lane[%d]", MST_MAP_LANES);
    mst_text_put(t,
                 "// Tile `tile` is elements begin .. begin + count of the row, of which every 32nd one is in one lane.\n"
                 "const ulong tile = first_tile + i, begin = tile % tiles * $tile, count = min(reduced - begin, (ulong)$tile);\n"
                 "const ulong element = tile / tiles * reduced + begin, full = count / $lanes;\n"
                 "int pairs = $lanes / 2; // of lanes, of which at least one is not empty\n"
                 "while (pairs >= (int)min(count, (ulong)$lanes) && pairs > 0)\n"
                 "pairs /= 2;\n",
                 MST_SET(tile, MST_MAP_TILE), MST_SET(lanes, MST_MAP_LANES));
    if (form == MST_MAP_STRIDED)
        write_origins(plan, t);
    else
        write_move(plan, "element - from", t);
    mst_map_write_slots(plan->reduce, "", lanes, t);
    if (width == 1)
        mst_text_add(t, "for (int l = 0; l < max(2 * pairs, 1); l++) {\n");
    else
        mst_text_add(t, "for (int l = 0; full == 0 && l < max(2 * pairs, 1); l++) {\n");
    mst_map_write_empty(plan->reduce, "_lane[l]", t);
    mst_text_add(t, "}\n");
    if (width > 1)
        MST_TRY(write_vector_lanes(plan, width, t, error));
    MST_TRY(write_scalar_lanes(plan, form, width > 1 ? "full * 32" : "0", t, error));
    if (mst_map_counts(plan->reduce))
        mst_text_put(t,
                     "ulong n_lane[$lanes];\nfor (int l = 0; l < $lanes; l++)\n"
                     "n_lane[l] = full + ((ulong)l < count % $lanes ? 1 : 0);\n",
                     MST_SET(lanes, MST_MAP_LANES));
    mst_text_add(t, "for (; pairs > 0; pairs /= 2)\nfor (int l = 0; l < pairs; l++) {\n");
    mst_map_write_merge(plan->reduce, 1, "_lane[l]", "_lane[l + pairs]", "n_lane[l]", "n_lane[l + pairs]", t);
    if (mst_map_counts(plan->reduce))
        mst_text_add(t, "n_lane[l] += n_lane[l + pairs];\n");
    mst_text_add(t, "}\n");
    mst_map_write_keep(plan->reduce, 1, "_lane[0]", "partials", "tile", t);
fail:
    return status;
}

// ---- Along another axis: runs

// One column after the other, or vectors of columns side by side, all of which a statement of `vectors` covers.
static mst_status write_runs(const mst_map *plan, mst_map_form form, unsigned width, int vectors, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    char all[24], run[24], element[80], place[60];
    snprintf(all, sizeof all, "_all[%d]", vectors);
    snprintf(run, sizeof run, "_run[%d]", vectors);
    snprintf(element, sizeof element, "element + (r + j) * inner + v * %u", width);
    mst_map_write_slots(plan->reduce, mst_map_lanes(width), all, t);
    mst_map_write_slots(plan->reduce, mst_map_lanes(width), run, t);
    mst_text_put(t, "for (int v = 0; v < $n; v++) {\n", MST_SET(n, vectors));
    mst_map_write_empty(plan->reduce, "_all[v]", t);
    mst_text_put(t,
                 "}\n"
                 "for (ulong r = 0; r < count; r += $run) {\n"
                 "const ulong some = min(count - r, (ulong)$run);\n"
                 "for (int v = 0; v < $n; v++) {\n",
                 MST_SET(run, MST_MAP_RUN), MST_SET(n, vectors));
    mst_map_write_empty(plan->reduce, "_run[v]", t);
    mst_text_add(t, "}\nfor (ulong j = 0; j < some; j++) {\n");
    write_inverse(plan, "j + 1", t);
    mst_text_put(t, "for (int v = 0; v < $n; v++) {\n", MST_SET(n, vectors));
    if (form == MST_MAP_STRIDED)
        write_addresses(plan, "(element - from + (r + j) * inner)", t);
    mst_text_add(t, "{\n");
    MST_TRY(mst_map_write_values(plan, form, width, form == MST_MAP_STRIDED ? "0" : "v", element, t, error));
    snprintf(place, sizeof place, "((long%s)((long)(begin + r + j)))", mst_map_lanes(width));
    mst_map_write_take(plan, width, "_run[v]", place, t);
    mst_text_add(t, "}\n}\n");
    if (form != MST_MAP_STRIDED)
        write_move(plan, "inner", t);
    mst_text_put(t, "}\nfor (int v = 0; v < $n; v++) {\n", MST_SET(n, vectors));
    mst_map_write_merge(plan->reduce, width, "_all[v]", "_run[v]", "r", "some", t);
    mst_text_put(t, "}\n}\nfor (int v = 0; v < $n; v++) {\n", MST_SET(n, vectors));
    snprintf(element, sizeof element, "(tile * inner + column + v * %u)", width);
    mst_map_write_keep(plan->reduce, width, "_all[v]", "partials", element, t);
    mst_text_add(t, "}\n");
fail:
    return status;
}

unsigned mst_map_column_step(const mst_map *plan, mst_map_form form) {
    return form == MST_MAP_STRIDED ? 1 : COLUMN_VECTORS * plan->width;
}

static mst_status write_columns(const mst_map *plan, mst_map_form form, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    const unsigned step = mst_map_column_step(plan, form);
    mst_text_put(t,
                 "// Rows begin .. begin + count, of $step columns.\n"
                 "const ulong sets = (inner + $less) / $step, tile = first_tile + i / sets, begin = tile % tiles * $tile;\n"
                 "const ulong count = min(reduced - begin, (ulong)$tile);\n"
                 "ulong column = i % sets * $step, element = (tile / tiles * reduced + begin) * inner + column;\n",
                 MST_SET(step, step), MST_SET(less, step - 1), MST_SET(tile, MST_MAP_COLUMN_TILE));
    if (form == MST_MAP_STRIDED) {
        write_origins(plan, t);
        return write_runs(plan, form, 1, 1, t, error);
    }
    write_move(plan, "element - from", t);
    mst_text_put(t, "if (column + $step <= inner) {\n", MST_SET(step, step));
    MST_TRY(write_runs(plan, MST_MAP_PACKED, plan->width, COLUMN_VECTORS, t, error));
    mst_text_add(t, "return;\n}\n"
                    "for (; column < inner; column++, element++) {\n");
    MST_TRY(write_runs(plan, MST_MAP_PACKED, 1, 1, t, error));
    // back to the next column's first row
    for (int k = 0; k < plan->n_inputs; k++)
        mst_text_put(t,
                     mst_type_has_parts(plan->types[k]) ? "$array -= 2 * (long)(count * inner - 1);\n"
                                                        : "$array -= (long)(count * inner - 1);\n",
                     MST_SET(array, plan->words[k].array));
    mst_text_add(t, "}\n");
fail:
    return status;
}

// ---- Partial results

static void write_combine(const mst_map *plan, mst_text *t) {
    mst_signature s;
    mst_signature_begin(&s, "combine");
    mst_signature_add(&s, "__global const ulong *", "parts");
    mst_signature_add(&s, "ulong", "n_parts");
    mst_signature_add(&s, "__global ulong *", "results");
    static const char *const names[] = {"n_results", "length", "inner", "each", "total", "n"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        mst_signature_add(&s, "ulong", "%s", names[k]);
    end(&s, t);
    mst_text_put(t,
                 "const ulong i = get_global_id(0);\n"
                 "if (i >= n)\n"
                 "return;\n"
                 "const ulong tiles = max((length + $less) / $tile, (ulong)1), tile = i / inner;\n"
                 "const ulong begin = tile % tiles * $tile, stop = min(length, begin + $tile);\n"
                 "const ulong place = tile / tiles * length * inner + i % inner;\n"
                 "ulong n_all = 0;\n",
                 MST_SET(tile, MST_MAP_COLUMN_TILE), MST_SET(less, MST_MAP_COLUMN_TILE - 1));
    mst_map_write_slots(plan->reduce, "", "_all", t);
    mst_map_write_slots(plan->reduce, "", "_run", t);
    mst_map_write_slots(plan->reduce, "", "_one", t);
    mst_map_write_empty(plan->reduce, "_all", t);
    mst_text_put(t, "for (ulong r = begin; r < stop; r += $run) {\nulong n_run = 0;\n", MST_SET(run, MST_MAP_RUN));
    mst_map_write_empty(plan->reduce, "_run", t);
    mst_text_put(t, "for (ulong k = r; k < min(stop, r + $run); k++) {\nconst ulong n_one = min(each, total - k * each);\n",
                 MST_SET(run, MST_MAP_RUN));
    mst_map_write_fetch(plan->reduce, "_one", "parts", "place + k * inner", t);
    mst_map_write_merge(plan->reduce, 1, "_run", "_one", "n_run", "n_one", t);
    mst_text_add(t, "n_run += n_one;\n}\n");
    mst_map_write_merge(plan->reduce, 1, "_all", "_run", "n_all", "n_run", t);
    mst_text_add(t, "n_all += n_run;\n}\n");
    mst_map_write_keep(plan->reduce, 1, "_all", "results", "i", t);
}

// What a reduction's result is, from its partial result.
static void write_result(const mst_map *plan, int number, mst_text *t) {
    const mst_map_reduction *r = &plan->reduce->reductions[number];
    const bool parts = mst_type_has_parts(r->type);
    const mst_text_value values[] = {
        MST_SET(r, number), MST_SET(real, mst_type_opencl(r->type)), MST_SET(last, parts ? 2 : 1), {0}};
    switch (r->kind) {
    case MST_MAP_SUM:
        for (int p = 0; p < (parts ? 2 : 1); p++)
            mst_text_put(t, "const $real r${r}_${p}_result = count > 0 ? r${r}_$p : 0;\n",
                         MST_SET(real, mst_type_opencl(r->type)), MST_SET(r, number), MST_SET(p, p));
        return;
    case MST_MAP_MEAN:
        for (int p = 0; p < (parts ? 2 : 1); p++)
            mst_text_put(t, "const $real r${r}_${p}_result = r${r}_$p / ($real)count;\n", MST_SET(real, mst_type_opencl(r->type)),
                         MST_SET(r, number), MST_SET(p, p));
        return;
    case MST_MAP_VARIANCE:
        mst_text_put_values(t, "const $real r${r}_0_result = r${r}_$last / ($real)divisor;\n", values);
        return;
    case MST_MAP_DEVIATION:
        mst_text_put_values(t, "const $real r${r}_0_result = sqrt(r${r}_$last / ($real)divisor);\n", values);
        return;
    case MST_MAP_WHERE_LEAST:
    case MST_MAP_WHERE_LARGEST:
        mst_text_put_values(t, "const long r${r}_0_result = r${r}_1;\n", values);
        return;
    default:
        mst_text_put(t, "const $type r${r}_0_result = r${r}_0;\n", MST_SET(type, mst_map_part_type(r, 0)), MST_SET(r, number));
        if (parts)
            mst_text_put_values(t, "const $real r${r}_1_result = r${r}_1;\n", values);
    }
}

static mst_status write_outputs(const mst_map *plan, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_reduce *reduce = plan->reduce;
    const size_t n = mst_expr_n_leaves(reduce->finish);
    char(*words)[MST_MAP_LEAF_TEXT] = calloc(n + 1, sizeof *words);
    const char **leaves = calloc(n + 1, sizeof *leaves), *names[2 * MST_MAP_MAX_OUTPUTS];
    unsigned roots[2 * MST_MAP_MAX_OUTPUTS];
    int n_roots = 0;
    MST_REQUIRE(words && leaves, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    for (size_t i = 0; i < n; i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(reduce->finish)[i];
        leaves[i] = words[i];
        if (mst_map_is_number(plan, leaf))
            mst_map_leaf_text(plan, leaf, 1, words[i]);
        else
            snprintf(words[i], sizeof words[i], "r%d_%d_result", (int)leaf->symbol - plan->n_inputs - plan->n_numbers,
                     leaf->level);
    }
    for (int k = 0; k < plan->n_outputs; k++)
        for (int part = 0; part < (mst_type_has_parts(reduce->results[k].type) ? 2 : 1); part++) {
            roots[n_roots] = reduce->results[k].nodes[part];
            names[n_roots++] = part ? plan->words[plan->n_inputs + k].imaginary : plan->words[plan->n_inputs + k].value;
        }
    MST_TRY(mst_expr_write_lowered(reduce->finish, mst_elementary_of(&plan->context->device), roots, names, n_roots, 1, leaves, t,
                                   error));
fail:
    free(words);
    free(leaves);
    return status;
}

static mst_status write_finish(const mst_map *plan, mst_text *t, mst_error *error) {
    mst_signature s;
    const mst_map_words *words = &plan->words[plan->n_inputs];
    mst_signature_begin(&s, "finish");
    mst_signature_add(&s, "__global const ulong *", "parts");
    mst_signature_add(&s, "ulong", "n_parts");
    for (int k = 0; k < plan->n_outputs; k++) {
        char type[40];
        snprintf(type, sizeof type, "__global %s *", mst_map_stored_type(plan, plan->n_inputs + k));
        mst_signature_add(&s, type, "%s", words[k].array);
        mst_signature_add(&s, "long", "%s", words[k].base);
        mst_signature_add(&s, "__constant const long *", "%s", words[k].lines);
    }
    mst_map_add_numbers(plan, plan->reduce->finish, &s);
    mst_signature_add(&s, "ulong", "count");
    mst_signature_add(&s, "ulong", "divisor");
    mst_signature_add(&s, "ulong", "n");
    end(&s, t);
    mst_text_add(t, "const ulong i = get_global_id(0);\nif (i >= n)\nreturn;\n");
    mst_map_write_slots(plan->reduce, "", "", t);
    mst_map_write_fetch(plan->reduce, "", "parts", "i", t);
    for (int r = 0; r < plan->reduce->n; r++)
        write_result(plan, r, t);
    mst_status status = write_outputs(plan, t, error);
    for (int k = 0; k < plan->n_outputs; k++) {
        mst_text_put(t, "$out += ${parts}($base + line_offset($lines, i));\n",
                     MST_SET(parts, mst_type_has_parts(plan->outputs[k].type) ? "2 * " : ""), MST_SET(out, words[k].array),
                     MST_SET(base, words[k].base), MST_SET(lines, words[k].lines));
        mst_map_write_store(plan, MST_MAP_STRIDED, k, 1, "0", t);
    }
    return status;
}

mst_status mst_map_reduce_write(const mst_map *plan, mst_map_reducer which, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_form form = which == MST_MAP_TILES_STRIDED ? MST_MAP_STRIDED : MST_MAP_PACKED;
    if (which == MST_MAP_COMBINE || which == MST_MAP_FINISH) {
        mst_text_add(t, "#pragma OPENCL FP_CONTRACT OFF\n\n");
        mst_expr_write_functions(plan->reduce->finish, 1, t);
    } else {
        mst_map_write_start(plan, form, plan->width, t);
        write_tiles_head(plan, form, t);
    }
    if (which == MST_MAP_COMBINE)
        write_combine(plan, t);
    else if (which == MST_MAP_FINISH)
        status = write_finish(plan, t, error);
    else
        status = plan->reduce->columns ? write_columns(plan, form, t, error) : write_rows(plan, form, t, error);
    mst_text_add(t, "}\n");
    return status == MST_OK ? mst_elementary_define(plan->context, t, error) : status;
}
