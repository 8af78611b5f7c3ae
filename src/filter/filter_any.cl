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

// Where numbers come in the order of a cosine transform: 0, 2, .., 3, 1.
uint row_of(__global const filter_sizes *s, uint place) {
    const uint p = (uint)s->along[1].n;
    if (!s->cosine || place >= p)
        return place;
    return 2 * place < p ? 2 * place : 2 * (p - place) - 1;
}

// n: of the transform; 0: numbers stay in their order. A place of the tile for x from n on, too.
INLINE uint place_of(uint n, uint x) { return n == 0 ? x : x % 2 ? abs_diff(n, (x + 1) / 2) : x / 2; }

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
        const uint y = row_of(s, (uint)(line - plane * j)), below = row_of(s, (uint)(line - plane * j + j));
        t->upper[l] = t->lower[l] = 0;
        t->has_upper[l] = find_pixels(s, plane, y, ranged, mirror, base, first_line, lines, &t->upper[l]);
        t->has_lower[l] = find_pixels(s, plane, below, ranged, mirror, base, first_line, lines, &t->lower[l]);
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
            transpose_from_lines(r);                                                                                   \
            EACH_LANE(KEEP_LANE)                                                                                       \
        }                                                                                                              \
        for (uint l = 0; l < LANES; l++)                                                                               \
            for (uint k = x; k < n; k++)                                                                               \
                ((real *)&v[2 * place_of(spread, k)])[l] =                                                             \
                    has[l] ? (real)pixels[at[l] + (long)k * stride] - ((const real *)&level)[l] : 0;                   \
    }
#define LOAD_LANE_CONVERTED(l) r[l] = convert_float8(vload8(0, pixels + at[l] + x));
#define LOAD_LANE_PLAIN(l) r[l] = vload8(0, pixels + at[l] + x);
#define KEEP_LANE(i) v[2 * place_of(spread, x + i)] = r[i] - level;

__attribute__((noinline)) void load_part(vreal *restrict v, __global const char *restrict image,
                                         const long *restrict at, const bool *has, bool all, vreal level, uint n,
                                         long stride, uint spread, int type) {
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
    const uint spread = s->cosine ? q : 0;
    const bool mirror = s->mirror;
    load_part(v, image, t->upper, t->has_upper, t->all_upper, t->level, width, stride, spread, (int)s->input);
    if (t->no_lower)
        for (uint x = 0; x < width; x++)
            IM(place_of(spread, x)) = 0;
    else
        load_part(v + 1, image, t->lower, t->has_lower, t->all_lower, t->level, width, stride, spread, (int)s->input);
    for (uint x = width; x < q; x++) {
        const uint to = place_of(spread, x), from = place_of(spread, 2 * width - 1 - x);
        RE(to) = mirror ? RE(from) : 0;
        IM(to) = mirror ? IM(from) : 0;
    }
}

#define TO_UCHAR(x) convert_uchar8_sat_rte(x)
#define TO_USHORT(x) convert_ushort8_sat_rte(x)
#define TO_FLOAT(x) (x)
#define TAKE_LANE(i) r[i] = v[2 * place_of(spread, x + i)];
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
            transpose_to_lines(r);                                                                                     \
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
                                          uint spread, int type, bool clips, real white) {
    if (type == ANY_UCHAR)
        STORE_PART(uchar, TO_UCHAR)
    else if (type == ANY_USHORT)
        STORE_PART(ushort, TO_USHORT)
    else
        STORE_PART(float, TO_FLOAT)
}

__attribute__((noinline)) void store_rows(const vreal *restrict v, __global const filter_sizes *s,
                                          __global char *restrict image, const tile *t, long stride, real white) {
    const uint width = (uint)s->width, spread = s->cosine ? (uint)s->q : 0;
    const int type = s->ranged ? ANY_FLOAT : (int)s->output;
    store_part(v, image, t->upper, t->has_upper, t->count, width, stride, spread, type, s->clips, white);
    if (!t->no_lower)
        store_part(v + 1, image, t->lower, t->has_lower, t->count, width, stride, spread, type, s->clips, white);
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
        transpose_to_lines(r);
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
        transpose_from_lines(r);
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

// How much of a frequency the mask's discs hold together: `columns` has their values along the width, `rows` begins
// with the first one's along the height.
INLINE vreal kept_by_discs(__global const filter_sizes *s, const vreal *columns, __global const real *rows) {
    const size_t size = (size_t)s->disc_size;
    const int kind = (int)s->kind, rolloff = (int)s->rolloff, order = (int)s->order;
    vreal factor = disc(columns[0], rows[0], rolloff, order);
    if (kind != ANY_LOW)
        factor = 1 - factor;
    if (kind == ANY_BAND || kind == ANY_BAND_STOP)
        factor = disc(columns[1], rows[size], rolloff, order) * factor;
    if (kind == ANY_BAND_STOP)
        factor = 1 - factor;
    for (uint i = 1; kind == ANY_NOTCH && i < (uint)s->n_discs; i++)
        factor *= 1 - disc(columns[i], rows[i * size], rolloff, order);
    return factor;
}

// A mask at frequencies l_of of the lanes along the width.
typedef struct lane_mask {
    vreal columns[FILTER_DISCS];
    uint l_of[LANES];
    bool neighbours;
} lane_mask;

void find_mask(lane_mask *m, __global const filter_sizes *s, __global const real *mask, ulong first, uint count,
               bool opposite) {
    for (uint l = 0; l < LANES; l++) {
        const uint at = (uint)((first + min(l, count - 1)) % (ulong)s->columns);
        m->l_of[l] = opposite ? (uint)s->q - at : at;
    }
    m->neighbours = m->l_of[LANES - 1] == m->l_of[0] + LANES - 1;
    for (uint i = 0; s->kind != ANY_OWN && i < (uint)s->n_discs; i++)
        for (uint l = 0; l < LANES; l++)
            ((real *)&m->columns[i])[l] = mask[i * (size_t)s->disc_size + m->l_of[l]];
}

// At the frequency k along the height.
INLINE vreal mask_at(const lane_mask *m, __global const filter_sizes *s, __global const real *mask, uint k) {
    if (s->kind != ANY_OWN)
        return kept_by_discs(s, m->columns, mask + s->mask_columns + k);
    mask += (ulong)k * (ulong)s->mask_columns;
    if (m->neighbours)
        return vload8(0, mask + m->l_of[0]);
    vreal factor;
    for (uint l = 0; l < LANES; l++)
        ((real *)&factor)[l] = mask[m->l_of[l]];
    return factor;
}

__attribute__((noinline)) void multiply(vreal *restrict v, __global const filter_sizes *s,
                                        __global const uint *restrict places, __global const real *restrict mask,
                                        ulong first, uint count, real scale) {
    lane_mask m;
    find_mask(&m, s, mask, first, count, false);
    for (uint e = 0; e < (uint)s->along[1].n; e++) {
        const vreal factor = mask_at(&m, s, mask, e) * scale;
        RE(places[e]) *= factor;
        IM(places[e]) *= factor;
    }
}

// Turns (re, im) by the angle whose cosine and sine these are.
#define TURN(re, im, c, s)                                                                                             \
    {                                                                                                                  \
        const vreal turned = (c)*re - (s)*im;                                                                          \
        im = (c)*im + (s)*re;                                                                                          \
        re = turned;                                                                                                   \
    }

// Numbers k and p - k of a column's cosine transform are the parts of a number of the spectrum, turned.
#define MULTIPLY_PARTS(re, im, m)                                                                                      \
    {                                                                                                                  \
        TURN(re, im, r.x, -r.y)                                                                                        \
        re *= mask_at(&m, s, mask, k);                                                                                 \
        im *= mask_at(&m, s, mask, p - k);                                                                             \
        TURN(re, im, r.x, r.y)                                                                                         \
    }

// Real and imaginary parts of a column, turned, are columns l and q - l of the rows' cosine transforms (fused.h).
__attribute__((noinline)) void multiply_cosines(vreal *restrict v, __global const filter_sizes *s,
                                                __global const uint *restrict places,
                                                __global const real *restrict mask,
                                                __global const real2 *restrict rotations, ulong first, uint count,
                                                real scale) {
    const uint p = (uint)s->along[1].n;
    lane_mask near, far;
    vreal c, d;
    find_mask(&near, s, mask, first, count, false);
    find_mask(&far, s, mask, first, count, true);
    for (uint l = 0; l < LANES; l++) {
        const real2 r = rotations[p / 2 + 1 + near.l_of[l]];
        ((real *)&c)[l] = r.x;
        ((real *)&d)[l] = r.y;
    }
    for (uint k = 0; k <= p / 2; k++) {
        const uint a = places[k], b = places[k > 0 ? p - k : 0];
        const real2 r = rotations[k];
        vreal ax = RE(a), ay = IM(a), bx = RE(b), by = IM(b);
        TURN(ax, ay, c, -d)
        TURN(bx, by, c, -d)
        vreal ux = (ax + bx) * (scale / 2), uy = (ay - by) * (scale / 2);
        vreal wx = (ay + by) * (scale / 2), wy = (bx - ax) * (scale / 2);
        MULTIPLY_PARTS(ux, uy, near)
        MULTIPLY_PARTS(wx, wy, far)
        ax = ux - wy, ay = uy + wx, bx = ux + wy, by = wx - uy;
        TURN(ax, ay, c, d)
        TURN(bx, by, c, d)
        RE(a) = ax, IM(a) = ay, RE(b) = bx, IM(b) = by;
    }
}

// The kernel.

// One of the three passes.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_any(__global const filter_sizes *s, int pass, __global const real *step_twiddles, __global const real *odd,
           __global const uint *places, __global const real2 *rotations, __global char *image, long base,
           ulong first_line, __constant const long *lines, __global real *half_planes, __global const real *mask,
           real scale, real white, ulong n_lines, uint tiles) {
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
        if (pass == ANY_COLUMNS && s->cosine)
            multiply_cosines(v, s, with.places, mask, rotations, first, count, scale);
        else if (pass == ANY_COLUMNS)
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
