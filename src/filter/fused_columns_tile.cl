// CPU-shaped: a tile of LANES columns from `first` on, of which `count` are there. Columns side by side, l to l + LANES
// - 1 of one plane, and their opposites go as vectors; others one by one.
typedef float16 real16;

bool is_whole(ulong first, uint count) {
    const uint l = (uint)(first % HALF);
    return count == LANES && l > 0 && 2 * (l + LANES - 1) < Q;
}

// Element 0 of the columns of a whole tile: four numbers a column.
__global real *whole_columns(__global real2 *half_planes, ulong first) {
    const ulong plane = first / HALF;
    const uint l = (uint)(first - plane * HALF);
    return (__global real *)half_planes + 2 * plane * ((ulong)J * PITCH) + 4 * l;
}

void load_whole_tile(vreal *v, __global const real *columns) {
    for (uint e = 0; e < J; e++) {
        const real16 low = vload16(0, columns + 2 * (ulong)e * PITCH);
        const real16 high = vload16(1, columns + 2 * (ulong)e * PITCH);
        const vreal ax = (vreal)(low.s048c, high.s048c), ay = (vreal)(low.s159d, high.s159d);
        const vreal bx = (vreal)(low.s26ae, high.s26ae), by = (vreal)(low.s37bf, high.s37bf);
        RE(e) = ax + bx;
        IM(e) = ay - by;
        RE(e + J) = ay + by;
        IM(e + J) = bx - ax;
    }
}

INLINE void load_tile(vreal *v, __global real2 *half_planes, ulong first, uint count) {
    if (is_whole(first, count)) {
        load_whole_tile(v, whole_columns(half_planes, first));
        return;
    }
    for (uint lane = 0; lane < LANES; lane++) {
        const ulong line = first + min(lane, count - 1), plane = line / HALF;
        const uint l = (uint)(line - plane * HALF);
        __global const real4 *columns = find_columns(half_planes, plane, l);
        for (uint e = 0; e < J; e++) {
            real2 upper, lower;
            part_rows(columns[(ulong)e * (PITCH / 2)], 2 * l % Q == 0, &upper, &lower);
            ((real *)&RE(e))[lane] = upper.x;
            ((real *)&IM(e))[lane] = upper.y;
            ((real *)&RE(e + J))[lane] = lower.x;
            ((real *)&IM(e + J))[lane] = lower.y;
        }
    }
}

// The steps leave element e of a spectrum in places[e].
void multiply_tile(vreal *v, const uint *places, __global const real *mask, ulong first, uint count) {
    uint l_of[LANES];
    for (uint lane = 0; lane < LANES; lane++)
        l_of[lane] = (uint)((first + min(lane, count - 1)) % HALF);
    for (uint e = 0; e < P; e++) {
        vreal factor;
        for (uint lane = 0; lane < LANES; lane++)
            ((real *)&factor)[lane] = mask_at(mask, e, l_of[lane]) * SCALE;
        RE(places[e]) *= factor;
        IM(places[e]) *= factor;
    }
}

void store_whole_tile(vreal *v, __global real *columns) {
    for (uint e = 0; e < J; e++) {
        real16 low, high;
        const vreal ax = RE(e) - IM(e + J), ay = IM(e) + RE(e + J);
        const vreal bx = RE(e) + IM(e + J), by = RE(e + J) - IM(e);
        low.s048c = ax.lo;
        low.s159d = ay.lo;
        low.s26ae = bx.lo;
        low.s37bf = by.lo;
        high.s048c = ax.hi;
        high.s159d = ay.hi;
        high.s26ae = bx.hi;
        high.s37bf = by.hi;
        vstore16(low, 0, columns + 2 * (ulong)e * PITCH);
        vstore16(high, 1, columns + 2 * (ulong)e * PITCH);
    }
}

INLINE void store_tile(vreal *v, __global real2 *half_planes, ulong first, uint count) {
    if (is_whole(first, count)) {
        store_whole_tile(v, whole_columns(half_planes, first));
        return;
    }
    for (uint lane = 0; lane < count; lane++) {
        const ulong plane = (first + lane) / HALF;
        const uint l = (uint)(first + lane - plane * HALF);
        __global real4 *columns = find_columns(half_planes, plane, l);
        for (uint e = 0; e < J; e++) {
            const real2 upper = (real2)(((real *)&RE(e))[lane], ((real *)&IM(e))[lane]);
            const real2 lower = (real2)(((real *)&RE(e + J))[lane], ((real *)&IM(e + J))[lane]);
            columns[(ulong)e * (PITCH / 2)] = join_rows(upper, lower);
        }
    }
}
