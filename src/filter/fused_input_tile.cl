// CPU-shaped: a tile of LANES rows from `first` on, of which `count` are there, lane by lane.

INLINE void load_tile(vreal *v, __global const IN *image, long base, ulong first_line, __constant const long *lines,
                      ulong first, uint count) {
    for (uint lane = 0; lane < LANES; lane++) {
        const row_pair rows = find_rows(image, first + min(lane, count - 1), base, first_line, lines);
        for (uint x = 0; x < Q; x++) {
            const real2 value = load_pixels(image, rows, x);
            ((real *)&RE(x))[lane] = value.x;
            ((real *)&IM(x))[lane] = value.y;
        }
    }
}

// The steps leave element e of a spectrum in places[e].
INLINE void store_tile(vreal *v, const uint *places, __global real2 *half_planes, ulong first, uint count) {
    for (uint lane = 0; lane < count; lane++)
        for (uint e = 0; e < Q; e++) {
            const uint at = places[e];
            const real2 value = (real2)(((real *)&RE(at))[lane], ((real *)&IM(at))[lane]);
            half_planes[(first + lane) * PITCH + PLACE(e)] = value;
        }
}
