// The kernels of stencil_sweep.cl for arrays of float16. A source's sum is rounded before the next one is added.

__kernel void add_sources_half(__global half *array, __global const real *table, __global const long4 *points,
                               long8 grid, long4 range) {
    long k = range.s0 + get_global_id(0);
    if (k >= range.s1)
        return;
    const long at = element_of(points[k], grid);
    if (k > range.s0 && element_of(points[k - 1], grid) == at)
        return;
    real value = vload_half(at, array);
    for (; k < range.s1 && element_of(points[k], grid) == at; k++)
        value = round_to_half(value + table[range.s2 + 1 + points[k].s3]);
    vstore_half_rte(value, at, array);
}

// Row s2 of the records, but for nodes in the box `others`.
__kernel void record_receivers_half(__global const half *array, __global real *records, __global const long4 *points,
                                    long8 grid, long4 range, long8 others) {
    const long k = range.s0 + get_global_id(0);
    if (k < range.s1 && !is_in(points[k], others))
        records[range.s2 + points[k].s3] = vload_half(element_of(points[k], grid), array);
}

long add_sources_of_row_half(__global half *array, __global const real *values, __global const long4 *points,
                             long8 grid, long k, long end, long plane, long row) {
    for (; is_in_row(points, k, end, plane, row); k++) {
        const long at = element_of(points[k], grid);
        vstore_half_rte(round_to_half(vload_half(at, array) + values[points[k].s3]), at, array);
    }
    return k;
}

long record_row_half(__global const half *array, __global real *records, __global const long4 *points, long8 grid,
                     long k, long end, long plane, long row) {
    for (; is_in_row(points, k, end, plane, row); k++)
        records[points[k].s3] = vload_half(element_of(points[k], grid), array);
    return k;
}
