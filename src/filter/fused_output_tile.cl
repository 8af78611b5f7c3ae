// CPU-shaped: a tile of LANES rows from `first` on, of which `count` are there, lane by lane.

// The steps back take element e of a spectrum from places[e].
INLINE void load_tile(vreal *v, const uint *places, __global const real2 *half_planes, ulong first, uint count) {
    for (uint lane = 0; lane < LANES; lane++) {
        const ulong line = first + min(lane, count - 1);
        for (uint e = 0; e < Q; e++) {
            const uint at = places[e];
            const real2 value = half_planes[line * PITCH + PLACE(e)];
            ((real *)&RE(at))[lane] = value.x;
            ((real *)&IM(at))[lane] = value.y;
        }
    }
}

INLINE void store_tile(vreal *v, __global RESULT *image, long base, ulong first_line, __constant const long *lines,
                       real white, ulong first, uint count) {
    for (uint lane = 0; lane < count; lane++) {
        const row_pair rows = find_rows(first + lane, base, first_line, lines);
        for (uint x = 0; x < Q; x++) {
            const real2 value = (real2)(((real *)&RE(x))[lane], ((real *)&IM(x))[lane]);
            store_pixels(image, rows, x, value, white);
        }
    }
}
