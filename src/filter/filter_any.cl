// The fused filter whose sizes are arguments: what fused_*.cl do, a tile of LANES lines at a time. Rows whose pixels
// are neighbours are transposed, others go lane by lane.
typedef float4 real4;
typedef float16 real16;

// Lanes of a tile: where rows y and y + j begin, whether they are there, and what is taken off their values.
typedef struct tile {
    long upper[LANES], lower[LANES];
    bool has_upper[LANES], has_lower[LANES], all_upper, all_lower, no_lower;
    vreal level;
    uint count;
} tile;

// Images.

real pixel_at(__global const char *image, long at, int type) {
    if (type == ANY_FLOAT)
        return ((__global const float *)image)[at];
    return type == ANY_UCHAR ? (real)((__global const uchar *)image)[at] : (real)((__global const ushort *)image)[at];
}

bool find_pixels(__global const filter_sizes *s, ulong plane, uint y, bool ranged, bool mirror, long base,
                 ulong first_line, __constant const long *lines, long *at) {
    const uint height = (uint)s->height;
    if (y >= height && !mirror)
        return false;
    const ulong image = plane / (ulong)s->colours, colour = plane - image * (ulong)s->colours;
    y = y < height ? y : 2 * height - 1 - y;
    if (ranged)
        *at = (long)((plane * height + y) * (ulong)s->width);
    else
        *at = base + line_offset(lines, first_line + (image * height + y) * (ulong)s->channels + colour);
    return true;
}

// The median of three pixels of a plane, which keeps what is left as small as the differences in the image.
real level_of(__global const filter_sizes *s, __global const char *image, ulong plane, long base, ulong first_line,
              __constant const long *lines) {
    const uint height = (uint)s->height, width = (uint)s->width;
    const long stride = axis_stride(lines);
    const int type = (int)s->input;
    long first = 0, middle = 0, last = 0;
    find_pixels(s, plane, 0, false, false, base, first_line, lines, &first);
    find_pixels(s, plane, height / 2, false, false, base, first_line, lines, &middle);
    find_pixels(s, plane, height - 1, false, false, base, first_line, lines, &last);
    const real a = pixel_at(image, first, type), b = pixel_at(image, middle + (width / 2) * stride, type),
               c = pixel_at(image, last + (width - 1) * stride, type);
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

__attribute__((noinline)) void find_tile(tile *t, __global const filter_sizes *s, __global const char *image,
                                         ulong first, uint count, bool input, long base, ulong first_line,
                                         __constant const long *lines) {
    const ulong j = (ulong)s->j;
    const bool ranged = !input && s->ranged, mirror = input && s->mirror;
    ulong known = ULONG_MAX;
    real level = 0;
    t->all_upper = t->all_lower = t->no_lower = true;
    t->count = count;
    for (uint l = 0; l < LANES; l++) {
        const ulong line = first + min(l, count - 1), plane = line / j;
        const uint y = (uint)(line - plane * j);
        t->upper[l] = t->lower[l] = 0;
        t->has_upper[l] = find_pixels(s, plane, y, ranged, mirror, base, first_line, lines, &t->upper[l]);
        t->has_lower[l] = find_pixels(s, plane, y + (uint)j, ranged, mirror, base, first_line, lines, &t->lower[l]);
        t->all_upper = t->all_upper && t->has_upper[l];
        t->all_lower = t->all_lower && t->has_lower[l];
        t->no_lower = t->no_lower && !t->has_lower[l];
        if (input && s->levels && plane != known)
            level = level_of(s, image, plane, base, first_line, lines);
        known = plane;
        ((real *)&t->level)[l] = level;
    }
}

// One part of the rows of all lanes, real or imaginary, from memory.
#define LOAD_PART(type, convert)                                                                                       \
    {                                                                                                                  \
        __global const type *pixels = (__global const type *)image;                                                    \
        uint x = 0;                                                                                                    \
        for (; stride == 1 && all && x + LANES <= n; x += LANES) {                                                     \
            vreal r[LANES];                                                                                            \
            EACH_LANE(LOAD_LANE_##convert)                                                                             \
            transpose(r);                                                                                              \
            EACH_LANE(KEEP_LANE)                                                                                       \
        }                                                                                                              \
        for (uint l = 0; l < LANES; l++)                                                                               \
            for (uint k = x; k < n; k++)                                                                               \
                ((real *)&v[2 * k])[l] =                                                                               \
                    has[l] ? (real)pixels[at[l] + (long)k * stride] - ((const real *)&level)[l] : 0;                   \
    }
#define LOAD_LANE_CONVERTED(l) r[l] = convert_float8(vload8(0, pixels + at[l] + x));
#define LOAD_LANE_PLAIN(l) r[l] = vload8(0, pixels + at[l] + x);
#define KEEP_LANE(i) v[2 * (x + i)] = r[i] - level;

__attribute__((noinline)) void load_part(vreal *restrict v, __global const char *restrict image,
                                         const long *restrict at, const bool *has, bool all, vreal level, uint n,
                                         long stride, int type) {
    if (type == ANY_UCHAR)
        LOAD_PART(uchar, CONVERTED)
    else if (type == ANY_USHORT)
        LOAD_PART(ushort, CONVERTED)
    else
        LOAD_PART(float, PLAIN)
}

__attribute__((noinline)) void load_rows(vreal *restrict v, __global const filter_sizes *s,
                                         __global const char *restrict image, const tile *t, long stride) {
    const uint width = (uint)s->width, q = (uint)s->q;
    const bool mirror = s->mirror;
    load_part(v, image, t->upper, t->has_upper, t->all_upper, t->level, width, stride, (int)s->input);
    if (t->no_lower)
        for (uint x = 0; x < width; x++)
            IM(x) = 0;
    else
        load_part(v + 1, image, t->lower, t->has_lower, t->all_lower, t->level, width, stride, (int)s->input);
    for (uint x = width; x < q; x++) {
        RE(x) = mirror ? RE(2 * width - 1 - x) : 0;
        IM(x) = mirror ? IM(2 * width - 1 - x) : 0;
    }
}

#define TO_UCHAR(x) convert_uchar8_sat_rte(x)
#define TO_USHORT(x) convert_ushort8_sat_rte(x)
#define TO_FLOAT(x) (x)
#define TAKE_LANE(i) r[i] = v[2 * (x + i)];
#define CLIP_LANE(l) r[l] = clamp(r[l], (vreal)0, (vreal)white);
#define STORE_PART(type, convert)                                                                                      \
    {                                                                                                                  \
        __global type *pixels = (__global type *)image;                                                                \
        uint x = 0;                                                                                                    \
        for (; x < n; x += LANES) {                                                                                    \
            const uint there = min(n - x, LANES);                                                                      \
            vreal r[LANES];                                                                                            \
            EACH_LANE(TAKE_LANE)                                                                                       \
            if (clips) {                                                                                               \
                EACH_LANE(CLIP_LANE)                                                                                   \
            }                                                                                                          \
            transpose(r);                                                                                              \
            for (uint l = 0; l < count; l++) {                                                                         \
                if (!has[l])                                                                                           \
                    continue;                                                                                          \
                if (stride == 1 && there == LANES) {                                                                   \
                    vstore8(convert(r[l]), 0, pixels + at[l] + x);                                                     \
                    continue;                                                                                          \
                }                                                                                                      \
                type numbers[LANES];                                                                                   \
                vstore8(convert(r[l]), 0, numbers);                                                                    \
                for (uint k = 0; k < there; k++)                                                                       \
                    pixels[at[l] + (long)(x + k) * stride] = numbers[k];                                               \
            }                                                                                                          \
        }                                                                                                              \
    }

__attribute__((noinline)) void store_part(const vreal *restrict v, __global char *restrict image,
                                          const long *restrict at, const bool *has, uint count, uint n, long stride,
                                          int type, bool clips, real white) {
    if (type == ANY_UCHAR)
        STORE_PART(uchar, TO_UCHAR)
    else if (type == ANY_USHORT)
        STORE_PART(ushort, TO_USHORT)
    else
        STORE_PART(float, TO_FLOAT)
}

__attribute__((noinline)) void store_rows(const vreal *restrict v, __global const filter_sizes *s,
                                          __global char *restrict image, const tile *t, long stride, real white) {
    const uint width = (uint)s->width;
    const int type = s->ranged ? ANY_FLOAT : (int)s->output;
    store_part(v, image, t->upper, t->has_upper, t->count, width, stride, type, s->clips, white);
    if (!t->no_lower)
        store_part(v + 1, image, t->lower, t->has_lower, t->count, width, stride, type, s->clips, white);
}

// Half planes: elements e and q - e of a row lie side by side, two such pairs are a vector.

#define OPPOSITE(e) ((e) > 0 ? q - (e) : 0)
#define TAKE_PAIR(i, e)                                                                                                \
    r[4 * i] = v[2 * places[e]], r[4 * i + 1] = v[2 * places[e] + 1], r[4 * i + 2] = v[2 * places[OPPOSITE(e)]],       \
          r[4 * i + 3] = v[2 * places[OPPOSITE(e)] + 1];

__attribute__((noinline)) void store_spectra(const vreal *restrict v, __global const filter_sizes *s,
                                             __global real *restrict half_planes, __global const uint *restrict places,
                                             ulong first, uint count) {
    const uint q = (uint)s->q, columns = (uint)s->columns;
    const size_t pitch = 2 * (size_t)s->pitch;
    half_planes += first * pitch;
    for (uint e = 0; e < columns; e += 2) {
        const uint next = min(e + 1, columns - 1);
        vreal r[LANES];
        TAKE_PAIR(0, e)
        TAKE_PAIR(1, next)
        transpose(r);
        for (uint l = 0; l < count; l++)
            if (e + 1 < columns)
                vstore8(r[l], 0, half_planes + l * pitch + 4 * e);
            else
                vstore4(r[l].lo, 0, half_planes + l * pitch + 4 * e);
    }
}

// The opposite first: there is none of element 0, and the middle is its own.
#define PUT_PAIR(i, e)                                                                                                 \
    v[2 * places[OPPOSITE(e)]] = r[4 * i + 2], v[2 * places[OPPOSITE(e)] + 1] = r[4 * i + 3];                          \
    v[2 * places[e]] = r[4 * i], v[2 * places[e] + 1] = r[4 * i + 1];

__attribute__((noinline)) void load_spectra(vreal *restrict v, __global const filter_sizes *s,
                                            __global const real *restrict half_planes,
                                            __global const uint *restrict places, ulong first, uint count) {
    const uint q = (uint)s->q, columns = (uint)s->columns;
    const size_t pitch = 2 * (size_t)s->pitch;
    half_planes += first * pitch;
    for (uint e = 0; e < columns; e += 2) {
        vreal r[LANES];
        for (uint l = 0; l < LANES; l++) {
            __global const real *from = half_planes + min(l, count - 1) * pitch + 4 * e;
            r[l] = e + 1 < columns ? vload8(0, from) : (vreal)(vload4(0, from), 0, 0, 0, 0);
        }
        transpose(r);
        if (e + 1 < columns) {
            PUT_PAIR(1, e + 1)
        }
        PUT_PAIR(0, e)
    }
}

// Columns: l and q - l lie side by side and hold the spectra of two real rows as one complex row.

// Columns l to l + LANES - 1 of one plane and their opposites, none of which is its own.
bool is_whole(__global const filter_sizes *s, ulong first, uint count) {
    const uint l = (uint)(first % (ulong)s->columns);
    return count == LANES && l > 0 && 2 * (l + LANES - 1) < (uint)s->q;
}

// Element 0 of a column and its opposite.
__global real *column_at(__global const filter_sizes *s, __global real *half_planes, ulong line) {
    const ulong columns = (ulong)s->columns, plane = line / columns;
    return half_planes + 2 * plane * (ulong)(s->j * s->pitch) + 4 * (line - plane * columns);
}

__attribute__((noinline)) void load_columns(vreal *restrict v, __global const filter_sizes *s,
                                            __global real *restrict half_planes, ulong first, uint count) {
    const uint j = (uint)s->j, q = (uint)s->q;
    const size_t pitch = 2 * (size_t)s->pitch;
    if (is_whole(s, first, count)) {
        __global const real *columns = column_at(s, half_planes, first);
        for (uint e = 0; e < j; e++, columns += pitch) {
            const real16 low = vload16(0, columns), high = vload16(1, columns);
            const vreal ax = (vreal)(low.s048c, high.s048c), ay = (vreal)(low.s159d, high.s159d);
            const vreal bx = (vreal)(low.s26ae, high.s26ae), by = (vreal)(low.s37bf, high.s37bf);
            RE(e) = ax + bx;
            IM(e) = ay - by;
            RE(e + j) = ay + by;
            IM(e + j) = bx - ax;
        }
        return;
    }
    for (uint lane = 0; lane < LANES; lane++) {
        const ulong line = first + min(lane, count - 1);
        const bool alone = 2 * (line % (ulong)s->columns) % q == 0;
        __global const real *column = column_at(s, half_planes, line);
        for (uint e = 0; e < j; e++, column += pitch) {
            const real2 a = vload2(0, column), b = alone ? a : vload2(1, column);
            ((real *)&RE(e))[lane] = a.x + b.x;
            ((real *)&IM(e))[lane] = a.y - b.y;
            ((real *)&RE(e + j))[lane] = a.y + b.y;
            ((real *)&IM(e + j))[lane] = b.x - a.x;
        }
    }
}

__attribute__((noinline)) void store_columns(const vreal *restrict v, __global const filter_sizes *s,
                                             __global real *restrict half_planes, ulong first, uint count) {
    const uint j = (uint)s->j;
    const size_t pitch = 2 * (size_t)s->pitch;
    if (is_whole(s, first, count)) {
        __global real *columns = column_at(s, half_planes, first);
        for (uint e = 0; e < j; e++, columns += pitch) {
            real16 low, high;
            const vreal ax = RE(e) - IM(e + j), ay = IM(e) + RE(e + j);
            const vreal bx = RE(e) + IM(e + j), by = RE(e + j) - IM(e);
            low.s048c = ax.lo;
            low.s159d = ay.lo;
            low.s26ae = bx.lo;
            low.s37bf = by.lo;
            high.s048c = ax.hi;
            high.s159d = ay.hi;
            high.s26ae = bx.hi;
            high.s37bf = by.hi;
            vstore16(low, 0, columns);
            vstore16(high, 1, columns);
        }
        return;
    }
    for (uint lane = 0; lane < count; lane++) {
        __global real *column = column_at(s, half_planes, first + lane);
        for (uint e = 0; e < j; e++, column += pitch) {
            const real2 a = (real2)(((const real *)&RE(e))[lane], ((const real *)&IM(e))[lane]);
            const real2 b = (real2)(((const real *)&RE(e + j))[lane], ((const real *)&IM(e + j))[lane]);
            vstore4((real4)(a.x - b.y, a.y + b.x, a.x + b.y, b.x - a.y), 0, column);
        }
    }
}

// The mask (mask.c).

// How much of a frequency a disc holds, from its two tables.
INLINE vreal disc(vreal column, real row, int rolloff, int order) {
    if (rolloff == ANY_IDEAL)
        return select((vreal)0, (vreal)1, column < (vreal)row);
    if (rolloff == ANY_GAUSSIAN)
        return column * row;
    vreal power = 1, base = column + row;
    for (int o = order; o > 0; o >>= 1, base *= base)
        power = o & 1 ? power * base : power;
    return 1 / (1 + power);
}

__attribute__((noinline)) void multiply_by_own(vreal *restrict v, __global const filter_sizes *s,
                                               __global const uint *restrict places, __global const real *restrict mask,
                                               const uint *restrict l_of, bool neighbours, real scale) {
    const uint p = (uint)s->along[1].n;
    const ulong columns = (ulong)s->columns;
    for (uint e = 0; e < p; e++, mask += columns) {
        vreal factor;
        if (neighbours)
            factor = vload8(0, mask + l_of[0]);
        else
            for (uint l = 0; l < LANES; l++)
                ((real *)&factor)[l] = mask[l_of[l]];
        factor *= scale;
        RE(places[e]) *= factor;
        IM(places[e]) *= factor;
    }
}

__attribute__((noinline)) void multiply_by_discs(vreal *restrict v, __global const filter_sizes *s,
                                                 __global const uint *restrict places,
                                                 __global const real *restrict mask, const uint *restrict l_of,
                                                 real scale) {
    const uint p = (uint)s->along[1].n, n_discs = (uint)s->n_discs;
    const size_t size = (size_t)s->disc_size;
    const int kind = (int)s->kind, rolloff = (int)s->rolloff, order = (int)s->order;
    vreal columns[FILTER_DISCS];
    for (uint i = 0; i < n_discs; i++)
        for (uint l = 0; l < LANES; l++)
            ((real *)&columns[i])[l] = mask[i * size + l_of[l]];
    __global const real *rows = mask + s->columns;
    for (uint e = 0; e < p; e++) {
        vreal factor = disc(columns[0], rows[e], rolloff, order);
        if (kind != ANY_LOW)
            factor = 1 - factor;
        if (kind == ANY_BAND || kind == ANY_BAND_STOP)
            factor = disc(columns[1], rows[size + e], rolloff, order) * factor;
        if (kind == ANY_BAND_STOP)
            factor = 1 - factor;
        for (uint i = 1; kind == ANY_NOTCH && i < n_discs; i++)
            factor *= 1 - disc(columns[i], rows[i * size + e], rolloff, order);
        factor *= scale;
        RE(places[e]) *= factor;
        IM(places[e]) *= factor;
    }
}

void multiply(vreal *v, __global const filter_sizes *s, __global const uint *places, __global const real *mask,
              ulong first, uint count, real scale) {
    uint l_of[LANES];
    for (uint l = 0; l < LANES; l++)
        l_of[l] = (uint)((first + min(l, count - 1)) % (ulong)s->columns);
    if (s->kind == ANY_OWN)
        multiply_by_own(v, s, places, mask, l_of, l_of[LANES - 1] == l_of[0] + LANES - 1, scale);
    else
        multiply_by_discs(v, s, places, mask, l_of, scale);
}

// The kernel.

// One of the three passes.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_any(__global const filter_sizes *s, int pass, __global const real *step_twiddles, __global const real *odd,
           __global const uint *places, __global char *image, long base, ulong first_line, __constant const long *lines,
           __global real *half_planes, __global const real *mask, real scale, real white, ulong n_lines, uint tiles) {
    vreal v[2 * ANY_LENGTH];
    tile t;
    __global const any_steps *along = s->along + (pass == ANY_COLUMNS);
    const any_tables with = {step_twiddles, odd, places + along->places};
    const long stride = pass == ANY_BACK && s->ranged ? 1 : axis_stride(lines);
    for (uint k = 0; k < tiles; k++) {
        const ulong first = (get_global_id(0) * tiles + k) * LANES;
        if (first >= n_lines)
            return;
        const uint count = (uint)min((ulong)LANES, n_lines - first);
        if (pass != ANY_COLUMNS)
            find_tile(&t, s, image, first, count, pass == ANY_ROWS, base, first_line, lines);
        if (pass == ANY_ROWS)
            load_rows(v, s, image, &t, stride);
        else if (pass == ANY_COLUMNS)
            load_columns(v, s, half_planes, first, count);
        else
            load_spectra(v, s, half_planes, with.places, first, count);
        if (pass != ANY_BACK)
            forward(v, along, &with);
        if (pass == ANY_COLUMNS)
            multiply(v, s, with.places, mask, first, count, scale);
        if (pass != ANY_ROWS)
            backward(v, along, &with);
        if (pass == ANY_ROWS)
            store_spectra(v, s, half_planes, with.places, first, count);
        else if (pass == ANY_COLUMNS)
            store_columns(v, s, half_planes, first, count);
        else
            store_rows(v, s, image, &t, stride, white);
    }
}
