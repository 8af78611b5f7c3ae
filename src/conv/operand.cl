// Between the caller's arrays and the complex vectors of length N = 2^log_n that the algorithms work on.
// ELEMENT is the array's real type, ELEMENT_COMPLEX 1 if pairs of it are its elements.

// vectors[l N + i] = operand l, element i; zero from `length` on. Reversed and conjugated, for correlation, when asked:
// `reversal` 1 takes element length-1-i, 2 takes element -i mod length (N = length then, or the result is folded).
__kernel void load_operand(__global const ELEMENT *operand, long base, ulong first_line, __constant const long *lines,
                           uint length, int reversal, uint log_n, ulong n_lines, __global real2 *vectors) {
    ulong item = get_global_id(0), line = item >> log_n;
    uint i = (uint)item & ((1u << log_n) - 1);
    if (line >= n_lines)
        return;
    real2 value = (real2)(0, 0);
    if (i < length) {
        uint k = reversal == 1 ? length - 1 - i : reversal == 2 && i > 0 ? length - i : i;
        long at = base + line_offset(lines, first_line + line) + (long)k * axis_stride(lines);
#if ELEMENT_COMPLEX
        value = (real2)((real)operand[2 * at], (real)operand[2 * at + 1]);
        if (reversal)
            value.y = -value.y;
#else
        value.x = (real)operand[at];
#endif
    }
    vectors[item] = value;
}

// result line l, element i = vectors[l N + start + i], plus the element `period` further on if that is not beyond
// `last`: the fold that makes a linear convolution circular.
__kernel void store_result(__global const real2 *vectors, uint log_n, uint start, uint period, uint last, ulong width,
                           ulong n_lines, __global ELEMENT *result, long base, ulong first_line,
                           __constant const long *lines) {
    ulong item = get_global_id(0), line = item / width, i = item - line * width;
    if (line >= n_lines)
        return;
    __global const real2 *vector = vectors + (line << log_n);
    real2 value = vector[start + i];
    if (period > 0 && i + period <= last)
        value += vector[i + period];
    long at = base + line_offset(lines, first_line + line) + (long)i * axis_stride(lines);
#if ELEMENT_COMPLEX
    result[2 * at] = value.x;
    result[2 * at + 1] = value.y;
#else
    result[at] = value.x;
#endif
}
