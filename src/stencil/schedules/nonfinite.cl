#if PRECISION == 64
#define IS_NONFINITE(x) ((as_ulong(x) & 0x7ff0000000000000UL) == 0x7ff0000000000000UL)
#else
#define IS_NONFINITE(x) ((as_uint(x) & 0x7f800000) == 0x7f800000)
#endif
#define IS_NONFINITE_HALF(bits) (((bits)&0x7c00) == 0x7c00)

// Node (plane, row, column), number i of s0 x s1 x s2, lies at element s5 + plane s4 + row s3 + column; if there are
// runs of s6 planes, s7 others lie between one and the next.
ulong element_of(ulong i, long8 grid) {
    const ulong line = i / (ulong)grid.s2, plane = line / (ulong)grid.s1;
    const ulong between = grid.s6 > 0 ? plane / (ulong)grid.s6 * grid.s7 : 0;
    return grid.s5 + (plane + between) * grid.s4 + (line - plane * grid.s1) * grid.s3 + (i - line * grid.s2);
}

// Each of `items` work-items counts among every items-th node, so that neighbours read neighbours.
#define COUNT(IS_COUNTED)                                                                                              \
    const size_t item = get_global_id(0);                                                                              \
    const ulong n = (ulong)grid.s0 * grid.s1 * grid.s2;                                                                \
    uint count = 0;                                                                                                    \
    if (item >= items)                                                                                                 \
        return;                                                                                                        \
    for (ulong i = item; i < n; i += items)                                                                            \
        count += IS_COUNTED(values[element_of(i, grid)]) ? 1 : 0;                                                      \
    counts[item] = count;

__kernel void count_nonfinite(__global const real *values, long8 grid, __global uint *counts,
                              ulong items){COUNT(IS_NONFINITE)}

__kernel void count_nonfinite_half(__global const ushort *values, long8 grid, __global uint *counts, ulong items) {
    COUNT(IS_NONFINITE_HALF)
}
