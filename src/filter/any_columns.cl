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
