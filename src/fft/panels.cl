// The twiddles between the two passes of a long axis: values of a packed panel times exp(-2 pi i k1 j2 / n), or its
// conjugate. Of value e, k1 is e / row_stride % row_count and j2 is e / column_stride % column_count + column_first; k1
// j2 is below n, and its root is the product of one of the first 2^shift ones and one of those that are 2^shift apart.
// A work-item takes `span` values.
INLINE real2 root_of(__global const real2 *roots, ulong index, uint shift) {
    return complex_multiply(roots[index & ((1UL << shift) - 1)], roots[(1UL << shift) + (index >> shift)]);
}

__kernel void twiddle_panel(__global real2 *panel, ulong n, ulong row_stride, ulong row_count, ulong column_stride,
                            ulong column_count, ulong column_first, __global const real2 *roots, uint shift, real sign,
                            uint span) {
    const ulong begin = get_global_id(0) * span, end = min(begin + span, n);
    for (ulong e = begin; e < end;) {
        const ulong row = e / row_stride % row_count, column = e / column_stride % column_count + column_first;
        // A stretch of one column, where the row grows by one at each value, or not at all.
        const bool grows = row_stride == 1;
        const ulong left = grows ? row_count - row : row_stride - e % row_stride;
        const uint count = (uint)min(left, end - e);
        const ulong index = row * column, step = grows ? column : 0;
        for (uint i = 0; i < count; i++) {
            real2 root = root_of(roots, index + i * step, shift);
            root.y *= sign;
            panel[e + i] = complex_multiply(panel[e + i], root);
        }
        e += count;
    }
}
