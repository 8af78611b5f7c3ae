// CPU-shaped passes: how a tile of lines is loaded and stored. Where the lines lie side by side, by vectors of one element of
// each; where a line's elements do, by rows that are transposed in registers; else value by value.
#include "write_parts.h"

#include <stdio.h>

// Whether the lines of a tile that does not cross the end of the last dimension lie one element apart.
static bool lanes_adjacent(const mst_pass *pass, const mst_view *v) {
    int last = v->n_dims - 1;
    if (last < 0)
        return false;
    bool whole = last == 0 || v->counts[last] % pass->lanes == 0;
    return whole && v->outer[last] + (int64_t)v->position[last] * v->axis_stride == 1;
}

// Complex numbers in a row that is transposed as one vector.
static unsigned row_length(const mst_pass *pass) { return pass->lanes / 2; }

// How whole tiles are moved.
typedef enum way { BY_VALUES, BY_LANES, BY_ROWS, N_WAYS } way;

static way way_of(const mst_pass *pass, const mst_pass_op *op, const mst_view *v) {
    if (op->element != MST_ELEMENT_COMPLEX || op->length || op->multiply)
        return BY_VALUES;
    if (lanes_adjacent(pass, v))
        return BY_LANES;
    return (int64_t)v->step * v->axis_stride == 1 && pass->n >= row_length(pass) ? BY_ROWS : BY_VALUES;
}

// Where a tile has what the real and the imaginary parts in memory are.
static const char *real_part(const mst_pass_op *op) { return op->swap ? "IM" : "RE"; }
static const char *imaginary_part(const mst_pass_op *op) { return op->swap ? "RE" : "IM"; }

static const char *real_name(const mst_pass *pass) { return pass->is_double ? "double" : "float"; }

// a.s0, b.s0, a.s1, b.s1 and so on, of so many elements from one on; of pairs of them where an element takes two.
static void write_alternating(const char *first, const char *second, unsigned from, unsigned count, bool pairs, mst_text *out) {
    for (unsigned k = from; k < from + count; k++) {
        char element[24];
        snprintf(element, sizeof element, pairs ? "s%x%x" : "s%x", pairs ? 2 * k : k, 2 * k + 1);
        mst_text_put(out, "$comma$first.$element, $second.$element", MST_SET(comma, k > from ? ", " : ""), MST_SET(first, first),
                     MST_SET(second, second), MST_SET(element, element));
    }
}

// A row is a vector of complex numbers, each in 64 bits or, of doubles, in two elements.
static void write_row_type(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    mst_text_put(out, "typedef $type$count row; // $b complex numbers\n", MST_SET(type, pass->is_double ? "double" : "ulong"),
                 MST_SET(count, pass->is_double ? 2 * b : b), MST_SET(b, b));
    for (unsigned half = 0; half < 2; half++) {
        mst_text_put(out, "row interleave_$half(row a, row b) { return (row)(", MST_SET(half, half ? "high" : "low"));
        write_alternating("a", "b", half * b / 2, b / 2, pass->is_double, out);
        mst_text_add(out, "); }\n");
    }
}

// The transposition of rows r0_0 .. r0_(b-1) by rounds of interleaving rows i and i + b/2, written out: compilers keep vectors in
// registers only where no loop is left. Returns the number of the last round: the rows are r<round>_<i> then.
static unsigned write_transposition(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass), rounds = b == 4 ? 2 : 1;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < b / 2; i++)
            mst_text_put(out,
                         "const row r${next}_$even = interleave_low(r${round}_$upper, r${round}_$lower), "
                         "r${next}_$odd = interleave_high(r${round}_$upper, r${round}_$lower);\n",
                         MST_SET(next, round + 1), MST_SET(round, round), MST_SET(even, 2 * i), MST_SET(odd, 2 * i + 1),
                         MST_SET(upper, i), MST_SET(lower, i + b / 2));
    return rounds;
}

// Rows in and out of memory.
void mst_pass_cpu_write_rows(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    const mst_text_value values[] = {MST_SET(real, real_name(pass)),
                                     MST_SET(b, b),
                                     MST_SET(reals, 2 * b),
                                     MST_SET(row, pass->is_double ? "double" : "ulong"),
                                     MST_SET(count, pass->is_double ? 2 * b : b),
                                     {0}};
    write_row_type(pass, out);
    mst_text_put_values(out,
                        "row load_row(__global const real2 *from) { "
                        "return as_$row$count(vload$reals(0, (__global const real *)from)); }\n"
                        "void store_row(row r, __global real2 *to) { vstore$reals(as_$real$reals(r), 0, (__global real *)to); }\n"
                        "row join($real$b x, $real$b y) {\n"
                        "const $real$reals v = ($real$reals)(",
                        values);
    write_alternating("x", "y", 0, b, false, out);
    mst_text_put_values(out, ");\nreturn as_$row$count(v);\n}\n\n", values);
}

static void write_values_load(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "// Load, value by value.\n"
                 "for (uint l = 0; l < LANES; l++) {\n"
                 "const ulong line = source_first + first + min(l, count - 1);\n"
                 "const long outer = source_base + source_outer(line);\n"
                 "const uint position = source_position(line);\n"
                 "for (uint e = 0; e < ${n}u; e++) {\n"
                 "const real2 value = load_value(source, outer, position + e$step$arguments);\n"
                 "((real *)&RE(e))[l] = value.x;\n"
                 "((real *)&IM(e))[l] = value.y;\n"
                 "}\n"
                 "}\n",
                 MST_SET(n, pass->n), MST_SET(step, mst_pass_times(pass->source.step).text),
                 MST_SET(arguments, mst_load_arguments(pass)));
}

// A pointer to where a line begins: "from", to lines that are read, or "to", and a number.
static void write_line(const mst_view *v, bool reads, const char *number, const char *line, mst_text *out) {
    mst_text_put(out,
                 "__global ${const}real2 *$pointer$number = $side + (${side}_base + ${side}_outer($line) + "
                 "(long)${side}_position($line)$stride);\n",
                 MST_SET(const, reads ? "const " : ""), MST_SET(pointer, reads ? "from" : "to"), MST_SET(number, number),
                 MST_SET(side, reads ? "source" : "target"), MST_SET(line, line), MST_SET(stride, mst_view_stride(v).text));
}

// The same for lines h b .. h b + b - 1 of a tile.
static void write_lines(const mst_view *v, bool reads, unsigned h, unsigned b, mst_text *out) {
    for (unsigned l = 0; l < b; l++) {
        char number[12], line[20];
        snprintf(number, sizeof number, "%u", l);
        snprintf(line, sizeof line, "line%u", l);
        mst_text_put(out, "const ulong $line = ${side}_first + first + ${l}u;\n", MST_SET(line, line),
                     MST_SET(side, reads ? "source" : "target"), MST_SET(l, h * b + l));
        write_line(v, reads, number, line, out);
    }
}

static void write_lanes_load(const mst_pass *pass, mst_text *out) {
    const mst_view *v = &pass->source;
    mst_text_add(out, "// Load: the lines lie side by side.\n");
    write_line(v, true, "", "source_first + first", out);
    mst_text_put(out,
                 "for (uint e = 0; e < ${n}u; e++) {\n"
                 "const $real$reals pairs = vload$reals(0, (__global const real *)(from + (long)e * $stride));\n"
                 "$re(e) = pairs.even;\n"
                 "$im(e) = pairs.odd;\n"
                 "}\n",
                 MST_SET(n, pass->n), MST_SET(real, real_name(pass)), MST_SET(reals, 2 * pass->lanes),
                 MST_SET(stride, (long long)v->step * (long long)v->axis_stride), MST_SET(re, real_part(&pass->load)),
                 MST_SET(im, imaginary_part(&pass->load)));
}

// Lanes h b .. h b + b - 1 of a tile.
static void write_rows_load_of(const mst_pass *pass, unsigned h, mst_text *out) {
    unsigned b = row_length(pass), last = 0;
    mst_text_put(out, "for (uint e = 0; e < ${whole}u; e += ${b}u) {\n", MST_SET(whole, pass->n / b * b), MST_SET(b, b));
    for (unsigned l = 0; l < b; l++)
        mst_text_put(out, "const row r0_$l = load_row(from$l + e);\n", MST_SET(l, l));
    last = write_transposition(pass, out);
    for (unsigned i = 0; i < b; i++)
        mst_text_put(out,
                     "vstore$b(as_$real$reals(r${last}_$i).even, $h, (real *)&$re(e + $i));\n"
                     "vstore$b(as_$real$reals(r${last}_$i).odd, $h, (real *)&$im(e + $i));\n",
                     MST_SET(b, b), MST_SET(real, real_name(pass)), MST_SET(reals, 2 * b), MST_SET(last, last), MST_SET(i, i),
                     MST_SET(h, h), MST_SET(re, real_part(&pass->load)), MST_SET(im, imaginary_part(&pass->load)));
    mst_text_add(out, "}\n");
    for (unsigned l = 0; l < b && pass->n % b; l++)
        mst_text_put(out,
                     "for (uint e = ${whole}u; e < ${n}u; e++) {\n"
                     "((real *)&$re(e))[$lane] = from$l[e].x;\n"
                     "((real *)&$im(e))[$lane] = from$l[e].y;\n"
                     "}\n",
                     MST_SET(whole, pass->n / b * b), MST_SET(n, pass->n), MST_SET(lane, h * b + l), MST_SET(l, l),
                     MST_SET(re, real_part(&pass->load)), MST_SET(im, imaginary_part(&pass->load)));
}

static void write_rows_load(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    mst_text_put(out, "// Load: each line's elements lie side by side and are transposed, $b by $b.\n", MST_SET(b, b));
    for (unsigned h = 0; h < pass->lanes / b; h++) {
        mst_text_add(out, "{\n");
        write_lines(&pass->source, true, h, b, out);
        write_rows_load_of(pass, h, out);
        mst_text_add(out, "}\n");
    }
}

static void write_values_store(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "// Store, value by value.\n"
                      "for (uint l = 0; l < count; l++) {\n"
                      "const ulong line = target_first + first + l;\n"
                      "const long outer = target_base + target_outer(line);\n"
                      "const uint position = target_position(line);\n");
    if (pass->twiddle_n)
        mst_text_add(out, "const uint c = source_column(source_first + first + l), lane = c %% LANES;\n");
    mst_text_put(out,
                 "for (uint k = 0; k < ${n}u; k++) {\n"
                 "const uint p = place(k);\n"
                 "real2 value = (real2)(((real *)&RE(p))[l], ((real *)&IM(p))[l]);\n",
                 MST_SET(n, pass->n));
    if (pass->twiddle_n)
        mst_text_add(out, "const real2 wc = twiddle(low_twiddles, high_twiddles, (c - lane) * k);\n"
                          "const real lr = lane_twiddles[2 * k * LANES + lane], li = lane_twiddles[(2 * k + 1) * LANES + lane];\n"
                          "const real wr = fma(wc.x, lr, -(wc.y * li)), wi = fma(wc.x, li, wc.y * lr);\n"
                          "value = (real2)(fma(value.x, wr, -(value.y * wi)), fma(value.x, wi, value.y * wr));\n");
    mst_text_put(out, "store_value(target, outer, position + k$step$arguments, value);\n}\n}\n",
                 MST_SET(step, mst_pass_times(pass->target.step).text), MST_SET(arguments, mst_store_arguments(pass)));
}

// Between passes: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of lanes, c a
// multiple of the lanes. The rounding is spelled out: the same for a whole tile as for single values (write_values_store).
static void write_lane_twiddles(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "const real2 wc = twiddle(low_twiddles, high_twiddles, c * k);\n"
                 "const vreal lr = vload$lanes(2 * k, lane_twiddles), li = vload$lanes(2 * k + 1, lane_twiddles);\n"
                 "const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr), xr = x;\n"
                 "x = fma(x, wr, -(y * wi));\n"
                 "y = fma(xr, wi, y * wr);\n",
                 MST_SET(lanes, pass->lanes));
}

static void write_lanes_store(const mst_pass *pass, mst_text *out) {
    const mst_view *v = &pass->target;
    mst_text_add(out, "// Store: the lines lie side by side.\n");
    write_line(v, false, "", "target_first + first", out);
    if (pass->twiddle_n)
        mst_text_add(out, "const uint c = source_column(source_first + first);\n");
    mst_text_put(out,
                 "for (uint k = 0; k < ${n}u; k++) {\n"
                 "const uint p = place(k);\n"
                 "vreal x = $re(p)$scale, y = $im(p)$scale;\n",
                 MST_SET(n, pass->n), MST_SET(re, real_part(&pass->store)), MST_SET(im, imaginary_part(&pass->store)),
                 MST_SET(scale, pass->scale ? " * scale" : ""));
    if (pass->twiddle_n)
        write_lane_twiddles(pass, out);
    mst_text_put(out, "vstore$reals(($real$reals)(", MST_SET(reals, 2 * pass->lanes), MST_SET(real, real_name(pass)));
    write_alternating("x", "y", 0, pass->lanes, false, out);
    mst_text_put(out, "), 0, (__global real *)(to + (long)k * $stride));\n}\n",
                 MST_SET(stride, (long long)v->step * (long long)v->axis_stride));
}

// Where results k + 1 .. k + b - 1 of a row lie: beside result k where they are the first digit's neighbours.
static void write_row_places(const mst_pass *pass, unsigned b, mst_text *out) {
    bool near = pass->radices[0] % b == 0;
    mst_text_add(out, "const uint p0 = place(k);\n");
    for (unsigned i = 1; i < b; i++)
        mst_text_put(out, near ? "const uint p$i = p0 + ${away}u;\n" : "const uint p$i = place(k + $i);\n", MST_SET(i, i),
                     MST_SET(away, i * (pass->n / pass->radices[0])));
}

// Lanes h b .. h b + b - 1 of a tile.
static void write_rows_store_of(const mst_pass *pass, unsigned h, mst_text *out) {
    const char *x = real_part(&pass->store), *y = imaginary_part(&pass->store), *scale = pass->scale ? " * scale" : "";
    unsigned b = row_length(pass);
    mst_text_put(out, "for (uint k = 0; k < ${whole}u; k += ${b}u) {\n", MST_SET(whole, pass->n / b * b), MST_SET(b, b));
    write_row_places(pass, b, out);
    for (unsigned i = 0; i < b; i++)
        mst_text_put(out, "const row r0_$i = join(vload$b($h, (real *)&$re(p$i))$scale, vload$b($h, (real *)&$im(p$i))$scale);\n",
                     MST_SET(i, i), MST_SET(b, b), MST_SET(h, h), MST_SET(re, x), MST_SET(im, y), MST_SET(scale, scale));
    unsigned last = write_transposition(pass, out);
    for (unsigned l = 0; l < b; l++)
        mst_text_put(out, "store_row(r${last}_$l, to$l + k);\n", MST_SET(last, last), MST_SET(l, l));
    mst_text_add(out, "}\n");
    for (unsigned l = 0; l < b && pass->n % b; l++)
        mst_text_put(out,
                     "for (uint k = ${whole}u; k < ${n}u; k++)\n"
                     "to$l[k] = (real2)(((real *)&$re(place(k)))[$lane]$scale, ((real *)&$im(place(k)))[$lane]$scale);\n",
                     MST_SET(whole, pass->n / b * b), MST_SET(n, pass->n), MST_SET(l, l), MST_SET(lane, h * b + l),
                     MST_SET(re, x), MST_SET(im, y), MST_SET(scale, scale));
}

static void write_rows_store(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    mst_text_put(out, "// Store: transposed back, $b by $b.\n", MST_SET(b, b));
    for (unsigned h = 0; h < pass->lanes / b; h++) {
        mst_text_add(out, "{\n");
        write_lines(&pass->target, false, h, b, out);
        write_rows_store_of(pass, h, out);
        mst_text_add(out, "}\n");
    }
}

// Whether a tile is worked on as a whole: it is full, and where its lines have to lie side by side it does not cross the end of
// the last dimension.
static void write_whole(const mst_view *v, bool adjacent, const char *side, mst_text *out) {
    mst_text_add(out, "count == LANES");
    if (adjacent && v->n_dims > 1)
        mst_text_put(out, " && (${side}_first + first) % ${count}ul + LANES <= ${count}ul", MST_SET(side, side),
                     MST_SET(count, v->counts[v->n_dims - 1]));
}

// One side of a pass: what it is called in the kernel, and what writes it.
typedef struct tile_side {
    const mst_view *view;
    const char *name;
    void (*write[N_WAYS])(const mst_pass *pass, mst_text *out);
} tile_side;

// Tiles that are not whole go value by value.
static void write_side(const mst_pass *pass, const tile_side *s, way by, bool columns, mst_text *out) {
    if (by == BY_VALUES) {
        s->write[BY_VALUES](pass, out);
        return;
    }
    mst_text_add(out, "if (");
    write_whole(s->view, by == BY_LANES, s->name, out);
    if (columns) {
        mst_text_add(out, " && ");
        write_whole(&pass->source, true, "source", out);
        mst_text_add(out, " && source_column(source_first + first) %% LANES == 0");
    }
    mst_text_add(out, ") {\n");
    s->write[by](pass, out);
    mst_text_add(out, "} else {\n");
    s->write[BY_VALUES](pass, out);
    mst_text_add(out, "}\n");
}

void mst_pass_cpu_write_load(const mst_pass *pass, mst_text *out) {
    const tile_side s = {&pass->source, "source", {write_values_load, write_lanes_load, write_rows_load}};
    write_side(pass, &s, way_of(pass, &pass->load, s.view), false, out);
}

void mst_pass_cpu_write_store(const mst_pass *pass, mst_text *out) {
    const tile_side s = {&pass->target, "target", {write_values_store, write_lanes_store, write_rows_store}};
    way by = way_of(pass, &pass->store, s.view);
    bool columns = pass->twiddle_n != 0; // lanes have neighbouring ones
    if (columns && (by != BY_LANES || pass->store.swap || pass->twiddle_dim != pass->source.n_dims - 1 ||
                    !lanes_adjacent(pass, &pass->source)))
        by = BY_VALUES;
    write_side(pass, &s, by, columns, out);
}
