// Sources and receivers between sweeps. Node (plane, row, column) of an array lies at element
// s5 + plane s4 + row s3 + column of `grid`; if there are runs of s6 planes, s7 others lie between one and the next.
// Points s0 to s1 - 1 of `range` are the field's.

long element_of(long4 point, long8 grid) {
    const long plane = grid.s6 > 0 ? point.s0 + point.s0 / grid.s6 * grid.s7 : point.s0;
    return grid.s5 + plane * grid.s4 + point.s1 * grid.s3 + point.s2;
}

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

bool is_in(long4 point, long8 box) {
    return point.s0 >= box.s0 && point.s0 < box.s1 && point.s1 >= box.s2 && point.s1 < box.s3 && point.s2 >= box.s4 &&
           point.s2 < box.s5;
}

// Row s2 of the records, but for nodes in the box `others`.
__kernel void record_receivers(__global const real *array, __global real *records, __global const long4 *points,
                               long8 grid, long4 range, long8 others) {
    const long k = range.s0 + get_global_id(0);
    if (k < range.s1 && !is_in(points[k], others))
        records[range.s2 + points[k].s3] = array[element_of(points[k], grid)];
}

// Of points k to end - 1, which are in order, the first that does not lie before a row.
long first_point_of_row(__global const long4 *points, long k, long end, long plane, long row) {
    while (k < end) {
        const long middle = k + (end - k) / 2;
        if (points[middle].s0 < plane || (points[middle].s0 == plane && points[middle].s1 < row))
            k = middle + 1;
        else
            end = middle;
    }
    return k;
}

bool is_in_row(__global const long4 *points, long k, long end, long plane, long row) {
    return k < end && points[k].s0 == plane && points[k].s1 == row;
}

// The sources and receivers from point k on that lie in a row; the first point behind them. `values` is the row of the
// table behind the time.
long add_sources_of_row(__global real *array, __global const real *values, __global const long4 *points, long8 grid,
                        long k, long end, long plane, long row) {
    for (; is_in_row(points, k, end, plane, row); k++)
        array[element_of(points[k], grid)] += values[points[k].s3];
    return k;
}

long record_row(__global const real *array, __global real *records, __global const long4 *points, long8 grid, long k,
                long end, long plane, long row) {
    for (; is_in_row(points, k, end, plane, row); k++)
        records[points[k].s3] = array[element_of(points[k], grid)];
    return k;
}
