// Rows y and y + J of an image, continued beyond its edges, as the real and imaginary parts of one row of numbers.

// Where the two rows begin, whether they are there, and what is taken off their values.
typedef struct {
    long upper, lower, stride;
    bool has_upper, has_lower;
    real level;
} row_pair;

// Row y of a plane: beyond the image it is a mirrored one, or none.
bool find_input(ulong plane, uint y, long base, ulong first_line, __constant const long *lines, long *at) {
    if (y >= HEIGHT && !MIRROR)
        return false;
    const ulong image = plane / COLOURS, colour = plane - image * COLOURS;
    y = y < HEIGHT ? y : 2 * HEIGHT - 1 - y;
    *at = base + line_offset(lines, first_line + (image * HEIGHT + y) * CHANNELS + colour);
    return true;
}

real pixel(__global const IN *image, long at, long stride, bool there, uint x) {
    if (!there || (x >= WIDTH && !MIRROR))
        return 0;
    return (real)image[at + (long)(x < WIDTH ? x : 2 * WIDTH - 1 - x) * stride];
}

// The median of three pixels of a plane, which keeps what is left as small as the differences in the image.
real level_of(__global const IN *image, ulong plane, long base, ulong first_line, __constant const long *lines) {
    long first = 0, middle = 0, last = 0;
    const long stride = axis_stride(lines);
    find_input(plane, 0, base, first_line, lines, &first);
    find_input(plane, HEIGHT / 2, base, first_line, lines, &middle);
    find_input(plane, HEIGHT - 1, base, first_line, lines, &last);
    const real a = (real)image[first], b = (real)image[middle + (WIDTH / 2) * stride],
               c = (real)image[last + (WIDTH - 1) * stride];
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

row_pair find_rows(__global const IN *image, ulong line, long base, ulong first_line, __constant const long *lines) {
    row_pair rows = {0, 0, axis_stride(lines), false, false, 0};
    const ulong plane = line / J;
    const uint y = (uint)(line - plane * J);
    rows.has_upper = find_input(plane, ORDER(y, P), base, first_line, lines, &rows.upper);
    rows.has_lower = find_input(plane, ORDER(y + J, P), base, first_line, lines, &rows.lower);
    if (LEVELS)
        rows.level = level_of(image, plane, base, first_line, lines);
    return rows;
}

real2 load_pixels(__global const IN *image, row_pair rows, uint e) {
    const uint x = ORDER(e, Q);
    return (real2)(pixel(image, rows.upper, rows.stride, rows.has_upper, x) - rows.level,
                   pixel(image, rows.lower, rows.stride, rows.has_lower, x) - rows.level);
}
