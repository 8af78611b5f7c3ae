// The published filter (The OpenCL Programming Book, section 6.1): a kernel a step, on one image of N x N complex
// numbers, N = 2^LOG_N. The mask, mask_at, stands before this text. GROUP, where it is given, is the size of
// work-groups: some compilers allow for 256 work-items if they are not told.
#define N (1u << LOG_N)
#ifdef GROUP
#define SIZED __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#else
#define SIZED
#endif

__kernel SIZED void spin_factors(__global real2 *w) {
    uint i = get_global_id(0);
    if (i < (N > 1 ? N / 2 : 1))
        w[i] = (real2)(cospi((real)(2 * i) / N), -sinpi((real)(2 * i) / N));
}

__kernel SIZED void to_complex(__global const real *plane, ulong first, __global real2 *image) {
    ulong i = get_global_id(0);
    if (i < (ulong)N * N)
        image[i] = (real2)(plane[first + i], 0);
}

__kernel SIZED void bit_reverse(__global const real2 *from, __global real2 *to) {
    ulong i = get_global_id(0);
    if (i >= (ulong)N * N)
        return;
    uint x = (uint)i & (N - 1), r = 0;
    for (uint b = 0; b < LOG_N; b++)
        r |= ((x >> b) & 1) << (LOG_N - 1 - b);
    to[i - x + r] = from[i];
}

// The stage that joins transforms of length `half`; the inverse has the conjugate factors.
__kernel SIZED void butterfly(__global real2 *image, __global const real2 *w, uint log_half, int inverse) {
#if LOG_N > 0
    ulong i = get_global_id(0);
    if (i >= (ulong)N * (N / 2))
        return;
    __global real2 *row = image + ((i >> (LOG_N - 1)) << LOG_N);
    uint b = (uint)i & (N / 2 - 1), half_ = 1u << log_half, k = b & (half_ - 1), at = ((b - k) << 1) + k;
    real2 factor = w[k << (LOG_N - 1 - log_half)];
    factor.y = inverse ? -factor.y : factor.y;
    real2 t = complex_multiply(row[at + half_], factor);
    row[at + half_] = row[at] - t;
    row[at] += t;
#endif
}

// The spectrum is transposed: its rows are frequencies along the width. Beyond half of them the mask is that of the
// opposite frequency.
__kernel SIZED void multiply_by_mask(__global real2 *image, __global const real *mask) {
    const ulong i = get_global_id(0);
    if (i >= (ulong)N * N)
        return;
    const uint l = (uint)(i >> LOG_N), k = (uint)i & (N - 1);
    image[i] *= l > N / 2 ? mask_at(mask, (N - k) & (N - 1), N - l) : mask_at(mask, k, l);
}

__kernel SIZED void normalise(__global real2 *image) {
    ulong i = get_global_id(0);
    if (i < (ulong)N * N)
        image[i] *= (real)1 / N;
}

__kernel SIZED void transpose(__global const real2 *from, __global real2 *to) {
    ulong i = get_global_id(0);
    if (i < (ulong)N * N)
        to[(i & (N - 1)) * N + (i >> LOG_N)] = from[i];
}

__kernel SIZED void to_real(__global const real2 *image, __global real *plane, ulong first) {
    ulong i = get_global_id(0);
    if (i < (ulong)N * N)
        plane[first + i] = image[i].x;
}
