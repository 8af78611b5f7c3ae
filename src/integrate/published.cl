// The published rule, WIDTH 1: each of P work-items sums n = ceil(N / P) consecutive points, one of each group adds the group's
// values, and one work-item adds the groups.
__kernel void published_points(ulong points, ulong points_an_item, real a, real h, __global const real *rows,
                               __global real *group_sums, __local real *scratch) {
    const ulong first = get_global_id(0) * points_an_item;
    const ulong end = min(first + points_an_item, points);
    realv p[N_ROW + 1];
    real sum = 0;
    broadcast_row(rows, 0, p);
    for (ulong k = first; k < end; k++) {
        const real x = a + (real)k * h;
        sum += integrand(&x, p);
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
