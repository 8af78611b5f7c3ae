// The published filter's kernel for the mask, on one image of N x N numbers, N = 2^LOG_N. The spectrum is transposed:
// its rows are frequencies along the width. Beyond half of them the mask is that of the opposite frequency.
#define N (1u << LOG_N)
#ifdef GROUP
#define SIZED __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#else
#define SIZED
#endif

__kernel SIZED void multiply_by_mask(__global real2 *image, __global const real *mask) {
    const ulong i = get_global_id(0);
    if (i >= (ulong)N * N)
        return;
    const uint l = (uint)(i >> LOG_N), k = (uint)i & (N - 1);
    image[i] *= l > N / 2 ? mask_at(mask, (N - k) & (N - 1), N - l) : mask_at(mask, k, l);
}
