#if PRECISION == 64
#define IS_NONFINITE(x) ((as_ulong(x) & 0x7ff0000000000000UL) == 0x7ff0000000000000UL)
#else
#define IS_NONFINITE(x) ((as_uint(x) & 0x7f800000) == 0x7f800000)
#endif

// Each of `items` work-items counts among every items-th value, so that neighbours read neighbours.
__kernel void count_nonfinite(__global const real *values, ulong n, __global uint *counts, ulong items) {
    size_t item = get_global_id(0);
    uint count = 0;
    if (item >= items)
        return;
    for (ulong i = item; i < n; i += items)
        count += IS_NONFINITE(values[i]) ? 1 : 0;
    counts[item] = count;
}
