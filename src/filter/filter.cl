// Between images, of any strides, and planes of real numbers: one plane a colour, p rows of q numbers each (of a
// volume, r slices of so many). IN and OUT are the elements' types, TO_OUT(x) converts to OUT (integers: to nearest,
// saturated), OUTPUT is one of mst_filter_output's values. A line is a row of one channel: line ((image depth + z)
// height + y) channels + c. LOADS, RANGED, STORES and ALPHA say which kernels are wanted.

#define CLIP 1
#define STRETCH 2
#define MAGNITUDE 3

typedef struct {
    uint image, z, y, x, c;
} place;

// Number i in an array [image][z][y][x][c] or [image][c][z][y][x].
place pixel_of(ulong i, uint depth, uint height, uint width, uint channels) {
    place at;
    ulong pixel = i / channels, row = pixel / width, slice = row / height;
    at.c = (uint)(i - pixel * channels);
    at.x = (uint)(pixel - row * width);
    at.y = (uint)(row - slice * height);
    at.image = (uint)(slice / depth);
    at.z = (uint)(slice - (ulong)at.image * depth);
    return at;
}

place plane_of(ulong i, uint depth, uint height, uint width, uint colours) {
    place at;
    ulong row = i / width, slice = row / height, plane = slice / depth;
    at.x = (uint)(i - row * width);
    at.y = (uint)(row - slice * height);
    at.z = (uint)(slice - plane * depth);
    at.image = (uint)(plane / colours);
    at.c = (uint)(plane - (ulong)at.image * colours);
    return at;
}

ulong line_of(place at, uint depth, uint height, uint channels) {
    return (((ulong)at.image * depth + at.z) * height + at.y) * channels + at.c;
}

#if LOADS
real median(real a, real b, real c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

// The image beyond its edges: mirrored, or zero. With `levels`, less the median of three pixels.
__kernel void load_planes(__global const IN *image, long base, ulong first_line, __constant const long *lines,
                          uint depth, uint height, uint width, uint channels, uint colours, uint r, uint p, uint q,
                          int mirror, int levels, ulong n, __global real *planes) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    place at = plane_of(i, r, p, q, colours);
    const bool inside = at.x < width && at.y < height && at.z < depth;
    at.x = at.x < width ? at.x : 2 * width - 1 - at.x;
    at.y = at.y < height ? at.y : 2 * height - 1 - at.y;
    at.z = at.z < depth ? at.z : 2 * depth - 1 - at.z;
    real value = 0;
    if (inside || mirror) {
        const ulong line = first_line + line_of(at, depth, height, channels);
        value = (real)image[base + line_offset(lines, line) + (long)at.x * axis_stride(lines)];
        if (levels) {
            const ulong top = line - ((ulong)at.z * height + at.y) * channels,
                        middle = top + ((ulong)(depth / 2) * height + height / 2) * channels,
                        bottom = top + ((ulong)depth * height - 1) * channels;
            const long stride = axis_stride(lines);
            value -= median((real)image[base + line_offset(lines, top)],
                            (real)image[base + line_offset(lines, middle) + (width / 2) * stride],
                            (real)image[base + line_offset(lines, bottom) + (width - 1) * stride]);
        }
    }
    planes[i] = value;
}
#endif

#if RANGED
// The least and the greatest of 0 and a part of an image's values: work-item `part` of `parts` takes every `lanes`-th
// value of every (parts / lanes)-th row.
__kernel void range_of_planes(__global const real *planes, uint pitch, uint plane_rows, uint slices, uint depth,
                              uint height, uint width, uint colours, uint parts, uint lanes, ulong n,
                              __global real2 *ranges) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    ulong image = i / parts;
    uint part = (uint)(i - image * parts), groups = parts / lanes;
    real low = 0, high = 0;
    for (ulong r = part / lanes; r < (ulong)colours * depth * height; r += groups) {
        const ulong slice = r / height, c = slice / depth;
        __global const real *row =
            planes + (((image * colours + c) * slices + slice - c * depth) * plane_rows + r - slice * height) * pitch;
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

__kernel void store_planes(__global const real *planes, uint pitch, uint plane_rows, uint slices, uint depth,
                           uint height, uint width, uint channels, uint colours, __global const real2 *ranges,
                           real white, ulong n, __global OUT *image, long base, ulong first_line,
                           __constant const long *lines) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    const place at = pixel_of(i, depth, height, width, colours);
    const ulong row = (((ulong)at.image * colours + at.c) * slices + at.z) * plane_rows + at.y;
    const ulong line = first_line + line_of(at, depth, height, channels);
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
                         uint rows, uint width, uint channels, ulong n, __global OUT *to, long to_base, ulong to_line,
                         __constant const long *to_lines) {
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    place at = pixel_of(i, 1, rows, width, 1);
    at.c = channels - 1;
    const ulong line = line_of(at, 1, rows, channels);
    to[to_base + line_offset(to_lines, to_line + line) + (long)at.x * axis_stride(to_lines)] =
        (OUT)from[from_base + line_offset(from_lines, from_line + line) + (long)at.x * axis_stride(from_lines)];
}
#endif
