// The real and imaginary parts of a row of results are rows y and y + J of an image of the caller's, or of a plane,
// where the range of all results is still to be found (RANGED). RESULT is the elements' type, TO_RESULT(x) converts to
// it (integers: to nearest, saturated), CLIPS says whether results are limited to 0 .. white.

// Where the two rows begin, and whether they are there.
typedef struct {
    long upper, lower, stride;
    bool has_upper, has_lower;
} row_pair;

RESULT result_of(real value, real white) {
#if CLIPS
    return TO_RESULT(clamp(value, (real)0, white));
#else
    return TO_RESULT(value);
#endif
}

bool find_output(ulong plane, uint y, long base, ulong first_line, __constant const long *lines, long *at) {
    if (y >= HEIGHT)
        return false;
#if RANGED
    *at = (long)((plane * HEIGHT + y) * WIDTH);
#else
    const ulong image = plane / COLOURS, colour = plane - image * COLOURS;
    *at = base + line_offset(lines, first_line + (image * HEIGHT + y) * CHANNELS + colour);
#endif
    return true;
}

row_pair find_rows(ulong line, long base, ulong first_line, __constant const long *lines) {
    row_pair rows = {0, 0, RANGED ? 1 : axis_stride(lines), false, false};
    const ulong plane = line / J;
    const uint y = (uint)(line - plane * J);
    rows.has_upper = find_output(plane, ORDER(y, P), base, first_line, lines, &rows.upper);
    rows.has_lower = find_output(plane, ORDER(y + J, P), base, first_line, lines, &rows.lower);
    return rows;
}

void store_pixels(__global RESULT *image, row_pair rows, uint e, real2 value, real white) {
    const uint x = ORDER(e, Q);
    if (x >= WIDTH)
        return;
    if (rows.has_upper)
        image[rows.upper + (long)x * rows.stride] = result_of(value.x, white);
    if (rows.has_lower)
        image[rows.lower + (long)x * rows.stride] = result_of(value.y, white);
}
