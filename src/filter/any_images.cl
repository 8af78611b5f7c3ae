// Tiles of LANES lines, and rows of images in them: those whose pixels are neighbours are transposed, others go lane by
// lane.
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
