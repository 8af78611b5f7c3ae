// The published rule, WIDTH 1: each of P work-items sums n = ceil(N / P) consecutive points, one of each group adds the
// group's values, and one work-item adds the groups. A launch takes the points from begin_point to end_point of every
// work-item; until the last ones, their sums are in `carried` between launches.
__kernel void published_points(ulong points, ulong points_an_item, ulong begin_point, ulong end_point, real a, real h,
                               __global const real *rows, __global const int *code, __global real *carried,
                               __global real *group_sums, __local real *scratch) {
    const ulong first = get_global_id(0) * points_an_item;
    const ulong end = min(first + end_point, points);
    given in;
    real sum = begin_point > 0 ? carried[get_global_id(0)] : 0;
    broadcast_row(rows, 0, code, &in);
    for (ulong k = first + begin_point; k < end; k++) {
        const real x = a + (real)k * h;
        sum += integrand(&x, &in);
    }
    if (end_point < points_an_item) {
        carried[get_global_id(0)] = sum;
        return;
    }
    scratch[get_local_id(0)] = sum * h;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        real total = 0;
        for (uint i = 0; i < get_local_size(0); i++)
            total += scratch[i];
        group_sums[get_group_id(0)] = total;
    }
}

__kernel void published_groups(uint n_groups, __global const real *group_sums, __global real *sum) {
    real total = 0;
    for (uint g = 0; g < n_groups; g++)
        total += group_sums[g];
    sum[0] = total;
}
