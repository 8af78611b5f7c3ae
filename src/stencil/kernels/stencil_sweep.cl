// Sources and receivers between sweeps. Node (plane, row, column) of an array lies at element
// s5 + plane s4 + row s3 + column of `grid`. Points s0 to s1 - 1 of `range` are the field's.

long element_of(long4 point, long8 grid) { return grid.s5 + point.s0 * grid.s4 + point.s1 * grid.s3 + point.s2; }

// Row s2 of the table begins with the time. The sources of a node add to it one after the other, in the order of the
// points.
__kernel void add_sources(__global real *array, __global const real *table, __global const long4 *points, long8 grid,
                          long4 range) {
    long k = range.s0 + get_global_id(0);
    if (k >= range.s1)
        return;
    const long at = element_of(points[k], grid);
    if (k > range.s0 && element_of(points[k - 1], grid) == at)
        return;
    real value = array[at];
    for (; k < range.s1 && element_of(points[k], grid) == at; k++)
        value += table[range.s2 + 1 + points[k].s3];
    array[at] = value;
}

// Row s2 of the records.
__kernel void record_receivers(__global const real *array, __global real *records, __global const long4 *points,
                               long8 grid, long4 range) {
    const long k = range.s0 + get_global_id(0);
    if (k < range.s1)
        records[range.s2 + points[k].s3] = array[element_of(points[k], grid)];
}
