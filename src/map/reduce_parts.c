// Partial results, as OpenCL C: what they consist of, how an element is taken into one, and how two become one.
#include "reduce_parts.h"

#include <stdio.h>
#include <string.h>

static bool is_complex(const mst_map_reduction *r) { return mst_type_has_parts(r->type); }
static bool is_float(const mst_map_reduction *r) { return mst_type_is_float(mst_type_part(r->type)); }
static bool is_place(const mst_map_reduction *r) { return r->kind == MST_MAP_WHERE_LEAST || r->kind == MST_MAP_WHERE_LARGEST; }
static bool is_spread(const mst_map_reduction *r) { return r->kind == MST_MAP_VARIANCE || r->kind == MST_MAP_DEVIATION; }

bool mst_map_counts(const mst_map_reduce *reduce) {
    bool any = false;
    for (int r = 0; r < reduce->n; r++)
        any = any || is_spread(&reduce->reductions[r]);
    return any;
}

bool mst_map_places(const mst_map_reduce *reduce) {
    bool any = false;
    for (int r = 0; r < reduce->n; r++)
        any = any || is_place(&reduce->reductions[r]);
    return any;
}

const char *mst_map_spread_type(const mst_map_reduce *reduce) {
    for (int r = 0; r < reduce->n; r++)
        if (is_spread(&reduce->reductions[r]) && mst_type_part(reduce->reductions[r].type) == MST_FLOAT64)
            return "double";
    return reduce->wide ? "double" : "float";
}

int mst_map_n_parts(const mst_map_reduction *r) { return 1 + (is_complex(r) ? 1 : 0) + (is_spread(r) || is_place(r) ? 1 : 0); }

int mst_map_all_parts(const mst_map_reduce *reduce) {
    int n = 0;
    for (int r = 0; r < reduce->n; r++)
        n += mst_map_n_parts(&reduce->reductions[r]);
    return n;
}

const char *mst_map_part_type(const mst_map_reduction *r, int part) {
    const bool counts = r->kind == MST_MAP_COUNT || (is_place(r) && part == 1);
    return counts ? "long" : mst_type_opencl(r->type);
}

static const char *lanes_of(unsigned width) {
    static const char *const lanes[] = {[1] = "", [2] = "2", [4] = "4", [8] = "8", [16] = "16"};
    return lanes[width];
}

void mst_map_write_slots(const mst_map_reduce *reduce, const char *lanes, const char *suffix, mst_text *t) {
    for (int r = 0; r < reduce->n; r++)
        for (int p = 0; p < mst_map_n_parts(&reduce->reductions[r]); p++)
            mst_text_add(t, "%s%s r%d_%d%s;\n", mst_map_part_type(&reduce->reductions[r], p), lanes, r, p, suffix);
}

// Beyond everything in one direction: what the least or the largest of no element is.
static const char *end_of(const mst_map_reduction *r, bool largest) {
    static const struct {
        const char *type, *least, *largest;
    } ends[] = {{"char", "CHAR_MIN", "CHAR_MAX"},   {"uchar", "0", "UCHAR_MAX"},   {"short", "SHRT_MIN", "SHRT_MAX"},
                {"ushort", "0", "USHRT_MAX"},       {"int", "INT_MIN", "INT_MAX"}, {"uint", "0", "UINT_MAX"},
                {"long", "LONG_MIN", "LONG_MAX"},   {"ulong", "0", "ULONG_MAX"},   {"float", "-INFINITY", "INFINITY"},
                {"double", "-INFINITY", "INFINITY"}};
    const char *type = mst_type_opencl(r->type);
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        if (strcmp(ends[k].type, type) == 0)
            return largest ? ends[k].largest : ends[k].least;
    return "0";
}

static bool wants_least(const mst_map_reduction *r) { return r->kind == MST_MAP_LEAST || r->kind == MST_MAP_WHERE_LEAST; }

// A sum begins with -0, which changes no number, not even -0.
static const char *neutral(const mst_map_reduction *r, int part) {
    switch (r->kind) {
    case MST_MAP_SUM:
    case MST_MAP_MEAN:
        return !is_float(r) ? "0" : mst_type_part(r->type) == MST_FLOAT64 ? "-0.0" : "-0.0f";
    case MST_MAP_PRODUCT:
        return part == 0 ? "1" : "0";
    case MST_MAP_ALL:
        return "1";
    case MST_MAP_LEAST:
    case MST_MAP_LARGEST:
    case MST_MAP_WHERE_LEAST:
    case MST_MAP_WHERE_LARGEST:
        return part == 1 ? "LONG_MAX" : end_of(r, wants_least(r));
    default:
        return "0";
    }
}

void mst_map_write_unfold(const mst_map_reduce *reduce, unsigned width, mst_text *t) {
    for (int r = 0; r < reduce->n; r++)
        for (int p = 0; p < mst_map_n_parts(&reduce->reductions[r]); p++)
            mst_text_add(t, "vstore%u(r%d_%d_row[v], v, r%d_%d_lane);\n", width, r, p, r, p);
}

void mst_map_write_empty(const mst_map_reduce *reduce, const char *slot, mst_text *t) {
    for (int r = 0; r < reduce->n; r++)
        for (int p = 0; p < mst_map_n_parts(&reduce->reductions[r]); p++)
            mst_text_add(t, "r%d_%d%s = %s;\n", r, p, slot, neutral(&reduce->reductions[r], p));
}

// ---- One reduction. `x` is a value and `y` its imaginary part or its place.

typedef struct operands {
    const mst_map_reduction *reduction;
    int number;
    unsigned width;
    const char *slot, *x, *y;
} operands;

static void write_with(const operands *o, const char *template, mst_text *t) {
    char real[16], mask[16], place[16];
    const size_t bytes = mst_type_bytes(mst_type_held(o->reduction->type));
    const char *lanes = lanes_of(o->width);
    snprintf(real, sizeof real, "%s%s", mst_type_opencl(o->reduction->type), lanes);
    snprintf(mask, sizeof mask, "%s%s",
             o->width == 1 ? "int"
             : bytes == 1  ? "char"
             : bytes == 2  ? "short"
             : bytes == 4  ? "int"
                           : "long",
             lanes);
    snprintf(place, sizeof place, "%s%s", o->width == 1 ? "int" : "long", lanes);
    mst_text_put(t, template, MST_SET(r, o->number), MST_SET(slot, o->slot), MST_SET(x, o->x), MST_SET(y, o->y),
                 MST_SET(real, real), MST_SET(kind, mst_type_opencl(o->reduction->type)), MST_SET(mask, mask),
                 MST_SET(place, place), MST_SET(n, lanes), MST_SET(before, wants_least(o->reduction) ? "<" : ">"));
}

// The least or the largest, a NaN if there is one; of equal ones the first.
static void write_extreme(const operands *o, mst_text *t) {
    const bool has_nan = is_float(o->reduction);
    if (!is_place(o->reduction)) {
        write_with(o,
                   has_nan ? "r${r}_0$slot = ($x $before r${r}_0$slot) | ($x != $x) ? $x : r${r}_0$slot;\n"
                           : "r${r}_0$slot = $x $before r${r}_0$slot ? $x : r${r}_0$slot;\n",
                   t);
        return;
    }
    write_with(o, "{\nconst $mask sooner = convert_$mask($y < r${r}_1$slot);\n", t);
    write_with(o,
               has_nan ? "const $mask takes = ($x $before r${r}_0$slot) | (($x == r${r}_0$slot) & sooner) |\n"
                         "(($x != $x) & ((r${r}_0$slot == r${r}_0$slot) | sooner));\n"
                       : "const $mask takes = ($x $before r${r}_0$slot) | (($x == r${r}_0$slot) & sooner);\n",
               t);
    write_with(o, "r${r}_0$slot = takes ? $x : r${r}_0$slot;\n", t);
    write_with(o, "r${r}_1$slot = convert_$place(takes) ? $y : r${r}_1$slot;\n}\n", t);
}

static void write_plain(const operands *o, mst_text *t) {
    switch (o->reduction->kind) {
    case MST_MAP_SUM:
    case MST_MAP_MEAN:
        write_with(o, is_complex(o->reduction) ? "r${r}_0$slot += $x;\nr${r}_1$slot += $y;\n" : "r${r}_0$slot += $x;\n", t);
        break;
    case MST_MAP_PRODUCT:
        write_with(o,
                   is_complex(o->reduction) ? "{\nconst $real product = r${r}_0$slot * $x - r${r}_1$slot * $y;\n"
                                              "r${r}_1$slot = r${r}_0$slot * $y + r${r}_1$slot * $x;\n"
                                              "r${r}_0$slot = product;\n}\n"
                                            : "r${r}_0$slot *= $x;\n",
                   t);
        break;
    case MST_MAP_ANY:
        write_with(o, "r${r}_0$slot |= $x;\n", t);
        break;
    case MST_MAP_ALL:
        write_with(o, "r${r}_0$slot &= $x;\n", t);
        break;
    default:
        write_extreme(o, t);
    }
}

// ---- All of them

// Mean and sum of squared deviations, an element after the other (Welford 1962); `inverse` is 1 / n with it.
static void take_spread(const operands *o, mst_text *t) {
    const bool parts = is_complex(o->reduction);
    for (int p = 0; p < (parts ? 2 : 1); p++) {
        operands part = *o;
        char mean[16];
        snprintf(mean, sizeof mean, "r%d_%d", o->number, p);
        part.x = p == 0 ? o->x : o->y;
        part.y = mean;
        write_with(&part, "{\nconst $real apart = $x - $y$slot;\n$y$slot += apart * ($kind)inverse;\n", t);
        write_with(&part, parts ? "r${r}_2$slot += apart * ($x - $y$slot);\n}\n" : "r${r}_1$slot += apart * ($x - $y$slot);\n}\n",
                   t);
    }
}

void mst_map_write_take(const mst_map *plan, unsigned width, const char *slot, const char *index, mst_text *t) {
    for (int r = 0; r < plan->reduce->n; r++) {
        const mst_map_reduction *reduction = &plan->reduce->reductions[r];
        const mst_map_words *words = &plan->words[plan->n_inputs + reduction->root];
        const operands o = {reduction, r, width, slot, words->value, is_complex(reduction) ? words->imaginary : index};
        if (is_spread(reduction))
            take_spread(&o, t);
        else if (reduction->kind == MST_MAP_COUNT)
            write_with(&o, "r${r}_0$slot += convert_long$n($x);\n", t);
        else
            write_plain(&o, t);
    }
}

// Means and sums of squared deviations of two parts of the data (Chan, Golub and LeVeque 1979).
static void merge_spread(const operands *o, const char *other, const char *n, const char *n_other, mst_text *t) {
    const bool parts = is_complex(o->reduction);
    const char *real = mst_type_opencl(o->reduction->type), *lanes = lanes_of(o->width);
    mst_text_put(t, "if ($other > 0) {\nconst $real share = ($real)($other) / ($real)($n + $other);\n", MST_SET(other, n_other),
                 MST_SET(real, real), MST_SET(n, n));
    mst_text_put(t, "r${r}_$p$slot += r${r}_$p$other;\n", MST_SET(r, o->number), MST_SET(p, parts ? 2 : 1),
                 MST_SET(slot, o->slot), MST_SET(other, other));
    for (int p = 0; p < (parts ? 2 : 1); p++)
        mst_text_put(t,
                     "{\nconst $real$lanes apart = r${r}_$p$other - r${r}_$p$slot;\n"
                     "r${r}_$p$slot += apart * share;\n"
                     "r${r}_$last$slot += apart * apart * (($real)($n) * share);\n}\n",
                     MST_SET(real, real), MST_SET(lanes, lanes), MST_SET(r, o->number), MST_SET(p, p), MST_SET(other, other),
                     MST_SET(slot, o->slot), MST_SET(last, parts ? 2 : 1), MST_SET(n, n));
    mst_text_add(t, "}\n");
}

void mst_map_write_merge(const mst_map_reduce *reduce, unsigned width, const char *slot, const char *other, const char *n,
                         const char *n_other, mst_text *t) {
    for (int r = 0; r < reduce->n; r++) {
        char x[40], y[40];
        snprintf(x, sizeof x, "r%d_0%s", r, other);
        snprintf(y, sizeof y, "r%d_1%s", r, other);
        const operands o = {&reduce->reductions[r], r, width, slot, x, y};
        if (is_spread(o.reduction))
            merge_spread(&o, other, n, n_other, t);
        else if (o.reduction->kind == MST_MAP_COUNT)
            write_with(&o, "r${r}_0$slot += $x;\n", t);
        else
            write_plain(&o, t);
    }
}

// ---- In memory a part takes eight bytes, whatever its type; parts lie `n_states` places apart.

static void write_bits(const char *type, const char *lanes, const char *value, mst_text *t) {
    const mst_text_value values[] = {MST_SET(n, lanes), MST_SET(value, value), {0}};
    if (strcmp(type, "float") == 0)
        mst_text_put_values(t, "convert_ulong$n(as_uint$n($value))", values);
    else if (strcmp(type, "double") == 0)
        mst_text_put_values(t, "as_ulong$n($value)", values);
    else
        mst_text_put_values(t, "convert_ulong$n($value)", values);
}

static void write_of_bits(const char *type, const char *bits, mst_text *t) {
    const bool is_float = strcmp(type, "float") == 0;
    if (is_float || strcmp(type, "double") == 0)
        mst_text_put(t, is_float ? "as_float((uint)($bits))" : "as_double($bits)", MST_SET(bits, bits));
    else
        mst_text_put(t, "($type)($bits)", MST_SET(type, type), MST_SET(bits, bits));
}

void mst_map_write_keep(const mst_map_reduce *reduce, unsigned width, const char *slot, const char *to, const char *index,
                        mst_text *t) {
    int k = 0;
    for (int r = 0; r < reduce->n; r++)
        for (int p = 0; p < mst_map_n_parts(&reduce->reductions[r]); p++, k++) {
            char value[40];
            const char *type = mst_map_part_type(&reduce->reductions[r], p);
            snprintf(value, sizeof value, "r%d_%d%s", r, p, slot);
            if (width > 1)
                mst_text_add(t, "vstore%u(", width);
            else
                mst_text_add(t, "%s[%d * n_%s + %s] = ", to, k, to, index);
            write_bits(type, lanes_of(width), value, t);
            if (width > 1)
                mst_text_add(t, ", 0, %s + %d * n_%s + %s)", to, k, to, index);
            mst_text_add(t, ";\n");
        }
}

void mst_map_write_fetch(const mst_map_reduce *reduce, const char *slot, const char *from, const char *index, mst_text *t) {
    int k = 0;
    for (int r = 0; r < reduce->n; r++)
        for (int p = 0; p < mst_map_n_parts(&reduce->reductions[r]); p++, k++) {
            char bits[80];
            snprintf(bits, sizeof bits, "%s[%d * n_%s + %s]", from, k, from, index);
            mst_text_add(t, "r%d_%d%s = ", r, p, slot);
            write_of_bits(mst_map_part_type(&reduce->reductions[r], p), bits, t);
            mst_text_add(t, ";\n");
        }
}
