// What the direct kernels for CPUs and GPUs share. Every value of the result is a sum over the kernel,
//     z[j] = sum_q w[q] s[j + offset + q],
// with s the signal, zero outside or periodic, and w the kernel: turned round for a convolution, conjugated for a
// correlation. The kernels know no sizes. By options: SIGNAL, KERNEL, RESULT, the arrays' real types; SIGNAL_COMPLEX
// and so on, 1 if pairs of them are the elements; AXES; CIRCULAR; TURN_SIGNAL (and conjugate) and TURN_KERNEL,
// CONJUGATE_KERNEL.
//
// A complex array is a real one of twice the width, in which elements of the same part are PARTS apart:
// a kernel of real numbers treats both parts alike, and the imaginary parts of one of complex numbers multiply
// t[2k] = -s[2k + 1], t[2k + 1] = s[2k].
#define PARTS (1 + RESULT_COMPLEX)
#define PLANES (1 + KERNEL_COMPLEX)
#define PARTS_OF_SIGNAL (1 + SIGNAL_COMPLEX)
#define PARTS_OF_KERNEL (1 + KERNEL_COMPLEX)
#if PRECISION == 64
typedef double4 real4;
#else
typedef float4 real4;
#endif
#define CHUNK                                                                                                          \
    64 // taps that are summed before their sum goes to the total: rounding errors grow with the square root of either

// What a launch is told beside its buffers: one argument, since drivers copy each of them anew. Its parts have the
// names that they are used by.
typedef struct direct_call {
    long sizes[8], tiles[8], signal_at[4], taps_at[4], result_at[4];
    int tile[8];
} direct_call;
#define READ_CALL                                                                                                      \
    const long4 signal_at = vload4(0, call.signal_at), taps_at = vload4(0, call.taps_at);                              \
    const long4 result_at = vload4(0, call.result_at);                                                                 \
    const long8 sizes = vload8(0, call.sizes), tiles = vload8(0, call.tiles);                                          \
    const int8 tile = vload8(0, call.tile);

// Where an array lies: base (elements), first line, and the strides of rows and columns.
#define BASE s0
#define FIRST s1
#define ROW s2
#define COLUMN s3

// What is computed: rows and columns of signal, kernel and result, and the offset.
#define SIGNAL_ROWS sizes.s0
#define SIGNAL_COLUMNS sizes.s1
#define KERNEL_ROWS sizes.s2
#define KERNEL_COLUMNS sizes.s3
#define RESULT_ROWS sizes.s4
#define RESULT_COLUMNS sizes.s5
#define OFFSET_ROW sizes.s6
#define OFFSET_COLUMN sizes.s7

// Tap (row, column), from the first that meets the signal on, its real or imaginary part.
real tap_part(__global const KERNEL *kernel_line, long4 at, long rows, long columns, long row, long column,
              int imaginary) {
#if TURN_KERNEL
    row = rows - 1 - row;
    column = columns - 1 - column;
#endif
    const long element = row * at.ROW + column * at.COLUMN;
#if KERNEL_COMPLEX
    const real value = (real)kernel_line[2 * element + imaginary];
    return CONJUGATE_KERNEL && imaginary ? -value : value;
#else
    return imaginary ? 0 : (real)kernel_line[element];
#endif
}

// A real number of the signal, by element and part.
real signal_part(__global const SIGNAL *signal_line, long element, int imaginary) {
#if SIGNAL_COMPLEX
    const real value = (real)signal_line[2 * element + imaginary];
    return TURN_SIGNAL && imaginary ? -value : value;
#else
    return imaginary ? 0 : (real)signal_line[element];
#endif
}

// The place in the array of place p of the signal that the sum means, or -1 for a zero.
long signal_place(long p, long n) {
#if CIRCULAR
    p %= n;
    p = p < 0 ? p + n : p;
#else
    if (p < 0 || p >= n)
        return -1;
#endif
    return TURN_SIGNAL ? n - 1 - p : p;
}
