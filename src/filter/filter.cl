// Between images, of any strides, and planes of real numbers: one plane a colour, p rows of q numbers each. IN and OUT
// are the elements' types, TO_OUT(x) converts to OUT (integers: to nearest, saturated), OUTPUT is one of
// mst_filter_output's values. A line is a row of one channel: line (image height + y) channels + c. LOADS,
// RANGED, STORES and ALPHA say which kernels are wanted.

#define CLIP 1
#define STRETCH 2
#define MAGNITUDE 3

typedef struct {
    uint image, y, x, c;
} place;

// Number i in an array [image][y][x][c] or [image][c][y][x].
place pixel_of(ulong i, uint height, uint width, uint channels) {
    place at;
    ulong pixel = i / channels, row = pixel / width;
    at.c = (uint)(i - pixel * channels);
    at.x = (uint)(pixel - row * width);
    at.image = (uint)(row / height);
    at.y = (uint)(row - (ulong)at.image * height);
    return at;
}

place plane_of(ulong i, uint height, uint width, uint colours) {
    place at;
    ulong row = i / width, plane = row / height;
    at.x = (uint)(i - row * width);
    at.y = (uint)(row - plane * height);
    at.image = (uint)(plane / colours);
    at.c = (uint)(plane - (ulong)at.image * colours);
    return at;
}

#if LOADS
real median(real a, real b, real c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

// The image beyond its edges: mirrored, or zero. With `levels`, less the median of three pixels.
__kernel void load_planes(__global const IN *image, long base, ulong first_line, __constant const long *lines,
                          uint height, uint width, uint channels, uint colours, uint p, uint q, int mirror, int levels,
                          ulong n, __global real *planes) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    place at = plane_of(i, p, q, colours);
    const bool inside = at.x < width && at.y < height;
    at.x = at.x < width ? at.x : 2 * width - 1 - at.x;
    at.y = at.y < height ? at.y : 2 * height - 1 - at.y;
    real value = 0;
    if (inside || mirror) {
        ulong line = first_line + ((ulong)at.image * height + at.y) * channels + at.c;
        value = (real)image[base + line_offset(lines, line) + (long)at.x * axis_stride(lines)];
        if (levels) {
            const ulong top = line - (ulong)at.y * channels;
            const long stride = axis_stride(lines);
            value -= median(
                (real)image[base + line_offset(lines, top)],
                (real)image[base + line_offset(lines, top + (ulong)(height / 2) * channels) + (width / 2) * stride],
                (real)image[base + line_offset(lines, top + (ulong)(height - 1) * channels) + (width - 1) * stride]);
        }
    }
    planes[i] = value;
}
#endif

#if RANGED
// The least and the greatest of 0 and a part of an image's values: work-item `part` of `parts` takes every `lanes`-th
// value of every (parts / lanes)-th row.
__kernel void range_of_planes(__global const real *planes, uint pitch, uint plane_rows, uint height, uint width,
                              uint colours, uint parts, uint lanes, ulong n, __global real2 *ranges) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    ulong image = i / parts;
    uint part = (uint)(i - image * parts), groups = parts / lanes;
    real low = 0, high = 0;
    for (uint r = part / lanes; r < colours * height; r += groups) {
        uint c = r / height, y = r - c * height;
        __global const real *row = planes + ((image * colours + c) * plane_rows + y) * pitch;
        for (uint x = part % lanes; x < width; x += lanes) {
            low = fmin(low, row[x]);
            high = fmax(high, row[x]);
        }
    }
    ranges[i] = (real2)(low, high);
}

// From so many ranges an image to fewer.
__kernel void reduce_ranges(__global const real2 *from, uint n_from, __global real2 *to, uint n_to, ulong n) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    ulong image = i / n_to;
    real2 range = (real2)(0, 0);
    for (uint k = (uint)(i - image * n_to); k < n_from; k += n_to) {
        real2 other = from[image * n_from + k];
        range = (real2)(fmin(range.x, other.x), fmax(range.y, other.y));
    }
    to[i] = range;
}
#endif

#if STORES
OUT output_of(real value, real2 range, real white) {
#if OUTPUT == CLIP && CLIPS
    value = clamp(value, (real)0, white);
#elif OUTPUT == STRETCH
    value = range.y > range.x ? (value - range.x) * (white / (range.y - range.x)) : 0;
#elif OUTPUT == MAGNITUDE
    const real most = fmax(-range.x, range.y);
    value = most > 0 ? fabs(value) * (white / most) : 0;
#endif
    return TO_OUT(value);
}

__kernel void store_planes(__global const real *planes, uint pitch, uint plane_rows, uint height, uint width,
                           uint channels, uint colours, __global const real2 *ranges, real white, ulong n,
                           __global OUT *image, long base, ulong first_line, __constant const long *lines) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    place at = pixel_of(i, height, width, colours);
    ulong row = ((ulong)at.image * colours + at.c) * plane_rows + at.y;
    ulong line = first_line + ((ulong)at.image * height + at.y) * channels + at.c;
#if OUTPUT == STRETCH || OUTPUT == MAGNITUDE
    const real2 range = ranges[at.image];
#else
    const real2 range = (real2)(0, 0);
#endif
    image[base + line_offset(lines, line) + (long)at.x * axis_stride(lines)] =
        output_of(planes[row * pitch + at.x], range, white);
}
#endif

#if ALPHA
__kernel void copy_alpha(__global const IN *from, long from_base, ulong from_line, __constant const long *from_lines,
                         uint height, uint width, uint channels, ulong n, __global OUT *to, long to_base, ulong to_line,
                         __constant const long *to_lines) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    place at = pixel_of(i, height, width, 1);
    ulong line = ((ulong)at.image * height + at.y) * channels + channels - 1;
    to[to_base + line_offset(to_lines, to_line + line) + (long)at.x * axis_stride(to_lines)] =
        (OUT)from[from_base + line_offset(from_lines, from_line + line) + (long)at.x * axis_stride(from_lines)];
}
#endif
