// The twiddles between the two passes of a long axis: values of a packed panel times exp(-2 pi i k1 j2 / n), or its
// conjugate. Of value e, k1 is e / row_stride % row_count and j2 is e / column_stride % column_count + column_first; k1
// j2 is below n, and its root is the product of one of the first 2^shift ones and one of those that are 2^shift apart.
// A work-item takes `span` values.
INLINE real2 root_of(__global const real2 *roots, ulong index, uint shift) {
    return complex_multiply(roots[index & ((1UL << shift) - 1)], roots[(1UL << shift) + (index >> shift)]);
}

__kernel void twiddle_panel(__global real2 *panel, ulong first, ulong n, ulong row_stride, ulong row_count,
                            ulong column_stride, ulong column_count, long column_first, long column_end,
                            __global const real2 *roots, uint shift, real sign, uint span) {
    const ulong begin = get_global_id(0) * span, end = min(begin + span, n);
    panel += first;
    for (ulong e = begin; e < end;) {
        const ulong row = e / row_stride % row_count;
        const long place = (long)(e / column_stride % column_count) + column_first;
        const ulong column = place >= 0 && place < column_end ? (ulong)place : 0; // others are filled up to the width
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

// Between the spectrum of n = 2 m real numbers, X[0 .. m], and that of their pairs as complex ones, Z: with W = exp(-2
// pi i / n),
//     X[k] = e + o, X[m - k] = conj(e - o)  of  e = (Z[k] + conj Z[m - k]) / 2, o = -i W^k (Z[k] - conj Z[m - k]) / 2
// and back (`split`) without the halves and with the conjugate of -i W^k. The panel holds `width` columns of k = c +
// n_columns r from c = `first` on, r < n_rows, then, in reverse order, their mirrors n_columns - c, then X[m]. Column 0
// mirrors itself, as does the middle one.
__kernel void mirror_panel(__global real2 *panel, ulong n_rows, ulong width, ulong first, ulong n_columns, int split,
                           __global const real2 *roots, uint shift) {
    const ulong i = get_global_id(0), row = i / width, local_c = i - row * width, c = first + local_c;
    if (row >= n_rows || 2 * c > n_columns)
        return;
    const bool itself = c == 0 || 2 * c == n_columns;
    const ulong other_row = c == 0 ? n_rows - row : n_rows - 1 - row;
    if (itself && row > other_row)
        return;
    const ulong at = row * width + local_c;
    const ulong other = c == 0 && row == 0 ? 2 * n_rows * width
                        : itself           ? other_row * width + local_c
                                           : (n_rows + other_row) * width + width - 1 - local_c;
    real2 z = panel[at], y = panel[other];
    if (c == 0 && row == 0) {
        y = split ? (real2)(y.x, 0) : z;
        z = split ? (real2)(z.x, 0) : z;
    }
    y.y = -y.y;
    const real2 root = root_of(roots, c + n_columns * row, shift), difference = z - y;
    const real2 turn = split ? (real2)(root.y, root.x) : (real2)(root.y, -root.x); // i conj(W^k), -i W^k
    const real half_ = split ? 1 : 0.5f;
    const real2 e = half_ * (z + y), o = half_ * complex_multiply(turn, difference);
    panel[at] = e + o;
    panel[other] = (real2)(e.x - o.x, o.y - e.y);
}

// Half a spectrum's first and last numbers along an axis, of `count` that are `stride` apart, of which the real parts
// count: made one complex number in the place of the first one, or two of that (`apart`).
__kernel void fold_panel(__global real2 *panel, ulong n, ulong stride, ulong count, int apart) {
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    const ulong first = i / stride * stride * count + i % stride, last = first + (count - 1) * stride;
    const real2 z = panel[first];
    if (apart)
        panel[last] = (real2)(z.y, 0);
    panel[first] = (real2)(z.x, apart ? 0 : panel[last].x);
}
