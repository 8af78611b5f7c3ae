// Deconvolution: what happens to padded arrays of an item between transforms, and how the caller's arrays become such.
//
// An item has n points, which work-items share in chunks of RUN a lane: LANES of them side by side, or one whose loop
// the compiler makes vectors of.
#define CHUNK ((ulong)RUN * LANES)
#if PRECISION == 64
typedef double4 real4;
typedef double8 real8;
typedef double16 real16;
#define ROUNDING (16 * DBL_EPSILON)
#define MOST_EXPONENT 1000
#else
typedef float4 real4;
typedef float8 real8;
typedef float16 real16;
#define ROUNDING (16 * FLT_EPSILON) // of a convolution, relative to the root of its mean square
#define MOST_EXPONENT 120
#endif

// Numbers that an item has (S_...), and sums that its chunks have.
// S_UNIT is a power of two that brings the mean of the image near 1: squares of what is tiny or huge are out of range.
enum { S_MEAN, S_ALPHA, S_CHANGE, S_RESIDUAL, S_DONE, S_COUNT, S_LEAST, S_UNIT, N_SCALARS = 8 };
enum { SUM_MISS, SUM_SEEN, SUM_STEPS, SUM_STEP, SUM_CHANGE, SUM_X, N_SUMS = 8 };
enum { NOT_FINITE, NEGATIVE, ABOVE_ONE, N_FAULTS };

ulong chunk_begin(ulong t) { return t / LANES * CHUNK + t % LANES; }
ulong chunk_end(ulong t, ulong n) { return min((t / LANES + 1) * CHUNK, n); }

// Where items are. An item is a window of the whole: all of it, or one of the bricks that are computed each by itself.
// `frame` has three numbers (z, y, x) from each of these places on.
enum {
    FRAME_FIRST = 0,  // the place in the whole of the first brick's point 0
    FRAME_STEP = 3,   // from brick to brick
    FRAME_BRICKS = 6, // how many
    FRAME_WHOLE = 9,  // points of the whole
    FRAME_HALO = 12,  // points of a brick before those that are its own, which are FRAME_STEP; 0 along an axis not cut
    FRAME_CUT = 15,   // whether the axis is cut
    FRAME_ROUND = 18  // whether windows go on at the whole's other end
};

// The place in the whole of an item's point 0.
void find_origin(__constant const int *frame, ulong item, int *origin) {
    for (int a = 2; a >= 0; a--) {
        origin[a] = frame[FRAME_FIRST + a] + (int)(item % frame[FRAME_BRICKS + a]) * frame[FRAME_STEP + a];
        item /= frame[FRAME_BRICKS + a];
    }
}

// Which points of an item are asked for. arrays.c has the same numbers.
enum {
    POINTS_OF_WHOLE = 0, // those of the whole
    POINTS_OWN = 1,      // of these, those that are no other brick's
    POINTS_ALL = 2,      // those beyond the whole, too
    POINTS_INNER = 3     // those that nothing beyond the window shows in
};

// Whether a point of an item, `at` from its origin, is one of those along an axis.
bool is_among(__constant const int *frame, int a, int at, int origin, int points) {
    const int place = at + origin, halo = frame[FRAME_HALO + a], inner = at - halo;
    const bool round = frame[FRAME_ROUND + a], in_whole = place >= 0 && place < frame[FRAME_WHOLE + a];
    // A halo has twice the reach of the psf and one.
    const int around = points == POINTS_INNER ? (halo + 1) / 2 : 0;
    const bool in_brick = !frame[FRAME_CUT + a] || (inner >= -around && inner < frame[FRAME_STEP + a] + around);
    switch (points) {
    case POINTS_OF_WHOLE:
        return round || in_whole;
    case POINTS_OWN:
        return in_whole && in_brick;
    case POINTS_INNER:
        return (round || in_whole) && in_brick;
    default:
        return true;
    }
}

// The caller's arrays.

real read_real(__global const uchar *array, int type, long at) {
    switch (type) {
    case 1:
        return ((__global const float *)array)[at];
#if PRECISION == 64
    case 2:
        return ((__global const double *)array)[at];
#endif
    case 6:
        return array[at];
    case 7:
        return ((__global const short *)array)[at];
    default:
        return ((__global const ushort *)array)[at];
    }
}

// Where a position of the padded axis is in an image of n that goes on mirrored at both ends: between the two, one
// fades into the other. Gives the places before and behind, and how much the one behind counts.
void continued(uint at, uint n, uint padded, uint *before, uint *behind, real *share) {
    *before = *behind = at;
    *share = 0;
    if (at < n)
        return;
    const real t = (at - n + (real)0.5) / (padded - n);
    *before = at - n < n ? 2 * n - 1 - at : 0;
    *behind = min(padded - 1 - at, n - 1);
    *share = t * t * (3 - 2 * t);
}

// The point of a window of n where the whole has what is at `at` of it, mirrored at the whole's ends.
uint mirrored(__constant const int *frame, int a, uint at, uint n, int origin) {
    if (frame[FRAME_ROUND + a])
        return at;
    const int whole = frame[FRAME_WHOLE + a], place = (int)at + origin;
    const int inner = place < 0 ? -1 - place : place >= whole ? 2 * whole - 1 - place : place;
    return (uint)clamp(inner - origin, max(-origin, 0), min((int)n, whole - origin) - 1);
}

// Rows of padded arrays, a row a LANES work-items. Beyond the whole: `outside`, or it goes on. What is not finite or
// not allowed (1: below 0; 2: nor above 1) is reported by the place in the item of the first of them. Where `weights`
// are 0, nothing is read. `points`: POINTS_...
__kernel void load_array(__global const uchar *array, int type, long base, ulong first_line, ulong first_item,
                         __constant const int *frame, __constant const long *lines, uint depth, uint height, uint width,
                         uint padded_z, uint padded_y, uint padded_x, int goes_on, real outside, int points, int checks,
                         int weighted, __global const real *weights, ulong n, __global real *to,
                         __global uint *faults) {
    const ulong row = get_global_id(0) / LANES, planes = (ulong)padded_z * padded_y;
    if (row >= n)
        return;
    const ulong item = row / planes;
    const uint z = (uint)(row % planes / padded_y), y = (uint)(row % padded_y);
    const long step = axis_stride(lines);
    int origin[3];
    find_origin(frame, first_item + item, origin);
    const bool inside = z < depth && y < height && is_among(frame, 0, (int)z, origin[0], points) &&
                        is_among(frame, 1, (int)y, origin[1], points);
    uint zs[2], ys[2], xs[2];
    real sz = 0, sy = 0, sx;
    continued(z, depth, padded_z, &zs[0], &zs[1], &sz);
    continued(y, height, padded_y, &ys[0], &ys[1], &sy);
    for (int k = 0; k < 2; k++) {
        zs[k] = mirrored(frame, 0, zs[k], depth, origin[0]);
        ys[k] = mirrored(frame, 1, ys[k], height, origin[1]);
    }
    for (uint x = get_global_id(0) % LANES; x < padded_x; x += LANES) {
        const ulong at = row * padded_x + x;
        if (inside && x < width && is_among(frame, 2, (int)x, origin[2], points)) {
            const ulong line = first_line + (item * depth + z) * height + y;
            if (weighted && !(weights[at] > 0)) {
                to[at] = outside;
                continue;
            }
            const real value = read_real(array, type, base + line_offset(lines, line) + x * step);
            const ulong place = ((ulong)z * height + y) * width + x;
            if (!isfinite(value))
                atomic_min(faults + item * N_FAULTS + NOT_FINITE, (uint)min(place, (ulong)0xfffffffe));
            else if (checks && value < 0)
                atomic_min(faults + item * N_FAULTS + NEGATIVE, (uint)min(place, (ulong)0xfffffffe));
            else if (checks == 2 && value > 1)
                atomic_min(faults + item * N_FAULTS + ABOVE_ONE, (uint)min(place, (ulong)0xfffffffe));
            to[at] = value;
        } else if (goes_on) {
            real sum = 0;
            continued(x, width, padded_x, &xs[0], &xs[1], &sx);
            for (int k = 0; k < 8; k++) {
                const real share = (k & 4 ? sz : 1 - sz) * (k & 2 ? sy : 1 - sy) * (k & 1 ? sx : 1 - sx);
                const ulong line = first_line + (item * depth + zs[k >> 2]) * height + ys[k >> 1 & 1];
                const long at_x = mirrored(frame, 2, xs[k & 1], width, origin[2]);
                if (share > 0)
                    sum += share * read_real(array, type, base + line_offset(lines, line) + at_x * step);
            }
            to[at] = sum;
        } else {
            to[at] = outside;
        }
    }
}

// Rows of the result: those of the image, or of a brick's own points, within the padded array.
__kernel void store_result(__global const real *from, __constant const int *frame, uint depth, uint height, uint width,
                           uint padded_z, uint padded_y, uint padded_x, ulong n, __global real *result, long base,
                           ulong first_line, __constant const long *lines) {
    const ulong row = get_global_id(0) / LANES;
    if (row >= n)
        return;
    const ulong item = row / ((ulong)depth * height);
    const uint z = (uint)(row / height % depth) + frame[FRAME_HALO], y = (uint)(row % height) + frame[FRAME_HALO + 1];
    const ulong begin = ((item * padded_z + z) * padded_y + y) * padded_x + frame[FRAME_HALO + 2];
    const long to = base + line_offset(lines, first_line + row), step = axis_stride(lines);
    for (uint x = get_global_id(0) % LANES; x < width; x += LANES)
        result[to + x * step] = from[begin + x];
}

// A brick's first own points along an axis, or those behind its last own ones, which are another brick's first: `face`
// gets `n` of them, of each item `pitch` further on; 0 beyond the whole. Where windows go round, the last brick may
// have fewer own points than others, and those behind them are the first brick's.
__kernel void take_face(__global const real *from, __constant const int *frame, ulong first_item, int axis, int behind,
                        uint padded_z, uint padded_y, uint padded_x, ulong n, ulong n_items, ulong pitch, ulong offset,
                        __global real *face) {
    const ulong i = get_global_id(0) % n, item = get_global_id(0) / n;
    if (item >= n_items)
        return;
    int origin[3], at[3];
    ulong rest = i;
    bool inside = true;
    find_origin(frame, first_item + item, origin);
    for (int a = 2; a >= 0; a--) {
        const int side = a == axis ? 1 : frame[FRAME_STEP + a], first = origin[a] + frame[FRAME_HALO + a];
        const bool is_behind = a == axis && behind, round = is_behind && frame[FRAME_ROUND + a];
        const int own = round ? min(frame[FRAME_STEP + a], frame[FRAME_WHOLE + a] - first) : frame[FRAME_STEP + a];
        at[a] = (int)(rest % side) + frame[FRAME_HALO + a] + (is_behind ? own : 0);
        rest /= side;
        inside = inside && (round || (at[a] + origin[a] >= 0 && at[a] + origin[a] < frame[FRAME_WHOLE + a]));
    }
    face[item * pitch + offset + i] =
        inside ? from[((item * padded_z + at[0]) * padded_y + at[1]) * padded_x + at[2]] : 0;
}

// h with its centre at point 0 of a periodic array, into which a larger one is folded.
__kernel void place_psf(__global const real *psf, uint depth, uint height, uint width, uint padded_z, uint padded_y,
                        uint padded_x, uint centre_z, uint centre_y, uint centre_x, ulong n, __global real *to) {
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    const uint x0 = (uint)((i % padded_x + centre_x) % padded_x),
               y0 = (uint)((i / padded_x % padded_y + centre_y) % padded_y);
    const uint z0 = (uint)((i / padded_x / padded_y + centre_z) % padded_z);
    real sum = 0;
    for (uint z = z0; z < depth; z += padded_z)
        for (uint y = y0; y < height; y += padded_y)
            for (uint x = x0; x < width; x += padded_x)
                sum += psf[((ulong)z * height + y) * width + x];
    to[i] = sum;
}

// Spectra.

// Half spectra of items times one of n points, or its conjugate.
__kernel void multiply_spectra(__global real2 *restrict spectra, __global const real2 *restrict transfer, int conjugate,
                               ulong n, ulong chunks, ulong n_items) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const real sign = conjugate ? -1 : 1;
    ulong i = chunk_begin(t);
    const ulong end = chunk_end(t, n);
    __global real2 *s = spectra + item * n;
#if LANES == 1
    for (; i + 8 <= end; i += 8) {
        const real16 a = vload16(0, (__global const real *)(s + i)),
                     b = vload16(0, (__global const real *)(transfer + i));
        real16 c;
        c.even = a.even * b.even - sign * (a.odd * b.odd);
        c.odd = a.odd * b.even + sign * (a.even * b.odd);
        vstore16(c, 0, (__global real *)(s + i));
    }
#endif
    for (; i < end; i += LANES)
        s[i] = complex_multiply(s[i], (real2)(transfer[i].x, sign * transfer[i].y));
}

// Twice one minus the cosine of a frequency.
real roughness(uint k, uint padded) {
    const real s = sinpi((real)k / padded);
    return 4 * s * s;
}

// H into conj(H) / (|H|^2 + balance L^order).
__kernel void invert_transfer(__global real2 *transfer, uint padded_z, uint padded_y, uint padded_x, uint columns,
                              real balance, int order, ulong n) {
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    const uint z = (uint)(i / columns / padded_y), y = (uint)(i / columns % padded_y), x = (uint)(i % columns);
    const real l = roughness(z, padded_z) + roughness(y, padded_y) + roughness(x, padded_x);
    const real2 h = transfer[i];
    const real power = h.x * h.x + h.y * h.y + balance * (order == 0 ? 1 : order == 1 ? l : l * l);
    transfer[i] = power > 0 ? (real2)(h.x, -h.y) / power : (real2)(0, 0);
}
